"""The tournament: every line-up of a schedule plays the same deals."""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from agents import Player, make_players, parse_spec
from agents.python import MOVE_SECONDS
from engine.contract import Setup
from engine.tables import warm
from experiments.cluster import Place, Report, play_parts
from experiments.matches import Conduct, Match
from experiments.results import (
    DECIDING,
    RunFolder,
    as_frame,
    read_config,
    read_tally,
    run_config,
    write_json,
)
from experiments.schedule import SCHEDULES, Chunk, chunk_size, chunks, line_ups, seatings
from experiments.summary import LineUpLine, as_json, summarize
from experiments.tally import Tally

KEEP = ("rows", "summary")
MOST_DEALS = 10**10


@dataclass
class Watcher:
    """What a run tells the person who waits; the default says nothing."""

    say: Callable[[str], None] = lambda words: None
    start: Callable[[int], None] = lambda n_games: None
    advance: Callable[[int], None] = lambda n_games: None


@dataclass(frozen=True)
class Plan:
    """A tournament made ready: what is played, cut into chunks."""

    setup: Setup
    players: tuple[Player, ...]
    match: Match
    schedule: str
    n_deals: int
    chunks: tuple[Chunk, ...]
    work: tuple[float, ...]  # rough cost of a block of each line-up, in random decisions

    def config(self) -> dict[str, Any]:
        """Return what decides the games, for config.json."""
        sources = [player.source for player in self.players]
        return run_config(self.match, self.setup, self.schedule, self.n_deals, sources)

    def n_games(self, chunk: Chunk) -> int:
        """Count the games of a chunk."""
        return chunk.n_deals * len(seatings(self.match.line_ups[chunk.line_up]))


@dataclass(frozen=True)
class Outcome:
    """A finished tournament."""

    plan: Plan
    lines: list[LineUpLine]
    where: str
    seconds: float
    n_games_before: int  # games that were there already when the run was taken up
    compiled_by_workers: int = 0  # kernels; 0 when all found the driver's compiled code
    tallies: list[Tally] = field(default_factory=list)  # by line-up
    parts: list[bytes] = field(default_factory=list)  # content of the parts, where no folder was given

    def frame(self) -> pd.DataFrame:
        """Return the rows of a run without a folder, in the columns of `experiments.results`."""
        tables = [pq.read_table(io.BytesIO(part)).replace_schema_metadata(None) for part in self.parts]
        return as_frame(pa.concat_tables(tables))


def plan_tournament(
    setup: Setup,
    agents: str | Iterable[str],
    deals: int,
    seed: int,
    schedule: str | None = None,
    keep: str = "rows",
    conduct: Conduct | None = None,
) -> Plan:
    """Check the arguments of a tournament and cut it up; ValueError says what is wrong with which."""
    n_deals = _whole("deals", deals, 1, MOST_DEALS)
    _whole("seed", seed, 0, 2**63 - 1)
    _one_of("keep", keep, KEEP)
    conduct = conduct or Conduct()
    chosen = schedule or ("self" if setup.cooperative else "round-robin")
    _one_of("schedule", chosen, SCHEDULES)
    players = tuple(make_players(agents, setup))
    match = Match(
        game=setup.name,
        players=setup.players,
        options=tuple(setup.options.items()),
        agents=tuple(player.label for player in players),
        line_ups=tuple(line_ups(chosen, len(players), setup.sides)),
        seed=int(seed),
        keep=keep,
        on_fault=conduct.on_fault,
        move_seconds=float(conduct.move_seconds),
        path=tuple(_module_folders(players)),
    )
    work = []
    sizes = []
    for line_up in match.line_ups:
        n_games = len(seatings(line_up))
        per_seat = setup.usual / setup.players
        work.append(n_games * per_seat * sum(players[agent].work for agent in line_up))
        sizes.append(chunk_size(n_deals, work[-1], n_games * setup.players if keep == "rows" else 0))
    return Plan(setup, players, match, chosen, n_deals, tuple(chunks(n_deals, sizes)), tuple(work))


def _module_folders(players: Sequence[Player]) -> list[str]:
    """Return where workers find the modules of agents that are not ours: where this process stands."""
    return [os.getcwd()] if any(":" in parse_spec(player.label).name for player in players) else []


def play_tournament(
    plan: Plan, folder: Path | None = None, place: Place | None = None, watcher: Watcher | None = None
) -> Outcome:
    """Play all chunks that are not there yet, and sum up.

    With a folder, parts are written as they come and a run that was stopped is taken up; without, they stay in memory.
    Raises ValueError when the folder holds another run or cannot be written.
    """
    watcher = watcher or Watcher()
    place = place or Place()
    run = None if folder is None else RunFolder(folder)
    config = plan.config()
    if run is not None:
        run.open(config)
    compile_agents(plan, watcher)
    started = time.perf_counter()
    there, damaged = ({}, []) if run is None else run.whole_parts(plan.chunks)
    missing = [chunk for chunk in plan.chunks if chunk not in there]
    n_games_before = sum(plan.n_games(chunk) for chunk in there)
    if damaged:
        watcher.say(f"{len(damaged):,} damaged parts are played again, such as {damaged[0].name}")
        for path in damaged:
            path.unlink()
    if n_games_before:
        watcher.say(f"taking up the run: {n_games_before:,} games are there already")
    watcher.start(sum(plan.n_games(chunk) for chunk in missing))
    report = Report()
    parts: dict[Chunk, bytes] = {}
    sums: list[Tally | None] = [None] * len(plan.match.line_ups)
    for chunk, content in play_parts(plan.match, missing, plan.work, place, report):
        if run is not None:
            with _told_when_it_cannot_be_written(run):
                run.write_part(chunk, content)
        elif plan.match.keep == "rows":
            parts[chunk] = content
        add_tally(sums, chunk, read_tally(io.BytesIO(content)))
        watcher.advance(plan.n_games(chunk))
    for chunk, path in there.items():
        add_tally(sums, chunk, read_tally(path))
    tallies = [each for each in sums if each is not None]
    lines = summarize(tallies, plan.match.agents, plan.setup.cooperative)
    outcome = Outcome(
        plan=plan,
        lines=lines,
        where=report.where,
        seconds=time.perf_counter() - started,
        n_games_before=n_games_before,
        compiled_by_workers=report.compiled_by_workers,
        tallies=tallies,
        parts=[parts[chunk] for chunk in sorted(parts, key=lambda each: (each.line_up, each.first_deal))],
    )
    if run is not None:
        with _told_when_it_cannot_be_written(run):
            write_json(run.path / "summary.json", as_json(lines))
            if missing:
                write_json(
                    run.path / "config.json",
                    {**read_config(run.path), "played": report.where, "wall_seconds": round(outcome.seconds, 3)},
                )
    return outcome


def compile_agents(plan: Plan, watcher: Watcher) -> None:
    """Compile what a run needs, in this process alone; workers only load."""
    agents = [(player.knobs, player.looks) for player in plan.players if player.is_compiled]
    watcher.say("compiling, or loading compiled code …")
    began = time.perf_counter()
    n_compiled = warm(plan.setup, agents)
    took = time.perf_counter() - began
    watcher.say(
        f"compiled {n_compiled} kernels in {took:.1f} s" if n_compiled else f"compiled code loaded in {took:.1f} s"
    )


@contextmanager
def _told_when_it_cannot_be_written(run: RunFolder) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ValueError(
            f"the run {str(run.path)!r} cannot be written: {error.strerror}; the parts written so far are whole, "
            "the same command takes the run up"
        ) from None


def add_tally(sums: list[Tally | None], chunk: Chunk, tally: Tally) -> None:
    """Add the counts of a chunk to those of its line-up."""
    merged = sums[chunk.line_up]
    if merged is None:
        sums[chunk.line_up] = tally
    else:
        merged.merge(tally)


def run_tournament(
    game: Setup,
    agents: str | Iterable[str],
    deals: int = 1000,
    seed: int = 1,
    schedule: str | None = None,
    keep: str = "rows",
    on_fault: str = "forfeit",
    workers: int = 0,
    serial: bool = False,
    ray: str = "",
    out: str | Path | None = None,
    move_seconds: float = MOVE_SECONDS,
) -> pd.DataFrame:
    """Play a tournament and return its rows (or with keep="summary" its summary) as a frame.

    The frame has one row per game and seat with the columns of `experiments.results`; nothing is written unless `out`
    names a folder. Raises ValueError with the sentence that the command line prints.
    """
    plan = plan_tournament(game, agents, deals, seed, schedule, keep, Conduct(on_fault, move_seconds))
    folder = None if out is None else Path(out)
    outcome = play_tournament(plan, folder, Place(serial=serial, address=ray, workers=workers))
    if keep == "summary":
        return pd.json_normalize(as_json(outcome.lines))
    if folder is None:
        return outcome.frame()
    from experiments.results import load_run

    return load_run(folder)


def _whole(name: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} is a whole number from {least:,} to {most:,}, not {value!r}")
    return value


def _one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} is {', '.join(allowed)}, not {value!r}")


def default_folder(plan: Plan) -> Path:
    """Return results/tournament/<run>; the name tells what it is, and is new when the arguments or the code are."""
    deciding = {name: value for name, value in plan.config().items() if name in DECIDING}
    digest = hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:8]
    return Path("results") / "tournament" / f"{plan.setup.name}-{plan.setup.players}p-seed{plan.match.seed}-{digest}"


__all__ = ["Outcome", "Plan", "Watcher", "default_folder", "plan_tournament", "play_tournament", "run_tournament"]
