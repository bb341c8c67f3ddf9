"""A slow, obvious twin of ROBOTS!, written from the rulebook and the page of settled rules.

Cards are texts such as "R5", "K*" or "W1"; hands, heap and Factory are lists of them; what may be laid is found by
trying. The twin has no chance of its own: who plays a hand with it says which unknown cards were drawn. Nothing here
comes from the engine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

SUITS = "RGBPK"
RANKS = ["*", *[str(number) for number in range(2, 15)]]
PRINTED_POWERS = {
    "10": "short-circuit",
    "11": "tractor-beam",
    "12": "recycle",
    "13": "force-field",
    "14": "laser",
    "*": "alpha-omega",
}
DEFAULTS: dict[str, Any] = {
    "n_wild": 4,
    "max_wilds": 4,
    "lay_off": "own",
    "deep_pickup": "turn",
    "allow_return": False,
    "star_robot": False,
    "final_power": False,
    "optional_powers": False,
    "sc_self": False,
    "sc_draw": "two",
    "split_runs": False,
    "factory_empty": "reshuffle",
    "max_turns": 400,
    "powers": PRINTED_POWERS,
}


def deck(n_wild: int = 4) -> list[str]:
    return [suit + rank for suit in SUITS for rank in RANKS] + [f"W{n}" for n in range(1, n_wild + 1)]


def is_wild(card: str) -> bool:
    return card[0] == "W"


def value(card: str) -> int:
    if is_wild(card):
        return 0
    if card[1:] == "*":
        return 15
    return 5 if int(card[1:]) <= 9 else 10


def places_of(card: str) -> tuple[int, ...]:
    """Places in a run at which a natural card can stand: a star is 1 or 15."""
    return (1, 15) if card[1:] == "*" else (int(card[1:]),)


def order(card: str) -> tuple[int, int]:
    """The order of cards: by suit, the star first, wilds last."""
    return (9, int(card[1:])) if is_wild(card) else (SUITS.index(card[0]), RANKS.index(card[1:]))


@dataclass
class Spread:
    """Cards on the table: by place for a run, in any order for a set or a robot."""

    owner: int
    kind: str
    cards: dict[str, int]  # place of each card, 0 in a set

    def natural(self) -> list[str]:
        return [card for card in self.cards if not is_wild(card)]

    def n_wilds(self) -> int:
        return len(self.cards) - len(self.natural())

    def is_valid(self) -> bool:
        """At least three cards with a natural one; a run has no gap."""
        if len(self.cards) < 3 or not self.natural():
            return False
        places = sorted(self.cards.values())
        return self.kind != "run" or places == list(range(places[0], places[-1] + 1))


@dataclass
class Hand:
    """One hand of the game, seat 0 first, each seat's left neighbor the next seat."""

    hands: list[list[str]]
    heap: list[str]  # from the bottom to the top
    unknown: set[str]  # what nobody knows of the Factory
    first: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.options = {**DEFAULTS, **self.options}
        self.bottom: list[str] = []  # cards known under the Factory, the next to come first
        self.spreads: list[Spread] = []
        self.counts_for: dict[str, int] = {}
        self.known: list[set[str]] = [set() for _ in self.hands]
        self.turn_seat = self.seat = self.first
        self.turns = 0
        self.phase = "draw"
        self.must = ""
        self.taken = ""
        self.laid_last: Spread | None = None
        self.begun: tuple[str, Any] = ("", None)
        self.card = ""
        self.power = ""
        self.to_put = self.to_draw = 0
        self.is_fielded = False

    @property
    def is_over(self) -> bool:
        return self.phase == "over"

    def hand(self) -> list[str]:
        return self.hands[self.seat]

    # What may be done.

    def legal(self) -> set[str]:
        """Every legal action as text."""
        return set(getattr(self, "_legal_" + self.phase.replace(" ", "_"))())

    def _legal_over(self) -> Iterator[str]:
        return iter(())

    def _legal_draw(self) -> Iterator[str]:
        if self._factory_can_give():
            yield "factory"
        if self.is_fielded:
            return
        for count in range(1, len(self.heap) + 1):
            held = self.hand() + self.heap[-count:]
            lowest = self.heap[-count]
            if count == 1 or self.options["deep_pickup"] == "hand" or self._can_come_to_lie(held, self.spreads, lowest):
                yield f"take {count}"

    def _factory_can_give(self) -> bool:
        if self.unknown or self.bottom:
            return True
        return self.options["factory_empty"] == "reshuffle" and len(self.heap) >= 2

    def _can_come_to_lie(self, held: list[str], spreads: list[Spread], wanted: str) -> bool:
        """Whether a card can be laid in this turn: in a new spread, or laid off, perhaps after cards on the way."""
        if any(self._holds_wanted(cards, wanted) for _, cards in self._melds(held)):
            return True
        if any(self._is_wanted(card, wanted) for card, _, _ in self._lay_offs(held, spreads)):
            return True
        return any(
            self._can_reach(spreads, number, held, wanted, place) for number, place in self._goals(spreads, wanted)
        )

    def _goals(self, spreads: list[Spread], wanted: str) -> list[tuple[int, int]]:
        """Runs, by number, to which a card could be laid off once they have grown, and the place that it would have."""
        if is_wild(wanted):
            return []
        return [
            (number, place)
            for number, spread in enumerate(spreads)
            if spread.kind == "run" and spread.natural()[0][0] == wanted[0]
            for place in places_of(wanted)
        ]

    def _can_reach(self, spreads: list[Spread], number: int, held: list[str], wanted: str, goal: int) -> bool:
        """Whether a card can be laid off on a run at its goal, perhaps after others on the way."""
        for card, other, place in self._lay_offs(held, spreads):
            if other == number and card == wanted and place == goal:
                return True
            if other == number and self._is_on_the_way(card, spreads[number], place, wanted, goal):
                after, left = self._grown(spreads, number, card, place), [each for each in held if each != card]
                if self._can_reach(after, number, left, wanted, goal):
                    return True
        return False

    def _grown(self, spreads: list[Spread], number: int, card: str, place: int) -> list[Spread]:
        after = list(spreads)
        after[number] = Spread(spreads[number].owner, "run", {**spreads[number].cards, card: place})
        return after

    def _is_wanted(self, card: str, wanted: str) -> bool:
        return card == wanted or (is_wild(card) and is_wild(wanted))

    def _holds_wanted(self, cards: dict[str, int], wanted: str) -> bool:
        return any(self._is_wanted(card, wanted) for card in cards)

    def _is_on_the_way(self, card: str, spread: Spread, place: int, wanted: str, goal: int) -> bool:
        """Whether a card laid off at a place lies between a run and the goal of the wanted card."""
        low, high = min(spread.cards.values()), max(spread.cards.values())
        return card != wanted and (high < place < goal or goal < place < low)

    def _melds(self, held: list[str]) -> Iterator[tuple[tuple[str, Any], dict[str, int]]]:
        """Every spread of three: what it is called, and its cards with places. Wilds in any order are the same."""
        if len(held) < 4:
            return
        wilds = sorted((card for card in held if is_wild(card)), key=self._wild_order)
        natural_at = {(card[0], place): card for card in held if not is_wild(card) for place in places_of(card)}
        for suit, low, pattern in product(SUITS, range(1, 14), product("NW", repeat=3)):
            cards = {}
            left = list(wilds)
            for place, what in zip(range(low, low + 3), pattern, strict=True):
                if what == "W" and left:
                    cards[left.pop(0)] = place
                elif what == "N" and (suit, place) in natural_at:
                    cards[natural_at[suit, place]] = place
            if len(cards) == 3 and "N" in pattern and pattern.count("W") <= self.options["max_wilds"]:
                yield ("run", (suit, low, "".join(pattern))), cards
        for rank in RANKS:
            natural = [card for card in held if not is_wild(card) and card[1:] == rank]
            for size in (1, 2, 3):
                n_wilds = 3 - size
                if n_wilds > min(len(wilds), self.options["max_wilds"]):
                    continue
                for chosen in combinations(sorted(natural, key=order), size):
                    suits = "".join(card[0] for card in chosen)
                    cards = dict.fromkeys([*chosen, *wilds[:n_wilds]], 0)
                    yield ("set", (rank, suits + "W" * n_wilds)), cards

    def _wild_order(self, card: str) -> tuple[bool, str]:
        """Of his wilds a player plays those first that everybody knows of."""
        return card not in self.known[self.seat], card

    def _lay_offs(self, held: list[str], spreads: list[Spread]) -> Iterator[tuple[str, int, int]]:
        """Every card that can be added to a spread: card, number of the spread, and place."""
        if len(held) < 2:
            return
        wilds = sorted((card for card in held if is_wild(card)), key=self._wild_order)
        for number, spread in enumerate(spreads):
            if spread.kind == "robot" or not self._may_add_to(spread):
                continue
            for card in [card for card in held if not is_wild(card)] + wilds[:1]:
                if is_wild(card) and spread.n_wilds() == self.options["max_wilds"]:
                    continue
                if spread.kind == "set":
                    fits = is_wild(card) or card[1:] == spread.natural()[0][1:]
                    if fits and len(spread.cards) < 5:
                        yield card, number, 0
                    continue
                low, high = min(spread.cards.values()), max(spread.cards.values())
                for place in (low - 1, high + 1):
                    has_both_ends = {1, 15} <= {low, high, place}
                    is_right = is_wild(card) or (card[0] == spread.natural()[0][0] and place in places_of(card))
                    if 1 <= place <= 15 and is_right and not has_both_ends:
                        yield card, number, place

    def _may_add_to(self, spread: Spread) -> bool:
        if self.options["lay_off"] == "any":
            return True
        if self.options["lay_off"] == "own":
            return spread.owner == self.seat
        return spread is self.laid_last  # what is laid in one go may have more than three cards

    def _allowed_melds(self) -> list[tuple[tuple[str, Any], dict[str, int]]]:
        melds = list(self._melds(self.hand()))
        return [each for each in melds if self._holds_wanted(each[1], self.must)] if self.must else melds

    def _allowed_lay_offs(self) -> list[tuple[str, int, int]]:
        """While a card must be laid: that card, or one on the way to it if it can still come to lie afterwards."""
        found = list(self._lay_offs(self.hand(), self.spreads))
        if not self.must:
            return found
        allowed = []
        for card, number, place in found:
            spread = self.spreads[number]
            if self._is_wanted(card, self.must):
                allowed.append((card, number, place))
                continue
            for run, goal in self._goals(self.spreads, self.must):
                if run == number and self._is_on_the_way(card, spread, place, self.must, goal):
                    after = self._grown(self.spreads, number, card, place)
                    left = [each for each in self.hand() if each != card]
                    if self._can_reach(after, number, left, self.must, goal):
                        allowed.append((card, number, place))
                        break
        return allowed

    def _legal_play(self) -> Iterator[str]:
        for meld, _ in self._allowed_melds():
            yield self._meld_text(meld)
        for card, _, _ in self._allowed_lay_offs():
            yield "lay " + ("W" if is_wild(card) else card)
        if not self.must:
            free = [card for card in self.hand() if card != self.taken]
            for card in free or self.hand():
                yield "discard " + ("W" if is_wild(card) else card)

    def _meld_text(self, meld: tuple[str, Any]) -> str:
        kind, what = meld
        if kind == "set":
            return f"set {what[0]}"
        suit, low, _ = what
        ends = ["*" if place in (1, 15) else str(place) for place in (low, low + 2)]
        return f"run {suit}{ends[0]}-{suit}{ends[1]}"

    def _legal_form(self) -> Iterator[str]:
        for meld, _ in self._allowed_melds():
            if self._meld_text(meld) == self.begun[0] and self._is_begun(meld):
                yield self._form_text(meld)

    def _is_begun(self, meld: tuple[str, Any]) -> bool:
        return meld[1][0] == self.begun[1] if meld[0] == "set" else meld[1][:2] == self.begun[1]

    def _form_text(self, meld: tuple[str, Any]) -> str:
        return f"of {meld[1][1]}" if meld[0] == "set" else f"as {meld[1][2]}"

    def _legal_place(self) -> Iterator[str]:
        for card, number, place in self._allowed_lay_offs():
            if card == self.card:
                yield self._place_text(number, place)

    def _place_text(self, number: int, place: int) -> str:
        spread = self.spreads[number]
        return f"at {number} " + ("high" if place > max(spread.cards.values()) else "low")

    def _legal_power(self) -> Iterator[str]:
        yield from ("use", "decline")

    def _legal_aim(self) -> Iterator[str]:
        for seat in self._victims():
            yield f"aim {seat}"

    def _victims(self) -> list[int]:
        seats = [seat for seat in range(len(self.hands)) if self.hands[seat]]
        return [seat for seat in seats if seat != self.turn_seat or self.options["sc_self"]]

    def _legal_put(self) -> Iterator[str]:
        wilds = sorted((card for card in self.hand() if is_wild(card)), key=self._wild_order)
        for card in [card for card in self.hand() if not is_wild(card)] + wilds[:1]:
            yield f"choose {card}"

    def _legal_recycle(self) -> Iterator[str]:
        for card in self.heap[:-1]:
            yield f"choose {card}"

    def _legal_shoot(self) -> Iterator[str]:
        for card in self._targets():
            yield f"choose {card}"

    def _targets(self) -> list[str]:
        spreads = [each for each in self.spreads if each.owner != self.turn_seat and each.kind != "robot"]
        return [card for spread in spreads for card in spread.cards]

    # Doing it.

    def play(self, action: str, drawn: list[str]) -> None:
        """Do what a text says; `drawn` are the unknown cards that it draws from the Factory, in order."""
        assert action in self.legal(), f"{action} is not legal: {sorted(self.legal())}"
        self.coming = list(drawn)
        word, _, rest = action.partition(" ")
        getattr(self, "_do_" + word)(rest)
        assert not self.coming, "more was drawn than the rules say"

    def _do_factory(self, rest: str) -> None:
        self.is_fielded = False
        self._draw(self.seat)
        self.phase = "play"

    def _draw(self, seat: int) -> None:
        if not self.unknown and not self.bottom:
            self.unknown = set(self.heap[:-1])
            self.heap = self.heap[-1:]
        if self.unknown:
            card = self.coming.pop(0)
            self.unknown.remove(card)
        else:
            card = self.bottom.pop(0)
            self.known[seat].add(card)
        self.hands[seat].append(card)

    def _do_take(self, count: str) -> None:
        self.is_fielded = False
        taken = self.heap[-int(count) :]
        self.heap = self.heap[: -int(count)]
        self._get(self.seat, taken)
        if len(taken) == 1:
            self.taken = "" if self.options["allow_return"] else taken[0]
        elif self.options["deep_pickup"] == "turn":
            self.must = taken[0]
        self.phase = "play"

    def _get(self, seat: int, cards: list[str]) -> None:
        self.hands[seat] += cards
        self.known[seat] |= set(cards)

    def _lose(self, seat: int, card: str) -> None:
        self.hands[seat].remove(card)
        self.known[seat].discard(card)

    def _do_run(self, ends: str) -> None:
        self._begin(f"run {ends}")

    def _do_set(self, rank: str) -> None:
        self._begin(f"set {rank}")

    def _begin(self, text: str) -> None:
        melds = [(meld, cards) for meld, cards in self._allowed_melds() if self._meld_text(meld) == text]
        if len(melds) == 1:
            self._lay_spread(*melds[0])
        else:
            meld = melds[0][0]
            self.begun = (text, meld[1][0] if meld[0] == "set" else meld[1][:2])
            self.phase = "form"

    def _do_as(self, pattern: str) -> None:
        self._form(f"as {pattern}")

    def _do_of(self, suits: str) -> None:
        self._form(f"of {suits}")

    def _form(self, text: str) -> None:
        self.phase = "play"
        for meld, cards in self._allowed_melds():
            if self._meld_text(meld) == self.begun[0] and self._form_text(meld) == text:
                self._lay_spread(meld, cards)
                return

    def _lay_spread(self, meld: tuple[str, Any], cards: dict[str, int]) -> None:
        spread = Spread(self.seat, meld[0], dict(cards))
        for card in cards:
            self._lose(self.seat, card)
            self.counts_for[card] = self.seat
            if self._is_wanted(card, self.must or "-"):
                self.must = ""
        self.spreads.append(spread)
        self.laid_last = spread

    def _do_lay(self, name: str) -> None:
        found = [each for each in self._allowed_lay_offs() if each[0] == name or (name == "W" and is_wild(each[0]))]
        if len(found) == 1:
            self._add(*found[0])
        else:
            self.card = found[0][0]
            self.phase = "place"

    def _do_at(self, where: str) -> None:
        for card, number, place in self._allowed_lay_offs():
            if card == self.card and self._place_text(number, place) == f"at {where}":
                self.phase = "play"
                self._add(card, number, place)
                return

    def _add(self, card: str, number: int, place: int) -> None:
        spread = self.spreads[number]
        spread.cards[card] = place
        self._lose(self.seat, card)
        self.counts_for[card] = self.seat
        if self._is_wanted(card, self.must or "-"):
            self.must = ""
        if spread.kind == "set" and len(spread.natural()) == 5 and (card[1:] != "*" or self.options["star_robot"]):
            spread.kind = "robot"
            spread.owner = self.seat

    def _do_discard(self, name: str) -> None:
        card = name
        if name == "W":
            wilds = sorted((each for each in self.hand() if is_wild(each)), key=self._wild_order)
            card = next((each for each in wilds if each != self.taken), wilds[0])
        self._lose(self.seat, card)
        self.heap.append(card)
        self.taken = ""
        self.laid_last = None
        power = "" if is_wild(card) else self.options["powers"].get(card[1:], "")
        is_final = not self.hand() and not self.options["final_power"]
        if not power or is_final or not self._can_do_anything(power):
            self._end_turn()
        elif self.options["optional_powers"]:
            self.power = power
            self.phase = "power"
        else:
            self._start(power)

    def _can_do_anything(self, power: str) -> bool:
        if power == "short-circuit":
            return bool(self._victims())
        if power in ("tractor-beam", "recycle"):
            return len(self.heap) > 1
        return power == "force-field" or bool(self._targets())

    def _do_decline(self, rest: str) -> None:
        self._end_turn()

    def _do_use(self, rest: str) -> None:
        self._start(self.power)

    def _start(self, power: str) -> None:
        self.power = power
        if power == "short-circuit":
            if len(self._victims()) == 1:
                self._hit(self._victims()[0])
            else:
                self.phase = "aim"
        elif power == "tractor-beam":
            count = math.ceil((len(self.heap) - 1) / 2)
            self.bottom += reversed(self.heap[:count])
            self.heap = self.heap[count:]
            self._end_turn()
        elif power == "force-field":
            self.is_fielded = True
            self._end_turn()
        else:
            self.phase = "recycle" if power == "recycle" else "shoot"

    def _do_aim(self, seat: str) -> None:
        self._hit(int(seat))

    def _hit(self, victim: int) -> None:
        self.seat = victim
        self.to_put = min(2, len(self.hands[victim]))
        self.to_draw = 2 if self.options["sc_draw"] == "two" else self.to_put
        self.phase = "put"

    def _do_choose(self, card: str) -> None:
        if self.phase == "put":
            self._put(card)
        elif self.phase == "recycle":
            self.heap.remove(card)
            self._get(self.turn_seat, [card])
            self._end_turn()
        else:
            self._shoot(card)

    def _put(self, card: str) -> None:
        self._lose(self.seat, card)
        self.heap.insert(0, card)
        self.to_put -= 1
        if self.to_put:
            return
        for _ in range(self.to_draw):
            if self._factory_can_give():
                self._draw(self.seat)
            elif self.options["factory_empty"] == "end_hand":
                self.turns += 1
                self.phase = "over"
                return
        self._end_turn()

    def _shoot(self, card: str) -> None:
        shooter = self.heap.pop()
        (spread,) = [each for each in self.spreads if card in each.cards]
        at = spread.cards.pop(card)
        del self.counts_for[card]
        parts = [Spread(spread.owner, spread.kind, spread.cards)]
        if spread.kind == "run" and self.options["split_runs"]:
            lower = {each: place for each, place in spread.cards.items() if place < at}
            upper = {each: place for each, place in spread.cards.items() if place > at}
            parts = [Spread(spread.owner, "run", lower), Spread(spread.owner, "run", upper)]
        kept = [part for part in parts if part.is_valid()]
        loose = [each for part in parts if part not in kept for each in part.cards]
        number = self.spreads.index(spread)
        self.spreads[number : number + 1] = kept[:1]
        self.spreads += kept[1:]
        for each in loose:
            del self.counts_for[each]
        if self.power == "laser":
            self.heap = [shooter, card, *self.heap]
            self._get(spread.owner, loose)
        else:
            self.bottom += [card, shooter]
            self.heap = sorted(loose, key=order) + self.heap
        self._end_turn()

    def _end_turn(self) -> None:
        self.turns += 1
        self.seat = self.turn_seat
        if not self.hand() or self.turns == self.options["max_turns"]:
            self.phase = "over"
            return
        self.turn_seat = self.seat = (self.turn_seat + 1) % len(self.hands)
        self.phase = "draw"
        self.must = self.taken = ""
        if not self._factory_can_give():
            can_take = self.options["factory_empty"] == "reshuffle" and len(self.heap) == 1 and not self.is_fielded
            if not can_take:
                self.phase = "over"

    def points(self) -> list[int]:
        """Laid cards and robots, less the cards held."""
        totals = [-sum(value(card) for card in hand) for hand in self.hands]
        for card, seat in self.counts_for.items():
            totals[seat] += value(card)
        for spread in self.spreads:
            if spread.kind == "robot":
                totals[spread.owner] += 50
        return totals
