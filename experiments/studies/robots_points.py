"""What a hand of ROBOTS! brings: points by style, of those who win it and of those who lose it.

The counts. Every pair of agents plays every deal in both seatings (with more than two players: the tournament's
round-robin), one hand a game. A block is one deal with all games on it. A seat's points are those of its hand; the
winners are the seats that alone have most points, the losers those that have not, and seats that tie for first are
neither. Means are totals over counts of the blocks (a ratio, as blocks hold different numbers of winners), so games on
one deal never count as independent. The distributions are shares of all hands of an agent, quantiles of the same.

What it does not say: points depend on the opponents at hand. They are the other agents of the picture.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from engine.contract import load_game
from experiments.charts import PALETTE, in_lines
from experiments.inference import ratio_of
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate
from experiments.tournament import plan_tournament, play_tournament

GAME = "robots"
BIN = 10  # points that one bar of the picture holds
OUTLYING = 0.003  # share of hands at either end that the picture puts into its last bar
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def run(request: Request) -> Findings:
    """Play all line-ups and count hands."""
    setup = load_game(GAME, players=request.players)
    plan = plan_tournament(setup, request.agents, request.deals, request.seed)
    frame = play_tournament(plan, None, request.place, request.watcher).frame()
    frame = frame[frame["points"].notna()]
    rows = [{"agent": agent, **hands_of(frame[frame["agent"] == agent], request.deals)} for agent in plan.match.agents]
    facts = {
        "game": GAME,
        "players": setup.players,
        "seed": request.seed,
        "deals": request.deals,
        "schedule": plan.schedule,
        "rows": rows,
    }
    return Findings(facts, draw(facts, setup.heading))


def hands_of(rows: pd.DataFrame, deals: int) -> dict[str, Any]:
    """Return what one agent's hands came to, from its rows in all games."""
    deal = rows["deal"].to_numpy(dtype=np.int64)
    points = rows["points"].to_numpy(dtype=np.int64)
    share = rows["share"].to_numpy(dtype=np.float64)
    chosen = {"all": np.ones(len(rows), dtype=bool), "winners": share == 1.0, "losers": share == 0.0}
    found: dict[str, Any] = {"n_hands": len(rows), "share_of_win": asdict(_mean(deal, share, deals))}
    for name, inside in chosen.items():
        values, counts = np.unique(points[inside], return_counts=True)
        some = points[inside]
        found[name] = {
            "n_hands": int(inside.sum()),
            "mean": asdict(_mean(deal[inside], some, deals)),
            "deviation": float(some.std()) if len(some) else None,
            "quantiles": dict(zip(map(str, QUANTILES), np.quantile(some, QUANTILES).tolist(), strict=True))
            if len(some)
            else {},
            "hands_by_points": {str(value): int(count) for value, count in zip(values, counts, strict=True)},
        }
    return found


def _mean(deal: np.ndarray, values: np.ndarray, deals: int) -> Estimate:
    """Return the mean of some hands with an interval over deals."""
    sums = np.bincount(deal, weights=values, minlength=deals)
    return ratio_of(sums, np.bincount(deal, minlength=deals).astype(np.float64))


def bounds(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Return the least and the largest bar: all but three hands in a thousand lie within, on either side."""
    every: dict[int, int] = {}
    for row in rows:
        for points, count in row["all"]["hands_by_points"].items():
            every[int(points)] = every.get(int(points), 0) + count
    values = np.array(sorted(every))
    reached = np.cumsum([every[value] for value in values.tolist()]) / sum(every.values())
    least, most = values[np.searchsorted(reached, OUTLYING)], values[np.searchsorted(reached, 1 - OUTLYING)]
    return int(BIN * (least // BIN)), int(BIN * (most // BIN))


def draw(facts: dict[str, Any], heading: str) -> Figure:
    """Draw a row an agent, best first: the points of winners up, of losers down."""
    rows = sorted(facts["rows"], key=lambda row: -row["share_of_win"]["mean"])
    first, last = bounds(rows)
    figure = Figure(figsize=(8.0, 0.78 * len(rows) + 1.7), layout="constrained")
    panels = figure.subplots(len(rows), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    looks = (("winners", 1.0, PALETTE[0], ""), ("losers", -1.0, PALETTE[4], "////"))
    for panel, row in zip(panels, rows, strict=True):
        for name, sign, color, hatch in looks:
            edges = np.arange(first, last + 2 * BIN, BIN)
            heights = np.zeros(len(edges) - 1)
            for points, count in row[name]["hands_by_points"].items():
                heights[(min(last, max(first, int(points))) - first) // BIN] += sign * count / row["n_hands"]
            label = f"{name}: above" if sign > 0 else f"{name}: below"
            panel.stairs(heights, edges, fill=True, color=color, hatch=hatch, edgecolor="white", label=label)
            mean = Estimate(**row[name]["mean"])
            if mean.mean is not None:
                high = 0.98 if sign > 0 else 0.02
                panel.axvline(
                    mean.mean, ymin=min(0.5, high), ymax=max(0.5, high), color="black", linewidth=1.2, zorder=4
                )
                panel.text(
                    mean.mean,
                    high,
                    f" {mean.mean:.1f} ± {mean.half_width:.1f}",
                    transform=panel.get_xaxis_transform(),
                    va="top" if sign > 0 else "bottom",
                    fontsize=7,
                    zorder=5,
                )
        share = Estimate(**row["share_of_win"])
        whole = Estimate(**row["all"]["mean"])
        panel.text(
            0.995,
            0.52,
            f"{in_lines(row['agent'], 34)}\nwins {100 * (share.mean or 0.0):.1f} ± {100 * share.half_width:.1f} %\n"
            f"mean {whole.mean:.1f} ± {whole.half_width:.1f}",
            transform=panel.transAxes,
            ha="right",
            va="bottom",
            fontsize=7.5,
        )
        panel.hlines(0.0, first, last + BIN, color="black", linewidth=0.6)
        panel.axvline(0.0, color="0.6", linewidth=0.6, zorder=0)
        panel.set_yticks([])
        panel.spines["left"].set_visible(False)
        if panel is not panels[-1]:
            panel.spines["bottom"].set_visible(False)
            panel.tick_params(bottom=False)
    width = last - first
    panels[-1].set_xlim(first - BIN, last + BIN + 0.22 * width)
    panels[-1].set_xlabel(f"points of a hand, {BIN} to a bar, rarer ones in the outermost; black: means")
    figure.supylabel("share of an agent's hands, one scale for all", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    hands = rows[0]["n_hands"]
    figure.suptitle(
        f"{heading}: points of a hand of those who win it and those who lose it\n{facts['schedule']}, "
        f"{facts['deals']:,} deals, {hands:,} hands an agent, seed {facts['seed']}; ±: half a 95 % interval over deals",
        fontsize=9,
    )
    return figure


STUDY = Study(
    name="robots-points",
    game=GAME,
    summary="points of a hand by style, of winners and losers",
    agents=(
        "greedy:style=balanced",
        "greedy:style=run-builder",
        "greedy:style=set-collector",
        "greedy:style=early-dumper",
        "greedy:style=hoarder",
        "greedy:style=heap-raider",
        "greedy:style=robot-constructor",
        "greedy:style=laser-bully",
        "greedy:style=star-gambler",
    ),
    deals=4000,
    run=run,
)
