"""What sessions of four tasks end with: the rulebook's grades by agent, for each topping and Combo Supreme.

Chances are worked out from single tasks (`experiments.session`); dots show the share of simulated sessions that ended
with at least one slice, with its 95 % interval, as a check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from engine.contract import load_game
from experiments.session import SessionView, session_view
from experiments.studies import Findings, Request, Study
from experiments.summary import wilson
from experiments.thresholds import GAME

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLAYERS = 4
SHADES = ("#00441b", "#4d9f63", "#a6d5a0", "#d9d9d9", "#8c6d62")  # best grade first; told apart in gray print, too
HATCHES = ("", "", "", "", "////")
N_FED = 3  # grades that leave at least one slice


def run(request: Request) -> Findings:
    """Let each agent's team play all single tasks and sessions of every mode."""
    players = request.players or PLAYERS
    modes = [mode for option in load_game(GAME).game.options if option.name == "mode" for mode in option.choices]
    views: list[SessionView] = []
    for mode in modes[1:]:
        setup = load_game(GAME, players=players, mode=mode)
        views += session_view(setup, request.agents, request.deals, request.seed, request.place, request.watcher)
    facts = {"players": players, "seed": request.seed, "views": [asdict(view) for view in views]}
    return Findings(facts, draw(views, request.seed))


def draw(views: Sequence[SessionView], seed: int) -> Figure:
    """Draw a panel for each mode: a bar for each agent, cut into grades."""
    modes = list(dict.fromkeys(view.mode for view in views))
    agents = list(dict.fromkeys(view.agent for view in views))
    figure = Figure(figsize=(8.5, 0.6 + len(modes) * (0.34 * len(agents) + 0.42)), layout="constrained")
    panels = figure.subplots(len(modes), 1, sharex=True, squeeze=False)[:, 0]
    for panel, mode in zip(panels, modes, strict=True):
        _draw_mode(panel, [view for view in views if view.mode == mode])
    panels[-1].set_xlabel("share of sessions (%)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    n_sessions, players = views[0].n_sessions, views[0].players
    figure.suptitle(f"Robots Ate Our Pizza, {players} players: how four tasks end", fontweight="bold")
    words = f"teams of copies; {n_sessions:,} games of each task and {n_sessions:,} sessions a bar, seed {seed}"
    panels[0].set_title(f"{words}\n{views[0].mode}", loc="left", fontweight="normal", fontsize=8)
    return figure


def _draw_mode(panel: Axes, views: Sequence[SessionView]) -> None:
    places = np.arange(len(views))[::-1]
    left = np.zeros(len(views))
    for number, chance in enumerate(views[0].grades):
        widths = np.array([100 * view.grades[number].exact for view in views])
        panel.barh(
            places,
            widths,
            left=left,
            height=0.78,
            color=SHADES[number],
            hatch=HATCHES[number],
            edgecolor="white",
            linewidth=0.5,
            label=chance.grade,
        )
        left += widths
    fed = [min(1.0, sum(chance.simulated.mean or 0.0 for chance in view.grades[:N_FED])) for view in views]
    ends = np.array([wilson(share, view.n_sessions) for share, view in zip(fed, views, strict=True)]).T
    errors = 100 * np.abs(ends - fed)
    panel.errorbar(
        100 * np.array(fed),
        places,
        xerr=errors,
        fmt="o",
        markersize=3.5,
        color="black",
        markerfacecolor="white",
        capsize=2,
        clip_on=False,
        label="1 slice or more, simulated (95 %)",
    )
    panel.set_yticks(places, [view.agent for view in views], fontsize=7.5)
    panel.set_xlim(0, 100)
    panel.set_title(views[0].mode, loc="left", fontweight="normal", fontsize=8)


STUDY = Study(
    name="sessions",
    game=GAME,
    summary="grades at the end of four tasks by agent, for each topping and Combo Supreme",
    agents=("uniform", "greedy:style=own", "greedy:style=color-hoarder", "greedy:style=team"),
    deals=20_000,
    run=run,
)
