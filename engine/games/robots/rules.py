"""ROBOTS!: rummy with powers for 2 to 5 players.

Everyone holds seven cards. In turn a player draws (the top of the face-down Factory, or the top of the face-up Scrap
Heap with all cards above the one that is wanted), lays spreads (runs of a suit, sets of a rank, at least three cards)
and adds to those that lie, and discards one card. A discarded high card may have a power: it makes others lose cards,
moves the heap, or shoots cards out of spreads. Who discards his last card ends the hand: laid cards count for, held
cards against their player; five of a rank without a wild are a robot, safe from powers and worth 50 more.

Whose rules: the publisher's rulebook; what it leaves open is settled in RULES.md. Choices that surprise: cards are
laid off on own spreads only; a turn always ends with a discard; the lowest of several cards picked up must be laid in
the same turn; powers are compulsory where they can do anything. The four wilds are told apart (as if they were marked),
which lets everyone keep track of where a wild that was seen went.

The Factory needs no order before somebody draws: the cards that nobody knows are a set, and a draw takes one of them
by the next number of the counted stream of chance, which is the same as dealing from a shuffled stack. What is known
of it, cards that were moved under it, is a list.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.kernel import kernel
from engine.rng import below, below_word, fold, next_word, shuffle_front

# Cards. A card is an int: suit * 16 + rank, suits in the order of SUITS, ranks 1 (the star) to 14; the wilds are 80 to
# 83. A set of cards is two 64-bit words, card c being bit c % 64 of word c // 64: four lanes of 16 bits for the first
# four suits, then one for the last suit and one for the wilds. So one shift of a word moves every suit by a rank.

SUITS = "RGBPK"
N_SUITS = len(SUITS)
STAR = 1
STAR_HIGH = 15  # the star's other place in a run
HIGHEST_RANK = 14
FIRST_WILD = N_SUITS * 16
MOST_WILDS = 4
N_NATURAL = N_SUITS * HIGHEST_RANK
N_CARDS = N_NATURAL + MOST_WILDS
CARD_IDS = FIRST_WILD + MOST_WILDS
NO_CARD = 0

MOST_PLAYERS = 5
HAND_SIZE = 7
SHORTEST = 3  # cards of a spread
LARGEST_SET = N_SUITS
MOST_SPREADS = N_CARDS // SHORTEST

POINTS_LOW, POINTS_HIGH, POINTS_STAR, POINTS_ROBOT = 5, 10, 15, 50
FIRST_HIGH_RANK = 10

# Powers, and the ranks that have them as printed: 10 to 14, then the star.

POWERS = ("short-circuit", "tractor-beam", "recycle", "force-field", "laser", "alpha-omega")
NO_POWER, SHORT_CIRCUIT, TRACTOR_BEAM, RECYCLE, FORCE_FIELD, LASER, ALPHA_OMEGA = range(len(POWERS) + 1)
POWER_RANKS = (10, 11, 12, 13, 14, STAR)

# Options that are one number each, by their place in the field `options`.

OPTIONS = (
    "n_wild",
    "max_wilds",
    "lay_off",
    "deep_pickup",
    "allow_return",
    "star_robot",
    "final_power",
    "optional_powers",
    "sc_self",
    "sc_draw",
    "split_runs",
    "factory_empty",
    "tie",
    "max_hands",
)
(
    N_WILD,
    MAX_WILDS,
    LAY_OFF,
    DEEP_PICKUP,
    ALLOW_RETURN,
    STAR_ROBOT,
    FINAL_POWER,
    OPTIONAL_POWERS,
    SC_SELF,
    SC_DRAW,
    SPLIT_RUNS,
    FACTORY_EMPTY,
    TIE,
    MAX_HANDS,
) = range(len(OPTIONS))

LAY_OFFS = ("own", "none", "any")
ON_OWN, ON_NONE, ON_ANY = range(len(LAY_OFFS))
DEEP_PICKUPS = ("turn", "hand")
IN_TURN, IN_HAND = range(len(DEEP_PICKUPS))
SC_DRAWS = ("two", "as_placed")
DRAW_TWO, DRAW_AS_PLACED = range(len(SC_DRAWS))
FACTORY_EMPTIES = ("reshuffle", "end_hand")
RESHUFFLE, END_HAND = range(len(FACTORY_EMPTIES))
TIES = ("play_on", "shared")
PLAY_ON, SHARED = range(len(TIES))
MAX_TURNS, TARGET = range(2)  # places in the field `limits`

# Phases: what is asked of the seat that decides.

PHASES = ("draw", "play", "form", "place", "power", "aim", "put", "recycle", "shoot", "over")
DRAW, PLAY, FORM, PLACE, POWER, AIM, PUT, RECYCLING, SHOOT, OVER = range(len(PHASES))

# Action ids. A spread is begun with exactly three cards and then grows by laying off.

N_FORMS = 7 + 25
DRAW_FACTORY = 0
TAKE = 0  # + number of cards taken from the top of the heap, 1 … 74
RUN = TAKE + N_CARDS + 1  # + suit * 13 + low - 1: begin the run low, low + 1, low + 2
SET = RUN + N_SUITS * 13  # + rank - 1: begin a set
FORM_OF = SET + HIGHEST_RANK  # + number of the form: which of the three cards are natural
LAY = FORM_OF + N_FORMS  # + number of the card (70: a wild): lay it off
PLACE_AT = LAY + N_NATURAL + 1  # + 2 * spread + end (0 low, 1 high; a set has only 0): where it goes
DISCARD = PLACE_AT + 2 * MOST_SPREADS  # + number of the card (70: a wild)
DECLINE = DISCARD + N_NATURAL + 1
USE = DECLINE + 1
AIM_AT = USE + 1  # + seat
CHOOSE = AIM_AT + MOST_PLAYERS  # + number of the card, each wild its own
N_ACTIONS = CHOOSE + N_CARDS

# Kinds of spreads: a run has the number of its suit, a set 16 + rank, a robot 32 + rank.

SET_KIND, ROBOT_KIND = 16, 32

LABELS = CARD_IDS + 5  # a label a card id, and what fills the record up to whole words
FACTORY = MOST_PLAYERS  # row of the Factory's unknown cards in the field `hands`

_ONE = np.uint64(1)
_TWO = np.uint64(2)
_SIXTEEN = np.uint64(16)
_NONE = np.uint64(0)
_LANE = np.uint64(0xFFFF)
_WORD_BITS = np.uint64(63)
_SIX = np.uint64(6)
_WILD_BIT = np.uint64(1 << 16)  # of the upper word: the first wild
_WILDS = np.uint64(0xF << 16)
_NATURAL_HIGH = np.uint64(0xFFFF)
_STARS = np.uint64(0x0002_0002_0002_0002)
_TO_HIGH_STAR = np.uint64(STAR_HIGH - STAR)
_ALL_LOW = np.uint64(0x7FFE_7FFE_7FFE_7FFE)
_ALL_HIGH = np.uint64(0x7FFE)
_RANK_LOW = np.uint64(0x0001_0001_0001_0001)  # shifted by a rank: its four cards in the lower word
_STARTS_LOW = np.uint64(0x3FFE_3FFE_3FFE_3FFE)  # where a run of three may begin: 1 … 13
_STARTS_HIGH = np.uint64(0x3FFE)
_HAND_SHIFT = np.uint64(32)  # draws are numbered anew in every hand: later hands do not hang on how many there were
_LAST_DRAW = np.uint64(0xFFFFFFFF)  # the number in a hand that no draw has: the deal of the next hand
_SET_SHIFT = np.uint64(32)  # sets stand in the upper word of a list of melds, from here

# Tables.


def _card_numbers() -> np.ndarray:
    """Number of every card without gaps, 0 … 73; shape (128,), 1 KB."""
    numbers = np.zeros(128, dtype=np.int64)
    for suit in range(N_SUITS):
        numbers[suit * 16 + 1 : suit * 16 + HIGHEST_RANK + 1] = suit * HIGHEST_RANK + np.arange(HIGHEST_RANK)
    numbers[FIRST_WILD:CARD_IDS] = N_NATURAL + np.arange(MOST_WILDS)
    return numbers


CARD_NUMBER = _card_numbers()
CARDS = np.array(
    [suit * 16 + rank for suit in range(N_SUITS) for rank in range(1, HIGHEST_RANK + 1)]
    + list(range(FIRST_WILD, CARD_IDS)),
    dtype=np.uint8,
)


def _card_points() -> np.ndarray:
    """Points of every card, 0 for wilds; shape (84,)."""
    points = np.zeros(CARD_IDS, dtype=np.int64)
    for card in CARDS[:N_NATURAL]:
        rank = card % 16
        points[card] = POINTS_STAR if rank == STAR else POINTS_LOW if rank < FIRST_HIGH_RANK else POINTS_HIGH
    return points


CARD_POINTS = _card_points()
DECK_POINTS = int(CARD_POINTS.sum())


def _rank_lanes(ranks: range) -> Any:
    return np.uint64(sum(1 << (16 * lane + rank) for lane in range(4) for rank in ranks))


_LOW_RANKS = _rank_lanes(range(2, FIRST_HIGH_RANK))
_HIGH_RANKS = _rank_lanes(range(FIRST_HIGH_RANK, HIGHEST_RANK + 1))
_LOW_RANKS_ONE = _LOW_RANKS & _LANE
_HIGH_RANKS_ONE = _HIGH_RANKS & _LANE
_STAR_ONE = np.uint64(1 << STAR)

# Forms of three cards. Of a run: which of its places are natural (a mask of three bits, in the order of the masks). Of
# a set: which suits are natural; the rest is wild.

RUN_FORMS = tuple(range(1, 8))
SET_FORMS = tuple(
    sorted(sum(1 << suit for suit in chosen) for size in (1, 2, 3) for chosen in itertools.combinations(range(5), size))
)
N_RUN_FORMS = len(RUN_FORMS)


def _forms(forms: tuple[int, ...], n_masks: int) -> np.ndarray:
    """Forms that some natural cards and 0, 1, 2 wilds allow, a bit each; shape (masks, 3)."""
    table = np.zeros((n_masks, 3), dtype=np.uint64)
    for mask, wilds in itertools.product(range(n_masks), range(3)):
        fitting = [place for place, form in enumerate(forms) if form & ~mask == 0 and 3 - form.bit_count() <= wilds]
        table[mask, wilds] = sum(1 << place for place in fitting)
    return table


RUN_FORMS_OF = _forms(RUN_FORMS, 8)
SET_FORMS_OF = _forms(SET_FORMS, 32)


def _forms_with(forms: tuple[int, ...], n_places: int) -> np.ndarray:
    """Forms in which a place is natural; the last: those with a wild. Shape (places + 1,)."""
    chosen = [[n for n, form in enumerate(forms) if form >> place & 1] for place in range(n_places)]
    chosen.append([n for n, form in enumerate(forms) if form.bit_count() < 3])
    return np.array([sum(1 << n for n in each) for each in chosen], dtype=np.uint64)


RUN_FORMS_WITH = _forms_with(RUN_FORMS, 3)
SET_FORMS_WITH = _forms_with(SET_FORMS, N_SUITS)
FORM_MASK = np.array(RUN_FORMS + SET_FORMS, dtype=np.uint64)


def _windows() -> np.ndarray:
    """Where a run of three that holds a rank may begin, a bit each; shape (16,)."""
    windows = np.zeros(16, dtype=np.uint64)
    for low in range(1, STAR_HIGH - 1):
        for rank in range(low, low + 3):
            windows[STAR if rank == STAR_HIGH else rank] |= np.uint64(1 << low)
    return windows


WINDOWS = _windows()

# Lists of what may be done: each is two words, like a set of cards, and here is what their bits mean: the first action
# of the list, and the bit of each of its actions in turn.

_MELD_BITS = [suit * 16 + low for suit in range(N_SUITS) for low in range(1, 14)]
_MELD_BITS += [96 + rank for rank in range(1, HIGHEST_RANK + 1)]
LISTS = (
    (DRAW_FACTORY, range(N_CARDS + 1)),
    (RUN, _MELD_BITS),
    (FORM_OF, range(N_FORMS)),
    (LAY, CARDS[: N_NATURAL + 1]),
    (PLACE_AT, range(2 * MOST_SPREADS)),
    (DISCARD, CARDS[: N_NATURAL + 1]),
    (DECLINE, range(2)),
    (AIM_AT, range(MOST_PLAYERS)),
    (CHOOSE, CARDS),
)
L_DRAW, L_MELD, L_FORM, L_LAY, L_PLACE, L_DISCARD, L_POWER, L_AIM, L_CHOOSE = range(len(LISTS))


def _actions() -> tuple[np.ndarray, np.ndarray]:
    """Action of every bit of every list, shape (9, 128), 9 KB; and back, the bit of every action, shape (456,)."""
    actions = np.zeros((len(LISTS), 128), dtype=np.int64)
    bits = np.zeros(N_ACTIONS, dtype=np.uint64)
    for number, (first, places) in enumerate(LISTS):
        for step, bit in enumerate(places):
            actions[number, bit] = first + step
            bits[first + step] = bit
    return actions, bits


ACTION, BIT = _actions()


def _places_in_byte() -> np.ndarray:
    """Place of the n-th set bit of a byte; shape (256, 8), 2 KB."""
    table = np.zeros((256, 8), dtype=np.uint8)
    for byte in range(256):
        for n, place in enumerate(place for place in range(8) if byte >> place & 1):
            table[byte, n] = place
    return table


PLACE_IN_BYTE = _places_in_byte()

# STATE. Rows of the card sets are two words each, see Cards. A spread is one word: kind, owner, wilds in it, the places
# it fills (of a run bits 1 … 15, of a set a bit a suit), those filled by natural cards, and for each wild of a run the
# place it stands for.

STATE = np.dtype(
    [
        # options
        ("limits", "u2", (2,)),  # most turns of a hand; points that end the game, 0: one hand
        ("players", "u1"),  # 2 … 5
        ("options", "u1", (len(OPTIONS),)),  # by the names above
        ("power_of", "u1", (16,)),  # power of every rank
        # public
        ("phase", "u1"),  # place in PHASES
        ("turns", "u2"),  # turns over in this hand
        ("seat", "u1"),  # who decides now
        ("turn_seat", "u1"),  # whose turn it is
        ("first_player", "u1"),  # seat left of the dealer
        ("hands_played", "u1"),  # hands over
        ("must", "u1"),  # card that must be laid in this turn, or NO_CARD
        ("taken", "u1"),  # the single card just taken from the heap, which may not go back, or NO_CARD
        ("open_spread", "u1"),  # 1 + place of the spread laid last in this turn, 0: none
        ("pending", "u1"),  # form: bit of the meld; place: card; power, shoot: power; put: cards to put + 16 * to draw
        ("fielded", "u1"),  # 1: a force field, the next draw is from the Factory
        ("heap_size", "u1"),
        ("bottom_size", "u1"),
        ("n_spreads", "u1"),
        ("n_groups", "u1"),  # groups that the field `label` tells apart
        ("heap", "u1", (N_CARDS,)),  # from the lowest card up
        ("bottom", "u1", (N_CARDS,)),  # known cards under the Factory, the first to be drawn first
        ("label", "u1", (LABELS,)),  # by card: of a hidden one held since before a reshuffle its group 1 …, else 0
        ("totals", "i4", (MOST_PLAYERS,)),  # points of the hands that are over
        ("drawn", "u4"),  # what the last action drew unseen: 1 + seat, then a byte a card; 255: a new hand was dealt
        ("spreads", "u8", (MOST_SPREADS,)),
        ("laid", "u8", (MOST_PLAYERS, 2)),  # cards on the table by the seat that they count for
        ("known", "u8", (MOST_PLAYERS, 2)),  # cards in hands that everybody saw going there
        # hidden
        ("hands", "u8", (MOST_PLAYERS + 1, 2)),  # by seat; the last row: the unknown cards of the Factory
        ("chance", "u8", (3,)),  # key of all draws; scratch for their stream; number of the next draw
    ],
    align=True,
)


# The verbs.


@kernel
def deal(state: Any, rng: Any) -> None:
    state.first_player = below(rng, int(state.players))
    state.hands_played = 0
    state.totals[:] = 0
    state.chance[0] = next_word(rng)
    state.chance[1] = 0
    _deal_hand(state, rng)
    state.drawn = 0


@kernel
def _deal_hand(state: Any, rng: Any) -> None:
    players = int(state.players)
    n_wild = int(state.options[N_WILD])
    state.heap[:] = CARDS
    shuffle_front(rng, state.heap, players * HAND_SIZE + 1, N_NATURAL + n_wild)
    pool_low = _ALL_LOW
    pool_high = _ALL_HIGH | (((_ONE << np.uint64(n_wild)) - _ONE) << _SIXTEEN)
    state.hands[:] = 0
    place = np.uint64(0)
    for index in range(players):
        low, high = _NONE, _NONE
        for _ in range(HAND_SIZE):
            card = np.uint64(state.heap[place])
            low |= _low_bit(card)
            high |= _high_bit(card)
            place += _ONE
        seat = np.uint64(index)
        state.hands[seat, 0] = low
        state.hands[seat, 1] = high
        pool_low ^= low
        pool_high ^= high
    first = np.uint64(state.heap[place])
    state.hands[FACTORY, 0] = pool_low ^ _low_bit(first)
    state.hands[FACTORY, 1] = pool_high ^ _high_bit(first)
    state.heap[:] = 0
    state.heap[0] = first
    state.heap_size = 1
    state.bottom[:] = 0
    state.bottom_size = 0
    state.label[:] = 0
    state.n_groups = 0
    state.spreads[:] = 0
    state.n_spreads = 0
    state.laid[:] = 0
    state.known[:] = 0
    state.fielded = 0
    state.turns = 0
    state.chance[2] = np.uint64(state.hands_played) << _HAND_SHIFT
    _ask_for_draw(state, np.int64(state.first_player))


@kernel
def _low_bit(card: Any) -> Any:
    """Return the bit of a card (uint64) in the lower word, 0 when it stands in the upper one."""
    return ((card >> _SIX) ^ _ONE) << (card & _WORD_BITS)


@kernel
def _high_bit(card: Any) -> Any:
    return (card >> _SIX) << (card & _WORD_BITS)


@kernel
def _ask_for_draw(state: Any, seat: Any) -> None:
    state.phase = DRAW
    state.seat = seat
    state.turn_seat = seat
    state.must = NO_CARD
    state.taken = NO_CARD
    state.open_spread = 0
    state.pending = 0


@kernel
def current_player(state: Any) -> int:
    return int(state.seat)


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if state.phase == PLAY:
        low, high = _legal_meld(state)
        n_legal = _list(low, high, ACTION[L_MELD], actions, 0)
        low, high = _legal_lay_off(state)
        n_legal = _list(low, high, ACTION[L_LAY], actions, n_legal)
        low, high = _legal_discard(state)
        return _list(low, high, ACTION[L_DISCARD], actions, n_legal)
    kind, low, high = _legal_otherwise(state)
    return _list(low, high, ACTION[kind], actions, 0)


@kernel
def _list(low: Any, high: Any, action_of: Any, actions: Any, n_listed: int) -> int:
    """Append the actions of the set bits, ascending; return how many are listed then."""
    while low:
        actions[n_listed] = action_of[np.uint64(trailing_zeros(low))]
        n_listed += 1
        low &= low - _ONE
    while high:
        actions[n_listed] = action_of[np.uint64(64 + trailing_zeros(high))]
        n_listed += 1
        high &= high - _ONE
    return n_listed


@kernel
def _legal_otherwise(state: Any) -> tuple[int, Any, Any]:
    """Return the list that the phase asks from, unless it is PLAY, and its two words."""
    phase = state.phase
    if phase == DRAW:
        low, high = _legal_draw(state)
        return L_DRAW, low, high
    if phase == FORM:
        return L_FORM, _legal_form(state), _NONE
    if phase == PLACE:
        return L_PLACE, _legal_place(state), _NONE
    if phase == POWER:
        return L_POWER, np.uint64(3), _NONE
    if phase == AIM:
        return L_AIM, _legal_aim(state), _NONE
    if phase == PUT:
        low, high = _legal_put(state)
        return L_CHOOSE, low, high
    if phase == RECYCLING:
        low, high = _legal_recycle(state)
        return L_CHOOSE, low, high
    if phase == SHOOT:
        low, high = _legal_shoot(state)
        return L_CHOOSE, low, high
    return L_DRAW, _NONE, _NONE


# Draw.


@kernel
def _legal_draw(state: Any) -> tuple[Any, Any]:
    """Return the draws: bit 0 the Factory, bit n the top n cards of the heap."""
    size = np.int64(state.heap_size)
    low, high = _NONE, _NONE
    has_factory = (state.hands[FACTORY, 0] | state.hands[FACTORY, 1]) != _NONE or state.bottom_size > 0 or size > 1
    if has_factory:  # an empty one is filled from the heap; where that is not the rule the hand is over by now
        low |= _ONE
    if state.fielded or size == 0:
        return low, high
    low |= _TWO
    if size == 1:
        return low, high
    seat = np.uint64(state.seat)
    hand_low, hand_high = state.hands[seat, 0], state.hands[seat, 1]
    fit_low, fit_high = _fits(state, np.int64(seat))
    top = np.uint64(state.heap[np.uint64(size - 1)])
    hand_low |= _low_bit(top)
    hand_high |= _high_bit(top)
    is_free = state.options[DEEP_PICKUP] == IN_HAND
    for depth in range(2, size + 1):
        card = np.uint64(state.heap[np.uint64(size - depth)])
        hand_low |= _low_bit(card)
        hand_high |= _high_bit(card)
        if is_free or _can_lay(state, np.int64(seat), hand_low, hand_high, card, fit_low, fit_high):
            if depth < 64:
                low |= _ONE << np.uint64(depth)
            else:
                high |= _ONE << np.uint64(depth - 64)
    return low, high


@kernel
def _can_lay(state: Any, seat: Any, low: Any, high: Any, card: Any, fit_low: Any, fit_high: Any) -> bool:
    """Tell whether `card`, one of the cards of `seat`, can be laid in this turn with a card left to discard."""
    n_wilds = _usable_wilds(state, high)
    size = population_count(low) + population_count(high)
    if card >= np.uint64(FIRST_WILD):
        if fit_high & _WILD_BIT:
            return True
        if size <= SHORTEST or n_wilds == 0:
            return False
        runs_low, runs_high = _run_starts(low, high, n_wilds)
        return (runs_low | runs_high | _set_ranks(low, high, n_wilds)) != _NONE
    if (fit_low & _low_bit(card)) | (fit_high & _high_bit(card)):
        return True
    suit, rank = card >> np.uint64(4), card & np.uint64(15)
    if size > SHORTEST:
        alike = population_count(low & (_RANK_LOW << rank)) + population_count(high & (_ONE << rank))
        if alike + n_wilds >= SHORTEST:
            return True
        lane = _lane(low, high, suit)
        if _lane_starts(lane | ((lane & _TWO) << _TO_HIGH_STAR), n_wilds) & WINDOWS[rank]:
            return True
    if fit_high & (_ONE << (_SET_SHIFT + suit)):
        natural, wild = _chain_places(state, seat, low, high, card)
        return (natural | wild) != _NONE
    return False


@kernel
def _usable_wilds(state: Any, high: Any) -> int:
    """Count the wilds in an upper word, as far as one spread may hold them."""
    n_wilds = population_count(high & _WILDS)
    most = np.int64(state.options[MAX_WILDS])
    return min(n_wilds, most)


@kernel
def _lane(low: Any, high: Any, suit: Any) -> Any:
    """Return the ranks of one suit, a bit each."""
    word = low if suit < np.uint64(4) else high
    return (word >> (_SIXTEEN * (suit & np.uint64(3)))) & _LANE


@kernel
def _lane_starts(ranks: Any, n_wilds: Any) -> Any:
    """Return where runs of three can begin in lanes of ranks that show the star twice."""
    second, third = ranks >> _ONE, ranks >> _TWO
    if n_wilds == 0:
        return ranks & second & third & _STARTS_LOW
    if n_wilds == 1:
        return ((ranks & second) | (second & third) | (ranks & third)) & _STARTS_LOW
    return (ranks | second | third) & _STARTS_LOW


@kernel
def _run_starts(low: Any, high: Any, n_wilds: Any) -> tuple[Any, Any]:
    """Return where runs of three can begin, in the lanes of the suits."""
    high &= _NATURAL_HIGH
    runs_low = _lane_starts(low | ((low & _STARS) << _TO_HIGH_STAR), n_wilds)
    return runs_low, _lane_starts(high | ((high & _STARS) << _TO_HIGH_STAR), n_wilds) & _STARTS_HIGH


@kernel
def _set_ranks(low: Any, high: Any, n_wilds: Any) -> Any:
    """Return the ranks of which a set of three can be laid, a bit each."""
    one, two, three = low & _LANE, _NONE, _NONE
    for shift in (16, 32, 48):
        lane = (low >> np.uint64(shift)) & _LANE
        three |= two & lane
        two |= one & lane
        one |= lane
    lane = high & _LANE
    three |= two & lane
    two |= one & lane
    one |= lane
    return three if n_wilds == 0 else two if n_wilds == 1 else one


@kernel
def _apply_draw(state: Any, action: int) -> None:
    seat = np.int64(state.seat)
    state.fielded = 0
    state.phase = PLAY
    if action == DRAW_FACTORY:
        card = _draw_card(state, seat)
        if card != NO_CARD:
            state.drawn = np.uint32(seat + 1) | (np.uint32(card) << np.uint32(8))
        return
    n_taken = action - TAKE
    size = np.int64(state.heap_size) - n_taken
    low, high = _NONE, _NONE
    lowest = state.heap[np.uint64(size)]
    for index in range(size, size + n_taken):
        place = np.uint64(index)
        card = np.uint64(state.heap[place])
        low |= _low_bit(card)
        high |= _high_bit(card)
        state.heap[place] = 0
    state.heap_size = size
    _give(state, np.uint64(seat), low, high)
    if n_taken == 1:
        if state.options[ALLOW_RETURN] == 0:
            state.taken = lowest
    elif state.options[DEEP_PICKUP] == IN_TURN:
        state.must = lowest


@kernel
def _give(state: Any, seat: Any, low: Any, high: Any) -> None:
    """Put cards that everybody sees into a hand."""
    state.hands[seat, 0] |= low
    state.hands[seat, 1] |= high
    state.known[seat, 0] |= low
    state.known[seat, 1] |= high


@kernel
def _draw_card(state: Any, seat: Any) -> Any:
    """Move the top card of the Factory into a hand.

    Returns the card when only its player knows it, else NO_CARD: when it was known to all, or there was none.
    """
    if (state.hands[FACTORY, 0] | state.hands[FACTORY, 1]) == _NONE:
        if state.bottom_size > 0:
            card = np.uint64(state.bottom[0])
            state.bottom_size -= 1
            for index in range(np.int64(state.bottom_size)):
                state.bottom[np.uint64(index)] = state.bottom[np.uint64(index + 1)]
            state.bottom[state.bottom_size] = 0
            _give(state, np.uint64(seat), _low_bit(card), _high_bit(card))
            return np.uint64(NO_CARD)
        if state.options[FACTORY_EMPTY] == END_HAND or state.heap_size < 2:
            return np.uint64(NO_CARD)
        _reshuffle(state)
    low, high = state.hands[FACTORY, 0], state.hands[FACTORY, 1]
    stream = state.chance[1:2]
    stream[0] = fold(state.chance[0], state.chance[2])
    state.chance[2] += _ONE
    n_low = population_count(low)
    card = nth_card(low, high, below_word(stream, np.uint64(n_low + population_count(high))))
    state.hands[FACTORY, 0] = low & ~_low_bit(card)
    state.hands[FACTORY, 1] = high & ~_high_bit(card)
    state.hands[seat, 0] |= _low_bit(card)
    state.hands[seat, 1] |= _high_bit(card)
    return card


@kernel
def nth_card(low: Any, high: Any, number: Any) -> Any:
    """Return the card that stands at place `number` (uint64, from 0) in a set of cards."""
    n_low = np.uint64(population_count(low))
    if number < n_low:
        return _nth_bit(low, number)
    return np.uint64(64) + _nth_bit(high, number - n_low)


_EVERY_BYTE = np.uint64(0x0101010101010101)
_TOP_BITS = np.uint64(0x8080808080808080)
_PAIRS = np.uint64(0x5555555555555555)
_NIBBLE_PAIRS = np.uint64(0x3333333333333333)
_NIBBLES = np.uint64(0x0F0F0F0F0F0F0F0F)
_FOUR, _EIGHT, _BYTE = np.uint64(4), np.uint64(8), np.uint64(0xFF)


@kernel
def _nth_bit(word: Any, number: Any) -> Any:
    """Return the place of the set bit number `number` (from 0) of a word, all uint64.

    Source: Vigna 2008, "Broadword implementation of rank/select queries".
    """
    sums = word - ((word >> _ONE) & _PAIRS)
    sums = (sums & _NIBBLE_PAIRS) + ((sums >> _TWO) & _NIBBLE_PAIRS)
    sums = ((sums + (sums >> _FOUR)) & _NIBBLES) * _EVERY_BYTE  # byte i: set bits of bytes 0 … i
    passed = ((number * _EVERY_BYTE | _TOP_BITS) - sums) & _TOP_BITS
    place = _EIGHT * np.uint64(population_count(passed))
    before = ((sums << _EIGHT) >> place) & _BYTE
    return place + np.uint64(PLACE_IN_BYTE[(word >> place) & _BYTE, number - before])


@kernel
def _reshuffle(state: Any) -> None:
    """Make the heap but for its top card the new Factory; note which hidden cards cannot be in it."""
    _mark_held_cards(state)
    top = np.int64(state.heap_size) - 1
    for index in range(top):
        card = np.uint64(state.heap[np.uint64(index)])
        state.hands[FACTORY, 0] |= _low_bit(card)
        state.hands[FACTORY, 1] |= _high_bit(card)
        state.heap[np.uint64(index)] = 0
    state.heap[0] = state.heap[np.uint64(top)]
    state.heap[np.uint64(top)] = 0
    state.heap_size = 1


@kernel
def _mark_held_cards(state: Any) -> None:
    """Give the hidden cards in hands that have no group yet a group of their own, and number the groups anew."""
    n_groups = 0
    for group in range(1, np.int64(state.n_groups) + 1):
        is_empty = True
        for card in range(CARD_IDS):
            if state.label[card] == group:
                state.label[card] = n_groups + 1
                is_empty = False
        if not is_empty:
            n_groups += 1
    is_empty = True
    for index in range(np.int64(state.players)):
        seat = np.uint64(index)
        for word in range(2):
            hidden = state.hands[seat, word] & ~state.known[seat, word]
            while hidden:
                card = 64 * word + trailing_zeros(hidden)
                hidden &= hidden - _ONE
                if state.label[card] == 0:
                    state.label[card] = n_groups + 1
                    is_empty = False
    state.n_groups = n_groups if is_empty else n_groups + 1


# Meld: begin a spread with three cards.


@kernel
def _legal_meld(state: Any) -> tuple[Any, Any]:
    """Return the spreads that can be begun: runs by suit and lowest place, sets by rank in the upper half.

    A card that must be laid comes first: whatever else is laid can be laid after it.
    """
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    if population_count(low) + population_count(high) <= SHORTEST:
        return _NONE, _NONE
    n_wilds = _usable_wilds(state, high)
    runs_low, runs_high = _run_starts(low, high, n_wilds)
    sets = _set_ranks(low, high, n_wilds)
    if state.must != NO_CARD:
        card = np.uint64(state.must)
        if card >= np.uint64(FIRST_WILD):
            if n_wilds == 0:
                return _NONE, _NONE
        else:
            suit, rank = card >> np.uint64(4), card & np.uint64(15)
            window = WINDOWS[rank] << (_SIXTEEN * (suit & np.uint64(3)))
            runs_low &= window if suit < np.uint64(4) else _NONE
            runs_high &= window if suit == np.uint64(4) else _NONE
            sets &= _ONE << rank
    return runs_low, runs_high | (sets << _SET_SHIFT)


@kernel
def _apply_meld(state: Any, action: int) -> None:
    meld = BIT[action]
    state.pending = meld
    forms = _legal_form(state)
    if forms & (forms - _ONE):
        state.phase = FORM
    else:
        _lay_spread(state, meld, np.uint64(trailing_zeros(forms)))


@kernel
def _legal_form(state: Any) -> Any:
    """Return the forms of the meld that is begun, a bit each: 7 of runs, then 25 of sets."""
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    n_wilds = np.uint64(min(_usable_wilds(state, high), 2))
    meld = np.uint64(state.pending)
    must = np.uint64(state.must)
    if meld < np.uint64(FIRST_WILD):
        suit, first = meld >> np.uint64(4), meld & np.uint64(15)
        lane = _lane(low, high, suit)
        lane |= (lane & _TWO) << _TO_HIGH_STAR
        forms = RUN_FORMS_OF[(lane >> first) & np.uint64(7), n_wilds]
        if must >= np.uint64(FIRST_WILD):
            forms &= RUN_FORMS_WITH[3]
        elif must != _NONE:
            place = (must & np.uint64(15)) - first
            forms &= RUN_FORMS_WITH[place if place < np.uint64(3) else _TWO]  # a star may be the third of 13, 14, 15
        return forms
    rank = meld & np.uint64(15)
    forms = SET_FORMS_OF[_suits_of(low, high, rank), n_wilds]
    if must >= np.uint64(FIRST_WILD):
        forms &= SET_FORMS_WITH[N_SUITS]
    elif must != _NONE:
        forms &= SET_FORMS_WITH[must >> np.uint64(4)]
    return forms << np.uint64(N_RUN_FORMS)


@kernel
def _suits_of(low: Any, high: Any, rank: Any) -> Any:
    """Return the suits of which a card of a rank is there, a bit each."""
    suits = (low >> rank) & _ONE
    suits |= (low >> (rank + np.uint64(15))) & np.uint64(2)
    suits |= (low >> (rank + np.uint64(30))) & np.uint64(4)
    suits |= (low >> (rank + np.uint64(45))) & np.uint64(8)
    return suits | (((high >> rank) & _ONE) << _FOUR)


@kernel
def _apply_form(state: Any, action: int) -> None:
    state.phase = PLAY
    _lay_spread(state, np.uint64(state.pending), BIT[action])


@kernel
def _lay_spread(state: Any, meld: Any, form: Any) -> None:
    """Lay three cards: the natural ones of the form, and wilds."""
    seat = np.uint64(state.seat)
    mask = FORM_MASK[form]
    n_wilds = SHORTEST - population_count(mask)
    natural_low, natural_high = _NONE, _NONE
    spots = _NONE
    wilds = _NONE
    if meld < np.uint64(FIRST_WILD):
        suit, first = meld >> np.uint64(4), meld & np.uint64(15)
        natural = mask << first
        filled = np.uint64(7) << first
        lane = (natural & np.uint64(0x7FFE)) | ((natural >> _TO_HIGH_STAR) & _TWO)
        if suit < np.uint64(4):
            natural_low = lane << (_SIXTEEN * suit)
        else:
            natural_high = lane
        kind = suit
    else:
        rank = meld & np.uint64(15)
        natural = mask
        filled = mask
        natural_low, natural_high = _cards_of_rank(mask, rank)
        kind = np.uint64(SET_KIND) + rank
    _take_out(state, seat, natural_low, natural_high)
    gaps = filled & ~natural
    for _ in range(n_wilds):
        wild = _wild_to_play(state, seat, _WILDS)
        _take_out(state, seat, _NONE, _high_bit(wild))
        wilds |= _ONE << (wild - np.uint64(FIRST_WILD))
        if gaps:
            spots |= np.uint64(trailing_zeros(gaps)) << (_FOUR * (wild - np.uint64(FIRST_WILD)))
            gaps &= gaps - _ONE
    natural_high |= wilds << _SIXTEEN
    state.laid[seat, 0] |= natural_low
    state.laid[seat, 1] |= natural_high
    state.spreads[state.n_spreads] = spread_word(kind, seat, wilds, filled, natural, spots)
    state.n_spreads += 1
    state.open_spread = state.n_spreads
    state.pending = 0
    state.must = NO_CARD


@kernel
def _cards_of_rank(suits: Any, rank: Any) -> tuple[Any, Any]:
    """Return the cards of a rank in the given suits (a bit each) as a set of cards."""
    low = (suits & _ONE) | ((suits & np.uint64(2)) << np.uint64(15))
    low |= ((suits & np.uint64(4)) << np.uint64(30)) | ((suits & np.uint64(8)) << np.uint64(45))
    return low << rank, (suits >> _FOUR) << rank


@kernel
def spread_word(kind: Any, owner: Any, wilds: Any, filled: Any, natural: Any, spots: Any) -> Any:
    """Pack a spread into a word, all parts uint64."""
    word = kind | (owner << _EIGHT) | (wilds << np.uint64(12)) | (filled << _SIXTEEN)
    return word | (natural << np.uint64(32)) | (spots << np.uint64(48))


@kernel
def kind_of(word: Any) -> Any:
    """Return the kind of a spread."""
    return word & _BYTE


@kernel
def owner_of(word: Any) -> Any:
    """Return the seat before which a spread lies; of a robot, the seat that built it."""
    return (word >> _EIGHT) & np.uint64(15)


@kernel
def wilds_of(word: Any) -> Any:
    """Return the wilds in a spread, a bit each."""
    return (word >> np.uint64(12)) & np.uint64(15)


@kernel
def filled_of(word: Any) -> Any:
    """Return the places that a spread fills: of a run 1 … 15, of a set the suits."""
    return (word >> _SIXTEEN) & _LANE


@kernel
def natural_of(word: Any) -> Any:
    """Return the places that natural cards fill."""
    return (word >> np.uint64(32)) & _LANE


@kernel
def spots_of(word: Any) -> Any:
    """Return the places that the wilds of a run stand for, four bits a wild."""
    return word >> np.uint64(48)


@kernel
def _take_out(state: Any, seat: Any, low: Any, high: Any) -> None:
    """Take cards out of a hand: from now on everybody sees them."""
    state.hands[seat, 0] &= ~low
    state.hands[seat, 1] &= ~high
    state.known[seat, 0] &= ~low
    state.known[seat, 1] &= ~high
    if state.n_groups > 0:
        while low:
            state.label[np.uint64(trailing_zeros(low))] = 0
            low &= low - _ONE
        while high:
            state.label[np.uint64(64 + trailing_zeros(high))] = 0
            high &= high - _ONE


@kernel
def _wild_to_play(state: Any, seat: Any, allowed: Any) -> Any:
    """Return the wild that leaves a hand: one that everybody knows of if there is one, then the first."""
    held = state.hands[seat, 1] & allowed
    known = held & state.known[seat, 1]
    return np.uint64(64 + trailing_zeros(known if known else held))


# Lay off: add a card to a spread.


@kernel
def _legal_lay_off(state: Any) -> tuple[Any, Any]:
    """Return the cards in the hand that fit somewhere; all wilds are the first one."""
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    if state.n_spreads == 0 or population_count(low) + population_count(high) < 2:
        return _NONE, _NONE
    fit_low, fit_high = _fits(state, np.int64(seat))
    if state.must != NO_CARD:
        return _needed_lay_offs(state, np.int64(seat), fit_low, fit_high)
    wild = fit_high & _WILD_BIT if high & _WILDS else _NONE
    return low & fit_low, (high & _NATURAL_HIGH & fit_high) | wild


@kernel
def _fits(state: Any, seat: Any) -> tuple[Any, Any]:
    """Return the natural cards that fit onto the spreads that `seat` may add to.

    In the upper word the bit of the first wild says that a wild fits somewhere, bit 32 + suit that there is a run of
    the suit.
    """
    low, high = _NONE, _NONE
    most_wilds = np.int64(state.options[MAX_WILDS])
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if not _may_add(state, seat, word, index):
            continue
        kind = kind_of(word)
        takes_wild = population_count(wilds_of(word)) < most_wilds
        if kind < np.uint64(SET_KIND):
            ends = _open_ends(filled_of(word))
            ranks = (ends & np.uint64(0x7FFE)) | ((ends >> _TO_HIGH_STAR) & _TWO)
            if kind < _FOUR:
                low |= ranks << (_SIXTEEN * kind)
            else:
                high |= ranks
            high |= _ONE << (_SET_SHIFT + kind)
            takes_wild = takes_wild and ends != _NONE
        else:
            rank = kind - np.uint64(SET_KIND)
            low |= _RANK_LOW << rank
            high |= _ONE << rank
        if takes_wild:
            high |= _WILD_BIT
    return low, high


@kernel
def _may_add(state: Any, seat: Any, word: Any, index: Any) -> bool:
    """Tell whether `seat` may add to a spread: the option says to which, and it has room and is no robot."""
    kind = kind_of(word)
    if kind >= np.uint64(SET_KIND):
        size = population_count(filled_of(word)) + population_count(wilds_of(word))
        if kind >= np.uint64(ROBOT_KIND) or size == LARGEST_SET:
            return False
    whose = state.options[LAY_OFF]
    if whose == ON_OWN:
        return np.int64(owner_of(word)) == seat
    return whose == ON_ANY or index + 1 == np.int64(state.open_spread)


@kernel
def _open_ends(filled: Any) -> Any:
    """Return the places at which a run can grow: both its neighbors, but never 1 and 15 in one run."""
    ends = ((filled << _ONE) | (filled >> _ONE)) & ~filled & np.uint64(0xFFFE)
    if filled & _TWO:
        ends &= ~np.uint64(1 << STAR_HIGH)
    if filled & np.uint64(1 << STAR_HIGH):
        ends &= ~_TWO
    return ends


@kernel
def _needed_lay_offs(state: Any, seat: Any, fit_low: Any, fit_high: Any) -> tuple[Any, Any]:
    """Return what may be laid off while a card must be laid: that card, or one that a run needs to reach it."""
    card = np.uint64(state.must)
    if card >= np.uint64(FIRST_WILD):
        return _NONE, fit_high & _WILD_BIT
    low = fit_low & _low_bit(card)
    high = fit_high & _high_bit(card)
    if fit_high & (_ONE << (_SET_SHIFT + (card >> np.uint64(4)))):
        natural, wild = _chain_places(state, seat, state.hands[seat, 0], state.hands[seat, 1], card)
        while natural:
            place = np.uint64(trailing_zeros(natural))
            natural &= natural - _ONE
            step = (card & ~np.uint64(15)) | _rank_at(state.spreads[place >> _ONE], place & _ONE)
            low |= _low_bit(step)
            high |= _high_bit(step)
        if wild:
            high |= _WILD_BIT
    return low, high


@kernel
def _rank_at(word: Any, end: Any) -> Any:
    """Return the rank of the card that continues a run at its low or high end."""
    filled = filled_of(word)
    if end == _NONE:
        return np.uint64(trailing_zeros(filled)) - _ONE
    place = np.uint64(population_count(filled) + trailing_zeros(filled))
    return np.uint64(STAR) if place == np.uint64(STAR_HIGH) else place


@kernel
def _chain_places(state: Any, seat: Any, low: Any, high: Any, card: Any) -> tuple[Any, Any]:
    """Return the places (2 * spread + end) where a card laid off brings a run nearer to `card`, so that it can follow.

    First those for the natural card that belongs there, then those for a wild. The cards (low, high) are those of
    `seat`; all cards between run and `card` must be among them, and one must be left to discard.
    """
    natural_places, wild_places = _NONE, _NONE
    suit, rank = card >> np.uint64(4), np.int64(card & np.uint64(15))
    held = _lane(low, high, suit) & ~(_ONE << np.uint64(rank))
    size = population_count(low) + population_count(high)
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if kind_of(word) != suit or not _may_add(state, seat, word, index):
            continue
        filled = filled_of(word)
        lowest = trailing_zeros(filled)
        highest = lowest + population_count(filled) - 1
        n_wilds = min(
            population_count(high & _WILDS), np.int64(state.options[MAX_WILDS]) - population_count(wilds_of(word))
        )
        for is_high_star in range(2 if rank == STAR else 1):
            aim = STAR_HIGH if is_high_star else rank
            for end in range(2):
                first = highest + 1 if end == 1 else aim + 1
                n_gaps = aim - first if end == 1 else lowest - first
                if n_gaps < 1 or size < n_gaps + 2 or (aim == STAR_HIGH and lowest == STAR):
                    continue
                if aim == STAR and highest == STAR_HIGH:
                    continue
                gaps = ((_ONE << np.uint64(n_gaps)) - _ONE) << np.uint64(first)
                n_missing = n_gaps - population_count(gaps & held)
                step = _ONE << np.uint64(highest + 1 if end == 1 else lowest - 1)
                place = _ONE << np.uint64(2 * index + end)
                if held & step and n_missing <= n_wilds:
                    natural_places |= place
                if n_wilds > 0 and n_missing + (1 if held & step else 0) <= n_wilds:
                    wild_places |= place
    return natural_places, wild_places


@kernel
def _apply_lay_off(state: Any, action: int) -> None:
    state.pending = BIT[action]
    places = _legal_place(state)
    if places & (places - _ONE):
        state.phase = PLACE
    else:
        _attach(state, np.uint64(trailing_zeros(places)))


@kernel
def _legal_place(state: Any) -> Any:
    """Return the places (bit 2 * spread + end) where the card to be laid off may go."""
    card = np.uint64(state.pending)
    is_wild = card >= np.uint64(FIRST_WILD)
    must = np.uint64(state.must)
    seat = np.int64(state.seat)
    is_step = must != _NONE and must < np.uint64(FIRST_WILD) and card != must
    if is_step:
        natural, wild = _chain_places(state, seat, state.hands[seat, 0], state.hands[seat, 1], must)
        if is_wild:
            return wild
        places = _NONE
        while natural:
            place = np.uint64(trailing_zeros(natural))
            natural &= natural - _ONE
            if _rank_at(state.spreads[place >> _ONE], place & _ONE) == card & np.uint64(15):
                places |= _ONE << place
        return places
    suit, rank = card >> np.uint64(4), card & np.uint64(15)
    most_wilds = np.int64(state.options[MAX_WILDS])
    places = _NONE
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if not _may_add(state, seat, word, index):
            continue
        if is_wild and population_count(wilds_of(word)) >= most_wilds:
            continue
        kind = kind_of(word)
        if kind >= np.uint64(SET_KIND):
            if is_wild or rank + np.uint64(SET_KIND) == kind:
                places |= _ONE << np.uint64(2 * index)
        elif is_wild or kind == suit:
            filled = filled_of(word)
            ends = _open_ends(filled)
            wanted = ends if is_wild else ends & (_ONE << rank)
            if rank == np.uint64(STAR) and not is_wild:
                wanted |= ends & np.uint64(1 << STAR_HIGH)
            if wanted & (filled >> _ONE):
                places |= _ONE << np.uint64(2 * index)
            if wanted & (filled << _ONE):
                places |= _ONE << np.uint64(2 * index + 1)
    return places


@kernel
def _apply_place(state: Any, action: int) -> None:
    state.phase = PLAY
    _attach(state, BIT[action])


@kernel
def _attach(state: Any, place: Any) -> None:
    """Add the pending card to the spread at a place (2 * spread + end)."""
    seat = np.uint64(state.seat)
    slot, end = place >> _ONE, place & _ONE
    word = state.spreads[slot]
    kind, filled, natural = kind_of(word), filled_of(word), natural_of(word)
    wilds, spots = wilds_of(word), spots_of(word)
    card = np.uint64(state.pending)
    is_wild = card >= np.uint64(FIRST_WILD)
    if is_wild:
        card = _wild_to_play(state, seat, _WILDS)
        wilds |= _ONE << (card - np.uint64(FIRST_WILD))
    if kind < np.uint64(SET_KIND):
        lowest = np.uint64(trailing_zeros(filled))
        at = lowest - _ONE if end == _NONE else lowest + np.uint64(population_count(filled))
        filled |= _ONE << at
        if is_wild:
            spots |= at << (_FOUR * (card - np.uint64(FIRST_WILD)))
        else:
            natural |= _ONE << at
    elif not is_wild:
        natural |= _ONE << (card >> np.uint64(4))
        filled = natural
    owner = owner_of(word)
    if kind >= np.uint64(SET_KIND) and population_count(natural) == LARGEST_SET:
        if kind != np.uint64(SET_KIND + STAR) or state.options[STAR_ROBOT] == 1:
            kind += np.uint64(ROBOT_KIND - SET_KIND)
            owner = seat
    _take_out(state, seat, _low_bit(card), _high_bit(card))
    state.laid[seat, 0] |= _low_bit(card)
    state.laid[seat, 1] |= _high_bit(card)
    state.spreads[slot] = spread_word(kind, owner, wilds, filled, natural, spots)
    if state.must == card or (is_wild and state.must >= FIRST_WILD):
        state.must = NO_CARD
    state.pending = 0


# Discard, which ends the turn or sets a power free.


@kernel
def _legal_discard(state: Any) -> tuple[Any, Any]:
    """Return the cards that may be discarded: none while one must be laid, not the one just taken; one wild for all."""
    if state.must != NO_CARD:
        return _NONE, _NONE
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    if state.taken != NO_CARD:
        taken = np.uint64(state.taken)
        free_low, free_high = low & ~_low_bit(taken), high & ~_high_bit(taken)
        if free_low | free_high:
            low, high = free_low, free_high
    wild = _WILD_BIT if high & _WILDS else _NONE
    return low, (high & _NATURAL_HIGH) | wild


@kernel
def _apply_discard(state: Any, action: int) -> None:
    seat = np.uint64(state.seat)
    card = BIT[action]
    if card >= np.uint64(FIRST_WILD):
        allowed = _WILDS
        taken = np.uint64(state.taken)
        if taken >= np.uint64(FIRST_WILD) and state.hands[seat, 1] & _WILDS & ~_high_bit(taken):
            allowed &= ~_high_bit(taken)
        card = _wild_to_play(state, seat, allowed)
    _take_out(state, seat, _low_bit(card), _high_bit(card))
    state.heap[state.heap_size] = card
    state.heap_size += 1
    state.taken = NO_CARD
    state.open_spread = 0
    if card >= np.uint64(FIRST_WILD):
        _end_turn(state)
        return
    power = np.int64(state.power_of[card & np.uint64(15)])
    if power == NO_POWER:
        _end_turn(state)
        return
    is_final = (state.hands[seat, 0] | state.hands[seat, 1]) == _NONE
    if (is_final and state.options[FINAL_POWER] == 0) or not _has_effect(state, power):
        _end_turn(state)
    elif state.options[OPTIONAL_POWERS] == 1:
        state.phase = POWER
        state.pending = power
    else:
        _start_power(state, power)


@kernel
def _end_turn(state: Any) -> None:
    """Let the next seat draw; the hand ends when the player has no card left, or after the last turn."""
    seat = np.int64(state.turn_seat)
    state.turns += 1
    is_out = (state.hands[seat, 0] | state.hands[seat, 1]) == _NONE
    if is_out or state.turns >= state.limits[MAX_TURNS]:
        _end_hand(state)
        return
    _ask_for_draw(state, seat + 1 if seat + 1 < np.int64(state.players) else 0)
    if not _can_draw(state) and not _must_take_top(state):
        _end_hand(state)


@kernel
def _can_draw(state: Any) -> bool:
    """Tell whether the Factory has a card or can be filled."""
    if (state.hands[FACTORY, 0] | state.hands[FACTORY, 1]) != _NONE or state.bottom_size > 0:
        return True
    return state.options[FACTORY_EMPTY] == RESHUFFLE and state.heap_size > 1


@kernel
def _must_take_top(state: Any) -> bool:
    """Tell whether a player without a Factory can take the only card of the heap."""
    return state.options[FACTORY_EMPTY] == RESHUFFLE and state.heap_size == 1 and state.fielded == 0


@kernel
def _end_hand(state: Any) -> None:
    """Count the hand; then the game is over, or the next hand is dealt by the seat to the left."""
    players = np.int64(state.players)
    state.hands_played += 1
    for seat in range(players):
        state.totals[seat] += hand_points(state, seat)
    if _is_decided(state):
        _lay_open(state)
        return
    state.first_player = (np.int64(state.first_player) + 1) % players
    stream = state.chance[1:2]
    stream[0] = fold(state.chance[0], state.chance[2] | _LAST_DRAW)
    _deal_hand(state, stream)
    state.drawn = 255


@kernel
def hand_points(state: Any, seat: Any) -> int:
    """Count the points of a seat in this hand as if it ended now: laid cards and robots, less the cards held."""
    points = cards_points(state.laid[seat, 0], state.laid[seat, 1])
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if kind_of(word) >= np.uint64(ROBOT_KIND) and np.int64(owner_of(word)) == seat:
            points += POINTS_ROBOT
    return points - cards_points(state.hands[seat, 0], state.hands[seat, 1])


@kernel
def cards_points(low: Any, high: Any) -> int:
    """Add the points of a set of cards; a wild has none."""
    n_low = population_count(low & _LOW_RANKS) + population_count(high & _LOW_RANKS_ONE)
    n_high = population_count(low & _HIGH_RANKS) + population_count(high & _HIGH_RANKS_ONE)
    n_stars = population_count(low & _STARS) + population_count(high & _STAR_ONE)
    return POINTS_LOW * n_low + POINTS_HIGH * n_high + POINTS_STAR * n_stars


@kernel
def _is_decided(state: Any) -> Any:
    """Tell whether the game is over after a hand."""
    target = np.int64(state.limits[TARGET])
    if target == 0 or state.hands_played >= state.options[MAX_HANDS]:
        return True
    best = np.int64(state.totals[0])
    n_best = 1
    for seat in range(1, np.int64(state.players)):
        total = np.int64(state.totals[seat])
        n_best = 1 if total > best else n_best + 1 if total == best else n_best
        best = max(best, total)
    return best >= target and (n_best == 1 or state.options[TIE] == SHARED)


@kernel
def _lay_open(state: Any) -> None:
    """End the game: hands are counted openly, so everybody knows all cards."""
    state.phase = OVER
    state.seat = state.turn_seat
    state.pending = 0
    state.label[:] = 0
    state.n_groups = 0
    for seat in range(np.int64(state.players)):
        state.known[seat, 0] = state.hands[seat, 0]
        state.known[seat, 1] = state.hands[seat, 1]


# Powers.


@kernel
def _has_effect(state: Any, power: Any) -> bool:
    """Tell whether a power that was just discarded can do anything."""
    if power == SHORT_CIRCUIT:
        return _legal_aim(state) != _NONE
    if power in (TRACTOR_BEAM, RECYCLE):
        return state.heap_size > 1
    if power == FORCE_FIELD:
        return True
    low, high = _legal_shoot(state)
    return (low | high) != _NONE


@kernel
def _apply_power(state: Any, action: int) -> None:
    power = np.int64(state.pending)
    state.pending = 0
    if action == DECLINE:
        _end_turn(state)
    else:
        _start_power(state, power)


@kernel
def _start_power(state: Any, power: Any) -> None:
    """Do what a power does without a choice, or ask for the choice."""
    if power == SHORT_CIRCUIT:
        victims = _legal_aim(state)
        if victims & (victims - _ONE):
            state.phase = AIM
        else:
            _begin_short_circuit(state, trailing_zeros(victims))
    elif power == TRACTOR_BEAM:
        _pull_heap(state)
        _end_turn(state)
    elif power == RECYCLE:
        state.phase = RECYCLING
    elif power == FORCE_FIELD:
        state.fielded = 1
        _end_turn(state)
    else:
        state.phase = SHOOT
        state.pending = power


@kernel
def _legal_aim(state: Any) -> Any:
    """Return the seats that a short circuit may hit, a bit each: opponents, or anyone, who hold a card."""
    seats = _NONE
    for seat in range(np.int64(state.players)):
        is_allowed = seat != np.int64(state.turn_seat) or state.options[SC_SELF] == 1
        if is_allowed and (state.hands[seat, 0] | state.hands[seat, 1]) != _NONE:
            seats |= _ONE << np.uint64(seat)
    return seats


@kernel
def _apply_aim(state: Any, action: int) -> None:
    _begin_short_circuit(state, action - AIM_AT)


@kernel
def _begin_short_circuit(state: Any, victim: Any) -> None:
    state.phase = PUT
    state.seat = victim
    n_held = population_count(state.hands[victim, 0]) + population_count(state.hands[victim, 1])
    n_placed = min(2, n_held)
    n_drawn = n_placed if state.options[SC_DRAW] == DRAW_AS_PLACED else 2
    state.pending = n_placed + 16 * n_drawn


@kernel
def _legal_put(state: Any) -> tuple[Any, Any]:
    """Return the cards that the victim may put under the heap; of his wilds the one that he would play."""
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    wild = _high_bit(_wild_to_play(state, seat, _WILDS)) if high & _WILDS else _NONE
    return low, (high & _NATURAL_HIGH) | wild


@kernel
def _apply_put(state: Any, action: int) -> None:
    seat = np.int64(state.seat)
    card = BIT[action]
    _take_out(state, np.uint64(seat), _low_bit(card), _high_bit(card))
    _put_under_heap(state, card)
    state.pending -= 1
    if state.pending % 16 > 0:
        return
    n_wanted = np.int64(state.pending) // 16
    state.pending = 0
    news = np.uint32(0)
    is_short = False
    for number in range(1, n_wanted + 1):
        if not _can_draw(state):
            is_short = True
            break
        card = _draw_card(state, seat)
        if card != NO_CARD:
            news |= np.uint32(seat + 1) | (np.uint32(card) << np.uint32(8 * number))
    if is_short and state.options[FACTORY_EMPTY] == END_HAND:
        state.turns += 1
        _end_hand(state)
    else:
        _end_turn(state)
    if state.drawn == 0:  # not when a new hand was dealt
        state.drawn = news


@kernel
def _put_under_heap(state: Any, card: Any) -> None:
    for index in range(np.int64(state.heap_size), 0, -1):
        state.heap[np.uint64(index)] = state.heap[np.uint64(index - 1)]
    state.heap[0] = card
    state.heap_size += 1


@kernel
def _put_under_factory(state: Any, card: Any) -> None:
    state.bottom[state.bottom_size] = card
    state.bottom_size += 1


@kernel
def _pull_heap(state: Any) -> None:
    """Tractor beam: move the lower half of the heap, not counting the beam and rounded up, under the Factory."""
    size = np.int64(state.heap_size)
    n_moved = size // 2
    for index in range(n_moved - 1, -1, -1):
        _put_under_factory(state, state.heap[np.uint64(index)])
    for index in range(size):
        state.heap[np.uint64(index)] = state.heap[np.uint64(index + n_moved)] if index + n_moved < size else 0
    state.heap_size = size - n_moved


@kernel
def _legal_recycle(state: Any) -> tuple[Any, Any]:
    """Return the cards of the heap but for the one on top."""
    low, high = _NONE, _NONE
    for index in range(np.int64(state.heap_size) - 1):
        card = np.uint64(state.heap[np.uint64(index)])
        low |= _low_bit(card)
        high |= _high_bit(card)
    return low, high


@kernel
def _apply_recycle(state: Any, action: int) -> None:
    card = BIT[action]
    size = np.int64(state.heap_size)
    is_passed = False
    for index in range(size):
        place = np.uint64(index)
        is_passed = is_passed or np.uint64(state.heap[place]) == card
        if is_passed:
            state.heap[place] = state.heap[np.uint64(index + 1)] if index + 1 < size else 0
    state.heap_size -= 1
    _give(state, np.uint64(state.turn_seat), _low_bit(card), _high_bit(card))
    _end_turn(state)


@kernel
def _legal_shoot(state: Any) -> tuple[Any, Any]:
    """Return the cards in the spreads of opponents, wilds included, robots not."""
    low, high = _NONE, _NONE
    turn_seat = np.uint64(state.turn_seat)
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if kind_of(word) < np.uint64(ROBOT_KIND) and owner_of(word) != turn_seat:
            spread_low, spread_high = spread_cards(word)
            low |= spread_low
            high |= spread_high
    return low, high


@kernel
def spread_cards(word: Any) -> tuple[Any, Any]:
    """Return the cards of a spread."""
    kind, natural = kind_of(word), natural_of(word)
    wilds = wilds_of(word) << _SIXTEEN
    if kind >= np.uint64(SET_KIND):
        low, high = _cards_of_rank(natural, kind & np.uint64(15))
        return low, high | wilds
    lane = (natural & np.uint64(0x7FFE)) | ((natural >> _TO_HIGH_STAR) & _TWO)
    if kind < _FOUR:
        return lane << (_SIXTEEN * kind), wilds
    return _NONE, lane | wilds


@kernel
def _apply_shoot(state: Any, action: int) -> None:
    """Laser, alpha + omega: move the target and what a broken spread leaves."""
    card = BIT[action]
    is_laser = state.pending == LASER
    state.pending = 0
    state.heap_size -= 1
    shooter = np.uint64(state.heap[state.heap_size])
    state.heap[state.heap_size] = 0
    slot = _find_spread(state, card)
    owner = owner_of(state.spreads[slot])
    low, high = _shoot_out(state, slot, card)
    gone_low, gone_high = ~(low | _low_bit(card)), ~(high | _high_bit(card))
    for seat in range(np.int64(state.players)):
        state.laid[seat, 0] &= gone_low
        state.laid[seat, 1] &= gone_high
    if is_laser:
        _put_under_heap(state, card)
        _put_under_heap(state, shooter)
        _give(state, owner, low, high)
    else:
        _put_under_factory(state, card)
        _put_under_factory(state, shooter)
        n_left = population_count(low) + population_count(high)
        for number in range(n_left - 1, -1, -1):  # so the first of them, in the order of cards, is the lowest
            _put_under_heap(state, nth_card(low, high, np.uint64(number)))
    _end_turn(state)


@kernel
def _find_spread(state: Any, card: Any) -> Any:
    """Return the place of the spread that holds a card."""
    for index in range(np.int64(state.n_spreads)):
        low, high = spread_cards(state.spreads[np.uint64(index)])
        if (low & _low_bit(card)) | (high & _high_bit(card)):
            return np.uint64(index)
    return np.uint64(0)


@kernel
def _shoot_out(state: Any, slot: Any, card: Any) -> tuple[Any, Any]:
    """Take a card out of a spread; return the cards that do not stay because what is left is no spread."""
    word = state.spreads[slot]
    kind, owner = kind_of(word), owner_of(word)
    natural, wilds, spots = natural_of(word), wilds_of(word), spots_of(word)
    if kind >= np.uint64(SET_KIND):
        if card >= np.uint64(FIRST_WILD):
            wilds &= ~(_ONE << (card - np.uint64(FIRST_WILD)))
        else:
            natural &= ~(_ONE << (card >> np.uint64(4)))
        rest = spread_word(kind, owner, wilds, natural, natural, spots)
        if natural and population_count(natural) + population_count(wilds) >= SHORTEST:
            state.spreads[slot] = rest
            return _NONE, _NONE
        _remove_spread(state, slot)
        return spread_cards(rest)
    if card >= np.uint64(FIRST_WILD):
        at = (spots >> (_FOUR * (card - np.uint64(FIRST_WILD)))) & np.uint64(15)
    else:
        at = card & np.uint64(15)
        if at == np.uint64(STAR) and natural & _TWO == _NONE:
            at = np.uint64(STAR_HIGH)
    below_it = (_ONE << at) - _ONE
    lower = _part_of_run(word, below_it)
    upper = _part_of_run(word, ~(below_it | (_ONE << at)))
    may_stay = state.options[SPLIT_RUNS] == 1 or filled_of(lower) == _NONE or filled_of(upper) == _NONE
    lower_stays = may_stay and _is_run(lower)
    upper_stays = may_stay and _is_run(upper)
    lost_low, lost_high = _NONE, _NONE
    if not lower_stays:
        lost_low, lost_high = spread_cards(lower)
    if not upper_stays:
        low, high = spread_cards(upper)
        lost_low |= low
        lost_high |= high
    if lower_stays or upper_stays:
        state.spreads[slot] = lower if lower_stays else upper
    else:
        _remove_spread(state, slot)
    if lower_stays and upper_stays:
        state.spreads[state.n_spreads] = upper
        state.n_spreads += 1
    return lost_low, lost_high


@kernel
def _is_run(word: Any) -> bool:
    """Tell whether a part of a run can lie alone."""
    return natural_of(word) != _NONE and population_count(filled_of(word)) >= SHORTEST


@kernel
def _part_of_run(word: Any, places: Any) -> Any:
    """Return what a run is at some of its places."""
    wilds, spots = _NONE, _NONE
    for index in range(MOST_WILDS):
        wild = np.uint64(index)
        at = (spots_of(word) >> (_FOUR * wild)) & np.uint64(15)
        if (wilds_of(word) >> wild) & _ONE and (places >> at) & _ONE:
            wilds |= _ONE << wild
            spots |= at << (_FOUR * wild)
    return spread_word(kind_of(word), owner_of(word), wilds, filled_of(word) & places, natural_of(word) & places, spots)


@kernel
def _remove_spread(state: Any, slot: Any) -> None:
    """Take a spread off the table; those after it move up."""
    state.n_spreads -= 1
    for index in range(np.int64(slot), np.int64(state.n_spreads)):
        state.spreads[np.uint64(index)] = state.spreads[np.uint64(index + 1)]
    state.spreads[state.n_spreads] = 0


@kernel
def apply_action(state: Any, action: int) -> None:
    state.drawn = 0
    phase = state.phase
    if phase == DRAW:
        _apply_draw(state, action)
    elif phase == PLAY:
        if action >= DISCARD:
            _apply_discard(state, action)
        elif action >= LAY:
            _apply_lay_off(state, action)
        else:
            _apply_meld(state, action)
    elif phase == FORM:
        _apply_form(state, action)
    elif phase == PLACE:
        _apply_place(state, action)
    elif phase == POWER:
        _apply_power(state, action)
    elif phase == AIM:
        _apply_aim(state, action)
    elif phase == PUT:
        _apply_put(state, action)
    elif phase == RECYCLING:
        _apply_recycle(state, action)
    else:
        _apply_shoot(state, action)


@kernel
def is_terminal(state: Any) -> bool:
    return state.phase == OVER


@kernel
def score(state: Any, points: Any) -> None:
    for seat in range(np.int64(state.players)):
        points[seat] = state.totals[seat]


@kernel
def returns(state: Any, utility: Any) -> None:
    players = np.int64(state.players)
    best = np.int64(state.totals[0])
    n_best = 1
    for seat in range(1, players):
        total = np.int64(state.totals[seat])
        n_best = 1 if total > best else n_best + 1 if total == best else n_best
        best = max(best, total)
    for seat in range(players):
        utility[seat] = 1.0 / n_best if np.int64(state.totals[seat]) == best else 0.0


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    state.drawn = 0
    state.chance[0] = next_word(rng)
    state.chance[1] = 0
    state.chance[2] = np.uint64(state.hands_played) << _HAND_SHIFT
    low, high = state.hands[FACTORY, 0], state.hands[FACTORY, 1]
    if state.n_groups > 0:
        _deal_groups(state, player, rng)
    for index in range(np.int64(state.players)):
        seat = np.uint64(index)
        if index != player:
            hidden_low, hidden_high = _hidden_cards(state, seat, 0)
            low |= hidden_low
            high |= hidden_high
    for index in range(np.int64(state.players)):
        if index != player:
            seat = np.uint64(index)
            hidden_low, hidden_high = _hidden_cards(state, seat, 0)
            got_low, got_high = _draw_sample(
                low, high, population_count(hidden_low) + population_count(hidden_high), rng
            )
            state.hands[seat, 0] = (state.hands[seat, 0] & ~hidden_low) | got_low
            state.hands[seat, 1] = (state.hands[seat, 1] & ~hidden_high) | got_high
            low &= ~got_low
            high &= ~got_high
    state.hands[FACTORY, 0] = low
    state.hands[FACTORY, 1] = high


@kernel
def _hidden_cards(state: Any, seat: Any, group: Any) -> tuple[Any, Any]:
    """Return the cards of one group in a hand that only its player knows; group 0 has those drawn since a reshuffle."""
    low = state.hands[seat, 0] & ~state.known[seat, 0]
    high = state.hands[seat, 1] & ~state.known[seat, 1]
    if state.n_groups == 0:
        return low, high
    group_low, group_high = _NONE, _NONE
    while low:
        card = np.uint64(trailing_zeros(low))
        low &= low - _ONE
        if state.label[card] == group:
            group_low |= _low_bit(card)
    while high:
        card = np.uint64(64 + trailing_zeros(high))
        high &= high - _ONE
        if state.label[card] == group:
            group_high |= _high_bit(card)
    return group_low, group_high


@kernel
def _draw_sample(low: Any, high: Any, n_drawn: Any, rng: Any) -> tuple[Any, Any]:
    """Draw some of a set of cards, every choice equally likely; one word a card."""
    got_low, got_high = _NONE, _NONE
    n_left = np.uint64(population_count(low) + population_count(high))
    for _ in range(n_drawn):
        card = nth_card(low, high, below_word(rng, n_left))
        n_left -= _ONE
        got_low |= _low_bit(card)
        got_high |= _high_bit(card)
        low &= ~_low_bit(card)
        high &= ~_high_bit(card)
    return got_low, got_high


@kernel
def _deal_groups(state: Any, player: int, rng: Any) -> None:
    """Deal the hidden cards of each group among the hands that hold cards of it: none of them can be elsewhere."""
    for group in range(1, np.int64(state.n_groups) + 1):
        low, high = _NONE, _NONE
        for index in range(np.int64(state.players)):
            if index != player:
                hidden_low, hidden_high = _hidden_cards(state, np.uint64(index), group)
                low |= hidden_low
                high |= hidden_high
        for index in range(np.int64(state.players)):
            if index != player:
                seat = np.uint64(index)
                hidden_low, hidden_high = _hidden_cards(state, seat, group)
                n_hidden = population_count(hidden_low) + population_count(hidden_high)
                got_low, got_high = _draw_sample(low, high, n_hidden, rng)
                state.hands[seat, 0] = (state.hands[seat, 0] & ~hidden_low) | got_low
                state.hands[seat, 1] = (state.hands[seat, 1] & ~hidden_high) | got_high
                low &= ~got_low
                high &= ~got_high


OBSERVATION_SIZE = N_CARDS * (MOST_PLAYERS + 6) + MOST_PLAYERS * (N_CARDS + 1) + 2 * MOST_SPREADS + MOST_WILDS + 40


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    """Lay out, seats counted from the player to the left, 74 cards a block: the hands as far as he knows them; the
    heap (place from below), what is known of the Factory (place from above), the spread that a card lies in, the seat
    it counts for, and the group of a hidden card; then how many hidden cards of each group each seat holds, kind and
    owner of the spreads, what wilds stand for, and the single numbers.
    """
    players = np.int64(state.players)
    out[:OBSERVATION_SIZE] = 0.0
    held_low, held_high = state.hands[FACTORY, 0], state.hands[FACTORY, 1]
    counts = out[N_CARDS * (MOST_PLAYERS + 6) :]
    for step in range(players):
        seat = np.uint64((player + step) % players)
        _mark_cards(
            out[N_CARDS * step :],
            state.hands[seat, 0] if step == 0 else state.known[seat, 0],
            state.hands[seat, 1] if step == 0 else state.known[seat, 1],
            1.0,
        )
        _mark_cards(out[N_CARDS * (MOST_PLAYERS + 3) :], state.laid[seat, 0], state.laid[seat, 1], 1.0 + step)
        hidden_low = state.hands[seat, 0] & ~state.known[seat, 0]
        hidden_high = state.hands[seat, 1] & ~state.known[seat, 1]
        held_low |= hidden_low
        held_high |= hidden_high
        for number in range(population_count(hidden_low) + population_count(hidden_high)):
            card = nth_card(hidden_low, hidden_high, np.uint64(number))
            counts[(N_CARDS + 1) * step + state.label[card]] += 1.0
    for place in range(np.int64(state.heap_size)):
        out[N_CARDS * MOST_PLAYERS + CARD_NUMBER[state.heap[place]]] = place + 1.0
    for place in range(np.int64(state.bottom_size)):
        out[N_CARDS * (MOST_PLAYERS + 1) + CARD_NUMBER[state.bottom[place]]] = place + 1.0
    for number in range(population_count(held_low) + population_count(held_high)):
        card = nth_card(held_low, held_high, np.uint64(number))
        out[N_CARDS * (MOST_PLAYERS + 4) + CARD_NUMBER[card]] = 1.0 + state.label[card]
    at = N_CARDS * (MOST_PLAYERS + 6) + MOST_PLAYERS * (N_CARDS + 1)
    for slot in range(np.int64(state.n_spreads)):
        word = state.spreads[slot]
        low, high = spread_cards(word)
        _mark_cards(out[N_CARDS * (MOST_PLAYERS + 2) :], low, high, 1.0 + slot)
        out[at + 2 * slot] = 1.0 + np.int64(kind_of(word))
        out[at + 2 * slot + 1] = 1.0 + (np.int64(owner_of(word)) - player + players) % players
        for wild in range(MOST_WILDS):
            if (wilds_of(word) >> np.uint64(wild)) & _ONE:
                spot = (spots_of(word) >> np.uint64(4 * wild)) & np.uint64(15)
                out[at + 2 * MOST_SPREADS + wild] = np.int64(spot)
    at += 2 * MOST_SPREADS + MOST_WILDS
    for step in range(players):
        out[at + step] = state.totals[(player + step) % players] / 100.0
    at += MOST_PLAYERS
    out[at] = (np.int64(state.seat) - player + players) % players
    out[at + 1] = (np.int64(state.turn_seat) - player + players) % players
    out[at + 2] = (np.int64(state.first_player) - player + players) % players
    out[at + 3] = state.hands_played
    out[at + 4] = state.turns
    out[at + 5] = state.must
    out[at + 6] = state.taken
    out[at + 7] = state.open_spread
    out[at + 8] = state.pending
    out[at + 9] = state.fielded
    out[at + 10] = state.heap_size
    out[at + 11] = state.bottom_size
    out[at + 12] = population_count(state.hands[FACTORY, 0]) + population_count(state.hands[FACTORY, 1])
    out[at + 13] = state.n_groups
    out[at + 14 + np.int64(state.phase)] = 1.0


@kernel
def _mark_cards(out: Any, low: Any, high: Any, value: float) -> None:
    for number in range(population_count(low) + population_count(high)):
        out[CARD_NUMBER[nth_card(low, high, np.uint64(number))]] = value


LEAD_SCALE = 40.0  # points of lead that win about three hands of four; a rule of thumb (ours)


@kernel
def heuristic(state: Any, player: int) -> float:
    """Compare the points so far, with the own hand counted and those of the others guessed at 6 points a card."""
    players = np.int64(state.players)
    best: Any = -1.0e9
    mine: Any = 0.0
    for seat in range(players):
        points: Any = np.float64(cards_points(state.laid[seat, 0], state.laid[seat, 1]))
        if state.phase == OVER:
            points = 0.0
        elif seat == player:
            points -= cards_points(state.hands[seat, 0], state.hands[seat, 1])
        else:
            points -= 6.0 * (population_count(state.hands[seat, 0]) + population_count(state.hands[seat, 1]))
        points += np.float64(state.totals[seat])
        if seat == player:
            mine = points
        else:
            best = max(best, points)
    return 0.5 + 0.5 * (mine - best) / (LEAD_SCALE + abs(mine - best))


@kernel
def random_action(state: Any, rng: Any) -> int:
    if state.phase == PLAY:
        meld_low, meld_high = _legal_meld(state)
        lay_low, lay_high = _legal_lay_off(state)
        discard_low, discard_high = _legal_discard(state)
        n_meld = np.uint64(population_count(meld_low) + population_count(meld_high))
        n_lay = np.uint64(population_count(lay_low) + population_count(lay_high))
        n_discard = np.uint64(population_count(discard_low) + population_count(discard_high))
        number = below_word(rng, n_meld + n_lay + n_discard)
        if number < n_meld:
            return ACTION[L_MELD, nth_card(meld_low, meld_high, number)]
        number -= n_meld
        if number < n_lay:
            return ACTION[L_LAY, nth_card(lay_low, lay_high, number)]
        return ACTION[L_DISCARD, nth_card(discard_low, discard_high, number - n_lay)]
    kind, low, high = _legal_otherwise(state)
    n_legal = np.uint64(population_count(low) + population_count(high))
    return ACTION[kind, nth_card(low, high, below_word(rng, n_legal))]


_PRIME = np.uint64(0x9E3779B97F4A7C15)


@kernel
def revealed(state: Any, player: int) -> Any:
    news = np.int64(state.drawn)
    if news == 255:
        seat = np.uint64(player)
        hand = state.hands[seat, 0] * _PRIME ^ (state.hands[seat, 1] << np.uint64(7)) ^ np.uint64(state.heap[0])
        return 1 + np.int64((hand * _PRIME) >> np.uint64(34))
    if news % 256 != player + 1:
        return 0
    return news // 256


@kernel
def occasion(state: Any) -> Any:
    return np.int64(state.pending) if state.phase == POWER else 0
