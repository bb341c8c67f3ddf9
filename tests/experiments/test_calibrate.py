"""Calibration: files of real groups, the nearest mixture, its intervals, and the cuts that follow."""

import json

import numpy as np
import pytest
from scipy import stats

from engine import load_game
from experiments.calibrate import Fitter, Playtests, Simulated, Wanted, calibrate, draw_groups, read_playtests, simulate
from experiments.cluster import Place
from experiments.thresholds import Distribution, PlayedGames, tune
from tests.experiments.test_cli import run  # noqa: F401

AGENTS = ("uniform", "greedy:style=own", "greedy:style=team")
KINDS = ((2, 2), (3, 1))  # players, task: lowest and highest total
TRUE = np.array([0.2, 0.5, 0.3])


@pytest.fixture(scope="module")
def simulated():
    return simulate(KINDS, AGENTS, 2000, 9, Place(serial=True))


def groups(simulated, weights, n_of_kind, seed=4):
    """Draw real groups from a mixture."""
    functions = [simulated.cumulative(kind) @ weights for kind in KINDS]
    counts = draw_groups(functions, n_of_kind, 1, seed)[0].astype(np.int64)
    split = len(functions[0])
    parts = zip(KINDS, (counts[:split], counts[split:]), strict=True)
    return Playtests({kind: np.repeat(simulated.results(kind), part) for kind, part in parts})


def quick(**changes):
    return Wanted(AGENTS, **({"deals": 2000, "n_replicates": 40, "seed": 9} | changes))


def test_the_distance_is_the_mean_difference_of_quantiles(simulated):
    playtests = groups(simulated, TRUE, (13, 21))
    answer = calibrate(playtests, quick())
    distance, alone = 0.0, 0.0
    for kind, totals in playtests.groups.items():
        results = simulated.results(kind)
        chances = simulated.chances(kind)
        weights = np.array([each.weight.mean for each in answer.weights])
        part = len(totals) / playtests.n_groups
        distance += part * stats.wasserstein_distance(results, totals, chances @ weights)
        alone += part * stats.wasserstein_distance(results, totals, chances[:, 2])
    assert answer.distance.mean == pytest.approx(distance)
    assert answer.alone[AGENTS[2]] == pytest.approx(alone)
    assert answer.distance.mean <= min(answer.alone.values())


def test_no_other_mixture_is_nearer(simulated):
    playtests = groups(simulated, TRUE, (40, 40))
    fitter = Fitter(simulated, KINDS)
    reals = []
    for kind in KINDS:
        results = simulated.results(kind)
        reals.append(np.bincount(playtests.groups[kind] - results[0], minlength=len(results)))
    weights, distance = fitter.fit(np.concatenate(reals))
    assert weights.sum() == pytest.approx(1.0)

    def distance_of(mixture):
        apart = [np.abs(simulated.cumulative(kind) @ mixture - np.cumsum(real) / real.sum()).sum()
                 for kind, real in zip(KINDS, reals, strict=True)]  # fmt: skip
        return np.mean(apart)

    assert distance == pytest.approx(distance_of(weights))
    steps = np.linspace(0, 1, 21)
    mixtures = [np.array([a, b, 1 - a - b]) for a in steps for b in steps if a + b <= 1]
    assert distance <= min(distance_of(each) for each in mixtures) + 1e-9


def test_groups_drawn_from_a_mixture_give_its_weights_back(simulated):
    n_inside = 0
    for seed in range(3):
        answer = calibrate(groups(simulated, TRUE, (80, 80), seed), quick())
        for weight, true in zip(answer.weights, TRUE, strict=True):
            assert weight.weight.mean == pytest.approx(true, abs=0.2)
            n_inside += weight.weight.low <= true <= weight.weight.high
        assert answer.p_fit > 0.01
    assert n_inside >= 7  # of 9, each with a chance of about 95 %
    assert answer.n_groups == 160


def test_many_groups_of_one_agent_are_that_agent(simulated):
    answer = calibrate(groups(simulated, np.array([0.0, 0.0, 1.0]), (400, 400)), quick(n_replicates=20))
    assert answer.weights[2].weight.mean > 0.9
    assert answer.distance.mean == pytest.approx(answer.expected_distance, rel=0.6)


def test_people_who_play_like_nobody_do_not_fit(simulated):
    """All groups alike: no mixture has so little scatter."""
    answer = calibrate(Playtests({(3, 1): np.full(40, 24)}), quick())
    assert answer.p_fit < 0.05
    assert answer.distance.mean > 3 * answer.expected_distance


def test_cuts_are_those_of_the_agent_where_it_is_alone():
    """One agent alone is the mixture, so the cuts are those that thresholds finds."""
    playtests = Playtests({(3, 1): np.array([20, 24, 28, 31, 35])})
    wanted = Wanted(AGENTS[2:], tasks=(1, 2), chances="rulebook", deals=2000, n_replicates=20, seed=9)
    answer = calibrate(playtests, wanted)
    assert [(table.players, table.task) for table in answer.tables] == [(3, 1), (3, 2)]
    for table in answer.tables:
        twin = tune(PlayedGames(AGENTS[2:], 2000, 9), table.task, 3)
        assert [each.cut for each in table.cuts] == list(twin.cuts)
        assert all(each.low == each.high == each.cut.result for each in table.cuts)
        assert [each.mean for each in table.under_printed] == [each.mean for each in twin.under_printed]


def test_a_mixture_counts_its_agents_by_their_weights():
    parts = Distribution(("a", "b"), np.array([3, 2, 1]), np.array([[10, 0, 0], [0, 0, 10]]))
    both = Simulated(("a", "b"), {(2, 1): parts})
    assert both.mixed((2, 1), np.array([0.3, 0.7])).shares() == pytest.approx([0.3, 0.0, 0.7])
    assert both.cumulative((2, 1)).tolist() == [[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]]


def test_a_file_is_read_by_its_heading(tmp_path):
    path = tmp_path / "playtests.csv"
    path.write_text("Task, players, TOTAL\n1,4,31\n\n2,3,12\n1,4,29\n1, 4 ,40\n2,3,9\n")
    found = read_playtests(path, None, None).groups
    assert {kind: totals.tolist() for kind, totals in found.items()} == {(3, 2): [12, 9], (4, 1): [31, 29, 40]}
    path.write_text("total\n" + "20\n" * 5)
    assert set(read_playtests(path, 2, 5).groups) == {(2, 5)}
    assert set(read_playtests(path, None, None).groups) == {(4, 1)}


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("", [], "the first line names the columns total and, if you like, players and task, each once; not nothing"),
        ("points\n1\n", [], "each once; not points"),
        ("total,total\n1,2\n", [], "each once; not total, total"),
        ("total\n31\nmany\n", [], "line 3: total is a whole number, not 'many'"),
        ("total\n31\n\n3.5\n", [], "line 4: total is a whole number, not '3.5'"),
        ("total\n31\n999\n", [], "line 3: the total of task 1 with 4 players is 0 to "),
        ("total,players\n31,4\n31\n", [], "line 3: 2 values are wanted, as in the first line"),
        ("total,players\n31,4\n31,4,5\n", [], "line 3: 2 values are wanted, as in the first line"),
        ("total,players\n31,9\n", [], "line 2: the number of players of robots-ate-our-pizza is 2 to 6, not 9"),
        ("total,task\n31,25\n", [], "line 2: option task of robots-ate-our-pizza is 1 to 24, not '25'"),
        ("total\n31\n", [], "a calibration wants at least 5 groups, not 1"),
        ("total,task\n31,1\n", ["--task", "2"], "has a column task, so --task may not be given"),
        ("total\n" + "31\n" * 5, ["--replicates", "3"], "replicates is a whole number from 20 to 100,000, not 3"),
        (
            "total\n" + "31\n" * 5,
            ["--chances", "1,2"],
            "chances are rulebook, even, awesome, starving, or four",
        ),
        ("total\n" + "31\n" * 5, ["--tasks", "0"], "tasks are numbers from 1 to 24"),
        (None, [], "cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_gets_one_sentence(run, tmp_path, text, words, sentence):  # noqa: F811
    path = tmp_path / "playtests.csv"
    if text is not None:
        path.write_text(text)
    code, out, err = run("calibrate", path, *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_the_command_prints_the_mixture_and_the_cuts(run, tmp_path, simulated):  # noqa: F811
    path = tmp_path / "playtests.csv"
    totals = groups(simulated, TRUE, (0, 30)).groups[3, 1]
    path.write_text("total\n" + "\n".join(map(str, totals)) + "\n")
    words = ("calibrate", path, "--agents", *AGENTS, "--players", 3, "--deals", 500, "--replicates", 20)
    code, out, _ = run(*words, "--out", tmp_path)
    assert code == 0
    facts = json.loads((tmp_path / "calibration.json").read_text())
    (kind,) = facts["kinds"]
    shown = np.array(kind["results"])
    assert kind["real"] == [float((totals <= result).mean()) for result in shown]
    mixture = sum(each["weight"]["mean"] * np.array(kind["agents"][each["agent"]]) for each in facts["weights"])
    assert kind["mixture"] == pytest.approx(mixture.tolist())
    assert (tmp_path / "calibration.png").read_bytes().startswith(b"\x89PNG")
    for piece in (
        "30 real groups: the nearest mixture",
        "task 1, 3 players: cuts for these people",
        "under the printed",
    ):
        assert piece in out
    code, out, _ = run(*words, "--json")
    answer = json.loads(out)
    assert sum(each["weight"]["mean"] for each in answer["weights"]) == pytest.approx(1.0)
    assert len(answer["tables"][0]["cuts"]) == 3
    least, most = load_game("robots-ate-our-pizza", players=3).ranges.total
    assert all(least <= each["low"] <= each["high"] <= most for each in answer["tables"][0]["cuts"])
