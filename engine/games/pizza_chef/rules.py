"""Pizza Chef: the bonus game in the Pizza Monsters box, a race of eyes and memory for 3 to 8 players.

All 64 slices lie face down. The player with the bag draws an order; all others look under slices at once, each for
himself, until one finds the topping: he gets a hat and the bag. With five players or more the second one gets a hat,
too. At a joker nobody looks: the first to call gets the hat. Four hats win.

Whose rules: the rulebook of Pizza Monsters; how a game of reactions becomes a game of decisions is ours, see RULES.md.
Choices that surprise: time runs in ticks, and a look takes as many ticks as the player's pace; who sees the topping
asked for has claimed it; nobody sees where others look, and what a player has seen he knows, so this is a game of
memory. Where a wrong slice costs something (`wrong=sit_out`), a slice can be snatched without a look: that is faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.kernel import kernel
from engine.rng import below, fold, next_word, shuffle_front, unit

# Slices. A slice is its topping, 0 … 7 in the rulebook's order; it lies at one of 64 places and always returns there.

TOPPINGS = ("salami", "mushrooms", "pineapple", "olives", "pepperoni", "onions", "shrimp", "paprika")
N_TOPPINGS = len(TOPPINGS)
N_PLACES = 64
N_ALIKE = N_PLACES // N_TOPPINGS  # slices of each topping

# Orders. A token of the bag is a topping, or one of two jokers, which are alike here.

TOKENS = (*TOPPINGS, "joker-a", "joker-b")
N_TOKENS = len(TOKENS)
FULL_BAG = (1 << N_TOKENS) - 1
JOKERS = FULL_BAG & ~((1 << N_TOPPINGS) - 1)
NO_TOKEN = 15  # no order lies on the table yet

MOST_PLAYERS = 8
HATS_TO_WIN = 4
PLAYERS_FOR_TWO_HATS = 5  # from here on the second to find a slice gets a hat, too
SLOWEST_PACE = 9
MOST_LOOKS = 100  # of the slowest player in a round; for sensible players to find nothing for so long is out of reach
SAFETY_TURNS = 1000

# What happens when a wrong slice is claimed.

WRONG = ("void", "sit_out")
VOID, SIT_OUT = range(2)

# Memory: a number of last looks, or all.

RING = 32  # looks of each player that the record keeps in order
ALL_LOOKS = 255
NOTHING = 255  # a look that was not made, or that is forgotten
HIT = N_TOPPINGS  # mark of a look that found the topping asked for

NOBODY = 255

# Action ids: 0 … 63 look at a place; 64 … 127 snatch the slice there.

LOOK = 0
SNATCH = N_PLACES
N_ACTIONS = 2 * N_PLACES

# What is due: first the phases in which chance is to speak.

DRAWING, CALLING, RACING, SEARCHING, OVER = range(5)
PHASES = ("drawing", "calling", "racing", "searching", "over")
LAST_CHANCE = RACING

WEIGHT = 3.0 ** np.arange(HATS_TO_WIN + 1)  # how much the prospects of a player weigh by his hats

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_EVERYWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)
_NEWS = np.int64((1 << 31) - 1)
_TOO_OLD = 64  # looks from before the record's memory that are guessed at most

# STATE. Seats are bits by their number, but in `due` by their place clockwise from the player with the bag.

STATE = np.dtype(
    [
        # options
        ("players", "u1"),  # 3 … 8
        ("wrong", "u1"),  # place in WRONG
        ("memory", "u1"),  # looks that players remember, 0 … 32, or ALL_LOOKS
        ("active", "u1"),  # public: who has the bag and does not search
        ("max_turns", "u2"),  # rounds after which the game is broken off
        ("turns", "u2"),  # public: rounds begun, from 1
        ("pace", "u1", (MOST_PLAYERS,)),  # ticks that a look of each seat takes, 1 … 9
        # public
        ("bag", "u2"),  # tokens in the bag, a bit mask
        ("tick", "u2"),  # of this round, from 1; 0 before
        ("most_ticks", "u4"),  # option: after which a round is over
        ("seat", "u1"),  # who decides now
        ("phase", "u1"),  # what is due
        ("order", "u1"),  # token on the table, or NO_TOKEN
        ("due", "u1"),  # seats that still decide in this tick
        ("out", "u1"),  # seats that sit out the rest of the round
        ("first", "u1"),  # who has found a slice in this round, or NOBODY
        ("claims", "u1"),  # seats that race for the order now
        ("later_claims", "u1"),  # seats that race after them
        ("hats", "u1", (MOST_PLAYERS,)),
        ("n_looks", "u2", (MOST_PLAYERS,)),  # looks made by each seat in this game
        ("asked", "u1", (MOST_PLAYERS, RING)),  # topping asked for at each of the last looks, + HIT if it was found
        ("news", "u8"),  # code of what all have learned in the last action, 0 for nothing
        # known to one seat each
        ("seen", "u8", (MOST_PLAYERS,)),  # places that each seat has seen and not forgotten, a bit mask
        ("looks", "u1", (MOST_PLAYERS, RING)),  # places of the last looks, look n at n % RING; else NOTHING
        ("glimpse", "u1", (MOST_PLAYERS,)),  # topping + 1 that each has seen in the last action, 0 for none
        # hidden
        ("places", "u1", (N_PLACES,)),  # topping of the slice at each place
        ("choices", "u1", (MOST_PLAYERS,)),  # action + 1 of each seat that has decided in this tick, else 0
        ("chance", "u8", (2,)),  # key of all draws; scratch for their stream
    ],
    align=True,
)


# The verbs.


@kernel
def deal(state: Any, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.chance[1] = _NONE
    for place in range(N_PLACES):
        state.places[place] = place // N_ALIKE
    shuffle_front(rng, state.places, N_PLACES, N_PLACES)
    state.active = below(rng, int(state.players))
    state.bag = FULL_BAG
    state.turns = 0
    state.news = 0
    for seat in range(MOST_PLAYERS):
        state.hats[seat] = 0
        state.n_looks[seat] = 0
        state.seen[seat] = _NONE
        state.glimpse[seat] = 0
        state.choices[seat] = 0
        for look in range(RING):
            state.asked[seat, look] = NOTHING
            state.looks[seat, look] = NOTHING
    _begin_round(state)
    _settle_chance(state)
    state.news = 0


@kernel
def current_player(state: Any) -> int:
    return int(state.seat)


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    n_legal = _n_legal(state)
    for action in range(n_legal):
        actions[action] = action
    return n_legal


@kernel
def _n_legal(state: Any) -> int:
    if state.phase != SEARCHING:
        return 0
    return N_ACTIONS if state.wrong == SIT_OUT else N_PLACES


@kernel
def apply_action(state: Any, action: int) -> None:
    act(state, action)
    _settle_chance(state)


@kernel
def _settle_chance(state: Any) -> None:
    """Let the key decide for as long as chance is due."""
    while state.phase <= LAST_CHANCE:
        stream = state.chance[1:2]
        number: Any = np.int64(state.turns) << 16 | np.int64(state.tick) << 4
        stream[0] = fold(state.chance[0], number | np.int64(state.phase) << 1 | np.int64(state.first != NOBODY))
        resolve(state, _drawn_outcome(state, stream))


@kernel
def _drawn_outcome(state: Any, stream: Any) -> int:
    if state.phase == DRAWING:
        return int(below(stream, population_count(np.uint64(state.bag))))
    if state.phase == RACING:
        return int(below(stream, population_count(np.uint64(state.claims))))
    left = unit(stream) * _total_speed(state)
    n_callers = int(state.players) - 1
    for step in range(1, n_callers):
        left -= _speed(state, _seat_at(state, step))
        if left < 0.0:
            return step - 1
    return n_callers - 1


@kernel
def _speed(state: Any, seat: Any) -> float:
    return 1.0 / np.float64(state.pace[seat])


@kernel
def _total_speed(state: Any) -> float:
    total = 0.0
    for step in range(1, state.players):
        total += _speed(state, _seat_at(state, step))
    return total


@kernel
def is_terminal(state: Any) -> bool:
    return state.phase == OVER


@kernel
def score(state: Any, points: Any) -> None:
    for seat in range(state.players):
        points[seat] = state.hats[seat]


@kernel
def returns(state: Any, utility: Any) -> None:
    for seat in range(state.players):
        utility[seat] = _share_of_win(state, seat)


@kernel
def _share_of_win(state: Any, player: Any) -> float:
    """Return what a seat gets of the win at the end: all who have most hats share it."""
    most = _most_hats(state)
    n_winners = 0
    for seat in range(state.players):
        n_winners += int(state.hats[seat] == most)
    return 1.0 / n_winners if state.hats[player] == most else 0.0


@kernel
def _most_hats(state: Any) -> Any:
    most = state.hats[0]
    for seat in range(1, state.players):
        most = max(most, state.hats[seat])
    return most


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.chance[1] = _NONE
    state.news = 0
    by_topping = np.empty(N_PLACES, dtype=np.uint8)
    _deal_unseen(state, state.seen[player], by_topping, rng)
    _sort_places(state, by_topping)
    for seat in range(state.players):
        state.glimpse[seat] = 0
        if seat != player:
            _guess_looks(state, seat, by_topping, rng)
            if state.choices[seat] != 0:
                state.choices[seat] = 1 + below(rng, _n_legal(state))


@kernel
def _deal_unseen(state: Any, seen: Any, unseen: Any, rng: Any) -> None:
    """Shuffle the slices that a player has not seen, or has forgotten, among their places."""
    n_left = np.zeros(N_TOPPINGS, dtype=np.int64)
    for place in range(N_PLACES):
        if seen >> np.uint64(place) & _ONE == _NONE:
            n_left[state.places[place]] += 1
    n_unseen = 0
    for topping in range(N_TOPPINGS):  # in an order that tells nothing
        for _ in range(n_left[topping]):
            unseen[n_unseen] = topping
            n_unseen += 1
    shuffle_front(rng, unseen, n_unseen, n_unseen)
    dealt = 0
    for place in range(N_PLACES):
        if seen >> np.uint64(place) & _ONE == _NONE:
            state.places[place] = unseen[dealt]
            dealt += 1


@kernel
def _sort_places(state: Any, by_topping: Any) -> None:
    """List the places by the topping that lies there; eight for each."""
    n_listed = np.zeros(N_TOPPINGS, dtype=np.int64)
    for place in range(N_PLACES):
        topping = np.int64(state.places[place])
        by_topping[topping * N_ALIKE + n_listed[topping]] = place
        n_listed[topping] += 1


@kernel
def _guess_looks(state: Any, seat: int, by_topping: Any, rng: Any) -> None:
    """Let the looks of a seat have gone anywhere that fits what all know: what was asked for, and if he found it."""
    seen = _NONE
    for look in range(RING):
        asked = np.int64(state.asked[seat, look])
        if asked == NOTHING:
            continue
        if asked >= HIT:
            place = by_topping[(asked - HIT) * N_ALIKE + below(rng, N_ALIKE)]
        else:
            other = below(rng, N_PLACES - N_ALIKE)
            place = by_topping[other + N_ALIKE if other >= asked * N_ALIKE else other]
        state.looks[seat, look] = place
        seen |= _ONE << np.uint64(place)
    n_older: Any = np.int64(state.n_looks[seat]) - RING
    if state.memory == ALL_LOOKS:
        for _ in range(min(_TOO_OLD, n_older)):
            seen |= _ONE << np.uint64(below(rng, N_PLACES))
    state.seen[seat] = seen


_LOOKS_AT = N_PLACES  # places of the parts of an observation
_ASKED_AT = _LOOKS_AT + RING
_SEATS_AT = _ASKED_AT + MOST_PLAYERS * RING
_TOKENS_AT = _SEATS_AT + 6 * MOST_PLAYERS
_REST_AT = _TOKENS_AT + N_TOKENS
OBSERVATION_SIZE = _REST_AT + 9


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    """Lay out: topping + 1 at each place that is remembered; the last looks; then, seats counted clockwise from the
    player, what was asked for at the last looks of each, hats, looks, who still decides, sits out, or races for the
    order (2 at once, 1 after the others), and the pace of each; the tokens of the bag; order, phase, tick, rounds,
    player with the bag, who decides, who was first in this round, the own choice in this tick, and players.
    """
    players = int(state.players)
    out[:OBSERVATION_SIZE] = 0.0
    for place in range(N_PLACES):
        if state.seen[player] >> np.uint64(place) & _ONE:
            out[place] = state.places[place] + 1.0
    for look in range(RING):
        if state.looks[player, look] != NOTHING:
            out[_LOOKS_AT + look] = state.looks[player, look] + 1.0
    active = (int(state.active) - player + players) % players
    for step in range(players):
        seat = (player + step) % players
        for look in range(RING):
            if state.asked[seat, look] != NOTHING:
                out[_ASKED_AT + step * RING + look] = state.asked[seat, look] + 1.0
        out[_SEATS_AT + step] = float(state.hats[seat])
        out[_SEATS_AT + MOST_PLAYERS + step] = float(state.n_looks[seat])
        out[_SEATS_AT + 2 * MOST_PLAYERS + (active + step) % players] = float(int(state.due) >> step & 1)
        out[_SEATS_AT + 3 * MOST_PLAYERS + step] = float(int(state.out) >> seat & 1)
        out[_SEATS_AT + 4 * MOST_PLAYERS + step] = float(
            2 * (int(state.claims) >> seat & 1) + (int(state.later_claims) >> seat & 1)
        )
        out[_SEATS_AT + 5 * MOST_PLAYERS + step] = float(state.pace[seat])
    for token in range(N_TOKENS):
        out[_TOKENS_AT + token] = float(int(state.bag) >> token & 1)
    out[_REST_AT] = float(state.order)
    out[_REST_AT + 1] = float(state.phase)
    out[_REST_AT + 2] = float(state.tick)
    out[_REST_AT + 3] = float(state.turns)
    out[_REST_AT + 4] = float(active)
    out[_REST_AT + 5] = float((int(state.seat) - player + players) % players)
    out[_REST_AT + 6] = float(players if state.first == NOBODY else (int(state.first) - player + players) % players)
    out[_REST_AT + 7] = float(state.choices[player])
    out[_REST_AT + 8] = float(players)


@kernel
def heuristic(state: Any, player: int) -> float:
    """Share the win by hats: each counts three times the last; when the game is over, as it came out."""
    if state.phase == OVER:
        return _share_of_win(state, player)
    total = 0.0
    for seat in range(state.players):
        total += WEIGHT[state.hats[seat]]
    return WEIGHT[state.hats[player]] / total


@kernel
def random_action(state: Any, rng: Any) -> int:
    return int(below(rng, _n_legal(state)))


@kernel
def revealed(state: Any, player: int) -> int:
    """Return a code for what all have learned, and for the slice that the player has seen."""
    return int((np.int64(state.news) * (N_TOPPINGS + 1) + np.int64(state.glimpse[player])) & _NEWS)


@kernel
def act(state: Any, action: int) -> None:
    state.news = 0
    for seat in range(state.players):
        state.glimpse[seat] = 0
    state.choices[state.seat] = action + 1
    due = int(state.due) & (int(state.due) - 1)
    state.due = due
    if due:
        state.seat = _seat_at(state, trailing_zeros(np.uint64(due)))
    else:
        _show_slices(state)


@kernel
def _seat_at(state: Any, step: int) -> Any:
    """Return the seat `step` places clockwise from the player with the bag, unsigned for fast indexing."""
    seat = np.uint64(state.active) + np.uint64(step)
    players = np.uint64(state.players)
    return seat - players if seat >= players else seat


@kernel
def _begin_round(state: Any) -> None:
    state.turns += 1
    state.tick = 0
    state.phase = DRAWING
    state.seat = state.active
    state.order = NO_TOKEN
    state.due = 0
    state.out = 0
    state.first = NOBODY
    state.claims = 0
    state.later_claims = 0


@kernel
def _begin_tick(state: Any) -> None:
    """Go on to the next tick in which a look ends; when nobody is left to look, end the round."""
    searchers = _searchers(state)
    while searchers and state.tick < state.most_ticks:
        state.tick += 1
        due = 0
        for step in range(1, state.players):
            seat = _seat_at(state, step)
            if searchers >> np.int64(seat) & 1 and state.tick % state.pace[seat] == 0:
                due |= 1 << step
        if due:
            state.due = due
            state.phase = SEARCHING
            state.seat = _seat_at(state, trailing_zeros(np.uint64(due)))
            return
    _end_round(state)


@kernel
def _searchers(state: Any) -> Any:
    """Return the seats that look for a slice, a bit mask: all but who has the bag, has found one, or sits out."""
    resting = np.int64(state.out) | 1 << np.int64(state.active)
    if state.first != NOBODY:
        resting |= 1 << np.int64(state.first)
    return ((1 << np.int64(state.players)) - 1) & ~resting


@kernel
def _show_slices(state: Any) -> None:
    """Let each see the slice that he has chosen in this tick, and claim the order if it fits."""
    looked: Any = 0
    snatched: Any = 0
    for step in range(1, state.players):
        seat = _seat_at(state, step)
        if state.choices[seat] == 0:
            continue
        choice = np.int64(state.choices[seat]) - 1
        place = choice % N_PLACES
        fits = state.places[place] == state.order
        state.choices[seat] = 0
        state.glimpse[seat] = state.places[place] + 1
        _remember(state, seat, place, fits)
        if fits and choice >= SNATCH:
            snatched |= 1 << np.int64(seat)
        elif fits:
            looked |= 1 << np.int64(seat)
        elif choice >= SNATCH:
            state.out |= np.uint8(1 << np.int64(seat))
    state.claims = snatched
    state.later_claims = looked
    _settle_claims(state)


@kernel
def _remember(state: Any, seat: Any, place: Any, fits: bool) -> None:
    """Book a look of a seat, and forget the one that is too long ago."""
    n_looks = np.int64(state.n_looks[seat])
    state.n_looks[seat] = min(n_looks + 1, 65_535)
    memory = np.int64(state.memory)
    if memory == 0:
        return
    state.looks[seat, n_looks % RING] = place
    state.asked[seat, n_looks % RING] = int(state.order) + (HIT if fits else 0)
    if memory == ALL_LOOKS:
        state.seen[seat] |= _ONE << np.uint64(place)
        return
    if memory < RING and n_looks >= memory:
        state.looks[seat, (n_looks - memory) % RING] = NOTHING
        state.asked[seat, (n_looks - memory) % RING] = NOTHING
    seen = _NONE
    for look in range(RING):
        if state.looks[seat, look] != NOTHING:
            seen |= _ONE << np.uint64(state.looks[seat, look])
    state.seen[seat] = seen


@kernel
def _settle_claims(state: Any) -> None:
    """Give hats to those who claim, the faster first, as far as no two are equally fast; then go on."""
    if state.claims == 0:
        state.claims = state.later_claims
        state.later_claims = 0
    while state.claims != 0:
        claims = np.uint64(state.claims)
        if claims & (claims - _ONE):
            state.phase = RACING
            return
        if _give_hat(state, trailing_zeros(claims)):
            return
        if state.claims == 0:
            state.claims = state.later_claims
            state.later_claims = 0
    _begin_tick(state)


@kernel
def _give_hat(state: Any, seat: int) -> bool:
    """Give a hat to a seat that has found a slice; tell whether that ends the round, which is then over."""
    state.news = (np.int64(state.news) * 1_000_003 + 100 + seat) & _NEWS
    state.hats[seat] += 1
    state.claims &= np.uint8(0xFF ^ (1 << seat))
    is_second = state.first != NOBODY
    if not is_second:
        state.first = seat
    if is_second or state.players < PLAYERS_FOR_TWO_HATS:
        _end_round(state)
        return True
    return False


@kernel
def _end_round(state: Any) -> None:
    """Return the orders to the bag if both jokers are out; give the bag to who was first, or else to the left."""
    state.due = 0
    state.claims = 0
    state.later_claims = 0
    if _most_hats(state) >= HATS_TO_WIN or state.turns == state.max_turns:
        state.phase = OVER
        return
    if int(state.bag) & JOKERS == 0:
        state.bag = FULL_BAG
    if state.first != NOBODY:
        state.active = state.first
    else:
        following = int(state.active) + 1
        state.active = 0 if following == state.players else following
    _begin_round(state)


@kernel
def outcomes(state: Any, chances: Any) -> int:
    """Number the tokens of the bag, the callers clockwise from the player with the bag, or those who race by seat."""
    if state.phase > LAST_CHANCE:
        return 0
    if state.phase == CALLING:
        total = _total_speed(state)
        n_outcomes = int(state.players) - 1
        for step in range(1, state.players):
            chances[step - 1] = _speed(state, _seat_at(state, step)) / total
        return n_outcomes
    n_outcomes = population_count(np.uint64(state.bag if state.phase == DRAWING else state.claims))
    chances[:n_outcomes] = 1.0 / n_outcomes
    return n_outcomes


@kernel
def resolve(state: Any, outcome: int) -> None:
    state.news = (np.int64(state.news) * 1_000_003 + outcome + 1) & _NEWS
    if state.phase == DRAWING:
        token = _nth_bit(np.uint64(state.bag), outcome)
        state.order = token
        state.bag &= np.uint16(FULL_BAG - (1 << token))
        if token < N_TOPPINGS:
            _begin_tick(state)
        else:
            state.phase = CALLING
    elif state.phase == CALLING:
        caller = _seat_at(state, outcome + 1)
        state.hats[caller] += 1
        state.first = caller
        _end_round(state)
    elif not _give_hat(state, _nth_bit(np.uint64(state.claims), outcome)):
        _settle_claims(state)


@kernel
def _nth_bit(word: Any, n: int) -> int:
    for _ in range(n):
        word &= word - _ONE
    return trailing_zeros(word)


@kernel
def retract(state: Any) -> int:
    n_taken_back = 0
    for back in range(1, state.players):
        step = int(state.players) - back
        seat = _seat_at(state, step)
        if state.choices[seat] != 0:
            state.choices[seat] = 0
            state.due |= np.uint8(1 << step)
            state.seat = seat
            n_taken_back += 1
    return n_taken_back
