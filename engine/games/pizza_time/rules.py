"""Pizza Time: a race for 2 to 6 players.

Everyone has the same four double-sided cards. Each of six rounds shows an order, a number for each of four toppings.
All at once lay their cards as a 2 × 2 square, until it shows the exact number of two toppings of their choice (three in
rounds 3 and 4, all four in rounds 5 and 6). The fastest take number cards, and in that order a card of the order each,
worth its number in points; who was wrong gives one away instead.

Whose rules: the rulebook of Cocktail Games; what it leaves open is settled in RULES.md. Choices that surprise: the
printed faces are not known, so the card set is ours, and so is what makes position and turn matter: halves at the edges
count where two equal ones meet. The race is cut into ticks: all movements of a tick are chosen before any is seen.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.kernel import kernel
from engine.rng import below, fold, mix, next_word

# Toppings and cards. A face is 32 bits: four bits for the whole ones of each topping, from the lowest up, then four
# bits for the half at each edge, north, east, south, west: 0 none, else 1 + topping.

TOPPINGS = ("mushroom", "pepper", "cheese", "olive")
N_TOPPINGS = len(TOPPINGS)
N_CARDS = 4
N_SIDES = 2
N_TURNS = 4
N_FACES = N_CARDS * N_SIDES  # face number: 2 * card + side
MOST_WHOLE = 15
NORTH, EAST, SOUTH, WEST = range(4)

# Placements. Places go clockwise from the top left. How a card lies is three bits, quarter turns and side * 4; a
# placement is `arrangement << 12` with how cards 1 to 4 lie below, card 1 lowest. An arrangement is ring * 4 + the
# place of card 1, a ring the order of the other cards clockwise from card 1. So turning the whole square changes two
# bits of the arrangement and the turns, and what is left is one of 24,576 pizzas.

RINGS = tuple(itertools.permutations((1, 2, 3)))
N_ARRANGEMENTS = len(RINGS) * N_CARDS
LIE_BITS = 3
LIES_BITS = LIE_BITS * N_CARDS
N_LIES = 1 << LIES_BITS
N_PLACEMENTS = N_ARRANGEMENTS * N_LIES  # 98,304
N_PIZZAS = len(RINGS) * N_LIES  # 24,576

SIDE_BITS = 0o4444  # of the four lies
TURN_BITS = 0o3333
EVERY_LIE = 0o1111

# Number cards, rounds and piles.

MOST_PLAYERS = 6
N_NUMBER_CARDS = 4
N_ROUNDS = 6
TYPES_BY_ROUND = (2, 2, 3, 3, 4, 4)
PILE_SIZE = N_ROUNDS  # one card of each pile a round
MOST_NUMBER = 15  # on an ingredient card
N_ORDERS = PILE_SIZE**N_TOPPINGS  # orders by the place of each card in its sorted pile
MOST_PACE = 100
MOST_TICKS = 60_000

# Options.

UNSOLVABLE = ("lower_k", "redraw", "void")
LOWER, REDRAW, VOID = range(len(UNSOLVABLE))
PENALTIES = ("give", "discard")
GIVE_AWAY, DISCARD = range(len(PENALTIES))
CHOOSERS = ("faulty", "left", "lowest")
FAULTY, LEFT, LOWEST = range(len(CHOOSERS))
MOST_REDRAWS = 100  # then the round is played as with LOWER

# Action ids. In the race: flip a card, turn it a quarter clockwise, swap two cards, rebuild all, claim a number. After
# it: take a card of the order, give one to a seat, or discard one.

PAIRS = tuple(itertools.combinations(range(N_CARDS), 2))
FIRST_FLIP = 0
FIRST_TURN = FIRST_FLIP + N_CARDS
FIRST_SWAP = FIRST_TURN + N_CARDS
REBUILD = FIRST_SWAP + len(PAIRS)
CLAIM = REBUILD + 1
N_MOVEMENTS = CLAIM + 1  # 16
N_REARRANGEMENTS = REBUILD  # flips, turns and swaps
FIRST_TAKE = N_MOVEMENTS
FIRST_GIVE = FIRST_TAKE + N_TOPPINGS  # + topping * 6 + the seat that gets it
FIRST_DISCARD = FIRST_GIVE + N_TOPPINGS * MOST_PLAYERS
N_ACTIONS = FIRST_DISCARD + N_TOPPINGS
MOST_LEGAL = N_TOPPINGS * (MOST_PLAYERS - 1)

# What stands in `pending` beside a movement.

UNKNOWN = N_MOVEMENTS  # chosen, but this copy of the table does not say what: chance decides when the tick ends
NONE = 0xFF  # not chosen in this tick

WRONG = 8  # bit of a number card that lies on a wrong pizza
NUMBER_BITS = 7

# Slots of a tick in which chance decides something, beside a rebuild in the slot of each seat.

CLAIMS_SLOT = 6
ORDER_SLOT = 7
FIRST_GUESS_SLOT = 8
N_SLOTS = 16


# Tables.


def _arrangements() -> tuple[np.ndarray, np.ndarray]:
    """Cards by place, two bits each, of every arrangement (24 bytes), and where each swap leads, shape (24, 6)."""
    orders = []
    for ring in RINGS:
        for first in range(N_CARDS):
            cards = [0, *ring]
            orders.append(tuple(cards[(place - first) % N_CARDS] for place in range(N_CARDS)))
    packed = [sum(card << (2 * place) for place, card in enumerate(order)) for order in orders]
    swapped = np.zeros((N_ARRANGEMENTS, len(PAIRS)), dtype=np.uint8)
    for number, order in enumerate(orders):
        for pair, (one, other) in enumerate(PAIRS):
            exchange = {one: other, other: one}
            swapped[number, pair] = orders.index(tuple(exchange.get(card, card) for card in order))
    return np.array(packed, dtype=np.uint8), swapped


CARDS_AT, SWAPPED = _arrangements()
_SEAM = np.array([0, *(1 << (8 * topping) for topping in range(N_TOPPINGS))], dtype=np.int64)

_ONE_OF_EACH = 0x7F7F7F7F
_TOP_BITS = 0x80808080

# STATE. The piles are public but for their order: `left` marks the cards that are still face down, and chance draws one
# of them, so there is no hidden pile to guess. Of equal cards the first goes first: which one it was tells nothing.

STATE = np.dtype(
    [
        # options
        ("faces", "u4", (N_FACES,)),  # the card set, packed as above
        ("limit", "u2"),  # ticks of a round
        ("players", "u1"),  # 2 … 6
        ("expert", "u1"),  # 1: all four toppings in every round
        ("unsolvable", "u1"),  # place in UNSOLVABLE
        ("penalty", "u1"),  # place in PENALTIES
        ("penalty_chooser", "u1"),  # place in CHOOSERS
        ("has_pace", "u1"),  # 1: some seat is slower than a movement a tick
        ("pace", "u1", (MOST_PLAYERS,)),  # ticks that a movement of each seat takes; 1 for seats that do not play
        ("piles", "u1", (N_TOPPINGS, PILE_SIZE)),  # numbers of each pile, ascending
        ("most_types", "u1", (N_ORDERS // 4,)),  # by order, two bits each: most toppings that a pizza matches, less 1
        # public
        ("news", "u1"),  # 1: the last action let chance show something
        ("rounds", "u1"),  # rounds over, 0 … 6
        ("order", "u4"),  # number wanted of each topping, a byte each, mushrooms lowest
        ("order_number", "u2"),  # of the order: places of its cards in their piles, the first of equal ones, in base 6
        ("tick", "u2"),  # tick of the round that is being played, from 1
        ("placement", "u4", (MOST_PLAYERS,)),  # how the cards of each seat lie
        ("points", "u2", (MOST_PLAYERS,)),  # points of the cards won
        ("left", "u1", (N_TOPPINGS,)),  # cards of each pile still face down, a bit for each place of `piles`
        ("types", "u1", (N_ROUNDS,)),  # toppings to match in each round, known up to this one; 0 in a void round
        ("numbers", "u1", (N_ROUNDS, MOST_PLAYERS)),  # number card of each seat in each round, with WRONG; 0 none
        ("racing", "u1"),  # seats without a number card in this round, a bit each; 0 when the game is over
        ("waiting", "u1"),  # seats that have yet to choose, a bit each, lowest first
        ("cards", "u1"),  # cards of the order not yet taken, a bit for each topping
        ("serving", "u1"),  # number card whose owner is served now; 0 in the race
        # hidden
        ("pending", "u1", (MOST_PLAYERS,)),  # movement chosen by each seat in this tick, UNKNOWN or NONE
        ("chance", "u8", (2,)),  # key of all chance after the deal; scratch for a stream
    ],
    align=True,
)


# The verbs.


@kernel
def deal(state: Any, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.rounds = 0
    state.points[:] = 0
    state.left[:] = (1 << PILE_SIZE) - 1
    state.types[:] = 0
    state.numbers[:] = 0
    state.placement[:] = 0
    state.pending[:] = NONE
    _start_round(state)


@kernel
def _start_round(state: Any) -> None:
    """Turn up an order and lay every seat's cards down at random; the game is over when there is no round left."""
    state.serving = 0
    state.waiting = 0
    state.racing = 0
    state.cards = 0
    while state.rounds < N_ROUNDS:
        state.tick = 0
        _turn_up_order(state)
        if state.types[state.rounds] > 0:
            break
        state.rounds += 1
    if state.rounds == N_ROUNDS:
        return
    for seat in range(np.int64(state.players)):
        state.placement[seat] = below(_stream(state, seat), N_PLACEMENTS)
    state.racing = (1 << np.int64(state.players)) - 1
    state.cards = (1 << N_TOPPINGS) - 1
    _next_tick(state)


@kernel
def _stream(state: Any, slot: Any) -> Any:
    """Return the stream of one slot of this tick; deal, round, tick and slot decide it, not what players chose."""
    stream = state.chance[1:2]
    stream[0] = fold(state.chance[0], ((np.int64(state.rounds) << 16) + np.int64(state.tick)) * N_SLOTS + slot)
    return stream


@kernel
def _turn_up_order(state: Any) -> None:
    stream = _stream(state, ORDER_SLOT)
    wanted = N_TOPPINGS if state.expert == 1 else TYPES_BY_ROUND[state.rounds]
    drawn = -1
    for _ in range(MOST_REDRAWS if state.unsolvable == REDRAW else 1):
        drawn = _draw_order(state, stream)
        if most_types(state, drawn) >= wanted:
            break
    types = min(wanted, most_types(state, drawn))
    if state.unsolvable == VOID and types < wanted:
        types = 0
    state.types[state.rounds] = types
    state.news = 1
    _set_order(state, drawn)


@kernel
def _draw_order(state: Any, stream: Any) -> Any:
    """Draw a card from each pile, each that is left with equal chance; return the number of the order."""
    number = 0
    for topping in range(N_TOPPINGS):
        left = np.int64(state.left[topping])
        pick = below(stream, population_count(np.uint64(left)))
        place = nth_bit(left, pick)
        numbers = state.piles[topping]
        while place > 0 and numbers[place - 1] == numbers[place]:
            place -= 1
        number = number * PILE_SIZE + place
    return number


@kernel
def nth_bit(mask: Any, rank: Any) -> Any:
    """Return the place of the set bit of a mask that has `rank` set bits below it."""
    for _ in range(rank):
        mask &= mask - 1
    return trailing_zeros(np.uint64(mask))


@kernel
def most_types(state: Any, order_number: Any) -> Any:
    """Return how many toppings of an order some pizza of the set matches at once, 1 … 4."""
    return 1 + ((np.int64(state.most_types[order_number >> 2]) >> (2 * (order_number & 3))) & 3)


@kernel
def _set_order(state: Any, number: Any) -> None:
    """Make an order the order of the round; of equal cards the first that is left goes."""
    state.order_number = number
    order: Any = 0
    for back in range(N_TOPPINGS):
        topping = N_TOPPINGS - 1 - back
        place = number % PILE_SIZE
        number //= PILE_SIZE
        order |= np.int64(state.piles[topping, place]) << (8 * topping)
        left = np.int64(state.left[topping])
        while (left >> place) & 1 == 0:
            place += 1
        state.left[topping] = left & ~(1 << place)
    state.order = order


@kernel
def _next_tick(state: Any) -> bool:
    """Go to the next tick in which somebody moves; return False when the time of the round is up before."""
    tick = np.int64(state.tick)
    waiting: Any = 0
    while waiting == 0:
        tick += 1
        if tick > np.int64(state.limit):
            return False
        waiting = np.int64(state.racing) if state.has_pace == 0 else _movers(state, tick)
    state.tick = tick
    state.waiting = waiting
    return True


@kernel
def _movers(state: Any, tick: Any) -> Any:
    """Return the racing seats that complete a movement in a tick, a bit each."""
    movers: Any = 0
    racing = np.int64(state.racing)
    while racing:
        seat = trailing_zeros(np.uint64(racing))
        racing &= racing - 1
        if tick % np.int64(state.pace[np.uint64(seat)]) == 0:
            movers |= 1 << seat
    return movers


@kernel
def current_player(state: Any) -> int:
    return trailing_zeros(np.uint64(state.waiting))


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if state.waiting == 0:
        return 0
    if state.serving == 0:
        for action in range(N_MOVEMENTS):
            actions[action] = action
        return N_MOVEMENTS
    n_legal = 0
    owner = owner_of(state, np.int64(state.serving))
    for topping in range(N_TOPPINGS):
        if (np.int64(state.cards) >> topping) & 1 == 0:
            continue
        if is_right(state, owner):
            actions[n_legal] = FIRST_TAKE + topping
            n_legal += 1
        elif state.penalty == DISCARD:
            actions[n_legal] = FIRST_DISCARD + topping
            n_legal += 1
        else:
            for seat in range(np.int64(state.players)):
                if seat != owner:
                    actions[n_legal] = FIRST_GIVE + topping * MOST_PLAYERS + seat
                    n_legal += 1
    return n_legal


@kernel
def owner_of(state: Any, number: Any) -> Any:
    """Return the seat that has a number card of this round; it must be taken."""
    seat = 0
    while (np.int64(state.numbers[state.rounds, seat]) & NUMBER_BITS) != number:
        seat += 1
    return seat


@kernel
def is_right(state: Any, seat: Any) -> bool:
    """Tell whether the number card of a seat lies on a right pizza; it must have one in this round."""
    return np.int64(state.numbers[state.rounds, seat]) & WRONG == 0


@kernel
def apply_action(state: Any, action: int) -> None:
    state.news = 0
    if state.serving == 0:
        waiting = np.int64(state.waiting)
        state.pending[np.uint64(trailing_zeros(np.uint64(waiting)))] = action
        waiting &= waiting - 1
        state.waiting = waiting
        if waiting != 0:
            return
        _end_tick(state)
        if n_numbers_left(state) > 0 and _next_tick(state):
            return
    else:
        _move_card(state, action)
    _serve_next(state)


@kernel
def _end_tick(state: Any) -> None:
    """Carry out all movements of the tick, then number those who claim."""
    claims: Any = 0
    for place in range(state.players):
        seat = np.uint64(place)
        movement = np.int64(state.pending[seat])
        if movement == NONE:
            continue
        state.pending[seat] = NONE
        if movement == UNKNOWN:
            movement = _guess(state, np.int64(place))
        if movement == CLAIM:
            claims |= 1 << np.int64(place)
        elif movement == REBUILD:
            state.placement[seat] = below(_stream(state, np.int64(place)), N_PLACEMENTS)
            state.news = 1
        else:
            state.placement[seat] = rearranged(np.int64(state.placement[seat]), movement)
    if claims > 0:
        _number_claims(state, claims)


@kernel
def _guess(state: Any, seat: Any) -> Any:
    """Return a movement that somebody has chosen unseen: with a right pizza mostly the claim, else any, all alike."""
    state.news = 1
    word = below(_stream(state, FIRST_GUESS_SLOT + seat), N_MOVEMENTS * N_MOVEMENTS)
    if word >= N_MOVEMENTS and has_right_pizza(state, seat):
        return CLAIM
    return word % N_MOVEMENTS


@kernel
def has_right_pizza(state: Any, seat: Any) -> bool:
    """Tell whether the cards of a seat, as they lie, match enough toppings of the order."""
    totals = totals_of(state.faces, np.int64(state.placement[seat]))
    return n_exact(totals, np.int64(state.order)) >= state.types[state.rounds]


@kernel
def totals_of(faces: Any, placement: Any) -> Any:
    """Return what a placement shows of each topping, a byte each, mushrooms lowest: whole ones and closed seams.

    A seam is where two cards touch; it counts when the two halves there are equal. Each card meets the next one
    clockwise with one half and the card before it with the half a quarter further on.
    """
    cards = np.int64(CARDS_AT[np.uint64(placement >> LIES_BITS)])
    evens: Any = 0
    odds: Any = 0
    seams: Any = 0
    first_in: Any = 0
    last_out: Any = 0
    for place in range(N_CARDS):
        card = (cards >> (2 * place)) & 3
        lie = (placement >> (LIE_BITS * card)) & 7
        face = np.int64(faces[np.uint64(2 * card + (lie >> 2))])
        evens += face & 0x0F0F
        odds += (face >> 4) & 0x0F0F
        turns = lie - place  # as seen from the middle of the square
        half_in = (face >> (16 + 4 * ((SOUTH - turns) & 3))) & 15
        half_out = (face >> (16 + 4 * ((EAST - turns) & 3))) & 15
        if place == 0:
            first_in = half_in
        else:
            seams += _SEAM[np.uint64(half_in)] * (half_in == last_out)
        last_out = half_out
    seams += _SEAM[np.uint64(first_in)] * (first_in == last_out)
    return (evens & 0xFF) + ((odds & 0xFF) << 8) + ((evens >> 8) << 16) + ((odds >> 8) << 24) + seams


@kernel
def n_exact(totals: Any, order: Any) -> Any:
    """Count the toppings of which exactly the number wanted is shown."""
    differs = totals ^ order
    differs = (
        ((differs & _ONE_OF_EACH) + _ONE_OF_EACH) | differs
    ) & _TOP_BITS  # the top bit of each byte that is not 0
    return N_TOPPINGS - population_count(np.uint64(differs))


@kernel
def rearranged(placement: Any, movement: Any) -> Any:
    """Return a placement after a flip, a turn or a swap."""
    if movement < FIRST_TURN:
        return placement ^ (4 << (LIE_BITS * movement))
    if movement < FIRST_SWAP:
        shift = LIE_BITS * (movement - FIRST_TURN)
        turns = (placement >> shift) & 3
        return placement ^ ((turns ^ ((turns + 1) & 3)) << shift)
    arrangement = np.int64(SWAPPED[np.uint64(placement >> LIES_BITS), np.uint64(movement - FIRST_SWAP)])
    return (arrangement << LIES_BITS) | (placement & (N_LIES - 1))


@kernel
def pizza_of(placement: Any) -> Any:
    """Return the pizza that a placement is, 0 … 24,575, the same however the whole square is turned."""
    first = (placement >> LIES_BITS) & 3
    turns = ((placement & TURN_BITS) + ((4 - first) & 3) * EVERY_LIE) & TURN_BITS
    return ((placement >> (LIES_BITS + 2)) << LIES_BITS) | (placement & SIDE_BITS) | turns


@kernel
def _number_claims(state: Any, claims: Any) -> None:
    """Give the number cards that are left to those who claim in this tick, in random order; the rest gets none."""
    if claims & (claims - 1) != 0:
        state.news = 1
    stream = _stream(state, CLAIMS_SLOT)
    while claims > 0 and n_numbers_left(state) > 0:
        seat = nth_bit(claims, below(stream, population_count(np.uint64(claims))))
        number = n_numbers_taken(state) + 1
        state.numbers[state.rounds, seat] = number if has_right_pizza(state, seat) else number + WRONG
        state.racing = np.int64(state.racing) & ~(1 << seat)
        claims &= ~(1 << seat)


@kernel
def n_numbers_taken(state: Any) -> Any:
    """Count the number cards taken in this round."""
    return np.int64(state.players) - population_count(np.uint64(state.racing))


@kernel
def n_numbers_left(state: Any) -> Any:
    """Count the number cards that can still be taken: one fewer than players, and at most four, are in a round."""
    return min(N_NUMBER_CARDS, np.int64(state.players) - 1) - n_numbers_taken(state)


@kernel
def _move_card(state: Any, action: Any) -> None:
    """Take, give or discard a card of the order."""
    topping = action - FIRST_TAKE
    if action >= FIRST_DISCARD:
        topping = action - FIRST_DISCARD
    elif action >= FIRST_GIVE:
        topping = (action - FIRST_GIVE) // MOST_PLAYERS
        state.points[(action - FIRST_GIVE) % MOST_PLAYERS] += number_wanted(state, topping)
    else:
        state.points[owner_of(state, np.int64(state.serving))] += number_wanted(state, topping)
    state.cards = np.int64(state.cards) & ~(1 << topping)


@kernel
def number_wanted(state: Any, topping: Any) -> Any:
    """Return the number on a topping's card of the order."""
    return (np.int64(state.order) >> (8 * topping)) & 0xFF


@kernel
def _serve_next(state: Any) -> None:
    """Let the next number card be served, or end the round after the last."""
    state.serving += 1
    while state.serving <= n_numbers_taken(state):
        owner = owner_of(state, np.int64(state.serving))
        if is_right(state, owner) or state.penalty_chooser == FAULTY:
            state.waiting = 1 << owner
            return
        if state.penalty_chooser == LEFT:
            state.waiting = 1 << ((owner + 1) % np.int64(state.players))
            return
        _pay_lowest(state, owner)
        state.serving += 1
    state.rounds += 1
    _start_round(state)


@kernel
def _pay_lowest(state: Any, owner: Any) -> None:
    """Take the lowest card of the order away, to the opponent with the fewest points unless it is discarded.

    Of equal cards the first topping goes, of equal opponents the nearest to the left.
    """
    players = np.int64(state.players)
    topping = lowest_card(state)
    if state.penalty == GIVE_AWAY:
        poorest = (owner + 1) % players
        for step in range(2, players):
            seat = (owner + step) % players
            if state.points[seat] < state.points[poorest]:
                poorest = seat
        state.points[poorest] += number_wanted(state, topping)
    state.cards = np.int64(state.cards) & ~(1 << topping)


@kernel
def lowest_card(state: Any) -> Any:
    """Return the topping of the lowest card of the order that is left; there must be one."""
    best = trailing_zeros(np.uint64(state.cards))
    for topping in range(best + 1, N_TOPPINGS):
        if (np.int64(state.cards) >> topping) & 1 == 1 and number_wanted(state, topping) < number_wanted(state, best):
            best = topping
    return best


@kernel
def is_terminal(state: Any) -> bool:
    return state.waiting == 0


@kernel
def score(state: Any, points: Any) -> None:
    for seat in range(np.int64(state.players)):
        points[seat] = state.points[seat]


@kernel
def returns(state: Any, utility: Any) -> None:
    winners = winners_of(state)
    share = 1.0 / population_count(np.uint64(winners))
    for seat in range(np.int64(state.players)):
        utility[seat] = share if (winners >> seat) & 1 == 1 else 0.0


@kernel
def winners_of(state: Any) -> Any:
    """Return the seats that win with the points of now, a bit each.

    Of those with most points, the one with the best number on a right pizza in the last round wins; if none has one,
    the round before decides, and so on; without any they share.
    """
    players = np.int64(state.players)
    most: Any = -1
    tied: Any = 0
    for seat in range(players):
        points = np.int64(state.points[seat])
        if points > most:
            most = points
            tied = 0
        if points == most:
            tied |= 1 << seat
    if tied & (tied - 1) == 0:
        return tied
    for back in range(N_ROUNDS):
        best_number: Any = WRONG
        best = 0
        for seat in range(players):
            number = np.int64(state.numbers[N_ROUNDS - 1 - back, seat])
            if (tied >> seat) & 1 == 1 and 0 < number < best_number:
                best_number = number
                best = seat
        if best_number < WRONG:
            return 1 << best
    return tied


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    """Hide what others have chosen in this tick and all that chance has in store.

    A hidden movement becomes UNKNOWN: should the tick be played out, the new key decides what it was.
    """
    state.chance[0] = next_word(rng)
    state.chance[1] = 0
    state.news = 0
    for place in range(state.players):
        seat = np.uint64(place)
        if state.pending[seat] != NONE and place != player:
            state.pending[seat] = UNKNOWN


_SEEN_OF_A_SEAT = N_CARDS * (N_CARDS + 1 + N_TURNS) + N_TOPPINGS + N_ROUNDS + 5
_SEEN_OF_ALL = N_FACES * 8 + N_TOPPINGS * PILE_SIZE * 2 + N_TOPPINGS * 2 + N_ROUNDS + N_MOVEMENTS + 9
OBSERVATION_SIZE = MOST_PLAYERS * _SEEN_OF_A_SEAT + _SEEN_OF_ALL


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    """Lay out for each seat, counted from the player to the left: each card's place, side and turns, the totals, the
    number card of each round (negative on a wrong pizza), points, pace, whether it races, waits, and has chosen; then
    the faces, the piles and what is left of them, the order and its cards, the toppings to match in each round, the
    player's own movement of this tick, and round, tick, limit, number served and rules.
    """
    out[:OBSERVATION_SIZE] = 0.0
    players = np.int64(state.players)
    for step in range(players):
        _observe_seat(state, (player + step) % players, out[step * _SEEN_OF_A_SEAT : (step + 1) * _SEEN_OF_A_SEAT])
    at = MOST_PLAYERS * _SEEN_OF_A_SEAT
    for face in range(N_FACES):
        for part in range(8):
            out[at + 8 * face + part] = ((np.int64(state.faces[face]) >> (4 * part)) & 15) / 4.0
    at += N_FACES * 8
    for topping in range(N_TOPPINGS):
        for place in range(PILE_SIZE):
            out[at + 2 * (topping * PILE_SIZE + place)] = state.piles[topping, place] / 4.0
            out[at + 2 * (topping * PILE_SIZE + place) + 1] = (np.int64(state.left[topping]) >> place) & 1
    at += N_TOPPINGS * PILE_SIZE * 2
    for topping in range(N_TOPPINGS):
        out[at + topping] = number_wanted(state, topping) / 4.0
        out[at + N_TOPPINGS + topping] = (np.int64(state.cards) >> topping) & 1
    at += N_TOPPINGS * 2
    for number in range(N_ROUNDS):
        out[at + number] = state.types[number] / N_TOPPINGS
    at += N_ROUNDS
    if state.pending[player] < N_MOVEMENTS:
        out[at + np.int64(state.pending[player])] = 1.0
    at += N_MOVEMENTS
    out[at] = state.rounds / N_ROUNDS
    out[at + 1] = state.tick / 1024.0
    out[at + 2] = state.limit / 1024.0
    out[at + 3] = state.serving / N_NUMBER_CARDS
    out[at + 4] = players / MOST_PLAYERS
    out[at + 5] = state.expert
    out[at + 6] = state.unsolvable
    out[at + 7] = state.penalty
    out[at + 8] = state.penalty_chooser


@kernel
def _observe_seat(state: Any, seat: Any, out: Any) -> None:
    placement = np.int64(state.placement[seat])
    cards = np.int64(CARDS_AT[placement >> LIES_BITS])
    at: Any = 0
    for place in range(N_CARDS):
        card = (cards >> (2 * place)) & 3
        lie = (placement >> (LIE_BITS * card)) & 7
        at = card * (N_CARDS + 1 + N_TURNS)
        out[at + place] = 1.0
        out[at + N_CARDS] = lie >> 2
        out[at + N_CARDS + 1 + (lie & 3)] = 1.0
    at = N_CARDS * (N_CARDS + 1 + N_TURNS)
    totals = totals_of(state.faces, placement)
    for topping in range(N_TOPPINGS):
        out[at + topping] = ((totals >> (8 * topping)) & 0xFF) / 4.0
    at += N_TOPPINGS
    for number in range(N_ROUNDS):
        held = np.int64(state.numbers[number, seat])
        out[at + number] = (held if held < WRONG else WRONG - held) / N_NUMBER_CARDS
    at += N_ROUNDS
    out[at] = state.points[seat] / 16.0
    out[at + 1] = state.pace[seat]
    out[at + 2] = (np.int64(state.racing) >> seat) & 1
    out[at + 3] = (np.int64(state.waiting) >> seat) & 1
    out[at + 4] = 1.0 if state.pending[seat] != NONE else 0.0


@kernel
def heuristic(state: Any, player: int) -> float:
    """Share the win by points, the more evenly the more rounds are left; at the end as the rules do.

    A lead of d points counts as in a logistic curve of d / 2 over the root of the rounds left, with the first terms of
    the exponential series: a round spreads the points of two seats by about three.
    """
    if is_terminal(state):
        winners = winners_of(state)
        return ((winners >> player) & 1) / population_count(np.uint64(winners))
    players = np.int64(state.players)
    most: Any = 0
    for seat in range(players):
        most = max(most, np.int64(state.points[seat]))
    spread = 2.0 * math.sqrt(N_ROUNDS - np.int64(state.rounds))
    total = 0.0
    own = 0.0
    for seat in range(players):
        gap = (most - np.int64(state.points[seat])) / spread
        weight = 1.0 / (1.0 + gap * (1.0 + gap * (0.5 + gap / 6.0)))
        total += weight
        if seat == player:
            own = weight
    return own / total


@kernel
def random_action(state: Any, rng: Any) -> int:
    if state.serving == 0:
        return below(rng, N_MOVEMENTS)
    owner = owner_of(state, np.int64(state.serving))
    cards = np.int64(state.cards)
    n_cards = population_count(np.uint64(cards))
    if is_right(state, owner):
        return FIRST_TAKE + nth_bit(cards, below(rng, n_cards))
    if state.penalty == DISCARD:
        return FIRST_DISCARD + nth_bit(cards, below(rng, n_cards))
    n_opponents = np.int64(state.players) - 1
    pick = below(rng, n_cards * n_opponents)
    seat = pick % n_opponents
    return FIRST_GIVE + nth_bit(cards, pick // n_opponents) * MOST_PLAYERS + seat + (seat >= owner)


@kernel
def revealed(state: Any, player: int) -> int:
    """Return a hash of all that lies open, where the last action let chance show something.

    Rebuilds alone have more outcomes than a code can number; two that differ share one with chance 2**-31.
    """
    if state.news == 0:
        return 0
    word = mix(np.uint64(state.order) ^ (np.uint64(state.rounds) << np.uint64(32)))
    for seat in range(np.int64(state.players)):
        word = mix(word ^ np.uint64(state.placement[seat]))
    if state.rounds < N_ROUNDS:
        for seat in range(np.int64(state.players)):
            word = mix(word ^ np.uint64(state.numbers[state.rounds, seat]))
    code: Any = np.int64(word & np.uint64(0x7FFFFFFF))
    return code + (code == 0)
