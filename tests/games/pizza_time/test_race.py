"""Whole games against the naive twin, move for move, and what the race promises: secrecy, paces, limits, chance."""

import random

import numpy as np
import pytest

from engine.contract import apply_action, current_player, determinize, is_terminal, observe, returns, revealed, score
from engine.games.pizza_time import notation, rules
from engine.games.pizza_time.rules import CLAIM, N_MOVEMENTS, NUMBER_BITS, REBUILD, WRONG
from engine.rng import ANALYSIS, new_stream
from tests import test_contract
from tests.games.pizza_time.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    OTHER_CARDS,
    OTHER_SET,
    UNIFORM,
    greedy,
    load,
    order,
    pizza,
    pizzas,
    play,
    play_many,
)
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.naive import pizza_time as naive

VARIANTS = {
    "default": {},
    "sum": {"geometry": "sum"},
    "expert": {"expert": True},
    "discard": {"penalty": "discard"},
    "left": {"penalty_chooser": "left"},
    "lowest": {"penalty_chooser": "lowest"},
    "lowest-discard": {"penalty_chooser": "lowest", "penalty": "discard"},
    "other-set": {"card_set": str(OTHER_SET)},
    "void": {"card_set": str(OTHER_SET), "unsolvable": "void", "expert": True},
    "redraw": {"card_set": str(OTHER_SET), "unsolvable": "redraw"},
    "limit": {"round_time_limit": "4"},
    "paces": {"pace": "mixed"},
}


def twin_of(setup) -> naive.Table:
    options = setup.options
    return naive.Table(
        players=setup.players,
        cards=OTHER_CARDS if options["card_set"] else naive.OUR_SET,
        seams=options["geometry"] == "seams",
        expert=options["expert"],
        unsolvable=options["unsolvable"],
        penalty=options["penalty"],
        chooser=options["penalty_chooser"],
        paces=[int(pace) for pace in setup.template["pace"][: setup.players]],
        limit=int(options["round_time_limit"]),
    )


def reveal(state, table: naive.Table) -> None:
    """Tell the twin the orders that chance showed, also those of rounds that are not played."""
    while table.phase == "order":
        if table.round < int(state.rounds):  # a void round was passed over: its order is no longer on the table
            assert table.unsolvable == "void"
            assert int(state.types[table.round]) == 0
            table.types.append(0)
            table.numbers.append({})
            table._end_round()
            continue
        table.reveal(order(state), pizzas(state))


def assert_same(state, table: naive.Table) -> None:
    assert state.points[: table.players].tolist() == table.points
    assert int(state.rounds) == table.round
    assert bool(is_terminal(state)) == (table.phase == "over")
    for number, held in enumerate(table.numbers):
        found = {
            seat: (int(each) & NUMBER_BITS, not int(each) & WRONG)
            for seat, each in enumerate(state.numbers[number])
            if each
        }
        assert found == held
    if table.phase == "over":
        return
    assert order(state) == table.order
    assert pizzas(state) == table.pizzas
    assert int(state.types[table.round]) == table.types[-1]
    assert int(state.tick) == table.tick or table.phase == "cards"
    assert (state.serving > 0) == (table.phase == "cards")


def choose(state, chance: random.Random) -> int:
    """Claim and rebuild now and then, so that right and wrong pizzas, ties and long rounds all come up."""
    actions = legal(state)
    if CLAIM in actions:
        seat = int(current_player(state))
        if chance.random() < (0.5 if rules.has_right_pizza(state, seat) else 0.03):
            return CLAIM
        return chance.randrange(REBUILD + 1)
    return chance.choice(actions)


def play_tick(state, table: naive.Table, chance: random.Random) -> None:
    movements = {}
    for seat in table.movers():
        assert current_player(state) == seat
        assert legal(state) == list(range(N_MOVEMENTS))
        action = choose(state, chance)
        movements[seat] = notation.action_text(action)
        apply_action(state, action)
    held = state.numbers[table.round]
    claimed = sorted((int(held[seat]) & NUMBER_BITS, seat) for seat, move in movements.items() if move == "claim")
    rebuilt = {}
    for seat, movement in movements.items():
        if movement == "rebuild":  # where it led; when the round ended with this tick the new one has new pizzas
            rebuilt[seat] = pizza(state.placement[seat])
    table.play_tick(movements, rebuilt, [seat for number, seat in claimed if number])


def play_beside_twin(setup, number: int) -> naive.Table:
    state, table, chance = setup.new_game(5, number), twin_of(setup), random.Random(number)
    reveal(state, table)
    assert_same(state, table)
    while table.phase != "over":
        if table.phase == "race":
            play_tick(state, table, chance)
        else:
            assert current_player(state) == table.card_chooser()
            choices = [notation.action_text(action) for action in legal(state)]
            assert sorted(choices) == sorted(table.card_choices())
            choice = chance.choice(choices)
            apply_action(state, notation.parse_action(choice))
            table.play_card(choice)
        reveal(state, table)
        assert_same(state, table)
    points, utility = np.zeros(setup.players, dtype=np.int64), np.zeros(setup.players)
    score(state, points)
    returns(state, utility)
    assert points.tolist() == table.points
    assert utility.tolist() == pytest.approx(table.shares())
    return table


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_move_for_move(variant, players):
    options = dict(VARIANTS[variant])
    if variant == "paces":
        options["pace"] = ",".join(str(1 + (3 * seat) % 4) for seat in range(players))
    setup = load(players, **options)
    tables = [play_beside_twin(setup, number) for number in range(4)]
    held = [number for table in tables for numbers in table.numbers for number in numbers.values()]
    if variant not in ("void", "limit"):
        assert {right for _, right in held} == {True, False}
    if variant == "void":
        assert any(0 in table.types for table in tables)
    if variant == "other-set":
        assert any(table.types != [2, 2, 3, 3, 4, 4] for table in tables)


ODD_PILES = "0,1,1,2,2,15/1,2,2,3,3,4/1,1,1,1,1,1/4,4,4,4,4,4"


@pytest.mark.parametrize("options", [VARIANTS["limit"], {"pace": "2,1,3,2"}, {"piles": ODD_PILES}])
def test_the_contract_holds_for_free_options_too(options):
    """The contract test plays choices; what is free text it is asked of here."""
    setup = load(4, **options)
    for test in (
        test_contract.test_a_deal_is_lawful_and_spends_only_its_stream,
        test_contract.test_a_game_runs_from_deal_to_end,
        test_contract.test_apply_is_deterministic_and_stays_within_its_record,
        test_contract.test_questions_leave_the_record_alone,
        test_contract.test_results_are_in_the_stated_ranges,
        test_contract.test_a_position_reads_back_byte_for_byte,
        test_contract.test_nobody_notices_that_what_he_cannot_see_was_dealt_again,
        test_contract.test_determinize_depends_on_nothing_but_what_the_player_knows,
    ):
        test(setup)


def test_void_rounds_are_those_that_no_pizza_fills():
    setup = load(2, card_set=str(OTHER_SET), unsolvable="void", expert=True)
    piles = setup.template["piles"].tolist()
    n_void = 0
    for number in range(30):
        state = setup.new_game(7, number)
        left, rounds = state.left.copy(), int(state.rounds)
        while not is_terminal(state):
            apply_action(state, legal(state)[-1] if state.serving else CLAIM)
            passed_over = int(state.rounds) - rounds - 1
            if passed_over == 1 and not is_terminal(state):  # the cards that went, less those of the order in play
                gone = [[piles[t][i] for i in range(6) if (left[t] & ~state.left[t]) >> i & 1] for t in range(4)]
                for topping, wanted in enumerate(notation.order_of(state)):
                    gone[topping].remove(wanted)
                void = {each: cards[0] for each, cards in zip(naive.TOPPINGS, gone, strict=True)}
                assert naive.most_fillable(OTHER_CARDS, void) < 4
                n_void += 1
            if int(state.rounds) > rounds:
                left, rounds = state.left.copy(), int(state.rounds)
    assert n_void > 5


def test_redrawn_orders_can_be_filled_while_the_piles_allow():
    lowered = {"lower_k": 0, "redraw": 0}
    for unsolvable in lowered:
        setup = load(2, card_set=str(OTHER_SET), unsolvable=unsolvable, expert=True)
        for number in range(50):
            *_, state = states_of_random_game(setup, number)
            assert all(1 <= each <= 4 for each in state.types.tolist())
            lowered[unsolvable] += sum(each < 4 for each in state.types.tolist())
            assert unsolvable == "lower_k" or state.types[0] == 4
    assert lowered["redraw"] < 0.8 * lowered["lower_k"]


# Simultaneity.


def test_movements_of_a_tick_are_hidden_until_all_have_chosen():
    setup = load(3)
    state = setup.new_game(1)
    before = state.placement.tolist()
    seen = set()
    for action in range(N_MOVEMENTS):
        after = copy_of(state)
        apply_action(after, action)
        assert after.placement.tolist() == before
        assert after.numbers.sum() == 0
        out = np.zeros(setup.game.observation_size, dtype=np.float32)
        observe(after, 1, out)
        determinize(after, 1, new_stream(1, ANALYSIS))
        seen.add((out.tobytes(), after.tobytes(), notation.show(after, 1)))
    assert len(seen) == 1


def test_one_sees_ones_own_choice():
    setup = load(3)
    seen = set()
    for action in range(N_MOVEMENTS):
        state = setup.new_game(1)
        apply_action(state, action)
        out = np.zeros(setup.game.observation_size, dtype=np.float32)
        observe(state, 0, out)
        determinize(state, 0, new_stream(1, ANALYSIS))
        assert state.pending[0] == action
        seen.add((out.tobytes(), state.tobytes()))
    assert len(seen) == N_MOVEMENTS


def test_a_guessed_movement_is_any_and_with_a_right_pizza_mostly_the_claim():
    setup = load(2)
    deals = [setup.new_game(2, number) for number in range(60)]
    for is_right in (False, True):
        state = next(each for each in deals if bool(rules.has_right_pizza(each, 0)) == is_right)
        play(state, "flip 1")
        n_claims, n_worlds = 0, 4_000
        for number in range(n_worlds):
            world = copy_of(state)
            determinize(world, 1, new_stream(number, ANALYSIS))
            play(world, "flip 2")
            n_claims += int(world.numbers[0, 0]) > 0
        share = 15 / 16 + 1 / 256 if is_right else 1 / 16
        assert n_claims / n_worlds == pytest.approx(share, abs=5 * np.sqrt(share * (1 - share) / n_worlds))


@pytest.mark.parametrize("players", [2, 3, 6])
def test_claims_of_one_tick_are_ordered_fairly(players):
    setup = load(players)
    n_deals = 6_000
    first = np.zeros(players)
    orders = set()
    for number in range(n_deals):
        state = setup.new_game(3, number)
        play(state, *["claim"] * players)
        numbers = [int(each) & NUMBER_BITS for each in state.numbers[0, :players]]
        assert sorted(numbers)[-min(4, players - 1) :] == list(range(1, min(4, players - 1) + 1))
        first[numbers.index(1)] += 1
        orders.add(tuple(numbers))
    expected = n_deals / players
    assert np.all(abs(first - expected) < 4 * np.sqrt(expected * (1 - 1 / players)))  # four deviations, fixed seed
    assert len(orders) == {2: 2, 3: 6, 6: 360}[players]


# Ends of a round, paces, chance.


@pytest.mark.parametrize(("players", "n_numbers"), [(2, 1), (3, 2), (4, 3), (5, 4), (6, 4)])
def test_a_round_ends_when_the_number_cards_are_gone(players, n_numbers):
    state = load(players).new_game(1)
    for claimer in range(n_numbers):
        assert state.serving == 0
        for seat in range(claimer, players):
            play(state, "claim" if seat == claimer else "flip 1")
    assert state.serving == 1
    assert (state.numbers[0] > 0).sum() == n_numbers


def test_the_time_limit_ends_a_round_with_the_numbers_taken_so_far():
    state = load(3, round_time_limit=5).new_game(1)
    play(state, "turn 1", "claim", "turn 1", *["turn 1"] * 8)
    assert state.serving == 1
    assert state.numbers[0, :3].tolist() in ([0, 1, 0], [0, 1 + WRONG, 0])
    apply_action(state, legal(state)[0])
    assert (int(state.rounds), int(state.tick)) == (1, 1)


def test_a_round_without_number_cards_gives_nothing():
    state = load(2, round_time_limit=3).new_game(1)
    for _ in range(6):
        play(state, *["turn 1"] * 6)
    assert is_terminal(state)
    utility = np.zeros(2)
    returns(state, utility)
    assert utility.tolist() == [0.5, 0.5]
    assert state.points.sum() == 0


def test_a_slow_seat_moves_every_so_many_ticks():
    state = load(2, pace="1,3").new_game(1)
    movers = []
    for _ in range(8):
        movers.append((int(state.tick), int(current_player(state))))
        play(state, "turn 1")
    assert movers == [(1, 0), (2, 0), (3, 0), (3, 1), (4, 0), (5, 0), (6, 0), (6, 1)]


def test_ticks_in_which_nobody_moves_are_passed_over():
    state = load(2, pace="4").new_game(1)
    assert state.tick == 4
    play(state, "turn 1", "turn 1")
    assert state.tick == 8


def test_chance_does_not_depend_on_what_others_do():
    """The third movement of seat 1 rebuilds: it leads to the same pizza whatever seat 0 rebuilt before."""
    found = set()
    orders = set()
    for others in (["flip 1"] * 3, ["rebuild"] * 3, ["turn 2", "rebuild", "swap 1 2"]):
        state = load(2).new_game(9)
        for movement, own in zip(others, ["turn 1", "rebuild", "rebuild"], strict=True):
            play(state, movement, own)
        found.add(int(state.placement[1]))
        play(state, "claim", "flip 1")
        apply_action(state, legal(state)[0])
        assert state.rounds == 1
        orders.add((int(state.order), *state.placement[:2].tolist()))
    assert len(found) == len(orders) == 1


def test_rebuilds_are_uniform_over_all_placements():
    setup = load(6)
    placements = []
    for number in range(400):
        state = setup.new_game(4, number)
        for _ in range(20):
            play(state, *["rebuild"] * 6)
            placements.append(state.placement.copy())
    drawn = np.array(placements).ravel()
    assert drawn.max() < rules.N_PLACEMENTS
    for part, n_values in ((drawn >> 12, 24), (drawn & 0xFFF, 4096)):
        counts = np.bincount(part, minlength=n_values)
        expected = len(drawn) / n_values
        assert len(counts) == n_values
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert abs(chi_square - (n_values - 1)) < 4 * np.sqrt(2 * (n_values - 1))


def test_orders_deal_every_ingredient_card_once():
    setup = load(2, piles="1,2,3,4,5,6/1,1,2,2,3,3/2,3,3,3,4,5/1,2,2,3,3,4")
    for number in range(20):
        shown = [[], [], [], []]
        for state in states_of_random_game(setup, number):
            if int(state.rounds) == len(shown[0]) and not is_terminal(state):
                for topping, wanted in enumerate(notation.order_of(state)):
                    shown[topping].append(wanted)
        assert [sorted(each) for each in shown] == setup.template["piles"].tolist()


def test_news_tells_outcomes_of_chance_apart():
    setup = load(2)
    codes, pizzas_seen = set(), set()
    for number in range(300):
        state = setup.new_game(1)
        determinize(state, 0, new_stream(number, ANALYSIS))
        assert revealed(state, 0) == 0
        play(state, "flip 1")
        assert revealed(state, 0) == 0
        play(state, "rebuild")
        codes.add(int(revealed(state, 0)))
        pizzas_seen.add(int(state.placement[1]))
    assert len(codes) == len(pizzas_seen) > 250
    assert all(0 < code < 2**31 for code in codes)
    state = setup.new_game(1)
    play(state, "flip 1", "turn 2")
    assert revealed(state, 0) == 0


# Closed forms.


def test_two_rebuilders_race_as_the_closed_form_says():
    """Paces 1 and 2, two toppings: whoever is first takes the only number card; a tie is decided evenly.

    Seat 0 tries at ticks 1, 2, …, seat 1 at 2, 4, …, each right with chance p = S / 24,576, given the order. In two
    ticks seat 0 wins with p + (1 - p) (p (1 - p) + p p / 2), seat 1 with (1 - p) (p (1 - p) + p p / 2).
    """
    setup = load(2, pace="1,2")
    n_games = 4_000
    states, *_ = play_many(setup, greedy(setup, "rebuilder"), n_games, seed=11)
    chances = solving_chances(setup)
    gain = []
    for number in range(n_games):
        first = setup.new_game(11, number)
        p = chances[int(first.order_number)]
        later = (1 - p) * (p * (1 - p) + p * p / 2)
        expected = (p + later) / (p + 2 * later)
        gain.append((int(states.numbers[number, 0, 0]) == 1) - expected)
    assert abs(np.mean(gain)) < 2 * np.std(gain) / np.sqrt(n_games)


def solving_chances(setup) -> dict[int, float]:
    """Return the share of pizzas that fill each order on two toppings, by order number, counted by the naive twin."""
    shown = [tuple(naive.totals(naive.OUR_SET, laid).values()) for laid in naive.all_pizzas() if laid[0][0] == 1]
    assert len(shown) == 24_576
    totals = np.array(shown)
    piles = setup.template["piles"].tolist()
    chances = {}
    for places in np.ndindex(6, 6, 6, 6):
        wanted = [piles[topping][place] for topping, place in enumerate(places)]
        number = sum(piles[t].index(wanted[t]) * 6 ** (3 - t) for t in range(4))
        if number not in chances:
            chances[number] = float(((totals == wanted).sum(axis=1) >= 2).mean())
    return chances


def test_random_play_ends_rounds_by_claims():
    """At two players a round takes claims with chance 1/16 a movement: ticks are geometric with 1 - (15/16)²."""
    setup = load(2)
    n_games = 2_000
    *_, decisions = play_many(setup, UNIFORM, n_games)
    per_round = (decisions.sum(axis=1) - 6) / 6
    expected = 2 / (1 - (15 / 16) ** 2)
    assert abs(per_round.mean() - expected) < 3 * per_round.std() / np.sqrt(n_games)
