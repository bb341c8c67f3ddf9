"""What a run left, and the tables of its page: each cell with the words it shows and the key it is sorted by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.contract import Setup
from experiments.answers import p_words
from experiments.ratings import Matrix, Ratings, Run, read_run, setup_of_run
from experiments.results import SUFFIX, read_config
from experiments.seat_advantage import Chairs
from experiments.summary import Estimate, LineUpLine, from_json, grade_shares, share_estimate
from experiments.tally import BlockSums
from experiments.verdicts import Contrast, Verdicts, figure, percent

MOST_ROWS = 1000  # of a table


@dataclass(frozen=True)
class Source:
    """A finished run, read: `run` holds its rows, None where there are none."""

    setup: Setup
    config: Mapping[str, Any]
    lines: list[LineUpLine]
    run: Run | None
    missing: str  # why there are no rows, as a sentence


def read_source(path: Path) -> Source:
    """Read what a run left; ValueError when it is no finished run."""
    config = read_config(path)
    try:
        content = json.loads((path / "summary.json").read_text(encoding="utf-8"))
    except OSError:
        raise ValueError(
            f"the run {str(path)!r} has no summary.json: it was not played to its end; the command that began it "
            "takes it up"
        ) from None
    except ValueError:
        raise ValueError(f"the summary.json of the run {str(path)!r} is damaged") from None
    try:
        setup = setup_of_run(path)
        lines = from_json(content)
        n_games = sum(line.n_games + line.n_broken for line in lines)
        keep = [config[name] for name in ("agents", "line_ups", "seed", "deals", "schedule", "keep")][-1]
    except (KeyError, TypeError, AttributeError):
        raise ValueError(f"the run {str(path)!r} cannot be read: it is damaged, or another version made it") from None
    run = None
    missing = ""
    if keep != "rows":
        missing = "The run kept only its summary (--keep summary)"
    elif not any((path / "parts").glob(f"part-*{SUFFIX}")):
        missing = "The folder holds the run's summary without its rows"
    else:
        run = read_run(path, dict(config))
        if run.n_games != n_games:
            run, missing = None, "Some of the run's rows are missing; the command that made the run mends it"
    return Source(setup, config, lines, run, missing)


def is_session(lines: Sequence[LineUpLine]) -> bool:
    """Tell whether results are slices left, not points."""
    return any(line.success is not None for line in lines)


@dataclass(frozen=True)
class Cell:
    """What stands in a table, and what it is sorted by: a number, a text, or None (always last)."""

    text: str
    key: float | str | None


@dataclass(frozen=True)
class Column:
    """The heading of a column; numbers stand on the right."""

    heading: str
    is_number: bool = True


@dataclass(frozen=True)
class SortableTable:
    """A table; `sorted_by` is the column by which its rows stand, and whether they ascend."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    sorted_by: tuple[int, bool] | None = None


def _text(words: str) -> Cell:
    return Cell(words, words)


def _count(number: int) -> Cell:
    return Cell(f"{number:,}", number)


def _number(value: float | None, digits: int, sign: str = "") -> Cell:
    return Cell("–", None) if value is None else Cell(f"{value:{sign},.{digits}f}", value)


def _interval(low: float | None, high: float | None, digits: int, sign: str = "") -> Cell:
    """Write an interval; it is sorted by its lower end."""
    if low is None or high is None:
        return Cell("–", None)
    return Cell(f"{low:{sign},.{digits}f} to {high:{sign},.{digits}f}", low)


def _mean_cells(estimate: Estimate | None, digits: int = 2, scale: float = 1.0) -> tuple[Cell, Cell]:
    if estimate is None or estimate.mean is None:
        return Cell("–", None), Cell("–", None)
    low, high = (None if end is None else scale * end for end in (estimate.low, estimate.high))
    return _number(scale * estimate.mean, digits), _interval(low, high, digits)


def _share_cell(estimate: Estimate | None) -> Cell:
    """Write a share in percent with its interval, sorted by the share."""
    if estimate is None or estimate.mean is None:
        return Cell("–", None)
    return Cell(percent(estimate), estimate.mean)


def _part_cell(count: int, n_games: int) -> Cell:
    """Write which part of the games that is."""
    return _share_cell(share_estimate(BlockSums(n_games, count, count), 1))


INTERVAL = Column("95 % interval")


def _table(
    name: str,
    caption: str,
    columns: Sequence[Column],
    rows: Sequence[tuple[Cell, ...]],
    note: str = "",
    sorted_by: tuple[int, bool] | None = None,
) -> SortableTable:
    """Put a table together in the order that it says it has, and cut it where it would make the page too long."""
    ordered = list(rows)
    if sorted_by is not None:
        column, ascends = sorted_by
        known = [row for row in ordered if row[column].key is not None]
        known.sort(key=lambda row: row[column].key, reverse=not ascends)  # type: ignore[arg-type, return-value]
        ordered = known + [row for row in ordered if row[column].key is None]
    if len(ordered) > MOST_ROWS:
        cut = f"The first {MOST_ROWS:,} of {len(ordered):,} rows; summary.json and `pizzabots ratings` have all."
        note, ordered = f"{note} {cut}".strip(), ordered[:MOST_ROWS]
    return SortableTable(name, caption, tuple(columns), tuple(ordered), note, sorted_by)


def result_tables(source: Source) -> Iterable[SortableTable]:
    """Tabulate what teams of copies of one agent reach, how many slices they lose, and their grades."""
    setup, lines = source.setup, source.lines
    alone = [line for line in lines if line.is_self_play]
    if not setup.cooperative or not alone:
        return
    ascends = not _higher_first(setup)
    yield _table(
        "results",
        "Results of each agent with copies of itself" if setup.players > 1 else "Results of each agent",
        [Column("agent", False), *_total_columns(lines, setup), *_tail_columns(lines)],
        [(_text(line.agents[0].agent), *_total_cells(line, lines), *_tail_cells(line, lines)) for line in alone],
        sorted_by=(1, ascends),
    )
    lost = None if setup.game.slices_lost is None else setup.game.slices_lost(setup)
    if is_session(lines) and setup.game.grade is not None:
        grades = [(line, grade_shares(setup, line)) for line in alone]
        yield _table(
            "grades",
            "Grades: share of sessions",
            [Column("agent", False), *(Column(grade) for grade in grades[0][1])],
            [
                (
                    _text(line.agents[0].agent),
                    *(_share_cell(each if line.n_games else None) for each in shares.values()),
                )
                for line, shares in grades
            ],
            "In parentheses the 95 % interval.",
            (1, False),
        )
    elif lost is not None:
        least = setup.ranges.total[0]
        rows = []
        for line in alone:
            counts = [0] * (int(lost.max()) + 1)
            for result, count in line.totals.items():
                counts[int(lost[result - least])] += count
            rows.append((_text(line.agents[0].agent), *(_part_cell(count, line.n_games) for count in counts)))
        yield _table(
            "slices",
            "Slices lost: share of games",
            [Column("agent", False), *(Column(str(slices)) for slices in range(int(lost.max()) + 1))],
            rows,
            "In parentheses the 95 % interval.",
            (1, False),
        )


def _higher_first(setup: Setup) -> bool:
    """Tell whether tables of results begin with the highest."""
    lost = None if setup.game.slices_lost is None else setup.game.slices_lost(setup)
    return lost is None or bool(lost[-1] <= lost[0])


def _total_columns(lines: Sequence[LineUpLine], setup: Setup) -> list[Column]:
    columns = [
        Column("slices left" if is_session(lines) else "mean total" if setup.players > 1 else "points"),
        INTERVAL,
    ]
    if any(line.slices_lost is not None for line in lines):
        columns += [Column("slices lost"), INTERVAL]
        columns.append(Column("success" if is_session(lines) else "chance of losing none"))
    return columns


def _total_cells(line: LineUpLine, lines: Sequence[LineUpLine]) -> tuple[Cell, ...]:
    cells = _mean_cells(line.total)
    if not any(other.slices_lost is not None for other in lines):
        return cells
    return *cells, *_mean_cells(line.slices_lost), _share_cell(line.success if is_session(lines) else line.lost_none)


def _tail_columns(lines: Sequence[LineUpLine]) -> list[Column]:
    broken = [Column("broken off")] if any(line.n_broken for line in lines) else []
    return [Column("games"), Column("blocks"), *broken]


def _tail_cells(line: LineUpLine, lines: Sequence[LineUpLine]) -> tuple[Cell, ...]:
    broken = [_count(line.n_broken)] if any(other.n_broken for other in lines) else []
    return _count(line.n_games + line.n_broken), _count(line.total.n_blocks), *broken


def line_up_table(source: Source) -> SortableTable:
    """Tabulate every line-up of a competitive game, or the mixtures of a cooperative one."""
    setup, lines = source.setup, source.lines
    if setup.cooperative:
        return _table(
            "mixtures",
            "Mixtures: agents that work with strangers",
            [Column("line-up", False), *_total_columns(lines, setup), *_tail_columns(lines)],
            [
                (_text(line.lineup), *_total_cells(line, lines), *_tail_cells(line, lines))
                for line in lines
                if not line.is_self_play
            ],
            sorted_by=(1, not _higher_first(setup)),
        )
    rows = []
    for line in lines:
        for each in line.agents:
            share = _mean_cells(each.share, 1, 100.0)
            cells = (*share, *_mean_cells(each.points), _count(each.points.n_blocks), _count(each.n_faults))
            rows.append((_text(line.lineup), _text(each.agent), *cells))
    return _table(
        "line-ups",
        "Line-ups: share of the win and points of a seat",
        [
            *(Column("line-up", False), Column("agent", False), Column("share of the win (%)"), INTERVAL),
            *(Column("points"), INTERVAL, Column("blocks"), Column("faults")),
        ],
        rows,
        f"An even share of a seat is {100 / setup.players:.1f} %.",
    )


def rating_tables(ratings: Ratings | None, setup: Setup) -> Iterable[SortableTable]:
    """Tabulate ratings and who did better than whom; teams of a cooperative game have neither."""
    if ratings is None or setup.cooperative:
        return
    yield _table(
        "ratings",
        f"Ratings ({ratings.anchor} = 0)",
        [Column("agent", False), Column("Elo"), INTERVAL],
        [(_text(each.agent), _number(each.value, 1), _interval(each.low, each.high, 1)) for each in ratings.rated],
        sorted_by=(1, False),
    )
    yield _table(
        "head-to-head",
        "Head to head: how often the agent did better than the other at the same table",
        [Column("agent", False), Column("other", False), Column("did better (%)"), INTERVAL, Column("deals")],
        [_met_cells(ratings.matrix, pair, ratings.agents) for pair in sorted(ratings.matrix)],
        "A tie counts a half.",
        (2, False),
    )


def _met_cells(matrix: Matrix, pair: tuple[int, int], agents: Sequence[str]) -> tuple[Cell, ...]:
    met = matrix[pair]
    names = (_text(agents[place]) for place in pair)
    return *names, *_mean_cells(met, 1, 100.0), _count(met.n_blocks)


def contrast_table(verdicts: Verdicts) -> Iterable[SortableTable]:
    """Tabulate all comparisons that verdicts were drawn from."""
    if len(verdicts.contrasts) < 2:
        return
    has_where = any(each.where for each in verdicts.contrasts)
    where = [Column("line-up", False)] if has_where else []
    names = [Column("agent with more", False), Column("agent with less", False)]
    figures = [Column("difference"), INTERVAL, Column("adjusted p"), Column("found with 90 % power")]
    yield _table(
        "comparisons",
        f"All comparisons: differences in {verdicts.measure.unit}",
        [*where, *names, *figures, Column("verdict", False)],
        [_contrast_cells(each, verdicts.measure.digits, has_where) for each in verdicts.contrasts],
        "Intervals and p hold for all of them together.",
        (len(where) + 2, False),
    )


def _contrast_cells(each: Contrast, digits: int, has_where: bool) -> tuple[Cell, ...]:
    unknown = each.is_constant
    return (
        *([_text(each.where)] if has_where else []),
        *(_text(each.first), _text(each.second)),
        _number(each.difference, digits, "+"),
        Cell("in every deal", None) if unknown else _interval(each.low, each.high, digits, "+"),
        Cell(p_words(each.p_adjusted), each.p_adjusted),
        Cell("–", None) if unknown else Cell(f"±{figure(each.smallest_effect, digits)}", each.smallest_effect),
        _text("found" if each.is_found else "not found"),
    )


def seat_tables(chairs: Sequence[tuple[str, Chairs]]) -> Iterable[SortableTable]:
    """Tabulate what each seat gets beyond an even share."""
    rows = []
    for who, answer in chairs:
        for chair in answer.chairs:
            effect = chair.effect
            rows.append(
                (
                    _text(who),
                    Cell(", ".join(map(str, chair.seats)), chair.seats[0]),
                    _number(effect.mean, 4, "+"),
                    _interval(effect.low, effect.high, 4, "+"),
                    Cell(p_words(chair.p_adjusted), chair.p_adjusted),
                    Cell(f"±{figure(chair.smallest_effect, 4)}", chair.smallest_effect),
                    _count(effect.n_blocks),
                )
            )
    yield _table(
        "seats",
        "Seats: what each gets beyond an even share",
        [
            *(Column("agent", False), Column("seat"), Column("effect"), INTERVAL, Column("p (Holm)")),
            *(Column("found with 90 % power"), Column("deals")),
        ],
        rows,
    )
