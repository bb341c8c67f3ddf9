"""The report on card sets and the search for better ones."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest

from engine.games.pizza_time import card_sets
from experiments import pizza_set
from experiments.tournament import Watcher
from tests.experiments.test_cli import run as run  # the fixture
from tests.games.pizza_time.playing import OTHER_CARDS, OTHER_SET
from tests.naive import pizza_time as naive


def blank_set():
    """Return our set without its halves."""
    ours = card_sets.read_card_set(card_sets.OURS)
    return replace(ours, faces=tuple(replace(face, halves=(-1,) * 4) for face in ours.faces))


def test_counts_against_the_twin():
    card_set, piles = pizza_set.load_set(str(OTHER_SET), "seams", "")
    counts = pizza_set.count(card_set, "seams", piles)
    shown = [
        tuple(naive.totals(OTHER_CARDS, laid).values()) for laid in naive.all_pizzas() if laid[0][0] == 1
    ]  # card 1 at the top left: one placement of each pizza
    totals = np.array(shown)
    assert counts.n_totals == len(set(shown))
    assert counts.orders.tolist() == [list(each) for each in itertools.product(*(sorted(set(pile)) for pile in piles))]
    assert counts.weights.sum() == pytest.approx(1)
    for place in range(0, len(counts.orders), 7):
        exact = (totals == counts.orders[place]).sum(axis=1)
        assert counts.solved[place].tolist() == [int((exact >= k).sum()) for k in range(5)]


def test_report_of_our_set():
    card_set, piles = pizza_set.load_set("", "seams", "")
    facts = pizza_set.report(pizza_set.count(card_set, "seams", piles), 3)
    assert (facts["orders"], facts["totals"]) == (256, 256)
    assert [line["share_of_orders"] for line in facts["by_types"]] == [1, 1, 1]
    assert [line["chance"] for line in facts["by_types"]] == pytest.approx([1, 1, 1])
    assert facts["by_types"][2]["solutions"] == {
        "min": 8,
        "median": 56,
        "max": 712,
        "mean_share": pytest.approx(1 / 256),
    }
    assert [each["solutions"] for each in facts["by_types"][2]["hardest"]] == [8, 8, 8]


def test_chance_weighs_orders_by_the_cards_of_the_piles():
    card_set, piles = pizza_set.load_set("", "sum", "1,1,1,1,1,2")
    counts = pizza_set.count(card_set, "sum", piles)
    line = pizza_set.report(counts, 0)["by_types"][2]
    assert (line["orders_filled"], line["share_of_orders"]) == (1, 1 / 16)  # 1 1 1 1 alone
    assert line["chance"] == pytest.approx((5 / 6) ** 4)


@pytest.mark.parametrize("seed", range(3))
def test_search_finds_a_set_that_fills_every_order(seed):
    _, piles = pizza_set.load_set("", "seams", "")
    steps = []
    watcher = Watcher(start=steps.append, advance=steps.append)
    found = pizza_set.search(blank_set(), "seams", piles, 4, 3400, seed, "halves", watcher)
    assert (pizza_set.count(found.card_set, "seams", piles).solved[:, 4] > 0).all()
    assert found.cost < 5 < found.first_cost
    assert sum(steps[1:]) <= steps[0] == 3400
    for card in range(4):
        front, back = found.card_set.faces[2 * card : 2 * card + 2]
        assert front.halves == back.halves
        assert (sum(front.whole), sum(back.whole)) == (1, 3)
    again = pizza_set.search(blank_set(), "seams", piles, 4, 3400, seed, "halves")
    assert again == found


def test_search_may_change_everything():
    _, piles = pizza_set.load_set("", "sum", "1,2,2,3,3,4")
    found = pizza_set.search(blank_set(), "sum", piles, 2, 400, 1, "all")
    assert found.cost < found.first_cost
    assert {face.halves for face in found.card_set.faces} == {(-1,) * 4}


def test_the_command_reports(run):
    code, out, _ = run("pizza-set")
    assert code == 0
    assert "our set: 256 orders, 256 different totals of 24,576 pizzas" in out
    assert "hardest on 4: 1 1 2 2 (8)" in out
    facts = json.loads(run("pizza-set", OTHER_SET, "--hardest", "2", "--json")[1])
    assert facts["by_types"][2]["share_of_orders"] < 1
    assert len(facts["by_types"][0]["hardest"]) == 2


def test_the_command_searches_and_does_not_overwrite_silently(run, tmp_path):
    out = tmp_path / "better.toml"
    words = ("pizza-set", OTHER_SET, "--search", "--steps", "300", "--seed", "3", "--out", out)
    code, printed, _ = run(*words, "--json")
    assert code == 0
    facts = json.loads(printed)
    assert facts["after"]["by_types"][2]["orders_filled"] > facts["before"]["by_types"][2]["orders_filled"]
    written = card_sets.read_card_set(out)
    assert written.piles == card_sets.read_card_set(OTHER_SET).piles
    assert out.read_text().startswith("# Found by pizzabots: pizza-set ")
    assert json.loads(run("pizza-set", out, "--json")[1]) == facts["after"]
    before = out.read_bytes()
    code, _, error = run(*words)
    assert (code, error) == (2, f"pizzabots: {str(out)!r} is there already; --overwrite writes over it\n")
    assert out.read_bytes() == before
    assert run(*words, "--overwrite")[0] == 0
    assert out.read_bytes() == before  # the same seed finds the same


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--geometry", "round"], "geometry is seams or sum, not 'round'"),
        (["--search"], "--search wants --out FILE for the set that it finds"),
        (["--search", "--change", "nothing", "--out", "x.toml"], "change is halves or all, not 'nothing'"),
        (["--search", "--steps", "5", "--out", "/nowhere/x.toml"], "5 steps found no set better than our set"),
        (["nowhere.toml"], "the card set 'nowhere.toml' cannot be read: No such file or directory"),
        (["--piles", "1"], "piles are 6 numbers from 0 to 15"),
    ],
)
def test_what_the_command_refuses(run, words, sentence):
    code, _, error = run("pizza-set", *words)
    assert code == 2
    assert sentence in error
