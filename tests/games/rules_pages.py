"""Read the tables of a game's RULES.md."""

import re
from pathlib import Path
from types import ModuleType


def page_of(game_folder: ModuleType) -> str:
    """Return the text of a game's RULES.md."""
    return (Path(str(game_folder.__file__)).parent / "RULES.md").read_text(encoding="utf-8")


def table_rows(page: str, first_cell: str) -> list[list[str]]:
    """List the cells of the table rows whose first cell matches."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [each for each in cells if re.fullmatch(first_cell, each[0])]
