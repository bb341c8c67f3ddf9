"""ROBOTS! as text: cards, spreads, positions, explained scores. Plain Python.

A card is a suit letter (R, G, B, P, K for gray) and a rank from 2 to 14 or * for the star; W is a wild, W1 to W4 where
it matters which.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from engine.games.robots.rules import (
    AIM,
    AIM_AT,
    BIT,
    CARD_IDS,
    CARD_POINTS,
    CARDS,
    CHOOSE,
    DECLINE,
    DISCARD,
    DRAW,
    FACTORY,
    FIRST_WILD,
    FORM,
    FORM_MASK,
    FORM_OF,
    HIGHEST_RANK,
    LARGEST_SET,
    LAY,
    MAX_TURNS,
    MAX_WILDS,
    MOST_PLAYERS,
    MOST_WILDS,
    N_ACTIONS,
    N_CARDS,
    N_NATURAL,
    N_RUN_FORMS,
    N_SUITS,
    N_WILD,
    NO_CARD,
    OPTIONS,
    OVER,
    PHASES,
    PLACE,
    PLACE_AT,
    PLAY,
    POINTS_ROBOT,
    POWER,
    POWER_RANKS,
    POWERS,
    PUT,
    RECYCLING,
    ROBOT_KIND,
    RUN,
    SET,
    SET_KIND,
    SHOOT,
    SHORTEST,
    STAR,
    STAR_HIGH,
    STAR_ROBOT,
    STATE,
    SUITS,
    TAKE,
    TARGET,
    USE,
)
from engine.positions import hold, require, split_lines

ENDS = ("low", "high")


# Cards.


def card_text(card: int) -> str:
    """Write a card: R5, K*, W1."""
    if card >= FIRST_WILD:
        return f"W{card - FIRST_WILD + 1}"
    rank = card % 16
    return SUITS[card // 16] + ("*" if rank == STAR else str(rank))


_CARD_IDS = {card_text(int(card)): int(card) for card in CARDS}


def parse_card(text: str) -> int:
    """Read a card; W alone is the first wild. ValueError says what is allowed."""
    word = text.strip().upper()
    if word == "W":
        return FIRST_WILD
    if word not in _CARD_IDS:
        raise ValueError(
            f"a card is a suit of {', '.join(SUITS)} with a rank 2 to 14 or *, or W for a wild, not {text.strip()!r}"
        )
    return _CARD_IDS[word]


def cards_of(words: Any) -> tuple[int, ...]:
    """List the cards of a set of cards (two 64-bit words), ascending."""
    low, high = words.tolist()
    return _bits_of(low | high << 64)


@functools.lru_cache(maxsize=4096)
def _bits_of(mask: int) -> tuple[int, ...]:
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)


def words_of(cards: Iterable[int]) -> tuple[int, int]:
    """Return cards as a set of cards: two 64-bit words."""
    mask = sum(1 << int(card) for card in cards)
    return mask & (1 << 64) - 1, mask >> 64


def cards_text(cards: Iterable[int]) -> str:
    """Write cards in the order given, - for none."""
    return " ".join(card_text(int(card)) for card in cards) or "-"


def _played_text(number: int) -> str:
    """Write a card that is played, given its number: all wilds are alike."""
    return "W" if number >= N_NATURAL else card_text(int(CARDS[number]))


# Actions.


def _form_text(number: int) -> str:
    mask = int(FORM_MASK[number])
    if number < N_RUN_FORMS:
        return "as " + "".join("N" if mask >> place & 1 else "W" for place in range(SHORTEST))
    suits = "".join(letter for suit, letter in enumerate(SUITS) if mask >> suit & 1)
    return "of " + suits + "W" * (SHORTEST - len(suits))


def action_text(action: int) -> str:
    """Write an action: factory, take 3, run R5-R7, set 9, as NWN, of RGB, lay R8, at 0 low, discard R8, aim 1, …"""
    if action == TAKE:
        return "factory"
    if action < RUN:
        return f"take {action - TAKE}"
    if action < SET:
        suit, low = divmod(action - RUN, 13)
        ranks = [_rank_text(place) for place in (low + 1, low + 3)]
        return f"run {SUITS[suit]}{ranks[0]}-{SUITS[suit]}{ranks[1]}"
    if action < FORM_OF:
        return f"set {_rank_text(action - SET + 1)}"
    if action < LAY:
        return _form_text(action - FORM_OF)
    if action < PLACE_AT:
        return f"lay {_played_text(action - LAY)}"
    if action < DISCARD:
        slot, end = divmod(action - PLACE_AT, 2)
        return f"at {slot} {ENDS[end]}"
    if action < DECLINE:
        return f"discard {_played_text(action - DISCARD)}"
    if action == DECLINE:
        return "decline"
    if action == USE:
        return "use"
    if action < CHOOSE:
        return f"aim {action - AIM_AT}"
    return f"choose {card_text(int(CARDS[action - CHOOSE]))}"


def _rank_text(place: int) -> str:
    return "*" if place in (STAR, STAR_HIGH) else str(place)


ACTIONS = {action_text(action).lower(): action for action in range(N_ACTIONS)}


def parse_action(text: str) -> int:
    """Read an action; ValueError says what is allowed."""
    words = " ".join(text.lower().split())
    if words not in ACTIONS:
        raise ValueError(
            "an action is factory, take N, run R5-R7, set 9, as NWN, of RGB, lay R8, at 0 low, discard R8, use, "
            f"decline, aim SEAT or choose R8, not {text.strip()!r}"
        )
    return ACTIONS[words]


# Spreads. In text a spread is its owner, its kind and its cards in the order of places: `0 run R5 W1 R7`.


@functools.lru_cache(maxsize=4096)
def spread_parts(bits: int) -> tuple[str, int, list[tuple[int, int]]]:
    """Return the kind (run, set or robot) of a packed spread, its owner, and its cards with their places, in order.

    In a set the wilds come last and have no place (0).
    """
    kind, owner, wilds = bits & 0xFF, bits >> 8 & 15, bits >> 12 & 15
    natural, spots = bits >> 32 & 0xFFFF, bits >> 48
    wild_cards = [(spots >> 4 * wild & 15, FIRST_WILD + wild) for wild in range(MOST_WILDS) if wilds >> wild & 1]
    if kind < SET_KIND:
        cards = [
            (place, kind * 16 + (STAR if place == STAR_HIGH else place)) for place in range(16) if natural >> place & 1
        ]
        return "run", owner, sorted(cards + wild_cards)
    rank = kind % 16
    cards = [(0, suit * 16 + rank) for suit in range(N_SUITS) if natural >> suit & 1]
    return "robot" if kind >= ROBOT_KIND else "set", owner, cards + wild_cards


def _spread_text(state: Any, slot: int, layer: Mapping[int, int]) -> str:
    """Write a spread; a card that counts for another seat (`layer` by card) than the owner has that seat after @."""
    kind, owner, cards = spread_parts(int(state["spreads"][slot]))
    words = [card_text(card) + (f"@{layer[card]}" if layer[card] != owner else "") for _, card in cards]
    return f"{owner} {kind} {' '.join(words)}"


def make_spread(kind: str, owner: int, cards: list[int]) -> int:
    """Return the word of a spread from its cards in the order of places; ValueError says why it is none."""
    natural_cards = [card for card in cards if card < FIRST_WILD]
    wilds = [card - FIRST_WILD for card in cards if card >= FIRST_WILD]
    if len(cards) < SHORTEST or not natural_cards:
        raise ValueError(f"a spread has at least {SHORTEST} cards, one of them natural, not {cards_text(cards)}")
    word = owner << 8 | sum(1 << wild for wild in wilds) << 12
    if kind == "run":
        lowest = _lowest_place(cards)
        natural = filled = spots = 0
        for place, card in enumerate(cards, start=lowest):
            filled |= 1 << place
            if card >= FIRST_WILD:
                spots |= place << 4 * (card - FIRST_WILD)
            else:
                natural |= 1 << place
        suits = {card // 16 for card in natural_cards}
        return word | suits.pop() | filled << 16 | natural << 32 | spots << 48
    ranks = {card % 16 for card in natural_cards}
    if len(ranks) > 1 or len(cards) > LARGEST_SET:
        raise ValueError(f"{cards_text(cards)} is no set: cards of one rank, at most {LARGEST_SET}")
    suits_mask = sum(1 << card // 16 for card in natural_cards)
    number = (ROBOT_KIND if kind == "robot" else SET_KIND) + ranks.pop()
    return word | number | suits_mask << 16 | suits_mask << 32


def _lowest_place(cards: list[int]) -> int:
    """Return the place of the first card of a run given in order; ValueError when the cards are no run."""
    if len({card // 16 for card in cards if card < FIRST_WILD}) == 1 and len(cards) <= HIGHEST_RANK:
        for lowest in range(1, STAR_HIGH - len(cards) + 2):
            wanted = [STAR if place == STAR_HIGH else place for place in range(lowest, lowest + len(cards))]
            if all(card >= FIRST_WILD or card % 16 == rank for card, rank in zip(cards, wanted, strict=True)):
                return lowest
    raise ValueError(f"{cards_text(cards)} is no run in this order")


# Scores explained.


def explain(position: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Score one spread: `points`, `robot` (whether it builds one), and `features` with names and points.

    The cards may come in any order. ValueError says why they are no spread.
    """
    words = position.replace(",", " ").split()
    cards = [parse_card(re.sub(r"(?i)^w\d$", "W", word)) for word in words]
    natural = [card for card in cards if card < FIRST_WILD]
    n_wilds = len(cards) - len(natural)
    for card in natural:
        if natural.count(card) > 1:
            raise ValueError(f"{card_text(card)} stands twice in {position.strip()!r}; every card exists once")
    if len(cards) < SHORTEST:
        raise ValueError(f"a spread is at least {SHORTEST} cards, not {len(cards)}: {position.strip()!r}")
    if not natural:
        raise ValueError(f"a spread needs a card that is no wild: {position.strip()!r}")
    if n_wilds > int(options["n_wild"]):
        raise ValueError(f"there are {int(options['n_wild'])} wilds, not {n_wilds}: {position.strip()!r}")
    if n_wilds > int(options["max_wilds"]):
        raise ValueError(
            f"a spread holds at most {int(options['max_wilds'])} wilds, not {n_wilds}: {position.strip()!r}"
        )
    kind = _kind_of_cards(natural, n_wilds, position)
    points = sum(int(CARD_POINTS[card]) for card in natural)
    is_robot = (
        kind == "set" and len(natural) == LARGEST_SET and (natural[0] % 16 != STAR or bool(options["star_robot"]))
    )
    features = [{"name": f"{kind} of {len(cards)}", "points": points}]
    if is_robot:
        features.append({"name": "robot", "points": POINTS_ROBOT})
    return {"points": sum(each["points"] for each in features), "robot": is_robot, "features": features}


def _kind_of_cards(natural: list[int], n_wilds: int, position: str) -> str:
    """Tell whether cards are a set or a run; ValueError says why they are neither."""
    given = position.strip()
    size = len(natural) + n_wilds
    if len({card % 16 for card in natural}) == 1:
        if size <= LARGEST_SET:
            return "set"
        if len(natural) > 1:
            raise ValueError(f"a set has at most {LARGEST_SET} cards, not {size}: {given!r}")
    if len({card // 16 for card in natural}) > 1:
        raise ValueError(f"a spread is cards of one suit or of one rank: {given!r}")
    has_star = any(card % 16 == STAR for card in natural)
    for star_place in (STAR, STAR_HIGH) if has_star else (STAR,):
        places = sorted(star_place if card % 16 == STAR else card % 16 for card in natural)
        if places[-1] - places[0] < size <= HIGHEST_RANK:
            return "run"
    if size > HIGHEST_RANK:
        raise ValueError(f"a run has at most {HIGHEST_RANK} cards, not {size}: {given!r}")
    raise ValueError(f"the ranks do not follow one another (a star is 1 or 15, and nothing wraps around): {given!r}")


# The table as a person sees it.


def show(state: Any, player: int | None = None) -> str:
    """Draw the table; with `player`, only what that player sees: of other hands the cards that everybody knows."""
    lines = [_headline(state)]
    bottom = [int(card) for card in state["bottom"][: int(state["bottom_size"])]]
    n_unknown = len(cards_of(state["hands"][FACTORY]))
    lines.append(f"  Factory {n_unknown} cards" + (f", then {_plain_cards(bottom)}" if bottom else ""))
    heap = [int(card) for card in state["heap"][: int(state["heap_size"])]]
    lines.append(f"  heap    {_plain_cards(heap[::-1]) or '-'}" + ("   (top first)" if len(heap) > 1 else ""))
    for seat in range(int(state["players"])):
        mark = ">" if seat == int(state["seat"]) and int(state["phase"]) != OVER else " "
        hand, known = cards_of(state["hands"][seat]), cards_of(state["known"][seat])
        if player in (None, seat):
            held = _plain_cards(hand) or "-"
        else:
            held = " ".join(filter(None, [_plain_cards(known), "?? " * (len(hand) - len(known))])).strip() or "-"
        lines.append(f"{mark} seat {seat}  hand {held}")
        for slot in range(int(state["n_spreads"])):
            kind, owner, cards = spread_parts(int(state["spreads"][slot]))
            if owner == seat:
                lines.append(f"          {slot}: {kind} {_plain_cards([card for _, card in cards])}")
    return "\n".join(lines)


def _plain_cards(cards: Iterable[int]) -> str:
    return " ".join("W" if card >= FIRST_WILD else card_text(card) for card in cards)


def _headline(state: Any) -> str:
    phase = PHASES[int(state["phase"])]
    parts = ["over" if phase == "over" else f"turn {int(state['turns']) + 1}, {phase}"]
    if int(state["limits"][TARGET]):
        totals = " ".join(str(int(total)) for total in state["totals"][: int(state["players"])])
        parts.insert(0, f"hand {int(state['hands_played']) + (phase != 'over')}, totals {totals}")
    if int(state["must"]) != NO_CARD:
        parts.append(f"{_plain_cards([int(state['must'])])} must be laid")
    if int(state["fielded"]):
        parts.append("a force field holds the heap")
    return ", ".join(parts)


def tell(before: Any, action: int, after: Any, player: int | None) -> list[str]:
    """Tell a move as one would at the table: what is drawn, laid or shot, and what a discard sets off.

    A card drawn from the Factory is named to its player and to one who may see everything (`player` None). A turn
    begins with the hand, again as far as it may be seen.
    """
    return [_told(before, action, after, player)]


def _told(before: Any, action: int, after: Any, player: int | None) -> str:
    seat, phase = int(before["seat"]), int(before["phase"])
    hand = cards_of(before["hands"][seat])
    if phase == DRAW:
        seen = hand if player in (None, seat) else cards_of(before["known"][seat])
        unseen = f" and {len(hand) - len(seen)} unseen" * (len(hand) > len(seen))
        turn = f"turn {int(before['turns']) + 1}, holds {_plain_cards(seen) or 'nothing'}{unseen}; "
        if action == TAKE:
            known = cards_of(after["known"][seat] & ~before["known"][seat])  # a card that was under the Factory
            return turn + (f"draws {_plain_cards(known)}" if known else "draws" + _drawn_text(after, seat, player))
        n_taken, size = action - TAKE, int(before["heap_size"])
        return turn + f"takes {_plain_cards(before['heap'][size - n_taken : size].tolist())} from the heap"
    if phase in (PLAY, FORM, PLACE) and action < DISCARD:
        if int(after["phase"]) in (FORM, PLACE):
            return f"{action_text(action)} …"
        told = [each for each in after["spreads"].tolist() if each and each not in before["spreads"].tolist()]
        kind, owner, cards = spread_parts(int(told[0]))
        verb = "lays the" if len(cards) == SHORTEST else "adds to the" if owner == seat else f"adds to seat {owner}'s"
        return f"{verb} {kind} {_plain_cards(card for _, card in cards)}"
    if phase == PLAY:
        power = int(before["power_of"][int(CARDS[action - DISCARD]) % 16]) if action - DISCARD < N_NATURAL else 0
        is_on = int(after["phase"]) in (POWER, AIM, PUT, RECYCLING, SHOOT) or int(after["fielded"])
        is_on = is_on or int(after["bottom_size"]) > int(before["bottom_size"])
        return f"discards {_played_text(action - DISCARD)}" + (f": {POWERS[power - 1]}" if power and is_on else "")
    if phase == RECYCLING:
        return f"takes {_played_text(action - CHOOSE)} out of the heap"
    if phase == SHOOT:
        return f"shoots {_played_text(action - CHOOSE)} out of a spread"
    if phase == PUT:
        drawn = _drawn_text(after, seat, player)
        return f"puts {_played_text(action - CHOOSE)} under the heap" + (f" and draws{drawn}" if drawn else "")
    return action_text(action)


def _drawn_text(after: Any, seat: int, player: int | None) -> str:
    """Name the cards that a seat has just drawn unseen, to those who may know."""
    drawn = int(after["drawn"])
    cards = [drawn >> shift & 0xFF for shift in (8, 16) if drawn >> shift & 0xFF]
    if not drawn or drawn & 0xFF != seat + 1:
        return ""
    if player in (None, seat):
        return f" {_plain_cards(cards)}"
    return f" {len(cards)} unseen"


def explain_result(state: Any) -> str:
    """Explain a finished game: of the last hand every spread and the cards held, then the points."""
    lines = []
    for seat in range(int(state["players"])):
        laid, held = cards_of(state["laid"][seat]), cards_of(state["hands"][seat])
        n_robots = sum(
            kind == "robot" and owner == seat
            for kind, owner, _ in map(spread_parts, state["spreads"][: int(state["n_spreads"])].tolist())
        )
        laid_points = sum(int(CARD_POINTS[card]) for card in laid)
        held_points = sum(int(CARD_POINTS[card]) for card in held)
        lines.append(
            f"seat {seat}   laid {laid_points} + robots {POINTS_ROBOT * n_robots} - held {held_points} = "
            f"{laid_points + POINTS_ROBOT * n_robots - held_points}   (holds {_plain_cards(held) or 'nothing'})"
        )
    totals = [int(total) for total in state["totals"][: int(state["players"])]]
    winners = [str(seat) for seat, total in enumerate(totals) if total == max(totals)]
    hands = int(state["hands_played"])
    lines.append(
        f"points after {hands} hand{'s' if hands > 1 else ''}: {' '.join(map(str, totals))}; "
        f"{'seat' if len(winners) == 1 else 'seats'} {' and '.join(winners)} {'wins' if len(winners) == 1 else 'share'}"
    )
    return "\n".join(lines)


# Audits.


def audit(state: Any) -> None:
    """Raise ValueError with the law that a state breaks: every card once, spreads valid, counts and phases in range."""
    players = int(state["players"])
    hold(2 <= players <= MOST_PLAYERS, f"players {players} is not 2 to {MOST_PLAYERS}")
    for field in ("seat", "turn_seat", "first_player"):
        hold(int(state[field]) < players, f"{field} {int(state[field])} is not 0 to {players - 1}")
    phase = int(state["phase"])
    hold(phase < len(PHASES), f"phase {phase} is not 0 to {OVER}")
    hold(int(state["turns"]) <= int(state["limits"][MAX_TURNS]), "more turns are over than a hand may have")
    _audit_containers(state)
    _audit_spreads(state)
    hands = [cards_of(words) for words in state["hands"]]
    hidden: set[int] = set()
    for seat, known in enumerate(map(cards_of, state["known"])):
        hold(set(known) <= set(hands[seat]), f"seat {seat}: known cards are not in the hand")
        hold(seat < players or not hands[seat], f"seat {seat} does not play but holds cards")
        hidden |= set(hands[seat]) - set(known)
    for card in np.flatnonzero(state["label"]).tolist():
        label = int(state["label"][card])
        hold(card in hidden, f"a group is noted for {_card_name(card)}, which is in no hand unseen")
        hold(label <= int(state["n_groups"]), f"{card_text(card)} is in a group that does not exist")
    must, taken = int(state["must"]), int(state["taken"])
    hold(must == NO_CARD or must in hands[int(state["seat"])], "the card that must be laid is not in the hand")
    hold(taken == NO_CARD or phase in (PLAY, FORM, PLACE), "a card is marked as taken where nobody lays cards")
    hold(int(state["open_spread"]) <= int(state["n_spreads"]), "the spread laid last does not exist")
    is_pending = phase in (FORM, PLACE, POWER, PUT, SHOOT)
    hold(bool(int(state["pending"])) == is_pending, f"pending {int(state['pending'])} does not go with this phase")
    needs_cards = phase in (DRAW, PLAY, FORM, PLACE, PUT)
    hold(not needs_cards or bool(hands[int(state["seat"])]), "the seat that decides holds no card")


def _audit_containers(state: Any) -> None:
    """Hold that every card is in exactly one place and that unused places are 0."""
    n_wild = int(state["options"][N_WILD])
    seen: dict[int, str] = {}
    places = [(f"hand of seat {seat}", cards_of(words)) for seat, words in enumerate(state["hands"][:FACTORY])]
    places.append(("Factory", cards_of(state["hands"][FACTORY])))
    for name in ("heap", "bottom"):
        size = int(state[f"{name}_size"])
        hold(size <= N_CARDS, f"{name}_size {size} is more than {N_CARDS}")
        places.append((name, tuple(state[name][:size].tolist())))
        hold(not state[name][size:].any(), f"cards stand after the end of the {name}")
    n_spreads = int(state["n_spreads"])
    hold(not state["spreads"][n_spreads:].any(), "spreads stand after the last one")
    for slot in range(n_spreads):
        places.append((f"spread {slot}", tuple(card for _, card in spread_parts(int(state["spreads"][slot]))[2])))
    for place, cards in places:
        for card in cards:
            hold(card in _CARD_SET and card < FIRST_WILD + n_wild, f"{place}: there is no {_card_name(card)}")
            hold(card not in seen, f"{card_text(card)} is there twice: {seen.get(card)} and {place}")
            seen[card] = place
    hold(len(seen) == N_NATURAL + n_wild, f"{len(seen)} cards are there, not {N_NATURAL + n_wild}")
    laid = [card for words in state["laid"] for card in cards_of(words)]
    on_table = sorted(card for card, place in seen.items() if place.startswith("spread"))
    hold(sorted(laid) == on_table, "the cards that count for seats are not those in the spreads")


_CARD_SET = {int(card) for card in CARDS}


def _card_name(card: int) -> str:
    return card_text(card) if card in _CARD_SET else f"card {card}"


def _audit_spreads(state: Any) -> None:
    """Hold that every spread is valid and packed as its cards say."""
    most_wilds, star_robot = int(state["options"][MAX_WILDS]), bool(state["options"][STAR_ROBOT])
    for word in state["spreads"][: int(state["n_spreads"])].tolist():
        hold(spread_parts(word)[1] < int(state["players"]), "a spread lies before a seat that does not play")
        _audit_spread(word, most_wilds, star_robot)


@functools.lru_cache(maxsize=4096)
def _audit_spread(word: int, most_wilds: int, star_robot: bool) -> None:
    kind, owner, placed = spread_parts(word)
    cards = [card for _, card in placed]
    hold(word == make_spread(kind, owner, cards), f"the {kind} {cards_text(cards)} is not packed as its cards say")
    n_wilds = sum(card >= FIRST_WILD for card in cards)
    hold(n_wilds <= most_wilds, f"the {kind} {cards_text(cards)} has {n_wilds} wilds, more than {most_wilds}")
    is_full = kind != "run" and len(cards) - n_wilds == LARGEST_SET and (cards[0] % 16 != STAR or star_robot)
    hold((kind == "robot") == is_full, f"the {kind} {cards_text(cards)} is no {kind}")


# Positions: `name: value` lines, seats and spreads separated by |. What a position leaves out is as in a fresh game
# with two players; cards that stand nowhere are the Factory's unknown ones.

_NUMBERS = {
    "players": 2,
    "max_turns": 400,
    "target": 0,
    **dict.fromkeys(OPTIONS, 0),
    "n_wild": MOST_WILDS,
    "max_wilds": MOST_WILDS,
    "max_hands": 50,
    "first_player": 0,
    "hands_played": 0,
    "turns": 0,
    "fielded": 0,
    "open_spread": 0,
    "drawn": 0,
}
_LISTS = ("power_of", "totals", "chance")


def position_text(state: Any) -> str:
    """Write a whole record as text, one field a line, to be read back by `parse_position`."""
    players = range(int(state["players"]))
    values = {name: int(state[name]) for name in _NUMBERS if name in (STATE.names or ())}
    values["max_turns"], values["target"] = (int(limit) for limit in state["limits"])
    values.update((name, int(state["options"][place])) for place, name in enumerate(OPTIONS))
    lines = [f"{name}: {values[name]}" for name in _NUMBERS]
    lines += [f"{name}: {' '.join(str(int(value)) for value in state[name])}" for name in _LISTS]
    lines += [f"{name}: {card_text(int(state[name])) if int(state[name]) else '-'}" for name in ("must", "taken")]
    phase = int(state["phase"])
    turn = f"turn: seat {int(state['turn_seat'])} {PHASES[phase]}"
    lines.append(turn + (f" by {int(state['seat'])}" if int(state["seat"]) != int(state["turn_seat"]) else ""))
    lines.append(f"pending: {_pending_text(state)}")
    lines.append("hands: " + " | ".join(cards_text(cards_of(state["hands"][seat])) for seat in players))
    lines.append("known: " + " | ".join(cards_text(cards_of(state["known"][seat])) for seat in players))
    layer = {card: seat for seat, laid in enumerate(state["laid"]) for card in cards_of(laid)}
    spreads = [_spread_text(state, slot, layer) for slot in range(int(state["n_spreads"]))]
    lines.append("spreads: " + (" | ".join(spreads) or "-"))
    for name in ("heap", "bottom"):
        lines.append(f"{name}: {cards_text(state[name][: int(state[f'{name}_size'])])}")
    groups = [
        "(" + cards_text(card for card in range(CARD_IDS) if int(state["label"][card]) == group) + ")"
        for group in range(1, int(state["n_groups"]) + 1)
    ]
    lines.append("groups: " + (" ".join(groups) or "-"))
    return "\n".join(lines)


def _pending_text(state: Any) -> str:
    phase, pending = int(state["phase"]), int(state["pending"])
    if phase == FORM:
        return action_text(
            RUN + pending // 16 * 13 + pending % 16 - 1 if pending < FIRST_WILD else SET + pending % 16 - 1
        )
    if phase == PLACE:
        return card_text(pending)
    if phase in (POWER, SHOOT):
        return POWERS[pending - 1]
    if phase == PUT:
        return f"{pending % 16} to put {pending // 16} to draw"
    return "-"


def parse_position(text: str) -> Any:
    """Read a position into a record; ValueError names the line that is wrong or the law that is broken."""
    fields = split_lines(text)
    readers: dict[str, Callable[[Any, str, str], None]] = {
        **dict.fromkeys(_NUMBERS, _read_number),
        **dict.fromkeys(_LISTS, _read_list),
        **dict.fromkeys(("must", "taken"), _read_card),
        **dict.fromkeys(("heap", "bottom"), _read_stack),
        "turn": _read_turn,
        "hands": _read_hands,
        "known": _read_hands,
        "spreads": _read_spreads,
        "groups": _read_groups,
        "pending": _read_pending,
    }
    for name in fields:
        hold(name in readers, f"a position of robots has no line {name!r}; its lines: {', '.join(readers)}")
    require(fields, ["hands"])
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    for name, read in readers.items():  # in this order: the later ones build on the earlier
        value = fields.get(name, _DEFAULTS.get(name, "-"))
        if value == "-":
            continue
        try:
            read(state, name, value)
        except (ValueError, OverflowError, IndexError) as error:
            raise ValueError(f"line {name!r} of the position is wrong: {value!r} ({error})") from None
    hold(2 <= int(state["players"]) <= MOST_PLAYERS, f"players {int(state['players'])} is not 2 to {MOST_PLAYERS}")
    _fill_factory(state)
    audit(state)
    return state


_DEFAULTS = {
    **{name: str(default) for name, default in _NUMBERS.items()},
    "power_of": " ".join(str(POWER_RANKS.index(rank) + 1 if rank in POWER_RANKS else 0) for rank in range(16)),
    "turn": "seat 0 draw",
}


def _read_number(state: Any, name: str, text: str) -> None:
    if name in OPTIONS:
        state["options"][OPTIONS.index(name)] = int(text)
    elif name in ("max_turns", "target"):
        state["limits"][MAX_TURNS if name == "max_turns" else TARGET] = int(text)
    else:
        state[name] = int(text)


def _read_list(state: Any, name: str, text: str) -> None:
    kind = STATE[name].base
    state[name] = np.array([kind.type(int(word)) for word in text.split()], dtype=kind).reshape(STATE[name].shape)


def _read_card(state: Any, name: str, text: str) -> None:
    state[name] = parse_card(text)


def _read_stack(state: Any, name: str, text: str) -> None:
    cards = _parse_cards(text)
    state[name][: len(cards)] = cards
    state[f"{name}_size"] = len(cards)


def _read_turn(state: Any, name: str, text: str) -> None:
    words = re.fullmatch(r"seat (\d) (\w+)(?: by (\d))?", text)
    if not words or words[2] not in PHASES:
        raise ValueError(f"it reads `seat 0 PHASE by 1`, with a phase of {', '.join(PHASES)}")
    state["turn_seat"], state["phase"] = int(words[1]), PHASES.index(words[2])
    state["seat"] = int(words[3] or words[1])


def _read_hands(state: Any, name: str, text: str) -> None:
    parts = text.split("|")
    if len(parts) != int(state["players"]):
        raise ValueError(f"it has {len(parts)} seats, not {int(state['players'])}")
    for seat, part in enumerate(parts):
        state[name][seat] = words_of(_parse_cards(part))


def _read_spreads(state: Any, name: str, text: str) -> None:
    for slot, part in enumerate(text.split("|")):
        words = re.fullmatch(r"(\d) (run|set|robot) (.+)", part.strip())
        if not words:
            raise ValueError(f"a spread is `0 run R5 R6 R7`: owner, run, set or robot, and cards, not {part.strip()!r}")
        owner = int(words[1])
        placed = [word.partition("@") for word in words[3].split()]
        cards = _parse_cards(" ".join(card for card, _, _ in placed))
        state["spreads"][slot] = np.uint64(make_spread(words[2], owner, cards))
        state["n_spreads"] = slot + 1
        for card, (_, _, layer) in zip(cards, placed, strict=True):
            row = state["laid"][int(layer or owner)]
            row[card // 64] |= np.uint64(1 << card % 64)


def _read_groups(state: Any, name: str, text: str) -> None:
    if not re.fullmatch(r"(\([^()]*\) ?)+", text):
        raise ValueError("it reads `(R5 G8) (K2)`: the hidden cards held since before each reshuffle")
    for group, part in enumerate(re.findall(r"\(([^()]*)\)", text), start=1):
        state["label"][_parse_cards(part)] = group
        state["n_groups"] = group


def _read_pending(state: Any, name: str, text: str) -> None:
    phase = int(state["phase"])
    if phase == FORM:
        state["pending"] = int(BIT[parse_action(text)])
    elif phase == PLACE:
        state["pending"] = parse_card(text)
    elif phase in (POWER, SHOOT):
        state["pending"] = 1 + POWERS.index(text)
    elif phase == PUT:
        words = re.fullmatch(r"(\d) to put (\d) to draw", text)
        if not words:
            raise ValueError("it reads `2 to put 2 to draw`")
        state["pending"] = int(words[1]) + 16 * int(words[2])
    else:
        raise ValueError(f"nothing is pending in phase {PHASES[phase]}")


def _parse_cards(text: str) -> list[int]:
    """Read cards; a wild without a number is the first that the text does not name."""
    words = text.replace("-", " ").upper().split()
    cards: list[int] = []
    free = [wild for wild in range(FIRST_WILD, CARD_IDS) if card_text(wild) not in words]
    for word in words:
        cards.append(free.pop(0) if word == "W" and free else parse_card(word))
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{card_text(card)} stands twice; every card exists once")
    return cards


def _fill_factory(state: Any) -> None:
    """Let the cards that stand nowhere be the Factory's unknown ones."""
    placed = {card for seat in range(MOST_PLAYERS) for card in cards_of(state["hands"][seat])}
    placed |= {card for seat in range(MOST_PLAYERS) for card in cards_of(state["laid"][seat])}
    for name in ("heap", "bottom"):
        placed |= {int(card) for card in state[name][: int(state[f"{name}_size"])]}
    deck = [int(card) for card in CARDS[: N_NATURAL + int(state["options"][N_WILD])]]
    state["hands"][FACTORY] = words_of(card for card in deck if card not in placed)
