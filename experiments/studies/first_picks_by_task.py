"""Which card is taken first when it is offered, task by task.

The counts. A seat's first pick is made from the five cards that it was dealt; an even choice takes each in 1/5 of
the cases. A card lies in at most one of those hands, so it is offered at most once a deal: the deals in which a card
is offered are independent, its pick rate has Wilson's interval, and whether it differs from 1/5 is tested exactly
(binomial), adjusted for all cards, tasks and agents of the picture (Holm). In a hand that is passed on, the seats
that pick first show their cards to the later ones; rates are means over all seats.

What it does not say: a card's rate depends on what lies beside it. It is a preference among random hands.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from scipy.stats import binomtest

from engine.contract import Setup, load_game
from engine.games.robots_ate_our_pizza.notation import COLOR_NAMES, task_text
from engine.games.robots_ate_our_pizza.rules import COLORS, HAND_SIZE, HIGHEST_NUMBER, N_CARDS, N_NUMBERS, N_TASKS
from engine.tables import deal_tables
from experiments.inference import holm
from experiments.studies import Findings, Request, Study
from experiments.summary import CONFIDENCE, Estimate, wilson
from experiments.thresholds import parse_numbers
from experiments.tournament import plan_tournament, play_tournament

GAME = "robots-ate-our-pizza"
EVEN = 1 / HAND_SIZE
MOST_MAPS_ABREAST = 4


def run(request: Request) -> Findings:
    """Play every task that is asked for."""
    tasks = in_order(request.options["tasks"])
    setups = [load_game(GAME, players=request.players, task=task) for task in tasks]
    plans = [plan_tournament(setup, request.agents, request.deals, request.seed, "self") for setup in setups]
    maps = []
    for setup, plan in zip(setups, plans, strict=True):
        frame = play_tournament(plan, None, request.place, request.watcher).frame()
        offered = hands_dealt(setup, request.deals, request.seed)
        for agent in plan.match.agents:
            rows = frame[(frame["agent"] == agent) & frame["first_action"].notna()]
            picked = np.bincount(rows["first_action"].to_numpy(dtype=np.int64), minlength=N_CARDS)
            maps.append({"task": setup.options["task"], "agent": agent, "cards": rates(picked, offered)})
    mark(maps)
    facts = {
        "game": GAME,
        "players": setups[0].players,
        "seed": request.seed,
        "deals": request.deals,
        "even_choice": EVEN,
        "maps": maps,
    }
    return Findings(facts, draw(maps, setups[0].players, request))


def in_order(text: str) -> list[int]:
    """Read tasks by commas, in the order in which they are named; ValueError says what is allowed."""
    allowed = parse_numbers("tasks", text, 1, N_TASKS)
    return allowed if text == "all" else list(dict.fromkeys(int(word) for word in text.split(",")))


def hands_dealt(setup: Setup, deals: int, seed: int) -> np.ndarray:
    """Count how often each card was dealt to a hand, int64 (32,)."""
    states = setup.blank_states(deals)
    deal_tables(states, setup.template, seed, 0)
    packed = np.ascontiguousarray(states["hands"][:, : setup.players]).astype("<u8")
    cards = packed.view(np.uint8).reshape(deals, setup.players, 8)[:, :, :HAND_SIZE]
    return np.bincount(cards.ravel(), minlength=N_CARDS)[:N_CARDS]


def rates(picked: np.ndarray, offered: np.ndarray) -> list[dict[str, Any]]:
    """Return for each card of the deck its pick rate when it was offered, with the p-value of "even"."""
    found = []
    for card in np.flatnonzero(offered):
        n_offered, n_picked = int(offered[card]), int(picked[card])
        share = n_picked / n_offered
        found.append(
            {
                "card": f"{COLORS[card // N_NUMBERS]}{card % N_NUMBERS + 1}",
                "n_offered": n_offered,
                "n_picked": n_picked,
                "rate": asdict(Estimate(share, *wilson(share, n_offered), n_offered)),
                "p_of_even": float(binomtest(n_picked, n_offered, EVEN).pvalue),
            }
        )
    return found


def mark(maps: list[dict[str, Any]]) -> None:
    """Write into every cell of all maps together whether it differs from an even choice (Holm, 5 %)."""
    cells = [cell for each in maps for cell in each["cards"]]
    for cell, p_adjusted in zip(cells, holm(np.array([cell["p_of_even"] for cell in cells])), strict=True):
        cell["p_adjusted"] = float(p_adjusted)
        cell["differs"] = bool(p_adjusted < 1 - CONFIDENCE)


def draw(maps: list[dict[str, Any]], players: int, request: Request) -> Figure:
    """Draw one heat map an agent and task: colors down, numbers across, percent in the cells."""
    n_across = min(MOST_MAPS_ABREAST, len(maps))
    n_down = -(-len(maps) // n_across)
    width = 2.45 if HIGHEST_NUMBER[players] <= 5 else 3.3
    figure = Figure(figsize=(width * n_across + 0.9, 1.75 * n_down + 0.9), layout="constrained")
    panels = figure.subplots(n_down, n_across, squeeze=False)
    most = max(cell["rate"]["mean"] for each in maps for cell in each["cards"])
    norm = TwoSlopeNorm(vcenter=20, vmin=0, vmax=max(40.0, 100 * most))
    image = None
    for panel, each in itertools.zip_longest(panels.flat, maps):
        if each is None:
            panel.set_axis_off()
            continue
        grid = np.full((len(COLORS), HIGHEST_NUMBER[players]), np.nan)
        for cell in each["cards"]:
            row, column = COLORS.index(cell["card"][0]), int(cell["card"][1]) - 1
            percent = 100 * cell["rate"]["mean"]
            if cell["differs"]:
                grid[row, column] = percent
            shade = norm(percent)
            ink = "#777777" if not cell["differs"] else "white" if shade < 0.18 or shade > 0.82 else "black"
            weight = "bold" if cell["differs"] else "normal"
            words = f"{percent:.0f}" if cell["differs"] else f"({percent:.0f})"
            panel.text(column, row, words, ha="center", va="center", color=ink, fontsize=7.5, fontweight=weight)
        image = panel.imshow(grid, cmap="PuOr_r", norm=norm, aspect="auto")
        panel.set_facecolor("#f4f4f4")
        panel.set_xticks(range(grid.shape[1]), range(1, grid.shape[1] + 1))
        panel.set_yticks(range(len(COLORS)), [COLOR_NAMES[letter] for letter in COLORS])
        panel.tick_params(length=0, labelsize=7.5)
        title = task_text(each["task"])
        if len(request.agents) > 1:
            title = f"{title}\n{each['agent']}"
        panel.set_title(title.replace(" with ", "\nwith "), fontsize=8, fontweight="normal")
    assert image is not None
    bar = figure.colorbar(image, ax=panels, shrink=0.7, aspect=30)
    bar.set_label("taken when offered (%)", fontsize=8)
    figure.supxlabel("number of the card", fontsize=9)
    agent = f"{request.agents[0]}, " if len(request.agents) == 1 else ""
    widest = max((cell["rate"]["high"] - cell["rate"]["low"]) / 2 for each in maps for cell in each["cards"])
    figure.suptitle(
        f"Robots Ate Our Pizza, {players} players: which card is taken first\n{agent}{request.deals:,} deals a task, "
        f"seed {request.seed}; 95 % intervals within ± {100 * widest:.1f}; in brackets: may be an even choice (20)",
        fontsize=9,
    )
    return figure


STUDY = Study(
    name="first-picks-by-task",
    game=GAME,
    summary="which card is taken first when it is offered, as heat maps by task",
    agents=("greedy:style=team",),
    deals=20_000,
    run=run,
    options={"tasks": "1,2,3,5,9,13,17,21"},
)
