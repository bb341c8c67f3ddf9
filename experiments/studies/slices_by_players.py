"""How many slices the robots eat, by agent and number of players.

The counts. Each agent plays Task 1, whose slices table is printed in the rulebook, with copies of itself; all agents
play the same deals. A block is one deal, which is one game. The shares of games that lose 0, 1, 2 and 3 slices have
Wilson's intervals, their mean has the t interval of the blocks.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from matplotlib.figure import Figure

from engine.contract import Setup, find_game, load_game
from experiments.charts import draw_estimates, in_lines, look_of
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate, LineUpLine, wilson
from experiments.tournament import Plan, plan_tournament, play_tournament

GAME = "robots-ate-our-pizza"
MOST_LOST = 3
SHADES = ("#DDEFE6", "#F3CE6B", "#D9792F", "#6E1B2B")  # 0 to 3 slices lost: darker is worse, in gray print too


def run(request: Request) -> Findings:
    """Play every number of players, or the one that was asked for."""
    counts = find_game(GAME).players if request.players is None else (request.players,)
    setups = [load_game(GAME, players=players) for players in counts]
    plans = [
        plan_tournament(setup, request.agents, request.deals, request.seed, "self", keep="summary") for setup in setups
    ]
    tables = [_play(plan, request) for plan in plans]
    rows = [row for table in tables for row in table]
    facts = {"game": GAME, "task": 1, "seed": request.seed, "deals": request.deals, "rows": rows}
    return Findings(facts, draw(rows, request))


def _play(plan: Plan, request: Request) -> list[dict[str, Any]]:
    outcome = play_tournament(plan, None, request.place, request.watcher)
    lost = lost_by_total(plan.setup)
    return [row_of(plan.setup, line, lost) for line in outcome.lines]


def lost_by_total(setup: Setup) -> dict[int, int]:
    """Return the slices that each total loses."""
    assert setup.game.slices_lost is not None
    table = setup.game.slices_lost(setup)
    assert table is not None
    least = setup.ranges.total[0]
    return {least + place: int(lost) for place, lost in enumerate(table)}


def row_of(setup: Setup, line: LineUpLine, lost: dict[int, int]) -> dict[str, Any]:
    """Return what one agent's games lost, as plain values."""
    shares = []
    for slices in range(MOST_LOST + 1):
        n_games = sum(count for total, count in line.totals.items() if lost[total] == slices)
        share = n_games / max(1, line.n_games)
        low, high = wilson(share, max(1, line.n_games))
        shares.append({"slices_lost": slices, "games": n_games, "share": share, "low": low, "high": high})
    assert line.slices_lost is not None
    return {
        "players": setup.players,
        "agent": line.agents[0].agent,
        "n_games": line.n_games,
        "mean_slices_lost": asdict(line.slices_lost),
        "shares": shares,
    }


def draw(rows: list[dict[str, Any]], request: Request) -> Figure:
    """Draw the shares as bars, a panel a number of players, and below them the means."""
    counts = sorted({row["players"] for row in rows})
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    figure = Figure(figsize=(9.5, 3.9 + 0.3 * len(agents)), layout="constrained")
    above, below = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.35 + 0.3 * len(agents), 2.5))[:, 0]
    panels = above.subplots(1, len(counts), sharey=True, squeeze=False)[0]
    for panel, players in zip(panels, counts, strict=True):
        by_agent = {row["agent"]: row for row in rows if row["players"] == players}
        for place, agent in enumerate(agents):
            left = 0.0
            for each in by_agent[agent]["shares"]:
                width = 100 * each["share"]
                shade = SHADES[each["slices_lost"]]
                panel.barh(place, width, left=left, height=0.78, color=shade, edgecolor="white", linewidth=0.6)
                if width >= 13:
                    ink = "white" if each["slices_lost"] == MOST_LOST else "black"
                    panel.text(left + width / 2, place, f"{width:.0f}", ha="center", va="center", color=ink, fontsize=7)
                left += width
        panel.set_title(f"{players} players", fontweight="normal", fontsize=9)
        panel.set_xlim(0, 100)
        panel.set_xticks([0, 50, 100])
        panel.set_ylim(len(agents) - 0.4, -0.6)
    panels[0].set_yticks(range(len(agents)), [in_lines(agent) for agent in agents], fontsize=7.5)
    above.supxlabel("share of games (%)", fontsize=9)
    handles = [panels[0].barh(0, 0, color=shade) for shade in SHADES]
    above.legend(handles, ["loses none", "1 slice", "2", "3"], ncols=4, loc="outside upper right", fontsize=8)
    panel = below.subplots()
    for number, agent in enumerate(agents):
        means = [Estimate(**row["mean_slices_lost"]) for row in rows if row["agent"] == agent]
        draw_estimates(panel, counts, means, label=in_lines(agent), linestyle="-", linewidth=0.8, **look_of(number))
    panel.set_ylim(-0.1, MOST_LOST + 0.1)
    panel.set_xticks(counts)
    panel.set_xlabel("players")
    panel.set_ylabel("mean slices lost")
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7.5, frameon=False)
    widest = max((each["high"] - each["low"]) / 2 for row in rows for each in row["shares"])
    words = (
        f"{request.deals:,} games an agent and number of players, seed {request.seed}; 95 % intervals, those of the "
        f"shares within ± {100 * widest:.1f}"
    )
    figure.suptitle(f"Robots Ate Our Pizza, Task 1: slices lost\n{words}", fontsize=9)
    return figure


STUDY = Study(
    name="slices-by-players",
    game=GAME,
    summary="slices lost in Task 1 by agent and number of players",
    agents=(
        "uniform",
        "greedy:style=own",
        "greedy:style=color-hoarder",
        "greedy:style=team",
        "mcts:iterations=100,c=1,patience=30,rollout=greedy",
    ),
    deals=2000,
    run=run,
)
