"""Play the games of one chunk: the part of a run that workers do.

A chunk is played in batches of tables that fit the processor's cache. What comes out is a tally (integer counts that
merge in any order to the same sums) and, if asked, one row per game and seat.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents import Player, make_players
from agents.python import MOVE_SECONDS, Fault, Hung, View, Watch, ask, make, warm_view
from engine import tables
from engine.contract import Setup, apply_action, current_player, determinize, is_terminal, load_game, random_action
from experiments.games import Games
from experiments.schedule import Chunk, LineUp, seatings
from experiments.tally import Tally

BATCH_BYTES = 1 << 21  # of records, about the processor's own cache: fewer tables cost more Python than they save

ON_FAULT = ("forfeit", "random", "abort")
MOST_MOVE_SECONDS = 86_400.0


@dataclass(frozen=True)
class Conduct:
    """What becomes of agents that break a rule or hang; ValueError for what is none."""

    on_fault: str = "forfeit"  # or random, or abort
    move_seconds: float = MOVE_SECONDS  # after which a plain Python agent counts as hung

    def __post_init__(self) -> None:
        if self.on_fault not in ON_FAULT:
            raise ValueError(f"on-fault is {', '.join(ON_FAULT)}, not {self.on_fault!r}")
        if not 0.0 < self.move_seconds <= MOST_MOVE_SECONDS:
            raise ValueError(
                f"move-seconds is a number above 0 up to {MOST_MOVE_SECONDS:,.0f}, not {self.move_seconds!r}"
            )


@dataclass(frozen=True)
class Match:
    """Everything that decides the games of a run, as plain values: it travels to workers and into config.json."""

    game: str
    players: int
    options: tuple[tuple[str, Any], ...]
    agents: tuple[str, ...]
    line_ups: tuple[LineUp, ...]
    seed: int
    keep: str
    on_fault: str
    move_seconds: float  # after which a plain Python agent counts as hung
    path: tuple[str, ...] = ()  # where agents' modules are found


class AgentFault(ValueError):
    """An agent broke a rule in a run that is to be aborted for it."""


@functools.lru_cache(maxsize=4)
def seat_agents(match: Match) -> tuple[Setup, list[Player]]:
    """Return the setup and the players of a match; made once in a process."""
    for folder in match.path:
        if folder not in sys.path:
            sys.path.insert(0, folder)
    setup = load_game(match.game, players=match.players, **dict(match.options))
    players = make_players(match.agents, setup)
    if not all(player.is_compiled for player in players):
        warm_view(setup)
    return setup, players


def play_chunk(match: Match, chunk: Chunk, batch: int = 0) -> tuple[Tally, Games | None]:
    """Play a chunk; returns its tally, and its games when `match.keep` is "rows".

    The result does not depend on `batch`, how many tables are played together (0: as many as fit the cache). Raises
    AgentFault when an agent breaks a rule and `match.on_fault` is "abort".
    """
    setup, players = seat_agents(match)
    orders = seatings(match.line_ups[chunk.line_up])
    batch = batch or max(1, BATCH_BYTES // setup.template.nbytes)
    tally = Tally.empty(setup, match.line_ups[chunk.line_up], len(orders))
    boards = [_Board.new(setup, min(batch, chunk.n_deals)) for _ in orders]
    kept: list[Games] = []
    for offset in range(0, chunk.n_deals, batch):
        first = chunk.first_deal + offset
        n_deals = min(batch, chunk.n_deals - offset)
        block = [
            _play_batch(match, setup, players, chunk.line_up, order, rotation, first, boards[rotation].part(n_deals))
            for rotation, order in enumerate(orders)
        ]
        tally.add_block(setup, block, orders)
        if match.keep == "rows":
            kept.extend(each.copy() for each in block)
    return tally, _joined(kept) if match.keep == "rows" else None


class _Board(NamedTuple):
    """Memory for a batch of tables, made once a chunk: fresh pages for each batch would cost as much as the games."""

    states: Any
    streams: np.ndarray
    log: tables.Log
    points: np.ndarray
    utility: np.ndarray

    @staticmethod
    def new(setup: Setup, n_tables: int) -> _Board:
        """Return memory for so many tables."""
        return _Board(
            setup.blank_states(n_tables),
            np.zeros((n_tables, setup.players), dtype=np.uint64),
            tables.new_log(n_tables, setup.players),
            np.zeros((n_tables, setup.players), dtype=np.int64),
            np.zeros((n_tables, setup.players), dtype=np.float64),
        )

    def part(self, n_tables: int) -> _Board:
        """Return the first tables of the board, cleared."""
        log = tables.Log(*(each[:n_tables] for each in self.log))
        for each in (*log, self.points[:n_tables], self.utility[:n_tables]):
            each.fill(0)
        return _Board(
            self.states[:n_tables], self.streams[:n_tables], log, self.points[:n_tables], self.utility[:n_tables]
        )


def _play_batch(
    match: Match,
    setup: Setup,
    players: list[Player],
    line_up: int,
    order: LineUp,
    rotation: int,
    first_deal: int,
    board: _Board,
) -> Games:
    n_deals = len(board.states)
    tables.deal_tables(board.states, setup.template, match.seed, first_deal)
    tables.start_streams(board.streams, match.seed, first_deal, rotation)
    seated = [(players[agent], np.array([other == agent for other in order])) for agent in dict.fromkeys(order)]
    referee = _Referee(match, setup, board, first_deal, rotation)
    n_open = n_deals
    while n_open:
        for player, plays in seated:
            if player.is_compiled:
                n_open = tables.advance(player.knobs, player.looks, board.states, plays, board.streams, board.log)
            else:
                n_open = referee.advance(player, plays)
            if not n_open:
                break
    if referee.faults:
        referee.collect(board.points, board.utility)
    else:
        tables.collect_points(board.states, board.points)
        if match.keep == "rows" or not setup.cooperative:
            tables.collect_utility(board.states, board.utility)
    return Games(
        line_up=line_up,
        deal=np.arange(first_deal, first_deal + n_deals),
        rotation=np.full(n_deals, rotation),
        agent=np.array(order),
        points=board.points,
        finished=~board.log.closed,
        utility=board.utility,
        decisions=board.log.decisions,
        first_action=board.log.first_actions,
        faults=referee.faults,
    )


class _Referee:
    """Asks plain Python agents for their moves at a batch of tables, and notes their faults."""

    def __init__(self, match: Match, setup: Setup, board: _Board, first_deal: int, rotation: int) -> None:
        self.match, self.setup, self.first_deal, self.rotation = match, setup, first_deal, rotation
        self.states, self.streams, self.log = board.states, board.streams, board.log
        self.faults: dict[tuple[int, int], str] = {}
        self._agents: dict[tuple[int, int], Any] = {}
        self._hung: set[tuple[int, int]] = set()
        self._watch = Watch(match.move_seconds)
        self._scratch = setup.blank_states(1)

    def advance(self, player: Player, plays: np.ndarray) -> int:
        """Do for a plain Python agent what `tables.advance` does for a compiled one."""
        n_open = 0
        with self._watch:
            for table in range(len(self.states)):
                state = self.states[table]
                while not self.log.closed[table] and not is_terminal(state):
                    seat = int(current_player(state))
                    if not plays[seat]:
                        n_open += 1
                        break
                    self._move(player, table, seat)
        return n_open

    def _move(self, player: Player, table: int, seat: int) -> None:
        state, log = self.states[table], self.log
        rng = self.streams[table, seat : seat + 1]
        try:
            action = self._answer(player, table, seat, rng)
        except Fault as fault:
            if isinstance(fault, Hung):
                self._hung.add((table, seat))
            if self.match.on_fault == "abort":
                where = f"deal {self.first_deal + table}, rotation {self.rotation}, seat {seat}"
                raise AgentFault(f"agent {player.label} {fault} ({where})") from fault
            self.faults.setdefault((table, seat), str(fault))
            if self.match.on_fault == "forfeit":
                log.closed[table] = True
                return
            action = int(random_action(state, rng))
        if log.decisions[table, seat] == 0:
            log.first_actions[table, seat] = action
        log.decisions[table, seat] += 1
        apply_action(state, action)

    def _answer(self, player: Player, table: int, seat: int, rng: np.ndarray) -> int:
        """Ask the agent of a seat; one that hung is not asked again in that game, or each move would take as long."""
        if (table, seat) in self._hung:
            raise Fault(self.faults[table, seat])
        if (table, seat) not in self._agents:
            assert player.factory is not None
            self._agents[table, seat] = make(player.factory, self._watch)
        self._scratch[0] = self.states[table]
        determinize(self._scratch[0], seat, rng)
        return ask(self._agents[table, seat], View(self.setup, self._scratch[0], rng), self._watch)

    def collect(self, points: np.ndarray, utility: np.ndarray) -> None:
        """Collect what finished games came to; a game broken off gives its forfeiter's side the least utility.

        In a cooperative game that is everybody's; otherwise the others have the rest of what there is to win.
        """
        finished = np.flatnonzero(~self.log.closed)
        part_points, part_utility = points[finished], utility[finished]
        tables.collect_points(self.states[finished], part_points)
        tables.collect_utility(self.states[finished], part_utility)
        points[finished], utility[finished] = part_points, part_utility
        least, most = self.setup.ranges.utility
        sides = np.array(self.setup.sides)
        for table, seat in self.faults:
            if self.log.closed[table]:
                others = sides != sides[seat]
                wins = others & (not self.setup.cooperative)
                utility[table] = np.where(wins, most / max(1, others.sum()), least)


def _joined(parts: list[Games]) -> Games:
    """Put the batches of a chunk together, ordered by deal and rotation."""
    faults: dict[tuple[int, int], str] = {}
    deal = np.concatenate([part.deal for part in parts])
    rotation = np.concatenate([part.rotation for part in parts])
    order = np.lexsort((rotation, deal))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = 0
    for part in parts:
        for (table, seat), words in part.faults.items():
            faults[int(place[first + table]), seat] = words
        first += len(part.deal)

    def gather(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])[order]

    seats = np.concatenate([np.broadcast_to(part.agent, part.points.shape) for part in parts])[order]
    return Games(
        line_up=parts[0].line_up,
        deal=deal[order],
        rotation=rotation[order],
        agent=seats,
        points=gather("points"),
        finished=gather("finished"),
        utility=gather("utility"),
        decisions=gather("decisions"),
        first_action=gather("first_action"),
        faults=faults,
    )
