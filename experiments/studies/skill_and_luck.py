"""How much of a result is skill and how much the luck of the deal, game by game.

Skill means here: how carefully one plays. In every game the players are the same four by recipe, its first style with
no, few, half and only careless (uniform random) moves; so what is compared are the games, not how good our bots are at
each. Everyone meets everyone on the same deals. In a competitive game a *line-up* is one agent in seat 0 and copies of
one agent in all other seats, and the result is seat 0's share of the win; in a cooperative game it is an agent with
copies of itself, and the result is the team's total. Every line-up plays every deal twice: the second time the agents
draw other random numbers, while the cards and all chance that the deal decides stay.

Let Y be the result of a line-up drawn at random, on a deal drawn at random. Its variance is cut into four parts, each a
covariance of two results, as in generalizability theory (Cronbach et al. 1972; Searle, Casella and McCulloch 1992,
chapter 5) and as in the first-order indices of Sobol (1993):

- *skill*: covariance of the same line-up on two different deals (who plays, and with whom);
- *deal*: covariance of different line-ups on the same deal: the intraclass correlation of deals, once divided by the
  whole variance (Shrout and Fleiss 1979);
- *both*: covariance of two plays of the same line-up on the same deal, beyond the sum of those two: deals that suit
  one line-up and not another;
- *dice*: what differs between two plays of the same line-up on the same deal: the agents' own random moves.

The four covariances are estimated without bias (results of different deals are never products of a deal with itself),
add up to the whole variance, and may come out a little below 0 where the truth is 0.

Two figures stand beside them. *Equals*: of the variance that is left when copies of one agent take all seats, the part
that the deal decides, which is the correlation of two plays of one deal. *Better*: the chance that the last agent, the
most careful, does better than another one. In a competitive game that is its share of what it and one seat of the
other win together, over both line-ups of one against copies. In a cooperative game it is the chance that its total on
one deal is higher than the other's on another deal, ties half (the common-language effect size of McGraw and Wong 1992;
Vargha and Delaney 2000).

The counts. A block is one deal with all its games; all intervals are percentile intervals of the block bootstrap.

What it does not say. The parts depend on who plays: among equals there is no skill to be seen, and a wider field shows
more (Duersch, Lambrecht and Oechssler 2020 measure a game's skill on the field that it attracts). The share of the win
is nearly a yes or no, the total of a team is not, so cooperative and competitive games are not on one scale. One game,
one hand or one race is meant: over many of them luck evens out. The relative skill of Borm and van der Genugten (2001)
wants the best play that knows the chance to come, which only one of our games has; `thinking-time` draws it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from engine.contract import Setup, find_game, game_names, load_game
from experiments.charts import PALETTE, draw_estimates, look_of
from experiments.inference import bootstrap_sums
from experiments.self_play import compiled_players, finished_tables, points_of, utility_of
from experiments.studies import Findings, Request, Study
from experiments.summary import CONFIDENCE, Estimate
from experiments.tally import win_shares

N_PLAYS = 2  # of each line-up on each deal
N_REPLICATES = 1000
PARTS = ("skill", "deal", "both", "dice")


@dataclass(frozen=True)
class Results:
    """The results of one game: `values` is float64 (deals, line-ups, plays); `line_ups` names seat 0 and the others."""

    setup: Setup
    agents: tuple[str, ...]
    line_ups: tuple[tuple[int, int], ...]  # places in `agents`
    values: np.ndarray


def run(request: Request) -> Findings:
    """Play every game that is asked for and take its variance apart."""
    if request.deals < 2 or len(request.agents) < 2:
        raise ValueError("skill and luck want at least 2 deals and 2 agents")
    names = request.options["games"].split(",")
    known = game_names()
    chosen = sorted(known, key=_is_competitive) if names == ["all"] else names
    setups = [load_game(name, players=request.players) for name in chosen]
    rows = []
    for setup in setups:
        results = play(setup, request)
        rows.append({"game": setup.name, "heading": setup.heading, **answer_of(results, request.seed)})
    facts = {
        "seed": request.seed,
        "deals": request.deals,
        "plays_of_a_deal": N_PLAYS,
        "replicates": N_REPLICATES,
        "agents": list(request.agents),
        "rows": rows,
    }
    return Findings(facts, draw(facts))


def _is_competitive(name: str) -> bool:
    return not find_game(name).cooperative


def play(setup: Setup, request: Request) -> Results:
    """Let every line-up play every deal twice."""
    players = compiled_players(setup, request.agents, request.watcher)
    places = range(len(players))
    pairs = [(one, other) for one in places for other in places]
    line_ups = [(place, place) for place in places] if setup.cooperative else pairs
    values = np.empty((request.deals, len(line_ups), N_PLAYS))
    request.watcher.start(values.size)
    deals = range(request.deals)
    for number, (one, other) in enumerate(line_ups):
        seats = [players[one if side == setup.sides[0] else other] for side in setup.sides]
        for replay in range(N_PLAYS):
            states = finished_tables(setup, seats, deals, request.seed, replay)
            if setup.cooperative:
                values[:, number, replay] = setup.game.total(setup, points_of(setup, states))
            else:
                partners = np.array(setup.sides) == setup.sides[0]
                values[:, number, replay] = win_shares(utility_of(setup, states))[1][:, partners].sum(axis=1)
            request.watcher.advance(request.deals)
    return Results(setup, tuple(player.label for player in players), tuple(line_ups), values)


def answer_of(results: Results, seed: int) -> dict[str, Any]:
    """Return the parts of the variance and the chances of doing better, as plain values."""
    values = results.values
    n_deals = len(values)
    columns = moments(values)
    sums = columns.sum(axis=0, keepdims=True)
    replicates = bootstrap_sums(columns, N_REPLICATES, seed)
    found = parts_of(sums, n_deals, values.shape[1])[0]
    scatter = parts_of(replicates, n_deals, values.shape[1])
    whole, resampled = found.sum(), scatter.sum(axis=1)
    shares, share_scatter = found / whole, scatter / resampled[:, None]
    n_line_ups = values.shape[1]
    means, mean_scatter = sums[0, :n_line_ups] / n_deals, replicates[:, :n_line_ups] / n_deals
    return {
        "players": results.setup.players,
        "result": "team total" if results.setup.cooperative else "share of the win",
        "n_deals": n_deals,
        "n_games": values.size,
        "variance": _estimate(whole, resampled, n_deals),
        "parts": {part: _estimate(shares[place], share_scatter[:, place], n_deals) for place, part in enumerate(PARTS)},
        "means": [
            {
                "seat_0": results.agents[one],
                "others": results.agents[other],
                **_estimate(means[place], mean_scatter[:, place], n_deals),
            }
            for place, (one, other) in enumerate(results.line_ups)
        ],
        "equals": equals_of(results, seed),
        "better": better_of(results, seed),
    }


def _estimate(value: float, scatter: np.ndarray, n_deals: int) -> dict[str, Any]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(scatter, [tail, 1 - tail])
    return {
        "mean": float(value),
        "low": float(min(low, value)),
        "high": float(max(high, value)),
        "n_blocks": n_deals,
    }


def moments(values: np.ndarray) -> np.ndarray:
    """Return what each deal adds to the sums that the parts are made of, float64 (deals, line-ups + 3).

    The mean of both plays of each line-up, then over line-ups: the mean of the squares of all results, of the products
    of both plays, and the square of the mean.
    """
    cells = values.mean(axis=2)
    squares = (values**2).mean(axis=(1, 2))
    products = values.prod(axis=2).mean(axis=1)
    return np.column_stack([cells, squares, products, cells.mean(axis=1) ** 2])


def parts_of(sums: np.ndarray, n_deals: int, n_line_ups: int) -> np.ndarray:
    """Return the four parts of the variance from sums of `moments` (…, line-ups + 3); shape (…, 4).

    With m = line-ups, D = deals, c for line-ups, d for deals, means with bars: products on the same deal are averaged
    over deals as they are, products on different deals come from squares of sums less what is on the same deal.
    """
    means = sums / n_deals
    cells, squares = means[:, :n_line_ups], means[:, n_line_ups]
    same_cell, deal_squares = means[:, n_line_ups + 1], means[:, n_line_ups + 2]
    # Σ over plays of one cell: (y1 + y2)²/4 = (y1² + y2²)/4 + y1·y2/2
    cell_squares = squares / 2 + same_cell / 2
    # E[y · y'], same deal, different line-ups: the square of a deal's mean less its own cells
    same_deal = (n_line_ups * deal_squares - cell_squares) / (n_line_ups - 1)
    # E[y · y'], different deals, same line-up; and any line-ups: squares of sums over deals less the same deal
    same_line_up = (n_deals * (cells**2).mean(axis=1) - cell_squares) / (n_deals - 1)
    neither = (n_deals * cells.mean(axis=1) ** 2 - deal_squares) / (n_deals - 1)
    # different deals, different line-ups, with which a deal's covariance is compared
    apart = (n_line_ups * neither - same_line_up) / (n_line_ups - 1)
    skill = same_line_up - neither
    deal = same_deal - apart
    both = (same_cell - neither) - skill - deal
    dice = squares - same_cell
    return np.stack([skill, deal, both, dice], axis=-1)


def equals_of(results: Results, seed: int) -> list[dict[str, Any]]:
    """Return for each agent among copies of itself the correlation of two plays of a deal."""
    found = []
    for place, agent in enumerate(results.agents):
        values = results.values[:, results.line_ups.index((place, place))]
        columns = np.column_stack([values.mean(axis=1), values.prod(axis=1), (values**2).mean(axis=1)])
        replicates = bootstrap_sums(columns, N_REPLICATES, seed)
        value = float(_correlation(columns.sum(axis=0, keepdims=True), len(values))[0])
        found.append({"agent": agent, **_estimate(value, _correlation(replicates, len(values)), len(values))})
    return found


def _correlation(sums: np.ndarray, n_deals: int) -> np.ndarray:
    """Return the intraclass correlation from sums of means, products and mean squares; 0 where nothing varies."""
    mean, product, square = (sums / n_deals).T
    cell_squares = square / 2 + product / 2
    apart = (n_deals * mean**2 - cell_squares) / (n_deals - 1)
    whole = square - apart
    return np.where(whole > 0, (product - apart) / np.where(whole > 0, whole, 1.0), 0.0)


def better_of(results: Results, seed: int) -> list[dict[str, Any]]:
    """Return the chance that the last agent, the most careful, does better than each other one."""
    best = len(results.agents) - 1
    found = []
    for other in range(best):
        if results.setup.cooperative:
            estimate = _higher_total(results.values[:, best], results.values[:, other], seed)
        else:
            estimate = _larger_share(results, best, other, seed)
        found.append({"agent": results.agents[best], "than": results.agents[other], **estimate})
    return found


def _larger_share(results: Results, best: int, other: int, seed: int) -> dict[str, Any]:
    """Return the share of the win that falls to `best` of what falls to it and one of the others, both ways seated."""
    n_others = len(set(results.setup.sides)) - 1
    alone = results.values[:, results.line_ups.index((best, other))].mean(axis=1)
    against = results.values[:, results.line_ups.index((other, best))].mean(axis=1)
    mine = np.stack([alone, (1 - against) / n_others], axis=1)
    theirs = np.stack([(1 - alone) / n_others, against], axis=1)
    columns = np.column_stack([mine.sum(axis=1), theirs.sum(axis=1)])
    sums, replicates = columns.sum(axis=0), bootstrap_sums(columns, N_REPLICATES, seed)
    return _estimate(sums[0] / sums.sum(), replicates[:, 0] / replicates.sum(axis=1), len(columns))


def _higher_total(mine: np.ndarray, theirs: np.ndarray, seed: int) -> dict[str, Any]:
    """Return the chance that a total of `mine` is higher than one of `theirs` (deals, plays) on another deal."""
    values = np.unique(np.concatenate([mine, theirs]))
    n_deals, n_values = len(mine), len(values)
    columns = np.zeros((n_deals, 2 * n_values))
    for play_number in range(N_PLAYS):
        columns[np.arange(n_deals), np.searchsorted(values, mine[:, play_number])] += 1
        columns[np.arange(n_deals), n_values + np.searchsorted(values, theirs[:, play_number])] += 1

    def chance(sums: np.ndarray) -> np.ndarray:
        first, second = sums[:, :n_values], sums[:, n_values:]
        below = np.cumsum(second, axis=1) - second / 2
        return (first * below).sum(axis=1) / (first.sum(axis=1) * second.sum(axis=1))

    replicates = bootstrap_sums(columns, N_REPLICATES, seed)
    return _estimate(float(chance(columns.sum(axis=0, keepdims=True))[0]), chance(replicates), n_deals)


TITLES = {
    "skill": "skill\n(who plays)",
    "deal": "luck of the deal",
    "both": "deals that suit\none and not another",
    "dice": "the agents' own\nrandom moves",
}
HATCHES = ("", "///", "\\\\\\", "xxx")


def draw(facts: dict[str, Any]) -> Figure:
    """Draw a row a game: the four parts, then equals, then the chances of doing better."""
    rows = facts["rows"]
    figure = Figure(figsize=(11.5, 0.55 * len(rows) + 2.2), layout="constrained")
    panels = figure.subplots(1, len(PARTS) + 2, sharey=True, width_ratios=[1] * len(PARTS) + [1.3, 1.3])
    places = list(range(len(rows)))
    for panel, part, color, hatch in zip(panels, PARTS, PALETTE, HATCHES, strict=False):
        parts = [_read(row["parts"][part]) for row in rows]
        lengths = [100 * (each.mean or 0.0) for each in parts]
        panel.barh(places, lengths, height=0.6, color=color, hatch=hatch, edgecolor="white", linewidth=0.0)
        draw_estimates(panel, places, parts, across=True, scale=100, color="black", capsize=2, elinewidth=1)
        for place, each in zip(places, parts, strict=True):
            panel.text(100 * max(each.high or 0.0, 0.0) + 4, place, f"{round(100 * (each.mean or 0.0))}", va="center")
        panel.set_title(TITLES[part], fontsize=8.5, fontweight="normal")
        panel.set_xlim(-4, 104)
        panel.set_xticks([0, 50, 100])
    panels[1].set_xlabel("part of the variance of a result (%)", fontsize=8.5, loc="left")
    equals, better = panels[-2:]
    for number, agent in enumerate(facts["agents"]):
        looks = look_of(number)
        draw_estimates(
            equals, places, [_read(row["equals"][number]) for row in rows], across=True, scale=100, label=agent, **looks
        )
        if number < len(facts["agents"]) - 1:
            draw_estimates(
                better, places, [_read(row["better"][number]) for row in rows], across=True, scale=100, **looks
            )
    equals.set_title("equals: what the deal\ndecides (%)", fontsize=8.5, fontweight="normal")
    equals.set_xlabel("correlation of two plays (%)", fontsize=8.5)
    equals.axvline(0, color="black", linewidth=0.8, linestyle="--")
    better.axvline(50, color="black", linewidth=0.8, linestyle="--")
    better.set_xlim(right=102)
    better.set_title(f"chance that {facts['agents'][-1]}\ndoes better than …", fontsize=8.5, fontweight="normal")
    better.set_xlabel("chance (%), ties half", fontsize=8.5)
    handles, labels = equals.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower right", ncols=4, fontsize=8, frameon=False)
    panels[0].set_yticks(places, [f"{row['heading']}\n({row['result']})" for row in rows], fontsize=8)
    panels[0].set_ylim(len(rows) - 0.4, -0.6)
    figure.suptitle(
        f"Skill and luck: {', '.join(facts['agents'])} in every line-up\n{facts['deals']:,} deals a game, each played "
        f"{facts['plays_of_a_deal']} times by every line-up, seed {facts['seed']}; bars: 95 % intervals over deals",
        fontsize=9,
    )
    return figure


def _read(fact: dict[str, Any]) -> Estimate:
    return Estimate(**{name: fact[name] for name in ("mean", "low", "high", "n_blocks")})


STUDY = Study(
    name="skill-and-luck",
    game="every game",
    summary="how much of a result is skill and how much the luck of the deal",
    agents=("uniform", "greedy:noise=0.5", "greedy:noise=0.2", "greedy"),
    deals=5000,
    run=run,
    options={"games": "all"},
)
