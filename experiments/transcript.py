"""One game, move by move, as a person reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents import Player, make_players, split_specs
from agents.python import MOVE_SECONDS, Fault, View, Watch, ask, make
from engine.contract import (
    MOST_ACTIONS,
    Game,
    Setup,
    apply_action,
    choose,
    current_player,
    determinize,
    is_terminal,
    legal_actions,
    load_game,
    returns,
    score,
    workspace,
)
from engine.kernel import kernel
from engine.tables import start_streams


def play_deal(
    setup: Setup,
    agents: Sequence[str],
    seed: int,
    deal: int,
    human: int | None,
    ask_person: Callable[[str], str],
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Play deal `deal` of `seed`, otherwise as `play_game`."""
    start, streams = setup.new_game(seed, deal), seat_streams(setup, seed, deal)
    return play_game(setup, agents, start, streams, human, ask_person, say)


def play_game(
    setup: Setup,
    agents: Sequence[str],
    start: Any,
    streams: np.ndarray,
    human: int | None,
    ask_person: Callable[[str], str],
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Play on from the record `start` and tell it move by move through `say`; return moves, points and utilities.

    One agent takes all seats, or one is named for each seat, from seat 0. `streams` (uint64, shape (1, players)) are
    the seats' random numbers, see `seat_streams`. With `human` that seat is asked through `ask_person`, and sees only
    what its player knows. Raises ValueError for wrong arguments or an agent's fault.
    """
    seated = _seat(setup, agents, human)
    notation = setup.game.notation
    states = setup.blank_states(1)
    states[0] = start
    state = states[0]
    say(notation.show(state, human))
    moves = []
    while not is_terminal(state):
        seat = int(current_player(state))
        rng = streams[0, seat : seat + 1]
        scratch = setup.blank_states(1)
        scratch[0] = state
        determinize(scratch[0], seat, rng)
        player = seated[seat]
        action = (
            _human_action(setup, state, seat, ask_person, say)
            if player is None
            else _agent_action(player, setup, scratch, rng)
        )
        who = "you" if player is None else player.label
        moves.append({"seat": seat, "agent": who, "action": notation.action_text(action)})
        before = state.copy()
        apply_action(state, action)
        told, *events = _tell(notation, before, action, state, human)
        say(f"seat {seat} ({who}): {told}")
        for event in events:
            say(event)
    points = np.zeros(setup.players, dtype=np.int64)
    utility = np.zeros(setup.players)
    score(state, points)
    returns(state, utility)
    say(notation.explain_result(state))
    return {"moves": moves, "points": points.tolist(), "utility": utility.tolist()}


def seat_streams(setup: Setup, seed: int, deal: int) -> np.ndarray:
    """Return the random numbers of all seats for a deal, uint64, shape (1, players)."""
    streams = np.zeros((1, setup.players), dtype=np.uint64)
    start_streams(streams, seed, deal, 0)
    return streams


def read_position(path: Path, game: Game, players: int | None, options: Mapping[str, Any]) -> tuple[Setup, Any]:
    """Read a position from a file; return the setup that it belongs to, and its record.

    The number of players may be left open. Raises ValueError where the file cannot be read, is no position of the
    game, or was made with other options than the given ones.
    """
    try:
        state = game.notation.parse_position(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ValueError(f"the position file {str(path)!r} cannot be read: {reason}") from None
    except ValueError as error:
        raise ValueError(f"the position file {str(path)!r} is wrong: {error}") from None
    differing = ""
    for number in game.players if players is None else (players,):
        setup = load_game(game.name, players=number, **options)
        differing = _differing_field(setup, state)
        if not differing:
            return setup, state
    raise ValueError(
        f"the position file {str(path)!r} was made with other options, see {differing!r} in it: "
        "give the same with --players and --option"
    )


def _differing_field(setup: Setup, state: Any) -> str:
    """Return a field that options decide and that is not the same in the setup and in a record, or ""."""
    for name in sorted(_option_fields(setup.game)):
        if not np.array_equal(setup.template[name], state[name]):
            return name
    return ""


def _option_fields(game: Game) -> set[str]:
    """Find the fields of a game's record that its options fill: those that are not 0 in some blank record."""
    found: set[str] = set()
    tried: list[dict[str, Any]] = [{"players": number} for number in game.players]
    for option in game.options:
        if not option.free:
            choices = option.choices or (option.low, option.high)
            tried += [{option.name: choice} for choice in choices]
    for options in tried:
        try:
            template = load_game(game.name, **options).template
        except ValueError:
            continue  # the choice does not go with the other defaults
        found |= {name for name in game.dtype.names or () if np.any(template[name])}
    return found


def _tell(notation: Any, before: Any, action: int, after: Any, viewer: int | None) -> list[str]:
    """Say what an action did as the viewer sees it: the game's own words where it has any, else the action."""
    tell = getattr(notation, "tell", None)
    return [notation.action_text(action)] if tell is None else list(tell(before, action, after, viewer))


def _seat(setup: Setup, agents: Sequence[str], human: int | None) -> list[Player | None]:
    if human is not None and not 0 <= human < setup.players:
        raise ValueError(f"seat {human} is not one of 0 to {setup.players - 1}")
    words = split_specs(agents)
    made = dict(zip(dict.fromkeys(words), make_players(list(dict.fromkeys(words)), setup), strict=True))
    n_open = setup.players - (human is not None)
    if len(words) not in (1, n_open, setup.players):
        raise ValueError(f"name one agent for all seats or one for each of {n_open} seats, not {len(words)}")
    if len(words) == n_open and human is not None:
        words.insert(human, words[0])
    labels = words * setup.players if len(words) == 1 else words
    return [None if seat == human else made[labels[seat]] for seat in range(setup.players)]


@kernel
def _choose_once(agent: Any, states: Any, rng: Any) -> int:
    return choose(agent, states[0], workspace(agent, states), rng)


def _agent_action(player: Player, setup: Setup, scratch: Any, rng: np.ndarray) -> int:
    if player.is_compiled:
        return int(_choose_once(player.knobs, scratch, rng))
    assert player.factory is not None
    try:
        with Watch(MOVE_SECONDS) as watch:
            return ask(make(player.factory, watch), View(setup, scratch[0], rng), watch)
    except Fault as fault:
        raise ValueError(f"agent {player.label} {fault}") from fault


def _human_action(
    setup: Setup, state: Any, seat: int, ask_person: Callable[[str], str], say: Callable[[str], None]
) -> int:
    notation = setup.game.notation
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    legal = actions[: legal_actions(state, actions)].tolist()
    say(notation.show(state, seat))
    while True:
        answer = ask_person(f"your move ({', '.join(notation.action_text(each) for each in legal)}):")
        try:
            action = notation.parse_action(answer)
        except ValueError as error:
            say(str(error))
            continue
        if action in legal:
            return int(action)
        say(f"{answer} is not legal now")
