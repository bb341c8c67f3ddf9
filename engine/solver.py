"""Solve small games exactly: perfect information, chance, and choices made at the same time.

From some starting states all reachable ones are collected, each once, as the game's `canonical` makes them. Then values
are iterated from below and from above at once, until no state's bounds are further apart than `TOLERANCE`; so cycles do
no harm, and how exact the table is does not rest on a guess (Haddad and Monmege 2018, "Interval iteration algorithm for
MDPs and IMDPs"). Where two players choose in secret from each other, the state is worth the value of the matrix game of
their choices (Shapley 1953, "Stochastic Games"), found by the simplex method.

Solved are games of one player, cooperative games, and games of two players whose utilities add up to a constant.
Chance that the game leaves open (`act`, `outcomes`, `resolve`) is enumerated with its exact probabilities. A game that
hides anything else from a player, or draws from a key without those verbs, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.contract import (
    MOST_ACTIONS,
    MOST_OUTCOMES,
    MOST_PLAYERS,
    Setup,
    act,
    canonical,
    current_player,
    determinize,
    is_terminal,
    legal_actions,
    observe,
    outcomes,
    resolve,
    retract,
    returns,
)
from engine.kernel import kernel
from engine.rng import ANALYSIS, mix, new_stream

TOLERANCE = 1e-12  # between the bounds of a value
MOST_SWEEPS = 20_000
MOST_STATES = 2_000_000
LARGEST_MATRIX = 64  # choices of either player
NO_STATE = -1

ENDED, DECIDED, DRAWN, MATCHED = range(4)  # kinds of states: over, a player's move, chance, two choose at once


class Graph(NamedTuple):
    """All states found so far, what leads where, and bounds of what each is worth to seat 0."""

    states: Any  # records, as `canonical` and a fixed `determinize` make them
    words: np.ndarray  # the same memory as integers, shape (states, words of a record)
    kind: np.ndarray  # uint8
    mover: np.ndarray  # uint8, where a player moves; of two who choose at once, the one asked first
    first_edge: np.ndarray  # int64
    n_edges: np.ndarray  # int32
    n_columns: np.ndarray  # int32, of a matrix: choices of the second player; its edges go row by row
    target: np.ndarray  # int32 by edge, the state it leads to
    chance: np.ndarray  # float64 by edge, its probability where chance decides
    slots: np.ndarray  # int32, hash table of states; NO_STATE where empty


class Space(NamedTuple):
    """Scratch memory of the kernels."""

    states: Any  # three records: the one looked up, and those after the first and the second choice
    words: np.ndarray
    actions: np.ndarray
    replies: np.ndarray
    chances: np.ndarray
    utility: np.ndarray
    rng: np.ndarray


# Matrix games. Loops write single elements: whatever calls this compiles it again, and slices make long code.


class Matrices(NamedTuple):
    """A matrix game, what is optimal in it, and scratch memory."""

    payoffs: np.ndarray  # rows maximize
    row_mix: np.ndarray
    column_mix: np.ndarray
    tableau: np.ndarray  # (rows + 1, rows + columns + 1)
    basis: np.ndarray  # int64, by row of the tableau


@kernel
def matrices() -> Any:
    """Return memory for matrix games of up to LARGEST_MATRIX choices each."""
    return Matrices(
        np.zeros((LARGEST_MATRIX, LARGEST_MATRIX)),
        np.zeros(LARGEST_MATRIX),
        np.zeros(LARGEST_MATRIX),
        np.zeros((LARGEST_MATRIX + 1, 2 * LARGEST_MATRIX + 1)),
        np.zeros(LARGEST_MATRIX, dtype=np.int64),
    )


@kernel
def matrix_game(space: Any, n_rows: int, n_columns: int) -> float:
    """Return the value of the game in `space.payoffs`; write an optimal mix of each player.

    Solves the linear program of the columns by the simplex method (Dantzig 1951), after a while with Bland's rule.
    """
    payoffs, tableau, basis = space.payoffs, space.tableau, space.basis
    least = most = payoffs[0, 0]
    for row in range(n_rows):
        for column in range(n_columns):
            least = min(least, payoffs[row, column])
            most = max(most, payoffs[row, column])
    # stretched to 1 … 2: the program is feasible and bounded, and close payoffs are told apart
    scale = 1.0 / (most - least) if most > least else 1.0
    last = n_rows + n_columns
    for row in range(n_rows):
        for column in range(n_columns):
            tableau[row, column] = (payoffs[row, column] - least) * scale + 1.0
        for column in range(n_columns, last):
            tableau[row, column] = 1.0 if column == n_columns + row else 0.0
        tableau[row, last] = 1.0
        basis[row] = n_columns + row
    for column in range(last + 1):
        tableau[n_rows, column] = -1.0 if column < n_columns else 0.0
    n_pivots = 0
    entering = _entering(tableau, n_rows, last, False)
    while entering < last:
        _pivot(tableau, n_rows, last, entering, basis)
        n_pivots += 1
        entering = _entering(tableau, n_rows, last, n_pivots > 10 * last)
    total = tableau[n_rows, last]
    for column in range(n_columns):
        space.column_mix[column] = 0.0
    for row in range(n_rows):
        space.row_mix[row] = max(0.0, tableau[n_rows, n_columns + row])
        if basis[row] < n_columns:
            space.column_mix[basis[row]] = max(0.0, tableau[row, last])
    _normalize(space.row_mix, n_rows)
    _normalize(space.column_mix, n_columns)
    return (1.0 / total - 1.0) / scale + least


@kernel
def _normalize(mix: Any, size: int) -> None:
    total = 0.0
    for place in range(size):
        total += mix[place]
    for place in range(size):
        mix[place] /= total


_ROUNDING = 1e-12  # reduced costs, pivots and differences of ratios that are closer to 0 than this are rounding


@kernel
def _entering(tableau: Any, n_rows: int, last: int, first_found: bool) -> int:
    """Return the variable that promises most (Dantzig), or the first that promises any (Bland); `last` for none."""
    best, found = -_ROUNDING, last
    for column in range(last):
        if tableau[n_rows, column] < best:
            best, found = tableau[n_rows, column], column
            if first_found:
                break
    return found


@kernel
def _pivot(tableau: Any, n_rows: int, last: int, entering: int, basis: Any) -> None:
    """Let a variable enter the basis for the one that first falls to 0; of several, that with the largest pivot."""
    leaving = -1
    least = np.inf
    for row in range(n_rows):
        if tableau[row, entering] > _ROUNDING:
            ratio = tableau[row, last] / tableau[row, entering]
            if leaving >= 0 and abs(ratio - least) <= _ROUNDING:
                is_better = tableau[row, entering] > tableau[leaving, entering]
            else:
                is_better = ratio < least
            if is_better:
                leaving, least = row, ratio
    scale = 1.0 / tableau[leaving, entering]
    for column in range(last + 1):
        tableau[leaving, column] *= scale
    for row in range(n_rows + 1):
        factor = tableau[row, entering]
        if row != leaving and factor != 0.0:
            for column in range(last + 1):
                tableau[row, column] -= factor * tableau[leaving, column]
            tableau[row, entering] = 0.0
    basis[leaving] = entering


# Collecting the states.


@kernel
def neutralize(state: Any, rng: Any) -> None:
    """Make a state into the one that stands for all that are worth the same, and forget the key of its chance."""
    canonical(state)
    rng[0] = 0
    determinize(state, 0, rng)


@kernel
def hash_words(words: Any) -> Any:
    """Hash a row of integers to one uint64."""
    found = np.uint64(len(words))
    for place in range(len(words)):
        found = mix(found ^ np.uint64(words[place]))
    return found


@kernel
def _find_slot(graph: Any, words: Any) -> int:
    """Return the slot of a state in the hash table, or the empty one where it belongs."""
    mask = np.uint64(len(graph.slots) - 1)
    slot = hash_words(words) & mask
    while True:
        state = graph.slots[slot]
        if state == NO_STATE or _is_same(graph.words[state], words):
            return int(slot)
        slot = (slot + np.uint64(1)) & mask


@kernel
def _is_same(words: Any, others: Any) -> bool:
    return bool(np.all(words == others))


@kernel
def _find_or_add(graph: Any, source: int, space: Any, n_states: int) -> int:
    """Return the number of a scratch state in the graph, `n_states` when it was new and has been added there."""
    space.states[0] = space.states[source]
    neutralize(space.states[0], space.rng)
    slot = _find_slot(graph, space.words[0])
    if graph.slots[slot] == NO_STATE:
        graph.slots[slot] = n_states
        graph.states[n_states] = space.states[0]
    return int(graph.slots[slot])


@kernel
def add_roots(graph: Any, roots: Any, space: Any, n_states: int) -> int:
    """Add starting states; return how many states there are now."""
    for index in range(len(roots)):
        space.states[1] = roots[index]
        n_states += int(_find_or_add(graph, 1, space, n_states) == n_states)
    return n_states


@kernel
def expand(graph: Any, node: int, n_states: int, n_edges: int, most_states: int, space: Any) -> tuple[int, int, int]:
    """Find what follows on the states from `node` on, as long as there is room.

    Returns the first state not dealt with, the numbers of states and edges; the first is negative where a choice is
    neither open nor a matrix of two players: one too large, or more than two who choose at once.
    """
    room = LARGEST_MATRIX * LARGEST_MATRIX
    while node < n_states and n_states + room <= len(graph.kind) and n_edges + room <= len(graph.target):
        if n_states > most_states:
            break
        graph.first_edge[node] = n_edges
        graph.n_columns[node] = 0
        space.states[1] = graph.states[node]
        n_outcomes = outcomes(space.states[1], space.chances)
        if n_outcomes > 0:
            graph.kind[node] = DRAWN
            for outcome in range(n_outcomes):
                space.states[1] = graph.states[node]
                resolve(space.states[1], outcome)
                graph.chance[n_edges] = space.chances[outcome]
                graph.target[n_edges] = _find_or_add(graph, 1, space, n_states)
                n_states += int(graph.target[n_edges] == n_states)
                n_edges += 1
        elif is_terminal(space.states[1]):
            graph.kind[node] = ENDED
            returns(space.states[1], space.utility)
            graph.chance[n_edges] = space.utility[0]  # an edge to nowhere carries the value
            graph.target[n_edges] = NO_STATE
            n_edges += 1
        else:
            graph.mover[node] = current_player(space.states[1])
            n_states, n_edges = _expand_decision(graph, node, n_states, n_edges, space)
            if n_states < 0:
                return -1, 0, 0
        graph.n_edges[node] = n_edges - graph.first_edge[node]
        node += 1
    return node, n_states, n_edges


@kernel
def _expand_decision(graph: Any, node: int, n_states: int, n_edges: int, space: Any) -> tuple[int, int]:
    n_legal = legal_actions(graph.states[node], space.actions)
    for index in range(n_legal):
        space.states[1] = graph.states[node]
        act(space.states[1], space.actions[index])
        space.states[2] = space.states[1]
        if retract(space.states[2]) == 0:
            graph.kind[node] = DECIDED
            if graph.n_columns[node] > 0:
                return -1, 0
            graph.target[n_edges] = _find_or_add(graph, 1, space, n_states)
            n_states += int(graph.target[n_edges] == n_states)
            n_edges += 1
            continue
        graph.kind[node] = MATCHED
        n_replies = legal_actions(space.states[1], space.replies)
        if max(n_legal, n_replies) > LARGEST_MATRIX or (index > 0 and graph.n_columns[node] != n_replies):
            return -1, 0
        graph.n_columns[node] = n_replies
        for reply in range(n_replies):
            space.states[2] = space.states[1]
            act(space.states[2], space.replies[reply])
            graph.target[n_edges] = _find_or_add(graph, 2, space, n_states)
            n_states += int(graph.target[n_edges] == n_states)
            n_edges += 1
            space.states[2] = graph.states[graph.target[n_edges - 1]]
            if retract(space.states[2]) > 0:
                return -1, 0
    return n_states, n_edges


@kernel
def _fill_slots(graph: Any, n_states: int) -> None:
    graph.slots[:] = NO_STATE
    for state in range(n_states):
        graph.slots[_find_slot(graph, graph.words[state])] = state


# Values.


@kernel
def matrix_value(space: Any, n_rows: int, n_columns: int) -> float:
    """Return the value of the game in `space.payoffs` for the rows, who maximize; write the mixes only if needed.

    Most matrices have a saddle point: a row whose least payoff no other row's exceeds and some column concedes.
    """
    maximin, best_row = -np.inf, 0
    for row in range(n_rows):
        least = np.inf
        for column in range(n_columns):
            least = min(least, space.payoffs[row, column])
        if least > maximin:
            maximin, best_row = least, row
    minimax, best_column = np.inf, 0
    for column in range(n_columns):
        most = -np.inf
        for row in range(n_rows):
            most = max(most, space.payoffs[row, column])
        if most < minimax:
            minimax, best_column = most, column
    if maximin == minimax:
        for row in range(n_rows):
            space.row_mix[row] = 1.0 if row == best_row else 0.0
        for column in range(n_columns):
            space.column_mix[column] = 1.0 if column == best_column else 0.0
        return maximin
    return matrix_game(space, n_rows, n_columns)


@kernel
def sweep(graph: Any, n_states: int, values: Any, cooperative: bool, space: Any) -> float:
    """Work out every value anew from those of the states that follow, last state first; return the largest change."""
    largest = 0.0
    for back in range(n_states):
        node = n_states - 1 - back
        value = _backed_up(graph, node, values, cooperative, space)
        largest = max(largest, abs(value - values[node]))
        values[node] = value
    return largest


@kernel
def _backed_up(graph: Any, node: int, values: Any, cooperative: bool, space: Any) -> float:
    first = graph.first_edge[node]
    end = first + graph.n_edges[node]
    kind = graph.kind[node]
    if kind == ENDED:
        return graph.chance[first]
    if kind == DRAWN:
        mean = 0.0
        for edge in range(first, end):
            mean += graph.chance[edge] * values[graph.target[edge]]
        return mean
    sign = 1.0 if cooperative or graph.mover[node] == 0 else -1.0
    if kind == DECIDED:
        best = -np.inf
        for edge in range(first, end):
            best = max(best, sign * values[graph.target[edge]])
        return sign * best
    n_columns = int(graph.n_columns[node])
    n_rows = int(graph.n_edges[node]) // n_columns
    for row in range(n_rows):
        for column in range(n_columns):
            space.payoffs[row, column] = sign * values[graph.target[first + row * n_columns + column]]
    if cooperative:
        return np.max(space.payoffs[:n_rows, :n_columns])
    return sign * matrix_value(space, n_rows, n_columns)


@kernel
def _widest(lower: Any, upper: Any, n_states: int) -> float:
    widest = 0.0
    for node in range(n_states):
        widest = max(widest, upper[node] - lower[node])
    return widest


# Answers.


@kernel
def _following_values(graph: Any, values: Any, state: Any, out: Any, space: Any) -> tuple[int, int]:
    """Write into `out[action, reply]` what follows on each legal action of a public state is worth to seat 0.

    Returns the numbers of actions and replies, replies 0 where the choice is not made in secret. The actions stand in
    `space.actions`, the replies in `space.replies`. A state that the graph does not have makes nan.
    """
    n_legal = legal_actions(state, space.actions)
    n_replies = 0
    for index in range(n_legal):
        space.states[1] = state
        act(space.states[1], space.actions[index])
        space.states[2] = space.states[1]
        if retract(space.states[2]) == 0:
            out[index, 0] = _value_of(graph, values, 1, space)
            continue
        n_replies = legal_actions(space.states[1], space.replies)
        for reply in range(n_replies):
            space.states[2] = space.states[1]
            act(space.states[2], space.replies[reply])
            out[index, reply] = _value_of(graph, values, 2, space)
    return n_legal, n_replies


@kernel
def _value_of(graph: Any, values: Any, source: int, space: Any) -> float:
    space.states[0] = space.states[source]
    neutralize(space.states[0], space.rng)
    node = graph.slots[_find_slot(graph, space.words[0])]
    return np.nan if node == NO_STATE else values[node]


@dataclass(frozen=True)
class Advice:
    """What the table says to a player who moves: utilities of his actions, and how to mix them.

    `worth` is by action what it brings when the other plays an optimal mix of his choices; `mix` the probabilities of
    an optimal strategy, one action with certainty unless both choose at once; `value` the utility of the state.
    """

    player: int
    value: float
    worth: dict[int, float]
    mix: dict[int, float]

    def regret(self, action: int) -> float:
        """Return how much an action falls short of an optimal one; 0 up to rounding for all that may be in a mix."""
        return max(self.worth.values()) - self.worth[action]


@dataclass(frozen=True)
class Solution:
    """A solved game: what every state that can be reached from the starting states is worth."""

    setup: Setup
    graph: Graph
    n_states: int
    values: np.ndarray  # float64, worth of each state to seat 0, between bounds that differ by at most TOLERANCE
    constant: float  # sum of the utilities of both players; 0 where all want the same
    space: Space

    def value(self, state: Any, player: int = 0) -> float:
        """Return what a public state is worth to a player; ValueError when it was not reachable."""
        self.space.states[1] = state
        return self._for(player, self._known(float(_value_of(self.graph, self.values, 1, self.space))))

    def advise(self, state: Any) -> Advice:
        """Say what the player who moves should do; what others have chosen in secret is not looked at."""
        player = int(current_player(state))
        public = self.space.states[:1].copy()
        public[0] = state
        is_second = int(retract(public[0])) > 0
        out = np.full((MOST_ACTIONS, LARGEST_MATRIX), np.nan)
        n_legal, n_replies = _following_values(self.graph, self.values, public[0], out, self.space)
        actions = self.space.actions[:n_legal].tolist()
        if not n_replies:
            worth = {each: self._for(player, self._known(out[place, 0])) for place, each in enumerate(actions)}
            best = max(worth, key=lambda each: worth[each])
            return Advice(player, worth[best], worth, {best: 1.0})
        payoffs = out[:n_legal, :n_replies]
        self._known(float(payoffs.sum()))
        replies = self.space.replies[:n_replies].tolist()
        return self._advise_matrix(payoffs.T if is_second else payoffs, player, replies if is_second else actions)

    def _advise_matrix(self, payoffs: np.ndarray, player: int, actions: list[int]) -> Advice:
        """Advise the player of the rows of a matrix of what is worth how much to seat 0."""
        space = matrices()
        n_rows, n_columns = payoffs.shape
        own = payoffs if player == 0 or not self.constant else self.constant - payoffs
        space.payoffs[:n_rows, :n_columns] = own
        if not self.constant:
            best = own.max(axis=1)
            worth = dict(zip(actions, best.tolist(), strict=True))
            return Advice(player, float(best.max()), worth, {actions[int(best.argmax())]: 1.0})
        value = float(matrix_value(space, n_rows, n_columns))
        worth = dict(zip(actions, (own @ space.column_mix[:n_columns]).tolist(), strict=True))
        mixed = {each: float(space.row_mix[row]) for row, each in enumerate(actions) if space.row_mix[row] > 0.0}
        return Advice(player, value, worth, mixed)

    def decisions(self) -> np.ndarray:
        """Return the records in which somebody moves, one for each that the table knows."""
        kinds = self.graph.kind[: self.n_states]
        chosen: np.ndarray = self.graph.states[: self.n_states][(kinds == DECIDED) | (kinds == MATCHED)]
        return chosen

    def _for(self, player: int, worth: float) -> float:
        return self.constant - worth if player == 1 and self.constant else worth

    def _known(self, worth: float) -> float:
        if np.isnan(worth):
            raise ValueError(f"this state of {self.setup.name} cannot be reached from those that were solved")
        return worth


# The door.


def solve(setup: Setup, roots: Sequence[Any], most_states: int = MOST_STATES) -> Solution:
    """Solve a game from some public states, all those that chance and play can lead to included.

    Raises ValueError when the game is not of a kind that is solved here, or has more than `most_states` states.
    """
    constant = _constant_sum(setup)
    graph, space = _new_graph(setup, 1 << 15), _new_space(setup)
    starts = setup.blank_states(len(roots))
    for index, root in enumerate(roots):
        starts[index] = root
        _check_perfect_information(setup, starts[index])
    n_states = int(add_roots(graph, starts, space, 0))
    node, n_edges = 0, 0
    while node < n_states:
        node, n_states, n_edges = expand(graph, node, n_states, n_edges, most_states, space)
        if node < 0:
            raise ValueError(
                f"{setup.name} cannot be solved: more than two choose at once, or from over {LARGEST_MATRIX} actions"
            )
        if n_states > most_states:
            raise ValueError(f"{setup.name} cannot be solved: it has more than {most_states:,} states")
        if node < n_states:
            graph = _grow(setup, graph, n_states)
    for each in graph.states[:n_states][:: max(1, n_states // 200)]:
        _check_perfect_information(setup, each)
    values = _iterate(setup, graph, n_states, constant)
    return Solution(setup, graph, n_states, values, constant, space)


def _constant_sum(setup: Setup) -> float:
    """Return what the utilities of two rivals add up to, 0 where all want the same; ValueError for anything else."""
    if setup.cooperative:
        return 0.0
    if setup.players != 2:
        raise ValueError(
            f"{setup.name} cannot be solved at {setup.players} players: only two rivals, or a team, can be"
        )
    return sum(setup.ranges.utility)


def _iterate(setup: Setup, graph: Graph, n_states: int, constant: float) -> np.ndarray:
    lowest, highest = setup.ranges.utility
    lower, upper = np.full(n_states, lowest), np.full(n_states, highest)
    memory = matrices()
    for _ in range(MOST_SWEEPS):
        for bound in (lower, upper):
            sweep(graph, n_states, bound, not constant, memory)
        if _widest(lower, upper, n_states) <= TOLERANCE:
            return (lower + upper) / 2.0
    raise ValueError(f"{setup.name} cannot be solved: some play may go on forever")


def _new_graph(setup: Setup, n_states: int) -> Graph:
    states = setup.blank_states(n_states)
    return Graph(
        states=states,
        words=_as_words(states),
        kind=np.zeros(n_states, dtype=np.uint8),
        mover=np.zeros(n_states, dtype=np.uint8),
        first_edge=np.zeros(n_states, dtype=np.int64),
        n_edges=np.zeros(n_states, dtype=np.int32),
        n_columns=np.zeros(n_states, dtype=np.int32),
        target=np.zeros(8 * n_states, dtype=np.int32),
        chance=np.zeros(8 * n_states),
        slots=np.full(4 * n_states, NO_STATE, dtype=np.int32),
    )


def _as_words(states: Any) -> np.ndarray:
    """View records as integers, shape (records, words)."""
    size = states.dtype.itemsize
    kind = np.dtype(np.uint64 if size % 8 == 0 else np.uint8)
    plain: np.ndarray = states.view(np.ndarray).view(kind).reshape(len(states), size // kind.itemsize)
    return plain


def _new_space(setup: Setup) -> Space:
    states = setup.blank_states(3)
    return Space(
        states=states,
        words=_as_words(states),
        actions=np.zeros(MOST_ACTIONS, dtype=np.int64),
        replies=np.zeros(MOST_ACTIONS, dtype=np.int64),
        chances=np.zeros(MOST_OUTCOMES),
        utility=np.zeros(MOST_PLAYERS),
        rng=np.zeros(1, dtype=np.uint64),
    )


def _grow(setup: Setup, graph: Graph, n_states: int) -> Graph:
    """Return the graph in twice the memory."""
    larger = _new_graph(setup, 2 * len(graph.kind))
    for old, new in zip(graph, larger, strict=True):
        if old is not graph.slots and old is not graph.words:
            new[: len(old)] = old
    _fill_slots(larger, n_states)
    return larger


def _check_perfect_information(setup: Setup, state: Any) -> None:
    """Raise ValueError when a public state hides something from somebody, or its next chance cannot be enumerated."""
    worlds = setup.blank_states(2)
    chances = np.zeros(MOST_OUTCOMES)
    for player in range(setup.players):
        for index in range(2):
            worlds[index] = state
            determinize(worlds[index], player, new_stream(index, ANALYSIS))
        looks = [_observations(setup, each) for each in (state, *worlds)]
        if looks[0] != looks[1] or looks[0] != looks[2]:
            raise ValueError(f"{setup.name} cannot be solved: a player does not know all that others know")
    if is_terminal(state) or outcomes(state, chances):
        return
    actions = np.zeros(MOST_ACTIONS, dtype=np.int64)
    for action in actions[: legal_actions(state, actions)].tolist():
        after = []
        for index in range(2):
            worlds[index] = state
            determinize(worlds[index], 0, new_stream(index, ANALYSIS))
            act(worlds[index], action)
            after.append(_observations(setup, worlds[index]))
        if after[0] != after[1]:
            raise ValueError(f"{setup.name} cannot be solved: it draws by chance without saying how likely what is")


def _observations(setup: Setup, state: Any) -> bytes:
    out = np.zeros((setup.players, setup.game.observation_size), dtype=np.float32)
    for player in range(setup.players):
        observe(state, player, out[player])
    return out.tobytes()
