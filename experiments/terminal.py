"""What a person sees in the terminal: progress, tables, benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from engine.contract import Setup
from experiments.summary import Estimate, LineUpLine, grade_shares
from experiments.tournament import Outcome, Watcher


@contextmanager
def progress_watcher() -> Iterator[Watcher]:
    """Show on standard error what a run is at: a bar in a terminal, plain lines elsewhere."""
    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield Watcher(say=lambda words: print(words, file=sys.stderr, flush=True))  # noqa: T201
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("preparing", total=None)

        def say(words: str) -> None:
            progress.update(task, description=words)

        def start(n_games: int) -> None:
            progress.update(task, description="games", total=n_games, completed=0)

        yield Watcher(say=say, start=start, advance=lambda n_games: progress.advance(task, n_games))


def plain_console() -> Console:
    """Return a console that is wide enough for tables in a file or a pipe, too."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=160)  # a file or a pipe should not fold the table
    return console


def print_outcome(outcome: Outcome, folder: Path, pictures: Sequence[Path]) -> None:
    """Print the tables of a tournament and where its files are."""
    console = plain_console()
    setup = outcome.plan.setup
    if setup.cooperative:
        _print_cooperative(console, outcome)
    else:
        _print_competitive(console, outcome)
    n_games = sum(line.n_games + line.n_broken for line in outcome.lines)
    played = n_games - outcome.n_games_before
    rate = f", {played / outcome.seconds:,.0f} games a second" if played else ""
    console.print(f"{n_games:,} games; now {played:,} {outcome.where} in {outcome.seconds:.1f} s{rate}")
    console.print(f"seed {outcome.plan.match.seed}; the same command gives the same games")
    console.print("± is half a 95 % interval over blocks (a deal in all its seatings).", style="dim")
    for path in (folder / "summary.json", *pictures):
        console.print(f"wrote {path}", soft_wrap=True)


def _print_cooperative(console: Console, outcome: Outcome) -> None:
    setup = outcome.plan.setup
    has_table = any(line.slices_lost is not None for line in outcome.lines)
    alone = [line for line in outcome.lines if line.is_self_play]
    company = "" if setup.players == 1 else ": agents with copies of themselves"
    table = Table(title=f"{setup.heading}{options_text(setup)}{company}")
    table.add_column("agent", overflow="fold")
    is_session = any(line.success is not None for line in alone)
    headings = ["slices left" if is_session else "mean total", "95 % interval"]
    counts_slices = setup.game.slices_lost is not None
    if counts_slices:
        headings += ["slices lost", "success" if is_session else "chance of losing none"]
    headings.append("blocks")
    for heading in headings:
        table.add_column(heading, justify="right")
    if any(line.n_broken for line in outcome.lines):
        table.add_column("faults", justify="right")
    for line in sorted(alone, key=lambda each: -(each.total.mean or 0.0)):
        cells = [line.agents[0].agent, _mean(line.total), _interval(line.total)]
        chance = line.success if is_session else line.lost_none
        if counts_slices:
            cells += [_with_error(line.slices_lost), _percent(chance)] if has_table else ["no table", "no table"]
        cells.append(f"{line.total.n_blocks:,}")
        if len(table.columns) > len(cells):
            cells.append(f"{line.agents[0].n_faults:,}")
        table.add_row(*cells)
    if alone:
        console.print(table)
        if has_table and setup.game.slices_source is not None:
            console.print(f"slices by {setup.game.slices_source(setup)}", style="dim", soft_wrap=True)
    if is_session:
        _print_grades(console, setup, alone)
    mixed = [line for line in outcome.lines if not line.is_self_play]
    if mixed:
        _print_mixtures(console, outcome, mixed)


def _print_grades(console: Console, setup: Setup, lines: Sequence[LineUpLine]) -> None:
    """Print how often each agent's session earned each of the rulebook's grades."""
    shares = [grade_shares(setup, line) for line in lines]
    table = Table(title="grades (share of sessions, 95 % interval)")
    table.add_column("agent", overflow="fold")
    for grade in shares[0]:
        table.add_column(grade, justify="right")
    for line, of_line in zip(lines, shares, strict=True):
        table.add_row(line.agents[0].agent, *(_percent(each) for each in of_line.values()))
    console.print(table)


def _print_mixtures(console: Console, outcome: Outcome, mixed: Sequence[LineUpLine]) -> None:
    """Print the mean total of each mixture as a matrix: who works with strangers."""
    agents = outcome.plan.match.agents
    cells: dict[tuple[str, str], list[Estimate]] = {}
    for line in outcome.lines:
        names = [each.agent for each in line.agents]
        if len(names) <= 2:
            cells.setdefault((names[0], names[-1]), []).append(line.total)
    table = Table(title="mean total of mixtures, seats alternating (diagonal: copies of one agent)")
    table.add_column("", overflow="fold")
    for number, _ in enumerate(agents, start=1):
        table.add_column(f"[{number}]", justify="right")
    for number, agent in enumerate(agents, start=1):
        row = []
        for other in agents:
            found = cells.get((agent, other)) or cells.get((other, agent))
            row.append(_with_error(_average(found)) if found else "")
        table.add_row(f"\\[{number}] {agent}", *row)
    console.print(table)


def _average(found: Sequence[Estimate]) -> Estimate:
    """Average the mixtures of one pair; they share deals, so the widest interval is kept rather than narrowed."""
    mean = sum(each.mean or 0.0 for each in found) / len(found)
    half = max(each.half_width for each in found)
    return Estimate(mean, mean - half, mean + half, min(each.n_blocks for each in found))


def _print_competitive(console: Console, outcome: Outcome) -> None:
    setup = outcome.plan.setup
    table = Table(title=f"{setup.heading}{options_text(setup)}")
    table.add_column("line-up", overflow="fold")
    table.add_column("agent", overflow="fold")
    for heading in ("share of the win", "points", "blocks", "faults"):
        table.add_column(heading, justify="right")
    for line in outcome.lines:
        for each in line.agents:
            table.add_row(
                line.lineup,
                each.agent,
                _with_error(each.share, digits=3),
                _with_error(each.points),
                f"{each.points.n_blocks:,}",
                f"{each.n_faults:,}",
            )
    console.print(table)


def options_text(setup: Setup) -> str:
    """Say which options differ from the game's defaults."""
    defaults = {option.name: option.default for option in setup.game.options}
    shown = [f"{name} {value}" for name, value in setup.options.items() if name == "task" or value != defaults[name]]
    return "".join(f", {words}" for words in shown)


def _mean(estimate: Estimate) -> str:
    return "-" if estimate.mean is None else f"{estimate.mean:.2f}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "-"
    return f"{estimate.low:.2f} to {estimate.high:.2f}"


def _with_error(estimate: Estimate | None, digits: int = 2) -> str:
    if estimate is None or estimate.mean is None:
        return "-"
    if estimate.low is None:
        return f"{estimate.mean:.{digits}f}"
    return f"{estimate.mean:.{digits}f} ± {estimate.half_width:.{digits}f}"


def _percent(estimate: Estimate | None) -> str:
    if estimate is None or estimate.mean is None or estimate.low is None or estimate.high is None:
        return "-"
    return f"{estimate.mean:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def print_bench(setup: Setup, figures: Sequence[dict[str, Any]]) -> None:
    """Print the figures of `pizzabots bench`."""
    console = plain_console()
    table = Table(title=f"{setup.heading}: throughput on one core")
    table.add_column("what", overflow="fold")
    for heading in ("median a second", "slowest", "fastest", "unit", "repeats"):
        table.add_column(heading, justify="right")
    for each in figures:
        cells = (f"{each[name]:,.0f}" for name in ("median", "slowest", "fastest"))
        table.add_row(each["what"], *cells, each["unit"], str(each["repeats"]))
    console.print(table)
