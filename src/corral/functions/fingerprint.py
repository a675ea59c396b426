"""Content hashes of functions and data: the same content, the same hash.

joblib hashes objects by what pickle keeps of them, but functions and classes by name, so
a changed function would pass for the old one. Here these count by content: bytecode,
defaults, attributes, closure, and the globals that they read, all as they are now. It is
bytecode, not source, because a console and `exec` keep no source, and two lambdas may share
a line. Installed functions, classes and modules count by name and version.

What pickle cannot take has no hash, nor has what reads from outside the program.
"""

from __future__ import annotations

import copyreg
import functools
import pickle
import sys
from collections.abc import Iterator
from types import BuiltinMethodType, CodeType, FunctionType, MappingProxyType
from typing import Any

import numpy as np
from joblib.hashing import NumpyHasher

from corral.functions.values_read import (
    CannotHashError,
    refuse_outside,
    values_read,
    version_of,
)

PLAIN = {str, bytes, int, float, bool, list, tuple, dict, type(None)}
"""What pickle takes as it is."""
HOOKS = {
    "__getnewargs__", "__getnewargs_ex__", "__getstate__", "__reduce__", "__reduce_ex__",
}  # fmt: skip
"""By which a class says what pickle keeps of its objects."""
NOT_CONTENT = {
    "__dict__", "__doc__", "__firstlineno__", "__module__", "__static_attributes__",
    "__weakref__", "_abc_impl",
}  # fmt: skip
"""Entries of a class that do not decide what it does."""


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
    hasher = _Hasher("sha1")
    try:
        hasher.dump(value)
        for found in hasher.found:  # the list grows while it is read
            hasher.dump(list(_content(found)))
        return str(hasher.hash(sys.version_info[:2]))
    except CannotHashError:
        raise
    except RecursionError as error:
        raise CannotHashError("it is nested too deeply") from error
    except Exception as error:  # pickling somebody's class may raise anything
        raise CannotHashError(f"it cannot be compared ({error})") from error


class _Hasher(NumpyHasher):  # type: ignore[misc] # joblib has no types
    """joblib's hash, with the functions and classes of the user by content.

    Attributes
    ----------
    found : list
        These functions and classes, in the order in which they were met. Their content
        is hashed one after the other, because they may refer to each other.
    """

    def __init__(self, hash_name: str) -> None:
        super().__init__(hash_name)
        self.found: list[Any] = []

    def save(self, obj: Any) -> None:
        if isinstance(obj, np.ndarray):
            if type(obj) not in (np.ndarray, np.memmap):
                raise CannotHashError(
                    f"a {type(obj).__name__} may hold more than numbers"
                )
            obj = np.asarray(obj, order="C")  # joblib tells copies from views
        elif isinstance(obj, BuiltinMethodType):
            refuse_outside(obj.__module__ or "", obj.__name__)
        super().save(obj)

    def memoize(self, obj: Any) -> None:
        if not isinstance(obj, tuple):  # equal tuples may or may not be one object
            super().memoize(obj)

    def _batch_setitems(self, items: Any, *args: Any) -> None:
        # In the order of the dict, which functions see. scikit-learn keeps an id(), which
        # is another one in every process.
        kept = (pair for pair in items if pair[0] != "_stop_words_id")
        pickle._Pickler._batch_setitems(self, kept, *args)  # type: ignore[attr-defined]

    def save_global(self, obj: Any, name: str | None = None) -> None:
        home = pickle.whichmodule(obj, name)  # type: ignore[attr-defined]
        version = version_of(home)
        if version is None:
            raise CannotHashError(f"{home}.{name} would count by its name alone")
        refuse_outside(home, name or obj.__qualname__)
        super().save_global(obj, name)
        self.save(version)

    def reducer_override(self, obj: Any) -> Any:
        """Take apart what pickle refuses, or takes by name."""
        kind = type(obj)
        if kind in PLAIN:
            return NotImplemented
        if isinstance(obj, FunctionType | type | functools._lru_cache_wrapper):
            if obj in (str, set, frozenset):  # by which others are described
                return NotImplemented
            if obj.__module__ == "builtins":
                return str, (obj.__qualname__,)
            if _is_installed(obj):
                return obj.__qualname__
            self.found.append(obj)
            return str, (f"number {len(self.found)} of those found",)
        if isinstance(obj, CodeType):
            return str, (_code_content(obj),)
        if kind in (set, frozenset):  # in an order that differs between processes
            return kind, (sorted(map(fingerprint, obj)),)
        if isinstance(obj, MappingProxyType):
            return str, (dict(obj),)
        if isinstance(obj, staticmethod | classmethod):
            return kind, (obj.__func__,)
        if isinstance(obj, functools.cached_property):
            return kind, (obj.func,)
        if isinstance(obj, property):
            return kind, (obj.fget, obj.fset, obj.fdel)
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(obj, torch.Tensor):
            return str, (obj.detach().cpu().numpy(),)
        if _pickles_itself(kind):
            raise CannotHashError(
                f"a {kind.__name__} says itself what pickle keeps of it"
            )
        return NotImplemented


def _content(value: Any) -> Iterator[Any]:
    """Everything that decides what a function or a class does."""
    if isinstance(value, functools._lru_cache_wrapper):
        yield value.__wrapped__
    elif isinstance(value, type):
        yield from (value.__qualname__, type(value), *value.__bases__)
        for name, part in vars(value).items():
            slot = type(part).__name__ in ("member_descriptor", "getset_descriptor")
            if name not in NOT_CONTENT and not slot:
                yield name, part
    else:
        yield from (value.__code__, value.__defaults__, value.__kwdefaults__)
        yield vars(value)
        yield from values_read(value, value.__code__)


def _code_content(code: CodeType) -> tuple[Any, ...]:
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    does = code.co_code, code.co_consts, code.co_exceptiontable, code.co_flags
    return *does, *counts, *names


def _pickles_itself(kind: type) -> bool:
    """Whether a user says what pickle keeps of an object, which may not be all of it."""
    hooks = [getattr(kind, name, None) for name in HOOKS]
    hooks.append(copyreg.dispatch_table.get(kind))
    users = (h for h in hooks if isinstance(h, FunctionType))
    return any(version_of(hook.__module__) is None for hook in users)


def _is_installed(value: Any) -> bool:
    """Whether an installed module has this very value by its name."""
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value and version_of(value.__module__) is not None
