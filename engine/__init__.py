"""The games and the compiled kernels that run any of them.

From Python: `load_game("robots-ate-our-pizza", players=4, task=1)` gives a game with its options chosen.
"""

from engine.contract import Setup, game_names, load_game

__all__ = ["Setup", "game_names", "load_game"]
