"""Slices of pizza: the printed table, files of tables, sessions of four tasks and their grades."""

import numpy as np
import pytest

from engine.contract import apply_action, is_terminal, returns, score
from engine.games.robots_ate_our_pizza import notation, slices
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robots_ate_our_pizza.playing import (
    CUTS_BY_GOAL,
    EVERY_NUMBER_OF_PLAYERS,
    EVERY_TASK,
    UNIFORM,
    load,
    play_many,
    words,
    write_tables,
)
from tests.naive.robots_ate_our_pizza import TASK_1_CARD, Draft, slices_lost_in_task_1

TOPPING_MODES = ("base", "cheese", "pepperoni", "veggies", "anchovies", "deepdish")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return write_tables(tmp_path_factory.mktemp("slices") / "all.toml")


def slices_lost(setup, result: int) -> int:
    return int(slices.slices_lost(setup)[result - setup.ranges.total[0]])


# The printed table.


def test_33_at_four_players_loses_2():
    assert slices_lost(load(4), 33) == 2


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_task_1_at_every_total(players):
    setup = load(players)
    for total in range(setup.ranges.total[1] + 1):
        assert slices_lost(setup, total) == slices_lost_in_task_1(total, players)


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_edges_of_the_printed_ranges(players):
    enough, *ranges = TASK_1_CARD[players]
    setup = load(players)
    assert slices_lost(setup, enough) == 0
    for lost, (least, most) in enumerate(ranges, start=1):
        assert (slices_lost(setup, least), slices_lost(setup, most)) == (lost, lost)


def test_other_tasks_have_tables_of_ours():
    cuts = slices.read_tables(slices.TUNED)
    for task in EVERY_TASK[1:]:
        setup = load(3, task=task)
        for lost, cut in enumerate(cuts[task, 3]):
            worse = cut - 1 if task % 2 else cut + 1
            assert (slices_lost(setup, cut), slices_lost(setup, worse)) == (lost, lost + 1)


def test_it_is_said_whose_tables_they_are(tables, tmp_path):
    part = tmp_path / "part.toml"
    part.write_text("[task.2]\n4 = [-8, 0, 8]\n")
    assert slices.slices_source(load(4)) == "the rulebook's table"
    assert slices.slices_source(load(4, task=2)) == "tables of ours (the rulebook prints Task 1 only)"
    assert slices.slices_source(load(4, mode="base")) == "tables of ours (the rulebook prints Task 1 only)"
    assert slices.slices_source(load(4, mode="combo", tables=tables)) == f"the tables of {tables}"
    assert slices.slices_source(load(4, mode="base", tables=str(part))) == f"the tables of {part}, where it has one"


# Files of tables.


def test_a_file_gives_tables_and_goes_before_the_printed_one(tables, tmp_path):
    for task in EVERY_TASK:
        setup = load(4, task=task, tables=tables)
        cuts = CUTS_BY_GOAL[(task - 1) % 4]
        for lost, cut in enumerate(cuts):
            worse = cut - 1 if task % 2 else cut + 1
            assert (slices_lost(setup, cut), slices_lost(setup, worse)) == (lost, lost + 1)
    part = tmp_path / "part.toml"
    part.write_text("[task.2]\n4 = [-8, 0, 8]\n")
    assert slices_lost(load(4, tables=str(part)), 33) == 2
    assert slices_lost(load(4, task=2, tables=str(part)), 1) == 2
    ours = slices.slices_lost(load(3, task=2))
    assert slices.slices_lost(load(3, task=2, tables=str(part))).tolist() == ours.tolist()


def test_the_last_range_is_anything_worse(tables):
    setup = load(4, task=5, tables=tables)
    assert slices_lost(setup, setup.ranges.total[0]) == 3


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("task = [", "is not TOML"),
        ("", r"wants \[task.T\] sections"),
        ("task = 3", r"wants \[task.T\] sections"),
        ("[task.25]\n4 = [3, 2, 1]", "'25' as a task; allowed: 1 to 24"),
        ("[task.one]\n4 = [3, 2, 1]", "'one' as a task; allowed: 1 to 24"),
        ("[task]\n1 = 5", r"wants lines `P = \[a, b, c\]` in task 1"),
        ("[task.1]\n7 = [3, 2, 1]", "'7' as players in task 1; allowed: 2 to 6"),
        ("[task.1]\n4 = [3, 2]", "wants 3 whole numbers"),
        ("[task.1]\n4 = 3", "wants 3 whole numbers"),
        ("[task.1]\n4 = [3, 2, 1.5]", "wants 3 whole numbers"),
        ("[task.1]\n4 = [3, 2, true]", "wants 3 whole numbers"),
        ("[task.1]\n4 = [300, 2, 1]", "wants 3 whole numbers from -127 to 127"),
        ("[task.1]\n4 = [1, 2, 3]", "'highest total' descend"),
        ("[task.1]\n4 = [3, 3, 1]", "'highest total' descend"),
        ("[task.4]\n4 = [3, 2, 1]", "'lowest difference' ascend"),
    ],
)
def test_malformed_files(content, complaint, tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(content)
    with pytest.raises(ValueError, match=complaint) as caught:
        load(4, tables=str(file))
    assert "\n" not in str(caught.value)
    assert "wrong.toml" in str(caught.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        load(4, tables=str(tmp_path / "missing.toml"))
    with pytest.raises(ValueError, match="cannot be read"):
        load(4, tables=str(tmp_path))
    file = tmp_path / "latin.toml"
    file.write_bytes(b"# \xff")
    with pytest.raises(ValueError, match="is not TOML"):
        load(4, tables=str(file))


# Sessions.


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
@pytest.mark.parametrize("mode", [*TOPPING_MODES, "combo"])
def test_every_session_can_be_played_without_a_file(mode, players):
    setup = load(players, mode=mode)
    points, _ = play_many(setup, UNIFORM, 20)
    assert ((points >= -4) & (points <= 8)).all()


@pytest.mark.parametrize(("place", "mode"), list(enumerate(TOPPING_MODES)))
def test_a_topping_is_four_tasks_in_order(place, mode, tables):
    setup = load(3, mode=mode, tables=tables)
    played = []
    for state in states_of_random_game(setup, 0):
        if not played or played[-1] != state.task:
            played.append(int(state.task))
    assert played == [4 * place + 1, 4 * place + 2, 4 * place + 3, 4 * place + 4]


def test_combo_draws_four_different_tasks_uniformly(tables):
    setup = load(2, mode="combo", tables=tables)
    drawn = np.array([setup.new_game(1, number).tasks for number in range(3_000)])
    assert all(len(set(tasks)) == 4 for tasks in drawn.tolist())
    for leg in range(4):
        counts = np.bincount(drawn[:, leg], minlength=25)[1:]
        chi_square = ((counts - 125) ** 2 / 125).sum()
        assert chi_square < 49.7, "23 degrees of freedom: once in a thousand"


def test_combo_may_repeat_tasks_where_asked(tables):
    setup = load(2, mode="combo", tables=tables, with_replacement=True)
    drawn = [set(setup.new_game(1, number).tasks.tolist()) for number in range(2_000)]
    repeated = np.mean([len(tasks) < 4 for tasks in drawn])
    expected = 1 - 24 * 23 * 22 * 21 / 24**4
    assert abs(repeated - expected) < 4 * np.sqrt(expected * (1 - expected) / 2_000)


@pytest.mark.parametrize("rotate_dealer", [True, False])
def test_the_dealer_moves_left(rotate_dealer, tables):
    setup = load(5, mode="base", tables=tables, rotate_dealer=rotate_dealer)
    firsts = {int(state.leg): int(state.first_player) for state in states_of_random_game(setup, 3)}
    steps = 1 if rotate_dealer else 0
    assert [firsts[leg] for leg in range(4)] == [(firsts[0] + steps * leg) % 5 for leg in range(4)]


def lost_by_file(result: int, task: int) -> int:
    cuts = CUTS_BY_GOAL[(task - 1) % 4]
    return sum(result < cut if task % 2 else result > cut for cut in cuts)


@pytest.mark.parametrize("mode", ["base", "anchovies", "combo"])
@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_whole_sessions_against_the_naive_twin(players, mode, tables):
    setup = load(players, mode=mode, tables=tables)
    deals = set()
    for number in range(3):
        state = setup.new_game(seed=4, number=number)
        left, results = 8, []
        for leg in range(4):
            hands = [words(notation.hand_cards(state, seat)) for seat in range(players)]
            deals.add(str(hands))
            draft = Draft(hands, int(state.first_player), int(state.tasks[leg]))
            assert (state.task, state.leg, state.slices) == (draft.task, leg, left)
            while not draft.is_over:
                action = legal(state)[draft.turns % 2]
                draft.pick(notation.action_text(action))
                apply_action(state, action)
            results.append(draft.result())
            left -= lost_by_file(draft.result(), draft.task)
        assert is_terminal(state)
        assert state.results.tolist() == results
        points, utility = np.zeros(players, dtype=np.int64), np.zeros(players)
        score(state, points)
        returns(state, utility)
        assert points.tolist() == [left] * players
        assert utility == pytest.approx([(left + 4) / 12] * players)
        assert setup.game.total(setup, points[None]).tolist() == [left]
    assert len(deals) == 12, "every task has a deal of its own"


def hopeless_tables(path, tasks=range(1, 5)) -> str:
    cuts = ([127, 126, 125], [-127, -126, -125])
    lines = [f"[task.{task}]\n4 = {cuts[(task - 1) % 2]}" for task in tasks]
    path.write_text("\n".join(lines))
    return str(path)


def test_slices_go_down_to_minus_4(tmp_path):
    setup = load(4, mode="base", tables=hopeless_tables(tmp_path / "hopeless.toml"))
    *states, last = (copy_of(state) for state in states_of_random_game(setup, 0))
    assert sorted({int(state.slices) for state in [*states, last]}) == [-4, -1, 2, 5, 8]
    assert last.slices == -4 == setup.ranges.total[0]
    _, utility = play_many(setup, UNIFORM, 10)
    assert utility.tolist() == [0.0] * 10


def test_stop_at_zero_ends_a_session_early(tmp_path):
    setup = load(4, mode="base", tables=hopeless_tables(tmp_path / "hopeless.toml"), stop_at_zero=True)
    *_, last = states_of_random_game(setup, 0)
    assert (last.slices, last.leg) == (-1, 2)
    assert notation.explain_result(last).splitlines()[-1].startswith("-1 of 8 slices left: Go Buy Another Pizza!")
    assert len(notation.explain_result(last).splitlines()) == 4


def test_slices_lost_of_a_session_is_what_is_missing_of_8(tables):
    setup = load(4, mode="base", tables=tables)
    assert slices.slices_lost(setup).tolist() == list(range(12, -1, -1))


# Grades.


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        (8, "Awesome Teamwork!"),
        (5, "Awesome Teamwork!"),
        (4, "Pretty Good"),
        (3, "Pretty Good"),
        (2, "Guess you won't starve!"),
        (1, "Guess you won't starve!"),
        (0, "Happy, Stuffed Robots!"),
        (-1, "Go Buy Another Pizza!"),
        (-4, "Go Buy Another Pizza!"),
    ],
)
def test_grades(left, expected):
    assert slices.grade(left) == expected


@pytest.mark.parametrize(("success_at", "verdict"), [(-4, "a success"), (-3, "no success"), (1, "no success")])
def test_success_at(success_at, verdict, tmp_path):
    setup = load(4, mode="base", tables=hopeless_tables(tmp_path / "hopeless.toml"), success_at=success_at)
    *_, last = states_of_random_game(setup, 0)
    assert notation.explain_result(last).endswith(f"({verdict})")
