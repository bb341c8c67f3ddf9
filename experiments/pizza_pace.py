"""Who is slower in Pizza Time: what share of the wins is left to one player whose movements take longer.

One agent sits in all seats of a game. Seat 0 takes `pace` ticks for a movement, the others `base`; the slowdown is
pace / base. Each deal is one game and a block of its own; all handicaps play the same deals.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from engine.contract import load_game
from experiments.charts import PALETTE, STYLE, save
from experiments.cluster import Place
from experiments.results import make_folder, write_json
from experiments.summary import wilson
from experiments.tournament import Watcher, plan_tournament, play_tournament

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "pizza-time"


@dataclass(frozen=True)
class Handicap:
    """What the slow player won: `share` of the wins, ties split, with its 95 % interval, over `n_deals` games."""

    agent: str
    players: int
    pace: int
    base: int
    share: float
    low: float
    high: float
    n_deals: int

    @property
    def slowdown(self) -> float:
        """How many times as long a movement of the slow player takes."""
        return self.pace / self.base


@dataclass(frozen=True)
class Race:
    """What is played for every handicap: the pace of those who are not slow, deals, seed and options of the game."""

    base: int
    deals: int
    seed: int
    options: dict[str, str] = field(default_factory=dict)
    place: Place = field(default_factory=lambda: Place(serial=True))


def play_handicap(agent: str, players: int, pace: int, race: Race) -> Handicap:
    """Let one agent play all seats with seat 0 slower; Wilson's interval, for a split win is rare."""
    paces = ",".join(str(each) for each in [pace, *[race.base] * (players - 1)])
    setup = load_game(GAME, players=players, **{**race.options, "pace": paces})
    plan = plan_tournament(setup, [agent], race.deals, race.seed, schedule="self")
    frame = play_tournament(plan, place=race.place).frame()
    share = float(frame[frame.seat == 0].share.mean())
    low, high = wilson(share, race.deals)
    return Handicap(agent, players, pace, race.base, share, low, high, race.deals)


def play_handicaps(
    agents: Sequence[str], players: Sequence[int], paces: Sequence[int], race: Race, watcher: Watcher | None = None
) -> list[Handicap]:
    """Play every agent and number of players with every pace of the slow seat."""
    watcher = watcher or Watcher()
    watcher.start(len(agents) * len(players) * len(paces) * race.deals)
    found = []
    for agent, number, pace in itertools.product(agents, players, paces):
        found.append(play_handicap(agent, number, pace, race))
        watcher.advance(race.deals)
    return found


def slowest_with(handicaps: Sequence[Handicap], share: float) -> float | None:
    """Return the slowdown at which the slow player's share falls to `share`, between the paces played by a line.

    None where it stays above, or begins below.
    """
    ordered = sorted(handicaps, key=lambda each: each.slowdown)
    for before, after in itertools.pairwise(ordered):
        if before.share >= share > after.share:
            part = (before.share - share) / (before.share - after.share)
            return before.slowdown + part * (after.slowdown - before.slowdown)
    return None


def draw(handicaps: Sequence[Handicap], stem: Path) -> list[Path]:
    """Draw win share against slowdown as PNG and SVG: a panel an agent, a line a number of players; return paths."""
    agents = list(dict.fromkeys(each.agent for each in handicaps))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.2 + 4.3 * len(agents), 4.2), layout="constrained")
        panels = figure.subplots(1, len(agents), sharey=True, squeeze=False)[0]
        for panel, agent in zip(panels, agents, strict=True):
            _draw_agent(panel, [each for each in handicaps if each.agent == agent])
        panels[0].set_ylabel("games won by the slow player (%)")
        panels[0].set_ylim(bottom=0)
        figure.suptitle("Pizza Time: what a slow hand costs", fontweight="bold")
        return save(figure, stem)


def _draw_agent(panel: Axes, handicaps: Sequence[Handicap]) -> None:
    for number, players in enumerate(sorted({each.players for each in handicaps})):
        _draw_line(panel, [each for each in handicaps if each.players == players], PALETTE[number])
    panel.axhline(100 / 3, color="black", linewidth=0.8, linestyle="--", zorder=1)
    panel.text(0.995, 100 / 3, "a third ", transform=panel.get_yaxis_transform(), ha="right", va="bottom", fontsize=8)
    panel.set_xlabel("time of a movement of the slow player, in that of the others")
    panel.legend(frameon=False, title="bars: 95 % intervals", fontsize=8, title_fontsize=8)
    words = f"all seats {handicaps[0].agent}\n{handicaps[0].n_deals:,} games a point"
    panel.set_title(words, loc="left", fontweight="normal", fontsize=9)


def _draw_line(panel: Axes, handicaps: Sequence[Handicap], color: str) -> None:
    ordered = sorted(handicaps, key=lambda each: each.slowdown)
    shares = np.array([100 * each.share for each in ordered])
    errors = [
        [100 * (each.share - each.low) for each in ordered],
        [100 * (each.high - each.share) for each in ordered],
    ]
    panel.errorbar(
        [each.slowdown for each in ordered],
        shares,
        yerr=errors,
        color=color,
        marker="o",
        markersize=3.5,
        linewidth=1.2,
        elinewidth=0.9,
        capsize=2,
        label=f"{ordered[0].players} players",
        zorder=2,
    )


def write(handicaps: Sequence[Handicap], seed: int, folder: Path) -> list[Path]:
    """Write the figures and the picture of a run into a folder; return the paths."""
    make_folder(folder)
    facts = folder / "pace.json"
    write_json(facts, as_json(handicaps, seed))
    return [facts, *draw(handicaps, folder / "pace")]


def as_json(handicaps: Sequence[Handicap], seed: int) -> dict[str, Any]:
    """Return the figures of a run, and the slowdowns that leave a third of the games, and half of the fair share."""
    summary = []
    for agent, players in dict.fromkeys((each.agent, each.players) for each in handicaps):
        line = [each for each in handicaps if (each.agent, each.players) == (agent, players)]
        third = slowest_with(line, 1 / 3) if players == 2 else None
        half = slowest_with(line, 0.5 / players)
        summary.append({"agent": agent, "players": players, "a_third_at": third, "half_of_fair_share_at": half})
    lines = [{**asdict(each), "slowdown": each.slowdown} for each in handicaps]
    return {"seed": seed, "summary": summary, "handicaps": lines}
