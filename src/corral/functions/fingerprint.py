"""Content hashes of functions and data: the same content, the same hash.

A function is its bytecode, constants, defaults, attributes, and what it reads by name, the
functions that it calls among them, all as they are now. Installed functions, classes and
modules are their name and version. What cannot be seen for certain, or reads from outside
the program, has no hash.
"""

from __future__ import annotations

import copyreg
import functools
import hashlib
import pickle
import re
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from corral.functions.bytecode import installed_name, reads, release
from corral.functions.outside import (
    CannotHashError,
    refuse_module,
    refuse_name,
    refuse_object,
)

PLAIN = (bool, int, float, complex)
HOOKS = {"__getstate__", "__reduce__", "__reduce_ex__"}
HOOKS |= {"__getnewargs__", "__getnewargs_ex__"}
"""By which a class says what pickle keeps of its objects."""
HEAP_TYPE = 1 << 9
"""Flag of classes that a program made."""
CONTENT: dict[type, Any] = {
    dict: lambda value: dict(dict.items(value)),
    list: lambda value: list.copy(value),
    set: lambda value: set.copy(value),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    str: str.__str__,
    bytes: lambda value: bytes(bytes.__iter__(value)),
    int: int.__int__,
    float: float.__float__,
}
"""Python's own content of objects of classes that are made of these."""
SLOTS = ("member_descriptor", "getset_descriptor")


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
    try:
        return _Hasher().digest(value).hex()
    except RecursionError as error:
        raise CannotHashError("it is nested too deeply") from error


class _Hasher:
    """Hashes values part by part; an object that comes again, by its number."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, Any]] = {}

    def digest(self, value: Any) -> bytes:
        """A hash of the kind and the parts of a value."""
        found = self._plain(value)
        if found is None:
            if id(value) in self._seen:
                found = "again", [str(self._seen[id(value)][0]).encode()]
            else:  # kept, so that no other object gets its id
                self._seen[id(value)] = len(self._seen), value
                found = self._object(value)
        return _hash(found[0], *found[1])

    def each(self, values: Any) -> list[bytes]:
        """A hash of every value."""
        return [self.digest(value) for value in values]

    def _plain(self, value: Any) -> tuple[str, Sequence[bytes]] | None:
        """Kind and parts of data; None for everything else."""
        kind = type(value).__name__
        if value is None or value is ... or value is NotImplemented:
            return repr(value), []
        if type(value) is str:
            return kind, [value.encode("utf-8", "surrogatepass")]
        if type(value) in (bytes, bytearray):
            return kind, [bytes(value)]
        if type(value) in PLAIN:
            return kind, [repr(value).encode()]
        if type(value) is list:
            return kind, self._listed(value)
        if type(value) is tuple:
            return kind, self.each(value)
        if type(value) in (dict, MappingProxyType):
            return kind, self.each([*value.keys(), *value.values()])
        if type(value) in (set, frozenset):  # in no order, so numbers begin anew
            return kind, sorted(_Hasher().digest(entry) for entry in value)
        if isinstance(value, np.ndarray):
            return "array", self._array(value)
        if isinstance(value, re.Pattern):
            return kind, self.each([value.pattern, value.flags])
        return None

    def _listed(self, values: list[Any]) -> list[bytes]:
        if values and set(map(type, values)) == {str}:
            return _texts(values)
        return self.each(values)

    def _array(self, array: Any) -> list[bytes]:
        if type(array) not in (np.ndarray, np.memmap):
            raise CannotHashError(
                f"a {type(array).__name__} may hold more than numbers"
            )
        shape = f"{array.dtype!r}{array.shape}".encode()
        if array.dtype.hasobject:
            return [shape, *self._listed(array.ravel().tolist())]
        return [shape, np.ascontiguousarray(array).tobytes()]

    def _object(self, value: Any) -> tuple[str, Sequence[bytes]]:
        """Code, what is installed by name and version, and what pickle would keep."""
        if isinstance(value, CodeType):
            return "code", self._bytecode(value)
        refuse_object(value)
        if isinstance(value, ModuleType):
            home = release(value.__name__)
            if home is None:
                raise CannotHashError(f"module {value.__name__!r} is used as a value")
            refuse_module(value.__name__)
            return "module", [home]
        if isinstance(value, FunctionType | type | functools._lru_cache_wrapper):
            installed = installed_name(value, value.__qualname__)
            if installed is not None:
                if not isinstance(
                    value, type
                ):  # of a class there are also pure objects
                    refuse_name(value.__module__, value.__qualname__)
                return "installed", [installed]
        if isinstance(value, FunctionType):
            options = value.__defaults__, value.__kwdefaults__, vars(value)
            return "function", self.each([value.__code__, *options, reads(value)])
        if isinstance(value, type):
            return "class", self._class(value)
        if isinstance(value, functools._lru_cache_wrapper):
            return "remembered", self.each([value.__wrapped__])
        if isinstance(value, MethodType):
            return "method", self.each([value.__func__, value.__self__])
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return "tensor", self.each([_numbers(value)])
        return self._pickled(value)

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
        own = {k: v for k, v in own.items() if type(v).__name__ not in SLOTS}
        return self.each([value.__qualname__, type(value), own, *value.__bases__])

    def _pickled(self, value: Any) -> tuple[str, Sequence[bytes]]:
        if _pickles_itself(type(value)):
            return "object", self.each([type(value), *_live_parts(value)])
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            reduced: Any = reduce(value) if reduce else value.__reduce_ex__(4)
            installed = isinstance(reduced, str) and installed_name(value, reduced)
        except Exception as error:
            raise CannotHashError(_unseen(value)) from error
        if installed:
            refuse_name(pickle.whichmodule(value, reduced), reduced)  # type: ignore[attr-defined]
            return "installed", [installed]
        if isinstance(reduced, str):
            raise CannotHashError(_unseen(value))
        made, *rest = (
            list(part) if isinstance(part, Iterator) else part for part in reduced
        )
        # An id() that scikit-learn keeps is another one in every process.
        rest = [
            {k: v for k, v in part.items() if k != "_stop_words_id"}
            if type(part) is dict
            else part
            for part in rest
        ]
        return "object", self.each([type(value), made, *rest])


def _pickles_itself(kind: type) -> bool:
    """Whether a user says what pickle keeps of an object, which may not be all of it."""
    own = [c for c in kind.__mro__ if release(c.__module__) is None]
    said = any(not HOOKS.isdisjoint(vars(c)) for c in own)
    return said or (bool(own) and kind in copyreg.dispatch_table)


def _live_parts(value: Any) -> list[Any]:
    """What an object is made of, whatever pickle would keep: attributes and content."""
    kinds = type(value).__mro__
    slots = [name for c in kinds for name in copyreg._slotnames(c)]  # type: ignore[attr-defined]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    base = next(c for c in kinds if not c.__flags__ & HEAP_TYPE)
    if base is not object and base not in CONTENT:
        raise CannotHashError(_unseen(value))
    content = None if base is object else CONTENT[base](value)
    return [getattr(value, "__dict__", {}), held, content]


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


def _unwrapped(value: Any) -> Any:
    if isinstance(value, staticmethod | classmethod):
        return type(value).__name__, value.__func__
    if isinstance(value, property):
        return value.fget, value.fset, value.fdel
    return value


def _numbers(tensor: Any) -> Any:
    try:
        return tensor.detach().cpu().numpy()
    except (TypeError, RuntimeError) as error:
        raise CannotHashError(_unseen(tensor)) from error


def _unseen(value: Any) -> str:
    return f"the content of a {type(value).__name__} cannot be seen"
