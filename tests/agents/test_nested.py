"""Any compiled agent plays inside any other, inside itself too, three deep."""

from __future__ import annotations

import pytest

from engine.contract import agent_names, find_agent, load_game
from tests import play_digest

GAME = "toy-nim"
CHEAP = {"iterations": 4, "states": 4}  # knobs that say how much an agent thinks


def _inner_knob(name: str) -> str | None:
    """Return the knob of an agent that names another, or None."""
    return next((knob for knob, fact in find_agent(name).knob_facts.items() if fact.is_agent), None)


OUTER = [name for name in agent_names() if _inner_knob(name)]
FIT = [name for name in agent_names() if "style" not in find_agent(name).knob_facts]  # the toy has no styles


def nested(*names: str) -> str:
    """Write agents inside one another, the outermost first, each with little to think."""
    text, prefix = names[0], ""
    knobs: list[str] = []
    for place, name in enumerate(names):
        knobs += [f"{prefix}{knob}={value}" for knob, value in CHEAP.items() if knob in find_agent(name).knob_facts]
        if place + 1 < len(names):
            inner = _inner_knob(name)
            knobs.append(f"{prefix}{inner}={names[place + 1]}")
            prefix += f"{inner}."
    return f"{text}:{','.join(knobs)}" if knobs else text


def test_the_agents_that_hold_another_are_found() -> None:
    assert {"mcts", "flat-mc", "policy-mc", "erring", "restricted"} <= set(OUTER)
    assert nested("mcts", "flat-mc", "uniform") == (
        "mcts:iterations=4,rollout=flat-mc,rollout.iterations=4,rollout.rollout=uniform"
    )


@pytest.mark.parametrize(
    "names",
    [
        ("mcts", "mcts"),
        ("flat-mc", "mcts"),
        ("flat-mc", "flat-mc", "flat-mc"),
        ("policy-mc", "mcts", "flat-mc"),
    ],
    ids="-".join,
)
def test_a_search_plays_the_simulations_of_a_search(names: tuple[str, ...]) -> None:
    setup = load_game(GAME)
    digest = play_digest.play(setup, nested(*names))
    assert digest == play_digest.play(setup, nested(*names))


@pytest.mark.slow
@pytest.mark.parametrize("name", FIT)
def test_every_agent_plays_the_simulations_of_a_search(name: str) -> None:
    assert len(play_digest.play(load_game(GAME), nested("mcts", name))) == 16


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTER)
def test_every_agent_holds_a_search_and_itself_three_deep(name: str) -> None:
    setup = load_game(GAME)
    assert len(play_digest.play(setup, nested(name, "mcts"))) == 16
    assert len(play_digest.play(setup, nested(name, name, name))) == 16
