"""RULES.md against the program: its tables must say what the game does."""

import functools
import re

import numpy as np

import engine.games.pizza_time as game_folder
from engine.games.pizza_time import card_sets, notation, solutions
from tests.games.pizza_time.playing import load
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
            if choice is not False:
                assert f"`{str(choice).lower()}`" in PAGE


def test_every_question_is_there():
    assert [row[0] for row in rows(r"T\d+")] == [f"T{number}" for number in range(1, 23)]
    named = {option.name for option in load().game.options}
    assert {name for row in rows(r"T\d+") for name in re.findall("`(.*?)`", row[3])} == named


def test_our_cards():
    ours = card_sets.read_card_set(card_sets.OURS)
    for card, (_, front, back, halves) in enumerate(rows("[1-4]")[:4]):
        for face, text in zip(ours.faces[2 * card : 2 * card + 2], (front, back), strict=True):
            count, word = text.split()
            assert face.whole[card_sets.TOPPINGS.index(word.removesuffix("s"))] == int(count) == sum(face.whole)
            assert [card_sets.TOPPINGS[half] for half in face.halves] == halves.split(", ")


def test_solutions():
    template = load().template
    orders, _ = solutions.distinct_orders(tuple(tuple(pile) for pile in template["piles"].tolist()))
    counts = solutions.count_solutions(tuple(int(face) for face in template["faces"]), orders)
    for types, filled, spread in [row for row in rows("[2-4]") if len(row) == 3]:
        found = counts[:, int(types)]
        assert filled == f"{(found > 0).sum()} of {len(orders)}"
        assert spread == f"{found.min()}, {int(np.median(found))}, {found.max()}"


def test_table_of_action_ids():
    texts = {}
    for ids, words in (row for row in rows(r"\d+(–\d+)?") if len(row) == 2):
        first, _, last = ids.partition("–")
        texts |= dict.fromkeys(range(int(first), int(last or first) + 1), re.findall("`(.*?)`", words)[0])
    assert sorted(texts) == list(range(load().game.n_actions))
    for action, verb in texts.items():
        assert notation.action_text(action).split()[0] == verb
    assert "20 + 6 × topping + seat" in PAGE
    assert notation.parse_action("give olive to seat 2") == 20 + 6 * 3 + 2


def test_the_example_file_is_read(tmp_path):
    file = tmp_path / "example.toml"
    file.write_text(re.search("```toml\n(.*?)```", PAGE, re.DOTALL)[1])
    example = card_sets.read_card_set(file)
    assert example.piles[3] == (1, 1, 2, 2, 3, 5)
    assert example.faces[0].halves != example.faces[1].halves


def test_the_example_pizza():
    shown = notation.explain("1F0 2B1 4F3 3B0", load().options, None)["totals"]
    assert "This one shows 1\nmushroom, 3 peppers, 3 cheese and 2 olives" in PAGE
    assert shown == [1, 3, 3, 2]
