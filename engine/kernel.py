"""Compile kernels, and keep what was compiled.

Every compiled function of the project is decorated with `kernel`: numba's `njit` with one set of flags.
Numba writes machine code to a cache folder but notices only edits to the file that the function stands in,
not to the files it calls, and not changed flags. So the folder itself is named by a fingerprint of all kernel
sources, the versions and the flags: an edit anywhere gives a new folder, and nothing stale is ever loaded.

Exactly one process may compile (the driver, in `engine.tables.warm`); all others only load.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
import platformdirs
from numba.core.registry import CPUDispatcher

_config: Any = numba.config
JIT = not _config.DISABLE_JIT

# nogil: kernels touch no Python object. error_model numpy: no branch for a zero divisor on hot paths.
# fastmath stays off: the same bytes must come out on every machine that rounds by the standard.
FLAGS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

# Settings of numba (NUMBA_… in the environment) that change the code it makes but not the name under which it caches
# it.
_CODE_SETTINGS = (
    "OPT",
    "BOUNDSCHECK",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "CPU_NAME",
    "CPU_FEATURES",
    "DEBUG",
    "DISABLE_JIT",
)

_HOUSE = Path(__file__).resolve().parent
_SOURCE_ROOMS = (_HOUSE, _HOUSE.parent / "agents")

_sources: set[Path] = set()
_kernels: list[Any] = []

F = TypeVar("F", bound=Callable[..., Any])

if not JIT:
    np.seterr(over="ignore")  # the hashes wrap around 2**64 on purpose; interpreted, numpy would warn


def fingerprint() -> str:
    """Return 16 hex digits that change whenever compiled code could."""
    digest = hashlib.sha256()
    versions = (platform.python_version(), np.__version__, numba.__version__, llvmlite.__version__)
    settings = [(name, getattr(_config, name, None)) for name in _CODE_SETTINGS]
    digest.update(repr((versions, platform.machine(), sorted(FLAGS.items()), settings)).encode())
    for path in sorted(_sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return the folder of compiled code: below `PIZZABOTS_CACHE`, or the user's cache folder."""
    home = os.environ.get("PIZZABOTS_CACHE") or platformdirs.user_cache_dir("pizzabots")
    return Path(home) / f"kernels-{fingerprint()}"


def include_source(path: str | os.PathLike[str]) -> None:
    """Let an outside file with kernels of its own (a user's agent, a toy game) count in the fingerprint."""
    source = Path(path).resolve()
    if source in _sources:
        return
    _sources.add(source)
    _use_cache_folder()


class Kernel(CPUDispatcher):
    """A compiled function that may be compiled for some types while it is being compiled for others.

    A search whose simulations are played by a search calls itself, for another type of agent. Numba takes every call
    of a function that it is compiling for a recursive one, and leaves a symbol open that nothing ever defines.
    """

    @property
    def is_compiling(self) -> Any:
        """Tell numba whether a call that it meets may be recursive: only where the function names itself."""
        code = self.py_func.__code__
        return code.co_name in code.co_names and super().is_compiling


def kernel(function: F) -> F:
    """Compile `function` with the project's flags and cache it; with JIT off, return it unchanged."""
    if not JIT:
        return function
    compiled = Kernel(function, targetoptions={"nopython": True, **FLAGS})
    compiled.enable_caching()
    _kernels.append(compiled)
    return compiled  # type: ignore[return-value]


def compiled_kernels() -> tuple[Any, ...]:
    """Return every kernel made so far (numba dispatchers; plain functions with JIT off)."""
    return tuple(_kernels)


def cache_misses() -> int:
    """Return how many kernels this process compiled because no cached code was found."""
    if not JIT:
        return 0
    return sum(sum(each.stats.cache_misses.values()) for each in _kernels)


def _use_cache_folder() -> None:
    _config.CACHE_DIR = str(cache_folder())
    if JIT:
        for each in _kernels:  # made before this source was known: look into the new folder from now on
            each.enable_caching()


for _room in _SOURCE_ROOMS:
    _sources.update(path for path in _room.rglob("*.py") if "__pycache__" not in path.parts)
_use_cache_folder()
