"""Pizza Time as text: pizzas, movements, positions, explained scores. Plain Python.

A pizza is its four cards clockwise from the top left, each with its number, the side that is up (F, B) and its quarter
turns clockwise: 1F0 2B1 4F3 3B0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.games.pizza_time.card_sets import OURS, Face, read_card_set
from engine.games.pizza_time.rules import (
    CARDS_AT,
    EAST,
    FIRST_DISCARD,
    FIRST_FLIP,
    FIRST_GIVE,
    FIRST_SWAP,
    FIRST_TAKE,
    FIRST_TURN,
    LIE_BITS,
    LIES_BITS,
    MOST_NUMBER,
    MOST_PACE,
    MOST_PLAYERS,
    MOST_TICKS,
    N_ACTIONS,
    N_CARDS,
    N_MOVEMENTS,
    N_NUMBER_CARDS,
    N_PLACEMENTS,
    N_ROUNDS,
    N_TOPPINGS,
    NONE,
    NUMBER_BITS,
    PAIRS,
    PILE_SIZE,
    REBUILD,
    STATE,
    TOPPINGS,
    UNKNOWN,
    WRONG,
    winners_of,
)
from engine.games.pizza_time.solutions import most_types_table
from engine.positions import hold, require, split_lines

SIDE_LETTERS = "FB"
HALF_LETTERS = ".MPCO"
SEAM_NAMES = ("top", "right", "bottom", "left")


# Actions.


def action_text(action: int) -> str:
    """Write an action: `flip 1`, `turn 2`, `swap 1 3`, `rebuild`, `claim`, `take olive`, `give olive to seat 2`, …"""
    if action < FIRST_TURN:
        return f"flip {action - FIRST_FLIP + 1}"
    if action < FIRST_SWAP:
        return f"turn {action - FIRST_TURN + 1}"
    if action < REBUILD:
        one, other = PAIRS[action - FIRST_SWAP]
        return f"swap {one + 1} {other + 1}"
    if action < FIRST_TAKE:
        return "rebuild" if action == REBUILD else "claim"
    if action < FIRST_GIVE:
        return f"take {TOPPINGS[action - FIRST_TAKE]}"
    if action < FIRST_DISCARD:
        topping, seat = divmod(action - FIRST_GIVE, MOST_PLAYERS)
        return f"give {TOPPINGS[topping]} to seat {seat}"
    return f"discard {TOPPINGS[action - FIRST_DISCARD]}"


_ACTIONS = {action_text(action): action for action in range(N_ACTIONS)}


def parse_action(text: str) -> int:
    """Read an action; ValueError says what is allowed."""
    words = " ".join(text.lower().split())
    if words not in _ACTIONS:
        raise ValueError(
            "an action is flip, turn (a card: flip 1), swap (two: swap 1 3), rebuild, claim, take, discard (a topping: "
            f"take olive) or give (give olive to seat 2), not {text.strip()!r}"
        )
    return _ACTIONS[words]


# Pizzas.


def placement_text(placement: int) -> str:
    """Write how four cards lie, as 1F0 2B1 4F3 3B0."""
    words = []
    for card, lie in cards_of(placement):
        words.append(f"{card + 1}{SIDE_LETTERS[lie >> 2]}{lie & 3}")
    return " ".join(words)


def cards_of(placement: int) -> list[tuple[int, int]]:
    """List card and lie by place, clockwise from the top left."""
    packed = int(CARDS_AT[placement >> LIES_BITS])
    cards = [(packed >> (2 * place)) & 3 for place in range(N_CARDS)]
    return [(card, (placement >> (LIE_BITS * card)) & 7) for card in cards]


def parse_placement(text: str) -> int:
    """Read how four cards lie; ValueError says what is wrong."""
    words = text.replace(",", " ").split()
    found = [re.fullmatch(r"([1-4])([FB])([0-3])", word.upper()) for word in words]
    if len(words) != N_CARDS or None in found:
        raise ValueError(
            "a pizza is four cards clockwise from the top left, each with number 1 to 4, side F or B and quarter turns "
            f"0 to 3, such as 1F0 2B1 4F3 3B0, not {text.strip()!r}"
        )
    cards = [int(each[1]) - 1 for each in found if each]
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"card {card + 1} stands twice in {text.strip()!r}; every card exists once")
    packed = sum(card << (2 * place) for place, card in enumerate(cards))
    placement = CARDS_AT.tolist().index(packed) << LIES_BITS
    for each in found:
        if each:
            lie = 4 * SIDE_LETTERS.index(each[2]) + int(each[3])
            placement |= lie << (LIE_BITS * (int(each[1]) - 1))
    return placement


def features_of(faces: tuple[Face, ...], placement: int) -> list[tuple[str, int, int]]:
    """List what a pizza shows, each with its topping and how often: whole toppings card by card, then closed seams."""
    lying = cards_of(placement)
    found = []
    for card, lie in lying:
        for topping, count in enumerate(faces[2 * card + (lie >> 2)].whole):
            if count:
                found.append((f"{TOPPINGS[topping]} on card {card + 1}", topping, count))
    for place, name in enumerate(SEAM_NAMES):
        half = _half_at(faces, lying[place], (EAST + place) % 4)
        if half >= 0 and half == _half_at(faces, lying[(place + 1) % N_CARDS], (EAST + place + 2) % 4):
            found.append((f"{TOPPINGS[half]} at the {name} seam", half, 1))
    return found


def _half_at(faces: tuple[Face, ...], lying: tuple[int, int], edge: int) -> int:
    card, lie = lying
    return faces[2 * card + (lie >> 2)].halves[(edge - (lie & 3)) % 4]


def totals(faces: tuple[Face, ...], placement: int) -> list[int]:
    """Return what a pizza shows of each topping."""
    shown = [0] * N_TOPPINGS
    for _, topping, count in features_of(faces, placement):
        shown[topping] += count
    return shown


def explain(position: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Count what a pizza shows, and where an order is given say how well it fits.

    A position is a pizza, and maybe `:` and the four numbers of an order. Returns `totals` by topping, `points` (all
    toppings shown: a pizza has no points of its own), `features`, and with an order `exact`, the toppings that fit.
    ValueError when the position is no pizza.
    """
    pizza, colon, wanted = position.partition(":")
    placement = parse_placement(pizza)
    card_set = read_card_set(Path(options["card_set"]) if options["card_set"] else OURS)
    features = features_of(_faces(card_set.packed(options["geometry"])), placement)
    shown = [sum(count for _, each, count in features if each == topping) for topping in range(N_TOPPINGS)]
    answer: dict[str, Any] = {
        "points": sum(shown),
        "totals": shown,
        "features": [{"name": name, "points": count} for name, _, count in features],
    }
    if colon:
        order = wanted.replace(",", " ").split()
        if len(order) != N_TOPPINGS or not all(word.isdecimal() for word in order):
            raise ValueError(f"an order is four numbers, of {', '.join(TOPPINGS)}, not {wanted.strip()!r}")
        answer["exact"] = [name for name, has, wants in zip(TOPPINGS, shown, order, strict=True) if has == int(wants)]
    return answer


def _faces(packed: Any) -> tuple[Face, ...]:
    return tuple(Face.unpack(int(word)) for word in packed)


# The table as a person sees it.


def order_of(state: Any) -> list[int]:
    """Return the number wanted of each topping."""
    return [(int(state["order"]) >> (8 * topping)) & 0xFF for topping in range(N_TOPPINGS)]


def show(state: Any, player: int | None = None) -> str:
    """Draw the table; with `player`, only what that player sees: not what others have chosen in this tick."""
    lines = [_headline(state)]
    faces = _faces(state["faces"])
    for seat in range(int(state["players"])):
        mark = ">" if _lowest_bit(state["waiting"]) == seat else " "
        placement = int(state["placement"][seat])
        shown = " ".join(str(count) for count in totals(faces, placement))
        lines.append(
            f"{mark} seat {seat}   {placement_text(placement)}   shows {shown}   {int(state['points'][seat]):3d} points"
            f"{_doing(state, seat, player)}"
        )
    return "\n".join(lines)


def _headline(state: Any) -> str:
    played = int(state["rounds"])
    if played == N_ROUNDS:
        return "the game is over"
    wanted = ", ".join(
        f"{name} {number}" + ("" if (int(state["cards"]) >> topping) & 1 else " (gone)")
        for topping, (name, number) in enumerate(zip(TOPPINGS, order_of(state), strict=True))
    )
    serving = int(state["serving"])
    what = f"number {serving} is served" if serving else f"tick {int(state['tick'])}"
    return f"round {played + 1} of {N_ROUNDS}, {int(state['types'][played])} toppings of: {wanted}; {what}"


def _doing(state: Any, seat: int, player: int | None) -> str:
    if int(state["rounds"]) == N_ROUNDS:
        return ""
    held = int(state["numbers"][state["rounds"]][seat])
    if held:
        return f"   number {held & NUMBER_BITS}" + (" on a wrong pizza" if held & WRONG and state["serving"] else "")
    pending = int(state["pending"][seat])
    if pending == NONE:
        return ""
    return f"   chose {action_text(pending)}" if pending != UNKNOWN and player in (None, seat) else "   has chosen"


def _lowest_bit(mask: Any) -> int:
    value = int(mask)
    return (value & -value).bit_length() - 1


def explain_result(state: Any) -> str:
    """Explain a finished game: the number cards of every round, points, and who wins by what."""
    players = int(state["players"])
    lines = []
    for played in range(N_ROUNDS):
        types = int(state["types"][played])
        held = {int(state["numbers"][played][seat]): seat for seat in range(players)}
        taken = sorted(((number & NUMBER_BITS, number & WRONG, seat) for number, seat in held.items() if number))
        words = ", ".join(f"{number}: seat {seat}" + (" (wrong)" if wrong else "") for number, wrong, seat in taken)
        lines.append(f"round {played + 1}, {types} toppings: {words or 'nobody'}" if types else _void(played))
    points = [int(each) for each in state["points"][:players]]
    lines += [f"seat {seat}   {each} points" for seat, each in enumerate(points)]
    winners = [seat for seat in range(players) if (int(winners_of(state)) >> seat) & 1]
    by = "by the best number of the last rounds" if points.count(max(points)) > len(winners) else "with most points"
    shared = "seats " + " and ".join(map(str, winners)) + " share the win" if len(winners) > 1 else ""
    lines.append(shared or f"seat {winners[0]} wins {by}")
    return "\n".join(lines)


def _void(played: int) -> str:
    return f"round {played + 1}: not played, no pizza fills the order"


# Audits.


def audit(state: Any) -> None:
    """Raise ValueError with the law that a state breaks: every ingredient card once, counts and phases in range."""
    players, played = int(state["players"]), int(state["rounds"])
    hold(2 <= players <= MOST_PLAYERS, f"players {players} is not 2 to {MOST_PLAYERS}")
    hold(played <= N_ROUNDS, f"rounds {played} is not 0 to {N_ROUNDS}")
    hold(1 <= int(state["limit"]) <= MOST_TICKS, f"limit {int(state['limit'])} is not 1 to {MOST_TICKS}")
    paces = [int(pace) for pace in state["pace"]]
    hold(all(1 <= pace <= MOST_PACE for pace in paces), f"paces {paces} are not 1 to {MOST_PACE}")
    hold(bool(state["has_pace"]) == (max(paces) > 1), "has_pace is not what the paces say")
    hold(all(placement < N_PLACEMENTS for placement in state["placement"].tolist()), "a placement does not exist")
    _audit_piles(state, played)
    everyone = (1 << players) - 1
    racing, waiting, serving = int(state["racing"]), int(state["waiting"]), int(state["serving"])
    hold(racing & ~everyone == 0 and waiting & ~everyone == 0, "a seat races or waits that does not play")
    for number in range(N_ROUNDS):
        held = sorted(int(each) & NUMBER_BITS for each in state["numbers"][number] if each)
        hold(held == list(range(1, len(held) + 1)), f"round {number + 1}: the number cards taken are {held}")
        hold(len(held) <= min(N_NUMBER_CARDS, players - 1), f"round {number + 1}: {len(held)} number cards are taken")
        hold(number <= played or not held, f"round {number + 1} has not begun, but has number cards")
    if played == N_ROUNDS:
        hold(racing == waiting == serving == 0, "the game is over, but somebody is to move")
        return
    taken = {seat for seat in range(players) if state["numbers"][played][seat]}
    hold(racing == everyone & ~sum(1 << seat for seat in taken), "who races is not who has no number card")
    hold(waiting > 0, "nobody is to move")
    hold(serving <= len(taken), f"number {serving} is served, but {len(taken)} are taken")
    chosen = [seat for seat in range(players) if int(state["pending"][seat]) != NONE]
    if serving:
        hold(not chosen, "somebody has chosen a movement after the race")
        hold(int(state["cards"]).bit_count() == N_TOPPINGS + 1 - serving, "each number served takes one card")
    else:
        hold(1 <= int(state["tick"]) <= int(state["limit"]), f"tick {int(state['tick'])} is not in the round")
        hold(waiting & ~racing == 0, "a seat with a number card is to move in the race")
        hold(int(state["cards"]) == (1 << N_TOPPINGS) - 1, "a card of the order is gone in the race")
        hold(all(seat < _lowest_bit(waiting) for seat in chosen), "a seat has chosen before its turn")
    pending = [int(each) for each in state["pending"]]
    hold(all(each < N_MOVEMENTS or each in (UNKNOWN, NONE) for each in pending), "a movement chosen does not exist")


def _audit_piles(state: Any, played: int) -> None:
    revealed = min(N_ROUNDS, played + 1)
    for topping, name in enumerate(TOPPINGS):
        pile = [int(number) for number in state["piles"][topping]]
        left = int(state["left"][topping])
        hold(pile == sorted(pile) and pile[-1] <= MOST_NUMBER, f"the pile of {name}s is {pile}")
        hold(left.bit_count() == PILE_SIZE - revealed and left < 1 << PILE_SIZE, f"cards of the {name}s are missing")
    most = int(sum(state["piles"].ravel()))
    hold(sum(int(points) for points in state["points"]) <= most, "more points are won than there are")
    types = [int(each) for each in state["types"]]
    hold(all(each <= N_TOPPINGS for each in types), f"the toppings to match by round are {types}")


# Positions: a line a field. What can be computed from the cards and piles is left out.

_PARTS: dict[str, tuple[Callable[[Any], str], Callable[[str], int]]] = {
    "faces": (lambda word: _face_text(int(word)), lambda text: _parse_face(text)),
    "placement": (lambda each: placement_text(int(each)).replace(" ", "-"), lambda text: _parse_dashed(text)),
}
_COMPUTED = ("most_types", "has_pace")
_NAMES = tuple(name for name in STATE.names or () if name not in _COMPUTED)


def position_text(state: Any) -> str:
    """Write a whole record as text, one field a line, to be read back by `parse_position`."""
    lines = []
    for name in _NAMES:
        write = _PARTS[name][0] if name in _PARTS else _number_text
        lines.append(f"{name}: {' '.join(write(value) for value in np.ravel(state[name]))}")
    return "\n".join(lines)


def parse_position(text: str) -> Any:
    """Read a position back into a record; ValueError names the line that is wrong or the law that is broken."""
    fields = split_lines(text)
    require(fields, _NAMES)
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    for name in _NAMES:
        kind = STATE[name]
        read = _PARTS[name][1] if name in _PARTS else int
        try:
            values = [read(word) for word in fields[name].split()]
            state[name] = np.array([kind.base.type(value) for value in values], dtype=kind.base).reshape(kind.shape)
        except (ValueError, OverflowError):
            raise ValueError(f"line {name!r} of the position is wrong: {fields[name]!r}") from None
    faces = tuple(int(face) for face in state["faces"])
    state["most_types"] = most_types_table(faces, tuple(tuple(pile) for pile in state["piles"].tolist()))
    state["has_pace"] = int(state["pace"].max()) > 1
    audit(state)
    return state


def _number_text(value: Any) -> str:
    return str(int(value))


def _face_text(word: int) -> str:
    """Write a face: four whole counts as hexadecimal digits, then the letters of its halves, as 1000MOPO."""
    face = Face.unpack(word)
    return "".join(f"{count:x}" for count in face.whole) + "".join(HALF_LETTERS[half + 1] for half in face.halves)


def _parse_face(text: str) -> int:
    if not re.fullmatch(r"[0-9a-f]{4}[.MPCO]{4}", text):
        raise ValueError(text)
    halves = tuple(HALF_LETTERS.index(letter) - 1 for letter in text[4:])
    return Face(tuple(int(digit, 16) for digit in text[:4]), halves).packed


def _parse_dashed(text: str) -> int:
    return parse_placement(text.replace("-", " "))
