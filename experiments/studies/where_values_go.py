"""Where values go in Robot Master: which cards come to lie in which cell of the square, and when.

Copies of one agent play alone and as two players. A block is a deal, played once; cells are those of the record, with
rows from the top, and no two of them are pooled. The card in the middle is the first one and nobody's choice. The other
24 cards come in turns 1 to 24; the phases are turns 1-8, 9-16 and 17-24, so that each has a third of the cells.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from engine.contract import Setup, load_game
from experiments.inference import mean_of
from experiments.self_play import compiled_players, finished_tables
from experiments.studies import Findings, Request, Study
from experiments.summary import Estimate, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAME = "robot-master"
PLAYERS = (1, 2)
SIZE = 5
MIDDLE = SIZE * SIZE // 2
PHASES = {"early": range(1, 9), "middle": range(9, 17), "late": range(17, 25)}
DEALS_AT_ONCE = 4096


@dataclass(frozen=True)
class Phase:
    """How often a cell is filled in a phase, with Wilson's interval, and the mean value that it is filled with."""

    share: float
    low: float
    high: float
    value: Estimate


@dataclass(frozen=True)
class Cell:
    """One cell of the square, counted from the top left: mean value and turn, and what happens in each phase."""

    row: int
    column: int
    value: Estimate
    turn: Estimate
    phases: dict[str, Phase]


@dataclass(frozen=True)
class Square:
    """All cells, for one agent and number of players."""

    agent: str
    players: int
    n_deals: int
    cells: list[Cell]


def square_of(agent: str, players: int, values: np.ndarray, turns: np.ndarray) -> Square:
    """Summarize full squares: values 0 to 5 and turns, both of shape (deals, 25)."""
    cells = []
    for cell in range(SIZE * SIZE):
        phases = {}
        for name, span in PHASES.items():
            inside = (turns[:, cell] >= span.start) & (turns[:, cell] < span.stop)
            share = float(inside.mean())
            phases[name] = Phase(share, *wilson(share, len(inside)), mean_of(values[inside, cell].astype(np.float64)))
        of_cell = values[:, cell].astype(np.float64), turns[:, cell].astype(np.float64)
        cells.append(Cell(cell // SIZE, cell % SIZE, mean_of(of_cell[0]), mean_of(of_cell[1]), phases))
    return Square(agent, players, len(values), cells)


def play_squares(setup: Setup, agent: str, request: Request) -> Square:
    """Let copies of an agent fill one square a deal."""
    (player,) = compiled_players(setup, [agent], request.watcher)
    values, turns = [], []
    for first in range(0, request.deals, DEALS_AT_ONCE):
        deals = range(first, min(first + DEALS_AT_ONCE, request.deals))
        states = finished_tables(setup, [player] * setup.players, deals, request.seed)
        values.append(states["cells"].astype(np.int64) - 1)
        turns.append(states["turns"].astype(np.int64))
        request.watcher.advance(len(deals))
    return square_of(agent, setup.players, np.concatenate(values), np.concatenate(turns))


def run(request: Request) -> Findings:
    """Play alone and as two players, or as many as are asked for; one agent."""
    if len(request.agents) != 1:
        raise ValueError(f"where-values-go looks at one agent, not {len(request.agents)}")
    numbers = PLAYERS if request.players is None else (request.players,)
    setups = [load_game(GAME, players=number) for number in numbers]
    request.watcher.start(request.deals * len(setups))
    squares = [play_squares(setup, request.agents[0], request) for setup in setups]
    facts = {"seed": request.seed, "deals": request.deals, "squares": [asdict(square) for square in squares]}
    return Findings(facts, draw(squares, request.seed))


def draw(squares: list[Square], seed: int) -> Figure:
    """Draw a row of squares for each number of players: mean value, then how often each cell is filled in a phase."""
    figure = Figure(figsize=(7.6, 2.0 * len(squares) + 0.9), layout="constrained")
    panels = figure.subplots(len(squares), 1 + len(PHASES), squeeze=False)
    for row, square in zip(panels, squares, strict=True):
        _draw_values(row[0], square)
        for panel, name in zip(row[1:], PHASES, strict=True):
            _draw_phase(panel, square, name)
        row[0].set_ylabel("alone" if square.players == 1 else f"{square.players} players", fontweight="bold")
    for panel, name in zip(panels[0][1:], PHASES, strict=True):
        span = PHASES[name]
        panel.set_title(f"{name}: turns {span.start} to {span.stop - 1}", fontsize=8.5)
    panels[0][0].set_title("mean value of the card", fontsize=8.5)
    first = squares[0]
    cells = [cell for square in squares for cell in square.cells]
    phases = [phase for cell in cells for phase in cell.phases.values()]
    value = max(cell.value.half_width for cell in cells)
    then = max(phase.value.half_width for phase in phases)
    share = max((phase.high - phase.low) / 2 for phase in phases)
    figure.supxlabel(
        "phases: share of games in which the cell is filled then, and below it the mean value of the card laid then\n"
        f"{first.agent} in all seats, {first.n_deals:,} deals each, seed {seed}; no cells pooled\n"
        f"95 % intervals at most: mean value ± {value:.2f}, in a phase ± {then:.2f}, shares ± {100 * share:.1f} %",
        fontsize=7.5,
    )
    figure.suptitle("Robot Master: which values go where, and when", fontweight="bold")
    return figure


def _draw_values(panel: Axes, square: Square) -> None:
    means = np.array([cell.value.mean for cell in square.cells], dtype=np.float64)
    spread = max(0.3, float(np.abs(means - 2.5).max()))
    words = [f"{mean:.2f}" for mean in means]
    _draw_cells(panel, means, words, "PuOr_r", (2.5 - spread, 2.5 + spread))


def _draw_phase(panel: Axes, square: Square, name: str) -> None:
    shares = np.array([100 * cell.phases[name].share for cell in square.cells])
    words = []
    for share, cell in zip(shares, square.cells, strict=True):
        mean = cell.phases[name].value.mean
        words.append(f"{share:.0f} %" + ("" if mean is None else f"\n{mean:.2f}"))
    shares[MIDDLE] = np.nan
    words[MIDDLE] = "first\ncard"
    _draw_cells(panel, shares, words, "Blues", (0, 100))


def _draw_cells(panel: Axes, values: np.ndarray, words: list[str], colors: str, limits: tuple[float, float]) -> None:
    colormap = colormaps[colors].with_extremes(bad="#eeeeee")
    panel.imshow(values.reshape(SIZE, SIZE), cmap=colormap, vmin=limits[0], vmax=limits[1])
    for cell, word in enumerate(words):
        level = (values[cell] - limits[0]) / (limits[1] - limits[0])
        red, green, blue, _ = colormap(level)
        is_dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 and not np.isnan(level)
        color = "white" if is_dark else "black"
        panel.text(cell % SIZE, cell // SIZE, word, ha="center", va="center", fontsize=6.5, color=color)
    panel.set_xticks([])
    panel.set_yticks([])
    panel.spines[:].set_visible(False)


STUDY = Study(
    name="where-values-go",
    game=GAME,
    summary="which values come to lie in which cell of the square, and when",
    agents=("greedy:style=expected-minimum",),
    deals=20_000,
    run=run,
)
