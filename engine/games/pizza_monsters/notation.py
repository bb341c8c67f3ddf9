"""Pizza Monsters as text: toppings, orders, pizzas, the table, positions. Plain Python.

A slice is named by its topping, an order by its topping or as joker-a or joker-b, a pizza by its slices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.games.pizza_monsters.rules import (
    ANY_TOPPING,
    BAGS,
    CHOOSING,
    DECLINE,
    DRAWING,
    DRAWING_AGAIN,
    FEED,
    FEEDING,
    FILLING,
    FILLING_BLINDLY,
    FULL_BAG,
    HATS_TO_WIN,
    HATS_TO_WIN_SHORT,
    JOKER_A,
    JOKER_B,
    JOKERS_OF,
    LAY,
    MOST_PLAYERS,
    N_ACTIONS,
    N_PIZZAS,
    N_SLICES,
    N_TOKENS,
    N_TOPPINGS,
    NAME,
    NAMING,
    NO_TOKEN,
    OVER,
    PHASES,
    PIZZA_SIZE,
    PUT_BACK,
    SPLITTING,
    STATE,
    TAKE,
    TOKENS,
    TOPPINGS,
    WITH_JOKER_B,
)
from engine.positions import hold, number_lines, read_numbers, require, split_lines


def action_text(action: int) -> str:
    """Write an action, as `feed olives from pizza 1`."""
    if action == LAY:
        return "lay"
    if action == PUT_BACK:
        return "put back"
    if action < DECLINE:
        return f"name {TOPPINGS[action - NAME]}"
    if action == DECLINE:
        return "decline"
    if action < TAKE:
        pizza, topping = divmod(action - FEED, N_TOPPINGS)
        return f"feed {TOPPINGS[topping]} from pizza {pizza + 1}"
    return f"take {TOPPINGS[action - TAKE]}"


_ACTIONS = {action_text(action): action for action in range(N_ACTIONS)}


def parse_action(text: str) -> int:
    """Read an action; ValueError says what is allowed."""
    words = " ".join(text.lower().split())
    if words not in _ACTIONS:
        raise ValueError(
            "a move is lay, put back, name TOPPING, decline, feed TOPPING from pizza 1 or 2, or take TOPPING, "
            f"not {text.strip()!r}; the toppings: {', '.join(TOPPINGS)}"
        )
    return _ACTIONS[words]


def counts(packed: Any) -> list[int]:
    """Return how many slices of each topping a packed count holds."""
    return [int(packed) >> (8 * topping) & 0xFF for topping in range(N_TOPPINGS)]


def pack(toppings: list[int]) -> np.uint64:
    """Return slices as a packed count."""
    return np.uint64(sum(1 << (8 * topping) for topping in toppings))


def slices_text(packed: Any) -> str:
    """Write slices by topping, one word each; - for none."""
    return " ".join(TOPPINGS[topping] for topping, count in enumerate(counts(packed)) for _ in range(count)) or "-"


def parse_slices(text: str) -> list[int]:
    """Read toppings separated by spaces or commas; - is none."""
    words = [word for word in text.lower().replace(",", " ").split() if word != "-"]
    for word in words:
        if word not in TOPPINGS:
            raise ValueError(f"{word!r} is no topping; the toppings: {', '.join(TOPPINGS)}")
    return [TOPPINGS.index(word) for word in words]


def tokens_text(mask: int) -> str:
    """Write the orders of a bit mask."""
    return " ".join(TOKENS[token] for token in range(N_TOKENS) if mask >> token & 1) or "-"


def parse_tokens(text: str) -> int:
    """Read orders separated by spaces or commas into a bit mask; - is none."""
    mask = 0
    for word in text.lower().replace(",", " ").split():
        if word == "-":
            continue
        if word not in TOKENS:
            raise ValueError(f"{word!r} is no order; the orders: {', '.join(TOKENS)}")
        if mask >> TOKENS.index(word) & 1:
            raise ValueError(f"{word} is there twice; every order exists once")
        mask |= 1 << TOKENS.index(word)
    return mask


# Scores explained.


def explain(position: str, options: Mapping[str, Any], players: int | None = None) -> dict[str, Any]:
    """Score a pizza: one point for each order left in the bag that would take a slice of it.

    The position is one to four slices, and after a slash the orders that lie on the table; without one the bag is full.
    Returns `points`, and `features` with each such order. ValueError when the position is no pizza.
    """
    pizza_text, _, table_text = position.partition("/")
    slices = parse_slices(pizza_text)
    if not 1 <= len(slices) <= PIZZA_SIZE:
        raise ValueError(f"a pizza has 1 to {PIZZA_SIZE} slices, not {len(slices)}: {position.strip()!r}")
    full = int(BAGS[simplified_of(options)])
    laid = parse_tokens(table_text)
    if laid & ~full:
        raise ValueError(f"{tokens_text(laid & ~full)} is not in the bag of the simplified game")
    bag = full & ~laid
    fitting = [token for token in range(N_TOKENS) if bag >> token & 1 and (token >= JOKER_A or token in slices)]
    return {"points": len(fitting), "features": [{"name": TOKENS[token], "points": 1} for token in fitting]}


def simplified_of(options: Mapping[str, Any]) -> int:
    """Return which jokers the chosen options leave in the bag, as the record's field has it."""
    return 1 + ("a", "b").index(options["simple_joker"]) if options["simplified"] else 0


# The table as a person sees it.


def show(state: Any, player: int | None = None) -> str:
    """Draw the table; with `player`, only what that player sees (all but what others choose in secret)."""
    bag = int(state["bag"])
    full = int(BAGS[int(state["simplified"])])
    lines = [
        headline(state),
        f"  orders in the bag: {tokens_text(bag)}   out: {tokens_text(full & ~bag)}",
        f"  box: {_box_text(state['box'])}",
    ]
    for seat in range(int(state["players"])):
        mark = ">" if seat == int(state["seat"]) and int(state["phase"]) != OVER else " "
        hats = int(state["hats"][seat])
        pizzas = "   ".join(
            f"{number + 1}: {slices_text(state['pizzas'][seat][number]):<38}" for number in range(N_PIZZAS)
        )
        lines.append(
            f"{mark} seat {seat}   {hats} hat{'s' if hats != 1 else ' '}   {pizzas}{_choice(state, seat, player)}"
        )
    return "\n".join(line.rstrip() for line in lines)


def headline(state: Any) -> str:
    """Say in one line which turn it is and what is due."""
    phase, seat = int(state["phase"]), int(state["seat"])
    order = int(state["order"])
    turn = f"turn {int(state['turns'])}, bag with seat {int(state['active'])}: "
    if phase == OVER:
        return f"over after {int(state['turns'])} turns"
    if phase == SPLITTING:
        return f"before the first turn: seat {seat} splits its eight slices"
    if phase == CHOOSING:
        return turn + f"{TOKENS[order]} is drawn; lay it down or put it back?"
    if phase == NAMING:
        return turn + "joker-a is drawn; seat names the topping to feed".replace("seat", f"seat {seat}")
    if phase == FEEDING:
        wanted = int(state["topping"])
        return turn + ("any slice may be fed" if wanted == ANY_TOPPING else f"{TOPPINGS[wanted]} may be fed")
    if phase in (FILLING, FILLING_BLINDLY):
        return turn + f"seat {seat} makes a new pizza {int(state['pizza']) + 1}"
    return turn + "an order is to be drawn"


def _box_text(packed: Any) -> str:
    parts = [f"{count} {TOPPINGS[topping]}" for topping, count in enumerate(counts(packed)) if count]
    return ", ".join(parts) or "empty"


def _choice(state: Any, seat: int, player: int | None) -> str:
    """Say what a seat has decided in secret, if the viewer may know."""
    if int(state["phase"]) != FEEDING or not has_decided(state, seat):
        return ""
    if player not in (None, seat):
        return "   (has decided)"
    return f"   ({action_text(DECLINE + int(state['choices'][seat]))})"


def has_decided(state: Any, seat: int) -> bool:
    """Tell whether a seat that can feed has decided about it in this step."""
    if not can_feed(state, seat):
        return False
    step = (seat - int(state["active"])) % int(state["players"])
    return not int(state["due"]) >> step & 1


def can_feed(state: Any, seat: int) -> bool:
    """Tell whether a seat holds a slice that fits the order."""
    held = [sum(pair) for pair in zip(*(counts(pizza) for pizza in state["pizzas"][seat]), strict=True)]
    wanted = int(state["topping"])
    return any(held) if wanted == ANY_TOPPING else held[wanted] > 0


def tell(before: Any, action: int, after: Any, player: int | None) -> list[str]:
    """Tell what an action did at the table, as `player` sees it (None sees all): the action itself, then the rest."""
    phase, seat = int(before["phase"]), int(before["seat"])
    lines = ["decides about feeding" if phase == FEEDING and player not in (None, seat) else action_text(action)]
    begins_turn = int(after["turns"]) > int(before["turns"]) or int(after["phase"]) == OVER
    if action == PUT_BACK and begins_turn:
        laid = int(before["bag"]) & ~int(after["bag"])
        lines.append(f"  {tokens_text(laid)} is drawn and laid, and nobody can feed")
    if (phase == FEEDING and int(after["phase"]) != FEEDING) or begins_turn:
        lines += _feeding_lines(before, after, player)
    if begins_turn and _orders_returned(before, after):
        lines.append("  both jokers were out: all orders go back into the bag")
    if int(after["phase"]) in (CHOOSING, NAMING, FEEDING) and (begins_turn or phase != int(after["phase"])):
        lines.append("  " + headline(after))
    return lines


def _feeding_lines(before: Any, after: Any, player: int | None) -> list[str]:
    """Tell who fed what, where the viewer could not know it yet, and who has won a hat by it."""
    lines = []
    for seat in range(int(before["players"])):
        words = []
        fed = _fed_text(before, after, seat)
        if fed and player not in (None, seat):
            words.append(f"feeds {fed}")
        if int(after["hats"][seat]) > int(before["hats"][seat]):
            words.append(f"has finished a pizza: hat {int(after['hats'][seat])}")
        if words:
            lines.append(f"  seat {seat} {' and '.join(words)}")
    return lines


def _orders_returned(before: Any, after: Any) -> bool:
    """Tell whether the bag was filled up between two states: only then can it hold more than before."""
    return int(after["bag"]) & ~int(before["bag"]) != 0


def _fed_text(before: Any, after: Any, seat: int) -> str:
    """Name the slice that left the pizzas of a seat while the monster was fed."""
    held = [counts(before["pizzas"][seat][number]) for number in range(N_PIZZAS)]
    kept = [counts(after["pizzas"][seat][number]) for number in range(N_PIZZAS)]
    for number in range(N_PIZZAS):
        for topping in range(N_TOPPINGS):
            if held[number][topping] > kept[number][topping]:
                return f"{TOPPINGS[topping]} from pizza {number + 1}"
    return ""


def explain_result(state: Any) -> str:
    """Explain a finished game: the hats of each seat, and who wins."""
    hats = [int(number) for number in state["hats"][: int(state["players"])]]
    winners = [f"seat {seat}" for seat, number in enumerate(hats) if number == max(hats)]
    lines = [f"seat {seat}   {number} hat{'s' if number != 1 else ''}" for seat, number in enumerate(hats)]
    share = "wins" if len(winners) == 1 else "share the win"
    broken_off = ", broken off" if max(hats) < hats_to_win(state) else ""
    return "\n".join([*lines, f"{' and '.join(winners)} {share} after {int(state['turns'])} turns{broken_off}"])


def hats_to_win(state: Any) -> int:
    """Return how many hats end the game."""
    return HATS_TO_WIN_SHORT if int(state["short"]) else HATS_TO_WIN


# Audits.

FLAGS = ("must_feed", "extension", "blind", "mixed", "short", "random_split", "random_colors", "shuffled")


def audit(state: Any) -> None:
    """Raise ValueError with the law that a state breaks: 64 slices, the orders, counts and phases in range."""
    players = int(state["players"])
    hold(2 <= players <= MOST_PLAYERS, f"players {players} is not 2 to {MOST_PLAYERS}")
    for flag in FLAGS:
        hold(int(state[flag]) in (0, 1), f"{flag} {int(state[flag])} is not 0 or 1")
    hold(int(state["simplified"]) <= WITH_JOKER_B, f"simplified {int(state['simplified'])} is not 0 to 2")
    hold(int(np.max(state["slices"])) < N_TOPPINGS, "a slice has no topping")
    phase, order, topping = int(state["phase"]), int(state["order"]), int(state["topping"])
    hold(phase < len(PHASES), f"phase {phase} does not exist")
    for field in ("active", "seat"):
        hold(int(state[field]) < players, f"{field} {int(state[field])} is not 0 to {players - 1}")
    hold(int(state["turns"]) <= int(state["max_turns"]), "there are more turns than allowed")
    hold(int(state["due"]) < 1 << players, "a seat that does not exist is due")
    hold(order < N_TOKENS or order == NO_TOKEN, f"order {order} does not exist")
    hold(topping <= ANY_TOPPING or topping == NO_TOKEN, f"topping {topping} does not exist")
    _audit_slices(state, players)
    _audit_orders(state, phase, order, topping)
    _audit_hats(state, players, phase)
    for seat in range(MOST_PLAYERS):
        choice = int(state["choices"][seat])
        hold(choice == 0 or (seat < players and phase == FEEDING), f"seat {seat} has chosen, but nothing is fed")
        if choice:
            pizza, fed = divmod(choice - 1, N_TOPPINGS)
            hold(pizza < N_PIZZAS, f"seat {seat} feeds from a pizza that does not exist")
            hold(counts(state["pizzas"][seat][pizza])[fed] > 0, f"seat {seat} feeds a slice that it does not have")
            hold(topping in (ANY_TOPPING, fed), f"seat {seat} feeds a slice that was not ordered")


def _audit_slices(state: Any, players: int) -> None:
    """Hold that every slice is somewhere once, and that pizzas have the sizes that the step allows."""
    phase = int(state["phase"])
    held = np.array(counts(state["box"]))
    for seat in range(MOST_PLAYERS):
        sizes = []
        for number in range(N_PIZZAS):
            pizza = counts(state["pizzas"][seat][number])
            held += pizza
            sizes.append(sum(pizza))
        hold(seat < players or sizes == [0, 0], f"there is no seat {seat} to hold slices")
        is_splitting = phase == SPLITTING and seat == int(state["seat"])
        if is_splitting:
            hold(sizes == [int(state["n_taken"]), 2 * PIZZA_SIZE - int(state["n_taken"])], "a split has lost slices")
        else:
            hold(max(sizes) <= PIZZA_SIZE, f"seat {seat} has a pizza of {max(sizes)} slices")
        may_be_empty = int(state["short"]) or phase in (OVER, FILLING, FILLING_BLINDLY)
        if seat < players and not may_be_empty:
            hold(min(sizes) > 0, f"seat {seat} has an empty pizza")
    wanted = np.bincount(np.ravel(state["slices"]), minlength=N_TOPPINGS)
    hold(int(held.sum()) == N_SLICES, f"there are {int(held.sum())} slices, not {N_SLICES}")
    for topping in range(N_TOPPINGS):
        hold(held[topping] == wanted[topping], f"there are {held[topping]} slices with {TOPPINGS[topping]}")
    if phase in (FILLING, FILLING_BLINDLY):
        made = sum(counts(state["pizzas"][int(state["seat"])][int(state["pizza"])]))
        hold(made == int(state["n_taken"]) < PIZZA_SIZE, "the new pizza has not the slices that were taken")


def _audit_orders(state: Any, phase: int, order: int, topping: int) -> None:
    bag, full = int(state["bag"]), int(BAGS[int(state["simplified"])])
    hold(bag & ~FULL_BAG == 0, "the bag holds an order that does not exist")
    hold(bag & ~full == 0, "the bag holds a joker that is not played with")
    jokers = int(JOKERS_OF[int(state["simplified"])])
    is_open = phase in (NAMING, FEEDING, FILLING, FILLING_BLINDLY, OVER)  # orders return at the end of a turn
    hold(is_open or bag & jokers != 0, "no joker is left in the bag")
    if phase == CHOOSING:
        hold(order < N_TOPPINGS and bag >> order & 1 == 1, "the order shown is not in the bag")
        hold(topping == NO_TOKEN, "a topping is ordered before the order is laid down")
    elif phase == NAMING:
        hold(order == JOKER_A, "a topping is named, but not for joker a")
    elif phase in (FEEDING, FILLING, FILLING_BLINDLY):
        hold(order < N_TOKENS and bag >> order & 1 == 0, "the order on the table is in the bag, too")
        hold(order >= JOKER_A or order == topping, "another topping is fed than was ordered")
        hold((order == JOKER_B) == (topping == ANY_TOPPING), "joker b and no other order asks for any slice")
    elif phase in (DRAWING, DRAWING_AGAIN, SPLITTING):
        hold(order == topping == NO_TOKEN, "an order lies on the table before it is drawn")


def _audit_hats(state: Any, players: int, phase: int) -> None:
    hats = [int(number) for number in state["hats"]]
    hold(not any(hats[players:]), "somebody who does not play has hats")
    hold(4 * max(hats) <= int(state["turns"]), "a hat takes four turns, so there are too many hats")
    leaders = hats.count(max(hats))
    has_won = max(hats) >= hats_to_win(state) and (leaders == 1 or not int(state["extension"]))
    broken_off = int(state["turns"]) == int(state["max_turns"])
    hold(phase == OVER or not has_won, "the game goes on though it is won")
    hold(phase != OVER or has_won or broken_off, "the game is over, but nobody has won")


# Positions: one field a line, slices and orders by name; a picture of a whole record.

_NUMBERS = (
    "players",
    "must_feed",
    "extension",
    "simplified",
    "blind",
    "mixed",
    "short",
    "random_split",
    "random_colors",
    "shuffled",
    "max_turns",
    "turns",
    "active",
    "seat",
    "topping",
    "due",
    "pizza",
    "n_taken",
    "lowest",
    "news",
    "hats",
    "choices",
    "chance",
)


def position_text(state: Any) -> str:
    """Write a whole record as text, one field a line, to be read back by `parse_position`."""
    lines = number_lines(state, _NUMBERS)
    lines.append(f"phase: {PHASES[int(state['phase'])]}")
    lines.append(f"order: {'-' if int(state['order']) == NO_TOKEN else TOKENS[int(state['order'])]}")
    lines.append(f"bag: {tokens_text(int(state['bag']))}")
    lines.append(f"box: {slices_text(state['box'])}")
    seats = range(int(state["players"]))
    lines.append("pizzas: " + " | ".join(" / ".join(map(slices_text, state["pizzas"][seat])) for seat in seats))
    lines.append("slices: " + " | ".join(" ".join(TOPPINGS[topping] for topping in row) for row in state["slices"]))
    return "\n".join(lines)


def parse_position(text: str) -> Any:
    """Read a position back into a record; ValueError names the line that is wrong or the law that is broken."""
    fields = split_lines(text)
    require(fields, (*_NUMBERS, "phase", "order", "bag", "box", "pizzas", "slices"))
    state = np.zeros(1, dtype=STATE).view(np.recarray)[0]
    read_numbers(state, fields, _NUMBERS)
    players = int(state["players"])
    hold(2 <= players <= MOST_PLAYERS, f"players {players} is not 2 to {MOST_PLAYERS}")
    if fields["phase"] not in PHASES:
        raise ValueError(f"the phase is one of {', '.join(PHASES)}, not {fields['phase']!r}")
    state["phase"] = PHASES.index(fields["phase"])
    shown = parse_tokens(fields["order"])
    hold(shown.bit_count() <= 1, "more than one order is shown at once")
    state["order"] = shown.bit_length() - 1 if shown else NO_TOKEN
    state["bag"] = parse_tokens(fields["bag"])
    state["box"] = pack(parse_slices(fields["box"]))
    for seat, part in enumerate(_parts(fields["pizzas"], "|", players, "pizzas", "seats")):
        for number, pizza in enumerate(_parts(part, "/", N_PIZZAS, "pizzas", "pizzas for each seat")):
            state["pizzas"][seat][number] = pack(parse_slices(pizza))
    for color, part in enumerate(_parts(fields["slices"], "|", len(state["slices"]), "slices", "colors")):
        toppings = parse_slices(part)
        hold(len(toppings) == 2 * PIZZA_SIZE, f"color {color + 1} has {len(toppings)} slices, not {2 * PIZZA_SIZE}")
        state["slices"][color] = toppings
    audit(state)
    return state


def _parts(text: str, separator: str, n_wanted: int, name: str, what: str) -> list[str]:
    parts = text.split(separator)
    if len(parts) != n_wanted:
        raise ValueError(f"line {name!r} of the position has {len(parts)} {what}, not {n_wanted}")
    return parts
