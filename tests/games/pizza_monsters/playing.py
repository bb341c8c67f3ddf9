"""Ways to get games of Pizza Monsters going in tests."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.contract import Setup, apply_action, load_game
from engine.games.pizza_monsters import notation
from engine.games.pizza_monsters.rules import CHOOSING, NO_TOKEN, TOKENS
from tests.games.playing import legal

NAME = "pizza-monsters"
EVERY_NUMBER_OF_PLAYERS = range(2, 9)
FLAGS = ("simplified", "short", "extension", "blind", "mixed", "must_feed", "random_split", "random_colors")


def load(players: int = 4, **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, players=players, **options)


def every_mixture(players: int) -> Iterator[Setup]:
    """Yield all mixtures of the yes-no options that the game allows, the others at random but fixed."""
    chance = random.Random(players)
    for chosen in itertools.product((False, True), repeat=len(FLAGS)):
        options = dict(zip(FLAGS, chosen, strict=True))
        options["simple_joker"] = chance.choice("ab")
        options["slice_set"] = chance.choice(("colors", "shuffled"))
        options["max_turns"] = chance.choice((20, 100, 1000))
        try:
            yield load(players, **options)
        except ValueError:
            continue


def legal_texts(state: Any) -> list[str]:
    """List the legal actions as texts."""
    return [notation.action_text(action) for action in legal(state)]


def do(state: Any, *texts: str) -> None:
    """Play actions given as texts; each must be legal."""
    for text in texts:
        action = notation.parse_action(text)
        assert action in legal(state), f"{text} is not among {legal_texts(state)}"
        apply_action(state, action)


def show_order(state: Any, token: str, bag: str = "") -> None:
    """Let the active player have drawn a topping that he may lay or put back; all orders are in the bag, or some."""
    state.phase, state.seat, state.topping, state.due = CHOOSING, state.active, NO_TOKEN, 0
    state.order = TOKENS.index(token)
    state.bag = notation.parse_tokens(bag or " ".join(TOKENS))
    notation.audit(state)


def set_pizzas(state: Any, pizzas: dict[int, tuple[str, str]], hats: dict[int, int] | None = None) -> None:
    """Give seats these pizzas; what they had goes into the box, and what they get comes from there."""
    for seat, pair in pizzas.items():
        state.box += state.pizzas[seat, 0] + state.pizzas[seat, 1]
        for number, slices in enumerate(pair):
            state.pizzas[seat, number] = notation.pack(notation.parse_slices(slices))
        state.box -= state.pizzas[seat, 0] + state.pizzas[seat, 1]
    for seat, number in (hats or {}).items():
        state.hats[seat] = number
    state.turns = max(int(state.turns), 4 * int(max(state.hats)))


def slices_in_all(state: Any) -> list[int]:
    """Count the slices of each topping on the table and in the box."""
    packed = [state["box"], *np.ravel(state["pizzas"])]
    return [sum(column) for column in zip(*(notation.counts(each) for each in packed), strict=True)]
