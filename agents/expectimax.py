"""Expectimax: every action and every outcome of chance, exactly weighted, to a given depth.

Looks ahead by plies; a ply is one decision or one chance that comes out. Where a game leaves its chance open
(`contract.outcomes`) every outcome counts with its probability; elsewhere chance comes out as it does in the sampled
world. Each player goes for his own utility (max^n: Luckhardt and Irani 1986, "An algorithmic solution of N-person
games"). Two rivals who choose in secret play the matrix game of their choices; more than two, or partners, are searched
as if they chose in the open. Leaves are worth the game's rule of thumb.

Depth grows ply by ply until it is reached or the states run out; what was found with fewer plies left is kept in a
table, under what the game's `canonical` makes of a state, so nothing is searched twice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.contract import (
    MOST_ACTIONS,
    MOST_OUTCOMES,
    MOST_PLAYERS,
    Agent,
    Knob,
    Setup,
    act,
    canonical,
    current_player,
    determinize,
    heuristic,
    is_terminal,
    legal_actions,
    observe,
    outcomes,
    register_agent,
    resolve,
    retract,
    returns,
)
from engine.kernel import kernel
from engine.rng import below, mix, unit
from engine.solver import LARGEST_MATRIX, matrices, matrix_value

MOST_PLIES = 60
MOST_STATES = 100_000_000
LARGEST_TABLE = 26  # binary logarithm of its entries
MARGIN = 1e-9  # values closer than this are equal: which of them is played is left to chance

DECIDED, DRAWN, MATCHED = range(3)  # kinds of nodes: a player's choice, chance, two choose at once


class Expectimax(NamedTuple):
    """The knobs, see `AGENT.knob_facts`; the last three are filled when the game is known."""

    depth: int = 6
    states: int = 5000
    worlds: int = 3
    table: int = 12
    seats: int = 0  # players
    rivals: float = 0.0  # what the utilities of two rivals add up to; 0 where it is not two rivals who play
    observation: int = 0  # elements of an observation


_NODE_FIELDS = np.dtype(
    [
        ("key", "u8"),  # under which the node stands in the table
        ("kind", "i4"),
        ("mover", "i4"),  # seat that chooses; of a matrix, the seat of the rows
        ("n_choices", "i4"),  # actions, outcomes, or cells of a matrix
        ("n_columns", "i4"),  # replies of the second player of a matrix
        ("at", "i4"),  # choices looked at
        ("ply", "i4"),
    ],
    align=True,
)
NODE = np.dtype((np.record, _NODE_FIELDS))  # so that fields are attributes when JIT is off, too

MOST_CHOICES = LARGEST_MATRIX * LARGEST_MATRIX
FOUND, SETTLED, TOTAL = range(3)  # rows of what came out at the root: at this depth, at the last one finished, in all


class ExpectimaxSpace(NamedTuple):
    """Memory of a search: a stack of nodes from the root down, what came out at the root, the table, and scratch."""

    states: Any  # record by ply; then the root as the player knows it
    nodes: Any  # NODE by ply
    lists: np.ndarray  # (plies, 2, MOST_ACTIONS): actions, and replies of the second player of a matrix
    chances: np.ndarray  # (plies, MOST_OUTCOMES)
    cells: np.ndarray  # (plies, MOST_CHOICES): what each cell of a matrix is worth to the rows
    values: np.ndarray  # (plies, seats): the best so far, or the mean so far
    child: np.ndarray  # by seat: worth of the node that was looked at last
    results: np.ndarray  # (3, MOST_CHOICES): what each choice at the root is worth to the mover
    keys: np.ndarray  # uint64 by entry of the table; 0 where empty
    known: np.ndarray  # (entries, seats)
    twin: Any  # eight records; the first is made canonical to be hashed
    words: np.ndarray  # their memory as integers
    looks: np.ndarray  # (2, seats, observation): what all seats see of two worlds
    counters: np.ndarray  # uint64: states looked at in this world; the stream of the sampled worlds
    matrices: Any


@kernel
def workspace(agent: Any, states: Any) -> Any:
    plies = agent.depth + 1
    stack = np.empty(plies + 1, dtype=states.dtype)
    for place in range(len(stack)):
        stack[place] = states[0]
    twin = np.empty(8, dtype=states.dtype)
    for place in range(len(twin)):
        twin[place] = states[0]
    return ExpectimaxSpace(
        stack,
        np.empty(plies, dtype=NODE),
        np.empty((plies, 2, MOST_ACTIONS), dtype=np.int64),
        np.empty((plies, MOST_OUTCOMES), dtype=np.float64),
        np.empty((plies, MOST_CHOICES), dtype=np.float64),
        np.empty((plies, agent.seats), dtype=np.float64),
        np.empty(MOST_PLAYERS, dtype=np.float64),
        np.empty((3, MOST_CHOICES), dtype=np.float64),
        np.zeros(1 << agent.table, dtype=np.uint64),
        np.empty((1 << agent.table, agent.seats), dtype=np.float64),
        twin,
        twin.view(np.uint8).view(np.uint64),
        np.empty((2, agent.seats, agent.observation), dtype=np.float32),
        np.zeros(2, dtype=np.uint64),
        matrices(),
    )


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    if legal_actions(state, space.lists[0, 0]) == 1:
        return space.lists[0, 0, 0]
    player = current_player(state)
    root = len(space.states) - 1
    space.states[root] = state
    is_second = agent.rivals != 0.0 and retract(space.states[root]) > 0
    for choice in range(MOST_CHOICES):
        space.results[TOTAL, choice] = 0.0
    for world in range(agent.worlds):
        space.states[0] = space.states[root]
        space.counters[1] = world
        determinize(space.states[0], player, space.counters[1:2])
        if world <= 1:
            for seat in range(agent.seats):
                observe(space.states[0], seat, space.looks[world, seat])
        if world == 1 and _are_alike(space.looks):
            break  # nothing is hidden: all worlds are this one
        _search(agent, space)
        for choice in range(space.nodes[0].n_choices):
            space.results[TOTAL, choice] += space.results[SETTLED, choice]
    return _decision(space.nodes[0], space.lists[0], space.results, space.matrices, is_second, rng)


@kernel
def _are_alike(looks: Any) -> bool:
    _, n_seats, n_elements = looks.shape
    for seat in range(n_seats):
        for element in range(n_elements):
            if looks[0, seat, element] != looks[1, seat, element]:
                return False
    return True


@kernel
def _search(agent: Any, space: Any) -> None:
    """Search the world at the root deeper and deeper, as long as states are left; the first ply is always finished."""
    space.counters[0] = 0
    depth = 1
    ply = -1  # of the node that is worked on; the root is entered as its child
    while True:
        if ply >= 0 and space.nodes[ply].at == space.nodes[ply].n_choices:
            if ply > 0:
                _close(agent, space, ply)
                ply -= 1
                _book(space.nodes[ply], space.child, space.chances, space.cells, space.values, space.results)
                continue
            for choice in range(space.nodes[0].n_choices):
                space.results[SETTLED, choice] = space.results[FOUND, choice]
            if depth == agent.depth:
                return
            depth += 1
            ply = -1
        if depth > 1 and space.counters[0] > agent.states:
            return
        if ply >= 0:
            _play_choice(space.nodes[ply], space.states, space.lists)
        if _enter(agent, space, ply + 1, depth - ply - 1):
            _book(space.nodes[ply], space.child, space.chances, space.cells, space.values, space.results)
        else:
            ply += 1


@kernel
def _enter(agent: Any, space: Any, ply: int, left: int) -> bool:
    """Write the worth of the state at a ply into `space.child` if it is known at once; else open a node for it."""
    space.counters[0] += np.uint64(1)
    state = space.states[ply]
    if is_terminal(state):
        returns(state, space.child)
        return True
    if left == 0:
        for seat in range(agent.seats):
            space.child[seat] = heuristic(state, seat)
        return True
    node = space.nodes[ply]
    if ply > 0:
        node.key = _key_of(space.states, ply, left, space.twin, space.words)
        slot = node.key & np.uint64(len(space.keys) - 1)
        if space.keys[slot] == node.key:
            for seat in range(agent.seats):
                space.child[seat] = space.known[slot, seat]
            return True
    node.ply = ply
    node.at = 0
    node.n_choices = outcomes(state, space.chances[ply])
    if node.n_choices > 0:
        node.kind = DRAWN
        node.mover = 0
        for seat in range(agent.seats):
            space.values[ply, seat] = 0.0
    else:
        _open_decision(agent.rivals != 0.0, node, space.states, space.lists[ply], space.twin)
    return False


@kernel
def _open_decision(is_duel: bool, node: Any, states: Any, lists: Any, twin: Any) -> None:
    ply = node.ply
    node.kind = DECIDED
    node.mover = current_player(states[ply])
    n_legal = legal_actions(states[ply], lists[0])
    node.n_choices = n_legal
    if is_duel:
        states[ply + 1] = states[ply]
        act(states[ply + 1], lists[0, 0])
        twin[0] = states[ply + 1]
        if retract(twin[0]) > 0:
            n_replies = legal_actions(states[ply + 1], lists[1])
            if max(n_legal, n_replies) <= LARGEST_MATRIX:
                node.kind = MATCHED
                node.n_columns = n_replies
                node.n_choices = n_legal * n_replies


@kernel
def _drawn(chances: Any, n_outcomes: int, rng: Any) -> int:
    """Draw a place by its probability."""
    left = unit(rng)
    for outcome in range(n_outcomes - 1):
        left -= chances[outcome]
        if left < 0.0:
            return outcome
    return n_outcomes - 1


@kernel
def _key_of(states: Any, ply: int, left: int, twin: Any, words: Any) -> Any:
    """Hash what the state at a ply stands for, and how far it is searched."""
    twin[0] = states[ply]
    canonical(twin[0])
    key = np.uint64(left)
    for place in range((len(words) + 7) // 8):
        key = mix(key ^ words[place])
    return key


@kernel
def _play_choice(node: Any, states: Any, lists: Any) -> None:
    """Write what follows on the next choice of a node into the record of the next ply."""
    ply = node.ply
    states[ply + 1] = states[ply]
    if node.kind == DRAWN:
        resolve(states[ply + 1], int(node.at))
        return
    is_matrix = node.kind == MATCHED
    n_steps = 2 if is_matrix else 1
    for step in range(n_steps):
        place = node.at
        if is_matrix:
            place = node.at // node.n_columns if step == 0 else node.at % node.n_columns
        act(states[ply + 1], lists[ply, step, place])


@kernel
def _book(node: Any, child: Any, chances: Any, cells: Any, values: Any, results: Any) -> None:
    """Enter the worth of the child that was looked at last into the books of its parent."""
    ply, at, mover = node.ply, node.at, node.mover
    if node.kind == DRAWN:
        for seat in range(values.shape[1]):
            values[ply, seat] += chances[ply, at] * child[seat]
    elif node.kind == MATCHED:
        cells[ply, at] = child[mover]
    elif at == 0 or child[mover] > values[ply, mover]:
        for seat in range(values.shape[1]):
            values[ply, seat] = child[seat]
    if ply == 0:
        results[FOUND, at] = child[mover]
    node.at += 1


@kernel
def _close(agent: Any, space: Any, ply: int) -> None:
    """Write what a finished node is worth into `space.child`, and into the table."""
    node = space.nodes[ply]
    if node.kind == MATCHED:
        worth = _matched_value(node, space.cells[ply], space.matrices)
        space.child[node.mover] = worth
        space.child[1 - node.mover] = agent.rivals - worth
    else:
        for seat in range(agent.seats):
            space.child[seat] = space.values[ply, seat]
    slot = node.key & np.uint64(len(space.keys) - 1)
    space.keys[slot] = node.key
    for seat in range(agent.seats):
        space.known[slot, seat] = space.child[seat]


@kernel
def _matched_value(node: Any, cells: Any, matrices: Any) -> float:
    n_rows = node.n_choices // node.n_columns
    for row in range(n_rows):
        for column in range(node.n_columns):
            matrices.payoffs[row, column] = cells[row * node.n_columns + column]
    return matrix_value(matrices, n_rows, int(node.n_columns))


@kernel
def _decision(node: Any, lists: Any, results: Any, matrices: Any, is_second: bool, rng: Any) -> int:
    """Return the action at the root that is best, or drawn from an optimal mix where two choose at once."""
    totals = results[TOTAL]
    if node.kind == MATCHED:
        _matched_value(node, totals, matrices)
        if is_second:
            return lists[1, _drawn(matrices.column_mix, int(node.n_columns), rng)]
        return lists[0, _drawn(matrices.row_mix, int(node.n_choices // node.n_columns), rng)]
    best, n_best = 0, 1
    for choice in range(1, node.n_choices):
        gain = totals[choice] - totals[best]
        if gain > MARGIN:
            best, n_best = choice, 1
        elif gain >= -MARGIN:
            n_best += 1
            if below(rng, n_best) == 0:
                best = choice
    return lists[0, best]


def fit(knobs: Expectimax, setup: Setup) -> Expectimax:
    """Note who plays."""
    is_duel = setup.players == 2 and not setup.cooperative
    return knobs._replace(
        seats=setup.players,
        rivals=float(sum(setup.ranges.utility)) if is_duel else 0.0,
        observation=setup.game.observation_size,
    )


AGENT = register_agent(
    Agent(
        name="expectimax",
        summary="all actions and all outcomes of chance, exactly weighted, to a given depth",
        knobs=Expectimax,
        choose=choose,
        workspace=workspace,
        fit=fit,
        knob_facts={
            "depth": Knob("decisions and outcomes of chance looked ahead", low=1, high=MOST_PLIES),
            "states": Knob("states looked at in a world, after which depth no longer grows", low=1, high=MOST_STATES),
            "worlds": Knob("samples of what is hidden; one is enough where nothing is", low=1, high=10_000),
            "table": Knob("binary logarithm of the entries of the table of states", low=1, high=LARGEST_TABLE),
        },
        work=lambda knobs: knobs.states * knobs.worlds * 10.0,
    )
)
