"""What four tasks of a session leave: slices and grades, worked out exactly from single tasks and checked by play.

The counts. A block is one deal of one task, or one whole session. Tasks of a session have deals of their own, so what a
team loses in one tells nothing about the next, and the slices lost in four tasks are the convolution of what they lose
in each. Combo Supreme draws its tasks: there it is the mean of that over all draws, which elementary symmetric
polynomials give without going through all 10,626. A team that plays the same in a session as in single tasks must come
to the same; the test holds simulated sessions against the convolution, with the errors of both. Each task and the
sessions have seeds of their own: on common deals those errors would not be independent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import chdtrc

from engine.contract import Setup, load_game
from engine.games.robots_ate_our_pizza.slices import GRADES, WORST_GRADE, grade
from experiments.cluster import Place, ray_kept
from experiments.summary import Estimate, wilson
from experiments.tally import Tally
from experiments.thresholds import GAME
from experiments.tournament import Watcher, plan_tournament, play_tournament

N_LEGS = 4
MOST_LOST = 3  # slices in one task
N_SLICES = 8
N_TASKS = 24
LEAST_EXPECTED = 5.0  # sessions in each class of a test whose error is taken to be normal
SEED_STEP = 1_000_003  # from the seed of one task to that of the next
USUAL_AGENTS = (  # a search of fewer iterations than for one task: its rollouts go on to the end of the session
    "uniform",
    "greedy:style=own",
    "greedy:style=color-hoarder",
    "greedy:style=team",
    "mcts:iterations=100,c=1,patience=30,rollout=greedy",
)


@dataclass(frozen=True)
class GradeChance:
    """How often a session earns a grade: worked out from single tasks, and in simulated sessions."""

    grade: str
    exact: float
    simulated: Estimate


@dataclass(frozen=True)
class SessionView:
    """The answer for one agent's team at one number of players."""

    agent: str
    players: int
    mode: str
    n_games_of_task: int
    n_sessions: int
    lost_by_task: dict[int, tuple[float, ...]]  # chances of losing 0, 1, 2, 3 slices
    exact: tuple[float, ...]  # chance of each number of slices left, from -4 to 8
    simulated: tuple[float, ...]  # the same in simulated sessions
    mean_exact: float
    mean_simulated: Estimate
    grades: tuple[GradeChance, ...]  # best first
    p_same: float  # of "sessions are four single tasks" (Wald's test); 1 where nothing varies

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


@ray_kept()
def session_view(
    setup: Setup,
    agents: str | Sequence[str],
    deals: int,
    seed: int,
    place: Place | None = None,
    watcher: Watcher | None = None,
) -> list[SessionView]:
    """Let teams of copies of each agent play each task and whole sessions, `deals` of each; one view for each agent.

    `setup` is that of the session. Raises ValueError for a setup that is none, for sessions that may end early, and
    for wrong arguments.
    """
    if setup.name != GAME or setup.options["mode"] == "task":
        raise ValueError(f"a session is {GAME} with --option mode=base, cheese, … or combo")
    if setup.options["stop_at_zero"]:
        raise ValueError("a session that stops at zero slices is no sum of four tasks; leave out stop_at_zero")
    where = place or Place(serial=True)
    plan = plan_tournament(setup, agents, deals, seed, "self", keep="summary")
    lost: dict[str, dict[int, np.ndarray]] = {name: {} for name in plan.match.agents}
    for task in tasks_of(setup):
        single = load_game(GAME, players=setup.players, **{**setup.options, "mode": "task", "task": task})
        of_task = plan_tournament(single, agents, deals, seed + task * SEED_STEP, "self", keep="summary")
        assert setup.game.slices_lost is not None
        by_result = setup.game.slices_lost(single)
        assert by_result is not None
        for tally in _finished(play_tournament(of_task, None, where, watcher).tallies):
            counts = np.bincount(by_result, weights=tally.totals, minlength=MOST_LOST + 1)
            lost[plan.match.agents[tally.line_up[0]]][task] = counts / counts.sum()
    tallies = _finished(play_tournament(plan, None, where, watcher).tallies)
    return [_view(setup, plan.match.agents[tally.line_up[0]], lost, tally, deals) for tally in tallies]


def _finished(tallies: Iterable[Tally]) -> list[Tally]:
    found = list(tallies)
    n_broken = sum(tally.n_broken for tally in found)
    if n_broken:
        raise ValueError(f"{n_broken:,} games were broken off by an agent's fault; a session view wants whole games")
    return found


def tasks_of(setup: Setup) -> list[int]:
    """Return the tasks that a session may have: the four of its topping, or all."""
    modes = [str(choice) for option in setup.game.options if option.name == "mode" for choice in option.choices]
    place = modes.index(str(setup.options["mode"]))
    return list(range(1, N_TASKS + 1)) if modes[place] == "combo" else list(range(4 * place - 3, 4 * place + 1))


def _view(setup: Setup, agent: str, lost: dict[str, dict[int, np.ndarray]], tally: Tally, deals: int) -> SessionView:
    by_task = lost[agent]
    rows = np.stack([by_task[task] for task in sorted(by_task)])
    is_combo = setup.options["mode"] == "combo"
    repeats = is_combo and bool(setup.options["with_replacement"])
    exact, slopes = lost_in_session(rows, repeats)
    simulated = (tally.totals / tally.totals.sum())[::-1]  # by slices lost, from 0
    covariance = (np.diag(exact) - np.outer(exact, exact)) / deals
    for row, slope in zip(rows, slopes, strict=True):
        covariance += slope @ (np.diag(row) - np.outer(row, row)) @ slope.T / deals
    left = N_SLICES - np.arange(len(exact))
    mean = float(simulated @ left)
    error = float(np.sqrt(max(0.0, simulated @ (left - mean) ** 2) / deals))
    return SessionView(
        agent=agent,
        players=setup.players,
        mode=str(setup.options["mode"]),
        n_games_of_task=deals,
        n_sessions=int(tally.totals.sum()),
        lost_by_task={task: tuple(by_task[task].tolist()) for task in sorted(by_task)},
        exact=tuple(exact[::-1].tolist()),
        simulated=tuple(simulated[::-1].tolist()),
        mean_exact=float(exact @ left),
        mean_simulated=Estimate(mean, mean - 1.96 * error, mean + 1.96 * error, deals),
        grades=_grades(exact, simulated, left, deals),
        p_same=_p_same(exact, simulated, covariance, deals),
    )


def _p_same(exact: np.ndarray, simulated: np.ndarray, covariance: np.ndarray, n_sessions: int) -> float:
    """Test whether two distributions are the same; neighbors are put together where hardly a session is expected."""
    group = np.zeros(len(exact), dtype=np.int64)
    expected = 0.0
    for place in range(1, len(exact)):
        expected += n_sessions * float(exact[place - 1])
        is_new = expected >= LEAST_EXPECTED and n_sessions * float(exact[place:].sum()) >= LEAST_EXPECTED
        group[place] = group[place - 1] + is_new
        expected = 0.0 if is_new else expected
    together = np.equal.outer(np.arange(group[-1] + 1), group).astype(np.float64)
    return wald(together @ (exact - simulated), together @ covariance @ together.T)


def _grades(exact: np.ndarray, simulated: np.ndarray, left: np.ndarray, n_sessions: int) -> tuple[GradeChance, ...]:
    chances = []
    for words in [*(name for _, name in GRADES), WORST_GRADE]:
        inside = np.array([grade(int(slices)) == words for slices in left])
        share = min(float(simulated[inside].sum()), 1.0)
        found = Estimate(share, *wilson(share, n_sessions), n_sessions)
        chances.append(GradeChance(words, float(exact[inside].sum()), found))
    return tuple(chances)


def lost_in_session(rows: np.ndarray, repeats: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the chance of losing 0 to 12 slices in four tasks, and its slopes.

    `rows` (tasks, 4) holds the chances of losing 0 to 3 slices in each task that may come: four tasks are all played,
    of more four are drawn at random, the same one again only if `repeats`. The slopes (tasks, 13, 4) say how the
    answer changes with each of those chances.
    """
    n_tasks, size = rows.shape
    if repeats:
        mean = rows.mean(axis=0)
        three = _product([mean] * (N_LEGS - 1))
        return np.convolve(three, mean), np.stack([_shifts(three, size) * N_LEGS / n_tasks] * n_tasks)
    n_draws = _n_draws(n_tasks)
    together = _drawn(rows, N_LEGS) / n_draws
    without = [_drawn(np.delete(rows, task, axis=0), N_LEGS - 1) / n_draws for task in range(n_tasks)]
    return together, np.stack([_shifts(three, size) for three in without])


def _n_draws(n_tasks: int) -> float:
    """Count the ways to draw four of so many tasks."""
    return float(_drawn(np.ones((n_tasks, 1)), N_LEGS)[0])


def _drawn(rows: np.ndarray, n_drawn: int) -> np.ndarray:
    """Sum the convolutions of all choices of `n_drawn` rows: an elementary symmetric polynomial, row by row."""
    size = rows.shape[1]
    sums = [np.zeros((size - 1) * count + 1) for count in range(n_drawn + 1)]
    sums[0][0] = 1.0
    for row in rows:
        for count in range(n_drawn, 0, -1):
            sums[count] += np.convolve(sums[count - 1], row)
    return sums[n_drawn]


def _product(rows: Sequence[np.ndarray]) -> np.ndarray:
    product = np.ones(1)
    for row in rows:
        product = np.convolve(product, row)
    return product


def _shifts(three: np.ndarray, size: int) -> np.ndarray:
    """Return the matrix that convolves a row of `size` chances with `three`."""
    matrix = np.zeros((len(three) + size - 1, size))
    for place in range(size):
        matrix[place : place + len(three), place] = three
    return matrix


def wald(difference: np.ndarray, covariance: np.ndarray) -> float:
    """Return the p-value of "the difference is 0" for an estimate with this covariance; 1 where nothing varies."""
    values, vectors = np.linalg.eigh(covariance)
    varies = values > max(values.max(), 0.0) * 1e-9
    if not varies.any():
        return 1.0
    square = float((((vectors.T @ difference)[varies]) ** 2 / values[varies]).sum())
    return float(chdtrc(int(varies.sum()), square))
