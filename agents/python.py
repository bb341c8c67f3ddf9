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
from typing import Any

import numpy as np

from engine.contract import (
    MOST_ACTIONS,
    Setup,
    current_player,
    determinize,
    heuristic,
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


class Fault(Exception):
    """An agent raised, or named an action that is not legal; the message says which."""


def ask(agent: Any, view: View) -> int:
    """Return the legal action that a plain Python agent chooses; Fault when it raises or cheats."""
    legal = tuple(view.legal_actions)  # before the agent can spoil the list
    choose = getattr(agent, "choose", agent)
    try:
        answer = choose(view)
    except Exception as error:
        raise Fault(f"raised {type(error).__name__}: {error}") from error
    try:
        action = operator.index(answer)
    except TypeError:
        raise Fault(f"answered {answer!r}, which is no action") from None
    if action not in legal:
        raise Fault(f"chose {action}, which is not legal")
    return action
