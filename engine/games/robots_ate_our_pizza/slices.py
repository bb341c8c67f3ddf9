"""Slices of pizza: the tables of what a result costs, sessions and their grades.

The rulebook prints the table of Task 1 only (slices.toml). Tables of other tasks come from a file of the same form that
the user names; its numbers are then the user's, not the rulebook's.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from engine.contract import Setup
from engine.games.robots_ate_our_pizza.rules import (
    COMBO,
    GOALS,
    MODES,
    MOST_PLAYERS,
    N_CUTS,
    N_SLICES,
    N_TASKS,
    NO_TABLE,
    ONE_TASK,
)

PRINTED = Path(__file__).with_name("slices.toml")

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

    `tables` names a file whose tables go before the printed ones; empty for none.
    """
    cuts = np.full((N_TASKS, N_CUTS), NO_TABLE, dtype=np.int8)
    sources = [PRINTED, Path(tables)] if tables else [PRINTED]
    for source in sources:
        for (task, table_players), line in read_tables(source).items():
            if table_players == players:
                cuts[task - 1] = line
    return cuts


def check_session(cuts: np.ndarray, mode: str, players: int) -> None:
    """Raise ValueError when a session would need a slices table that is not known."""
    place = MODES.index(mode)
    if place == ONE_TASK:
        return
    tasks = range(N_TASKS) if place == COMBO else range(4 * (place - 1), 4 * place)
    missing = [task + 1 for task in tasks if cuts[task, 0] == NO_TABLE]
    if missing:
        raise ValueError(
            f"mode {mode} has no slices table for {players} players in task{'s' if len(missing) > 1 else ''} "
            f"{', '.join(map(str, missing))}: the rulebook prints only Task 1; name a file with --option tables=FILE"
        )


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
