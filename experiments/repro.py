"""Play a finished run again and hold every byte against what it left on disk.

Nothing is written: each part is played, compared with the file, and forgotten, so that this takes no more memory or
disk for a billion games than for ten.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.cluster import Place, Report, play_parts
from experiments.matches import Conduct
from experiments.ratings import setup_of_run
from experiments.results import RunFolder, differs_from, json_bytes, part_name, read_config, read_tally
from experiments.summary import as_json, summarize
from experiments.tally import Tally
from experiments.tournament import Plan, Watcher, add_tally, compile_agents, plan_tournament


@dataclass(frozen=True)
class Repetition:
    """What came of playing a run again."""

    n_parts: int
    n_games: int
    differing: tuple[str, ...]  # names of files whose bytes are not those that were played now
    missing: tuple[str, ...]  # names of files that the run should have and has not
    versions: tuple[str, ...]  # in which libraries then and now differ, as sentences

    @property
    def is_same(self) -> bool:
        """Tell whether every byte of the run came out again."""
        return not self.differing and not self.missing

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "same": self.is_same,
            **{name: list(each) if isinstance(each, tuple) else each for name, each in vars(self).items()},
        }


def plan_of_run(path: Path) -> Plan:
    """Return the tournament that a run is of; ValueError when it is none, or was played by other rules or code."""
    config = read_config(path)
    try:
        setup = setup_of_run(path)
        plan = plan_tournament(
            setup,
            config["agents"],
            config["deals"],
            config["seed"],
            config["schedule"],
            config["keep"],
            Conduct(config["on_fault"], config["move_seconds"]),
        )
    except KeyError as error:
        raise ValueError(f"the run {str(path)!r} does not say its {error.args[0]}: another version made it") from None
    difference = differs_from(config, json.loads(json.dumps(plan.config())))
    if difference:
        raise ValueError(f"the run {str(path)!r} is not of this code, so it cannot be repeated: {difference}")
    return plan


def repeat_run(path: Path, place: Place | None = None, watcher: Watcher | None = None) -> Repetition:
    """Play a run again and compare; ValueError when it cannot be."""
    watcher = watcher or Watcher()
    plan = plan_of_run(path)
    stored = RunFolder(path).stored_parts(plan.chunks)
    compile_agents(plan, watcher)
    watcher.start(sum(plan.n_games(chunk) for chunk in plan.chunks))
    differing: list[str] = []
    missing: list[str] = []
    sums: list[Tally | None] = [None] * len(plan.match.line_ups)
    for chunk, content in play_parts(plan.match, plan.chunks, plan.work, place or Place(), Report()):
        if chunk not in stored:
            missing.append(part_name(chunk, content))
        elif stored[chunk].read_bytes() != content:
            differing.append(stored[chunk].name)
        add_tally(sums, chunk, read_tally(io.BytesIO(content)))
        watcher.advance(plan.n_games(chunk))
    lines = summarize([each for each in sums if each is not None], plan.match.agents, plan.setup.cooperative)
    summary = path / "summary.json"
    if not summary.exists():
        missing.append(summary.name)
    elif summary.read_bytes() != json_bytes(as_json(lines)):
        differing.append(summary.name)
    then, now = read_config(path).get("versions", {}), plan.config()["versions"]
    return Repetition(
        n_parts=len(plan.chunks),
        n_games=sum(plan.n_games(chunk) for chunk in plan.chunks),
        differing=tuple(sorted(differing)),
        missing=tuple(sorted(missing)),
        versions=tuple(f"{name} was {then.get(name)}, is {now[name]}" for name in now if then.get(name) != now[name]),
    )
