"""Compiled code on disk: one file for each key, whole or not there.

A file is written beside its place and moved there, so any number of processes may read and write one folder at the same
time; it begins with a digest of the rest, so what was damaged is noticed and made anew. A folder that cannot be written
is read, one that cannot be read is left alone; either is said once, on standard error, and work goes on.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

import platformdirs
from numba.core import serialize, sigutils
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult

from engine.identity import key_of

_DIGEST_BYTES = 32
_to_bytes: Any = serialize.dumps
_normalized: Any = sigutils.normalize_signature
_result: Any = CompileResult
_said: set[str] = set()


def cache_folder() -> Path:
    """Return the folder of compiled code: below `PIZZABOTS_CACHE`, or the user's cache folder."""
    home = os.environ.get("PIZZABOTS_CACHE") or platformdirs.user_cache_dir("pizzabots")
    return Path(home) / "kernels"


class KernelCache(_Cache):
    """The cache of one kernel, as numba asks it."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    @property
    def cache_path(self) -> str:
        """The folder."""
        return str(cache_folder())

    def enable(self) -> None:
        """Do nothing: it is always in use."""

    def disable(self) -> None:
        """Do nothing: it is always in use."""

    def flush(self) -> None:
        """Do nothing: what changed has another key."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature, or None."""
        path = self._path(sig, target_context)
        content = None if path is None else _read(path)
        if content is None:
            return None
        target_context.refresh()
        try:
            made = _result._rebuild(target_context, *pickle.loads(content))
        except Exception:  # whatever a file of other origin may hold: it is made anew
            return None
        arguments, _ = _normalized(sig)
        return made if tuple(made.signature.args) == tuple(arguments) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for a signature, where it can be kept."""
        path = self._path(sig, data.target_context)
        if path is None or data.library.has_dynamic_globals or data.lifted:
            return
        try:
            content = _to_bytes(data._reduce())
        except Exception:  # a constant that cannot be written down: compiled again by every process
            return
        _write(path, content)

    def _path(self, sig: Any, target_context: Any) -> Path | None:
        arguments, _ = _normalized(sig)
        machine = target_context.codegen().magic_tuple()
        key = key_of(self._kernel.py_func, arguments, self._kernel.targetoptions, machine)
        return None if key is None else cache_folder() / key[:2] / f"{self._kernel.__name__}-{key[2:]}"


def _read(path: Path) -> bytes | None:
    """Return what a file holds, or None where it is not there or not as it was written."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        if not isinstance(error, NotADirectoryError):  # a file in the folder's place is met again when writing
            _say(f"compiled code cannot be read and is made anew: {error.strerror} ({path.parent})")
        return None
    digest, rest = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    return rest if hashlib.sha256(rest).digest() == digest else None


def _write(path: Path, content: bytes) -> None:
    """Put a file in its place, whole; say once where that cannot be."""
    beside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".making-")
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(beside, path)
    except OSError as error:
        _say(f"compiled code cannot be kept and will be compiled again next time: {error.strerror} ({cache_folder()})")
        if beside is not None:
            with contextlib.suppress(OSError):
                os.unlink(beside)


def _say(sentence: str) -> None:
    """Write a sentence on standard error, each kind once a process."""
    kind = sentence.partition(":")[0]
    if kind not in _said:
        _said.add(kind)
        sys.stderr.write(f"{sentence}\n")
