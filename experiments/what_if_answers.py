"""What a person sees of what-ifs and calibration in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from engine.contract import Setup
from experiments.answers import p_words, with_error
from experiments.calibrate import CalibratedCuts, Calibration
from experiments.restricted import Restriction
from experiments.summary import Estimate
from experiments.terminal import options_text, plain_console
from experiments.what_if import Diff, Tornado, unit_of

SAME_DEALS = "deal k is dealt by the same draws of chance under all settings; ± is half a 95 % interval over deals"

GAIN = (
    "gain: how many times as many deals the same answer would take unpaired; near 1 where the change alters what is "
    "dealt or all that follows"
)


def print_diff(setup: Setup, answer: Diff) -> None:
    """Print both settings side by side, and their paired differences."""
    console = plain_console()
    changes = ", ".join(f"{name} {_shown(old)} → {_shown(new)}" for name, (old, new) in answer.changes.items())
    console.print(f"{setup.heading}{options_text(setup)}: {changes}", style="bold", soft_wrap=True)
    for line_up in dict.fromkeys(each.line_up for each in answer.differences):
        table = Table(title=f"seats: {line_up}")
        table.add_column("measure", overflow="fold")
        for heading in ("before", "after", "paired difference", "95 % interval", "p (Holm)", "correlation", "gain"):
            table.add_column(heading, justify="right")
        for each in answer.differences:
            if each.line_up == line_up:
                digits = 4 if each.measure.startswith("share") else 2
                table.add_row(
                    unit_of(each.measure, setup),
                    with_error(each.first, digits),
                    with_error(each.second, digits),
                    f"{each.difference.mean or 0.0:+.{digits}f}",
                    _interval(each.difference, digits),
                    p_words(each.p_adjusted),
                    "-" if each.correlation is None else f"{each.correlation:.2f}",
                    "-" if each.gain is None else f"{each.gain:.1f} times",
                )
        console.print(table)
    unsure = [each for each in answer.differences if each.p_adjusted >= 0.05 and each.smallest_effect > 0]
    for each in unsure:
        what = f"{unit_of(each.measure, setup)} was found ({each.line_up})"
        found = f"one of ±{each.smallest_effect:.4f} would have been, with 90 % power"
        console.print(f"no difference in {what}; {found}", soft_wrap=True)
    if answer.n_broken:
        console.print(f"{answer.n_broken:,} deals were left out: a game on them was broken off by an agent's fault")
    for words in (
        SAME_DEALS,
        GAIN,
        f"{answer.n_deals:,} deals, seed {answer.seed}; the same command gives the same games",
    ):
        console.print(words, style="dim", soft_wrap=True)


def print_tornado(setup: Setup, answer: Tornado) -> None:
    """Print every move of one option, the largest difference first."""
    console = plain_console()
    who = " / ".join(answer.agents)
    table = Table(title=f"{setup.heading}{options_text(setup)}, all seats {who}: {unit_of(answer.measure, setup)}")
    table.add_column("one option moved", overflow="fold")
    for heading in ("mean", "paired difference", "95 % interval", "p (max-T)", "correlation"):
        table.add_column(heading, justify="right")
    table.add_row("none", with_error(answer.base), "", "", "", "")
    for bar in answer.bars:
        table.add_row(
            bar.move.words,
            with_error(bar.mean),
            f"{bar.difference.mean or 0.0:+.3f}",
            _interval(bar.difference, 3),
            p_words(bar.p_adjusted),
            "-" if bar.correlation is None else f"{bar.correlation:.2f}",
        )
    console.print(table)
    if answer.without_effect:
        words = ", ".join(move.words for move in answer.without_effect)
        console.print(f"no effect on any deal: {words}", soft_wrap=True)
    _print_left_out(answer.left_out)
    for words in (
        f"{SAME_DEALS}; intervals of differences and p hold for all moves at once (max-T bootstrap)",
        f"{answer.n_deals:,} deals, seed {answer.seed}; the same command gives the same games",
    ):
        console.print(words, style="dim", soft_wrap=True)


def print_restriction(setup: Setup, answer: Restriction) -> None:
    """Print what changes without each habit, the largest loss first."""
    console = plain_console()
    scale, unit = (1.0, "") if setup.cooperative else (100.0, " %")
    table = Table(title=f"{setup.heading}{options_text(setup)}, {answer.agent}: {answer.measure} without a habit")
    for heading in ("habit", "not allowed"):
        table.add_column(heading, overflow="fold")
    for heading in (answer.measure, "change", "95 % interval", "p (max-T)", "found with 90 % power"):
        table.add_column(heading, justify="right")
    for each in answer.habits:
        result, change = each.result.scaled(scale), each.change.scaled(scale)
        table.add_row(
            each.habit,
            each.meaning,
            with_error(result) + unit,
            f"{change.mean or 0.0:+.2f}",
            _interval(change, 2),
            p_words(each.p_adjusted),
            f"±{scale * each.smallest_effect:.2f}",
        )
    console.print(table)
    _print_left_out(answer.left_out)
    against = "" if setup.cooperative else ", one seat among copies of itself"
    base = with_error(answer.base.scaled(scale)) + unit
    if answer.without_effect:
        console.print(f"no effect on any deal: {', '.join(answer.without_effect)}", soft_wrap=True)
    for words in (
        f"with everything allowed{against}: {base}; intervals of changes and p hold for all habits at once (max-T)",
        "the agent plays its next best action instead, and makes no other plans: who does may lose less",
        f"{answer.n_deals:,} deals, seed {answer.seed}; the same command gives the same games",
    ):
        console.print(words, style="dim", soft_wrap=True)


def print_calibration(answer: Calibration) -> None:
    """Print the mixture nearest to real groups, how well it fits, and the cuts for these people."""
    console = plain_console()
    table = Table(title=f"{answer.n_groups:,} real groups: the nearest mixture of teams")
    table.add_column("agent", overflow="fold")
    for heading in ("part of the teams", "95 % interval", "distance alone (points)"):
        table.add_column(heading, justify="right")
    for each in answer.weights:
        low, high = 100 * (each.weight.low or 0.0), 100 * (each.weight.high or 0.0)
        cells = (f"{100 * (each.weight.mean or 0.0):.0f} %", f"{low:.0f} to {high:.0f} %")
        table.add_row(each.agent, *cells, f"{answer.alone[each.agent]:.2f}")
    console.print(table)
    for kind in answer.kinds:
        groups = f"{kind.n_groups:,} groups, mean {kind.real_mean:.2f}"
        console.print(
            f"task {kind.task}, {kind.players} players: {groups}; mean of the mixture {kind.mixture_mean:.2f}"
        )
    distance = answer.distance
    console.print(
        f"distance of the mixture: {distance.mean or 0.0:.2f} points ({distance.low or 0.0:.2f} to "
        f"{distance.high or 0.0:.2f}); as many groups drawn from it are {answer.expected_distance:.2f} away on average",
        soft_wrap=True,
    )
    console.print(fit_words(answer), soft_wrap=True)
    for cuts in answer.tables:
        console.print(_cuts_table(cuts))
        if cuts.printed:
            chances = "; ".join(f"{loses}: {_percent(chance)}" for loses, chance in enumerate(cuts.under_printed))
            words = ", ".join(map(str, cuts.printed))
            console.print(f"under the printed cuts {words} these people lose at most {chances}", soft_wrap=True)
    console.print(
        "distance: mean absolute difference of quantiles between real and simulated totals. Intervals: "
        f"{answer.n_replicates:,} resamples of the groups; {answer.n_games:,} games of each agent, seed {answer.seed}",
        style="dim",
        soft_wrap=True,
    )


def fit_words(answer: Calibration) -> str:
    """Say in a sentence whether the mixture fits."""
    p = p_words(answer.p_fit)
    if answer.p_fit < 0.05:
        return f"the mixture does not fit (p {p}): these people score in a way that no mixture of the agents does"
    return f"nothing speaks against the mixture (p {p} for as far a distance by chance)"


def _cuts_table(cuts: CalibratedCuts) -> Table:
    table = Table(title=f"task {cuts.task}, {cuts.players} players: cuts for these people")
    for heading in ("loses at most", "cut", "95 % of resamples", "wanted", "chance", "one harder", "one easier"):
        table.add_column(heading, justify="right")
    for each in cuts.cuts:
        cut = each.cut
        least, most = sorted((each.low, each.high))
        table.add_row(
            str(cut.loses),
            str(cut.result),
            f"{least} to {most}",
            f"{100 * cut.wanted:.1f} %",
            f"{100 * (cut.found.mean or 0.0):.1f} %",
            f"{100 * cut.worse:.1f} %",
            f"{100 * cut.better:.1f} %",
        )
    return table


def _percent(chance: Estimate) -> str:
    low, high = 100 * (chance.low or 0.0), 100 * (chance.high or 0.0)
    return f"{100 * (chance.mean or 0.0):.1f} % ({low:.1f} to {high:.1f})"


def _print_left_out(left_out: Mapping[str, str]) -> None:
    console = plain_console()
    for name, reason in left_out.items():
        console.print(f"left out: {name} ({reason})", soft_wrap=True)


def _interval(estimate: Estimate, digits: int) -> str:
    if estimate.low is None or estimate.high is None:
        return "-"
    return f"{estimate.low:+.{digits}f} to {estimate.high:+.{digits}f}"


def _shown(value: Any) -> str:
    if value == "":
        return "(none)"
    return str(value).lower() if isinstance(value, bool) else str(value)
