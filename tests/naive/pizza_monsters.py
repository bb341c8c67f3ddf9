"""A slow, obvious twin of Pizza Monsters, written from the rulebook: the game as one script, told from start to end.

Slices and orders are words, pizzas and the box are lists of them. The script stops where a player decides (`Ask`) or
chance speaks (`Chance`) and is sent the answer. Nothing here comes from the engine.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from typing import Any

TOPPINGS = ["salami", "mushrooms", "pineapple", "olives", "pepperoni", "onions", "shrimp", "paprika"]
PIZZA = 4


@dataclass
class Ask:
    """A player is to choose one of these."""

    seat: int
    options: list[str]


@dataclass
class Chance:
    """Chance is to give one of these, with these probabilities."""

    options: dict[str, float]


def in_order(slices: Any) -> tuple[str, ...]:
    """Sort slices as the rulebook lists the toppings."""
    return tuple(sorted(slices, key=TOPPINGS.index))


@dataclass
class Table:
    """All that lies on the table."""

    pizzas: list[list[list[str]]]  # by seat: two pizzas
    box: list[str]
    first: int
    rules: dict[str, Any]
    turn: int = 0
    bag: list[str] = field(default_factory=list)
    hats: list[int] = field(default_factory=list)
    secret: dict[int, str] = field(default_factory=dict)  # what was decided about feeding and not yet shown

    def __post_init__(self) -> None:
        self.hats = [0 for _ in self.pizzas]
        self.bag = self.all_orders()

    @property
    def players(self) -> int:
        return len(self.pizzas)

    def all_orders(self) -> list[str]:
        """One order for each topping, and the jokers that are played with."""
        if self.rules["simplified"]:
            return [*TOPPINGS, f"joker-{self.rules['simple_joker']}"]
        return [*TOPPINGS, "joker-a", "joker-b"]

    def clockwise_from(self, seat: int) -> list[int]:
        return [(seat + step) % self.players for step in range(self.players)]

    def draw(self) -> Chance:
        """Any order of the bag, all equally likely."""
        return Chance({order: 1 / len(self.bag) for order in self.all_orders() if order in self.bag})


Script = Generator[Ask | Chance, str, None]


def play(table: Table) -> Script:
    """Play a game from the deal to its end."""
    if table.rules["mixed"]:
        for seat in table.clockwise_from(table.first):
            yield from split(table, seat)
    active = table.first
    while True:
        table.turn += 1
        wanted = yield from draw_orders(table, active)
        yield from feed_the_monster(table, active, wanted)
        finished = [seat for seat in table.clockwise_from(active) if [] in table.pizzas[seat]]
        if table.rules["short"]:
            finished = []
        if is_won(table):
            return
        for seat in finished:
            yield from make_new_pizza(table, seat)
        if not any(order.startswith("joker") for order in table.bag):
            table.bag = table.all_orders()
        if table.turn == table.rules["max_turns"]:
            return
        active = table.clockwise_from(active)[1]


def draw_orders(table: Table, active: int) -> Generator[Ask | Chance, str, list[str]]:
    """Draw an order, perhaps put it back and draw another; return the toppings that may now be fed."""
    order = yield table.draw()
    if not order.startswith("joker") and not table.rules["simplified"]:
        answer = yield Ask(active, ["lay", "put back"])
        if answer == "put back":
            order = yield table.draw()
    table.bag.remove(order)
    if order == "joker-b":
        return TOPPINGS
    if order == "joker-a":
        answer = yield Ask(active, [f"name {topping}" for topping in TOPPINGS])
        return [answer.removeprefix("name ")]
    return [order]


def feed_the_monster(table: Table, active: int, wanted: list[str]) -> Script:
    """Let everybody decide in secret, then show all at once."""
    for seat in table.clockwise_from(active):
        options = []
        for number, pizza in enumerate(table.pizzas[seat], start=1):
            options += [
                f"feed {topping} from pizza {number}" for topping in TOPPINGS if topping in wanted and topping in pizza
            ]
        if not options:
            continue
        if not table.rules["must_feed"]:
            options.insert(0, "decline")
        table.secret[seat] = (yield Ask(seat, options)) if len(options) > 1 else options[0]
    for seat, decision in table.secret.items():
        if decision != "decline":
            _, topping, _, _, number = decision.split()
            pizza = table.pizzas[seat][int(number) - 1]
            pizza.remove(topping)
            table.box.append(topping)
            if not pizza:
                table.hats[seat] += 1
    table.secret = {}


def is_won(table: Table) -> bool:
    """Somebody has all the hats that he needs; in the extension, more than anybody else."""
    best = max(table.hats)
    if best < (2 if table.rules["short"] else 4):
        return False
    return not table.rules["extension"] or table.hats.count(best) == 1


def make_new_pizza(table: Table, seat: int) -> Script:
    """Take four slices from the box; which they are is told one by one, in the order of the toppings."""
    pizza = table.pizzas[seat][table.pizzas[seat].index([])]
    for _ in range(PIZZA):
        if table.rules["blind"]:
            chances = {
                topping: table.box.count(topping) / len(table.box) for topping in TOPPINGS if topping in table.box
            }
            topping = yield Chance(chances)
        else:
            at_hand = pizza + table.box
            every_pizza = combinations_with_replacement(TOPPINGS, PIZZA)
            whole = (each for each in every_pizza if all(each.count(one) <= at_hand.count(one) for one in each))
            topping = (yield Ask(seat, [f"take {next_one}" for next_one in following(pizza, whole)])).removeprefix(
                "take "
            )
        table.box.remove(topping)
        pizza.append(topping)


def following(begun: list[str], whole: Iterator[tuple[str, ...]]) -> list[str]:
    """Return what may come next after what was begun, if it is to become one of the whole ones."""
    size = len(begun)
    found = {each[size] for each in whole if list(each[:size]) == begun}
    return [topping for topping in TOPPINGS if topping in found]


def split(table: Table, seat: int) -> Script:
    """Split eight slices into two pizzas; of two that are swapped only, the one first in the order of the toppings."""
    slices = in_order(table.pizzas[seat][0] + table.pizzas[seat][1])
    whole = []
    for chosen in combinations(range(len(slices)), PIZZA):
        one = tuple(slices[place] for place in chosen)
        other = tuple(slices[place] for place in range(len(slices)) if place not in chosen)
        if [TOPPINGS.index(topping) for topping in one] <= [TOPPINGS.index(topping) for topping in other]:
            whole.append(one)
    made = [slices[0]]
    rest = list(slices[1:])
    table.pizzas[seat] = [made, rest]
    while len(made) < PIZZA:
        answer = yield Ask(seat, [f"take {next_one}" for next_one in following(made, iter(whole))])
        made.append(answer.removeprefix("take "))
        rest.remove(made[-1])
