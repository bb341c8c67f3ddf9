"""Ways to get games of Pizza Monsters going in tests."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import agents
from engine.contract import MOST_ACTIONS, Setup, apply_action, is_terminal, legal_actions, load_game
from engine.games.pizza_monsters import notation
from engine.games.pizza_monsters.rules import CHOOSING, NO_TOKEN, TOKENS, TOPPINGS
from engine.tables import advance, collect_utility, deal_tables, new_log, start_streams

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


def legal(state: Any) -> list[int]:
    """List the legal actions."""
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    return actions[: legal_actions(state, actions)].tolist()


def legal_texts(state: Any) -> list[str]:
    """List the legal actions as texts."""
    return [notation.action_text(action) for action in legal(state)]


def do(state: Any, *texts: str) -> None:
    """Play actions given as texts; each must be legal."""
    for text in texts:
        action = notation.parse_action(text)
        assert action in legal(state), f"{text} is not among {legal_texts(state)}"
        apply_action(state, action)


def states_of_random_game(setup: Setup, number: int) -> Iterator[Any]:
    """Play deal `number` at random; yield the one record before the first move and after every move."""
    state = setup.new_game(seed=7, number=number)
    chance = random.Random(number)
    yield state
    while not is_terminal(state):
        apply_action(state, chance.choice(legal(state)))
        yield state


def copy_of(state: Any) -> Any:
    """Copy a record."""
    states = np.zeros(1, dtype=state.dtype).view(np.recarray)
    states[0] = state
    return states[0]


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


def play_many(setup: Setup, agent_texts: list[str], n_games: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Let one agent for each seat play many deals; return the finished records and the utilities."""
    states, streams = setup.blank_states(n_games), np.zeros((n_games, setup.players), dtype=np.uint64)
    deal_tables(states, setup.template, seed, 0)
    start_streams(streams, seed, 0, 0)
    log = new_log(n_games, setup.players)
    n_open = n_games
    while n_open:
        for text in dict.fromkeys(agent_texts):
            player = agents.make_player(text, setup)
            plays = np.array([each == text for each in agent_texts])
            n_open = int(advance(player.knobs, player.looks, states, plays, streams, log))
    utility = np.zeros((n_games, setup.players))
    collect_utility(states, utility)
    return states, utility


def slices_in_all(state: Any) -> list[int]:
    """Count the slices of each topping on the table and in the box."""
    packed = [state["box"], *np.ravel(state["pizzas"])]
    return [sum(column) for column in zip(*(notation.counts(each) for each in packed), strict=True)]


__all__ = [
    "EVERY_NUMBER_OF_PLAYERS",
    "TOPPINGS",
    "copy_of",
    "do",
    "every_mixture",
    "legal",
    "legal_texts",
    "load",
    "play_many",
    "set_pizzas",
    "show_order",
    "slices_in_all",
    "states_of_random_game",
]
