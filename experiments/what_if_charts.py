"""Pictures of what-ifs: bars of paired differences, the largest on top, each with its interval."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from engine.contract import Setup
from experiments.calibrate import Calibration, KindOfGame
from experiments.charts import PALETTE, STYLE, save
from experiments.restricted import Restriction
from experiments.results import write_json
from experiments.summary import Estimate
from experiments.terminal import options_text
from experiments.what_if import Tornado, unit_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 36
MORE, LESS, UNSURE = (PALETTE[0], ""), (PALETTE[1], "////"), ("#d9d9d9", "")  # color and hatch
READING = "95 % intervals that hold for all bars at once; gray: may be no difference"
LINE_WIDTH = 135  # characters


@dataclass(frozen=True)
class Words:
    """What stands around the bars."""

    title: str
    axis: str
    notes: Sequence[str]


def draw_tornado(setup: Setup, answer: Tornado) -> Figure:
    """Draw every move of one option as a bar of its difference from the base."""
    bars = [(bar.move.words, bar.difference, bar.p_adjusted < 0.05) for bar in answer.bars]
    who = f"all seats {' / '.join(answer.agents)}{options_text(setup)}"
    deals = f"{answer.n_deals:,} common deals, seed {answer.seed}"
    notes = [f"{who}; {deals}; base {_with_error(answer.base)}; {READING}"]
    if len(bars) > MOST_BARS:
        notes.append(f"the {len(bars) - MOST_BARS} smallest bars are left out")
    if answer.without_effect:
        notes.append("no effect on any deal: " + ", ".join(move.words for move in answer.without_effect))
    axis = f"change of the mean: {unit_of(answer.measure, setup)}"
    return draw_bars(bars, Words(f"{setup.heading}: one option at a time", axis, notes))


def draw_restriction(setup: Setup, answer: Restriction) -> Figure:
    """Draw what changes without each habit as a bar."""
    scale = 1.0 if setup.cooperative else 100.0
    bars = [(each.meaning, each.change.scaled(scale), each.p_adjusted < 0.05) for each in answer.habits]
    if setup.cooperative:
        axis = "change of the team's result (points) without being allowed …"
        base = f"result with everything allowed {_with_error(answer.base)}"
    else:
        axis = "change of the share of the win (percentage points) without being allowed …"
        base = "one restricted seat among unrestricted copies"
    deals = f"{answer.n_deals:,} common deals, seed {answer.seed}"
    notes = [f"{answer.agent}{options_text(setup)}; {deals}; {base}; {READING}"]
    if answer.without_effect:
        notes.append("no effect on any deal: " + ", ".join(answer.without_effect))
    return draw_bars(bars, Words(f"{setup.heading}: what a habit is worth", axis, notes))


def draw_bars(bars: Sequence[tuple[str, Estimate, bool]], words: Words) -> Figure:
    """Draw differences (their names, estimates, and whether they are sure) from the top down, in their order."""
    shown = list(bars[:MOST_BARS])
    notes = [line for note in words.notes for line in textwrap.wrap(note, LINE_WIDTH)]
    figure = Figure(figsize=(8.5, 0.27 * len(shown) + 0.17 * len(notes) + 1.5), layout="constrained")
    panel = figure.subplots()
    for place, (_, estimate, is_sure) in enumerate(shown):
        mean = estimate.mean or 0.0
        color, hatch = UNSURE if not is_sure else MORE if mean > 0 else LESS
        panel.barh(place, mean, height=0.68, color=color, hatch=hatch, edgecolor="black", linewidth=0.6, zorder=2)
        panel.errorbar(mean, place, xerr=estimate.half_width, fmt="none", ecolor="black", elinewidth=1, capsize=2.5)
    low = min((each.low or 0.0 for _, each, _ in shown), default=0.0)
    high = max((each.high or 0.0 for _, each, _ in shown), default=0.0)
    room = 0.2 * (max(high, 0.0) - min(low, 0.0)) or 1.0
    for place, (_, estimate, _) in enumerate(shown):  # the figure stands beyond the interval, on the bar's side
        is_more = (estimate.mean or 0.0) > 0
        at = max(estimate.high or 0.0, 0.0) if is_more else min(estimate.low or 0.0, 0.0)
        panel.annotate(
            f"{estimate.mean or 0.0:+.3g}",
            (at, place),
            xytext=(4 if is_more else -4, 0),
            textcoords="offset points",
            ha="left" if is_more else "right",
            va="center",
            fontsize=7.5,
        )
    panel.set_xlim(min(low, 0.0) - room, max(high, 0.0) + room)
    panel.axvline(0, color="black", linewidth=0.9, zorder=3)
    panel.set_yticks(range(len(shown)), [name for name, _, _ in shown], fontsize=8)
    panel.set_ylim(len(shown) - 0.4, -0.6)
    panel.set_xlabel(words.axis)
    figure.suptitle(words.title, fontweight="bold")
    figure.supxlabel("\n".join(notes), fontsize=7.5, x=0.01, ha="left")
    return figure


LINES = ("--", "-.", ":", (0, (5, 1, 1, 1)), (0, (1, 3)))


def draw_calibration(answer: Calibration) -> Figure:
    """Draw for each kind of game which part of real groups and of the mixture comes to at most each result."""
    n_kinds = len(answer.kinds)
    n_rows = -(-n_kinds // 2)
    figure = Figure(figsize=(4.6 * min(2, n_kinds) + 2.2, 3.4 * n_rows + 1.3), layout="constrained")
    panels = figure.subplots(n_rows, min(2, n_kinds), squeeze=False).ravel()
    for panel, kind in zip(panels, answer.kinds, strict=False):
        _draw_kind(panel, kind)
    for panel in panels[n_kinds:]:
        panel.set_axis_off()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right center", fontsize=8, frameon=False)
    parts = ", ".join(
        f"{each.agent} {_part(each.weight.mean)} % ({_part(each.weight.low)} to {_part(each.weight.high)})"
        for each in answer.weights
    )
    distance = f"distance {answer.distance.mean or 0.0:.2f} points, {answer.expected_distance:.2f} by chance alone"
    scale = f"{answer.n_groups:,} groups, {answer.n_games:,} games of each agent, seed {answer.seed}"
    words = f"nearest mixture: {parts}; {distance} (p {answer.p_fit:.2g}); {scale}; 95 % intervals by resampling groups"
    width = 92 if n_kinds == 1 else 170
    figure.supxlabel("\n".join(textwrap.wrap(words, width)), fontsize=7.5, x=0.01, ha="left")
    figure.suptitle("Real groups and the mixture of bots nearest to them", fontweight="bold")
    return figure


def _draw_kind(panel: Axes, kind: KindOfGame) -> None:
    results = np.array(kind.results)
    real, mixture = 100 * np.array(kind.real), 100 * np.array(kind.mixture)
    panel.fill_between(results, real, mixture, step="post", color="#d9d9d9", label="distance", zorder=1)
    for number, (agent, column) in enumerate(kind.agents.items()):
        style: Any = {"color": PALETTE[1 + number % 5], "linestyle": LINES[number % len(LINES)], "linewidth": 1.0}
        panel.step(results, 100 * np.array(column), where="post", label=agent, zorder=2, **style)
    panel.step(results, mixture, where="post", color=PALETTE[0], linewidth=1.8, label="mixture", zorder=3)
    panel.step(results, real, where="post", color="black", linewidth=1.2, label="real groups", zorder=4)
    panel.set_xlabel("team's result (points)")
    panel.set_ylabel("come to at most so much (%)")
    panel.set_ylim(0, 101)
    panel.set_title(f"Task {kind.task}, {kind.players} players, {kind.n_groups:,} groups", loc="left", fontsize=9)


def _part(weight: float | None) -> str:
    return f"{100 * (weight or 0.0):.0f}"


def write_what_if(facts: Mapping[str, Any], draw: Callable[[], Figure], stem: Path) -> list[Path]:
    """Write the facts of an answer as JSON and its picture as PNG and SVG; return the paths."""
    path = stem.with_suffix(".json")
    write_json(path, facts)
    with mpl.rc_context(STYLE):
        return [path, *save(draw(), stem)]


def _with_error(estimate: Estimate) -> str:
    return f"{estimate.mean or 0.0:.2f} ± {estimate.half_width:.2f}"
