"""Counts of a run that merge: everything a summary needs, in memory that does not grow with the games.

All counts are integers, so tallies of chunks add up to the same numbers in whatever order they are merged.

The counts. A *game* is one deal in one seating; it is *finished* unless an agent's fault broke it off. A *block* is
one deal in all seatings of a line-up; it is *whole* when all its games are finished. Block sums are taken over whole
blocks only: for each of them the sum over its games (of an agent: over its seats, too), and its square, so that error
bars can be those of block means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.contract import MOST_PLAYERS, Setup
from engine.kernel import kernel
from experiments.games import Games
from experiments.schedule import LineUp

_LINE_UP_SUMS = ("total", "slices_lost", "lost_none", "success")
SHARE_UNITS = math.lcm(*range(1, MOST_PLAYERS + 1))  # a win split among any number of seats is whole in these


@kernel
def _count_moves(decisions: Any, first_actions: Any, seats: Any, counts: Any) -> int:
    """Count the first actions of some seats into `counts`, by id; return how many decisions the seats made."""
    n_decisions = 0
    for game in range(len(decisions)):
        for seat in range(len(seats)):
            if seats[seat] and decisions[game, seat] > 0:
                n_decisions += decisions[game, seat]
                counts[first_actions[game, seat]] += 1
    return n_decisions


@kernel
def _add_seats(values: Any, seats: Any, sums: Any) -> None:
    """Add the values (games, players) of some seats to the sum of each game."""
    for game in range(len(values)):
        for seat in range(len(seats)):
            if seats[seat]:
                sums[game] += values[game, seat]


@dataclass
class BlockSums:
    """Number of whole blocks, sum of their sums, and sum of the squares of their sums."""

    n_blocks: int = 0
    total: int = 0
    squares: int = 0

    def add(self, sums: np.ndarray) -> None:
        """Count one int64 sum for each block."""
        self.n_blocks += len(sums)
        self.total += int(sums.sum())
        self.squares += int((sums * sums).sum())

    def merge(self, other: BlockSums) -> None:
        """Add the counts of another part of the run."""
        self.n_blocks += other.n_blocks
        self.total += other.total
        self.squares += other.squares


@dataclass
class AgentTally:
    """Counts of one agent in one line-up."""

    n_seats: int  # seats that it takes in a block, all seatings together
    first_actions: np.ndarray  # int64 (n_actions,): how often each action was its first of a game
    points: BlockSums = field(default_factory=BlockSums)
    shares: BlockSums = field(default_factory=BlockSums)  # in SHARE_UNITS
    n_decisions: int = 0
    n_faults: int = 0
    fault: str = ""  # the words of one of them


@dataclass
class Tally:
    """Counts of one line-up."""

    line_up: LineUp
    n_seatings: int
    least_total: int  # result that `totals[0]` counts
    totals: np.ndarray  # int64: how many finished games came to each result of the team
    agents: dict[int, AgentTally]
    n_games: int = 0
    n_broken: int = 0
    total: BlockSums = field(default_factory=BlockSums)
    slices_lost: BlockSums = field(default_factory=BlockSums)
    lost_none: BlockSums = field(default_factory=BlockSums)
    success: BlockSums = field(default_factory=BlockSums)

    @staticmethod
    def empty(setup: Setup, line_up: LineUp, n_seatings: int) -> Tally:
        """Return a tally that has counted nothing."""
        least, most = setup.ranges.total
        return Tally(
            line_up=line_up,
            n_seatings=n_seatings,
            least_total=least,
            totals=np.zeros(most - least + 1, dtype=np.int64),
            agents={
                agent: AgentTally(
                    n_seats=line_up.count(agent) * n_seatings,
                    first_actions=np.zeros(setup.game.n_actions, dtype=np.int64),
                )
                for agent in dict.fromkeys(line_up)
            },
        )

    def add_block(self, setup: Setup, games: Sequence[Games], orders: Sequence[LineUp]) -> None:
        """Count some deals, given as the games of each seating in turn."""
        whole = np.logical_and.reduce([each.finished for each in games])
        lost_by_total = None if setup.game.slices_lost is None else setup.game.slices_lost(setup)
        is_success = None if setup.game.success is None else setup.game.success(setup)
        block_totals, block_lost, block_none, block_success = (np.zeros(len(whole), dtype=np.int64) for _ in range(4))
        points = {agent: np.zeros(len(whole), dtype=np.int64) for agent in self.agents}
        shares = {agent: np.zeros(len(whole), dtype=np.int64) for agent in self.agents}
        for each, order in zip(games, orders, strict=True):
            result = setup.game.total(setup, each.points)
            place = result - self.least_total
            finished = place if each.finished.all() else place[each.finished]
            self.totals += np.bincount(finished, minlength=len(self.totals))
            block_totals += result
            if lost_by_total is not None:
                lost = lost_by_total[np.where(each.finished, place, 0)]
                block_lost += lost
                block_none += lost == 0
            if is_success is not None:
                block_success += is_success[np.where(each.finished, place, 0)]
            self._count_seats(setup, each, order, points, shares)
        self.n_games += sum(int(each.finished.sum()) for each in games)
        self.n_broken += sum(int((~each.finished).sum()) for each in games)
        everything = whole.all()
        self.total.add(block_totals if everything else block_totals[whole])
        if lost_by_total is not None:
            self.slices_lost.add(block_lost[whole])
            self.lost_none.add(block_none[whole])
        if is_success is not None:
            self.success.add(block_success[whole])
        for agent, tally in self.agents.items():
            tally.points.add(points[agent] if everything else points[agent][whole])
            if not setup.cooperative:
                tally.shares.add(shares[agent])  # a forfeited game is lost, not left out

    def _count_seats(
        self,
        setup: Setup,
        games: Games,
        order: LineUp,
        points: dict[int, np.ndarray],
        shares: dict[int, np.ndarray],
    ) -> None:
        """Count what belongs to the agent of each seat."""
        won = None
        if not setup.cooperative:
            won = np.rint(win_shares(games.utility)[1] * SHARE_UNITS).astype(np.int64)
        for agent, tally in self.agents.items():
            seats = np.array([sitting == agent for sitting in order])
            tally.n_decisions += _count_moves(games.decisions, games.first_action, seats, tally.first_actions)
            _add_seats(games.points, seats, points[agent])
            if won is not None:
                _add_seats(won, seats, shares[agent])
        for (_, seat), words in sorted(games.faults.items()):
            faulty = self.agents[order[seat]]
            faulty.n_faults += 1
            faulty.fault = faulty.fault or words

    def merge(self, other: Tally) -> None:
        """Add the counts of another part of the run with the same line-up."""
        self.totals += other.totals
        self.n_games += other.n_games
        self.n_broken += other.n_broken
        for name in _LINE_UP_SUMS:
            getattr(self, name).merge(getattr(other, name))
        for agent, tally in self.agents.items():
            theirs = other.agents[agent]
            tally.first_actions += theirs.first_actions
            tally.points.merge(theirs.points)
            tally.shares.merge(theirs.shares)
            tally.n_decisions += theirs.n_decisions
            tally.n_faults += theirs.n_faults
            tally.fault = tally.fault or theirs.fault

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {
            "line_up": list(self.line_up),
            "n_seatings": self.n_seatings,
            "least_total": self.least_total,
            "totals": self.totals.tolist(),
            "n_games": self.n_games,
            "n_broken": self.n_broken,
            **{name: vars(getattr(self, name)) for name in _LINE_UP_SUMS},
            "agents": {
                str(agent): {
                    **vars(tally),
                    "first_actions": tally.first_actions.tolist(),
                    "points": vars(tally.points),
                    "shares": vars(tally.shares),
                }
                for agent, tally in self.agents.items()
            },
        }

    @staticmethod
    def from_json(content: dict[str, Any]) -> Tally:
        """Return the tally that `to_json` wrote."""
        agents = {
            int(agent): AgentTally(
                **{
                    **tally,
                    "first_actions": np.array(tally["first_actions"], dtype=np.int64),
                    "points": BlockSums(**tally["points"]),
                    "shares": BlockSums(**tally["shares"]),
                }
            )
            for agent, tally in content["agents"].items()
        }
        return Tally(
            **{
                **content,
                "line_up": tuple(content["line_up"]),
                "totals": np.array(content["totals"], dtype=np.int64),
                "agents": agents,
                **{name: BlockSums(**content[name]) for name in _LINE_UP_SUMS},
            }
        )


def win_shares(utility: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return placing (int64, from 1, ties share it) and share of the win (float64, ties split it) of each seat.

    `utility` is float64 of shape (games, players); more is better.
    """
    placing = 1 + (utility[:, :, None] < utility[:, None, :]).sum(axis=2)
    won = placing == 1
    return placing, won / won.sum(axis=1, keepdims=True)
