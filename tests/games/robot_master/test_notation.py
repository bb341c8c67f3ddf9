"""Text: moves, lines, positions there and back, errors in one sentence, pictures that give nothing away."""

import json
from pathlib import Path

import pytest

from engine.contract import apply_action, current_player, is_terminal
from engine.games.robot_master import notation
from engine.games.robot_master.rules import N_ACTIONS
from experiments.cli import main
from experiments.transcript import play_deal
from tests.games.playing import legal, states_of_random_game
from tests.games.robot_master.playing import NAME, PLACING, VARIANTS, cards_of, changed, fill, hands_of, load, moves

GOLDEN = Path(__file__).parents[2] / "golden" / "scores_robot_master.json"


def test_every_action_there_and_back():
    texts = [notation.action_text(action) for action in range(N_ACTIONS)]
    cells = [f"r{row}c{column}" for row in range(6) for column in range(6)]
    assert texts == [f"{value} {cell}" for cell in cells for value in range(6)]
    assert [notation.parse_action(text) for text in texts] == list(range(N_ACTIONS))
    assert notation.parse_action("  4  R3C5 ") == notation.parse_action("4 r3c5")


@pytest.mark.parametrize(
    "text", ["", "4", "r3c5", "6 r3c5", "4 r6c5", "4 r3c6", "4 r3", "4 c5r3", "4 r3 c5", "44 r3c5", "4 r33c5", "4 r²c5"]
)
def test_no_move(text):
    with pytest.raises(ValueError, match="a move is a card 0 to 5 and a cell such as 4 r3c5, not"):
        notation.parse_action(text)


@pytest.mark.parametrize("position", ["3 0 5 5 1", "3,0,5,5,1", " 3  0 5, 5 1 "])
def test_lines_may_be_written_in_several_ways(position):
    assert notation.parse_values(position) == [3, 0, 5, 5, 1]


@pytest.mark.parametrize(
    ("position", "options", "complaint"),
    [
        ("1 2 3 4", {}, "a line is 5 cards, not 4: '1 2 3 4'"),
        ("1 2 3 4 5 0", {}, "a line is 5 cards, not 6"),
        ("1 2 3 4 5", {"size": 3}, "a line is 3 cards, not 5"),
        ("", {}, "a line is 5 cards, not 0"),
        ("1 2 3 4 6", {}, "a card is 0 to 5, not '6'"),
        ("1 2 3 4 -1", {}, "a card is 0 to 5, not '-1'"),
        ("1 2 3 4 R1", {}, "a card is 0 to 5, not 'R1'"),
    ],
)
def test_no_line(position, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        notation.explain(position, load(**options).options)


# The command line.


@pytest.fixture
def run(capsys):
    """Return a function that runs the command line and gives (exit code, standard output)."""

    def call(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        return end.value.code, capsys.readouterr().out

    return call


def test_score_gives_every_golden_value(run):
    for line in json.loads(GOLDEN.read_text(encoding="utf-8")):
        code, out = run("score", NAME, line["position"], "--json")
        assert code == 0
        assert json.loads(out)["points"] == line["points"]


def test_score_explains_itself(run):
    assert run("score", NAME, "3 3 3 3 4") == (0, "3 3 3 3 4: 107 points (four of 3s +103, single 4 +4)\n")
    code, out = run("score", NAME, "3 3 3 3 3", "--option", "five_kind=trio_plus_duo")
    assert (code, out) == (0, "3 3 3 3 3: 130 points (five of 3s +130)\n")


@pytest.mark.parametrize("variant", VARIANTS)
def test_play_tells_every_move_and_the_scores(run, variant):
    code, out = run("play", NAME, "--option", f"variant={variant}", "--agents", "uniform", "--seed", "3")
    assert code == 0
    lines = out.splitlines()
    assert sum(line.startswith("seat ") and " (uniform): " in line for line in lines) == 24
    assert sum(line.startswith(("row ", "column ")) for line in lines) == 10


# Transcripts: a game told by the program, replayed line by line.


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("placing", PLACING, ids=str)
def test_a_transcript_can_be_replayed_line_by_line(variant, placing):
    setup = load(variant, **placing, rounds=1 if variant == "solo" else 2)
    told: list[str] = []
    record = play_deal(setup, ["uniform"], 5, 1, None, input, told.append)
    state = setup.new_game(5, 1)
    assert told[0] == notation.show(state)
    assert len(told) == len(record["moves"]) + 2
    for line, move in zip(told[1:-1], record["moves"], strict=True):
        assert line == f"seat {current_player(state)} (uniform): {move['action']}"
        assert move["action"] in moves(state)
        apply_action(state, notation.parse_action(move["action"]))
    assert is_terminal(state)
    assert told[-1] == notation.explain_result(state)


GAME_OF_NINE_CARDS = """\
        c1   c2   c3
  r1     .    +    .     0
  r2     +    2    +     2
  r3     .    +    .     0
         0    2    0"""


def test_a_small_game_as_it_was_written_down():
    """The picture after each card of a made-up game alone: cards 0 3 2 5 5 0 2 1 around a 2."""
    text = changed(
        notation.position_text(load("solo", size=3).new_game(seed=1)),
        square=". . . . . / . 2 . . . / . . . . . / . . . . . / . . . . .",
        hands="0",
        stock="3 2 5 5 0 2 1",
    )
    state = notation.parse_position(text)
    assert notation.show(state).splitlines()[1:-1] == GAME_OF_NINE_CARDS.splitlines()
    for move in ("0 r1c2", "3 r2c1", "2 r2c3", "5 r3c2", "5 r3c1", "0 r1c1", "2 r1c3", "1 r3c3"):
        assert move in moves(state)
        apply_action(state, notation.parse_action(move))
    assert notation.explain_result(state).splitlines() == [
        "        c1   c2   c3",
        "  r1     0    0    2     2",
        "  r2     3    2    2    23",
        "  r3     5    5    1    51",
        "         8    7   21",
        "row 1: 2 points (pair of 0s +0, single 2 +2)",
        "row 2: 23 points (pair of 2s +20, single 3 +3)",
        "row 3: 51 points (pair of 5s +50, single 1 +1)",
        "column 1: 8 points (single 5 +5, single 3 +3, single 0 +0)",
        "column 2: 7 points (single 5 +5, single 2 +2, single 0 +0)",
        "column 3: 21 points (pair of 2s +20, single 1 +1)",
        "lowest line: 2 points",
    ]


# Positions.


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("placing", PLACING, ids=str)
def test_positions_there_and_back(variant, placing):
    rounds = 1 if variant == "solo" else 3
    setup = load(variant, **placing, rounds=rounds, swap_axes=True, five_kind="trio_plus_duo")
    for state in states_of_random_game(setup, 1):
        text = notation.position_text(state)
        again = notation.parse_position(text)
        assert again.tobytes() == state.tobytes()
        assert notation.position_text(again) == text


def test_a_position_read_back_plays_on():
    state = load("hand5", rounds=2).new_game(seed=1)
    again = notation.parse_position(notation.position_text(state))
    while not is_terminal(state):
        apply_action(state, legal(state)[-1])
        apply_action(again, legal(again)[-1])
    assert again.tobytes() == state.tobytes()


def with_line(name: str, value: str) -> str:
    return changed(notation.position_text(load(first_player=0).new_game(seed=1)), **{name: value})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("players", "a line of a position is `name: value`, not 'players'"),
        ("players: 2", "the position has no line 'edge'"),
        (with_line("players", "two"), "line 'players' of the position is wrong: 'two'"),
        (with_line("players", "-2"), "line 'players' of the position is wrong: '-2'"),
        (with_line("players", "3"), "line 'hands' of the position has 2 hands, not 3"),
        (with_line("edge", "4"), "size 4 is not in"),
        (with_line("edge", "3"), "height and width .* are not 3"),
        (with_line("five_kind", "2"), "five_kind 2 is not 0 or 1"),
        (with_line("starts", "2"), "starts 2 is no seat"),
        (with_line("n_rounds", "0"), "n_rounds 0 is not 1 to 12"),
        (with_line("first_player", "1"), "the seat that plays is not next"),
        (with_line("turn", "25"), "turn 25 is not 0 to 24"),
        (with_line("hand_cards", "11"), "hands of 11 cards and 0 to draw belong to no variant"),
        (with_line("stock_cards", "24"), "hands of 12 cards and 24 to draw belong to no variant"),
        (with_line("drawn", "7"), "drawn 7 is not 0 to 6"),
        (with_line("height", "4"), "height and width"),
        (with_line("winners", "1 2 3"), "line 'winners' of the position is wrong: '1 2 3'"),
        (with_line("margins", "99999" + " 0" * 11), "line 'margins' of the position is wrong"),
        (with_line("margins", "5" + " 0" * 11), "round 1 has a result and was not played"),
        (with_line("square", "1 2 3"), "line 'square' of the position has 3 cells, not 25"),
        (with_line("square", "x" + " ." * 24), "a card is 0 to 5, not 'x'"),
        (with_line("square", "1" + " ." * 24), "the middle of the square is empty"),
        (with_line("square", "." + " ." * 24), "0 cards lie in the square, not 1"),
        (with_line("hands", "1 2 3 4 5 0 1 2 3 4 5 0"), "line 'hands' of the position has 1 hands, not 2"),
        (with_line("hands", "1 2 3 | 1 2 3"), "seat 0 holds 3 cards, not 12"),
        (with_line("hands", "7 | 1"), "a card is 0 to 5, not '7'"),
        (with_line("hands", "0 0 0 0 0 0 0 1 1 1 1 1 | 2 2 2 2 2 2 3 3 3 3 3 3"), "of value 0, more than 6"),
        (with_line("stock", "1"), "1 cards are to be drawn, not 0"),
        (with_line("stock", "1 " * 40), "line 'stock' of the position has 40 cards, too many"),
    ],
)
def test_wrong_positions(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        notation.parse_position(text)


# Pictures.


@pytest.mark.parametrize("variant", ["standard", "hand5", "teams"])
def test_a_player_is_shown_nobody_elses_cards(variant):
    setup = load(variant)
    for state in states_of_random_game(setup, 1):
        for player in range(setup.players):
            hands = [line for line in notation.show(state, player).splitlines() if "seat" in line]
            for seat, line in enumerate(hands):
                held = hands_of(state)[seat]
                assert line.endswith(notation.values_text(held) if seat == player else f"{len(held)} cards")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("placing", PLACING, ids=str)
def test_a_picture_shows_the_cards_and_where_one_may_be_laid(variant, placing):
    for state in states_of_random_game(load(variant, **placing), 2):
        picture = notation.show(state).splitlines()
        columns = picture[1].split()
        shown, open_cells = {}, set()
        for words in (line.split() for line in picture[2:] if line.split()[0][0] == "r"):
            for column, sign in zip(columns, words[1 : len(columns) + 1], strict=True):
                if sign == "+":
                    open_cells.add(words[0] + column)
                elif sign != ".":
                    shown[words[0] + column] = int(sign)
        assert open_cells == {move.split()[1] for move in moves(state)}
        cells = ((row, column, card) for row, line in enumerate(cards_of(state)) for column, card in enumerate(line))
        assert shown == {f"r{row + 1}c{column + 1}": card for row, column, card in cells if card is not None}


def test_show_everything():
    state = load(first_player=1).new_game(seed=1)
    lines = notation.show(state).splitlines()
    assert lines[0] == "card 0 of 24"
    assert lines[-2] == f"  seat 0 (rows)     hand {notation.values_text(hands_of(state)[0])}"
    assert lines[-1] == f"> seat 1 (columns)  hand {notation.values_text(hands_of(state)[1])}"


def test_explain_result_names_the_winner():
    table = [[5, 5, 0], [4, 4, 1], [3, 3, 2]]
    told = notation.explain_result(fill(load(size=3), table)).splitlines()
    assert told[-3:] == [
        "seat 0: lines 32 41 50, the lowest 32",
        "seat 1: lines 3 12 12, the lowest 3",
        "seat 0 won",
    ]
