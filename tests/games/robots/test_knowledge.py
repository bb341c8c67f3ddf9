"""What a player may know: what everybody saw go somewhere stays there, the rest is dealt anew, and fairly."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from engine.contract import apply_action, current_player, determinize, heuristic, is_terminal, observe, revealed
from engine.games.robots import notation
from engine.games.robots.rules import FACTORY, OBSERVATION_SIZE, PHASES, STATE
from engine.rng import ANALYSIS, new_stream
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robots.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    check,
    factory,
    hand,
    load,
    names,
    play,
    position,
    stack,
)

HIDDEN = ("hands", "drawn", "chance")
PUBLIC = [name for name in STATE.names or () if name not in HIDDEN]


def guess(state, player: int, number: int = 0):
    """Return the state with all that the player cannot know dealt anew."""
    copy = copy_of(state)
    determinize(copy, player, new_stream(11, ANALYSIS, number))
    return copy


def observation(state, player: int) -> bytes:
    out = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
    observe(state, player, out)
    return out.tobytes()


def known(state, seat: int) -> set[str]:
    return set(names(notation.cards_of(state["known"][seat])))


class Watcher:
    """Follows a hand as a player with a perfect memory does, by what can be seen of it alone.

    For every card he keeps where it may be: one place that is certain, or all the places where a hidden card of its
    kind can be. Cards hidden when the heap is shuffled are in hands and stay there; those shuffled are in the Factory
    or were drawn from it since.
    """

    def __init__(self, state) -> None:
        self.batch = dict.fromkeys(factory(state) | set().union(*(hand(state, s) for s in seats(state))), 0)
        self.held = [Counter({0: 7}) for _ in seats(state)]  # hidden cards of each batch in each hand
        self.now = 0

    def see(self, before, action: str, state) -> None:
        """Note what an action showed: a shuffle, and how many hidden cards of each batch every hand has now."""
        pending = int(before["pending"])
        n_drawn = int(action == "factory")
        heap = set(stack(before, "heap"))
        if PHASES[int(before["phase"])] == "put":
            n_drawn = pending // 16 if pending % 16 == 1 else 0
            heap.add(action.split()[1])
        if len(factory(before)) + int(before["bottom_size"]) < n_drawn:
            self.now += 1
            self.batch.update(dict.fromkeys(heap, self.now))
        for seat in seats(state):
            self.held[seat] = Counter(self.batch[card] for card in hand(state, seat) - known(state, seat))


def seats(state) -> range:
    return range(int(state["players"]))


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_a_guess_never_moves_a_card_that_was_seen_going_somewhere(players):
    """Public things stay; known cards stay; cards of a batch stay among its places, in the same number."""
    for number in range(3):
        state = load(players).new_game(seed=7, number=number)
        watcher, chance = Watcher(state), random.Random(number)
        for step in itertools.count():
            before, action = copy_of(state), chance.choice(legal(state))
            apply_action(state, action)
            if is_terminal(state):
                break
            watcher.see(before, notation.action_text(action), state)
            for player in range(players if step % 7 == 0 else 0):
                assert_guess_fits(state, player, step, watcher)


def assert_guess_fits(state, player: int, number: int, watcher: Watcher) -> None:
    world = guess(state, player, number)
    notation.audit(world)
    for field in PUBLIC:
        assert np.array_equal(world[field], state[field]), field
    assert hand(world, player) == hand(state, player)
    for seat in seats(state):
        assert known(state, seat) <= hand(world, seat)
        batches = Counter(watcher.batch[card] for card in hand(world, seat) - known(state, seat))
        assert batches == watcher.held[seat]
    assert all(watcher.batch[card] == watcher.now for card in factory(world))


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_nobody_notices_that_the_hidden_cards_were_dealt_anew(players):
    for number in range(2):
        for step, state in enumerate(states_of_random_game(load(players), number)):
            for player in range(players):
                if step % 5 == player:
                    other = guess(state, player)
                    assert observation(other, player) == observation(state, player)
                    assert heuristic(other, player) == heuristic(state, player)
                    assert notation.show(other, player) == notation.show(state, player)
                    assert guess(other, player, 5).tobytes() == guess(state, player, 5).tobytes()
                    if player == current_player(state):
                        assert legal(other) == legal(state)


def test_cards_taken_from_the_heap_are_known_until_they_are_played():
    state = position("hands: R5 G6 R2 | G4 G5 B9\nheap: K3 K9")
    play(state, "take 1")
    assert all("K9" in hand(guess(state, 1, number), 0) for number in range(50))
    assert len({frozenset(hand(guess(state, 1, number), 0)) for number in range(50)}) > 40
    play(state, "discard R5", "factory", "discard B9", "factory", "discard K9")
    check(state, "known: - | -")
    assert all("K9" not in hand(guess(state, 1, number), 0) for number in range(50))


def test_cards_given_back_and_recycled_are_known():
    state = position("turn: seat 0 play\nhands: R14 R12 R2 | G4\nspreads: 1 set R9 G9 B9\nheap: K3")
    play(state, "discard R14", "choose R9")
    assert all({"G9", "B9"} <= hand(guess(state, 0, number), 1) for number in range(30))
    state = position("turn: seat 0 play\nhands: R14 R12 R2 | G4\nheap: K3 K8")
    play(state, "discard R12", "choose K3")
    assert all("K3" in hand(guess(state, 1, number), 0) for number in range(30))


def test_cards_under_the_factory_keep_their_places():
    state = position("turn: seat 0 play\nhands: R11 R2 | G4 G5\nheap: K2 K3 K4 K5")
    play(state, "discard R11")
    for number, player in itertools.product(range(20), range(2)):
        assert stack(guess(state, player, number), "bottom") == ["K3", "K2"]


def test_after_a_reshuffle_two_players_know_both_hands():
    bare = position("hands: R5 G6 | G4\nheap: K2 K3 K9 B4")
    others = " ".join(sorted(factory(bare))[1:])
    state = position(f"hands: R5 G6 | G4 {others}\nheap: K2 K3 K9 B4")
    play(state, "factory", "discard R5", "factory")
    assert int(state.n_groups) == 1
    for number in range(30):
        world = guess(state, 0, number)
        drawn = hand(world, 1) - hand(position(f"hands: R5 G6 | G4 {others}\nheap: K2"), 1)
        assert len(drawn) == 1
        assert drawn <= {"K2", "K3", "K9", "B4"}
        assert hand(guess(state, 1, number), 0) == hand(state, 0)
    assert len({frozenset(hand(guess(state, 0, number), 1)) for number in range(60)}) == 4


def test_everything_is_known_when_the_game_is_over():
    *_, state = states_of_random_game(load(3), 4)
    for player in range(3):
        world = guess(state, player)
        assert np.array_equal(world["hands"], state["hands"])


# Fair dealing. Streams are fixed, so these either hold or do not.


def chi_square(counts: Counter, n_worlds: int) -> float:
    expected = counts.total() / n_worlds
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (n_worlds - len(counts)) * expected


def assert_uniform(counts: Counter, n_worlds: int) -> None:
    degrees = n_worlds - 1
    assert len(counts) == n_worlds
    assert chi_square(counts, n_worlds) < degrees + 3.3 * np.sqrt(2 * degrees)


def worlds(state, player: int, n_guesses: int) -> Counter:
    counts: Counter = Counter()
    rng = new_stream(12, ANALYSIS)
    for _ in range(n_guesses):
        copy = copy_of(state)
        determinize(copy, player, rng)
        counts[tuple(frozenset(hand(copy, seat)) for seat in seats(copy) if seat != player)] += 1
    return counts


def with_little_unknown(players: int, sizes: list[int], n_unknown: int, extra: str = ""):
    """Return a position in which all hidden cards but a few lie in the heap; hands of others have the given sizes."""
    names_of_all = sorted(factory(position("hands: R5 R6 | -\nheap: K3")) | {"K3"})
    others = iter(names_of_all)
    hands = ["R5 R6", *(" ".join(itertools.islice(others, size)) for size in sizes)]
    left = list(others)
    text = f"players: {players}\nhands: {' | '.join(hands)}\nheap: {' '.join(left[n_unknown:])}\n{extra}"
    return position(text)


def test_two_cards_of_five():
    assert_uniform(worlds(with_little_unknown(2, [2], 3), 0, 3_000), 10)


def test_two_hands_of_two_of_six():
    """C(6, 2) × C(4, 2) worlds."""
    assert_uniform(worlds(with_little_unknown(3, [2, 2], 2), 0, 9_000), 90)


def test_groups_are_dealt_among_the_hands_that_hold_them():
    """Of four old cards two are in each hand; of the three new ones one in each, one in the Factory: 6 × 6 worlds."""
    state = with_little_unknown(3, [3, 3], 1)
    held = [sorted(hand(state, 1)), sorted(hand(state, 2))]
    old = " ".join(held[0][:2] + held[1][:2])
    state = position(notation.position_text(state).replace("groups: -", f"groups: ({old})"))
    counts = worlds(state, 0, 6_000)
    assert_uniform(counts, 36)
    for hands in counts:
        assert all(len(cards & set(old.split())) == 2 for cards in hands)


def test_the_next_card_is_any_of_the_unknown():
    state = with_little_unknown(2, [1], 3)
    counts: Counter = Counter()
    rng = new_stream(13, ANALYSIS)
    for _ in range(3_000):
        copy = copy_of(state)
        determinize(copy, 0, rng)
        play_one(copy, "factory")
        (card,) = hand(copy, 0) - {"R5", "R6"}
        counts[card] += 1
    assert_uniform(counts, 4)


def play_one(state, text: str) -> None:
    apply_action(state, notation.parse_action(text))


# News.


def test_a_draw_is_news_for_its_player_only():
    state = load(3).new_game(seed=2)
    seat = int(current_player(state))
    before = hand(state, seat)
    play(state, "factory")
    (card,) = hand(state, seat) - before
    assert int(revealed(state, seat)) == notation.parse_card(card)
    assert [int(revealed(state, other)) for other in range(3) if other != seat] == [0, 0]
    play(state, "discard " + sorted(names(notation.cards_of(state["hands"][seat])), key=len)[0])
    assert all(int(revealed(state, other)) == 0 for other in range(3))


def test_two_cards_drawn_in_a_short_circuit_are_news():
    seen = set()
    for number in range(30):
        text = "turn: seat 0 play\nhands: R10 R2 | G4 G5 B9\nheap: K3 K4\n"
        state = play(position(text + f"chance: {number} 0 0"), "discard R10", "choose G4", "choose G5")
        seen.add(int(revealed(state, 1)))
        assert 0 < int(revealed(state, 1)) < 2**31
        assert int(revealed(state, 0)) == 0
    assert len(seen) > 25


def test_a_new_hand_is_news_for_all():
    codes = set()
    for number in range(20):
        state = position("turn: seat 0 play\ntarget: 100\nhands: P4 | G4 G5\nheap: K2\n" + f"chance: {number} 0 0")
        play(state, "discard P4")
        codes.add((int(revealed(state, 0)), int(revealed(state, 1))))
        assert all(0 < code < 2**31 for code in codes.copy().pop())
    assert len(codes) == 20


def test_hidden_cards_are_out_of_sight():
    state = load(2).new_game(seed=3)
    assert "??" in notation.show(state, 0)
    world = guess(state, 0)
    assert hand(world, 1) != hand(state, 1)
    assert np.array_equal(world["hands"][0], state["hands"][0])
    assert sum(len(notation.cards_of(words)) for words in world["hands"]) == 73
    assert len(notation.cards_of(world["hands"][FACTORY])) == 59
