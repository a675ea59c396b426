"""Columns as DuckDB fetches them, masked where they are NULL, as columns of votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import SignalsError
from corral.wording import option


def fill_gaps(array: NDArray[Any]) -> NDArray[Any]:
    """A column without a mask: None where a text is missing, NaN where a number is.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.tables.fetched_arrays import fill_gaps
    >>> fill_gaps(np.ma.array([1, 2], mask=[False, True]))
    array([ 1., nan])
    >>> fill_gaps(np.ma.array(["a", "b"], mask=[False, True]))
    array(['a', None], dtype=object)
    """
    is_text = _kind(array) == "text" and not np.ma.getmaskarray(array).all()
    return _objects(array) if is_text else _numbers(array)


def stack_columns(arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Columns by name as one array (rows, columns), all numbers or all text."""
    kinds = {
        name: _kind(array)
        for name, array in arrays.items()
        if not np.ma.getmaskarray(array).all()
    }
    if len(set(kinds.values())) > 1 or "other" in kinds.values():
        described = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise SignalsError(
            "votes must be all numbers or all text; choose the columns with "
            f"{option('signals')}. They are {described}."
        )
    truths = all(array.dtype.kind == "b" for array in arrays.values())
    convert = _objects if "text" in kinds.values() or truths else _numbers
    return np.column_stack([convert(array) for array in arrays.values()])


def _kind(array: NDArray[Any]) -> str:
    if array.dtype.kind in "biuf":
        return "numbers"
    return "text" if array.dtype.kind in "OU" else "other"


def _objects(array: Any) -> NDArray[Any]:
    column = np.array(np.ma.getdata(array), dtype=object)
    column[np.ma.getmaskarray(array)] = None
    return column


def _numbers(array: Any) -> NDArray[Any]:
    if not np.ma.is_masked(array):
        return np.ma.getdata(array)
    if array.dtype.kind not in "biuf":
        return np.full(len(array), np.nan)
    if array.dtype.itemsize == 1:  # half of what a double takes, and as exact
        return np.ma.filled(array.astype(np.float32), np.nan)
    return np.ma.filled(array.astype(float), np.nan)
