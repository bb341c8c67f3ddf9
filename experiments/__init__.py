"""Questions asked of the games: tournaments and their statistics, pictures, benchmarks, and the command line.

From Python: `run_tournament(game, agents=[…], deals=1000, seed=1)` returns a pandas frame.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.results import load_run
    from experiments.tournament import run_tournament

__all__ = ["load_run", "run_tournament"]


def __getattr__(name: str) -> Any:
    # pandas and pyarrow are slow to import: only who asks for results pays
    if name == "run_tournament":
        from experiments.tournament import run_tournament

        return run_tournament
    if name == "load_run":
        from experiments.results import load_run

        return load_run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
