"""Texts as the paper turned them into numbers: cleaned, then averaged GloVe vectors."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral.progress import progress
from repro.data import VECTORS, data_folder, fetch
from repro.keys import hash_data, make_key
from repro.store import CACHE, Store

LINES = 4096
"""Lines that are parsed at once."""
TEXTS = 10_000
"""Texts per block."""
SELECTED = "glove.6B.100d.txt"
"""The file in GloVe's first zip that has 100 numbers per word."""
_TAGS = re.compile(r"<[a-z/!][^<>]*>", re.IGNORECASE)
_LINKS = re.compile(r"(?:https?://|www\.)\S+|[@#]\S+", re.IGNORECASE)
_NO_LETTERS = re.compile(r"[^a-z]+")


def clean_text(text: str) -> str:
    """Lower-case letters and single spaces; no HTML, links, mentions and hashtags."""
    bare = _LINKS.sub(" ", _TAGS.sub(" ", text))
    return _NO_LETTERS.sub(" ", bare.lower()).strip()


class Vectors(NamedTuple):
    """The row of every word, and (v, d) vectors that stay on disk."""

    words: dict[str, int]
    vectors: NDArray[np.float32]


def open_vectors(path: Path, folder: Path = CACHE) -> Vectors:
    """Word vectors in GloVe's text format, parsed once and mapped from `folder` then.

    A line is a word and its numbers, separated by spaces. Words may have spaces, too, and
    need not be UTF-8; of words that come twice, the first counts.
    """
    status = path.stat()
    key = make_key([path.name, status.st_size, status.st_mtime_ns])[:16]
    kept = folder / f"vectors-{path.name}-{key}"
    if not kept.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        part = Path(mkdtemp(dir=folder))
        with _open_lines(path) as lines, progress(f"reading {path.name}", None) as bar:
            words: list[str] = []
            blocks: list[NDArray[np.float32]] = []
            rest = iter(lines)
            while block := list(islice(rest, LINES)):
                size = blocks[0].shape[1] if blocks else len(block[0].split()) - 1
                fields = [line.rstrip().rsplit(b" ", size) for line in block]
                words += [word.decode(errors="replace") for word, *_ in fields]
                blocks.append(np.array([row[1:] for row in fields], np.float32))
                bar.advance(len(block))
        (part / "words.txt").write_bytes("\n".join(words).encode())
        np.save(part / "vectors.npy", np.concatenate(blocks))
        try:
            os.replace(part, kept)
        except OSError:  # another process was faster
            if not kept.is_dir():
                raise
            shutil.rmtree(part)
    rows: dict[str, int] = {}
    for i, word in enumerate((kept / "words.txt").read_bytes().decode().split("\n")):
        rows.setdefault(word, i)
    return Vectors(rows, np.load(kept / "vectors.npy", mmap_mode="r"))


@contextmanager
def _open_lines(path: Path) -> Iterator[Iterable[bytes]]:
    if path.suffix != ".zip":
        with gzip.open(path) as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        with archive.open(SELECTED if SELECTED in names else names[0]) as text:
            yield text


def vectors_name() -> Literal["glove", "glove_42b"]:
    """The paper's vectors if they are in `CORRAL_DATA`, else the smaller ones."""
    ((path,),) = VECTORS["glove_42b"]
    return "glove_42b" if (data_folder() / path).exists() else "glove"


@cache
def load_vectors(name: Literal["glove", "glove_42b"]) -> Vectors:
    """Word vectors by name."""
    (path,) = fetch(name)
    return open_vectors(path)


def average(texts: list[str], file: Vectors, *, clean: bool) -> NDArray[np.float32]:
    """(n, d) sums of the vectors of known words, divided by the number of all words."""
    means = np.empty((len(texts), file.vectors.shape[1]), np.float32)
    for a in range(0, len(texts), TEXTS):
        some = texts[a : a + TEXTS]
        split = [(clean_text(text) if clean else text).split() for text in some]
        found = [
            [file.words[word] for word in words if word in file.words]
            for words in split
        ]
        # Every vector is fetched from disk once, in the order of the file.
        each = np.concatenate([[], *found]).astype(int)
        used, at = np.unique(each, return_inverse=True)
        ends = np.cumsum([0, *map(len, found)])
        ones = np.ones(len(at), np.float32)
        words = csr_array((ones, at, ends), (len(some), len(used)))
        number = np.maximum(list(map(len, split)), 1).astype(np.float32)
        means[a : a + TEXTS] = (words @ file.vectors[used]) / number[:, None]
    return means


def mean_vectors(texts: list[str], store: Store, *, clean: bool) -> NDArray[np.float32]:
    """The same with the paper's vectors, kept in the store."""
    name = vectors_name()
    return store.get(
        "mean-vectors",
        [hash_data(name), make_key(texts), clean],
        lambda: average(texts, load_vectors(name), clean=clean),
        for_all=True,
    )
