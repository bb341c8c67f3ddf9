"""Play a batch of tables: deal them, let agents move at them, collect what came out.

A batch is an array of records. `advance` lets one agent move at every table where it is its turn, as long as it is;
the loop over the agents of a line-up is plain Python. So code is compiled for each agent and game, not for each
line-up, and since every seat of every table has a stream of its own, no result depends on the size of the batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from engine.contract import (
    Setup,
    apply_action,
    choose,
    current_player,
    deal,
    determinize,
    is_terminal,
    returns,
    score,
    workspace,
)
from engine.kernel import cache_misses, kernel
from engine.rng import DEAL, SEAT, fold, stream_start


@kernel
def deal_tables(states: Any, template: Any, seed: int, first_deal: int) -> None:
    """Deal table t as deal number `first_deal + t` of `seed`, with the options of the record `template`."""
    start = stream_start(seed, DEAL)
    rng = np.empty(1, dtype=np.uint64)
    for table in range(len(states)):
        states[table] = template
        rng[0] = fold(start, first_deal + table)
        deal(states[table], rng)


@kernel
def start_streams(streams: Any, seed: int, first_deal: int, rotation: int) -> None:
    """Set the stream of every seat: `streams[table, seat]` (uint64) for deal `first_deal + table` and a rotation."""
    start = stream_start(seed, SEAT)
    n_tables, players = streams.shape
    for table in range(n_tables):
        deal_start = fold(fold(start, first_deal + table), rotation)
        for seat in range(players):
            streams[table, seat] = fold(deal_start, seat)


class Log(NamedTuple):
    """What is kept of the decisions at a batch of tables."""

    decisions: np.ndarray  # int32 (tables, players): decisions of each seat
    first_actions: np.ndarray  # int16 (tables, players): first action of each seat, valid once it has decided
    closed: np.ndarray  # bool (tables,): the game was broken off; nobody moves there any more


def new_log(n_tables: int, players: int) -> Log:
    """Return an empty log."""
    return Log(
        np.zeros((n_tables, players), dtype=np.int32),
        np.zeros((n_tables, players), dtype=np.int16),
        np.zeros(n_tables, dtype=np.bool_),
    )


@kernel
def advance(agent: Any, looks: bool, states: Any, plays: Any, streams: Any, log: Any) -> int:
    """Let `agent` move at every table as long as it is the turn of a seat with `plays[seat]`.

    A looking agent gets a scratch copy determinized for the seat that moves, never the record itself. Returns at how
    many tables somebody else is to move.
    """
    scratch = states[:1].copy()
    space = workspace(agent, scratch)
    n_open = 0
    for index in range(len(states)):
        table = np.uint64(index)
        if log.closed[table]:
            continue
        state = states[table]
        while not is_terminal(state):
            seat = np.uint64(current_player(state))
            if not plays[seat]:
                n_open += 1
                break
            rng = streams[table, seat : seat + np.uint64(1)]
            if looks:
                scratch[0] = state
                determinize(scratch[0], int(seat), rng)
                action = choose(agent, scratch[0], space, rng)
            else:
                action = choose(agent, state, space, rng)
            if log.decisions[table, seat] == 0:
                log.first_actions[table, seat] = action
            log.decisions[table, seat] += 1
            apply_action(state, action)
    return n_open


@kernel
def collect_points(states: Any, points: Any) -> None:
    """Write the points of finished games into `points` (int64, shape (tables, players))."""
    for table in range(len(states)):
        score(states[table], points[table])


@kernel
def collect_utility(states: Any, utility: Any) -> None:
    """Write the utilities of finished games into `utility` (float64, shape (tables, players))."""
    for table in range(len(states)):
        returns(states[table], utility[table])


def warm(setup: Setup, agents: Iterable[tuple[Any, bool]]) -> int:
    """Compile, or load, all that is needed to play a setup with compiled agents, given as (knobs, looks).

    Returns how many kernels had to be compiled.
    """
    before = cache_misses()
    states = setup.blank_states(1)
    players = setup.players
    streams = np.zeros((1, players), dtype=np.uint64)
    deal_tables(states, setup.template, 0, 0)
    start_streams(streams, 0, 0, 0)
    log = new_log(1, players)
    log.closed[:] = True  # nobody moves: kernels are made, no game is played
    for knobs, looks in agents:
        advance(knobs, looks, states, np.ones(players, dtype=np.bool_), streams, log)
    collect_points(states[:0], np.zeros((0, players), dtype=np.int64))
    collect_utility(states[:0], np.zeros((0, players)))
    return cache_misses() - before
