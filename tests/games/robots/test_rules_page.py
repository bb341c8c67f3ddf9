"""RULES.md against the program: its tables must say what the game does."""

import re

import engine.games.robots as game_folder
from engine.games.robots import notation
from engine.games.robots.rules import N_ACTIONS, POWER_RANKS, POWERS
from tests.games.robots.playing import load
from tests.games.rules_pages import page_of, table_rows

PAGE = page_of(game_folder)


def rows(first_cell: str) -> list[list[str]]:
    return table_rows(PAGE, first_cell)


def test_every_option_and_its_default():
    written = {name.strip("`"): default.strip("`") for name, default, *_ in rows("`[a-z_]+`")}
    assert written == {each.name: str(each.default).lower() for each in load().game.options}


def test_every_choice_of_an_option_is_named():
    for option in load().game.options:
        for choice in option.choices:
            assert f"`{str(choice).lower()}`" in PAGE or f"({choice}" in PAGE or choice is False


def test_every_question_is_there_and_names_its_option():
    questions = rows(r"X\d+")
    assert [row[0] for row in questions] == [f"X{number}" for number in range(1, 41)]
    named = {name for row in questions for name in re.findall("`(.*?)`", row[3])}
    assert named == {option.name for option in load().game.options}


def test_powers_by_rank():
    written = {row[0]: row[1] for row in rows(r"1\d|star") if row[1] in POWERS}
    assert written == {
        "star" if rank == 1 else str(rank): power for rank, power in zip(POWER_RANKS, POWERS, strict=True)
    }


def test_table_of_action_ids():
    told = 0
    for ids, texts, _ in rows(r"\d+(–\d+)?"):
        first, last = (int(each) for each in (ids.split("–") * 2)[:2])
        words = re.findall("`(.*?)`", texts)
        if not words:  # a table of something else
            continue
        assert notation.action_text(first) == words[0]
        assert notation.action_text(last) == words[-1]
        assert first == told
        told = last + 1
    assert told == N_ACTIONS
