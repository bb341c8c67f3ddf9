"""Card sets as files: what is read, what is refused with which line, and what is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.pizza_time import card_sets
from engine.games.pizza_time.card_sets import CardSet, Face, line_of, parse_piles, read_card_set
from tests.games.pizza_time.playing import OTHER_CARDS, OTHER_SET, load
from tests.naive import pizza_time as naive


def as_naive(card_set: CardSet) -> naive.Cards:
    words = ["none", *naive.TOPPINGS]
    return {
        (card + 1, "FB"[side]): (
            {name: count for name, count in zip(naive.TOPPINGS, face.whole, strict=True) if count},
            [words[half + 1] for half in face.halves],
        )
        for card in range(4)
        for side, face in enumerate(card_set.faces[2 * card : 2 * card + 2])
    }


def test_our_set_is_read():
    ours = read_card_set(card_sets.OURS)
    assert as_naive(ours) == naive.OUR_SET
    assert ours.piles is None
    assert load().template["piles"].tolist() == [[1, 2, 2, 3, 3, 4]] * 4
    assert load(geometry="sum").template["piles"].tolist() == [[1, 1, 1, 3, 3, 3]] * 4


def test_another_set_is_read():
    other = read_card_set(OTHER_SET)
    assert as_naive(other) == OTHER_CARDS
    assert other.piles == ((0, 1, 2, 3, 4, 5), (1, 2, 2, 3, 3, 4), (1, 1, 1, 3, 3, 3), (2, 2, 2, 3, 3, 3))
    assert load(card_set=str(OTHER_SET)).template["piles"].tolist() == [list(pile) for pile in other.piles]
    piles = load(card_set=str(OTHER_SET), piles="1,2,2,3,3,4").template["piles"]
    assert piles.tolist() == [[1, 2, 2, 3, 3, 4]] * 4


faces = st.builds(
    Face,
    st.tuples(*[st.integers(0, 15)] * 4),
    st.tuples(*[st.integers(-1, 3)] * 4),
)


@given(faces)
def test_a_face_fits_32_bits_and_comes_back(face):
    assert 0 <= face.packed < 2**32
    assert Face.unpack(face.packed) == face


@given(st.lists(faces, min_size=8, max_size=8), st.booleans())
def test_what_is_written_is_read_back(tmp_path_factory, many, with_piles):
    piles = ((0, 1, 2, 3, 4, 15),) * 4 if with_piles else None
    card_set = CardSet(tuple(many), piles)
    path = tmp_path_factory.mktemp("sets") / "set.toml"
    path.write_text(card_sets.card_set_text(card_set, "two lines\nof comment"))
    assert read_card_set(path) == card_set


OURS = card_sets.OURS.read_text()


@pytest.mark.parametrize(
    ("before", "after", "line", "words"),
    [
        ("mushroom = 1", "mushrom = 1", 5, "'mushrom' is unknown in [card.1.front]; allowed: mushroom, pepper"),
        ("mushroom = 3", "mushroom = 16", 6, "mushroom on a face is a whole number from 0 to 15, not 16"),
        ("mushroom = 3", "mushroom = true", 6, "a whole number from 0 to 15, not True"),
        ('"cheese", "cheese", ', '"cheese", ', 12, "halves are 4 words, for north, east, south and west, not ["),
        (
            '"cheese", "cheese", ',
            '"cheese", "chese", ',
            12,
            "a half is mushroom, pepper, cheese, olive or none, not 'chese'",
        ),
        ("back = { pepper = 3 }", "bakc = { pepper = 3 }", 11, "'bakc' is unknown in [card.2]; allowed: front, back"),
        ("back = { pepper = 3 }", "", 9, "there should be back = { mushroom = 1 } or the like in [card.2]"),
        ("back = { pepper = 3 }", "back = 3", 11, "there should be back = {"),
        ("[card.4]", "[card.5]", 19, "'5' is unknown in [card]; allowed: 1, 2, 3, 4"),
        ("[card.1]", "price = 3\n[card.1]", 4, "'price' is unknown; allowed: card, piles"),
        ("[card.1]", "[piles]\nmushroom = [1, 2]\n[card.1]", 5, "[piles] wants mushroom = a list of 6 numbers"),
        (
            "[card.1]",
            "[piles]\n\n# a comment\nmushroom = [\n  1, 2, 3,\n  4, 5, 99,\n]\n[card.1]",
            7,
            "a number of a pile is a whole number from 0 to 15, not 99",
        ),
        ("[card.1]", "[piles]\nolive = [1, 2, 3, 4, 5, 6]\n[card.1]", 4, "[piles] wants mushroom = a list"),
    ],
)
def test_a_mistake_is_answered_with_its_line(tmp_path, before, after, line, words):
    assert before in OURS
    path = tmp_path / "wrong.toml"
    path.write_text(OURS.replace(before, after, 1))
    with pytest.raises(ValueError, match=r"^the card set ") as error:
        load(card_set=str(path))
    assert f"line {line}: " in str(error.value), str(error.value)
    assert words in str(error.value)


def test_files_that_are_no_toml_or_missing(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[card.1\nfront = 3")
    with pytest.raises(ValueError, match=r"is not TOML: .*\(at line 1, column 8\)"):
        load(card_set=str(path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="is not text in UTF-8"):
        load(card_set=str(path))
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        load(card_set=str(tmp_path / "nowhere.toml"))
    path.write_text("")
    with pytest.raises(ValueError, match=r"line 1: there should be four tables \[card.1\] to \[card.4\]"):
        load(card_set=str(path))


def test_lines_of_entries():
    text = '# note\n\n[a]\nb = 1\n"c d" = """\nx\n"""\n\n[[e]]\nf = [\n 1,\n]\n[a.g]\nh.i = 3\n'
    assert line_of(text, ("a",)) == 3
    assert line_of(text, ("a", "b")) == 4
    assert line_of(text, ("a", "c d")) == 5
    assert line_of(text, ("e",)) == 9
    assert line_of(text, ("a", "g", "h", "i")) == 14
    assert line_of(text, ("a", "g", "nothing")) == 13
    assert line_of(text, ("nothing",)) == 1


def test_piles_as_text():
    assert parse_piles("4,3,3,2,2,1") == ((1, 2, 2, 3, 3, 4),) * 4
    assert parse_piles("1,1,1,1,1,1/2,2,2,2,2,2/3,3,3,3,3,3/0,0,0,0,0,15")[3] == (0, 0, 0, 0, 0, 15)


@pytest.mark.parametrize("text", ["1,2,3", "1,2,2,3,3,16", "1,2,2,3,3,x", "1,2,2,3,3,4/1,2,2,3,3,4", "1,,2,2,3,3,4"])
def test_wrong_piles(text):
    with pytest.raises(ValueError, match=r"^piles are 6 numbers from 0 to 15 for all toppings such as 1,2,2,3,3,4"):
        load(piles=text)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pace": "0"}, "pace is a number from 1 to 100 for all, or 4 of them with commas for 4 players, not '0'"),
        ({"pace": "1,2"}, "pace is a number from 1 to 100 for all, or 4 of them"),
        ({"pace": "1,1,1,101"}, "pace is a number"),
        ({"round_time_limit": "0"}, "round_time_limit is a number of ticks from 1 .* to 60000, not '0'"),
        ({"round_time_limit": "long"}, "round_time_limit is a number of ticks"),
        ({"round_time_limit": 60_001}, "not '60001'"),
        ({"round_time_limit": 3, "pace": "1,1,1,4"}, "from 4 .a movement of the slowest"),
        (
            {"piles": "9,9,9,9,9,9"},
            "no pizza of this card set shows the number wanted of any topping for the order 9 9",
        ),
    ],
)
def test_options_that_do_not_fit(options, words):
    with pytest.raises(ValueError, match=words):
        load(**options)
