"""Caches, data sets and exported functions that somebody else wrote."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import corral
from corral.datasets import data_files
from corral.datasets.data_files import File
from corral.features import open_vectors
from corral.functions import keywords, regex
from corral.functions.answer_cache import KIND
from corral.storage.archive import HEADER
from corral.storage.versioned_file import VERSION
from reliability.hostile.cases import Case, Surface
from reliability.hostile.json_texts import TEXTS, VALUES
from reliability.hostile.models import ARRAYS, Pwn, as_header, as_npy

ROWS = [{"text": "free"}, {"text": "a"}, {"text": None}]
EXPECTED = [1, -1, -1]
"""Votes of `functions` on these, of the classes ham and spam."""


def functions() -> list[Any]:
    """One function, always the same."""
    return [keywords("text", ["free"], "spam", name="free")]


def apply(folder: Path) -> None:
    """Apply functions with a cache in the folder: right votes, whatever was there."""
    found = corral.apply(
        functions(), ROWS, cache=folder / "cache", classes=["ham", "spam"]
    )
    assert not Path("pwned").exists(), "the cache was run"
    votes = np.asarray(found.votes).ravel()
    assert votes.tolist() == EXPECTED, votes


def with_cache(content: Callable[[], bytes]) -> Callable[[Path], Path]:
    """A `Case.make` of a cache whose file holds something else."""

    def make(folder: Path) -> Path:
        corral.apply(functions(), ROWS, cache=folder / "cache", classes=["ham", "spam"])
        (file,) = (folder / "cache").iterdir()
        file.write_bytes(content())
        return folder

    return make


def archive(header: bytes, **entries: bytes) -> Callable[[], bytes]:
    """A file of the cache with any header and arrays."""

    def build() -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(f"{HEADER}.npy", as_header(header))
            for name, content in entries.items():
                packed.writestr(f"{name}.npy", content)
        return stream.getvalue()

    return build


def answers(classes: Any, codes: Any, **others: Any) -> Callable[[], bytes]:
    """A file of the cache that says some answers."""
    arrays = {"codes": np.asarray(codes)} | {
        k: np.asarray(v) for k, v in others.items()
    }
    table = {
        name: {"dtype": a.dtype.str, "shape": list(a.shape)}
        for name, a in arrays.items()
    }
    header = {
        "version": VERSION,
        "kind": KIND,
        "settings": {"classes": classes},
        "arrays": table,
    }
    text = json.dumps(header).encode()
    return archive(text, **{name: as_npy(a) for name, a in arrays.items()})


CODES = np.array([0, -1, -1], np.int8)
CACHES: dict[str, Callable[[], bytes]] = {
    "a pickle": lambda: pickle.dumps(Pwn()),
    "an array of pickles": lambda: as_npy(np.array([Pwn()], object)),
    "nothing": lambda: b"",
    "codes beyond the classes": answers(["spam"], np.array([99, -1, -1], np.int8)),
    "codes below all": answers(["spam"], np.array([-99, -1, -1], np.int8)),
    "too few answers": answers(["spam"], CODES[:1]),
    "too many answers": answers(["spam"], np.tile(CODES, 1000)),
    "answers of text": answers(["spam"], np.array(["a", "b", "c"])),
    "answers of fractions": answers(["spam"], np.array([0.5, 1, 2])),
    "another class": answers(["<script>\x1b[2J"], CODES),
    "a class twice": answers(["spam", "spam"], CODES),
    "confidence beyond one": answers(["spam"], CODES, confidence=[9.0, 0, 0]),
    "confidence of NaN": answers(["spam"], CODES, confidence=[np.nan] * 3),
    "probabilities and codes": answers(["spam"], CODES, probabilities=np.ones((3, 1))),
    **{
        f"classes that are {name}": answers(value, CODES)
        for name, value in VALUES.items()
    },
    **{f"header: {name}": archive(text) for name, text in TEXTS.items()},
    **{
        f"array: {name}": archive(
            json.dumps(
                {
                    "version": VERSION,
                    "kind": KIND,
                    "settings": {"classes": ["spam"]},
                    "arrays": {"codes": {"dtype": "|i1", "shape": [3]} | declared},
                }
            ).encode(),
            codes=content,
        )
        for name, (content, declared) in ARRAYS.items()
    },
}


def odd_cache(build: Callable[[Path], object]) -> Callable[[Path], Path]:
    """A `Case.make` of a cache that is no folder of files."""

    def make(folder: Path) -> Path:
        build(folder / "cache")
        return folder

    return make


def odd_entry(build: Callable[[Path], object]) -> Callable[[Path], Path]:
    """A `Case.make` of a cache whose file is none."""

    def make(folder: Path) -> Path:
        corral.apply(functions(), ROWS, cache=folder / "cache", classes=["ham", "spam"])
        (file,) = (folder / "cache").iterdir()
        file.unlink()
        build(file)
        return folder

    return make


ODD: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to /dev/zero": lambda p: p.symlink_to("/dev/zero"),
    "a link to itself": lambda p: p.symlink_to(p.name),
    "a link to a file elsewhere": lambda p: p.symlink_to("../../canary.txt"),
}
PATTERNS = {
    "a pattern without end": "(a+)+$",
    "a pattern of nested repetition": "((a{1,100}){1,100}){1,100}",
    "a pattern of brackets": "(" * 5000,
    "a pattern of closed brackets": "(" * 5000 + ")" * 5000,
    "a pattern of a megabyte": "a|" * 500_000 + "b",
}


def search(pattern: str) -> None:
    """Look for a pattern in a text that is made for it."""
    texts = [{"text": "a" * 50_000 + "!"}] * 3
    found = corral.apply([regex("text", pattern, "x")], texts, classes=["x", "y"])
    assert len(found) == 3


def with_vector_cache(name: str, content: bytes) -> Callable[[Path], Path]:
    """A `Case.make` of a cache of word vectors that holds something else."""

    def make(folder: Path) -> Path:
        path = folder / "v.txt"
        path.write_text("good 1 0\nbad -1 0\n")
        open_vectors(path, folder / "cache")
        (kept,) = (folder / "cache").iterdir()
        (kept / name).write_bytes(content)
        return folder

    return make


def open_cached(folder: Path) -> None:
    """Open word vectors by their cache."""
    found = open_vectors(folder / "v.txt", folder / "cache")
    for row in found.words.values():
        assert np.isfinite(found.vectors[row]).all()
    assert not Path("pwned").exists()


def check_published(path: Path) -> None:
    """A file of a data set whose hash is another."""
    data_files.check(File("a.txt", sha256="0" * 64, url="https://example.org"), path)


def with_file(content: bytes) -> Callable[[Path], Path]:
    """A `Case.make` of a file of a data set."""

    def make(folder: Path) -> Path:
        (folder / "a.txt").write_bytes(content)
        return folder / "a.txt"

    return make


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    yield Case(
        "none: a good cache", with_cache(answers(["spam"], CODES)), apply, "harmless"
    )
    for name, content in CACHES.items():
        yield Case(f"cache: {name}", with_cache(content), apply)
    for name, build in ODD.items():
        yield Case(f"the cache is {name}", odd_cache(build), apply)
        yield Case(f"a file of the cache is {name}", odd_entry(build), apply)
    for name, pattern in PATTERNS.items():
        yield Case(name, lambda _, pattern=pattern: pattern, search)
    for name, (content, _) in ARRAYS.items():
        made = with_vector_cache("vectors.npy", content)
        yield Case(f"cache of vectors: {name}", made, open_cached)
    for name in ("nothing", "NUL", "bytes that are no text"):
        text = {"nothing": b"", "NUL": b"\0" * 100}.get(name, b"\xff\xfe")
        made = with_vector_cache("words.txt", text)
        yield Case(f"cache of words: {name}", made, open_cached)
    for name, content in {"nothing": b"", "another file": b"x", "NUL": b"\0"}.items():
        yield Case(f"data set: {name}", with_file(content), check_published, "refused")


SURFACE = Surface(
    "functions, caches, data sets",
    "A cache is never run, a pattern ends, and a data set is the published one",
    list_cases,
)
