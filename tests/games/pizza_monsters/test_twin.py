"""The whole game, held move for move against the naive twin, with every chance given by hand."""

import random
from pathlib import Path

import numpy as np
import pytest

from engine.contract import MOST_OUTCOMES, act, current_player, is_terminal, outcomes, resolve, returns, score
from engine.games.pizza_monsters import notation
from tests.games.pizza_monsters.playing import EVERY_NUMBER_OF_PLAYERS, every_mixture, legal_texts, load
from tests.naive.pizza_monsters import TOPPINGS, Ask, Chance, Table, in_order, play


def words(packed) -> list[str]:
    return [topping for topping in notation.slices_text(packed).split() if topping != "-"]


def twin_of(state, setup) -> Table:
    """Set the twin up as dealt, with the first order still to be drawn."""
    pizzas = [[words(pizza) for pizza in state.pizzas[seat]] for seat in range(setup.players)]
    return Table(pizzas, words(state.box), int(state.active), dict(setup.options))


def assert_same_table(state, table: Table) -> None:
    assert int(state.turns) == max(1, table.turn)
    assert state.hats[: table.players].tolist() == table.hats
    assert sum(1 << notation.TOKENS.index(token) for token in table.bag) == int(state.bag)
    assert in_order(table.box) == tuple(words(state.box))
    for seat in range(table.players):
        assert [tuple(words(pizza)) for pizza in state.pizzas[seat]] == [
            in_order(pizza) for pizza in table.pizzas[seat]
        ]


def play_both(setup, number: int) -> int:
    """Play a deal with the engine and the twin; return the turns it took."""
    state = undrawn(setup, number)
    table = twin_of(state, setup)
    script = play(table)
    chance, chances = random.Random(number), np.zeros(MOST_OUTCOMES)
    request = next(script)
    while request is not None:
        if isinstance(request, Chance):
            n_outcomes = int(outcomes(state, chances))
            assert chances[:n_outcomes].tolist() == pytest.approx(list(request.options.values()))
            outcome = chance.randrange(n_outcomes)
            resolve(state, outcome)
            answer = list(request.options)[outcome]
        else:
            assert isinstance(request, Ask)
            assert outcomes(state, chances) == 0
            assert not is_terminal(state)
            assert current_player(state) == request.seat
            assert legal_texts(state) == request.options
            assert_same_table(state, table)
            answer = chance.choice(request.options)
            act(state, notation.parse_action(answer))
        request = next_request(script, answer)
    assert is_terminal(state)
    assert_same_table(state, table)
    assert_same_result(state, table)
    return table.turn


def next_request(script, answer):
    try:
        return script.send(answer)
    except StopIteration:
        return None


def undrawn(setup, number: int):
    """Return a deal as it is before the first order is drawn.

    It is dealt without the options under which turns may pass before anybody has a choice, and gets them afterwards.
    """
    slow_start = {**setup.options, "simplified": False, "must_feed": False}
    state = load(setup.players, **slow_start).new_game(seed=5, number=number)
    state.simplified, state.must_feed = setup.template.simplified, setup.template.must_feed
    state.bag = notation.BAGS[int(state.simplified)]
    if not setup.options["mixed"]:
        state.phase, state.order, state.topping, state.due = 0, notation.NO_TOKEN, notation.NO_TOKEN, 0
        state.seat = state.active
    assert state.turns == 1
    notation.audit(state)
    return state


def assert_same_result(state, table: Table) -> None:
    points, utility = np.zeros(table.players, dtype=np.int64), np.zeros(table.players)
    score(state, points)
    returns(state, utility)
    winners = [seat for seat in range(table.players) if table.hats[seat] == max(table.hats)]
    assert points.tolist() == table.hats
    assert utility.tolist() == [1 / len(winners) if seat in winners else 0.0 for seat in range(table.players)]


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_random_games_move_for_move(players):
    turns = [play_both(load(players), number) for number in range(6)]
    assert min(turns) >= 16


@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_every_mixture_of_variants_move_for_move(players):
    n_played = 0
    for number, setup in enumerate(every_mixture(players)):
        play_both(setup, number)
        n_played += 1
    # simplified and must_feed: any; short and extension: not both; blind: alone; mixed and random_split: not both
    assert n_played == 2 * 2 * 3 * (1 + 3 * 2)


def test_a_file_of_slices_move_for_move():
    path = str(Path(__file__).parents[2] / "golden/option_files/pizza-monsters/slices.toml")
    for options in ({}, {"mixed": True}, {"blind": True}, {"mixed": True, "slice_set": "shuffled"}):
        for number in range(5):
            play_both(load(4, slices=path, **options), number)


def test_the_twin_knows_the_toppings_in_the_same_order():
    assert list(notation.TOPPINGS) == TOPPINGS
