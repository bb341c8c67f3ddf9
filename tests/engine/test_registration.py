"""Registration refuses what breaks the contract, each with a sentence that names the game and the fault."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import agents
from engine.contract import (
    DEFAULTS,
    LARGEST_RECORD,
    MOST_ACTIONS,
    MOST_FIELDS,
    VERBS,
    Agent,
    Game,
    Habit,
    agent_names,
    find_agent,
    find_game,
    game_names,
    load_game,
    register_agent,
    register_game,
)
from tests.toys import die

agents.load_all()

NECESSARY = [verb.__name__ for verb in VERBS if verb.__name__ not in DEFAULTS]


def rules_with(**changes: Any) -> types.SimpleNamespace:
    """Return the rules of the toy die with some verbs replaced, or left out where the change is None."""
    verbs = {verb.__name__: getattr(die, verb.__name__, None) for verb in VERBS} | changes
    kept = {name: written for name, written in verbs.items() if written is not None}
    return types.SimpleNamespace(__file__=die.__file__, **kept)


def record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype([*fields], align=True)


def twin_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return an equal record type, made anew."""
    return record(*((name, dtype[name].base.str, dtype[name].shape) for name in dtype.names))


def broken_game(**changes: Any) -> Game:
    """Return a game that would be fine, with a record of its own, but for the changes."""
    sound = {"name": "toy-broken", "dtype": record(("lonely", "u1")), "rules": rules_with()}
    return dataclasses.replace(die.GAME, **(sound | changes))


def habit(**changes: Any) -> Habit:
    """Return a habit that would be fine but for the changes."""
    return dataclasses.replace(Habit("odd", "to be odd", (1,)), **changes)


def swapped_apply(action: int, state: Any) -> None:
    """Take the parameters in the wrong order."""


def short_observe(state: Any, player: int) -> None:
    """Lack a parameter."""


WRONG_GAMES: dict[str, tuple[dict[str, Any], str]] = {
    "name taken": ({"name": "toy-die"}, "a game named toy-die is registered already"),
    "parameters swapped": (
        {"rules": rules_with(apply_action=swapped_apply)},
        r"toy-broken: apply_action takes \(state, action\), not \(action, state\)",
    ),
    "parameter missing": (
        {"rules": rules_with(observe=short_observe)},
        r"toy-broken: observe takes \(state, player, out\), not \(state, player\)",
    ),
    "optional verb wrong": (
        {"rules": rules_with(heuristic=lambda state: 0.0)},
        r"toy-broken: heuristic takes \(state, player\), not \(state\)",
    ),
    "style verb wrong": (
        {"appraise": lambda state, actions: None},
        r"toy-broken: appraise takes \(state, actions, n_legal, style, weight, table, values\), not \(state, actions\)",
    ),
    "twin record": ({"dtype": twin_of(die.STATE)}, "toy-broken has the very record of toy-die"),
    "not aligned": ({"dtype": np.dtype([("a", "u1"), ("b", "u8")])}, "toy-broken: the record wants align=True"),
    "gaps": (
        {"dtype": record(("a", "u1"), ("b", "u8"))},
        "toy-broken: the record has 7 bytes of gaps between its fields; order or widen them",
    ),
    "too large": (
        {"dtype": record(("a", "u1", (LARGEST_RECORD + 1,)))},
        f"toy-broken: a record is at most {LARGEST_RECORD} bytes, not {LARGEST_RECORD + 1}",
    ),
    "too many fields": (
        {"dtype": record(*((f"field_{number}", "u1") for number in range(MOST_FIELDS + 1)))},
        f"toy-broken: a record has at most {MOST_FIELDS} fields",
    ),
    "no actions": ({"n_actions": 0}, f"toy-broken: n_actions is 1 to {MOST_ACTIONS}, not 0"),
    "too many actions": ({"n_actions": MOST_ACTIONS + 1}, f"n_actions is 1 to {MOST_ACTIONS}, not {MOST_ACTIONS + 1}"),
    "no players": ({"players": (0, 2)}, r"toy-broken: players are ascending numbers from 1 to 8, not \(0, 2\)"),
    "too many players": ({"players": (2, 9)}, r"toy-broken: players are ascending numbers from 1 to 8, not \(2, 9\)"),
    "more legal actions than actions": ({"most_legal": 9}, "toy-broken: most_legal is 1 to n_actions 2, not 9"),
    "default players": ({"default_players": 7}, r"toy-broken: default_players 7 is not one of \(1,\)"),
    "default style": ({"default_style": "bold"}, "toy-broken: default_style 'bold' is none of its styles"),
    "called verb": (
        {"called_verbs": ("shuffle",)},
        "toy-broken: called_verbs names 'shuffle', which is no verb of a game",
    ),
    "field of numpy's own": (
        {"dtype": record(("round", "u1"))},
        "toy-broken: a field may not be named 'round', which every numpy record has already",
    ),
    "habit of no action": ({"habits": (habit(actions=()),)}, "habit odd has actions from 0 to 1, at least one"),
    "habit of an unknown action": ({"habits": (habit(actions=(2,)),)}, "habit odd has actions from 0 to 1"),
    "habit twice": ({"habits": (habit(), habit())}, "toy-broken: two habits are named odd"),
    "habit's name": (
        {"habits": (habit(name="Odd+"),)},
        r"toy-broken: a habit is named by small letters, digits and hyphens, not 'Odd\+'",
    ),
    "habit's occasion": ({"habits": (habit(occasions=(1,)),)}, "habit odd has occasions from 0 to 0"),
    "habit's needs": (
        {"habits": (habit(needs={"sides": 3}),)},
        "habit odd needs an option that the game does not have",
    ),
    "occasions": ({"occasions": 0}, "toy-broken: occasions is 1 to 16, not 0"),
    "players reversed": ({"players": (4, 2)}, r"toy-broken: players are ascending numbers from 1 to 8, not \(4, 2\)"),
}


@pytest.mark.parametrize(("changes", "sentence"), WRONG_GAMES.values(), ids=WRONG_GAMES.keys())
def test_a_wrong_game_is_refused_with_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    before = game_names()
    with pytest.raises(ValueError, match=sentence):
        register_game(broken_game(**changes))
    assert game_names() == before, "the refused game is there"


@pytest.mark.parametrize("verb", NECESSARY)
def test_a_game_without_a_verb_is_refused(verb: str) -> None:
    with pytest.raises(ValueError, match=f"toy-broken has no verb {verb}"):
        register_game(broken_game(rules=rules_with(**{verb: None})))


def test_registering_the_same_game_again_changes_nothing() -> None:
    before = game_names()
    assert register_game(die.GAME) is die.GAME
    assert game_names() == before


def test_unknown_names_list_what_exists() -> None:
    with pytest.raises(ValueError, match=r"there is no game 'chess'; the games: .*robots-ate-our-pizza.*toy-die"):
        find_game("chess")
    with pytest.raises(ValueError, match=r"there is no agent 'deep-blue'; the agents: .*mcts.*uniform"):
        find_agent("deep-blue")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"players": 3}, "the number of players of toy-die is 1, not 3"),
        ({"players": "two"}, "players of toy-die is a whole number, not 'two'"),
        ({"sides": 8}, "toy-die has no option 'sides'; its options: none"),
    ],
)
def test_wrong_options_are_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        load_game("toy-die", **arguments)


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("best", 4, "option best of toy-bandit is 0 to 3, not '4'"),
        ("best", "x", "option best of toy-bandit is 0 to 3, not 'x'"),
        ("best", True, "option best of toy-bandit is 0 to 3, not 'true'"),
    ],
)
def test_wrong_values_are_refused_with_a_sentence(option: str, value: Any, sentence: str) -> None:
    from tests.toys import bandit

    with pytest.raises(ValueError, match=sentence):
        load_game(bandit.GAME.name, **{option: value})


def test_options_read_the_texts_of_the_command_line() -> None:
    from tests.toys import nim

    for value in (True, "true"):
        assert load_game(nim.GAME.name, misere=value).options["misere"] is True


# Agents.


class BrokenKnobs(NamedTuple):
    """Knobs that belong to nobody."""


def sound_workspace(agent: Any, states: Any) -> Any:
    """Return nothing."""


def sound_choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    return 0


def broken_agent(**changes: Any) -> Agent:
    sound = {
        "name": "broken",
        "summary": "",
        "knobs": BrokenKnobs,
        "choose": sound_choose,
        "workspace": sound_workspace,
    }
    return Agent(**(sound | changes))


def blind_choose(agent: Any, rng: Any) -> int:
    return 0


WRONG_AGENTS: dict[str, tuple[Callable[[], Agent], str]] = {
    "name taken": (lambda: broken_agent(name="uniform"), "an agent named uniform is registered already"),
    "knobs taken": (
        lambda: broken_agent(knobs=find_agent("uniform").knobs),
        "broken: the knobs Uniform belong to another agent",
    ),
    "choose": (
        lambda: broken_agent(choose=blind_choose),
        r"broken: choose takes \(agent, state, space, rng\), not \(agent, rng\)",
    ),
    "choose_among": (
        lambda: broken_agent(choose_among=blind_choose),
        r"broken: choose_among takes \(agent, state, actions, n_actions, space, rng\), not \(agent, rng\)",
    ),
    "workspace": (
        lambda: broken_agent(workspace=lambda agent: None),
        r"broken: workspace takes \(agent, states\), not \(agent\)",
    ),
}


@pytest.mark.parametrize(("make", "sentence"), WRONG_AGENTS.values(), ids=WRONG_AGENTS.keys())
def test_a_wrong_agent_is_refused_with_a_sentence(make: Callable[[], Agent], sentence: str) -> None:
    before = agent_names()
    with pytest.raises(ValueError, match=sentence):
        register_agent(make())
    assert agent_names() == before, "the refused agent is there"


def test_registering_the_same_agent_again_changes_nothing() -> None:
    uniform = find_agent("uniform")
    assert register_agent(uniform) is uniform
