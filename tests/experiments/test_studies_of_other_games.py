"""Studies of Robot Master, Pizza Monsters, Pizza Time and Pizza Chef: what they count, and what they refuse."""

import json

import numpy as np
import pytest

from agents import make_player
from engine import load_game, tables
from engine.contract import apply_action, choose, current_player, determinize, is_terminal, workspace
from engine.games.pizza_time.rules import N_PIZZAS, N_PLACEMENTS, pizza_of
from engine.games.robot_master.lines import MULTISETS
from engine.rng import ANALYSIS, below, new_stream
from experiments.studies import Request, keep_or_put_back, line_scores, memory, monster_race, where_values_go
from experiments.studies import pizza_time_orders as orders
from experiments.summary import wilson
from tests.agents import own
from tests.experiments.test_cli import run as run  # the fixture
from tests.naive.robot_master import score_line

OWN = own.__name__
STUDIES = {
    "where-values-go": ("--agents", "uniform", "--deals", 8),
    "line-scores": ("--agents", "uniform", "--deals", 8),
    "keep-or-put-back": ("--agents", "greedy:style=racer", "--deals", 8),
    "monster-race": ("--agents", "greedy:style=racer", "--deals", 4, "--players", 4),
    "pizza-time-orders": ("--agents", "greedy:style=planner", "--deals", 2),
    "memory": ("--deals", 2, "--players", 3),
}


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_says_what_it_found_and_draws_it(run, tmp_path, name):
    code, out, _ = run("study", name, *STUDIES[name], "--seed", 5, "--out", tmp_path, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["command"].startswith(f"pizzabots study {name} --agents ")
    assert (facts["seed"], facts["deals"]) == (5, STUDIES[name][STUDIES[name].index("--deals") + 1])
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{name}.{ending}" for ending in ("json", "png", "svg")]
    assert out == (tmp_path / f"{name}.json").read_text()


def test_what_studies_refuse(run, tmp_path):
    for words, sentence in (
        (("where-values-go", "--agents", "uniform", "greedy"), "looks at one agent, not 2"),
        (("line-scores", "--players", 4), "1 or 2 players, not 4"),
        (("memory", "--agents", "uniform", "greedy"), "copies of one agent, not 2"),
        (("memory", "--agents", "greedy:style=perfect-memory"), "one of the memories that are measured"),
        (("pizza-time-orders", "--players", 3), "takes no number of players"),
        (("pizza-time-orders", "--agents", "greedy:style=gambler,weight=99", "--deals", 1), "a pizza that was wrong"),
        (("monster-race", "--players", 9), "the number of players of pizza-monsters is 2 to 8"),
        (("line-scores", "--agents", f"{OWN}:First"), "plain Python"),
    ):  # fmt: skip
        code, _, err = run("study", *words, "--out", tmp_path / "none")
        assert code == 2
        assert sentence in err
    assert not list((tmp_path / "none").glob("*"))


# Robot Master.


def test_a_square_is_summarized_cell_by_cell():
    values, turns = np.zeros((4, 25), dtype=np.int64), np.tile(np.arange(25), (4, 1))
    values[:, 7] = [0, 1, 5, 2]
    turns[:, 7] = [1, 8, 9, 24]
    cell = where_values_go.square_of("somebody", 1, values, turns).cells[7]
    assert (cell.row, cell.column) == (1, 2)
    assert (cell.value.mean, cell.turn.mean) == (2.0, 10.5)
    assert [phase.share for phase in cell.phases.values()] == [0.5, 0.25, 0.25]
    assert [phase.value.mean for phase in cell.phases.values()] == [0.5, 5.0, 2.0]
    assert (cell.phases["early"].low, cell.phases["early"].high) == wilson(0.5, 4)


def test_who_plays_at_random_favors_no_cell():
    """Any card is as likely in any cell: means of 2.5 everywhere, and each phase fills a third of the cells."""
    square = where_values_go.play_squares(load_game("robot-master"), "uniform", Request(("uniform",), 2, 800, 3))
    errors = [(cell.value.mean - 2.5) / (cell.value.half_width / 1.96) for cell in square.cells]
    assert max(map(abs, errors)) < 4
    for name in where_values_go.PHASES:
        assert sum(cell.phases[name].share for cell in square.cells) == pytest.approx(8)
    middle = square.cells[where_values_go.MIDDLE]
    assert middle.turn.mean == 0
    assert middle.phases["early"].share == 0


def test_lines_score_as_the_slow_twin_says():
    setup = load_game("robot-master")
    (player,) = line_scores.compiled_players(setup, ["uniform"], Request((), None, 1, 1).watcher)
    states = line_scores.finished_tables(setup, [player] * 2, range(30), 1)
    scores = line_scores.scores_of(states)
    for state, found in zip(states, scores.tolist(), strict=True):
        cells = (state["cells"].astype(int) - 1).reshape(5, 5)
        assert found == [score_line(line) for line in [*cells.tolist(), *cells.T.tolist()]]
        assert sorted(cells[0].tolist()) == list(MULTISETS[state["lines"][0]])


def test_a_spread_counts_who_reaches_how_much():
    spread = line_scores.Spread(2)
    spread.add(np.array([[0, 10], [4, 4], [10, 150]]))
    assert spread.mean().mean == pytest.approx(178 / 6)
    curve = spread.curve()
    assert [curve[points].mean for points in (0, 1, 5, 11, 150)] == pytest.approx([1, 5 / 6, 1 / 2, 1 / 6, 1 / 6])
    assert curve[0].n_blocks == 3


# Pizza Monsters.


def test_mutual_information_of_known_tables():
    assert keep_or_put_back.information(np.array([5, 10]), np.array([10, 20])) == pytest.approx(0)
    assert keep_or_put_back.information(np.array([0, 7]), np.array([7, 7])) == pytest.approx(1)


def test_decisions_of_one_deal_are_not_independent():
    alone, together = keep_or_put_back.Ratios(1), keep_or_put_back.Ratios(1)
    kept = np.array([1] * 30 + [0] * 70)
    counts = np.stack([1 - kept, kept], axis=1)[:, None, :]
    alone.add(counts)
    together.add(10 * counts)  # ten times the same decision in each deal say no more
    assert (alone.share(0).low, alone.share(0).high) == pytest.approx(wilson(0.3, 100))
    assert (together.share(0).low, together.share(0).high) == pytest.approx(wilson(0.3, 100))
    assert together.share(0).decisions == 1000
    assert keep_or_put_back.Ratios(1).share(0).share is None


def test_the_racer_keeps_what_he_can_feed_and_nothing_else():
    setup = load_game("pizza-monsters", players=3)
    request = Request(("greedy:style=racer",), 3, 60, 2)
    habits = keep_or_put_back.play_decisions(setup, make_player("greedy:style=racer", setup), request)
    for own_row, row in enumerate(habits.by_rivals):
        assert {each.share for each in row if each.decisions} == {float(own_row > 0)}
    for row, other in zip(habits.by_rivals, habits.by_bag, strict=True):
        assert sum(each.decisions for each in row) == sum(each.decisions for each in other)
    share = habits.overall.share
    entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    assert (habits.bits["own"], habits.bits["all three"]) == pytest.approx((entropy, entropy))
    assert habits.bits["bag"] < 0.1 < entropy


def test_decisions_are_counted_as_a_slow_twin_counts_them():
    """Play the same three games in plain Python and look at every pizza when a topping was drawn."""
    setup = load_game("pizza-monsters", players=4)
    player = make_player("greedy:style=racer", setup)
    states, streams = setup.blank_states(3), np.zeros((3, 4), dtype=np.uint64)
    tables.deal_tables(states, setup.template, 6, 0)
    tables.start_streams(streams, 6, 0, 0)
    expected = np.zeros((3, 5, 4, 11, 2), dtype=np.int32)
    played, scratch, rngs = states.copy(), setup.blank_states(1), streams.copy()
    space = workspace(player.knobs, scratch)
    for table, state in enumerate(played):
        while not is_terminal(state):
            seat = int(current_player(state))
            rng = rngs[table, seat : seat + 1]
            scratch[0] = state
            determinize(scratch[0], seat, rng)
            action = int(choose(player.knobs, scratch[0], space, rng))
            if state.phase == keep_or_put_back.CHOOSING:
                left = [[fewest_left(pizza, state.order) for pizza in pizzas] for pizzas in state.pizzas[:4]]
                own = 0 if min(left[seat]) == 9 else 5 - min(left[seat])
                rivals = sum(min(each) < 9 for other, each in enumerate(left) if other != seat)
                expected[table, own, rivals, int(state.bag).bit_count(), int(action == 0)] += 1
            apply_action(state, action)
    counts = np.zeros_like(expected)
    keep_or_put_back.count_decisions(player.knobs, player.looks, states, streams, counts)
    assert counts.sum() > 30
    assert (counts == expected).all()


def fewest_left(pizza, topping):
    slices = list(int(pizza).to_bytes(8, "little"))
    return sum(slices) if slices[topping] else 9


def test_races_take_what_is_known():
    """17.73 ± 0.02 turns at four players; four pizzas of four slices take sixteen at least."""
    (race,) = monster_race.play_races(4, ("greedy:style=racer",), Request((), 4, 300, 2))
    assert race.turns.low - 0.1 < 17.73 < race.turns.high + 0.1
    assert race.shortest >= 16
    assert race.turns.half_width == pytest.approx(1.968 * race.deviation / 300**0.5, rel=1e-3)


# Pizza Time and Pizza Chef.


@pytest.fixture(scope="module")
def pizza_time():
    setup = load_game("pizza-time", players=2)
    return setup, make_player("greedy:style=planner", setup), orders.orders_of(setup)


def test_the_planner_takes_the_shortest_way(pizza_time):
    setup, planner, (_, packed, _) = pizza_time
    states = setup.blank_states(2)
    states[0] = setup.new_game(1)
    states[0].types[:] = 3
    movements = np.zeros((2, 20), dtype=np.int64)
    orders.fill_orders(planner.knobs, states, packed[[17, 200]], 7, movements)
    for deal in range(20):
        pizza = pizza_of(int(below(new_stream(7, ANALYSIS, deal, orders.BEGINNING), N_PLACEMENTS)))
        far = planner.knobs.table[2, packed[[17, 200], 1], pizza].astype(int)
        assert movements[:, deal].tolist() == (far + 1).tolist()


def test_what_the_orders_are(pizza_time):
    _, _, (shown, packed, solutions) = pizza_time
    assert len(shown) == 256
    assert [int(value) for value in int(packed[37, 0]).to_bytes(4, "little")] == shown[37].tolist()
    assert solutions[:, [2, 3, 4]].min(axis=0).tolist() == [1304, 104, 8]  # as RULES.md has it
    pace = orders.Pace(
        "rebuilder", 4, [orders.Estimate(N_PIZZAS / each, None, None, 1) for each in solutions[:, 4]], None
    )
    assert orders.slope(pace, solutions) == pytest.approx(-1.0)


def test_memory_is_worth_something_and_none_is_worth_nothing():
    request = Request(("greedy:style=random-looker",), 3, 150, 4)
    none, all_looks = (memory.play_memory(looks, 3, request).share for looks in (0, None))
    assert none.low < 1 / 3 < none.high
    assert all_looks.low > 0.4
