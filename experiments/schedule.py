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


def line_ups(schedule: str, n_agents: int, players: int) -> list[LineUp]:
    """Return the line-ups of a schedule.

    self: each agent with copies of itself. cross: those, and every pair of agents in alternating seats (twice where the
    number of seats is odd, so that each has the odd seat once). round-robin: every choice of different agents for all
    seats, or where there are too few agents every pair as in cross. gauntlet: the first agent alone among copies of
    each other one. A single agent always sits with copies of itself. Raises ValueError for an unknown schedule.
    """
    if schedule not in SCHEDULES:
        raise ValueError(f"there is no schedule {schedule!r}; the schedules: {', '.join(SCHEDULES)}")
    agents = range(n_agents)
    alone = [(agent,) * players for agent in agents]
    if schedule == "self" or n_agents == 1 or players == 1:
        return alone
    pairs = [mixed for pair in itertools.combinations(agents, 2) for mixed in _alternating(pair, players)]
    if schedule == "cross":
        return alone + pairs
    if schedule == "gauntlet":
        return [(0, *[other] * (players - 1)) for other in agents[1:]]
    if n_agents >= players:
        return list(itertools.combinations(agents, players))
    return pairs


def _alternating(pair: tuple[int, ...], players: int) -> list[LineUp]:
    first, second = pair
    mixed = [tuple(pair[seat % 2] for seat in range(players))]
    if players % 2:
        mixed.append(tuple((second, first)[seat % 2] for seat in range(players)))
    return mixed


def seatings(line_up: LineUp) -> list[LineUp]:
    """Return the different seatings of a block: all orders of up to three seats, above that the cyclic rotations."""
    if len(line_up) <= 3:
        orders: Iterator[LineUp] = itertools.permutations(line_up)
    else:
        orders = (line_up[turn:] + line_up[:turn] for turn in range(len(line_up)))
    return list(dict.fromkeys(orders))


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
