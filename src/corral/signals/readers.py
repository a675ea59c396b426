"""Read arrays and tables into `SignalData`, and refuse what is unclear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import SignalsError
from corral.signals import frames
from corral.signals.abstains import is_missing, take_one_abstain
from corral.signals.binning import RoundingError, check_bins, grid_codes, grid_of
from corral.signals.coding import (
    ABSTAIN,
    CodedVotes,
    as_array,
    class_list,
    code_votes,
)
from corral.signals.coding_warnings import ask_about_coding
from corral.signals.signal_data import Kind, SignalData, class_vote_data
from corral.signals.soft_source import (
    SURELY_ONE,
    SoftSource,
    leans,
    soft_source,
    survey,
)
from corral.signals.vote_matrix import Cells, compact, store_cells


@dataclass(frozen=True)
class Coding:
    """How a user says that votes are written; see `WeakSignals.from_votes`."""

    classes: Sequence[Any] | None = None
    abstain: Any = None
    normalise: bool = False

    def match_type(self, votes: NDArray[Any]) -> Coding:  # noqa: ARG002
        """Classes and abstains in the type of the votes; for who can only give text."""
        return self

    def code(
        self,
        votes: NDArray[Any],
        *,
        counts: FloatArray | None = None,
        may_be_silent: bool = False,
    ) -> CodedVotes:
        """Code votes; ask about what is unclear if nothing was said."""
        coded = code_votes(
            votes,
            self.classes,
            self.abstain,
            normalise=self.normalise,
            may_be_silent=may_be_silent,
        )
        if self.classes is None and self.abstain is None:
            ask_about_coding(coded, counts)
        return coded

    def apply_to(self, data: SignalData, silent: tuple[Any, ...] | None) -> SignalData:
        """The same, with how they were read."""
        return replace(
            data, abstain=self.abstain, normalise=self.normalise, silent=silent
        )


def read_votes(
    votes: Any,
    coding: Coding,
    *,
    counts: ArrayLike | None = None,
    may_be_silent: bool = False,
) -> SignalData:
    """Class votes (n, m), dense or sparse; in a sparse array what is stored is a vote."""
    if issparse(votes):
        data = _read_sparse(votes, coding, may_be_silent)
        number = None if counts is None else read_counts(counts, votes.shape[0])
        return replace(data, counts=number)
    array = as_array(votes, "votes", (2,))
    number = None if counts is None else read_counts(counts, len(array))
    coded = coding.code(array, counts=number, may_be_silent=may_be_silent)
    data = class_vote_data(coded.codes, coded.classes)
    return replace(coding.apply_to(data, coded.silent), counts=number)


def _read_sparse(votes: Any, coding: Coding, may_be_silent: bool) -> SignalData:
    if votes.ndim != 2:
        raise SignalsError(f"sparse votes must be (n, m); the shape is {votes.shape}.")
    cells = votes.nnz
    table = csr_array(votes, copy=True)  # sorted and compacted here, not the caller's
    table.sort_indices()
    if table.nnz < cells or not table.has_canonical_format:
        raise SignalsError("a signal votes twice on one example in the sparse votes.")
    silent = not table.nnz and may_be_silent and coding.classes is not None
    if 0 in table.shape or (not table.nnz and not silent):
        raise SignalsError(
            f"the sparse votes are empty: shape {table.shape}, {table.nnz} stored."
        )
    if silent:
        codes, values = np.empty(0, np.int8), np.array(coding.classes)
    else:
        data = as_array(table.data, "votes", (1,))
        coded = coding.code(data, may_be_silent=may_be_silent)
        codes, values = coded.codes, coded.classes
    sparse = csr_array(
        (codes.astype(np.int32) + 1, table.indices, table.indptr), table.shape
    )
    read = class_vote_data(compact(sparse, len(values)), values)
    return coding.apply_to(read, None)


def read_long(
    data: Any, names: Sequence[str], coding: Coding
) -> tuple[SignalData, list[str]]:
    """Class votes in a long table (task, worker, label), and the workers' names."""
    tasks, workers, labels = _long_columns(data, names)
    task_names, rows = _factorize(tasks, names[0])
    worker_names, columns = _factorize(workers, names[1])
    coded = coding.code(labels)
    codes, values = coded.codes, coded.classes
    shape = (len(task_names), len(worker_names))
    sparse = store_cells(Cells(rows, columns, codes), shape)
    if sparse.nnz < len(rows):
        raise SignalsError(
            "a worker answers the same task more than once "
            f"({len(rows) - sparse.nnz} repeated answers). Keep one answer each."
        )
    read = class_vote_data(compact(sparse, len(values)), values, task_names)
    read = coding.apply_to(read, coded.silent or None)
    return read, [str(worker) for worker in worker_names]


def read_probabilities(
    probabilities: ArrayLike,
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    bins: int | None = None,
    counts: ArrayLike | None = None,
    on_grid: bool = False,
    may_be_silent: bool = False,
) -> SignalData:
    """Class probabilities (n, m, k), or (n, m) for the second of two classes.

    They are scaled to add up to one where they are off by no more than rounding
    explains; those that are on the grid of `bins` already stay there.
    """
    array = as_array(probabilities, "probabilities", (2, 3))
    abstain = take_one_abstain(abstain)
    if array.ndim == 3 and array.shape[2] == 1:
        raise SignalsError(
            "probabilities of one class only, shape (n, m, 1); a labeling problem has at "
            "least two. Drop the last axis if they are those of the second of two."
        )
    axes = (1, 0) if array.ndim == 2 else (2, 1, 0)
    source = soft_source(array, axes, abstain, None)
    found = survey(
        source,
        nan_abstains=source.silent is None,
        distributions=array.ndim == 3 and not on_grid,
        may_be_silent=may_be_silent,
    )
    k = 2 if array.ndim == 2 else array.shape[2]
    named = _named(classes, k)
    if found.off > SURELY_ONE:
        source = source.rescale()
    if k == 2:
        source = replace(source, view=source.view[-1:])
    pairs = np.ones(source.view.shape[:2], bool)
    data = _without_values(Kind.CLASS_PROBABILITIES, named, source, counts, abstain)
    return _store_soft(data, source, pairs, bins)


def read_one_vs_rest(
    signals: ArrayLike,
    classes: Sequence[Any] | None,
    abstain: Any,
    *,
    bins: int | None = None,
    counts: ArrayLike | None = None,
    may_be_silent: bool = False,
) -> SignalData:
    """One-vs-rest signals (m, n, k), hard or soft."""
    array = as_array(signals, "one-vs-rest signals", (3,))
    abstain = take_one_abstain(abstain)
    source = soft_source(array, (2, 0, 1), abstain, -1)  # -1: the authors' files
    found = survey(
        source,
        nan_abstains=abstain is None or source.silent is None,
        distributions=False,
        may_be_silent=may_be_silent,
    )
    k, pairs = array.shape[2], found.pairs
    named = _named(classes, max(k, 2))
    kind = Kind.ONE_VS_REST
    if k == 1:
        # Two classes: the same as votes, or probabilities, of one label column.
        kind = Kind.CLASS_VOTES if found.certain else Kind.CLASS_PROBABILITIES
        pairs = np.ones_like(pairs)
    elif not pairs.any():
        pairs[:, 0] = True  # a silent batch keeps columns, of abstains
    data = _without_values(kind, named, source, counts, abstain)
    if not found.certain:
        return _store_soft(data, source, pairs, bins)
    if bins is not None:  # hard votes are on every grid
        check_bins(bins)
        none = np.where(found.pairs, 0.0, np.nan).T
        rounding = RoundingError(0.0, 0.0, none if k > 1 else none[:, 0])
        data = replace(data, rounding=rounding)
    columns = np.argwhere(pairs)[:, ::-1]
    if k == 1:
        columns = columns - np.array([0, 1])
    return replace(data, votes=source.votes(pairs), columns=columns)


def _without_values(
    kind: Kind,
    classes: NDArray[Any],
    source: SoftSource,
    counts: ArrayLike | None,
    abstain: Any,
) -> SignalData:
    k, m, n = source.view.shape
    number = None if counts is None else read_counts(counts, n)
    none = np.empty((0, 2), int)
    return SignalData(kind, classes, m, k, none, abstain=abstain, counts=number)


def _store_soft(
    data: SignalData, source: SoftSource, pairs: BoolArray, bins: int | None
) -> SignalData:
    """Keep some (class, signal) pairs of a source: copied, or in bins."""
    if bins is None:
        data = replace(data, values=source.values(pairs))
    else:
        bins, by_class = check_bins(bins), data.kind is Kind.ONE_VS_REST
        codes, rounding = grid_codes(
            source, pairs, bins, by_class=by_class, counts=data.counts
        )
        grid = grid_of(bins, source.dtype)
        data = replace(data, votes=codes, grid=grid, rounding=rounding)
    return replace(data, columns=np.argwhere(pairs)[:, ::-1])  # signal, class


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
    wrong = numbers[~(np.isfinite(numbers) & (numbers > 0))]
    if len(wrong):
        raise SignalsError(
            f"counts must be finite and above zero; {wrong[0]:g} was given. Leave out rows "
            "that stand for no example."
        )
    return numbers


def round_to_votes(values: NDArray[np.floating]) -> NDArray[np.int8]:
    """Probabilities as votes 0 or 1, -1 for an abstain and for one half."""
    votes = np.where(leans(values), values > 0.5, ABSTAIN)
    return votes.astype(np.int8)


def _named(classes: Sequence[Any] | None, k: int) -> NDArray[Any]:
    named = class_list(classes)
    if named is None:
        return np.arange(k)
    if len(named) != k:
        raise SignalsError(
            f"the signals speak of {k} classes, but `classes=` is {named}."
        )
    return np.array(named)


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
