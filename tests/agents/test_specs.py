"""Agents written as text: what is understood, and what is refused with which sentence."""

import pytest

from agents import make_player, make_players, parse_spec, split_specs
from engine import load_game
from tests.agents import own

OWN = own.__name__


@pytest.fixture(scope="module")
def setup():
    return load_game("robots-ate-our-pizza")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ("uniform greedy", ["uniform", "greedy"]),
        (["uniform", "greedy:style=own mcts"], ["uniform", "greedy:style=own", "mcts"]),
        ("mcts:iterations=10,c=0.7", ["mcts:iterations=10,c=0.7"]),
        ("uniform,mcts:iterations=10,c=0.7,greedy", ["uniform", "mcts:iterations=10,c=0.7", "greedy"]),
        ("mcts:rollout=greedy,rollout.style=own,c=1", ["mcts:rollout=greedy,rollout.style=own,c=1"]),
        ("module.sub:Class:knob=1,other=2", ["module.sub:Class:knob=1,other=2"]),
        ("", []),
    ],
)
def test_lists_are_split_by_spaces_and_by_commas_that_begin_no_knob(texts, words):
    assert split_specs(texts) == words


def test_a_spec_has_a_name_and_knobs():
    spec = parse_spec("mcts:iterations=10,c=0.7")
    assert (spec.name, dict(spec.knobs), spec.label) == (
        "mcts",
        {"iterations": "10", "c": "0.7"},
        "mcts:iterations=10,c=0.7",
    )
    assert parse_spec("module:Class:knob=1").name == "module:Class"
    nested = parse_spec("mcts:rollout=module:Class,rollout.knob=1")
    assert (nested.name, dict(nested.knobs)) == ("mcts", {"rollout": "module:Class", "rollout.knob": "1"})


def test_an_agent_of_the_users_own_plays_inside_another(setup):
    player = make_player(f"erring:player=mcts,player.rollout={OWN}:Highest,player.rollout.offset=1", setup)
    assert player.knobs.player.rollout == own.Highest(offset=1)


def test_knobs_take_the_type_of_their_default(setup):
    player = make_player(
        "mcts:iterations=1e3,c=1,final=mean,rollout=greedy,rollout.style=own,rollout.noise=0.25", setup
    )
    assert player.knobs.iterations == 1000
    assert isinstance(player.knobs.iterations, int)
    assert isinstance(player.knobs.c, float)
    assert player.knobs.rollout.noise == 0.25
    assert player.knobs.rollout.style == setup.game.style_number("own")
    assert player.looks
    assert not make_player("uniform", setup).looks


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nobody", "there is no agent 'nobody'; the agents: erring, expectimax, flat-mc, "),
        ("greedy:colour=red", "greedy has no knob 'colour'; its knobs: style, weight, noise"),
        ("greedy:style=bold", "robots-ate-our-pizza has no style 'bold'; its styles: own, "),
        ("greedy:table=1", "greedy has no knob 'table'"),
        ("greedy:noise=2", "knob noise of greedy is a number from 0 to 1, not '2'"),
        ("greedy:weight=nan", "knob weight of greedy is a number, not 'nan'"),
        ("mcts:iterations=0", "knob iterations of mcts is a whole number from 1 to 10,000,000, not '0'"),
        ("mcts:iterations=1.5", "knob iterations of mcts is a whole number"),
        ("mcts:final=luck", "knob final of mcts is visits, mean, not 'luck'"),
        ("mcts:rollout=nobody", "there is no agent 'nobody'"),
        ("mcts:rollout.style=own", "uniform has no knob 'style'; its knobs: none"),
        ("mcts:c=1,c=2", "knob c stands twice"),
        ("mcts:c=", "a knob is written knob=value"),
        ("a:b:c:d=1", "an agent is name, name:knob=value,… or module:Class"),
        ("nowhere_at_all:Agent", "the agent module 'nowhere_at_all' does not import: ModuleNotFoundError"),
        (f"{OWN}:Nobody", f"the agent module '{OWN}' has no 'Nobody'"),
        (f"mcts:rollout={OWN}:Nobody", f"the agent module '{OWN}' has no 'Nobody'"),
        (f"mcts:rollout={OWN}:First", f"knob rollout of mcts is a compiled agent, and {OWN}:First is not the knobs of"),
        ("mcts:rollout=nowhere_at_all:Agent", "the agent module 'nowhere_at_all' does not import"),
        ("mcts:rollout=:Agent", "the agent module '' does not import"),
        ("knob=1", "an agent is name, name:knob=value,… or module:Class, not 'knob=1'"),
        (f"{OWN}:NoChoose", "has no method choose(view)"),
        (f"{OWN}:A_NUMBER", "is neither a class with choose(view) nor a function of a view"),
        (f"{OWN}:First:speed=1", "does not take these knobs"),
        (f"{OWN}:last:speed=1", "is a function and has no knobs"),
    ],
)
def test_a_wrong_agent_is_refused_with_a_sentence(setup, text, sentence):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011
        make_player(text, setup)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_list_names_at_least_one_agent_and_none_twice(setup):
    with pytest.raises(ValueError, match="name at least one agent"):
        make_players("", setup)
    with pytest.raises(ValueError, match="agent uniform is named twice"):
        make_players("uniform greedy uniform", setup)
