"""Line scores in Robot Master: how many points rows and columns come to, and the lowest line, by agent.

Copies of each agent play alone and as two players, all on the same deals. A block is a deal, played once. Alone all ten
lines are the player's and the lowest of them is his score; with two players each has five, so a deal has two lowest
lines. What is drawn is the share of lines that come to at least so many points; its interval is Wilson's on the
effective number of lines, for lines of a square are not independent.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from engine.contract import Setup, load_game
from engine.games.robot_master.lines import MOST_POINTS, MOST_SIZE, SCORES
from experiments.charts import PALETTE
from experiments.self_play import compiled_players, finished_tables
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate, mean_estimate, share_estimate
from experiments.tally import BlockSums

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "robot-master"
PLAYERS = (1, 2)
MOST_DRAWN = 115  # points; what lies above is rare and says no more
DEALS_AT_ONCE = 4096
LINES = ("solid", "dashed", "dotted", "dashdot")


class Spread:
    """Counts of how often some lines of each deal come to at least 0, 1, … points."""

    def __init__(self, n_lines: int) -> None:
        self.n_lines = n_lines
        self.sums = BlockSums()
        self.at_least = [BlockSums() for _ in range(MOST_POINTS + 1)]

    def add(self, scores: np.ndarray) -> None:
        """Count the scores of some deals, int64 of shape (deals, lines)."""
        self.sums.add(scores.sum(axis=1))
        for points, sums in enumerate(self.at_least):
            sums.add((scores >= points).sum(axis=1))

    def mean(self) -> Estimate:
        """Return the mean score of a line."""
        return mean_estimate(self.sums, self.n_lines)

    def curve(self) -> list[Estimate]:
        """Return by points which share of the lines comes to at least so many."""
        return [share_estimate(sums, self.n_lines) for sums in self.at_least]


@dataclass(frozen=True)
class Curves:
    """What one agent's lines come to: means, and by points the share that reaches them."""

    agent: str
    players: int
    line_mean: Estimate
    lowest_mean: Estimate
    lines: list[Estimate]
    lowest: list[Estimate]


def scores_of(states: Any) -> np.ndarray:
    """Return the points of all lines of full squares, rows first; int64, shape (deals, 10)."""
    return SCORES[states["five_kind"][:, None], states["lines"]].astype(np.int64)


def play_lines(setup: Setup, agent: str, request: Request) -> Curves:
    """Let copies of an agent fill one square a deal."""
    (player,) = compiled_players(setup, [agent], request.watcher)
    n_sides = setup.players
    lines, lowest = Spread(2 * MOST_SIZE), Spread(n_sides)
    for first in range(0, request.deals, DEALS_AT_ONCE):
        deals = range(first, min(first + DEALS_AT_ONCE, request.deals))
        scores = scores_of(finished_tables(setup, [player] * setup.players, deals, request.seed))
        lines.add(scores)
        lowest.add(scores.reshape(len(deals), n_sides, -1).min(axis=2))
        request.watcher.advance(len(deals))
    return Curves(agent, setup.players, lines.mean(), lowest.mean(), lines.curve(), lowest.curve())


def run(request: Request) -> Findings:
    """Play alone and as two players, or as many as are asked for."""
    numbers = PLAYERS if request.players is None else (request.players,)
    if not set(numbers) <= set(PLAYERS):
        raise ValueError(f"line-scores looks at 1 or 2 players, not {request.players}")
    setups = [load_game(GAME, players=number) for number in numbers]
    request.watcher.start(request.deals * len(setups) * len(request.agents))
    found = [play_lines(setup, agent, request) for setup in setups for agent in request.agents]
    facts = {"seed": request.seed, "deals": request.deals, "agents": [_compact(each) for each in found]}
    return Findings(facts, draw(found, request))


def _compact(curves: Curves) -> dict[str, Any]:
    content = asdict(curves)
    for name in ("lines", "lowest"):
        known = [
            {"points": points, "share": each.mean, "low": each.low, "high": each.high}
            for points, each in enumerate(getattr(curves, name)[: MOST_DRAWN + 1])
        ]
        content[name] = {key: [_rounded(each[key]) for each in known] for key in ("points", "share", "low", "high")}
    return content


def _rounded(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


def draw(found: list[Curves], request: Request) -> Figure:
    """Draw the share of lines, and of lowest lines, by points that they reach; a row for each number of players."""
    numbers = list(dict.fromkeys(each.players for each in found))
    figure = Figure(figsize=(9.5, 2.9 * len(numbers) + 1.1), layout="constrained")
    panels = figure.subplots(len(numbers), 2, sharex=True, sharey=True, squeeze=False)
    for row, players in zip(panels, numbers, strict=True):
        of_row = [each for each in found if each.players == players]
        who = "alone" if players == 1 else f"{players} players"
        words = "lowest of the ten lines" if players == 1 else "lowest line of each player"
        _draw_panel(
            row[0], f"{who}: all rows and columns", [(each.agent, each.line_mean, each.lines) for each in of_row]
        )
        _draw_panel(row[1], f"{who}: {words}", [(each.agent, each.lowest_mean, each.lowest) for each in of_row])
        row[0].set_ylabel("share that reaches them (%)")
    for panel in panels[-1]:
        panel.set_xlabel("points")
    figure.supxlabel(
        f"{request.deals:,} deals each, seed {request.seed}, the same agent in all seats; bands: 95 % intervals",
        fontsize=8,
    )
    figure.suptitle("Robot Master: what lines come to", fontweight="bold")
    return figure


def _draw_panel(panel: Axes, title: str, curves: list[tuple[str, Estimate, list[Estimate]]]) -> None:
    points = np.arange(MOST_DRAWN + 1)
    for number, (agent, mean, estimates) in enumerate(curves):
        color = PALETTE[number % len(PALETTE)]
        drawn = estimates[: MOST_DRAWN + 1]
        middle, low, high = (
            np.array([100 * (getattr(each, name) or 0.0) for each in drawn]) for name in ("mean", "low", "high")
        )
        label = f"{agent}: mean {mean.mean or 0.0:.2f} ± {mean.half_width:.2f}"
        style: Any = LINES[number % len(LINES)]
        panel.plot(points, middle, color=color, linestyle=style, linewidth=1.4, label=label)
        panel.fill_between(points, low, high, color=color, alpha=0.2, linewidth=0)
    panel.set_xlim(0, MOST_DRAWN)
    panel.set_ylim(0, 148)  # room for the words
    panel.set_yticks(range(0, 101, 20))
    panel.set_title(title, loc="left", fontsize=9)
    panel.legend(frameon=False, fontsize=7, loc="upper right")


STUDY = Study(
    name="line-scores",
    game=GAME,
    summary="how many points rows, columns and the lowest line come to, by agent",
    agents=(
        "uniform",
        "greedy:style=weakest-line-fixer",
        "greedy:style=hoarder",
        "greedy:style=expected-minimum",
    ),
    deals=10_000,
    run=run,
)
