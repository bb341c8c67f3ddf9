"""What holds for all tests: none leaves a game or an agent behind in the registries."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

from engine.contract import find_game, game_names
from tests import play_digest
from tests.registries import kept_registries

# The standing cast, registered before any test whichever are run: the house's games and agents, the toys, and the
# agents that a user might have written. Whatever a test registers beside them is gone when it ends.
play_digest.load_everything()
for _name in game_names():
    find_game(_name)
importlib.import_module("tests.agents.own")


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Leave the registries as they were."""
    with kept_registries():
        yield
