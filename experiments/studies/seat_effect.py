"""Who makes the points: what each seat gets beyond the table's mean, in the order of turns.

The counts and tests are those of `experiments.seat_advantage`: a block is one deal, played once by copies of an agent;
a seat's score is its points less the mean of its table; seats are counted from whoever moves first. "Does the turn
matter at all" is one test for each agent and number of players (Hotelling), and the p-values of all of them are
adjusted together (Holm).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from engine.contract import find_game, load_game
from engine.games.robots_ate_our_pizza.notation import task_text
from engine.games.robots_ate_our_pizza.rules import N_TASKS
from experiments.charts import draw_estimates, look_of
from experiments.inference import holm
from experiments.seat_advantage import seat_advantage
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate
from experiments.thresholds import parse_numbers
from experiments.tournament import plan_tournament

GAME = "robots-ate-our-pizza"


def run(request: Request) -> Findings:
    """Play every agent at every number of players, or at the one that was asked for."""
    task = parse_numbers("task", request.options["task"], 1, N_TASKS)[0]
    counts = find_game(GAME).players if request.players is None else (request.players,)
    setups = [load_game(GAME, players=players, task=task) for players in counts]
    for setup in setups:
        plan_tournament(setup, request.agents, request.deals, request.seed, "self")  # all mistakes before any game
    rows = []
    for setup in setups:
        for agent in request.agents:
            answer = seat_advantage(setup, agent, request.deals, request.seed, request.place, request.watcher)
            table = answer.tables[-1]  # by turn where deals begin at different seats, as they do here
            turns = [asdict(chair.effect) for chair in table.chairs]
            rows.append(
                {
                    "players": setup.players,
                    "agent": agent,
                    "n_blocks": answer.n_blocks,
                    "by": table.by,
                    "turns": turns,
                    "p_adjusted_of_turns": [chair.p_adjusted for chair in table.chairs],
                    "p_any": table.p_any,
                }
            )
    for row, p_adjusted in zip(rows, holm(np.array([row["p_any"] for row in rows])), strict=True):
        row["p_any_adjusted"] = float(p_adjusted)
    facts = {"game": GAME, "task": task, "seed": request.seed, "deals": request.deals, "rows": rows}
    return Findings(facts, draw(facts))


def draw(facts: dict[str, Any]) -> Figure:
    """Draw a panel a number of players, the turns across."""
    rows = facts["rows"]
    counts = sorted({row["players"] for row in rows})
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    figure = Figure(figsize=(max(6.0, 1.2 + 0.42 * sum(counts)), 3.6), layout="constrained")
    panels = figure.subplots(1, len(counts), sharey=True, squeeze=False, width_ratios=counts)[0]
    for panel, players in zip(panels, counts, strict=True):
        panel.axhline(0.0, color="black", linewidth=0.8, linestyle="--")
        for number, agent in enumerate(agents):
            row = next(row for row in rows if (row["players"], row["agent"]) == (players, agent))
            shift = 0.5 * (number - (len(agents) - 1) / 2) / max(1, len(agents))
            places = [1 + turn + shift for turn in range(players)]
            turns = [Estimate(**each) for each in row["turns"]]
            draw_estimates(panel, places, turns, label=agent, linestyle=":", linewidth=0.7, **look_of(number))
        panel.set_xticks(range(1, players + 1))
        panel.set_xlim(0.4, players + 0.6)
        panel.set_title(f"{players} players", fontsize=9, fontweight="normal")
    panels[0].set_ylabel("points of a seat less its table's mean")
    panels[len(counts) // 2].set_xlabel("turn in the first round")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=7.5, frameon=False)
    figure.suptitle(
        f"Robots Ate Our Pizza, {task_text(facts['task'])}: who makes the points\n{facts['deals']:,} deals an agent "
        f"and number of players, seed {facts['seed']}; bars: 95 % intervals",
        fontsize=9,
    )
    return figure


STUDY = Study(
    name="seat-effect",
    game=GAME,
    summary="points by turn less the table's mean, by agent and number of players",
    agents=(
        "uniform",
        "greedy:style=own",
        "greedy:style=team",
        "mcts:iterations=100,c=1,patience=30,rollout=greedy",
    ),
    deals=2000,
    run=run,
    options={"task": "1"},
)
