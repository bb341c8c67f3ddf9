"""The command line: what is common to all commands. The commands themselves stand in `experiments.commands`."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import typer

from experiments.commands import app, complain

USAGE_ERROR: Any = typer.BadParameter.__base__  # click's, wherever this version of typer keeps it

for _room in ("games", "matches", "design", "explaining"):  # their import puts the commands on the list, in this order
    importlib.import_module(f"experiments.commands.{_room}")


def spread_lists(words: list[str]) -> list[str]:
    """Repeat `--agents` before each of the words that follow it, so that a list may be separated by spaces."""
    spread: list[str] = []
    inside = False
    for word in words:
        if inside and not word.startswith("-"):
            if spread[-1] != "--agents":
                spread.append("--agents")
            spread.append(word)
            continue
        inside = word == "--agents"
        spread.append(word)
    return spread


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; a user's mistake ends with one sentence and a non-zero exit."""
    words = spread_lists(sys.argv[1:] if arguments is None else arguments)
    sys.path.insert(0, "")  # agents' modules are looked for where the user stands
    try:
        code = app(words, prog_name="pizzabots", standalone_mode=False)
    except USAGE_ERROR as error:
        complain(error.format_message())
        code = 2
    except ValueError as error:
        complain(str(error))
        code = 2
    except typer.Exit as error:
        code = error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:  # such as a full disk
        where = "" if error.filename is None else f"{str(error.filename)!r}: "
        complain(f"{where}{error.strerror or error}; what was finished is kept, the same command takes it up")
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        complain("stopped; what was finished is kept, the same command takes it up")
        code = 130
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
