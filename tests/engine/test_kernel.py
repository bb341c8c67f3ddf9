"""The fingerprint of the sources that results come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import kernel as kernel_module
from engine.kernel import FLAGS, fingerprint

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
