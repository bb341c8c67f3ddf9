"""Ratings of runs: read from rows, the same whatever their order, and with intervals that hold."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from engine import load_game
from experiments.ratings import ELO, as_run, head_to_head, rate_agents, rate_teams
from experiments.tournament import run_tournament
from tests.agents import own
from tests.experiments.test_cli import run  # noqa: F401

AGENTS = ["uniform", "greedy:style=hoarder", "greedy"]


@pytest.fixture(scope="module")
def setup():
    return load_game("robot-master")


@pytest.fixture(scope="module")
def folder(setup, tmp_path_factory):
    path = tmp_path_factory.mktemp("ratings") / "run"
    run_tournament(setup, AGENTS, deals=60, seed=3, serial=True, out=path)
    return path


@pytest.fixture(scope="module")
def games(setup):
    return run_tournament(setup, AGENTS, deals=60, seed=3, serial=True)


def test_two_agents_are_rated_by_their_odds(setup):
    """With ties apart, Elo of two agents is 400 log10 of won to lost games; here no game is tied."""
    games = run_tournament(setup, AGENTS[:2], deals=200, seed=1, serial=True)
    games = games[games.groupby("deal").share.transform(lambda share: (share != 0.5).all())]
    answer = rate_agents(as_run(setup, AGENTS[:2], games), 0, [], 1, 200)
    won = games[games.agent == AGENTS[1]].share
    assert answer.rated[1].value == pytest.approx(400 * math.log10(won.sum() / (1 - won).sum()), abs=1e-6)
    assert answer.matrix[1, 0].mean == pytest.approx(won.mean())
    assert answer.rated[0].value == answer.rated[0].low == answer.rated[0].high == 0.0
    assert answer.rated[1].low < answer.rated[1].value < answer.rated[1].high


def test_the_order_of_rows_and_of_agents_does_not_matter(setup, games):
    expected = rate_agents(as_run(setup, AGENTS, games), 0, [], 1, 100)
    shuffled = games.sample(frac=1.0, random_state=1)
    assert rate_agents(as_run(setup, AGENTS, shuffled), 0, [], 1, 100) == expected
    turned = rate_agents(as_run(setup, AGENTS[::-1], games), 2, [], 1, 100)
    for each, other in zip(expected.rated, turned.rated[::-1], strict=True):
        assert each.agent == other.agent
        assert (each.value, each.low, each.high) == pytest.approx((other.value, other.low, other.high), abs=1e-6)


def test_names_do_not_matter(setup, games):
    expected = rate_agents(as_run(setup, AGENTS, games), 0, [], 1, 100)
    names = dict(zip(AGENTS, ("zoe", "anna", "mia"), strict=True))
    lineups = {old: " ".join(names[word] for word in old.split()) for old in games.lineup.unique()}
    renamed = games.assign(agent=games.agent.astype(str).map(names), lineup=games.lineup.astype(str).map(lineups))
    found = rate_agents(as_run(setup, list(names.values()), renamed), 0, [], 1, 100)
    for each, other in zip(expected.rated, found.rated, strict=True):
        assert (each.value, each.low, each.high) == pytest.approx((other.value, other.low, other.high), abs=1e-6)


def test_the_anchor_only_moves_the_scale(setup, games):
    run_of_games = as_run(setup, AGENTS, games)
    first, last = (rate_agents(run_of_games, anchor, [], 1, 100) for anchor in (0, 2))
    for one, other in zip(first.rated, last.rated, strict=True):
        assert one.value - first.rated[2].value == pytest.approx(other.value, abs=1e-6)
    assert [pair.p_adjusted for pair in first.pairs] == [pair.p_adjusted for pair in last.pairs]


def test_head_to_head_is_counted_by_deals(setup, games):
    matrix = head_to_head(as_run(setup, AGENTS, games))
    both = games[games.lineup == f"{AGENTS[0]} {AGENTS[2]}"]
    expected = both[both.agent == AGENTS[0]].groupby("deal").share.mean()
    assert matrix[0, 2].mean == pytest.approx(expected.mean())
    assert matrix[0, 2].n_blocks == 60
    assert matrix[0, 2].mean + matrix[2, 0].mean == pytest.approx(1.0)
    assert (0, 0) not in matrix


def test_partners_count_once():
    teams = load_game("robot-master", variant="teams")
    games = run_tournament(teams, AGENTS, deals=30, seed=1, serial=True)
    answer = rate_agents(as_run(teams, AGENTS, games), 0, [(2, 0)], 1, 100)
    assert answer.n_games == 30 * 3 * 2
    assert not answer.winners_only
    won = games[(games.lineup.astype(str) == " ".join([AGENTS[0], AGENTS[2]] * 2)) & (games.agent == AGENTS[2])]
    assert answer.matrix[2, 0].mean == pytest.approx(won.groupby(["deal", "rotation"]).share.sum().mean())


def made_up_games(seed, n_deals, strengths, luck=0.1):
    """Rows of a round robin of pairs, two seatings a deal, in which a deal is better for one chair or not."""
    generator = np.random.Generator(np.random.PCG64(seed))
    rows = []
    lucky = luck * np.sign(generator.normal(size=n_deals))
    for one, two in ((0, 1), (0, 2), (1, 2)):
        for rotation, seats in enumerate(((one, two), (two, one))):
            gap = strengths[seats[0]] - strengths[seats[1]]
            wins = generator.random(n_deals) < 1 / (1 + np.exp(-gap)) + lucky * (0.5 - rotation)
            for seat in (0, 1):
                won = wins if seat == 0 else ~wins
                rows.append(
                    pd.DataFrame(
                        {
                            "lineup": f"{one} {two}", "deal": np.arange(n_deals), "rotation": rotation, "seat": seat,
                            "agent": str(seats[seat]), "points": 0.0, "utility": won.astype(float),
                            "placing": np.where(won, 1, 2),
                        }
                    )
                )  # fmt: skip
    return pd.concat(rows)


@pytest.mark.slow
def test_intervals_of_ratings_cover_the_truth(setup):
    """1,000 tournaments of 60 deals in which all is known: the two ratings, and all pairs at once."""
    strengths = np.array([0.0, 0.5, 1.0])
    covered = np.zeros(2)
    together = 0
    for seed in range(1000):
        answer = rate_agents(as_run(setup, ["0", "1", "2"], made_up_games(seed, 60, strengths)), 0, [], seed, 300)
        for place in (1, 2):
            each = answer.rated[place]
            covered[place - 1] += each.low <= ELO * strengths[place] <= each.high
        together += all(
            pair.low <= ELO * (strengths[pair.first] - strengths[pair.second]) <= pair.high for pair in answer.pairs
        )
    print(f"ratings covered in {covered / 10} %, all pairs at once in {together / 10:.1f} %")
    assert (covered >= 930).all()
    assert (covered <= 970).all()
    assert 925 <= together <= 975


def test_an_agent_that_never_loses_has_no_bound_and_says_so(setup, games):
    assert rate_agents(as_run(setup, AGENTS, games), 0, [], 1, 50).bounded
    always = made_up_games(1, 40, np.array([0.0, 0.0, 60.0]), luck=0.0)
    answer = rate_agents(as_run(setup, ["0", "1", "2"], always), 0, [], 1, 50)
    assert not answer.bounded
    assert answer.never_lost == ["2"]
    assert 100 < answer.rated[2].value < 5000


def test_where_only_winners_are_known_losers_are_no_ties(setup):
    """Three players of equal strength: only the first step of a game counts."""
    three = load_game("robots-ate-our-pizza", players=3)  # three seats; what they play does not matter here
    generator = np.random.Generator(np.random.PCG64(1))
    winners = generator.choice(3, size=2000, p=[0.5, 0.3, 0.2])
    rows = pd.DataFrame(
        [
            {
                "lineup": "a b c", "deal": deal, "rotation": 0, "seat": seat, "agent": "abc"[seat], "points": 0.0,
                "utility": float(seat == winner), "placing": 1 if seat == winner else 2,
            }
            for deal, winner in enumerate(winners)
            for seat in range(3)
        ]
    )  # fmt: skip
    answer = rate_agents(as_run(three, ["a", "b", "c"], rows), 0, [], 1, 100)
    assert answer.winners_only
    counts = np.bincount(winners)
    assert [each.value for each in answer.rated] == pytest.approx((ELO * np.log(counts / counts[0])).tolist(), abs=1e-6)


def test_teams_are_told_apart_by_their_results():
    pizza = load_game("robots-ate-our-pizza", players=3)
    agents = ["uniform", "greedy:style=own", "greedy"]
    games = run_tournament(pizza, agents, deals=50, seed=1, schedule="cross", serial=True)
    answer = rate_teams(as_run(pizza, agents, games), [(2, 0), (1, 0)], 1, 500)
    totals = games.groupby(["lineup", "deal", "rotation"], observed=True).points.sum()
    for place, agent in enumerate(agents):
        alone = totals[" ".join([agent] * 3)]
        assert answer.rated[place].value == pytest.approx(alone.mean())
        assert answer.rated[place].high - answer.rated[place].value == pytest.approx(2.0096 * alone.sem(), rel=1e-3)
        lost = answer.rated[place].slices_lost
        assert 0 <= lost.mean <= 3
    mixed = [totals[f"{a} {b} {a}"].groupby("deal").mean() for a, b in ((agents[0], agents[2]), (agents[2], agents[0]))]
    assert answer.matrix[0, 2].mean == pytest.approx((mixed[0].mean() + mixed[1].mean()) / 2)
    assert all(pair.p_adjusted < 0.01 for pair in [*answer.pairs, *answer.planned])


def test_the_command_prints_ratings_and_the_matrix(run, folder):  # noqa: F811
    code, out, _ = run("ratings", folder, "--anchor", "greedy", "--planned", "greedy vs uniform")
    assert code == 0
    for words in ("ratings, greedy = 0", "head to head", "all pairs (max-T)", "planned comparisons (p by Holm)"):
        assert words in out
    code, out, _ = run("ratings", folder, "--json")
    answer = json.loads(out)
    assert answer["anchor"] == "uniform"
    assert answer["command"].startswith("pizzabots tournament robot-master --players 2 --schedule round-robin ")
    assert {(each["agent"], each["other"]) for each in answer["matrix"]} >= {("uniform", "greedy")}
    assert answer["pairs"][0]["first"] == "uniform"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--anchor", "nobody"], "the run has no agent 'nobody'; its agents: uniform, greedy:style=hoarder, greedy"),
        (["--planned", "greedy uniform"], "a planned comparison is written 'A vs B', not 'greedy uniform'"),
        (["--planned", "greedy vs nobody"], "the run has no agent 'nobody'"),
    ],
)
def test_a_mistake_gets_one_sentence(run, folder, words, sentence):  # noqa: F811
    code, out, err = run("ratings", folder, *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_folder_that_cannot_be_rated_is_refused(run, setup, tmp_path):  # noqa: F811
    assert "is no run: it has no readable config.json" in run("ratings", tmp_path)[2]
    run_tournament(setup, ["uniform"], deals=5, serial=True, out=tmp_path / "one")
    assert "has only one agent, uniform; ratings compare several" in run("ratings", tmp_path / "one")[2]
    run_tournament(setup, AGENTS, deals=5, serial=True, keep="summary", out=tmp_path / "sums")
    assert "kept only its summary, no rows" in run("ratings", tmp_path / "sums")[2]
    pizza = load_game("robots-ate-our-pizza", players=2)
    agents = ["uniform", f"{own.__name__}:First"]
    run_tournament(pizza, agents, deals=5, serial=True, out=tmp_path / "pizza")
    assert "so --anchor means nothing" in run("ratings", tmp_path / "pizza", "--anchor", "uniform")[2]
    run_tournament(pizza, agents, deals=5, schedule="gauntlet", serial=True, out=tmp_path / "gauntlet")
    assert "no team of copies of uniform; the schedules self and cross" in run("ratings", tmp_path / "gauntlet")[2]
