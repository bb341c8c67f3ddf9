"""Rules of thumb for Pizza Time: how much a player likes a movement, read from the table as it lies.

In the race, a style values every movement; after it all styles take the highest card and give the lowest away to the
poorest. The planning styles look movements up in a table of distances, made for the setup.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from engine.contract import Setup, Style
from engine.games.pizza_time.rules import (
    CLAIM,
    FIRST_DISCARD,
    FIRST_GIVE,
    FIRST_TAKE,
    MOST_PLAYERS,
    N_ORDERS,
    N_PIZZAS,
    N_REARRANGEMENTS,
    N_TOPPINGS,
    REBUILD,
    current_player,
    has_right_pizza,
    n_numbers_left,
    number_wanted,
    pizza_of,
    rearranged,
    totals_of,
)
from engine.games.pizza_time.solutions import UNREACHABLE, distances, distinct_orders, totals_of_pizzas
from engine.kernel import kernel

STYLES = (
    Style("rebuilder", "rebuilds everything until the pizza happens to be right"),
    Style("hill-climber", "makes the movement that leaves least wrong; rebuilds where none makes it better"),
    Style("planner", "takes a shortest way to the nearest pizza that is right for any choice of toppings"),
    Style("easy-types", "picks the toppings that most pizzas match, then takes a shortest way to those alone"),
    Style("gambler", "plans, but claims as soon as no more than `weight` ingredients are wrong"),
    Style("spoiler", "plans, but claims a wrong pizza when others are about to take the last number cards"),
)
REBUILDER, HILL_CLIMBER, PLANNER, EASY_TYPES, GAMBLER, SPOILER = range(len(STYLES))

# What movements are worth beside distances and mismatches, which count down from 0.
CERTAIN = 1.0
LAST_RESORT = -500.0
NEVER = -1000.0


ORDERS_AT_ONCE = 256  # of a table in the making: bounds its memory


# Tables.


def style_table(setup: Setup, style: int) -> np.ndarray:
    """Return how many movements each pizza is from a right one; uint8, shape (4, 1296, 24576): toppings less 1, orders.

    With easy-types only pizzas count that are right for the toppings which most pizzas match. Lines that the setup
    never needs are zeros that were never written, which takes no memory. Styles that do not plan get a single zero.
    """
    if style in (REBUILDER, HILL_CLIMBER):
        return np.zeros((1, 1, 1), dtype=np.uint8)
    faces = tuple(int(face) for face in setup.template["faces"])
    piles = tuple(tuple(int(number) for number in pile) for pile in setup.template["piles"])
    return _distance_table(faces, piles, bool(setup.template["expert"]), style == EASY_TYPES)


@functools.lru_cache(maxsize=4)
def _distance_table(
    faces: tuple[int, ...], piles: tuple[tuple[int, ...], ...], expert: bool, only_easiest: bool
) -> np.ndarray:
    table = np.zeros((N_TOPPINGS, N_ORDERS, N_PIZZAS), dtype=np.uint8)
    orders, numbers = distinct_orders(piles)
    for first in range(0, len(orders), ORDERS_AT_ONCE):
        some = slice(first, first + ORDERS_AT_ONCE)
        exact = totals_of_pizzas(faces)[:, None, :] == orders[some]
        most = exact.sum(axis=2).max(axis=0)
        for types in range(1, N_TOPPINGS + 1):
            # a round with fewer toppings than the rules say is one whose order has no pizza with more
            played = most == types if types == 1 or expert else most >= types
            if played.any():
                goals = easiest(exact[:, played], types) if only_easiest else exact[:, played].sum(axis=2) >= types
                table[types - 1, numbers[some][played]] = distances(goals)
    table.flags.writeable = False
    return table


def easiest(exact: np.ndarray, types: int) -> np.ndarray:
    """Return which pizzas match the toppings that most pizzas match together, so many as `types`, for each order.

    `exact` is bool, shape (24576, orders, 4); the result has shape (24576, orders). Of choices that are equally easy
    the first counts.
    """
    subsets = list(itertools.combinations(range(N_TOPPINGS), types))
    matches = np.stack([exact[:, :, subset].all(axis=2) for subset in subsets])
    chosen = matches.sum(axis=1).argmax(axis=0)
    return np.take_along_axis(matches, chosen[None, None, :], axis=0)[0]


# The verbs.


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    if state.serving > 0:
        for index in range(n_legal):
            values[index] = _worth_of_card(state, actions[index])
        return
    placement = np.int64(state.placement[current_player(state)])
    order = np.int64(state.order)
    types = np.int64(state.types[state.rounds])
    if style == REBUILDER:
        for movement in range(N_REARRANGEMENTS):
            values[movement] = LAST_RESORT - movement
        values[REBUILD] = 0.0
        values[CLAIM] = CERTAIN if has_right_pizza(state, current_player(state)) else NEVER
    elif style == HILL_CLIMBER:
        for movement in range(N_REARRANGEMENTS):
            values[movement] = -_mismatch(totals_of(state.faces, rearranged(placement, movement)), order, types)
        wrong = _mismatch(totals_of(state.faces, placement), order, types)
        values[REBUILD] = 0.5 - wrong  # better than standing still, worse than any step down
        values[CLAIM] = CERTAIN if wrong == 0 else NEVER
    else:
        far = table[types - 1, np.int64(state.order_number)]
        for movement in range(N_REARRANGEMENTS):
            values[movement] = -np.float64(far[np.uint64(pizza_of(rearranged(placement, movement)))])
        distance = np.int64(far[np.uint64(pizza_of(placement))])
        values[REBUILD] = LAST_RESORT if distance < UNREACHABLE else 0.0
        values[CLAIM] = CERTAIN if distance == 0 or _claims_wrong(state, placement, style, weight) else NEVER


@kernel
def favorite(state: Any, style: int, weight: float, table: Any, rng: Any) -> int:
    if style == REBUILDER and state.serving == 0:
        return CLAIM if has_right_pizza(state, current_player(state)) else REBUILD
    return -1


@kernel
def _claims_wrong(state: Any, placement: Any, style: Any, weight: float) -> bool:
    """Tell whether a style claims a number card for a pizza that is not right."""
    if style == GAMBLER:
        types = np.int64(state.types[state.rounds])
        return _mismatch(totals_of(state.faces, placement), np.int64(state.order), types) <= weight
    if style == SPOILER:
        n_right = 0
        for seat in range(np.int64(state.players)):
            if (np.int64(state.racing) >> seat) & 1 == 1 and has_right_pizza(state, seat):
                n_right += 1
        return n_right >= n_numbers_left(state)
    return False


@kernel
def _mismatch(totals: Any, order: Any, types: Any) -> Any:
    """Count the ingredients too many or too few over the `types` toppings that fit best."""
    wrong = 0
    for topping in range(N_TOPPINGS):
        wrong += _difference(totals, order, topping)
    counted = (1 << N_TOPPINGS) - 1
    for _ in range(N_TOPPINGS - types):
        worst, most = 0, -1
        for topping in range(N_TOPPINGS):
            if (counted >> topping) & 1 == 1 and _difference(totals, order, topping) > most:
                worst, most = topping, _difference(totals, order, topping)
        counted &= ~(1 << worst)
        wrong -= most
    return wrong


@kernel
def _difference(totals: Any, order: Any, topping: Any) -> Any:
    return abs(((totals >> (8 * topping)) & 0xFF) - ((order >> (8 * topping)) & 0xFF))


@kernel
def _worth_of_card(state: Any, action: Any) -> float:
    """Value a card for the one who takes it or gives it away: to others the lowest, and to the poorest of them."""
    if action < FIRST_GIVE:
        return float(number_wanted(state, action - FIRST_TAKE))
    if action >= FIRST_DISCARD:
        return -float(number_wanted(state, action - FIRST_DISCARD))
    number = number_wanted(state, (action - FIRST_GIVE) // MOST_PLAYERS)
    receiver = (action - FIRST_GIVE) % MOST_PLAYERS
    if receiver == current_player(state):
        return float(number)
    return -float(number) - np.float64(state.points[receiver]) / 1024.0 - 16.0
