"""Tune what results cost: from how a reference team scores to the three cuts that lose it 0, 1, 2 or 3 slices.

A cut is the last result that loses no more than so many slices. Wanted are the chances of losing at most 0, 1 and 2;
each cut is the result whose chance of being reached comes nearest. Everything is read off the distribution of results,
so other wanted chances need no new games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from engine.contract import Setup, load_game
from experiments.cluster import Place
from experiments.summary import Estimate, wilson
from experiments.tournament import Watcher, plan_tournament, play_tournament

GAME = "robots-ate-our-pizza"
N_CUTS = 3
SURE = 0.99  # chance that a cut comes out the same, to be called settled
EVEN = (0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Distribution:
    """How often a team of copies of each agent came to each result; of several agents, each with the same weight."""

    agents: tuple[str, ...]
    results: np.ndarray  # int64, from the best to the worst
    counts: np.ndarray  # int64, finished games by result

    @property
    def n_games(self) -> int:
        """Finished games."""
        return int(self.counts.sum())

    def reached(self) -> np.ndarray:
        """Return the share of games that came to each result or a better one; float64, ascending to 1."""
        return np.cumsum(self.counts) / self.n_games

    def at_most(self, cuts: Sequence[int]) -> list[Estimate]:
        """Return the chances of losing at most 0, 1 and 2 slices under some cuts, with Wilson's intervals."""
        is_high = bool(self.results[0] > self.results[-1])
        estimates = []
        for cut in cuts:
            is_good = self.results >= cut if is_high else self.results <= cut
            share = float(self.counts[is_good].sum()) / self.n_games
            estimates.append(Estimate(share, *wilson(share, self.n_games), self.n_games))
        return estimates


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
class Thresholds:
    """The cuts of one task at one number of players, and what the printed ones mean for the same team."""

    task: int
    players: int
    agents: tuple[str, ...]
    n_games: int
    seed: int
    cuts: tuple[Cut, ...]
    printed: tuple[int, ...]  # the rulebook's cuts; empty where it has none
    under_printed: tuple[Estimate, ...]  # chances of losing at most 0, 1, 2 under them

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


def play_distribution(
    setup: Setup, agents: Sequence[str], deals: int, seed: int, place: Place, watcher: Watcher | None = None
) -> Distribution:
    """Let teams of copies of each agent play the same deals; return how they scored.

    Raises ValueError for wrong arguments, or when games were broken off: the distribution would leave them out.
    """
    plan = plan_tournament(setup, agents, deals, seed, "self", keep="summary")
    tallies = play_tournament(plan, None, place, watcher).tallies
    n_broken = sum(tally.n_broken for tally in tallies)
    if n_broken:
        raise ValueError(f"{n_broken:,} games were broken off by an agent's fault; thresholds want whole games")
    counts = np.sum([tally.totals for tally in tallies], axis=0)
    results = tallies[0].least_total + np.arange(len(counts))
    order = -1 if _is_high(int(setup.options["task"])) else 1
    return Distribution(plan.match.agents, results[::order], counts[::order])


def _is_high(task: int) -> bool:
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
                stability=chance_of_same(reached, place, chance, distribution.n_games),
                more_games=None if n_settling is None else max(0, n_settling - distribution.n_games),
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
    setup = load_game(GAME, players=players, task=task)
    assert setup.game.slices_lost is not None
    lost = setup.game.slices_lost(setup)
    if lost is None:
        return ()
    least, most = setup.ranges.total
    results = np.arange(least, most + 1)
    good = [results[lost <= slices] for slices in range(N_CUTS)]
    return tuple(int(each.min() if _is_high(task) else each.max()) for each in good)


def parse_chances(text: str) -> tuple[float, ...]:
    """Read chances of losing 0, 1, 2 and 3 slices; return those of losing at most 0, 1, 2. ValueError says the form."""
    try:
        chances = [float(word) for word in text.split(",")]
    except ValueError:
        chances = []
    if len(chances) != N_CUTS + 1 or min(chances, default=0.0) <= 0.0 or abs(sum(chances) - 1.0) > 1e-9:
        raise ValueError(
            "chances are rulebook, even, or four numbers above 0 that add up to 1, by commas (of losing 0, 1, 2 and "
            f"3 slices), not {text!r}"
        )
    return tuple(np.cumsum(chances[:N_CUTS]).tolist())


def parse_numbers(name: str, text: str, least: int, most: int) -> list[int]:
    """Read numbers by commas, or "all"; ValueError names the option and what is allowed."""
    words = [str(number) for number in range(least, most + 1)] if text == "all" else text.split(",")
    if not all(word.strip().isdecimal() and least <= int(word) <= most for word in words):
        raise ValueError(f"{name} are numbers from {least} to {most} by commas, or all, not {text!r}")
    return sorted({int(word) for word in words})


def tune(
    task: int,
    players: int,
    agents: Sequence[str],
    chances: str = "rulebook",
    deals: int = 20_000,
    seed: int = 1,
    place: Place | None = None,
    watcher: Watcher | None = None,
) -> Thresholds:
    """Find the cuts of a task for a reference team.

    `chances` is "even" (a quarter each), "rulebook" (as hard for this team as the printed Task 1 is at the same number
    of players; it plays that, too), or four chances by commas. Raises ValueError for wrong arguments.
    """
    where = place or Place(serial=True)
    wanted = EVEN if chances in ("even", "rulebook") else parse_chances(chances)
    setup = load_game(GAME, players=players, task=task)
    distribution = play_distribution(setup, agents, deals, seed, where, watcher)
    if chances == "rulebook":
        first = load_game(GAME, players=players, task=1)
        reference = distribution if task == 1 else play_distribution(first, agents, deals, seed, where, watcher)
        wanted = tuple(float(each.mean or 0.0) for each in reference.at_most(printed_cuts(players, 1)))
    printed = printed_cuts(players, task)
    return Thresholds(
        task=task,
        players=players,
        agents=distribution.agents,
        n_games=distribution.n_games,
        seed=seed,
        cuts=find_cuts(distribution, wanted),
        printed=printed,
        under_printed=tuple(distribution.at_most(printed)),
    )


def tables_text(answers: Sequence[Thresholds]) -> str:
    """Write cuts as a tables file that sessions of the game read, with where they come from."""
    lines = ["# Slices tables of Robots Ate Our Pizza, ours: the last results that lose 0, 1 and 2 slices."]
    for task in sorted({answer.task for answer in answers}):
        lines += ["", f"[task.{task}]"]
        for answer in sorted((each for each in answers if each.task == task), key=lambda each: each.players):
            wanted = ", ".join(f"{cut.wanted:.3f}" for cut in answer.cuts)
            team = ", ".join(answer.agents)
            lines.append(f"# {answer.n_games} games of {team}, seed {answer.seed}; wanted chances {wanted}")
            lines.append(f"{answer.players} = [{', '.join(str(cut.result) for cut in answer.cuts)}]")
    return "\n".join(lines) + "\n"
