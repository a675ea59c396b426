"""Content hashes of functions and data: the same content, the same hash.

A function is its bytecode, constants, defaults, closure and the global names that it
reads, and those of every function that it calls, as far as they are not installed
packages; these are their name and version.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np


class CannotHashError(Exception):
    """Something whose content cannot be seen, such as an open file."""


def fingerprint(value: Any) -> str:
    """Hash whatever `value` is made of.

    Raises
    ------
    CannotHashError

    Examples
    --------
    >>> from corral.functions.fingerprint import fingerprint
    >>> fingerprint(lambda x: x > 3) == fingerprint(lambda x: x > 3)
    True
    >>> fingerprint([3, "a"]) == fingerprint([3.0, "a"])
    False
    """
    return _Hasher().digest(value).hex()


class _Hasher:
    """Hashes values part by part; a value within itself is named by its depth."""

    def __init__(self) -> None:
        self._open: dict[int, int] = {}

    def digest(self, value: Any) -> bytes:
        """A hash of the kind and the parts of a value."""
        here = id(value)
        if here in self._open:
            return _hash("within", str(self._open[here]).encode())
        self._open[here] = len(self._open)
        try:
            kind, parts = self._parts(value)
            return _hash(kind, *parts)
        except RecursionError as error:
            raise CannotHashError("it is nested too deeply") from error
        finally:
            del self._open[here]

    def each(self, values: Any) -> list[bytes]:
        """A hash of every value."""
        return [self.digest(value) for value in values]

    def _parts(self, value: Any) -> tuple[str, Sequence[bytes]]:
        kind = type(value).__name__
        if value is None or value is ... or value is NotImplemented:
            return repr(value), []
        if isinstance(value, str) and type(value) is str:
            return kind, [value.encode("utf-8", "surrogatepass")]
        if isinstance(value, bytes | bytearray):
            return kind, [bytes(value)]
        if type(value) in (bool, int, float, complex):
            return kind, [repr(value).encode()]
        if type(value) is list:
            return kind, self._listed(value)
        if type(value) is tuple:
            return kind, self.each(value)
        if type(value) is dict:
            return kind, self.each([*value.keys(), *value.values()])
        if type(value) in (set, frozenset):
            return kind, sorted(self.each(value))
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, re.Pattern):
            return kind, self.each([value.pattern, value.flags])
        return self._code(value)

    def _listed(self, values: list[Any]) -> list[bytes]:
        if values and set(map(type, values)) == {str}:
            return _texts(values)
        return self.each(values)

    def _array(self, array: Any) -> tuple[str, Sequence[bytes]]:
        shape = f"{array.dtype.str}{array.shape}".encode()
        if array.dtype.hasobject:
            return "array", [shape, *self._listed(array.ravel().tolist())]
        return "array", [shape, np.ascontiguousarray(array).tobytes()]

    def _code(self, value: Any) -> tuple[str, Sequence[bytes]]:
        """Functions, classes and modules; installed ones by name and version."""
        if isinstance(value, CodeType):
            return "code", self._bytecode(value)
        if isinstance(value, functools.partial):
            return "partial", self.each([value.func, value.args, value.keywords])
        if isinstance(value, MethodType):
            return "method", self.each([value.__func__, value.__self__])
        if isinstance(value, ModuleType):
            return "module", self._module(value)
        if isinstance(value, FunctionType | BuiltinFunctionType | type):
            home = _installed(value.__module__ or "builtins")
            if home is not None:
                return "installed", [home, value.__qualname__.encode()]
            if isinstance(value, FunctionType):
                return "function", self._function(value)
            if isinstance(value, type):
                return "class", self._class(value)
        return self._object(value)

    def _function(self, function: FunctionType) -> list[bytes]:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        seen = function.__globals__
        used = {
            name: seen[name] for name in _globals(function.__code__) if name in seen
        }
        parts = [function.__code__, function.__defaults__, function.__kwdefaults__]
        wrapped = getattr(function, "__wrapped__", None)
        return self.each([*parts, cells, used, wrapped])

    def _bytecode(self, code: CodeType) -> list[bytes]:
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
        python = sys.version_info[:2]
        parts = code.co_code, code.co_exceptiontable, code.co_consts, code.co_flags
        return self.each([*parts, names, counts, python])

    def _class(self, value: type) -> list[bytes]:
        skipped = {"__dict__", "__weakref__", "__doc__", "__module__"}
        skipped |= {"__static_attributes__", "__firstlineno__", "_abc_impl"}
        own = {k: _unwrapped(v) for k, v in vars(value).items() if k not in skipped}
        own = {k: v for k, v in own.items() if not _is_slot(v)}
        return self.each([value.__qualname__, own, *value.__bases__])

    def _module(self, module: ModuleType) -> list[bytes]:
        home = _installed(module.__name__)
        if home is not None:
            return [home]
        file = getattr(module, "__file__", None)
        if file is None:
            raise CannotHashError(f"module {module.__name__} has no file")
        return [module.__name__.encode(), Path(file).read_bytes()]

    def _object(self, value: Any) -> tuple[str, Sequence[bytes]]:
        """Anything else is what pickle would keep of it."""
        try:
            reduced = value.__reduce_ex__(4)
        except Exception as error:
            raise CannotHashError(
                f"the content of a {type(value).__name__} cannot be seen"
            ) from error
        if isinstance(reduced, str):
            home = str(getattr(value, "__module__", None))
            return "named", [home.encode(), reduced.encode()]
        made, *rest = (
            list(part) if isinstance(part, Iterator) else part for part in reduced
        )
        return "object", self.each([type(value), made, *rest])


def _hash(kind: str, *parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=20)
    digest.update(kind.encode())
    for part in parts:
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _texts(texts: list[str]) -> list[bytes]:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    # In blocks: one rare character makes Python widen all that is joined with it.
    blocks = ("".join(texts[at : at + 256]) for at in range(0, len(texts), 256))
    return [lengths.tobytes(), *(b.encode("utf-8", "surrogatepass") for b in blocks)]


def _globals(code: CodeType) -> list[str]:
    """Names that a function, and the functions within it, look up in their module."""
    found = {
        str(step.argval)
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= set(_globals(constant))
    return sorted(found)


def _unwrapped(value: Any) -> Any:
    if isinstance(value, staticmethod | classmethod):
        return value.__func__
    if isinstance(value, property):
        return value.fget, value.fset, value.fdel
    return value


def _is_slot(value: Any) -> bool:
    return type(value).__name__ in ("member_descriptor", "getset_descriptor")


@functools.cache
def _installed(module: str) -> bytes | None:
    """Name and version of an installed module; None for code that users write."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return f"{module} {sys.version}".encode()
    try:
        if top == "corral":
            return f"{module} {version(top)}".encode()
        loaded = sys.modules.get(top)
        file = Path(getattr(loaded, "__file__", None) or "").resolve()
        homes = {sysconfig.get_path(name) for name in ("purelib", "platlib")}
        if not any(file.is_relative_to(Path(home).resolve()) for home in homes):
            return None
        named = getattr(loaded, "__version__", None)
        return f"{module} {named or version(top)}".encode()
    except PackageNotFoundError:
        return module.encode()
