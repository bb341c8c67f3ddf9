"""What a player may know: his hand and the square; all else is dealt anew, every way equally likely."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

from engine.contract import apply_action, current_player, determinize, heuristic, observe, revealed
from engine.games.robot_master import notation
from engine.games.robot_master.rules import OBSERVATION_SIZE
from engine.rng import ANALYSIS, new_stream
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robot_master.playing import VARIANTS, cards_of, hands_of, load, unseen_values

PUBLIC = (
    "first_player", "seat", "turn", "played_rounds", "height", "width", "cells", "turns", "winners", "lines", "margins",
    "filled",
)  # fmt: skip
KINDS = [("standard", 5), ("hand5", 5), ("teams", 5), ("solo", 5), ("standard", 3), ("hand5", 3), ("solo", 3)]


def guess(state, player: int, number: int = 0):
    """Return the state with all that the player cannot know dealt anew."""
    copy = copy_of(state)
    determinize(copy, player, new_stream(11, ANALYSIS, number))
    return copy


def play(state, n_moves: int) -> None:
    for _ in range(n_moves):
        apply_action(state, legal(state)[0])


def unseen_by(state, player: int) -> list[int]:
    """List the cards that a player sees neither in the square nor in his hand."""
    laid = [card for row in cards_of(state) for card in row if card is not None]
    return unseen_values([*laid, *hands_of(state)[player]])


def observation(state, player: int) -> np.ndarray:
    out = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
    observe(state, player, out)
    return out


# What stays, and what is dealt anew.


@pytest.mark.parametrize(("variant", "size"), KINDS)
@pytest.mark.parametrize("floating_grid", [False, True])
def test_what_a_player_knows_stays_and_nothing_else(variant, size, floating_grid):
    setup = load(variant, size=size, floating_grid=floating_grid)
    for state in states_of_random_game(setup, 2):
        for player in range(setup.players):
            others = [seat for seat in range(setup.players) if seat != player]
            for number in range(3):
                each = guess(state, player, number)
                notation.audit(each)
                for field in PUBLIC:
                    assert np.array_equal(each[field], state[field]), field
                assert hands_of(each)[player] == hands_of(state)[player]
                assert [len(hand) for hand in hands_of(each)] == [len(hand) for hand in hands_of(state)]
                assert len(notation.stock_values(each)) == len(notation.stock_values(state))
                unknown = [card for seat in others for card in hands_of(each)[seat]] + notation.stock_values(each)
                assert not Counter(unknown) - Counter(unseen_by(state, player))


@pytest.mark.parametrize(("variant", "size"), KINDS)
def test_nobody_notices_that_the_hidden_cards_were_dealt_anew(variant, size):
    setup = load(variant, size=size, rounds=1 if variant == "solo" else 2)
    for state in states_of_random_game(setup, 3):
        for player in range(setup.players):
            other = guess(state, player)
            assert observation(other, player).tobytes() == observation(state, player).tobytes()
            assert heuristic(other, player) == heuristic(state, player)
            assert notation.show(other, player) == notation.show(state, player)
            assert guess(other, player, 5).tobytes() == guess(state, player, 5).tobytes()
            if player == current_player(state):
                assert legal(other) == legal(state)


def test_the_eleven_unused_cards_may_be_in_the_other_hand():
    """No card that the player does not see is ruled out, and none that he sees is dealt."""
    state = load().new_game(seed=1)
    unseen = Counter(unseen_by(state, 0))
    assert unseen.total() == 23
    most = Counter()
    for number in range(3_000):
        most |= Counter(hands_of(guess(state, 0, number))[1])
    assert set(most) == set(unseen)
    assert not most - unseen


@pytest.mark.parametrize("variant", VARIANTS)
def test_open_hands_are_known(variant):
    setup = load(variant, open_hands=True)
    for state in states_of_random_game(setup, 4):
        for player in range(setup.players):
            each = guess(state, player)
            assert hands_of(each) == hands_of(state)
            assert notation.show(state, player) == notation.show(state)


def test_open_hands_leave_the_stock_hidden():
    state = load("hand5", open_hands=True).new_game(seed=1)
    play(state, 4)
    unseen = Counter(unseen_by(state, 0)) - Counter(hands_of(state)[1])
    stocks = {tuple(notation.stock_values(guess(state, 0, number))) for number in range(50)}
    assert len(stocks) == 50
    assert all(len(stock) == 20 and not Counter(stock) - unseen for stock in stocks)


def test_alone_the_next_card_cannot_be_foreseen():
    state = load("solo").new_game(seed=1)
    assert {notation.stock_values(guess(state, 0, number))[0] for number in range(100)} == set(range(6))
    for number in range(20):
        assert hands_of(guess(state, 0, number)) == hands_of(state)


# Fair dealing: a world is as likely as there are ways to deal it. Streams are fixed, so these hold or do not.


def ways_to_choose(unseen: Counter, hand: tuple[int, ...]) -> int:
    """Count the ways to take cards of these values from those unseen."""
    return math.prod(math.comb(unseen[value], count) for value, count in Counter(hand).items())


def all_worlds(unseen: list[int], hand_sizes: list[int], n_stock: int) -> dict[tuple, int]:
    """Return every way to deal hands and a stock from the unseen cards: what is seen of it, and how often it comes."""
    counts = Counter(unseen)
    if not hand_sizes and not n_stock:
        return {(): 1}
    size = hand_sizes[0] if hand_sizes else 1
    worlds: dict[tuple, int] = {}
    for part in itertools.combinations_with_replacement(range(6), size):
        ways = ways_to_choose(counts, part)
        if ways:
            rest = sorted((counts - Counter(part)).elements())
            following = all_worlds(rest, hand_sizes[1:], n_stock - (not hand_sizes))
            worlds.update({(part, *others): ways * more for others, more in following.items()})
    return worlds


def world_of(state, player: int) -> tuple:
    """Return the hands of the others and the stock card by card, as `all_worlds` has them."""
    others = [tuple(hand) for seat, hand in enumerate(hands_of(state)) if seat != player]
    return (*others, *((card,) for card in notation.stock_values(state)))


def assert_fair(state, player: int, n_guesses: int = 20_000) -> None:
    """Hold the frequencies of guesses against the chances of all worlds; rare worlds are taken together."""
    sizes = [len(hand) for seat, hand in enumerate(hands_of(state)) if seat != player]
    ways = all_worlds(unseen_by(state, player), sizes, len(notation.stock_values(state)))
    rng = new_stream(12, ANALYSIS)
    found: Counter = Counter()
    for _ in range(n_guesses):
        copy = copy_of(state)
        determinize(copy, player, rng)
        found[world_of(copy, player)] += 1
    assert set(found) <= set(ways)
    expected = {world: n_guesses * each / sum(ways.values()) for world, each in ways.items()}
    rare = {world for world, each in expected.items() if each < 10}
    cells = [(found[world], each) for world, each in expected.items() if world not in rare]
    if rare:
        cells.append((sum(found[world] for world in rare), sum(expected[world] for world in rare)))
    statistic = sum((seen - each) ** 2 / each for seen, each in cells)
    assert len(cells) > 1
    assert statistic < chi2.ppf(0.999, len(cells) - 1)


def after(setup, n_moves: int):
    state = setup.new_game(seed=1)
    play(state, n_moves)
    return state


@pytest.mark.parametrize(
    ("variant", "size", "n_moves"),
    [
        ("standard", 3, 0),  # 4 cards of the other: at most 126 hands
        ("standard", 3, 5),
        ("standard", 5, 21),  # one player holds 2 cards, the other 1
        ("standard", 5, 22),
        ("hand5", 3, 7),  # 5 cards and the one that is still to be drawn
        ("hand5", 3, 8),
        ("teams", 5, 23),  # each other seat has the card that is left over
        ("solo", 3, 4),  # three cards to come, in order
        ("solo", 3, 6),
        ("solo", 5, 22),
    ],
)
def test_every_world_is_as_likely_as_the_ways_to_deal_it(variant, size, n_moves):
    state = after(load(variant, size=size), n_moves)
    assert_fair(state, min(1, int(state.players) - 1))


def test_worlds_of_a_floating_square_and_of_a_second_round():
    state = after(load(size=3, floating_grid=True, rounds=2), 8 + 4)
    assert state.played_rounds == 1
    assert_fair(state, 0)


def test_with_6_cards_each_a_teams_last_player_knows_all_hands():
    state = after(load("teams", hand_size=6), 23)
    assert {guess(state, current_player(state), number).tobytes() for number in range(20)} == {state.tobytes()}


# News.


def test_a_drawn_card_is_news_to_the_one_who_drew_it():
    state = load("hand5").new_game(seed=1)
    codes = set()
    for _ in range(24):
        mover, card = current_player(state), notation.stock_values(state)[0]
        play(state, 1)
        assert revealed(state, mover) == card + 1
        assert revealed(state, 1 - mover) == 0
        codes.add(revealed(state, mover))
    assert codes == set(range(1, 7))


def test_with_open_hands_a_drawn_card_is_news_to_both():
    state = load("hand5", open_hands=True).new_game(seed=1)
    for _ in range(24):
        card = notation.stock_values(state)[0]
        play(state, 1)
        assert revealed(state, 0) == revealed(state, 1) == card + 1


@pytest.mark.parametrize("variant", ["standard", "teams"])
def test_where_nobody_draws_there_is_no_news(variant):
    for state in states_of_random_game(load(variant), 1):
        assert all(revealed(state, player) == 0 for player in range(int(state.players)))


@pytest.mark.parametrize("variant", ["standard", "hand5", "teams"])
@pytest.mark.parametrize("floating_grid", [False, True])
def test_a_new_deal_is_news(variant, floating_grid):
    """Deals that differ in the first card or in the player's hand have codes that differ; others look alike to him."""
    setup = load(variant, rounds=2, floating_grid=floating_grid)
    state = after(setup, 23)
    looks: dict[tuple, set[int]] = {}
    for number in range(300):
        copy = guess(state, 0, number)
        play(copy, 1)
        assert copy.played_rounds == 1
        start = next(card for row in cards_of(copy) for card in row if card is not None)
        code = revealed(copy, 0)
        assert 0 < code < 2**31
        looks.setdefault((start, *hands_of(copy)[0]), set()).add(code)
    assert all(len(codes) == 1 for codes in looks.values())
    assert len(set().union(*looks.values())) == len(looks) > 100


# Later rounds.


def test_deals_of_later_rounds_cannot_be_foreseen():
    state = after(load(rounds=3), 20)
    deals = set()
    for number in range(20):
        copy = guess(state, 0, number)
        play(copy, 4)
        assert copy.played_rounds == 1
        deals.add(str(hands_of(copy)))
    assert len(deals) == 20


def test_players_on_the_same_deal_meet_the_same_later_deals():
    """Chance after the deal hangs on the record, not on what was played."""
    deals = set()
    for choice in (0, -1):
        state = load("hand5", rounds=2).new_game(seed=1)
        while not state.played_rounds:
            apply_action(state, legal(state)[choice])
        deals.add((str(hands_of(state)), str(cards_of(state)), str(notation.stock_values(state))))
    assert len(deals) == 1


# Observations.


@pytest.mark.parametrize("open_hands", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_observation_shows_the_square_and_the_hands_that_are_seen(variant, open_hands):
    setup = load(variant, open_hands=open_hands)
    for state in states_of_random_game(setup, 6):
        for player in range(setup.players):
            seen = observation(state, player)
            cells = seen[:175].reshape(25, 7)
            for cell, card in enumerate(card for row in cards_of(state) for card in row):
                assert np.flatnonzero(cells[cell, :6]).tolist() == ([] if card is None else [card])
                assert round(cells[cell, 6] * 25) == (0 if card is None else state.turns[cell] + 1)
            for step in range(setup.players):
                hand = hands_of(state)[(player + step) % setup.players]
                counts = np.bincount(hand, minlength=6) if step == 0 or open_hands else np.zeros(6)
                assert np.allclose(seen[175 + 6 * step : 181 + 6 * step] * 6, counts)


def test_observation_tells_all_positions_apart_that_the_player_can():
    """Positions after different moves of others look different, of a floating square too."""
    setup = load(floating_grid=True)
    for state in itertools.islice(states_of_random_game(setup, 1), 12):
        looks = set()
        for action in legal(state):
            copy = copy_of(state)
            apply_action(copy, action)
            looks.add(observation(copy, 1 - current_player(state)).tobytes())
        assert len(looks) == len(legal(state))
