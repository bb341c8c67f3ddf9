"""The whole game, held move for move against the naive twin, with every chance given by hand."""

import itertools
import random

import numpy as np
import pytest

from engine.contract import MOST_OUTCOMES, act, current_player, is_terminal, outcomes, resolve, returns, score
from engine.games.pizza_chef import notation
from tests.games.pizza_chef.playing import EVERY_NUMBER_OF_PLAYERS, load, undrawn
from tests.games.playing import legal
from tests.naive.pizza_chef import ORDERS, PLACES, Ask, Chance, Table, play


def twin_of(state, setup) -> Table:
    slices = {place: notation.TOPPINGS[topping] for place, topping in zip(PLACES, state.places, strict=True)}
    paces = [int(pace) for pace in state.pace[: setup.players]]
    return Table(slices, int(state.active), paces, dict(setup.options))


def assert_same_table(state, table: Table) -> None:
    assert int(state.turns) == table.turn
    assert int(state.active) == table.active
    assert state.hats[: table.players].tolist() == table.hats
    assert sum(1 << ORDERS.index(order) for order in table.bag) == int(state.bag)
    for seat in range(table.players):
        known = table.remembered(seat)
        assert {place for number, place in enumerate(PLACES) if int(state.seen[seat]) >> number & 1} == set(known)
        assert int(state.n_looks[seat]) == len(table.seen[seat])


def play_both(setup, number: int, clever: bool) -> None:
    """Play a deal with the engine and the twin; clever players go where they know the topping."""
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
            assert current_player(state) == request.seat
            assert [notation.action_text(action) for action in legal(state)] == request.options
            assert_same_table(state, table)
            answer = chance.choice(request.options)
            wanted = notation.TOKENS[int(state.order)]
            known = [place for place, topping in table.remembered(request.seat).items() if topping == wanted]
            if clever and known:
                answer = f"{answer.split()[0]} {known[0]}"
            act(state, notation.parse_action(answer))
        try:
            request = script.send(answer)
        except StopIteration:
            request = None
    assert is_terminal(state)
    points, utility = np.zeros(setup.players, dtype=np.int64), np.zeros(setup.players)
    score(state, points)
    returns(state, utility)
    winners = [seat for seat in range(setup.players) if table.hats[seat] == max(table.hats)]
    assert points.tolist() == table.hats
    assert utility.tolist() == [1 / len(winners) if seat in winners else 0.0 for seat in range(setup.players)]


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_random_games_move_for_move(players):
    for number in range(4):
        play_both(load(players), number, clever=False)
        play_both(load(players), number, clever=True)


@pytest.mark.parametrize("wrong", ["void", "sit_out"])
@pytest.mark.parametrize("memory", ["all", 0, 1, 4, 32])
def test_every_option_move_for_move(wrong, memory):
    chance = random.Random(f"{wrong} {memory}")
    for number, (players, max_turns) in enumerate(itertools.product((3, 5, 8), (5, 1000))):
        pace = ",".join(str(chance.randint(1, 9)) for _ in range(players))
        setup = load(players, wrong=wrong, memory=memory, pace=pace, max_turns=max_turns)
        play_both(setup, number, clever=number % 2 == 0)
