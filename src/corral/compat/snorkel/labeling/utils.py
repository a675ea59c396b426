"""Examples without votes, left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def filter_unlabeled_dataframe(
    X: Any, y: NDArray[Any], L: NDArray[Any]
) -> tuple[Any, NDArray[Any]]:
    """Leave out the examples that no function votes on.

    Parameters
    ----------
    X : pandas data frame of n rows
    y : (n, k) array of float
        Probabilities.
    L : (n, m) array of int
        Votes, -1 for an abstain.

    Returns
    -------
    X : pandas data frame
    y : array of float

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from corral.compat.snorkel.labeling import filter_unlabeled_dataframe
    >>> texts = pd.DataFrame({"text": ["win", "hello"]})
    >>> votes, labels = np.array([[1, -1], [-1, -1]]), np.array([[0.1, 0.9], [0.5, 0.5]])
    >>> kept, left = filter_unlabeled_dataframe(texts, labels, votes)
    >>> kept.text.tolist(), left.tolist()
    (['win'], [[0.1, 0.9]])
    """
    voted = (np.asarray(L) != -1).any(axis=1)
    return X.iloc[voted], y[voted]
