"""Studies of Robots Ate Our Pizza: every number that is drawn, found again by another way."""

import itertools
import json

import numpy as np
import pytest

from engine import load_game
from engine.games.robots_ate_our_pizza import notation
from experiments.charts import in_lines
from experiments.seat_advantage import seat_advantage
from experiments.studies import feature_values, first_picks_by_task, seat_effect, slices_by_players, thinking_time
from experiments.studies.feature_values import FEATURES, features_of, printed_points, within_regression
from experiments.tournament import run_tournament
from tests.experiments.test_cli import run  # noqa: F401

GAME = "robots-ate-our-pizza"


@pytest.fixture
def study(run, tmp_path):  # noqa: F811
    """Return a function that runs a study by the command line and gives what it found."""

    def call(name, *words):
        code, _, err = run("study", name, *words, "--out", tmp_path)
        assert code == 0, err
        for suffix in ("png", "svg"):
            assert (tmp_path / f"{name}.{suffix}").stat().st_size > 5000
        return json.loads((tmp_path / f"{name}.json").read_text())

    return call


def test_slices_are_those_of_the_games(study):
    facts = study("slices-by-players", "--agents", "uniform", "greedy", "--deals", 80, "--players", 3, "--seed", 4)
    setup = load_game(GAME, players=3)
    frame = run_tournament(setup, ["uniform", "greedy"], 80, 4, serial=True)
    lost = slices_by_players.lost_by_total(setup)
    assert [row["agent"] for row in facts["rows"]] == ["uniform", "greedy"]
    for row in facts["rows"]:
        totals = frame[frame.agent == row["agent"]].groupby("deal").points.sum()
        slices = np.array([lost[int(total)] for total in totals])
        assert [each["games"] for each in row["shares"]] == np.bincount(slices, minlength=4).tolist()
        assert row["mean_slices_lost"]["mean"] == pytest.approx(slices.mean())
        assert all(each["low"] <= each["share"] <= each["high"] for each in row["shares"])


def test_without_a_number_of_players_all_are_played(study):
    facts = study("slices-by-players", "--agents", "uniform", "--deals", 20)
    assert [row["players"] for row in facts["rows"]] == [2, 3, 4, 5, 6]


def test_pick_rates_count_each_card_where_it_was_offered():
    setup = load_game(GAME, players=3)
    offered = first_picks_by_task.hands_dealt(setup, 30, 9)
    by_hand = np.zeros(32, dtype=int)
    for deal in range(30):
        state = setup.new_game(9, deal)
        for seat in range(3):
            by_hand[notation.hand_cards(state, seat)] += 1
    assert offered.tolist() == by_hand.tolist()
    cells = first_picks_by_task.rates(np.array([3, *[0] * 31]), np.array([10, 0, 4, *[0] * 29]))
    assert [(cell["card"], cell["n_picked"], cell["n_offered"]) for cell in cells] == [("R1", 3, 10), ("R3", 0, 4)]
    assert cells[0]["rate"]["mean"] == 0.3
    assert cells[0]["p_of_even"] == pytest.approx(0.4295744)  # no pick or at least three, of ten
    assert cells[1]["p_of_even"] == pytest.approx(1.0)


def test_who_picks_at_random_has_no_preference_and_who_does_not_has(study):
    words = ("--agents", "uniform", "greedy", "--deals", 1500, "--option", "tasks=21")
    facts = study("first-picks-by-task", *words)
    assert facts["command"].endswith("--option tasks=21 --deals 1500 --seed 1")
    by_agent = {each["agent"]: each["cards"] for each in facts["maps"]}
    assert not any(cell["differs"] for cell in by_agent["uniform"])
    assert all(cell["n_offered"] == 1500 for cell in by_agent["uniform"])  # at 4 players every card is dealt
    assert sum(cell["n_picked"] for cell in by_agent["greedy"]) == 4 * 1500
    red = [cell for cell in by_agent["greedy"] if cell["card"][0] == "R"]
    assert all(cell["differs"] and cell["rate"]["high"] < 0.2 for cell in red)  # red counts against one in deep dish


@pytest.mark.parametrize("task", [1, 9, 13, 21])
@pytest.mark.parametrize("runs", ["per_choice", "per_block"])
def test_features_are_those_that_explain_a_hand(task, runs):
    setup = load_game(GAME, players=6, task=task, runs=runs)
    hands = list(itertools.combinations(range(32), 4))[:: 1 + 35960 // 150]
    masks = np.array([sum(1 << card for card in hand) for hand in hands], dtype=np.uint32)
    made, points = features_of(setup, masks)
    for hand, counts, worth in zip(hands, made, points, strict=True):
        explained = notation.explain(notation.cards_text(list(hand)), {"task": task, "runs": runs})
        assert worth.sum() == explained["points"]
        names = [each["name"] for each in explained["features"]]
        for feature, count in zip(FEATURES, counts.tolist(), strict=True):
            if feature.startswith("run"):
                runs_made = [{card[1] for card in name[4:].split("-")} for name in names if name.startswith("run")]
                assert count == sum(len(numbers) == int(feature[-1]) for numbers in runs_made)
            else:
                size, _, _, kind = feature.split()
                of_kind = [name for name in names if name.startswith(size)]
                assert count == sum(name.endswith("s") == (kind == "number") for name in of_kind)


def test_a_seats_own_points_are_worth_exactly_the_printed_points():
    """Regressed on its own points in place of the team's, every feature of Task 1 is worth what the rulebook says."""
    setup = load_game(GAME, players=2)
    generator = np.random.Generator(np.random.PCG64(5))
    hands = np.argsort(generator.random((40, 6, 2, 20)), axis=3)[..., :4] * 3 // 2
    made, points = features_of(setup, (1 << hands).sum(axis=3).astype(np.uint32))
    found = within_regression(made.astype(float), points.sum(axis=3).astype(float))
    for estimate, printed in zip(found, printed_points(), strict=True):
        if estimate.mean is not None:
            assert estimate.mean == pytest.approx(printed)
            assert estimate.half_width == pytest.approx(0.0, abs=1e-9)
    assert sum(estimate.mean is not None for estimate in found) >= 6


def test_the_regression_is_that_with_a_constant_for_each_deal_and_seat():
    """Held against least squares with dummies and a clustered sandwich written out in loops."""
    generator = np.random.Generator(np.random.PCG64(6))
    made = generator.integers(0, 3, size=(12, 4, 2, 3)).astype(float)
    made[..., 2] = np.arange(24).reshape(12, 1, 2)  # never varies within a deal and seat: nothing can be said of it
    luck = generator.normal(size=(12, 1, 2)) * 10
    results = made[..., 0] * 2.0 - made[..., 1] + luck + generator.normal(size=(12, 4, 2))
    found = within_regression(made, results)
    rows, y, deals = [], [], []
    for deal, play, seat in itertools.product(range(12), range(4), range(2)):
        dummies = np.zeros(24)
        dummies[2 * deal + seat] = 1.0
        rows.append([*made[deal, play, seat, :2], *dummies])
        y.append(results[deal, play, seat])
        deals.append(deal)
    x, y = np.array(rows), np.array(y)
    slopes = np.linalg.lstsq(x, y, rcond=None)[0]
    bread = np.linalg.inv(x.T @ x)
    meat = np.zeros_like(bread)
    for deal in range(12):
        inside = np.array(deals) == deal
        score = x[inside].T @ (y - x @ slopes)[inside]
        meat += np.outer(score, score)
    errors = np.sqrt(np.diag(bread @ meat @ bread) * 12 / 11)
    for column in range(2):
        assert found[column].mean == pytest.approx(slopes[column])
        assert found[column].half_width == pytest.approx(2.2009851 * errors[column])  # t of 11 degrees of freedom
    assert found[2].mean is None


def test_columns_that_cannot_be_told_apart_get_no_estimate():
    generator = np.random.Generator(np.random.PCG64(7))
    made = generator.normal(size=(10, 3, 2, 3))
    made[..., 2] = 4.0 - 2.0 * made[..., 0]
    results = made[..., 1] * 3.0 + generator.normal(size=(10, 3, 2))
    found = within_regression(made, results)
    assert [each.mean is None for each in found] == [True, False, True]
    alone = within_regression(made[..., :2], results)[1]
    assert (found[1].mean, found[1].low) == (pytest.approx(alone.mean), pytest.approx(alone.low))


def test_features_add_up_and_say_what_they_are_worth(study):
    words = ("--agents", "uniform", "greedy:style=own", "--deals", 60, "--players", 2, "--option", "replays=3")
    facts = study("feature-values", *words)
    frame = run_tournament(load_game(GAME, players=2), ["uniform"], 60, serial=True)
    uniform = facts["rows"][0]["features"]
    assert [each["feature"] for each in uniform] == list(FEATURES)
    brought = sum(each["points"]["mean"] for each in uniform)
    assert brought == pytest.approx(frame.points.mean(), abs=1.0)  # of the first of three plays of each deal
    pair = uniform[0]
    assert pair["points"]["mean"] == pytest.approx(2 * pair["made"]["mean"])
    assert pair["worth"]["low"] < 2 < pair["worth"]["high"]  # at random nobody is left without


def test_a_search_is_asked_with_every_number_of_iterations():
    assert thinking_time.thinks("mcts:c=1")
    assert not thinking_time.thinks("mcts:iterations=5")
    assert not thinking_time.thinks("greedy")
    assert thinking_time.with_iterations("mcts:c=1,rollout=greedy", [2, 30]) == [
        "mcts:iterations=2,c=1,rollout=greedy",
        "mcts:iterations=30,c=1,rollout=greedy",
    ]


def test_thinking_stays_below_the_ceiling_deal_by_deal(study):
    words = (
        "--agents",
        "mcts:rollout=greedy",
        "greedy",
        "uniform",
        "--deals",
        25,
        "--players",
        2,
        "--option",
        "iterations=1,60",
    )
    facts = study("thinking-time", *words)
    greedy, uniform = facts["lines"]
    once, often = facts["curves"][0]["points"]
    for line in (greedy, uniform, once, often):
        gap = facts["ceiling"]["mean"] - line["total"]["mean"]
        assert line["missed"]["mean"] == pytest.approx(gap)
        assert gap >= 0
    lowest = min((greedy, uniform, once, often), key=lambda line: line["total"]["mean"])
    assert (lowest["way"]["mean"], lowest["way"]["high"]) == (0.0, 0.0)
    (step,) = facts["curves"][0]["steps"]
    assert step["gain"]["mean"] == pytest.approx(often["total"]["mean"] - once["total"]["mean"])
    assert step["gain"]["low"] > 0
    assert greedy["missed"]["high"] - greedy["missed"]["low"] < greedy["total"]["high"] - greedy["total"]["low"]


def test_seats_are_those_of_seat_advantage(study):
    facts = study("seat-effect", "--agents", "uniform", "greedy", "--deals", 60, "--players", 3)
    answer = seat_advantage(load_game(GAME, players=3), "greedy", 60, 1).tables[-1]
    row = facts["rows"][1]
    assert (row["by"], row["p_any"]) == ("turn", pytest.approx(answer.p_any))
    assert [turn["mean"] for turn in row["turns"]] == [chair.effect.mean for chair in answer.chairs]
    assert sum(turn["mean"] for turn in row["turns"]) == pytest.approx(0.0, abs=1e-9)
    assert row["p_any_adjusted"] >= row["p_any"]


def test_the_command_makes_the_same_study_again(run, tmp_path):  # noqa: F811
    words = ("seat-effect", "--agents", "uniform", "--deals", "30", "--players", "2", "--option", "task=3")
    assert run("study", *words, "--out", tmp_path / "one")[0] == 0
    command = json.loads((tmp_path / "one" / "seat-effect.json").read_text())["command"]
    assert command == "pizzabots study seat-effect --agents uniform --players 2 --option task=3 --deals 30 --seed 1"
    assert run(*command.split()[1:], "--out", tmp_path / "two")[0] == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_long_names_are_broken_after_commas_and_colons():
    assert in_lines("greedy") == "greedy"
    assert in_lines("mcts:iterations=100,c=1,rollout=greedy", 20) == "mcts:iterations=100,\nc=1,rollout=greedy"


def test_studies_are_listed_with_their_options(run):  # noqa: F811
    code, out, _ = run("study")
    assert code == 0
    for each in (first_picks_by_task, seat_effect, slices_by_players, thinking_time, feature_values):
        assert f"{each.STUDY.name}" in out
    assert "seat-effect --option task=1   robots-ate-our-pizza: points by turn" in out
    listed = {each["study"]: each for each in json.loads(run("study", "--json")[1])}
    assert listed["thinking-time"]["options"]["task"] == "1"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["pizza-weather"], "there is no study 'pizza-weather'; the studies: "),
        (["seat-effect", "--option", "weather=1"], "the study seat-effect has no option 'weather'; its options: task"),
        (["slices-by-players", "--option", "task=2"], "has no option 'task'; its options: none"),
        (["seat-effect", "--option", "task=25"], "task are numbers from 1 to 24 by commas, or all, not '25'"),
        (["seat-effect", "--deals", "0"], "deals is a whole number from 1"),
        (["first-picks-by-task", "--option", "tasks=pizza"], "tasks are numbers from 1 to 24"),
        (["thinking-time", "--option", "task=2"], "thinking-time draws a highest total (task 1, 5, 9 …), not task 2"),
        (["thinking-time", "--option", "iterations=0"], "iterations are numbers from 1 to"),
        (["feature-values", "--option", "task=17"], "in tasks of a total without anchovies, not in 17"),
        (["feature-values", "--option", "task=3"], "in tasks of a total without anchovies, not in 3"),
        (["feature-values", "--option", "replays=1"], "replays are numbers from 2 to"),
        (["feature-values", "--deals", "1"], "feature-values wants at least 2 deals, not 1"),
        (["slices-by-players", "--players", "7"], "the number of players of robots-ate-our-pizza is 2 to 6, not 7"),
        (["slices-by-players", "--agents", "nobody"], "there is no agent 'nobody'"),
    ],
)
def test_a_mistake_gets_one_sentence(run, tmp_path, words, sentence):  # noqa: F811
    code, out, err = run("study", *words, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
