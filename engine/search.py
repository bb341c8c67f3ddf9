"""Information-set Monte Carlo tree search: select, expand, simulate, back up.

One tree for the player who moves, over the sequences of actions that he can tell apart. Every iteration draws a fresh
determinization for him and walks the tree with the actions that are legal in it; a child competes only in the
iterations in which it was available. Returns are backed up as a vector: each node keeps the sum for the player who
chose it, so cooperative and competitive games of any number of players are searched alike.

Source: Cowling, Powley and Whitehouse 2012, "Information Set Monte Carlo Tree Search" (SO-ISMCTS); selection by UCB1
with availability counts. Utilities are stretched to the range seen in this search (Schrittwieser et al. 2020), so the
exploration constant means the same in every game.

Only verbs are called: any registered game is searched, and any compiled agent plays the simulations.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from engine.contract import (
    MOST_ACTIONS,
    MOST_PLAYERS,
    apply_action,
    current_player,
    determinize,
    is_terminal,
    legal_actions,
    revealed,
)
from engine.kernel import kernel
from engine.rng import below
from engine.rollout import simulate, utility_of

NO_NODE = -1
ROOT = 0

MOST_VISITS, BEST_MEAN = range(2)  # how the final move is chosen

_NODE_FIELDS = np.dtype(
    [
        ("total", "f8"),  # sum of the utility of the player who chose the node, over its visits
        ("visits", "i4"),  # iterations that went through the node
        ("available", "i4"),  # iterations in which its action was legal at its parent
        ("action", "i4"),  # id that leads from the parent here; of an outcome, the code of its news
        ("first_child", "i4"),  # newest child, or NO_NODE
        ("next_sibling", "i4"),  # older child of the same parent, or NO_NODE
        ("first_outcome", "i4"),  # newest of the outcomes that the action has shown, or NO_NODE
        ("n_children", "i4"),
        ("chooser", "i4"),  # seat that chooses the node at its parent
    ],
    align=True,
)
NODE = np.dtype((np.record, _NODE_FIELDS))  # so that fields are attributes when JIT is off, too


class SearchSpace(NamedTuple):
    """Memory of a search, made once and used for many."""

    world: np.ndarray  # one record: the determinized state that an iteration plays on
    nodes: np.ndarray  # NODE, one more than iterations
    path: np.ndarray  # int64, nodes from below the root to the leaf
    actions: np.ndarray  # int64, legal actions
    mark: np.ndarray  # int64, by action id: the stamp of the last list of legal actions that it stood in
    stamp: np.ndarray  # int64, one element: the last stamp used; 0 marks nothing
    utility: np.ndarray  # float64, by seat
    log: np.ndarray  # float64, logarithms of 0 … iterations


@kernel
def search_space(states: Any, iterations: int) -> Any:
    """Return the memory for searches of at most `iterations` iterations from records like `states`."""
    return SearchSpace(
        states[:1].copy(),
        np.empty(iterations + 1, dtype=NODE),
        np.empty(iterations + 1, dtype=np.int64),
        np.empty(MOST_ACTIONS, dtype=np.int64),
        np.zeros(MOST_ACTIONS, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(MOST_PLAYERS, dtype=np.float64),
        np.log(np.maximum(1.0, np.arange(iterations + 1))),
    )


class SearchPlan(NamedTuple):
    """How a tree is grown."""

    iterations: int
    exploration: float  # constant of UCB1
    patience: int  # visits that a leaf needs before it grows
    horizon: int  # decisions of a simulation before the heuristic judges, or TO_THE_END


@kernel
def tree_search(root: Any, plan: Any, simulator: Any, simulator_space: Any, space: Any, rng: Any) -> int:
    """Grow a tree as `plan` says for the player who moves in `root`; return its number of nodes.

    `root` is left as it is; the tree stays in `space.nodes`, for `final_action`. `simulator` is the compiled agent that
    plays on from the leaves, `simulator_space` its workspace.
    """
    nodes = space.nodes
    _make_node(nodes, ROOT, NO_NODE, NO_NODE)
    n_nodes = 1
    player = current_player(root)
    lowest, highest = math.inf, -math.inf
    world = space.world[0]
    for _ in range(plan.iterations):
        space.world[0] = root
        determinize(world, player, rng)
        depth, grown = _select_and_expand(world, player, space, n_nodes, plan, lowest, highest, rng)
        n_nodes += grown
        simulate(simulator, plan.horizon, world, simulator_space, rng, space.utility)
        if not is_terminal(world):
            _judge_for_path(world, player, space, depth)
        for step in range(depth):
            _back_up(nodes[space.path[step]], space.utility)
        lowest = min(lowest, space.utility[player])
        highest = max(highest, space.utility[player])
    return n_nodes


@kernel
def _judge_for_path(world: Any, player: int, space: Any, depth: int) -> None:
    """Ask the heuristic for the searching player and all who chose on the path; their utility is then there to read."""
    utility_of(world, player, space.utility)
    for step in range(depth):
        utility_of(world, int(space.nodes[space.path[step]].chooser), space.utility)


@kernel
def _make_node(nodes: Any, node: int, action: int, chooser: int) -> None:
    made = nodes[node]
    made.total = 0.0
    made.visits = 0
    made.available = 0
    made.action = action
    made.first_child = NO_NODE
    made.next_sibling = NO_NODE
    made.first_outcome = NO_NODE
    made.n_children = 0
    made.chooser = chooser


@kernel
def _select_and_expand(
    world: Any,
    player: int,
    space: Any,
    n_nodes: int,
    plan: Any,
    lowest: float,
    highest: float,
    rng: Any,
) -> tuple[int, int]:
    """Walk `world` down the tree and one step out of it; return the length of the path and the nodes made (0 or 1).

    Where an action shows `player` something new, the walk goes on at the outcome of the action with that news.
    """
    nodes = space.nodes
    scale = 1.0 / (highest - lowest) if highest > lowest else 0.0
    node = np.uint64(ROOT)
    depth = 0
    while not is_terminal(world):
        if depth > 0 and nodes[node].visits < plan.patience:
            return depth, 0
        n_legal = legal_actions(world, space.actions)
        stamp = _mark_legal(space, n_legal)
        if nodes[node].n_children >= n_legal:
            n_matched, best = _best_child(space, node, stamp, plan.exploration, lowest, scale)
        else:
            n_matched, best = 0, node
        if n_matched < n_legal:
            n_untried = _gather_untried(space, node, n_legal, stamp, n_matched == 0)
            action = space.actions[below(rng, n_untried)]
            _add_child(nodes, node, n_nodes, action, current_player(world))
            space.path[depth] = n_nodes
            apply_action(world, action)
            return depth + 1, 1
        space.path[depth] = best
        depth += 1
        apply_action(world, int(nodes[best].action))
        node = best
        news = revealed(world, player)
        if news != 0:
            outcome = _find_outcome(nodes, best, news)
            if outcome == NO_NODE:
                _make_node(nodes, n_nodes, news, int(nodes[best].chooser))
                nodes[n_nodes].available = 1
                nodes[n_nodes].next_sibling = nodes[best].first_outcome
                nodes[best].first_outcome = n_nodes
                space.path[depth] = n_nodes
                return depth + 1, 1
            node = np.uint64(outcome)
            nodes[node].available += 1
            space.path[depth] = outcome
            depth += 1
    return depth, 0


@kernel
def _find_outcome(nodes: Any, node: Any, news: int) -> Any:
    """Return the outcome of a node with the given news, or NO_NODE."""
    link = np.int64(nodes[node].first_outcome)
    while link != NO_NODE and nodes[np.uint64(link)].action != news:
        link = np.int64(nodes[np.uint64(link)].next_sibling)
    return link


@kernel
def _mark_legal(space: Any, n_legal: int) -> int:
    """Stamp the listed actions in `space.mark`, and return the stamp; each is used once, so nothing is cleared."""
    stamp = space.stamp[0] + 1
    space.stamp[0] = stamp
    for index in range(n_legal):
        space.mark[np.uint64(space.actions[np.uint64(index)])] = stamp
    return stamp


@kernel
def _best_child(space: Any, node: Any, stamp: int, exploration: float, lowest: float, scale: float) -> tuple[int, Any]:
    """Count the legal children, note that they were available, and find the one of the highest upper bound.

    The bound is UCB1 with availability: stretched mean + c * sqrt(log(times available) / visits).
    """
    nodes = space.nodes
    n_matched = 0
    best = node
    best_bound = -math.inf
    link = nodes[node].first_child
    while link != NO_NODE:
        index = np.uint64(link)
        child = nodes[index]
        if space.mark[np.uint64(child.action)] == stamp:
            n_matched += 1
            child.available += 1
            share = 1.0 / child.visits
            mean = (child.total * share - lowest) * scale
            bound = mean + exploration * math.sqrt(space.log[np.uint64(child.available)] * share)
            is_better = bound > best_bound
            best = index if is_better else best
            best_bound = bound if is_better else best_bound
        link = child.next_sibling
    return n_matched, best


@kernel
def _gather_untried(space: Any, node: Any, n_legal: int, stamp: int, is_first_pass: bool) -> int:
    """Move the legal actions without a child to the front of `space.actions` and return their number."""
    nodes = space.nodes
    link = nodes[node].first_child
    while link != NO_NODE:
        child = nodes[np.uint64(link)]
        action = np.uint64(child.action)
        if space.mark[action] == stamp:
            space.mark[action] = 0
            if is_first_pass:
                child.available += 1
        link = child.next_sibling
    n_untried = 0
    for index in range(n_legal):
        untried = space.actions[np.uint64(index)]
        if space.mark[np.uint64(untried)] == stamp:
            space.actions[np.uint64(n_untried)] = untried
            n_untried += 1
    return n_untried


@kernel
def _add_child(nodes: Any, node: Any, child: int, action: int, chooser: int) -> None:
    _make_node(nodes, child, action, chooser)
    nodes[child].available = 1
    nodes[child].next_sibling = nodes[node].first_child
    nodes[node].first_child = child
    nodes[node].n_children += 1


@kernel
def _back_up(node: Any, utility: Any) -> None:
    node.visits += 1
    node.total += utility[np.uint64(node.chooser)]


@kernel
def final_action(space: Any, choice: int) -> int:
    """Return the root action with most visits, or of best mean (`choice`); ties go to the better mean, then the older.

    The root must have at least one child.
    """
    nodes = space.nodes
    best = NO_NODE
    child = int(nodes[ROOT].first_child)
    while child != NO_NODE:
        if best == NO_NODE or _is_preferred(nodes[child], nodes[best], choice):
            best = child
        child = int(nodes[child].next_sibling)
    return int(nodes[best].action)


@kernel
def final_action_among(space: Any, choice: int, actions: Any, n_actions: int) -> int:
    """Return what `final_action` would if the root had children by `actions[:n_actions]` only; -1 if it has none."""
    nodes = space.nodes
    best = NO_NODE
    child = int(nodes[ROOT].first_child)
    while child != NO_NODE:
        if best == NO_NODE or _is_preferred(nodes[child], nodes[best], choice):
            for index in range(n_actions):
                if actions[index] == nodes[child].action:
                    best = child
        child = int(nodes[child].next_sibling)
    return NO_NODE if best == NO_NODE else int(nodes[best].action)


@kernel
def _is_preferred(node: Any, other: Any, choice: int) -> bool:
    if choice == MOST_VISITS and node.visits != other.visits:
        return node.visits > other.visits
    return node.total / node.visits >= other.total / other.visits
