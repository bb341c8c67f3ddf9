"""A slow, obvious twin of Robots Ate Our Pizza, written from the rulebook alone.

Cards are texts such as "R3", hands and rows of laid cards are lists of them, and every feature of a hand is found by
trying all its subsets. Nothing here comes from the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise

COLORS = "RBYP"
LARRY = "R"
PICKS = 4
TOPPINGS = ("none", "cheese", "pepperoni", "veggies", "anchovies", "deep-dish")
GOALS = ("highest total", "lowest total", "highest difference", "lowest difference")

SAME_POINTS = {2: 2, 3: 5, 4: 12}  # pairs, triples, quads
RUN_POINTS = {3: 2, 4: 4}

# Players: the least total that loses nothing, then the ranges of totals that lose one, two and three slices.
TASK_1_CARD = {
    2: (21, (18, 20), (16, 17), (0, 15)),
    3: (32, (27, 31), (24, 26), (0, 23)),
    4: (40, (36, 39), (32, 35), (0, 31)),
    5: (48, (42, 47), (37, 41), (0, 36)),
    6: (53, (48, 52), (42, 47), (0, 41)),
}
HIGHEST_NUMBER = {2: 4, 3: 5, 4: 5, 5: 7, 6: 8}


def topping_of(task: int) -> str:
    """Name what a task changes in the scoring: four tasks a topping."""
    return TOPPINGS[(task - 1) // 4]


def goal_of(task: int) -> str:
    """Name what the team tries in a task."""
    return GOALS[(task - 1) % 4]


def deck(players: int) -> list[str]:
    """List the robot cards that a number of players needs."""
    return [color + str(number) for color in COLORS for number in range(1, HIGHEST_NUMBER[players] + 1)]


@dataclass(frozen=True)
class Feature:
    """Cards that score together."""

    kind: str  # "color", "number" or "run"
    cards: frozenset[str]
    points: int


def color(card: str) -> str:
    return card[0]


def number(card: str) -> int:
    return int(card[1])


def find_features(hand: list[str], runs: str = "per_choice") -> list[Feature]:
    """List the features of a hand of four, before any topping."""
    return [*_sets_alike(hand, "color", color), *_sets_alike(hand, "number", number), *_runs(hand, runs)]


def _sets_alike(hand, kind, trait) -> Iterator[Feature]:
    """Pairs, triples and quads: cards alike in a trait, unless another card of the hand is alike too."""
    for size in (2, 3, 4):
        for cards in combinations(hand, size):
            alike = len({trait(card) for card in cards}) == 1
            could_grow = any(trait(other) == trait(cards[0]) for other in hand if other not in cards)
            if alike and not could_grow:
                yield Feature(kind, frozenset(cards), SAME_POINTS[size])


def _runs(hand: list[str], runs: str) -> Iterator[Feature]:
    """Runs of three and four, unless another card of the hand makes the run longer."""
    found: dict[tuple[int, ...], list[frozenset[str]]] = {}
    for size in (3, 4):
        for cards in combinations(hand, size):
            numbers = sorted(number(card) for card in cards)
            in_a_row = all(right == left + 1 for left, right in pairwise(numbers))
            ends = (numbers[0] - 1, numbers[-1] + 1)
            could_grow = any(number(other) in ends for other in hand if other not in cards)
            if in_a_row and not could_grow:
                found.setdefault(tuple(numbers), []).append(frozenset(cards))
    for numbers, choices in found.items():
        if runs == "per_block":
            choices = [frozenset().union(*choices)]
        for cards in choices:
            yield Feature("run", cards, RUN_POINTS[len(numbers)])


def counts_against(feature: Feature, topping: str) -> bool:
    """Tell whether a topping makes a feature negative."""
    if topping == "cheese":
        return feature.kind == "color"
    if topping == "pepperoni":
        return feature.kind == "run"
    if topping == "veggies":
        return feature.kind != "run" and len(feature.cards) == 2
    if topping == "deep-dish":
        return any(color(card) == LARRY for card in feature.cards)
    return False


def add_up(features: list[Feature], topping: str) -> int:
    """Add the features of a hand under a topping."""
    total = 0
    for each in features:
        total += -each.points if counts_against(each, topping) else each.points
    if topping == "anchovies":
        return abs(total - 7)
    return total


def score_hand(hand: list[str], task: int = 1, runs: str = "per_choice") -> int:
    """Score four cards in a task."""
    return add_up(find_features(hand, runs), topping_of(task))


def team_result(scores: list[int], task: int) -> int:
    """Return what the task counts: the total, or the highest hand less the lowest."""
    if goal_of(task).endswith("total"):
        return sum(scores)
    return max(scores) - min(scores)


def slices_lost_in_task_1(total: int, players: int) -> int:
    """Look a total up on the card of Task 1."""
    enough, *ranges = TASK_1_CARD[players]
    if total >= enough:
        return 0
    for lost, (least, most) in enumerate(ranges, start=1):
        if least <= total <= most:
            return lost
    raise AssertionError(f"{total} is nowhere on the card")


@dataclass
class Draft:
    """One task at the table: hands as dealt, seat 0 first, each seat's left neighbor the next seat."""

    hands: list[list[str]]
    first: int
    task: int = 1
    runs: str = "per_choice"
    laid: list[list[str]] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    turns: int = 0

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.laid = [[] for _ in self.hands]

    @property
    def players(self) -> int:
        return len(self.hands)

    @property
    def is_over(self) -> bool:
        return all(len(row) == PICKS for row in self.laid)

    @property
    def mover(self) -> int:
        """The player to the dealer's left starts every round, and play goes clockwise."""
        return (self.first + self.turns) % self.players

    def pick(self, card: str) -> None:
        """Let the mover lay a card down; after everyone's pick the hands go left, after the fourth away."""
        seat = self.mover
        self.hands[seat].remove(card)
        self.laid[seat].append(card)
        self.turns += 1
        if self.is_over:
            self.discarded = [hand[0] for hand in self.hands]
            self.hands = [[] for _ in self.hands]
        elif self.turns % self.players == 0:
            self.hands = [self.hands[seat - 1] for seat in range(self.players)]

    def scores(self) -> list[int]:
        return [score_hand(row, self.task, self.runs) for row in self.laid]

    def result(self) -> int:
        return team_result(self.scores(), self.task)
