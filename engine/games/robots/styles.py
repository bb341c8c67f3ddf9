"""Rules of thumb for ROBOTS!: how much a player likes an action, read from what he knows.

All styles think alike and weigh differently. Laying follows the best layout of the hand (see `layout`); a card is worth
keeping for the company it has (neighbors in its suit, others of its rank) and for its power, worth throwing for the
points that it would cost when the hand ends; a pick-up is worth what can be laid with it. What differs is in a row of
weights for each style.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bits import population_count, trailing_zeros
from engine.contract import Setup, Style
from engine.games.robots.layout import PLAN_RUNS, PLAN_SET_WILDS, PLAN_SETS, PLAN_SIZE, PLAN_WILDS, POINT, best_layout
from engine.games.robots.rules import (
    AIM,
    BIT,
    CARD_POINTS,
    DISCARD,
    DRAW,
    FIRST_WILD,
    FORCE_FIELD,
    FORM,
    FORM_MASK,
    FORM_OF,
    HIGHEST_RANK,
    LASER,
    LAY,
    MAX_WILDS,
    N_RUN_FORMS,
    N_SUITS,
    PLACE,
    PLAY,
    POINTS_ROBOT,
    POWER,
    PUT,
    RECYCLE,
    RECYCLING,
    ROBOT_KIND,
    RUN,
    SET,
    SET_KIND,
    SHORT_CIRCUIT,
    SHORTEST,
    STAR,
    STAR_HIGH,
    STAR_ROBOT,
    TAKE,
    TRACTOR_BEAM,
    cards_points,
    filled_of,
    kind_of,
    natural_of,
    owner_of,
    spots_of,
    spread_cards,
    wilds_of,
)
from engine.kernel import kernel

STYLES = (
    Style(
        "balanced", "lays what it can, keeps cards with company, takes from the heap what pays, shoots where it hurts"
    ),
    Style("run-builder", "keeps and takes cards for runs, hardly for sets"),
    Style("set-collector", "keeps and takes cards for sets, hardly for runs"),
    Style("early-dumper", "lays and lays off at once, throws high cards first, goes out as soon as it can"),
    Style("hoarder", "holds its spreads until it can go out, or until an opponent is about to"),
    Style("heap-raider", "takes as much of the heap as it may, for the cards above the one it can lay"),
    Style("robot-constructor", "collects all five of a rank and lays no wilds"),
    Style("laser-bully", "keeps lasers and stars until they can break an opponent's best spread"),
    Style("star-gambler", "collects stars for 15 points each, and discards them only to shoot"),
)
(
    BALANCED,
    RUN_BUILDER,
    SET_COLLECTOR,
    EARLY_DUMPER,
    HOARDER,
    HEAP_RAIDER,
    ROBOT_CONSTRUCTOR,
    LASER_BULLY,
    STAR_GAMBLER,
) = range(len(STYLES))

# Weights of a style, in points where nothing else is said.

WEIGHTS = (
    "next_card",  # keeping a card whose neighbor in the suit is there
    "gap_card",  # keeping a card with a gap of one to the next of its suit
    "pair",  # keeping a card of a rank of which another is there
    "triple",  # keeping a card of a rank of which two others are there
    "meld_card",  # keeping a card that a spread in the hand wants
    "wild",  # keeping a wild
    "dead_points",  # times the points of a card: throwing it
    "danger",  # times how near the end is: the points of a card again
    "feed",  # keeping a card that fits onto the next player's spreads
    "shooter",  # keeping a laser or an alpha + omega
    "star",  # keeping a star
    "factory",  # an unknown card from the Factory
    "laid",  # times the points that a pick-up can lay
    "company",  # of a card picked up that has company
    "ballast",  # times the points of cards picked up that cannot be laid at once
    "denied",  # of each card taken away from the others
    "laser",  # times the points that a laser shoots loose
    "omega",  # times the points that an alpha + omega shoots loose
    "stir",  # discarding a short circuit
    "field",  # of each card of the heap that a force field keeps from the next player
    "hold",  # 1: spreads are laid only to go out
    "panic",  # cards in an opponent's hand at which what is held is laid
    "losing",  # 1: does not go out while behind
    "spends",  # wilds that a plan may lay, at most
)
(
    NEXT_CARD,
    GAP_CARD,
    PAIR,
    TRIPLE,
    MELD_CARD,
    WILD,
    DEAD_POINTS,
    DANGER,
    FEED,
    SHOOTER,
    STAR_KEPT,
    FACTORY_CARD,
    LAID,
    COMPANY,
    BALLAST,
    DENIED,
    LASER_DAMAGE,
    OMEGA_DAMAGE,
    STIR,
    FIELD,
    HOLD,
    PANIC,
    LOSING,
    SPENDS,
) = range(len(WEIGHTS))

_BALANCED = {
    "next_card": 4.0,
    "gap_card": 2.0,
    "pair": 4.0,
    "triple": 8.0,
    "meld_card": 14.0,
    "wild": 30.0,
    "dead_points": 0.1,
    "danger": 0.6,
    "feed": 4.0,
    "shooter": 6.0,
    "star": 0.0,
    "factory": 5.7,
    "laid": 1.3,
    "company": 4.0,
    "ballast": 0.15,
    "denied": 1.7,
    "laser": 0.3,
    "omega": 0.6,
    "stir": 0.0,
    "field": 0.3,
    "hold": 0.0,
    "panic": 0.0,
    "losing": 1.0,
    "spends": 4.0,
}  # found by playing against other weights, one changed at a time
_DIFFERENCES: tuple[dict[str, float], ...] = (
    {},
    {"next_card": 6.0, "gap_card": 4.0, "pair": 0.5, "triple": 1.0},
    {"next_card": 0.5, "gap_card": 0.2, "pair": 6.0, "triple": 12.0},
    {"dead_points": 0.6, "danger": 1.0, "shooter": 0.0, "losing": 0.0, "ballast": 0.4, "denied": 0.5},
    {"hold": 1.0, "panic": 3.0},
    {"ballast": 0.0, "denied": 3.0},
    {"next_card": 1.0, "gap_card": 0.5, "pair": 7.0, "triple": 14.0, "spends": 0.0, "wild": 10.0},
    {"shooter": 10.0, "laser": 1.0, "omega": 1.0},
    {"star": 12.0, "omega": 1.0},
)


def style_table(setup: Setup, style: int) -> np.ndarray:
    """Return the weights of a style in the order of WEIGHTS; float64, shape (24,)."""
    weights = {**_BALANCED, **_DIFFERENCES[style]}
    return np.array([weights[name] for name in WEIGHTS])


_NONE = np.uint64(0)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_LANE = np.uint64(0xFFFF)
_STARS = np.uint64(0x0002_0002_0002_0002)
_TO_HIGH_STAR = np.uint64(STAR_HIGH - STAR)
_WITH_HIGH_STAR = np.uint64(0xFFFE_FFFE_FFFE_FFFE)
_EVERY_LANE = np.uint64(0x0001_0001_0001_0001)
_WILDS = np.uint64(0xF << 16)
_UP_TO_13 = np.uint64(0x3FFE_3FFE_3FFE_3FFE)
_FROM_3 = np.uint64(0xFFF8_FFF8_FFF8_FFF8)

BEST = 10_000.0  # a plan's next step: above every other liking
NEVER = -10_000.0


# The verb.


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    phase = state.phase
    values[:n_legal] = 0.0
    if n_legal == 1:
        return
    if phase == DRAW:
        _appraise_draw(state, actions, n_legal, table, values)
    elif phase == PLAY:
        _appraise_play(state, actions, n_legal, table, values)
    elif phase == FORM:
        _appraise_form(state, actions, n_legal, table, values)
    elif phase == PLACE:
        values[0] = 1.0
    elif phase == POWER:
        values[1] = 1.0 if _power_gain(state, np.int64(state.pending), table) > 0.0 else -1.0
    elif phase == AIM:
        for index in range(n_legal):
            seat = np.uint64(BIT[actions[index]])
            values[index] = NEVER if seat == np.uint64(state.seat) else _standing(state, seat)
    elif phase == PUT:
        _appraise_discards(state, actions, 0, n_legal, table, values)
    elif phase == RECYCLING:
        _appraise_recycle(state, actions, n_legal, table, values)
    else:
        for index in range(n_legal):
            values[index] = _damage(state, BIT[actions[index]])


# What cards are worth in a hand.


@kernel
def _spread_marks(low: Any, high: Any) -> tuple[Any, Any, Any]:
    """Return the ranks, a bit each, of which one, two and three natural cards are there."""
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
    return one, two, three


@kernel
def _runs_of(cards: Any) -> Any:
    """Return the cards of lanes that stand in three or more of a row."""
    ranks = cards | ((cards & _STARS) << _TO_HIGH_STAR)
    starts = ranks & (ranks >> _ONE) & (ranks >> _TWO) & _WITH_HIGH_STAR
    runs = starts | (starts << _ONE) | (starts << _TWO)
    return (runs | ((runs >> _TO_HIGH_STAR) & _STARS)) & cards


@kernel
def _layable(low: Any, high: Any) -> tuple[Any, Any]:
    """Return the natural cards that stand in a run or a set of three, as if a card could serve in both."""
    _, _, three = _spread_marks(low, high)
    sets = three & _LANE
    return _runs_of(low) | (low & (sets * _EVERY_LANE)), _runs_of(high) | (high & sets)


@kernel
def _neighbors(cards: Any) -> Any:
    """Return the cards of lanes that have a neighbor in their suit."""
    ranks = cards | ((cards & _STARS) << _TO_HIGH_STAR)
    near = ((ranks << _ONE) | (ranks >> _ONE)) & ranks & _WITH_HIGH_STAR
    return (near | ((near >> _TO_HIGH_STAR) & _STARS)) & cards


@kernel
def _over_a_gap(cards: Any) -> Any:
    """Return the cards of lanes that have another of their suit two places away."""
    ranks = cards | ((cards & _STARS) << _TO_HIGH_STAR)
    near = (((ranks & _UP_TO_13) << _TWO) | ((ranks & _FROM_3) >> _TWO)) & ranks
    return (near | ((near >> _TO_HIGH_STAR) & _STARS)) & cards


@kernel
def _nearness(state: Any, seat: Any) -> float:
    """Tell how near the end of the hand is for `seat`: 1 when an opponent holds one card, less when all hold more."""
    return min(1.0, 2.0 / (1.0 + _fewest_held(state, seat)))


@kernel
def _fewest_held(state: Any, seat: Any) -> Any:
    """Return the number of cards in the smallest hand of an opponent."""
    fewest = 99
    for index in range(np.int64(state.players)):
        other = np.uint64(index)
        if other != seat:
            fewest = min(fewest, population_count(state.hands[other, 0]) + population_count(state.hands[other, 1]))
    return fewest


GUESSED_POINTS = 5.0  # of an unseen card in another hand


@kernel
def _standing(state: Any, seat: Any) -> float:
    """Return the points that a seat has on the table, less the guessed points of its hand."""
    points: Any = np.float64(cards_points(state.laid[seat, 0], state.laid[seat, 1]))
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if kind_of(word) >= np.uint64(ROBOT_KIND) and owner_of(word) == seat:
            points += POINTS_ROBOT
    n_held = population_count(state.hands[seat, 0]) + population_count(state.hands[seat, 1])
    return points - GUESSED_POINTS * n_held


@kernel
def _lead(state: Any, seat: Any) -> float:
    """Return the points laid by `seat` less the best standing of the others."""
    best = -1.0e9
    for index in range(np.int64(state.players)):
        if np.uint64(index) != seat:
            best = max(best, _standing(state, np.uint64(index)))
    n_held = population_count(state.hands[seat, 0]) + population_count(state.hands[seat, 1])
    return _standing(state, seat) + GUESSED_POINTS * n_held - best


# Draw.


@kernel
def _appraise_draw(state: Any, actions: Any, n_legal: int, table: Any, values: Any) -> None:
    """Compare the Factory with every pick-up by what can be laid, what finds company, and what is dead weight."""
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    n_wilds = population_count(high & _WILDS)
    high &= _LANE
    laid_low, laid_high = _layable(low, high)
    before = cards_points(laid_low, laid_high)
    fit_low, fit_high = _own_fits(state, seat)
    near_end = _nearness(state, seat)
    most_taken = actions[n_legal - 1] - TAKE
    size = np.int64(state.heap_size)
    taken_low, taken_high = _NONE, _NONE
    index = 0
    if actions[0] == TAKE:
        values[0] = table[FACTORY_CARD] + _impatience(state)
        index = 1
    for depth in range(1, most_taken + 1):
        card = np.uint64(state.heap[np.uint64(size - depth)])
        if card >= np.uint64(FIRST_WILD):
            n_wilds += 1
        elif card < np.uint64(64):
            taken_low |= _ONE << card
        else:
            taken_high |= _ONE << (card - np.uint64(64))
        if actions[index] != TAKE + depth:
            continue
        all_low, all_high = low | taken_low, high | taken_high
        laid_low, laid_high = _layable(all_low, all_high)
        laid_low |= all_low & fit_low
        laid_high |= all_high & fit_high
        gain = cards_points(laid_low, laid_high) - before
        rest_low, rest_high = taken_low & ~laid_low, taken_high & ~laid_high
        company_low, company_high = _with_company(all_low, all_high)
        n_company = population_count(rest_low & company_low) + population_count(rest_high & company_high)
        value = table[LAID] * gain + table[COMPANY] * n_company + table[DENIED] * depth
        value -= (table[BALLAST] + 0.5 * near_end) * cards_points(rest_low, rest_high)
        if card >= np.uint64(FIRST_WILD):
            value += table[WILD] * 0.5
        elif gain <= 0 and depth > 1 and n_wilds > 0:
            value -= 6.0  # it can only be laid with a wild
        values[index] = value
        index += 1


IMPATIENT_AFTER = 20  # turns of each player; then unknown cards become dearer turn by turn, and no cycle lasts


@kernel
def _impatience(state: Any) -> Any:
    """Return what an unknown card is worth for bringing a long hand forward."""
    return max(0.0, 0.25 * (np.float64(state.turns) - IMPATIENT_AFTER * np.int64(state.players)))


@kernel
def _own_fits(state: Any, seat: Any) -> tuple[Any, Any]:
    """Return the natural cards that fit onto the spreads of a seat."""
    low, high = _NONE, _NONE
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        kind = kind_of(word)
        if owner_of(word) != seat or kind >= np.uint64(ROBOT_KIND):
            continue
        if kind >= np.uint64(SET_KIND):
            if population_count(natural_of(word)) + population_count(wilds_of(word)) < N_SUITS:
                low |= _EVERY_LANE << (kind - np.uint64(SET_KIND))
                high |= _ONE << (kind - np.uint64(SET_KIND))
            continue
        filled = filled_of(word)
        ends = ((filled << _ONE) | (filled >> _ONE)) & ~filled & np.uint64(0xFFFE)
        ranks = (ends & np.uint64(0x7FFE)) | ((ends >> _TO_HIGH_STAR) & _TWO)
        if kind < np.uint64(4):
            low |= ranks << (np.uint64(16) * kind)
        else:
            high |= ranks
    return low, high


@kernel
def _with_company(low: Any, high: Any) -> tuple[Any, Any]:
    """Return the cards that have a neighbor or another of their rank."""
    _, two, _ = _spread_marks(low, high)
    low_company = _neighbors(low) | (low & ((two & _LANE) * _EVERY_LANE))
    return low_company, _neighbors(high) | (high & two & _LANE)


# Play: lay, lay off, discard.


@kernel
def _appraise_play(state: Any, actions: Any, n_legal: int, table: Any, values: Any) -> None:
    seat = np.uint64(state.seat)
    first_discard = n_legal
    while first_discard > 0 and actions[first_discard - 1] >= DISCARD:
        first_discard -= 1
    must_lay = first_discard == n_legal
    if first_discard > 0 and _appraise_laying(state, seat, actions, first_discard, must_lay, table, values):
        values[first_discard:n_legal] = 0.0
    else:
        _appraise_discards(state, actions, first_discard, n_legal, table, values)


@kernel
def _appraise_laying(state: Any, seat: Any, actions: Any, n_lays: Any, must_lay: bool, table: Any, values: Any) -> bool:
    """Value what can be laid; tell whether anything of it should be."""
    n_held = population_count(state.hands[seat, 0]) + population_count(state.hands[seat, 1])
    plan = np.zeros(PLAN_SIZE, dtype=np.int64)
    value: Any = 0
    holds = table[HOLD] > 0.0 and not must_lay and _fewest_held(state, seat) > table[PANIC]
    n_fitting = 0
    for index in range(n_lays if holds else 0):
        n_fitting += 1 if actions[index] >= LAY else 0
    if actions[0] < LAY and (not holds or _count_useful(state, seat, table) + n_fitting >= n_held - 1):
        value = _make_plan(state, seat, table, plan)
    if holds and _count_planned(plan) + n_fitting < n_held - 1:
        values[:n_lays] = NEVER
        return False
    stays_in = table[LOSING] > 0.0 and not must_lay and n_held <= SHORTEST + 1
    lead = _lead(state, seat) if stays_in else 0.0
    is_any = False
    for index in range(n_lays):
        action = actions[index]
        if action >= LAY:
            values[index] = _lay_off_value(action, plan, n_held, must_lay)
            if stays_in and n_held == 2 and lead + CARD_POINTS[BIT[action]] < 0.0:
                values[index] = NEVER
        else:
            values[index] = _meld_value(action, plan, must_lay)
            if stays_in and n_held == SHORTEST + 1 and lead + value < 0.0:
                values[index] = NEVER
        is_any = is_any or values[index] > 0.0
    return is_any


@kernel
def _count_useful(state: Any, seat: Any, table: Any) -> Any:
    """Return how many cards of a hand could be in some spread at best."""
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    n_wilds = population_count(high & _WILDS)
    high &= _LANE
    if n_wilds > 1 and table[SPENDS] > 1.0:
        return population_count(low) + population_count(high) + n_wilds
    _, two, three = _spread_marks(low, high)
    ranks = three if n_wilds == 0 else two
    if n_wilds == 0:
        runs_low, runs_high = _runs_of(low), _runs_of(high)
    else:
        runs_low, runs_high = _neighbors(low) | _over_a_gap(low), _neighbors(high) | _over_a_gap(high)
    low &= runs_low | (ranks & _LANE) * _EVERY_LANE
    high &= runs_high | ranks
    return population_count(low) + population_count(high) + n_wilds


@kernel
def _make_plan(state: Any, seat: Any, table: Any, plan: Any) -> Any:
    """Find the best layout of a hand for a style; return its points."""
    low, high = state.hands[seat, 0], state.hands[seat, 1]
    n_wilds = min(population_count(high & _WILDS), np.int64(table[SPENDS]))
    most_wilds = np.int64(state.options[MAX_WILDS])
    star_robot = np.int64(state.options[STAR_ROBOT])
    return best_layout(low, high & _LANE, n_wilds, most_wilds, star_robot, plan) // POINT


@kernel
def _count_planned(plan: Any) -> Any:
    """Count the cards of a plan."""
    n_cards = 0
    for suit in range(N_SUITS):
        n_cards += population_count(np.uint64(plan[PLAN_RUNS + suit] | plan[PLAN_WILDS + suit]))
    for rank in range(1, HIGHEST_RANK + 1):
        n_cards += population_count(np.uint64(plan[PLAN_SETS + rank])) + plan[PLAN_SET_WILDS + rank]
    return n_cards


@kernel
def _meld_value(action: int, plan: Any, must_lay: bool) -> float:
    """Return BEST and more for a beginning of a planned spread, the most natural cards first."""
    if action < SET:
        suit, low = (action - RUN) // 13, (action - RUN) % 13 + 1
        window = 7 << low
        natural, wilds = plan[PLAN_RUNS + suit], plan[PLAN_WILDS + suit]
        if window & ~(natural | wilds) == 0 and window & natural:
            return BEST + population_count(np.uint64(window & natural))
    else:
        rank = action - SET + 1
        if plan[PLAN_SETS + rank]:
            return BEST + min(SHORTEST, population_count(np.uint64(plan[PLAN_SETS + rank])))
    return -100.0 if must_lay else NEVER


@kernel
def _lay_off_value(action: int, plan: Any, n_held: int, must_lay: bool) -> float:
    """Return a high value for a card that no planned spread wants; a wild is laid off only at the very end."""
    card = BIT[action]
    if card >= np.uint64(FIRST_WILD):
        return BEST / 2.0 if n_held <= 2 or must_lay else NEVER
    suit, rank = np.int64(card) // 16, np.int64(card) % 16
    places = 1 << rank | (1 << STAR_HIGH if rank == STAR else 0)
    if plan[PLAN_RUNS + suit] & places or plan[PLAN_SETS + rank] >> suit & 1:
        return -50.0 if must_lay else NEVER
    return BEST / 2.0 + np.float64(CARD_POINTS[card])


@kernel
def _appraise_form(state: Any, actions: Any, n_legal: int, table: Any, values: Any) -> None:
    """Choose the form of three cards that the plan has; without one, that with most natural cards."""
    seat = np.uint64(state.seat)
    plan = np.empty(PLAN_SIZE, dtype=np.int64)
    _make_plan(state, seat, table, plan)
    meld = np.int64(state.pending)
    for index in range(n_legal):
        form = actions[index] - FORM_OF
        mask = np.int64(FORM_MASK[form])
        if form < N_RUN_FORMS:
            wanted = plan[PLAN_RUNS + meld // 16] >> meld % 16 & 7
            values[index] = BEST if wanted == mask else 0.0
        else:
            wanted = plan[PLAN_SETS + meld % 16]
            n_natural = min(SHORTEST, population_count(np.uint64(wanted)))
            is_planned = mask & ~wanted == 0 and population_count(np.uint64(mask)) == n_natural
            values[index] = BEST if is_planned else 0.0
        values[index] += population_count(np.uint64(mask))


@kernel
def _appraise_discards(state: Any, actions: Any, first: int, n_legal: int, table: Any, values: Any) -> None:
    """Value throwing each card: less what it is worth to keep, plus what its power does, less what it gives away."""
    seat = np.uint64(state.seat)
    low, high = state.hands[seat, 0], state.hands[seat, 1] & _LANE
    _, two, three = _spread_marks(low, high)
    near_low, near_high = _neighbors(low), _neighbors(high)
    gap_low, gap_high = _over_a_gap(low), _over_a_gap(high)
    meld_low, meld_high = _layable(low, high)
    following = np.uint64(state.seat) + _ONE
    following = _NONE if following == np.uint64(state.players) else following
    fit_low, fit_high = _own_fits(state, following)
    per_point = table[DEAD_POINTS] + table[DANGER] * _nearness(state, seat)
    is_put = state.phase == PUT
    gains = values[256:264]
    gains[:] = NEVER
    for index in range(first, n_legal):
        card = BIT[actions[index]]
        if card >= np.uint64(FIRST_WILD):
            values[index] = -table[WILD]
            continue
        rank = card & np.uint64(15)
        is_low = card < np.uint64(64)
        bit = _ONE << (card if is_low else card - np.uint64(64))
        value = per_point * CARD_POINTS[card]
        if (near_low if is_low else near_high) & bit:
            value -= table[NEXT_CARD]
        if (gap_low if is_low else gap_high) & bit:
            value -= table[GAP_CARD]
        if (three >> rank) & _ONE:
            value -= table[TRIPLE]
        elif (two >> rank) & _ONE:
            value -= table[PAIR]
        if (meld_low if is_low else meld_high) & bit:
            value -= table[MELD_CARD]
        if (fit_low if is_low else fit_high) & bit:
            value -= table[FEED]
        power = np.int64(state.power_of[rank])
        if power != 0:
            if rank == np.uint64(STAR):
                value -= table[STAR_KEPT]
            if power >= LASER:
                value -= table[SHOOTER]
            if not is_put:
                if gains[power] == NEVER:
                    gains[power] = _power_gain(state, power, table)
                value += gains[power]
        values[index] = value


# Powers.


@kernel
def _power_gain(state: Any, power: Any, table: Any) -> float:
    """Guess what a power that is discarded now is worth."""
    if power == SHORT_CIRCUIT:
        return table[STIR]
    if power == FORCE_FIELD:
        return table[FIELD] * state.heap_size
    if power == RECYCLE:
        return _recycle_gain(state, table)
    if power == TRACTOR_BEAM:
        return 0.0
    best = 0.0
    seat = np.uint64(state.turn_seat)
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        if owner_of(word) != seat and kind_of(word) < np.uint64(ROBOT_KIND):
            best = max(best, _spread_damage(word))
    return best * (table[LASER_DAMAGE] if power == LASER else table[OMEGA_DAMAGE])


@kernel
def _spread_damage(word: Any) -> float:
    """Guess the most points that one shot can break out of a spread."""
    low, high = spread_cards(word)
    points = cards_points(low, high)
    n_natural = population_count(natural_of(word))
    size = n_natural + population_count(wilds_of(word))
    if size > 2 * SHORTEST or (size > SHORTEST and kind_of(word) >= np.uint64(SET_KIND)):
        return points / n_natural
    return np.float64(points)


@kernel
def _damage(state: Any, card: Any) -> float:
    """Return the points that shooting a card breaks out of its spread; parts of a run that can be laid again stay."""
    bit = _ONE << (card & np.uint64(63))
    is_low = card < np.uint64(64)
    for index in range(np.int64(state.n_spreads)):
        word = state.spreads[np.uint64(index)]
        low, high = spread_cards(word)
        if (low if is_low else high) & bit == _NONE:
            continue
        points = cards_points(low, high)
        natural, filled = natural_of(word), filled_of(word)
        n_natural = population_count(natural)
        if kind_of(word) >= np.uint64(SET_KIND):
            is_broken = n_natural + population_count(wilds_of(word)) == SHORTEST
            return np.float64(points if is_broken else CARD_POINTS[card])
        lowest = trailing_zeros(filled)
        n_places = population_count(filled)
        if card >= np.uint64(FIRST_WILD):
            at = np.int64((spots_of(word) >> (np.uint64(4) * (card - np.uint64(FIRST_WILD)))) & np.uint64(15))
        else:
            at = np.int64(card & np.uint64(15))
            if at == STAR and natural & _TWO == _NONE:
                at = np.int64(STAR_HIGH)
        n_below, n_above = at - lowest, lowest + n_places - 1 - at
        n_lost = 1 + (n_below if n_below < SHORTEST else 0) + (n_above if n_above < SHORTEST else 0)
        return points * n_lost / n_places + 0.1 * CARD_POINTS[card]
    return 0.0


@kernel
def _recycle_gain(state: Any, table: Any) -> float:
    """Return the best gain of a card that recycling could take."""
    best = 0.0
    seat = np.uint64(state.turn_seat)
    fit_low, fit_high = _own_fits(state, seat)
    for index in range(np.int64(state.heap_size) - 1):
        best = max(best, _card_gain(state, seat, np.uint64(state.heap[np.uint64(index)]), fit_low, fit_high, table))
    return best


@kernel
def _card_gain(state: Any, seat: Any, card: Any, fit_low: Any, fit_high: Any, table: Any) -> float:
    """Return what one more card is worth in a hand."""
    if card >= np.uint64(FIRST_WILD):
        return table[WILD]
    is_low = card < np.uint64(64)
    bit = _ONE << (card & np.uint64(63))
    low, high = state.hands[seat, 0], state.hands[seat, 1] & _LANE
    if is_low:
        low |= bit
    else:
        high |= bit
    laid_low, laid_high = _layable(low, high)
    if (laid_low if is_low else laid_high) & bit:
        return table[MELD_CARD] + CARD_POINTS[card]
    if (fit_low if is_low else fit_high) & bit:
        return np.float64(CARD_POINTS[card])
    company_low, company_high = _with_company(low, high)
    return table[COMPANY] if (company_low if is_low else company_high) & bit else 0.0


@kernel
def _appraise_recycle(state: Any, actions: Any, n_legal: int, table: Any, values: Any) -> None:
    seat = np.uint64(state.turn_seat)
    fit_low, fit_high = _own_fits(state, seat)
    for index in range(n_legal):
        values[index] = _card_gain(state, seat, BIT[actions[index]], fit_low, fit_high, table)
