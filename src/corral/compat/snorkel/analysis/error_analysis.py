"""Examples by what is said of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import IntArray
from corral.compat.snorkel.utils.core import to_int_label_array
from corral.errors import ParameterError


def get_label_buckets(*y: ArrayLike) -> dict[tuple[int, ...], IntArray]:
    """Positions of the examples, by the labels that they have.

    Parameters
    ----------
    *y : (n,) arrays of int
        Labels of the same examples: true classes, predictions, votes of a function.

    Returns
    -------
    dict
        From one label per array to positions.

    Examples
    --------
    >>> from corral.compat.snorkel.analysis import get_label_buckets
    >>> get_label_buckets([1, 1, 0], [1, -1, -1])[1, -1]
    array([1])
    """
    labels = [to_int_label_array(each) for each in y]
    if len({len(each) for each in labels}) != 1:
        raise ParameterError(
            "arrays must all have the same number of elements; they have "
            f"{', '.join(str(len(each)) for each in labels) or 'none'}."
        )
    kinds, bucket = np.unique(np.column_stack(labels), axis=0, return_inverse=True)
    return {
        tuple(kind): np.flatnonzero(bucket == at)
        for at, kind in enumerate(kinds.tolist())
    }


def get_label_instances(
    bucket: tuple[int, ...], x: NDArray[Any], *y: ArrayLike
) -> NDArray[Any]:
    """Rows of an array whose examples have some labels.

    Parameters
    ----------
    bucket : tuple of int
        One label per array in `y`.
    x : (n, ...) array
    *y : (n,) arrays of int

    Examples
    --------
    >>> import numpy as np
    >>> from corral.compat.snorkel.analysis import get_label_instances
    >>> get_label_instances((1, 0), np.array(["a", "b"]), [1, 1], [1, 0]).tolist()
    ['b']
    """
    if len(bucket) != len(y):
        raise ParameterError(
            f"must have one label per array; it has {len(bucket)} for {len(y)}.",
            parameter="bucket",
        )
    buckets = get_label_buckets(*y)
    rows = sum(map(len, buckets.values()))
    if len(x) != rows:
        raise ParameterError(
            f"must have a row for each of the {rows} labels; it has {len(x)}.",
            parameter="x",
        )
    return x[buckets.get(tuple(bucket), np.array([], int))]
