"""Rules of thumb for Robots Ate Our Pizza: how much a player likes a card, read from what he knows.

Each style values a set of up to four cards: a full hand by its points, a smaller one by its promise, the points it
should come to if the later picks are the best of so many random cards. What counts as points depends on the style (all
features, or only those of its kind) and on the task: its topping gives the signs, its goal the direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bits import population_count
from engine.contract import Setup, Style
from engine.games.robots_ate_our_pizza.rules import (
    ANCHOVIES,
    ANCHOVIES_TARGET,
    CHEESE,
    COMBO,
    DECK_MASK,
    FIRST_OF_SIZE,
    GOALS,
    HAND_SIZE,
    HIGHEST_TOTAL,
    LOWEST_DIFFERENCE,
    LOWEST_TOTAL,
    N_CARDS,
    N_ROUNDS,
    N_SETS,
    N_TOPPINGS,
    ONE_TASK,
    find_features,
    goal_of,
    hand_mask,
    has_picked,
    is_hidden_pick,
    n_known_hands,
    set_number,
    sets_of_size,
    sign_features,
    topping_of,
)
from engine.kernel import kernel

STYLES = (
    Style("own", "takes the card that adds most points to his own cards now"),
    Style("potential", "takes the card that promises most for his own hand at the end"),
    Style("team", "potential, less what the pick costs the left neighbor: the best gain of the hand that is passed on"),
    Style("color-hoarder", "collects for groups of one color (avoids them where they count against the goal)"),
    Style("number-hoarder", "collects for groups of one number (avoids them where they count against the goal)"),
    Style("run-builder", "collects for runs (avoids them where they count against the goal)"),
    Style("sacrificer", "leaves the best card for the left neighbor, whatever it costs"),
    Style("star-maker", "difference tasks: one player goes to the extreme, the others away; otherwise team"),
    Style("anchor", "difference tasks: keeps his own hand at the bottom; otherwise team"),
    Style("equalizer", "lowest-difference tasks: steers to the points of the others; otherwise team"),
)
(
    OWN,
    POTENTIAL,
    TEAM,
    COLOR_HOARDER,
    NUMBER_HOARDER,
    RUN_BUILDER,
    SACRIFICER,
    STAR_MAKER,
    ANCHOR,
    EQUALIZER,
) = range(len(STYLES))

_NO_CARDS = np.uint64(0)
_ONE = np.uint64(1)

COLLECTED = {COLOR_HOARDER: 0, NUMBER_HOARDER: 1, RUN_BUILDER: 2}  # place of the kind of feature in SignedPoints

HIGH, LOW = 0, 1  # directions: towards many points, towards few


# Tables.


def style_table(setup: Setup, style: int) -> np.ndarray:
    """Return what every set of up to four cards is worth to a style; float32, shape (toppings, 2, sets).

    The second axis is the direction; worth going low is the negative of the points, so more is always better. A set of
    fewer than four cards has its promise: the mean best of as many random cards as the next hand will hold, counted
    back from the last pick over the whole deck of this number of players. Toppings that the setup never plays stay
    zero.
    """
    table = np.zeros((N_TOPPINGS, 2, N_SETS), dtype=np.float32)
    for topping in _toppings_played(setup):
        points, liking = _points_for(style, topping, int(setup.template["runs"]))
        for direction, sign in ((HIGH, 1.0), (LOW, -1.0)):
            table[topping, direction] = sign * points + liking
            if style != OWN:
                _count_back(table[topping, direction], DECK_MASK[setup.players], np.zeros(2 * N_CARDS))
    return table


def _toppings_played(setup: Setup) -> range:
    mode = int(setup.template["mode"])
    if mode == COMBO:
        return range(N_TOPPINGS)
    topping = (int(setup.template["task"]) - 1) // len(GOALS) if mode == ONE_TASK else mode - 1
    return range(topping, topping + 1)


OTHERS = 0.05  # what a collector still gives for points of features that are not his
LIKING = 0.25  # of a point of his feature, whatever the direction, where only the distance from 7 counts


def _points_for(style: int, topping: int, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Score every set as a style does: points that change sign with the direction, and a liking that does not.

    Both have shape (sets,). A collector counts his features whole and others hardly. With anchovies that would
    measure the wrong distance, so there he counts all features and likes his own.
    """
    points, liking = np.zeros(N_SETS), np.zeros(N_SETS)
    for size in range(N_ROUNDS + 1):
        signed = sign_features(find_features(sets_of_size(size), runs), topping)
        by_kind = [part.sum(axis=1) for part in signed]
        everything = sum(by_kind)
        rows = slice(int(FIRST_OF_SIZE[size]), int(FIRST_OF_SIZE[size]) + len(by_kind[0]))
        collected = by_kind[COLLECTED[style]] if style in COLLECTED else everything
        if topping != ANCHOVIES:
            points[rows] = collected + OTHERS * (everything - collected)
        else:
            points[rows] = np.abs(everything - ANCHOVIES_TARGET)
            if style in COLLECTED:
                liking[rows] = LIKING * collected
    return points, liking


@kernel
def _count_back(worth: Any, deck: Any, values: Any) -> None:
    """Replace the points of every set of three, two and one cards by its promise, in that order."""
    for size in range(N_ROUNDS - 1, 0, -1):
        n_offered = HAND_SIZE - size
        cards = (_ONE << np.uint64(size)) - _ONE
        for _ in range(FIRST_OF_SIZE[size], FIRST_OF_SIZE[size + 1]):
            if cards & ~deck == 0:
                worth[set_number(cards)] = _mean_best(worth, cards, deck & ~cards, n_offered, values)
            lowest = cards & (~cards + _ONE)
            carried = cards + lowest
            # the next mask with as many bits (Gosper's hack), in ascending order
            cards = carried | (((cards ^ carried) // lowest) >> np.uint64(2))
    worth[0] = _mean_best(worth, _NO_CARDS, deck, HAND_SIZE, values)


@kernel
def _mean_best(worth: Any, cards: Any, offered: Any, n_drawn: int, values: Any) -> float:
    """Return the mean of the best worth that one of `n_drawn` random cards of `offered` gives to `cards`."""
    n_offered = 0
    while offered:
        card = offered & (~offered + _ONE)
        offered ^= card
        n_offered = _insert(values, n_offered, np.float64(worth[set_number(cards | card)]))
    return _mean_of_best(values, n_offered, n_drawn)


@kernel
def _mean_best_of_two(worth: Any, cards: Any, offered: Any, later: Any, n_drawn: int, values: Any) -> float:
    """Return the mean best promise after one of `n_drawn` cards of `offered` and then one fewer of `later`."""
    n_offered = 0
    while offered:
        card = offered & (~offered + _ONE)
        offered ^= card
        promise = _mean_best(worth, cards | card, later & ~card, n_drawn - 1, values[N_CARDS:])
        n_offered = _insert(values, n_offered, promise)
    return _mean_of_best(values, n_offered, n_drawn)


@kernel
def _insert(values: Any, n_values: int, value: float) -> int:
    """Insert into `values[:n_values]`, kept descending; return the new length."""
    place = n_values
    while place > 0 and values[place - 1] < value:
        values[place] = values[place - 1]
        place -= 1
    values[place] = value
    return n_values + 1


@kernel
def _mean_of_best(values: Any, n_values: int, n_drawn: int) -> float:
    """Return the mean of the largest of `n_drawn` of the descending values, drawn without replacement.

    The i-th largest is the largest drawn with chance C(n - 1 - i, k - 1) / C(n, k).
    """
    chance = n_drawn / n_values
    mean = 0.0
    for place in range(n_values - n_drawn + 1):
        mean += chance * values[place]
        if place < n_values - n_drawn:
            chance *= (n_values - n_drawn - place) / (n_values - 1 - place)
    return mean


# The verb.


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    player = int(state.seat)
    worths = table[topping_of(state)]
    scratch = values[N_CARDS:]
    unseen = _unseen_by(state, player)
    if style == EQUALIZER and goal_of(state) == LOWEST_DIFFERENCE:
        _appraise_closeness(state, player, actions, n_legal, worths, values)
        return
    worth = worths[_direction(state, player, style, worths)]
    for index in range(n_legal):
        taken = np.uint64(state.tableau[player]) | (_ONE << np.uint64(actions[index]))
        if style == OWN:
            values[index] = worth[set_number(taken)]
        else:
            values[index] = _promise(state, player, taken, worth, unseen, scratch)
    if style == SACRIFICER:
        for index in range(n_legal):
            values[index] *= SACRIFICE
    if style in (TEAM, SACRIFICER, STAR_MAKER, ANCHOR, EQUALIZER):
        _add_what_is_handed_on(state, player, actions, n_legal, style, weight, worths, unseen, values)


SACRIFICE = 0.1  # how much a sacrificer still cares for his own hand


@kernel
def _unseen_by(state: Any, player: int) -> Any:
    """Return the cards that lie before nobody and not in the hand of `player`: in other hands, or unused."""
    unseen = DECK_MASK[state.players]
    for place in range(state.players):
        unseen &= ~_laid(state, player, np.uint64(place))
    return unseen & ~hand_mask(state.hands[player], HAND_SIZE - int(state.rounds))


@kernel
def _laid(state: Any, player: int, seat: Any) -> Any:
    """Return the cards before `seat` as far as `player` may see them."""
    cards = np.uint64(state.tableau[seat])
    if is_hidden_pick(state, player, seat):
        cards &= ~(_ONE << np.uint64(state.picks[seat, state.rounds]))
    return cards


@kernel
def _promise(state: Any, player: int, taken: Any, worth: Any, unseen: Any, scratch: Any) -> float:
    """Return what the cards `taken` by the player who moves should come to, looking at what can still reach him."""
    size = int(state.rounds) + 1
    if size == N_ROUNDS:
        return np.float64(worth[set_number(taken)])
    n_offered = HAND_SIZE - size
    coming = unseen
    if n_known_hands(state) == int(state.players):  # then he knows the hand that he is about to get, too
        right = np.uint64(player - 1 if player > 0 else int(state.players) - 1)
        coming = hand_mask(state.hands[right], n_offered + 1 - int(has_picked(state, right)))
    if int(state.players) < N_ROUNDS and size < N_ROUNDS - 1:
        # hands come back at such a small table: look two picks ahead, at the cards that can be there
        held = hand_mask(state.hands[player], HAND_SIZE - int(state.rounds))
        later = (held | (unseen if size == 1 else coming)) & ~taken
        return _mean_best_of_two(worth, taken, coming, later, n_offered, scratch)
    return _mean_best(worth, taken, coming, n_offered, scratch)


@kernel
def _add_what_is_handed_on(
    state: Any,
    player: int,
    actions: Any,
    n_legal: int,
    style: int,
    weight: float,
    worths: Any,
    unseen: Any,
    values: Any,
) -> None:
    """Add to each value `weight` times what the rest of the hand is worth to those who get it next.

    Each of them in turn is taken to pick what promises most for his own cards. Up to a constant this is the player's
    own gain less a weighted part of the gain that his pick takes from those after him.
    """
    n_later = min(N_ROUNDS - 1 - int(state.rounds), int(state.players) - 1)
    handed_on = weight if int(state.players) < N_ROUNDS else weight * OUT_OF_SIGHT
    gains, scratch = values[N_CARDS : 2 * N_CARDS], values[2 * N_CARDS :]
    for later in range(n_later):
        seat = (player + 1 + later) % int(state.players)
        worth = worths[_direction(state, seat, style, worths)]
        theirs = _laid(state, player, seat)
        size = population_count(theirs) + 1
        for index in range(n_legal):
            got = theirs | (_ONE << np.uint64(actions[index]))
            if int(state.players) < N_ROUNDS and size < N_ROUNDS:
                gains[HAND_SIZE * later + index] = _mean_best(worth, got, unseen, HAND_SIZE - size, scratch)
            else:
                gains[HAND_SIZE * later + index] = worth[set_number(got)]
    for index in range(n_legal):
        gone = 1 << index
        for later in range(n_later):
            best = NOTHING
            best_at = 0
            for other in range(n_legal):
                gain = gains[HAND_SIZE * later + other]
                if (gone >> other) & 1 == 0 and gain > best:
                    best, best_at = gain, other
            gone |= 1 << best_at
            values[index] += handed_on * best


NOTHING = -1e9  # below every worth
OUT_OF_SIGHT = 0.8  # what a gain of others counts where hands do not come back; found by play at 4 to 6 players


@kernel
def _direction(state: Any, seat: int, style: int, worths: Any) -> int:
    """Return the direction in which `seat` should take its hand for the task's goal; the mover sees all that counts.

    For the highest difference: of star-makers the most promising goes high and the others low, of anchors the least
    promising goes low and the others high; with other styles each goes away from the mean of the others. A lowest
    difference is sought at the low end, where hands are most alike, but with cheese at the high end (measured).
    """
    goal = goal_of(state)
    if goal == HIGHEST_TOTAL:
        return HIGH
    if goal == LOWEST_DIFFERENCE:
        return HIGH if topping_of(state) == CHEESE else LOW
    if goal == LOWEST_TOTAL:
        return LOW
    mover = int(state.seat)
    mine = worths[HIGH, set_number(_laid(state, mover, seat))]
    others = 0.0
    n_above = 0
    n_below = 0
    players, first_player = np.int64(state.players), np.int64(state.first_player)  # signed: they are subtracted
    seats_turn = (np.int64(seat) - first_player + players) % players
    for turn in range(players):
        if turn == seats_turn:
            continue
        theirs = worths[HIGH, set_number(_laid(state, mover, (first_player + turn) % players))]
        others += theirs
        is_earlier = turn < seats_turn
        n_above += int(theirs > mine or (theirs == mine and is_earlier))
        n_below += int(theirs < mine or (theirs == mine and is_earlier))
    if style == STAR_MAKER:
        return HIGH if n_above == 0 else LOW
    if style == ANCHOR:
        return LOW if n_below == 0 else HIGH
    mean = others / (players - 1)
    return HIGH if mine > mean or (mine == mean and n_above == 0) else LOW


@kernel
def _appraise_closeness(state: Any, player: int, actions: Any, n_legal: int, worths: Any, values: Any) -> None:
    """Value each action by how near the player's hand can still come to the mean of where the others are heading."""
    target = 0.0
    for place in range(int(state.players)):
        if place != player:
            theirs = set_number(_laid(state, player, place))
            target += (worths[HIGH, theirs] - worths[LOW, theirs]) / 2.0
    target /= int(state.players) - 1
    for index in range(n_legal):
        taken = set_number(np.uint64(state.tableau[player]) | (_ONE << np.uint64(actions[index])))
        most, least = worths[HIGH, taken], -worths[LOW, taken]
        out_of_reach = max(0.0, target - most, least - target)
        values[index] = -out_of_reach - 0.1 * abs((most + least) / 2.0 - target)
