"""Card sets as files: reading, checking with the line that is wrong, and writing. Plain Python."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.games.pizza_time.rules import MOST_NUMBER, MOST_WHOLE, N_CARDS, N_TOPPINGS, PILE_SIZE, TOPPINGS

OURS = Path(__file__).with_name("card_set.toml")
SIDES = ("front", "back")
N_EDGES = 4
NO_HALF = "none"

PILES_BY_GEOMETRY = {"seams": (1, 2, 2, 3, 3, 4), "sum": (1, 1, 1, 3, 3, 3)}

Piles = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Face:
    """One side of a card: whole toppings by kind, and the half at each edge, north first, -1 where there is none."""

    whole: tuple[int, ...]
    halves: tuple[int, ...]

    @property
    def packed(self) -> int:
        """The face in 32 bits, as rules.py describes it."""
        word = sum(count << (4 * topping) for topping, count in enumerate(self.whole))
        return word + sum((half + 1) << (16 + 4 * edge) for edge, half in enumerate(self.halves))

    @staticmethod
    def unpack(word: int) -> Face:
        """Read a packed face."""
        whole = tuple((word >> (4 * topping)) & 15 for topping in range(N_TOPPINGS))
        return Face(whole, tuple(((word >> (16 + 4 * edge)) & 15) - 1 for edge in range(N_EDGES)))


@dataclass(frozen=True)
class CardSet:
    """Four cards, as faces front and back of card 1, then of card 2, …; and the piles, where the file names them."""

    faces: tuple[Face, ...]
    piles: Piles | None = None

    def packed(self, geometry: str) -> tuple[int, ...]:
        """Return the packed faces; with geometry "sum" nothing but whole toppings is left on them."""
        blank = (-1,) * N_EDGES
        faces = self.faces if geometry == "seams" else [Face(face.whole, blank) for face in self.faces]
        return tuple(face.packed for face in faces)


# Reading.


def read_card_set(path: Path) -> CardSet:
    """Read a TOML file of the form that RULES.md describes.

    Raises ValueError with a sentence that names the file, the line and what is allowed there.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"the card set {str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the card set {str(path)!r} is not text in UTF-8") from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the card set {str(path)!r} is not TOML: {error}") from None
    return _Reader(path, text, content).read()


def line_of(text: str, keys: tuple[str, ...]) -> int:
    """Return the line, from 1, on which the statement stands that first gives a TOML text the entry under `keys`.

    The parser itself finds it: of all beginnings of the text that are valid, the shortest that has the entry ends with
    its statement. Without such an entry the line of the nearest table above it is returned, at last line 1.
    """
    lines = text.splitlines(keepends=True)
    before = 0  # lines of the longest valid beginning without the entry
    for n_lines in range(1, len(lines) + 1):
        try:
            content = tomllib.loads("".join(lines[:n_lines]))
        except tomllib.TOMLDecodeError:
            continue  # in the middle of a statement
        if _has(content, keys):
            statement = range(before, n_lines)
            return next(at + 1 for at in statement if lines[at].strip() and not lines[at].lstrip().startswith("#"))
        before = n_lines
    return line_of(text, keys[:-1]) if len(keys) > 1 else 1


def _has(content: Any, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return True


class _Reader:
    """Checks one parsed file from the top down."""

    def __init__(self, path: Path, text: str, content: dict[str, Any]) -> None:
        self.path, self.text, self.content = path, text, content

    def read(self) -> CardSet:
        """Return the card set; ValueError names the file, the line and what is allowed there."""
        self._only(self.content, (), ("card", "piles"))
        cards = self._table(self.content, ("card",), "four tables [card.1] to [card.4]")
        names = tuple(str(number) for number in range(1, N_CARDS + 1))
        self._only(cards, ("card",), names)
        faces = [face for name in names for face in self._read_card(cards, name)]
        return CardSet(tuple(faces), self._read_piles() if "piles" in self.content else None)

    def _read_card(self, cards: Mapping[str, Any], name: str) -> list[Face]:
        card = self._table(cards, ("card", name), f"a table [card.{name}]")
        self._only(card, ("card", name), (*SIDES, "halves"))
        shared = self._read_halves(card, ("card", name)) if "halves" in card else (-1,) * N_EDGES
        faces = []
        for side in SIDES:
            keys = ("card", name, side)
            face = self._table(card, keys, f"{side} = {{ mushroom = 1 }} or the like in [card.{name}]")
            self._only(face, keys, (*TOPPINGS, "halves"))
            whole = tuple(
                self._number(face.get(each, 0), (*keys, each), MOST_WHOLE, f"{each} on a face") for each in TOPPINGS
            )
            faces.append(Face(whole, self._read_halves(face, keys) if "halves" in face else shared))
        return faces

    def _read_halves(self, table: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[int, ...]:
        halves, where = table["halves"], (*keys, "halves")
        if not isinstance(halves, list) or len(halves) != N_EDGES:
            self._refuse(where, f"halves are {N_EDGES} words, for north, east, south and west, not {halves!r}")
        for half in halves:
            if half not in (*TOPPINGS, NO_HALF):
                self._refuse(where, f"a half is {', '.join(TOPPINGS)} or {NO_HALF}, not {half!r}")
        return tuple(-1 if half == NO_HALF else TOPPINGS.index(half) for half in halves)

    def _read_piles(self) -> Piles:
        piles = self._table(self.content, ("piles",), "a table [piles]")
        self._only(piles, ("piles",), TOPPINGS)
        found = []
        for topping in TOPPINGS:
            keys = ("piles", topping)
            numbers: Any = piles.get(topping)
            if not isinstance(numbers, list) or len(numbers) != PILE_SIZE:
                self._refuse(keys, f"[piles] wants {topping} = a list of {PILE_SIZE} numbers, not {numbers!r}")
            found.append(tuple(sorted(self._number(each, keys, MOST_NUMBER, "a number of a pile") for each in numbers)))
        return tuple(found)

    def _table(self, parent: Mapping[str, Any], keys: tuple[str, ...], wanted: str) -> dict[str, Any]:
        value: Any = parent.get(keys[-1])
        if not isinstance(value, dict):
            self._refuse(keys, f"there should be {wanted}")
        return value

    def _only(self, table: Mapping[str, Any], keys: tuple[str, ...], allowed: tuple[str, ...]) -> None:
        for name in table:
            if name not in allowed:
                where = f" in [{'.'.join(keys)}]" if keys else ""
                self._refuse((*keys, name), f"{name!r} is unknown{where}; allowed: {', '.join(allowed)}")

    def _number(self, value: Any, keys: tuple[str, ...], most: int, what: str) -> int:
        if type(value) is not int or not 0 <= value <= most:
            self._refuse(keys, f"{what} is a whole number from 0 to {most}, not {value!r}")
        return int(value)

    def _refuse(self, keys: tuple[str, ...], words: str) -> Any:
        raise ValueError(f"the card set {str(self.path)!r}, line {line_of(self.text, keys)}: {words}")


# Piles as text.


def parse_piles(text: str) -> Piles:
    """Read the numbers of the piles: six for all, or four times six with / between, in the order of TOPPINGS."""
    parts = text.split("/")
    if len(parts) == 1:
        parts *= N_TOPPINGS
    piles = [tuple(sorted(int(word) for word in part.split(",") if word.strip().isdecimal())) for part in parts]
    is_whole = all(len(part.split(",")) == len(pile) == PILE_SIZE for part, pile in zip(parts, piles, strict=True))
    if len(piles) != N_TOPPINGS or not is_whole or any(pile[-1] > MOST_NUMBER for pile in piles):
        raise ValueError(
            f"piles are {PILE_SIZE} numbers from 0 to {MOST_NUMBER} for all toppings such as 1,2,2,3,3,4, "
            f"or such lists for {', '.join(TOPPINGS)} with / between them, not {text!r}"
        )
    return tuple(piles)


# Writing.


def card_set_text(card_set: CardSet, comment: str) -> str:
    """Write a card set as the text of a file that `read_card_set` reads back, with a comment on top."""
    lines = [f"# {line}".rstrip() for line in comment.splitlines()]
    if card_set.piles is not None:
        lines += ["", "[piles]"]
        lines += [f"{name} = {list(pile)}" for name, pile in zip(TOPPINGS, card_set.piles, strict=True)]
    for card in range(N_CARDS):
        pair = card_set.faces[2 * card : 2 * card + 2]
        lines += ["", f"[card.{card + 1}]"]
        shared = pair[0].halves == pair[1].halves
        for side, face in zip(SIDES, pair, strict=True):
            parts = [f"{name} = {count}" for name, count in zip(TOPPINGS, face.whole, strict=True) if count]
            if not shared:
                parts.append(f"halves = {_halves_text(face)}")
            lines.append(f"{side} = {{ {', '.join(parts)} }}" if parts else f"{side} = {{}}")
        if shared:
            lines.append(f"halves = {_halves_text(pair[0])}")
    return "\n".join(lines) + "\n"


def _halves_text(face: Face) -> str:
    words = (NO_HALF if half < 0 else TOPPINGS[half] for half in face.halves)
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
