"""The fitness check: good agents pass in every game, and each way to be unfit is caught by its name."""

import json

import pytest

from engine import load_game
from engine.contract import register_agent
from experiments.check_agent import check_agent
from tests.agents import cheat, own
from tests.experiments.test_cli import run  # noqa: F401

OWN, CHEAT = own.__name__, cheat.__name__
GAME = "robots-ate-our-pizza"


@pytest.fixture(autouse=True)
def cheats_at_the_table(registries):
    """Register the cheats for one test; the registries are put back after it."""
    for agent in cheat.CHEATS:
        register_agent(agent)


@pytest.fixture(scope="module")
def pizza():
    return load_game(GAME, players=3)


def failed(answer) -> dict[str, str]:
    return {check.name: check.words for check in answer.checks if not check.passed}


@pytest.mark.parametrize("agent", ["uniform", "greedy", f"{OWN}:Last:chance=0.5", f"{OWN}:Counter", f"{OWN}:Sampler"])
def test_fit_agents_pass(pizza, agent):
    answer = check_agent(pizza, agent, deals=3)
    assert failed(answer) == {}
    assert answer.n_decisions == 3 * 3 * 4
    assert 0 < answer.mean_milliseconds <= answer.longest_milliseconds
    assert [check.name for check in answer.checks][-2:] == ["whole games", "deterministic"]


@pytest.mark.parametrize(
    ("agent", "check", "words"),
    [
        (f"{CHEAT}:Marked", "blind to hidden things", "a change of what is hidden changed its answer (deal "),
        (f"{CHEAT}:Beside", "legal", "which is not legal (deal 0, decision 0)"),
        (f"{OWN}:Illegal", "legal", "which is not legal (deal 0, decision 0)"),
        (f"{OWN}:Raises", "legal", "raised RuntimeError"),
        (f"{OWN}:Spins", "legal", "gave no answer within 0.1 seconds"),
        (f"{OWN}:Remembers", "deterministic", "played again alone, came out otherwise"),
    ],
)
def test_unfit_agents_are_caught(pizza, agent, check, words):
    answer = check_agent(pizza, agent, deals=3, move_seconds=0.1)
    assert words in failed(answer)[check]
    assert not answer.passed


def test_the_command_prints_and_fails(run):  # noqa: F811
    code, out, _ = run("check-agent", "uniform", "--game", GAME, "--game", "robot-master", "--deals", "2")
    assert code == 0
    assert out.count("passed") == 10
    code, out, err = run("check-agent", f"{OWN}:Illegal", "--game", GAME, "--json")
    assert code == 1
    assert f"agent {OWN}:Illegal failed in {GAME}" in err
    assert json.loads(out)[0]["passed"] is False
    code, _, err = run("check-agent", "nobody", "--game", GAME)
    assert code == 2
    assert "there is no agent 'nobody'" in err
