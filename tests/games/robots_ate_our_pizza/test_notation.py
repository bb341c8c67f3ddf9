"""Text: cards, positions there and back, errors in one sentence, and pictures that give nothing away."""

import pytest

from engine.contract import apply_action, current_player, is_terminal
from engine.games.robots_ate_our_pizza import notation
from engine.games.robots_ate_our_pizza.rules import COLORS, N_ACTIONS
from engine.games.robots_ate_our_pizza.slices import TUNED, read_tables
from tests.games.playing import legal, states_of_random_game
from tests.games.robots_ate_our_pizza.playing import EVERY_NUMBER_OF_PLAYERS, load, words, write_tables


def test_every_action_there_and_back():
    texts = [notation.action_text(action) for action in range(N_ACTIONS)]
    assert texts == [color + str(number) for color in "RBYP" for number in range(1, 9)]
    assert [notation.parse_action(text) for text in texts] == list(range(N_ACTIONS))
    assert notation.parse_action(" p8 ") == 31


@pytest.mark.parametrize("text", ["", "R", "R0", "R9", "G1", "1R", "R11", "R 1", "R²"])
def test_no_card(text):
    with pytest.raises(ValueError, match="a card is a color of R, B, Y, P and a number 1 to 8 such as R3, not"):
        notation.parse_action(text)


@pytest.mark.parametrize("position", ["R1 B1 R3 B4", "R1,B1,R3,B4", "r1; b1; r3; b4", "  R1  B1 R3 B4 "])
def test_hands_may_be_written_in_several_ways(position):
    assert words(notation.parse_cards(position)) == ["R1", "B1", "R3", "B4"]


@pytest.mark.parametrize(
    ("position", "complaint"),
    [
        ("R1 B1 R1 B4", "R1 stands twice in 'R1 B1 R1 B4'; every card exists once"),
        ("R1 B1 R3", "a hand is 4 cards, not 3: 'R1 B1 R3'"),
        ("R1 B1 R3 B4 P5", "a hand is 4 cards, not 5"),
        ("", "a hand is 4 cards, not 0"),
        ("R1 B1 R3 G4", "not 'G4'"),
        ("R1 B1 R3 B9", "not 'B9'"),
    ],
)
def test_no_hand(position, complaint):
    setup = load()
    with pytest.raises(ValueError, match=complaint):
        notation.explain(position, setup.options)


def test_numbers_of_a_hand_go_as_high_as_the_deck_when_players_are_given():
    setup = load(2)
    assert notation.explain("R1 B2 R5 B8", setup.options)["points"] == 4
    with pytest.raises(ValueError, match="with 2 players the numbers go to 4, so there is no R5"):
        notation.explain("R1 B2 R5 B8", setup.options, players=2)


# Positions.


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
@pytest.mark.parametrize("mode", ["task", "combo"])
def test_positions_there_and_back(players, mode, tmp_path):
    tables = write_tables(tmp_path / "all.toml")
    options = {"simultaneous_picks": players % 2 == 0, "memory": players != 3, "success_at": -2}
    setup = load(players, mode=mode, tables=tables, **options)
    for number in range(2):
        for state in states_of_random_game(setup, number):
            again = notation.parse_position(notation.position_text(state))
            assert again.tobytes() == state.tobytes()


def test_a_position_read_back_plays_on():
    state = load(3).new_game(seed=1)
    again = notation.parse_position(notation.position_text(state))
    while not is_terminal(state):
        apply_action(state, legal(state)[-1])
        apply_action(again, legal(again)[-1])
    assert again.tobytes() == state.tobytes()


def changed(name: str, value: str) -> str:
    lines = notation.position_text(load(2).new_game(seed=1)).splitlines()
    return "\n".join(f"{name}: {value}" if line.startswith(name + ":") else line for line in lines)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("players", "a line of a position is `name: value`, not 'players'"),
        ("players: 2", "the position has no line 'task'"),
        (changed("players", "two"), "line 'players' of the position is wrong: 'two'"),
        (changed("players", "-2"), "line 'players' of the position is wrong: '-2'"),
        (changed("players", "3"), "line 'laid' has 2 seats, not 3"),
        (changed("players", "9"), "players 9 is not 2 to 6"),
        (changed("task", "25"), "task 25 is not 1 to 24"),
        (changed("mode", "9"), "mode 9 is not in"),
        (changed("runs", "2"), "runs 2 is not in"),
        (changed("rounds", "5"), "rounds 5 is not 0 to 4"),
        (changed("leg", "4"), "leg 4 is not 0 to 3"),
        (changed("tasks", "1 2 3"), "line 'tasks' of the position is wrong: '1 2 3'"),
        (changed("tasks", "1 2 3 x"), "line 'tasks' of the position is wrong"),
        (changed("results", "99999 0 0 0"), "line 'results' of the position is wrong"),
        (changed("laid", "R1 | -"), "has laid 1 cards, not 0"),
        (changed("laid", "R1 R2 R3 R4 B1 | -"), "seat 0 has laid 5 cards"),
        (changed("hands", "R1 R2 R3 R4 B1 | R1 B2 B3 B4 Y1"), "R1 is there twice"),
        (changed("hands", "R1 R2 R3 R4 R5 | B1 B2 B3 B4 Y1"), "R5 is not in the deck for 2 players"),
        (changed("hands", "R1 R2 R3 R4 | B1 B2 B3 B4 Y1"), "seat 0 holds 4 cards, not 5"),
        (changed("hands", "R1 R2 R3 R4 G1 | B1 B2 B3 B4 Y1"), "not 'G1'"),
        (changed("hands", "R1 R2 R3 R4 R1 | B1 B2 B3 B4 Y1"), "R1 stands twice"),
        (changed("hands", "R1 R2 R3 R4 B1"), "line 'hands' has 1 seats, not 2"),
    ],
)
def test_wrong_positions(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        notation.parse_position(text)


# Pictures.


@pytest.mark.parametrize("simultaneous_picks", [False, True])
def test_a_player_is_shown_nobody_elses_cards(simultaneous_picks):
    setup = load(5, simultaneous_picks=simultaneous_picks)
    for state in states_of_random_game(setup, 1):
        for player in range(5):
            picture = notation.show(state, player)
            hidden = [card for seat in range(5) if seat != player for card in notation.hand_cards(state, seat)]
            if simultaneous_picks and state.rounds < 4:
                turns = range(int(state.picked))
                picked = [(int(state.first_player) + turn) % 5 for turn in turns]
                hidden += [int(state.picks[seat, state.rounds]) for seat in picked if seat != player]
                assert picture.count("??") == len([seat for seat in picked if seat != player])
            shown = {word for word in picture.split() if len(word) == 2 and word[0] in COLORS}
            assert not shown & set(words(hidden))
            assert shown >= set(words(notation.hand_cards(state, player)))


def test_show_everything():
    state = load(2, task=7).new_game(seed=1)
    mover = current_player(state)
    picture = notation.show(state)
    assert picture.startswith("Task 7: highest difference with cheese, round 1 of 4")
    assert f"> seat {mover}" in picture
    shown = {word for word in picture.split() if len(word) == 2 and word[0] in COLORS}
    assert shown == set(words([card for seat in range(2) for card in notation.hand_cards(state, seat)]))


def test_show_a_session(tmp_path):
    setup = load(2, mode="base", tables=write_tables(tmp_path / "all.toml"))
    *_, state = states_of_random_game(setup, 0)
    assert notation.show(setup.new_game(1)).startswith("Task 1: highest total (1 of 4), round 1 of 4, 8 slices left")
    assert notation.show(state).startswith("Task 4: lowest difference (4 of 4), over")
    assert [line.split(":")[0] for line in notation.explain_result(state).splitlines()[:-1]] == [
        f"Task {task}" for task in range(1, 5)
    ]


def test_explain_result_says_what_the_team_lost():
    *_, state = states_of_random_game(load(4), 0)
    lines = notation.explain_result(state).splitlines()
    scores = [int(line.split("   ")[2]) for line in lines[:4]]
    total = sum(scores)
    lost = sum(total < cut for cut in (40, 36, 32))
    assert lines[4] == f"highest total: {total}; slices lost: {lost}"
    *_, state = states_of_random_game(load(4, task=8), 0)
    (result,) = (int(word) for word in notation.explain_result(state).split(": ")[1].split(";")[:1])
    lost = sum(result > cut for cut in read_tables(TUNED)[8, 4])
    assert notation.explain_result(state).endswith(f"lowest difference: {result}; slices lost: {lost}")
