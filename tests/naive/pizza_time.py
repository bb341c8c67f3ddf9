"""A slow, obvious twin of Pizza Time, written from the rulebook and the settled rules alone.

A pizza is a list of four (card, side, turns), clockwise from the top left; toppings are words. What chance decides,
such as where a rebuild leads, the twin is told; everything else it works out for itself. Nothing here comes from the
engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, permutations, product

TOPPINGS = ["mushroom", "pepper", "cheese", "olive"]
NORTH, EAST, SOUTH, WEST = range(4)

Pizza = list[tuple[int, str, int]]
Cards = dict[tuple[int, str], tuple[dict[str, int], list[str]]]  # by card and side: whole toppings, halves N E S W

HALVES = {
    1: ["mushroom", "olive", "pepper", "olive"],
    2: ["cheese", "cheese", "olive", "olive"],
    3: ["mushroom", "pepper", "mushroom", "pepper"],
    4: ["cheese", "pepper", "cheese", "mushroom"],
}
OUR_SET: Cards = {
    (card, side): ({topping: count}, HALVES[card])
    for card, topping in enumerate(TOPPINGS, start=1)
    for side, count in (("F", 1), ("B", 3))
}


def half(cards: Cards, lying: tuple[int, str, int], edge: int) -> str:
    """Name the half at an edge of a card as it lies: a quarter turn clockwise brings the half at north to east."""
    card, side, turns = lying
    halves = list(cards[card, side][1])
    for _ in range(turns):
        halves = [halves[WEST], halves[NORTH], halves[EAST], halves[SOUTH]]
    return halves[edge]


def totals(cards: Cards, pizza: Pizza, seams: bool = True) -> dict[str, int]:
    """Count each topping: whole ones on the four faces that show, and seams of two equal halves."""
    top_left, top_right, bottom_right, bottom_left = pizza
    found = dict.fromkeys(TOPPINGS, 0)
    for card, side, _ in pizza:
        for topping, count in cards[card, side][0].items():
            found[topping] += count
    contacts = [
        (half(cards, top_left, EAST), half(cards, top_right, WEST)),
        (half(cards, top_right, SOUTH), half(cards, bottom_right, NORTH)),
        (half(cards, bottom_right, WEST), half(cards, bottom_left, EAST)),
        (half(cards, bottom_left, NORTH), half(cards, top_left, SOUTH)),
    ]
    for one, other in contacts:
        if seams and one == other and one != "none":
            found[one] += 1
    return found


def all_pizzas() -> Iterator[Pizza]:
    """Try every card in every place, on every side, in every turn: 98,304 ways."""
    for order in permutations([1, 2, 3, 4]):
        for sides in product("FB", repeat=4):
            for turns in product(range(4), repeat=4):
                yield list(zip(order, sides, turns, strict=True))


def turned(pizza: Pizza) -> Pizza:
    """Turn the whole square a quarter clockwise: what was at the bottom left comes to the top left."""
    moved = [pizza[3], pizza[0], pizza[1], pizza[2]]
    return [(card, side, (turns + 1) % 4) for card, side, turns in moved]


def exact(shown: dict[str, int], order: dict[str, int]) -> int:
    """Count the toppings of which the pizza shows the number ordered."""
    return sum(shown[topping] == order[topping] for topping in TOPPINGS)


def fills(shown: dict[str, int], order: dict[str, int], types: int) -> bool:
    """Tell whether some choice of so many toppings is exact, whatever the others are."""
    return any(all(shown[each] == order[each] for each in chosen) for chosen in combinations(TOPPINGS, types))


@cache
def _shown_anywhere(key: str) -> frozenset[tuple[int, ...]]:
    cards, seams = _SETS[key]
    return frozenset(tuple(totals(cards, pizza, seams).values()) for pizza in all_pizzas())


_SETS: dict[str, tuple[Cards, bool]] = {}


def most_fillable(cards: Cards, order: dict[str, int], seams: bool = True) -> int:
    """Return the most toppings of an order that any pizza shows exactly."""
    key = repr((sorted(cards.items(), key=repr), seams))
    _SETS[key] = (cards, seams)
    wanted = [order[topping] for topping in TOPPINGS]
    return max(sum(a == b for a, b in zip(shown, wanted, strict=True)) for shown in _shown_anywhere(key))


def rearrange(pizza: Pizza, movement: str) -> Pizza:
    """Flip or turn one card, or swap the places of two."""
    verb, *numbers = movement.split()
    cards = [int(number) for number in numbers]
    laid = list(pizza)
    places = {card: place for place, (card, _, _) in enumerate(laid)}
    if verb == "swap":
        one, other = places[cards[0]], places[cards[1]]
        laid[one], laid[other] = laid[other], laid[one]
        return laid
    card, side, turns = laid[places[cards[0]]]
    if verb == "flip":
        laid[places[card]] = (card, "B" if side == "F" else "F", turns)
    else:
        assert verb == "turn"
        laid[places[card]] = (card, side, (turns + 1) % 4)
    return laid


@dataclass
class Table:
    """A game at the table. `numbers[r][seat]` is the number card of a seat in round r, and whether it was right."""

    players: int
    cards: Cards = field(default_factory=lambda: OUR_SET)
    seams: bool = True
    expert: bool = False
    unsolvable: str = "lower_k"
    penalty: str = "give"
    chooser: str = "faulty"
    paces: list[int] = field(default_factory=list)
    limit: int = 20_000
    round: int = 0
    tick: int = 0
    order: dict[str, int] = field(default_factory=dict)
    remaining: list[str] = field(default_factory=list)  # toppings whose card of the order is still there
    pizzas: list[Pizza] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    numbers: list[dict[int, tuple[int, bool]]] = field(default_factory=list)
    types: list[int] = field(default_factory=list)
    served: int = 0
    phase: str = "order"  # order, race, cards, over

    def __post_init__(self) -> None:
        self.points = [0] * self.players
        self.paces = self.paces or [1] * self.players

    def reveal(self, order: dict[str, int], pizzas: list[Pizza]) -> None:
        """Begin a round with the order and the pizzas that chance gives."""
        wanted = 4 if self.expert else [2, 2, 3, 3, 4, 4][self.round]
        possible = min(wanted, most_fillable(self.cards, order, self.seams))
        self.types.append(0 if self.unsolvable == "void" and possible < wanted else possible)
        self.numbers.append({})
        self.order, self.remaining, self.pizzas, self.served = order, list(TOPPINGS), pizzas, 0
        if self.types[-1] == 0:
            self._end_round()
            return
        self.phase = "race"
        self.tick = 1
        self._skip_idle_ticks()

    def movers(self) -> list[int]:
        """List the seats that make a movement in this tick: those still preparing whose time for one is over."""
        return [seat for seat in self.preparing() if self.tick % self.paces[seat] == 0]

    def preparing(self) -> list[int]:
        return [seat for seat in range(self.players) if seat not in self.numbers[self.round]]

    def is_right(self, seat: int) -> bool:
        return fills(totals(self.cards, self.pizzas[seat], self.seams), self.order, self.types[self.round])

    def n_numbers(self) -> int:
        """All but one of up to four players get a number card; of five or six, four do."""
        return {2: 1, 3: 2, 4: 3, 5: 4, 6: 4}[self.players]

    def play_tick(self, movements: dict[int, str], rebuilt: dict[int, Pizza], claim_order: list[int]) -> None:
        """Carry out what the movers chose, told where rebuilds lead and in which order those who claim are served."""
        assert sorted(movements) == self.movers()
        claimers = {seat for seat, movement in movements.items() if movement == "claim"}
        for seat, movement in movements.items():
            if movement == "rebuild":
                self.pizzas[seat] = rebuilt[seat]
            elif movement != "claim":
                self.pizzas[seat] = rearrange(self.pizzas[seat], movement)
        held = self.numbers[self.round]
        assert set(claim_order) <= claimers
        assert len(claim_order) == min(len(claimers), self.n_numbers() - len(held))
        for seat in claim_order:
            held[seat] = (len(held) + 1, self.is_right(seat))
        if len(held) == self.n_numbers():
            self._begin_cards()
            return
        self.tick += 1
        self._skip_idle_ticks()

    def _skip_idle_ticks(self) -> None:
        while self.tick <= self.limit and not self.movers():
            self.tick += 1
        if self.tick > self.limit:
            self._begin_cards()

    def _begin_cards(self) -> None:
        self.phase = "cards"
        self._serve_next()

    def _serve_next(self) -> None:
        self.served += 1
        if self.served > len(self.numbers[self.round]):
            self._end_round()
        elif self.chooser == "lowest" and not self.served_is_right():
            self._pay_by_rule()
            self._serve_next()

    def served_seat(self) -> int:
        return next(seat for seat, (number, _) in self.numbers[self.round].items() if number == self.served)

    def served_is_right(self) -> bool:
        return self.numbers[self.round][self.served_seat()][1]

    def card_chooser(self) -> int:
        """Return who chooses a card now: the owner of the number, or after a wrong pizza maybe his left neighbor."""
        seat = self.served_seat()
        return (seat + 1) % self.players if self.chooser == "left" and not self.served_is_right() else seat

    def card_choices(self) -> list[str]:
        seat = self.served_seat()
        if self.served_is_right():
            return [f"take {topping}" for topping in self.remaining]
        if self.penalty == "discard":
            return [f"discard {topping}" for topping in self.remaining]
        others = [other for other in range(self.players) if other != seat]
        return [f"give {topping} to seat {other}" for topping in self.remaining for other in others]

    def play_card(self, choice: str) -> None:
        assert choice in self.card_choices()
        words = choice.split()
        if words[0] == "take":
            self.points[self.served_seat()] += self.order[words[1]]
        elif words[0] == "give":
            self.points[int(words[-1])] += self.order[words[1]]
        self.remaining.remove(words[1])
        self._serve_next()

    def _pay_by_rule(self) -> None:
        """The lowest card goes to the opponent with the fewest points; of equal ones the first topping, next left."""
        seat = self.served_seat()
        card = min(self.remaining, key=lambda topping: self.order[topping])
        self.remaining.remove(card)
        if self.penalty == "give":
            to_the_left = [(seat + step) % self.players for step in range(1, self.players)]
            self.points[min(to_the_left, key=lambda other: self.points[other])] += self.order[card]

    def _end_round(self) -> None:
        self.round += 1
        self.phase = "over" if self.round == 6 else "order"

    def shares(self) -> list[float]:
        """Split the win: most points; then the best number of a right pizza in the last round, the one before, …"""
        tied = [seat for seat in range(self.players) if self.points[seat] == max(self.points)]
        for held in reversed(self.numbers):
            right = [(held[seat][0], seat) for seat in tied if seat in held and held[seat][1]]
            if len(tied) > 1 and right:
                tied = [min(right)[1]]
        return [1 / len(tied) if seat in tied else 0.0 for seat in range(self.players)]
