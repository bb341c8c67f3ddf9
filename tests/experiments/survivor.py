"""A run of a few seconds in many parts, for the tests that kill it: `python -m tests.experiments.survivor FOLDER HOW`.

HOW is `serial`, `ray` (two workers from the first part on), or the address of a cluster.
"""

import dataclasses
import sys
from pathlib import Path

from engine import load_game
from experiments import cluster
from experiments.cluster import Place
from experiments.schedule import Chunk
from experiments.tournament import Plan, plan_tournament, play_tournament
from tests.agents import own  # noqa: F401  (its kernels count in the fingerprint of the tests, so they must here)

N_DEALS, N_PARTS = 960, 48  # parts of each of the three line-ups


def plan() -> Plan:
    """Return the run: agents cheap and dear, compiled and plain."""
    agents = ["mcts:iterations=60", "greedy:style=own"]
    whole = plan_tournament(load_game("robots-ate-our-pizza"), agents, N_DEALS, 7, "cross")
    size = N_DEALS // N_PARTS
    cut = [Chunk(line_up, first, size) for first in range(0, N_DEALS, size) for line_up in range(3)]
    return dataclasses.replace(whole, chunks=tuple(cut))


if __name__ == "__main__":
    folder, how = sys.argv[1:]
    cluster.SAMPLE_SECONDS = cluster.RAY_START_SECONDS = 0.0
    address = how if ":" in how else ""
    workers = 2 if how == "ray" else 0
    play_tournament(plan(), Path(folder), Place(serial=how == "serial", address=address, workers=workers))
