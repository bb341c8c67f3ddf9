"""What the tallies of a run say: estimates with intervals, over blocks.

The counts are defined in `experiments.tally`. A mean over blocks has the t interval of the block means, so games that
share a deal never count as independent. A proportion has Wilson's interval; where blocks hold several games, with the
effective number of games that the block means show (Wilson 1927; effective sample size as in Korn and Graubard 1998).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scipy.special import ndtri, stdtrit

from engine.contract import Setup
from experiments.tally import SHARE_UNITS, BlockSums, Tally

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval and the number of blocks that it stands on; None where nothing is known."""

    mean: float | None
    low: float | None
    high: float | None
    n_blocks: int

    @property
    def half_width(self) -> float:
        """Half the width of the interval; 0 where there is none."""
        return 0.0 if self.low is None or self.high is None else (self.high - self.low) / 2

    def scaled(self, factor: float) -> Estimate:
        """Return the figure in another unit, such as percent."""
        mean, low, high = (None if each is None else factor * each for each in (self.mean, self.low, self.high))
        return Estimate(mean, low, high, self.n_blocks)


def mean_estimate(sums: BlockSums, n_in_block: int, unit: float = 1.0) -> Estimate:
    """Return the mean of one game (or seat) with the t interval of the block means.

    `n_in_block` is how many games (or seats) each block sums, `unit` what a count of 1 is worth.
    """
    n_blocks = sums.n_blocks
    if n_blocks == 0:
        return Estimate(None, None, None, 0)
    scale = unit / n_in_block
    mean = sums.total / n_blocks * scale
    if n_blocks == 1:
        return Estimate(mean, None, None, 1)
    half = float(stdtrit(n_blocks - 1, 0.5 + CONFIDENCE / 2)) * _standard_error(sums) * scale
    return Estimate(mean, mean - half, mean + half, n_blocks)


def share_estimate(sums: BlockSums, n_in_block: int) -> Estimate:
    """Return a proportion of games with Wilson's interval on the effective number of games."""
    if sums.n_blocks == 0:
        return Estimate(None, None, None, 0)
    share = sums.total / (sums.n_blocks * n_in_block)
    error = _standard_error(sums) / n_in_block if sums.n_blocks > 1 else 0.0
    n_effective = share * (1 - share) / error**2 if error > 0 else float(sums.n_blocks)
    low, high = wilson(share, n_effective)
    return Estimate(share, low, high, sums.n_blocks)


def wilson(share: float, n_games: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion of independent games."""
    z = float(ndtri(0.5 + CONFIDENCE / 2))
    center = (share + z * z / (2 * n_games)) / (1 + z * z / n_games)
    half = z / (1 + z * z / n_games) * math.sqrt(share * (1 - share) / n_games + z * z / (4 * n_games**2))
    return min(share, max(0.0, center - half)), max(share, min(1.0, center + half))  # rounding may miss by a hair


def _standard_error(sums: BlockSums) -> float:
    """Return the standard error of the mean of the block sums, exact in integers until the last division."""
    n_blocks = sums.n_blocks
    scatter = n_blocks * sums.squares - sums.total**2
    return math.sqrt(scatter / (n_blocks - 1)) / n_blocks


@dataclass(frozen=True)
class AgentLine:
    """What one agent did in one line-up."""

    agent: str
    points: Estimate  # of a seat
    share: Estimate | None  # of the win, of a seat; None in a cooperative game
    n_faults: int
    fault: str
    first_actions: dict[int, int]  # how often each action was its first; those that never were are left out


@dataclass(frozen=True)
class LineUpLine:
    """What one line-up did."""

    lineup: str
    n_games: int
    n_broken: int
    total: Estimate
    slices_lost: Estimate | None  # None where the task has no table
    lost_none: Estimate | None
    success: Estimate | None  # None where the rules name no success
    totals: dict[int, int]  # how many games came to each result
    agents: tuple[AgentLine, ...]

    @property
    def is_self_play(self) -> bool:
        """Tell whether one agent takes all seats."""
        return len(self.agents) == 1


def summarize(tallies: Sequence[Tally], agents: Sequence[str], cooperative: bool) -> list[LineUpLine]:
    """Return a line for each line-up, in the order of the schedule."""
    return [_line(tally, agents, cooperative) for tally in tallies]


def _line(tally: Tally, agents: Sequence[str], cooperative: bool) -> LineUpLine:
    has_table = tally.slices_lost.n_blocks > 0
    return LineUpLine(
        lineup=" ".join(agents[agent] for agent in tally.line_up),
        n_games=tally.n_games,
        n_broken=tally.n_broken,
        total=mean_estimate(tally.total, tally.n_seatings),
        slices_lost=mean_estimate(tally.slices_lost, tally.n_seatings) if has_table else None,
        lost_none=share_estimate(tally.lost_none, tally.n_seatings) if has_table else None,
        success=share_estimate(tally.success, tally.n_seatings) if tally.success.n_blocks else None,
        totals={tally.least_total + place: int(count) for place, count in enumerate(tally.totals) if count},
        agents=tuple(
            AgentLine(
                agent=agents[agent],
                points=mean_estimate(each.points, each.n_seats),
                share=None if cooperative else mean_estimate(each.shares, each.n_seats, 1.0 / SHARE_UNITS),
                n_faults=each.n_faults,
                fault=each.fault,
                first_actions={action: int(count) for action, count in enumerate(each.first_actions) if count},
            )
            for agent, each in tally.agents.items()
        ),
    )


def grade_shares(setup: Setup, line: LineUpLine) -> dict[str, Estimate]:
    """Return how often a session of copies of one agent earned each of the rulebook's grades, the best grade first."""
    assert setup.game.grade is not None
    least, most = setup.ranges.total
    counts = dict.fromkeys((setup.game.grade(setup, result) for result in range(most, least - 1, -1)), 0)
    for result, count in line.totals.items():
        counts[setup.game.grade(setup, result)] += count
    n_games = max(1, line.n_games)
    return {
        grade: Estimate(count / n_games, *wilson(count / n_games, n_games), line.total.n_blocks)
        for grade, count in counts.items()
    }


def as_json(lines: Sequence[LineUpLine]) -> list[dict[str, Any]]:
    """Return the lines as plain values for summary.json."""
    return [asdict(line) for line in lines]


def from_json(content: Sequence[dict[str, Any]]) -> list[LineUpLine]:
    """Return the lines that `as_json` wrote."""
    return [
        LineUpLine(
            **{
                **line,
                "total": Estimate(**line["total"]),
                "slices_lost": _maybe(line["slices_lost"]),
                "lost_none": _maybe(line["lost_none"]),
                "success": _maybe(line["success"]),
                "totals": {int(result): count for result, count in line["totals"].items()},
                "agents": tuple(
                    AgentLine(
                        **{
                            **agent,
                            "points": Estimate(**agent["points"]),
                            "share": _maybe(agent["share"]),
                            "first_actions": {int(key): count for key, count in agent["first_actions"].items()},
                        }
                    )
                    for agent in line["agents"]
                ),
            }
        )
        for line in content
    ]


def _maybe(content: dict[str, Any] | None) -> Estimate | None:
    return None if content is None else Estimate(**content)
