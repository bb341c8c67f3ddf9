"""Rules of thumb for Pizza Monsters: how much a player likes an action, read from what he knows.

A style is a row of traits, weights of the same few concerns. An order is worth what it lets the player feed, less what
it lets the others feed; a redraw is worth the mean of the orders that may come. A new pizza is worth the sum of its
slices; a slice is liked less where there is its like, and more while its order is in the bag.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import Setup, Style
from engine.games.pizza_monsters.rules import (
    ANY_TOPPING,
    CHOOSING,
    DECLINE,
    FEED,
    FEEDING,
    FILLING,
    FULL_BAG,
    JOKER_A,
    LAY,
    N_PIZZAS,
    N_TOKENS,
    N_TOPPINGS,
    NAME,
    NAMING,
    PIZZA_SIZE,
    SPLITTING,
    TAKE,
    count_of,
)
from engine.kernel import kernel

STYLES = (
    Style("planner", "weighs all: the own feed, what rivals get, finishing, the bag, different toppings"),
    Style(
        "racer", "lays what he can feed, finishes pizzas fast, builds of toppings that are new to him and in the bag"
    ),
    Style("keep-if-match", "lays every order that he can feed and puts back all others"),
    Style("denier", "puts back orders that feed rivals more than him, and builds what they do not hold"),
    Style("finisher", "feeds the pizza that is nearest to its end first"),
    Style("diversifier", "builds pizzas of toppings that he does not hold yet"),
    Style("bag-counter", "weighs a redraw by what is left in the bag, and builds for the orders that are in it"),
    Style("joker-saver", "gives jokers the slices whose orders are out of the bag"),
)

# Traits: how much each concern counts, by style.

DENY, FINISH, DIFFERENT, APART, BAG, SAVE, MATCH = range(7)
TRAITS = np.array(
    [
        # deny: what an order gives rivals · finish: how near a pizza is to its end · different: from slices on the
        # same pizza · apart: from the other pizza · bag: whether an order is in it · save: jokers for slices whose
        # orders are out · match: 1 lays whatever fits, without weighing it against a redraw
        [0.65, 1.50, 1.00, 1.00, 0.50, 0.10, 0.00],  # planner: tuned against itself, 2 and 4 players
        [0.00, 1.00, 1.00, 1.00, 0.50, 0.00, 1.00],  # racer
        [0.00, 0.00, 1.00, 0.00, 0.00, 0.00, 1.00],  # keep-if-match
        [1.00, 0.00, 1.00, 0.00, 0.00, 0.00, 0.00],  # denier
        [0.00, 1.00, 1.00, 0.00, 0.00, 0.00, 1.00],  # finisher
        [0.00, 0.00, 1.00, 1.00, 0.00, 0.00, 1.00],  # diversifier
        [0.00, 0.00, 1.00, 0.00, 0.50, 0.00, 0.00],  # bag-counter
        [0.00, 0.00, 1.00, 0.00, 0.00, 1.00, 1.00],  # joker-saver
    ]
)

_NONE = np.uint64(0)
_EIGHT = np.uint64(8)
_BYTE = np.uint64(0xFF)


def style_table(setup: Setup, style: int) -> np.ndarray:
    """Return the traits of a style; float64, shape (7,)."""
    return TRAITS[style].copy()


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    """Take `weight` for how much the feeds of rivals count, times what the style makes of them."""
    traits = table
    deny = traits[DENY] * weight
    phase = state.phase
    for index in range(n_legal):
        action = int(actions[index])
        if phase == CHOOSING:
            values[index] = _lay_value(state, traits, deny) if action == LAY else _redraw_value(state, traits, deny)
        elif phase == NAMING:
            topping = action - NAME
            values[index] = _worth(state, topping, traits, deny) + traits[SAVE] * _is_out(state, topping)
        elif phase == FEEDING:
            values[index] = 0.0 if action == DECLINE else _feed_value(state, action - FEED, traits)
        elif phase == FILLING:
            values[index] = _pizza_value(state, action - TAKE, traits, deny)
        elif phase == SPLITTING:
            values[index] = -_number_of(state.pizzas[state.seat, 0], action - TAKE)
        else:
            values[index] = 0.0


@kernel
def _lay_value(state: Any, traits: Any, deny: float) -> float:
    worth = _worth(state, int(state.order), traits, deny)
    return np.sign(worth) if traits[MATCH] > 0.0 else worth


@kernel
def _redraw_value(state: Any, traits: Any, deny: float) -> float:
    """Return what the next order is worth on average; a style that does not count the bag takes it to be full."""
    if traits[MATCH] > 0.0:
        return 0.5
    bag = int(state.bag) if traits[BAG] > 0.0 else FULL_BAG
    total = 0.0
    n_tokens = 0
    best_named = 0.0
    for token in range(N_TOKENS):
        if token < JOKER_A:
            worth = _worth(state, token, traits, deny)
            best_named = max(best_named, worth)
        else:
            worth = best_named if token == JOKER_A else _worth(state, ANY_TOPPING, traits, deny)
        if bag >> token & 1 == 1:
            total += worth
            n_tokens += 1
    return total / n_tokens


@kernel
def _worth(state: Any, topping: int, traits: Any, deny: float) -> float:
    """Return what an order is worth to the player who lays it: his own gain, less a part of the rivals' mean gain."""
    worth = _gain(state, state.seat, topping, traits[FINISH])
    if deny != 0.0:
        share = deny / (int(state.players) - 1)
        for seat in range(state.players):
            if seat != state.seat:
                worth -= share * _gain(state, seat, topping, traits[FINISH])
    return worth


@kernel
def _gain(state: Any, seat: Any, topping: int, finish: float) -> float:
    """Return what an order gives a seat: 1 for a slice fed, and more the fewer are left on its pizza; 0 for nothing."""
    gain = 0.0
    for place in range(N_PIZZAS):
        pizza = state.pizzas[seat, place]
        if (topping == ANY_TOPPING and pizza != _NONE) or (topping != ANY_TOPPING and _number_of(pizza, topping) > 0.0):
            gain = max(gain, 1.0 + finish * _progress(pizza))
    return gain


@kernel
def _progress(pizza: Any) -> float:
    """Return how far a pizza is when one more slice of it is fed: 1 for the last slice, 1/4 for the first."""
    return 1.25 - np.float64(count_of(pizza)) / PIZZA_SIZE


@kernel
def _number_of(packed: Any, topping: int) -> float:
    return np.float64(packed >> (_EIGHT * np.uint64(topping)) & _BYTE)


@kernel
def _is_out(state: Any, topping: int) -> float:
    """Return 1 for a topping whose order is not in the bag."""
    return 1.0 - (int(state.bag) >> topping & 1)


@kernel
def _feed_value(state: Any, place: int, traits: Any) -> float:
    """Return what it is worth to give away a slice, its place being pizza * 8 + topping."""
    own = state.pizzas[state.seat]
    pizza, topping = place // N_TOPPINGS, place % N_TOPPINGS
    value = 1.0 + traits[FINISH] * _progress(own[pizza])
    if state.topping == ANY_TOPPING:
        n_alike = _number_of(own[0], topping) + _number_of(own[1], topping)
        value += traits[SAVE] * _is_out(state, topping) + 0.5 * traits[APART] * (n_alike - 1.0)
    return value


@kernel
def _pizza_value(state: Any, topping: int, traits: Any, deny: float) -> float:
    """Return the most that the new pizza can be worth when `topping` is its next slice and none below may follow."""
    made = state.pizzas[state.seat, state.pizza]
    box = state.box
    one = np.uint64(1)
    value = _slice_value(state, made, topping, traits, deny)
    made += one << (_EIGHT * np.uint64(topping))
    box -= one << (_EIGHT * np.uint64(topping))
    for _ in range(PIZZA_SIZE - 1 - int(state.n_taken)):
        best = -1e9
        best_topping = topping
        for other in range(topping, N_TOPPINGS):
            if _number_of(box, other) > 0.0:
                worth = _slice_value(state, made, other, traits, deny)
                if worth > best:
                    best, best_topping = worth, other
        value += best
        made += one << (_EIGHT * np.uint64(best_topping))
        box -= one << (_EIGHT * np.uint64(best_topping))
    return value


@kernel
def _slice_value(state: Any, made: Any, topping: int, traits: Any, deny: float) -> float:
    """Return what a slice adds to a pizza of which `made` is there already."""
    kept = state.pizzas[state.seat, 1 - np.int64(state.pizza)]
    value = 1.0 - traits[DIFFERENT] * _number_of(made, topping) - traits[APART] * _number_of(kept, topping)
    value -= traits[BAG] * _is_out(state, topping)
    if deny != 0.0:
        n_rivals = 0.0
        for seat in range(state.players):
            if seat != state.seat:
                n_held = _number_of(state.pizzas[seat, 0], topping) + _number_of(state.pizzas[seat, 1], topping)
                n_rivals += min(1.0, n_held)
        value -= 0.5 * deny * n_rivals / (int(state.players) - 1)
    return value
