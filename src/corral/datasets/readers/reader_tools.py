"""What all readers share: errors that name the file, and class names for codes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from corral.errors import CorralError, StorageError

StrPath: TypeAlias = str | os.PathLike[str]
POLARITY = ("negative", "positive")
"""The classes of reviews, in the order of their codes."""


@contextmanager
def reading(path: StrPath, expected: str) -> Iterator[None]:
    """Turn whatever a damaged file leads to into one error that says what it is not.

    Parameters
    ----------
    path : path
    expected : str
        What the file should be, in a few words.
    """
    try:
        yield
    except MemoryError:
        raise
    except CorralError as error:  # says what was expected and found, but not where
        raise StorageError(f"in {str(path)!r}: {error}") from error
    except Exception as error:  # half a dozen libraries, each with errors of its own
        found = str(error) or type(error).__name__
        raise StorageError(
            f"expected {expected} in {str(path)!r}, found: {found}. Is the file "
            f"truncated, renamed or another one?"
        ) from error


def read_arrays(path: StrPath) -> dict[str, NDArray[Any]]:
    """All arrays of an npz."""
    # NumPy leaves a file open that is no archive, unless it was opened here.
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
        return dict(stored)


def check_rows(rows: Sequence[Any], what: str) -> Sequence[Any]:
    """The rows, if all are lists of one length; others are refused."""
    odd = next((row for row in rows if not isinstance(row, list)), None)
    if odd is not None:
        raise StorageError(
            f"expected a list as {what} of every example, found {odd!r:.80}."
        )
    lengths = [len(row) for row in rows]
    at = next((i for i, size in enumerate(lengths) if size != lengths[0]), None)
    if at is not None:
        raise StorageError(
            f"expected as many {what} of every example, found {lengths[0]} of the first "
            f"and {lengths[at]} of number {at + 1}."
        )
    return rows


def name_codes(codes: Iterable[Any], classes: Sequence[Any]) -> NDArray[Any]:
    """Class values for the publishers' codes ``0, ..., k - 1``."""
    given = np.asarray(list(codes))
    found = given.astype(np.int64)
    outside = (found < 0) | (found >= len(classes)) | (found != given)
    if outside.any():
        raise StorageError(
            f"expected classes 0 to {len(classes) - 1}, found {given[outside][0]}."
        )
    return np.asarray(classes)[found]


def name_votes(votes: NDArray[Any], classes: Sequence[str]) -> NDArray[np.str_]:
    """Class names for votes, "" for -1, abstain."""
    found = np.asarray(votes, np.int64)
    if found.ndim != 2 or ((found < -1) | (found >= len(classes))).any():
        raise StorageError(
            f"expected rows of votes from -1 to {len(classes) - 1}, found "
            f"{found.min()} to {found.max()} in an array of shape {found.shape}."
        )
    return np.asarray([*classes, ""])[found]
