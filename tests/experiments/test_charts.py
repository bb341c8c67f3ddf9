"""Pictures of runs: drawn again from the folder they are the same, and what they show is what the rows say."""

import json

import numpy as np
import pytest

from engine import load_game
from experiments.charts import draw_slices, figures_of_run
from experiments.charts_of_rows import draw_head_to_head, draw_ratings
from experiments.ratings import as_run, rate_agents
from experiments.results import load_run
from experiments.seat_advantage import by_seat
from experiments.summary import from_json, wilson
from tests.experiments.test_cli import GOLDEN
from tests.experiments.test_cli import run as run  # the fixture

TEAM = ("uniform", "greedy")
RIVALS = ("uniform", "greedy:style=hoarder")


def play(run, folder, game, agents, *more):
    words = ("tournament", game, "--agents", *agents, "--deals", 20, "--serial", "--out", folder, *more)
    assert run(*words)[0] == 0
    return folder


def words_of(figure):
    return [text.get_text() for panel in figure.axes for text in panel.texts]


def test_a_cooperative_run_is_drawn_again_from_its_folder(run, tmp_path):
    folder = play(run, tmp_path / "run", "robots-ate-our-pizza", TEAM, "--schedule", "cross")
    code, out, _ = run("charts", folder, "--out", tmp_path / "new" / "pictures", "--json")
    assert code == 0
    names = ["first-picks", "seats", "slices", "totals"]
    assert sorted({path.stem for path in (tmp_path / "new" / "pictures").iterdir()}) == names
    assert len(json.loads(out)) == 8
    for name in ("first-picks", "slices", "totals"):
        for ending in (".png", ".svg"):
            drawn_again = (tmp_path / "new" / "pictures" / (name + ending)).read_bytes()
            assert drawn_again == (folder / (name + ending)).read_bytes()


def test_slices_are_those_of_the_rows(run, tmp_path):
    folder = play(run, tmp_path / "run", "robots-ate-our-pizza", TEAM, "--no-charts")
    setup = load_game("robots-ate-our-pizza")
    lost = setup.game.slices_lost(setup)
    lines = from_json(json.loads((folder / "summary.json").read_text()))
    bars = draw_slices(setup, lines, lost).axes[0].patches
    rows = load_run(folder)
    totals = rows.groupby(["lineup", "deal"], observed=True).points.sum()
    weakest = min(lines, key=lambda line: line.total.mean)
    slices = lost[totals[weakest.lineup].to_numpy() - setup.ranges.total[0]]
    assert [bar.get_width() for bar in bars[:4]] == pytest.approx([100 * (slices == each).mean() for each in range(4)])
    assert sum(bar.get_width() for bar in bars[4:8]) == pytest.approx(100)


def test_a_competitive_run_shows_who_beats_whom(run, tmp_path):
    folder = play(run, tmp_path / "run", "robot-master", RIVALS)
    assert {path.stem for path in folder.glob("*.svg")} == {"shares", "first-picks", "head-to-head", "ratings"}
    figures = figures_of_run(folder)
    assert list(figures) == ["shares", "first-picks", "head-to-head", "ratings", "seats"]
    rows = load_run(folder)
    share = 100 * rows[rows.agent == RIVALS[1]].share.mean()
    first_words = words_of(figures["head-to-head"])
    assert sorted(words.split("\n")[0] for words in first_words) == sorted([f"{share:.1f}", f"{100 - share:.1f}"])
    assert figures["head-to-head"].axes[0].get_yticklabels()[0].get_text() == f"{RIVALS[1]} [1]"
    assert words_of(figures["ratings"])[0] == "0"  # the anchor, weakest and so lowest


def test_what_differs_is_bold_and_what_does_not_is_not():
    setup = load_game("robot-master")
    from tests.experiments.test_ratings import made_up_games

    ratings = rate_agents(as_run(setup, ["0", "1", "2"], made_up_games(1, 300, [0.0, 0.02, 2.0])), 0, [], 1, 200)
    texts = draw_head_to_head(setup, ratings).axes[0].texts
    found = {(round(text.get_position()[1]), round(text.get_position()[0])): text.get_fontweight() for text in texts}
    assert found[0, 1] == found[2, 0] == "bold"  # the strongest is on top
    assert found[1, 2] == found[2, 1] == "normal"
    assert "300 deals; at 0: 0" in draw_ratings(setup, ratings).get_supxlabel()


def test_seats_are_means_of_deals(run, tmp_path):
    folder = play(run, tmp_path / "run", "robot-master", RIVALS, "--no-charts")
    rows = load_run(folder)
    found = by_seat(rows, "share", RIVALS)
    for agent in RIVALS:
        for seat, each in enumerate(found[agent]):
            of_seat = rows[(rows.agent == agent) & (rows.seat == seat)]
            assert each.mean == pytest.approx(of_seat.share.mean())
            assert each.n_blocks == 20
    assert found["uniform"][0].mean + found[RIVALS[1]][1].mean == pytest.approx(1.0)
    broken = rows.assign(share=np.where(rows.deal == 3, np.nan, rows.share))
    assert by_seat(broken, "share", RIVALS)["uniform"][0].n_blocks == 19
    assert by_seat(rows, "share", ["nobody"])["nobody"][1].mean is None


def test_whiskers_of_slices_are_wilsons(run, tmp_path):
    setup = load_game("robots-ate-our-pizza")
    folder = play(run, tmp_path / "run", "robots-ate-our-pizza", ["greedy"], "--no-charts")
    lines = from_json(json.loads((folder / "summary.json").read_text()))
    panel = draw_slices(setup, lines, setup.game.slices_lost(setup)).axes[0]
    ends = np.cumsum([bar.get_width() for bar in panel.patches[:4]]) / 100
    whiskers = [each.get_segments()[0] for each in panel.collections]
    inside = [end for end, bar in zip(ends, panel.patches, strict=True) if bar.get_width() > 0 and end < 1 - 1e-9]
    assert inside
    for end, whisker in zip(inside, whiskers, strict=True):
        low, high = wilson(end, 20)
        assert whisker[:, 0] == pytest.approx([100 * low, 100 * high])


def test_sessions_count_slices_themselves(run, tmp_path):
    tables = GOLDEN / "option_files" / "robots-ate-our-pizza" / "tables.toml"
    options = ("--option", "mode=cheese", "--option", f"tables={tables}")
    folder = play(run, tmp_path / "run", "robots-ate-our-pizza", ["uniform"], *options)
    figures = figures_of_run(folder)
    assert list(figures) == ["totals", "first-picks"]
    assert figures["totals"].axes[0].get_xlabel() == "slices left"


def test_a_run_without_rows_has_fewer_pictures(run, tmp_path):
    folder = play(run, tmp_path / "run", "robot-master", RIVALS, "--keep", "summary", "--no-charts")
    assert list(figures_of_run(folder)) == ["shares", "first-picks"]


def test_copies_alone_have_no_head_to_head(run, tmp_path):
    folder = play(run, tmp_path / "run", "robot-master", RIVALS, "--schedule", "self", "--no-charts")
    assert list(figures_of_run(folder)) == ["shares", "first-picks", "seats"]


def test_mistakes_get_a_sentence(run, tmp_path):
    code, _, err = run("charts", tmp_path)
    assert code == 2
    assert "is no run: it has no readable config.json" in err
    folder = play(run, tmp_path / "run", "robots-ate-our-pizza", ["uniform"], "--no-charts")
    code, _, err = run("charts", folder, "--out", folder / "config.json")
    assert code == 2
    assert "cannot be made" in err
    (folder / "summary.json").unlink()
    code, _, err = run("charts", folder)
    assert code == 2
    assert "no readable summary.json; the command that began it finishes it" in err
