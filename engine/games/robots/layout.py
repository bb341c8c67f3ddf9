"""The best layout of a hand: which spreads to lay for most points, then most cards, exactly, by dynamic programming.

What the cards of one suit are worth in runs, with so many wilds, stands in a table, made by walking through the places
of a suit. So a hand is laid out by choosing what goes into sets, adding up the runs of what is left of each suit, and
sharing out the wilds. Only a card that could serve in a run makes a choice of what goes into a set.

Where that would be too many choices, or where a spread may not hold all wilds of the hand, all suits are walked
through together, place by place (1 to 15, the star's two places included). A state says, for each suit, how far the run
that lies across this place has come; how many wilds are spent; whether a card stays in the hand, as one must for the
discard; which stars served as 1; and, within a place, how many of its cards go into a set. States that look alike from
here on are one: only the better way to it is kept.

Where `most_wilds` is less than the wilds held, two runs of one suit that overlap could get rid of one more wild; such
runs are not looked for, and no points hang on them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.games.robots.rules import (
    CARD_POINTS,
    HIGHEST_RANK,
    LARGEST_SET,
    MOST_WILDS,
    N_SUITS,
    POINTS_ROBOT,
    SHORTEST,
    STAR,
    STAR_HIGH,
    cards_points,
)
from engine.kernel import kernel

# A plan: for each suit the places of its runs that natural cards fill, for each suit those that wilds fill, for each
# rank the suits of its set, for each rank the wilds of its set.

PLAN_RUNS = 0
PLAN_WILDS = PLAN_RUNS + N_SUITS
PLAN_SETS = PLAN_WILDS + N_SUITS
PLAN_SET_WILDS = PLAN_SETS + HIGHEST_RANK + 1
PLAN_SIZE = PLAN_SET_WILDS + HIGHEST_RANK + 1

# What a layout is worth: POINT for each point, 1 for each card.

POINT = 128  # more than there are cards
LAYOUTS_TRIED = 100_000  # choices of sets that are tried before all suits are walked through together

# A state packed into an integer: five bits a suit (three for how far its run has come, two for its wilds), then the
# wilds spent (3), the cards of this rank that go into a set (3), whether a card is left (1), and by suit whether the
# star served as 1 (5). A run is NO_RUN, has one or two cards with a natural one, is long enough, or has one or two
# wilds only.

NO_RUN, ONE_CARD, TWO_CARDS, LONG, ONE_WILD, TWO_WILDS = range(6)
_AFTER_NATURAL = np.array([ONE_CARD, TWO_CARDS, LONG, LONG, TWO_CARDS, LONG], dtype=np.int64)
_AFTER_WILD = np.array([ONE_WILD, TWO_CARDS, LONG, LONG, TWO_WILDS, -1], dtype=np.int64)  # never three wilds alone
_SPENT, _IN_SET, _LEFT, _STAR_USED = 25, 28, 31, 32

# What is done with a place of a suit: the card's use in the low two bits, then a wild in the run, then a new run begun.

_UNUSED, _IN_RUN, _TO_SET, _KEPT_BACK = range(4)
_WILD, _ANEW = 4, 8

_LOW_STAR = 1 << STAR


def _run_values() -> np.ndarray:
    """What the cards of a suit are worth in runs with at most 0 … 4 wilds; int16, shape (5, 16384), 160 KB.

    The cards are a mask of 14 bits, the star first. All masks walk through the places together; the star is tried as 1
    and as 15.
    """
    masks = np.arange(1 << HIGHEST_RANK)
    never = np.int32(-(1 << 20))
    best = np.zeros((MOST_WILDS + 1, len(masks)), dtype=np.int32)
    for star_place in (STAR, STAR_HIGH):
        values = np.full((TWO_WILDS + 1, MOST_WILDS + 1, len(masks)), never, dtype=np.int32)  # by run and wilds spent
        values[NO_RUN, 0] = 0
        for place in range(1, STAR_HIGH + 1):
            rank = STAR if place == STAR_HIGH else place
            is_there = (masks >> (rank - 1) & 1 == 1) & ((rank != STAR) | (place == star_place))
            gain = np.where(is_there, POINT * CARD_POINTS[rank] + 1, never).astype(np.int32)
            after = np.full_like(values, never)
            after[NO_RUN] = np.maximum(values[NO_RUN], values[LONG])
            for run in range(TWO_WILDS + 1):
                natural, wild = int(_AFTER_NATURAL[run]), int(_AFTER_WILD[run])
                after[natural] = np.maximum(after[natural], values[run] + gain)
                if wild >= 0:
                    after[wild, 1:] = np.maximum(after[wild, 1:], values[run, :-1] + 1)
            values = np.maximum(after, never)
        best = np.maximum(best, np.maximum(values[NO_RUN], values[LONG]))
    return np.maximum.accumulate(best, axis=0).astype(np.int16)


RUN_VALUE = _run_values()


@kernel
def best_layout(low: Any, high: Any, n_wilds: Any, most_wilds: Any, star_robot: Any, plan: Any) -> Any:
    """Find the spreads that are worth most, with one card left to discard; return their worth and fill `plan`.

    `low` and `high` are the natural cards, `n_wilds` wilds come on top, `most_wilds` may go into one spread, with
    `star_robot` five stars are a robot. The worth is POINT for each point and 1 for each card.
    """
    plan[:PLAN_SIZE] = 0
    lanes = np.empty(N_SUITS, dtype=np.int64)
    n_cards = np.int64(n_wilds)
    for suit in range(N_SUITS):
        word = low if suit < 4 else high
        lanes[suit] = np.int64((word >> np.uint64(16 * (suit % 4))) & np.uint64(0x7FFE))
        n_cards += population_count(np.uint64(lanes[suit]))
    if n_cards <= SHORTEST:
        return 0
    n_spare = n_wilds if most_wilds == 0 else 0
    n_wilds -= n_spare
    if most_wilds >= n_wilds:
        value = _try_sets(lanes, np.int64(n_wilds), star_robot, plan)
        if value >= 0 and value % POINT == n_cards:
            value = _leave_one(lanes, np.int64(n_wilds), star_robot, plan)
        if value >= 0:
            return value
    return _walk(lanes, n_wilds, most_wilds, n_spare, star_robot, plan)


# Sets first, runs from the table.


@kernel
def _leave_one(lanes: Any, n_wilds: Any, star_robot: Any, plan: Any) -> Any:
    """Return the worth of the best layout that leaves a card, whichever is best; -1 as `_try_sets`."""
    best, best_suit, best_bit = np.int64(-1), N_SUITS, np.int64(0)
    for suit in range(N_SUITS + 1):
        cards = lanes[suit] if suit < N_SUITS else np.int64(min(n_wilds, 1))  # at last a wild
        while cards:
            bit = cards & -cards
            cards ^= bit
            value = _try_without(lanes, suit, bit, n_wilds, star_robot, plan)
            if value < 0:
                return -1
            if value > best:
                best, best_suit, best_bit = value, suit, bit
    return _try_without(lanes, best_suit, best_bit, n_wilds, star_robot, plan)


@kernel
def _try_without(lanes: Any, suit: Any, bit: Any, n_wilds: Any, star_robot: Any, plan: Any) -> Any:
    """Lay out a hand without one card of a suit, or without a wild (suit 5)."""
    if suit == N_SUITS:
        return _try_sets(lanes, n_wilds - 1, star_robot, plan)
    lanes[suit] ^= bit
    value = _try_sets(lanes, n_wilds, star_robot, plan)
    lanes[suit] ^= bit
    return value


@kernel
def _try_sets(lanes: Any, n_wilds: Any, star_robot: Any, plan: Any) -> Any:
    """Try all choices of sets that may be better than the best so far; return the worth of the best layout.

    Returns -1 when there are too many choices.
    """
    plan[:PLAN_SIZE] = 0
    chosen = np.empty((2, HIGHEST_RANK + 1), dtype=np.int64)  # suits in the set of each rank: now, and of the best
    stack = np.empty((4, HIGHEST_RANK + 2), dtype=np.int64)  # ranks that may have a set, their suits, those contested
    shares = np.zeros((N_SUITS + 1, MOST_WILDS + 1), dtype=np.int64)
    n_ranks = _find_sets(lanes, min(n_wilds, 2), star_robot, stack)
    left = lanes.copy()
    best = -1
    n_tried = 0
    chosen[0, 0] = -1
    depth = 0
    free = n_wilds
    value = np.int64(0)
    room = np.int64(0)
    while depth >= 0:
        if depth == n_ranks:
            total = value + _runs_and_wilds(left, free, room, shares)
            if total > best:
                best = total
                for index in range(n_ranks):
                    chosen[1, index] = chosen[0, index]
            n_tried += 1
            if n_tried > LAYOUTS_TRIED:
                return -1
            depth -= 1
            continue
        rank, suits, contested = stack[0, depth], stack[1, depth], stack[2, depth]
        before = chosen[0, depth]
        if before > 0:
            n_natural = population_count(np.uint64(before))
            free += max(0, SHORTEST - n_natural)
            value -= _set_value(rank, n_natural, star_robot)
            room -= _set_room(rank, n_natural, star_robot)
            _move(left, rank, before, 1)
        following = _next_choice(before, suits, contested, free)
        chosen[0, depth] = following
        if following < 0:
            depth -= 1
            continue
        if following > 0:
            n_natural = population_count(np.uint64(following))
            free -= max(0, SHORTEST - n_natural)
            value += _set_value(rank, n_natural, star_robot)
            room += _set_room(rank, n_natural, star_robot)
            _move(left, rank, following, 0)
        if value + stack[3, depth + 1] + free + _most_left(left, free, stack, depth + 1, n_ranks) > best:
            depth += 1
            if depth < n_ranks:
                chosen[0, depth] = -1
    _fill_plan(lanes.copy(), n_wilds, n_ranks, stack, chosen[1], star_robot, shares, plan)
    return best


@kernel
def _most_left(left: Any, n_wilds: Any, stack: Any, depth: Any, n_ranks: Any) -> Any:
    """Bound the worth of the cards that are left: all that a run or one of the sets from `depth` on could hold."""
    set_ranks = 0
    for index in range(depth, n_ranks):
        set_ranks |= 1 << stack[0, index]
    n_points, n_cards = 0, 0
    for suit in range(N_SUITS):
        useful = np.uint64(_in_runs(left[suit], n_wilds) | (left[suit] & set_ranks))
        n_points += cards_points(useful, np.uint64(0))
        n_cards += population_count(useful)
    return POINT * n_points + n_cards


@kernel
def _in_runs(cards: Any, n_wilds: Any) -> Any:
    """Return the cards of a suit that could serve in a run."""
    ranks = cards | (cards & _LOW_STAR) << (STAR_HIGH - STAR)
    first, second, third = ranks, ranks >> 1, ranks >> 2
    if n_wilds == 0:
        starts = first & second & third
    elif n_wilds == 1:
        starts = (first & second) | (second & third) | (first & third)
    else:
        starts = first | second | third
    starts &= 0x3FFE
    places = starts | starts << 1 | starts << 2
    return (places | places >> (STAR_HIGH - STAR) & _LOW_STAR) & cards


@kernel
def _find_sets(lanes: Any, n_wilds: Any, star_robot: Any, stack: Any) -> Any:
    """List the ranks of which a set can be laid, their suits, those whose card could serve in a run, and what robots
    of this and later ranks could add; return how many ranks there are."""
    in_runs = np.empty(N_SUITS, dtype=np.int64)
    every = 0
    for suit in range(N_SUITS):
        in_runs[suit] = _in_runs(lanes[suit], n_wilds)
        every |= lanes[suit]
    n_ranks = 0
    while every:
        rank = trailing_zeros(np.uint64(every))
        every &= every - 1
        suits, contested = 0, 0
        for suit in range(N_SUITS):
            suits |= (lanes[suit] >> rank & 1) << suit
            contested |= (in_runs[suit] >> rank & 1) << suit
        if population_count(np.uint64(suits)) + n_wilds >= SHORTEST:
            stack[0, n_ranks] = rank
            stack[1, n_ranks] = suits
            stack[2, n_ranks] = contested
            n_ranks += 1
    stack[3, n_ranks] = 0
    for index in range(n_ranks - 1, -1, -1):
        is_robot = population_count(np.uint64(stack[1, index])) == LARGEST_SET
        is_robot = is_robot and (stack[0, index] != STAR or star_robot == 1)
        stack[3, index] = stack[3, index + 1] + (POINT * POINTS_ROBOT if is_robot else 0)
    return n_ranks


@kernel
def _next_choice(before: Any, suits: Any, contested: Any, n_wilds: Any) -> Any:
    """Return the choice of suits for a set after `before` (-1 at first): all, then less, then none.

    Large sets first give good layouts early, which others must beat. Returns -1 after the last.
    """
    if before == 0:
        return -1
    certain = suits & ~contested
    if before < 0:
        part = contested
    elif before & contested == 0:
        return 0
    else:
        part = ((before & contested) - 1) & contested
    while True:
        n_natural = population_count(np.uint64(certain | part))
        if n_natural > 0 and n_natural + n_wilds >= SHORTEST:
            return certain | part
        if part == 0:
            return 0
        part = (part - 1) & contested


@kernel
def _set_value(rank: Any, n_natural: Any, star_robot: Any) -> Any:
    """Return the worth of a set with as few wilds as it needs."""
    value = POINT * n_natural * CARD_POINTS[rank] + max(n_natural, SHORTEST)
    if n_natural == LARGEST_SET and (rank != STAR or star_robot == 1):
        value += POINT * POINTS_ROBOT
    return value


@kernel
def _set_room(rank: Any, n_natural: Any, star_robot: Any) -> Any:
    """Return how many more wilds a set takes; two or more natural cards can make two sets, but for a robot."""
    if n_natural == LARGEST_SET and (rank != STAR or star_robot == 1):
        return 0
    return LARGEST_SET * min(2, n_natural) - max(n_natural, SHORTEST)


@kernel
def _move(left: Any, rank: Any, suits: Any, is_back: int) -> None:
    """Take the cards of a set out of the suits, or put them back."""
    for suit in range(N_SUITS):
        bit = (suits >> suit & 1) << rank
        left[suit] = left[suit] | bit if is_back else left[suit] & ~bit


@kernel
def _runs_and_wilds(left: Any, n_wilds: Any, room: Any, shares: Any) -> Any:
    """Return the worth of the runs of what is left and of the wilds that find a place in runs or sets.

    `shares[n, w]` becomes the worth of the runs of the first n suits with at most w wilds.
    """
    for suit in range(N_SUITS):
        cards = left[suit] >> 1
        for spent in range(n_wilds + 1):
            best = np.int64(-1)
            for here in range(spent + 1):
                best = max(best, shares[suit, spent - here] + RUN_VALUE[here, cards])
            shares[suit + 1, spent] = best
    best = np.int64(-1)
    for spent in range(n_wilds + 1):
        best = max(best, shares[N_SUITS, spent] + min(room, n_wilds - spent))
    return best


@kernel
def _fill_plan(
    lanes: Any, n_wilds: Any, n_ranks: Any, stack: Any, chosen: Any, star_robot: Any, shares: Any, plan: Any
) -> None:
    """Write the chosen sets and the best runs of the rest into the plan; `lanes` loses the cards of the sets."""
    free = n_wilds
    room = np.int64(0)
    for index in range(n_ranks):
        if chosen[index] > 0:
            rank, n_natural = stack[0, index], population_count(np.uint64(chosen[index]))
            plan[PLAN_SETS + rank] = chosen[index]
            plan[PLAN_SET_WILDS + rank] = max(0, SHORTEST - n_natural)
            free -= plan[PLAN_SET_WILDS + rank]
            room += _set_room(rank, n_natural, star_robot)
            _move(lanes, rank, chosen[index], 0)
    total = _runs_and_wilds(lanes, free, room, shares)
    spent = np.int64(0)
    while shares[N_SUITS, spent] + min(room, free - spent) < total:
        spent += 1
    extra = min(room, free - spent)
    for index in range(n_ranks):
        if chosen[index] > 0:
            rank = stack[0, index]
            more = min(extra, _set_room(rank, population_count(np.uint64(chosen[index])), star_robot))
            plan[PLAN_SET_WILDS + rank] += more
            extra -= more
    for suit in range(N_SUITS - 1, -1, -1):
        here = np.int64(0)
        while shares[suit, spent - here] + RUN_VALUE[here, lanes[suit] >> 1] < shares[suit + 1, spent]:
            here += 1
        _plan_runs(lanes[suit], here, suit, plan)
        spent -= here


@kernel
def _plan_runs(cards: Any, n_wilds: Any, suit: Any, plan: Any) -> None:
    """Write the best runs of one suit into the plan: take off runs that go with the worth in the table.

    No wild stands where a card of the hand or another run stands.
    """
    value = np.int64(RUN_VALUE[n_wilds, cards >> 1])
    filled = np.int64(0)
    low, length = 1, SHORTEST
    while value > 0 and low <= STAR_HIGH - 2:
        places = ((1 << length) - 1) << low
        ranks = cards | (cards & _LOW_STAR) << (STAR_HIGH - STAR)
        natural = ranks & places
        n_missing = length - population_count(np.uint64(natural))
        is_free = (cards & ~natural & ~_LOW_STAR | filled) & places == 0
        if natural and n_missing <= n_wilds and is_free:
            used = (natural | natural >> (STAR_HIGH - STAR)) & 0x7FFE
            rest = np.int64(RUN_VALUE[n_wilds - n_missing, (cards & ~used) >> 1])
            if rest + POINT * cards_points(np.uint64(used), np.uint64(0)) + length == value:
                plan[PLAN_RUNS + suit] |= natural
                plan[PLAN_WILDS + suit] |= places & ~natural
                value = rest
                filled |= places
                cards &= ~used
                n_wilds -= n_missing
                low, length = 1, SHORTEST
                continue
        length += 1
        if length > HIGHEST_RANK or low + length - 1 > STAR_HIGH:
            low, length = low + 1, SHORTEST


# All suits together.


@kernel
def _walk(lanes: Any, n_wilds: Any, most_wilds: Any, n_spare: Any, star_robot: Any, plan: Any) -> Any:
    """Put the useless cards aside and walk; try again with more room when the states do not fit."""
    is_one_left = _put_useless_aside(lanes, min(n_wilds, 2)) or n_spare > 0
    room = 64
    value = -1
    while value < 0:
        value = _walk_within(room, lanes, n_wilds, most_wilds, is_one_left, star_robot, plan)
        room *= 8
    return value


@kernel
def _put_useless_aside(lanes: Any, n_wilds: Any) -> bool:
    """Take the cards out of the lanes that no run and no set can hold; tell whether there were any."""
    n_alike = np.zeros(HIGHEST_RANK + 1, dtype=np.int64)
    for suit in range(N_SUITS):
        cards = lanes[suit]
        while cards:
            n_alike[trailing_zeros(np.uint64(cards))] += 1
            cards &= cards - 1
    in_sets = 0
    for rank in range(STAR, HIGHEST_RANK + 1):
        if n_alike[rank] + n_wilds >= SHORTEST:
            in_sets |= 1 << rank
    is_any = False
    for suit in range(N_SUITS):
        in_runs = 0
        for place in range(1, STAR_HIGH - 1):
            if _is_hopeful(lanes[suit], place, n_wilds):
                in_runs |= 7 << place
        useful = lanes[suit] & (in_sets | in_runs | in_runs >> (STAR_HIGH - STAR) & _LOW_STAR)
        is_any = is_any or useful != lanes[suit]
        lanes[suit] = useful
    return is_any


@kernel
def _walk_within(
    room: int,
    lanes: Any,
    n_wilds: Any,
    most_wilds: Any,
    is_one_left: bool,
    star_robot: Any,
    plan: Any,
) -> Any:
    """Walk with at most `room` states at a time; return -1 when there are more."""
    states = np.empty((4, room), dtype=np.int64)  # keys and values of the states now, then of those that follow
    ways = np.empty((_MOST_STEPS, room), dtype=np.int32)  # of each state after each step: 16 * source + choice
    visits = np.empty(_MOST_STEPS, dtype=np.int64)  # 8 * place + suit of each step, suit 5: the place is closed
    size = np.zeros(1, dtype=np.int64)
    has_cap = most_wilds < n_wilds
    states[0, 0] = 1 << _LEFT if is_one_left else 0
    states[1, 0] = 0
    n_states = 1
    now = 0
    step = 0
    for place in range(1, STAR_HIGH + 1):
        rank = STAR if place == STAR_HIGH else place
        has_cards = False
        for suit in range(N_SUITS + 1):
            if suit < N_SUITS:
                has_card = lanes[suit] >> rank & 1 == 1
                has_cards = has_cards or has_card
                if not (has_card or _may_run(states[now], n_states, suit) or _is_hopeful(lanes[suit], place, n_wilds)):
                    continue
            elif not has_cards or place == STAR_HIGH:
                continue
            size[0] = 0
            keys, values, way = states[2 - now], states[3 - now], ways[step]
            for index in range(n_states):
                key, value = states[now, index], states[now + 1, index]
                if suit == N_SUITS:
                    _close_place(index, key, value, rank, n_wilds, most_wilds, star_robot, keys, values, way, size)
                else:
                    _use_place(
                        index, key, value, suit, place, lanes[suit], n_wilds, most_wilds, has_cap,
                        keys, values, way, size,
                    )  # fmt: skip
                if size[0] > room:
                    return -1
            visits[step] = 8 * place + suit
            n_states = size[0]
            now = 2 - now
            step += 1
    best = -1
    for index in range(n_states):
        key = states[now, index]
        is_complete = True
        for suit in range(N_SUITS):
            run = key >> 5 * suit & 7
            is_complete = is_complete and run in (NO_RUN, LONG)
        is_left = key >> _LEFT & 1 == 1 or (key >> _SPENT & 7) < n_wilds
        if is_complete and is_left and (best < 0 or states[now + 1, index] > states[now + 1, best]):
            best = index
    _trace_back(best, step, visits, ways, plan)
    return states[now + 1, best]


_MOST_STEPS = STAR_HIGH * (N_SUITS + 1)


@kernel
def _may_run(keys: Any, n_states: Any, suit: Any) -> Any:
    """Tell whether a run of a suit is under way in any state."""
    runs = 0
    for index in range(n_states):
        runs |= keys[index] >> 5 * suit & 7
    return runs != NO_RUN


@kernel
def _use_place(
    source: Any,
    key: Any,
    value: Any,
    suit: Any,
    place: Any,
    lane: Any,
    n_wilds: Any,
    most_wilds: Any,
    has_cap: bool,
    keys: Any,
    values: Any,
    way: Any,
    size: Any,
) -> None:
    """Add the states that follow a state when one place of a suit has been dealt with."""
    rank = STAR if place == STAR_HIGH else place
    has_card = lane >> rank & 1 == 1 and (place != STAR_HIGH or key >> (_STAR_USED + suit) & 1 == 0)
    run = key >> 5 * suit & 7
    wilds_in_run = key >> (5 * suit + 3) & 3
    spent = key >> _SPENT & 7
    rest = key & ~(31 << 5 * suit)
    for begins in range(2):  # going on with a run, then beginning a new one
        if begins == 1:
            is_open = run == NO_RUN or (run == LONG and has_cap)
            if not is_open or not _is_hopeful(lane, place, n_wilds - spent):
                continue
            run, wilds_in_run = NO_RUN, 0
        elif run == NO_RUN:
            continue
        anew = _ANEW if begins == 1 else 0
        if has_card:
            following = rest | _AFTER_NATURAL[run] << 5 * suit | wilds_in_run << (5 * suit + 3)
            if place == STAR:
                following |= 1 << (_STAR_USED + suit)
            gain = POINT * CARD_POINTS[rank] + 1
            _add(16 * source + (_IN_RUN | anew), following, value + gain, keys, values, way, size)
        after_wild = _AFTER_WILD[run]
        if spent < n_wilds and after_wild >= 0 and (not has_cap or wilds_in_run < most_wilds):
            following = rest + (1 << _SPENT) | after_wild << 5 * suit
            following |= (wilds_in_run + 1 if has_cap else 0) << (5 * suit + 3)
            way_there = 16 * source + (_WILD | anew)
            _add_other_uses(way_there, following, value + 1, has_card, suit, place, keys, values, way, size)
    run = key >> 5 * suit & 7
    if run in (NO_RUN, LONG):
        _add_other_uses(16 * source, rest, value, has_card, suit, place, keys, values, way, size)


@kernel
def _is_hopeful(lane: Any, place: Any, n_wilds: Any) -> bool:
    """Tell whether the cards of a suit and some wilds can make a run of three from a place on."""
    ranks = lane | (lane & _LOW_STAR) << (STAR_HIGH - STAR)
    n_natural = population_count(np.uint64(ranks >> place & 7))
    return n_natural > 0 and n_natural + n_wilds >= SHORTEST and place <= STAR_HIGH - 2


@kernel
def _add_other_uses(
    way_there: Any,
    key: Any,
    value: Any,
    has_card: bool,
    suit: Any,
    place: Any,
    keys: Any,
    values: Any,
    way: Any,
    size: Any,
) -> None:
    """Add the states in which the card of the place, if there is one, is not in the run."""
    if not has_card:
        _add(way_there | _UNUSED, key, value, keys, values, way, size)
        return
    if place == STAR:
        _add(way_there | _TO_SET, key + (1 << _IN_SET) | 1 << (_STAR_USED + suit), value, keys, values, way, size)
        _add(way_there | _UNUSED, key, value, keys, values, way, size)  # it may be a 15 yet
        return
    if place != STAR_HIGH:
        _add(way_there | _TO_SET, key + (1 << _IN_SET), value, keys, values, way, size)
    _add(way_there | _KEPT_BACK, key | 1 << _LEFT, value, keys, values, way, size)


@kernel
def _close_place(
    source: Any,
    key: Any,
    value: Any,
    rank: Any,
    n_wilds: Any,
    most_wilds: Any,
    star_robot: Any,
    keys: Any,
    values: Any,
    way: Any,
    size: Any,
) -> None:
    """Add the states in which the cards put aside for a set of this rank are laid, with some wilds or none."""
    n_natural = key >> _IN_SET & 7
    if n_natural == 0:
        _add(16 * source, key, value, keys, values, way, size)
        return
    rest = key & ~(7 << _IN_SET)
    for wilds in range(n_wilds - (key >> _SPENT & 7) + 1):
        if _is_set(n_natural, wilds, most_wilds):
            gain = POINT * n_natural * CARD_POINTS[rank] + n_natural + wilds
            if n_natural == LARGEST_SET and wilds == 0 and (rank != STAR or star_robot == 1):
                gain += POINT * POINTS_ROBOT
            _add(16 * source + wilds, rest + (wilds << _SPENT), value + gain, keys, values, way, size)


@kernel
def _is_set(n_natural: Any, wilds: Any, most_wilds: Any) -> bool:
    """Tell whether cards of one rank and wilds can be laid as a set, or as two."""
    cards = n_natural + wilds
    if SHORTEST <= cards <= LARGEST_SET and wilds <= most_wilds:
        return True
    return n_natural > 1 and 2 * SHORTEST <= cards <= 2 * LARGEST_SET and (wilds + 1) // 2 <= most_wilds


@kernel
def _add(way_there: Any, key: Any, value: Any, keys: Any, values: Any, way: Any, size: Any) -> None:
    """Insert a state, kept by ascending key; of two ways to one state the better stays.

    When there is no room, only the size grows.
    """
    n_states = size[0]
    below, above = 0, n_states
    while below < above:
        middle = (below + above) // 2
        if keys[middle] < key:
            below = middle + 1
        else:
            above = middle
    if below < n_states and keys[below] == key:
        if values[below] >= value:
            return
    else:
        size[0] = n_states + 1
        if n_states >= len(keys):
            return
        for index in range(n_states, below, -1):
            keys[index] = keys[index - 1]
            values[index] = values[index - 1]
            way[index] = way[index - 1]
        keys[below] = key
    values[below] = value
    way[below] = way_there


@kernel
def _trace_back(last: Any, n_steps: Any, visits: Any, ways: Any, plan: Any) -> None:
    """Fill the plan from the choices that led to the best last state."""
    plan[:PLAN_SIZE] = 0
    index = np.int64(last)
    for step in range(n_steps - 1, -1, -1):
        way = np.int64(ways[step, index])
        choice = way % 16
        place, suit = visits[step] // 8, visits[step] % 8
        index = way // 16
        rank = STAR if place == STAR_HIGH else place
        if suit == N_SUITS:
            plan[PLAN_SET_WILDS + rank] = choice
            continue
        if choice & 3 == _IN_RUN:
            plan[PLAN_RUNS + suit] |= 1 << place
        elif choice & 3 == _TO_SET:
            plan[PLAN_SETS + rank] |= 1 << suit
        if choice & _WILD:
            plan[PLAN_WILDS + suit] |= 1 << place
