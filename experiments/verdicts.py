"""Who is better, in words: every verdict of a run with its interval and with what the run would have found.

The counts. A *contrast* is a difference of two figures, the higher one first, with a 95 % interval and a p-value that
hold for all contrasts of the run together. Where rows were kept, the figures are those of `experiments.ratings` (max-T
over deals). Where only the summary is there, cooperative teams are held against each other by the sum of their two
standard errors, which no correlation between their deals exceeds, and competitive agents by their shares of the win
within each line-up; both with Bonferroni's correction.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from engine.contract import Setup
from experiments.answers import rating_notes
from experiments.inference import POWER, Pair
from experiments.ratings import Ratings, Run
from experiments.schedule import LineUp
from experiments.seat_advantage import Chairs, chairs_of
from experiments.summary import CONFIDENCE, Estimate, LineUpLine
from experiments.tally import win_shares

BETTER, DIFFERENT, NOT_FOUND = "better", "different", "no difference found"
FEW_BLOCKS = 30  # below which resampled intervals are known to be too narrow
MOST_SENTENCES = 12
TINY = 1e-9  # below which a figure is rounding


@dataclass(frozen=True)
class Measure:
    """What is compared: the unit of differences, decimals to show, and whether more is better (None: not known)."""

    unit: str
    digits: int
    more_is_better: bool | None


@dataclass(frozen=True)
class Contrast:
    """A difference of two agents, of the one with the higher figure less the other."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_adjusted: float
    smallest_effect: float  # that so many blocks find with 90 % power, looking at all contrasts
    where: str = ""  # the line-up, where each is judged alone
    beside: str = ""  # what else is to be said, as half a sentence

    @property
    def is_found(self) -> bool:
        """Tell whether the interval excludes 0, and the deals are enough to say so."""
        return self.low > 0.0 and self.p_adjusted < 1 - CONFIDENCE

    @property
    def is_constant(self) -> bool:
        """Tell whether every deal came out alike, so that nothing is known of chance."""
        return self.smallest_effect < TINY


@dataclass(frozen=True)
class Verdict:
    """One sentence or more about a contrast; `kind` is a label of one to three words."""

    kind: str
    words: str


@dataclass(frozen=True)
class Verdicts:
    """What a run says about its agents."""

    headline: str
    verdicts: tuple[Verdict, ...]
    contrasts: tuple[Contrast, ...] = ()
    measure: Measure = Measure("points", 2, None)
    notes: tuple[str, ...] = ()
    correction: str = "Bonferroni"  # for looking at all contrasts


def more_is_better(setup: Setup, run: Run | None) -> bool | None:
    """Tell whether a higher result of the team is better: by the slices it costs, else by the utility of the rows.

    None where neither says so.
    """
    if not setup.cooperative:
        return True
    lost = None if setup.game.slices_lost is None else setup.game.slices_lost(setup)
    if lost is not None and lost[0] != lost[-1]:
        return bool(lost[-1] < lost[0])
    if run is None:
        return None
    results, utilities = [], []
    for table in run.tables:
        whole = ~np.isnan(table.points).any(axis=2)
        results.append(setup.game.total(setup, table.points[whole].astype(np.int64)))
        utilities.append(table.utility[whole][:, 0])
    result, utility = np.concatenate(results).astype(np.float64), np.concatenate(utilities)
    together = float(((result - result.mean()) * (utility - utility.mean())).sum()) if len(result) else 0.0
    return None if together == 0.0 else together > 0.0


def from_rows(setup: Setup, run: Run, ratings: Ratings, unit: str) -> Verdicts:
    """Say what the ratings of a run, or the results of its teams, amount to."""
    measure = Measure(unit, 2, more_is_better(setup, run)) if ratings.cooperative else Measure("Elo", 1, True)
    contrasts = [_of_pair(pair, ratings) for pair in ratings.pairs]
    values = {each.agent: each.value for each in ratings.rated}
    notes = notes_of(ratings)
    if ratings.n_blocks < FEW_BLOCKS:
        notes.append(f"So few deals resampled give intervals that are too narrow: play at least {FEW_BLOCKS}.")
    return replace(_in_order(values, contrasts, measure, notes), correction="max-T over resampled deals")


def notes_of(ratings: Ratings) -> list[str]:
    """Return what the figures of ratings stand on, as sentences."""
    return [f"{_capital(words)}." for words in rating_notes(ratings)]


def least_p(n_blocks: int) -> float:
    """Return the least p-value that so many blocks can give without an assumption on how they scatter (sign test)."""
    return min(1.0, 2.0 * 0.5**n_blocks)


def _of_pair(pair: Pair, ratings: Ratings) -> Contrast:
    first, second, low, high = pair.first, pair.second, pair.low, pair.high
    if pair.difference < 0:
        first, second, low, high = second, first, -high, -low
    met = ratings.matrix.get((first, second))
    beside = ""
    if not ratings.cooperative and met is not None and met.mean is not None:
        beside = f"at the same table it did better in {percent(met)} of the games, ties counted half"
    names = ratings.agents[first], ratings.agents[second]
    p = max(pair.p_adjusted, least_p(ratings.n_blocks))
    return Contrast(*names, abs(pair.difference), low, high, p, pair.smallest_effect, beside=beside)


def from_summary(setup: Setup, lines: Sequence[LineUpLine], line_ups: Sequence[LineUp], unit: str) -> Verdicts:
    """Say what can be said without rows; `line_ups` are the seats' agents of each line, as numbers."""
    if setup.cooperative:
        alone = [line for line in lines if line.is_self_play and line.total.low is not None]
        if len(alone) < 2:
            return Verdicts(_no_teams(lines, alone), (), (), Measure(unit, 2, more_is_better(setup, None)))
        n_tests = len(alone) * (len(alone) - 1) // 2
        contrasts = [_of_teams(one, two, n_tests) for one, two in itertools.combinations(alone, 2)]
        values = {line.agents[0].agent: line.total.mean or 0.0 for line in alone}
        note = (
            "Teams are compared by the sum of their two standard errors here: such intervals hold whatever the deals "
            "have in common, and are wider than those of whole rows."
        )
        return _in_order(values, contrasts, Measure(unit, 2, more_is_better(setup, None)), [note])
    return _within_line_ups(setup, lines, line_ups)


def _no_teams(lines: Sequence[LineUpLine], alone: Sequence[LineUpLine]) -> str:
    """Say why no two teams of copies can be compared."""
    n_teams = sum(line.is_self_play for line in lines)
    if n_teams == 0:
        return "No agent played with copies of itself, so nothing says who is better."
    if alone and (n_teams == 1 or lines[0].n_broken + lines[-1].n_broken > 0):
        return f"Only {alone[0].agents[0].agent} finished games with copies of itself, so there is nothing to compare."
    return "Too few games were finished to say who is better."


def _of_teams(one: LineUpLine, two: LineUpLine, n_tests: int) -> Contrast:
    if (one.total.mean or 0.0) < (two.total.mean or 0.0):
        one, two = two, one
    n_blocks = min(one.total.n_blocks, two.total.n_blocks)
    error = sum(standard_error_of(line.total) for line in (one, two))
    difference = (one.total.mean or 0.0) - (two.total.mean or 0.0)
    return _contrast(one.agents[0].agent, two.agents[0].agent, difference, (error, n_blocks, n_tests))


def standard_error_of(estimate: Estimate) -> float:
    """Return the standard error of a mean from its t interval; 0 where there is none."""
    if estimate.n_blocks < 2:
        return 0.0
    return estimate.half_width / float(stdtrit(estimate.n_blocks - 1, 0.5 + CONFIDENCE / 2))


def _contrast(first: str, second: str, difference: float, scatter: tuple[float, int, int], where: str = "") -> Contrast:
    """Hold a difference against 0; `scatter` is its standard error, the number of blocks and that of tests."""
    error, n_blocks, n_tests = scatter
    wide = float(stdtrit(n_blocks - 1, 1 - (1 - CONFIDENCE) / (2 * n_tests)))
    if error > 0:
        p = 2 * float(stdtr(n_blocks - 1, -difference / error))
    else:
        p = 1.0 if difference < TINY else least_p(n_blocks)
    smallest = (wide + float(ndtri(POWER))) * error
    low, high = difference - wide * error, difference + wide * error
    return Contrast(first, second, difference, low, high, min(1.0, n_tests * p), smallest, where=where)


def _within_line_ups(setup: Setup, lines: Sequence[LineUpLine], line_ups: Sequence[LineUp]) -> Verdicts:
    """Compare the agents of each line-up by their shares of the win, in percentage points a seat.

    The shares of a game add up to 1, so with two agents each share fixes the other: their difference has the interval
    of one, stretched. Of more agents each is held against an even share.
    """
    mixed = [
        (line, order)
        for line, order in zip(lines, line_ups, strict=True)
        if len(line.agents) > 1 and all(each.share is not None and each.share.low is not None for each in line.agents)
    ]
    n_tests = sum(1 if len(line.agents) == 2 else len(line.agents) for line, _ in mixed)
    contrasts = []
    for line, order in mixed:
        shares = [(each.agent, each.share) for each in line.agents if each.share is not None]
        n_blocks = shares[0][1].n_blocks
        if len(shares) == 2:
            agents = list(dict.fromkeys(order))
            seats = [order.count(agent) for agent in agents]
            (first, one), (second, two) = shares
            error = standard_error_of(one) * (1 + seats[0] / seats[1])
            difference = (one.mean or 0.0) - (two.mean or 0.0)
            names = (first, second) if difference >= 0 else (second, first)
            contrasts.append(_contrast(*names, 100 * abs(difference), (100 * error, n_blocks, n_tests), line.lineup))
            continue
        for agent, share in shares:
            difference = (share.mean or 0.0) - 1 / setup.players
            names = (agent, "an even share") if difference >= 0 else ("an even share", agent)
            scatter = (100 * standard_error_of(share), n_blocks, n_tests)
            contrasts.append(_contrast(*names, 100 * abs(difference), scatter, line.lineup))
    measure = Measure("percentage points of the win a seat", 1, True)
    shown = sorted(contrasts, key=lambda each: -each.difference)[:MOST_SENTENCES]
    n_found = sum(each.is_found for each in contrasts)
    if not contrasts:
        return Verdicts(_nobody_met(lines), (), (), measure)
    noun = "comparison" if len(contrasts) == 1 else "comparisons"
    headline = f"{n_found:,} of {len(contrasts):,} {noun} within line-ups found a difference."
    notes = ["Each line-up is judged by itself here, corrected for their number (Bonferroni)."]
    if len(shown) < len(contrasts):
        notes.append(f"These are the {len(shown)} largest differences; the table below has all.")
    return Verdicts(headline, tuple(verdict(each, measure) for each in shown), tuple(contrasts), measure, tuple(notes))


def _nobody_met(lines: Sequence[LineUpLine]) -> str:
    agents = {each.agent for line in lines for each in line.agents}
    if len(agents) == 1:
        return f"Only {agents.pop()} played, so there is nothing to compare."
    return "The agents did not sit together, or not often enough, so nothing says who is better."


def _in_order(
    values: dict[str, float], contrasts: Sequence[Contrast], measure: Measure, notes: Sequence[str]
) -> Verdicts:
    """Say who is best, and go down the ranks from neighbor to neighbor."""
    sign = -1.0 if measure.more_is_better is False else 1.0
    order = sorted(values, key=lambda agent: -sign * values[agent])
    by_pair = {frozenset((each.first, each.second)): each for each in contrasts}
    best = order[0]
    rivals = [other for other in order[1:] if not by_pair[frozenset((best, other))].is_found]
    what = "the highest result" if measure.more_is_better is None else "the best result"
    if rivals and len(order) == 2:
        headline = f"No difference was found between {best} and {order[1]}."
    elif rivals:
        headline = f"{best} has {what}, but no difference between it and {listed(rivals)} was found."
    elif measure.more_is_better is None:
        headline = f"{best} has the highest result of {len(order)} agents, higher than that of every other one."
    elif len(order) == 2:
        headline = f"{best} is better than {order[1]}."
    else:
        headline = f"{best} is the best of {len(order)} agents: better than every other one."
    neighbors = [by_pair[frozenset(pair)] for pair in itertools.pairwise(order)]
    told = tuple(verdict(each, measure) for each in neighbors)
    return Verdicts(headline, told, tuple(contrasts), measure, tuple(notes))


def verdict(contrast: Contrast, measure: Measure) -> Verdict:
    """Say in words what a contrast amounts to, and what the run would have found."""
    first, second = contrast.first, contrast.second
    where = f"In the line-up “{contrast.where}”: " if contrast.where else ""
    shown = [figure(each, measure.digits) for each in (contrast.difference, contrast.low, contrast.high)]
    interval = "in every deal" if contrast.is_constant else f"95 % interval {shown[1]} to {shown[2]}"
    interval += f", adjusted {p_text(contrast.p_adjusted)}"
    beside = f"; {contrast.beside}" if contrast.beside else ""
    power = (
        f"The run would have found a difference of {figure(contrast.smallest_effect, measure.digits)} {measure.unit} "
        "with 90 % power."
        if not contrast.is_constant
        else "No deal came out otherwise, so nothing is known of chance, nor of what the run would have found."
    )
    if not contrast.is_found:
        words = f"no difference was found between {first} and {second} ({shown[0]} {measure.unit}, {interval}{beside})."
        return Verdict(NOT_FOUND, f"{where}{words if where else _capital(words)} {power}")
    if measure.more_is_better is None:
        words = f"{first} comes to {shown[0]} {measure.unit} more than {second} ({interval}{beside})."
        return Verdict(DIFFERENT, f"{where}{words} {power}")
    if measure.more_is_better is False:
        words = f"{second} is better than {first}: by {shown[0]} {measure.unit} less ({interval}{beside})."
    else:
        words = f"{first} is better than {second}: by {shown[0]} {measure.unit} ({interval}{beside})."
    if "an even share" in (first, second):
        more = "more" if second == "an even share" else "less"
        agent = first if more == "more" else second
        words = f"{agent} wins {more} than an even share: by {shown[0]} {measure.unit} ({interval})."
        return Verdict(DIFFERENT, f"{where}{words} {power}")
    return Verdict(BETTER, f"{where}{words} {power}")


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    """Join names as a sentence does."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def figure(value: float, digits: int) -> str:
    """Write a number with so many decimals, or as many as it takes to tell it from 0."""
    if TINY < abs(value) < 0.5 * 10**-digits:
        return f"{value:.1g}"
    return f"{value if abs(value) > TINY else 0.0:,.{digits}f}"


def percent(estimate: Estimate) -> str:
    """Write a share with its interval in percent."""
    if estimate.mean is None:
        return "-"
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.mean:.1f} %"
    return f"{100 * estimate.mean:.1f} % ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"


def p_text(p: float) -> str:
    """Write a p-value."""
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def chairs_of_run(run: Run) -> list[tuple[str, Chairs]]:
    """Hold the seats of a run against each other: of each agent among its copies (cooperative), or of all line-ups.

    Competitive line-ups seat every agent equally often on each seat, so the mean share of a seat over all seatings of a
    deal owes nothing to the agents. Nothing comes back where there is one seat, one deal, or seats cannot differ.
    """
    setup = run.setup
    if setup.players == 1 or len(run.deals) < 2:
        return []
    if setup.cooperative:
        found = []
        for table in run.tables:
            agents = set(table.agents.ravel().tolist())
            values = table.points[:, 0, :] - table.points[:, 0, :].mean(axis=1, keepdims=True)
            values = values[~np.isnan(values).any(axis=1)]
            if len(agents) == 1 and len(values) > 1 and values.any():
                sides = tuple(range(setup.players))
                found.append((run.agents[agents.pop()], chairs_of(values, sides, "seat")))
        return found
    sides = setup.sides
    if len(set(sides)) == 1:
        return []
    sums = np.zeros((len(run.deals), setup.players))
    counts = np.zeros(len(run.deals))
    for table in run.tables:
        n_deals, n_seatings, players = table.utility.shape
        shares = win_shares(table.utility.reshape(-1, players))[1].reshape(n_deals, n_seatings, players)
        where = np.searchsorted(run.deals, table.deals)
        sums[where] += shares.sum(axis=1)
        counts[where] += n_seatings
    partners = np.bincount(sides)[list(sides)]
    values = sums / counts[:, None] - 1 / (len(set(sides)) * partners)
    return [("all line-ups", chairs_of(values, sides, "seat"))]
