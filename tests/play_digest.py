"""Play every game with every compiled agent and digest all that comes out, to compare processes.

Run as `python -m tests.play_digest [GAME …]` it prints one JSON object: `digests` by game, setup and agent, `misses`
(kernels compiled because the cache had none), and `signatures` (kernels compiled twice for one record and agent).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import pkgutil
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core import types

import agents
import tests.agents.own  # registers a compiled agent as a user would write it
import tests.toys
from engine.contract import Setup, agent_names, find_agent, game_names, load_game
from engine.kernel import JIT, cache_misses, compiled_kernels
from engine.tables import advance, collect_points, collect_utility, deal_tables, new_log, start_streams

N_TABLES = 2
# Knobs that say how much an agent thinks; interpreted, simulations to the end of a long game would take minutes.
CHEAP = {"iterations": 12, "horizon": 8, "states": 12}
SEED = 5


def load_everything() -> None:
    """Register all agents and toy games."""
    agents.load_all()
    for info in pkgutil.iter_modules(tests.toys.__path__):
        importlib.import_module(f"{tests.toys.__name__}.{info.name}")


def agent_texts(setup: Setup) -> Iterator[str]:
    """Yield every compiled agent for a setup: each style where it has styles, else with little to think."""
    for name in agent_names():
        facts = find_agent(name).knob_facts
        if "style" in facts:
            yield from (f"{name}:style={style.name}" for style in setup.game.styles)
        else:
            cheap = ",".join(f"{knob}={value}" for knob, value in CHEAP.items() if knob in facts)
            yield f"{name}:{cheap}" if cheap else name


def play(setup: Setup, agent_text: str) -> str:
    """Let one agent play all seats of a few tables; return the digest of records, results, streams and decisions."""
    player = agents.make_player(agent_text, setup)
    states = setup.blank_states(N_TABLES)
    streams = np.zeros((N_TABLES, setup.players), dtype=np.uint64)
    log = new_log(N_TABLES, setup.players)
    points = np.zeros((N_TABLES, setup.players), dtype=np.int64)
    utility = np.zeros((N_TABLES, setup.players), dtype=np.float64)
    deal_tables(states, setup.template, SEED, 0)
    start_streams(streams, SEED, 0, 0)
    plays = np.ones(setup.players, dtype=np.bool_)
    n_open = int(advance(player.knobs, player.looks, states, plays, streams, log))
    assert n_open == 0, f"{agent_text} left {n_open} tables unfinished"
    collect_points(states, points)
    collect_utility(states, utility)
    digest = hashlib.sha256()
    for part in (states, streams, *log, points, utility):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def play_all(games: list[str]) -> dict[str, str]:
    """Return the digest of every agent at the smallest table of every game, by `game players agent`."""
    digests = {}
    for name in games:
        setup = load_game(name, players=load_game(name).game.players[0])
        for text in agent_texts(setup):
            digests[f"{name} {setup.players} {text}"] = play(setup, text)
    return digests


def play_elsewhere(games: list[str]) -> None:
    """Play every game with every agent once more, at its largest table and with other choices of its options."""
    for name in games:
        game = load_game(name).game
        setups = [load_game(name, players=game.players[-1])]
        for option in game.options:
            if not option.free:
                other = option.choices[-1] if option.choices else option.high
                with contextlib.suppress(ValueError):  # the game refuses the choice without further options
                    setups.append(load_game(name, **{option.name: other}))
        for setup in setups:
            for text in {text.partition(":")[0]: text for text in agent_texts(setup)}.values():
                play(setup, text)


def repeated_signatures() -> dict[str, list[str]]:
    """Return the kernels that Python calls to play, where compiled more than once for one record and agent.

    Those are the kernels of engine.tables. What they call is inlined or compiled with them, once.
    """
    repeated = {}
    for each in compiled_kernels():
        if each.__module__ != advance.__module__ or not JIT:
            continue
        keys = Counter(tuple(_key(kind) for kind in signature if _is_keyed(kind)) for signature in each.signatures)
        if any(count > 1 for key, count in keys.items() if key):
            repeated[each.__name__] = [str(signature) for signature in each.signatures]
    return repeated


def _is_keyed(kind: Any) -> bool:
    is_record = isinstance(kind, types.Record) or isinstance(getattr(kind, "dtype", None), types.Record)
    return is_record or isinstance(kind, types.BaseNamedTuple)


def _key(kind: Any) -> str:
    return str(kind.dtype) if isinstance(kind, types.Array) else str(kind)


if __name__ == "__main__":
    load_everything()
    chosen = sys.argv[1:] or game_names()
    digests = play_all(chosen)
    if JIT:
        play_elsewhere(chosen)
    print(json.dumps({"digests": digests, "misses": cache_misses(), "signatures": repeated_signatures()}))
