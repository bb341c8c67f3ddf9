"""What each feature of a finished hand is worth to the team.

The features are those that score: a pair, triple or quad of a color or of a number, a run of 3, a run of 4. For each
agent, in games with copies of itself:

- *made*: how many of each feature a hand holds in the end;
- *points*: what they bring a hand; over all features these add up to the points of the hand;
- *worth*: what one more of the feature goes with in the TEAM's total. Every deal is played several times by the same
  agent, which draws other random numbers each time (ties, search, careless moves). The total of the table is regressed
  on how many of each feature one seat made, all features together, with a constant of its own for each deal and seat:
  so a play is compared only with other plays of the same seat in the same deal, and how good the cards were does not
  count. Were a feature free, its worth would be its printed points; what is missing is what the others were left
  without. Source: the within estimator (Wooldridge 2010, "Econometric Analysis of Cross Section and Panel Data",
  chapter 10), standard errors robust to everything that goes on within a deal (Liang and Zeger 1986).

The counts. A block is one deal with all its plays; `made` and `points` are means over blocks with t intervals, `worth`
has the t interval of the clustered standard error. What it does not say: worth compares plays that an agent's own
chance brought about, not orders to make a pair; where an agent hardly varies, there is little to compare.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import stdtrit

from engine.contract import Setup, load_game
from engine.games.robots_ate_our_pizza.notation import GROUP_NAMES, task_text
from engine.games.robots_ate_our_pizza.rules import (
    ANCHOVIES,
    GROUP_POINTS,
    LOWEST_TOTAL,
    N_CARDS,
    N_ROUNDS,
    N_TASKS,
    RUN_BLOCKS,
    RUN_POINTS,
    RUNS,
    find_features,
    sign_features,
)
from experiments.charts import draw_estimates, in_lines, look_of
from experiments.inference import mean_of
from experiments.self_play import compiled_players, finished_tables
from experiments.studies import Findings, Request, Study
from experiments.summary import CONFIDENCE, Estimate
from experiments.thresholds import parse_numbers

GAME = "robots-ate-our-pizza"
MOST_REPLAYS = 1000
SINGULAR = 1e-9  # an eigenvalue of correlations below it is 0
FEATURES = (
    *(f"{GROUP_NAMES[size]} of a {what}" for what in ("color", "number") for size in GROUP_NAMES),
    *(f"run of {length}" for length in RUN_POINTS),
)


def run(request: Request) -> Findings:
    """Play every deal several times with every agent, and look at the hands."""
    task = parse_numbers("task", request.options["task"], 1, N_TASKS)[0]
    n_replays = parse_numbers("replays", request.options["replays"], 2, MOST_REPLAYS)[0]
    topping, goal = divmod(task - 1, 4)
    if goal > LOWEST_TOTAL or topping == ANCHOVIES:
        raise ValueError(f"features add up to the team's total in tasks of a total without anchovies, not in {task}")
    if request.deals < 2:
        raise ValueError(f"feature-values wants at least 2 deals, not {request.deals}")
    setup = load_game(GAME, players=request.players, task=task)
    players = compiled_players(setup, request.agents, request.watcher)
    request.watcher.start(len(players) * n_replays * request.deals)
    rows = []
    for player in players:
        plays = []
        for replay in range(n_replays):
            seats = [player] * setup.players
            plays.append(finished_tables(setup, seats, range(request.deals), request.seed, replay)["tableau"])
            request.watcher.advance(request.deals)
        masks = np.stack(plays, axis=1)[:, :, : setup.players]  # (deals, replays, seats)
        rows.append({"agent": player.label, "features": values_of(setup, *features_of(setup, masks))})
    facts = {
        "game": GAME,
        "players": setup.players,
        "task": task,
        "seed": request.seed,
        "deals": request.deals,
        "replays": n_replays,
        "rows": rows,
    }
    return Findings(facts, draw(facts, setup))


def features_of(setup: Setup, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return how many of each feature hands hold, and the points that those bring: int64, shape (…, features).

    `masks` are hands of four cards as bit masks, of any shape.
    """
    bits = (masks.reshape(-1, 1) >> np.arange(N_CARDS, dtype=np.uint32)) & 1
    cards = np.nonzero(bits)[1].reshape(-1, N_ROUNDS)
    found = find_features(cards, RUNS.index(setup.options["runs"]))
    signed = sign_features(found, (int(setup.options["task"]) - 1) // 4)
    made, points = [], []
    groups = ((found.color_size, signed.colors), (found.number_size, signed.numbers))
    for (sizes, worth), size in itertools.product(groups, GROUP_NAMES):
        made.append((sizes == size).sum(axis=1))
        points.append(np.where(sizes == size, worth, 0).sum(axis=1))
    for length in RUN_POINTS:
        blocks = [place for place, (run_length, _) in enumerate(RUN_BLOCKS) if run_length == length]
        made.append(found.run_points[:, blocks].sum(axis=1) // RUN_POINTS[length])
        points.append(signed.runs[:, blocks].sum(axis=1))
    shape = (*masks.shape, len(FEATURES))
    return np.stack(made, axis=1).reshape(shape), np.stack(points, axis=1).reshape(shape)


def values_of(setup: Setup, made: np.ndarray, points: np.ndarray) -> list[dict[str, Any]]:
    """Return what each feature brings and is worth; both arrays have shape (deals, replays, seats, features)."""
    totals = setup.game.total(setup, points.sum(axis=3).reshape(-1, setup.players)).reshape(made.shape[:2])
    worth = within_regression(made.astype(np.float64), np.broadcast_to(totals[:, :, None], made.shape[:3]))
    printed = printed_points()
    rows = []
    for place, name in enumerate(FEATURES):
        rows.append(
            {
                "feature": name,
                "printed": printed[place],
                "made": asdict(mean_of(made[..., place].mean(axis=(1, 2)))),
                "points": asdict(mean_of(points[..., place].mean(axis=(1, 2)))),
                "worth": asdict(worth[place]),
            }
        )
    return rows


def printed_points() -> list[int]:
    """Return the points of each feature as printed, without the signs that toppings give."""
    groups = [int(GROUP_POINTS[size]) for size in GROUP_NAMES]
    return [*groups, *groups, *RUN_POINTS.values()]


def within_regression(made: np.ndarray, results: np.ndarray) -> list[Estimate]:
    """Regress results (deals, replays, seats) on counts (…, columns) with a constant for each deal and seat.

    Returns an estimate a column, its interval clustered by deal (CR1); None where a column never varies, or cannot be
    told from others.
    """
    n_deals, n_columns = len(made), made.shape[3]
    x = (made - made.mean(axis=1, keepdims=True)).reshape(n_deals, -1, n_columns)
    y = (results - results.mean(axis=1, keepdims=True)).reshape(n_deals, -1)
    inverse, is_known = _inverse(np.einsum("drc,drk->ck", x, x))
    slopes = inverse @ np.einsum("drc,dr->c", x, y)
    scores = np.einsum("drc,dr->dc", x, y - x @ slopes)
    covariance = inverse @ (scores.T @ scores) @ inverse * (n_deals / (n_deals - 1))
    width = float(stdtrit(n_deals - 1, 0.5 + CONFIDENCE / 2))
    halves = (width * np.sqrt(np.maximum(0.0, np.diag(covariance)))).tolist()
    return [
        Estimate(slope, slope - half, slope + half, n_deals) if known else Estimate(None, None, None, n_deals)
        for slope, half, known in zip(slopes.tolist(), halves, is_known.tolist(), strict=True)
    ]


def _inverse(products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pseudo-inverse of a matrix of products, and which columns it tells from all others (bool)."""
    scale = np.sqrt(np.diag(products))
    varies = scale > 0
    safe = np.where(varies, scale, 1.0)
    values, vectors = np.linalg.eigh(products / np.outer(safe, safe))
    is_null = values < SINGULAR
    inverse = (vectors[:, ~is_null] / values[~is_null]) @ vectors[:, ~is_null].T / np.outer(safe, safe)
    return inverse, varies & ((vectors[:, is_null] ** 2).sum(axis=1) < SINGULAR)


def draw(facts: dict[str, Any], setup: Setup) -> Figure:
    """Draw how often features are made, what they bring and what they are worth, a feature a line."""
    rows = facts["rows"]
    figure = Figure(figsize=(10.0, 4.6), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    names = (
        ("made", "made in 100 hands", 100.0),
        ("points", "points that they bring a hand", 1.0),
        ("worth", "worth of one to the team (points)", 1.0),
    )
    for panel, (name, words, scale) in zip(panels, names, strict=True):
        for number, row in enumerate(rows):
            shift = 0.7 * (number - (len(rows) - 1) / 2) / len(rows)
            places = [place + shift for place in range(len(FEATURES))]
            estimates = [Estimate(**each[name]) for each in row["features"]]
            label = in_lines(row["agent"], 40)
            draw_estimates(panel, places, estimates, across=True, scale=scale, label=label, **look_of(number))
        panel.set_xlabel(words)
        panel.axvline(0.0, color="black", linewidth=0.8)
        for place in range(len(FEATURES) - 1):
            panel.axhline(place + 0.5, color="0.9", linewidth=0.6, zorder=0)
    printed = [each["printed"] for each in rows[0]["features"]]
    lines = np.arange(len(FEATURES))
    panels[2].vlines(printed, lines - 0.45, lines + 0.45, color="black", linewidth=1.2, label="points as printed")
    panels[0].set_yticks(range(len(FEATURES)), FEATURES)
    panels[0].set_ylim(len(FEATURES) - 0.5, -0.5)
    handles, labels = panels[2].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=7.5, frameon=False)
    figure.suptitle(
        f"{setup.heading}, {task_text(facts['task'])}: what the features of a hand are worth\n{facts['deals']:,} "
        f"deals, each played {facts['replays']} times, seed {facts['seed']}; bars: 95 % intervals over deals",
        fontsize=9,
    )
    return figure


STUDY = Study(
    name="feature-values",
    game=GAME,
    summary="how often each feature of a hand is made, what it brings and what one is worth to the team",
    agents=("uniform", "greedy:style=own", "greedy:style=team,noise=0.1", "mcts:iterations=30,c=1,rollout=greedy"),
    deals=10_000,
    run=run,
    options={"task": "1", "replays": "4"},
)
