"""Calibrate bots by people: the mixture of agents whose totals are nearest to those of real groups.

The counts. A *group* is one real game of Robots Ate Our Pizza: the number of players, the task and the team's result.
Every agent plays each kind of game (players, task) that the file holds, in teams of copies. A mixture says which part
of all teams plays like which agent: weights from 0 that add up to 1, the same for all kinds.

The distance of a mixture is the mean over groups of the first Wasserstein distance between real and simulated results
of their kind: the mean absolute difference of quantiles, in points. On whole results it is the sum of the absolute
differences of the two distribution functions (Vallender 1974, "Calculation of the Wasserstein distance between
probability distributions on the line"), so the nearest mixture is a linear program. Its intervals come from resampling
groups (percentile bootstrap). How well it fits is told by a parametric bootstrap: how often as many groups, drawn from
the best mixture itself and fitted anew, are as far from their own best mixture as the real ones are from theirs (a
test of fit with fitted parameters; Stute, Gonzales Manteiga and Presedo Quindimil 1993).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog

from engine.contract import load_game
from engine.kernel import kernel
from engine.rng import ANALYSIS, fold, stream_start, unit
from experiments.cluster import Place, ray_kept
from experiments.inference import bootstrap_sums
from experiments.summary import Estimate
from experiments.thresholds import (
    GAME,
    PRESETS,
    RULEBOOK,
    Cut,
    Distribution,
    PlayedGames,
    choose_cuts,
    find_cuts,
    parse_chances,
    printed_cuts,
)
from experiments.tournament import Watcher

COLUMNS = ("total", "players", "task")
LEAST_GROUPS = 5
MOST_REPLICATES = 100_000

Kind = tuple[int, int]  # players, task


@dataclass(frozen=True)
class Playtests:
    """Real results by kind of game."""

    groups: dict[Kind, np.ndarray]  # int64, one result a group

    @property
    def n_groups(self) -> int:
        """How many groups there are in all."""
        return sum(len(results) for results in self.groups.values())


def read_playtests(path: Path, players: int | None, task: int | None) -> Playtests:
    """Read a CSV file with a heading: `total`, and optionally `players` and `task`, one group a line.

    `players` and `task` are those of a file that lacks the column (left out: 4 and 1). Raises ValueError with the
    number of the line for a wrong one.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise ValueError(f"{str(path)!r} cannot be read: {reason}") from None
    reader = csv.DictReader(text.splitlines())
    names = [name.strip().lower() for name in reader.fieldnames or []]
    unknown = [name for name in names if name not in COLUMNS]
    if "total" not in names or unknown or len(set(names)) < len(names):
        raise ValueError(
            f"{str(path)!r}: the first line names the columns total and, if you like, players and task, each once; "
            f"not {', '.join(names) or 'nothing'}"
        )
    for name, given in (("players", players), ("task", task)):
        if given is not None and name in names:
            raise ValueError(f"{str(path)!r} has a column {name}, so --{name} may not be given")
    reader.fieldnames = names
    found: dict[Kind, list[int]] = {}
    for row in reader:
        if not any((value or "").strip() for value in row.values() if not isinstance(value, list)):
            continue
        where = f"{str(path)!r}, line {reader.line_num}"
        if None in row or None in row.values():
            raise ValueError(f"{where}: {len(names)} values are wanted, as in the first line")
        usual = {"players": 4 if players is None else players, "task": 1 if task is None else task}
        numbers = {**usual, **{name: _number(value, name, where) for name, value in row.items()}}
        kind = (numbers["players"], numbers["task"])
        try:
            setup = load_game(GAME, players=kind[0], task=kind[1])
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        least, most = setup.ranges.total
        if not least <= numbers["total"] <= most:
            task_words = f"task {kind[1]} with {kind[0]} players"
            raise ValueError(f"{where}: the total of {task_words} is {least} to {most}, not {numbers['total']}")
        found.setdefault(kind, []).append(numbers["total"])
    playtests = Playtests({kind: np.array(totals, dtype=np.int64) for kind, totals in sorted(found.items())})
    if playtests.n_groups < LEAST_GROUPS:
        raise ValueError(f"{str(path)!r}: a calibration wants at least {LEAST_GROUPS} groups, not {playtests.n_groups}")
    return playtests


def _number(text: str, name: str, where: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise ValueError(f"{where}: {name} is a whole number, not {text!r}") from None


@dataclass(frozen=True)
class Simulated:
    """What teams of each agent score in each kind of game."""

    agents: tuple[str, ...]
    distributions: dict[Kind, Distribution]

    def results(self, kind: Kind) -> np.ndarray:
        """Return the results of a kind from the least one, int64."""
        return np.sort(self.distributions[kind].results)

    def cumulative(self, kind: Kind) -> np.ndarray:
        """Return the agents' distribution functions over all results from the least one, shape (results, agents)."""
        return np.cumsum(self.chances(kind), axis=0)

    def chances(self, kind: Kind) -> np.ndarray:
        """Return the chance of each result from the least one with each agent, shape (results, agents)."""
        found = self.distributions[kind]
        shares = found.counts / found.counts.sum(axis=1, keepdims=True)
        return shares[:, np.argsort(found.results)].T

    def mixed(self, kind: Kind, weights: np.ndarray) -> Distribution:
        """Return how the mixture scores."""
        return self.distributions[kind].weighted(weights.tolist())


def simulate(
    kinds: Sequence[Kind], agents: Sequence[str], deals: int, seed: int, place: Place, watcher: Watcher | None = None
) -> Simulated:
    """Let teams of copies of every agent play all kinds of games."""
    watcher = watcher or Watcher()
    watcher.say(f"playing {len(kinds)} kinds of games with {len(agents)} agents")
    watcher.start(len(kinds) * len(agents) * deals)
    source = PlayedGames(agents, deals, seed, place, Watcher(advance=watcher.advance))
    found = {(players, task): source.distribution(task, players) for players, task in kinds}
    return Simulated(next(iter(found.values())).agents, found)


class Fitter:
    """Finds the nearest mixture to counts of real results, again and again for the same agents."""

    def __init__(self, simulated: Simulated, kinds: Sequence[Kind]) -> None:
        self.cumulative = [simulated.cumulative(kind) for kind in kinds]
        self.firsts = np.cumsum([0, *(len(each) for each in self.cumulative)])

    def fit(self, counts: np.ndarray) -> tuple[np.ndarray, float]:
        """Return weights and distance for counts of groups by kind and result, all kinds in one row.

        The program: least sum of slacks s ≥ |F w − G|, each weighted by its kind's part of the groups.
        """
        n_groups = float(counts.sum())
        blocks, wanted, costs = [], [], []
        for place, cumulative in enumerate(self.cumulative):
            of_kind = counts[self.firsts[place] : self.firsts[place + 1]]
            n_of_kind = float(of_kind.sum())
            if n_of_kind == 0:
                continue
            real = np.cumsum(of_kind) / n_of_kind
            differs = (cumulative.min(axis=1) < 1.0 - 1e-12) | (real < 1.0 - 1e-12)
            differs &= (cumulative.max(axis=1) > 0.0) | (real > 0.0)
            blocks.append(cumulative[differs])
            wanted.append(real[differs])
            costs.append(np.full(int(differs.sum()), n_of_kind / n_groups))
        functions, real, cost = np.concatenate(blocks), np.concatenate(wanted), np.concatenate(costs)
        n_rows, n_agents = functions.shape
        slack = np.eye(n_rows)
        answer = linprog(
            np.concatenate([np.zeros(n_agents), cost]),
            A_ub=np.block([[functions, -slack], [-functions, -slack]]),
            b_ub=np.concatenate([real, -real]),
            A_eq=np.concatenate([np.ones(n_agents), np.zeros(n_rows)])[None, :],
            b_eq=[1.0],
            method="highs",
        )
        if answer.status != 0:
            raise ValueError(f"the nearest mixture was not found: {answer.message}")
        weights = np.clip(answer.x[:n_agents], 0.0, None)
        return weights / weights.sum(), float(answer.fun)


@kernel
def _draw_groups(reached: Any, firsts: Any, n_of_kind: Any, seed: int, counts: Any) -> None:
    """Draw groups of each kind from distribution functions laid end to end; count them (replicates, results)."""
    start = stream_start(seed, ANALYSIS)
    rng = np.empty(1, dtype=np.uint64)
    for replicate in range(len(counts)):
        rng[0] = fold(start, replicate)
        for kind in range(len(n_of_kind)):
            for _ in range(n_of_kind[kind]):
                place = firsts[kind]
                chance = unit(rng)
                while chance >= reached[place] and place < firsts[kind + 1] - 1:
                    place += 1
                counts[replicate, place] += 1.0


def draw_groups(functions: Sequence[np.ndarray], n_of_kind: Sequence[int], n_replicates: int, seed: int) -> np.ndarray:
    """Draw groups from distribution functions, one a kind; return counts of results, shape (replicates, results)."""
    firsts = np.cumsum([0, *(len(each) for each in functions)])
    counts = np.zeros((n_replicates, int(firsts[-1])))
    _draw_groups(np.concatenate(functions), firsts, np.array(n_of_kind, dtype=np.int64), seed, counts)
    return counts


@dataclass(frozen=True)
class Weight:
    """The part of the teams that plays like an agent, with its 95 % bootstrap interval."""

    agent: str
    weight: Estimate


@dataclass(frozen=True)
class CalibratedCut:
    """A cut for the mixture, and where it lies in 95 % of the resampled groups."""

    cut: Cut
    low: int
    high: int


@dataclass(frozen=True)
class CalibratedCuts:
    """The cuts of one task at one number of players for these people."""

    players: int
    task: int
    cuts: tuple[CalibratedCut, ...]
    printed: tuple[int, ...]
    under_printed: tuple[Estimate, ...]  # chances of losing at most 0, 1, 2 under the printed cuts


@dataclass(frozen=True)
class KindOfGame:
    """Real groups of one kind beside the mixture: means, and which part came to at most each of the results."""

    players: int
    task: int
    n_groups: int
    real_mean: float
    mixture_mean: float
    results: tuple[int, ...]  # where anything happens, ascending
    real: tuple[float, ...]
    mixture: tuple[float, ...]
    agents: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Calibration:
    """The nearest mixture, how far it is, how well it fits, and what results should cost these people."""

    n_groups: int
    kinds: tuple[KindOfGame, ...]
    n_games: int  # of each agent and kind
    n_replicates: int
    seed: int
    weights: tuple[Weight, ...]
    distance: Estimate  # points
    alone: dict[str, float]  # distance of each agent alone
    expected_distance: float  # of as many groups drawn from the mixture, on average
    p_fit: float  # of groups drawn from the mixture, how many are as far from theirs
    tables: tuple[CalibratedCuts, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Wanted:
    """What is asked: agents, the tasks whose cuts are wanted (empty: those of the file), chances, how much to play."""

    agents: Sequence[str]
    tasks: Sequence[int] = ()
    chances: str = "even"  # or another preset, or four numbers, as for `thresholds`
    deals: int = 20_000
    n_replicates: int = 500
    seed: int = 1


@ray_kept()
def calibrate(
    playtests: Playtests, wanted: Wanted, place: Place | None = None, watcher: Watcher | None = None
) -> Calibration:
    """Find the mixture of agents nearest to real groups, and the cuts for it; ValueError for wrong arguments."""
    if len(wanted.agents) < 1:
        raise ValueError("name at least one agent, such as uniform or greedy")
    if not 20 <= wanted.n_replicates <= MOST_REPLICATES:
        raise ValueError(f"replicates is a whole number from 20 to {MOST_REPLICATES:,}, not {wanted.n_replicates}")
    if wanted.chances not in PRESETS:
        parse_chances(wanted.chances)
    watcher = watcher or Watcher()
    where = place or Place(serial=True)
    kinds = list(playtests.groups)
    numbers = sorted({players for players, _ in kinds})
    tasks = {players: sorted(wanted.tasks or {task for n, task in kinds if n == players}) for players in numbers}
    all_kinds = {*kinds, *((players, task) for players in numbers for task in tasks[players])}
    if wanted.chances == RULEBOOK:
        all_kinds |= {(players, 1) for players in numbers}
    simulated = simulate(sorted(all_kinds), wanted.agents, wanted.deals, wanted.seed, where, watcher)
    watcher.say("fitting the mixture, and resampling groups")
    fitter = Fitter(simulated, kinds)
    shown = _one_hot(playtests, simulated, kinds)
    weights, distance = fitter.fit(shown.sum(axis=0))
    again = [fitter.fit(counts) for counts in bootstrap_sums(shown, wanted.n_replicates, wanted.seed)]
    functions = [simulated.cumulative(kind) @ weights for kind in kinds]
    n_of_kind = [len(playtests.groups[kind]) for kind in kinds]
    drawn = draw_groups(functions, n_of_kind, wanted.n_replicates, wanted.seed)
    by_chance = np.array([fitter.fit(counts)[1] for counts in drawn])
    resampled = np.array([each for each, _ in again])
    return Calibration(
        n_groups=playtests.n_groups,
        kinds=tuple(_beside(simulated, kind, playtests.groups[kind], weights) for kind in kinds),
        n_games=wanted.deals,
        n_replicates=wanted.n_replicates,
        seed=wanted.seed,
        weights=tuple(
            Weight(agent, _percentiles(float(weight), column, playtests.n_groups))
            for agent, weight, column in zip(simulated.agents, weights, resampled.T, strict=True)
        ),
        distance=_percentiles(distance, np.array([each for _, each in again]), playtests.n_groups),
        alone={agent: _distance_alone(simulated, playtests, place) for place, agent in enumerate(simulated.agents)},
        expected_distance=float(by_chance.mean()),
        p_fit=float((1 + (by_chance >= distance - 1e-12).sum()) / (1 + wanted.n_replicates)),
        tables=tuple(
            _cuts(simulated, (players, task), weights, resampled, wanted.chances)
            for players in numbers
            for task in tasks[players]
        ),
    )


def _one_hot(playtests: Playtests, simulated: Simulated, kinds: Sequence[Kind]) -> np.ndarray:
    """Return one row a group with a 1 at its kind and result, shape (groups, results of all kinds)."""
    sizes = [len(simulated.results(kind)) for kind in kinds]
    firsts = np.cumsum([0, *sizes])
    rows = []
    for kind, first in zip(kinds, firsts, strict=False):
        results = simulated.results(kind)
        for total in playtests.groups[kind]:
            row = np.zeros(int(firsts[-1]))
            row[first + int(total - results[0])] = 1.0
            rows.append(row)
    return np.stack(rows)


def _beside(simulated: Simulated, kind: Kind, totals: np.ndarray, weights: np.ndarray) -> KindOfGame:
    results = simulated.results(kind)
    chances = simulated.chances(kind)
    real = np.searchsorted(np.sort(totals), results, side="right") / len(totals)
    happens = np.flatnonzero(chances.any(axis=1) | (np.diff(real, prepend=0.0) > 0))
    shown = slice(max(0, int(happens[0]) - 1), int(happens[-1]) + 1)
    cumulative = simulated.cumulative(kind)
    return KindOfGame(
        *kind,
        n_groups=len(totals),
        real_mean=float(totals.mean()),
        mixture_mean=float(results @ (chances @ weights)),
        results=tuple(results[shown].tolist()),
        real=tuple(real[shown].tolist()),
        mixture=tuple((cumulative @ weights)[shown].tolist()),
        agents={
            name: tuple(column.tolist()) for name, column in zip(simulated.agents, cumulative[shown].T, strict=True)
        },
    )


def _distance_alone(simulated: Simulated, playtests: Playtests, agent: int) -> float:
    distance = 0.0
    for kind, totals in playtests.groups.items():
        results = simulated.results(kind)
        real = np.searchsorted(np.sort(totals), results, side="right") / len(totals)
        apart = float(np.abs(simulated.cumulative(kind)[:, agent] - real).sum())
        distance += apart * len(totals) / playtests.n_groups
    return distance


def _percentiles(value: float, replicates: np.ndarray, n_groups: int) -> Estimate:
    low, high = np.quantile(replicates, [0.025, 0.975])
    return Estimate(value, min(value, float(low)), max(value, float(high)), n_groups)


def _cuts(simulated: Simulated, kind: Kind, weights: np.ndarray, resampled: np.ndarray, chances: str) -> CalibratedCuts:
    """Find the cuts of one kind for the mixture, and between which results they lie for resampled mixtures."""
    players, task = kind
    mixed = simulated.mixed(kind, weights)
    others = [simulated.mixed(kind, each) for each in resampled]
    wanted = _wanted_chances(simulated, players, weights, chances)
    cuts = find_cuts(mixed, wanted)
    places = np.array(
        [
            choose_cuts(other.reached(), _wanted_chances(simulated, players, each, chances))
            for other, each in zip(others, resampled, strict=True)
        ]
    )
    low, high = (np.quantile(mixed.results[places], part, axis=0, method="nearest") for part in (0.025, 0.975))
    printed = printed_cuts(players, task)
    return CalibratedCuts(
        players=players,
        task=task,
        cuts=tuple(
            CalibratedCut(cut, min(cut.result, int(least)), max(cut.result, int(most)))
            for cut, least, most in zip(cuts, low, high, strict=True)
        ),
        printed=printed,
        under_printed=tuple(
            Estimate(each.mean, *_spread(simulated, kind, resampled, cut, each.mean or 0.0), len(resampled))
            for cut, each in zip(printed, mixed.at_most(printed), strict=True)
        ),
    )


def _spread(simulated: Simulated, kind: Kind, resampled: np.ndarray, cut: int, mean: float) -> tuple[float, float]:
    """Return where a chance lies in 95 % of the resampled mixtures."""
    each = simulated.distributions[kind].of_each()
    chances = np.array([part.at_most([cut])[0].mean for part in each], dtype=np.float64)
    low, high = np.quantile(resampled @ chances, [0.025, 0.975])
    return min(mean, float(low)), max(mean, float(high))


def _wanted_chances(simulated: Simulated, players: int, weights: np.ndarray, chances: str) -> tuple[float, ...]:
    preset = PRESETS.get(chances)
    if preset is None:
        return parse_chances(chances)
    if preset.chances is not None:
        return preset.chances
    first = simulated.mixed((players, 1), weights)
    return tuple(float(each.mean or 0.0) for each in first.at_most(printed_cuts(players, 1)))
