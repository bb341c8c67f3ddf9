"""Is an agent fit to play: legal, deterministic, blind to what is hidden, nothing carried over, and fast enough.

Games are gone through decision by decision. A compiled agent is asked at each of them about two records that its player
cannot tell from the true one, with the same random numbers: it must answer the same. An agent that declares not to look
at the state is handed the record itself, so this is where one that looks all the same is caught. Plain Python agents
never get more than a view of a copy with the hidden things dealt anew. Then whole games are played by copies of the
agent, together and again one by one in the opposite order: rows must be the same.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agents import Player
from agents.python import Fault, View, Watch, ask, make, warm_view
from engine.contract import (
    MOST_ACTIONS,
    Setup,
    apply_action,
    current_player,
    determinize,
    is_terminal,
    legal_actions,
)
from engine.rng import ANALYSIS, new_stream
from engine.tables import advance, new_log
from experiments.games import Games
from experiments.matches import Conduct, play_chunk
from experiments.schedule import Chunk
from experiments.tournament import Plan, Watcher, compile_agents, plan_tournament

OTHER_WORLDS = (1 << 40, 1 << 41)  # numbers of the streams that deal anew what is hidden


@dataclass(frozen=True)
class Check:
    """One thing that was asked of the agent."""

    name: str
    passed: bool
    words: str


@dataclass(frozen=True)
class AgentCheck:
    """What came out for one agent in one game."""

    agent: str
    game: str
    players: int
    n_games: int
    n_decisions: int
    mean_milliseconds: float  # of one decision, wall clock
    longest_milliseconds: float
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Tell whether the agent passed everything."""
        return all(check.passed for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Return the answer as plain values."""
        return {**asdict(self), "passed": self.passed}


def check_agent(
    setup: Setup, agent: str, deals: int = 5, seed: int = 1, move_seconds: float = 60.0, watcher: Watcher | None = None
) -> AgentCheck:
    """Check an agent in one game; ValueError for wrong arguments."""
    plan = plan_tournament(setup, [agent], deals, seed, "self", conduct=Conduct(move_seconds=move_seconds))
    if len(plan.players) != 1:
        raise ValueError(f"agents are checked one at a time, not {len(plan.players)}: {', '.join(plan.match.agents)}")
    compile_agents(plan, watcher or Watcher())
    walk = _Walk(setup, plan.players[0], seed, move_seconds)
    walk.go(deals)
    checks = walk.checks()
    if all(check.passed for check in checks):  # who plays illegal actions would spoil whole games in any way
        games = _played(plan, Chunk(0, 0, deals))
        faults = sorted(set(games.faults.values()))
        words = faults[0] if faults else f"{deals:,} games of copies, all to their end"
        checks += [Check("whole games", not faults, words), _check_repetition(plan, games)]
    seconds = np.array(walk.seconds or [0.0])
    return AgentCheck(
        agent=plan.match.agents[0],
        game=setup.name,
        players=setup.players,
        n_games=deals,
        n_decisions=len(walk.seconds),
        mean_milliseconds=1000 * float(seconds.mean()),
        longest_milliseconds=1000 * float(seconds.max()),
        checks=tuple(checks),
    )


def _played(plan: Plan, chunk: Chunk) -> Games:
    _, games = play_chunk(plan.match, chunk)
    assert games is not None
    return games


def _check_repetition(plan: Plan, games: Games) -> Check:
    """Play the same deals one by one from the last to the first, and compare what came out."""
    for deal in reversed(range(plan.n_deals)):
        again = _played(plan, Chunk(0, deal, 1))
        same = all(
            np.array_equal(getattr(again, name)[0], getattr(games, name)[deal])
            for name in ("points", "finished", "utility", "decisions", "first_action")
        )
        if not same:
            return Check("deterministic", False, f"deal {deal}, played again alone, came out otherwise")
    return Check("deterministic", True, f"{plan.n_deals:,} deals played again one by one, last first: the same")


class _Walk:
    """Goes through games decision by decision."""

    def __init__(self, setup: Setup, player: Player, seed: int, move_seconds: float) -> None:
        self.setup, self.player, self.seed = setup, player, seed
        self.seconds: list[float] = []
        self._watch = Watch(move_seconds)
        self._limit = move_seconds
        self._illegal = ""
        self._peeked = ""
        self._scratch = setup.blank_states(1)
        self._log = new_log(1, setup.players)
        self._actions = np.empty(MOST_ACTIONS, dtype=np.int64)
        if not player.is_compiled:
            warm_view(setup)

    def go(self, deals: int) -> None:
        """Walk through some deals; ends at the first decision that went wrong."""
        with self._watch:
            for deal in range(deals):
                state = self.setup.new_game(self.seed, deal)
                agents: dict[int, Any] = {}
                for number, seat in self._decisions(state):
                    try:
                        if self.player.factory is not None and seat not in agents:
                            agents[seat] = make(self.player.factory, self._watch)
                        action = self._decide(state, seat, agents.get(seat), number)
                    except Fault as fault:
                        self._illegal = f"{fault} (deal {deal}, decision {number})"
                        return
                    legal = self._actions[: legal_actions(state, self._actions)].tolist()
                    if action not in legal:
                        self._illegal = f"chose {action}, which is not legal (deal {deal}, decision {number})"
                        return
                    if self.player.is_compiled and not self._is_blind(state, seat, number):
                        self._peeked = f"a change of what is hidden changed its answer (deal {deal}, decision {number})"
                        return
                    apply_action(state, action)

    def _decisions(self, state: Any) -> Iterator[tuple[int, int]]:
        number = 0
        while not is_terminal(state):
            yield number, int(current_player(state))
            number += 1

    def _decide(self, state: Any, seat: int, agent: Any, number: int) -> int:
        started = time.perf_counter()
        if self.player.is_compiled:
            action = self._first_action(state, seat, number)
        else:
            rng = new_stream(self.seed, ANALYSIS, number)
            self._scratch[0] = state
            determinize(self._scratch[0], seat, rng)
            action = ask(agent, View(self.setup, self._scratch[0], rng), self._watch)
        self.seconds.append(time.perf_counter() - started)
        return action

    def _first_action(self, state: Any, seat: int, number: int) -> int:
        """Ask a compiled agent once, as it is asked in a match; what it plays after that in its turn is forgotten."""
        self._scratch[0] = state
        plays = np.arange(self.setup.players) == seat
        streams = np.repeat(new_stream(self.seed, ANALYSIS, number)[None, :], self.setup.players, axis=1)
        for each in self._log:
            each.fill(0)
        advance(self.player.knobs, self.player.looks, self._scratch, plays, streams, self._log)
        return int(self._log.first_actions[0, seat])

    def _is_blind(self, state: Any, seat: int, number: int) -> bool:
        """Ask about two worlds that look alike, both dealt anew: the true one may hold known cards in any order."""
        answers = set()
        for world in OTHER_WORLDS:
            other = self.setup.blank_states(1)
            other[0] = state
            determinize(other[0], seat, new_stream(self.seed, ANALYSIS, world + number))
            answers.add(self._first_action(other[0], seat, number))
        return len(answers) == 1

    def checks(self) -> list[Check]:
        """Return what was found on the way."""
        n_decisions = f"{len(self.seconds):,} decisions"
        longest = max(self.seconds, default=0.0)
        blind = "sees nothing but views of what its player knows"
        if self.player.is_compiled:
            blind = f"answered the same in {n_decisions} whatever was hidden"
        return [
            Check("legal", not self._illegal, self._illegal or n_decisions),
            Check("blind to hidden things", not self._peeked, self._peeked or blind),
            Check("fast enough", longest <= self._limit, f"longest {1000 * longest:.3g} ms of {self._limit:g} s"),
        ]
