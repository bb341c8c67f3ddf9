"""RULES.md against the program: its tables must say what the game does."""

import functools
import re

import engine.games.pizza_monsters as game_folder
from engine.games.pizza_monsters import notation, slices
from engine.games.pizza_monsters.rules import SLICES, TOPPINGS
from tests.games.pizza_monsters.playing import load
from tests.games.rules_pages import page_of, table_rows

PAGE = page_of(game_folder)
rows = functools.partial(table_rows, PAGE)


def test_every_option_and_its_default():
    written = {name.strip("`"): default.strip("`") for name, default, *_ in rows("`[a-z_]+`")}
    assert written == {each.name: str(each.default).lower() or "none" for each in load().game.options}


def test_every_choice_of_an_option_is_named():
    for option in load().game.options:
        for choice in option.choices:
            if not isinstance(choice, bool):
                assert f"`{choice}`" in PAGE


def test_every_question_is_there():
    assert [row[0] for row in rows(r"P\d+")] == [f"P{number}" for number in [*range(1, 25), 32]]
    named = {option.name for option in load().game.options}
    assert {name for row in rows(r"P\d+") for name in re.findall("`(.*?)`", row[3])} == named


def test_table_of_action_ids():
    texts = {"name a topping": "name {}", "take a topping": "take {}"}
    texts |= {f"feed a topping from pizza {number}": f"feed {{}} from pizza {number}" for number in (1, 2)}
    n_actions = 0
    for ids, words in rows(r"\d+( … \d+)?"):
        first, *last = [int(number) for number in re.findall(r"\d+", ids)]
        expected = [texts[words].format(topping) for topping in TOPPINGS] if last else [words]
        assert [notation.action_text(action) for action in range(first, (last or [first])[0] + 1)] == expected
        n_actions += len(expected)
    assert n_actions == load().game.n_actions


def test_the_example_of_a_score():
    position, points = re.search(r"`(salami [^`]*)` is worth (\d)", PAGE).groups()
    assert notation.explain(position, load().options)["points"] == int(points)


def test_the_example_file_is_read(tmp_path):
    text = re.search("```toml\n(.*?)```", PAGE, re.DOTALL)[1]
    file = tmp_path / "slices.toml"
    file.write_text("".join(text.replace("color.1", f"color.{color}") for color in range(1, 9)))
    assert slices.read_slices(file).tolist() == [SLICES[0].tolist()] * 8
