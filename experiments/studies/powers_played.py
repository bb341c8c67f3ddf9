"""How often each power of ROBOTS! is played, by style.

The counts. Each agent plays one hand a deal with copies of itself. A power is *played* when its card is discarded and
does something; cards of high rank that are discarded without effect (as a hand ends, with no card to aim at, or when
the power is declined) are counted apart. A block is one deal; its scores are the powers played, divided by the players:
so many a player and hand. All agents play the same deals.

A few hands last long because players shoot at each other again and again: the facts hold the median and the most over
all deals, too.

What it does not say: whether a power was worth it. Powers are compulsory, so some are played to get rid of the card.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents import Player
from engine.contract import Setup, apply_action, choose, current_player, determinize, is_terminal, load_game, workspace
from engine.games.robots.rules import (
    AIM,
    BIT,
    DISCARD,
    FIRST_WILD,
    N_NATURAL,
    NO_POWER,
    POWER,
    POWERS,
    PUT,
    RECYCLING,
    SHOOT,
    USE,
)
from engine.kernel import kernel
from engine.tables import deal_tables, start_streams
from experiments.charts import draw_estimates, in_lines, look_of
from experiments.inference import mean_of
from experiments.self_play import compiled_players
from experiments.studies import Findings, Request, Study
from experiments.studies.robots_points import STUDY as POINTS
from experiments.summary import Estimate

GAME = "robots"
BATCH = 1024  # hands played together


def run(request: Request) -> Findings:
    """Play every agent's hands and count powers as they are played."""
    setup = load_game(GAME, players=request.players)
    players = compiled_players(setup, request.agents, request.watcher)
    request.watcher.start(len(players) * request.deals)
    rows = []
    for player in players:
        counts = np.concatenate(
            [
                count_powers(setup, player, range(first, min(first + BATCH, request.deals)), request)
                for first in range(0, request.deals, BATCH)
            ]
        )
        rows.append({"agent": player.label, "powers": means_of(counts / setup.players)})
    facts = {
        "game": GAME,
        "players": setup.players,
        "seed": request.seed,
        "deals": request.deals,
        "rows": rows,
    }
    return Findings(facts, draw(facts, setup.heading))


def count_powers(setup: Setup, player: Player, deals: range, request: Request) -> np.ndarray:
    """Play some deals; return how often each power was discarded without and with effect, int64 (deals, powers, 2)."""
    states = setup.blank_states(len(deals))
    streams = np.zeros((len(deals), setup.players), dtype=np.uint64)
    deal_tables(states, setup.template, request.seed, deals.start)
    start_streams(streams, request.seed, deals.start, 0)
    counts = np.zeros((len(deals), len(POWERS) + 1, 2), dtype=np.int64)
    play_and_count(player.knobs, player.looks, states, streams, counts)
    request.watcher.advance(len(deals))
    return counts[:, 1:]


@kernel
def play_and_count(agent: Any, looks: bool, states: Any, streams: Any, counts: Any) -> None:
    """Let `agent` play all seats to the end, counting discards into `counts[table, power, has effect]`.

    The games are those of a tournament: the streams of the seats are spent as `engine.tables.advance` spends them.
    """
    scratch = states[:1].copy()
    space = workspace(agent, scratch)
    for table in range(len(states)):
        state = states[table]
        while not is_terminal(state):
            seat = np.uint64(current_player(state))
            rng = streams[table, seat : seat + np.uint64(1)]
            if looks:
                scratch[0] = state
                determinize(scratch[0], int(seat), rng)
                action = choose(agent, scratch[0], space, rng)
            else:
                action = choose(agent, state, space, rng)
            power = _power_of(state, action)
            n_bottom = np.int64(state.bottom_size)
            hands_played = np.int64(state.hands_played)
            was_asked = state.phase == POWER
            apply_action(state, action)
            if power == NO_POWER:
                continue
            if was_asked:
                counts[table, power, 1 if action == USE else 0] += 1
            elif state.phase != POWER:  # there the player is asked first
                is_over = is_terminal(state) or np.int64(state.hands_played) != hands_played
                counts[table, power, 0 if is_over else _took_effect(state, n_bottom)] += 1


@kernel
def _power_of(state: Any, action: int) -> Any:
    """Return the power of the card that an action discards, or that it uses or declines; NO_POWER for all else."""
    if state.phase == POWER:
        return np.int64(state.pending)
    if DISCARD <= action <= DISCARD + N_NATURAL:
        card = BIT[action]
        if card < np.uint64(FIRST_WILD):
            return np.int64(state.power_of[card & np.uint64(15)])
    return NO_POWER


@kernel
def _took_effect(state: Any, n_bottom: Any) -> int:
    """Tell (1 or 0) whether the discard just made does something: a choice is due, or the table changed."""
    is_asked = state.phase in (AIM, PUT, RECYCLING, SHOOT)
    return 1 if is_asked or state.fielded == 1 or np.int64(state.bottom_size) > n_bottom else 0


def means_of(counts: np.ndarray) -> list[dict[str, Any]]:
    """Return means over blocks of each power, with and without effect; `counts` has shape (deals, powers, 2)."""
    return [
        {
            "power": name,
            "played": asdict(mean_of(counts[:, place, 1])),
            "without_effect": asdict(mean_of(counts[:, place, 0])),
            "median_played": float(np.median(counts[:, place, 1])),
            "most_played": float(counts[:, place, 1].max()),
        }
        for place, name in enumerate(POWERS)
    ]


def draw(facts: dict[str, Any], heading: str) -> Figure:
    """Draw a panel a power, a line an agent: played, and discarded without effect."""
    rows = facts["rows"]
    figure = Figure(figsize=(9.0, 2 * (0.2 * len(rows) + 0.85) + 1.0), layout="constrained")
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    places = list(range(len(rows)))
    for number, panel in enumerate(panels.flat):
        powers = [row["powers"][number] for row in rows]
        for look, (name, words) in enumerate((("played", "played"), ("without_effect", "discarded without effect"))):
            estimates = [Estimate(**each[name]) for each in powers]
            looks = look_of(look)
            if look:
                looks["markerfacecolor"] = "white"
            draw_estimates(panel, places, estimates, across=True, label=words, **looks)
        medians = [each["median_played"] for each in powers]
        panel.plot(medians, places, "|", color="black", markersize=9, label="median of the hands")
        panel.set_title(powers[0]["power"], fontsize=9, fontweight="normal")
        panel.grid(axis="y", color="0.92", linewidth=0.6)
        panel.set_axisbelow(True)
    panels[0, 0].set_xlim(left=0)
    for panel in panels[:, 0]:
        panel.set_yticks(places, [in_lines(row["agent"], 40) for row in rows], fontsize=7.5)
    panels[0, 0].set_ylim(len(rows) - 0.5, -0.5)
    panels[1, 1].set_xlabel("times a player and hand")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    figure.suptitle(
        f"{heading}: how often each power is played\n{facts['deals']:,} hands an agent with copies of itself, seed "
        f"{facts['seed']}; bars: 95 % intervals over deals",
        fontsize=9,
    )
    return figure


STUDY = Study(
    name="powers-played",
    game=GAME,
    summary="how often each power card is played in a hand, by style",
    agents=("uniform", *POINTS.agents),
    deals=20_000,
    run=run,
)
