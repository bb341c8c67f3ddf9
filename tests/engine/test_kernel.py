"""The cache of compiled code: named by all that could change it, and moved when a source joins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import kernel as kernel_module
from engine.kernel import FLAGS, JIT, cache_folder, fingerprint

HOUSE = Path(__file__).resolve().parents[2]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Count one more file as a source of kernels, for this test only."""
    path = tmp_path / "rules.py"
    path.write_text("POINTS = 5\n")
    monkeypatch.setattr(kernel_module, "_sources", {*kernel_module._sources, path})
    return path


def test_the_fingerprint_stands_while_nothing_changes(source: Path) -> None:
    assert fingerprint() == fingerprint()
    assert len(fingerprint()) == 16
    int(fingerprint(), 16)


def test_an_edit_of_any_source_changes_the_fingerprint(source: Path) -> None:
    before = fingerprint()
    source.write_text("POINTS = 6\n")
    assert fingerprint() != before
    source.write_text("POINTS = 5\n")
    assert fingerprint() == before


def test_a_source_more_changes_the_fingerprint(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setattr(kernel_module, "_sources", kernel_module._sources - {source})
    assert fingerprint() != before


@pytest.mark.parametrize(("flag", "value"), [("fastmath", True), ("nogil", False), ("boundscheck", True)])
def test_a_flag_changes_the_fingerprint(flag: str, value: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setitem(FLAGS, flag, value)
    assert fingerprint() != before


@pytest.mark.parametrize("package", ["numba", "llvmlite", "np"])
def test_a_version_changes_the_fingerprint(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint()
    monkeypatch.setattr(getattr(kernel_module, package), "__version__", "0.0.1")
    assert fingerprint() != before


def test_all_kernels_of_the_house_are_counted() -> None:
    for room in ("engine", "agents"):
        for path in (HOUSE / room).rglob("*.py"):
            assert path in kernel_module._sources, path


def test_the_cache_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIZZABOTS_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path / f"kernels-{fingerprint()}"
    monkeypatch.delenv("PIZZABOTS_CACHE")
    assert cache_folder().name == f"kernels-{fingerprint()}"


REDIRECT = """
import sys
from pathlib import Path
import numba
from engine.kernel import cache_folder, cache_misses, compiled_kernels, include_source
from engine.bits import trailing_zeros
from engine.rng import mix
import numpy as np

def folder_in_use():
    return {Path(each._cache._cache_path).parent for each in compiled_kernels()}

first = cache_folder()
mix(np.uint64(1))
assert cache_misses() == 1, cache_misses()
assert len(list(first.rglob("*.nbi"))) == 1
include_source(sys.argv[1])
second = cache_folder()
assert second != first
assert numba.config.CACHE_DIR == str(second)
assert folder_in_use() == {second}, folder_in_use()
include_source(sys.argv[1])
assert cache_folder() == second
from engine.rng import new_stream
new_stream(1, 1, 1)
assert len(list(first.rglob("*.nbi"))) == 1
assert len(list(second.rglob("*.nbi"))) == 2
"""


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_a_new_source_redirects_kernels_that_exist_already(tmp_path: Path) -> None:
    source = tmp_path / "toy.py"
    source.write_text("# a game of somebody else\n")
    environment = {**os.environ, "PIZZABOTS_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", REDIRECT, str(source)],
        cwd=HOUSE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
