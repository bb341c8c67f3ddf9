"""RULES.md against the program: its tables must say what the game does."""

import functools
import re

import engine.games.robots_ate_our_pizza as game_folder
from engine.games.robots_ate_our_pizza import notation, slices
from engine.games.robots_ate_our_pizza.rules import COLORS
from tests.games.robots_ate_our_pizza.playing import load
from tests.games.rules_pages import page_of, table_rows

PAGE = page_of(game_folder)
rows = functools.partial(table_rows, PAGE)


def test_every_option_and_its_default():
    options = load().game.options
    written = {name.strip("`"): default.strip("`") for name, default, *_ in rows("`[a-z_]+`")}
    assert written == {each.name: str(each.default).lower() or "none" for each in options}


def test_every_choice_of_an_option_is_named():
    for option in load().game.options:
        for choice in option.choices:
            assert f"`{str(choice).lower()}`" in PAGE


def test_every_question_is_there():
    assert [row[0] for row in rows(r"R\d+")] == [f"R{number}" for number in range(1, 20)]
    named = {option.name for option in load().game.options} - {"task"}
    assert {name for row in rows(r"R\d+") for name in re.findall("`(.*?)`", row[3])} == named


def test_table_of_action_ids():
    for letter in COLORS:
        (row,) = rows(letter)
        assert [int(cell) for cell in row[1:]] == [notation.parse_action(f"{letter}{n}") for n in range(1, 9)]


def test_printed_slices():
    printed = {int(players): [int(cut) for cut in cuts] for players, *cuts in rows("[2-6]")}
    assert printed == {players: slices.cuts_for(players, "")[0].tolist() for players in range(2, 7)}


def test_the_example_file_is_read(tmp_path):
    file = tmp_path / "example.toml"
    file.write_text(re.search("```toml\n(.*?)```", PAGE, re.DOTALL)[1])
    assert slices.read_tables(file) == {(2, 4): [8, 11, 14], (3, 4): [12, 10, 8]}


def test_grades_in_the_rulebooks_words():
    grades = [slices.grade(left) for left in (5, 3, 1, 0, -1)]
    assert [row[1] for row in rows("(5 or more|3 or 4|1 or 2|0|fewer)") if len(row) == 2] == grades
