"""Robot Master: a square of 5 × 5 cards for two players, two teams, or one player alone.

The deck holds the numbers 0 to 5, six times each. One card lies in the middle of the square; in turn each player puts a
card of his hand edge to edge with cards that lie there, until the square is full. One side owns the rows, the other the
columns; each line scores for single cards, pairs and triples, and only the lowest line of each side counts. Alone, the
player draws one card at a time, and the lowest of all ten lines is his score.

Whose rules: the Donoho Family's rulebook; what it leaves open is settled in RULES.md. Choices that surprise: pairs of
zeros score nothing and three zeros 100; with equal lowest lines the second lowest decide, then the third; in teams one
card stays in each hand; over several rounds the winner of a round takes the difference of the lowest lines.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.games.robot_master.lines import (
    ADDED,
    ALONE,
    MOST_POINTS,
    MOST_SIZE,
    N_LEVELS,
    N_VALUES,
    PACKED,
    SCORES,
    SIZES,
    STEPS,
    SURVIVAL,
    VERSUS,
)
from engine.kernel import kernel
from engine.rng import below, fold, mix, next_word, shuffle_front

# Cards. A card is its value; in a cell, in the stock and in `drawn` it is value + 1, and 0 is no card.

N_COPIES = 6
N_CARDS = N_VALUES * N_COPIES
FULL_DECK = np.repeat(np.arange(1, N_VALUES + 1, dtype=np.uint8), N_COPIES)

# A hand is a packed count: four bits for each value, 0 in the lowest.

_HAND_BITS = 4
_EACH_VALUE = np.uint64(0x111111)

# The square. Cell = row * 5 + column. Its frame has one more row above and one more column to the left, where a card
# may be laid while the square still floats; place = (row + 1) * 6 + column + 1, and sets of places are bit masks.

N_CELLS = MOST_SIZE * MOST_SIZE
FRAME = MOST_SIZE + 1
N_PLACES = FRAME * FRAME

# Action ids: place * 6 + value, 0 … 215. Only a floating square uses the first row and column of the frame.

N_ACTIONS = N_PLACES * N_VALUES

# Seats and sides: seats 0, 2 are side 0 and own the rows, seats 1, 3 are side 1 and own the columns.

MOST_PLAYERS = 4
N_SIDES = 2
MOST_ROUNDS = 12
RANDOM_SEAT = 255  # the option: chance says who starts
DRAW = 0  # of a round; otherwise the winning side + 1

signed: Any = np.int64  # compiled, int() would leave a field unsigned, and differences would wrap


# Tables of places.

_PLACE_ROW = np.repeat(np.arange(-1, MOST_SIZE), FRAME)
_PLACE_COLUMN = np.tile(np.arange(-1, MOST_SIZE), FRAME)
ROW_OF = np.maximum(_PLACE_ROW, 0).astype(np.uint64)  # of a place inside the square
COLUMN_OF = np.maximum(_PLACE_COLUMN, 0).astype(np.uint64)


def _spaces() -> np.ndarray:
    """Places that a square may still take; uint64, shape (6, 2, 2): size, room above, room to the left."""
    table = np.zeros((FRAME, 2, 2), dtype=np.uint64)
    for size, above, left in itertools.product(SIZES, range(2), range(2)):
        inside = (-above <= _PLACE_ROW) & (size > _PLACE_ROW) & (-left <= _PLACE_COLUMN) & (size > _PLACE_COLUMN)
        table[size, above, left] = sum(1 << int(place) for place in np.flatnonzero(inside))
    return table


SPACE = _spaces()

_ONE = np.uint64(1)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)
_N_VALUES = np.uint64(N_VALUES)
_FRAME = np.uint64(FRAME)
_SIZE = np.uint64(MOST_SIZE)
_ZERO = np.uint64(0)


STATE = np.dtype(
    [
        # options
        ("players", "u1"),  # 1, 2 or 4
        ("edge", "u1"),  # of the square, 5 or 3
        ("hand_cards", "u1"),  # dealt to each hand
        ("stock_cards", "u1"),  # drawn in a game, each after a card was laid; 0 where nobody draws
        ("corners", "u1"),  # 1: touching at a corner is enough
        ("floating", "u1"),  # 1: the first card may come to lie anywhere in the square
        ("five_kind", "u1"),  # place in FIVE_KINDS
        ("starts", "u1"),  # seat that starts the first round, or RANDOM_SEAT
        ("n_rounds", "u1"),  # squares of a match, 1 … 12
        ("swap_axes", "u1"),  # 1: rows and columns change owners with each round
        ("open_hands", "u1"),  # 1: all hands are seen
        # public
        ("first_player", "u1"),  # seat that started this square
        ("seat", "u1"),  # who plays now
        ("turn", "u1"),  # cards laid in this square after the first one, 0 … 24
        ("played_rounds", "u1"),  # squares finished
        ("height", "u1"),  # rows that have cards, or the size where the square does not float
        ("width", "u1"),  # columns that have cards, likewise
        ("cells", "u1", (N_CELLS,)),  # value + 1 of the card in each cell, 0 if empty
        ("turns", "u1", (N_CELLS,)),  # turn with which the card came, 0 for the first card
        ("winners", "u1", (MOST_ROUNDS,)),  # of each finished round: side + 1, or DRAW
        # hidden
        ("drawn", "u1"),  # value + 1 of the card that the last action drew, 0 if none
        ("deck", "u1", (N_CARDS,)),  # the card drawn after turn t stands at t - 1 until then; scratch of a shuffle
        ("lines", "u2", (2 * MOST_SIZE,)),  # public: number of the multiset in each row, then in each column
        ("margins", "i2", (MOST_ROUNDS,)),  # public: lowest line of side 0 less that of side 1, of each finished round
        ("hands", "u4", (MOST_PLAYERS,)),  # packed count of each seat's hand
        ("filled", "u8"),  # public: places that have cards
        ("chance", "u8", (2,)),  # key of the deals of later rounds; scratch for their stream
    ],
    align=True,
)


# The verbs.


@kernel
def deal(state: Any, rng: Any) -> None:
    players = signed(state.players)
    state.first_player = below(rng, players) if state.starts == RANDOM_SEAT else signed(state.starts)
    state.played_rounds = 0
    state.winners[:] = 0
    state.margins[:] = 0
    if state.n_rounds > 1:
        state.chance[0] = next_word(rng)
    _deal_square(state, rng)


@kernel
def _deal_square(state: Any, rng: Any) -> None:
    players, n_hand, n_stock = signed(state.players), signed(state.hand_cards), signed(state.stock_cards)
    state.deck[:] = FULL_DECK
    shuffle_front(rng, state.deck, n_stock + 1 + players * n_hand, N_CARDS)
    for seat in range(players):
        state.hands[seat] = _pack(state.deck, n_stock + 1 + seat * n_hand, n_hand)
    start = np.uint64(state.deck[n_stock])
    state.deck[n_stock:] = 0
    state.drawn = 0
    state.turn = 0
    state.seat = state.first_player
    state.cells[:] = 0
    state.turns[:] = 0
    state.lines[:] = 0
    state.filled = 0
    is_floating = signed(state.floating)
    state.height = 1 if is_floating else signed(state.edge)
    state.width = 1 if is_floating else signed(state.edge)
    middle = 0 if is_floating else signed(state.edge) // 2
    _lay(state, np.uint64((middle + 1) * FRAME + middle + 1), start - _ONE)


@kernel
def _pack(cards: Any, first: int, n_cards: int) -> Any:
    """Return the packed count of some cards that stand one behind the other, value + 1 each."""
    hand = _ZERO
    for place in range(first, first + n_cards):
        hand += one_card(np.uint64(cards[np.uint64(place)]) - _ONE)
    return hand


@kernel
def one_card(value: Any) -> Any:
    """Return a packed count of one card (uint64)."""
    return _ONE << (_FOUR * value)


@kernel
def _lay(state: Any, place: Any, value: Any) -> None:
    """Put a card of a value onto an empty place inside the square (both uint64)."""
    row, column = ROW_OF[place], COLUMN_OF[place]
    state.cells[row * _SIZE + column] = value + _ONE
    state.turns[row * _SIZE + column] = state.turn
    state.lines[row] = ADDED[state.lines[row], value]
    state.lines[_SIZE + column] = ADDED[state.lines[_SIZE + column], value]
    state.filled |= _ONE << place


@kernel
def current_player(state: Any) -> int:
    return signed(state.seat)


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if state.played_rounds == state.n_rounds:
        return 0
    places = open_places(state)
    held = values_held(state.hands[state.seat])
    n_legal = 0
    while places:
        first = trailing_zeros(places) * N_VALUES
        values = held
        while values:
            actions[n_legal] = first + trailing_zeros(values) // _HAND_BITS
            n_legal += 1
            values &= values - _ONE
        places &= places - _ONE
    return n_legal


@kernel
def open_places(state: Any) -> Any:
    """Return the bit mask of the places where a card may be laid now: they touch a card, and the square has room."""
    filled = np.uint64(state.filled)
    beside = (filled << _ONE) | (filled >> _ONE)
    if state.corners == 1:
        beside |= filled
        touching = beside | (beside << _FRAME) | (beside >> _FRAME)
    else:
        touching = beside | (filled << _FRAME) | (filled >> _FRAME)
    # a card in the last column touches, by the shift, the spare column of the next row: a full width has no spare
    space = SPACE[state.edge, np.uint64(state.height < state.edge), np.uint64(state.width < state.edge)]
    return touching & ~filled & space


@kernel
def values_held(hand: Any) -> Any:
    """Return a bit mask with bit 4 * value set for each value that a packed hand holds."""
    cards = np.uint64(hand)
    return (cards | (cards >> _ONE) | (cards >> _TWO)) & _EACH_VALUE


@kernel
def apply_action(state: Any, action: int) -> None:
    place, value = np.uint64(action) // _N_VALUES, np.uint64(action) % _N_VALUES
    if state.floating == 1:
        place = _make_room(state, place)
    state.turn += 1
    _lay(state, place, value)
    seat = state.seat
    state.hands[seat] -= np.uint32(one_card(value))
    state.drawn = 0
    if state.turn <= state.stock_cards:
        _draw(state, seat)
    following = int(seat) + 1
    state.seat = following * (following != signed(state.players))
    if signed(state.turn) == signed(state.edge) * signed(state.edge) - 1:
        _end_square(state)


@kernel
def _draw(state: Any, seat: Any) -> None:
    at = np.uint64(state.turn) - _ONE
    card = np.uint64(state.deck[at])
    state.deck[at] = 0
    state.drawn = card
    state.hands[seat] += np.uint32(one_card(card - _ONE))


@kernel
def _make_room(state: Any, place: Any) -> Any:
    """Grow a floating square so that `place` lies in it, moving all cards where it lay above or to the left.

    Returns where the place is then.
    """
    row, column = int(place) // FRAME - 1, int(place) % FRAME - 1
    if row < 0:
        _move(state, MOST_SIZE, 0)
        state.filled <<= _FRAME
        place += _FRAME
        row = 0
        state.height += 1
    elif row >= signed(state.height):
        state.height += 1
    if column < 0:
        _move(state, 1, MOST_SIZE)
        state.filled <<= _ONE
        place += _ONE
        state.width += 1
    elif column >= signed(state.width):
        state.width += 1
    return place


@kernel
def _move(state: Any, steps: int, first_line: int) -> None:
    """Move all cards so many cells on, and with them the five lines from `first_line`."""
    for cell in range(N_CELLS - 1, -1, -1):
        state.cells[cell] = state.cells[cell - steps] if cell >= steps else 0
        state.turns[cell] = state.turns[cell - steps] if cell >= steps else 0
    for line in range(first_line + MOST_SIZE - 1, first_line, -1):
        state.lines[line] = state.lines[line - 1]
    state.lines[first_line] = 0


@kernel
def _end_square(state: Any) -> None:
    """Book the round that a full square ends, and deal the next one if there is one."""
    played = signed(state.played_rounds)
    if signed(state.players) > 1:
        margin = _lowest(state, first_line_of(state, 0)) - _lowest(state, first_line_of(state, 1))
        state.margins[played] = margin
        if margin == 0:
            margin = _later_margin(state)
        state.winners[played] = 1 if margin > 0 else (2 if margin < 0 else DRAW)
    state.played_rounds += 1
    if state.played_rounds == state.n_rounds:
        return
    state.first_player = (signed(state.first_player) + 1) % signed(state.players)
    stream = state.chance[1:2]
    stream[0] = fold(state.chance[0], played)
    _deal_square(state, stream)
    state.chance[1] = 0


@kernel
def first_line_of(state: Any, side: int) -> int:
    """Return the first of the lines that a side owns in this round: 0 for the rows, 5 for the columns."""
    now = min(signed(state.played_rounds), signed(state.n_rounds) - 1)  # after the last round it is still the last
    turned = now * signed(state.swap_axes)
    return MOST_SIZE * ((side + turned) & 1)


@kernel
def _lowest(state: Any, first: int) -> int:
    """Return the points of the lowest line of one direction, given by its first line, as the lines stand now."""
    scores = SCORES[state.five_kind]
    lowest = 2 * MOST_POINTS
    for line in range(first, first + signed(state.edge)):
        lowest = min(lowest, signed(scores[state.lines[np.uint64(line)]]))
    return lowest


@kernel
def _later_margin(state: Any) -> int:
    """Return by how much side 0 leads on the first of the lines, from the lowest up, that differ; 0 if none does."""
    size = signed(state.edge)
    scores = np.empty((N_SIDES, MOST_SIZE), dtype=np.int64)  # a tie of lowest lines is rare
    for side in range(N_SIDES):
        first = first_line_of(state, side)
        for line in range(size):
            points = signed(SCORES[state.five_kind, state.lines[first + line]])
            at = line
            while at > 0 and scores[side, at - 1] > points:
                scores[side, at] = scores[side, at - 1]
                at -= 1
            scores[side, at] = points
    for line in range(size):
        if scores[0, line] != scores[1, line]:
            return scores[0, line] - scores[1, line]
    return 0


@kernel
def is_terminal(state: Any) -> bool:
    return state.played_rounds == state.n_rounds


@kernel
def score(state: Any, points: Any) -> None:
    """Count each side's lowest line, or in a match of several rounds the differences that it won."""
    players = signed(state.players)
    if players == 1:
        points[0] = min(_lowest(state, 0), _lowest(state, MOST_SIZE))
    elif state.n_rounds == 1:
        lowest = (_lowest(state, 0), _lowest(state, MOST_SIZE))
        for seat in range(players):
            points[seat] = lowest[seat & 1]
    else:
        for seat in range(players):
            points[seat] = _differences_won(state, seat & 1)


@kernel
def _differences_won(state: Any, side: int) -> int:
    won: Any = 0
    for played in range(state.n_rounds):
        if signed(state.winners[played]) == side + 1:
            won += abs(signed(state.margins[played]))
    return won


@kernel
def returns(state: Any, utility: Any) -> None:
    players = signed(state.players)
    if players == 1:
        utility[0] = min(_lowest(state, 0), _lowest(state, MOST_SIZE)) / MOST_POINTS
        return
    lead = signed(state.winners[0]) if state.n_rounds == 1 else _leader(state)
    for seat in range(players):
        if lead == DRAW:
            utility[seat] = 1.0 / players
        else:
            utility[seat] = N_SIDES / players if (seat & 1) == lead - 1 else 0.0


@kernel
def _leader(state: Any) -> int:
    """Return the side + 1 that won a match: by differences, then by rounds won; otherwise DRAW."""
    lead = _differences_won(state, 0) - _differences_won(state, 1)
    if lead == 0:
        for played in range(state.n_rounds):
            lead += signed(state.winners[played] == 1) - signed(state.winners[played] == 2)
    return 1 if lead > 0 else (2 if lead < 0 else DRAW)


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    players = signed(state.players)
    if state.n_rounds > 1:
        state.chance[0] = next_word(rng)
    state.drawn = 0
    n_unseen = _gather_unseen(state, player)
    n_stock = max(0, signed(state.stock_cards) - signed(state.turn))
    n_hidden = 0
    for seat in range(players):
        if _is_hidden(state, player, seat):
            n_hidden += _hand_size(state, seat)
    shuffle_front(rng, state.deck, n_stock + n_hidden, n_unseen)
    at = n_stock
    for seat in range(players):
        if _is_hidden(state, player, seat):
            n_cards = _hand_size(state, seat)
            state.hands[seat] = _pack(state.deck, at, n_cards)
            at += n_cards
    _keep_stock(state, n_stock)


@kernel
def _is_hidden(state: Any, player: int, seat: int) -> bool:
    return seat != player and state.open_hands == 0


@kernel
def _gather_unseen(state: Any, player: int) -> int:
    """Write the cards that `player` does not see to the front of the deck, ascending; return their number."""
    seen = _ZERO
    for seat in range(signed(state.players)):
        if not _is_hidden(state, player, seat):
            seen += np.uint64(state.hands[seat])
    for line in range(signed(state.edge)):
        seen += PACKED[state.lines[np.uint64(line)]]
    n_unseen = 0
    for value in range(N_VALUES):
        n_left = N_COPIES - signed((seen >> np.uint64(_HAND_BITS * value)) & np.uint64(15))
        for _ in range(n_left):
            state.deck[np.uint64(n_unseen)] = value + 1
            n_unseen += 1
    return n_unseen


@kernel
def _hand_size(state: Any, seat: int) -> int:
    """Count the cards that a seat holds, as everybody sees it."""
    if state.stock_cards > 0:
        return signed(state.hand_cards) - max(0, signed(state.turn) - signed(state.stock_cards))
    players = signed(state.players)
    place = (seat - signed(state.first_player) + players) % players
    return signed(state.hand_cards) - (signed(state.turn) - place + players - 1) // players


@kernel
def _keep_stock(state: Any, n_stock: int) -> None:
    """Move the first cards of the deck to where the cards still to be drawn stand, and clear the rest."""
    drawn = signed(state.turn)
    for place in range(n_stock - 1, -1, -1):
        state.deck[drawn + place] = state.deck[place]
    state.deck[: min(drawn, N_CARDS)] = 0
    state.deck[drawn + n_stock :] = 0


OBSERVATION_SIZE = N_CELLS * (N_VALUES + 1) + MOST_PLAYERS * N_VALUES + 8 + 2 * MOST_ROUNDS


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    """Lay out: for each cell its value (one of 6) and the turn with which the card came; the hands that are seen,
    from his own to the left; who plays, who began the square, the turn, whether he owns the rows, height and width,
    rounds played, and whether the match is over; margins (as the player's side sees them) and winners of the finished
    rounds.
    """
    players = signed(state.players)
    out[:OBSERVATION_SIZE] = 0.0
    for cell in range(N_CELLS):
        if state.cells[cell] > 0:
            out[cell * (N_VALUES + 1) + signed(state.cells[cell]) - 1] = 1.0
            out[cell * (N_VALUES + 1) + N_VALUES] = (signed(state.turns[cell]) + 1) / N_CELLS
    at = N_CELLS * (N_VALUES + 1)
    for step in range(players):
        seat = (player + step) % players
        if not _is_hidden(state, player, seat):
            for value in range(N_VALUES):
                count = (np.uint64(state.hands[seat]) >> np.uint64(_HAND_BITS * value)) & np.uint64(15)
                out[at + step * N_VALUES + value] = signed(count) / N_COPIES
    at += MOST_PLAYERS * N_VALUES
    out[at] = ((signed(state.seat) - player + players) % players) / MOST_PLAYERS
    out[at + 1] = ((signed(state.first_player) - player + players) % players) / MOST_PLAYERS
    out[at + 2] = signed(state.turn) / N_CELLS
    out[at + 3] = 1.0 if first_line_of(state, player & 1) == 0 else 0.0
    out[at + 4] = signed(state.height) / MOST_SIZE
    out[at + 5] = signed(state.width) / MOST_SIZE
    out[at + 6] = signed(state.played_rounds) / MOST_ROUNDS
    out[at + 7] = 1.0 if state.played_rounds == state.n_rounds else 0.0
    at += 8
    for played in range(signed(state.played_rounds)):
        sign = 1 - 2 * (player & 1)
        out[at + played] = sign * signed(state.margins[played]) / MOST_POINTS
        won = 0 if state.winners[played] == DRAW else (1 if state.winners[played] == 1 else -1)
        out[at + MOST_ROUNDS + played] = sign * won


@kernel
def heuristic(state: Any, player: int) -> float:
    """Judge by how each line may end, the lines taken as independent.

    Alone: the mean lowest line. Otherwise: the chance that the own lowest line beats the other's.
    """
    size = signed(state.edge != MOST_SIZE)  # place in SIZES
    own, theirs = np.empty(N_LEVELS, dtype=np.float32), np.empty(N_LEVELS, dtype=np.float32)
    if state.players == 1:
        own[:] = STEPS[size]
        multiply_chances(state, 0, SURVIVAL[size, ALONE], own)
        multiply_chances(state, MOST_SIZE, SURVIVAL[size, ALONE], own)
        return min(1.0, np.float64(fold_sum(own)) / MOST_POINTS)
    mine = first_line_of(state, player & 1)
    own[:] = 1.0
    theirs[:] = 1.0
    multiply_chances(state, mine, SURVIVAL[size, VERSUS], own)
    multiply_chances(state, MOST_SIZE - mine, SURVIVAL[size, VERSUS], theirs)
    return win_chance(own, theirs) * N_SIDES / signed(state.players)


@kernel
def multiply_chances(state: Any, first: int, chances: Any, product: Any) -> None:
    """Multiply `product`, by level, with the chance of each line of one direction to reach the level."""
    for line in range(first, first + signed(state.edge)):
        of_line = chances[state.lines[np.uint64(line)]]
        for level in range(N_LEVELS):
            product[level] *= of_line[level]


@kernel
def win_chance(own: Any, theirs: Any) -> float:
    """Return the chance that one lowest line beats another, from the chances that each reaches each level."""
    wins = 0.0
    for level in range(N_LEVELS):
        own_here, theirs_here = np.float64(own[level]), np.float64(theirs[level])
        own_higher = np.float64(own[level + 1]) if level + 1 < N_LEVELS else 0.0
        theirs_higher = np.float64(theirs[level + 1]) if level + 1 < N_LEVELS else 0.0
        wins += (own_here - own_higher) * (1.0 - (theirs_here + theirs_higher) / 2.0)
    return min(1.0, max(0.0, wins))


@kernel
def fold_sum(terms: Any) -> Any:
    """Return the sum of 32 float32 by halves, which the processor adds side by side; spoils `terms`."""
    for half in (16, 8, 4, 2, 1):
        for at in range(half):
            terms[at] += terms[at + half]
    return terms[0]


@kernel
def random_action(state: Any, rng: Any) -> int:
    places = open_places(state)
    values = values_held(state.hands[state.seat])
    place = _nth_bit(places, below(rng, population_count(places)))
    n_values = population_count(values)
    # alone there is but one card: nothing to choose, and no word to spend
    at = _nth_bit(values, below(rng, n_values)) if n_values > 1 else trailing_zeros(values)
    return place * N_VALUES + at // _HAND_BITS


@kernel
def _nth_bit(mask: Any, n: int) -> int:
    """Return the place of the set bit with `n` set bits below it; halves the mask: no branch to mispredict."""
    place = 0
    for half in (32, 16, 8, 4, 2, 1):
        n_below = population_count(mask & ((_ONE << np.uint64(half)) - _ONE))
        above = signed(n >= n_below)
        n -= n_below * above
        place += half * above
        mask >>= np.uint64(half * above)
    return place


@kernel
def revealed(state: Any, player: int) -> int:
    """Tell the card that the player drew, or after a new deal a hash of what he sees of it."""
    players = signed(state.players)
    if state.turn == 0 and state.played_rounds > 0:
        word = np.uint64(state.lines[0]) ^ (np.uint64(state.lines[signed(state.edge) // 2]) << _TWO)
        for seat in range(players):
            if not _is_hidden(state, player, seat):
                word = mix(word + np.uint64(state.hands[seat]))
        return 1 + N_VALUES + signed(word >> np.uint64(34))
    mover = (signed(state.seat) + players - 1) % players
    return 0 if _is_hidden(state, player, mover) else signed(state.drawn)
