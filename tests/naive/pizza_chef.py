"""A slow, obvious twin of Pizza Chef, written from the rulebook and the rules page: the game as one script.

The script stops where a player decides (`Ask`) or chance speaks (`Chance`) and is sent the answer. Nothing here comes
from the engine.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

TOPPINGS = ["salami", "mushrooms", "pineapple", "olives", "pepperoni", "onions", "shrimp", "paprika"]
ORDERS = [*TOPPINGS, "joker-a", "joker-b"]
PLACES = [row + column for row in "abcdefgh" for column in "12345678"]
MOST_LOOKS = 100  # of the slowest in a round


@dataclass
class Ask:
    """A player is to choose one of these."""

    seat: int
    options: list[str]


@dataclass
class Chance:
    """Chance is to give one of these, with these probabilities."""

    options: dict[Any, float]


@dataclass
class Table:
    """What lies on the table, and what each player has seen."""

    slices: dict[str, str]  # topping by place
    active: int
    paces: list[int]
    rules: dict[str, Any]
    turn: int = 0
    bag: list[str] = field(default_factory=lambda: list(ORDERS))
    hats: list[int] = field(default_factory=list)
    seen: list[list[str]] = field(default_factory=list)  # by seat: the places it has looked at, one after another

    def __post_init__(self) -> None:
        self.hats = [0 for _ in self.paces]
        self.seen = [[] for _ in self.paces]

    @property
    def players(self) -> int:
        return len(self.paces)

    @property
    def others(self) -> list[int]:
        """All but the player with the bag, clockwise."""
        return [(self.active + step) % self.players for step in range(1, self.players)]

    def remembered(self, seat: int) -> dict[str, str]:
        """What a player knows: the slices that he has seen at his last looks."""
        memory = self.rules["memory"]
        n_forgotten = 0 if memory == "all" else max(0, len(self.seen[seat]) - memory)
        looks = self.seen[seat][n_forgotten:]
        return {place: self.slices[place] for place in looks}


Script = Generator[Ask | Chance, Any, None]


def play(table: Table) -> Script:
    """Play a game from the first draw to the end."""
    while True:
        table.turn += 1
        order = yield Chance({each: 1 / len(table.bag) for each in ORDERS if each in table.bag})
        table.bag.remove(order)
        if order.startswith("joker"):
            winners = yield from call(table)
        else:
            winners = yield from search(table, order)
        if max(table.hats) == 4 or table.turn == table.rules["max_turns"]:
            return
        if not any(each.startswith("joker") for each in table.bag):
            table.bag = list(ORDERS)
        table.active = winners[0] if winners else table.others[0]


def call(table: Table) -> Generator[Ask | Chance, Any, list[int]]:
    """The first to call gets a hat; who is twice as fast is first twice as often."""
    speeds = {seat: 1 / table.paces[seat] for seat in table.others}
    caller = yield Chance({seat: speed / sum(speeds.values()) for seat, speed in speeds.items()})
    table.hats[caller] += 1
    return [caller]


def search(table: Table, order: str) -> Generator[Ask | Chance, Any, list[int]]:
    """Let all others look for a slice until one has found it, or with five players and more two have."""
    winners: list[int] = []
    searching = list(table.others)
    n_hats = 2 if table.players >= 5 else 1
    for tick in range(1, MOST_LOOKS * max(table.paces) + 1):
        if not searching:
            break
        looking = [seat for seat in searching if tick % table.paces[seat] == 0]
        chosen = {}
        for seat in looking:
            verbs = ["look", "snatch"] if table.rules["wrong"] == "sit_out" else ["look"]
            chosen[seat] = yield Ask(seat, [f"{verb} {place}" for verb in verbs for place in PLACES])
        snatched, looked = [], []
        for seat, choice in chosen.items():
            verb, place = choice.split()
            table.seen[seat].append(place)
            if table.slices[place] == order:
                (snatched if verb == "snatch" else looked).append(seat)
            elif verb == "snatch":
                searching.remove(seat)  # he sits out
        for racers in (snatched, looked):
            while racers and len(winners) < n_hats:
                fastest = min(racers)
                if len(racers) > 1:
                    fastest = yield Chance({seat: 1 / len(racers) for seat in sorted(racers)})
                racers.remove(fastest)
                searching.remove(fastest)
                winners.append(fastest)
                table.hats[fastest] += 1
        if len(winners) == n_hats:
            break
    return winners
