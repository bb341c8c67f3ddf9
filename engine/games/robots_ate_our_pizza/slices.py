"""Slices of pizza: the tables of what a result costs, sessions and their grades.

The rulebook prints the table of Task 1 only (slices.toml). Those of the other tasks are ours, tuned so that they are as
hard for a team of bots as the printed one (tuned_slices.toml says which team, and how to make them again). A file of
the same form that the user names goes before both.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from engine.contract import Setup
from engine.games.robots_ate_our_pizza.rules import GOALS, MOST_PLAYERS, N_CUTS, N_SLICES, N_TASKS, NO_TABLE

PRINTED = Path(__file__).with_name("slices.toml")
TUNED = Path(__file__).with_name("tuned_slices.toml")

# The rulebook's words for the slices left after four tasks, best first: at least so many, so good.
GRADES = (
    (5, "Awesome Teamwork!"),
    (3, "Pretty Good"),
    (1, "Guess you won't starve!"),
    (0, "Happy, Stuffed Robots!"),
)
WORST_GRADE = "Go Buy Another Pizza!"


def grade(slices_left: int) -> str:
    """Return the rulebook's grade for the slices left at the end of a session."""
    for least, words in GRADES:
        if slices_left >= least:
            return words
    return WORST_GRADE


def grade_of(setup: Setup, result: int) -> str:
    """Return the grade of a session's result; "" for a single task, which has none."""
    return "" if setup.options["mode"] == "task" else grade(result)


def success(setup: Setup) -> np.ndarray | None:
    """Tell for each number of slices left, from the fewest, whether it is a success; None for a single task."""
    if setup.options["mode"] == "task":
        return None
    least, most = setup.ranges.total
    return np.arange(least, most + 1) >= setup.options["success_at"]


def read_tables(path: Path) -> dict[tuple[int, int], list[int]]:
    """Read a TOML file of tables: under [task.T], `P = [a, b, c]` for P players, the last results that lose 0, 1, 2.

    A result is the total or the difference that the task counts. For goals "highest" the cuts descend, for "lowest"
    they ascend. Returns cuts by (task, players). Raises ValueError with a sentence for anything else.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"the tables file {str(path)!r} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"the tables file {str(path)!r} is not TOML: {error}") from None
    tables: dict[tuple[int, int], list[int]] = {}
    for task_text, lines in _mapping(content.get("task"), path, "[task.T] sections").items():
        task = _number(task_text, 1, N_TASKS, path, "a task")
        for players_text, cuts in _mapping(lines, path, f"lines `P = [a, b, c]` in task {task}").items():
            players = _number(players_text, 2, MOST_PLAYERS, path, f"players in task {task}")
            tables[task, players] = _checked_cuts(cuts, task, players, path)
    return tables


def _mapping(value: Any, path: Path, wanted: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"the tables file {str(path)!r} wants {wanted}")
    return value


def _number(text: str, least: int, most: int, path: Path, what: str) -> int:
    if not text.isdecimal() or not least <= int(text) <= most:
        raise ValueError(f"the tables file {str(path)!r} has {text!r} as {what}; allowed: {least} to {most}")
    return int(text)


def _checked_cuts(cuts: Any, task: int, players: int, path: Path) -> list[int]:
    where = f"the tables file {str(path)!r}, task {task}, {players} players"
    is_list = isinstance(cuts, list) and len(cuts) == N_CUTS
    if not is_list or not all(type(cut) is int and NO_TABLE < cut <= 127 for cut in cuts):
        raise ValueError(f"{where}: wants {N_CUTS} whole numbers from {NO_TABLE + 1} to 127, not {cuts!r}")
    is_high = (task - 1) % 2 == 0
    if list(cuts) != sorted(set(cuts), reverse=is_high):
        order = "descend" if is_high else "ascend"
        raise ValueError(f"{where}: the cuts of a task with goal {GOALS[(task - 1) % 4]!r} {order}, not {cuts!r}")
    return list(cuts)


def cuts_for(players: int, tables: str) -> np.ndarray:
    """Return the cuts by task for a number of players: int8, shape (24, 3), NO_TABLE where nothing is known.

    `tables` names a file whose tables go before the printed and the tuned ones; empty for none.
    """
    cuts = np.full((N_TASKS, N_CUTS), NO_TABLE, dtype=np.int8)
    for source in [TUNED, PRINTED, *([Path(tables)] if tables else [])]:
        for (task, table_players), line in read_tables(source).items():
            if table_players == players:
                cuts[task - 1] = line
    return cuts


def slices_source(setup: Setup) -> str:
    """Say whose tables decide what a result costs: the rulebook's, ours, or those of a file."""
    tables = setup.options["tables"]
    tasks = {setup.options["task"]} if setup.options["mode"] == "task" else set(range(1, N_TASKS + 1))
    if tables:
        theirs = {task for task, players in read_tables(Path(tables)) if players == setup.players}
        if tasks <= theirs:
            return f"the tables of {tables}"
        return f"the tables of {tables}, where it has one"
    return "the rulebook's table" if tasks == {1} else "tables of ours (the rulebook prints Task 1 only)"


def slices_lost(setup: Setup) -> np.ndarray | None:
    """Return the slices that each result loses, int64, indexed by result less the least total; None without a table.

    In a session the result is the slices left, and what is lost is the rest of eight.
    """
    least, most = setup.ranges.total
    results = np.arange(least, most + 1)
    if setup.options["mode"] != "task":
        return N_SLICES - results
    task = setup.options["task"]
    return lost_by(results, setup.template["cuts"][task - 1], task)


def lost_by(results: np.ndarray, cuts: np.ndarray, task: int) -> np.ndarray | None:
    """Return the slices that each result of a task loses by its three cuts, int64; None when the cuts are unknown."""
    if cuts[0] == NO_TABLE:
        return None
    is_high = (task - 1) % 2 == 0
    limits = cuts.astype(np.int64)
    worse = results[:, None] < limits if is_high else results[:, None] > limits
    return worse.sum(axis=1)
