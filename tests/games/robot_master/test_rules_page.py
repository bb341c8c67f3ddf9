"""RULES.md against the program: its tables must say what the game does."""

import functools
import re

import engine.games.robot_master as game_folder
from engine.games.robot_master import notation
from tests.games.playing import states_of_random_game
from tests.games.robot_master.playing import cards_of, hands_of, load, unseen_values
from tests.games.rules_pages import page_of, table_rows
from tests.naive.robot_master import score_line

PAGE = page_of(game_folder)
rows = functools.partial(table_rows, PAGE)


def test_every_option_and_its_default():
    options = load().game.options
    written = {name.strip("`"): default.strip("`") for name, default, *rest in rows("`[a-z_0-9]+`") if len(rest) == 1}
    assert written == {each.name: str(each.default).lower() for each in options}


def test_every_choice_of_an_option_is_named():
    meanings = {name.strip("`"): " ".join(rest) for name, *rest in rows("`[a-z_0-9]+`") if len(rest) == 2}
    for option in load().game.options:
        for choice in option.choices:
            assert f"`{str(choice).lower()}`" in meanings[option.name]


def test_every_question_is_there():
    assert [row[0] for row in rows(r"M\d+")] == [f"M{number}" for number in range(1, 21)]
    named = {option.name for option in load().game.options} - {"size"}
    assert {name for row in rows(r"M\d+") for name in re.findall("`(.*?)`", row[3])} == named


def test_what_is_ours_is_said():
    (row,) = rows("`size`")
    assert "(ours)" in row[2]
    assert "the format is ours" in PAGE


def test_table_of_action_ids():
    for row in range(6):
        (cells,) = rows(f"r{row}")
        for column, cell in enumerate(cells[1:]):
            for value in range(6):
                assert notation.parse_action(f"{value} r{row}c{column}") == int(cell) + value


def test_scoring_table():
    said = {
        "the value": lambda value: value,
        "10 times the value": lambda value: 10 * value,
        "100, whatever the value": lambda value: 100,
        "100 and the value": lambda value: 100 + value,
        "100 and twice the value": lambda value: 100 + 2 * value,
    }
    table = [row for row in rows("[1-5]") if len(row) == 2]
    assert [row[0] for row in table] == ["1", "2", "3", "4", "5"]
    for count, words in table:
        for value in range(6):
            assert said[words](value) == score_line([value] * int(count))


def test_table_of_variants():
    table = [row for row in rows("`(standard|hand5|teams|solo)`") if len(row) == 5]
    assert len(table) == 4
    for name, players, in_hand, to_draw, left_over in table:
        first, *_, last = states_of_random_game(load(name.strip("`")), 0)
        dealt = load(name.strip("`")).new_game(7, 0)
        assert first is last, "the record is played on in place"
        assert len(hands_of(dealt)) == int(players)
        assert len(hands_of(dealt)[0]) == int(in_hand.split()[0])
        assert bool(notation.stock_values(dealt)) == (to_draw != "none")
        left = [len(hand) for hand in hands_of(last)]
        laid = [card for row in cards_of(last) for card in row]
        n_unused = len(unseen_values(laid + [card for hand in hands_of(last) for card in hand]))
        numbers = [int(word) for word in re.findall(r"\b\d+\b", left_over)]
        assert sorted(numbers) == sorted({n_unused, *left} - {0})


def test_examples_in_the_text():
    assert score_line([5, 5, 4, 4, 3]) == 93
    assert score_line([2, 2, 2, 1, 1]) == 110
    assert "50 + 40 + 3 = 93" in PAGE
    assert "100 + 10 = 110" in PAGE


def test_every_field_of_a_position_is_explained_or_a_field_of_the_record():
    text = notation.position_text(load().new_game(1))
    names = {line.partition(":")[0] for line in text.splitlines()}
    fields = set(load().game.dtype.names)
    assert names - fields == {"square", "stock"}
    assert {"`square`", "`hands`", "`stock`"} <= set(re.findall("`[a-z]+`", PAGE))
