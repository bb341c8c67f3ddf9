"""Pictures of what only the rows of a run show: who beats whom, how strong agents are, and what a seat is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from engine.contract import Setup
from experiments.charts import MARKERS, PALETTE, in_lines, task_text
from experiments.ratings import Ratings
from experiments.summary import Estimate


def draw_head_to_head(setup: Setup, ratings: Ratings) -> Figure:
    """Draw how often each agent does better than each other at the same table, strongest first, as a colored table."""
    order = sorted(range(len(ratings.agents)), key=lambda place: -ratings.rated[place].value)
    n_agents = len(order)
    names = [in_lines(ratings.agents[place], 36) for place in order]
    longest = max(len(line) for name in names for line in name.splitlines())
    width = 0.85 * n_agents + 0.075 * longest + 1.0
    figure = Figure(figsize=(max(6.5, width), 0.6 * n_agents + 1.7), layout="constrained")
    panel = figure.subplots()
    cells = np.full((n_agents, n_agents), np.nan)
    for row, column in ratings.matrix:
        mean = ratings.matrix[row, column].mean
        cells[order.index(row), order.index(column)] = np.nan if mean is None else 100 * mean
    colors = colormaps["PuOr"].with_extremes(bad="#f0f0f0")
    panel.imshow(cells, cmap=colors, vmin=0, vmax=100, aspect="auto")
    differ = {
        frozenset((pair.first, pair.second))
        for pair in ratings.pairs
        if pair.p_adjusted < 0.05 and ratings.n_blocks > 1
    }
    for (row, column), each in ratings.matrix.items():
        if each.mean is None:
            continue
        is_dark = abs(each.mean - 0.5) > 0.3
        panel.text(
            order.index(column),
            order.index(row),
            f"{100 * each.mean:.1f}\n{_error_words(each)}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if is_dark else "black",
            fontweight="bold" if frozenset((row, column)) in differ else "normal",
        )
    panel.set_yticks(range(n_agents), [f"{name} [{n}]" for n, name in enumerate(names, start=1)])
    panel.set_xticks(range(n_agents), [f"[{n}]" for n in range(1, n_agents + 1)])
    panel.tick_params(length=0, labelsize=8)
    panel.tick_params(axis="x", labelbottom=False, labeltop=True)
    panel.spines[:].set_visible(False)
    figure.supxlabel(
        "how often the row did better than the column at the same table (%),\n± half a 95 % interval; "
        f"bold: ratings differ (all pairs at once, 5 %)\n{ratings.n_games:,} games, {ratings.n_blocks:,} deals",
        fontsize=8.5,
    )
    figure.suptitle(f"{setup.heading}{task_text(setup)}: head to head", fontweight="bold")
    return figure


def _error_words(each: Estimate) -> str:
    """Say how sure a share is; where all deals agree there is no interval to give."""
    return f"±{100 * each.half_width:.1f}" if each.half_width > 0 else f"{each.n_blocks:,} alike"


def draw_ratings(setup: Setup, ratings: Ratings) -> Figure:
    """Draw the ratings of a competitive run with their 95 % intervals, strongest on top."""
    order = sorted(ratings.rated, key=lambda each: each.value)
    figure = Figure(figsize=(8.0, 0.36 * len(order) + 1.9), layout="constrained")
    panel = figure.subplots()
    for place, each in enumerate(order):
        errors = [[max(0.0, each.value - each.low)], [max(0.0, each.high - each.value)]]
        panel.errorbar(each.value, place, xerr=errors, fmt="o", markersize=4.5, color=PALETTE[0], capsize=3)
        half = (each.high - each.low) / 2
        words = f"{each.value:.0f} ± {half:.0f}" if half > 0 else f"{each.value:.0f}"
        panel.text(1.01, place, words, transform=panel.get_yaxis_transform(), va="center", fontsize=8)
    panel.axvline(0, color="black", linewidth=0.8, linestyle="--", zorder=1)
    panel.set_yticks(range(len(order)), [in_lines(each.agent, 36) for each in order], fontsize=8)
    panel.set_ylim(-0.6, len(order) - 0.4)
    panel.set_xlabel("Elo: 400 points are odds of 10 to 1")
    bound = "" if ratings.bounded else "\nsome never lost or never met: such differences are lower bounds"
    figure.supxlabel(
        f"bars: 95 % intervals; {ratings.n_games:,} games, {ratings.n_blocks:,} deals; at 0: {ratings.anchor}{bound}",
        fontsize=8,
    )
    figure.suptitle(f"{setup.heading}{task_text(setup)}: ratings", fontweight="bold")
    return figure


def draw_seats(setup: Setup, measure: str, seats: Mapping[str, Sequence[Estimate]]) -> Figure:
    """Draw what each agent gets in each seat, as `experiments.seat_advantage.by_seat` returns it.

    `measure` is "share" (of the win; dashed: an even share) or "points".
    """
    scale = 100.0 if measure == "share" else 1.0
    figure = Figure(figsize=(max(6.5, 0.16 * setup.players * len(seats) + 4.0), 3.9), layout="constrained")
    panel = figure.subplots()
    step = 0.7 / max(1, len(seats))
    for number, (agent, estimates) in enumerate(seats.items()):
        known = [(seat, each) for seat, each in enumerate(estimates) if each.mean is not None]
        panel.errorbar(
            [seat + step * (number - (len(seats) - 1) / 2) for seat, _ in known],
            [scale * (each.mean or 0.0) for _, each in known],
            yerr=[scale * each.half_width for _, each in known],
            fmt=MARKERS[number % len(MARKERS)],
            markersize=4.5,
            color=PALETTE[number % len(PALETTE)],
            capsize=2.5,
            label=agent,
        )
    if measure == "share":
        panel.axhline(100 / setup.players, color="black", linewidth=0.8, linestyle="--", zorder=1)
    panel.set_xticks(range(setup.players), [f"seat {seat}" for seat in range(setup.players)])
    panel.set_xlim(-0.5, setup.players - 0.5)
    panel.set_ylabel("share of the win (%)" if measure == "share" else "points of the seat")
    n_blocks = max((each.n_blocks for estimates in seats.values() for each in estimates), default=0)
    dashed = "; dashed: an even share" if measure == "share" else ""
    panel.set_xlabel(f"means of up to {n_blocks:,} deals with 95 % intervals{dashed}")
    figure.legend(loc="outside lower center", ncols=1 if len(seats) > 3 else len(seats), frameon=False, fontsize=8)
    figure.suptitle(
        f"{setup.heading}{task_text(setup)}: {'shares of the win' if measure == 'share' else 'points'} by seat",
        fontweight="bold",
    )
    return figure
