"""How hard each order of Pizza Time is: the pizzas that fill it, against the movements that agents take to fill it.

An order is a number for each of the four toppings; it is filled on 2, 3 or 4 of them. Our card set can show 24,576
pizzas, of which so many fill it. An agent begins with cards laid at random and moves alone, nobody beside it, until it
claims a number card; its movements are counted, the claim among them. A deal is one such beginning, the same for all
agents, orders and numbers of toppings; movements of one order are independent, and the interval is Student's t.

An agent that only rebuilds takes 24,576 / S movements on average, where S pizzas fill the order.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from agents import Player
from engine.contract import Setup, choose, determinize, load_game, workspace
from engine.games.pizza_time.rules import (
    CLAIM,
    MOST_TICKS,
    N_PIZZAS,
    N_PLACEMENTS,
    N_ROUNDS,
    N_TOPPINGS,
    REBUILD,
    TYPES_BY_ROUND,
    has_right_pizza,
    rearranged,
)
from engine.games.pizza_time.solutions import count_solutions, distinct_orders
from engine.kernel import kernel
from engine.rng import ANALYSIS, below, fold, stream_start
from experiments.charts import MARKERS, PALETTE
from experiments.inference import mean_of
from experiments.self_play import compiled_players
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "pizza-time"
TYPES = tuple(sorted(set(TYPES_BY_ROUND)))
BEGINNING, AGENT, REBUILDS = range(3)  # what a stream of a deal is for


# Playing.


@kernel
def fill_orders(agent: Any, states: Any, orders: Any, seed: int, movements: Any) -> None:
    """Let an agent fill each of some orders, alone, from several beginnings.

    `states` is a dealt record, of which seat 0 moves, and a scratch; `orders` is int64 of shape (orders, 2): the order
    as the record holds it, and its number. Writes the movements of each beginning into `movements` (int64, shape
    (orders, deals)): MOST_TICKS + 1 where it did not claim a right pizza in so many.
    """
    space = workspace(agent, states[1:])
    start = stream_start(seed, ANALYSIS)
    rng = np.empty(3, dtype=np.uint64)
    for number in range(len(orders)):
        for deal in range(movements.shape[1]):
            for use in range(3):
                rng[use] = fold(fold(start, deal), use)
            states[0].order = orders[number, 0]
            states[0].order_number = orders[number, 1]
            states[0].placement[0] = below(rng[BEGINNING : BEGINNING + 1], N_PLACEMENTS)
            movements[number, deal] = _fill(agent, states, space, rng)


@kernel
def _fill(agent: Any, states: Any, space: Any, rng: Any) -> int:
    """Return how many movements the agent takes to claim a right pizza from where its cards lie."""
    for count in range(1, MOST_TICKS + 1):
        states[1] = states[0]
        determinize(states[1], 0, rng[AGENT : AGENT + 1])
        movement = choose(agent, states[1], space, rng[AGENT : AGENT + 1])
        if movement == CLAIM:
            return count if has_right_pizza(states[0], 0) else MOST_TICKS + 1
        if movement == REBUILD:
            states[0].placement[0] = below(rng[REBUILDS : REBUILDS + 1], N_PLACEMENTS)
        else:
            states[0].placement[0] = rearranged(np.int64(states[0].placement[0]), movement)
    return MOST_TICKS + 1


@dataclass(frozen=True)
class Pace:
    """Movements of one agent for one number of toppings, by order, and the mean of all orders."""

    agent: str
    types: int
    movements: list[Estimate]
    overall: Estimate


def orders_of(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the different orders (orders, 4), as the record holds them (orders, 2), and how many pizzas fill each.

    The last has a column for each number of toppings from 0 to 4.
    """
    piles = tuple(tuple(int(number) for number in pile) for pile in setup.template["piles"])
    faces = tuple(int(face) for face in setup.template["faces"])
    orders, numbers = distinct_orders(piles)
    packed = orders @ (1 << (8 * np.arange(N_TOPPINGS)))
    return orders, np.stack([packed, numbers], axis=1).astype(np.int64), count_solutions(faces, orders)


def play_orders(setup: Setup, player: Player, types: int, packed: np.ndarray, request: Request) -> Pace:
    """Let an agent fill all orders on so many toppings; ValueError where it claims a wrong pizza, or never one."""
    states = setup.blank_states(2)
    states[0] = setup.new_game(request.seed)
    states[0].types[:N_ROUNDS] = types
    movements = np.zeros((len(packed), request.deals), dtype=np.int64)
    for first in range(0, len(packed), 16):
        part = slice(first, first + 16)
        fill_orders(player.knobs, states, packed[part], request.seed, movements[part])
        if (movements[part] > MOST_TICKS).any():
            raise ValueError(
                f"{player.label} claimed a pizza that was wrong, or filled an order not in {MOST_TICKS:,} movements; "
                "this wants agents that claim right pizzas only"
            )
        request.watcher.advance(len(packed[part]) * request.deals)
    taken = movements.astype(np.float64)
    return Pace(player.label, types, [mean_of(line) for line in taken], mean_of(taken.mean(axis=0)))


def run(request: Request) -> Findings:
    """Let each agent fill all 256 orders on 2, 3 and 4 toppings; the number of players plays no part."""
    if request.players is not None:
        raise ValueError("pizza-time-orders lets agents move alone; it takes no number of players")
    setup = load_game(GAME, players=2)
    players = compiled_players(setup, request.agents, request.watcher)
    orders, packed, solutions = orders_of(setup)
    request.watcher.start(len(players) * len(TYPES) * len(orders) * request.deals)
    paces = [play_orders(setup, player, types, packed, request) for player in players for types in TYPES]
    facts = {
        "seed": request.seed,
        "deals": request.deals,
        "pizzas": N_PIZZAS,
        "orders": [" ".join(map(str, order)) for order in orders.tolist()],
        "filled_by": {str(types): solutions[:, types].tolist() for types in TYPES},
        "paces": [_compact(pace, solutions) for pace in paces],
    }
    return Findings(facts, draw(paces, solutions, request))


def _compact(pace: Pace, solutions: np.ndarray) -> dict[str, Any]:
    means = [each.mean or 0.0 for each in pace.movements]
    return {
        "agent": pace.agent,
        "types": pace.types,
        "overall": asdict(pace.overall),
        "slope": slope(pace, solutions),
        "movements": [round(mean, 3) for mean in means],
        "half_widths": [round(each.half_width, 3) for each in pace.movements],
    }


def slope(pace: Pace, solutions: np.ndarray) -> float | None:
    """Return the exponent b of movements ~ S to the b over all orders (least squares of logarithms).

    An agent that only rebuilds has −1; 0 would be an agent for which the number of pizzas does not matter.
    """
    filled = np.log(solutions[:, pace.types])
    taken = np.log([each.mean or 1.0 for each in pace.movements])
    spread = filled - filled.mean()
    return float(spread @ taken / (spread @ spread)) if spread.any() else None


# Drawing.


def draw(paces: list[Pace], solutions: np.ndarray, request: Request) -> Figure:
    """Draw movements against the pizzas that fill an order, a panel an agent, a color a number of toppings."""
    agents = list(dict.fromkeys(pace.agent for pace in paces))
    figure = Figure(figsize=(1.0 + 3.5 * len(agents), 4.3), layout="constrained")
    panels = figure.subplots(1, len(agents), squeeze=False, sharex=True)[0]
    for panel, agent in zip(panels, agents, strict=True):
        _draw_agent(panel, [pace for pace in paces if pace.agent == agent], solutions)
    panels[0].set_ylabel("movements until the claim")
    figure.supxlabel(
        f"S: pizzas, of {N_PIZZAS:,}, that fill the order\n"
        f"each point one of {len(solutions)} orders, {request.deals:,} beginnings each, the agent alone, seed "
        f"{request.seed}; bars: 95 % intervals",
        fontsize=8.5,
    )
    figure.suptitle("Pizza Time: how hard the orders are", fontweight="bold")
    return figure


def _draw_agent(panel: Axes, paces: list[Pace], solutions: np.ndarray) -> None:
    highest = 1.0
    for number, pace in enumerate(paces):
        means = np.array([each.mean or 0.0 for each in pace.movements])
        errors = np.array([each.half_width for each in pace.movements])
        highest = max(highest, float((means + errors).max()))
        panel.errorbar(
            solutions[:, pace.types],
            means,
            yerr=errors,
            fmt=MARKERS[number],
            markersize=2.5,
            color=PALETTE[number],
            elinewidth=0.6,
            alpha=0.7,
            label=f"{pace.types} toppings: mean {_with_error(pace.overall)}",
            rasterized=True,  # 256 points each would be a large picture
        )
    ends = np.geomspace(solutions[:, TYPES[-1]].min(), solutions[:, TYPES[0]].max(), 50)
    panel.plot(ends, N_PIZZAS / ends, color="black", linewidth=0.8, linestyle="--", label=f"{N_PIZZAS:,} / S", zorder=1)
    panel.set_xscale("log")
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.set_ylim(1, 1.15 * highest)
    if highest > 40:
        panel.set_ylim(1, 1.5 * highest)
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter("{x:,.0f}")
        panel.yaxis.set_minor_formatter("")
    panel.set_title(paces[0].agent, loc="left", fontsize=9)
    panel.legend(framealpha=0.9, edgecolor="none", fontsize=7.5, loc="upper right")


def _with_error(estimate: Estimate) -> str:
    """Write a mean to the first digit of its interval."""
    half = estimate.half_width
    digits = max(0, -math.floor(math.log10(half))) if half > 0 else 2
    return f"{estimate.mean or 0.0:,.{digits}f} ± {half:,.{digits}f}"


STUDY = Study(
    name="pizza-time-orders",
    game=GAME,
    summary="how hard each order is: the pizzas that fill it against the movements that agents take",
    agents=("greedy:style=rebuilder", "greedy:style=hill-climber", "greedy:style=planner"),
    deals=400,
    run=run,
)
