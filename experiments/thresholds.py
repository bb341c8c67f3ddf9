"""Tune what results cost: from how a reference team scores to the three cuts that lose it 0, 1, 2 or 3 slices.

A cut is the last result that loses no more than so many slices. Wanted are the chances of losing at most 0, 1 and 2;
each cut is the result whose chance of being reached comes nearest. Everything is read off the distribution of results,
so other wanted chances need no new games, and a finished run can be asked as well as games played for the purpose.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from engine.contract import Setup, load_game
from engine.games.robots_ate_our_pizza.slices import PRINTED, read_tables
from experiments.cluster import Place
from experiments.ratings import setup_of_run
from experiments.results import RunFolder, read_config, read_tally
from experiments.summary import Estimate, wilson
from experiments.tally import Tally
from experiments.tournament import Plan, Watcher, plan_tournament, play_tournament

GAME = "robots-ate-our-pizza"
N_CUTS = 3
SURE = 0.99  # chance that a cut comes out the same, to be called settled

RULEBOOK = "rulebook"
EVEN = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Preset:
    """Chances of losing at most 0, 1 and 2 slices under a name; `chances` is None where they depend on the team."""

    chances: tuple[float, ...] | None
    source: str


def _binomial(mean: float) -> tuple[float, ...]:
    """Return the chances of losing at most 0, 1 and 2 slices where each of three is lost alike and `mean` in all."""
    lost = mean / N_CUTS
    chances = [math.comb(N_CUTS, slices) * lost**slices * (1 - lost) ** (N_CUTS - slices) for slices in range(N_CUTS)]
    return tuple(np.cumsum(chances).tolist())


PRESETS: Mapping[str, Preset] = {
    RULEBOOK: Preset(None, "what the rulebook's card of Task 1 gives the same team at the same number of players"),
    "even": Preset(EVEN, "ours: a quarter each, for somebody who knows nothing"),
    "awesome": Preset(_binomial(0.75), "the rulebook's grades: four such tasks leave 5 of 8 slices on average"),
    "starving": Preset(_binomial(1.75), "the rulebook's grades: four such tasks leave 1 of 8 slices on average"),
}


@dataclass(frozen=True)
class Distribution:
    """How often a team of copies of each agent came to each result; the agents are mixed by their weights.

    Agents play the same deals, so a mixture is taken to be no surer than one of its agents: intervals stand on the
    number of deals, as if the agents' luck were all the same.
    """

    agents: tuple[str, ...]
    results: np.ndarray  # int64, from the best to the worst
    counts: np.ndarray  # int64 (agents, results): finished games
    weights: tuple[float, ...] = ()  # by agent, adding up to 1; () for equal ones

    @property
    def n_deals(self) -> int:
        """Games of each agent's team; of the fewest where they differ."""
        return int(self.counts.sum(axis=1).min())

    @property
    def n_games(self) -> int:
        """Finished games of all teams."""
        return int(self.counts.sum())

    def shares(self) -> np.ndarray:
        """Return the share of games that came to each result; float64 (results,), adding up to 1."""
        weights = np.array(self.weights or [1 / len(self.agents)] * len(self.agents))
        return weights @ (self.counts / self.counts.sum(axis=1, keepdims=True))

    def reached(self) -> np.ndarray:
        """Return the share of games that came to each result or a better one; float64, ascending to 1."""
        return np.minimum(np.cumsum(self.shares()), 1.0)

    def at_most(self, cuts: Sequence[int]) -> list[Estimate]:
        """Return the chances of losing at most 0, 1 and 2 slices under some cuts, with Wilson's intervals."""
        is_high = bool(self.results[0] > self.results[-1])
        shares = self.shares()
        estimates = []
        for cut in cuts:
            is_good = self.results >= cut if is_high else self.results <= cut
            share = min(float(shares[is_good].sum()), 1.0)
            estimates.append(Estimate(share, *wilson(share, self.n_deals), self.n_deals))
        return estimates

    def of_each(self) -> list[Distribution]:
        """Return the distribution of each agent's own team."""
        return [
            Distribution((agent,), self.results, self.counts[place : place + 1])
            for place, agent in enumerate(self.agents)
        ]

    def weighted(self, weights: Sequence[float]) -> Distribution:
        """Return the same games mixed by other weights; ValueError when they are none for these agents."""
        if not weights:
            return self
        check_weights(weights, len(self.agents))
        return Distribution(self.agents, self.results, self.counts, tuple(each / sum(weights) for each in weights))


def check_weights(weights: Sequence[float], n_agents: int) -> None:
    """Refuse weights that are none for so many agents with a ValueError; no weights at all are equal ones."""
    if weights and (len(weights) != n_agents or min(weights) < 0.0 or not 0.0 < sum(weights) < math.inf):
        raise ValueError(
            f"weights are one number from 0 for each of the {n_agents} agents, not all 0, "
            f"not {', '.join(f'{weight:g}' for weight in weights)}"
        )


@dataclass(frozen=True)
class Cut:
    """One of the three cuts."""

    loses: int  # slices, at most, from this result on
    result: int
    wanted: float  # chance of losing at most so many
    found: Estimate
    worse: float  # the same chance if the cut were one result harder to reach
    better: float  # and one easier
    stability: float  # chance that as many new games would give the same cut
    more_games: int | None  # that make 99 % of it against each neighbor; None where the choice is even


@dataclass(frozen=True)
class TeamChances:
    """What cuts mean for one agent's team: chances of losing at most 0, 1, 2 slices, under ours and printed ones."""

    agent: str
    under_cuts: tuple[Estimate, ...]
    under_printed: tuple[Estimate, ...]  # empty where the rulebook prints none


@dataclass(frozen=True)
class Thresholds:
    """The cuts of one task at one number of players, and what the printed ones mean for the same team."""

    task: int
    players: int
    agents: tuple[str, ...]
    weights: tuple[float, ...]  # of the agents in the mixture; () for equal ones
    n_games: int
    seed: int
    chances: str  # where the wanted chances come from
    cuts: tuple[Cut, ...]
    printed: tuple[int, ...]  # the rulebook's cuts; empty where it has none
    under_printed: tuple[Estimate, ...]  # chances of losing at most 0, 1, 2 under them
    teams: tuple[TeamChances, ...]  # each agent alone

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


class Source(Protocol):
    """Where distributions of results come from."""

    seed: int

    def distribution(self, task: int, players: int) -> Distribution:
        """Return how the teams scored in a task; ValueError when that cannot be known."""


@dataclass
class PlayedGames:
    """Teams of copies of each agent play the same deals of each task that is asked for, each task once."""

    agents: Sequence[str]
    deals: int = 20_000
    seed: int = 1
    place: Place = field(default_factory=lambda: Place(serial=True))
    watcher: Watcher = field(default_factory=Watcher)
    _known: dict[tuple[int, int], Distribution] = field(default_factory=dict)

    def distribution(self, task: int, players: int) -> Distribution:
        """Play a task, unless it was played before."""
        if (task, players) not in self._known:
            setup = load_game(GAME, players=players, task=task)
            plan = plan_tournament(setup, self.agents, self.deals, self.seed, "self", keep="summary")
            tallies = play_tournament(plan, None, self.place, self.watcher).tallies
            self._known[task, players] = distribution_of(plan, tallies)
        return self._known[task, players]


@dataclass
class StoredRuns:
    """Finished runs, asked afterwards; nothing is played."""

    runs: Sequence[Path]
    seed: int = 0
    _known: dict[tuple[int, int], Distribution] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the runs; ValueError for one of another game, or a task that two of them have."""
        for run in self.runs:
            config, setup = read_config(run), setup_of_run(run)
            key = (int(setup.options.get("task", 0)), setup.players)
            if setup.name != GAME or setup.options["mode"] != "task":
                raise ValueError(f"the run {str(run)!r} is not of one task of {GAME}, so it tells no thresholds")
            if key in self._known:
                raise ValueError(f"two runs have task {key[0]} with {key[1]} players: {str(run)!r} is the second")
            self.seed = int(config["seed"])
            self._known[key] = _stored_distribution(run, setup)

    def tables(self) -> list[tuple[int, int]]:
        """Return what the runs are of, as (task, players)."""
        return sorted(self._known)

    def distribution(self, task: int, players: int) -> Distribution:
        """Return what a run says."""
        if (task, players) not in self._known:
            raise ValueError(
                f"none of the runs has task {task} with {players} players; --chances rulebook wants Task 1, too, "
                f"and others (--chances {', '.join(name for name in PRESETS if name != RULEBOOK)}) do not"
            )
        return self._known[task, players]


def _stored_distribution(run: Path, setup: Setup) -> Distribution:
    """Read the distribution of a run's teams of copies from the counts of its parts."""
    from experiments.repro import plan_of_run

    plan = plan_of_run(run)
    whole, damaged = RunFolder(run).whole_parts(plan.chunks)
    if damaged or len(whole) < len(plan.chunks):
        raise ValueError(f"the run {str(run)!r} is not finished or is damaged; the command that began it mends it")
    merged: dict[int, Tally] = {}
    for chunk, path in whole.items():
        tally = read_tally(path)
        if chunk.line_up in merged:
            merged[chunk.line_up].merge(tally)
        else:
            merged[chunk.line_up] = tally
    return distribution_of(plan, [merged[line_up] for line_up in sorted(merged)])


def distribution_of(plan: Plan, tallies: Iterable[Tally]) -> Distribution:
    """Return the distribution of the teams of copies of a tournament, in the order of its agents.

    Raises ValueError when games were broken off, for the distribution would leave them out, and when the schedule had
    no such teams.
    """
    alone = {tally.line_up[0]: tally for tally in tallies if len(set(tally.line_up)) == 1}
    if not alone:
        raise ValueError("the run has no team of copies of one agent; the schedules self and cross have them")
    n_broken = sum(tally.n_broken for tally in alone.values())
    if n_broken:
        raise ValueError(f"{n_broken:,} games were broken off by an agent's fault; thresholds want whole games")
    order = -1 if is_high(int(plan.setup.options["task"])) else 1
    counts = np.stack([alone[agent].totals for agent in sorted(alone)])[:, ::order]
    results = plan.setup.ranges.total[0] + np.arange(counts.shape[1])
    return Distribution(tuple(plan.match.agents[agent] for agent in sorted(alone)), results[::order], counts)


def is_high(task: int) -> bool:
    """Tell whether more is better in a task: highest total or difference, not lowest."""
    return task % 2 == 1


def choose_cuts(reached: np.ndarray, wanted: Sequence[float]) -> list[int]:
    """Return the places of the results that are reached with a chance nearest to each wanted one, each after the last.

    `reached` ascends (results from the best to the worst), and so do the wanted chances.
    """
    places: list[int] = []
    for number, chance in enumerate(wanted):
        first = places[-1] + 1 if places else 0
        end = len(reached) - (len(wanted) - 1 - number)  # the later cuts want room
        places.append(first + int(np.argmin(np.abs(reached[first:end] - chance))))
    return places


def find_cuts(distribution: Distribution, wanted: Sequence[float]) -> tuple[Cut, ...]:
    """Return the cuts for the wanted chances, and how sure they are."""
    reached = distribution.reached()
    cuts = []
    for loses, (place, chance) in enumerate(zip(choose_cuts(reached, wanted), wanted, strict=True)):
        result = int(distribution.results[place])
        n_settling = games_to_settle(reached, place, chance)
        cuts.append(
            Cut(
                loses=loses,
                result=result,
                wanted=chance,
                found=distribution.at_most([result])[0],
                worse=float(reached[place - 1]) if place else 0.0,
                better=float(reached[min(place + 1, len(reached) - 1)]),
                stability=chance_of_same(reached, place, chance, distribution.n_deals),
                more_games=None if n_settling is None else max(0, n_settling - distribution.n_deals),
            )
        )
    return tuple(cuts)


def rivals(reached: np.ndarray, place: int, wanted: float) -> list[tuple[float, float]]:
    """Return how far the choice is from turning to each neighbor: the distance, and its variance over one game.

    It turns where the wanted chance passes the mean of the two results' chances, which in one game is 0, 1/2 or 1.
    """
    found = []
    for neighbor in (place - 1, place + 1):
        if 0 <= neighbor < len(reached) and reached[neighbor] != reached[place]:
            low, high = sorted((float(reached[place]), float(reached[neighbor])))
            middle = (low + high) / 2
            found.append((abs(middle - wanted), low + (high - low) / 4 - middle**2))
    return found


def chance_of_same(reached: np.ndarray, place: int, wanted: float, n_games: int) -> float:
    """Return the chance that as many new games give the same cut, by the normal approximation."""
    lost = 0.0
    for distance, variance in rivals(reached, place, wanted):
        lost += float(ndtr(-distance * math.sqrt(n_games / variance)))
    return max(0.0, 1.0 - lost)


def games_to_settle(reached: np.ndarray, place: int, wanted: float) -> int | None:
    """Return how many games keep a cut from turning to either neighbor with a chance of 99 %; None where it is even."""
    z = float(ndtri(SURE))
    found = rivals(reached, place, wanted)
    if any(distance == 0.0 for distance, _ in found):
        return None
    return math.ceil(max((z * z * variance / distance**2 for distance, variance in found), default=0.0))


def printed_cuts(players: int, task: int) -> tuple[int, ...]:
    """Return the rulebook's cuts for a task, empty where it prints none."""
    return tuple(read_tables(PRINTED).get((task, players), ()))


def parse_chances(text: str) -> tuple[float, ...]:
    """Read chances of losing 0, 1, 2 and 3 slices; return those of losing at most 0, 1, 2. ValueError says the form."""
    chances = parse_decimals(text)
    if len(chances) != N_CUTS + 1 or min(chances, default=0.0) <= 0.0 or abs(sum(chances) - 1.0) > 1e-9:
        raise ValueError(
            f"chances are {', '.join(PRESETS)}, or four numbers above 0 that add up to 1, by commas (of losing 0, 1, 2 "
            f"and 3 slices), not {text!r}"
        )
    return tuple(np.cumsum(chances[:N_CUTS]).tolist())


def parse_weights(text: str) -> list[float]:
    """Read the parts of agents in a mixture; none where nothing is said. ValueError says the form."""
    weights = parse_decimals(text) if text else []
    if text and not weights:
        raise ValueError(f"weights are numbers by commas, one for each agent, not {text!r}")
    return weights


def parse_decimals(text: str) -> list[float]:
    """Read numbers by commas; empty where one of them is none."""
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        return []


def parse_numbers(name: str, text: str, least: int, most: int) -> list[int]:
    """Read numbers by commas, or "all"; ValueError names the option and what is allowed."""
    words = [str(number) for number in range(least, most + 1)] if text == "all" else text.split(",")
    if not all(word.strip().isdecimal() and least <= int(word) <= most for word in words):
        raise ValueError(f"{name} are numbers from {least} to {most} by commas, or all, not {text!r}")
    return sorted({int(word) for word in words})


def tune(source: Source, task: int, players: int, weights: Sequence[float] = (), chances: str = RULEBOOK) -> Thresholds:
    """Find the cuts of a task for a reference team.

    `weights` mix the agents of the source, equally if there are none. `chances` is a preset or four chances by commas.
    Raises ValueError for wrong arguments.
    """
    preset = PRESETS.get(chances) or Preset(parse_chances(chances), f"the caller's own, {chances}")
    distribution = source.distribution(task, players).weighted(weights)
    printed = printed_cuts(players, task)
    wanted = preset.chances
    if wanted is None:
        reference = source.distribution(1, players).weighted(weights)
        wanted = tuple(float(each.mean or 0.0) for each in reference.at_most(printed_cuts(players, 1)))
    cuts = find_cuts(distribution, wanted)
    results = [cut.result for cut in cuts]
    return Thresholds(
        task=task,
        players=players,
        agents=distribution.agents,
        weights=distribution.weights,
        n_games=distribution.n_games,
        seed=source.seed,
        chances=preset.source,
        cuts=cuts,
        printed=printed,
        under_printed=tuple(distribution.at_most(printed)),
        teams=tuple(
            TeamChances(each.agents[0], tuple(each.at_most(results)), tuple(each.at_most(printed)))
            for each in distribution.of_each()
        ),
    )


def tables_text(answers: Sequence[Thresholds], command: str) -> str:
    """Write cuts as a tables file that sessions of the game read, with where they come from."""
    first = answers[0]
    lines = [
        "# Slices tables of Robots Ate Our Pizza, ours and not the rulebook's: by number of players the last results",
        "# that lose 0, 1 and 2 slices. With each line: the chances of losing at most so many, wanted and found.",
        "",
        "[provenance]",
        f"team = {json.dumps(team_text(first))}",
        f"chances = {json.dumps(first.chances)}",
        f"games = {first.n_games}  # of each table",
        f"seed = {first.seed}",
        f"command = {json.dumps(command)}",
    ]
    for task in sorted({answer.task for answer in answers}):
        lines += ["", f"[task.{task}]"]
        for answer in sorted((each for each in answers if each.task == task), key=lambda each: each.players):
            wanted = ", ".join(f"{cut.wanted:.3f}" for cut in answer.cuts)
            found = ", ".join(f"{cut.found.mean:.3f}" for cut in answer.cuts)
            cuts = ", ".join(str(cut.result) for cut in answer.cuts)
            lines.append(f"{answer.players} = [{cuts}]  # wanted {wanted}; found {found}")
    return "\n".join(lines) + "\n"


def team_text(answer: Thresholds) -> str:
    """Name the reference team: its agents, with their weights where they are not the same."""
    if not answer.weights:
        return ", ".join(answer.agents)
    return ", ".join(
        f"{100 * weight:.3g} % {agent}" for agent, weight in zip(answer.agents, answer.weights, strict=True)
    )
