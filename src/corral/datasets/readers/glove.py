"""Word vectors in the text format of GloVe."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import numpy as np

from corral.datasets.dataset import VectorTable
from corral.datasets.readers.base import StrPath, reading
from corral.progress import progress


def read_glove(path: StrPath, member: str | None = None) -> VectorTable:
    """Read lines ``word 0.1 -0.2 ...``, all of one length.

    Parameters
    ----------
    path : path
        Plain text, gzipped text, or a zip.
    member : str, optional
        Which file of a zip, if it has several.
    """
    words: list[str] = []
    numbers = bytearray()  # millions of small arrays would need twice the memory
    with (
        reading(path, "lines of a word and its vector"),
        _lines(Path(path), member) as lines,
        progress("reading word vectors", None, "words") as bar,
    ):
        size = 0
        for line in lines:
            # Some words have spaces, so the vector is taken from the right.
            size = size or line.count(" ")
            word, *values = line.rstrip("\n").rsplit(" ", size)
            if len(values) != size or not size:
                raise ValueError(f"line {len(words) + 1} without {size} numbers")
            words.append(word)
            numbers += np.array(values, np.float32).tobytes()
            bar.advance()
        return VectorTable(words, np.frombuffer(numbers, np.float32).reshape(-1, size))


@contextmanager
def _lines(path: Path, member: str | None) -> Iterator[TextIO]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if member is None and len(names) > 1:
                raise ValueError(f"{', '.join(names)}; say which by member=")
            with archive.open(member or names[0]) as file:
                yield io.TextIOWrapper(file, "utf-8")
    elif path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as text:
            yield text
    else:
        with open(path, encoding="utf-8") as text:
            yield text
