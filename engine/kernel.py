"""Compile kernels, and keep what was compiled.

Every compiled function of the project is decorated with `kernel`: numba's `njit` with one set of flags, and a cache of
our own. Numba's notices only edits to the file that a function stands in, not to what it calls; ours knows code by a
key of all that it depends on (see `engine.identity`), so an edit makes anew what can reach the edited function, nothing
else, and nothing stale is ever loaded. Any number of processes may compile into one cache at the same time.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import platform
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity
from numba.core.registry import CPUDispatcher

_config: Any = numba.config

# Numba numbers the symbols of a process from 1. Code of other processes is loaded beside one's own, so each counts from
# a number of its own, and no two symbols are taken for one another.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))
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
    """Return 16 hex digits that change with every source of rules and agents: they say what results come from."""
    digest = hashlib.sha256()
    versions = (platform.python_version(), np.__version__, numba.__version__, llvmlite.__version__)
    settings = [(name, getattr(_config, name, None)) for name in _CODE_SETTINGS]
    digest.update(repr((versions, platform.machine(), sorted(FLAGS.items()), settings)).encode())
    for path in sorted(_sources):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def include_source(path: str | os.PathLike[str]) -> None:
    """Let an outside file with kernels of its own (a user's agent, a toy game) count in the fingerprint."""
    _sources.add(Path(path).resolve())


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

    def enable_caching(self) -> None:
        """Keep what is compiled in the project's cache, and leave numba's settings to the user."""
        from engine.code_cache import KernelCache

        self._cache = KernelCache(self)


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


for _room in _SOURCE_ROOMS:
    _sources.update(path for path in _room.rglob("*.py") if "__pycache__" not in path.parts)
