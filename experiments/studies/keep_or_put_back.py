"""Keep or put back in Pizza Monsters: what an agent does with the topping that it drew, by what it and others hold.

Copies of one agent take all seats. A decision is a topping drawn first (jokers are laid at once). It is told apart by
three things: what feeding it would do for the mover (nothing, or the fewest slices that any pizza of his with that
topping has left: 1 finishes a pizza), how many rivals hold it, and how many orders are in the bag, the one drawn among
them. Each of them says so many bits of the decision: the mutual information of the two (Shannon 1948), an estimate
from the counts.

A block is a deal, played once, and decisions of a deal are not independent: a share is a ratio of sums over deals, its
standard error that of a ratio estimator (Cochran 1977, section 6), its interval Wilson's on as many decisions as would
give that error.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from agents import Player
from engine import tables
from engine.bits import population_count
from engine.contract import Setup, apply_action, choose, current_player, determinize, is_terminal, load_game, workspace
from engine.games.pizza_monsters.rules import CHOOSING, LAY, N_TOKENS, PIZZA_SIZE, count_of
from engine.kernel import kernel
from experiments.self_play import compiled_players
from experiments.studies import Findings, Request, Study
from experiments.summary import wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "pizza-monsters"
DEALS_AT_ONCE = 256
OWN = ("cannot\nfeed it", "4 slices\nleft", "3 slices\nleft", "2 slices\nleft", "last\nslice")
FEWEST = 30  # decisions in a cell that is drawn

# Counting.


@kernel
def _fewest_left(state: Any, seat: Any, topping: Any) -> int:
    """Return the fewest slices left on a pizza of a seat that has a topping; 0 where none has."""
    fewest: Any = 0
    for pizza in range(2):
        slices = state.pizzas[seat, pizza]
        if (slices >> np.uint64(8 * topping)) & np.uint64(0xFF) != np.uint64(0):
            n_left = np.int64(count_of(slices))
            if fewest == 0 or n_left < fewest:
                fewest = n_left
    return fewest


@kernel
def count_decisions(agent: Any, looks: bool, states: Any, streams: Any, counts: Any) -> None:
    """Play dealt tables to their end with one agent in all seats and count what it does with toppings drawn.

    `counts` is int32 of shape (tables, 5, 8, 11, 2): what feeding does for the mover (0 nothing, else 5 less the slices
    left), rivals who hold the topping, orders in the bag, and 1 where the order is kept.
    """
    scratch = states[:1].copy()
    space = workspace(agent, scratch)
    for table in range(len(states)):
        state = states[table]
        while not is_terminal(state):
            seat = int(current_player(state))
            scratch[0] = state
            rng = streams[table, seat : seat + 1]
            if looks:
                determinize(scratch[0], seat, rng)
            action = choose(agent, scratch[0], space, rng)
            if state.phase == CHOOSING:
                topping = np.int64(state.order)
                fewest = _fewest_left(state, seat, topping)
                rivals = 0
                for other in range(np.int64(state.players)):
                    if other != seat and _fewest_left(state, other, topping) > 0:
                        rivals += 1
                own = 0 if fewest == 0 else PIZZA_SIZE + 1 - fewest
                in_bag = population_count(np.uint64(state.bag))
                counts[table, own, rivals, in_bag, np.int64(action == LAY)] += 1
            apply_action(state, action)


@dataclass(frozen=True)
class Share:
    """How often a decision is to keep, with its 95 % interval; None where no such decision was met."""

    kept: int
    decisions: int
    share: float | None
    low: float | None
    high: float | None


class Ratios:
    """Sums over deals of decisions and of those to keep, of any shape, and of their squares and products."""

    def __init__(self, *shape: int) -> None:
        self.kept, self.decisions, self.kept_kept, self.kept_all, self.all_all = (
            np.zeros(shape, dtype=np.int64) for _ in range(5)
        )

    def add(self, counts: np.ndarray) -> None:
        """Add deals: `counts` is int64 of shape (deals, …, 2), as `count_decisions` writes them, or sums of such."""
        kept, decisions = counts[..., 1], counts.sum(axis=-1)
        self.kept += kept.sum(axis=0)
        self.decisions += decisions.sum(axis=0)
        self.kept_kept += (kept * kept).sum(axis=0)
        self.kept_all += (kept * decisions).sum(axis=0)
        self.all_all += (decisions * decisions).sum(axis=0)

    def share(self, *place: int) -> Share:
        """Return the share of one place."""
        kept, decisions = int(self.kept[place]), int(self.decisions[place])
        if decisions == 0:
            return Share(0, 0, None, None, None)
        share = kept / decisions
        scatter = self.kept_kept[place] - 2 * share * self.kept_all[place] + share * share * self.all_all[place]
        variance = float(scatter) / decisions**2
        n_effective = share * (1 - share) / variance if variance > 1e-15 else float(decisions)
        return Share(kept, decisions, share, *wilson(share, min(n_effective, decisions)))

    def shares(self) -> list[list[Share]]:
        """Return the shares of two-dimensional sums."""
        rows, columns = self.kept.shape
        return [[self.share(row, column) for column in range(columns)] for row in range(rows)]


def information(kept: np.ndarray, decisions: np.ndarray) -> float:
    """Return the mutual information, in bits, of a decision and what it is told apart by, from counts of any shape."""
    joint = np.stack([kept, decisions - kept], axis=-1).reshape(-1, 2) / decisions.sum()
    even = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    some = joint > 0
    return float((joint[some] * np.log2(joint[some] / even[some])).sum())


@dataclass(frozen=True)
class Habits:
    """What an agent does with the toppings that it draws."""

    agent: str
    players: int
    overall: Share
    bits: dict[str, float]  # that each thing says of the decision
    by_rivals: list[list[Share]]  # what feeding does for the mover, rivals who hold the topping
    by_bag: list[list[Share]]  # the same, orders in the bag from 0 to 10


def play_decisions(setup: Setup, player: Player, request: Request) -> Habits:
    """Let copies of an agent play, and count its decisions."""
    by_all, by_rivals, by_bag = Ratios(1), Ratios(len(OWN), setup.players), Ratios(len(OWN), N_TOKENS + 1)
    cells = np.zeros((len(OWN), setup.players, N_TOKENS + 1, 2), dtype=np.int64)
    for first in range(0, request.deals, DEALS_AT_ONCE):
        n_deals = min(DEALS_AT_ONCE, request.deals - first)
        states = setup.blank_states(n_deals)
        streams = np.zeros((n_deals, setup.players), dtype=np.uint64)
        tables.deal_tables(states, setup.template, request.seed, first)
        tables.start_streams(streams, request.seed, first, 0)
        counts = np.zeros((n_deals, *cells.shape), dtype=np.int32)
        count_decisions(player.knobs, player.looks, states, streams, counts)
        wide = counts.astype(np.int64)
        by_all.add(wide.sum(axis=(1, 2, 3))[:, None])
        by_rivals.add(wide.sum(axis=3))
        by_bag.add(wide.sum(axis=2))
        cells += wide.sum(axis=0)
        request.watcher.advance(n_deals)
    axes = {"own": (1, 2), "rivals": (0, 2), "bag": (0, 1), "own and rivals": (2,), "own and bag": (1,)}
    bits = {}
    for name, others in {**axes, "all three": ()}.items():
        sums = cells.sum(axis=others)
        bits[name] = information(sums[..., 1], sums.sum(axis=-1))
    return Habits(player.label, setup.players, by_all.share(0), bits, by_rivals.shares(), by_bag.shares())


def run(request: Request) -> Findings:
    """Play with four players, or as many as are asked for."""
    setup = load_game(GAME, players=request.players or 4)
    players = compiled_players(setup, request.agents, request.watcher)
    request.watcher.start(request.deals * len(players))
    found = [play_decisions(setup, player, request) for player in players]
    facts = {
        "seed": request.seed,
        "deals": request.deals,
        "own": [words.replace("\n", " ") for words in OWN],
        "agents": [asdict(each) for each in found],
    }
    return Findings(facts, draw(found, request))


# Drawing.


def draw(found: list[Habits], request: Request) -> Figure:
    """Draw how often each agent keeps an order: by rivals who hold it, and by orders in the bag."""
    figure = Figure(figsize=(10.0, 2.9 * len(found) + 1.1), layout="constrained")
    panels = figure.subplots(len(found), 2, squeeze=False, width_ratios=(found[0].players, 9))
    for row, habits in zip(panels, found, strict=True):
        _draw_shares(row[0], habits.by_rivals, [str(number) for number in range(habits.players)])
        _draw_shares(row[1], [line[2:] for line in habits.by_bag], [str(number) for number in range(2, N_TOKENS + 1)])
        overall = habits.overall
        words = f"{habits.agent}: keeps {100 * (overall.share or 0.0):.0f} % of {overall.decisions:,}"
        row[0].set_title(words, loc="left", fontsize=8.5)
        row[0].set_yticks(range(len(OWN)), OWN, fontsize=8)
        row[0].set_ylabel("own pizza with that topping")
        row[1].set_yticks([])
    panels[-1][0].set_xlabel("rivals who hold the topping drawn")
    panels[-1][1].set_xlabel("orders in the bag, the one drawn among them")
    figure.supxlabel(
        "how often the order is kept (%), ± half a 95 % interval, below it the number of decisions; cells with fewer "
        f"than {FEWEST} left out\n{found[0].players} players, the same agent in all seats, "
        f"{request.deals:,} deals, seed {request.seed}",
        fontsize=8,
    )
    figure.suptitle("Pizza Monsters: when to keep the order and when to put it back", fontweight="bold")
    return figure


def _draw_shares(panel: Axes, shares: list[list[Share]], columns: list[str]) -> None:
    values = np.array(
        [
            [np.nan if each.share is None or each.decisions < FEWEST else 100 * each.share for each in row]
            for row in shares
        ]
    )
    colormap = colormaps["PuOr"].with_extremes(bad="#f2f2f2")
    panel.imshow(values, cmap=colormap, vmin=-10, vmax=110, aspect="auto")
    for row, of_row in enumerate(shares):
        for column, each in enumerate(of_row):
            if np.isnan(values[row, column]) or each.high is None or each.low is None:
                continue
            words = f"{values[row, column]:.0f}±{50 * (each.high - each.low):.0f}\n{_short(each.decisions)}"
            color = "white" if abs(values[row, column] - 50) > 35 else "black"
            panel.text(column, row, words, ha="center", va="center", fontsize=7, color=color)
    panel.set_xticks(range(len(columns)), columns)
    panel.tick_params(length=0)
    panel.spines[:].set_visible(False)


def _short(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"


STUDY = Study(
    name="keep-or-put-back",
    game=GAME,
    summary="when a topping drawn is kept and when it is put back, by what the player and his rivals hold",
    agents=("greedy:style=planner", "greedy:style=bag-counter"),
    deals=5000,
    run=run,
)
