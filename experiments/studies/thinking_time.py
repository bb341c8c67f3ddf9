"""What thinking longer brings: the team's total against the iterations of a search, up to what is possible at all.

The counts. Every agent plays the same deals with copies of itself; a block is one deal. An agent with a knob
`iterations` becomes one player for each number of iterations that is asked for, all others are drawn as lines. The
*ceiling* of a deal is its clairvoyant optimum: the best total with all hands open, which no team can pass and none
can reach without seeing the hands. Intervals of totals are those of the deals that were dealt; what a team misses of
the ceiling is taken deal by deal, so its interval is that of a paired difference, and so are the steps from one
number of iterations to the next, whose p-values are adjusted for all steps (Holm). `way` is the part of the way from
the lowest agent to the ceiling, the relative skill of Borm and van der Genugten (2001) with the ceiling as the player
who knows what chance holds and the lowest agent as the beginner; its interval is that of a ratio of block sums.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from agents import load_all, parse_spec
from engine.contract import Setup, agent_names, find_agent, load_game
from engine.games.robots_ate_our_pizza.clairvoyant import clairvoyant_optimum
from engine.games.robots_ate_our_pizza.notation import task_text
from engine.games.robots_ate_our_pizza.rules import HIGHEST_TOTAL, N_TASKS
from engine.tables import deal_tables
from experiments.charts import LINES, draw_estimates, look_of
from experiments.inference import holm, mean_of, p_value, ratio_of
from experiments.self_play import points_of_copies
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate
from experiments.thresholds import parse_numbers
from experiments.tournament import plan_tournament

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "robots-ate-our-pizza"
MOST_ITERATIONS = 10_000_000


def run(request: Request) -> Findings:
    """Play all agents, the searching ones with every number of iterations."""
    task = parse_numbers("task", request.options["task"], 1, N_TASKS)[0]
    if (task - 1) % 4 != HIGHEST_TOTAL:
        raise ValueError(f"thinking-time draws a highest total (task 1, 5, 9 …), not task {task}")
    iterations = parse_numbers("iterations", request.options["iterations"], 1, MOST_ITERATIONS)
    setup = load_game(GAME, players=request.players, task=task)
    searching = {label: with_iterations(label, iterations) for label in request.agents if thinks(label)}
    resting = [label for label in request.agents if label not in searching]
    everybody = [*resting, *(each for several in searching.values() for each in several)]
    plan_tournament(setup, everybody, request.deals, request.seed, "self")  # all mistakes before the first game
    points = points_of_copies(setup, everybody, request.deals, request.seed, request.place, request.watcher)
    totals = {label: setup.game.total(setup, each).astype(np.float64) for label, each in points.items()}
    best = ceiling_of(setup, request.deals, request.seed)
    lowest = min(totals.values(), key=lambda each: float(each.mean()))
    facts: dict[str, Any] = {
        "game": GAME,
        "players": setup.players,
        "task": task,
        "seed": request.seed,
        "deals": request.deals,
        "iterations": iterations,
        "ceiling": asdict(mean_of(best)),
        "lines": [line_of(label, totals[label], best, lowest) for label in resting],
        "curves": [
            {
                "agent": label,
                "points": [line_of(each, totals[each], best, lowest) for each in several],
                "steps": steps_of([totals[each] for each in several]),
            }
            for label, several in searching.items()
        ],
    }
    return Findings(facts, draw(facts, setup))


def thinks(label: str) -> bool:
    """Tell whether an agent has a number of iterations that is left open."""
    load_all()
    spec = parse_spec(label)
    is_known = spec.name in agent_names()
    return is_known and "iterations" in find_agent(spec.name).knob_facts and "iterations" not in spec.knobs


def with_iterations(label: str, iterations: list[int]) -> list[str]:
    """Return the agent with each number of iterations."""
    spec = parse_spec(label)
    knobs = "".join(f",{name}={value}" for name, value in spec.knobs.items())
    return [f"{spec.name}:iterations={number}{knobs}" for number in iterations]


def ceiling_of(setup: Setup, deals: int, seed: int) -> np.ndarray:
    """Return the clairvoyant optimum of each deal, float64."""
    states = setup.blank_states(deals)
    deal_tables(states, setup.template, seed, 0)
    return clairvoyant_optimum(states).astype(np.float64)


def line_of(label: str, totals: np.ndarray, best: np.ndarray, lowest: np.ndarray) -> dict[str, Any]:
    """Return the mean total of one agent, what it misses of the ceiling, and its part of the way there."""
    return {
        "agent": label,
        "total": asdict(mean_of(totals)),
        "missed": asdict(mean_of(best - totals)),
        "way": asdict(ratio_of(totals - lowest, best - lowest)),
    }


def steps_of(totals: list[np.ndarray]) -> list[dict[str, Any]]:
    """Return the paired gain from each number of iterations to the next."""
    gains = [after - before for before, after in itertools.pairwise(totals)]
    adjusted = holm(np.array([p_value(each) for each in gains]))
    return [{"gain": asdict(mean_of(each)), "p_adjusted": float(p)} for each, p in zip(gains, adjusted, strict=True)]


def draw(facts: dict[str, Any], setup: Setup) -> Figure:
    """Draw totals above, what is missed of the ceiling below, over the iterations."""
    figure = Figure(figsize=(7.5, 6.0), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    iterations = facts["iterations"]
    left, right = iterations[0] / 1.4, iterations[-1] * 1.4
    best = Estimate(**facts["ceiling"])
    above.axhspan(best.low or 0.0, best.high or 0.0, color="0.85", linewidth=0)
    above.axhline(best.mean or 0.0, color="black", linewidth=1.2, label="clairvoyant ceiling")
    for number, curve in enumerate(facts["curves"]):
        looks = {**look_of(number), "linestyle": "-", "linewidth": 1.0}
        for panel, name in ((above, "total"), (below, "missed")):
            draw_estimates(
                panel, iterations, [Estimate(**each[name]) for each in curve["points"]], label=curve["agent"], **looks
            )
    for number, line in enumerate(facts["lines"], start=len(facts["curves"])):
        for panel, name in ((above, "total"), (below, "missed")):
            each = Estimate(**line[name])
            color = look_of(number)["color"]
            panel.axhspan(each.low or 0.0, each.high or 0.0, color=color, alpha=0.25, linewidth=0)
            panel.axhline(
                each.mean or 0.0, color=color, linestyle=LINES[1 + number % 3], linewidth=1.2, label=line["agent"]
            )
    _fit_below(below, facts)
    above.set_xscale("log")
    above.set_xlim(left, right)
    below.set_xticks(iterations, [f"{each:,}" for each in iterations])
    below.minorticks_off()
    below.set_xlabel("iterations of the search at each decision")
    above.set_ylabel("mean team total (points)")
    below.set_ylabel("missed of the ceiling (points)")
    handles, labels = above.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=7.5, frameon=False)
    figure.suptitle(
        f"{setup.heading}, {task_text(facts['task'])}: what thinking longer brings\n{facts['deals']:,} common deals, "
        f"seed {facts['seed']}; bars and bands: 95 % intervals, below of paired differences",
        fontsize=9,
    )
    return figure


def _fit_below(panel: Axes, facts: dict[str, Any]) -> None:
    """Scale the lower panel to the searches, and name the lines that lie far above them."""
    missed = [each["missed"]["high"] or each["missed"]["mean"] for curve in facts["curves"] for each in curve["points"]]
    lines = {line["agent"]: line["missed"]["mean"] for line in facts["lines"]}
    top = 1.25 * max(missed or lines.values()) or 1.0  # where nothing is missed
    panel.set_ylim(0, top)
    far = [f"{agent} {mean:.1f}" for agent, mean in lines.items() if mean > top]
    if far:
        panel.text(
            0.99, 0.95, f"off the scale: {', '.join(far)}", transform=panel.transAxes, ha="right", va="top", fontsize=8
        )


STUDY = Study(
    name="thinking-time",
    game=GAME,
    summary="team total against the iterations of a search, with the clairvoyant ceiling",
    agents=("mcts:c=1,patience=30,rollout=greedy", "greedy:style=team", "uniform"),
    deals=400,
    run=run,
    options={"iterations": "10,30,100,300,1000,3000", "task": "1"},
)
