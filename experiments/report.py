"""One page about a run: verdicts in words, tables, charts, definitions, and where it all comes from.

The page is a single HTML file that asks for nothing from anywhere. Everything that it says is put together here as
plain data, from the run's config.json, its summary.json and, where they were kept, its rows; `report.html` beside this
file only lays it out.
"""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import jinja2
import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from engine.contract import Setup
from experiments.answers import seat_words
from experiments.charts import STYLE, figures_of_run
from experiments.ratings import (
    REPLICATES,
    Ratings,
    head_to_head,
    rate_agents,
    rate_teams,
)
from experiments.report_tables import (
    SortableTable,
    Source,
    contrast_table,
    is_session,
    line_up_table,
    rating_tables,
    read_source,
    result_tables,
    seat_tables,
)
from experiments.results import command_of, read_config, write_whole
from experiments.summary import Estimate, LineUpLine, grade_shares
from experiments.terminal import options_text
from experiments.verdicts import Verdicts, chairs_of_run, figure, from_rows, from_summary, notes_of, percent

TEMPLATE = Path(__file__).with_name("report.html")
DOCTYPE = "<!doctype html>"
FILE = "report.html"  # in the run's folder
MOST_SVG = 250_000  # bytes of a picture; larger ones are embedded as PNG, so that the page stays below 2 MB


@dataclass(frozen=True)
class Chart:
    """A picture as a data address, with the words that stand for it and those below it."""

    name: str
    title: str
    alternative: str
    caption: str
    source: str
    width: float  # inches


@dataclass(frozen=True)
class Report:
    """Everything that the page says."""

    title: str
    subtitle: str
    warnings: tuple[str, ...]
    verdicts: Verdicts
    results: tuple[str, ...]  # of the best agent, in sentences
    seats: tuple[str, ...]  # whether they matter, in sentences
    tables: tuple[SortableTable, ...]
    charts: tuple[Chart, ...]
    definitions: tuple[tuple[str, str], ...]
    provenance: tuple[tuple[str, str], ...]
    commands: tuple[tuple[str, str], ...]  # what for, and the command

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values, without the pictures."""
        content = asdict(self)
        content["charts"] = [each.name for each in self.charts]
        return content


def write_report(path: Path, out: Path | None = None) -> tuple[Report, Path]:
    """Write the page of a run; return what it says and where it stands.

    Raises ValueError when the folder is no finished run, or the page cannot be written there.
    """
    target = path / FILE if out is None else out
    read_config(path)
    _check_target(target)
    report = report_of_run(path)
    try:
        write_whole(target, page(report).encode())
    except OSError as error:
        raise ValueError(f"the page {str(target)!r} cannot be written: {error.strerror}") from None
    return report, target


def _check_target(target: Path) -> None:
    if target.is_dir():
        raise ValueError(f"{str(target)!r} is a folder; --out names the file of the page")
    if not target.parent.is_dir():
        raise ValueError(f"the folder {str(target.parent)!r} of the page does not exist")
    if target.exists() and not target.read_bytes()[:64].startswith(DOCTYPE.encode()):
        raise ValueError(f"{str(target)!r} is there already and is no page; name another file with --out")


def page(report: Report) -> str:
    """Lay a report out as HTML. All words in it are escaped; only its own script may run."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = breakable
    text = TEMPLATE.read_text(encoding="utf-8")
    script = text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.from_string(text).render(report=report, script_digest=digest) + "\n"


def breakable(text: str) -> Markup:
    """Escape a text and let long names of agents go on in a new line after a comma."""
    return Markup(str(escape(text)).replace(",", ",<wbr>"))


def report_of_run(path: Path) -> Report:
    """Put together what there is to say about a finished run; ValueError when the folder is none."""
    source = read_source(path)
    setup, lines = source.setup, source.lines
    verdicts, ratings = find_verdicts(source)
    chairs = [] if source.run is None else chairs_of_run(source.run)
    tables = [*result_tables(source), *rating_tables(ratings, setup), *contrast_table(verdicts)]
    tables += [line_up_table(source), *seat_tables(chairs)]
    shown = tuple(table for table in tables if table.rows)
    pictures = draw_charts(path, source)
    return Report(
        title=f"{setup.heading}{options_text(setup)}",
        subtitle=_subtitle(source),
        warnings=tuple(_warnings(source)),
        verdicts=verdicts,
        results=tuple(_best_words(setup, lines, verdicts)),
        seats=tuple(f"Seats, {who}: {seat_words(each)}." for who, each in chairs),
        tables=shown,
        charts=pictures,
        definitions=tuple(_definitions(source, verdicts, shown)),
        provenance=tuple(_provenance(source)),
        commands=tuple(_commands(source.config)),
    )


def find_verdicts(source: Source) -> tuple[Verdicts, Ratings | None]:
    """Say who is better, from the rows where they allow it, else from the summary; and rate the agents."""
    unit = "slices" if is_session(source.lines) else "points"
    ratings = None
    if source.run is not None and len(source.run.agents) > 1 and len(source.run.deals) > 1:
        run, seed = source.run, int(source.config["seed"])
        if source.setup.cooperative and all(
            any(_is_alone(line, agent) for line in source.lines) for agent in run.agents
        ):
            ratings = rate_teams(run, [], seed, REPLICATES)
        elif not source.setup.cooperative and head_to_head(run):
            ratings = rate_agents(run, 0, [], seed, REPLICATES)
    if ratings is not None and source.run is not None and ratings.bounded:
        return from_rows(source.setup, source.run, ratings, unit), ratings
    line_ups = [tuple(order) for order in source.config["line_ups"]]
    verdicts = from_summary(source.setup, source.lines, line_ups, unit)
    return (verdicts if ratings is None else replace(verdicts, notes=(*verdicts.notes, *notes_of(ratings)))), ratings


def _is_alone(line: LineUpLine, agent: str) -> bool:
    """Tell whether a line is of a team of copies of the agent, with enough whole deals to tell teams apart."""
    return line.is_self_play and line.agents[0].agent == agent and line.total.n_blocks > 1 and not line.n_broken


def _subtitle(source: Source) -> str:
    config, lines = source.config, source.lines
    n_games = sum(line.n_games + line.n_broken for line in lines)
    n_agents, n_line_ups = len(config["agents"]), len(lines)
    agents = f"{n_agents} agent{'s'[: n_agents > 1]} in {n_line_ups} line-up{'s'[: n_line_ups > 1]}"
    deals = "one deal" if config["deals"] == 1 else f"the same {config['deals']:,} deals"
    return f"{agents} on {deals} (seed {config['seed']}); {n_games:,} games"


def _warnings(source: Source) -> Iterable[str]:
    """Say what the reader has to know before he believes a figure: faults, and what is missing."""
    faults: dict[str, tuple[int, str]] = {}
    for each in (agent for line in source.lines for agent in line.agents if agent.n_faults):
        count, words = faults.get(each.agent, (0, each.fault))
        faults[each.agent] = (count + each.n_faults, words)
    for agent, (count, words) in faults.items():
        yield f"{agent} broke off or spoiled {count:,} game{'s'[: count > 1]}; one time it {words}."
    n_broken = sum(line.n_broken for line in source.lines)
    if faults:
        on_fault = source.config.get("on_fault", "forfeit")
        spoiled = f"{n_broken:,} of the games were broken off: they count in no mean of points or totals"
        lost = "" if source.setup.cooperative else ", but as lost in shares of the win and ratings"
        yield f"Faults were treated as --on-fault {on_fault} says. {spoiled}{lost}."
    for agent in source.config["agents"]:
        if agent.startswith("__main__:"):
            yield f"{agent} stood in a notebook or a script that is not kept: only from a file can it play again."
    if source.missing:
        lost = "what seats are worth, and paired comparisons of agents, which are sharper"
        if not source.setup.cooperative:
            lost = "ratings, who did better than whom at the same table, and what seats are worth"
        yield f"{source.missing}, so this page lacks {lost}."


def _best_words(setup: Setup, lines: Sequence[LineUpLine], verdicts: Verdicts) -> Iterable[str]:
    """Say what the best team of copies comes to, in the terms of the game."""
    alone = [line for line in lines if line.is_self_play and line.total.mean is not None]
    if not setup.cooperative or not alone:
        return
    sign = -1 if verdicts.measure.more_is_better is False else 1
    best = max(alone, key=lambda line: sign * (line.total.mean or 0.0))
    name = best.agents[0].agent
    if best.success is not None:
        grade = ""
        if setup.game.grade is not None:
            shares = grade_shares(setup, best)
            likeliest = max(shares, key=lambda each: shares[each].mean or 0.0)
            grade = f" Its most frequent grade is “{likeliest}”: {percent(shares[likeliest])} of all sessions."
        mean = _mean_words(best.total, "slices left")
        yield f"A team of {name} has {mean}, and succeeds in {percent(best.success)} of its sessions.{grade}"
        return
    who = f"A team of {name}" if setup.players > 1 else name
    lost = ""
    if best.slices_lost is not None and best.lost_none is not None:
        slices = _mean_words(best.slices_lost, "slices")
        lost = f" It loses {slices}, and none in {percent(best.lost_none)} of its games."
    yield f"{who} comes to {_mean_words(best.total, 'points')}.{lost}"


def _mean_words(estimate: Estimate, unit: str) -> str:
    interval = ""
    if estimate.low is not None and estimate.high is not None:
        interval = f" (95 % interval {estimate.low:.2f} to {estimate.high:.2f})"
    return f"{estimate.mean or 0.0:.2f} {unit} on average{interval}"


# Charts.


CHART_WORDS = {
    "totals": (
        "Totals",
        "How the results of each agent spread; the dark line is the mean, the gray band its 95 % interval.",
    ),
    "shares": (
        "Shares of the win",
        "What each agent wins in each line-up, with 95 % intervals; the dashed line is an even share.",
    ),
    "first-picks": (
        "First picks",
        "Which action each agent takes first in a game, with 95 % intervals; the dashed line is an even choice.",
    ),
    "head-to-head": (
        "Head to head",
        "How often the agent of the row did better than that of the column, with half a 95 % interval.",
    ),
    "ratings": ("Ratings", "How strong the agents are on the Elo scale, with 95 % intervals."),
    "seats": ("Seats", "What each agent gets in each seat, with 95 % intervals."),
    "slices": ("Slices lost", "How often each agent loses 0, 1, 2 and 3 slices, with 95 % intervals."),
}


def draw_charts(path: Path, source: Source) -> tuple[Chart, ...]:
    """Draw the pictures of a run and turn them into data addresses, with words for those who do not see them."""
    charts = []
    for name, drawn in figures_of_run(path).items():
        title, caption = CHART_WORDS.get(name, (name.replace("-", " ").capitalize(), ""))
        words = f"Chart. {caption} {_figures_in_words(name, source)}".replace("  ", " ").strip()
        width = float(drawn.get_size_inches()[0])
        charts.append(Chart(name, title, words, caption, _data_address(drawn), width))
    return tuple(charts)


def _figures_in_words(name: str, source: Source) -> str:
    """Say the main figures of a chart in words."""
    if name == "totals":
        alone = [line for line in source.lines if line.is_self_play]
        means = [
            f"{line.agents[0].agent} {figure(line.total.mean, 2)}" for line in alone if line.total.mean is not None
        ]
        return f"Means: {'; '.join(means)}." if means else ""
    if name == "first-picks":
        counts: dict[str, dict[int, int]] = {}
        for each in (agent for line in source.lines for agent in line.agents):
            of_agent = counts.setdefault(each.agent, {})
            for action, count in each.first_actions.items():
                of_agent[action] = of_agent.get(action, 0) + count
        words = []
        for agent, of_agent in counts.items():
            if of_agent:
                first = max(of_agent, key=lambda action: of_agent[action])
                share = 100 * of_agent[first] / sum(of_agent.values())
                words.append(f"{agent} {source.setup.game.notation.action_text(first)} ({share:.0f} %)")
        return f"Most frequent first actions: {'; '.join(words)}." if words else ""
    return "The figures stand in the tables."


def _data_address(drawn: Figure) -> str:
    """Return a picture as a data address: SVG, or PNG where that would be too large."""
    buffer = io.BytesIO()
    with mpl.rc_context(STYLE):
        drawn.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        kind = "svg+xml"
        if buffer.tell() > MOST_SVG:
            buffer, kind = io.BytesIO(), "png"
            drawn.savefig(buffer, format="png", metadata={"Software": None})
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"


# Definitions, provenance, commands.


MEANINGS = {
    "deal": "All that is decided by shuffling. Deal number k of a seed is the same for every line-up.",
    "line-up": "The agents of a table, one a seat.",
    "block": (
        "One deal with one line-up in all its seatings. Games of a block share their deal, so they are one "
        "observation: intervals are taken over blocks, never over games."
    ),
    "95 % interval": "Made by a method that holds the true figure in 95 of 100 runs. Of means: t over blocks.",
    "share with its interval": "Wilson's interval, on the effective number of games where blocks hold several.",
    "slices left": "The result of a session: what is left of the slices that it began with.",
    "success": "A session that counts as one by the game's options.",
    "grade": "The rulebook's word for the slices left.",
    "mean total": "The mean of the result that the rules count for the whole team, in points.",
    "chance of losing none": "The share of games whose result costs no slice.",
    "points": "What the rulebook counts for a seat.",
    "Elo": (
        "Strength, fitted to all games at once (Plackett-Luce with ties): 400 points are odds of 10 to 1. Only "
        "differences mean something. Intervals by resampling deals."
    ),
    "head to head": "How often an agent did better than another at the same table; a tie counts a half.",
    "found with 90 % power": (
        "The smallest true difference that a run of this size finds in 9 of 10 runs. Where no difference was found, "
        "one of that size is unlikely to be there; a smaller one may be."
    ),
    "fault": "An agent raised an error, named an illegal action, or gave no answer in time.",
}


def _definitions(source: Source, verdicts: Verdicts, tables: Sequence[SortableTable]) -> Iterable[tuple[str, str]]:
    """Define what the page uses, and nothing else."""
    setup, lines = source.setup, source.lines
    names = {table.name for table in tables}
    headings = {column.heading for table in tables for column in table.columns}
    terms = ["deal", "line-up", "block", "95 % interval"]
    if {"success", "chance of losing none"} & headings or {"grades", "slices"} & names:
        terms.append("share with its interval")
    if is_session(lines):
        terms += ["slices left", "success", "grade"]
    terms += [name for name in ("mean total", "chance of losing none", "points") if name in headings]
    terms += [term for name, term in (("ratings", "Elo"), ("head-to-head", "head to head")) if name in names]
    if verdicts.contrasts or "seats" in names:
        terms.append("found with 90 % power")
    if any(each.n_faults for line in lines for each in line.agents):
        terms.append("fault")
    yield from ((term, MEANINGS[term]) for term in terms)
    if "slices lost" in headings:
        source_of = setup.game.slices_source
        by = "the slices table of the game's options" if source_of is None else source_of(setup)
        yield "slices lost", f"What a result costs, by {by}; the mean over games."
    if "share of the win (%)" in headings:
        even = f"an even share of a seat is 1/{setup.players}"
        yield "share of the win", f"1 for the only winner, split evenly among tied ones, 0 for the others; {even}."
    if verdicts.contrasts:
        method = verdicts.correction
        yield (
            "adjusted p, intervals of comparisons",
            (
                f"Corrected for looking at all comparisons at once ({method}): of equal agents, any is called better "
                "in at most 5 % of all runs."
            ),
        )
    if "seats" in names:
        of_win = "share of the win, in all seatings of a deal, less an even one"
        effect = "points of a seat less the mean of the table" if setup.cooperative else of_win
        yield "seat effect", f"The {effect}. Whether seats differ at all: Hotelling's test."


def _provenance(source: Source) -> Iterable[tuple[str, str]]:
    """Say what was played, by which code, and where."""
    config, setup = source.config, source.setup
    defaults = {option.name: option.default for option in setup.game.options}
    yield "game", f"{setup.game.title} ({setup.name}), version {setup.game.version} of its rules"
    yield "players", str(setup.players)
    usual = {name: value for name, value in config["options"].items() if value == defaults.get(name)}
    for name, value in config["options"].items():
        if name not in usual:
            yield f"option {name}", _shown(value)
    if usual:
        yield "options as usual", ", ".join(f"{name} {_shown(value)}" for name, value in usual.items())
    for number, agent in enumerate(config["agents"], start=1):
        yield f"agent {number}", agent
    yield "schedule", f"{config['schedule']}, {len(config['line_ups']):,} line-ups"
    yield "deals", f"{config['deals']:,} for each line-up"
    yield "seed", str(config["seed"])
    for key, words in (("keep", "kept"), ("on_fault", "on fault"), ("move_seconds", "seconds for a move")):
        if key in config:
            yield words, _shown(config[key])
    if "played" in config:
        yield "played", str(config["played"])
    if "wall_seconds" in config:
        yield "wall time", f"{config['wall_seconds']:,.1f} s"
    for name, version in config.get("versions", {}).items():
        yield f"version of {name}", str(version)
    for key, words in (("source", "fingerprint of the code"), ("rules", "digest of the rules' options")):
        if key in config:
            yield words, str(config[key])
    for agent, digest in zip(config["agents"], config.get("agent_sources", []), strict=False):
        if digest:
            yield f"digest of the file of {agent}", digest


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in ("", None) else f"{value:g}" if isinstance(value, float) else str(value)


def _commands(config: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    yield "Play the same games again", command_of(config)
    yield "Play them again and compare every byte with what is in the folder RUN", "pizzabots repro RUN"
    yield "Make this page again from the folder RUN", "pizzabots report RUN"
