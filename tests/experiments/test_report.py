"""The page of a run: what it says, that it says it of any run, and that it needs nothing else."""

import itertools
import json
import shlex
import shutil
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from scipy.special import ndtri, stdtrit

from engine import load_game
from experiments.ratings import as_run, rate_run
from experiments.report import find_verdicts, page, report_of_run
from experiments.report_tables import Source
from experiments.results import command_of, differs_from, read_config
from experiments.summary import AgentLine, Estimate, LineUpLine
from experiments.tournament import run_tournament
from experiments.verdicts import (
    BETTER,
    DIFFERENT,
    NOT_FOUND,
    Contrast,
    Measure,
    chairs_of_run,
    from_summary,
    more_is_better,
    verdict,
)
from tests.agents import own
from tests.experiments.test_cli import run  # noqa: F401

GAME = "robots-ate-our-pizza"
TEAMS = ["uniform", "greedy:style=own", "greedy:style=team"]
RIVALS = ["uniform", "greedy:style=hoarder", "greedy"]
TABLES = "[task.2]\n2 = [2, 6, 10]\n[task.3]\n2 = [9, 6, 3]\n[task.4]\n2 = [1, 3, 5]\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folders of a cooperative run, a competitive one, and sessions."""
    folder = tmp_path_factory.mktemp("runs")
    tables = folder / "tables.toml"
    tables.write_text(TABLES)
    found = {name: folder / name for name in ("cooperative", "competitive", "session")}
    setup = load_game(GAME, players=2)
    run_tournament(setup, TEAMS, deals=60, seed=3, schedule="cross", serial=True, out=found["cooperative"])
    run_tournament(load_game("robot-master"), RIVALS, deals=60, seed=3, serial=True, out=found["competitive"])
    session = load_game(GAME, players=2, mode="base", tables=str(tables))
    run_tournament(session, TEAMS, deals=60, seed=3, serial=True, out=found["session"])
    return found


@pytest.fixture(scope="module")
def reports(runs):
    return {name: report_of_run(path) for name, path in runs.items()}


@pytest.fixture
def undrawn(monkeypatch):
    """For tests that look at words only: pictures take most of the time."""
    monkeypatch.setattr("experiments.report.draw_charts", lambda path, source: ())


def without_rows(path: Path, target: Path) -> Path:
    """Copy the folder of a run as if it had kept its summary only."""
    shutil.copytree(path, target, ignore=shutil.ignore_patterns("part-*"))
    config = {**read_config(path), "keep": "summary"}
    (target / "config.json").write_text(json.dumps(config))
    return target


# Verdicts.

FOUND = Contrast("a", "b", 3.0, 1.0, 5.0, 0.01, 4.0)


def test_a_verdict_says_by_how_much_how_surely_and_what_would_have_been_found():
    said = verdict(FOUND, Measure("points", 2, True))
    assert said.kind == BETTER
    assert said.words == (
        "a is better than b: by 3.00 points (95 % interval 1.00 to 5.00, adjusted p 0.010). "
        "The run would have found a difference of 4.00 points with 90 % power."
    )


def test_where_less_is_better_the_lower_one_is():
    said = verdict(FOUND, Measure("points", 2, False))
    assert said.words.startswith("b is better than a: by 3.00 points less (95 % interval 1.00 to 5.00")


def test_where_nothing_says_what_is_better_nothing_is_called_so():
    said = verdict(FOUND, Measure("points", 2, None))
    assert said.kind == DIFFERENT
    assert said.words.startswith("a comes to 3.00 points more than b (")
    assert "better" not in said.words


def test_no_difference_comes_with_its_power():
    said = verdict(replace(FOUND, low=-1.0, p_adjusted=0.3), Measure("Elo", 1, True))
    assert said.kind == NOT_FOUND
    assert said.words.startswith("No difference was found between a and b (3.0 Elo, 95 % interval -1.0 to 5.0")
    assert said.words.endswith("The run would have found a difference of 4.0 Elo with 90 % power.")


def line(lineup: str, total: Estimate, *agents: AgentLine) -> LineUpLine:
    return LineUpLine(lineup, 2 * total.n_blocks, 0, total, None, None, None, {}, agents)


def agent(name: str, share: Estimate | None = None) -> AgentLine:
    return AgentLine(name, Estimate(0.0, 0.0, 0.0, 100), share, 0, "", {})


def around(mean: float, error: float, n_blocks: int = 100) -> Estimate:
    half = float(stdtrit(n_blocks - 1, 0.975)) * error
    return Estimate(mean, mean - half, mean + half, n_blocks)


def test_teams_without_rows_are_compared_by_the_sum_of_their_errors():
    setup = load_game(GAME, players=2)
    lines = [line("a a", around(10.0, 0.5), agent("a")), line("b b", around(14.0, 0.7), agent("b"))]
    (contrast,) = from_summary(setup, lines, [(0, 0), (1, 1)], "points").contrasts
    assert (contrast.first, contrast.second, contrast.difference) == ("b", "a", 4.0)
    assert contrast.low == pytest.approx(4.0 - stdtrit(99, 0.975) * 1.2)
    assert contrast.smallest_effect == pytest.approx((stdtrit(99, 0.975) + ndtri(0.9)) * 1.2)
    three = [*lines, line("c c", around(14.0, 0.7), agent("c"))]
    low = min(each.low for each in from_summary(setup, three, [(0, 0), (1, 1), (2, 2)], "points").contrasts)
    assert low == pytest.approx(0.0 - stdtrit(99, 1 - 0.05 / 6) * 1.4)


def test_two_agents_of_a_line_up_differ_by_what_their_shares_force():
    """One against three: 0.4 of the win leaves 0.2 each, a difference of 0.2, and its error is 4/3 of the share's."""
    setup = load_game("pizza-monsters", players=4)
    lines = [line("a b b b", around(0.0, 1.0), agent("a", around(0.4, 0.03)), agent("b", around(0.2, 0.01)))]
    (contrast,) = from_summary(setup, lines, [(0, 1, 1, 1)], "points").contrasts
    assert contrast.difference == pytest.approx(20.0)
    assert contrast.high - contrast.difference == pytest.approx(100 * stdtrit(99, 0.975) * 0.03 * 4 / 3)
    assert contrast.where == "a b b b"


def test_the_same_in_every_deal_is_found_only_in_enough_deals():
    """With no scatter a t test is sure after two deals; a coin that falls alike five times is not rare enough."""
    setup = load_game("robot-master")
    for n_blocks, is_found in ((5, False), (6, True)):
        shares = (Estimate(1.0, 1.0, 1.0, n_blocks), Estimate(0.0, 0.0, 0.0, n_blocks))
        lines = [line("a b", around(0.0, 1.0), agent("a", shares[0]), agent("b", shares[1]))]
        said = from_summary(setup, lines, [(0, 1)], "points")
        assert said.contrasts[0].p_adjusted == pytest.approx(2 * 0.5**n_blocks)
        assert said.contrasts[0].is_found == is_found
        assert "in every deal" in said.verdicts[0].words
        assert "nothing is known of chance" in said.verdicts[0].words


def test_where_ratings_have_no_bound_line_ups_are_judged_one_by_one():
    """Against an agent that always loses, the fit gives whatever the ghost allows; the shares are true."""
    rows = [
        {
            "lineup": "a b", "deal": deal, "rotation": rotation, "seat": seat, "agent": "ab"[(seat + rotation) % 2],
            "points": 1, "utility": float((seat + rotation) % 2), "placing": 2 - (seat + rotation) % 2,
        }
        for deal in range(40) for rotation in range(2) for seat in range(2)
    ]  # fmt: skip
    rivals = load_game("robot-master")
    run_of_rows = as_run(rivals, ["a", "b"], pd.DataFrame(rows))
    shares = (Estimate(0.0, 0.0, 0.0, 40), Estimate(1.0, 1.0, 1.0, 40))
    lines = [line("a b", around(0.0, 1.0, 40), agent("a", shares[0]), agent("b", shares[1]))]
    config = {"agents": ["a", "b"], "seed": 1, "line_ups": [[0, 1]]}
    said, ratings = find_verdicts(Source(rivals, config, lines, run_of_rows, ""))
    assert not ratings.bounded
    assert said.verdicts[0].words.startswith("In the line-up “a b”: b is better than a: by 100.0 percentage points")
    assert any("set no bound to some ratings" in words for words in said.notes)


def test_more_than_two_agents_are_held_against_an_even_share():
    setup = load_game("pizza-monsters", players=3)
    shares = (("a", 0.5), ("b", 1 / 3), ("c", 1 / 6))
    lines = [line("a b c", around(0.0, 1.0), *(agent(name, around(share, 0.01)) for name, share in shares))]
    said = from_summary(setup, lines, [(0, 1, 2)], "points")
    assert said.headline == "2 of 3 comparisons within line-ups found a difference."
    words = " ".join(each.words for each in said.verdicts)
    assert "a wins more than an even share: by 16.7 percentage points" in words
    assert "c wins less than an even share: by 16.7 percentage points" in words


def test_rows_and_summary_agree_and_rows_say_it_more_sharply(runs, reports, tmp_path, undrawn):
    rows, summary = reports["cooperative"], report_of_run(without_rows(runs["cooperative"], tmp_path / "run"))
    best = f"{TEAMS[2]} is the best of 3 agents: better than every other one."
    assert rows.verdicts.headline == summary.verdicts.headline == best
    by_pair = {(each.first, each.second): each for each in rows.verdicts.contrasts}
    for wide in summary.verdicts.contrasts:
        sharp = by_pair[wide.first, wide.second]
        assert sharp.difference == pytest.approx(wide.difference)
        assert wide.high - wide.low > sharp.high - sharp.low
        assert wide.smallest_effect > sharp.smallest_effect


def test_which_way_is_better_is_known_from_the_table_or_the_rows(tmp_path, undrawn):
    assert more_is_better(load_game(GAME, players=2), None) is True
    lowest = load_game(GAME, players=2, task=2)
    assert more_is_better(lowest, None) is False
    alone = load_game("robot-master", variant="solo")
    assert more_is_better(alone, None) is None
    for sign in (1, -1):
        rows = [
            {
                "lineup": "a", "deal": deal, "rotation": 0, "seat": 0, "agent": "a",
                "points": deal % 7, "utility": 0.5 + sign * (deal % 7) / 20, "placing": 1,
            }
            for deal in range(20)
        ]  # fmt: skip
        assert more_is_better(alone, as_run(alone, ["a"], pd.DataFrame(rows))) is (sign > 0)
    run_tournament(lowest, ["uniform", "greedy"], deals=30, serial=True, out=tmp_path / "run")
    report = report_of_run(tmp_path / "run")
    assert report.verdicts.headline == "greedy is better than uniform."
    assert "points less" in report.verdicts.verdicts[0].words


def test_seats_are_compared_over_all_seatings():
    """Seat 0 always wins, whoever sits there: half a win more than even, and the agents have no part in it."""
    rows = [
        {
            "lineup": "a b", "deal": deal, "rotation": rotation, "seat": seat, "agent": "ab"[(seat + rotation) % 2],
            "points": 1, "utility": float(seat == 0), "placing": 1 + seat,
        }
        for deal in range(40) for rotation in range(2) for seat in range(2)
    ]  # fmt: skip
    games = as_run(load_game("robot-master"), ["a", "b"], pd.DataFrame(rows))
    ((who, chairs),) = chairs_of_run(games)
    assert who == "all line-ups"
    assert [chair.effect.mean for chair in chairs.chairs] == [0.5, -0.5]


# The page.


def test_ratings_and_the_page_say_the_same(runs, reports):
    rated = rate_run(runs["competitive"])
    table = next(table for table in reports["competitive"].tables if table.name == "ratings")
    assert {row[0].text: row[1].key for row in table.rows} == {each.agent: each.value for each in rated.rated}
    said = reports["competitive"].verdicts.verdicts[0].words
    pair = next(each for each in rated.pairs if {each.first, each.second} == {1, 2})
    met = rated.matrix[2, 1]
    assert f"greedy is better than greedy:style=hoarder: by {abs(pair.difference):.1f} Elo" in said
    assert f"at the same table it did better in {100 * met.mean:.1f} %" in said
    assert f"would have found a difference of {pair.smallest_effect:.1f} Elo with 90 % power" in said


def test_a_session_is_told_in_slices_and_grades(runs, reports):
    report = reports["session"]
    assert "slices left on average" in report.results[0]
    assert "Its most frequent grade is “" in report.results[0]
    table = next(table for table in report.tables if table.name == "grades")
    assert [column.heading for column in table.columns][1:] == [
        "Awesome Teamwork!", "Pretty Good", "Guess you won't starve!", "Happy, Stuffed Robots!", "Go Buy Another Pizza!"
    ]  # fmt: skip
    for row in table.rows:
        assert sum(cell.key for cell in row[1:]) == pytest.approx(1.0)


def test_slices_add_up_and_agree_with_the_summary(reports):
    tables = {table.name: table for table in reports["cooperative"].tables}
    none = {row[0].text: row[1] for row in tables["slices"].rows}
    chance = [column.heading for column in tables["results"].columns].index("chance of losing none")
    for row in tables["results"].rows:
        assert none[row[0].text] == row[chance]
    for row in tables["slices"].rows:
        assert sum(cell.key for cell in row[1:]) == pytest.approx(1.0)


def test_tables_stand_in_the_order_that_they_say(reports):
    sorted_ones = [table for report in reports.values() for table in report.tables if table.sorted_by]
    assert len(sorted_ones) >= 6
    for table in sorted_ones:
        column, ascends = table.sorted_by
        keys = [row[column].key for row in table.rows]
        assert keys == sorted(keys, reverse=not ascends)


class Outline(HTMLParser):
    """What a page is made of: its elements with their attributes, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data

    def all(self, *tags):
        return [attributes for tag, attributes in self.elements if tag in tags]


@pytest.mark.parametrize("name", ["cooperative", "competitive", "session"])
def test_a_page_is_whole_in_itself_and_in_good_order(reports, name):
    text = page(reports[name])
    assert len(text.encode()) < 2_000_000
    outline = Outline(text)
    for attributes in outline.all("img", "script", "link", "iframe", "a"):
        address = attributes.get("src") or attributes.get("href") or "#"
        assert address.startswith(("data:", "#"))
    assert "url(" not in text
    assert "@import" not in text
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [attributes["href"][1:] for attributes in outline.all("a") if attributes["href"].startswith("#")]
    targets += [word for _, each in outline.elements for word in (each.get("aria-labelledby") or "").split()]
    assert set(targets) <= set(ids)
    levels = [int(tag[1]) for tag, _ in outline.elements if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    images = outline.all("img")
    assert len(images) == len(outline.all("figcaption")) == len(reports[name].charts) >= 2
    assert all(len(each["alt"]) > 30 for each in images)
    for term, _ in reports[name].definitions:
        assert term in outline.words
    assert all(command in outline.words for _, command in reports[name].commands)
    assert "would have found" in outline.words


def test_every_figure_of_the_page_has_its_definition(reports):
    terms = {name: {term for term, _ in report.definitions} for name, report in reports.items()}
    assert {"mean total", "slices lost", "chance of losing none", "seat effect"} <= terms["cooperative"]
    assert {"Elo", "head to head", "share of the win", "points"} <= terms["competitive"]
    assert {"grade", "slices left", "success"} <= terms["session"]
    assert "Elo" not in terms["cooperative"]


def test_the_command_of_a_run_plays_its_games(run, runs, tmp_path):  # noqa: F811
    for name in ("cooperative", "session"):
        config = read_config(runs[name])
        program, *words = shlex.split(command_of(config))
        assert program == "pizzabots"
        assert run(*words, "--serial", "--no-charts", "--json", "--out", tmp_path / name)[0] == 0
        assert differs_from(config, read_config(tmp_path / name)) == ""
    changed = {**config, "keep": "summary", "on_fault": "random", "move_seconds": 2.5}
    assert "--keep summary --on-fault random --move-seconds 2.5" in command_of(changed)


def test_names_of_agents_are_words_not_markup(runs, tmp_path):
    """Names come from whoever wrote the agent: nothing in them may become an element, a formula, or an attribute."""
    folder = without_rows(runs["cooperative"], tmp_path / "run")
    evil = "mine:<script>alert(1)</script>&\"'$x_$"
    for file in ("config.json", "summary.json"):
        content = json.loads((folder / file).read_text())
        (folder / file).write_text(json.dumps(content).replace("uniform", json.dumps(evil)[1:-1]))
    text = page(report_of_run(folder))
    outline = Outline(text)
    assert len(outline.all("script")) == text.count("<script") == 1
    assert evil in outline.words
    assert any(evil in each["alt"] for each in outline.all("img"))


def test_a_run_without_rows_says_what_is_missing(runs, tmp_path, undrawn):
    for name, sentence in (
        ("cooperative", "so this page lacks what seats are worth, and paired comparisons of agents"),
        ("competitive", "so this page lacks ratings, who did better than whom at the same table, and what seats are"),
    ):
        report = report_of_run(without_rows(runs[name], tmp_path / name))
        assert report.warnings[0].startswith("The run kept only its summary (--keep summary), so this page lacks ")
        assert sentence in report.warnings[0]
        assert not {"ratings", "seats"} & {table.name for table in report.tables}
        assert report.verdicts.verdicts


def test_rows_that_were_lost_are_not_counted(runs, tmp_path, undrawn):
    folder = tmp_path / "run"
    shutil.copytree(runs["cooperative"], folder)
    next((folder / "parts").glob("part-0000*")).unlink()
    report = report_of_run(folder)
    assert report.warnings[0].startswith("Some of the run's rows are missing")
    assert "seats" not in {table.name for table in report.tables}


def test_one_agent_alone_has_a_page(tmp_path, undrawn):
    run_tournament(load_game(GAME, players=2), ["uniform"], deals=20, serial=True, out=tmp_path / "team")
    report = report_of_run(tmp_path / "team")
    alone = "Only uniform finished games with copies of itself, so there is nothing to compare."
    assert report.verdicts.headline == alone
    assert report.results[0].startswith("A team of uniform comes to ")
    run_tournament(load_game("robot-master"), ["uniform"], deals=20, serial=True, out=tmp_path / "rivals")
    report = report_of_run(tmp_path / "rivals")
    assert report.verdicts.headline == "Only uniform played, so there is nothing to compare."
    assert "seats" in {table.name for table in report.tables}


def test_faults_are_shown(tmp_path):
    setup = load_game(GAME, players=2)
    agents = [f"{own.__name__}:Raises", "uniform"]
    run_tournament(setup, agents, deals=4, schedule="cross", serial=True, out=tmp_path / "run")
    report = report_of_run(tmp_path / "run")
    assert report.warnings[0] == f"{agents[0]} broke off or spoiled 12 games; one time it raised RuntimeError: no idea."
    assert "12 of the games were broken off" in report.warnings[1]
    results = next(table for table in report.tables if table.name == "results")
    broken = [column.heading for column in results.columns].index("broken off")
    assert {row[0].text: row[broken].key for row in results.rows} == {agents[0]: 4, "uniform": 0}
    assert "fault" in dict(report.definitions)
    assert report.warnings[0] in Outline(page(report)).words


def test_a_table_that_is_too_long_is_cut_and_says_so(monkeypatch, runs, undrawn):
    monkeypatch.setattr("experiments.report_tables.MOST_ROWS", 2)
    table = next(table for table in report_of_run(runs["competitive"]).tables if table.name == "head-to-head")
    assert len(table.rows) == 2
    assert "The first 2 of 6 rows" in table.note


def test_the_command_writes_the_page_with_the_same_bytes_each_time(run, runs, tmp_path):  # noqa: F811
    code, out, _ = run("report", runs["session"], "--out", tmp_path / "page.html")
    assert (code, out) == (0, f"wrote {tmp_path / 'page.html'}\n")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    (runs["session"] / "report.html").write_text("<!doctype html> of another time")
    content = json.loads(run("report", runs["session"], "--json")[1])
    assert (runs["session"] / "report.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    assert content["verdicts"]["headline"].startswith(TEAMS[2])
    assert content["charts"][0] == "totals"


def test_a_mistake_gets_one_sentence_before_anything_is_done(run, runs, tmp_path):  # noqa: F811
    page_of_somebody = tmp_path / "letter.html"
    page_of_somebody.write_text("Dear Sir")
    unfinished = tmp_path / "unfinished"
    shutil.copytree(runs["cooperative"], unfinished)
    (unfinished / "summary.json").unlink()
    damaged = tmp_path / "damaged"
    shutil.copytree(runs["cooperative"], damaged)
    (damaged / "summary.json").write_text("[{")
    for words, sentence in (
        ([tmp_path], "is no run: it has no readable config.json"),
        ([unfinished], "has no summary.json: it was not played to its end"),
        ([damaged], "the summary.json of the run"),
        ([runs["cooperative"], "--out", tmp_path], "is a folder; --out names the file of the page"),
        ([runs["cooperative"], "--out", tmp_path / "no" / "page.html"], "of the page does not exist"),
        ([runs["cooperative"], "--out", page_of_somebody], "is there already and is no page"),
    ):
        code, out, err = run("report", *words)
        assert (code, out) == (2, "")
        assert err.startswith("pizzabots: ")
        assert sentence in err
        assert len(err.splitlines()) == 1
    assert page_of_somebody.read_text() == "Dear Sir"
    assert not (unfinished / "report.html").exists()


def test_the_template_is_shipped():
    facts = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text())
    assert "*.html" in facts["tool"]["setuptools"]["package-data"]["*"]
    assert any(each.startswith("jinja2") for each in facts["project"]["dependencies"])
