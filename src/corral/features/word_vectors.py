"""Texts as the mean of the vectors of their words."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.features.cleaning import clean_text
from corral.features.vector_file import VectorFile, open_vectors
from corral.progress import progress

TEXTS = 10_000
"""Texts per block."""


class WordVectors(TransformerMixin, BaseEstimator):
    r"""Averages the vectors of the words of every text.

    A text without any known word becomes zeros. The vectors stay on disk: the first `fit`
    reads the text file, which may take minutes, and later ones map what it left.

    Parameters
    ----------
    vectors : path or VectorFile
        A file in GloVe's text format, also gzipped or zipped; or what `open_vectors` or
        ``corral.datasets.load("glove")`` gave.
    clean : bool
        Whether to clean texts as the paper did, see `clean_text`. Otherwise words are
        what stands between spaces, exactly as it stands there.
    divide_by : "known" or "all"
        The number of known words, or, as the paper did, of all words.

    Attributes
    ----------
    file_ : VectorFile
    n_features_out_ : int

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from corral.features import WordVectors, open_vectors
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "vectors.txt")
    ...     _ = path.write_text("good 1 0\nbad -1 0\nfilm 0 1\n")
    ...     vectors = open_vectors(path, cache=folder)
    ...     WordVectors(vectors).fit_transform(["A good film!", "bad", "?"])
    array([[ 0.5,  0.5],
           [-1. ,  0. ],
           [ 0. ,  0. ]], dtype=float32)
    """

    def __init__(
        self,
        vectors: str | PathLike[str] | VectorFile,
        *,
        clean: bool = True,
        divide_by: Literal["known", "all"] = "known",
    ) -> None:
        self.vectors = vectors
        self.clean = clean
        self.divide_by = divide_by

    def fit(self, X: Any = None, y: Any = None) -> Self:  # noqa: ARG002
        """Open the file; texts are not looked at."""
        check_choice("divide_by", self.divide_by, ("known", "all"))
        given = self.vectors
        self.file_ = given if isinstance(given, VectorFile) else open_vectors(given)
        self.n_features_out_ = self.file_.vectors.shape[1]
        return self

    def transform(self, X: Iterable[str]) -> NDArray[np.float32]:
        """Mean vectors (n, d) of texts.

        Parameters
        ----------
        X : (n,) texts
        """
        check_is_fitted(self)
        texts = _check_texts(X)
        means = np.empty((len(texts), self.n_features_out_), np.float32)
        with progress("averaging word vectors", len(texts), "texts") as bar:
            for a in range(0, len(texts), TEXTS):
                means[a : a + TEXTS] = self._means(texts[a : a + TEXTS])
                bar.reach(min(a + TEXTS, len(texts)))
        return means

    def _means(self, texts: list[str]) -> NDArray[np.float32]:
        rows_of = self.file_.words
        split = [(clean_text(t) if self.clean else t).split() for t in texts]
        found = [
            [rows_of[word] for word in words if word in rows_of] for words in split
        ]
        known = np.array([len(rows) for rows in found])
        # Every vector is fetched from disk once, in the order of the file.
        used, at = np.unique(
            np.concatenate([[], *found]).astype(int), return_inverse=True
        )
        ends = np.concatenate([[0], np.cumsum(known)])
        ones = np.ones(len(at), np.float32)
        words = csr_array((ones, at, ends), (len(texts), len(used)))
        number = known if self.divide_by == "known" else np.array(list(map(len, split)))
        sums: NDArray[np.float32] = words @ self.file_.vectors[used]
        return sums / np.maximum(number, 1).astype(np.float32)[:, None]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """(d,) names of the features."""
        check_is_fitted(self)
        names = [f"wordvectors{i}" for i in range(self.n_features_out_)]
        return np.array(names, object)


def _check_texts(X: Any) -> list[str]:
    """A list of texts; one text, or anything else, is refused."""
    if isinstance(X, str):
        raise ParameterError(f"a list of texts is needed; one text came: {X[:40]!r}.")
    texts = list(X)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ParameterError(
                f"texts must be strings; number {i} is {type(text).__name__} {text!r}. "
                "Give one column of a table, not the table."
            )
    return texts
