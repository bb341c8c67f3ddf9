"""The luck of the deal: what is left without it is as right, and tighter."""

import json

import numpy as np
import pytest

from engine import load_game
from experiments.luck import FOLDS, correct, luck_of_run
from experiments.tournament import run_tournament
from tests.agents import own
from tests.experiments.test_cli import run  # noqa: F401

GAME = "robots-ate-our-pizza"


def made_up(seed, n_blocks, slope):
    """Scores of mean 10 that follow a par of mean 3 and standard deviation 2, and go astray by 1."""
    generator = np.random.Generator(np.random.PCG64(seed))
    par = 3 + 2 * generator.normal(size=n_blocks)
    return 10 + slope * (par - 3) + generator.normal(size=n_blocks), par


def test_the_gain_is_what_par_explains():
    scores, par = made_up(1, 4000, 0.5)
    answer = correct(scores, par, 3.0)
    assert answer.slope == pytest.approx(0.5, abs=0.03)
    assert answer.gain == pytest.approx(2.0, rel=0.1)  # variance 0.5² · 2² + 1, then 1
    assert answer.plain.mean == pytest.approx(scores.mean())
    assert answer.corrected.half_width == pytest.approx(answer.plain.half_width / np.sqrt(answer.gain), rel=1e-6)


def test_a_useless_par_costs_next_to_nothing():
    scores, par = made_up(2, 1000, 0.0)
    assert 0.98 < correct(scores, par, 3.0).gain < 1.02
    same = correct(scores, np.full(1000, 5.0), 5.0)
    assert (same.slope, same.gain) == (0.0, pytest.approx(1.0))


def test_an_uncertain_mean_par_counts():
    scores, par = made_up(3, 1000, 0.5)
    sure, unsure = correct(scores, par, 3.0), correct(scores, par, 3.0, 0.1)
    assert unsure.corrected.half_width**2 == pytest.approx(
        sure.corrected.half_width**2 + (1.9623 * sure.slope * 0.1) ** 2, rel=1e-3
    )


def test_no_block_is_corrected_by_a_slope_that_knows_it():
    """Without that, an outlier would pull its own correction: here it only moves the others'."""
    scores, par = made_up(4, 200, 0.5)
    before = correct(scores, par, 3.0).corrected.mean
    changed = scores.copy()
    changed[7] += 200.0
    moved = correct(changed, par, 3.0).corrected.mean - before
    others = [place for place in range(200) if place % FOLDS != 7]
    spread = ((par - par[others].mean()) ** 2)[others].sum()
    influence = abs((par[7] - par.mean()) * 200.0 / spread) * np.abs(par - 3.0).mean()
    assert abs(moved - 1.0) < influence


@pytest.mark.slow
def test_corrected_means_are_unbiased_and_their_intervals_hold():
    """2,000 runs of 60 blocks: no bias within four standard errors, coverage of 95 %, and a smaller spread."""
    answers = [correct(*made_up(seed, 60, 1.0), 3.0) for seed in range(2000)]
    plain = np.array([answer.plain.mean for answer in answers])
    corrected = np.array([answer.corrected.mean for answer in answers])
    assert abs(corrected.mean() - 10) < 4 * corrected.std() / np.sqrt(2000)
    assert corrected.var() < plain.var() / 4
    covered = np.mean([answer.corrected.low <= 10 <= answer.corrected.high for answer in answers])
    print(f"corrected intervals cover the truth in {covered:.1%} of 2,000 runs")
    assert 0.93 <= covered <= 0.97


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("luck") / "run"
    setup = load_game(GAME, players=2)
    run_tournament(setup, ["greedy", "greedy:style=own"], deals=400, seed=5, serial=True, out=path)
    return path


def test_the_clairvoyant_optimum_takes_luck_out_of_real_games(folder):
    """At two players it explains most of what a good team reaches; the plain mean stays within the plain error."""
    answer = luck_of_run(folder, "clairvoyant", 2000)
    assert answer.mean_par.mean == pytest.approx(21.495, abs=4 * answer.mean_par.half_width / 1.96)
    team = answer.line_ups["greedy greedy"]
    assert team.gain > 1.5
    assert abs(team.corrected.mean - team.plain.mean) < 2 * team.plain.half_width
    assert abs(team.corrected.mean - 19.82) < 2 * team.corrected.half_width + 0.04  # of 20,000 deals


def test_a_team_can_be_another_teams_par(folder):
    answer = luck_of_run(folder, "greedy", 1000)
    assert answer.line_ups["greedy:style=own greedy:style=own"].gain > 1.0
    itself = answer.line_ups["greedy greedy"]
    assert itself.slope == pytest.approx(1.0, abs=1e-6)
    assert itself.corrected.mean == pytest.approx(answer.mean_par.mean, abs=1e-6)


def test_the_command_prints_both_means(run, folder):  # noqa: F811
    code, out, _ = run("luck", folder, "--par-deals", 500)
    assert code == 0
    for words in ("plain result", "corrected", "variance shrinks", "par: greedy"):
        assert words in out
    code, out, _ = run("luck", folder, "--par-deals", 500, "--json")
    assert json.loads(out)["line_ups"]["greedy greedy"]["plain"]["n_blocks"] == 400


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--par", "nobody"], "there is no agent 'nobody'"),
        (["--par-deals", "1"], "par-deals is a whole number from 2, not 1"),
        (["--par", f"{own.__name__}:Raises"], "broke off a game; par wants one that never does"),
    ],
)
def test_a_mistake_gets_one_sentence(run, folder, words, sentence):  # noqa: F811
    code, out, err = run("luck", folder, *words)
    assert (code, out) == (2, "")
    assert sentence in err


def test_runs_without_that_luck_are_refused(run, tmp_path):  # noqa: F811
    setup = load_game("robot-master")
    run_tournament(setup, ["uniform", "greedy"], deals=30, serial=True, out=tmp_path / "master")
    assert "plays a deal in all seatings, which takes its luck out already" in run("luck", tmp_path / "master")[2]
    run_tournament(load_game(GAME), ["uniform"], deals=10, serial=True, out=tmp_path / "few")
    assert "wants at least 20 deals, not 10" in run("luck", tmp_path / "few", "--par-deals", 50)[2]
    solo = load_game("robot-master", variant="solo")
    run_tournament(solo, ["uniform"], deals=30, serial=True, out=tmp_path / "solo")
    words = ("luck", tmp_path / "solo", "--par", "clairvoyant")
    assert "robot-master has no clairvoyant optimum; name an agent as par" in run(*words)[2]
