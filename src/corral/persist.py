"""Files of arrays and settings: what `save` writes and `load` reads.

A file is a NumPy archive in which the entry `HEADER` is JSON text: the version of the
format, what the file holds, and settings. It is read without pickle, and objects are made
of listed dataclasses only, so loading never runs code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral.errors import StorageError
from corral.storage import atomic_write, reading

VERSION = 11
"""Version of the files written; raised when their content changes."""
HEADER = "corral"
OURS = "what corral saved"
IS = "is"
"""The key of a JSON object that says what it is."""
_CSR = ("data", "indices", "indptr")
Arrays = dict[str, NDArray[Any]]
Known = Mapping[str, type]


def write_file(
    path: str | os.PathLike[str], kind: str, settings: dict[str, Any], arrays: Arrays
) -> None:
    """Write settings that JSON can hold, and arrays of numbers, booleans or text.

    `kind` says what is in the file. A write that fails leaves an old file as it was.
    """
    header = {"version": VERSION, "kind": kind, "settings": settings}
    try:
        for name, array in arrays.items():
            if np.asarray(array).dtype.hasobject:
                raise TypeError(f"{name} holds objects of Python")
        text = json.dumps(header).encode()
    except TypeError as error:
        raise StorageError(f"cannot write {os.fspath(path)!r}: {error}.") from error
    held: dict[str, Any] = {HEADER: np.frombuffer(text, np.uint8), **arrays}
    with atomic_write(path, overwrite=True) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **held)


def read_file(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], Arrays]:
    """Read what `write_file` wrote: settings and arrays."""
    name = os.fspath(path)
    if not os.path.isfile(name):
        what = "is not a file" if os.path.exists(name) else "does not exist"
        raise StorageError(
            f"{name!r} {what}; give the path of a file that corral wrote."
        )
    with (
        reading(name, OURS),
        ZipFile(name),  # else NumPy speaks of pickles
        open(name, "rb") as file,
        np.load(file, allow_pickle=False) as archive,
    ):
        if HEADER not in archive:
            raise ValueError("it is another archive of NumPy, or a zip")
        header = json.loads(archive[HEADER].tobytes())
        if header["version"] != VERSION:
            raise StorageError(
                f"the file has version {header['version']!r:.80} of the format; this "
                f"corral reads version {VERSION}. Install the corral that wrote it, or "
                "make the file anew."
            )
        if header["kind"] != kind:
            raise StorageError(
                f"the file holds a {header['kind']!r:.80}, not a {kind!r}."
            )
        arrays = {name: archive[name] for name in archive.files if name != HEADER}
        return header["settings"], arrays


def encode(value: Any, arrays: Arrays, known: Known, place: str) -> Any:
    """What JSON holds of a value; its arrays are added to `arrays`, under their path.

    `known` are the dataclasses and enumerations that may be in the file, by name; `place`
    is the path of the value.
    """

    def inner(one: Any, step: Any) -> Any:
        return encode(one, arrays, known, f"{place}.{step}")

    if isinstance(value, np.generic):
        value = value.item()
    name = type(value).__name__
    if known.get(name) is type(value):
        if isinstance(value, StrEnum):
            return {IS: name, "value": value.value}
        if is_dataclass(value):
            names = [field.name for field in fields(value)]
            return {IS: name, **{n: inner(getattr(value, n), n) for n in names}}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, csr_array):
        arrays.update({f"{place}.{part}": getattr(value, part) for part in _CSR})
        return {IS: "sparse", "shape": list(value.shape)}
    if isinstance(value, list):
        return [inner(one, i) for i, one in enumerate(value)]
    if isinstance(value, tuple):
        return {IS: "tuple", "of": inner([*value], "of")}
    if isinstance(value, Mapping):
        return {IS: "dict", "of": {key: inner(x, key) for key, x in value.items()}}
    if hasattr(value, "__array__"):  # also a series of a data frame
        arrays[place] = np.asarray(value)
        return {IS: "array"}
    raise TypeError(f"{value!r:.200} cannot be kept in a file")


def decode(value: Any, arrays: Arrays, known: Known, place: str) -> Any:
    """The value that `encode` wrote at a place, of the classes that are known."""

    def inner(one: Any, step: Any) -> Any:
        return decode(one, arrays, known, f"{place}.{step}")

    if isinstance(value, list):
        return [inner(one, i) for i, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kind = value[IS]
    if kind == "array":
        return arrays[place]
    if kind == "sparse":
        parts = tuple(arrays[f"{place}.{part}"] for part in _CSR)
        return csr_array(parts, tuple(value["shape"]))
    if kind == "tuple":
        return tuple(inner(value["of"], "of"))
    if kind == "dict":
        return {key: inner(one, key) for key, one in value["of"].items()}
    cls = known[kind]
    if issubclass(cls, StrEnum):
        return cls(value["value"])
    return cls(**{name: inner(one, name) for name, one in value.items() if name != IS})
