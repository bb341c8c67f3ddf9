"""The draft: dealing, picking, passing left, discarding; held move for move against the naive twin."""

import numpy as np
import pytest

from engine.contract import apply_action, current_player, is_terminal, returns, score
from engine.games.robots_ate_our_pizza import notation
from engine.games.robots_ate_our_pizza.rules import DECK, DECK_SIZE
from tests.games.playing import legal, states_of_random_game
from tests.games.robots_ate_our_pizza.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    EVERY_TASK,
    UNIFORM,
    load,
    play_many,
    words,
    write_tables,
)
from tests.naive.robots_ate_our_pizza import Draft, deck, goal_of

# The mean total of Task 1 when everyone picks at random, found by programs of others; each ± .04 (one standard error).
RANDOM_MEANS = {2: 12.87, 3: 16.75, 4: 22.31, 5: 23.05, 6: 25.83}


@pytest.mark.parametrize(("players", "size"), [(2, 16), (3, 20), (4, 20), (5, 28), (6, 32)])
def test_deck(players, size):
    assert DECK_SIZE[players] == size
    assert sorted(words(DECK[players, :size].tolist())) == sorted(deck(players))


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_deal(players):
    setup = load(players)
    first_players, dealt = set(), set()
    for number in range(200):
        state = setup.new_game(seed=1, number=number)
        notation.audit(state)
        hands = [notation.hand_cards(state, seat) for seat in range(players)]
        assert all(len(set(hand)) == 5 for hand in hands)
        assert current_player(state) == state.first_player
        first_players.add(int(state.first_player))
        dealt.update(card for hand in hands for card in hand)
    assert first_players == set(range(players))
    assert sorted(words(sorted(dealt))) == sorted(deck(players))


def test_at_four_players_every_card_is_dealt():
    state = load(4).new_game(seed=1)
    assert sorted(card for seat in range(4) for card in notation.hand_cards(state, seat)) == DECK[4, :20].tolist()


def naive_draft_of(state, setup) -> Draft:
    hands = [words(notation.hand_cards(state, seat)) for seat in range(setup.players)]
    return Draft(hands, int(state.first_player), setup.options["task"], setup.options["runs"])


def assert_same_table(state, draft: Draft) -> None:
    for seat in range(draft.players):
        n_laid = len(draft.laid[seat])
        assert words(state["picks"][seat][:n_laid].tolist()) == draft.laid[seat]
        assert sorted(words(notation.mask_cards(state["tableau"][seat]))) == sorted(draft.laid[seat])
        held = draft.hands[seat] or [draft.discarded[seat]]  # the record still shows what was thrown away
        assert sorted(words(notation.hand_cards(state, seat))) == sorted(held)


@pytest.mark.parametrize("simultaneous_picks", [False, True])
@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_random_drafts_move_for_move(players, simultaneous_picks):
    for task in EVERY_TASK:
        runs = ("per_choice", "per_block")[task % 2]
        setup = load(players, task=task, runs=runs, simultaneous_picks=simultaneous_picks)
        state = setup.new_game(seed=5, number=task)
        draft = naive_draft_of(state, setup)
        chance = np.random.default_rng(task)
        while not draft.is_over:
            assert not is_terminal(state)
            assert current_player(state) == draft.mover
            assert words(legal(state)) == sorted(draft.hands[draft.mover], key=notation.parse_action)
            action = int(chance.choice(legal(state)))
            apply_action(state, action)
            draft.pick(notation.action_text(action))
            assert_same_table(state, draft)
        assert is_terminal(state)
        assert legal(state) == []
        assert draft.turns == setup.longest == 4 * players
        assert_same_result(state, draft, setup)


def assert_same_result(state, draft: Draft, setup) -> None:
    points, utility = np.zeros(setup.players, dtype=np.int64), np.zeros(setup.players)
    score(state, points)
    assert points.tolist() == draft.scores()
    assert setup.game.total(setup, points[None]).tolist() == [draft.result()]
    least, most = setup.ranges.total
    returns(state, utility)
    wanted = (draft.result() - least) / (most - least)
    expected = wanted if goal_of(draft.task).startswith("highest") else 1 - wanted
    assert utility == pytest.approx([expected] * setup.players)


def test_hands_go_left():
    state = load(3).new_game(seed=2)
    before = [set(notation.hand_cards(state, seat)) for seat in range(3)]
    laid = {}
    for _ in range(3):
        seat = current_player(state)
        laid[seat] = legal(state)[0]
        apply_action(state, laid[seat])
    for seat in range(3):
        left_neighbor = (seat + 1) % 3
        assert set(notation.hand_cards(state, left_neighbor)) == before[seat] - {laid[seat]}


def test_the_last_card_of_a_hand_counts_for_nobody():
    *_, state = states_of_random_game(load(4), 1)
    for seat in range(4):
        assert len(notation.hand_cards(state, seat)) == 1
        assert len(notation.mask_cards(state.tableau[seat])) == 4


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
@pytest.mark.parametrize("mode", ["task", "cheese", "combo"])
@pytest.mark.parametrize("simultaneous_picks", [False, True])
def test_every_card_once_at_every_step(players, mode, simultaneous_picks, tmp_path):
    setup = load(players, mode=mode, simultaneous_picks=simultaneous_picks, tables=write_tables(tmp_path / "all.toml"))
    for number in range(10):
        states = 0
        for state in states_of_random_game(setup, number):
            notation.audit(state)
            states += 1
        assert states == setup.longest + 1


def test_audit_names_the_broken_law():
    state = load(4).new_game(seed=1)
    state.hands[0] = state.hands[1]
    with pytest.raises(ValueError, match="is there twice"):
        notation.audit(state)
    state = load(2).new_game(seed=1)
    state.picked = 1
    with pytest.raises(ValueError, match="not the next after the picks"):
        notation.audit(state)
    state = load(2).new_game(seed=1)
    state.tableau[0] = 1
    with pytest.raises(ValueError, match="has laid 1 cards, not 0"):
        notation.audit(state)


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_random_play_means(players):
    n_games = 50_000
    totals, _ = play_many(load(players), UNIFORM, n_games)
    standard_error = np.hypot(0.04, totals.std() / np.sqrt(n_games))
    assert abs(totals.mean() - RANDOM_MEANS[players]) < 3 * standard_error


@pytest.mark.parametrize("task", EVERY_TASK)
def test_results_and_utility_stay_in_range(task):
    setup = load(5, task=task)
    results, utility = play_many(setup, UNIFORM, 2_000)
    least, most = setup.ranges.total
    assert least <= results.min()
    assert results.max() <= most
    assert utility.min() >= 0.0
    assert utility.max() <= 1.0
    order = 1 if goal_of(task).startswith("highest") else -1
    assert np.corrcoef(results, utility)[0, 1] * order == pytest.approx(1.0)
