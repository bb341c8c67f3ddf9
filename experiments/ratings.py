"""How strong the agents of a finished run are, all held against each other.

The counts. `n_blocks` counts deals: a deal in all line-ups and seatings is one block here, because line-ups share their
deals. Resamples draw whole deals. Competitive games: strengths are fitted to all games at once (`plackett_luce`), on
the Elo scale, where 400 points are odds of 10 to 1; beside them always stands who did better than whom at the same
table. Cooperative games have no ratings: their teams are told apart by what they reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from engine.contract import Setup, load_game
from experiments.inference import Pair, all_pairs, bootstrap_sums, detectable, holm, mean_of
from experiments.plackett_luce import Choice, choices_of, fit
from experiments.results import load_run, read_config
from experiments.summary import CONFIDENCE, Estimate

ELO = 400 / math.log(10)  # points for a logarithm of strength of 1
REPLICATES = 1000
COLUMNS = ("lineup", "deal", "rotation", "seat", "agent", "points", "utility", "placing")

Matrix = dict[tuple[int, int], Estimate]  # by places in the list of agents


@dataclass(frozen=True)
class Table:
    """Games of one line-up: arrays of shape (deals, seatings, seats), and the deals' numbers."""

    deals: np.ndarray
    agents: np.ndarray  # places in the list of agents, shape (seatings, seats)
    points: np.ndarray  # not a number where the game was broken off
    utility: np.ndarray
    placings: np.ndarray


@dataclass(frozen=True)
class Run:
    """What ratings need of a run."""

    setup: Setup
    agents: tuple[str, ...]
    tables: tuple[Table, ...]
    deals: np.ndarray  # numbers of all deals, ascending

    @property
    def n_games(self) -> int:
        """Count the games of the run."""
        return sum(table.placings.shape[0] * table.placings.shape[1] for table in self.tables)


@dataclass(frozen=True)
class Rated:
    """One agent: its rating (competitive) or its team's result (cooperative), with a 95 % interval."""

    agent: str
    value: float
    low: float
    high: float
    slices_lost: Estimate | None = None  # of a team, where the rules say


@dataclass(frozen=True)
class Ratings:
    """The answer; agents are places in `agents`."""

    agents: tuple[str, ...]
    cooperative: bool
    n_blocks: int
    n_games: int
    rated: tuple[Rated, ...]  # in the order of `agents`
    matrix: Matrix  # competitive: part of the tables where the first did better; cooperative: mean result of mixtures
    pairs: list[Pair]  # all of them, adjusted by max-T
    planned: list[Pair]  # those named beforehand, adjusted by Holm; their intervals are single ones
    anchor: str = ""
    winners_only: bool = False  # the games rank nobody below their winners
    bounded: bool = True  # False where some never lost to the rest, or never met: then a ghost played along
    never_lost: list[str] = field(default_factory=list)  # to some other agent that they met
    n_unbounded: int = 0  # resamples in which a strength had no bound

    def as_json(self) -> dict[str, Any]:
        """Return the ratings as plain values."""
        names = self.agents
        content = asdict(self)
        content["matrix"] = [
            {"agent": names[first], "other": names[second], **asdict(each)}
            for (first, second), each in self.matrix.items()
        ]
        for kind in ("pairs", "planned"):
            content[kind] = [{**each, **_named(each, names)} for each in content[kind]]
        return content


def _named(pair: dict[str, Any], names: Sequence[str]) -> dict[str, str]:
    return {"first": names[pair["first"]], "second": names[pair["second"]]}


def rate_run(
    path: Path, anchor: str | None = None, planned: Sequence[str] = (), replicates: int = REPLICATES
) -> Ratings:
    """Rate the agents of a run that kept its rows; `planned` names pairs as "A vs B".

    Raises ValueError when there is no such run, it has no rows or only one agent, or an agent is not in it.
    """
    config = read_config(path)
    run = read_run(path, config)
    if len(run.agents) < 2:
        raise ValueError(f"the run {str(path)!r} has only one agent, {run.agents[0]}; ratings compare several")
    pairs = [_planned_pair(words, run.agents) for words in planned]
    place = _place(anchor, run.agents) if anchor else 0
    if run.setup.cooperative:
        if anchor:
            raise ValueError("a cooperative game has no ratings, so --anchor means nothing here")
        return rate_teams(run, pairs, int(config["seed"]), replicates)
    return rate_agents(run, place, pairs, int(config["seed"]), replicates)


def _place(agent: str, agents: Sequence[str]) -> int:
    if agent not in agents:
        raise ValueError(f"the run has no agent {agent!r}; its agents: {', '.join(agents)}")
    return list(agents).index(agent)


def _planned_pair(words: str, agents: Sequence[str]) -> tuple[int, int]:
    first, versus, second = words.partition(" vs ")
    if not versus or first.strip() == second.strip():
        raise ValueError(f"a planned comparison is written 'A vs B', not {words!r}")
    return _place(first.strip(), agents), _place(second.strip(), agents)


def read_run(path: Path, config: dict[str, Any]) -> Run:
    """Read the rows of a run into arrays; ValueError when it kept none."""
    frame = load_run(path, columns=COLUMNS)
    return as_run(setup_of_run(path), config["agents"], frame)


def setup_of_run(path: Path) -> Setup:
    """Return the game of a run with its options; ValueError when the folder is no run."""
    config = read_config(path)
    return load_game(config["game"], players=config["players"], **config["options"])


def as_run(setup: Setup, agents: Sequence[str], frame: pd.DataFrame) -> Run:
    """Lay the rows of games out in arrays; their order does not matter."""
    tables = []
    for _, rows in frame.groupby("lineup", observed=True, sort=True):
        ordered = rows.sort_values(["deal", "rotation", "seat"])
        deals = np.unique(ordered["deal"].to_numpy())
        shape = (len(deals), -1, setup.players)
        places = ordered["agent"].astype(str).map({name: place for place, name in enumerate(agents)})
        tables.append(
            Table(
                deals=deals,
                agents=places.to_numpy(dtype=np.int64).reshape(shape)[0],
                points=ordered["points"].to_numpy(dtype=np.float64, na_value=np.nan).reshape(shape),
                utility=ordered["utility"].to_numpy().reshape(shape),
                placings=ordered["placing"].to_numpy().reshape(shape),
            )
        )
    if not tables:
        raise ValueError("the run has no finished games yet")
    return Run(setup, tuple(agents), tuple(tables), np.unique(np.concatenate([table.deals for table in tables])))


# Competitive games.


def rate_agents(run: Run, anchor: int, planned: Sequence[tuple[int, int]], seed: int, replicates: int) -> Ratings:
    """Rate the agents of a competitive run on the Elo scale, `anchor` at 0."""
    winners_only = _ranks_winners_only(run)
    choices, counts = choice_counts(run, winners_only)
    together = np.vstack([counts.sum(axis=0), bootstrap_sums(counts, replicates, seed)])
    fitted = fit(choices, together, len(run.agents))
    ratings = ELO * (fitted.strengths - fitted.strengths[:, [anchor]])
    values, resampled = ratings[0], ratings[1:]
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return Ratings(
        agents=run.agents,
        cooperative=False,
        n_blocks=len(run.deals),
        n_games=run.n_games,
        rated=tuple(
            Rated(name, float(values[place]), float(low[place]), float(high[place]))
            for place, name in enumerate(run.agents)
        ),
        matrix=head_to_head(run),
        pairs=all_pairs(values, resampled),
        planned=planned_pairs(values, resampled, planned),
        anchor=run.agents[anchor],
        winners_only=winners_only,
        bounded=bool(fitted.bounded[0]),
        never_lost=[] if fitted.bounded[0] else _never_lost(run),
        n_unbounded=int((~fitted.bounded[1:]).sum()),
    )


def _sides(run: Run) -> np.ndarray:
    """Return one seat of each side: partners share their placing."""
    return np.unique(run.setup.sides, return_index=True)[1]


def _ranks_winners_only(run: Run) -> bool:
    """Tell whether all that do not win are always alike: then nothing was said about them, and they are no ties."""
    seats = _sides(run)
    if len(seats) == 2:
        return False
    most = max(
        int((np.diff(np.sort(table.placings[..., seats]), axis=-1) > 0).sum(axis=-1).max()) for table in run.tables
    )
    return most <= 1


def choice_counts(run: Run, winners_only: bool) -> tuple[list[Choice], np.ndarray]:
    """Return the choices that the games of a run stand for, and how often each deal made each (deals, choices)."""
    n_agents = len(run.agents)
    seats = _sides(run)
    columns: dict[tuple[tuple[int, int], ...], np.ndarray] = {}
    for table in run.tables:
        where = np.searchsorted(run.deals, table.deals)
        for seating, order in enumerate(table.agents[:, seats].tolist()):
            kinds, which = np.unique(table.placings[:, seating][:, seats], axis=0, return_inverse=True)
            for kind, placings in enumerate(kinds.tolist()):
                game = tuple(sorted(zip(placings, order, strict=True)))
                column = columns.setdefault(game, np.zeros(len(run.deals)))
                np.add.at(column, where[which.ravel() == kind], 1.0)
    by_choice: dict[Choice, np.ndarray] = {}
    for game, column in columns.items():
        for choice in choices_of([agent for _, agent in game], [place for place, _ in game], n_agents, winners_only):
            by_choice[choice] = by_choice.get(choice, 0.0) + column
    choices = sorted(by_choice)
    return choices, np.stack([by_choice[choice] for choice in choices], axis=1)


def head_to_head(run: Run) -> Matrix:
    """Return for each two agents that met how often the first did better at the same table; a tie counts a half."""
    n_agents = len(run.agents)
    seats = _sides(run)
    won = np.zeros((n_agents, n_agents, len(run.deals)))
    met = np.zeros((n_agents, n_agents, len(run.deals)))
    for table in run.tables:
        where = np.searchsorted(run.deals, table.deals)
        for seating, order in enumerate(table.agents[:, seats].tolist()):
            placings = table.placings[:, seating][:, seats].astype(np.int64)
            for one, first in enumerate(order):
                for two, second in enumerate(order):
                    if first != second:
                        won[first, second, where] += (1 + np.sign(placings[:, two] - placings[:, one])) / 2
                        met[first, second, where] += 1
    matrix = {}
    for first in range(n_agents):
        for second in range(n_agents):
            meets = met[first, second] > 0
            if meets.any():
                matrix[first, second] = mean_of(won[first, second, meets] / met[first, second, meets])
    return matrix


def _never_lost(run: Run) -> list[str]:
    """Name the agents that did better than some other in every game."""
    ones = {first for (first, _), each in head_to_head(run).items() if each.mean == 1.0}
    return [run.agents[place] for place in sorted(ones)]


def planned_pairs(values: np.ndarray, replicates: np.ndarray, planned: Sequence[tuple[int, int]]) -> list[Pair]:
    """Compare the pairs that were named beforehand; their p-values are adjusted for each other by Holm's method."""
    if not planned:
        return []
    first, second = np.array(planned).T
    differences = values[first] - values[second]
    resampled = replicates[:, first] - replicates[:, second]
    errors = resampled.std(axis=0)
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        p_values = np.where(differences == 0, 1.0, 2 * ndtr(-np.abs(differences) / errors))
    smallest = detectable(1.0, len(planned)) * errors
    columns = (first, second, differences, low, high, holm(p_values), smallest)
    return [Pair(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


# Cooperative games.


def rate_teams(run: Run, planned: Sequence[tuple[int, int]], seed: int, replicates: int) -> Ratings:
    """Tell the teams of a cooperative run apart: results of agents with copies of themselves, and of mixtures."""
    n_agents = len(run.agents)
    matrix, alone = _mixtures(run)
    if len(alone) < n_agents:
        missing = next(name for place, name in enumerate(run.agents) if place not in alone)
        raise ValueError(f"the run has no team of copies of {missing}; the schedules self and cross have them")
    results = np.stack([alone[place] for place in range(n_agents)], axis=1)
    whole = ~np.isnan(results).any(axis=1)
    if whole.sum() < 2:
        raise ValueError("fewer than two deals were played to their end by all teams")
    results = results[whole]
    resampled = bootstrap_sums(results, replicates, seed) / len(results)
    values = results.mean(axis=0)
    lost = None if run.setup.game.slices_lost is None else run.setup.game.slices_lost(run.setup)
    rated = []
    for place, name in enumerate(run.agents):
        each = mean_of(results[:, place])
        slices = None
        if lost is not None:
            slices = mean_of(lost[results[:, place].astype(np.int64) - run.setup.ranges.total[0]].astype(np.float64))
        rated.append(Rated(name, float(values[place]), each.low or 0.0, each.high or 0.0, slices))
    return Ratings(
        agents=run.agents,
        cooperative=True,
        n_blocks=len(results),
        n_games=run.n_games,
        rated=tuple(rated),
        matrix=matrix,
        pairs=all_pairs(values, resampled),
        planned=planned_pairs(values, resampled, planned),
    )


def _mixtures(run: Run) -> tuple[Matrix, dict[int, np.ndarray]]:
    """Return the mean result of each mixture of at most two agents, and the result of every deal for teams of one."""
    sums: dict[tuple[int, int], np.ndarray] = {}
    counts: dict[tuple[int, int], np.ndarray] = {}
    for table in run.tables:
        agents = sorted(set(table.agents.ravel().tolist()))
        if len(agents) > 2:
            continue
        key = (agents[0], agents[-1])
        points = np.where(np.isnan(table.points), 0, table.points).astype(np.int64)
        n_deals, n_seatings, players = points.shape
        flat = run.setup.game.total(run.setup, points.reshape(-1, players)).reshape(n_deals, n_seatings)
        results = np.where(np.isnan(table.points).any(axis=2), np.nan, flat)
        where = np.searchsorted(run.deals, table.deals)
        total = sums.setdefault(key, np.zeros(len(run.deals)))
        count = counts.setdefault(key, np.zeros(len(run.deals)))
        total[where] += results.sum(axis=1)
        count[where] += n_seatings
    by_deal = {key: np.where(counts[key] > 0, sums[key] / np.maximum(counts[key], 1), np.nan) for key in sums}
    matrix = {key: mean_of(values[~np.isnan(values)]) for key, values in sorted(by_deal.items())}
    return matrix, {first: values for (first, second), values in by_deal.items() if first == second}
