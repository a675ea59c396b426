"""What a function reads by name: globals, its closure, modules, and whether from outside.

A function that reads files, the environment, the network, the clock or chance may answer
otherwise tomorrow. Python does not say what code does, so names tell: of modules, of what
is in them, and of methods. The tables are short, and refuse in doubt.
"""

from __future__ import annotations

import dis
import functools
import sys
import sysconfig
from collections.abc import Iterator
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
NONLOCAL = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
OUTSIDE_MODULES = {
    "boto3", "duckdb", "ftplib", "glob", "http", "httpx", "openai", "platform",
    "random", "requests", "secrets", "shelve", "shutil", "smtplib", "socket",
    "sqlalchemy", "sqlite3", "subprocess", "tempfile", "time", "urllib3",
}  # fmt: skip
"""Modules that are there to read files, databases, the network, the clock or chance."""
OUTSIDE_NAMES = {
    "abspath", "argv", "astimezone", "environ", "exists", "expanduser",
    "from_pretrained", "fromfile", "fromtimestamp", "genfromtxt", "getcwd", "getenv",
    "getmtime", "getsize", "isdir", "isfile", "iterdir", "listdir", "load", "loadtxt",
    "memmap", "now", "open", "rand", "randint", "randn", "random", "randperm",
    "realpath", "rglob", "rvs", "sample", "scandir", "shuffle", "stat", "stdin",
    "today", "urlopen", "urlretrieve", "utcnow", "uuid1", "uuid4",
}  # fmt: skip
"""Functions of other modules, and methods of any object, that do so."""
OUTSIDE_PREFIXES = ("fetch_", "load_", "read_", "scan_")
"""How other such names begin: `read_csv`, `load_model`."""
UNSEEN = {
    "__import__", "breakpoint", "compile", "eval", "exec", "globals", "input", "open",
}  # fmt: skip
"""Built-in functions that do so, or run code that cannot be seen."""


class CannotHashError(Exception):
    """Something whose content cannot be compared, such as an open file."""


def values_read(function: FunctionType, code: CodeType) -> Iterator[Any]:
    """The values, now, of the globals and closed-over variables that code reads.

    Parameters
    ----------
    function : FunctionType
    code : CodeType
        Its code, or that of a function within it.

    Raises
    ------
    CannotHashError
        If it reads from outside the program, or imports code of the user while it runs.

    Examples
    --------
    >>> from corral.functions.values_read import values_read
    >>> limit = 3
    >>> rule = lambda row: row > limit
    >>> list(values_read(rule, rule.__code__))
    [3]
    """
    cells = dict(_cells(function))
    steps = [s for s in dis.get_instructions(code) if s.opname != "EXTENDED_ARG"]
    judged = -1  # the last step of ``module.name``, which is judged by its value
    for at, step in enumerate(steps):
        name = step.argval
        is_method = step.opname == "LOAD_METHOD" or "NULL|self" in step.argrepr
        known = function.__globals__ if step.opname in GLOBAL else cells
        if step.opname == "IMPORT_NAME":
            version = None if steps[at - 2].argval else version_of(name)
            if version is None:
                raise CannotHashError(f"it imports {name!r} while it runs")
            for used in code.co_names:  # some of them belong to the module
                refuse_outside(name, used)
            yield version
        elif step.opname in GLOBAL + NONLOCAL and name in known:
            value, far = _follow(known[name], steps[at + 1 :])
            judged = at + far
            yield value
        elif step.opname in GLOBAL and name in UNSEEN:
            raise CannotHashError(f"what {name}() gives it cannot be seen")
        elif is_method and at > judged:
            refuse_outside("", name)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from values_read(function, inner)


def _follow(value: Any, steps: list[dis.Instruction]) -> tuple[Any, int]:
    """What ``module.name`` stands for now, and the number of steps that it takes."""
    far = 0
    while isinstance(value, ModuleType | type) and steps[far].opname in ATTRIBUTE:
        is_module, name = isinstance(value, ModuleType), steps[far].argval
        home = value.__name__ if is_module else value.__module__
        if version_of(home) is not None:
            refuse_outside(home, name)
        elif not is_module:  # a class of the user counts as a whole
            break
        value, far = getattr(value, name), far + 1
    return value, far


def _cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables that it closes over and that have a value."""
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def refuse_outside(module: str, name: str) -> None:
    """Refuse what reads from outside the program, by the names of it and its module."""
    last = name.rpartition(".")[2]
    outside = last in OUTSIDE_NAMES or last.startswith(OUTSIDE_PREFIXES)
    if outside or module.partition(".")[0] in OUTSIDE_MODULES:
        raise CannotHashError(f"it reads from outside ({module}.{name})")


def version_of(module: str | None) -> str | None:
    """The version of an installed module; None for code that users write."""
    top = (module or "").partition(".")[0]
    try:
        spec = None if top == "__main__" else find_spec(top)
    except (ImportError, ValueError):  # it was made while the program runs
        spec = None
    if spec is None:
        return None
    places = [spec.origin] if spec.origin else spec.submodule_search_locations or []
    return _version(top, tuple(places))


@functools.cache
def _version(top: str, places: tuple[str, ...]) -> str | None:
    if places in (("built-in",), ("frozen",)):
        return sys.version
    if top != "corral":  # which may be installed for development
        homes = {k: Path(p).resolve() for k, p in sysconfig.get_paths().items()}
        files = [Path(place).resolve() for place in places]

        def are_in(*names: str) -> bool:
            return all(any(f.is_relative_to(homes[n]) for n in names) for f in files)

        if not are_in("purelib", "platlib"):
            return sys.version if are_in("stdlib", "platstdlib") else None
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:  # installed by another name, such as sklearn
        return getattr(import_module(top), "__version__", None)
