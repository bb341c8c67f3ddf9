"""Memory pays: what each style remembers, and how much more it wins."""

import itertools

import numpy as np
import pytest

import agents
from engine.contract import choose, current_player, determinize, workspace
from engine.games.pizza_chef import notation
from engine.games.pizza_chef.styles import STYLES
from engine.rng import ANALYSIS, new_stream
from tests.games.pizza_chef.playing import do, in_order, load
from tests.games.playing import play_many

NAMES = [style.name for style in STYLES]


def decisions(state, setup, agent: str, n_times: int = 60) -> set[str]:
    """Return what an agent may do in a state."""
    player = agents.make_player(agent, setup)
    scratch = setup.blank_states(1)
    space, stream = workspace(player.knobs, scratch), new_stream(2, ANALYSIS)
    found = set()
    for number in range(n_times):
        scratch[0] = state
        determinize(scratch[0], int(current_player(state)), new_stream(number, ANALYSIS))
        found.add(notation.action_text(int(choose(player.knobs, scratch[0], space, stream))))
    return found


def seen_table(setup):
    """Return a table at which seat 1 has seen an olives slice long ago, then others, and olives are asked for."""
    state = in_order(setup, active=0, order="salami")
    for place in ("d4", "b1", "c1"):
        do(state, f"look {place}", "look h1")
    state.order = notation.TOKENS.index("olives")
    state.bag = notation.FULL_BAG & ~(1 << int(state.order))
    return state


def test_perfect_memory_goes_where_the_topping_is():
    setup = load(3)
    assert decisions(seen_table(setup), setup, "greedy:style=perfect-memory") == {"look d4"}


def test_memory_of_k_has_forgotten_it():
    setup = load(3)
    state = seen_table(setup)
    assert decisions(state, setup, "greedy:style=memory-of-k,weight=3") == {"look d4"}
    found = decisions(state, setup, "greedy:style=memory-of-k,weight=2")
    assert len(found) > 20
    assert not found & {"look b1", "look c1"}


def test_never_look_twice_avoids_the_places_of_this_round_only():
    setup = load(3)
    state = seen_table(setup)
    found = decisions(state, setup, "greedy:style=never-look-twice", 300)
    assert len(found) > 50
    assert not found & {"look d4", "look b1", "look c1"}


def test_a_random_looker_looks_anywhere():
    setup = load(3)
    assert len(decisions(seen_table(setup), setup, "greedy:style=random-looker", 1500)) == 64


def test_what_is_known_is_snatched_and_nothing_else():
    setup = load(3, wrong="sit_out")
    state = seen_table(setup)
    assert decisions(state, setup, "greedy:style=perfect-memory") == {"snatch d4"}
    for style in ("random-looker", "never-look-twice", "memory-of-k"):
        assert all(text.startswith("look") for text in decisions(state, setup, f"greedy:style={style}"))


def test_no_style_remembers_more_than_the_game_allows():
    setup = load(3, memory=2)
    assert len(decisions(seen_table(setup), setup, "greedy:style=perfect-memory")) > 20


def test_more_memory_wins_more():
    shares = [0.25]  # of a random looker among his like
    for style in ("never-look-twice", "memory-of-k,weight=8", "perfect-memory"):
        line_up = [f"greedy:style={style}", *["greedy:style=random-looker"] * 3]
        won = []
        for rotation in range(4):
            seats = line_up[rotation:] + line_up[:rotation]
            _, utility = play_many(load(4), seats, 800)
            won.append(utility[:, seats.index(line_up[0])])
        shares.append(np.mean(won))
    assert all(later > earlier + 0.01 for earlier, later in itertools.pairwise(shares)), shares


def test_with_no_memory_perfect_memory_is_random_looking():
    states, utility = play_many(
        load(4, memory=0), ["greedy:style=perfect-memory", *["greedy:style=random-looker"] * 3], 3000
    )
    assert utility[:, 0].mean() == pytest.approx(0.25, abs=0.03)
    assert states["hats"].max() == 4
