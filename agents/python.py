"""Agents written in plain Python: what they see, and how one move is asked of them.

An agent is a class with `choose(self, view) -> int` (or just a function of a view). A fresh one is made for each seat
of each game, so nothing leaks from game to game and results do not depend on how the work is cut up.

    class Cautious:
        def choose(self, view):
            return view.legal_actions[0]
"""

from __future__ import annotations

import functools
import operator
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from engine.contract import (
    MOST_ACTIONS,
    Setup,
    apply_action,
    current_player,
    determinize,
    heuristic,
    is_terminal,
    legal_actions,
    observe,
)
from engine.rng import next_word


class View:
    """What a player knows when it is his turn.

    `state` is a scratch record in which all that he cannot know has been replaced by a fair sample; he may play on in
    it with the verbs of `engine.contract`. `rng` is a numpy Generator of his own, the same in every repetition of the
    run.
    """

    def __init__(self, setup: Setup, scratch: Any, stream: np.ndarray) -> None:
        self.setup = setup
        self.state = scratch
        self.player = int(current_player(scratch))
        self._stream = stream
        self._seed = int(next_word(stream))
        actions = np.empty(MOST_ACTIONS, dtype=np.int64)
        self.legal_actions: list[int] = actions[: legal_actions(scratch, actions)].tolist()

    @functools.cached_property
    def rng(self) -> np.random.Generator:
        """A numpy Generator for this decision."""
        return np.random.Generator(np.random.PCG64(self._seed))

    def observation(self) -> np.ndarray:
        """Return what the player knows as the game's fixed-length vector, float32."""
        out = np.empty(self.setup.game.observation_size, dtype=np.float32)
        observe(self.state, self.player, out)
        return out

    def heuristic(self) -> float:
        """Return the game's rule-of-thumb estimate of this player's utility."""
        return float(heuristic(self.state, self.player))

    def sample(self) -> Any:
        """Return another record that the player cannot tell from the true one, free to play on in."""
        states = self.setup.blank_states(1)
        states[0] = self.state
        determinize(states[0], self.player, self._stream)
        return states[0]

    def text(self, action: int) -> str:
        """Write an action in the game's notation."""
        return str(self.setup.game.notation.action_text(action))

    def show(self) -> str:
        """Draw the table as this player sees it."""
        return str(self.setup.game.notation.show(self.state, self.player))


def warm_view(setup: Setup) -> None:
    """Compile, or load, the verbs that a view offers, so that no agent's time is spent on it."""
    view = View(setup, setup.new_game(0), np.ones(1, dtype=np.uint64))
    view.observation()
    view.heuristic()
    world = view.sample()
    apply_action(world, view.legal_actions[0])
    is_terminal(world)


class Fault(Exception):
    """An agent raised, hung, or named an action that is not legal; the message says which."""


class Hung(Fault):
    """An agent was broken off because it did not answer in time."""


class Overdue(BaseException):
    """Breaks off a call that takes too long; no Exception, because agents may catch those themselves."""


MOVE_SECONDS = 60.0  # for one move, unless the caller says otherwise
RING_AGAIN = 0.05  # seconds: for an agent that catches even this, and goes on

T = TypeVar("T")


class Watch:
    """A wall clock over calls of plain Python agents, to be used as a context around many of them.

    It breaks a call off by a signal, which Python heeds between two steps of its own and while it sleeps or waits. So
    compiled code that loops for ever cannot be broken off, and calls outside the main thread of a process are not
    watched (those of Ray workers are inside).
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._is_running = False
        self._can_ring = threading.current_thread() is threading.main_thread()
        self._before: Any = None

    def __enter__(self) -> Watch:
        """Take over the alarm signal."""
        if self._can_ring:
            self._before = signal.signal(signal.SIGALRM, self._ring)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the alarm signal back."""
        if self._can_ring:
            self._stop()
            signal.signal(signal.SIGALRM, self._before)

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return what the function does; Hung when it takes longer than the watch allows."""
        if not self._can_ring:
            return function(*arguments)
        try:
            try:
                self._is_running = True
                signal.setitimer(signal.ITIMER_REAL, self.seconds, RING_AGAIN)
                return function(*arguments)
            finally:
                self._stop()
        except Overdue:
            self._stop()  # it may have rung before the first stop
            raise Hung(f"gave no answer within {self.seconds:g} seconds") from None

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if self._is_running:
            raise Overdue

    def _stop(self) -> None:
        self._is_running = False
        signal.setitimer(signal.ITIMER_REAL, 0)


def make(factory: Callable[[], Any], watch: Watch) -> Any:
    """Return a fresh agent; Fault when it cannot be made, or not in time."""
    try:
        return watch.call(factory)
    except Fault:
        raise
    except (Exception, SystemExit) as error:
        raise Fault(f"raised {type(error).__name__} when it was made: {error}") from error


def ask(agent: Any, view: View, watch: Watch) -> int:
    """Return the legal action that a plain Python agent chooses; Fault when it raises, hangs or cheats."""
    legal = tuple(view.legal_actions)  # before the agent can spoil the list
    choose = getattr(agent, "choose", agent)
    try:
        answer = watch.call(choose, view)
    except Fault:
        raise
    except (Exception, SystemExit) as error:
        raise Fault(f"raised {type(error).__name__}: {error}") from error
    try:
        action = operator.index(answer)
    except TypeError:
        raise Fault(f"answered {answer!r}, which is no action") from None
    if action not in legal:
        raise Fault(f"chose {action}, which is not legal")
    return action
