"""Play one state to its end."""

from __future__ import annotations

from typing import Any

from engine.contract import apply_action, choose, is_terminal
from engine.kernel import kernel


@kernel
def rollout(agent: Any, state: Any, space: Any, rng: Any) -> None:
    """Let `agent` choose for every player until the game is over; `state` is played on in place.

    Inside a rollout the world is a sample already, so the agent looks at it as it is; `space` is its workspace.
    """
    while not is_terminal(state):
        apply_action(state, choose(agent, state, space, rng))
