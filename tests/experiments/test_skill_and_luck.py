"""Skill and luck: the parts are the covariances that they are said to be, and known ones are found."""

import itertools
import json

import numpy as np
import pytest

from engine import load_game
from experiments.studies.skill_and_luck import (
    PARTS,
    Results,
    _higher_total,
    _larger_share,
    answer_of,
    moments,
    parts_of,
)
from tests.experiments.test_cli import run  # noqa: F401

GAME = "robots-ate-our-pizza"


def parts(values):
    """The four parts of the variance of some results (deals, line-ups, plays)."""
    return dict(
        zip(
            PARTS,
            parts_of(moments(values).sum(axis=0, keepdims=True), len(values), values.shape[1])[0].tolist(),
            strict=True,
        )
    )


def test_parts_are_means_over_pairs_of_results():
    """A slow twin: every pair of results is put into its class, and covariances are differences of their products."""
    values = np.random.Generator(np.random.PCG64(1)).normal(size=(5, 3, 2)) + 2.0
    products = {}
    places = list(itertools.product(range(5), range(3), range(2)))
    for one, other in itertools.product(places, repeat=2):
        kind = tuple(a == b for a, b in zip(one, other, strict=True))
        products.setdefault(kind, []).append(values[one] * values[other])
    same = {kind: np.mean(products[kind]) for kind in products}
    different_plays = (False, False, False), (False, False, True)
    apart = np.mean([*products[different_plays[0]], *products[different_plays[1]]])
    line_up = np.mean([*products[False, True, False], *products[False, True, True]])
    deal = np.mean([*products[True, False, False], *products[True, False, True]])
    any_line_up = apart * 2 / 3 + line_up / 3
    found = parts(values)
    assert found["skill"] == pytest.approx(line_up - any_line_up)
    assert found["deal"] == pytest.approx(deal - apart)
    assert found["dice"] == pytest.approx(same[True, True, True] - same[True, True, False])
    assert sum(found.values()) == pytest.approx((values**2).mean() - any_line_up)


def test_known_parts_are_found():
    generator = np.random.Generator(np.random.PCG64(2))
    skill = np.array([-3.0, -1.0, 1.0, 3.0])[None, :, None]  # variance 5
    deal = 2.0 * generator.normal(size=(20_000, 1, 1))
    both = generator.normal(size=(20_000, 4, 1))
    dice = 1.5 * generator.normal(size=(20_000, 4, 2))
    found = parts(10 + skill + deal + both + dice)
    assert found["skill"] == pytest.approx(5.0, rel=0.01)
    assert found["deal"] == pytest.approx(4.0, rel=0.05)
    assert found["both"] == pytest.approx(1.0, rel=0.05)
    assert found["dice"] == pytest.approx(2.25, rel=0.05)


def test_small_samples_are_unbiased():
    """Of equals the part of skill is 0 on average, though the means of a few deals always differ."""
    generator = np.random.Generator(np.random.PCG64(3))
    found = [parts(generator.normal(size=(6, 4, 2))) for _ in range(4000)]
    for part, truth in (("skill", 0.0), ("deal", 0.0), ("both", 0.0), ("dice", 1.0)):
        each = np.array([one[part] for one in found])
        assert abs(each.mean() - truth) < 4 * each.std() / np.sqrt(4000)


def results_of(values, cooperative=True):
    """Results with made-up values of two agents."""
    setup = load_game(GAME if cooperative else "robot-master", players=2)
    line_ups = ((0, 0), (1, 1)) if cooperative else tuple(itertools.product(range(2), range(2)))
    return Results(setup, ("weak", "strong"), line_ups, values)


def test_intervals_hold_the_estimate_and_equals_are_read_off_their_plays():
    generator = np.random.Generator(np.random.PCG64(4))
    values = np.repeat(generator.normal(size=(300, 2, 1)), 2, axis=2)
    values[:, 0] = generator.normal(size=(300, 2))  # the first agent plays at random, the second always alike
    answer = answer_of(results_of(values), 1)
    weak, strong = answer["equals"]
    assert weak["low"] < 0 < weak["high"]
    assert (strong["mean"], strong["low"], strong["high"]) == pytest.approx((1.0, 1.0, 1.0))
    assert sum(part["mean"] for part in answer["parts"].values()) == pytest.approx(1.0)
    for part in answer["parts"].values():
        assert part["low"] <= part["mean"] <= part["high"]


def test_better_is_the_share_of_pairs_that_one_wins():
    generator = np.random.Generator(np.random.PCG64(5))
    mine, theirs = generator.integers(2, 8, size=(40, 2)), generator.integers(0, 6, size=(40, 2))
    pairs = [(a > b) + (a == b) / 2 for a in mine.ravel() for b in theirs.ravel()]
    found = _higher_total(mine.astype(float), theirs.astype(float), 1)
    assert found["mean"] == pytest.approx(np.mean(pairs))
    assert 0.5 < found["low"] < found["mean"] < found["high"] < 1.0


def test_a_larger_share_counts_both_seatings():
    values = np.zeros((50, 4, 2))
    values[:, 2] = 0.9  # the strong one in seat 0 against the weak one
    values[:, 1] = 0.3  # the weak one in seat 0 against the strong one
    found = _larger_share(results_of(values, cooperative=False), 1, 0, 1)
    assert found["mean"] == pytest.approx((0.9 + 0.7) / 2)


def test_a_game_is_taken_apart(run, tmp_path):  # noqa: F811
    words = ("--agents", "uniform", "greedy", "--deals", 150, "--players", 2, "--option", f"games={GAME}")
    code, _, err = run("study", "skill-and-luck", *words, "--out", tmp_path)
    assert code == 0, err
    (row,) = json.loads((tmp_path / "skill-and-luck.json").read_text())["rows"]
    assert (row["game"], row["n_games"], row["result"]) == (GAME, 150 * 2 * 2, "team total")
    means = {each["seat_0"]: each["mean"] for each in row["means"]}
    assert means["uniform"] == pytest.approx(12.83, abs=1.5)  # as the README has it
    assert means["greedy"] == pytest.approx(19.82, abs=1.5)
    assert 0.2 < row["parts"]["skill"]["mean"] < 0.7
    uniform, greedy = row["equals"]
    assert uniform["mean"] < greedy["low"]
    assert row["better"][0]["low"] > 0.75


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--option", "games=chess"], "there is no game 'chess'"),
        (["--agents", "uniform"], "skill and luck want at least 2 deals and 2 agents"),
        (["--deals", "1"], "skill and luck want at least 2 deals and 2 agents"),
        (["--option", f"games={GAME}", "--agents", "uniform", "nobody"], "there is no agent 'nobody'"),
    ],
)
def test_a_mistake_gets_one_sentence(run, tmp_path, words, sentence):  # noqa: F811
    code, out, err = run("study", "skill-and-luck", *words, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert sentence in err.splitlines()[-1]
