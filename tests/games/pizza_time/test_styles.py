"""The rules of thumb: each does what its name says, and what was measured of them holds."""

import itertools

import numpy as np
import pytest

from agents import make_player
from engine.contract import (
    MOST_ACTIONS,
    apply_action,
    appraise,
    choose,
    current_player,
    determinize,
    favorite,
    is_terminal,
    returns,
    workspace,
)
from engine.games.pizza_time import notation, rules, solutions, styles
from engine.games.pizza_time.rules import CLAIM, N_PIZZAS, N_REARRANGEMENTS, REBUILD
from engine.games.pizza_time.styles import STYLES
from engine.rng import ANALYSIS, new_stream
from experiments import run_tournament
from tests.games.pizza_time.playing import OTHER_SET, greedy, load, order, pizza, play_many
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.naive import pizza_time as naive

NAMES = [style.name for style in STYLES]


def values_of(player, state) -> dict[int, float]:
    """Return what a player thinks of each legal action."""
    actions, values = np.empty(MOST_ACTIONS, dtype=np.int64), np.empty(MOST_ACTIONS)
    listed = legal(state)
    actions[: len(listed)] = listed
    appraise(state, actions, len(listed), player.style, player.weight, player.table, values)
    return dict(zip(listed, values[: len(listed)].tolist(), strict=True))


def best_of(player, state) -> list[int]:
    values = values_of(player, state)
    return [action for action, value in values.items() if value == max(values.values())]


def racing_states(setup, n_deals: int = 12):
    """Yield states of the race with somebody to move."""
    for number in range(n_deals):
        for state in states_of_random_game(setup, number):
            if not is_terminal(state) and state.serving == 0:
                yield state


def is_right(state) -> bool:
    laid = pizza(state.placement[current_player(state)])
    return naive.fills(naive.totals(naive.OUR_SET, laid), order(state), int(state.types[state.rounds]))


@pytest.mark.parametrize("style", [name for name in NAMES if name not in ("gambler", "spoiler", "easy-types")])
def test_honest_styles_claim_exactly_when_they_are_right(style):
    setup = load(3)
    player = greedy(setup, style)
    for state in racing_states(setup):
        assert (best_of(player, state) == [CLAIM]) == is_right(state)


def test_rebuilder_rebuilds_until_it_is_right():
    setup = load(2)
    player = greedy(setup, "rebuilder")
    for state in racing_states(setup):
        assert best_of(player, state) == [CLAIM if is_right(state) else REBUILD]
        rng = new_stream(1, ANALYSIS)
        assert [favorite(state, player.style, 1.0, player.table, rng)] == best_of(player, state)
    assert favorite(state, styles.PLANNER, 1.0, player.table, rng) == -1


def naive_mismatch(laid, wanted, types: int) -> int:
    shown = naive.totals(naive.OUR_SET, laid)
    return sum(sorted(abs(shown[each] - wanted[each]) for each in naive.TOPPINGS)[:types])


def test_hill_climber_takes_the_least_mismatch():
    setup = load(2)
    player = greedy(setup, "hill-climber")
    n_stuck = 0
    for state in itertools.islice(racing_states(setup), 400):
        if is_right(state):
            continue
        laid, types = pizza(state.placement[current_player(state)]), int(state.types[state.rounds])
        now = naive_mismatch(laid, order(state), types)
        after = {
            movement: naive_mismatch(naive.rearrange(laid, notation.action_text(movement)), order(state), types)
            for movement in range(N_REARRANGEMENTS)
        }
        least = min(after.values())
        expected = [each for each in after if after[each] == least] if least < now else [REBUILD]
        assert best_of(player, state) == expected
        n_stuck += least >= now
    assert n_stuck > 0


@pytest.mark.parametrize("style", ["planner", "easy-types"])
def test_planners_come_a_step_nearer_each_time(style):
    """Follow the planner alone: it needs just as many movements as the breadth-first distance says, then claims."""
    setup = load(2)
    player = greedy(setup, style)
    rng = new_stream(3, ANALYSIS)
    states = setup.blank_states(1)
    space = workspace(player, states)
    for number in range(40):
        state = setup.new_game(6, number)
        far = player.table[int(state.types[0]) - 1, int(state.order_number)]
        distance = int(far[rules.pizza_of(int(state.placement[0]))])
        for _ in range(distance):
            action = int(choose(player, copy_of(state), space, rng))
            assert action < REBUILD
            apply_action(state, action)
            apply_action(state, 0)
        assert is_right(state)
        assert choose(player, copy_of(state), space, rng) == CLAIM


@pytest.mark.parametrize("options", [{}, {"expert": True}, {"card_set": str(OTHER_SET)}])
def test_tables_hold_the_distances_of_every_order_that_is_played(options):
    setup = load(2, **options)
    planner, easy = greedy(setup, "planner").table, greedy(setup, "easy-types").table
    faces = tuple(int(face) for face in setup.template["faces"])
    piles = tuple(tuple(pile) for pile in setup.template["piles"].tolist())
    orders, numbers = solutions.distinct_orders(piles)
    shown = solutions.totals_of_pizzas(faces)
    for wanted, number in list(zip(orders, numbers, strict=True))[::17]:
        for types in {4} if options.get("expert") else {2, 3, 4}:
            played = min(types, rules.most_types(setup.template, int(number)))
            goals = (shown == wanted).sum(axis=1) >= played
            far, far_easy = planner[played - 1, number], easy[played - 1, number]
            assert np.array_equal(far == 0, goals)
            assert far.max() < solutions.UNREACHABLE
            assert np.all(far_easy >= far)
            subsets = [
                (shown == wanted)[:, list(each)].all(axis=1) for each in itertools.combinations(range(4), played)
            ]
            assert np.count_nonzero(far_easy == 0) == max(map(np.count_nonzero, subsets))
            assert any(np.array_equal(far_easy == 0, each) for each in subsets)


def test_styles_that_do_not_plan_need_no_table():
    assert greedy(load(2), "rebuilder").table.shape == (1, 1, 1)
    assert greedy(load(2), "planner").table.shape == (4, 1296, N_PIZZAS)


def test_gambler_claims_a_near_miss():
    setup = load(2)
    found = set()
    for weight in (0, 1, 3):
        player = greedy(setup, "gambler", weight=weight)
        for state in itertools.islice(racing_states(setup), 150):
            types = int(state.types[state.rounds])
            wrong = naive_mismatch(pizza(state.placement[current_player(state)]), order(state), types)
            assert (best_of(player, state) == [CLAIM]) == (wrong <= weight)
            found.add(wrong)
    assert {0, 1, 2, 3} < found


def test_spoiler_claims_when_the_numbers_are_about_to_go():
    setup = load(3)
    player = greedy(setup, "spoiler")
    n_spoiled = 0
    for state in racing_states(setup, 60):
        n_left = 2 - int((state.numbers[state.rounds] > 0).sum())
        right = [
            naive.fills(
                naive.totals(naive.OUR_SET, pizza(state.placement[seat])), order(state), int(state.types[state.rounds])
            )
            for seat in range(3)
            if not state.numbers[state.rounds, seat]
        ]
        spoils = sum(right) >= n_left
        assert (best_of(player, state) == [CLAIM]) == (is_right(state) or spoils)
        n_spoiled += spoils and not is_right(state)
    assert n_spoiled > 0


@pytest.mark.parametrize("style", NAMES)
def test_cards_go_highest_to_oneself_and_lowest_to_the_poorest(style):
    setup = load(4, penalty_chooser="left")
    player = greedy(setup, style)
    n_gifts = 0
    for number in range(15):
        for state in states_of_random_game(setup, number):
            if is_terminal(state) or state.serving == 0:
                continue
            texts = [notation.action_text(action) for action in best_of(player, state)]
            left = [each for t, each in enumerate(naive.TOPPINGS) if int(state.cards) >> t & 1]
            worth = {each: order(state)[each] for each in left}
            words = [text.split() for text in texts]
            if texts[0].startswith("take"):
                assert {each[1] for each in words} == {each for each in left if worth[each] == max(worth.values())}
            else:  # the left neighbor chooses, and may choose himself
                assert {int(each[-1]) for each in words} == {int(current_player(state))}
                assert all(worth[each[1]] == max(worth.values()) for each in words)
                n_gifts += 1
    assert n_gifts > 0


def test_gifts_of_the_faulty():
    setup = load(4)
    player = greedy(setup, "planner")
    n_gifts = 0
    for number in range(15):
        for state in states_of_random_game(setup, number):
            texts = [notation.action_text(action) for action in legal(state)]
            if not texts or not texts[0].startswith("give"):
                continue
            giver = int(current_player(state))
            cards = {t: order(state)[each] for t, each in enumerate(naive.TOPPINGS) if int(state.cards) >> t & 1}
            poorest = min(int(state.points[seat]) for seat in range(4) if seat != giver)
            for text in (notation.action_text(action) for action in best_of(player, state)):
                _, topping, *_, receiver = text.split()
                assert order(state)[topping] == min(cards.values())
                assert state.points[int(receiver)] == poorest
            n_gifts += 1
    assert n_gifts > 0


def test_gifts_that_are_discarded_are_the_lowest():
    setup = load(2, penalty="discard")
    player = greedy(setup, "planner")
    for number in range(10):
        for state in states_of_random_game(setup, number):
            texts = [notation.action_text(action) for action in legal(state)]
            if texts and texts[0].startswith("discard"):
                least = min(order(state)[each.split()[1]] for each in texts)
                assert order(state)[notation.action_text(best_of(player, state)[0]).split()[1]] == least


@pytest.mark.parametrize("style", NAMES)
def test_appraisal_reads_nothing_hidden(style):
    setup = load(3)
    player = greedy(setup, style)
    for state in itertools.islice(racing_states(setup), 60):
        seen = []
        for number in range(2):
            copy = copy_of(state)
            determinize(copy, current_player(state), new_stream(number, ANALYSIS))
            seen.append(values_of(player, copy))
        assert seen[0] == seen[1] == values_of(player, state)


def test_better_planning_wins():
    """At two players, each against the next better, by more than three standard errors over 400 deals."""
    ladder = ["rebuilder", "gambler", "hill-climber", "planner", "spoiler"]
    setup = load(2)
    for worse, better in [
        *itertools.pairwise(ladder[:1] + ladder[2:]),
        ("gambler", "planner"),
        ("easy-types", "planner"),
    ]:
        agents = [f"greedy:style={worse}", f"greedy:style={better}"]
        frame = run_tournament(setup, agents, deals=400, seed=3, serial=True)
        shares = frame[frame.agent == agents[1]].groupby("deal").share.mean()
        assert shares.mean() - 0.5 > 3 * shares.std() / np.sqrt(len(shares)), (worse, better)


# Agents of every game, in this one.


def test_errors_cost():
    setup = load(2)
    honest = "greedy:style=planner"
    shares = []
    for rate in (0.1, 0.3):
        erring = f"erring:player=greedy,player.style=planner,error_rate={rate},error=claim"
        frame = run_tournament(setup, [erring, honest], deals=300, seed=4, serial=True)
        shares.append(frame[frame.agent == erring].share.mean())
    assert 0.5 > shares[0] > shares[1]


def test_erring_makes_the_error_it_names():
    setup = load(2)
    always = make_player("erring:player=greedy,error_rate=1,error=claim", setup).knobs
    *_, decisions = play_many(setup, always, 50)
    assert (decisions.sum(axis=1) == 6 * 3).all()  # two claims and a card a round
    never = make_player("erring:player=greedy,error_rate=0", setup).knobs
    plain = greedy(setup, "planner")
    assert np.median(play_many(setup, never, 200)[3]) == pytest.approx(
        np.median(play_many(setup, plain, 200)[3]), abs=3
    )
    assert make_player("erring:error=take_olive", setup).knobs.error == notation.parse_action("take olive")
    with pytest.raises(ValueError, match="an action is flip"):
        make_player("erring:error=eat", setup)


def test_search_takes_the_highest_card_and_gives_the_lowest_away():
    setup = load(2)
    search = make_player("mcts:iterations=1000,rollout=greedy,c=0.7", setup).knobs
    states = setup.blank_states(1)
    space = workspace(search, states)
    n_takes = n_gifts = 0
    for number in range(12):
        for state in states_of_random_game(setup, number):
            if is_terminal(state) or state.serving == 0 or state.rounds != 5:
                continue
            # the last card of the last round: it must win where it can
            action = int(choose(search, copy_of(state), space, new_stream(number, ANALYSIS)))
            best = max(_share_after(state, each) for each in legal(state))
            assert _share_after(state, action) == best
            n_takes += notation.action_text(action).startswith("take")
            n_gifts += notation.action_text(action).startswith("give")
    assert n_takes + n_gifts == 12


def _share_after(state, action: int) -> float:
    copy, utility = copy_of(state), np.zeros(2)
    mover = int(current_player(state))
    apply_action(copy, action)
    assert is_terminal(copy)
    returns(copy, utility)
    return float(utility[mover])


@pytest.mark.slow
@pytest.mark.parametrize("rival", ["planner", "spoiler"])
def test_search_beats_the_rules_of_thumb(rival):
    """At two players; measured over 200 deals: 0.65 ± 0.04 of the wins against planner, 0.59 ± 0.03 against spoiler."""
    search = f"mcts:iterations=1600,c=0.5,patience=300,horizon=12,rollout=greedy,rollout.style={rival}"
    frame = run_tournament(load(2), [search, f"greedy:style={rival}"], deals=150, seed=1, serial=True)
    shares = frame[frame.agent == search].groupby("deal").share.mean()
    assert shares.mean() - 0.5 > 2 * shares.std() / np.sqrt(len(shares))
