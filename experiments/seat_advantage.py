"""Does the chair matter: what each seat gets when copies of one agent take them all.

The counts. A block is one deal, played once. Its scores, one a chair: in a competitive game the chair's share of the
win less an even share; in a cooperative one, where all win or lose together, the seat's points less the table's mean,
which tells who makes the points. A *chair* is a seat, or all seats of a team. Where deals begin at different seats,
the same games are counted once more by turn: chair 0 then is whoever moves first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import fdtrc

from engine.contract import Setup, current_player
from engine.kernel import kernel
from engine.tables import deal_tables
from experiments.cluster import Place
from experiments.inference import detectable, holm, mean_of, p_value, standard_error
from experiments.matches import Conduct
from experiments.summary import Estimate
from experiments.tournament import Watcher, plan_tournament, play_tournament

BATCH = 4096  # deals looked at together to see who begins


@dataclass(frozen=True)
class Chair:
    """What one chair gets beyond an even share."""

    seats: tuple[int, ...]  # or turns, from 0
    effect: Estimate
    p_adjusted: float  # of "no effect", adjusted for all chairs (Holm)
    smallest_effect: float  # that so many blocks find with 90 % power, looking at all chairs


@dataclass(frozen=True)
class Chairs:
    """All chairs, and whether they differ at all (Hotelling's test)."""

    by: str  # "seat" or "turn"
    chairs: tuple[Chair, ...]
    p_any: float


@dataclass(frozen=True)
class SeatAdvantage:
    """The answer for one agent."""

    agent: str
    measure: str
    n_blocks: int
    tables: tuple[Chairs, ...]
    n_faults: int

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


def seat_advantage(
    setup: Setup,
    agent: str,
    deals: int = 2000,
    seed: int = 1,
    place: Place | None = None,
    watcher: Watcher | None = None,
    conduct: Conduct | None = None,
) -> SeatAdvantage:
    """Let copies of an agent play and hold their chairs against each other.

    Raises ValueError where a game has one chair only, or for wrong arguments.
    """
    n_chairs = len(set(setup.sides))
    if setup.players == 1:
        raise ValueError(f"{setup.heading}: one seat alone has no advantage over others")
    if deals < 2:
        raise ValueError(f"a seat's advantage wants at least 2 deals, not {deals}")
    plan = plan_tournament(setup, [agent], deals, seed, "self", conduct=conduct)
    outcome = play_tournament(plan, None, place or Place(serial=True), watcher)
    frame = outcome.frame().sort_values(["deal", "seat"])
    shape = (deals, setup.players)
    if setup.cooperative:
        points = frame["points"].to_numpy(dtype=np.float64, na_value=np.nan).reshape(shape)
        values = points - points.mean(axis=1, keepdims=True)
        measure = "points of a seat less the table's mean"
        sides = tuple(range(setup.players))
    else:
        sides = setup.sides
        n_partners = np.bincount(sides)[list(sides)]
        values = frame["share"].to_numpy().reshape(shape) - 1 / (n_chairs * n_partners)
        measure = "share of the win less an even share"
    whole = ~np.isnan(values).any(axis=1)
    tables = [chairs_of(values[whole], sides, "seat")]
    first = first_movers(setup, seed, deals)
    if len(set(first.tolist())) > 1 and turns_keep_sides(sides):
        turned = (first[:, None] + np.arange(setup.players)) % setup.players
        tables.append(chairs_of(np.take_along_axis(values, turned, axis=1)[whole], sides, "turn"))
    label = plan.match.agents[0]
    return SeatAdvantage(label, measure, int(whole.sum()), tuple(tables), int((frame["fault"] != "").sum()))


def chairs_of(values: np.ndarray, sides: tuple[int, ...], by: str) -> Chairs:
    """Hold chairs against 0, from the values of their seats (blocks, seats), which sum to 0 in every block."""
    seats = [tuple(np.flatnonzero(np.array(sides) == side).tolist()) for side in dict.fromkeys(sides)]
    scores = np.stack([values[:, some].sum(axis=1) for some in seats], axis=1)
    scores[np.abs(scores) < 1e-12] = 0.0  # rounding: even shares are even
    n_tests = len(seats) if len(seats) > 2 else 1  # what one of two chairs gains, the other loses: one question
    p_values = np.array([p_value(column) for column in scores.T])
    p_values = holm(p_values) if n_tests > 1 else p_values
    chairs = [
        Chair(some, mean_of(column), float(p), detectable(standard_error(column), n_tests))
        for some, column, p in zip(seats, scores.T, p_values, strict=True)
    ]
    return Chairs(by, tuple(chairs), hotelling(scores[:, :-1]))


def by_seat(frame: pd.DataFrame, measure: str, agents: Sequence[str]) -> dict[str, list[Estimate]]:
    """Return what each agent gets in each seat: by agent, one estimate a seat, in the given order of agents.

    `frame` has rows of a run with agent, deal, seat and `measure`. A block is a deal: all of an agent's games of a deal
    in a seat, with whomever, are averaged first. Games that were broken off have no points and do not count.
    """
    means = frame.groupby(["agent", "seat", "deal"], observed=True)[measure].mean().dropna()
    estimates: dict[Any, Estimate] = {
        key: mean_of(values.to_numpy()) for key, values in means.groupby(level=["agent", "seat"], observed=True)
    }
    nothing = Estimate(None, None, None, 0)
    seats = sorted(frame["seat"].unique().tolist())
    return {agent: [estimates.get((agent, seat), nothing) for seat in seats] for agent in agents}


def hotelling(scores: np.ndarray) -> float:
    """Return the p-value of "all columns have mean 0" for block scores (blocks, columns) (Hotelling 1931)."""
    n_blocks, n_columns = scores.shape
    mean = scores.mean(axis=0)
    if n_blocks <= n_columns or not mean.any():
        return 1.0
    covariance = np.cov(scores, rowvar=False).reshape(n_columns, n_columns)
    square = n_blocks * float(mean @ np.linalg.pinv(covariance) @ mean)
    ratio = (n_blocks - n_columns) / (n_columns * (n_blocks - 1)) * square
    return float(fdtrc(n_columns, n_blocks - n_columns, ratio)) if math.isfinite(ratio) else 0.0


def turns_keep_sides(sides: tuple[int, ...]) -> bool:
    """Tell whether partners stay partners when seats are counted from whoever moves first."""
    players = len(sides)
    return all(
        (sides[one] == sides[two]) == (sides[(one + turn) % players] == sides[(two + turn) % players])
        for turn in range(players)
        for one in range(players)
        for two in range(players)
    )


@kernel
def _write_movers(states: Any, movers: Any) -> None:
    for table in range(len(states)):
        movers[table] = current_player(states[table])


def first_movers(setup: Setup, seed: int, n_deals: int) -> np.ndarray:
    """Return the seat that moves first in each deal, int64."""
    movers = np.empty(n_deals, dtype=np.int64)
    states = setup.blank_states(min(BATCH, n_deals))
    for first in range(0, n_deals, BATCH):
        part = states[: min(BATCH, n_deals - first)]
        deal_tables(part, setup.template, seed, first)
        _write_movers(part, movers[first : first + len(part)])
    return movers
