"""What a card set of Pizza Time can do, and the search for a better one.

An order is *filled* on k toppings by a pizza that shows the exact number of at least k of its four. Counts are over
the 24,576 pizzas and over the different orders of the piles; `chance` weighs orders by how often the first round shows
them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.games.pizza_time.card_sets import (
    N_EDGES,
    OURS,
    PILES_BY_GEOMETRY,
    CardSet,
    Face,
    Piles,
    card_set_text,
    parse_piles,
    read_card_set,
)
from engine.games.pizza_time.rules import (
    LIES_BITS,
    N_CARDS,
    N_FACES,
    N_LIES,
    N_PIZZAS,
    N_TOPPINGS,
    totals_of,
)
from engine.games.pizza_time.solutions import totals_of_pizzas
from engine.kernel import kernel
from engine.rng import ANALYSIS, below, new_stream, unit
from experiments.tournament import Watcher

TYPES_PLAYED = (2, 3, 4)
GEOMETRIES = tuple(PILES_BY_GEOMETRY)


@dataclass(frozen=True)
class Counts:
    """Solutions of every order of some piles; `orders` has shape (orders, 4), `solved` (orders, 5) by toppings."""

    orders: np.ndarray
    weights: np.ndarray  # chance of each order in the first round
    solved: np.ndarray
    n_totals: int  # different totals that pizzas show


# Counting.


@kernel
def _count_cells(faces: Any, ranks: Any, cells: Any) -> None:
    """Count pizzas by the rank of each of their totals among the numbers of its pile, the last where it is none."""
    cells[:] = 0
    width = np.int64(cells.shape[0])
    flat = cells.reshape(width**N_TOPPINGS)
    for pizza in range(N_PIZZAS):
        totals = totals_of(faces, ((pizza >> LIES_BITS) << (LIES_BITS + 2)) | (pizza & (N_LIES - 1)))
        place = 0
        for topping in range(N_TOPPINGS):
            place = place * width + ranks[topping, (totals >> (8 * topping)) & 0xFF]
        flat[place] += 1


def _ranks(piles: Piles) -> tuple[np.ndarray, int]:
    """Return the rank of every total among the different numbers of each pile, and one more than the most numbers."""
    numbers = [sorted(set(pile)) for pile in piles]
    width = max(map(len, numbers)) + 1
    ranks = np.full((N_TOPPINGS, 256), width - 1, dtype=np.int64)
    for topping, each in enumerate(numbers):
        ranks[topping, each] = range(len(each))
    return ranks, width


def _solved(cells: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Return by order how many pizzas match at least 0 … 4 of its toppings, from the cells of `_count_cells`.

    At least k: the sum over j ≥ k of (−1)^(j − k) C(j − 1, k − 1) times the pizzas that match j given toppings, summed
    over all choices of them. Source: the inclusion–exclusion formula for "at least k" (Feller 1968, IV.5).
    """
    inside = tuple(slice(size) for size in sizes)
    matching = []
    for n_given in range(N_TOPPINGS + 1):
        total = np.zeros(tuple(sizes), dtype=np.int64)
        for given in itertools.combinations(range(N_TOPPINGS), n_given):
            others = tuple(topping for topping in range(N_TOPPINGS) if topping not in given)
            margin = cells.sum(axis=others, keepdims=True)
            total += margin[tuple(inside[topping] if topping in given else slice(1) for topping in range(N_TOPPINGS))]
        matching.append(total)
    at_least = [matching[0]]
    for k in range(1, N_TOPPINGS + 1):
        terms = [(-1) ** (j - k) * math.comb(j - 1, k - 1) * matching[j] for j in range(k, N_TOPPINGS + 1)]
        at_least.append(sum(terms[1:], terms[0]))
    return np.stack([each.reshape(-1) for each in at_least], axis=1)


def count(card_set: CardSet, geometry: str, piles: Piles) -> Counts:
    """Count the solutions of every order of some piles."""
    numbers = [sorted(set(pile)) for pile in piles]
    ranks, width = _ranks(piles)
    cells = np.zeros((width,) * N_TOPPINGS, dtype=np.int64)
    faces = np.array(card_set.packed(geometry), dtype=np.uint32)
    _count_cells(faces, ranks, cells)
    chances = [[pile.count(number) / len(pile) for number in each] for pile, each in zip(piles, numbers, strict=True)]
    return Counts(
        orders=np.array(list(itertools.product(*numbers))),
        weights=np.array([math.prod(each) for each in itertools.product(*chances)]),
        solved=_solved(cells, [len(each) for each in numbers]),
        n_totals=len(np.unique(totals_of_pizzas(card_set.packed(geometry)), axis=0)),
    )


def report(counts: Counts, n_hardest: int) -> dict[str, Any]:
    """Return what the command prints: for each number of toppings shares, solutions and the hardest orders."""
    lines = []
    for types in TYPES_PLAYED:
        solved = counts.solved[:, types]
        hardest = np.argsort(solved, kind="stable")[:n_hardest]
        lines.append(
            {
                "types": types,
                "orders_filled": int((solved > 0).sum()),
                "share_of_orders": float((solved > 0).mean()),
                "chance": float(counts.weights[solved > 0].sum()),
                "solutions": {
                    "min": int(solved.min()),
                    "median": float(np.median(solved)),
                    "max": int(solved.max()),
                    "mean_share": float(solved.mean() / N_PIZZAS),
                },
                "hardest": [
                    {"order": counts.orders[place].tolist(), "solutions": int(solved[place])}
                    for place in hardest.tolist()
                ],
            }
        )
    return {"orders": len(counts.orders), "pizzas": N_PIZZAS, "totals": counts.n_totals, "by_types": lines}


def load_set(path: str, geometry: str, piles: str) -> tuple[CardSet, Piles]:
    """Read a card set, ours for an empty path, and its piles: the given ones, the file's, or the geometry's."""
    card_set = read_card_set(Path(path) if path else OURS)
    if piles:
        card_set = replace(card_set, piles=parse_piles(piles))
    return card_set, card_set.piles or (PILES_BY_GEOMETRY[geometry],) * N_TOPPINGS


# Searching.

CHANGES = ("halves", "all")
FEW = 8  # solutions below which an order costs a little
LITTLE = 0.25
HOT, COLD = 10.0, 0.3  # temperatures of the first and the last step, in orders without a solution
MOST_WHOLE_TRIED = 4


@dataclass(frozen=True)
class Found:
    """The best set of a search, what it costs and the start cost, and after how many steps it was met."""

    card_set: CardSet
    cost: float
    first_cost: float
    step: int


def search(
    card_set: CardSet,
    geometry: str,
    piles: Piles,
    types: int,
    steps: int,
    seed: int,
    change: str,
    watcher: Watcher | None = None,
) -> Found:
    """Look for a set whose orders can all be filled on `types` toppings, from a given set, by simulated annealing.

    A step changes one entry: with "halves" a half (of both faces where they were alike), with "all" a half or a whole
    count of one face. The cost is the number of orders without a solution, and a little for orders with fewer than 8.
    Ends early at cost 0. Source: Kirkpatrick, Gelatt and Vecchi 1983, "Optimization by Simulated Annealing".
    """
    watcher = watcher or Watcher()
    watcher.start(steps)
    rng = new_stream(seed, ANALYSIS)
    ranks, width = _ranks(piles)
    sizes = [len(set(pile)) for pile in piles]
    cells = np.zeros((width,) * N_TOPPINGS, dtype=np.int64)
    shares_halves = [card_set.faces[2 * card].halves == card_set.faces[2 * card + 1].halves for card in range(N_CARDS)]

    def cost_of(candidate: CardSet) -> float:
        _count_cells(np.array(candidate.packed(geometry), dtype=np.uint32), ranks, cells)
        solved = _solved(cells, sizes)[:, types]
        return float((solved == 0).sum() + LITTLE * np.maximum(0, FEW - solved[solved > 0]).sum() / FEW)

    current, cost = card_set, cost_of(card_set)
    best = Found(current, cost, cost, 0)
    for step in range(1, steps + 1):
        if best.cost == 0:
            break
        temperature = HOT * (COLD / HOT) ** (step / steps)
        candidate = _changed(current, change, geometry, shares_halves, rng)
        candidate_cost = cost_of(candidate)
        if candidate_cost <= cost or unit(rng) < math.exp((cost - candidate_cost) / temperature):
            current, cost = candidate, candidate_cost
        if cost < best.cost:
            best = Found(current, cost, best.first_cost, step)
        watcher.advance(1)
    return best


def _changed(card_set: CardSet, change: str, geometry: str, shares_halves: Sequence[bool], rng: Any) -> CardSet:
    """Return a set with one entry changed at random."""
    place = int(below(rng, N_FACES))
    face = card_set.faces[place]
    changes_whole = geometry == "sum" or (change == "all" and int(below(rng, 2)) == 0)
    faces = list(card_set.faces)
    if changes_whole:
        topping = int(below(rng, N_TOPPINGS))
        whole = list(face.whole)
        whole[topping] = _other(whole[topping], 0, MOST_WHOLE_TRIED, rng)
        faces[place] = replace(face, whole=tuple(whole))
    else:
        edge = int(below(rng, N_EDGES))
        halves = list(face.halves)
        halves[edge] = _other(halves[edge], -1, N_TOPPINGS - 1, rng)
        faces[place] = Face(face.whole, tuple(halves))
        twin = place ^ 1
        if change == "halves" and shares_halves[place // 2]:
            faces[twin] = Face(faces[twin].whole, tuple(halves))
    return replace(card_set, faces=tuple(faces))


def _other(value: int, least: int, most: int, rng: Any) -> int:
    """Return another value of a range, all with equal chance."""
    picked = least + int(below(rng, most - least))
    return picked if picked < value else picked + 1


def write_set(found: Found, path: Path, overwrite: bool, comment: str) -> None:
    """Write the set of a search; ValueError when the file is there and may not be overwritten, or cannot be."""
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as file:
            file.write(card_set_text(found.card_set, comment))
    except FileExistsError:
        raise ValueError(f"{str(path)!r} is there already; --overwrite writes over it") from None
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be written: {error.strerror}") from None


def print_report(facts: dict[str, Any], title: str) -> None:
    """Print what `report` returned as a table, and the hardest orders."""
    from rich.table import Table

    from experiments.terminal import plain_console

    console = plain_console()
    table = Table(title=f"{title}: {facts['orders']} orders, {facts['totals']} different totals of {N_PIZZAS:,} pizzas")
    for heading in (
        "toppings",
        "orders filled",
        "share",
        "chance in round 1",
        "fewest",
        "median",
        "most",
        "mean share",
    ):
        table.add_column(heading, justify="right")
    for line in facts["by_types"]:
        spread = line["solutions"]
        table.add_row(
            str(line["types"]),
            str(line["orders_filled"]),
            f"{line['share_of_orders']:.1%}",
            f"{line['chance']:.1%}",
            f"{spread['min']:,}",
            f"{spread['median']:,.0f}",
            f"{spread['max']:,}",
            f"{spread['mean_share']:.2%}",
        )
    console.print(table)
    for line in facts["by_types"]:
        words = ", ".join(f"{' '.join(map(str, each['order']))} ({each['solutions']:,})" for each in line["hardest"])
        console.print(f"hardest on {line['types']}: {words}", soft_wrap=True, highlight=False)
