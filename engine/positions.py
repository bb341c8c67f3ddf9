"""Positions as text: what the notations of all games share. One field a line, `name: value`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def hold(law: bool, broken: str) -> None:
    """Raise ValueError with the sentence `broken` unless the law holds."""
    if not law:
        raise ValueError(broken)


def split_lines(text: str) -> dict[str, str]:
    """Return the values of a position by name; blank lines do not count. ValueError names a line without a colon."""
    fields = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        hold(bool(colon), f"a line of a position is `name: value`, not {line.strip()!r}")
        fields[name.strip()] = value.strip()
    return fields


def require(fields: Mapping[str, str], names: Iterable[str]) -> None:
    """Raise ValueError with the first name that has no line."""
    for name in names:
        hold(name in fields, f"the position has no line {name!r}")


def number_lines(state: Any, names: Iterable[str]) -> list[str]:
    """Write fields of a record that are numbers, or arrays of numbers, a line each."""
    return [f"{name}: {' '.join(str(int(value)) for value in np.ravel(state[name]))}" for name in names]


def read_numbers(state: Any, fields: Mapping[str, str], names: Iterable[str]) -> None:
    """Read back what `number_lines` wrote; ValueError names a line with a wrong value or number of values."""
    for name in names:
        kind = state.dtype[name]
        try:
            values = [kind.base.type(int(word)) for word in fields[name].split()]
            state[name] = np.array(values, dtype=kind.base).reshape(kind.shape)
        except (ValueError, OverflowError):
            raise ValueError(f"line {name!r} of the position is wrong: {fields[name]!r}") from None
