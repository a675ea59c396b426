"""Saved models and vote counts (``.corral``) whose content was crafted."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import corral
from corral.labelers import Labeler
from corral.storage.archive import HEADER
from corral.storage.versioned_file import VERSION
from reliability.hostile.cases import Case, Surface, call
from reliability.hostile.json_texts import TEXTS, VALUES, places, put

VOTES = np.array(
    [[0, 1, -1], [1, 1, 0], [0, -1, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1]]
)
LABELERS: dict[str, Callable[[], Labeler]] = {
    "constrained": corral.ConstrainedLabeler,
    "Dawid-Skene": corral.DawidSkene,
    "majority vote": corral.MajorityVote,
}
STRIDE = 12
"""At every place one in so many of the odd values is tried, another one at the next."""


def as_npy(array: Any) -> bytes:
    """An array as NumPy writes it, pickles included."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def as_header(text: bytes) -> bytes:
    """The header of a model, whatever it says."""
    return as_npy(np.frombuffer(text, np.uint8))


@cache
def parts_of(labeler: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Header and entries of a model that was saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.corral")
        LABELERS[labeler]().fit(VOTES).save(path)
        with zipfile.ZipFile(path) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
    raw = entries.pop(f"{HEADER}.npy")
    return json.loads(raw[raw.index(b"\n") + 1 :]), entries


def pack(path: Path, header: bytes, entries: dict[str, bytes]) -> Path:
    """Write a model of any header and entries."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{HEADER}.npy", header)
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def label_with(path: Path) -> None:
    """Load a model and label; labels must be probabilities."""
    labeler = Labeler.load(path)
    found = labeler.predict_proba(VOTES)
    assert np.isfinite(found).all(), found
    assert ((found >= 0) & (found <= 1)).all(), found
    assert not Path("pwned").exists()


def label_by_command(path: Path) -> None:
    """The same by the command line."""
    rows = "\n".join(",".join(map(str, row)) for row in VOTES.tolist())
    Path("votes.csv").write_text(f"a,b,c\n{rows}\n")
    call(path.parent, "label", "votes.csv", "--model", path, "-o", "out.csv")


def with_header(labeler: str, change: Callable[[Any], Any]) -> Callable[[Path], Path]:
    """A `Case.make` of a model whose header was changed."""

    def make(folder: Path) -> Path:
        header, entries = parts_of(labeler)
        text = json.dumps(change(header)).encode()
        return pack(folder / "a.corral", as_header(text), entries)

    return make


def with_text(text: bytes) -> Callable[[Path], Path]:
    """A `Case.make` of a model whose header is a text."""

    def make(folder: Path) -> Path:
        _, entries = parts_of("majority vote")
        return pack(folder / "a.corral", as_header(text), entries)

    return make


def with_array(content: bytes, **declared: Any) -> Callable[[Path], Path]:
    """A `Case.make` of a model one of whose arrays is other bytes."""

    def make(folder: Path) -> Path:
        header, entries = parts_of("Dawid-Skene")
        name = next(iter(header["arrays"]))
        header["arrays"][name] |= declared
        raw = as_header(json.dumps(header).encode())
        return pack(folder / "a.corral", raw, entries | {f"{name}.npy": content})

    return make


def npy_start(text: bytes, version: bytes = b"\x01\x00") -> bytes:
    """What stands before an array, with any text."""
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text


def described(descr: str, shape: str) -> bytes:
    """The same for a type and a shape, written out."""
    return npy_start(
        f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    )


class Pwn:
    """Runs a command where somebody unpickles it."""

    def __reduce__(self) -> Any:
        import os

        return os.system, ("touch pwned",)


ARRAYS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "a pickle": (as_npy(np.array([Pwn()], object)), {"dtype": "|O", "shape": [1]}),
    "a pickle, declared as numbers": (as_npy(np.array([Pwn()], object)), {}),
    "a huge shape": (
        described("'<f8'", "(1000000000000,)"),
        {"dtype": "<f8", "shape": [10**12]},
    ),
    "a shape that overflows": (
        described("'<f8'", "(4611686018427387904, 4)"),
        {"dtype": "<f8", "shape": [2**62, 4]},
    ),
    "a huge axis beside an empty one": (
        described("'<f8'", "(1000000000000, 0)"),
        {"dtype": "<f8", "shape": [10**12, 0]},
    ),
    "a negative shape": (
        described("'<f8'", "(-1,)"),
        {"dtype": "<f8", "shape": [-1]},
    ),
    "a shape of a million axes": (
        described("'<f8'", "(" + "1, " * 20_000 + ")"),
        {"dtype": "<f8", "shape": [1] * 20_000},
    ),
    "100 axes": (
        described("'<f8'", "(" + "1, " * 100 + ")") + bytes(8),
        {"dtype": "<f8", "shape": [1] * 100},
    ),
    "a header that is code": (npy_start(b"__import__('os').system('touch pwned')"), {}),
    "a header of brackets": (npy_start(b"(" * 60_000), {}),
    "a header of version 3": (npy_start(b"{}", b"\x03\x00"), {}),
    "a record type": (
        described("[('a', '<f8')]", "(1,)"),
        {"dtype": "[('a', '<f8')]", "shape": [1]},
    ),
    "a type with a shape": (
        described("'(1000000,1000000)f8'", "(1,)"),
        {"dtype": "(1000000,1000000)f8", "shape": [1]},
    ),
    "text of a gigabyte per cell": (
        described("'<U1000000000'", "(0,)"),
        {"dtype": "<U1000000000", "shape": [0]},
    ),
    "objects": (described("'|O'", "(1,)") + bytes(8), {"dtype": "|O", "shape": [1]}),
    "dates": (described("'<M8[s]'", "(1,)") + bytes(8), {"dtype": "<M8[s]"}),
    "nothing": (b"", {}),
    "a text file": (b"hello", {}),
    "NaN": (
        described("'<f8'", "(1,)") + b"\x00\x00\x00\x00\x00\x00\xf8\x7f",
        {"dtype": "<f8", "shape": [1]},
    ),
}
HEADERS: dict[str, Callable[[Any], Any]] = {
    "version of the future": lambda h: h | {"version": VERSION + 1},
    "version of the past": lambda h: h | {"version": 1},
    "version that is true": lambda h: h | {"version": True},
    "unknown kind": lambda h: h | {"kind": "os.system"},
    "kind that is a list": lambda h: h | {"kind": ["a"]},
    "no arrays": lambda h: h | {"arrays": {}},
    "arrays by the wrong name": lambda h: h | {"arrays": {"../../x": {}}},
    "unknown settings": lambda h: h | {"settings": h["settings"] | {"__class__": "os"}},
    "keys that are dunders": lambda h: h | {"__reduce__": ["os.system", "id"]},
}


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    for name, text in TEXTS.items():
        yield Case(f"header: {name}", with_text(text), label_with, "refused")
    for name, change in HEADERS.items():
        yield Case(f"header: {name}", with_header("constrained", change), label_with)
    for name, (content, declared) in ARRAYS.items():
        yield Case(f"array: {name}", with_array(content, **declared), label_with)
    for name in ("objects, nested deeply", "half a character", "colour for a terminal"):
        yield Case(f"command: {name}", with_text(TEXTS[name]), label_by_command)
    for labeler in LABELERS:
        header, _ = parts_of(labeler)
        for at, path in enumerate(places(header)[1:]):
            for name in [*VALUES][at % STRIDE :: STRIDE]:
                new = VALUES[name]
                where = ".".join(map(str, path))
                yield Case(
                    f"{labeler}: {name} as {where}",
                    with_header(labeler, lambda h, p=path, new=new: put(h, p, new)),
                    label_with,
                )


SURFACE = Surface(
    "saved models",
    "A model of any header and any arrays is refused, or labels as probabilities",
    list_cases,
)
