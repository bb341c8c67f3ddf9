"""Keep the registries of games and agents as they are while something registers more."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from engine import contract

REGISTRIES: tuple[dict[Any, Any], ...] = (
    contract._games,
    contract._games_by_dtype,
    contract._agents,
    contract._agents_by_class,
)


@contextlib.contextmanager
def kept_registries() -> Iterator[None]:
    """Put the registries back, in their order, when the block ends, however it ends."""
    before = [dict(registry) for registry in REGISTRIES]
    try:
        yield
    finally:
        for registry, entries in zip(REGISTRIES, before, strict=True):
            registry.clear()
            registry.update(entries)
