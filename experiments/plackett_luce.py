"""Strengths from rankings with ties: one maximum-likelihood fit to all games at once.

The model is that of Plackett and Luce with the ties of Davidson and Luce (Hunter 2004, "MM algorithms for generalized
Bradley-Terry models"; Turner, van Etten, Firth and Kosmidis 2020, "Modelling rankings in R: the PlackettLuce package"):
the winners of a game are chosen from all its sides, then the next from the rest, and so on. A set S of tied sides is
chosen with a weight of δ(|S|) times the geometric mean of their strengths, δ(1) = 1, against all other sets of at most
as many sides as ever tied. Several sides may belong to the same agent.

The counts. A *choice* is one such step: the sides there were, as a number of sides for each agent, and those of them
that were chosen. A fit needs no more than how often each choice was made, so it cannot depend on the order of the
games; and as the likelihood is concave in the logarithms, on nothing else either.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Sides = tuple[int, ...]  # how many sides each agent has
Choice = tuple[Sides, Sides]  # the sides there were, and those chosen

ITERATIONS = 200
PRECISION = 1e-12  # largest gradient at the end, per choice
NEVER = -30.0  # logarithm of δ for ties that happened in no game of a resample
FARTHEST = 40.0  # of any logarithm: only where all games are ties, δ has no bound
GHOST_WEIGHT = 0.5  # games that every agent wins, and loses, against a ghost where the strengths have no bound
CELLS = 1 << 22  # numbers in the largest array of a batch of fits


def choices_of(agents: Sequence[int], placings: Sequence[int], n_agents: int, winners_only: bool) -> list[Choice]:
    """Return the choices that one game stands for: `agents` and `placings` (from 1, ties alike) of its sides."""
    left = np.bincount(agents, minlength=n_agents)
    found: list[Choice] = []
    for placing in sorted(set(placings)):
        taken = [agent for agent, place in zip(agents, placings, strict=True) if place == placing]
        if left.sum() == 1:
            break
        chosen = np.bincount(taken, minlength=n_agents)
        found.append((tuple(left.tolist()), tuple(chosen.tolist())))
        left = left - chosen
        if winners_only:
            break
    return found


@dataclass(frozen=True)
class Fit:
    """Logarithms of the strengths, shape (fits, agents), less those of agent 0; and of δ, shape (fits, tie sizes).

    `bounded` (fits,) is False where the strengths had no bound, because some agents never lost a game to the others:
    there each agent was given half a won and half a lost game against a ghost, as Turner et al. do.
    """

    strengths: np.ndarray
    ties: np.ndarray
    tie_sizes: tuple[int, ...]
    bounded: np.ndarray


def fit(choices: Sequence[Choice], counts: np.ndarray, n_agents: int) -> Fit:
    """Fit the strengths to how often each choice was made: `counts`, shape (fits, choices), one row a fit."""
    tie_sizes = tuple(sorted({sum(chosen) for _, chosen in choices} - {1}))
    bounded = _bounded(choices, counts, n_agents)
    strengths = np.zeros((len(counts), n_agents))
    ties = np.zeros((len(counts), len(tie_sizes)))
    for with_ghost in (False, True):
        rows = np.flatnonzero(bounded != with_ghost)
        if len(rows):
            design = _Design(choices, n_agents, tie_sizes, with_ghost)
            solved = _solve(design, counts[rows])
            strengths[rows, 1:] = solved[:, : n_agents - 1]
            ties[rows] = solved[:, design.n_strengths :]
    return Fit(strengths, ties, tie_sizes, bounded)


def _bounded(choices: Sequence[Choice], counts: np.ndarray, n_agents: int) -> np.ndarray:
    """Tell for each fit whether from each agent a chain of won or tied games leads to each other (Hunter 2004)."""
    beats = np.zeros((len(choices), n_agents, n_agents), dtype=bool)
    for place, (there, chosen) in enumerate(choices):
        beats[place] = np.outer(chosen, np.array(there) - chosen) > 0
        if sum(chosen) > 1:
            beats[place] |= np.outer(chosen, chosen) > 0
    reach = np.einsum("fc,cij->fij", (counts > 0).astype(np.int64), beats.astype(np.int64)) > 0
    reach |= np.eye(n_agents, dtype=bool)
    for _ in range(max(1, math.ceil(math.log2(max(2, n_agents))))):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return reach.all(axis=(1, 2))


class _Design:
    """The alternatives of every choice, as rows of a linear model for the logarithm of their weight.

    Columns: the strengths but for agent 0's, that of the ghost if there is one, then δ of each size of ties.
    """

    def __init__(self, choices: Sequence[Choice], n_agents: int, tie_sizes: Sequence[int], with_ghost: bool) -> None:
        self.n_strengths = n_agents - 1 + with_ghost
        n_columns = self.n_strengths + len(tie_sizes)
        pairs: list[Choice] = [(there + (0,) * with_ghost, chosen + (0,) * with_ghost) for there, chosen in choices]
        self.ghost_counts = np.zeros(len(pairs))
        if with_ghost:
            ghosts = [_against_ghost(agent, n_agents, wins) for agent in range(n_agents) for wins in (True, False)]
            pairs += ghosts
            self.ghost_counts = np.concatenate([self.ghost_counts, np.full(len(ghosts), GHOST_WEIGHT)])
        sets = list(dict.fromkeys(there for there, _ in pairs))
        rows: list[np.ndarray] = []
        self.multiplicity: list[float] = []
        self.starts: list[int] = []
        places: dict[Choice, int] = {}
        for there in sets:
            self.starts.append(len(rows))
            for chosen in _alternatives(there, tie_sizes):
                places[there, chosen] = len(rows)
                row = np.zeros(n_columns)
                row[: self.n_strengths] = np.array(chosen[1:]) / sum(chosen)
                if sum(chosen) > 1:
                    row[self.n_strengths + list(tie_sizes).index(sum(chosen))] = 1.0
                rows.append(row)
                self.multiplicity.append(math.prod(map(math.comb, there, chosen)))
        self.rows = np.array(rows).reshape(len(rows), n_columns)
        self.set_of_choice = np.array([sets.index(there) for there, _ in pairs])
        self.row_of_choice = np.array([places[pair] for pair in pairs])
        self.set_of_row = np.repeat(np.arange(len(sets)), np.diff([*self.starts, len(rows)]))


def _against_ghost(agent: int, n_agents: int, wins: bool) -> Choice:
    there = tuple(int(place in (agent, n_agents)) for place in range(n_agents + 1))
    chosen = tuple(int(place == (agent if wins else n_agents)) for place in range(n_agents + 1))
    return there, chosen


def _alternatives(there: Sides, tie_sizes: Sequence[int]) -> list[Sides]:
    """Return all that may be chosen: one side, or as many as ever tied."""
    sizes = {1, *tie_sizes}
    return [some for some in itertools.product(*(range(n + 1) for n in there)) if sum(some) in sizes]


def _solve(design: _Design, counts: np.ndarray) -> np.ndarray:
    """Return the maximum-likelihood columns of every fit by Newton's method; batches bound the memory."""
    if not design.rows.shape[1]:
        return np.zeros((len(counts), 0))
    n_ghosts = len(design.ghost_counts) - counts.shape[1]
    everything = np.hstack([counts, np.zeros((len(counts), n_ghosts))]) + design.ghost_counts
    batch = max(1, CELLS // (design.rows.size + 1))
    return np.concatenate([_newton(design, everything[at : at + batch]) for at in range(0, len(counts), batch)])


def _newton(design: _Design, counts: np.ndarray) -> np.ndarray:
    """Climb from equal strengths, in steps damped as Sun and Tran-Dinh (2019) do for logarithms of sums."""
    rows, starts, set_of_row = design.rows, design.starts, design.set_of_row
    n_fits, n_columns = len(counts), rows.shape[1]
    squares = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    log_multiplicity = np.log(design.multiplicity)
    offered = _summed(counts, design.set_of_choice, len(starts))
    target = _summed(counts, design.row_of_choice, len(rows)) @ rows
    n_choices = counts.sum(axis=1, keepdims=True)
    frozen = target == 0.0  # ties of a size that did not happen here: their δ is 0
    frozen[:, : design.n_strengths] = False
    fixed = frozen[:, :, None] | frozen[:, None, :]
    ridge = np.eye(n_columns) * np.where(frozen, 1.0, 1e-12 * n_choices)[:, :, None]
    solution = np.where(frozen, NEVER, 0.0)
    for _ in range(ITERATIONS):
        weights = solution @ rows.T + log_multiplicity
        weights = np.exp(weights - np.maximum.reduceat(weights, starts, axis=1)[:, set_of_row])
        chances = weights / np.add.reduceat(weights, starts, axis=1)[:, set_of_row]
        expected = offered[:, set_of_row] * chances
        gradient = np.where(frozen, 0.0, target - expected @ rows)
        if (np.abs(gradient) <= PRECISION * n_choices).all():
            break
        means = np.add.reduceat(chances[:, :, None] * rows, starts, axis=1)
        hessian = (expected @ squares).reshape(n_fits, n_columns, n_columns)
        hessian -= np.einsum("fs,fsp,fsq->fpq", offered, means, means)
        step = np.linalg.solve(np.where(fixed, 0.0, hessian) + ridge, gradient[:, :, None])[:, :, 0]
        change = np.ptp(step @ rows.T, axis=1)[:, None]
        solution += step * np.where(change > 0, np.log1p(change) / np.where(change > 0, change, 1.0), 1.0)
        solution = np.clip(solution, -FARTHEST, FARTHEST)
    return solution


def _summed(counts: np.ndarray, places: np.ndarray, n_places: int) -> np.ndarray:
    """Return the counts (fits, choices) summed by place: shape (fits, places)."""
    sums = np.zeros((n_places, len(counts)))
    np.add.at(sums, places, counts.T)
    return sums.T
