"""The tests' own house rules: nothing is left behind, nothing runs for ever, and one command runs them all."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.contract import agent_names, game_names, register_agent
from tests.agents import cheat
from tests.registries import REGISTRIES, kept_registries

HOUSE = Path(__file__).resolve().parents[1]


def test_what_a_test_registers_is_gone_when_it_ends() -> None:
    before = [list(registry.items()) for registry in REGISTRIES]
    with kept_registries():
        register_agent(cheat.CHEATS[0])
        assert cheat.CHEATS[0].name in agent_names()
    assert [list(registry.items()) for registry in REGISTRIES] == before


def test_the_standing_cast_is_there_whichever_tests_run_and_no_cheat_among_it() -> None:
    assert {"robots", "pizza-time", "toy-nim"} <= set(game_names())
    assert {"uniform", "greedy", "mcts", "highest"} <= set(agent_names())
    assert not {each.name for each in cheat.CHEATS} & set(agent_names())


def test_no_test_may_run_for_ever(request: pytest.FixtureRequest) -> None:
    assert request.config.pluginmanager.hasplugin("timeout")
    assert 0 < float(request.config.getini("timeout")) <= 1800
    assert request.config.getini("timeout_method") == "thread"


def test_continuous_integration_calls_the_test_command_that_the_readme_gives() -> None:
    given = re.findall(r"^make test\b", (HOUSE / "README.md").read_text(), re.MULTILINE)
    called = [line for line in (HOUSE / ".ci" / "run").read_text().splitlines() if line.startswith("make ")]
    assert given == ["make test"]
    assert called == ["make lint", "make test", "make test-slow"]
