"""What came out of a batch of games, as arrays: between playing them, counting them and writing them down."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Games:
    """All games of one chunk, one element of each array a game (n_games) or a game and seat (n_games, players)."""

    line_up: int
    deal: np.ndarray
    rotation: np.ndarray
    agent: np.ndarray  # place in the list of agents, by seat
    points: np.ndarray
    finished: np.ndarray  # False where the game was broken off: points are then void
    utility: np.ndarray
    decisions: np.ndarray
    first_action: np.ndarray
    faults: dict[tuple[int, int], str]  # by (game, seat)

    def copy(self) -> Games:
        """Return the games in memory of their own; a board is used again."""
        arrays = ("points", "utility", "decisions", "first_action")
        return dataclasses.replace(self, **{name: getattr(self, name).copy() for name in arrays})
