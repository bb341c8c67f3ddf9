"""What if the rules were others: two settings of a game, or each option moved in turn, on common deals.

The counts. A block is one deal, played by the same agents in the same seatings under two settings; its score is the
difference of a measure, second setting less first. Deal number k of a seed is drawn from a stream that depends on
nothing else, so both settings meet the same shuffle; where an option changes what is shuffled (another deck, another
number of cards) the deals have less in common, and pairing gains less. What it gains is reported: `gain` is how many
times as many unpaired deals would be needed.

Measures are means over the games of a block. Cooperative: the team's total, the slices lost where a table is known, and
the length of a game in decisions. Competitive: points of a seat, the winner's margin over the next best side, the
length, and where different agents sit together the share of the win that each seat of an agent gets.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from engine.contract import Option, Setup, load_game
from experiments.cluster import Place, ray_kept
from experiments.inference import all_means, detectable, holm, mean_of, p_value, standard_error
from experiments.schedule import seatings
from experiments.summary import Estimate
from experiments.tournament import Plan, Watcher, plan_tournament, play_tournament

UNITS = {
    "total": "team total (points)",
    "slices": "slices lost",
    "points": "points of a seat",
    "margin": "winner's margin (points)",
    "decisions": "decisions in a game",
}
COOPERATIVE = ("total", "slices", "decisions")
COMPETITIVE = ("points", "margin", "decisions")
SHARE = "share of the win of "


def unit_of(measure: str, setup: Setup) -> str:
    """Return the words for a measure's axis; the result of a session is what is left of its slices."""
    if measure == "total" and setup.options.get("mode", "task") != "task":
        return "slices left"
    return UNITS.get(measure, measure)


def measures_of(setup: Setup) -> tuple[str, ...]:
    """Return the measures that a game has; where no table of slices is known their number is no measure."""
    if not setup.cooperative:
        return COMPETITIVE
    has_table = setup.game.slices_lost is not None and setup.game.slices_lost(setup) is not None
    return tuple(name for name in COOPERATIVE if has_table or name != "slices")


@dataclass(frozen=True)
class Played:
    """What one line-up came to: each measure by deal, float64; not a number where a game was broken off."""

    line_up: str
    measures: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Request:
    """What to play: agents, the schedule that seats them (None: the game's usual one), how much, and where."""

    agents: Sequence[str]
    deals: int = 2000
    seed: int = 1
    schedule: str | None = None
    place: Place = field(default_factory=lambda: Place(serial=True))


def play_setting(setup: Setup, request: Request, watcher: Watcher | None = None) -> list[Played]:
    """Play all line-ups of a schedule under one setting; ValueError for wrong arguments."""
    if request.deals < 2:
        raise ValueError(f"a difference with an interval wants at least 2 deals, not {request.deals}")
    plan = plan_tournament(setup, request.agents, request.deals, request.seed, request.schedule)
    outcome = play_tournament(plan, None, request.place, watcher)
    ordered = sorted(plan.chunks, key=lambda each: (each.line_up, each.first_deal))
    contents: dict[int, list[bytes]] = {}
    for chunk, content in zip(ordered, outcome.parts, strict=True):
        contents.setdefault(chunk.line_up, []).append(content)
    return [_played(plan, line_up, contents[line_up]) for line_up in range(len(plan.match.line_ups))]


def _played(plan: Plan, line_up: int, contents: Sequence[bytes]) -> Played:
    setup = plan.setup
    agents = plan.match.line_ups[line_up]
    orders = np.array(seatings(agents))
    names = ("points", "share", "decisions")
    tables = [pq.read_table(io.BytesIO(content), columns=list(names)) for content in contents]
    shape = (-1, len(orders), setup.players)
    points, share, decisions = (
        np.concatenate([table[name].to_numpy().astype(np.float64) for table in tables]).reshape(shape) for name in names
    )
    measures = _measures(setup, points, decisions)
    if not setup.cooperative and len(set(agents)) > 1:
        for agent in dict.fromkeys(agents):
            seats = orders == agent
            measures[SHARE + plan.match.agents[agent]] = (share * seats).sum(axis=(1, 2)) / seats.sum()
    return Played(" ".join(plan.match.agents[agent] for agent in agents), measures)


def _measures(setup: Setup, points: np.ndarray, decisions: np.ndarray) -> dict[str, np.ndarray]:
    """Return the measures of each deal from arrays of shape (deals, seatings, players)."""
    n_deals, n_seatings, players = points.shape
    is_broken = np.isnan(points).any(axis=2)
    found = {"decisions": decisions.sum(axis=2)}
    if setup.cooperative:
        whole = np.where(np.isnan(points), 0, points).astype(np.int64).reshape(-1, players)
        result = setup.game.total(setup, whole).reshape(n_deals, n_seatings)
        found["total"] = result.astype(np.float64)
        lost = None if setup.game.slices_lost is None else setup.game.slices_lost(setup)
        if lost is not None:
            place = np.where(is_broken, 0, result - setup.ranges.total[0])
            found["slices"] = lost[place].astype(np.float64)
    else:
        found["points"] = points.mean(axis=2)
        by_side = np.stack([points[:, :, seat] for seat in _one_seat_a_side(setup)], axis=2)
        best = np.sort(by_side, axis=2)
        found["margin"] = best[:, :, -1] - best[:, :, -2]
    return {name: np.where(is_broken, np.nan, found[name]).mean(axis=1) for name in measures_of(setup)}


def _one_seat_a_side(setup: Setup) -> list[int]:
    """Return a seat of each side; partners have the same points."""
    return [setup.sides.index(side) for side in dict.fromkeys(setup.sides)]


@dataclass(frozen=True)
class Difference:
    """One measure of one line-up under both settings."""

    line_up: str
    measure: str
    first: Estimate
    second: Estimate
    difference: Estimate  # second less first, paired by deal
    p_adjusted: float  # of "no difference", adjusted for all differences of the answer (Holm)
    correlation: float | None  # of the two settings over deals; None where one of them never varies
    gain: float | None  # variance of the difference if unpaired, by that of the paired one; None where that is 0
    smallest_effect: float  # difference that so many deals find with 90 % power


@dataclass(frozen=True)
class Diff:
    """The answer: what the changes do, with the settings that were compared."""

    game: str
    players: int
    options: Mapping[str, Any]  # of the first setting, those that differ from the game's defaults
    changes: Mapping[str, tuple[Any, Any]]  # option: before, after
    n_deals: int
    n_broken: int  # deals left out, because an agent's fault broke a game off
    seed: int
    differences: tuple[Difference, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


@ray_kept()
def diff(setup: Setup, changes: Mapping[str, Any], request: Request, watcher: Watcher | None = None) -> Diff:
    """Play a setting and the same with some options changed, on common deals.

    Raises ValueError for a change that is none, or that the game refuses.
    """
    other = changed(setup, changes)
    first, second = (play_setting(each, request, watcher) for each in (setup, other))
    rows = []
    n_broken = 0
    for before, after in zip(first, second, strict=True):
        for measure in before.measures:
            if measure in after.measures:
                a, b = before.measures[measure], after.measures[measure]
                whole = ~(np.isnan(a) | np.isnan(b))
                n_broken = max(n_broken, int((~whole).sum()))
                rows.append((before.line_up, measure, a[whole], b[whole]))
    p_values = holm(np.array([p_value(b - a) for _, _, a, b in rows]))
    return Diff(
        game=setup.name,
        players=setup.players,
        options=chosen_options(setup),
        changes={name: (setup.options[name], other.options[name]) for name in changes},
        n_deals=request.deals,
        n_broken=n_broken,
        seed=request.seed,
        differences=tuple(
            _difference(line_up, measure, a, b, float(p))
            for (line_up, measure, a, b), p in zip(rows, p_values, strict=True)
        ),
    )


def changed(setup: Setup, changes: Mapping[str, Any]) -> Setup:
    """Return the setup with some options changed; ValueError where nothing would, or the game refuses."""
    if not changes:
        raise ValueError("name at least one change, such as --change NAME=VALUE")
    other = load_game(setup.name, players=setup.players, **{**setup.options, **changes})
    for name in changes:
        if setup.options[name] == other.options[name]:
            raise ValueError(f"the change {name}={other.options[name]} changes nothing: it is so already")
    return other


def chosen_options(setup: Setup) -> dict[str, Any]:
    """Return the options that differ from the game's defaults."""
    defaults = {option.name: option.default for option in setup.game.options}
    return {name: value for name, value in setup.options.items() if value != defaults[name]}


def _difference(line_up: str, measure: str, a: np.ndarray, b: np.ndarray, p_adjusted: float) -> Difference:
    n_deals = len(a)
    spread = float((b - a).var(ddof=1)) if n_deals > 1 else 0.0
    apart = float(a.var(ddof=1) + b.var(ddof=1)) if n_deals > 1 else 0.0
    varies = n_deals > 1 and a.std() > 0 and b.std() > 0
    return Difference(
        line_up=line_up,
        measure=measure,
        first=mean_of(a),
        second=mean_of(b),
        difference=mean_of(b - a),
        p_adjusted=p_adjusted,
        correlation=float(np.corrcoef(a, b)[0, 1]) if varies else None,
        gain=apart / spread if spread > 0 else None,
        smallest_effect=detectable(standard_error(b - a)) if n_deals > 1 else 0.0,
    )


# A tornado: one option at a time.


@dataclass(frozen=True)
class Move:
    """One option moved to another value."""

    option: str
    value: Any
    words: str


@dataclass(frozen=True)
class Bar:
    """What one move does to the measure."""

    move: Move
    mean: Estimate
    difference: Estimate  # from the base, paired by deal; the interval holds for all moves at once
    p_adjusted: float
    correlation: float | None


@dataclass(frozen=True)
class Tornado:
    """The answer: every move of one option, largest difference first."""

    game: str
    players: int
    options: Mapping[str, Any]
    agents: tuple[str, ...]  # each with copies of itself, with the same weight
    measure: str
    n_deals: int
    seed: int
    base: Estimate
    bars: tuple[Bar, ...]
    without_effect: tuple[Move, ...]  # that changed the measure on no deal at all
    left_out: Mapping[str, str]  # words of a move: why it was not played

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Moves:
    """What a tornado tries, and what it leaves out, with the reason."""

    tried: tuple[Move, ...]
    left_out: Mapping[str, str]


def moves_of(setup: Setup, only: Sequence[str] = (), also: Mapping[str, Sequence[Any]] | None = None) -> Moves:
    """Return every option's other values, one at a time; `also` adds values, `only` keeps some options.

    Raises ValueError for an option that the game does not have.
    """
    also = also or {}
    known = [option.name for option in setup.game.options]
    for name in (*only, *also):
        if name not in known:
            raise ValueError(f"{setup.name} has no option {name!r}; its options: {', '.join(known) or 'none'}")
    moves = []
    left_out = {}
    for option in setup.game.options:
        if not only or option.name in only:
            moves += [move for move in _moves(option) if move.value != setup.options[option.name]]
            if option.free and not option.trials and option.name not in also:
                left_out[option.name] = "takes any text; --also names values to try"
        moves += [Move(option.name, value, f"{option.name}={value}") for value in also.get(option.name, ())]
    return Moves(tuple(moves), left_out)


def _moves(option: Option) -> Iterator[Move]:
    if option.free:
        yield from (Move(option.name, value, f"{option.name}: {words}") for words, value in option.trials)
        return
    for value in option.choices or range(option.low, option.high + 1):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield Move(option.name, value, f"{option.name}={text}")


@ray_kept()
def tornado(setup: Setup, moves: Moves, request: Request, measure: str = "", watcher: Watcher | None = None) -> Tornado:
    """Play the base and every move on common deals, copies of one agent in all seats.

    `measure` "" is the team's total, else the length, or the points where all games last equally long. Moves that the
    game refuses are left out and named. Raises ValueError for an unknown measure, or when nothing can be moved.
    """
    watcher = watcher or Watcher()
    known = measures_of(setup)
    if measure and measure not in known:
        raise ValueError(f"the measures of {setup.heading} are {', '.join(known)}, not {measure!r}")
    left_out = dict(moves.left_out)
    settings: list[tuple[Move, Setup]] = []
    for move in moves.tried:
        try:
            settings.append((move, changed(setup, {move.option: move.value})))
        except ValueError as error:
            left_out[move.words] = str(error)
    if not settings:
        reasons = "; ".join(f"{words}: {reason}" for words, reason in left_out.items())
        raise ValueError(f"no option of {setup.heading} can be moved: {reasons or 'it has none'}")
    quiet = Watcher(advance=watcher.advance)
    self_play = Request(request.agents, request.deals, request.seed, "self", request.place)
    watcher.say(f"{len(settings) + 1} settings")
    base = play_setting(setup, self_play, quiet)
    watcher.start(request.deals * len(base) * (len(settings) + 1))
    watcher.advance(request.deals * len(base))
    chosen = measure or _usual_measure(setup, base)
    before = _over_line_ups(base, chosen)
    columns: list[np.ndarray] = []
    played: list[Move] = []
    for move, other in settings:
        if chosen not in measures_of(other) or unit_of(chosen, other) != unit_of(chosen, setup):
            left_out[move.words] = f"there {unit_of(chosen, setup)} is no measure"
            continue
        columns.append(_over_line_ups(play_setting(other, self_play, quiet), chosen))
        played.append(move)
    if not played:
        raise ValueError(f"no move of an option leaves {unit_of(chosen, setup)} a measure")
    return Tornado(
        game=setup.name,
        players=setup.players,
        options=chosen_options(setup),
        agents=tuple(each.line_up.split(" ")[0] for each in base),
        measure=chosen,
        n_deals=request.deals,
        seed=request.seed,
        base=mean_of(before),
        bars=_bars(played, before, np.stack(columns, axis=1)),
        without_effect=tuple(
            move for move, after in zip(played, columns, strict=True) if np.array_equal(after, before)
        ),
        left_out=left_out,
    )


def _usual_measure(setup: Setup, base: Sequence[Played]) -> str:
    if setup.cooperative:
        return "total"
    varies = any(float(np.ptp(each.measures["decisions"])) > 0 for each in base)
    return "decisions" if varies else "points"


def _over_line_ups(played: Sequence[Played], measure: str) -> np.ndarray:
    values = np.mean([each.measures[measure] for each in played], axis=0)
    if np.isnan(values).any():
        raise ValueError("games were broken off by an agent's fault; a tornado wants whole games")
    return np.asarray(values)


def _bars(moves: Sequence[Move], before: np.ndarray, after: np.ndarray) -> tuple[Bar, ...]:
    """Return the bars of the moves that changed anything, largest first; all moves count as tests."""
    bars = []
    for number, (move, mean) in enumerate(zip(moves, all_means(after - before[:, None]), strict=True)):
        column = after[:, number]
        if np.array_equal(column, before):
            continue
        varies = before.std() > 0 and column.std() > 0
        correlation = float(np.corrcoef(before, column)[0, 1]) if varies else None
        bars.append(Bar(move, mean_of(column), mean.estimate, mean.p_adjusted, correlation))
    return tuple(sorted(bars, key=lambda bar: -abs(bar.difference.mean or 0.0)))
