"""Positions of toy games as text: one line a field, its integers separated by spaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def fields_text(state: Any) -> str:
    """Write every field of a record, one a line."""
    names = state.dtype.names
    return "\n".join(f"{name}: {' '.join(str(int(value)) for value in np.ravel(state[name]))}" for name in names)


def parse_fields(text: str, dtype: np.dtype[Any]) -> Any:
    """Read `fields_text` back; ValueError names a field that is missing or wrong."""
    lines = dict(line.split(": ", 1) for line in text.splitlines())
    state = np.zeros(1, dtype=dtype).view(np.recarray)[0]
    for name in dtype.names or ():
        if name not in lines:
            raise ValueError(f"the position has no line {name!r}")
        field = dtype[name]
        try:
            values = [field.base.type(int(word)) for word in lines[name].split()]
            state[name] = np.array(values, dtype=field.base).reshape(field.shape)
        except (ValueError, OverflowError):
            raise ValueError(f"line {name!r} of the position is wrong: {lines[name]!r}") from None
    return state


def hold(law: bool, broken: str) -> None:
    """Raise ValueError with the law that is broken."""
    if not law:
        raise ValueError(broken)


def explain(position: str, options: Mapping[str, Any], players: int | None) -> dict[str, Any]:
    """Refuse: toys have nothing that is scored apart from a game."""
    raise ValueError(f"a toy has no positions to score, such as {position!r}")
