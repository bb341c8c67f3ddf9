"""The cache of compiled code: never stale, never poisoned, and made anew only where something changed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import from_dtype, typeof, types

from engine import code_cache
from engine.contract import find_agent, load_game
from engine.identity import key_of
from engine.kernel import JIT, kernel
from engine.tables import advance

HOUSE = Path(__file__).resolve().parents[2]
compiled_only = pytest.mark.skipif(not JIT, reason="nothing is compiled")

HELPER = "from engine.kernel import kernel\n\n@kernel\ndef times(x):\n    return x * RATE\n\nRATE = 1.0\n"
USER = {
    "from": "from helper import kernel, times\n\n@kernel\ndef price(x):\n    return times(x) + 0.4\n",
    "import": "import helper\n\n@helper.kernel\ndef price(x):\n    return helper.times(x) + 0.4\n",
}
PLAY = "import user; from engine.kernel import cache_misses; print(f'{user.price(20.0):.1f} {cache_misses()}')"


class Place:
    """A user's folder with a kernel that calls another file's, and a cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        self.write("helper", HELPER)
        self.write("user", USER["from"])

    def write(self, name: str, text: str) -> None:
        (self.folder / f"{name}.py").write_text(text)

    def start(self, code: str = PLAY) -> subprocess.Popen[str]:
        path = os.pathsep.join([str(self.folder), str(HOUSE)])
        settings = {"PIZZABOTS_CACHE": str(self.cache), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def play(self, code: str = PLAY) -> tuple[str, str]:
        process = self.start(code)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out.strip(), err

    def files(self) -> list[Path]:
        return sorted(path for path in self.cache.rglob("*") if path.is_file())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@compiled_only
@pytest.mark.parametrize("how", USER)
def test_an_edit_of_an_imported_file_is_never_played_over(place: Place, how: str) -> None:
    place.write("user", USER[how])
    assert place.play()[0] == "20.4 2"
    assert place.play()[0] == "20.4 0"
    place.write("helper", HELPER.replace("x * RATE", "x * RATE * 1.26"))
    assert place.play()[0] == "25.6 2"


@compiled_only
@pytest.mark.parametrize("how", USER)
def test_a_constant_counts(place: Place, how: str) -> None:
    place.write("user", USER[how])
    assert place.play()[0] == "20.4 2"
    place.write("helper", HELPER.replace("RATE = 1.0", "RATE = 1.26"))
    assert place.play()[0] == "25.6 2"


@compiled_only
def test_comments_docstrings_and_what_is_not_called_do_not_count(place: Place) -> None:
    assert place.play()[0] == "20.4 2"
    place.write(
        "helper", "# why\n" + HELPER.replace("    return", '    "Say."\n    return') + "\ndef other():\n    pass\n"
    )
    assert place.play()[0] == "20.4 0"


@compiled_only
def test_a_file_that_was_damaged_is_made_anew(place: Place) -> None:
    place.play()
    for damage in (b"", b"\0", None):
        for path in place.files():
            path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)
        assert place.play() == ("20.4 2", "")
        assert place.play() == ("20.4 0", "")


@compiled_only
def test_a_folder_that_cannot_be_used_is_said_once_and_work_goes_on(place: Place) -> None:
    place.cache.write_text("a file in its place")
    before = {path for path in HOUSE.rglob("*.nb?") if ".venv" not in path.parts}
    out, err = place.play()
    assert out == "20.4 2"
    assert err.startswith("compiled code cannot be kept and will be compiled again next time: ")
    assert err.count("\n") == 1
    assert place.play()[0] == "20.4 2"
    assert {path for path in HOUSE.rglob("*.nb?") if ".venv" not in path.parts} == before


@compiled_only
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_only_read_is_read(place: Place) -> None:
    place.play()
    folders = [place.cache, *(path for path in place.cache.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert place.play() == ("20.4 0", "")
    finally:
        for folder in folders:
            folder.chmod(0o700)


@compiled_only
def test_two_processes_compile_into_one_cache_at_the_same_time(place: Place) -> None:
    processes = [place.start() for _ in range(3)]
    for process in processes:
        out, err = process.communicate()
        assert (process.returncode, out.split()[0], err) == (0, "20.4", "")
    assert place.play()[0] == "20.4 0"
    assert not [path for path in place.files() if path.name.startswith(".making-")]


@compiled_only
def test_what_failed_leaves_nothing_behind(place: Place) -> None:
    broken = USER["from"].replace("+ 0.4", "+ nothing")
    place.write("user", broken)
    process = place.start()
    process.communicate()
    assert process.returncode != 0
    place.write("user", USER["from"])
    assert place.play()[0].startswith("20.4 ")


@compiled_only
def test_numbas_own_cache_is_left_to_the_user(place: Place) -> None:
    code = "import numba; before = numba.config.CACHE_DIR; import engine; print(numba.config.CACHE_DIR == before)"
    assert place.play(code)[0] == "True"


def advance_key(game: str, agent: str) -> str | None:
    """Return the key of `advance` for an agent of a game."""
    setup = load_game(game)
    knobs = find_agent(agent).knobs()
    record = types.Array(from_dtype(setup.game.dtype), 1, "C")
    function = getattr(advance, "py_func", advance)
    return key_of(function, [typeof(knobs), types.boolean, record], {}, "here")


def test_a_key_depends_on_the_game_and_the_agent_in_the_signature_and_on_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.toys import nim

    before = {
        (game, agent): advance_key(game, agent)
        for game in ("toy-nim", "toy-bandit")
        for agent in ("uniform", "highest")
    }
    assert None not in before.values()
    assert len(set(before.values())) == 4

    @kernel
    def apply_action(state, action):
        state.player = 7

    monkeypatch.setattr(nim, "apply_action", apply_action)
    after = {pair: advance_key(*pair) for pair in before}
    assert {pair for pair in before if after[pair] != before[pair]} == {("toy-nim", "uniform"), ("toy-nim", "highest")}


@pytest.mark.parametrize("value", [object(), lambda: 0, open])
def test_two_functions_that_name_different_things_have_different_keys(value: object) -> None:
    def reads():
        return value

    def reads_one():
        return 1

    assert key_of(reads, [], {}, "here") != key_of(reads_one, [], {}, "here")
    assert key_of(reads_one, [], {}, "here") != key_of(reads_one, [types.int64], {}, "here")
    assert key_of(reads_one, [], {}, "here") != key_of(reads_one, [], {}, "elsewhere")


def test_what_cannot_be_told_has_no_key() -> None:
    thing = object()

    def reads():
        return thing

    assert key_of(reads, [], {}, "here") is None


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIZZABOTS_CACHE", str(tmp_path))
    assert code_cache.cache_folder() == tmp_path / "kernels"
    monkeypatch.delenv("PIZZABOTS_CACHE")
    assert code_cache.cache_folder().name == "kernels"
