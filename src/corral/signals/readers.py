"""Read arrays and tables into the parts of `WeakSignals`, and refuse what is unclear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from corral._types import FloatArray, IntArray
from corral.errors import SignalsError
from corral.patterns import Votes
from corral.signals import frames
from corral.signals.coding import (
    ABSTAIN,
    as_array,
    class_list,
    code_type,
    code_votes,
    is_missing,
)
from corral.signals.parts import Kind, Parts, class_vote_parts, probability_parts

DENSE_SHARE = 1 / 16
"""Votes on a smaller share of the cells than this stay sparse."""


def read_votes(
    votes: Any,
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    may_be_silent: bool = False,
) -> Parts:
    """Class votes (n, m), dense or sparse; in a sparse array what is stored is a vote."""
    if issparse(votes):
        return _read_sparse(votes, classes, abstain, may_be_silent)
    array = as_array(votes, "votes", (2,))
    codes, values = code_votes(array, classes, abstain, may_be_silent=may_be_silent)
    return replace(class_vote_parts(codes, values), abstain=abstain)


def _read_sparse(
    votes: Any, classes: Sequence[Any] | None, abstain: Any, may_be_silent: bool
) -> Parts:
    if votes.ndim != 2:
        raise SignalsError(f"sparse votes must be (n, m); the shape is {votes.shape}.")
    cells = votes.nnz
    table = csr_array(votes, copy=True)  # sorted and compacted here, not the caller's
    table.sort_indices()
    if table.nnz < cells or not table.has_canonical_format:
        raise SignalsError("a signal votes twice on one example in the sparse votes.")
    silent = not table.nnz and may_be_silent and classes is not None
    if 0 in table.shape or (not table.nnz and not silent):
        raise SignalsError(
            f"the sparse votes are empty: shape {table.shape}, {table.nnz} stored."
        )
    if silent:
        codes, values = np.empty(0, np.int8), np.array(classes)
    else:
        data = as_array(table.data, "votes", (1,))
        codes, values = code_votes(data, classes, abstain, may_be_silent=may_be_silent)
    stored = csr_array(
        (codes.astype(np.int32) + 1, table.indices, table.indptr), table.shape
    )
    parts = class_vote_parts(_compact(stored, len(values)), values)
    return replace(parts, abstain=abstain)


def read_long(
    data: Any, names: Sequence[str], classes: Sequence[Any] | None, abstain: Any
) -> tuple[Parts, list[str]]:
    """Class votes in a long table (task, worker, label), and the workers' names."""
    tasks, workers, labels = _long_columns(data, names)
    task_names, rows = _factorize(tasks, names[0])
    worker_names, columns = _factorize(workers, names[1])
    codes, values = code_votes(labels, classes, abstain)
    shape = (len(task_names), len(worker_names))
    stored = csr_array((codes.astype(np.int32) + 1, (rows, columns)), shape)
    if stored.nnz < len(rows):
        raise SignalsError(
            "a worker answers the same task more than once "
            f"({len(rows) - stored.nnz} repeated answers). Keep one answer each."
        )
    parts = class_vote_parts(_compact(stored, len(values)), values, task_names)
    parts = replace(parts, abstain=abstain)
    return parts, [str(worker) for worker in worker_names]


def read_probabilities(
    probabilities: ArrayLike,
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    may_be_silent: bool = False,
) -> Parts:
    """Class probabilities (n, m, k), or (n, m) for the second of two classes."""
    array = as_array(probabilities, "probabilities", (2, 3))
    array = _soft(array, abstain, may_be_silent)
    if array.ndim == 2:
        parts = probability_parts(_named(classes, 2), [np.ascontiguousarray(array.T)])
        return replace(parts, abstain=abstain)
    missing = np.isnan(array)
    if (missing.any(axis=2) != missing.all(axis=2)).any():
        raise SignalsError(
            "a signal gives some classes of an example a probability and not others. For "
            "signals that speak of one class use `from_one_vs_rest`."
        )
    if array.shape[2] == 1:
        raise SignalsError(
            "probabilities of one class only, shape (n, m, 1); a labeling problem has at "
            "least two. Drop the last axis if they are those of the second of two."
        )
    off = np.nanmax(np.abs(array.sum(axis=2) - 1), initial=0)
    if off > 1e-3:
        raise SignalsError(
            f"class probabilities must add up to one; they are off by up to {off:.3g}. "
            "For independent scores use `from_one_vs_rest`."
        )
    k = array.shape[2]
    shown = range(1, 2) if k == 2 else range(k)
    values = [np.ascontiguousarray(array[:, :, c].T) for c in shown]
    return replace(probability_parts(_named(classes, k), values), abstain=abstain)


def read_one_vs_rest(
    signals: ArrayLike,
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    may_be_silent: bool = False,
) -> Parts:
    """One-vs-rest signals (m, n, k), hard or soft."""
    array = as_array(signals, "one-vs-rest signals", (3,))
    m, n, k = array.shape
    values = _named(classes, max(k, 2))
    if array.dtype.kind in "biu":
        # Hard votes stay small integers: no float copy of a large array.
        missing = array == (-1 if abstain is None else abstain)
        _check_range(array[~missing], may_be_silent)
        hard = True
    else:
        if abstain is None and array.dtype.kind == "f":
            array = np.where(
                array == -1, array.dtype.type(np.nan), array
            )  # authors' files
        array = _soft(array, abstain, may_be_silent)
        missing = np.isnan(array)
        hard = bool(((array == 0) | (array == 1) | missing).all())
    if k == 1:
        # Two classes: the same as votes, or probabilities, of one label column.
        if not hard:
            parts = probability_parts(values, [array[:, :, 0].copy()])
        else:
            codes = np.where(missing, ABSTAIN, array)[:, :, 0].T
            parts = class_vote_parts(codes.astype(np.int8, order="C"), values)
        return replace(parts, abstain=abstain)
    spoken = ~missing.all(axis=1)  # (m, k): pairs with an opinion
    spoken[0] |= not spoken.any()  # a silent batch keeps a column, of abstains
    pairs = np.array([(i, c) for c in range(k) for i in np.flatnonzero(spoken[:, c])])
    parts = Parts(Kind.ONE_VS_REST, values, m, k, pairs, abstain=abstain)
    if not hard:
        stack = tuple(array[spoken[:, c], :, c] for c in range(k))
        return replace(parts, values=stack)
    codes = np.empty((n, len(pairs)), np.int8)
    for at, (i, c) in enumerate(pairs):
        codes[:, at] = np.where(missing[i, :, c], ABSTAIN, array[i, :, c])
    return replace(parts, votes=codes)


def read_counts(counts: ArrayLike, n: int) -> FloatArray:
    """How many examples each of `n` rows stands for."""
    try:
        numbers = np.array(counts, float)
    except (TypeError, ValueError) as error:
        raise SignalsError("counts must be numbers.") from error
    if numbers.shape != (n,):
        raise SignalsError(
            f"counts must have one number for each of the {n} rows; the shape given is "
            f"{numbers.shape}."
        )
    if not np.isfinite(numbers).all() or (numbers <= 0).any():
        raise SignalsError("counts must be finite and above zero.")
    return numbers


def rounded(values: NDArray[np.floating]) -> NDArray[np.int8]:
    """Probabilities as votes 0 or 1 (0.5 is 0), -1 for NaN."""
    missing = np.isnan(values)
    votes = np.rint(np.where(missing, 0, values))
    return np.where(missing, ABSTAIN, votes).astype(np.int8)


def _named(classes: Sequence[Any] | None, k: int) -> NDArray[Any]:
    named = class_list(classes)
    if named is None:
        return np.arange(k)
    if len(named) != k:
        raise SignalsError(
            f"the signals speak of {k} classes, but `classes` is {named}."
        )
    return np.array(named)


def _soft(
    array: NDArray[Any], abstain: float | None, may_be_silent: bool
) -> NDArray[np.floating]:
    """Check probabilities; abstains become NaN. Always a copy; float32 stays."""
    if array.dtype.kind not in "biuf":
        raise SignalsError(
            f"probabilities must be numbers; the dtype given is {array.dtype}."
        )
    soft: NDArray[np.floating] = array.astype(
        np.float32 if array.dtype == np.float32 else np.float64
    )
    if abstain is not None and not isinstance(abstain, Real):
        raise SignalsError(f"probabilities are numbers, but {abstain=} is not.")
    if abstain is not None and not np.isnan(abstain):
        if np.isnan(soft).any():
            raise SignalsError(f"NaN where probabilities are, while {abstain=}.")
        soft[array == abstain] = np.nan
    _check_range(soft[~np.isnan(soft)], may_be_silent)
    return soft


def _check_range(spoken: NDArray[Any], may_be_silent: bool) -> None:
    if not spoken.size and not may_be_silent:
        raise SignalsError(
            "every entry is an abstain, so there is nothing to label from. Check "
            "`abstain=`."
        )
    low, high = spoken.min(initial=0), spoken.max(initial=1)
    if low < 0 or high > 1:
        worst = low if low < 0 else high
        raise SignalsError(
            f"probabilities must be between 0 and 1; {worst:g} came. If that value "
            f"means no opinion, pass `abstain={worst:g}`."
        )


def _compact(stored: csr_array, n_classes: int) -> Votes:
    """Dense codes where votes are not rare, else sparse ``code + 1``."""
    stored.eliminate_zeros()
    n, m = stored.shape
    if stored.nnz < DENSE_SHARE * n * m:
        return stored
    return (stored.toarray() - 1).astype(code_type(n_classes))


def _long_columns(data: Any, names: Sequence[str]) -> list[Any]:
    """Tasks and workers as arrays or lists, and labels as an array."""
    if isinstance(data, dict):
        missing = [name for name in names if name not in data]
        if missing:
            raise SignalsError(
                f"no column named {', '.join(map(repr, missing))}; the mapping has "
                f"{', '.join(map(repr, data))}."
            )
        columns: list[Any] = [
            as_array(data[name], f"column {name!r}", (1,)) for name in names
        ]
    else:
        frame = frames.as_frame(data)
        frames.column_names(frame, list(names))
        columns = [frames.values(frame.get_column(name)) for name in names[:2]]
        columns.append(frames.matrix(frame, names[2:])[:, 0])
    lengths = [len(column) for column in columns]
    if len(set(lengths)) != 1:
        raise SignalsError(f"the three columns have different lengths: {lengths}.")
    if not lengths[0]:
        raise SignalsError("the long table is empty.")
    return columns


def _factorize(
    column: NDArray[Any] | list[Any], name: str
) -> tuple[NDArray[Any], IntArray]:
    """Distinct values in order of appearance, and the position of each entry."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biu":
        unique, first, inverse = np.unique(
            column, return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        return unique[order], np.argsort(order)[inverse]
    entries = column if isinstance(column, list) else column.tolist()
    positions: dict[Any, int] = defaultdict(count().__next__)  # the next one, if new
    codes = np.fromiter(map(positions.__getitem__, entries), np.intp, len(entries))
    if any(map(is_missing, positions)):
        raise SignalsError(f"column {name!r} has missing values; drop those rows.")
    return np.array(list(positions)), codes
