"""The square: dealing, laying, drawing, the end; held move for move against the naive twin under every option."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import apply_action, current_player, heuristic, is_terminal, load_game, returns, score
from engine.games.robot_master import notation
from engine.games.robot_master.lines import ADDED, FIVE_KINDS, MOST_SIZE
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robot_master.playing import (
    NAME,
    PLACING,
    UNIFORM,
    VARIANTS,
    cards_of,
    hands_of,
    load,
    move_text,
    moves,
    naive_round,
    play,
    play_many,
    unseen_values,
)
from tests.naive.robot_master import Match, Round, Square

GOLDEN = Path(__file__).parents[2] / "golden" / "path_counts.json"


def option_texts(options):
    """Name a test by the options; whatever else it takes goes without a name."""
    return "-".join(f"{name}={value}" for name, value in options.items()) if isinstance(options, dict) else ""


# Dealing.


@pytest.mark.parametrize(
    ("options", "hand", "stock"),
    [
        ({}, 12, 0),
        ({"variant": "hand5"}, 5, 24),
        ({"variant": "teams"}, 7, 0),
        ({"variant": "teams", "hand_size": 6}, 6, 0),
        ({"variant": "solo"}, 1, 23),
        ({"size": 3}, 4, 0),
        ({"size": 3, "variant": "hand5"}, 5, 8),
        ({"size": 3, "variant": "solo"}, 1, 7),
    ],
    ids=option_texts,
)
def test_deal(options, hand, stock):
    setup = load(**options)
    size, starts, first_players, all_cards = setup.options["size"], set(), set(), set()
    for number in range(200):
        state = setup.new_game(seed=1, number=number)
        notation.audit(state)
        assert [len(cards) for cards in hands_of(state)] == [hand] * setup.players
        assert len(notation.stock_values(state)) == stock
        assert current_player(state) == state.first_player
        laid = {(row, column): card for row, line in enumerate(cards_of(state)) for column, card in enumerate(line)}
        (cell,) = [cell for cell, card in laid.items() if card is not None]
        assert cell == (size // 2, size // 2)
        starts.add(laid[cell])
        first_players.add(int(state.first_player))
        all_cards.update(*hands_of(state))
    assert starts == all_cards == set(range(6))
    assert first_players == set(range(setup.players))


def test_every_card_is_as_likely_to_start():
    """The first card of 30,000 deals: each value within four standard errors of a sixth."""
    setup = load()
    counts = np.bincount(
        [int(setup.new_game(seed=2, number=number).cells[12]) - 1 for number in range(30_000)], minlength=6
    )
    assert abs(counts - 5_000).max() < 4 * np.sqrt(30_000 * (1 / 6) * (5 / 6))


@pytest.mark.parametrize("seat", range(4))
def test_the_first_player_may_be_named(seat):
    setup = load("teams", first_player=seat)
    assert {int(setup.new_game(1, number).first_player) for number in range(20)} == {seat}


@pytest.mark.parametrize(
    ("options", "players"),
    [({}, 2), ({"variant": "hand5"}, 2), ({"variant": "teams"}, 4), ({"variant": "solo"}, 1)],
)
def test_the_variant_says_how_many_play(options, players):
    assert load_game(NAME, **options).players == players


@pytest.mark.parametrize("players", [1, 2, 4])
def test_the_standard_game_is_that_of_the_number_of_players(players):
    variant = {1: "solo", 2: "standard", 4: "teams"}[players]
    assert load_game(NAME, players=players).template.tobytes() == load(variant).template.tobytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"variant": "teams", "players": 2}, "variant teams of robot-master is for 4 players, not 2"),
        ({"variant": "solo", "players": 2}, "variant solo of robot-master is for 1 player, not 2"),
        ({"variant": "hand5", "players": 1}, "variant hand5 of robot-master is for 2 players, not 1"),
        ({"variant": "teams", "size": 3}, "teams of robot-master fill a square of size 5, not 3"),
        ({"hand_size": 6}, "hand_size 6 is for teams; here the hand is set by the variant"),
        ({"variant": "solo", "rounds": 2}, "alone robot-master has 1 round, not 2"),
        ({"first_player": 2}, "first_player is random or a seat 0 to 1, not 2"),
        ({"players": 3}, "the number of players of robot-master is 1, 2, 4, not 3"),
        ({"rounds": 0}, "option rounds of robot-master is "),
        ({"size": 4}, "option size of robot-master is 5, 3, not '4'"),
    ],
    ids=option_texts,
)
def test_options_that_do_not_fit_are_refused_in_one_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        load_game(NAME, **options)


# Laying.


def test_the_first_cards_lie_beside_the_middle():
    state = load(first_player=0).new_game(seed=1)
    value = hands_of(state)[0][0]
    assert {move.split()[1] for move in moves(state)} == {"r2c3", "r3c2", "r3c4", "r4c3"}
    play(state, f"{value} r2c3")
    assert {move.split()[1] for move in moves(state)} == {"r1c3", "r2c2", "r2c4", "r3c2", "r3c4", "r4c3"}


def test_corners_may_be_allowed():
    state = load(diagonal=True).new_game(seed=1)
    around = {f"r{row}c{column}" for row in (2, 3, 4) for column in (2, 3, 4)} - {"r3c3"}
    assert {move.split()[1] for move in moves(state)} == around


def test_a_floating_square_finds_its_place_later():
    """Five cards in a row to the left: the first card becomes the last of its row; the width is then used up."""
    state = load(floating_grid=True).new_game(seed=1)
    (start,) = [card for line in cards_of(state) for card in line if card is not None]
    laid = [start]
    for width in range(1, 5):
        assert (state.height, state.width) == (1, width)
        assert {"r1c0", f"r1c{width + 1}"} <= {move.split()[1] for move in moves(state)}
        card = hands_of(state)[current_player(state)][0]
        play(state, f"{card} r1c0")
        laid.insert(0, card)
    assert cards_of(state)[0] == laid
    columns = {move.split()[1][2:] for move in moves(state)}
    assert columns == {f"c{column}" for column in range(1, 6)}
    assert {move.split()[1][:2] for move in moves(state)} == {"r0", "r2"}


def test_equal_cards_are_one_action():
    for number in range(20):
        state = load().new_game(seed=1, number=number)
        assert len(legal(state)) == 4 * len(set(hands_of(state)[current_player(state)]))


# Every legal order of filling. Alone there is one card to lay, so an action is a cell and a path of actions an order.

SMALL = Square({(0, 0): 0}, size=3)


def count_orders(square: Square) -> int:
    """Count the orders in which the twin may fill a square: what is open hangs on the cells taken, not on how."""

    @functools.cache
    def count(cells: frozenset[tuple[int, int]]) -> int:
        now = Square(dict.fromkeys(cells, 0), square.size, square.diagonal, square.floating_grid)
        return 1 if now.is_full else sum(count(cells | {cell}) for cell in now.open_cells())

    return count(frozenset(square.cards))


def walk_all_orders(state, square: Square) -> int:
    """Fill a square in every order, the engine beside the twin; return how many orders there were."""
    assert bool(is_terminal(state)) == square.is_full
    if square.is_full:
        return 1
    (value,) = hands_of(state)[0]
    assert moves(state) == [move_text(square, value, cell) for cell in sorted(square.open_cells())]
    orders = 0
    for cell, action in zip(sorted(square.open_cells()), legal(state), strict=True):
        following = copy_of(state)
        apply_action(following, action)
        grown = Square({**square.cards, cell: value}, square.size, square.diagonal, square.floating_grid)
        orders += walk_all_orders(following, grown)
    return orders


def test_a_small_square_may_be_filled_in_every_order():
    state = load("solo", size=3).new_game(seed=1)
    n_orders = walk_all_orders(state, naive_round(state, load("solo", size=3)).square)
    assert n_orders == count_orders(SMALL) == 9_408


@pytest.mark.parametrize(
    ("placing", "expected"), list(zip(PLACING, (9_408, 29_568, 40_320, 144_480), strict=True)), ids=option_texts
)
def test_the_number_of_orders_of_filling_a_small_square(placing, expected):
    """With corners allowed the middle touches all cells: 8! orders."""

    @functools.cache
    def count(filled: int, height: int, width: int) -> int:
        state = reached[filled, height, width]
        if is_terminal(state):
            return 1
        total = 0
        for action in legal(state):
            following = copy_of(state)
            apply_action(following, action)
            key = (int(following.filled), int(following.height), int(following.width))
            reached.setdefault(key, following)
            total += count(*key)
        return total

    state = load("solo", size=3, **placing).new_game(seed=1)
    reached = {(int(state.filled), int(state.height), int(state.width)): state}
    assert count(*next(iter(reached))) == expected
    assert count_orders(Square({(0, 0): 0}, size=3, **placing)) == expected


# Whole games beside the twin.


def assert_same_table(state, game: Round) -> None:
    """Compare cards, hands, stock, turn and what may be laid with the twin."""
    square = game.square
    top, left = square.corner()
    cells = [
        [square.cards.get((row + top, column + left)) for column in range(square.size)] for row in range(square.size)
    ]
    assert cards_of(state) == cells
    assert hands_of(state) == [sorted(hand) for hand in game.hands]
    assert notation.stock_values(state) == game.stock
    assert current_player(state) == game.mover
    assert moves(state) == sorted(
        (move_text(square, value, cell) for value, cell in game.moves()), key=notation.parse_action
    )


def play_beside_the_twin(setup, number: int, chance) -> None:
    """Play a deal at random, move for move as the twin does, and compare all that comes out."""
    state = setup.new_game(seed=5, number=number)
    match, first = Match(), int(state.first_player)
    key = int(state.chance[0])
    for played in range(setup.options["rounds"]):
        assert (state.played_rounds, state.turn) == (played, 0)
        assert state.first_player == (first + played) % setup.players, "the start alternates"
        game = naive_round(state, setup)
        while not game.is_over:
            assert not is_terminal(state)
            notation.audit(state)
            assert_same_table(state, game)
            possible = list(game.moves())
            value, cell = possible[int(chance.integers(len(possible)))]
            apply_action(state, notation.parse_action(move_text(game.square, value, cell)))
            drawn = game.lay(value, cell)
            new_deal = game.is_over and not is_terminal(state)
            assert int(state.drawn) == (0 if drawn is None or new_deal else drawn + 1)
        match.book(game)
    assert is_terminal(state)
    assert legal(state) == []
    assert key == int(state.chance[0])
    notation.audit(state)
    assert_same_result(state, setup, game, match)


def assert_same_result(state, setup, last: Round, match: Match) -> None:
    points, utility = np.zeros(setup.players, dtype=np.int64), np.zeros(setup.players)
    score(state, points)
    returns(state, utility)
    if setup.players == 1:
        assert points.tolist() == [last.solo_score()]
        assert utility.tolist() == [last.solo_score() / 150]
        return
    of_side = [last.line_scores(side)[0] if setup.options["rounds"] == 1 else match.points(side) for side in range(2)]
    assert points.tolist() == of_side * (setup.players // 2)
    winner = last.winner() if setup.options["rounds"] == 1 else match.winner()
    shares = [0.5, 0.5] if winner is None else [float(winner == side) for side in range(2)]
    assert utility.tolist() == [share / (setup.players // 2) for share in shares] * (setup.players // 2)
    assert [int(each) for each in state.winners[: len(match.rounds)]] == [
        0 if won is None else won + 1 for won, _ in match.rounds
    ]


KINDS = [
    {"variant": "standard"},
    {"variant": "hand5"},
    {"variant": "teams"},
    {"variant": "teams", "hand_size": 6},
    {"variant": "solo"},
    {"variant": "standard", "size": 3},
    {"variant": "hand5", "size": 3},
    {"variant": "solo", "size": 3},
]


@pytest.mark.parametrize("kind", KINDS, ids=option_texts)
@pytest.mark.parametrize("placing", PLACING, ids=option_texts)
def test_random_games_move_for_move(kind, placing):
    for number, five_kind in enumerate(FIVE_KINDS):
        setup = load(**kind, **placing, five_kind=five_kind, open_hands=number == 1)
        play_beside_the_twin(setup, number, np.random.default_rng(number))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind["variant"] != "solo"], ids=option_texts)
@pytest.mark.parametrize("swap_axes", [False, True])
def test_random_matches_move_for_move(kind, swap_axes):
    setup = load(**kind, rounds=4, swap_axes=swap_axes, floating_grid=True)
    play_beside_the_twin(setup, 1, np.random.default_rng(1))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_mixture_of_options_move_for_move(data):
    kind = data.draw(st.sampled_from(KINDS))
    options = kind | data.draw(st.sampled_from(PLACING))
    players = load(**kind).players
    options["five_kind"] = data.draw(st.sampled_from(FIVE_KINDS))
    options["swap_axes"], options["open_hands"] = data.draw(st.booleans()), data.draw(st.booleans())
    options["rounds"] = 1 if players == 1 else data.draw(st.sampled_from([1, 2, 3]))
    options["first_player"] = data.draw(st.sampled_from(["random", *range(players)]))
    seed = data.draw(st.integers(0, 2**32))
    play_beside_the_twin(load(**options), seed, np.random.default_rng(seed))


# Paths of actions, as in the golden file, counted by the twin.


def count_twin_paths(game: Round, depth: int) -> list[int]:
    """Count the ways to lay 1 … depth cards."""
    counts = [0] * depth
    for value, cell in game.moves():
        counts[0] += 1
        if depth > 1:
            square = game.square
            grown = Square(dict(square.cards), square.size, square.diagonal, square.floating_grid)
            following = Round(grown, game.hands, game.first, game.stock, laid=game.laid)
            following.lay(value, cell)
            for step, count in enumerate(count_twin_paths(following, depth - 1), start=1):
                counts[step] += count
    return counts


@pytest.mark.parametrize("players", [1, 2, 4])
def test_the_twin_counts_as_many_paths(players):
    setup = load_game(NAME, players=players)
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))[NAME]
    assert count_twin_paths(naive_round(setup.new_game(1, 0), setup), 3) == golden[str(players)]


# Drawing, and what is left over.


def test_five_cards_in_hand_throughout():
    for state in states_of_random_game(load("hand5"), 0):
        assert [len(hand) for hand in hands_of(state)] == [5, 5]
        assert len(notation.stock_values(state)) == 24 - state.turn
    seen = [card for line in cards_of(state) for card in line] + [card for hand in hands_of(state) for card in hand]
    assert len(unseen_values(seen)) == 1, "the deck never runs out"


@pytest.mark.parametrize("hand_size", [7, 6])
def test_in_teams_a_card_may_stay_in_hand(hand_size):
    *_, state = states_of_random_game(load("teams", hand_size=hand_size), 0)
    assert [len(hand) for hand in hands_of(state)] == [hand_size - 6] * 4
    assert is_terminal(state)


def test_teams_sit_opposite_and_play_clockwise():
    state = load("teams", first_player=2).new_game(seed=1)
    seats = []
    while not is_terminal(state):
        seats.append(current_player(state))
        apply_action(state, legal(state)[0])
    assert seats == [2, 3, 0, 1] * 6


def test_all_24_cards_of_two_players_are_laid():
    state = load().new_game(seed=4)
    in_play = sorted(card for hand in hands_of(state) for card in hand) + [
        card for line in cards_of(state) for card in line if card is not None
    ]
    while not is_terminal(state):
        apply_action(state, legal(state)[-1])
    assert sorted(card for line in cards_of(state) for card in line) == sorted(in_play)
    assert hands_of(state) == [[], []]


def test_alone_one_card_is_drawn_at_a_time():
    setup = load("solo")
    state = setup.new_game(seed=1)
    coming = [*hands_of(state)[0], *notation.stock_values(state)]
    for turn, card in enumerate(coming):
        assert hands_of(state) == [[card]]
        assert notation.stock_values(state) == coming[turn + 1 :]
        apply_action(state, legal(state)[0])
    assert is_terminal(state)
    assert hands_of(state) == [[]]


# Mirrors: transposing the square and handing each seat's place to the next changes sides and axes at once.


def mirrored(state):
    """Return the transposed position, each hand one seat on: order of play is kept, and sides change."""
    other, players = copy_of(state), int(state.players)
    for field in ("cells", "turns"):
        other[field] = np.asarray(state[field]).reshape(MOST_SIZE, MOST_SIZE).T.ravel()
    other["lines"] = np.roll(np.asarray(state["lines"]), MOST_SIZE)
    other["height"], other["width"] = state.width, state.height
    other["filled"] = np.uint64(
        sum(1 << mirrored_place(place) for place in range(36) if int(state.filled) >> place & 1)
    )
    other["hands"][:players] = np.roll(np.asarray(state["hands"])[:players], 1)
    for field in ("seat", "first_player"):
        other[field] = (int(state[field]) + 1) % players
    if players > 1:
        other["margins"] = -np.asarray(state["margins"])
        other["winners"] = [(0, 2, 1)[winner] for winner in state["winners"]]
    return other


def mirrored_place(place: int) -> int:
    row, column = divmod(place, 6)
    return column * 6 + row


def mirrored_action(action: int) -> int:
    place, value = divmod(action, 6)
    return mirrored_place(place) * 6 + value


@pytest.mark.parametrize("kind", KINDS, ids=option_texts)
@pytest.mark.parametrize("placing", PLACING, ids=option_texts)
@pytest.mark.parametrize("swap_axes", [False, True])
def test_seats_and_axes_swapped_together_mirror_the_game(kind, placing, swap_axes):
    rounds = 1 if kind["variant"] == "solo" else 3
    setup = load(**kind, **placing, swap_axes=swap_axes, rounds=rounds)
    players, chance = setup.players, np.random.default_rng(3)
    state = setup.new_game(seed=3)
    other = mirrored(state)
    while not is_terminal(state):
        notation.audit(other)
        assert legal(other) == sorted(mirrored_action(action) for action in legal(state))
        for player in range(players):
            assert heuristic(other, (player + 1) % players) == pytest.approx(heuristic(state, player), abs=1e-6)
        action = int(chance.choice(legal(state)))
        played = int(state.played_rounds)
        apply_action(state, action)
        apply_action(other, mirrored_action(action))
        if int(state.played_rounds) > played and not is_terminal(state):
            assert np.array_equal(other.margins, -np.asarray(state.margins))
            other = mirrored(state)  # the cards of a new deal come to seats, whoever sits there
        assert other.tobytes() == mirrored(state).tobytes()
    assert_mirrored_result(state, other, players)


def assert_mirrored_result(state, other, players: int) -> None:
    results = []
    for each in (state, other):
        points, utility = np.zeros(players, dtype=np.int64), np.zeros(players)
        score(each, points)
        returns(each, utility)
        results.append((points, utility))
    for left, right in zip(*results, strict=True):
        assert np.array_equal(np.roll(left, 1), right)


# Audits.


@pytest.mark.parametrize(
    ("field", "value", "law"),
    [
        ("hands", [0, 0], "seat 0 holds 0 cards, not 12"),
        ("turn", 1, "the seat that plays is not next"),
        ("seat", 2, "seat 2 is not 0 to 1"),
        ("filled", 0, "the filled places are not those of the cards"),
        ("height", 3, "are not 5"),
        ("played_rounds", 1, "the match is over exactly when its last square is full"),
        ("n_rounds", 13, "n_rounds 13 is not 1 to 12"),
        ("lines", [0] * 10, "line 2 does not hold the cards of its cells"),
        ("cells", [0] * 25, "0 cards lie in the square, not 1"),
        ("margins", [1] + [0] * 11, "round 1 has a result and was not played"),
        ("drawn", 7, "drawn 7 is not 0 to 6"),
        ("five_kind", 2, "five_kind 2 is not 0 or 1"),
        ("corners", 2, "corners 2 is not 0 or 1"),
        ("hand_cards", 5, "hands of 5 cards and 0 to draw belong to no variant"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_audit_names_the_broken_law(field, value, law):
    state = load(first_player=0).new_game(seed=1)
    if isinstance(value, list):
        state[field][: len(value)] = value
    else:
        state[field] = value
    with pytest.raises(ValueError, match=law):
        notation.audit(state)


def test_audit_counts_the_cards():
    state = load(first_player=0).new_game(seed=1)
    state.hands[0] = 0xC
    with pytest.raises(ValueError, match="cards of value 0, more than 6"):
        notation.audit(state)


def test_audit_finds_a_card_that_touched_no_other():
    state = load().new_game(seed=1)
    state.cells[24], state.turns[24] = 1, 1
    state.lines[4] = state.lines[9] = ADDED[0, 0]
    state.filled = np.uint64(int(state.filled) | 1 << 35)
    state.turn, state.seat = 1, (int(state.first_player) + 1) % 2
    with pytest.raises(ValueError, match="the card of turn 1 touched no other"):
        notation.audit(state)


# Random play.


@pytest.mark.slow
def test_the_mean_of_random_play_alone():
    """Independent programs found 10.55 ± .08 (one standard error)."""
    n_games = 200_000
    points, _ = play_many(load("solo"), [UNIFORM], n_games)
    standard_error = np.hypot(0.08, points.std() / np.sqrt(n_games))
    assert abs(points.mean() - 10.55) < 3 * standard_error


@pytest.mark.parametrize("variant", VARIANTS)
def test_results_stay_in_range(variant):
    setup = load(variant)
    points, utility = play_many(setup, [UNIFORM] * setup.players, 3_000)
    least, most = setup.ranges.points
    assert least <= points.min()
    assert points.max() <= most
    if setup.players > 1:
        assert utility.sum(axis=1) == pytest.approx(1.0)
        share = utility[:, 0] + (utility[:, 2] if setup.players == 4 else 0)
        assert abs(share.mean() - 0.5) < 3 * share.std() / np.sqrt(3_000), "neither side is better off"
