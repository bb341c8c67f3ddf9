"""How long the race of Pizza Monsters takes: turns to the end, by number of players and style.

Copies of one agent take all seats. A turn is one order laid on the table, at which all may feed, so turns are what a
player waits for, and turns / players how often he draws himself. A block is a deal, played once; agents of one number
of players play the same deals.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from matplotlib.figure import Figure

from engine.contract import load_game
from experiments.charts import MARKERS, PALETTE
from experiments.inference import mean_of
from experiments.self_play import compiled_players, finished_tables
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate

GAME = "pizza-monsters"
DEALS_AT_ONCE = 4096


@dataclass(frozen=True)
class Race:
    """How long the games of copies of one agent take, and the spread of single games."""

    agent: str
    players: int
    turns: Estimate
    deviation: float  # standard deviation of a game
    shortest: int
    longest: int


def play_races(players: int, agents: tuple[str, ...], request: Request) -> list[Race]:
    """Let copies of each agent play the same deals."""
    setup = load_game(GAME, players=players)
    races = []
    for player in compiled_players(setup, agents, request.watcher):
        parts = []
        for first in range(0, request.deals, DEALS_AT_ONCE):
            deals = range(first, min(first + DEALS_AT_ONCE, request.deals))
            parts.append(finished_tables(setup, [player] * players, deals, request.seed)["turns"].astype(np.float64))
            request.watcher.advance(len(deals))
        turns = np.concatenate(parts)
        deviation = float(turns.std(ddof=1)) if len(turns) > 1 else 0.0
        races.append(Race(player.label, players, mean_of(turns), deviation, int(turns.min()), int(turns.max())))
    return races


def run(request: Request) -> Findings:
    """Play with every number of players, or the one that is asked for."""
    load_game(GAME, players=request.players)
    numbers = range(2, 9) if request.players is None else (request.players,)
    request.watcher.start(request.deals * len(numbers) * len(request.agents))
    races = [race for players in numbers for race in play_races(players, request.agents, request)]
    facts = {"seed": request.seed, "deals": request.deals, "races": [asdict(race) for race in races]}
    return Findings(facts, draw(races, request))


def draw(races: list[Race], request: Request) -> Figure:
    """Draw mean turns against the number of players, a line an agent."""
    figure = Figure(figsize=(8.0, 4.6), layout="constrained")
    panel = figure.subplots()
    for number, agent in enumerate(dict.fromkeys(race.agent for race in races)):
        of_agent = [race for race in races if race.agent == agent]
        panel.errorbar(
            [race.players for race in of_agent],
            [race.turns.mean or 0.0 for race in of_agent],
            yerr=[race.turns.half_width for race in of_agent],
            color=PALETTE[number % len(PALETTE)],
            marker=MARKERS[number % len(MARKERS)],
            linestyle=("-", "--", ":", "-.")[number % 4],
            markersize=4.5,
            linewidth=1.2,
            capsize=2.5,
            label=agent,
        )
    panel.set_xticks(sorted({race.players for race in races}))
    panel.set_xlabel("players")
    panel.set_ylabel("turns to the end of the game")
    figure.legend(loc="outside right upper", frameon=False, fontsize=8)
    figure.supxlabel(
        f"{request.deals:,} games a point, seed {request.seed}, the same agent in all seats; bars: 95 % intervals",
        fontsize=8,
    )
    figure.suptitle("Pizza Monsters: how long the race takes", fontweight="bold")
    return figure


STUDY = Study(
    name="monster-race",
    game=GAME,
    summary="turns to the end of the game by number of players and style",
    agents=(
        "greedy:style=planner",
        "greedy:style=racer",
        "greedy:style=keep-if-match",
        "greedy:style=denier",
        "greedy:style=finisher",
        "greedy:style=bag-counter",
    ),
    deals=10_000,
    run=run,
)
