"""Robots Ate Our Pizza: a cooperative draft for 2 to 6 players.

Everyone is dealt 5 cards. Four times each player in turn lays one card of the hand face up before himself, then all
hands pass to the left; the fifth card is discarded. Each player's four cards score for groups of a color, groups of a
number, and runs; the task (1 to 24) says whether the team wants the total or the difference of hands high or low, and
which features count against it.

Whose rules: the Donoho Family's rulebook; what it leaves open is settled in RULES.md. Choices that surprise: only the
whole group counts (a triple holds no pairs); a run counts once for each way to choose its cards (1, 2, 2, 3 holds
two); a run of 4 holds no runs of 3; in deep-dish tasks a feature is negative exactly when one of its own cards is red.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from engine.bits import trailing_zeros
from engine.kernel import kernel
from engine.rng import below, fold, next_word, shuffle_front

# Cards. A card is an int: color * 8 + (number - 1), colors in the order of COLORS; red is Larry.

COLORS = "RBYP"
N_NUMBERS = 8
N_CARDS = len(COLORS) * N_NUMBERS
RED = 0
HIGHEST_NUMBER = (0, 0, 4, 5, 5, 7, 8)  # by number of players: the deck is 1 … this of each color

MOST_PLAYERS = 6
HAND_SIZE = 5
N_ROUNDS = 4  # picks of a player in one task; the last card of the hand is discarded
N_LEGS = 4  # tasks of a session

# Action ids: the card laid down, 0 … 31.

N_ACTIONS = N_CARDS

# Tasks. Task t has topping (t - 1) // 4 and goal (t - 1) % 4.

TOPPINGS = ("base", "cheese", "pepperoni", "veggies", "anchovies", "deepdish")
N_TOPPINGS = len(TOPPINGS)
BASE, CHEESE, PEPPERONI, VEGGIES, ANCHOVIES, DEEP_DISH = range(N_TOPPINGS)
GOALS = ("highest total", "lowest total", "highest difference", "lowest difference")
HIGHEST_TOTAL, LOWEST_TOTAL, HIGHEST_DIFFERENCE, LOWEST_DIFFERENCE = range(len(GOALS))
N_TASKS = N_TOPPINGS * len(GOALS)

# Modes: one task, a session of the four tasks of a topping, or four tasks drawn at random.

MODES = ("task", *TOPPINGS, "combo")
ONE_TASK, COMBO = 0, len(MODES) - 1

# Runs: once for each choice of cards, or once for each block of numbers.

RUNS = ("per_choice", "per_block")
PER_CHOICE, PER_BLOCK = range(len(RUNS))

# Slices of pizza.

N_SLICES = 8
N_CUTS = 3  # the last results that cost 0, 1 and 2 slices; anything worse costs 3
FEWEST_SLICES = N_SLICES - 3 * N_LEGS
NO_TABLE = -128  # a cut of a task whose table is unknown

# Points of a feature by its size.

GROUP_POINTS = np.array([0, 0, 2, 5, 12], dtype=np.int8)
RUN_POINTS = {3: 2, 4: 4}
ANCHOVIES_TARGET = 7


# Tables. Sets of up to four cards are numbered by size, then by the combinatorial number system.


def _binomials() -> np.ndarray:
    """C(card, size) for the place of a card in the number of its set; shape (32, 5)."""
    return np.array([[math.comb(n, k) for k in range(5)] for n in range(N_CARDS)], dtype=np.int64)


BINOMIAL = _binomials()
FIRST_OF_SIZE = np.cumsum([0, *(math.comb(N_CARDS, size) for size in range(N_ROUNDS + 1))]).astype(np.int64)
N_SETS = int(FIRST_OF_SIZE[N_ROUNDS + 1])
_FIRST_HAND = np.uint64(FIRST_OF_SIZE[N_ROUNDS])
_BINOMIAL_BY_SIZE = np.ascontiguousarray(BINOMIAL.T).astype(np.uint64)


@kernel
def set_number(cards: Any) -> int:
    """Return the number of a set of at most four cards, given as a bit mask (uint64)."""
    number = 0
    size = 0
    while cards:
        size += 1
        number += BINOMIAL[trailing_zeros(cards), size]
        cards &= cards - _ONE
    return number + FIRST_OF_SIZE[size]


@kernel
def hand_number(cards: Any) -> Any:
    """Return the number of a set of exactly four cards: `set_number` without a loop (uint64)."""
    number = _FIRST_HAND
    for size in range(1, N_ROUNDS + 1):
        number += _BINOMIAL_BY_SIZE[size, np.uint64(trailing_zeros(cards))]
        cards &= cards - _ONE
    return number


class Features(NamedTuple):
    """What many sets of one size hold; the first axis is the set. Points are unsigned by topping."""

    color_points: np.ndarray  # (sets, 4)
    color_size: np.ndarray  # (sets, 4)
    number_points: np.ndarray  # (sets, 8)
    number_size: np.ndarray  # (sets, 8)
    number_has_red: np.ndarray  # (sets, 8)
    run_points: np.ndarray  # (sets, blocks), all runs of a block together
    red_run_points: np.ndarray  # (sets, blocks), those that hold a red card


RUN_BLOCKS = tuple((length, first) for length in RUN_POINTS for first in range(N_NUMBERS - length + 1))


def find_features(sets: np.ndarray, runs: int) -> Features:
    """Find the features of sets of cards, shape (sets, size) with size at most 4.

    A group is all cards of a color or number, two or more. A run is a maximal block of three or four consecutive
    numbers: with PER_CHOICE one for each choice of a card a number, with PER_BLOCK one in all (red if any of its
    cards is). Source: the rulebook's scoring and its ten examples; per block is ours.
    """
    colors, numbers = sets // N_NUMBERS, sets % N_NUMBERS
    color_size = (colors[:, :, None] == np.arange(len(COLORS))).sum(axis=1)
    holds = numbers[:, :, None] == np.arange(N_NUMBERS)
    number_size = holds.sum(axis=1)
    red_size = (holds & (colors == RED)[:, :, None]).sum(axis=1)
    walled = np.pad(number_size, ((0, 0), (1, 1)))
    run_points, red_run_points = [], []
    for length, first in RUN_BLOCKS:
        inside = slice(first, first + length)
        is_block = (number_size[:, inside] > 0).all(axis=1)
        is_block &= (walled[:, first] == 0) & (walled[:, first + length + 1] == 0)
        choices = number_size[:, inside].prod(axis=1)
        without_red = (number_size - red_size)[:, inside].prod(axis=1)
        if runs == PER_BLOCK:
            choices = np.ones_like(choices)
            without_red = (red_size[:, inside].sum(axis=1) == 0).astype(choices.dtype)
        run_points.append(RUN_POINTS[length] * is_block * choices)
        red_run_points.append(RUN_POINTS[length] * is_block * (choices - without_red))
    return Features(
        color_points=GROUP_POINTS[color_size],
        color_size=color_size,
        number_points=GROUP_POINTS[number_size],
        number_size=number_size,
        number_has_red=red_size > 0,
        run_points=np.stack(run_points, axis=1),
        red_run_points=np.stack(red_run_points, axis=1),
    )


class SignedPoints(NamedTuple):
    """Points of each feature under a topping, signs applied; shapes as in Features."""

    colors: np.ndarray
    numbers: np.ndarray
    runs: np.ndarray


def sign_features(features: Features, topping: int) -> SignedPoints:
    """Give each feature its sign under a topping. Anchovies keep all signs: their distance from 7 is taken later."""
    colors, numbers = features.color_points.astype(np.int64), features.number_points.astype(np.int64)
    runs = features.run_points.astype(np.int64)
    if topping == CHEESE:
        colors = -colors
    elif topping == PEPPERONI:
        runs = -runs
    elif topping == VEGGIES:
        colors = np.where(features.color_size == 2, -colors, colors)
        numbers = np.where(features.number_size == 2, -numbers, numbers)
    elif topping == DEEP_DISH:
        colors = np.where(np.arange(len(COLORS)) == RED, -colors, colors)
        numbers = np.where(features.number_has_red, -numbers, numbers)
        runs = runs - 2 * features.red_run_points
    return SignedPoints(colors, numbers, runs)


def sets_of_size(size: int) -> np.ndarray:
    """Return all sets of `size` cards in the order of their numbers; shape (sets, size), cards ascending."""
    sets = np.array(list(itertools.combinations(range(N_CARDS), size)), dtype=np.int64)
    sets = sets.reshape(math.comb(N_CARDS, size), size)
    order = BINOMIAL[sets, np.arange(1, size + 1)].sum(axis=1)
    sorted_sets = np.empty_like(sets)
    sorted_sets[order] = sets
    return sorted_sets


def _scores() -> np.ndarray:
    """Score every set of up to four cards; int8, shape (runs, toppings, sets), 497 KB."""
    table = np.zeros((len(RUNS), N_TOPPINGS, N_SETS), dtype=np.int8)
    for size in range(N_ROUNDS + 1):
        sets = sets_of_size(size)
        rows = slice(FIRST_OF_SIZE[size], FIRST_OF_SIZE[size] + len(sets))
        for runs in range(len(RUNS)):
            features = find_features(sets, runs)
            for topping in range(N_TOPPINGS):
                signed = sign_features(features, topping)
                points = sum(part.sum(axis=1) for part in signed)
                table[runs, topping, rows] = abs(points - ANCHOVIES_TARGET) if topping == ANCHOVIES else points
    return table


SCORES = _scores()
FULL_HANDS = slice(int(FIRST_OF_SIZE[N_ROUNDS]), N_SETS)
LOWEST_HAND = SCORES[:, :, FULL_HANDS].min(axis=2).astype(np.int64)  # (runs, toppings)
HIGHEST_HAND = SCORES[:, :, FULL_HANDS].max(axis=2).astype(np.int64)


def _decks() -> np.ndarray:
    """Cards of the deck by number of players, ascending; shape (7, 32), unused places 0."""
    decks = np.zeros((MOST_PLAYERS + 1, N_CARDS), dtype=np.uint8)
    for players, highest in enumerate(HIGHEST_NUMBER):
        cards = [card for card in range(N_CARDS) if card % N_NUMBERS < highest]
        decks[players, : len(cards)] = cards
    return decks


DECK = _decks()
DECK_SIZE = np.array([len(COLORS) * highest for highest in HIGHEST_NUMBER], dtype=np.int64)
DECK_MASK = np.array(
    [sum(1 << int(card) for card in DECK[n, : DECK_SIZE[n]]) for n in range(MOST_PLAYERS + 1)], dtype=np.uint64
)

_U1 = np.uint8(1)
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_BYTE = np.uint64(0xFF)
_EVERY_BYTE = np.uint64(0x0101010101010101)
_EVERY_TOP_BIT = np.uint64(0x8080808080808080)
_TOP_BYTE = np.uint64(0xFF << 56)
_NO_CARDS = np.uint64(0xFFFFFFFFFFFFFFFF)

# STATE. A hand is packed into eight bytes, one card a byte from the lowest up, 0xFF where there is none: a random
# pick is one shift, and a card is found and taken out without a branch.

STATE = np.dtype(
    [
        # options
        ("players", "u1"),  # 2 … 6
        ("task", "u1"),  # 1 … 24, the task being played
        ("mode", "u1"),  # place in MODES
        ("runs", "u1"),  # place in RUNS
        ("simultaneous_picks", "u1"),  # 1: nobody sees the picks of a round before all have picked
        ("memory", "u1"),  # 1: players remember the hands that they passed on
        ("rotate_dealer", "u1"),  # 1: the dealer moves left with each task of a session
        ("with_replacement", "u1"),  # 1: combo may draw a task twice
        ("stop_at_zero", "u1"),  # 1: a session ends when no slice is left
        ("success_at", "i1"),  # slices that count as a success, -4 … 8
        ("cuts", "i1", (N_TASKS, N_CUTS)),  # last result that costs 0, 1, 2 slices by task; NO_TABLE if unknown
        # public
        ("first_player", "u1"),  # seat left of the dealer: picks first in every round
        ("seat", "u1"),  # who picks now
        ("picked", "u1"),  # picks made in this round, 0 … players - 1
        ("rounds", "u1"),  # rounds over in this task, 0 … 3; 4 when the last task is over
        ("leg", "u1"),  # place of the task in the session, 0 … 3
        ("slices", "i1"),  # slices left
        ("tasks", "u2", (N_LEGS,)),  # tasks of the session in order
        ("results", "i2", (N_LEGS,)),  # total or difference of each finished task
        ("tableau", "u4", (MOST_PLAYERS,)),  # cards laid down by each seat, a bit mask
        ("picks", "u1", (MOST_PLAYERS, N_ROUNDS)),  # card that a seat laid in each round, valid below `rounds`
        # hidden
        ("hands", "u8", (MOST_PLAYERS,)),  # packed hand that each seat holds now
        ("deck", "u1", (N_CARDS,)),  # scratch of a shuffle, else 0
        ("chance", "u8", (2,)),  # key of the deals of later tasks; scratch for their stream
    ],
    align=True,
)


# The verbs.


@kernel
def deal(state: Any, rng: Any) -> None:
    players = int(state.players)
    state.first_player = below(rng, players)
    state.leg = 0
    state.slices = N_SLICES
    state.results[:] = 0
    if state.mode != ONE_TASK:
        _draw_tasks(state, rng)
        state.chance[0] = next_word(rng)
        state.task = state.tasks[0]
    _deal_hands(state, rng)


@kernel
def _draw_tasks(state: Any, rng: Any) -> None:
    for leg in range(N_LEGS):
        if state.mode != COMBO:
            state.tasks[leg] = (int(state.mode) - 1) * len(GOALS) + leg + 1
            continue
        drawn = False
        while not drawn:
            state.tasks[leg] = 1 + below(rng, N_TASKS)
            drawn = True
            for earlier in range(leg):
                if state.tasks[earlier] == state.tasks[leg] and state.with_replacement == 0:
                    drawn = False


@kernel
def _deal_hands(state: Any, rng: Any) -> None:
    players = int(state.players)
    state.deck[:] = DECK[players]
    shuffle_front(rng, state.deck, players * HAND_SIZE, DECK_SIZE[players])
    for seat in range(players):
        state.hands[seat] = _pack(state.deck, seat * HAND_SIZE, HAND_SIZE)
        state.tableau[seat] = 0
    state.deck[:] = 0
    state.picks[:] = 0
    state.seat = state.first_player
    state.picked = 0
    state.rounds = 0


@kernel
def _pack(cards: Any, first: int, n_cards: int) -> Any:
    hand = _NO_CARDS
    for back in range(n_cards):
        hand = (hand << _EIGHT) | np.uint64(cards[np.uint64(first + n_cards - 1 - back)])
    return hand


@kernel
def current_player(state: Any) -> int:
    return int(state.seat)


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if state.rounds == N_ROUNDS:
        return 0
    cards = hand_mask(state.hands[state.seat], HAND_SIZE - int(state.rounds))
    n_legal = 0
    while cards:
        actions[n_legal] = trailing_zeros(cards)
        n_legal += 1
        cards &= cards - _ONE
    return n_legal


@kernel
def hand_mask(hand: Any, n_cards: int) -> Any:
    """Return the bit mask of the lowest `n_cards` cards of a packed hand."""
    cards = _NONE
    for _ in range(n_cards):
        cards |= _ONE << (hand & _BYTE)
        hand >>= _EIGHT
    return cards


@kernel
def apply_action(state: Any, action: int) -> None:
    seat = state.seat
    card = np.uint64(action)
    state.hands[seat] = _take_out(state.hands[seat], card)
    state.tableau[seat] |= np.uint32(_ONE << card)
    state.picks[seat, state.rounds] = action
    following = seat + 1
    state.seat = following * (
        following != state.players
    )  # no branch: who starts is random, so it would be mispredicted
    state.picked += 1
    if state.picked == state.players:
        _end_round(state)


@kernel
def _take_out(hand: Any, card: Any) -> Any:
    differs = hand ^ (card * _EVERY_BYTE)
    # the lowest zero byte shows as the lowest top bit (Mycroft's test)
    found = (differs - _EVERY_BYTE) & ~differs & _EVERY_TOP_BIT
    below_card = (_ONE << np.uint64(trailing_zeros(found) - 7)) - _ONE
    return (hand & below_card) | ((hand >> _EIGHT) & ~below_card) | _TOP_BYTE


@kernel
def _end_round(state: Any) -> None:
    state.picked = 0
    state.rounds += 1
    if state.rounds < N_ROUNDS:
        _pass_left(state)
    elif state.mode != ONE_TASK:
        _end_task(state)


@kernel
def _pass_left(state: Any) -> None:
    held = state.hands[state.players - _U1]
    for place in range(state.players):
        seat = np.uint64(place)
        passed = state.hands[seat]
        state.hands[seat] = held
        held = passed


@kernel
def _end_task(state: Any) -> None:
    """Book the finished task of a session, and deal the next one if there is one."""
    leg = int(state.leg)
    result = _result(state)
    state.results[leg] = result
    state.slices -= _slices_lost(state, result)
    if leg + 1 == N_LEGS or (state.stop_at_zero == 1 and state.slices <= 0):
        return
    state.leg += 1
    state.task = state.tasks[leg + 1]
    if state.rotate_dealer == 1:
        state.first_player = (int(state.first_player) + 1) % int(state.players)
    stream = state.chance[1:2]
    stream[0] = fold(state.chance[0], leg)
    _deal_hands(state, stream)


@kernel
def _slices_lost(state: Any, result: int) -> int:
    cuts = state.cuts[state.task - _U1]
    lost = 0
    for cut in range(N_CUTS):
        if result < cuts[cut] if goal_of(state) % 2 == 0 else result > cuts[cut]:
            lost += 1
    return lost


@kernel
def _result(state: Any) -> int:
    """Return what the task counts of four cards a seat: the total, or highest less lowest."""
    scores = SCORES[state.runs, topping_of(state)]
    if goal_of(state) <= LOWEST_TOTAL:
        total: Any = 0
        for place in range(state.players):
            total += np.int64(scores[hand_number(np.uint64(state.tableau[np.uint64(place)]))])
        return total
    least: Any = 127
    most: Any = -127
    for place in range(state.players):
        points = np.int64(scores[hand_number(np.uint64(state.tableau[np.uint64(place)]))])
        least = min(least, points)
        most = max(most, points)
    return most - least


@kernel
def topping_of(state: Any) -> Any:
    """Return the topping of the task being played."""
    return np.uint8(state.task - _U1) >> np.uint8(2)


@kernel
def goal_of(state: Any) -> Any:
    """Return the goal of the task being played."""
    return np.uint8(state.task - _U1) & np.uint8(3)


@kernel
def is_terminal(state: Any) -> bool:
    return state.rounds == N_ROUNDS


@kernel
def score(state: Any, points: Any) -> None:
    scores = SCORES[state.runs, topping_of(state)]
    for place in range(state.players):
        seat = np.uint64(place)
        if state.mode == ONE_TASK:
            points[seat] = scores[hand_number(np.uint64(state.tableau[seat]))]
        else:
            points[seat] = state.slices


@kernel
def returns(state: Any, utility: Any) -> None:
    players = int(state.players)
    if state.mode == ONE_TASK:
        shared = _task_utility(state, _result(state))
    else:
        shared = (int(state.slices) - FEWEST_SLICES) / (N_SLICES - FEWEST_SLICES)
    for seat in range(players):
        utility[seat] = shared


@kernel
def _task_utility(state: Any, result: int) -> float:
    """Map the result of the task onto 0 … 1 between the worst and the best that hands can give."""
    topping = topping_of(state)
    goal = goal_of(state)
    lowest = LOWEST_HAND[state.runs, topping]
    spread = HIGHEST_HAND[state.runs, topping] - lowest
    if goal <= LOWEST_TOTAL:
        share = (result - lowest * int(state.players)) / (spread * int(state.players))
    else:
        share = result / spread
    return share if goal % 2 == 0 else 1.0 - share


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    if state.mode != ONE_TASK:
        state.chance[0] = next_word(rng)
        state.chance[1] = 0
    if state.rounds == N_ROUNDS:
        return
    if state.simultaneous_picks == 1:
        _hide_picks(state, player)
    seen = _gather_known_hands(state, player)
    for seat in range(state.players):
        seen |= np.uint64(state.tableau[np.uint64(seat)])
    _deal_unseen(state, player, DECK_MASK[state.players] & ~seen, rng)
    if state.simultaneous_picks == 1:
        _guess_picks(state, player, rng)


@kernel
def _gather_known_hands(state: Any, player: int) -> Any:
    """Return the mask of the cards in hands that `player` knows, and sort those hands: their order tells nothing."""
    known = _NONE
    for steps in range(n_known_hands(state)):
        seat = _seat_to_left(state, player, steps)
        cards = hand_mask(state.hands[seat], _hand_size(state, player, seat))
        known |= cards
        state.hands[seat] = _pack_mask(cards)
    return known


@kernel
def _deal_unseen(state: Any, player: int, unseen: Any, rng: Any) -> None:
    """Deal the unseen cards at random to the hands that `player` does not know; the rest stays unused."""
    n_unseen = 0
    while unseen:
        state.deck[np.uint64(n_unseen)] = trailing_zeros(unseen)
        n_unseen += 1
        unseen &= unseen - _ONE
    n_known = n_known_hands(state)
    n_dealt = 0
    for steps in range(n_known, state.players):
        n_dealt += _hand_size(state, player, _seat_to_left(state, player, steps))
    shuffle_front(rng, state.deck, n_dealt, n_unseen)
    first = 0
    for steps in range(n_known, state.players):
        seat = _seat_to_left(state, player, steps)
        n_cards = _hand_size(state, player, seat)
        state.hands[seat] = _pack(state.deck, first, n_cards)
        first += n_cards
    state.deck[:] = 0


@kernel
def _seat_to_left(state: Any, seat: int, steps: int) -> Any:
    """Return the seat `steps` (fewer than players) to the left, unsigned for fast indexing."""
    there = np.uint64(seat + steps)
    players = np.uint64(state.players)
    return there - players if there >= players else there


@kernel
def n_known_hands(state: Any) -> int:
    """Count the hands that a player knows, from his own to the left: what he holds and what he passed on."""
    return min(int(state.players), 1 + int(state.rounds)) if state.memory == 1 else 1


@kernel
def has_picked(state: Any, seat: Any) -> Any:
    """Tell whether `seat` has picked in this round."""
    turn = np.int64(seat) - np.int64(state.first_player)  # compiled, int() would leave them unsigned
    return (turn + np.int64(state.players) if turn < 0 else turn) < np.int64(state.picked)


@kernel
def is_hidden_pick(state: Any, player: int, seat: int) -> bool:
    """Tell whether `seat` has picked in this round and `player` must not know what."""
    return state.simultaneous_picks == 1 and seat != player and has_picked(state, seat)


@kernel
def _hand_size(state: Any, player: int, seat: int) -> int:
    """Count the cards in the hand of `seat` as `player` sees it: a hidden pick still lies in the hand."""
    size = HAND_SIZE - int(state.rounds)
    return size - 1 if has_picked(state, seat) and not is_hidden_pick(state, player, seat) else size


@kernel
def _hide_picks(state: Any, player: int) -> None:
    """Put the picks that `player` must not know back into the hands."""
    for seat in range(int(state.players)):
        if is_hidden_pick(state, player, seat):
            card = np.uint64(state.picks[seat, state.rounds])
            state.hands[seat] = (state.hands[seat] << _EIGHT) | card
            state.tableau[seat] &= ~np.uint32(_ONE << card)


@kernel
def _guess_picks(state: Any, player: int, rng: Any) -> None:
    """Let each seat whose pick is hidden pick anew, uniformly."""
    n_cards = HAND_SIZE - int(state.rounds)
    for seat in range(int(state.players)):
        if is_hidden_pick(state, player, seat):
            card = (state.hands[seat] >> np.uint64(8 * below(rng, n_cards))) & _BYTE
            state.hands[seat] = _take_out(state.hands[seat], card)
            state.tableau[seat] |= np.uint32(_ONE << card)
            state.picks[seat, state.rounds] = card


@kernel
def _pack_mask(cards: Any) -> Any:
    hand = _NO_CARDS
    place = _NONE
    while cards:
        card = np.uint64(trailing_zeros(cards))
        hand ^= (_BYTE ^ card) << place
        place += _EIGHT
        cards &= cards - _ONE
    return hand


OBSERVATION_SIZE = 2 * MOST_PLAYERS * N_CARDS + N_TASKS + MOST_PLAYERS + 4 + 2 * N_LEGS


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    """Lay out, seats counted from the player to the left: 32 cards of each tableau (the round of the pick, in
    quarters), 32 cards of each known hand, the task, who picks, the round, the picks made in it, task and slices of the
    session, the results of its finished tasks, and all its tasks.
    """
    players = int(state.players)
    out[:OBSERVATION_SIZE] = 0.0
    n_known = n_known_hands(state) if state.rounds < N_ROUNDS else 0
    for step in range(players):
        seat = (player + step) % players
        hidden = state.rounds < N_ROUNDS and is_hidden_pick(state, player, seat)
        n_picks = int(state.rounds)
        if n_picks < N_ROUNDS and has_picked(state, seat) and not hidden:
            n_picks += 1
        for pick in range(n_picks):
            out[step * N_CARDS + state.picks[seat, pick]] = (pick + 1) / N_ROUNDS
        if step < n_known:
            cards = hand_mask(state.hands[seat], HAND_SIZE - int(state.rounds) - int(has_picked(state, seat)))
            if hidden:
                cards |= _ONE << np.uint64(state.picks[seat, state.rounds])
            while cards:
                out[(MOST_PLAYERS + step) * N_CARDS + trailing_zeros(cards)] = 1.0
                cards &= cards - _ONE
    at = 2 * MOST_PLAYERS * N_CARDS
    out[at + int(state.task) - 1] = 1.0
    at += N_TASKS
    out[at + (int(state.seat) - player + players) % players] = 1.0
    at += MOST_PLAYERS
    out[at] = state.rounds / N_ROUNDS
    out[at + 1] = state.picked / players
    out[at + 2] = state.leg / N_LEGS
    out[at + 3] = state.slices / N_SLICES
    for leg in range(N_LEGS):
        out[at + 4 + leg] = state.results[leg] / 100.0
        out[at + 4 + N_LEGS + leg] = state.tasks[leg] / N_TASKS


@kernel
def heuristic(state: Any, player: int) -> float:
    """Value the hands as far as `player` sees them, as if the task ended now."""
    total = 0
    least = 127
    most = -127
    for seat in range(int(state.players)):
        cards = np.uint64(state.tableau[seat])
        if state.rounds < N_ROUNDS and is_hidden_pick(state, player, seat):
            cards &= ~(_ONE << np.uint64(state.picks[seat, state.rounds]))
        points = int(SCORES[state.runs, topping_of(state), set_number(cards)])
        total += points
        least = min(least, points)
        most = max(most, points)
    result = total if goal_of(state) <= LOWEST_TOTAL else most - least
    return _task_utility(state, result)


@kernel
def random_action(state: Any, rng: Any) -> int:
    place = below(rng, HAND_SIZE - int(state.rounds))
    return int((state.hands[state.seat] >> np.uint64(8 * place)) & _BYTE)
