"""Checks of what a file holds: types, shapes and ranges.

A file that was meant to harm, or a byte that flipped, must not be worked with: compiled
code trusts positions, and a weight that is NaN makes every label NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e100
"""Weights beyond this could overflow where they are added up or squared."""
Shape = tuple[int | None, ...]


def require(holds: Any, what: str) -> None:
    """Refuse a file that does not hold what it should."""
    if not holds:
        raise ValueError(f"expected {what}")


def check_classes(classes: NDArray[Any], n_label_columns: Any) -> None:
    """Class values, and how many unknowns per example has."""
    values = classes.tolist()
    require(classes.ndim == 1 and len(values) >= 2, "two classes or more")
    require(len(set(values)) == len(values), "a class only once")
    if classes.dtype.kind == "f":
        check_shape("classes", classes, (None,), "f")
        require(np.isfinite(classes).all(), "finite classes")
    right = 1 if len(values) == 2 else len(values)
    require(
        type(n_label_columns) is int and n_label_columns in (right, len(values)),
        f"{right} label columns for {len(values)} classes",
    )


def check_coding(settings: dict[str, Any]) -> None:
    """What means no vote (a value, a list or nothing said), and how texts are read."""
    abstain = settings["abstain"]
    values = abstain if isinstance(abstain, list | tuple) else [abstain]
    plain = all(isinstance(value, str | int | float | None) for value in values)
    require(plain, "a value, or a list of values, as abstain")
    require(isinstance(settings["normalise"], bool), "true or false as normalise")


def check_floats(
    name: str,
    array: NDArray[Any],
    shape: Shape,
    *,
    low: float = -LARGEST,
    high: float = LARGEST,
    may_be_nan: bool = False,
) -> None:
    """Numbers of a shape (None: any size) in a range."""
    check_shape(name, array, shape, "f")
    # Compared in double precision, whatever that of the array.
    inside = (array >= np.float64(low)) & (array <= np.float64(high))
    if may_be_nan:
        inside |= np.isnan(array)
    require(inside.all(), f"finite numbers from {low:g} to {high:g} in {name}")


def check_positions(
    name: str, array: NDArray[Any], shape: Shape, low: int, stop: int
) -> None:
    """Whole numbers of a shape, from `low` to below `stop`."""
    check_shape(name, array, shape, "i")
    inside = (array >= low) & (array < stop)
    require(inside.all(), f"positions from {low} to below {stop} in {name}")


def check_shape(name: str, array: NDArray[Any], shape: Shape, kind: str) -> None:
    """Any numbers of a shape (None: any size) and a kind, "f" or "i".

    Of floats only single and double precision, which all that computes with them knows.
    """
    fits = array.ndim == len(shape) and all(
        wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
    )
    require(fits, f"the shape {shape} of {name}, not {array.shape}")
    known = array.dtype.kind == kind and (kind != "f" or array.itemsize in (4, 8))
    what = "float32 or float64" if kind == "f" else "integers"
    require(known, f"{what} in {name}, not {array.dtype}")


def check_columns(columns: NDArray[Any], n_signals: int, n_labels: int) -> None:
    """Signal and label column (-1: all) of every stored column, (c, 2)."""
    check_positions("columns", columns, (None, 2), -1, max(n_signals, n_labels))
    signal, label = columns.T
    inside = (signal >= 0).all() and (signal < n_signals).all()
    require(inside and (label < n_labels).all(), "a signal for every column")
