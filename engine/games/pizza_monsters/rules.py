"""Pizza Monsters: a race for 2 to 8 players to feed a monster with slices of pizza.

Everyone has two pizzas of four slices. In turn a player draws an order from the bag; he lays it down, or puts it back
and lays the next one that he draws. Then each player may feed one slice with the topping ordered to the monster's box.
Who gives away the last slice of a pizza gets a hat and makes a new pizza of any four slices in the box. Four hats win.

Whose rules: the rulebook of the game; what it leaves open is settled in RULES.md. Choices that surprise: a token put
back may be drawn again at once; all decide about feeding in secret, then all is shown; the slices just fed may be
taken for a new pizza; a new pizza is taken slice by slice in the order of the toppings, so that one pizza is one path;
the ten orders return to the bag when both jokers are out, after feeding and refilling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.kernel import kernel
from engine.rng import below, fold, next_word, shuffle_front

# Slices. A slice is its topping, 0 … 7 in the rulebook's order. A pizza, and what lies in the box, is a number of
# slices of each topping, packed into eight bytes, topping 0 lowest.

TOPPINGS = ("salami", "mushrooms", "pineapple", "olives", "pepperoni", "onions", "shrimp", "paprika")
N_TOPPINGS = len(TOPPINGS)
N_SLICES = 64
PIZZA_SIZE = 4
MOST_OF_A_TOPPING = 15  # slices, so that four bits hold their number
N_COLORS = 8  # of the backs of slices; half of the slices of a color show mice, half birds
COLOR_SIZE = N_SLICES // N_COLORS

# Orders. A token of the bag is a topping, or one of the jokers.

JOKER_A, JOKER_B = N_TOPPINGS, N_TOPPINGS + 1  # joker a: the player names a topping; joker b: any slice will do
TOKENS = (*TOPPINGS, "joker-a", "joker-b")
N_TOKENS = len(TOKENS)
FULL_BAG = (1 << N_TOKENS) - 1
JOKERS = 1 << JOKER_A | 1 << JOKER_B
ANY_TOPPING = N_TOPPINGS  # what joker b orders
NO_TOKEN = 15  # no order lies before the players yet

# The simplified game has one joker.

WITH_BOTH_JOKERS, WITH_JOKER_A, WITH_JOKER_B = range(3)
BAGS = np.array([FULL_BAG, FULL_BAG & ~(1 << JOKER_B), FULL_BAG & ~(1 << JOKER_A)], dtype=np.uint16)
JOKERS_OF = np.array([JOKERS, 1 << JOKER_A, 1 << JOKER_B], dtype=np.uint16)

MOST_PLAYERS = 8
N_PIZZAS = 2  # of a player
HATS_TO_WIN = 4
HATS_TO_WIN_SHORT = 2
SAFETY_TURNS = 1000  # the default of max_turns: never reached in sensible play

# Action ids: 0 … 34.

LAY, PUT_BACK = range(2)
NAME = 2  # + topping
DECLINE = NAME + N_TOPPINGS
FEED = DECLINE + 1  # + pizza * 8 + topping
TAKE = FEED + N_PIZZAS * N_TOPPINGS  # + topping; also moves a slice to the first pizza of a mixed start
N_ACTIONS = TAKE + N_TOPPINGS
MOST_LEGAL = 1 + N_PIZZAS * PIZZA_SIZE  # joker b, eight different slices

# What is due. First the phases in which chance is to speak, then those in which a player is.

DRAWING, DRAWING_AGAIN, FILLING_BLINDLY, SPLITTING, CHOOSING, NAMING, FEEDING, FILLING, OVER = range(9)
PHASES = (
    "drawing",
    "drawing-again",
    "filling-blindly",
    "splitting",
    "choosing",
    "naming",
    "feeding",
    "filling",
    "over",
)
LAST_CHANCE = FILLING_BLINDLY


# Tables.


def _split_by_parity() -> np.ndarray:
    """Slices of each color, its mice pizza first and then its birds; shape (8, 8), 64 bytes.

    Each color has each topping once. Color a = 1 … 7 has the toppings x with an even number of common bits of a and x
    on one pizza and the rest on the other; color 8 has 0, 1, 2, 4 and the rest. The first fourteen pizzas are the
    blocks of the Steiner system S(3, 4, 8): any three toppings meet on exactly one of them. Ours: no source says which
    slices belong together.
    """
    rows = []
    for color in range(1, N_COLORS):
        mice = [x for x in range(N_TOPPINGS) if (color & x).bit_count() % 2 == 0]
        rows.append(mice + [x for x in range(N_TOPPINGS) if x not in mice])
    rows.append([0, 1, 2, 4, 3, 5, 6, 7])
    return np.array(rows, dtype=np.uint8)


SLICES = _split_by_parity()


STEPS = 8  # parts of a slice in which prospects are counted
FURTHEST_BEHIND = 64 * STEPS - 1


def _falling_weights() -> np.ndarray:
    """How much a player's prospects weigh by how far he is behind the leader, in parts of a slice; float64, 4 KB."""
    return 1.5 ** -(np.arange(FURTHEST_BEHIND + 1, dtype=np.float64) / STEPS)


WEIGHT = _falling_weights()

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_BYTE = np.uint64(0xFF)
_TOP_SHIFT = np.uint64(56)
_EVERY_BYTE = np.uint64(0x0101010101010101)
_LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
_TOP_BITS = np.uint64(0x8080808080808080)
_SEVEN = np.uint64(7)
_GATHER = np.uint64(0x0102040810204080)  # brings the lowest bit of every byte together in the top byte
_NEWS = np.int64((1 << 31) - 1)

# STATE. Seats that still have something to do in a step are bits of `due`, counted clockwise from the active player.

STATE = np.dtype(
    [
        # options
        ("players", "u1"),  # 2 … 8
        ("must_feed", "u1"),  # 1: who can feed has to
        ("extension", "u1"),  # 1: goes on until one player alone leads with at least four hats
        ("simplified", "u1"),  # 0: the full game; else WITH_JOKER_A or WITH_JOKER_B: one joker, one draw
        ("blind", "u1"),  # 1: all pizzas are drawn from the box unseen
        ("mixed", "u1"),  # 1: players split their first eight slices themselves
        ("short", "u1"),  # 1: two hats win, no new pizzas
        ("random_split", "u1"),  # 1: each color's slices are split into its two pizzas at random
        ("random_colors", "u1"),  # 1: which colors play is drawn, else the first ones
        ("shuffled", "u1"),  # 1: all slices are dealt at random, eight to a color
        ("max_turns", "u2"),  # turns after which the game is broken off
        ("slices", "u1", (N_COLORS, COLOR_SIZE)),  # toppings of each color, mice first
        # public
        ("turns", "u2"),  # turns begun, from 1
        ("bag", "u2"),  # tokens in the bag, a bit mask; one that is shown but not laid down is still among them
        ("active", "u1"),  # the player whose turn it is
        ("seat", "u1"),  # who decides now
        ("phase", "u1"),  # what is due
        ("order", "u1"),  # token shown or laid down in this turn, or NO_TOKEN
        ("topping", "u1"),  # topping that may be fed, or ANY_TOPPING; NO_TOKEN before it is settled
        ("due", "u1"),  # splitting, feeding, filling: seats that still have to, a bit mask from the active player on
        ("pizza", "u1"),  # filling: which pizza is being made
        ("n_taken", "u1"),  # splitting, filling: slices that are on it
        ("hats", "u1", (MOST_PLAYERS,)),  # won by each seat
        ("lowest", "u4"),  # splitting, filling: topping of the last slice taken; none below it may follow
        ("news", "u4"),  # code of what chance showed in the last action, 0 for nothing
        ("box", "u8"),  # slices in the box, a packed count by topping
        ("pizzas", "u8", (MOST_PLAYERS, N_PIZZAS)),  # slices left of each pizza, a packed count by topping
        # hidden
        ("choices", "u1", (MOST_PLAYERS,)),  # feeding: action less DECLINE of each seat that has decided, else 0
        ("chance", "u8", (2,)),  # key of all draws; scratch for their stream
    ],
    align=True,
)


# The verbs.


@kernel
def deal(state: Any, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.chance[1] = _NONE
    state.active = below(rng, int(state.players))
    state.bag = BAGS[state.simplified]
    state.turns = 0
    state.news = 0
    state.n_taken = 0
    state.lowest = 0
    state.pizza = 0
    state.hats[:] = 0
    _deal_slices(state, rng)
    if state.mixed == 1:
        state.turns = 1
        state.order = NO_TOKEN
        state.topping = NO_TOKEN
        state.due = (1 << int(state.players)) - 1
        _let_next_split(state)
    else:
        state.due = 0
        _begin_turn(state)
        _settle_chance(state)
    state.news = 0


@kernel
def _deal_slices(state: Any, rng: Any) -> None:
    """Give each seat the slices of a color, and the rest to the box."""
    players = int(state.players)
    for color in range(N_COLORS):
        state.choices[color] = color  # which color each seat gets; a scratch
    if state.random_colors == 1:
        shuffle_front(rng, state.choices, players, N_COLORS)
    slices = np.empty(N_SLICES, dtype=np.uint8)
    for place in range(N_COLORS):
        slices[place * COLOR_SIZE : (place + 1) * COLOR_SIZE] = state.slices[state.choices[place]]
    state.choices[:] = 0
    if state.shuffled == 1 or state.blind == 1:
        shuffle_front(rng, slices, players * COLOR_SIZE, N_SLICES)
    state.pizzas[:] = 0
    for seat in range(players):
        first = seat * COLOR_SIZE
        if state.random_split == 1:
            shuffle_front(rng, slices[first : first + COLOR_SIZE], PIZZA_SIZE, COLOR_SIZE)
        state.pizzas[seat, 0] = _pack(slices, first, first + PIZZA_SIZE)
        state.pizzas[seat, 1] = _pack(slices, first + PIZZA_SIZE, first + COLOR_SIZE)
    state.box = _pack(slices, players * COLOR_SIZE, N_SLICES)


@kernel
def _pack(slices: Any, first: int, end: int) -> Any:
    """Count the toppings of some slices, packed."""
    packed = _NONE
    for place in range(first, end):
        packed += _ONE << (_EIGHT * np.uint64(slices[place]))
    return packed


@kernel
def current_player(state: Any) -> int:
    return int(state.seat)


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    legal = _legal_mask(state)
    n_legal = 0
    while legal:
        actions[n_legal] = trailing_zeros(legal)
        n_legal += 1
        legal &= legal - _ONE
    return n_legal


@kernel
def _legal_mask(state: Any) -> Any:
    """Return the legal actions as a bit mask (uint64)."""
    if state.phase == FEEDING:
        return _feeds(state, state.seat)
    if state.phase == CHOOSING:
        return np.uint64(1 << LAY | 1 << PUT_BACK)
    if state.phase == FILLING:
        return _slices_to_take(state) << np.uint64(TAKE)
    if state.phase == NAMING:
        return np.uint64(((1 << N_TOPPINGS) - 1) << NAME)
    if state.phase == SPLITTING:
        return _slices_to_split(state) << np.uint64(TAKE)
    return _NONE


@kernel
def _feeds(state: Any, seat: Any) -> Any:
    """Return what `seat` may do about the order on the table, as a mask of actions."""
    fitting = _BYTE if state.topping == ANY_TOPPING else _ONE << np.uint64(state.topping)
    first = _toppings_of(state.pizzas[seat, 0]) & fitting
    second = _toppings_of(state.pizzas[seat, 1]) & fitting
    feeds = (first | second << _EIGHT) << np.uint64(FEED)
    return feeds if state.must_feed == 1 and feeds != _NONE else feeds | np.uint64(1 << DECLINE)


@kernel
def _toppings_of(packed: Any) -> Any:
    """Return the toppings that a packed count holds, as a bit mask (uint64)."""
    present = ((packed + _LOW_BITS) & _TOP_BITS) >> _SEVEN
    return (present * _GATHER) >> _TOP_SHIFT


@kernel
def count_of(packed: Any) -> Any:
    """Return how many slices a packed count holds in all (uint64)."""
    return (packed * _EVERY_BYTE) >> _TOP_SHIFT


@kernel
def _slices_to_take(state: Any) -> Any:
    """Return the toppings that the next slice of a new pizza may have: the box must hold enough from there on up."""
    n_missing = np.uint64(PIZZA_SIZE) - np.uint64(state.n_taken)
    lower = (state.box * _EVERY_BYTE) << _EIGHT  # byte t: slices of toppings below t
    most_lower = count_of(state.box) - n_missing
    enough = (((most_lower * _EVERY_BYTE) | _TOP_BITS) - lower) & _TOP_BITS
    from_last = (_BYTE << np.uint64(state.lowest)) & _BYTE
    return (((enough >> _SEVEN) * _GATHER) >> _TOP_SHIFT) & _toppings_of(state.box) & from_last


@kernel
def _slices_to_split(state: Any) -> Any:
    """Return the toppings that may go to the first pizza of a mixed start next.

    Toppings ascend, and the first topping of which the two pizzas get different numbers is more often on the first
    pizza: so every split is met once.
    """
    made, rest = state.pizzas[state.seat, 0], state.pizzas[state.seat, 1]
    n_missing = PIZZA_SIZE - int(state.n_taken)
    n_left: Any = PIZZA_SIZE + n_missing
    allowed = _NONE
    is_even = True
    for topping in range(N_TOPPINGS):
        shift = _EIGHT * np.uint64(topping)
        n_made, n_rest = np.int64((made >> shift) & _BYTE), np.int64((rest >> shift) & _BYTE)
        if n_rest > 0 and topping >= state.lowest and n_left >= n_missing:
            allowed |= _ONE << np.uint64(topping)
        n_left -= n_rest
        if is_even and n_made != n_rest:
            if n_made < n_rest:
                break
            is_even = False
    return allowed


@kernel
def apply_action(state: Any, action: int) -> None:
    act(state, action)
    _settle_chance(state)


@kernel
def _settle_chance(state: Any) -> None:
    """Let the key decide for as long as chance is due."""
    while state.phase <= LAST_CHANCE:
        resolve(state, _drawn_outcome(state))


@kernel
def _drawn_outcome(state: Any) -> int:
    """Draw an outcome from the key. Draws are numbered by what they are for, so no draw depends on earlier choices."""
    stream = state.chance[1:2]
    number: Any = np.int64(state.turns) << 8
    if state.phase == FILLING_BLINDLY:
        number |= 1 << 7 | np.int64(state.seat) << 2 | np.int64(state.n_taken)
        stream[0] = fold(state.chance[0], number)
        return _outcome_of_slice(state.box, below(stream, int(count_of(state.box))))
    number |= np.int64(state.phase)
    stream[0] = fold(state.chance[0], number)
    return int(below(stream, population_count(np.uint64(state.bag))))


@kernel
def _outcome_of_slice(box: Any, place: Any) -> int:
    """Return the outcome that the slice at a place of the box is, with the slices laid out by topping."""
    outcome = 0
    for topping in range(N_TOPPINGS):
        n_alike = np.int64(box >> (_EIGHT * np.uint64(topping)) & _BYTE)
        if n_alike > 0:
            if place < n_alike:
                break
            place -= n_alike
            outcome += 1
    return outcome


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
def _share_of_win(state: Any, seat: Any) -> float:
    """Return what a seat gets of the win at the end: all who have most hats share it."""
    most = _most_hats(state)
    return 1.0 / _n_leaders(state, most) if state.hats[seat] == most else 0.0


@kernel
def _most_hats(state: Any) -> Any:
    """Return the hats of the leader."""
    most = state.hats[0]
    for seat in range(1, state.players):
        most = max(most, state.hats[seat])
    return most


@kernel
def _n_leaders(state: Any, most: Any) -> int:
    n_leaders = 0
    for seat in range(state.players):
        n_leaders += int(state.hats[seat] == most)
    return n_leaders


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.chance[1] = _NONE
    state.news = 0
    if state.phase != FEEDING:
        return
    decided = _deciders(state) & ~int(state.due)
    for step in range(state.players):
        seat = _seat_at(state, step)
        if (decided >> step) & 1 == 1 and seat != player:
            state.choices[seat] = _random_bit(_feeds(state, seat), rng) - DECLINE


@kernel
def _seat_at(state: Any, step: int) -> Any:
    """Return the seat `step` places clockwise from the active player, unsigned for fast indexing."""
    seat = np.uint64(state.active) + np.uint64(step)
    players = np.uint64(state.players)
    return seat - players if seat >= players else seat


@kernel
def _deciders(state: Any) -> int:
    """Return the seats that have a choice about the order on the table, a bit mask from the active player on."""
    deciders = 0
    for step in range(state.players):
        feeds = _feeds(state, _seat_at(state, step))
        deciders |= int(feeds & (feeds - _ONE) != _NONE) << step
    return deciders


@kernel
def _random_bit(word: Any, rng: Any) -> int:
    """Return the place of one of the bits of a word that is not 0, all equally likely."""
    return _nth_bit(word, below(rng, population_count(word)))


@kernel
def _nth_bit(word: Any, n: int) -> int:
    """Return the place of the set bit of a word that has `n` set bits below it."""
    for _ in range(n):
        word &= word - _ONE
    return trailing_zeros(word)


_OWN_CHOICE = 2 * MOST_PLAYERS  # places of the parts of an observation
_PIZZAS_AT = _OWN_CHOICE + 1 + N_TOKENS + 11
OBSERVATION_SIZE = _PIZZAS_AT + MOST_PLAYERS * N_PIZZAS * N_TOPPINGS + N_TOPPINGS


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    """Lay out, seats counted clockwise from the player: hats of each; who has yet to act in this step; the own secret
    choice; the ten tokens of the bag; phase, turns, active player, who decides, order, topping, pizza being made,
    slices on it, the last of them, and players; the toppings of both pizzas of each seat, and of the box.
    """
    players = int(state.players)
    out[:OBSERVATION_SIZE] = 0.0
    active = (int(state.active) - player + players) % players
    for step in range(players):
        seat = (player + step) % players
        out[step] = state.hats[seat] / 4.0
        out[MOST_PLAYERS + (active + step) % players] = float(int(state.due) >> step & 1)
        for pizza in range(N_PIZZAS):
            at = _PIZZAS_AT + (step * N_PIZZAS + pizza) * N_TOPPINGS
            for topping in range(N_TOPPINGS):
                out[at + topping] = float(state.pizzas[seat, pizza] >> (_EIGHT * np.uint64(topping)) & _BYTE)
    out[_OWN_CHOICE] = float(state.choices[player])
    for token in range(N_TOKENS):
        out[_OWN_CHOICE + 1 + token] = float(int(state.bag) >> token & 1)
    at = _OWN_CHOICE + 1 + N_TOKENS
    out[at] = float(state.phase)
    out[at + 1] = state.turns / 100.0
    out[at + 2] = float(active)
    out[at + 3] = float((int(state.seat) - player + players) % players)
    out[at + 4] = float(state.order)
    out[at + 5] = float(state.topping)
    out[at + 6] = float(state.pizza)
    out[at + 7] = float(state.n_taken)
    out[at + 8] = float(state.lowest)
    out[at + 9] = float(players)
    at = OBSERVATION_SIZE - N_TOPPINGS
    for topping in range(N_TOPPINGS):
        out[at + topping] = float(state.box >> (_EIGHT * np.uint64(topping)) & _BYTE)


@kernel
def heuristic(state: Any, player: int) -> float:
    """Share the win by how far each player has come: a third less for each slice behind the leader.

    A topping at hand counts for a quarter of a slice delivered, and half as much while its order is out of the bag.
    """
    if state.phase == OVER:
        return _share_of_win(state, player)
    furthest = _prospects(state, player)
    own = furthest
    for seat in range(state.players):
        furthest = max(furthest, _prospects(state, seat))
    total = 0.0
    for seat in range(state.players):
        total += WEIGHT[min(furthest - _prospects(state, seat), FURTHEST_BEHIND)]
    return WEIGHT[min(furthest - own, FURTHEST_BEHIND)] / total


@kernel
def _prospects(state: Any, seat: Any) -> Any:
    """Return how far a seat has come, in parts of a slice."""
    held = _toppings_of(state.pizzas[seat, 0] | state.pizzas[seat, 1])
    ordered = held & np.uint64(state.bag)
    return STEPS * _delivered(state, seat) + population_count(held) + population_count(ordered)


@kernel
def _delivered(state: Any, seat: Any) -> Any:
    """Count the slices that a seat has given to the monster in this game; of finished pizzas, all four."""
    if state.phase == SPLITTING:
        return 0
    on_table = np.int64(count_of(state.pizzas[seat, 0]) + count_of(state.pizzas[seat, 1]))
    finished = 0 if state.short == 1 else PIZZA_SIZE * np.int64(state.hats[seat])
    is_filling = state.phase == FILLING or state.phase == FILLING_BLINDLY
    if is_filling and int(state.due) >> _step_of(state, seat) & 1 == 1:  # the new pizza is not there yet
        on_table = np.int64(count_of(state.pizzas[seat, 1 - _empty_pizza(state, seat)])) + PIZZA_SIZE
    return finished + N_PIZZAS * PIZZA_SIZE - on_table


@kernel
def _step_of(state: Any, seat: Any) -> Any:
    """Return how many places clockwise from the active player a seat is."""
    step = np.int64(seat) - np.int64(state.active)
    return step + np.int64(state.players) if step < 0 else step


@kernel
def _empty_pizza(state: Any, seat: Any) -> Any:
    """Return which pizza of a seat that has to fill one it is."""
    if seat == state.seat and state.n_taken > 0:
        return np.int64(state.pizza)
    return np.int64(0) if state.pizzas[seat, 0] == _NONE else np.int64(1)


@kernel
def random_action(state: Any, rng: Any) -> int:
    return _random_bit(_legal_mask(state), rng)


@kernel
def revealed(state: Any, player: int) -> int:
    return int(state.news)


@kernel
def act(state: Any, action: int) -> None:
    state.news = 0
    if action >= TAKE:
        if state.phase == SPLITTING:
            _move_to_first_pizza(state, action - TAKE)
            if state.n_taken == PIZZA_SIZE:
                state.due &= state.due - np.uint8(1)
                _let_next_split(state)
        else:
            _take(state, action - TAKE)
    elif action >= DECLINE:
        state.choices[state.seat] = action - DECLINE
        _let_next_feed(state, int(state.due) & (int(state.due) - 1))
    elif action >= NAME:
        state.topping = action - NAME
        _open_feeding(state)
    elif action == LAY:
        _lay(state, int(state.order))
    else:
        state.phase = DRAWING_AGAIN
        state.order = NO_TOKEN


@kernel
def _move_to_first_pizza(state: Any, topping: int) -> None:
    moved = _ONE << (_EIGHT * np.uint64(topping))
    state.pizzas[state.seat, 0] += moved
    state.pizzas[state.seat, 1] -= moved
    state.lowest = topping
    state.n_taken += 1


@kernel
def _let_next_split(state: Any) -> None:
    """Let the next seat split its slices, all of them on the second pizza at first; or begin the first turn."""
    state.n_taken = 0
    state.lowest = 0
    if state.due == 0:
        state.turns = 0
        _begin_turn(state)
        return
    seat = _seat_at(state, trailing_zeros(np.uint64(state.due)))
    state.phase = SPLITTING
    state.seat = seat
    state.pizzas[seat, 1] += state.pizzas[seat, 0]
    state.pizzas[seat, 0] = _NONE
    _move_to_first_pizza(state, trailing_zeros(_toppings_of(state.pizzas[seat, 1])))  # the lowest one is on the first


@kernel
def _begin_turn(state: Any) -> None:
    state.turns += 1
    state.phase = DRAWING
    state.seat = state.active
    state.order = NO_TOKEN
    state.topping = NO_TOKEN


@kernel
def _lay(state: Any, token: int) -> None:
    """Lay an order on the table and let everybody feed, after joker a once a topping is named."""
    state.order = token
    state.bag &= np.uint16(FULL_BAG - (1 << token))
    if token == JOKER_A:
        state.phase = NAMING
        state.seat = state.active
    else:
        state.topping = min(token, ANY_TOPPING)
        _open_feeding(state)


@kernel
def _open_feeding(state: Any) -> None:
    """Ask all who have a choice; those who have to feed their only fitting slice have none."""
    due = 0
    for step in range(state.players):
        seat = _seat_at(state, step)
        feeds = _feeds(state, seat)
        has_choice = feeds & (feeds - _ONE) != _NONE
        due |= int(has_choice) << step
        state.choices[seat] = 0 if has_choice else trailing_zeros(feeds) - DECLINE
    _let_next_feed(state, due)


@kernel
def _let_next_feed(state: Any, due: int) -> None:
    """Let the next of the seats that are due decide; when all have, feed the monster."""
    state.due = due
    if due == 0:
        _feed(state)
    else:
        state.phase = FEEDING
        state.seat = _seat_at(state, trailing_zeros(np.uint64(due)))


@kernel
def _feed(state: Any) -> None:
    """Show all choices: slices go into the box, and hats to those whose pizza is gone."""
    finished = 0
    for step in range(state.players):
        seat = _seat_at(state, step)
        choice = np.uint64(state.choices[seat])
        if choice:
            place = choice - _ONE
            fed = _ONE << (_EIGHT * (place & _SEVEN))
            pizza = place >> np.uint64(3)
            state.box += fed
            left = state.pizzas[seat, pizza] - fed
            state.pizzas[seat, pizza] = left
            state.choices[seat] = 0
            if left == _NONE:
                state.hats[seat] += 1
                finished |= 1 << step
    if finished and _has_ended(state):
        state.phase = OVER
        return
    _let_next_fill(state, finished if state.short == 0 else 0)


@kernel
def _has_ended(state: Any) -> bool:
    most = _most_hats(state)
    if most < (HATS_TO_WIN_SHORT if state.short == 1 else HATS_TO_WIN):
        return False
    return state.extension == 0 or _n_leaders(state, most) == 1


@kernel
def _let_next_fill(state: Any, due: int) -> None:
    """Let the next of the seats that are due make a new pizza; when all have, end the turn."""
    state.due = due
    state.n_taken = 0
    state.lowest = 0
    state.pizza = 0
    if due == 0:
        _end_turn(state)
        return
    seat = _seat_at(state, trailing_zeros(np.uint64(due)))
    state.seat = seat
    state.pizza = 0 if state.pizzas[seat, 0] == _NONE else 1
    state.phase = FILLING_BLINDLY if state.blind == 1 else FILLING


@kernel
def _take(state: Any, topping: int) -> None:
    """Take a slice from the box for a new pizza."""
    taken = _ONE << (_EIGHT * np.uint64(topping))
    state.box -= taken
    state.pizzas[state.seat, state.pizza] += taken
    state.n_taken += 1
    state.lowest = topping if state.blind == 0 else 0
    if state.n_taken == PIZZA_SIZE:
        _let_next_fill(state, int(state.due) & (int(state.due) - 1))


@kernel
def _end_turn(state: Any) -> None:
    """Return the orders to the bag if no joker is left in it, and pass the bag to the left."""
    if int(state.bag) & int(JOKERS_OF[state.simplified]) == 0:
        state.bag = BAGS[state.simplified]
    if state.turns == state.max_turns:
        state.phase = OVER
        return
    following = int(state.active) + 1
    state.active = 0 if following == state.players else following
    _begin_turn(state)


@kernel
def outcomes(state: Any, chances: Any) -> int:
    """Number the tokens of the bag, or the toppings in the box, ascending."""
    if state.phase > LAST_CHANCE:
        return 0
    if state.phase == FILLING_BLINDLY:
        n_outcomes = 0
        n_slices = np.int64(count_of(state.box))
        for topping in range(N_TOPPINGS):
            n_alike = np.int64(state.box >> (_EIGHT * np.uint64(topping)) & _BYTE)
            if n_alike > 0:
                chances[n_outcomes] = n_alike / n_slices
                n_outcomes += 1
        return n_outcomes
    n_tokens = population_count(np.uint64(state.bag))
    chances[:n_tokens] = 1.0 / n_tokens
    return n_tokens


@kernel
def resolve(state: Any, outcome: int) -> None:
    state.news = (np.int64(state.news) * 1_000_003 + outcome + 1) & _NEWS
    if state.phase == FILLING_BLINDLY:
        _take(state, _nth_bit(_toppings_of(state.box), outcome))
        return
    token = _nth_bit(np.uint64(state.bag), outcome)
    if state.phase == DRAWING_AGAIN or token >= JOKER_A or state.simplified != WITH_BOTH_JOKERS:
        _lay(state, token)
    else:
        state.order = token
        state.phase = CHOOSING


@kernel
def retract(state: Any) -> int:
    if state.phase != FEEDING:
        return 0
    n_due = population_count(np.uint64(state.due))
    _open_feeding(state)
    return population_count(np.uint64(state.due)) - n_due


@kernel
def canonical(state: Any) -> None:
    """Rename the toppings by where their slices and orders are, and with two players swap the pizzas of each, too.

    What is left behind in a short game does not matter, nor does how a topping came to be ordered. The number of turns
    is forgotten as if the safety limit of 1,000 turns were not there; any other limit counts.
    """
    state.news = 0
    if state.max_turns == SAFETY_TURNS:
        state.turns = 1
    if state.short == 1:
        state.box = _NONE
    if state.phase == SPLITTING or state.phase == FILLING or state.phase == FILLING_BLINDLY or _is_secret(state):
        return
    if state.topping < N_TOPPINGS:
        state.order = state.topping
    best = np.zeros(N_TOPPINGS, dtype=np.uint64)
    columns = np.empty(N_TOPPINGS, dtype=np.uint64)
    for swaps in range(4 if state.players == 2 else 1):
        _sort_columns(state, swaps, columns)
        if swaps == 0 or _is_later(columns, best):
            best[:] = columns
    _write_columns(state, best)


@kernel
def _is_secret(state: Any) -> bool:
    """Tell whether somebody has decided about feeding and others have not."""
    return state.phase == FEEDING and _deciders(state) != state.due


# A topping's column: three bits for its slices on each pizza, then four for those in the box, and three marks.
_BOX_AT = np.uint64(3 * MOST_PLAYERS * N_PIZZAS)
_IN_BAG, _IS_SHOWN, _IS_ORDERED = (np.uint64(int(_BOX_AT) + place) for place in (4, 5, 6))


@kernel
def _sort_columns(state: Any, swaps: int, columns: Any) -> None:
    """Write what there is of each topping as one word, largest first; bit s of `swaps` swaps the pizzas of seat s."""
    for topping in range(N_TOPPINGS):
        shift = _EIGHT * np.uint64(topping)
        column = (state.box >> shift & _BYTE) << _BOX_AT
        for seat in range(state.players):
            for pizza in range(N_PIZZAS):
                place = N_PIZZAS * seat + (pizza ^ (swaps >> seat & 1))
                column |= (state.pizzas[seat, pizza] >> shift & _BYTE) << np.uint64(3 * place)
        column |= np.uint64(int(state.bag) >> topping & 1) << _IN_BAG
        column |= np.uint64(state.order == topping) << _IS_SHOWN
        column |= np.uint64(state.topping == topping) << _IS_ORDERED
        place = topping
        while place > 0 and columns[place - 1] < column:
            columns[place] = columns[place - 1]
            place -= 1
        columns[place] = column


@kernel
def _is_later(columns: Any, others: Any) -> bool:
    for place in range(N_TOPPINGS):
        if columns[place] != others[place]:
            return columns[place] > others[place]
    return False


@kernel
def _write_columns(state: Any, columns: Any) -> None:
    state.box = _NONE
    state.pizzas[:] = 0
    bag = int(state.bag) & JOKERS
    for topping in range(N_TOPPINGS):
        shift = _EIGHT * np.uint64(topping)
        column = columns[topping]
        state.box |= (column >> _BOX_AT & np.uint64(15)) << shift
        for seat in range(state.players):
            for pizza in range(N_PIZZAS):
                n_alike = column >> np.uint64(3 * (N_PIZZAS * seat + pizza)) & _SEVEN
                state.pizzas[seat, pizza] |= n_alike << shift
        bag |= int(column >> _IN_BAG & _ONE) << topping
        if column >> _IS_SHOWN & _ONE:
            state.order = topping
        if column >> _IS_ORDERED & _ONE:
            state.topping = topping
    state.bag = bag
