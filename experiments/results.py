"""What a run leaves on disk, and how it is read back.

A run is a folder: `config.json` (everything that decides the games, and where they were played), `parts/` (one
Parquet file per chunk, written under a temporary name and renamed), `summary.json` and pictures. Rows are one per game
and seat; the tally of the chunk stands in the file's metadata, so summaries never read rows.

A part's name ends in a digest of its content, so a run that is taken up knows which parts are as they were written.
Readers of a few columns never see the whole file: for them each page carries a checksum of its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from engine.contract import Setup, find_game
from engine.kernel import fingerprint
from experiments.games import Games
from experiments.matches import Match
from experiments.schedule import Chunk
from experiments.tally import Tally, win_shares

_WORD = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        ("lineup", _WORD),  # the agents of the table in the order of its first seating
        ("deal", pa.int64()),
        ("rotation", pa.int16()),  # which of the line-up's seatings
        ("seat", pa.int8()),
        ("agent", _WORD),
        ("points", pa.int32()),  # what the rulebook counts; null where the game was broken off
        ("utility", pa.float64()),
        ("placing", pa.int8()),  # from 1; ties share it
        ("share", pa.float64()),  # of the win; ties split it
        ("decisions", pa.int32()),
        ("fault", _WORD),  # empty, or what the agent did wrong
        ("first_action", pa.int16()),  # id of the seat's first action; null where it never moved
    ]
)
FORMAT = 2  # of a run folder; 2: parts are named by their content
COLUMNS = tuple(SCHEMA.names)
_TALLY = b"pizzabots.tally"


def line_up_label(match: Match, line_up: int) -> str:
    """Name a line-up: the agents of its seats, separated by spaces."""
    return " ".join(match.agents[agent] for agent in match.line_ups[line_up])


def rows_table(match: Match, games: Games) -> pa.Table:
    """Lay the games of a chunk out as rows: one per game and seat, ordered by deal, rotation and seat."""
    n_games, players = games.points.shape
    placing, share = win_shares(games.utility)
    faults = np.zeros(n_games * players, dtype=np.int32)
    fault_words = ["", *dict.fromkeys(games.faults.values())]
    for (game, seat), words in games.faults.items():
        faults[game * players + seat] = fault_words.index(words)
    columns = [
        _words(np.zeros(n_games * players, dtype=np.int32), [line_up_label(match, games.line_up)]),
        pa.array(np.repeat(games.deal, players)),
        pa.array(np.repeat(games.rotation, players).astype(np.int16)),
        pa.array(np.tile(np.arange(players, dtype=np.int8), n_games)),
        _words(games.agent.astype(np.int32).ravel(), match.agents),
        pa.array(games.points.astype(np.int32).ravel(), mask=np.repeat(~games.finished, players)),
        pa.array(games.utility.ravel()),
        pa.array(placing.astype(np.int8).ravel()),
        pa.array(share.ravel()),
        pa.array(games.decisions.ravel()),
        _words(faults, fault_words),
        pa.array(games.first_action.ravel(), mask=(games.decisions == 0).ravel()),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _words(indexes: np.ndarray, words: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(indexes), pa.array(list(words), type=pa.string()))


def part_bytes(match: Match, tally: Tally, games: Games | None) -> bytes:
    """Return the Parquet file of a chunk: its rows, if kept, and its tally."""
    table = SCHEMA.empty_table() if games is None else rows_table(match, games)
    counts = json.dumps(tally.to_json(), sort_keys=True).encode()
    sink = pa.BufferOutputStream()
    tagged = table.replace_schema_metadata({_TALLY: counts})
    pq.write_table(tagged, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, whatever fails; OSError says what did."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the name, too, survives a power cut
    finally:
        os.close(folder)


def new_file(path: Path) -> Path:
    """Return a path where a new file can be written; ValueError when something is there, or its folder is not."""
    if path.exists():
        raise ValueError(f"{str(path)!r} is there already; name a new file with --out")
    if not path.parent.is_dir():
        raise ValueError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{str(path)!r} cannot be written: the folder does not allow it")
    return path


def make_folder(path: Path) -> None:
    """Make a folder and those above it where they are missing; ValueError when that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be made: {error.strerror}") from None


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, indented, whole or not at all."""
    write_whole(path, json_bytes(content))


def json_bytes(content: Any) -> bytes:
    """Return the bytes of a JSON file."""
    return (json.dumps(content, indent=2) + "\n").encode()


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts = path / "parts"

    def open(self, config: dict[str, Any]) -> None:
        """Make the folder, or take up the same run again.

        Raises ValueError when the folder cannot be written, or holds a run with other arguments or rules; then
        nothing in it has been touched.
        """
        earlier = self.path / "config.json"
        if earlier.exists():
            differs = differs_from(read_config(self.path), config)
            if differs:
                raise ValueError(f"the folder {str(self.path)!r} already holds another run: {differs}")
        elif self.path.exists() and any(self.path.iterdir()) if self.path.is_dir() else self.path.exists():
            raise ValueError(f"{str(self.path)!r} is there already and is no run of pizzabots")
        try:
            self.parts.mkdir(parents=True, exist_ok=True)
            for leftover in self.parts.glob(".part-*"):
                leftover.unlink()  # written by a run that was stopped
            if not earlier.exists():
                write_json(earlier, config)
        except OSError as error:
            raise ValueError(f"the folder {str(self.path)!r} cannot be written: {error.strerror}") from None

    def write_part(self, chunk: Chunk, content: bytes) -> None:
        """Write the part of a chunk; OSError when that fails, and then nothing is left of it."""
        write_whole(self.parts / part_name(chunk, content), content)

    def stored_parts(self, chunks: Iterable[Chunk]) -> dict[Chunk, Path]:
        """Return the parts that are there, by chunk; they may be damaged."""
        by_id = {path.name.partition(".")[0]: path for path in sorted(self.parts.glob(f"*{SUFFIX}"))}
        return {chunk: by_id[chunk.id] for chunk in chunks if chunk.id in by_id}

    def whole_parts(self, chunks: Iterable[Chunk]) -> tuple[dict[Chunk, Path], list[Path]]:
        """Return the parts that are as they were written, by chunk, and the damaged ones."""
        stored = self.stored_parts(chunks)
        damaged = {path for chunk, path in stored.items() if path.name != part_name(chunk, path.read_bytes())}
        return {chunk: path for chunk, path in stored.items() if path not in damaged}, sorted(damaged)


SUFFIX = ".parquet"


def part_name(chunk: Chunk, content: bytes) -> str:
    """Return the name of a part: its chunk and 16 hex digits of its content's digest."""
    return f"{chunk.id}.{hashlib.sha256(content).hexdigest()[:16]}{SUFFIX}"


def read_tally(source: Any) -> Tally:
    """Read the counts of a part: a path, or a buffer."""
    metadata = pq.read_schema(source).metadata or {}
    return Tally.from_json(json.loads(metadata[_TALLY]))


DECIDING = (
    "format",
    *(
        "game",
        "players",
        "options",
        "agents",
        "line_ups",
        "seed",
        "deals",
        "schedule",
        "keep",
        "on_fault",
        "move_seconds",
    ),
    *("rules", "source", "agent_sources"),  # digests: of the options as they stand in a record, of the code, of agents
)


def differs_from(earlier: dict[str, Any], config: dict[str, Any]) -> str:
    """Say in what the two runs differ, empty if in nothing that decides the games."""
    for name in DECIDING:
        if earlier.get(name) != config.get(name):
            return f"{name} there: {json.dumps(earlier.get(name))}, here: {json.dumps(config.get(name))}"
    return ""


def run_config(match: Match, setup: Setup, schedule: str, n_deals: int, agent_sources: Sequence[str]) -> dict[str, Any]:
    """Return what config.json says when a run begins; `agent_sources` are the digests of plain Python agents' files."""
    rules = f"{setup.name} {setup.game.version} {sorted(setup.options.items())!r}"
    return {
        "format": FORMAT,
        "game": match.game,
        "players": match.players,
        "options": dict(match.options),
        "agents": list(match.agents),
        "schedule": schedule,
        "line_ups": [list(line_up) for line_up in match.line_ups],
        "deals": n_deals,
        "seed": match.seed,
        "keep": match.keep,
        "on_fault": match.on_fault,
        "move_seconds": match.move_seconds,
        "rules": hashlib.sha256(rules.encode() + setup.template.tobytes()).hexdigest()[:16],
        "source": fingerprint(),
        "agent_sources": list(agent_sources),
        "versions": {
            "python": platform.python_version(),
            **{name: _version(name) for name in ("pizzabots", "numpy", "numba", "pandas", "pyarrow", "ray")},
        },
    }


def _version(name: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def read_config(path: Path) -> dict[str, Any]:
    """Read a run's config.json; ValueError when there is none or it is damaged."""
    try:
        content = json.loads((path / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ValueError(f"{str(path)!r} is no run: it has no readable config.json") from None
    if not isinstance(content, dict):
        raise ValueError(f"{str(path)!r} is no run: its config.json is not a table of settings")
    return content


def command_of(config: Mapping[str, Any]) -> str:
    """Return the command that plays a run's games again."""
    defaults = {option.name: option.default for option in find_game(config["game"]).options}
    words = ["pizzabots", "tournament", config["game"], "--players", config["players"]]
    for name, value in config["options"].items():
        if value != defaults.get(name):
            words += ["--option", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    words += ["--schedule", config["schedule"], "--deals", config["deals"], "--seed", config["seed"]]
    for key, usual in (("keep", "rows"), ("on_fault", "forfeit"), ("move_seconds", 60.0)):
        if config.get(key, usual) != usual:
            words += [f"--{key.replace('_', '-')}", config[key]]
    return shlex.join(map(str, [*words, "--agents", *config["agents"]]))


def load_run(run: str | Path, columns: Iterable[str] | None = None) -> pd.DataFrame:
    """Read the rows of a run as one frame, sorted by line-up, deal, rotation and seat; or only some columns of it.

    Raises ValueError when the folder is no run, kept no rows, or lacks a column that is asked for.
    """
    path = Path(run)
    config = read_config(path)
    if config.get("keep") != "rows":
        raise ValueError(f"the run {str(path)!r} kept only its summary, no rows")
    wanted = list(COLUMNS) if columns is None else list(columns)
    for name in wanted:
        if name not in COLUMNS:
            raise ValueError(f"a run has no column {name!r}; its columns: {', '.join(COLUMNS)}")
    files = sorted((path / "parts").glob(f"part-*{SUFFIX}"))
    tables = [_read_columns(file, wanted).replace_schema_metadata(None) for file in files]
    return as_frame(pa.concat_tables(tables) if tables else SCHEMA.empty_table().select(wanted))


def _read_columns(file: Path, columns: list[str]) -> pa.Table:
    """Read some columns of a part, and nothing else of it; ValueError when they are damaged."""
    try:
        return pq.read_table(file, columns=columns, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, PermissionError):
            raise ValueError(f"the part {str(file)!r} cannot be read: {error.strerror}") from None
        raise ValueError(
            f"the part {str(file)!r} is damaged; the command that made the run, given again, mends it"
        ) from None


def as_frame(table: pa.Table) -> pd.DataFrame:
    """Turn rows into a frame; words become categories."""
    return table.unify_dictionaries().to_pandas()
