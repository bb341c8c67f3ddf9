"""Who sits together, in which seats, and how the work is cut up.

A *line-up* names the agent of each seat. A *block* is one deal played with one line-up in all its *seatings*; it is the
unit of statistics. A *chunk* is a run of deals of one line-up: the unit of work and of files. Everything here is a
function of the arguments alone, so a run that is resumed or repeated is cut up alike.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SCHEDULES = ("self", "cross", "round-robin", "gauntlet")

LineUp = tuple[int, ...]  # places in the list of agents, by seat


def line_ups(schedule: str, n_agents: int, sides: int | Sequence[int]) -> list[LineUp]:
    """Return the line-ups of a schedule.

    `sides` is the side that each seat plays for (or a number of seats that play for themselves): an agent takes all
    seats of a side, and where this says seat, a side is meant.

    self: each agent with copies of itself. cross: those, and every pair of agents in alternating seats (twice where the
    number of seats is odd, so that each has the odd seat once). round-robin: every choice of different agents for all
    seats, or where there are too few agents every pair as in cross. gauntlet: the first agent alone among copies of
    each other one. A single agent always sits with copies of itself. Raises ValueError for an unknown schedule.
    """
    if schedule not in SCHEDULES:
        raise ValueError(f"there is no schedule {schedule!r}; the schedules: {', '.join(SCHEDULES)}")
    side_of = tuple(range(sides)) if isinstance(sides, int) else tuple(sides)
    n_sides = len(set(side_of))
    agents = range(n_agents)
    alone = [(agent,) * n_sides for agent in agents]
    pairs = [mixed for pair in itertools.combinations(agents, 2) for mixed in _alternating(pair, n_sides)]
    if schedule == "self" or n_agents == 1 or n_sides == 1:
        chosen = alone
    elif schedule == "cross":
        chosen = alone + pairs
    elif schedule == "gauntlet":
        chosen = [against(0, other, n_sides) for other in agents[1:]]
    elif n_agents >= n_sides:
        chosen = list(itertools.combinations(agents, n_sides))
    else:
        chosen = pairs
    return [tuple(by_side[side] for side in side_of) for by_side in chosen]


def against(agent: int, other: int, n_sides: int) -> LineUp:
    """Return the line-up of one agent alone among copies of another."""
    return (agent, *[other] * (n_sides - 1))


def _alternating(pair: tuple[int, ...], n_sides: int) -> list[LineUp]:
    first, second = pair
    mixed = [tuple(pair[side % 2] for side in range(n_sides))]
    if n_sides % 2:
        mixed.append(tuple((second, first)[side % 2] for side in range(n_sides)))
    return mixed


def seatings(line_up: LineUp) -> list[LineUp]:
    """Return the different seatings of a block; each agent takes each seat equally often.

    All orders of up to three seats. Above that the cyclic rotations, or where all agents differ Williams's design:
    under rotations everybody would pass his cards to the same neighbor in every game.
    """
    n_seats = len(line_up)
    orders: Iterator[LineUp]
    if n_seats <= 3:
        orders = itertools.permutations(line_up)
    elif len(set(line_up)) == n_seats:
        orders = (tuple(line_up[place] for place in order) for order in williams(n_seats))
    else:
        orders = (line_up[turn:] + line_up[:turn] for turn in range(n_seats))
    return list(dict.fromkeys(orders))


def williams(n_seats: int) -> list[tuple[int, ...]]:
    """Return a Latin square of seatings, two where the number is odd, balanced for neighbors (Williams 1949).

    Along the seats, every one sits just before every other equally often: once, twice where the number is odd.
    """
    zigzag = [0] + [(n_seats - place // 2) if place % 2 == 0 else (place + 1) // 2 for place in range(1, n_seats)]
    square = [tuple((place + turn) % n_seats for place in zigzag) for turn in range(n_seats)]
    return square if n_seats % 2 == 0 else square + [row[::-1] for row in square]


@dataclass(frozen=True)
class Chunk:
    """Deals `first_deal` … `first_deal + n_deals − 1` of line-up number `line_up`, in all its seatings."""

    line_up: int
    first_deal: int
    n_deals: int

    @property
    def id(self) -> str:
        """The name of the chunk's part."""
        return f"part-{self.line_up:04d}-{self.first_deal:012d}"


CHUNK_WORK = 1 << 27  # random decisions that one chunk is about worth: a second or two
MOST_DEALS = 1 << 18  # of one chunk: rows of a part stay in memory until it is written
MOST_CHUNKS = 4096  # of one line-up: above that, chunks grow instead


def chunk_size(n_deals: int, work: float, n_rows: int) -> int:
    """Return how many deals a chunk of a line-up holds: a power of two.

    `work` is the rough cost of a block in random decisions, `n_rows` how many rows a block leaves (0 where only
    summaries are kept).
    """
    most = MOST_DEALS // max(1, n_rows // 4) if n_rows else MOST_DEALS * 16
    wanted = max(1, min(most, int(CHUNK_WORK / work)))
    size = 1 << (wanted.bit_length() - 1)
    while n_deals > size * MOST_CHUNKS:
        size *= 2
    return size


def chunks(n_deals: int, sizes: Sequence[int]) -> list[Chunk]:
    """Cut `n_deals` deals of every line-up into chunks of its size, in the order in which they are best played."""
    cut = [
        Chunk(line_up, first, min(size, n_deals - first))
        for line_up, size in enumerate(sizes)
        for first in range(0, n_deals, size)
    ]
    return sorted(cut, key=lambda chunk: (chunk.first_deal, chunk.line_up))
