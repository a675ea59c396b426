"""Texts as the paper turned them into numbers: averaged GloVe vectors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from corral.datasets import load
from corral.datasets.catalogue import CATALOGUE
from corral.datasets.data_files import data_folder
from corral.features import WordVectors
from repro.keys import hash_data, make_key
from repro.store import Store


def vectors_name() -> Literal["glove", "glove_42b"]:
    """The paper's vectors if they are in `CORRAL_DATA`, else the smaller ones."""
    (source,) = CATALOGUE["glove_42b"]
    there = all((data_folder() / path).exists() for path in source.paths)
    return "glove_42b" if there else "glove"


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
        vectors = WordVectors(load(vectors_name()), clean=clean, divide_by="all")
        means: NDArray[np.float32] = vectors.fit_transform(texts)
        return means

    source = [hash_data(vectors_name()), make_key(texts), clean]
    return store.get("mean-vectors", source, make, for_all=True)
