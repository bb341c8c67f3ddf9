"""Pizza Chef as text: places, orders, the table, positions. Plain Python.

The 64 places are a square of eight rows a … h and eight columns 1 … 8: a1 is place 0, a2 place 1, h8 place 63.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.games.pizza_chef.rules import (
    ALL_LOOKS,
    FULL_BAG,
    HATS_TO_WIN,
    HIT,
    JOKERS,
    LAST_CHANCE,
    MOST_PLAYERS,
    N_ACTIONS,
    N_ALIKE,
    N_PLACES,
    N_TOKENS,
    N_TOPPINGS,
    NO_TOKEN,
    NOBODY,
    NOTHING,
    OVER,
    PHASES,
    PLAYERS_FOR_TWO_HATS,
    RING,
    SEARCHING,
    SIT_OUT,
    SLOWEST_PACE,
    SNATCH,
    STATE,
    TOKENS,
    TOPPINGS,
    WRONG,
)
from engine.positions import hold, number_lines, read_numbers, require, split_lines

ROWS = "abcdefgh"
SIDE = len(ROWS)


def place_text(place: int) -> str:
    """Write a place, as c5."""
    return ROWS[place // SIDE] + str(place % SIDE + 1)


def action_text(action: int) -> str:
    """Write an action, as `look c5` or `snatch c5`."""
    return ("snatch " if action >= SNATCH else "look ") + place_text(action % N_PLACES)


_ACTIONS = {action_text(action): action for action in range(N_ACTIONS)}


def parse_action(text: str) -> int:
    """Read an action; ValueError says what is allowed."""
    words = " ".join(text.lower().split())
    if words not in _ACTIONS:
        raise ValueError(f"a move is look or snatch and a place a1 to h8, such as look c5, not {text.strip()!r}")
    return _ACTIONS[words]


def tokens_text(mask: int) -> str:
    """Write the orders of a bit mask."""
    return " ".join(TOKENS[token] for token in range(N_TOKENS) if mask >> token & 1) or "-"


# Scores explained.


def explain(position: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Score a game told by its rounds: the seat that got the hat in each, or both joined by +, such as `1 0 2+4 1`.

    Returns `points`, the hats of the leader, and `features` with the hats of each seat that has any. ValueError when a
    seat does not exist, when two get a hat with fewer than five players, or when the game was over before.
    """
    n_players = players or MOST_PLAYERS
    hats = [0] * n_players
    for word in position.split():
        if max(hats) >= HATS_TO_WIN:
            raise ValueError(f"seat {hats.index(max(hats))} has {HATS_TO_WIN} hats before round {word!r}: it was over")
        parts = word.split("+")
        if not all(part.isdecimal() and int(part) < n_players for part in parts):
            raise ValueError(f"a round is a seat from 0 to {n_players - 1}, or two joined by +, not {word!r}")
        most = 2 if n_players >= PLAYERS_FOR_TWO_HATS else 1
        if len(parts) > most or len(set(parts)) < len(parts):
            raise ValueError(f"{word!r}: a round with {n_players} players gives hats to {most} seat{'s' * (most > 1)}")
        for part in parts:
            hats[int(part)] += 1
    return {
        "points": max(hats),
        "features": [{"name": f"seat {seat}", "points": count} for seat, count in enumerate(hats) if count],
    }


# The table as a person sees it.


def show(state: Any, player: int | None = None) -> str:
    """Draw the table; with `player`, only the slices that he remembers."""
    lines = [headline(state), "     " + " ".join(f"{column + 1:<9}" for column in range(SIDE)).rstrip()]
    for row in range(SIDE):
        cells = [_cell(state, row * SIDE + column, player) for column in range(SIDE)]
        lines.append(f"  {ROWS[row]}  " + " ".join(f"{cell:<9}" for cell in cells).rstrip())
    lines.append(f"  orders in the bag: {tokens_text(int(state['bag']))}")
    for seat in range(int(state["players"])):
        mark = ">" if seat == int(state["seat"]) and int(state["phase"]) == SEARCHING else " "
        hats = int(state["hats"][seat])
        lines.append(f"{mark} seat {seat}   {hats} hat{'s' if hats != 1 else ' '}{_doing(state, seat)}")
    return "\n".join(lines)


def headline(state: Any) -> str:
    """Say in one line which round it is and what is asked for."""
    if int(state["phase"]) == OVER:
        return f"over after {int(state['turns'])} rounds"
    where = f"round {int(state['turns'])}, bag with seat {int(state['active'])}: "
    if int(state["order"]) == NO_TOKEN:
        return where + "an order is to be drawn"
    return where + f"find {TOKENS[int(state['order'])]}, tick {int(state['tick'])}"


def _cell(state: Any, place: int, player: int | None) -> str:
    is_known = player is None or int(state["seen"][player]) >> place & 1
    return TOPPINGS[int(state["places"][place])] if is_known else "·"


def _doing(state: Any, seat: int) -> str:
    if int(state["phase"]) == OVER:
        return ""
    if seat == int(state["active"]):
        return "   has the bag"
    if seat == int(state["first"]):
        return "   has found a slice"
    return "   sits out" if int(state["out"]) >> seat & 1 else ""


def tell(before: Any, action: int, after: Any, player: int | None) -> list[str]:
    """Tell what an action did at the table, as `player` sees it (None sees all): the action itself, then the rest."""
    seat = int(before["seat"])
    lines = [action_text(action) if player in (None, seat) else "looks somewhere"]
    if int(after["tick"]) == int(before["tick"]) and int(after["turns"]) == int(before["turns"]):
        if int(after["due"]):
            return lines
    for each in range(int(before["players"])):
        glimpse = int(after["glimpse"][each])
        if glimpse and player in (None, each):
            lines.append(f"  seat {each} sees {TOPPINGS[glimpse - 1]}")
    for each in range(int(before["players"])):
        if int(after["hats"][each]) > int(before["hats"][each]):
            lines.append(f"  seat {each} wins hat {int(after['hats'][each])}")
        if int(after["out"]) >> each & 1 and not int(before["out"]) >> each & 1:
            lines.append(f"  seat {each} has snatched a wrong slice and sits out")
    if int(after["turns"]) > int(before["turns"]):
        lines.append("  " + headline(after))
    return lines


def explain_result(state: Any) -> str:
    """Explain a finished game: the hats of each seat, and who wins."""
    hats = [int(number) for number in state["hats"][: int(state["players"])]]
    winners = [f"seat {seat}" for seat, number in enumerate(hats) if number == max(hats)]
    lines = [f"seat {seat}   {number} hat{'s' if number != 1 else ''}" for seat, number in enumerate(hats)]
    share = "wins" if len(winners) == 1 else "share the win"
    broken_off = ", broken off" if max(hats) < HATS_TO_WIN else ""
    return "\n".join([*lines, f"{' and '.join(winners)} {share} after {int(state['turns'])} rounds{broken_off}"])


# Audits.


def audit(state: Any) -> None:
    """Raise ValueError with the law that a state breaks: 64 slices, the orders, memories and phases in range."""
    players = int(state["players"])
    hold(3 <= players <= MOST_PLAYERS, f"players {players} is not 3 to {MOST_PLAYERS}")
    hold(int(state["wrong"]) < len(WRONG), f"wrong {int(state['wrong'])} is not in {WRONG}")
    memory = int(state["memory"])
    hold(memory <= RING or memory == ALL_LOOKS, f"memory {memory} is not 0 to {RING} or all")
    paces = [int(pace) for pace in state["pace"]]
    hold(all(1 <= pace <= SLOWEST_PACE for pace in paces[:players]), f"a pace is not 1 to {SLOWEST_PACE}")
    phase, order, bag = int(state["phase"]), int(state["order"]), int(state["bag"])
    hold(phase < len(PHASES), f"phase {phase} does not exist")
    for field in ("active", "seat"):
        hold(int(state[field]) < players, f"{field} {int(state[field])} is not 0 to {players - 1}")
    hold(int(state["first"]) < players or int(state["first"]) == NOBODY, "somebody was first who does not play")
    hold(int(state["turns"]) <= int(state["max_turns"]), "there are more rounds than allowed")
    hold(int(state["tick"]) <= int(state["most_ticks"]), "the round is too long")
    hold(bag & ~FULL_BAG == 0, "the bag holds an order that does not exist")
    hold(phase == OVER or order >= N_TOPPINGS or bag & JOKERS != 0, "no joker is left in the bag")
    hold(order < N_TOKENS or order == NO_TOKEN, f"order {order} does not exist")
    hold(order == NO_TOKEN or bag >> order & 1 == 0, "the order on the table is in the bag, too")
    for topping, count in enumerate(np.bincount(state["places"], minlength=N_TOPPINGS).tolist()):
        hold(topping < N_TOPPINGS and count == N_ALIKE, f"there are {count} slices with topping {topping}")
    hats = [int(number) for number in state["hats"]]
    hold(max(hats) <= HATS_TO_WIN and not any(hats[players:]), f"the hats are {hats}")
    broken_off = int(state["turns"]) == int(state["max_turns"])
    hold(phase != OVER or max(hats) == HATS_TO_WIN or broken_off, "the game is over, but nobody has won")
    may_go_on = int(state["first"]) != NOBODY and players >= PLAYERS_FOR_TWO_HATS
    hold(phase == OVER or max(hats) < HATS_TO_WIN or may_go_on, "the game goes on though it is won")
    _audit_searching(state, players, phase, order)
    for seat in range(MOST_PLAYERS):
        _audit_memory(state, seat, players, memory)


def _audit_searching(state: Any, players: int, phase: int, order: int) -> None:
    due, choices = int(state["due"]), [int(choice) for choice in state["choices"]]
    active = int(state["active"])
    hold(due < 1 << players and not due & 1, "a seat decides that does not search")
    hold((phase == SEARCHING) == bool(due), "somebody decides though nobody searches, or the other way round")
    hold(phase != SEARCHING or order < N_TOPPINGS, "a joker is searched for")
    resting = int(state["out"]) | 1 << active | (1 << int(state["first"]) if int(state["first"]) != NOBODY else 0)
    for step in range(players):
        seat = (active + step) % players
        if due >> step & 1:
            hold(not resting >> seat & 1, f"seat {seat} decides though it does not search")
            hold(choices[seat] == 0, f"seat {seat} has decided, and decides again")
            hold(int(state["tick"]) % int(state["pace"][seat]) == 0, f"seat {seat} is in the middle of a look")
    n_actions = N_ACTIONS if int(state["wrong"]) == SIT_OUT else N_PLACES
    hold(max(choices) <= n_actions and not any(choices[players:]), "a choice does not exist")
    hold(phase == SEARCHING or not any(choices), "a choice is open though nobody searches")
    hold(int(state["out"]) < 1 << players, "somebody sits out who does not play")
    hold(phase <= LAST_CHANCE or not int(state["claims"]) | int(state["later_claims"]), "a race was not settled")


def _audit_memory(state: Any, seat: int, players: int, memory: int) -> None:
    looks = [int(place) for place in state["looks"][seat]]
    asked = [int(topping) for topping in state["asked"][seat]]
    n_looks = int(state["n_looks"][seat])
    made = [place for place in looks if place != NOTHING]
    hold(seat < players or n_looks == 0, f"seat {seat} does not play, but has looked")
    hold(all(place < N_PLACES for place in made), f"seat {seat} has looked at a place that does not exist")
    hold(len(made) == min(n_looks, memory, RING), f"seat {seat} remembers {len(made)} looks")
    for place, topping in zip(looks, asked, strict=True):
        hold((place == NOTHING) == (topping == NOTHING), f"seat {seat} has looked without an order")
        if place != NOTHING:
            wanted, hit = topping % HIT, topping >= HIT
            hold(topping < 2 * HIT, f"seat {seat} was asked for a topping that does not exist")
            hold((int(state["places"][place]) == wanted) == hit, f"seat {seat} did not see what lies there")
    seen = sum(1 << place for place in set(made))
    found = int(state["seen"][seat])
    is_all = memory == ALL_LOOKS and n_looks > RING  # then older looks are among what is seen
    hold(found & seen == seen if is_all else found == seen, f"seat {seat} has seen other places than it looked at")
    glimpse = int(state["glimpse"][seat])
    hold(glimpse <= N_TOPPINGS, f"seat {seat} has seen a topping that does not exist")


# Positions: one field a line; a picture of a whole record.

_NUMBERS = (
    "players",
    "wrong",
    "memory",
    "max_turns",
    "turns",
    "active",
    "tick",
    "most_ticks",
    "seat",
    "due",
    "out",
    "first",
    "claims",
    "later_claims",
    "news",
    "pace",
    "hats",
    "n_looks",
    "asked",
    "seen",
    "looks",
    "glimpse",
    "choices",
    "chance",
)


def position_text(state: Any) -> str:
    """Write a whole record as text, one field a line, to be read back by `parse_position`."""
    lines = number_lines(state, _NUMBERS)
    lines.append(f"phase: {PHASES[int(state['phase'])]}")
    lines.append(f"order: {'-' if int(state['order']) == NO_TOKEN else TOKENS[int(state['order'])]}")
    lines.append(f"bag: {tokens_text(int(state['bag']))}")
    lines.append("places: " + " ".join(TOPPINGS[int(topping)] for topping in state["places"]))
    return "\n".join(lines)


def parse_position(text: str) -> Any:
    """Read a position back into a record; ValueError names the line that is wrong or the law that is broken."""
    fields = split_lines(text)
    require(fields, (*_NUMBERS, "phase", "order", "bag", "places"))
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    read_numbers(state, fields, _NUMBERS)
    state["phase"] = _place_of(fields["phase"], PHASES, "phase")
    state["order"] = NO_TOKEN if fields["order"] == "-" else _place_of(fields["order"], TOKENS, "order")
    bag = [word for word in fields["bag"].split() if word != "-"]
    state["bag"] = sum({1 << _place_of(word, TOKENS, "order") for word in bag})
    toppings = [_place_of(word, TOPPINGS, "topping") for word in fields["places"].split()]
    hold(len(toppings) == N_PLACES, f"there are {len(toppings)} slices, not {N_PLACES}")
    state["places"] = toppings
    audit(state)
    return state


def _place_of(word: str, words: tuple[str, ...], what: str) -> int:
    if word not in words:
        raise ValueError(f"{word!r} is no {what}; there are {', '.join(words)}")
    return words.index(word)
