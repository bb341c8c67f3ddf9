"""Agents as a user writes them, good and bad, for the tests."""

import os
import signal
import sys
import time
from typing import Any, NamedTuple

import numpy as np

from engine.contract import Agent, Knob, legal_actions, random_action, register_agent
from engine.kernel import kernel

A_NUMBER = 3


class First:
    """Takes the first legal action."""

    def choose(self, view):
        return view.legal_actions[0]


class Last:
    """Takes the last legal action, or with a chance any."""

    def __init__(self, chance=0.0):
        self.chance = chance

    def choose(self, view):
        if view.rng.random() < self.chance:
            return int(view.rng.choice(view.legal_actions))
        return view.legal_actions[-1]


def last(view):
    """Takes the last legal action."""
    return view.legal_actions[-1]


class Sampler:
    """Looks at all it can look at, and plays in samples of its own."""

    def choose(self, view):
        from engine.contract import apply_action

        world = view.sample()
        apply_action(world, view.legal_actions[0])
        knows = view.observation().sum() + view.heuristic() + len(view.show())
        return view.legal_actions[int(knows) % len(view.legal_actions)]


class Counter:
    """Carries a count from move to move; made anew for each game, so it never passes four."""

    def __init__(self):
        self.moves = 0

    def choose(self, view):
        self.moves += 1
        assert self.moves <= 4
        return view.legal_actions[self.moves % len(view.legal_actions)]


class Raises:
    """Fails."""

    def choose(self, view):
        raise RuntimeError("no idea")


class Illegal:
    """Names an action that is not legal, and spoils the list that would show it."""

    def choose(self, view):
        missing = min(set(range(32)) - set(view.legal_actions))
        view.legal_actions.append(missing)
        return missing


class Mute:
    """Answers nothing."""

    def choose(self, view):
        return None


class NotMade:
    """Cannot even be made."""

    def __init__(self):
        raise OSError("out of clay")

    def choose(self, view):
        return view.legal_actions[0]


class Sleeps:
    """Waits for ever at its second move, and lets no ordinary exception disturb it."""

    def __init__(self, moves=0):
        self.moves = moves

    def choose(self, view):
        self.moves += 1
        while self.moves == 2:
            try:
                time.sleep(1000)
            except Exception:
                continue
        return view.legal_actions[0]


class Spins:
    """Never comes to an end."""

    def choose(self, view):
        while True:
            pass


class Leaves:
    """Ends the process, as it believes."""

    def choose(self, view):
        sys.exit(3)


class Dies:
    """Takes its process with it."""

    def choose(self, view):
        os.kill(os.getpid(), signal.SIGKILL)


class Remembers:
    """Carries something from game to game."""

    games = 0

    def __init__(self):
        Remembers.games += 1

    def choose(self, view):
        return view.legal_actions[Remembers.games % len(view.legal_actions)]


class NoChoose:
    """Is no agent."""


class Peeker:
    """Writes down every hidden thing that it can reach, and returns the first legal action."""

    seen: list[bytes] = []  # noqa: RUF012

    def choose(self, view):
        Peeker.seen.append(view.state.tobytes() + repr(sorted(view.legal_actions)).encode())
        return view.legal_actions[0]


class AlsoUniform(NamedTuple):
    """A compiled agent that plays as `uniform` does, under another name."""


@kernel
def no_workspace(agent: Any, states: Any) -> Any:
    return np.empty(0, dtype=np.int64)


@kernel
def choose_any(agent: Any, state: Any, space: Any, rng: Any) -> int:
    return random_action(state, rng)


register_agent(
    Agent(
        name="twin-uniform",
        summary="any legal action",
        knobs=AlsoUniform,
        choose=choose_any,
        workspace=no_workspace,
        blind=True,
    )
)


class Highest(NamedTuple):
    """A compiled agent of a user's own: takes the highest legal action."""

    offset: int = 1


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return np.empty(512, dtype=np.int64)


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    return space[legal_actions(state, space) - agent.offset]


register_agent(
    Agent(
        name="highest",
        summary="the highest legal action",
        knobs=Highest,
        choose=choose,
        workspace=workspace,
        knob_facts={"offset": Knob("how far from the end", low=1, high=1)},
    )
)
