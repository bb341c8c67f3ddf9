"""The toppings of the slices: as the program has them, or from a file for those who have the box before them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from engine.games.pizza_monsters.rules import (
    COLOR_SIZE,
    MOST_OF_A_TOPPING,
    N_COLORS,
    PIZZA_SIZE,
    SLICES,
    TOPPINGS,
)

HALVES = ("mice", "birds")


def slices_for(path: str) -> np.ndarray:
    """Return the toppings of the slices of each color, mice first; uint8, shape (8, 8).

    `path` names a file, or is "" for the program's own slices. ValueError says what is wrong with the file.
    """
    return SLICES if not path else read_slices(Path(path))


def read_slices(path: Path) -> np.ndarray:
    """Read a TOML file with a section `[color.C]` for C = 1 … 8, in it `mice` and `birds`, four toppings each."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"the slices file {str(path)!r} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"the slices file {str(path)!r} is not TOML: {error}") from None
    colors = content.get("color")
    wanted = {str(color + 1) for color in range(N_COLORS)}
    if not isinstance(colors, dict) or set(colors) != wanted:
        raise ValueError(f"the slices file {str(path)!r} wants the sections [color.1] to [color.{N_COLORS}]")
    rows = [_color(colors[str(color + 1)], color + 1, path) for color in range(N_COLORS)]
    slices = np.array(rows, dtype=np.uint8).reshape(N_COLORS, COLOR_SIZE)
    for topping, count in enumerate(np.bincount(slices.ravel(), minlength=len(TOPPINGS)).tolist()):
        if count > MOST_OF_A_TOPPING:
            raise ValueError(
                f"the slices file {str(path)!r} has {count} slices with {TOPPINGS[topping]}; "
                f"at most {MOST_OF_A_TOPPING} are allowed"
            )
    return slices


def _color(section: Any, color: int, path: Path) -> list[int]:
    toppings: list[int] = []
    for half in HALVES:
        names = section.get(half) if isinstance(section, dict) else None
        if not isinstance(names, list) or len(names) != PIZZA_SIZE:
            raise ValueError(f"{half} of color {color} in {str(path)!r} is not a list of {PIZZA_SIZE} toppings")
        for name in names:
            if name not in TOPPINGS:
                raise ValueError(f"{name!r} in {str(path)!r} is no topping; the toppings: {', '.join(TOPPINGS)}")
            toppings.append(TOPPINGS.index(name))
    return toppings
