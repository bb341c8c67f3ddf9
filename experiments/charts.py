"""Pictures of a run: one style, labeled axes with units, intervals, readable in print and by the color-blind."""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from engine.contract import Setup
from experiments.summary import Estimate, LineUpLine, from_json, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from experiments.ratings import Ratings

# Okabe and Ito's palette: told apart with every common kind of color blindness.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")  # beside the colors, for gray print
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.facecolor": "white",
    "savefig.dpi": 150,
    "svg.hashsalt": "pizzabots",  # the same picture gives the same bytes
    "text.parse_math": False,  # names of agents are the user's text: a dollar in them is a dollar
}
BANDS = ("#e6f2ea", "#fdf3d8", "#fbe3d0", "#f4d3d3")  # 0, 1, 2, 3 slices lost
LOST = ("#eff3ff", "#bdd7e7", "#6baed6", "#2171b5")  # the same where each fills an area: darker with every slice


def draw_tournament(
    setup: Setup, lines: Sequence[LineUpLine], folder: Path, ratings: Ratings | None = None
) -> list[Path]:
    """Draw the pictures of a tournament as PNG and SVG into `folder`; return their paths.

    Those that need rows to be read again are left to `figures_of_run`.
    """
    return save_all(_figures(setup, lines, ratings), folder)


def figures_of_run(path: Path) -> dict[str, Figure]:
    """Draw all pictures of a finished run from its folder, by name, without playing.

    A run that kept only its summary has fewer. Raises ValueError when the folder is no run, or is not finished.
    """
    from experiments.charts_of_rows import draw_seats
    from experiments.ratings import rate_run, setup_of_run
    from experiments.results import load_run, read_config
    from experiments.seat_advantage import by_seat

    config, setup = read_config(path), setup_of_run(path)
    try:
        lines = from_json(json.loads((path / "summary.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(
            f"the run {str(path)!r} has no readable summary.json; the command that began it finishes it"
        ) from None
    has_rows = config["keep"] == "rows" and any((path / "parts").glob("part-*"))
    meet = any(not line.is_self_play for line in lines)
    figures = _figures(setup, lines, rate_run(path) if has_rows and meet and not setup.cooperative else None)
    if has_rows and setup.players > 1 and not _are_sessions(lines):  # a session's result is the same for every seat
        measure = "points" if setup.cooperative else "share"
        seats = by_seat(load_run(path, ["agent", "deal", "seat", measure]), measure, config["agents"])
        with mpl.rc_context(STYLE):
            figures["seats"] = draw_seats(setup, measure, seats)
    return figures


def _figures(setup: Setup, lines: Sequence[LineUpLine], ratings: Ratings | None) -> dict[str, Figure]:
    """Draw what the summary of a run shows, and its ratings if they are given."""
    alone = [line for line in lines if line.is_self_play] or list(lines)
    with mpl.rc_context(STYLE):
        figures = {"totals": draw_totals(setup, alone)} if setup.cooperative else {"shares": draw_shares(setup, lines)}
        figures["first-picks"] = draw_first_picks(setup, alone if setup.cooperative else lines)
        lost = _bands_of(setup)
        if lost is not None:
            figures["slices"] = draw_slices(setup, alone, lost)
        if ratings is not None and not ratings.cooperative:
            from experiments.charts_of_rows import draw_head_to_head, draw_ratings

            figures["head-to-head"] = draw_head_to_head(setup, ratings)
            figures["ratings"] = draw_ratings(setup, ratings)
    return figures


def save_all(figures: dict[str, Figure], folder: Path) -> list[Path]:
    """Write figures into a folder under their names; return the paths."""
    return [path for name, figure in figures.items() for path in save(figure, folder / name)]


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as PNG and SVG, without dates, so that the same figure gives the same files.

    The PNG has the 256 colors that come nearest, which makes it a third as large.
    """
    paths = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    pixels = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(pixels, format="png", metadata={"Software": None})
        figure.savefig(paths[1], metadata={"Date": None, "Creator": None})
    few_colors = Image.open(pixels).convert("RGB").quantize(256, kmeans=1, dither=Image.Dither.NONE)
    few_colors.save(paths[0], optimize=True, dpi=(STYLE["savefig.dpi"],) * 2)
    return paths


def draw_totals(setup: Setup, lines: Sequence[LineUpLine]) -> Figure:
    """Draw the distribution of the team's total for each line-up, over the bands of slices lost if known."""
    figure = Figure(figsize=(7.5, 1.1 * len(lines) + 1.6), layout="constrained")
    panels = figure.subplots(len(lines), 1, sharex=True, squeeze=False)[:, 0]
    order = sorted(lines, key=lambda line: line.total.mean or 0.0)
    results = [result for line in lines for result in line.totals]
    least, most = (min(results), max(results)) if results else setup.ranges.total
    lost = _bands_of(setup)
    for number, (panel, line) in enumerate(zip(panels, order, strict=True)):
        if lost is not None:
            _shade_bands(panel, lost, setup.ranges.total[0], least, most, named=number == 0)
        panel.set_xlim(least - 0.5, most + 0.5)
        _draw_total(panel, line, PALETTE[number % len(PALETTE)])
    is_session = _are_sessions(lines)
    name = "slices left" if is_session else "team totals" if setup.players > 1 else "points"
    panels[-1].set_xlabel("team total (points)" if name == "team totals" else name)
    figure.supylabel(f"share of {'sessions' if is_session else 'games'} (%)", fontsize=9)
    figure.suptitle(f"{setup.heading}{task_text(setup)}: {name}", fontweight="bold")
    return figure


def _are_sessions(lines: Sequence[LineUpLine]) -> bool:
    return any(line.success is not None for line in lines)


def _bands_of(setup: Setup) -> np.ndarray | None:
    """Return the slices that each result loses; None where the rules do not say, and in a session: it counts slices."""
    lost = None if setup.game.slices_lost is None else setup.game.slices_lost(setup)
    return None if lost is None or lost.max() >= len(BANDS) else lost


def _shade_bands(panel: Axes, lost: np.ndarray, first: int, least: int, most: int, named: bool) -> None:
    """Shade the results that lose the same number of slices, and name the bands."""
    results = np.arange(first, first + len(lost))
    for slices in range(4):
        inside = results[(lost == slices) & (results >= least) & (results <= most)]
        if not len(inside):
            continue
        panel.axvspan(inside[0] - 0.5, inside[-1] + 0.5, color=BANDS[slices], zorder=0, linewidth=0)
        if named:
            words = "loses none" if slices == 0 else f"loses {slices}"
            panel.text(
                (inside[0] + inside[-1]) / 2,
                1.02,
                words,
                transform=panel.get_xaxis_transform(),
                ha="center",
                fontsize=7.5,
            )


def _draw_total(panel: Axes, line: LineUpLine, color: str) -> None:
    results = np.array(sorted(line.totals))
    shares = np.array([line.totals[result] for result in results]) / max(1, line.n_games)
    panel.bar(results, 100 * shares, width=0.85, color=color, zorder=2)
    total = line.total
    if total.mean is not None:
        low, high = (total.mean, total.mean) if total.low is None or total.high is None else (total.low, total.high)
        panel.axvspan(low, high, color="black", alpha=0.25, zorder=3, linewidth=0)
        panel.axvline(total.mean, color="black", linewidth=1.2, zorder=4)
    mean = "no finished game" if total.mean is None else f"mean {total.mean:.2f} ± {total.half_width:.2f}"
    words = f"{_who(line)}\n{mean}, {line.n_games:,} games"
    left, right = panel.get_xlim()
    is_left = total.mean is not None and total.mean < (left + right) / 2  # the words go where the bars are not
    panel.text(
        0.99 if is_left else 0.01,
        0.95,
        words,
        ha="right" if is_left else "left",
        va="top",
        fontsize=8,
        transform=panel.transAxes,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5},
        zorder=5,
    )
    panel.set_ylim(0, 100 * shares.max() * 1.25 if len(shares) else 1)


def _who(line: LineUpLine) -> str:
    return line.agents[0].agent if line.is_self_play else line.lineup


def draw_slices(setup: Setup, lines: Sequence[LineUpLine], lost: np.ndarray) -> Figure:
    """Draw in which part of its games each team loses 0, 1, 2 and 3 slices.

    `lost` (int64) is by total less the least one. The whiskers are Wilson's intervals of losing at most so many, with
    the games taken as independent: those of a team of copies are.
    """
    figure = Figure(figsize=(8.0, 0.55 * len(lines) + 1.9), layout="constrained")
    panel = figure.subplots()
    order = sorted(lines, key=lambda line: line.total.mean or 0.0)
    for place, line in enumerate(order):
        counts = np.zeros(len(LOST), dtype=np.int64)
        for total, count in line.totals.items():
            counts[lost[total - setup.ranges.total[0]]] += count
        _draw_lost(panel, place, counts)
    names = [f"{in_lines(_who(line), 36)}\n{line.n_games:,} games" for line in order]
    panel.set_yticks(range(len(order)), names, fontsize=8)
    panel.set_ylim(-0.6, len(order) - 0.4)
    panel.set_xlim(0, 100)
    panel.set_xlabel("share of games (%); whiskers: 95 % intervals of losing at most so many slices")
    handles, labels = panel.get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    figure.legend(by_label.values(), by_label.keys(), loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    figure.suptitle(f"{setup.heading}{task_text(setup)}: slices lost", fontweight="bold")
    return figure


def _draw_lost(panel: Axes, place: int, counts: np.ndarray) -> None:
    n_games = int(counts.sum())
    if n_games == 0:
        return
    ends = (counts.cumsum() / n_games).tolist()
    for slices, (share, end) in enumerate(zip(counts / n_games, ends, strict=True)):
        name = "loses none" if slices == 0 else f"loses {slices}"
        left = 100 * (end - share)
        look: Any = {"color": LOST[slices], "edgecolor": "black", "linewidth": 0.6, "label": name}
        panel.barh(place, 100 * share, left=left, height=0.7, **look)
        if share >= 0.05:
            words = f"{100 * share:.0f} %"
            color = "white" if slices == 3 else "black"
            panel.text(left + 50 * share, place + 0.1, words, ha="center", va="bottom", fontsize=8, color=color)
        if share > 0 and end < 1:
            low, high = wilson(end, n_games)
            errors = [[100 * (end - low)], [100 * (high - end)]]
            lower = place - 0.06 - 0.12 * (slices % 2)  # neighbors may overlap
            panel.errorbar(100 * end, lower, xerr=errors, fmt="none", ecolor="black", elinewidth=1.0, capsize=2.5)


def draw_shares(setup: Setup, lines: Sequence[LineUpLine]) -> Figure:
    """Draw each agent's share of the win in each line-up, with 95 % intervals; dashed: an even share of a seat."""
    colors = itertools.cycle(PALETTE)
    rows = [(agent, color) for line, color in zip(lines, colors, strict=False) for agent in line.agents if agent.share]
    figure = Figure(figsize=(8.5, 0.28 * len(rows) + 1.4), layout="constrained")
    panel = figure.subplots()
    for place, (agent, color) in enumerate(reversed(rows)):
        share = agent.share
        if share is None or share.mean is None:
            continue
        panel.errorbar(
            100 * share.mean, place, xerr=100 * share.half_width, fmt="o", markersize=4, color=color, capsize=2.5
        )
    panel.axvline(100 / setup.players, color="black", linewidth=0.8, linestyle="--", zorder=1)
    panel.set_yticks(range(len(rows)), [agent.agent for agent, _ in reversed(rows)], fontsize=8)
    panel.set_ylim(-0.7, len(rows) - 0.3)
    panel.set_xlim(-2, 102)
    panel.set_xlabel("share of the win of a seat (%), with 95 % intervals; one color a line-up")
    figure.suptitle(f"{setup.heading}{task_text(setup)}: shares of the win", fontweight="bold")
    return figure


MOST_BARS = 32  # of first actions; the rarer ones share a bar


def draw_first_picks(setup: Setup, lines: Sequence[LineUpLine]) -> Figure:
    """Draw how often each agent's first action of a game is each action, with 95 % intervals.

    Actions that no agent ever takes first are left out, the rarest ones share a bar; the dashed line is an even choice
    among the others. The intervals take picks as independent: players of one deal cannot take the same card, so they
    are, if anything, too wide.
    """
    counts = _first_actions(sorted(lines, key=lambda line: line.total.mean or 0.0))
    together: dict[int, int] = {}
    for of_agent in counts.values():
        for action, count in of_agent.items():
            together[action] = together.get(action, 0) + count
    actions = sorted(sorted(together, key=lambda action: -together[action])[:MOST_BARS])
    names = [setup.game.notation.action_text(action) for action in actions]
    is_cut = len(together) > len(actions)
    size = (max(6.0, 0.36 * (len(actions) + is_cut) + 1.5), 1.15 * len(counts) + 1.4)
    figure = Figure(figsize=size, layout="constrained")
    if not counts:
        figure.suptitle("nobody made a move")
        return figure
    panels = figure.subplots(len(counts), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for number, (panel, agent) in enumerate(zip(panels, counts, strict=True)):
        bars = [counts[agent].get(action, 0) for action in actions]
        n_firsts = sum(counts[agent].values())
        if is_cut:
            bars.append(n_firsts - sum(bars))
        _draw_firsts(panel, bars, PALETTE[number % len(PALETTE)])
        panel.axhline(100 / len(together), color="black", linewidth=0.8, linestyle="--", zorder=1)
        words = f"{agent}   ({n_firsts:,} first picks; dashed: an even choice)"
        panel.set_title(words, loc="left", fontsize=8, fontweight="normal")
    turned = max(len(name) for name in names) > 3
    names += ["others"] * is_cut
    panels[-1].set_xticks(range(len(names)), names, fontsize=7.5, rotation=90 if turned else 0)
    panels[-1].set_xlabel("first action of a game")
    figure.supylabel("share of first picks (%)", fontsize=9)
    figure.suptitle(f"{setup.heading}{task_text(setup)}: first picks", fontweight="bold")
    return figure


def _first_actions(lines: Sequence[LineUpLine]) -> dict[str, dict[int, int]]:
    """Count each agent's first actions over all its line-ups, in the order in which the agents come."""
    counts: dict[str, dict[int, int]] = {}
    for agent in (agent for line in lines for agent in line.agents if agent.first_actions):
        of_agent = counts.setdefault(agent.agent, {})
        for action, count in agent.first_actions.items():
            of_agent[action] = of_agent.get(action, 0) + count
    return counts


def _draw_firsts(panel: Axes, bars: Sequence[int], color: str) -> None:
    n_firsts = sum(bars)
    shares = [count / n_firsts for count in bars]
    intervals = [wilson(share, n_firsts) for share in shares]
    errors = [
        [100 * (share - low) for share, (low, _) in zip(shares, intervals, strict=True)],
        [100 * (high - share) for share, (_, high) in zip(shares, intervals, strict=True)],
    ]
    places = np.arange(len(bars))
    heights = [100 * share for share in shares]
    panel.bar(places, heights, width=0.8, color=color, zorder=2)
    panel.errorbar(places, heights, yerr=errors, fmt="none", ecolor="black", elinewidth=0.8, zorder=3)


def task_text(setup: Setup) -> str:
    """Return what a title says of the task that is played, empty where there is none."""
    return f", Task {setup.options['task']}" if setup.options.get("mode") == "task" else ""


# Shared by studies: agents told apart by marker and line as well as by color, so that gray print is enough.

LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))


def look_of(number: int) -> dict[str, Any]:
    """Return how the points of the agent at place `number` of a list are drawn, for `errorbar`."""
    return {
        "color": PALETTE[number % len(PALETTE)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 4.5,
        "elinewidth": 1.0,
        "capsize": 2.0,
    }


def draw_estimates(panel: Axes, places: Sequence[float], estimates: Sequence[Estimate], **looks: Any) -> None:
    """Draw estimates with their intervals, above `places`, or beside them with `across=True`; unknown ones not.

    `scale` multiplies them (100 for percent); other keywords go to `errorbar`. Where no line style is given, points
    are not joined.
    """
    across, scale = looks.pop("across", False), looks.pop("scale", 1.0)
    known = [(place, each) for place, each in zip(places, estimates, strict=True) if each.mean is not None]
    at = [place for place, _ in known]
    means = [scale * (each.mean or 0.0) for _, each in known]
    lows = [0.0 if each.low is None else scale * ((each.mean or 0.0) - each.low) for _, each in known]
    highs = [0.0 if each.high is None else scale * (each.high - (each.mean or 0.0)) for _, each in known]
    errors = np.maximum(0.0, np.array([lows, highs]))  # rounding may miss by a hair
    style = {"linestyle": "none", **looks}
    if across:
        panel.errorbar(means, at, xerr=errors, **style)
    else:
        panel.errorbar(at, means, yerr=errors, **style)


def in_lines(agent: str, width: int = 26) -> str:
    """Return an agent's name broken after commas into lines of about `width` characters."""
    lines = [""]
    for piece in re.split(r"(?<=[,:])", agent):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)
