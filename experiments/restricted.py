"""What is a habit worth: a power, a kind of move, some cards. An agent is forbidden it, and what changes is its worth.

The counts. Competitive games: a block is one deal with the restricted agent alone among unrestricted copies of itself,
in all seatings, and once more with all of them unrestricted; its score is its share of the win with the restriction
less an even share, which is what it has without: and the luck that shows in its share without the restriction is taken
out, as far as that tells the other (a control variate whose slope is fitted to other blocks). Cooperative games: a
block is one deal, played by a restricted team and by an unrestricted one; its score is the restricted team's result
less the other's. Both play with the same draws of chance, so a habit that the agent never has is worth exactly nothing.
All habits meet the same deals, and the intervals hold for all of them at once (max-T).

The agent does not know that it is restricted, and plays its next best action instead (`agents/restricted.py`). So the
worth is that of a habit to somebody who makes no other plans without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agents import parse_spec
from agents.restricted import NOTHING
from engine.contract import Habit, Setup
from experiments.cluster import Place, ray_kept
from experiments.compare import Blocks, Sampling, comparison_plan, play_blocks
from experiments.inference import all_means, detectable, mean_of, standard_error
from experiments.luck import FOLDS, slope_of
from experiments.summary import Estimate
from experiments.tournament import Watcher, compile_agents
from experiments.what_if import chosen_options

ALL = "all"


@dataclass(frozen=True)
class Worth:
    """What changes when an agent is forbidden one habit."""

    habit: str
    meaning: str
    result: Estimate  # of the restricted agent: share of the win, or result of the team
    change: Estimate  # from the unrestricted agent; the interval holds for all habits at once
    p_adjusted: float
    smallest_effect: float  # that so many deals find with 90 % power, looking at all habits


@dataclass(frozen=True)
class Restriction:
    """The answer for one agent: every habit, the largest change first."""

    game: str
    players: int
    options: Mapping[str, Any]
    agent: str
    measure: str
    base: Estimate  # of the unrestricted agent: its share, on average an even one, or its team's result
    n_deals: int
    seed: int
    habits: tuple[Worth, ...]
    without_effect: tuple[str, ...]  # habits that changed no result on any deal
    left_out: Mapping[str, str]  # habit: why

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


def restricted_text(agent: str, habit: str) -> str:
    """Write the agent that does without a habit; ValueError where it is not a compiled agent of the house."""
    spec = parse_spec(agent)
    if ":" in spec.name:
        raise ValueError(f"only a compiled agent of `pizzabots agents` can be restricted, not {agent!r}")
    knobs = "".join(f",player.{name}={value}" for name, value in spec.knobs.items())
    return f"restricted:without={habit},player={spec.name}{knobs}"


def free_text(agent: str) -> str:
    """Write the same agent with everything allowed, so that it runs the same code; in other words than the first one.

    The two sit at one table, where no agent is named twice.
    """
    head, colon, knobs = restricted_text(agent, NOTHING).partition(":")
    without, comma, player = knobs.partition(",")
    return head + colon + player + comma + without


def habits_for(setup: Setup, wanted: Sequence[str]) -> tuple[list[Habit], dict[str, str]]:
    """Return the habits that are named, and of "all" those that are no choice under these options, with the reason.

    Raises ValueError for a habit that the game does not have, or that is named though it is no choice.
    """
    chosen, left_out = [], {}
    for name in dict.fromkeys(wanted or [ALL]):
        for habit in setup.game.habits if name == ALL else [setup.game.find_habit(name)]:
            missing = [option for option, value in habit.needs.items() if setup.options[option] != value]
            reason = " ".join(f"--option {option}={str(habit.needs[option]).lower()}" for option in missing)
            if missing and name != ALL:
                raise ValueError(f"habit {habit.name} of {setup.name} is a choice with {reason} only")
            if missing:
                left_out[habit.name] = f"is a choice with {reason} only"
            elif habit not in chosen:
                chosen.append(habit)
    if not chosen:
        raise ValueError(f"{setup.name} has no habits that can be forbidden under these options")
    return chosen, left_out


@dataclass(frozen=True)
class Scale:
    """How much to play, and where."""

    deals: int
    seed: int
    place: Place


@ray_kept()
def restrict(
    setup: Setup, agent: str, wanted: Sequence[str], scale: Scale, watcher: Watcher | None = None
) -> Restriction:
    """Forbid an agent each of some habits in turn; ValueError for wrong arguments, before anything is played."""
    watcher = watcher or Watcher()
    if setup.players > 1 and len(set(setup.sides)) == 1:
        raise ValueError(f"{setup.heading}: there is nobody to compare with")
    if scale.deals < 2:
        raise ValueError(f"a difference with an interval wants at least 2 deals, not {scale.deals}")
    habits, left_out = habits_for(setup, wanted)
    plans = [
        comparison_plan(
            setup, restricted_text(agent, name), free_text(agent), Sampling(seed=scale.seed, max_blocks=scale.deals)
        )
        for name in (NOTHING, *(habit.name for habit in habits))
    ]
    compile_agents(plans[0], watcher)
    watcher.start(sum(plan.n_games(chunk) for plan in plans for chunk in plan.chunks))
    found = []
    for plan in plans:
        with closing(play_blocks(plan, scale.place)) as source:
            found.append(Blocks.joined(list(source)))
        if found[-1].faults:
            raise ValueError(f"games were broken off: {found[-1].faults[0]}")
        watcher.advance(sum(plan.n_games(chunk) for chunk in plan.chunks))
    base = found[0].first
    even = None if setup.cooperative else 1.0 / len(set(setup.sides))
    scores = np.stack([_scores(blocks.first, base, even) for blocks in found[1:]], axis=1)
    matters = [not np.array_equal(blocks.first, base) for blocks in found[1:]]
    worths = [
        Worth(
            habit=habit.name,
            meaning=habit.meaning,
            result=mean_of(blocks.first),
            change=mean.estimate,
            p_adjusted=mean.p_adjusted,
            smallest_effect=detectable(standard_error(column), len(habits)),
        )
        for habit, blocks, mean, column, does in zip(
            habits, found[1:], all_means(scores), scores.T, matters, strict=True
        )
        if does
    ]
    return Restriction(
        game=setup.name,
        players=setup.players,
        options=chosen_options(setup),
        agent=agent,
        measure="team's result" if setup.cooperative else "share of the win",
        base=mean_of(base),
        n_deals=scale.deals,
        seed=scale.seed,
        habits=tuple(sorted(worths, key=lambda each: each.change.mean or 0.0)),
        without_effect=tuple(habit.name for habit, each in zip(habits, matters, strict=True) if not each),
        left_out=left_out,
    )


def _scores(with_habit_barred: np.ndarray, free: np.ndarray, even: float | None) -> np.ndarray:
    """Return block scores: the difference, or where the mean of `free` is known to be `even`, less its luck alone."""
    n_blocks = len(free)
    if even is None or n_blocks < 2 * FOLDS:
        return with_habit_barred - free
    fold = np.arange(n_blocks) % FOLDS
    slopes = np.array([slope_of(with_habit_barred[fold != each], free[fold != each]) for each in range(FOLDS)])
    return np.asarray((with_habit_barred - even) - slopes[fold] * (free - even))
