"""Studies: each plays what it needs to explain how a game is played, and draws one chart.

A study is one file here with a `STUDY`; it is found by being there. What it finds goes to `<name>.json` (every number
that is drawn, sample sizes, seed and the command that makes it again) beside the picture as PNG and SVG.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from experiments.charts import STYLE, save
from experiments.cluster import Place, ray_kept
from experiments.results import make_folder, write_json
from experiments.tournament import Watcher

MOST_DEALS = 10**8


@dataclass(frozen=True)
class Request:
    """What to play: the study's own choices where the caller made none."""

    agents: tuple[str, ...]
    players: int | None  # None: the study's own choice, often several
    deals: int
    seed: int
    place: Place = field(default_factory=lambda: Place(serial=True))
    watcher: Watcher = field(default_factory=Watcher)
    options: Mapping[str, str] = field(default_factory=dict)  # of the study; `run_study` fills in those left out


@dataclass(frozen=True)
class Findings:
    """What a study found: `facts` are plain values as JSON holds them, `figure` draws them and nothing else."""

    facts: Mapping[str, Any]
    figure: Figure


@dataclass(frozen=True)
class Study:
    """One question about one game, answered by a chart."""

    name: str  # as in `pizzabots study NAME`
    game: str
    summary: str  # what the chart shows, in one line
    agents: tuple[str, ...]  # by default
    deals: int  # by default; what one deal means is the study's own affair
    run: Callable[[Request], Findings]
    options: Mapping[str, str] = field(default_factory=dict)  # what else can be asked, with what is asked by default


def studies() -> dict[str, Study]:
    """Return all studies by name, in alphabetical order."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        study: Study = importlib.import_module(f"{__name__}.{info.name}").STUDY
        found[study.name] = study
    return dict(sorted(found.items()))


def find_study(name: str) -> Study:
    """Return a study; ValueError lists those that exist."""
    found = studies()
    if name not in found:
        raise ValueError(f"there is no study {name!r}; the studies: {', '.join(found) or 'none'}")
    return found[name]


@ray_kept()
def run_study(study: Study, request: Request, folder: Path) -> list[Path]:
    """Run a study and write its facts and picture into `folder`; return the paths.

    Raises ValueError for wrong arguments, and when the folder cannot be made, before anything is played.
    """
    for name in request.options:
        if name not in study.options:
            known = ", ".join(study.options) or "none"
            raise ValueError(f"the study {study.name} has no option {name!r}; its options: {known}")
    request = replace(request, options={**study.options, **request.options})
    if not 1 <= request.deals <= MOST_DEALS:
        raise ValueError(f"deals is a whole number from 1 to {MOST_DEALS:,}, not {request.deals!r}")
    make_folder(folder)
    with mpl.rc_context(STYLE):
        findings = study.run(request)
        facts = folder / f"{study.name}.json"
        write_json(facts, {"command": command_of(study, request), **findings.facts})
        return [facts, *save(findings.figure, folder / study.name)]


def command_of(study: Study, request: Request) -> str:
    """Return the command that makes a study again."""
    players = "" if request.players is None else f" --players {request.players}"
    agents = " ".join(request.agents)
    options = "".join(f" --option {name}={value}" for name, value in request.options.items())
    return (
        f"pizzabots study {study.name} --agents {agents}{players}{options} --deals {request.deals} "
        f"--seed {request.seed}"
    )
