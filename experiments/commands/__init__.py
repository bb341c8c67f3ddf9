"""The commands of the command line, by what they are about, and what they share.

Everything slow is imported inside the commands, so `--help` answers at once.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from engine.contract import Setup
    from experiments.cluster import Place

app = typer.Typer(
    name="pizzabots",
    help="Agent research and tournament simulator for five tabletop games.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

GameArgument = Annotated[str, typer.Argument(metavar="GAME", help="id of a game, see `pizzabots games`")]
PlayersOption = Annotated[int | None, typer.Option("--players", help="number of players [default: the game's]")]
OptionOption = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="an option of the game; repeat for more")
]
AgentsOption = Annotated[
    list[str] | None,
    typer.Option("--agents", metavar="AGENT…", help="agents, separated by spaces: greedy mcts:iterations=100"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="print JSON")]
DealsOption = Annotated[int, typer.Option("--deals", help="deals that every setting plays")]
SerialOption = Annotated[bool, typer.Option("--serial", help="stay in this process, without Ray")]
SeedOption = Annotated[int, typer.Option("--seed", help="master seed")]
WorkersOption = Annotated[int, typer.Option("--workers", help="play in so many Ray workers", min=0)]
RayOption = Annotated[str, typer.Option("--ray", metavar="ADDRESS", help="a running Ray cluster")]
FaultOption = Annotated[str, typer.Option("--on-fault", help="forfeit, random or abort")]
SecondsOption = Annotated[float, typer.Option("--move-seconds", help="after which a plain Python agent counts as hung")]


def place_of(serial: bool, address: str, workers: int) -> Place:
    """Return where to play; ValueError for flags that contradict each other."""
    from experiments.cluster import Place

    if serial and address:
        raise ValueError("--serial and --ray exclude each other: a run is either in this process or on a cluster")
    if serial and workers:
        raise ValueError("--serial and --workers exclude each other: workers are other processes")
    if address and workers:
        raise ValueError("--ray and --workers exclude each other: a cluster has the workers that it has")
    return Place(serial=serial, address=address, workers=workers)


def check_choice(name: str, value: str, allowed: Iterable[str]) -> None:
    """Refuse a value that is not among those allowed with a ValueError."""
    if value not in allowed:
        raise ValueError(f"{name} is {' or '.join(allowed)}, not {value!r}")


def load_setup(game: str, players: int | None, options: list[str] | None) -> Setup:
    """Return a game with its options; ValueError says what exists where one does not."""
    from engine.contract import load_game

    return load_game(game, players=players, **read_options(options))


def read_options(options: list[str] | None, what: str = "option") -> dict[str, str]:
    """Read words of the form NAME=VALUE, each name once; ValueError calls them `what`."""
    chosen: dict[str, str] = {}
    for word in options or []:
        name, equals, value = word.partition("=")
        if not equals:
            article = "an" if what == "option" else "a"
            raise ValueError(f"{article} {what} is written NAME=VALUE, not {word!r}")
        if name in chosen:
            raise ValueError(f"{what} {name} is given twice")
        chosen[name] = value
    return chosen


def make_out_folder(folder: Path | None) -> None:
    """Make a folder for results before anything is played; ValueError when that cannot be."""
    from experiments.results import make_folder

    if folder is not None:
        make_folder(folder)


def say_written(paths: Iterable[Path], as_json: bool) -> None:
    """Say which files were written: beside JSON, on standard error."""
    for path in paths:
        print(f"wrote {path}", file=sys.stderr if as_json else sys.stdout)


def command_text(command: str, subject: str, given: dict[str, Any]) -> str:
    """Write the command that makes an answer again; what was not given is left out."""
    words = ["pizzabots", command, subject]
    for flag, value in given.items():
        if flag == "--agents":
            words += [flag, *value]
        elif isinstance(value, list):
            words += [word for each in value for word in (flag, each)]
        elif value not in (None, ""):
            words += [flag, str(value)]
    return shlex.join(words)


def agents_or_usual(setup: Setup, agents: list[str] | None) -> list[str]:
    """Return the agents named, or the game's usual simple one."""
    from agents import split_specs

    return split_specs(agents or ["greedy" if setup.game.styles else "uniform"])


def shown(value: Any) -> str:
    """Write a value as it is written on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def say(words: str) -> None:
    """Print an answer."""
    print(words)  # noqa: T201


def say_json(content: Any) -> None:
    """Print an answer as JSON, indented."""
    say(json.dumps(content, indent=2))


def complain(sentence: str) -> None:
    """Print on standard error what is wrong, as one sentence after the program's name."""
    print(f"pizzabots: {sentence}", file=sys.stderr)  # noqa: T201
