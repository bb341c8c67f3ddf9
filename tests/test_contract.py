"""What every game promises, asked of every game: those of the house and the toys, with no list of exceptions.

A game is met under many setups: each table size, each option at each of its choices, alone and among random choices of
the others. A setup is left out only when `load_game` itself refuses it. An option that wants a file gets the one in
tests/golden/option_files/<game>/<option>.*, a valid example.
"""

from __future__ import annotations

import inspect
import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.contract import (
    LARGEST_RECORD,
    MOST_ACTIONS,
    MOST_FIELDS,
    MOST_OUTCOMES,
    MOST_PLAYERS,
    Notation,
    Option,
    Setup,
    act,
    apply_action,
    canonical,
    current_player,
    deal,
    determinize,
    find_game,
    game_names,
    heuristic,
    is_terminal,
    legal_actions,
    load_game,
    observe,
    outcomes,
    random_action,
    resolve,
    retract,
    returns,
    score,
)
from engine.kernel import JIT
from engine.rng import ANALYSIS, DEAL, new_stream
from tests import play_digest

HOUSE = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).with_name("golden")
SEED = 1
UNWRITTEN = -12345  # marks what a verb must write over
DEPTH = 3

play_digest.load_everything()
GAMES = game_names()


# Setups.


def choices_of(option: Option) -> list[Any]:
    """List what an option allows, but for free texts."""
    if option.free:
        return []
    return list(option.choices) or list(range(option.low, option.high + 1))


def option_files(name: str) -> dict[str, str]:
    """Return the example file of every free option of a game."""
    folder = GOLDEN / "option_files" / name
    return {path.stem: str(path) for path in sorted(folder.glob("*"))}


def setups_of(name: str) -> list[Setup]:
    """Return the setups under which a game is tested."""
    game = find_game(name)
    setups = [load_game(name, players=players) for players in game.players]
    chooser = random.Random(name)
    files = option_files(name)
    for option in game.options:
        for choice in choices_of(option):
            alone = {**files, option.name: choice}
            others = {each.name: chooser.choice(choices_of(each)) for each in game.options if not each.free}
            for options in (alone, {**others, **alone}):
                for players in (*chooser.sample(game.players, len(game.players)), None):
                    try:
                        setups.append(load_game(name, players=players, **options))
                    except ValueError:
                        continue  # the game itself refuses these options together, or with this number
                    break
    return setups


def setup_text(setup: Setup) -> str:
    """Name a setup in test ids by its options that differ from the defaults."""
    defaults = {option.name: option.default for option in setup.game.options if not option.free}
    told = [f"{key}={setup.options[key]}" for key, default in defaults.items() if setup.options[key] != default]
    return "-".join([setup.name, f"{setup.players}p", *told])


SETUPS = [setup for name in GAMES for setup in setups_of(name)]

each_game = pytest.mark.parametrize("name", GAMES)
each_setup = pytest.mark.parametrize("setup", SETUPS, ids=setup_text)


# Helpers.


def legal(state: Any) -> list[int]:
    """List the legal actions of a state."""
    actions = np.full(MOST_ACTIONS, UNWRITTEN, dtype=np.int64)
    return actions[: legal_actions(state, actions)].tolist()


def record_bytes(state: Any) -> bytes:
    """Return the bytes of a record."""
    return state.tobytes()


def copy_of(setup: Setup, state: Any) -> Any:
    """Return a copy of a record that shares nothing with it."""
    states = setup.blank_states(1)
    states[0] = state
    return states[0]


def known_to(setup: Setup, state: Any, player: int, seed: int) -> tuple[Any, int]:
    """Return a copy determinized for a player, and where the stream stands afterwards."""
    copy = copy_of(setup, state)
    stream = new_stream(seed, ANALYSIS, player)
    determinize(copy, player, stream)
    return copy, int(stream[0])


def observation(setup: Setup, state: Any, player: int) -> np.ndarray:
    """Return what a player observes; one element too many, to see that no more is written."""
    out = np.full(setup.game.observation_size + 1, np.nan, dtype=np.float32)
    observe(state, player, out)
    return out


EVERY_POSITION = 30  # of a game's beginning; later ones are looked at ever more rarely


def every_position(setup: Setup, number: int = 0) -> Iterator[Any]:
    """Yield the record of deal `number` after random actions, the finished game last; it is played on in place."""
    state = setup.new_game(SEED, number)
    stream = new_stream(SEED, ANALYSIS, number)
    for _ in range(setup.longest + 1):
        yield state
        if is_terminal(state):
            return
        apply_action(state, int(random_action(state, stream)))
    pytest.fail(f"the game goes on after {setup.longest} decisions")


def positions(setup: Setup, number: int = 0) -> Iterator[Any]:
    """Yield all positions of a short game; of a long one a sample that thins out, and the end.

    So a race of a thousand ticks is looked at a hundred times.
    """
    for step, state in enumerate(every_position(setup, number)):
        if step % (1 + step // EVERY_POSITION) == 0 or is_terminal(state):
            yield state


# Facts.


@each_game
def test_facts_fit_together(name: str) -> None:
    game = find_game(name)
    assert game.name == name
    assert game.title
    assert game.summary
    assert game.version >= 1
    assert list(game.players) == sorted(set(game.players) & set(range(1, MOST_PLAYERS + 1)))
    assert game.default_players in game.players
    assert 1 <= game.most_legal <= game.n_actions <= MOST_ACTIONS
    assert game.observation_size >= 1
    assert game.dtype.isalignedstruct
    assert game.dtype.itemsize <= LARGEST_RECORD
    assert len(game.dtype.names or ()) <= MOST_FIELDS
    assert not game.styles or game.default_style in [style.name for style in game.styles]
    assert bool(game.styles) == (game.appraise is not None)


@each_game
def test_the_notation_has_every_member(name: str) -> None:
    notation = find_game(name).notation
    for member, wanted in inspect.getmembers(Notation, inspect.isfunction):
        if member.startswith("_"):
            continue
        parameters = list(inspect.signature(wanted).parameters)[1:]
        assert list(inspect.signature(getattr(notation, member)).parameters) == parameters, member


@each_game
def test_options_are_described_and_their_defaults_allowed(name: str) -> None:
    for option in find_game(name).options:
        assert option.meaning
        assert option.parse(option.default, name) == option.default


@each_game
def test_every_choice_of_every_option_is_playable(name: str) -> None:
    tested = [setup.options for setup in SETUPS if setup.name == name]
    for option in find_game(name).options:
        for choice in choices_of(option):
            assert any(options[option.name] == choice for options in tested), f"{option.name}={choice}"


@each_game
def test_every_action_has_a_text_of_its_own(name: str) -> None:
    game = find_game(name)
    texts = [game.notation.action_text(action) for action in range(game.n_actions)]
    assert len(set(texts)) == game.n_actions
    assert [game.notation.parse_action(text) for text in texts] == list(range(game.n_actions))


# Deal.


@each_setup
def test_a_deal_is_lawful_and_spends_only_its_stream(setup: Setup) -> None:
    first, again = setup.blank_states(3), setup.blank_states(3)
    for states in (first, again):
        deal(states[1], new_stream(SEED, DEAL, 0))
        setup.game.notation.audit(states[1])
    assert first.tobytes() == again.tobytes()
    untouched = setup.blank_states(1).tobytes()
    assert record_bytes(first[0]) == record_bytes(first[2]) == untouched
    deals = {record_bytes(setup.new_game(SEED, number)) for number in range(40)}
    assert len(deals) > 1, "all deals are alike"
    assert record_bytes(setup.new_game(SEED, 3)) == record_bytes(setup.new_game(SEED, 3))


# Play.


@each_setup
def test_a_game_runs_from_deal_to_end(setup: Setup) -> None:
    game = setup.game
    for number in range(2):
        for state in positions(setup, number):
            game.notation.audit(state)
            actions = legal(state)
            assert actions == sorted(set(actions))
            assert all(0 <= action < game.n_actions for action in actions)
            assert len(actions) <= game.most_legal
            assert bool(is_terminal(state)) == (not actions)
            if actions:
                assert 0 <= current_player(state) < setup.players


@each_setup
def test_apply_is_deterministic_and_stays_within_its_record(setup: Setup) -> None:
    states = setup.blank_states(3)
    states[0], states[2] = setup.new_game(SEED, 1), setup.new_game(SEED, 2)
    neighbors = record_bytes(states[0]), record_bytes(states[2])
    for state in positions(setup):
        for action in legal(state):
            lone = copy_of(setup, state)
            states[1] = state
            apply_action(lone, action)
            apply_action(states[1], action)
            assert record_bytes(states[1]) == record_bytes(lone)
            assert record_bytes(states[1]) != record_bytes(state), "the action left no trace"
            assert (record_bytes(states[0]), record_bytes(states[2])) == neighbors


@each_setup
def test_questions_leave_the_record_alone(setup: Setup) -> None:
    points = np.zeros(setup.players, dtype=np.int64)
    utility = np.zeros(setup.players, dtype=np.float64)
    for state in positions(setup):
        before = record_bytes(state)
        if not is_terminal(state):
            current_player(state)
            legal(state)
            random_action(state, new_stream(SEED, ANALYSIS, 9))
        else:
            score(state, points)
            returns(state, utility)
        for player in range(setup.players):
            observation(setup, state, player)
            heuristic(state, player)
            setup.game.notation.show(state, player)
        assert record_bytes(state) == before


@each_setup
def test_results_are_in_the_stated_ranges(setup: Setup) -> None:
    ranges = setup.ranges
    for number in range(6):
        *_, state = positions(setup, number)
        points = np.full(setup.players + 1, UNWRITTEN, dtype=np.int64)
        utility = np.full(setup.players + 1, np.nan, dtype=np.float64)
        score(state, points)
        returns(state, utility)
        assert points[-1] == UNWRITTEN
        assert np.isnan(utility[-1])
        assert np.all((ranges.points[0] <= points[:-1]) & (points[:-1] <= ranges.points[1]))
        assert np.all((ranges.utility[0] <= utility[:-1]) & (utility[:-1] <= ranges.utility[1]))
        total = setup.game.total(setup, points[None, :-1])
        assert total.shape == (1,)
        assert ranges.total[0] <= total[0] <= ranges.total[1]
        if setup.cooperative:
            assert len(set(utility[:-1].tolist())) == 1
        assert setup.game.notation.explain_result(state)


@each_setup
def test_a_position_reads_back_byte_for_byte(setup: Setup) -> None:
    notation = setup.game.notation
    for state in positions(setup):
        assert record_bytes(notation.parse_position(notation.position_text(state))) == record_bytes(state)


@each_setup
def test_random_actions_are_legal(setup: Setup) -> None:
    stream = new_stream(SEED, ANALYSIS, 77)
    for number in range(3):
        for state in positions(setup, number):
            if not is_terminal(state):
                actions = legal(state)
                assert all(int(random_action(state, stream)) in actions for _ in range(5))


@each_game
def test_random_actions_are_uniform(name: str) -> None:
    setup = load_game(name)
    for state in positions(setup):
        if is_terminal(state):
            return
        actions = legal(state)
        stream = new_stream(SEED, ANALYSIS, len(actions))
        n_draws = 400 * len(actions)
        drawn = [int(random_action(state, stream)) for _ in range(n_draws)]
        counts = np.array([drawn.count(action) for action in actions])
        assert counts.sum() == n_draws
        # each count is binomial with mean 400 and deviation below 20: six deviations, at a fixed seed
        assert np.all(abs(counts - 400) < 120)


# Knowledge.


@each_setup
def test_nobody_notices_that_what_he_cannot_see_was_dealt_again(setup: Setup) -> None:
    for number in range(2):
        for step, state in enumerate(positions(setup, number)):
            over = bool(is_terminal(state))
            for player in range(setup.players):
                world, _ = known_to(setup, state, player, seed=step)
                setup.game.notation.audit(world)
                assert observation(setup, world, player).tobytes() == observation(setup, state, player).tobytes()
                assert heuristic(world, player) == heuristic(state, player)
                assert bool(is_terminal(world)) == over
                if not over:
                    assert current_player(world) == current_player(state)
                    if current_player(state) == player:
                        assert legal(world) == legal(state)


@each_setup
def test_determinize_depends_on_nothing_but_what_the_player_knows(setup: Setup) -> None:
    for number in range(2):
        for step, state in enumerate(positions(setup, number)):
            for player in range(setup.players):
                once, words = known_to(setup, state, player, seed=2 * step)
                other, _ = known_to(setup, state, player, seed=2 * step + 1)
                twice, words_again = known_to(setup, other, player, seed=2 * step)
                assert record_bytes(twice) == record_bytes(once)
                assert words_again == words, "how much randomness it spends tells of hidden things"


@each_game
def test_determinize_varies_all_that_observe_does_not_show(name: str) -> None:
    """Records that look alike to a player become one by determinizing; where nothing varies, all is in sight."""
    varies = False
    records: dict[tuple[int, int, bytes], set[bytes]] = {}
    sampled: dict[tuple[int, int, bytes], set[bytes]] = {}
    for players in find_game(name).players:
        setup = load_game(name, players=players)
        for number in range(60):
            for state in positions(setup, number):
                for player in range(players):
                    look = (players, player, observation(setup, state, player).tobytes())
                    world, _ = known_to(setup, state, player, seed=0)
                    records.setdefault(look, set()).add(record_bytes(state))
                    sampled.setdefault(look, set()).add(record_bytes(world))
                    varies = varies or record_bytes(world) != record_bytes(state)
    assert all(len(worlds) == 1 for worlds in sampled.values())
    assert varies or all(len(same) == 1 for same in records.values())


@each_setup
def test_observe_writes_every_element_and_no_more(setup: Setup) -> None:
    for state in positions(setup):
        for player in range(setup.players):
            seen = observation(setup, state, player)
            assert np.all(np.isfinite(seen[:-1]))
            assert np.isnan(seen[-1])


@each_setup
def test_heuristic_is_a_utility(setup: Setup) -> None:
    low, high = setup.ranges.utility
    for state in positions(setup):
        for player in range(setup.players):
            assert low <= heuristic(state, player) <= high


# Exact methods.

MOST_WAYS = 300  # that chance is followed
MOST_STEPS = 40
MOST_TAKEN_BACK = 300  # positions of a game in which secret choices are taken back


def chances_of(state: Any) -> list[float]:
    """List the probabilities of the outcomes that are due."""
    chances = np.full(MOST_OUTCOMES, np.nan)
    return chances[: outcomes(state, chances)].tolist()


def ways_of_chance(setup: Setup, state: Any) -> Iterator[tuple[float, Any]]:
    """Yield every record that the chance which is due can lead to, with its probability."""
    chances = chances_of(state)
    if not chances:
        yield 1.0, state
        return
    assert min(chances) > 0.0
    assert sum(chances) == pytest.approx(1.0, abs=1e-12)
    for outcome, chance in enumerate(chances):
        following = copy_of(setup, state)
        resolve(following, outcome)
        for later, end in ways_of_chance(setup, following):
            yield chance * later, end


def look_of(setup: Setup, state: Any) -> tuple[bytes, ...]:
    """Return what all players together know of a state, as bytes."""
    return tuple(record_bytes(known_to(setup, state, player, seed=0)[0]) for player in range(setup.players))


@each_setup
def test_what_the_key_draws_is_one_of_the_outcomes(setup: Setup) -> None:
    for step, state in enumerate(positions(setup)):
        assert not chances_of(state), "chance is due, but a player is asked"
        if step > MOST_STEPS:
            continue
        for action in legal(state)[:2]:
            played, left_open = copy_of(setup, state), copy_of(setup, state)
            apply_action(played, action)
            act(left_open, action)
            ways = list(itertools.islice(ways_of_chance(setup, left_open), MOST_WAYS))
            if len(ways) < MOST_WAYS:
                assert sum(chance for chance, _ in ways) == pytest.approx(1.0, abs=1e-9)
                assert look_of(setup, played) in [look_of(setup, end) for _, end in ways]


@each_setup
def test_secret_choices_can_be_taken_back(setup: Setup) -> None:
    looks: list[tuple[bytes, ...]] = []
    movers: list[int] = []
    for state in itertools.islice(every_position(setup), MOST_TAKEN_BACK):
        taken_back = copy_of(setup, state)
        n_secret = int(retract(taken_back))
        looks.append(look_of(setup, state))
        if n_secret:
            assert not is_terminal(state)
            assert look_of(setup, taken_back) == looks[-1 - n_secret]
            assert current_player(taken_back) == movers[-n_secret]
            assert len({*movers[-n_secret:], int(current_player(state))}) == n_secret + 1
            assert retract(taken_back) == 0
        else:
            assert record_bytes(taken_back) == record_bytes(state)
        movers.append(int(current_player(state)))


@each_setup
def test_a_canonical_state_stands_for_itself_and_is_worth_the_same(setup: Setup) -> None:
    utility, of_canonical = np.zeros(setup.players), np.zeros(setup.players)
    for state in positions(setup):
        once = copy_of(setup, state)
        canonical(once)
        twice = copy_of(setup, once)
        canonical(twice)
        assert record_bytes(twice) == record_bytes(once)
        assert bool(is_terminal(once)) == bool(is_terminal(state))
        assert len(legal(once)) == len(legal(state))
        if is_terminal(state):
            returns(state, utility)
            returns(once, of_canonical)
            assert utility.tolist() == of_canonical.tolist()
        else:
            assert current_player(once) == current_player(state)


# Exact counts.


def count_paths(setup: Setup, state: Any, depth: int) -> list[int]:
    """Count the ways to play 1 … depth actions from a state."""
    actions = legal(state)
    counts = [len(actions)] + [0] * (depth - 1)
    for action in actions if depth > 1 else ():
        following = copy_of(setup, state)
        apply_action(following, action)
        for step, count in enumerate(count_paths(setup, following, depth - 1)):
            counts[step + 1] += count
    return counts


@each_game
def test_the_number_of_action_paths(name: str) -> None:
    """Deal 0 of seed 1, at every table size: a change here is a change of the rules, or of the deals."""
    pinned = json.loads((GOLDEN / "path_counts.json").read_text())
    game = find_game(name)
    found = {}
    for players in game.players:
        setup = load_game(name, players=players)
        found[str(players)] = count_paths(setup, setup.new_game(1, 0), DEPTH)
    assert found == pinned.get(name)


# Compiled code.


@pytest.fixture(scope="module")
def digests() -> dict[str, str]:
    """Play everything in this process."""
    return play_digest.play_all(GAMES)


def run_digests(*games: str, **environment: str) -> dict[str, Any]:
    """Play everything, or some games, in a process of its own and return what it prints."""
    command = [sys.executable, "-m", "tests.play_digest", *(games or GAMES)]
    done = subprocess.run(
        command, cwd=HOUSE, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@each_game
def test_every_agent_that_the_game_does_not_refuse_plays_it(name: str, digests: dict[str, str]) -> None:
    played = [key.split()[-1] for key in digests if key.startswith(f"{name} ")]
    assert played == list(play_digest.agent_texts(load_game(name)))


@pytest.mark.skipif(not JIT, reason="compares compiled with interpreted code")
def test_interpreted_code_plays_the_same_games(digests: dict[str, str]) -> None:
    interpreted = run_digests(NUMBA_DISABLE_JIT="1")["digests"]
    assert interpreted == digests


@pytest.fixture(scope="module")
def first_process(digests: dict[str, str]) -> dict[str, Any]:
    """Play everything in another process, which compiles only what this one has not: it also plays larger tables."""
    return run_digests()


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_one_compilation_serves_every_table_size_and_option(first_process: dict[str, Any]) -> None:
    """In a process that only plays: tests call kernels with types of their own."""
    assert first_process["signatures"] == {}


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_another_process_compiles_nothing(digests: dict[str, str], first_process: dict[str, Any]) -> None:
    second = run_digests()
    assert second["misses"] == 0
    assert second["digests"] == first_process["digests"] == digests


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_an_empty_cache_is_missed(tmp_path: Path) -> None:
    assert run_digests("toy-bandit", PIZZABOTS_CACHE=str(tmp_path))["misses"] > 0
