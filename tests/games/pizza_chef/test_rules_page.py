"""RULES.md against the program: its tables must say what the game does."""

import functools
import re

import engine.games.pizza_chef as game_folder
from engine.games.pizza_chef import notation
from engine.games.pizza_chef.rules import MOST_LOOKS
from tests.games.pizza_chef.playing import load
from tests.games.rules_pages import page_of, table_rows

PAGE = page_of(game_folder)
rows = functools.partial(table_rows, PAGE)


def test_every_option_and_its_default():
    written = {name.strip("`"): default.strip("`") for name, default, *_ in rows("`[a-z_]+`")}
    assert written == {each.name: str(each.default) for each in load().game.options}


def test_every_choice_of_an_option_is_named():
    for option in load().game.options:
        for choice in option.choices:
            assert f"`{choice}`" in PAGE


def test_every_question_is_there():
    assert [row[0] for row in rows(r"P\d+")] == [f"P{number}" for number in range(25, 33)]
    named = {option.name for option in load().game.options}
    assert {name for row in rows(r"P\d+") for name in re.findall("`(.*?)`", row[3])} == named


def test_table_of_action_ids():
    assert [notation.action_text(action) for action in (0, 63, 64, 127)] == [
        "look a1",
        "look h8",
        "snatch a1",
        "snatch h8",
    ]
    assert [row[0] for row in rows(r"\d+ … \d+")] == ["0 … 63", "64 … 127"]


def test_the_longest_round():
    assert f"has looked {MOST_LOOKS} times" in PAGE


def test_the_example_of_a_score():
    rounds, points = re.search(r"`([\d ]+)` is worth (\d)", PAGE).groups()
    assert notation.explain(rounds, load().options)["points"] == int(points)
