"""Archives of arrays that say what is in them before any of it is unpacked.

A zip of ``.npy`` entries, as NumPy writes it, in which the entry `HEADER` is JSON text.
Its ``arrays`` names type and shape of every other entry. Reading trusts nothing: an
entry must be as long as its shape says, and all of them together no larger than a bound,
before memory is taken for it.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from corral.storage.interrupts import hold_interrupts

HEADER = "corral"
MOST_HEADER = 2**24
"""Bytes that the header may have; names of a million signals fit."""
MOST_BYTES = 2**28
"""Bytes that any archive may unpack to."""
MOST_RATIO = 100
"""Beyond `MOST_BYTES`, an archive may unpack to so many times its size on disk."""
_PIECE = 2**20
_KINDS = "biufU"
_NPY = re.compile(
    rb"\{'descr': '([<>|][biufU]\d{1,10})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:\d{1,18}, )*(?:\d{1,18},?)?)\), \} *\n"
)
"""What NumPy writes in front of an array; the text is never evaluated."""
DAMAGED = (
    *(OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError),
    *(ArithmeticError, RuntimeError, struct.error, zlib.error),
    zipfile.BadZipFile,
)
"""What reading a hostile or broken file may raise, in the libraries or here."""


class ForeignFileError(ValueError):
    """A file that corral did not write; the message says what it seems to be."""


def pack(file: IO[bytes], header: dict[str, Any], arrays: dict[str, Any]) -> None:
    """Write a header and arrays into an open file, so that `unpack` takes them.

    Arrays that compress better than `unpack` believes are stored as they are.

    Parameters
    ----------
    file : binary file, open for writing at its beginning
    header : dict
        Anything that JSON can hold, and NumPy's numbers and arrays, as plain ones.
    arrays : dict of arrays
        Numbers, booleans or text.
    """
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"{name} is of type {array.dtype}, which no file can hold")
    table = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    text = json.dumps(header | {"arrays": table}, default=_plain).encode()
    if len(text) > MOST_HEADER:
        raise OSError(
            f"names and settings take {len(text):,} bytes, more than {MOST_HEADER:,}"
        )
    entries = {HEADER: np.frombuffer(text, np.uint8), **arrays}
    _write(file, entries, zipfile.ZIP_DEFLATED)
    if sum(array.nbytes for array in arrays.values()) > _most(file.tell()):
        file.seek(0)
        file.truncate()
        _write(file, entries, zipfile.ZIP_STORED)


def _write(file: IO[bytes], entries: dict[str, NDArray[Any]], compression: int) -> None:
    """What `numpy.savez` writes; Ctrl-C is heard between two arrays.

    Amid one, closing the archive would fail, and that would be raised in its place.
    """
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, array in entries.items():
            with (
                hold_interrupts(),
                archive.open(f"{name}.npy", "w", force_zip64=True) as entry,
            ):
                np.lib.format.write_array(entry, array, allow_pickle=False)


def _plain(value: Any) -> Any:
    if not isinstance(value, np.generic | np.ndarray):
        raise TypeError(f"{value!r:.80} cannot be written as JSON")
    return value.tolist()


def _most(on_disk: int) -> int:
    """Bytes that an archive of some size may unpack to."""
    return max(MOST_BYTES, MOST_RATIO * on_disk)


class Archive:
    """An archive, opened for reading; its header is read at once, and alone.

    Raises `ForeignFileError` if the file is nothing that `pack` wrote, and one of `DAMAGED`
    if it was once.

    Attributes
    ----------
    header : dict
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._size = os.fstat(file.fileno()).st_size
        try:
            self._zip = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            file.seek(0)
            start = file.read(4)
            if start == b"PK\x03\x04":
                raise ValueError("its end is missing") from error
            raise ForeignFileError(_seems(start)) from error
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        if f"{HEADER}.npy" not in self._entries:
            raise ForeignFileError(
                "it is a zip or NumPy archive without corral's header"
            )
        if len(self._entries) != len(self._zip.infolist()):
            raise ValueError("an entry is there twice")
        size = self._entries[f"{HEADER}.npy"].file_size
        if size > MOST_HEADER + 2**16:
            raise ValueError(f"its header has {size:,} bytes")
        self.header = json.loads(self._read(HEADER, "|u1", None).tobytes().decode())
        if not isinstance(self.header, dict):
            raise ValueError(f"its header is {type(self.header).__name__}, no object")

    def unpack(self) -> dict[str, NDArray[Any]]:
        """All arrays, once every size is known to be what the header says."""
        table = self.header["arrays"]
        if not isinstance(table, dict) or self._entries.keys() != {
            f"{name}.npy" for name in (HEADER, *table)
        }:
            raise ValueError("its arrays are not those that its header names")
        total = sum(self._checked(name, **entry) for name, entry in table.items())
        if total > _most(self._size):
            raise ValueError(
                f"{self._size:,} bytes would unpack to {total:,}, which no file that "
                "corral writes does"
            )
        return {
            name: self._read(name, entry["dtype"], tuple(entry["shape"]))
            for name, entry in table.items()
        }

    def _checked(self, name: str, dtype: str, shape: list[int]) -> int:
        """Bytes of an array; an axis of none counts as one."""
        if not all(type(size) is int and size >= 0 for size in shape):
            raise ValueError(f"{name} has the shape {shape!r:.80}")
        item = np.dtype(dtype).itemsize
        size = item * math.prod(shape)
        found = self._entries[f"{name}.npy"].file_size
        if not item or not size < found <= size + 2**16:
            raise ValueError(f"{name} has {found:,} bytes instead of {size:,}")
        return item * math.prod(max(size, 1) for size in shape)

    def _read(
        self, name: str, dtype: str, shape: tuple[int, ...] | None
    ) -> NDArray[Any]:
        """An array of a type and shape; any length of one axis if there is no shape."""
        entry = self._entries[f"{name}.npy"]
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"{name} is packed in a way that corral does not use")
        with self._zip.open(entry) as stream:
            magic, length = struct.unpack("<8sH", stream.read(10))
            text = _NPY.fullmatch(stream.read(length))
            if magic != b"\x93NUMPY\x01\x00" or text is None:
                raise ValueError(f"{name} is no array")
            found = tuple(int(size) for size in re.findall(rb"\d+", text[3]))
            if shape is None:
                shape = (entry.file_size - 10 - length,)
            if (text[1].decode(), found) != (dtype, shape):
                raise ValueError(f"{name} is another array than its header says")
            data = np.empty(math.prod(shape), dtype)
            raw, at = data.view(np.uint8), 0
            if entry.file_size != 10 + length + len(raw):
                raise ValueError(f"{name} has another length than its shape")
            while piece := stream.read(_PIECE):  # the last one checks the sum
                raw[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
                at += len(piece)
        if at < len(raw):
            raise ValueError(f"{name} ends too early")
        _check_values(name, data)
        # Compiled code takes numbers as this machine writes them.
        native = data.astype(data.dtype.newbyteorder("="), copy=False)
        return native.reshape(shape, order="F" if text[2] == b"True" else "C")


def _check_values(name: str, data: NDArray[Any]) -> None:
    """Refuse bytes that are no truth value, or no text."""
    kind, order = data.dtype.kind, data.dtype.byteorder
    if (kind == "b" and (data.view(np.uint8) > 1).any()) or (
        kind == "U" and (data.view(f"{order}u4") > 0x10FFFF).any()
    ):
        raise ValueError(f"{name} holds what is no {data.dtype.name}")


def _seems(start: bytes) -> str:
    """What a file that is no archive seems to be, by its first bytes."""
    if not start:
        return "it is empty"
    if start[:1] == b"\x80":
        return "it seems to be a pickle, which corral neither writes nor reads"
    return "it is no archive at all"
