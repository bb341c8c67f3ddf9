"""Play a batch of tables: deal them, let agents move at them, collect what came out.

A batch is an array of records. `advance` lets one agent move at every table where it is its turn, as long as it is;
the loop over the agents of a line-up is plain Python. So code is compiled for each agent and game, not for each
line-up, and since every seat of every table has a stream of its own, no result depends on the size of the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import (
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
from engine.kernel import kernel
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


@kernel
def advance(agent: Any, looks: bool, states: Any, plays: Any, streams: Any, decisions: Any, first_actions: Any) -> int:
    """Let `agent` move at every table as long as it is the turn of a seat with `plays[seat]`.

    A looking agent gets a scratch copy determinized for the seat that moves, never the record itself. Counts into
    `decisions[table, seat]`, keeps the first action of each seat in `first_actions[table, seat]`, and returns at how
    many tables the game is not over.
    """
    scratch = states[:1].copy()
    space = workspace(agent, scratch)
    n_open = 0
    for table in range(len(states)):
        state = states[table]
        while not is_terminal(state):
            seat = current_player(state)
            if not plays[seat]:
                n_open += 1
                break
            rng = streams[table, seat : seat + 1]
            if looks:
                scratch[0] = state
                determinize(scratch[0], seat, rng)
                action = choose(agent, scratch[0], space, rng)
            else:
                action = choose(agent, state, space, rng)
            if decisions[table, seat] == 0:
                first_actions[table, seat] = action
            decisions[table, seat] += 1
            apply_action(state, action)
    return n_open


@kernel
def collect(states: Any, points: Any, utility: Any) -> None:
    """Write points (int64) and utility (float64), shape (tables, players), of finished games."""
    for table in range(len(states)):
        score(states[table], points[table])
        returns(states[table], utility[table])
