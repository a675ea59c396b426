"""What a function reads: the live objects behind the names in its bytecode."""

from __future__ import annotations

import dis
import functools
import pickle
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from corral.functions.outside import CannotHashError, refuse_method, refuse_name
from corral.functions.steps import (
    ATTRIBUTE,
    CLOSED_OVER,
    GLOBAL,
    Body,
    refuse_use,
    steps_of,
)


def reads(function: FunctionType) -> dict[str, Any]:
    """All that a function, and the functions within it, read by name.

    Names that have no value are left out: built-in ones, or an error when it runs.

    Raises
    ------
    CannotHashError
        If it does anything with a user's module but read its attributes, or reads from
        outside the program; see `corral.functions.outside`.

    Examples
    --------
    >>> from corral.functions.bytecode import reads
    >>> limit = 3
    >>> reads(lambda row: row > limit)
    {'global limit': 3}
    """
    cells = dict(_cells(function))
    # What installed code made, such as a method of a dataclass, counts by its version.
    own = release(str(function.__globals__.get("__name__"))) is None
    found: dict[str, Any] = {}
    for code in _codes(function.__code__):
        body = Body(function, code, steps_of(code), cells)
        if own:
            body.refuse_dates()
        followed = -1  # names in a user's module are judged by what they stand for
        for at, step in enumerate(body.steps):
            if own and at > followed:
                body.refuse(at)
            if step.opname == "IMPORT_NAME":
                found[f"import {step.argval}"] = _imported(body, at, own)
                continue
            if step.opname in GLOBAL and step.argval in function.__globals__:
                name, value = f"global {step.argval}", function.__globals__[step.argval]
            elif step.opname in CLOSED_OVER and step.argval in cells:
                name, value = f"nonlocal {step.argval}", cells[step.argval]
            else:
                continue
            name, value, far = _read(name, value, body.steps[at + 1 :], own)
            found[name] = value
            followed = at + far
    return dict(sorted(found.items()))


def _read(
    name: str, value: Any, following: list[dis.Instruction], own: bool
) -> tuple[str, Any, int]:
    """``module.name`` as far as it is a user's module, what that is now, and how far."""
    far = 0
    for at, step in enumerate(following):
        if not isinstance(value, ModuleType):
            break
        installed = release(value.__name__)
        if installed is not None:
            if own:
                refuse_use(value.__name__, following[at:])
            return name, installed, at
        if step.opname not in ATTRIBUTE or not hasattr(value, step.argval):
            raise CannotHashError(
                f"what it does with module {value.__name__!r} cannot be seen"
            )
        name, value = f"{name}.{step.argval}", getattr(value, step.argval)
        far = at + 1
    if own and isinstance(value, type) and installed_name(value, value.__qualname__):
        refuse_name(value.__module__, value.__qualname__)
        if following[far].opname in ATTRIBUTE:
            refuse_method(following[far].argval)
    return name, value, far


def _imported(body: Body, at: int, own: bool) -> bytes:
    name, level = body.steps[at].argval, body.steps[at - 2].argval
    found = None if level else release(name)
    if found is None:
        raise CannotHashError(f"it imports {name!r} while it runs")
    if own:
        body.refuse_import(at)
    return found


def _cells(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables that it closes over and that have a value."""
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            continue


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def installed_name(value: Any, name: str) -> bytes | None:
    """Name and version, if an installed module has this very value by that name."""
    try:
        home = pickle.whichmodule(value, name)  # type: ignore[attr-defined]
    except Exception:  # modules such as those of torch raise what they like when asked
        return None
    found: Any = sys.modules.get(home)
    for part in name.split("."):
        found = getattr(found, part, None)
    there = release(home) if found is value else None
    return None if there is None else there + f" {name}".encode()


def release(module: str) -> bytes | None:
    """Name and version of an installed module; None for code that users write."""
    top = module.partition(".")[0]
    try:
        spec = None if top == "__main__" else find_spec(top)
    except (ImportError, ValueError):  # it was made while the program runs
        spec = None
    if spec is None:
        return None
    places = [spec.origin] if spec.origin else spec.submodule_search_locations or []
    found = _version(top, tuple(places))
    return None if found is None else f"{module} {found}".encode()


@functools.cache
def _version(top: str, places: tuple[str, ...]) -> str | None:
    if places in (("built-in",), ("frozen",)):
        return sys.version
    if top == "corral":  # also where it is installed for development
        return version(top)
    paths = {key: Path(path).resolve() for key, path in sysconfig.get_paths().items()}
    files = [Path(place).resolve() for place in places]

    def all_in(*homes: str) -> bool:
        return all(any(f.is_relative_to(paths[home]) for home in homes) for f in files)

    if files and all_in("purelib", "platlib"):
        return _package_version(top)
    return sys.version if files and all_in("stdlib", "platstdlib") else None


def _package_version(top: str) -> str | None:
    try:
        return version(top)
    except PackageNotFoundError:  # it is imported by another name, such as sklearn
        named = getattr(sys.modules.get(top), "__version__", None)
    if named is not None:
        return str(named)
    owners = packages_distributions().get(top, ())  # looks at all files: seconds
    return ", ".join(sorted(map(version, owners))) or None
