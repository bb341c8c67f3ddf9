"""A slow, obvious twin of Robot Master, written from the rulebook alone.

A card is a number 0 to 5, a hand is a list of them. The square is a dictionary of cards by (row, column) on a table
without bounds; the first card lies at (0, 0). Nothing here comes from the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

VALUES = range(6)
COPIES = 6
ROWS, COLUMNS = "rows", "columns"

Cell = tuple[int, int]


def deck() -> list[int]:
    """List the cards of the game."""
    return [value for value in VALUES for _ in range(COPIES)]


def score_group(value: int, count: int, five_kind: str = "literal") -> int:
    """Score `count` identical cards of a line."""
    if count == 1:
        return value
    if count == 2:
        return 10 * value
    if count == 5 and five_kind == "trio_plus_duo":
        return score_group(value, 3) + score_group(value, 2)
    remaining = count - 3
    return 100 + remaining * value


def score_line(cards: list[int], five_kind: str = "literal") -> int:
    """Score a row or column: the groups of identical cards, added up."""
    return sum(score_group(value, cards.count(value), five_kind) for value in set(cards))


def compare(mine: list[int], theirs: list[int]) -> int:
    """Return 1, 0 or -1 as the scores of my lines win, draw or lose: the lowest first, in a tie the next."""
    mine, theirs = sorted(mine), sorted(theirs)
    while mine:
        if mine[0] != theirs[0]:
            return 1 if mine[0] > theirs[0] else -1
        mine, theirs = mine[1:], theirs[1:]
    return 0


@dataclass
class Square:
    """The cards on the table."""

    cards: dict[Cell, int]
    size: int = 5
    diagonal: bool = False
    floating_grid: bool = False

    @property
    def is_full(self) -> bool:
        return len(self.cards) == self.size * self.size

    def corner(self) -> Cell:
        """Return the top left cell: of the square, or while it floats of the cards that lie."""
        if not self.floating_grid:
            return (-(self.size // 2), -(self.size // 2))
        return (min(row for row, _ in self.cards), min(column for _, column in self.cards))

    def touches(self, cell: Cell) -> bool:
        """Tell whether a cell touches a card."""
        row, column = cell
        for down, right in product((-1, 0, 1), repeat=2):
            by_side = abs(down) + abs(right) == 1
            by_corner = abs(down) + abs(right) == 2
            if (by_side or (by_corner and self.diagonal)) and (row + down, column + right) in self.cards:
                return True
        return False

    def fits(self, cell: Cell) -> bool:
        """Tell whether all cards can still become a square when one is laid there."""
        if not self.floating_grid:
            half = self.size // 2
            return abs(cell[0]) <= half and abs(cell[1]) <= half
        for axis in (0, 1):
            taken = [each[axis] for each in [*self.cards, cell]]
            if max(taken) - min(taken) >= self.size:
                return False
        return True

    def open_cells(self) -> list[Cell]:
        """List the cells where a card may be laid."""
        reach = range(-self.size, self.size + 1)
        cells = [cell for cell in product(reach, repeat=2) if cell not in self.cards]
        return [cell for cell in cells if self.touches(cell) and self.fits(cell)]

    def lines(self, direction: str) -> list[list[int]]:
        """List the cards of each row or column of the square, as far as they lie."""
        top, left = self.corner()
        lines = []
        for line in range(self.size):
            on_line = [
                card
                for (row, column), card in sorted(self.cards.items())
                if (row - top if direction == ROWS else column - left) == line
            ]
            lines.append(on_line)
        return lines

    def scores(self, direction: str, five_kind: str = "literal") -> list[int]:
        """Score the rows or columns."""
        return [score_line(line, five_kind) for line in self.lines(direction)]


@dataclass
class Round:
    """One square at the table: hands as dealt, seat 0 first; each seat's left neighbor is the next seat.

    `stock` is the draw deck where cards are drawn, the top card first; alone, the card to lay is the only one in hand.
    """

    square: Square
    hands: list[list[int]]
    first: int
    stock: list[int] = field(default_factory=list)
    five_kind: str = "literal"
    owner_of_rows: int = 0  # side 0 is seats 0 and 2, side 1 seats 1 and 3
    laid: int = 0

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.stock = list(self.stock)

    @property
    def players(self) -> int:
        return len(self.hands)

    @property
    def mover(self) -> int:
        """The start player lays first, then it goes clockwise."""
        return (self.first + self.laid) % self.players

    @property
    def is_over(self) -> bool:
        return self.square.is_full

    def moves(self) -> Iterator[tuple[int, Cell]]:
        """Yield each card of the mover's hand with each cell where it may be laid."""
        for value in set(self.hands[self.mover]):
            for cell in self.square.open_cells():
                yield value, cell

    def lay(self, value: int, cell: Cell) -> int | None:
        """Let the mover lay a card and draw one if cards are drawn; return the card drawn."""
        hand = self.hands[self.mover]
        hand.remove(value)
        assert cell in self.square.open_cells()
        self.square.cards[cell] = value
        self.laid += 1
        if not self.stock:
            return None
        drawn = self.stock.pop(0)
        hand.append(drawn)
        return drawn

    def line_scores(self, side: int) -> list[int]:
        """List the scores of a side's lines, the lowest first."""
        direction = ROWS if side == self.owner_of_rows else COLUMNS
        return sorted(self.square.scores(direction, self.five_kind))

    def winner(self) -> int | None:
        """Return the side that won, or None for a draw."""
        return {1: 0, 0: None, -1: 1}[compare(self.line_scores(0), self.line_scores(1))]

    def difference(self) -> int:
        """Return by how much the lowest lines differ."""
        return abs(self.line_scores(0)[0] - self.line_scores(1)[0])

    def solo_score(self) -> int:
        """Return the lowest of all lines."""
        return min(self.line_scores(0)[0], self.line_scores(1)[0])


@dataclass
class Match:
    """What several rounds come to: (winner, difference) of each round."""

    rounds: list[tuple[int | None, int]] = field(default_factory=list)

    def book(self, played: Round) -> None:
        self.rounds.append((played.winner(), played.difference()))

    def points(self, side: int) -> int:
        """Add up the differences of the rounds that a side won."""
        return sum(difference for winner, difference in self.rounds if winner == side)

    def rounds_won(self, side: int) -> int:
        return [winner for winner, _ in self.rounds].count(side)

    def winner(self) -> int | None:
        """Return the side with more points, in a tie with more rounds won, else None."""
        mine = (self.points(0), self.rounds_won(0))
        theirs = (self.points(1), self.rounds_won(1))
        if mine == theirs:
            return None
        return 0 if mine > theirs else 1
