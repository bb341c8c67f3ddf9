"""What compiled code depends on, as a key: two equal keys mean equal code, whichever process made it and when.

The key of a compiled function is a digest of its signature and of all that it can reach: the bytecode of every
function, the constants that they name, the verbs of those games and agents whose types stand in the signature or among
the constants, and the versions and settings that shape machine code. Comments, docstrings and line numbers do not
count, nor does anything that cannot be reached. Whatever cannot be told for sure has no key, and such code is not kept.
"""

from __future__ import annotations

import builtins
import enum
import hashlib
import inspect
import platform
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

# Settings of numba (NUMBA_… in the environment) that change the code it makes.
_CODE_SETTINGS = (
    "OPT",
    "BOUNDSCHECK",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "CPU_NAME",
    "CPU_FEATURES",
    "DEBUG",
    "LLVM_REFPRUNE_PASS",
)
_LIBRARIES = {"numpy", "numba", "llvmlite", *sys.stdlib_module_names} - {"__main__"}
_CORE = ("kernel.py", "identity.py", "code_cache.py", "contract.py")  # how code is compiled, and verbs are found
_PLAIN_TYPES = (types.Number, types.Boolean, types.NoneType, types.UnicodeType, types.Literal, types.Omitted)
_NAMED_TUPLE: Any = types.BaseNamedTuple  # their fields are not in numba's annotations
_TUPLE: Any = types.BaseTuple

Owner = Any  # what has verbs: a numba Record (a game's) or a class of knobs (an agent's)
Reached = tuple[str, Callable[..., Any]]  # how a verb is compiled, and the function

_verbs: dict[Callable[..., Any], Callable[[Owner], Reached | None]] = {}


def declare_verb(verb: Callable[..., Any], find: Callable[[Owner], Reached | None]) -> None:
    """Say which function a verb becomes for an owner; None where it has no such verb."""
    _verbs[verb] = find


class UnknownError(Exception):
    """Something that code depends on and that has no name that stands for what it is."""


def key_of(function: Callable[..., Any], arguments: Iterable[types.Type], options: Any, machine: Any) -> str | None:
    """Return the key (64 hexadecimal digits) of a function compiled for types, or None where there can be none.

    `options` are those that it is compiled with, `machine` says what the code is made for.
    """
    walk = _Walk()
    try:
        signature = [walk.type_text(each) for each in arguments]
        walk.add_function(function)
        walk.finish()
    except UnknownError:
        return None
    digest = hashlib.sha256()
    for part in (_surroundings(), repr(machine), repr(sorted(options.items())), repr(signature), *sorted(walk.parts)):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _surroundings() -> str:
    """Return what holds for all code that this process makes."""
    versions = (platform.python_version(), np.__version__, numba.__version__, llvmlite.__version__)
    settings = [(name, str(getattr(numba.config, name, None))) for name in _CODE_SETTINGS]
    core = [_file_digest(Path(__file__).with_name(name)) for name in _CORE]
    return repr((versions, platform.machine(), settings, core))


class _Walk:
    """All that code can reach from one function."""

    def __init__(self) -> None:
        self.parts: set[str] = set()
        self._functions: set[Callable[..., Any]] = set()
        self._seen: set[int] = set()  # ids of containers on the way, which live as long as the walk
        self._kept: list[Any] = []
        self._owners: set[Owner] = set()
        self._called: set[Callable[..., Any]] = set()

    def finish(self) -> None:
        """Follow every verb that is called into every owner that was met, until nothing new is found."""
        done: set[tuple[Any, Any]] = set()
        while True:
            pairs = {(verb, owner) for verb in self._called for owner in self._owners} - done
            if not pairs:
                return
            done |= pairs
            for verb, owner in pairs:
                found = _verbs[verb](owner)
                if found is not None:
                    how, function = found
                    self.parts.add(f"verb {verb.__name__} {_name(function)} {how}")
                    self.add_value(function)

    def type_text(self, kind: Any) -> str:
        """Write a type such that different types have different texts, and note whose verbs it stands for."""
        if isinstance(kind, _NAMED_TUPLE):
            self.add_value(kind.instance_class)
            fields = [f"{name}={self.type_text(each)}" for name, each in zip(kind.fields, kind.types, strict=True)]
            return f"{_name(kind.instance_class)}({', '.join(fields)})"
        if isinstance(kind, _TUPLE):
            return f"({', '.join(self.type_text(each) for each in kind.types)})"
        if isinstance(kind, types.Record):
            self._owners.add(kind)
            return str(kind)
        if isinstance(kind, types.Array):
            return f"array({self.type_text(kind.dtype)}, {kind.ndim}, {kind.layout}, {kind.mutable}, {kind.aligned})"
        if isinstance(kind, types.Optional):
            return f"optional({self.type_text(kind.type)})"
        if isinstance(kind, types.Dispatcher):
            self.add_value(kind.dispatcher)
            return f"function {_name(kind.dispatcher.py_func)}"
        if isinstance(kind, _PLAIN_TYPES):
            return str(kind)
        raise UnknownError(str(kind))

    def add_function(self, function: Callable[..., Any]) -> None:
        """Count a function in plain Python, and all that it names."""
        if function in self._functions:
            return
        self._functions.add(function)
        code = function.__code__
        self.parts.add(f"function {_name(function)} {_code_digest(code, function.__doc__)}")
        self._add_named("default", [*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())])
        for cell in function.__closure__ or ():
            self.add_value(cell.cell_contents)
        names = set(_names(code))
        for name in sorted(names):
            if name in function.__globals__:
                self._add_global(function, name, function.__globals__[name], names)

    def _add_global(self, function: Callable[..., Any], name: str, value: Any, names: set[str]) -> None:
        if not isinstance(value, ModuleType):
            self.parts.add(f"global {_name(function)} {name} {self.add_value(value)}")
        elif not _is_library(value.__name__):
            for attribute in sorted(names & set(vars(value))):
                self._add_global(function, f"{name}.{attribute}", vars(value)[attribute], names)
        else:
            self.parts.add(f"module {_name(function)} {name} {value.__name__} {getattr(value, '__version__', '')}")

    def _add_named(self, what: str, values: Iterable[Any]) -> None:
        for value in values:
            self.parts.add(f"{what} {self.add_value(value)}")

    def add_value(self, value: Any) -> str:
        """Return a text that stands for a value, and count what code could reach through it."""
        if value is None or (isinstance(value, bool | int | float | complex | str | bytes) and type(value) in _SCALARS):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, np.generic):
            return f"{value.dtype!r} {value.tobytes().hex()}"
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise UnknownError("an array of objects")
            content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            return f"array {self.add_value(value.dtype)} {value.shape} {content}"
        if isinstance(value, np.dtype):
            if value.names:
                self._owners.add(numba.from_dtype(value))
            return f"dtype {value.descr!r} {value.itemsize} {value.isalignedstruct}"
        if isinstance(value, enum.Enum):
            return f"{_name(type(value))}.{value.name} {value.value!r}"
        if isinstance(value, tuple | list | frozenset | set | dict):
            return self._add_container(value)
        return self._add_callable(value)

    def _add_container(self, value: Any) -> str:
        if id(value) in self._seen:
            raise UnknownError("a container that holds itself")
        self._seen.add(id(value))
        inner = [self.add_value(each) for each in (value.items() if isinstance(value, dict) else value)]
        self._seen.discard(id(value))
        if isinstance(value, frozenset | set):
            inner.sort()
        kind = self.add_value(type(value)) if hasattr(value, "_fields") else type(value).__name__
        return f"{kind}({', '.join(inner)})"

    def _add_callable(self, value: Any) -> str:
        if isinstance(value, Dispatcher):
            self.add_function(value.py_func)
            return f"kernel {_name(value.py_func)} {sorted(value.targetoptions.items())!r}"
        if isinstance(value, _Intrinsic):
            self.add_function(value._defn)
            return f"intrinsic {_name(value._defn)}"
        if isinstance(value, FunctionType) and value in _verbs:
            self._called.add(value)
            return f"verb {value.__name__}"
        if isinstance(value, types.Type):
            return f"type {self.type_text(value)}" if not isinstance(value, types.Number) else f"type {value}"
        module: str = getattr(value, "__module__", None) or type(value).__module__
        if isinstance(value, BuiltinFunctionType | np.ufunc) or (_is_library(module) and callable(value)):
            return f"library {module} {getattr(value, '__qualname__', getattr(value, '__name__', ''))}"
        if isinstance(value, FunctionType):
            self.add_function(value)
            return f"plain {_name(value)} {_source_digest(value)}"  # an overload of it may stand beside it
        if isinstance(value, type):
            return self._add_class(value)
        raise UnknownError(f"{type(value)}")

    def _add_class(self, value: type) -> str:
        if value.__module__ == "__main__":
            raise UnknownError("a class of a notebook or script")  # another process would unpickle another class
        if issubclass(value, enum.Enum):
            return f"enum {_name(value)} {[(each.name, each.value) for each in value]!r}"
        if issubclass(value, tuple) and hasattr(value, "_fields"):
            self._owners.add(value)
            return f"class {_name(value)} {value._fields}"
        if issubclass(value, BaseException):
            return f"exception {_name(value)}"
        return f"class {_name(value)} {_source_digest(value)}"


_SCALARS = (bool, int, float, complex, str, bytes)


def _name(value: Any) -> str:
    plain = getattr(value, "py_func", value)
    return f"{plain.__module__}.{plain.__qualname__}"


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES or module == builtins.__name__


def _names(code: CodeType) -> Iterator[str]:
    """Yield all names in a function and the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code_digest(code: CodeType, doc: str | None) -> str:
    digest = hashlib.sha256()
    constants = [
        _code_digest(each, None)
        if isinstance(each, CodeType)
        else f"{type(each).__name__} {sorted(map(repr, each)) if isinstance(each, frozenset) else each!r}"
        for place, each in enumerate(code.co_consts)
        if not (place == 0 and each == doc)  # the docstring, or None in its place
    ]
    shape = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
    counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount)
    digest.update(code.co_code + code.co_exceptiontable + repr((constants, shape, counts)).encode())
    return digest.hexdigest()


def _source_digest(value: Any) -> str:
    """Return a digest of the file that a function or class stands in."""
    try:
        path = inspect.getsourcefile(value)
    except TypeError:
        path = None
    if path is None or not Path(path).is_file():
        raise UnknownError(f"{value} has no file")
    return _file_digest(Path(path))


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
