"""Rules of thumb for Pizza Chef: where to look, by how much a player remembers.

No style snatches a slice that it does not know for certain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import Style
from engine.games.pizza_chef.rules import N_PLACES, NOTHING, RING, SNATCH
from engine.kernel import kernel

STYLES = (
    Style("perfect-memory", "goes where he has seen the topping, else where he has not been yet"),
    Style("memory-of-k", "the same with his last looks only, as many as `weight` says"),
    Style("never-look-twice", "looks where he has not looked in this round, and remembers no toppings"),
    Style("random-looker", "looks anywhere"),
)
PERFECT_MEMORY, MEMORY_OF_K, NEVER_LOOK_TWICE, RANDOM_LOOKER = range(len(STYLES))

_NONE = np.uint64(0)
_ONE = np.uint64(1)
FITS, SNATCHED, UNKNOWN, USELESS, RASH = 3.0, 4.0, 1.0, 0.0, -1.0  # how much an action is liked


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    """Take `weight` for the number of looks that memory-of-k remembers; no other style has a use for it."""
    known = _remembered(state, style, weight)
    knows_toppings = style <= MEMORY_OF_K
    for index in range(n_legal):
        action = int(actions[index])
        place = action % N_PLACES
        is_known = known >> np.uint64(place) & _ONE != _NONE
        fits = is_known and knows_toppings and state.places[place] == state.order
        if action >= SNATCH:
            values[index] = SNATCHED if fits else RASH
        elif fits:
            values[index] = FITS
        else:
            values[index] = USELESS if is_known else UNKNOWN


@kernel
def _remembered(state: Any, style: int, weight: float) -> Any:
    """Return the places that the style takes into account, a bit mask: never more than the player remembers."""
    seat = state.seat
    if style == PERFECT_MEMORY:
        return state.seen[seat]
    if style == RANDOM_LOOKER:
        return _NONE
    if style == MEMORY_OF_K:
        if weight > RING:
            return state.seen[seat]
        n_looks: Any = np.int64(max(0.0, weight))
    else:
        n_looks = (np.int64(state.tick) - 1) // np.int64(state.pace[seat])  # his looks in this round
    remembered = _NONE
    for back in range(min(n_looks, np.int64(RING), np.int64(state.n_looks[seat]))):
        place = state.looks[seat, (np.int64(state.n_looks[seat]) - 1 - back) % RING]
        if place != NOTHING:
            remembered |= _ONE << np.uint64(place)
    return remembered
