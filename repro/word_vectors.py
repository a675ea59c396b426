"""Texts as the paper turned them into numbers: averaged GloVe vectors."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corral.datasets import fetch
from corral.datasets.catalogue import CATALOGUE
from corral.datasets.files import data_folder
from corral.features import WordVectors
from repro.keys import data_hash, key_of
from repro.store import Store

MEMBERS = {"glove": "glove.6B.100d.txt", "glove_42b": "glove.42B.300d.txt"}
"""What to read where the published archives are at hand."""


def vectors_name() -> str:
    """The paper's vectors if they are in `CORRAL_DATA`, else the smaller ones."""
    (source,) = CATALOGUE["glove_42b"]
    there = all((data_folder() / path).exists() for path in source.paths)
    return "glove_42b" if there else "glove"


def vectors_path(store: Store) -> Path:
    """A text file of vectors, unpacked where it came in a zip."""
    name = vectors_name()
    (path,) = fetch(name)
    if path.suffix != ".zip":
        return path
    target = store.folder / MEMBERS[name]
    if not target.exists():
        part = target.with_suffix(".part")
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            zipfile.ZipFile(path) as archive,
            archive.open(MEMBERS[name]) as packed,
            part.open("wb") as file,
        ):
            shutil.copyfileobj(packed, file)
        part.replace(target)
    return target


def mean_vectors(texts: list[str], store: Store, *, clean: bool) -> NDArray[np.float32]:
    """(n, d) sums of the vectors of known words, divided by the number of all words.

    Parameters
    ----------
    texts : list of str
    store : Store
    clean : bool
        As for `corral.features.WordVectors`.
    """

    def make() -> NDArray[np.float32]:
        vectors = WordVectors(
            vectors_path(store),
            clean=clean,
            divide_by="all",
            cache=store.folder / "vectors",
        )
        means: NDArray[np.float32] = vectors.fit_transform(texts)
        return means

    source = [data_hash(vectors_name()), key_of(texts), clean]
    return store.get("mean-vectors", source, make)
