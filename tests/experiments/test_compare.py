"""Comparisons: what a block is worth, and that the decision is the games' and not the machinery's."""

import io
import json

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

from engine import load_game
from experiments.answers import comparison_view, ratio_bar
from experiments.cluster import Place
from experiments.compare import Sampling, compare_agents, comparison_plan, play_blocks
from experiments.inference import p_value
from experiments.matches import Conduct
from experiments.sequential import FIRST, NEITHER, OPEN, SECOND, Hypotheses, Verdict, decide
from experiments.summary import Estimate
from experiments.tournament import run_tournament
from tests.agents import own
from tests.experiments.test_cli import run  # noqa: F401

OWN = own.__name__
TWIN_OF_UNIFORM = f"{OWN}:AlsoUniform"
FIXED = f"{OWN}:First"  # takes the first legal action: deterministic
TWIN = f"{OWN}:Last:chance=0.0"
SAME_TWIN = f"{OWN}:Last"


def scores_of(setup, first, second, n_blocks, seed=1):
    plan = comparison_plan(setup, first, second, Sampling(seed=seed, max_blocks=n_blocks))
    return np.concatenate([blocks.scores for blocks in play_blocks(plan, Place(serial=True))])


@pytest.fixture(scope="module", params=[2, 4], ids=["two players", "two teams"])
def master(request):
    variant = "standard" if request.param == 2 else "teams"
    return load_game("robot-master", players=request.param, variant=variant)


@pytest.fixture(scope="module")
def pizza():
    return load_game("robots-ate-our-pizza", players=3)


def test_a_block_is_worth_the_paired_difference_of_shares(master):
    scores = scores_of(master, "uniform", "greedy:style=hoarder", 40)
    frame = run_tournament(master, ["uniform", "greedy:style=hoarder"], 40, 1, "gauntlet", serial=True)
    shares = frame.groupby(["deal", "agent"], observed=True).share.sum().unstack() / 2
    assert scores == pytest.approx((shares["uniform"] - shares["greedy:style=hoarder"]).to_numpy())


def test_a_block_of_teams_is_worth_the_difference_of_utility(pizza):
    scores = scores_of(pizza, "uniform", "greedy:style=own", 40)
    frame = run_tournament(pizza, ["uniform", "greedy:style=own"], 40, 1, "self", serial=True)
    utility = frame.groupby(["deal", "agent"], observed=True).utility.first().unstack()
    assert scores == pytest.approx((utility["uniform"] - utility["greedy:style=own"]).to_numpy())


def test_deterministic_agents_that_play_alike_cancel_in_every_block(master, pizza):
    for setup in (master, pizza):
        assert (scores_of(setup, TWIN, SAME_TWIN, 20) == 0.0).all()
        assert np.any(scores_of(setup, TWIN, FIXED, 20) != 0.0)


def test_the_better_one_is_found_from_either_side(master):
    there = compare_agents(master, "greedy:style=expected-minimum", "uniform", Sampling(seed=2))
    back = compare_agents(master, "uniform", "greedy:style=expected-minimum", Sampling(seed=2))
    assert (there.decision, back.decision) == (FIRST, SECOND)
    assert there.verdict.n_blocks <= 40
    assert there.score.low > 0 > back.score.high
    assert there.first.mean == pytest.approx((1 + there.score.mean) / 2)
    assert there.n_games == 2 * there.verdict.n_blocks


def test_the_better_team_is_found(pizza):
    answer = compare_agents(pizza, "greedy:style=own", "uniform")
    assert answer.decision == FIRST
    assert answer.first.mean - answer.second.mean > 5


def test_the_blocks_may_run_out(pizza):
    answer = compare_agents(pizza, "greedy:style=own", "uniform", Sampling(max_blocks=20))
    assert answer.decision == OPEN
    assert answer.verdict.n_blocks == 20
    assert 0 < answer.smallest_effect < 1


def test_the_answer_does_not_depend_on_the_steps(master, monkeypatch):
    import experiments.compare as room

    agents = ("greedy:style=hoarder", "greedy:style=weakest-line-fixer")
    answer = compare_agents(master, *agents)
    monkeypatch.setattr(room, "MOST_STEP", 8)
    assert compare_agents(master, *agents) == answer


def test_a_faulty_agent_loses_and_is_named(master, pizza):
    for setup in (master, pizza):
        answer = compare_agents(setup, f"{OWN}:Raises", "uniform", Sampling(max_blocks=40))
        assert answer.decision == SECOND
        assert "raised RuntimeError" in answer.faults[0]
        assert setup.cooperative or answer.first.mean == 0.0  # its partner has nothing of the win either
        json.dumps(answer.as_json(), allow_nan=False)


def test_the_command_keeps_decision_and_estimate_apart(run):  # noqa: F811
    words = ("compare", "robot-master", "greedy:style=hoarder", "uniform")
    code, out, _ = run(*words)
    assert code == 0
    assert "decision: greedy:style=hoarder is better than uniform" in out
    assert "estimate (apart from the decision" in out
    assert "a test of fixed size with the same errors takes 1,300 blocks" in out
    code, out, _ = run(*words, "--json")
    answer = json.loads(out)
    assert answer["decision"] == "first"
    assert answer["estimate"]["first"]["mean"] > 0.5


def test_no_difference_comes_with_what_would_have_been_found(run):  # noqa: F811
    code, out, _ = run("compare", "robots-ate-our-pizza", TWIN, SAME_TWIN, "--players", 2)
    assert code == 0
    assert "decision: no difference of 0.1 standard deviations of a block" in out
    assert "with 90 % power" in out


def test_the_live_bar_shows_where_both_tests_stand():
    hypotheses = Hypotheses()
    least, most = hypotheses.bounds
    assert ratio_bar(least - 5, hypotheses.bounds).plain.startswith("●")
    assert ratio_bar(most + 5, hypotheses.bounds).plain.endswith("●")
    console = Console(width=100, record=True, file=io.StringIO())
    verdict = Verdict(OPEN, 640, 1.25, -2.0)
    console.print(comparison_view("anna", "zoe", hypotheses, 10_000, verdict, Estimate(0.12, 0.02, 0.22, 640)))
    text = console.export_text()
    for words in (
        "anna better? no",
        "zoe better?",
        "+1.25",
        "-2.00",
        "640 of at most 10,000 blocks",
        "+0.1200 ± 0.1000",
    ):
        assert words in " ".join(text.split())


def test_faults_may_end_a_comparison_or_be_played_over(run, master):  # noqa: F811
    code, _, err = run("compare", "robot-master", f"{OWN}:Raises", "uniform", "--on-fault", "abort")
    assert code == 2
    assert "raised RuntimeError" in err
    lost = compare_agents(master, f"{OWN}:Raises", "uniform", Sampling(max_blocks=30))
    random = compare_agents(master, f"{OWN}:Raises", "uniform", Sampling(max_blocks=30, conduct=Conduct("random")))
    assert lost.first.mean == 0.0
    assert random.first.mean > 0.1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["robot-master", "uniform", "uniform"], "agent uniform is named twice"),
        (["robot-master", "uniform", "nobody"], "there is no agent 'nobody'"),
        (["robot-master", "uniform", "greedy", "--difference", "0"], "the difference is above 0"),
        (["robot-master", "uniform", "greedy", "--alpha", "0.9"], "alpha is above 0 and at most 0.5, not 0.9"),
        (["robot-master", "uniform", "greedy", "--max-blocks", "0"], "max-blocks is a whole number from 1"),
        (["robot-master", "uniform", "greedy", "--on-fault", "cry"], "on-fault is forfeit, random, abort, not 'cry'"),
        (["robot-master", "uniform", "greedy", "--move-seconds", "0"], "move-seconds is a number above 0"),
    ],
)
def test_a_mistake_gets_one_sentence(run, words, sentence):  # noqa: F811
    code, out, err = run("compare", *words)
    assert code == 2
    assert out == ""
    assert err.startswith("pizzabots: ")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_equal_agents_are_told_apart_as_seldom_as_chance_allows():
    """Two agents that both play at random, 200 runs: p-values are uniform, and few runs end with a better one."""
    setup = load_game("robot-master")
    runs = scores_of(setup, "uniform", TWIN_OF_UNIFORM, 200 * 400).reshape(200, 400)
    p_values = [p_value(scores[:60]) for scores in runs]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    decisions = [decide(scores, Hypotheses(0.2)).decision for scores in runs]
    print(f"{decisions.count(NEITHER)} of 200 comparisons of equal agents end with no difference")
    assert decisions.count(FIRST) + decisions.count(SECOND) <= 17  # 5 % are 10; 17 or more come once in 40 tests
