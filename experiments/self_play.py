"""Play games for what their rows do not say: copies of an agent on common deals, and the records at the end of games.

The counts. A block is one deal. Agents play the same deals, so what is compared is compared deal by deal. The records
are those of the games that a tournament plays with the same seed, in its first seating.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents import Player, make_players
from engine import tables
from engine.contract import Setup
from experiments.cluster import Place
from experiments.matches import BATCH_BYTES
from experiments.tournament import Watcher, plan_tournament, play_tournament


def points_of_copies(
    setup: Setup, agents: Sequence[str], deals: int, seed: int, place: Place, watcher: Watcher
) -> dict[str, np.ndarray]:
    """Let copies of each agent play deals 0 … `deals` − 1; return by agent the points, int64 (deals, players).

    Raises ValueError for wrong arguments, or when an agent broke off a game.
    """
    plan = plan_tournament(setup, agents, deals, seed, "self")
    outcome = play_tournament(plan, None, place, watcher)
    frame = outcome.frame()
    if any(line.n_broken for line in outcome.lines):
        raise ValueError("an agent broke off a game by a fault; this wants whole games")
    points = {}
    for label in plan.match.agents:
        rows = frame[frame["agent"] == label].sort_values(["deal", "seat"])
        points[label] = rows["points"].to_numpy(dtype=np.int64).reshape(deals, setup.players)
    return points


def compiled_players(setup: Setup, agents: Sequence[str], watcher: Watcher) -> list[Player]:
    """Make agents whose games can be looked at, and compile what they need.

    Raises ValueError for a wrong agent, and for one in plain Python, which cannot be looked at.
    """
    players = make_players(agents, setup)
    for player in players:
        if not player.is_compiled:
            raise ValueError(f"this looks into the games of compiled agents only, and {player.label} is plain Python")
    watcher.say("compiling, or loading compiled code …")
    tables.warm(setup, [(player.knobs, player.looks) for player in players])
    return players


def finished_tables(setup: Setup, seats: Sequence[Player], deals: range, seed: int, replay: int = 0) -> np.ndarray:
    """Play each of some consecutive deals once and return the records at the end, one a deal.

    `seats` names the player of each seat. Replays of a deal differ in the random numbers that the agents draw, in
    nothing else; replay 0 is what a tournament plays in its first seating.
    """
    states = setup.blank_states(len(deals))
    batch = max(1, BATCH_BYTES // setup.template.nbytes)
    seated = {id(player): player for player in seats}
    for first in range(0, len(deals), batch):
        part = states[first : first + batch]
        streams = np.zeros((len(part), setup.players), dtype=np.uint64)
        tables.deal_tables(part, setup.template, seed, deals.start + first)
        tables.start_streams(streams, seed, deals.start + first, replay)
        log = tables.new_log(len(part), setup.players)
        n_open = len(part)
        while n_open:
            for player in seated.values():
                plays = np.array([other is player for other in seats])
                n_open = tables.advance(player.knobs, player.looks, part, plays, streams, log)
                if not n_open:
                    break
    return states


def points_of(setup: Setup, states: np.ndarray) -> np.ndarray:
    """Return the points of all seats of finished games, int64, shape (games, players)."""
    points = np.zeros((len(states), setup.players), dtype=np.int64)
    tables.collect_points(states, points)
    return points


def utility_of(setup: Setup, states: np.ndarray) -> np.ndarray:
    """Return what each seat of finished games got of what it wants, float64, shape (games, players)."""
    utility = np.zeros((len(states), setup.players))
    tables.collect_utility(states, utility)
    return utility
