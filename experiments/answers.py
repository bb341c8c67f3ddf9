"""What a person sees of the answers to single questions: a live bar, a decision, an estimate, a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from engine.contract import Setup
from experiments.check_agent import AgentCheck
from experiments.compare import Comparison, Look
from experiments.inference import Pair
from experiments.luck import Luck
from experiments.ratings import Ratings
from experiments.repro import Repetition
from experiments.seat_advantage import Chairs, SeatAdvantage
from experiments.sequential import FIRST, NEITHER, OPEN, SECOND, Hypotheses, Verdict
from experiments.session import SessionView
from experiments.summary import Estimate
from experiments.terminal import options_text, plain_console
from experiments.thresholds import Thresholds, team_text
from experiments.tournament import Watcher

BAR_WIDTH = 41  # characters, odd: the middle is a ratio of 0


@contextmanager
def comparison_bar(first: str, second: str, hypotheses: Hypotheses, max_blocks: int) -> Iterator[tuple[Watcher, Look]]:
    """Show on standard error how a comparison stands: two bars in a terminal, plain lines of what is done elsewhere."""
    console = Console(file=sys.stderr)
    if not console.is_terminal:
        yield Watcher(say=lambda words: print(words, file=sys.stderr, flush=True)), lambda verdict, estimate: None  # noqa: T201
        return
    with Live(console=console, transient=True) as live:

        def look(verdict: Verdict, estimate: Estimate) -> None:
            live.update(comparison_view(first, second, hypotheses, max_blocks, verdict, estimate))

        yield Watcher(say=lambda words: live.update(Text(words))), look


def comparison_view(
    first: str, second: str, hypotheses: Hypotheses, max_blocks: int, verdict: Verdict, estimate: Estimate
) -> Group:
    """Draw how both tests stand between their bounds, and the estimate so far."""
    table = Table.grid(padding=(0, 1))
    for name, ratio in ((first, verdict.ratio_first), (second, verdict.ratio_second)):
        table.add_row(f"{name} better?", Text("no"), ratio_bar(ratio, hypotheses.bounds), Text("yes"), f"{ratio:+.2f}")
    words = f"{verdict.n_blocks:,} of at most {max_blocks:,} blocks; score of {first} so far {signed(estimate)}"
    return Group(table, Text(words, style="dim"))


def ratio_bar(ratio: float, bounds: tuple[float, float]) -> Text:
    """Draw where a log-likelihood ratio stands between its bounds."""
    least, most = bounds
    place = round((min(max(ratio, least), most) - least) / (most - least) * (BAR_WIDTH - 1))
    return Text("─" * place + "●" + "─" * (BAR_WIDTH - 1 - place))


def print_comparison(setup: Setup, answer: Comparison, seed: int) -> None:
    """Print the decision and, apart from it, the estimate."""
    console = plain_console()
    first, second = answer.agents
    console.print(f"{setup.heading}{options_text(setup)}: {first} against {second}", style="bold", soft_wrap=True)
    console.print(f"decision: {decision_words(answer)}", soft_wrap=True)
    hypotheses, n_blocks = answer.hypotheses, answer.verdict.n_blocks
    console.print(
        f"    after {n_blocks:,} blocks ({answer.n_games:,} games); a test of fixed size with the same errors takes "
        f"{hypotheses.fixed_blocks:,} blocks",
        soft_wrap=True,
    )
    console.print("estimate (apart from the decision; 95 % intervals that hold whenever one stops):")
    for words in estimate_lines(setup, answer):
        console.print(f"    {words}", soft_wrap=True)
    if answer.decision in (NEITHER, OPEN) and answer.smallest_effect is not None:
        console.print(
            f"power: so many blocks find a true paired difference of ±{answer.smallest_effect:.4f} with 90 % power",
            soft_wrap=True,
        )
    console.print(f"seed {seed}; the same command gives the same games", style="dim")


def decision_words(answer: Comparison) -> str:
    """Say what was decided, with the errors that the test allows itself."""
    first, second = answer.agents
    hypotheses = answer.hypotheses
    if answer.decision in (FIRST, SECOND):
        better, worse = (first, second) if answer.decision == FIRST else (second, first)
        return f"{better} is better than {worse} (said of equal agents in at most {hypotheses.alpha:.0%} of all runs)"
    size = f"{hypotheses.difference:g} standard deviations of a block (±{hypotheses.difference * answer.deviation:.4f})"
    if answer.decision == NEITHER:
        return f"no difference of {size} or more (said of such a difference in at most {hypotheses.beta:.0%} of runs)"
    if answer.verdict.n_blocks < hypotheses.least_blocks:
        return f"none: the test wants at least {hypotheses.least_blocks} blocks"
    return f"none: the blocks ran out before a difference of {size} was found or excluded"


def estimate_lines(setup: Setup, answer: Comparison) -> list[str]:
    """Say by how much, in the terms of the game."""
    first, second = answer.agents
    if setup.cooperative:
        lines = [
            f"result of {name}: {with_error(each)}" for name, each in ((first, answer.first), (second, answer.second))
        ]
        return [*lines, f"paired difference of utility: {signed(answer.score)}"]
    n_sides = len(set(setup.sides))
    return [
        f"share of the win of {first}: {with_error(answer.first, 4)} (even would be {1 / n_sides:.4f})",
        f"paired difference of shares: {signed(answer.score)}",
    ]


def with_error(estimate: Estimate, digits: int = 2) -> str:
    """Write an estimate with half its interval."""
    if estimate.mean is None:
        return "-"
    return f"{estimate.mean:.{digits}f} ± {estimate.half_width:.{digits}f}"


def p_words(p_value: float) -> str:
    """Write a p-value, for a table or a sentence."""
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"


def signed(estimate: Estimate, digits: int = 4) -> str:
    """Write a difference with its sign, half its interval and where it ends."""
    if estimate.mean is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:+.{digits}f}"
    return (
        f"{estimate.mean:+.{digits}f} ± {estimate.half_width:.{digits}f} "
        f"({estimate.low:+.{digits}f} to {estimate.high:+.{digits}f})"
    )


def print_ratings(setup: Setup, answer: Ratings) -> None:
    """Print the ratings or results of all agents, the matrix beside them, and which pairs differ."""
    console = plain_console()
    unit = "result" if answer.cooperative else "Elo"
    title = "teams of copies" if answer.cooperative else f"ratings, {answer.anchor} = 0"
    table = Table(title=f"{setup.heading}{options_text(setup)}: {title}")
    has_slices = any(each.slices_lost is not None for each in answer.rated)
    table.add_column("agent", overflow="fold")
    for heading in (unit, "95 % interval", *["slices lost"][:has_slices]):
        table.add_column(heading, justify="right")
    order = sorted(range(len(answer.agents)), key=lambda place: -answer.rated[place].value)
    for place in order:
        each = answer.rated[place]
        cells = [each.agent, f"{each.value:.1f}", f"{each.low:.1f} to {each.high:.1f}"]
        table.add_row(*cells, *([with_error(each.slices_lost)] if each.slices_lost is not None else []))
    console.print(table)
    console.print(_matrix_table(answer, order))
    for heading, pairs in (("planned comparisons (p by Holm)", answer.planned), ("all pairs (max-T)", answer.pairs)):
        if pairs:
            console.print(_pairs_table(answer, f"{heading}: difference in {unit}", pairs))
    for words in rating_notes(answer):
        console.print(words, style="dim", soft_wrap=True)


def _matrix_table(answer: Ratings, order: Sequence[int]) -> Table:
    if answer.cooperative:
        table = Table(title="mean result of mixtures (diagonal: copies of one agent)")
    else:
        table = Table(title="head to head: how often the row did better than the column at the same table, %")
    table.add_column("", overflow="fold")
    for number, _ in enumerate(order, start=1):
        table.add_column(f"[{number}]", justify="right")
    for number, row in enumerate(order, start=1):
        found = [answer.matrix.get((row, column)) for column in order]
        if answer.cooperative:
            found = [each or answer.matrix.get((column, row)) for each, column in zip(found, order, strict=True)]
        cells = ["" if each is None else _cell(each, 1.0 if answer.cooperative else 100.0) for each in found]
        table.add_row(f"\\[{number}] {answer.agents[row]}", *cells)
    return table


def _cell(each: Estimate, scale: float) -> str:
    return "-" if each.mean is None else f"{scale * each.mean:.1f} ± {scale * each.half_width:.1f}"


def _pairs_table(answer: Ratings, title: str, pairs: Sequence[Pair]) -> Table:
    table = Table(title=title)
    for heading in ("agent", "other"):
        table.add_column(heading, overflow="fold")
    for heading in ("difference", "95 % interval", "adjusted p"):
        table.add_column(heading, justify="right")
    for each in sorted(pairs, key=lambda pair: -abs(pair.difference)):
        first, second = (each.first, each.second) if each.difference >= 0 else (each.second, each.first)
        low, high = (each.low, each.high) if each.difference >= 0 else (-each.high, -each.low)
        names = (answer.agents[first], answer.agents[second])
        table.add_row(*names, f"{abs(each.difference):+.1f}", f"{low:+.1f} to {high:+.1f}", p_words(each.p_adjusted))
    return table


def rating_notes(answer: Ratings) -> list[str]:
    """Say what the figures stand on."""
    notes = [f"{answer.n_games:,} games, {answer.n_blocks:,} deals; intervals by resampling deals with all their games"]
    if answer.winners_only:
        notes.append("these games rank nobody below their winners: the fit uses who won, and nothing else")
    if not answer.bounded:
        who = f"{', '.join(answer.never_lost)} never lost to another agent" if answer.never_lost else "some never met"
        notes.append(
            f"these games set no bound to some ratings ({who}): everybody was given half a won and half a lost game "
            "against a ghost, so such differences are lower bounds at best"
        )
    elif answer.n_unbounded:
        notes.append(f"in {answer.n_unbounded:,} resamples some agent never lost; a ghost kept its rating finite there")
    return notes


def print_seat_advantage(setup: Setup, answers: Sequence[SeatAdvantage], seed: int) -> None:
    """Print what each chair gets, how sure that is, and what the run would have found."""
    console = plain_console()
    for answer in answers:
        for chairs in answer.tables:
            table = Table(title=f"{setup.heading}{options_text(setup)}, {answer.agent}: by {chairs.by}")
            for heading in (chairs.by, answer.measure, "95 % interval", "p (Holm)", "found with 90 % power"):
                table.add_column(heading, justify="right")
            for chair in chairs.chairs:
                effect = chair.effect
                table.add_row(
                    ", ".join(str(seat) for seat in chair.seats),
                    "-" if effect.mean is None else f"{effect.mean:+.4f}",
                    "-" if effect.low is None else f"{effect.low:+.4f} to {effect.high:+.4f}",
                    p_words(chair.p_adjusted),
                    f"±{chair.smallest_effect:.4f}",
                )
            console.print(table)
            console.print(f"{seat_words(chairs)} ({answer.n_blocks:,} deals)", soft_wrap=True)
    console.print(f"seed {seed}; the same command gives the same games", style="dim")


def seat_words(chairs: Chairs) -> str:
    """Say in a sentence whether the chair matters."""
    if chairs.p_any < 0.05:
        return f"the {chairs.by} matters (p of 'all are equal': {p_words(chairs.p_any)}, Hotelling)"
    most = max(chair.smallest_effect for chair in chairs.chairs)
    return (
        f"no effect of the {chairs.by} was found (p of 'all are equal': {p_words(chairs.p_any)}, Hotelling); "
        f"one of ±{most:.4f} would have been, with 90 % power"
    )


def print_repetition(answer: Repetition) -> None:
    """Print whether a run came out again, and if not, what differs."""
    console = plain_console()
    games = f"{answer.n_games:,} games in {answer.n_parts:,} parts"
    if answer.is_same:
        console.print(f"{games}, played again: every byte is the same", soft_wrap=True)
    else:
        console.print(f"{games}, played again: not the same", soft_wrap=True)
    for words, names in (("differs", answer.differing), ("is missing", answer.missing)):
        for name in names:
            console.print(f"    {name} {words}", soft_wrap=True)
    for words in answer.versions:
        console.print(f"note: {words}", style="dim", soft_wrap=True)


def print_luck(setup: Setup, answer: Luck) -> None:
    """Print the results of a run before and after the luck of the deal is taken out."""
    console = plain_console()
    table = Table(title=f"{setup.heading}{options_text(setup)}: results less the luck of the deal")
    table.add_column("line-up", overflow="fold")
    for heading in ("plain result", "corrected", "variance shrinks", "deals"):
        table.add_column(heading, justify="right")
    for label, each in answer.line_ups.items():
        cells = (with_error(each.plain), with_error(each.corrected), f"{each.gain:.2f} times")
        table.add_row(label, *cells, f"{each.plain.n_blocks:,}")
    console.print(table)
    console.print(
        f"par: {answer.par}, {with_error(answer.mean_par, 3)} on {answer.n_par_deals:,} further deals; "
        "slopes fitted to other deals than they correct",
        style="dim",
        soft_wrap=True,
    )


def print_thresholds(answers: Sequence[Thresholds]) -> None:
    """Print the cuts of each task and number of players, how sure they are, and what they mean for each team."""
    console = plain_console()
    for answer in answers:
        title = f"Task {answer.task}, {answer.players} players: cuts for a team of {team_text(answer)}"
        table = Table(title=title)
        columns = ("loses at most", "cut", "wanted", "chance", "one harder", "one easier", "same again", "more games")
        for name in columns:
            table.add_column(name, justify="right")
        for cut in answer.cuts:
            table.add_row(
                str(cut.loses),
                str(cut.result),
                f"{100 * cut.wanted:.1f} %",
                chance_text(cut.found),
                f"{100 * cut.worse:.1f} %",
                f"{100 * cut.better:.1f} %",
                f"{100 * cut.stability:.0f} %",
                "even" if cut.more_games is None else f"{cut.more_games:,}",
            )
        console.print(table)
        if answer.printed or len(answer.teams) > 1:
            console.print(_teams_table(answer))
        console.print(f"wanted: {answer.chances}; {answer.n_games:,} games, seed {answer.seed}", soft_wrap=True)
    console.print(
        "chance: of this result or a better one, with its 95 % interval (Wilson). same again: how often as many new "
        "games would give the same cut. more games: until that is 99 %.",
        soft_wrap=True,
    )


def _teams_table(answer: Thresholds) -> Table:
    """Say for each agent's team how often it loses at most 0, 1, 2 slices under our cuts and the printed ones."""
    table = Table(title="loses at most 0, 1, 2 slices")
    table.add_column("team of copies of", overflow="fold")
    ours = ", ".join(str(cut.result) for cut in answer.cuts)
    headings = [f"under {ours}"]
    if answer.printed and list(answer.printed) != [cut.result for cut in answer.cuts]:
        headings.append(f"under the printed {', '.join(map(str, answer.printed))}")
    elif answer.printed:
        headings = [f"under the printed {ours}"]
    for heading in headings:
        table.add_column(heading, justify="right")
    for team in answer.teams:
        columns = (team.under_cuts, team.under_printed)[: len(headings)]
        table.add_row(team.agent, *("; ".join(chance_text(chance) for chance in column) for column in columns))
    return table


def chance_text(chance: Estimate) -> str:
    """Write a chance with its interval in percent."""
    assert chance.mean is not None
    assert chance.low is not None
    assert chance.high is not None
    return f"{100 * chance.mean:.1f} % ({100 * chance.low:.1f} to {100 * chance.high:.1f})"


def print_sessions(setup: Setup, answers: Sequence[SessionView], seed: int) -> None:
    """Print the grades of sessions as worked out from single tasks and as simulated, and whether the two agree."""
    console = plain_console()
    table = Table(title=f"{setup.heading}{options_text(setup)}: four tasks, teams of copies")
    table.add_column("agent", overflow="fold")
    table.add_column("", overflow="fold")
    table.add_column("slices left", justify="right")
    for chance in answers[0].grades:
        table.add_column(chance.grade, justify="right")
    for answer in answers:
        exact = (f"{100 * chance.exact:.1f} %" for chance in answer.grades)
        table.add_row(answer.agent, "worked out", f"{answer.mean_exact:.2f}", *exact)
        simulated = (chance_text(chance.simulated) for chance in answer.grades)
        table.add_row("", "simulated", with_error(answer.mean_simulated), *simulated)
    console.print(table)
    for answer in answers:
        words = f"p of 'sessions are four single tasks': {p_words(answer.p_same)} (Wald)"
        if answer.p_same < 0.05:
            words += "; it plays sessions in another way than single tasks, so the simulated line is its own"
        console.print(f"{answer.agent}: {words}", style="dim", soft_wrap=True)
    assert setup.game.slices_source is not None
    console.print(
        f"{answers[0].n_games_of_task:,} games of each task and {answers[0].n_sessions:,} sessions, seed {seed}; "
        f"slices by {setup.game.slices_source(setup)}",
        style="dim",
        soft_wrap=True,
    )


def print_agent_checks(answers: Sequence[AgentCheck]) -> None:
    """Print what was asked of an agent in each game, and whether it passed."""
    console = plain_console()
    table = Table(title=f"{answers[0].agent}: {answers[0].n_games:,} games a game, all seats")
    for heading in ("game", "check", ""):
        table.add_column(heading)
    table.add_column("what was seen", overflow="fold")
    for answer in answers:
        for number, check in enumerate(answer.checks):
            name = f"{answer.game}, {answer.players} players" if number == 0 else ""
            table.add_row(name, check.name, "passed" if check.passed else "FAILED", check.words)
        table.add_row("", "time", "", f"{answer.mean_milliseconds:.3g} ms a decision on average", end_section=True)
    console.print(table)
