"""Text: actions and positions there and back, games scored, errors in one sentence, transcripts."""

import pytest

from engine.games.pizza_chef import notation
from engine.games.pizza_chef.rules import N_ACTIONS
from experiments.transcript import play_deal
from tests.games.pizza_chef.playing import in_order, load
from tests.games.playing import states_of_random_game


def test_every_action_there_and_back():
    texts = [notation.action_text(action) for action in range(N_ACTIONS)]
    assert [notation.parse_action(text) for text in texts] == list(range(N_ACTIONS))
    assert notation.parse_action(" LOOK  c5 ") == 20


@pytest.mark.parametrize("text", ["", "look", "look i1", "look a9", "grab a1", "a1"])
def test_no_action(text):
    with pytest.raises(ValueError, match="a move is look or snatch and a place a1 to h8"):
        notation.parse_action(text)


def test_a_game_is_scored_by_its_rounds():
    answer = notation.explain("1 0 2 1 1", load().options, 4)
    assert answer["points"] == 3
    assert [(each["name"], each["points"]) for each in answer["features"]] == [
        ("seat 0", 1),
        ("seat 1", 3),
        ("seat 2", 1),
    ]
    assert notation.explain("1 0+1 1+0", load(5).options, 5)["points"] == 3


@pytest.mark.parametrize(
    ("rounds", "players", "sentence"),
    [
        ("4", 4, "a round is a seat from 0 to 3, or two joined by +, not '4'"),
        ("a", 4, "a round is a seat"),
        ("1+2", 4, "a round with 4 players gives hats to 1 seat"),
        ("1+1", 5, "a round with 5 players gives hats to 2 seats"),
        ("0 0 0 0 1", 4, "seat 0 has 4 hats before round '1': it was over"),
    ],
)
def test_no_game(rounds, players, sentence):
    with pytest.raises(ValueError, match=sentence.replace("+", r"\+")):
        notation.explain(rounds, load(players).options, players)


@pytest.mark.parametrize("options", [{}, {"memory": 4, "wrong": "sit_out"}, {"pace": "2,1,3,1"}])
def test_positions_there_and_back(options):
    for state in states_of_random_game(load(4, **options), 3):
        assert notation.parse_position(notation.position_text(state)).tobytes() == state.tobytes()


@pytest.mark.parametrize(
    ("line", "other", "sentence"),
    [
        ("players: 4", "players: 2", "players 2 is not 3 to 8"),
        ("phase: searching", "phase: eating", "'eating' is no phase"),
        ("tick: 1", "tick: x", "line 'tick' of the position is wrong: 'x'"),
        ("tick: 1", "tock: 1", "the position has no line 'tick'"),
        ("places: salami", "places: olives", "there are 7 slices with topping 0"),
        ("places: salami", "places:", "there are 63 slices, not 64"),
        ("order: olives", "order: tofu", "'tofu' is no order"),
        ("pace: 1", "pace: 0", "a pace is not 1 to 9"),
        ("hats: 0", "hats: 5", "the hats are"),
        ("order: olives", "order: joker-a", "in the bag, too"),
    ],
)
def test_wrong_positions(line, other, sentence):
    state = in_order(load(4), active=0, order="olives")
    with pytest.raises(ValueError, match=sentence):
        notation.parse_position(notation.position_text(state).replace(line, other))


def test_the_table_shows_only_what_the_player_remembers():
    state = in_order(load(4), active=0, order="olives")
    everything, nothing = notation.show(state), notation.show(state, 1)
    assert everything.count("salami") - nothing.count("salami") == 8
    assert nothing.count("·") == 64
    assert everything.splitlines()[0] == "round 1, bag with seat 0: find olives, tick 1"


def test_a_transcript_tells_hats_and_a_person_sees_only_his_own_looks():
    lines = []
    played = play_deal(load(4), ["greedy"], 1, 0, None, lambda question: "", lines.append)
    assert max(played["points"]) == 4
    assert sum("wins hat" in line for line in lines) == sum(played["points"])
    lines = []
    play_deal(load(4), ["greedy"], 1, 0, 2, lambda question: "look a1", lines.append)
    assert any(line.startswith("seat 1") and line.endswith("looks somewhere") for line in lines)
    assert not any(" look " in line for line in lines if line.startswith(("seat 0", "seat 1", "seat 3")))
    assert not any("sees" in line and "seat 2" not in line for line in lines)
