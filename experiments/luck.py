"""Take the luck of the deal out of a result: what a team reached, less what the deal was worth.

The counts. A block is one deal; its score is the mean result of its games, its *par* what the deal is worth by some
yardstick that does not depend on who is measured: what a reference team reaches on it, or the best that was possible.
A score is corrected by its par's distance from the mean par of all deals, times a slope that was fitted to other
blocks only (control variates, cross-fitted), so the corrected mean is as unbiased as the plain one, and tighter the
more par explains. The mean par comes from deals beyond those of the run, and its own error is counted.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import stdtrit

from engine.contract import Setup
from engine.tables import deal_tables
from experiments.inference import mean_of, standard_error
from experiments.matches import Match, play_chunk
from experiments.ratings import Run, read_run
from experiments.results import read_config
from experiments.schedule import Chunk
from experiments.summary import CONFIDENCE, Estimate
from experiments.tournament import Watcher, compile_agents, plan_tournament

CLAIRVOYANT = "clairvoyant"  # the par of a deal with all hands open, where a game knows it
FOLDS = 10
BATCH = 2048  # deals whose par is found at a time


@dataclass(frozen=True)
class Corrected:
    """A mean before and after the luck of the deal is taken out; `gain` is how many times the variance shrank."""

    plain: Estimate
    corrected: Estimate
    slope: float
    gain: float


def correct(scores: np.ndarray, par: np.ndarray, mean_par: float, error_of_mean_par: float = 0.0) -> Corrected:
    """Correct block scores by the par of their deals; `mean_par` is that of all deals, from others than these.

    Raises ValueError where there are too few blocks to fit a slope to some and correct others.
    """
    n_blocks = len(scores)
    if n_blocks < 2 * FOLDS:
        raise ValueError(f"a correction for luck wants at least {2 * FOLDS} deals, not {n_blocks}")
    fold = np.arange(n_blocks) % FOLDS
    slopes = np.array([slope_of(scores[fold != each], par[fold != each]) for each in range(FOLDS)])
    adjusted = scores - slopes[fold] * (par - mean_par)
    slope = float(slopes.mean())
    error = math.hypot(standard_error(adjusted), slope * error_of_mean_par)
    mean = float(adjusted.mean())
    half = float(stdtrit(n_blocks - 1, 0.5 + CONFIDENCE / 2)) * error
    gain = (standard_error(scores) / error) ** 2 if error > 0 else math.inf
    return Corrected(mean_of(scores), Estimate(mean, mean - half, mean + half, n_blocks), slope, gain)


def slope_of(scores: np.ndarray, par: np.ndarray) -> float:
    """Return by how much the scores rise with the par (least squares); 0 where the par never varies."""
    scatter = float(((par - par.mean()) ** 2).sum())
    return float(((par - par.mean()) * (scores - scores.mean())).sum()) / scatter if scatter > 0 else 0.0


@dataclass(frozen=True)
class Luck:
    """The results of a run with the luck of the deal taken out, by line-up."""

    par: str
    n_par_deals: int
    mean_par: Estimate
    line_ups: dict[str, Corrected]

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


def luck_of_run(path: Path, par: str, n_par_deals: int, watcher: Watcher | None = None) -> Luck:
    """Correct the results of a cooperative run; `par` is an agent, or "clairvoyant" where the game knows it.

    Raises ValueError for a run without rows, of a competitive game (whose seatings cancel that luck already), or with
    deals that are not numbered from 0.
    """
    watcher = watcher or Watcher()
    config = read_config(path)
    run = read_run(path, config)
    setup, seed = run.setup, int(config["seed"])
    if not setup.cooperative:
        raise ValueError(
            f"in {setup.name} every line-up plays a deal in all seatings, which takes its luck out already"
        )
    if n_par_deals < 2:
        raise ValueError(f"par-deals is a whole number from 2, not {n_par_deals}")
    first_free = int(run.deals[-1]) + 1
    watcher.say(f"par of {first_free + n_par_deals:,} deals")
    watcher.start(first_free + n_par_deals)
    pars = np.concatenate(list(_pars(setup, par, seed, first_free + n_par_deals, watcher)))
    mean_par = mean_of(pars[first_free:])
    error = standard_error(pars[first_free:])
    line_ups = {}
    for label, deals, scores in results_by_deal(run):
        line_ups[label] = correct(scores, pars[deals], mean_par.mean or 0.0, error)
    return Luck(par, n_par_deals, mean_par, line_ups)


def results_by_deal(run: Run) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield each line-up's label, the deals that it finished, and their mean results."""
    for table in run.tables:
        whole = ~np.isnan(table.points).any(axis=(1, 2))
        points = table.points[whole].astype(np.int64)
        n_deals, n_seatings, players = points.shape
        results = run.setup.game.total(run.setup, points.reshape(-1, players)).reshape(n_deals, n_seatings)
        label = " ".join(run.agents[agent] for agent in table.agents[0])
        yield label, table.deals[whole], results.mean(axis=1)


def _pars(setup: Setup, par: str, seed: int, n_deals: int, watcher: Watcher) -> Iterator[np.ndarray]:
    """Yield the par of deals 0, 1, …, batch by batch."""
    play = _clairvoyant(setup, seed) if par == CLAIRVOYANT else _reference(setup, par, seed, watcher)
    for first in range(0, n_deals, BATCH):
        values = play(first, min(BATCH, n_deals - first))
        watcher.advance(len(values))
        yield values


def _clairvoyant(setup: Setup, seed: int) -> Any:
    module = f"engine.games.{setup.name.replace('-', '_')}.clairvoyant"
    try:
        optimum = importlib.import_module(module).clairvoyant_optimum
    except ModuleNotFoundError:
        raise ValueError(f"{setup.name} has no clairvoyant optimum; name an agent as par, such as greedy") from None

    def play(first: int, n_deals: int) -> np.ndarray:
        states = setup.blank_states(n_deals)
        deal_tables(states, setup.template, seed, first)
        return np.asarray(optimum(states), dtype=np.float64)

    return play


def _reference(setup: Setup, par: str, seed: int, watcher: Watcher) -> Any:
    plan = plan_tournament(setup, [par], 1, seed, "self")
    if len(plan.players) != 1:
        raise ValueError(f"par is one agent, not {len(plan.players)}: {par}")
    compile_agents(plan, watcher)
    match: Match = plan.match

    def play(first: int, n_deals: int) -> np.ndarray:
        _, games = play_chunk(match, Chunk(0, first, n_deals))
        assert games is not None
        if not games.finished.all():
            raise ValueError(f"the par agent {par} broke off a game; par wants one that never does")
        return setup.game.total(setup, games.points).astype(np.float64)

    return play
