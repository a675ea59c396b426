"""From what users have to the rows of the matrix of votes.

Every reader returns the arguments of `WeakSignals`, by name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, issparse

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import check_choice
from corral.errors import SignalsError, SignalsWarning, warn_user
from corral.votes.coding import (
    ABSTAIN,
    CodedVotes,
    abstains_of_table,
    as_array,
    ask_about_coding,
    class_list,
    code_type,
    code_votes,
    is_missing,
    list_abstains,
)
from corral.votes.columns import as_frame, choose_columns, is_frame, matrix
from corral.votes.matrix import Kind, Schema
from corral.votes.patterns import find_patterns

MARKS = "[_.:/ -]"  # what stands between signal and class in the name of a column
MAX_ROUNDING = 0.005
"""How far a probability may be off that was rounded to two decimals."""
SINGLE_PRECISION = 1e-6
"""How far probabilities may be from adding up to one without being scaled."""
MIN_DENSE_SHARE = 1 / 16
"""Votes on a smaller share of the cells than this stay sparse while rows are compared."""
ADVICE = (
    "A column whose name ends in a class, as llm_pos, has that class of a signal. Name "
    "all classes with `classes=`. If every column is a signal, name it otherwise."
)
REPEATS = ("refuse", "last", "first")
"""What to do with different answers of a worker on a task."""

Arguments: TypeAlias = dict[str, Any]
"""Of `WeakSignals`, by name."""


# -- class votes --------------------------------------------------------------------


def read_votes(
    votes: Any,
    classes: Sequence[Any] | None,
    abstain: Any,
    normalise: bool = False,
    names: Sequence[str] | None = None,
    counts: ArrayLike | None = None,
) -> Arguments:
    """Class votes (n, m), dense or sparse; every entry stored in a sparse one votes."""
    options = (classes, abstain, normalise)
    if issparse(votes):
        table = coo_array(votes)
        if 0 in table.shape or (not table.nnz and classes is None):
            raise SignalsError(
                f"the sparse votes are empty: shape {table.shape}, {table.nnz} stored."
            )
        cells = as_array(table.data, "votes", (1,)) if table.nnz else np.empty(0, "O")
        read = _read_answers(cells, table.coords, table.shape, options, names)
        return read | {"row_counts": check_counts(counts, table.shape[0])}
    votes = as_array(votes, "votes", (2,))
    row_counts = check_counts(counts, len(votes))
    coded = code_votes(votes, *options)
    schema = _vote_schema(coded, names, votes.shape[1], options)
    found = hard_rows(coded.codes, schema)
    counted = np.bincount(found["row_of"], row_counts, found["F"].shape[0]).astype(
        float
    )
    if classes is None and abstain is None:
        cast = (found["F"].T @ counted).reshape(schema.n_signals, -1)
        ask_about_coding(coded, cast / counted.sum(), float(counted.sum()))
    return found | {
        "row_counts": row_counts,
        "counts": counted,
        "silent": coded.silent,
    }


def _read_answers(
    answers: NDArray[Any],
    places: tuple[IntArray, IntArray],
    shape: tuple[int, ...],
    options: tuple[Any, ...],
    names: Sequence[str] | None,
    tasks: NDArray[Any] | None = None,
    repeats: str = "refuse",
) -> Arguments:
    """Class votes (a,), each at a row and a column of a table of this shape."""
    classes, abstain, _ = options
    coded = code_votes(answers, *options)
    if classes is None and abstain is None:
        cast = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.classes))
        ask_about_coding(coded, cast[None] / len(answers), len(answers))
    said = np.flatnonzero(coded.codes >= 0)

    def table(at: IntArray) -> csr_array:
        entries = coded.codes[at].astype(np.int32) + 1
        made = csr_array((entries, tuple(each[at] for each in places)), shape)
        made.sum_duplicates()
        return made

    codes = table(said)
    if codes.nnz < len(said):
        if tasks is None:
            raise SignalsError(
                f"a signal votes twice on one example ({len(said) - codes.nnz}); keep one."
            )
        codes = table(_one_answer_each(said, coded, places, (tasks, names), repeats))
    schema = _vote_schema(coded, names, shape[1], options)
    return hard_rows(codes, schema) | {"silent": coded.silent or None}


def _one_answer_each(
    said: IntArray,
    coded: CodedVotes,
    places: tuple[IntArray, IntArray],
    names: tuple[Any, Any],
    repeats: str,
) -> IntArray:
    """Of the answers at `said`, one for every task and worker."""
    kept: dict[tuple[Any, ...], int] = {}
    differ: list[tuple[int, int]] = []
    by_task, by_worker = places
    for at in said.tolist():
        place = by_task[at], by_worker[at]
        before = kept.setdefault(place, at)
        if coded.codes[at] != coded.codes[before]:
            differ.append((before, at))
            if repeats == "last":
                kept[place] = at
    if differ and repeats == "refuse":
        one, other = (coded.classes[coded.codes[at]].item() for at in differ[0])
        (tasks, workers), at = names, differ[0][0]
        task, worker = tasks[by_task[at]], workers[by_worker[at]]
        raise SignalsError(
            f"a worker answers the same task more than once: {worker!r} says {one!r} and "
            f"{other!r} of {task!s:.60} ({len(differ):,} in all). Keep one of "
            "each with `repeats='last'` or `repeats='first'`."
        )
    n_same = len(said) - len(kept) - len(differ)
    warn_user(
        f"repeated answers were left out: {n_same:,} that are equal, {len(differ):,} "
        f"before or after the {repeats if differ else 'first'} one.",
        SignalsWarning,
    )
    return np.array(list(kept.values()))


def _vote_schema(
    coded: CodedVotes, names: Sequence[str] | None, n: int, options: tuple[Any, ...]
) -> Schema:
    _, abstain, normalise = options
    told = list_abstains(abstain) or None
    names = check_names(names, n)
    return Schema(Kind.CLASS_VOTES, coded.classes, n, names, told, bool(normalise))


def hard_rows(codes: Any, schema: Schema, columns: IntArray | None = None) -> Arguments:
    """Distinct rows of hard votes, which are coded as for `WeakSignals.from_codes`.

    `columns` (c,) are the questions that these answer; default: all, in order.
    """
    step = schema.n_features // schema.n_columns
    if issparse(codes) and codes.nnz >= MIN_DENSE_SHARE * np.prod(codes.shape):
        codes = (codes.toarray() - 1).astype(code_type(step))
    found, row_of = find_patterns(codes, step)
    first = step * (np.arange(schema.n_columns) if columns is None else columns)
    if issparse(found):
        indptr, at = found.indptr, first[found.indices] + found.data - 1
    else:
        voted = found >= 0
        indptr = np.concatenate([[0], np.cumsum(voted.sum(axis=1))])
        row, column = np.nonzero(voted)
        at = first[column] + found[row, column]
    shape = (found.shape[0], schema.n_features)
    F = csr_array((np.ones(len(at)), at.astype(np.int32), indptr), shape)
    return {"schema": schema, "F": F, "row_of": row_of}


def read_long(
    data: Any,
    columns: Sequence[str],
    classes: Sequence[Any] | None,
    abstain: Any,
    normalise: bool,
    repeats: str,
) -> Arguments:
    """Class votes of a table with a task, a worker and a label per row."""
    check_choice("repeats", repeats, REPEATS)
    *named, labels = _long_columns(data, columns)
    gaps = {name: _find_gaps(each) for name, each in zip(columns, named, strict=False)}
    gap = np.logical_or(*gaps.values())
    if gap.any():
        listed = " and ".join(
            f"{at.sum():,} without {name!r}" for name, at in gaps.items() if at.any()
        )
        if gap.all():
            raise SignalsError(f"no row has both a task and a worker: {listed}.")
        warn_user(f"rows were left out: {listed}.", SignalsWarning)
        labels = labels[~gap]
        named = [[_whole(column[i]) for i in np.flatnonzero(~gap)] for column in named]
    (tasks, rows), (workers, at) = map(_factorize, named)
    names, shape = [str(name) for name in workers], (len(tasks), len(workers))
    options = classes, abstains_of_table(abstain), normalise
    read = _read_answers(labels, (rows, at), shape, options, names, tasks, repeats)
    return read | {"index": tasks}


def _find_gaps(names: list[Any]) -> BoolArray:
    """Where the name of a task or a worker is missing."""
    missing = {name for name in set(names) if is_missing(name)}
    return np.fromiter((name in missing for name in names), bool, len(names))


def _whole(name: Any) -> Any:
    """A name; 7.0 is 7, as columns of whole numbers with gaps have it."""
    return int(name) if isinstance(name, float) and name.is_integer() else name


def _long_columns(data: Any, names: Sequence[str]) -> list[Any]:
    """Tasks and workers as lists, and labels as an array."""
    if not isinstance(data, dict):
        frame = as_frame(data)
        choose_columns(frame.columns, names)
        data = {name: frame.get_column(name).to_list() for name in names}
        data[names[2]] = matrix(frame, names[2:])[:, 0]
    choose_columns(list(data), names)
    columns = [as_array(data[name], f"cells of {name!r}", (1,)) for name in names]
    lengths = [len(column) for column in columns]
    if len(set(lengths)) != 1:
        raise SignalsError(f"the three columns have different lengths: {lengths}.")
    return [*(column.tolist() for column in columns[:2]), columns[2]]


def _factorize(names: list[Any]) -> tuple[NDArray[Any], IntArray]:
    """Distinct names in order of appearance, and the position of each entry."""
    positions: dict[Any, int] = defaultdict(count().__next__)  # the next one, if new
    codes = np.fromiter(map(positions.__getitem__, names), np.intp, len(names))
    mixed = len({isinstance(name, str) for name in positions}) > 1  # 1 is not "1"
    return np.array(list(positions), object if mixed else None), codes


def read_columns(
    cells: NDArray[Any],
    names: Sequence[Any],
    *,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
    normalise: bool = False,
    probabilities: bool = False,
    counts: ArrayLike | None = None,
) -> Arguments:
    """Columns of a table (n, c): votes, or probabilities."""
    if not probabilities:
        told = abstains_of_table(abstain)
        return read_votes(cells, classes, told, normalise, names, counts)
    signals, named, places = _group_columns(names, classes)
    if places is None:
        if cells.shape[1] > 1 and cells.dtype.kind != "O":
            spoken = cells[~np.isnan(cells).all(axis=1)]
            off = np.abs(spoken.sum(axis=1) - 1)
            if len(off) and (off <= max_off(cells.shape[1])).all():
                name_them = f"Name them as the classes {classes}, or leave one out."
                raise SignalsError(
                    f"the columns {', '.join(map(repr, names[:4]))} add up to one in every "
                    f"row, as classes of one signal do. {name_them if classes else ADVICE}"
                )
        return read_probabilities(cells, classes, abstain, signals, counts)
    try:
        read = read_probabilities(cells[:, places], named, abstain, signals, counts)
    except SignalsError as error:
        raise SignalsError(
            f"{error} The columns are named like {len(signals)} signals with the "
            f"classes {named}. {ADVICE}"
        ) from error
    ordered = tuple(str(names[place]) for place in places.ravel().tolist())
    return read | {"schema": replace(read["schema"], columns=ordered)}


def _group_columns(
    names: Sequence[Any], classes: Sequence[Any] | None
) -> tuple[list[str], list[Any] | None, IntArray | None]:
    """The signals, their classes, and the column (m, k) of every signal and class.

    Names decide, not numbers: ``llm_pos`` is a signal and a class if all names are made so.
    Else every column is a signal, with the probability of the second of two classes.
    """
    columns, labels = [str(name) for name in names], [str(c) for c in classes or ()]
    if set(columns) == set(labels):
        places = [[columns.index(label) for label in labels]]
        return ["model"], list(classes or ()), np.array(places)
    label = "|".join(map(re.escape, labels)) or ".+"
    for name in (".+", ".+?"):  # a name may be split at its last mark or at its first
        made = re.compile(f"({name}){MARKS}({label})")
        pairs = [found.groups() for c in columns if (found := made.fullmatch(c))]
        signals = list(dict.fromkeys(signal for signal, _ in pairs))
        seen = labels or list(dict.fromkeys(about for _, about in pairs))
        size = len(signals) * len(seen)
        if len(seen) > 1 and len(set(pairs)) == len(pairs) == len(columns) == size:
            places = [[pairs.index((s, about)) for about in seen] for s in signals]
            whole = all(re.fullmatch(r"-?\d+", about) for about in seen)
            values = [int(about) if whole else about for about in seen]
            return signals, list(classes or values), np.array(places)
    others = "|".join(map(re.escape, labels[:-1])) or "(?!)"
    if any(re.search(f"{MARKS}({others})$", column) for column in columns):
        raise SignalsError(
            f"the columns {', '.join(map(repr, columns[:8]))} do not have the same classes "
            f"for every signal. {ADVICE}"
        )
    return columns, None, None


# -- probabilities ------------------------------------------------------------------


def read_probabilities(
    probabilities: ArrayLike,
    classes: Sequence[Any] | None,
    abstain: Any,
    names: Sequence[str] | None = None,
    counts: ArrayLike | None = None,
) -> Arguments:
    """Class probabilities (n, m, k), or (n, m) for the second of two classes."""
    array = as_array(probabilities, "probabilities", (2, 3))
    if array.shape[2:] == (1,):
        raise SignalsError("probabilities of one class have the shape (n, m).")
    told = list_abstains(abstain)
    values = array if array.ndim == 3 else array[:, :, None]
    values = _check_probabilities(values, told)
    if array.ndim == 3:
        total = _check_sums(values)
        if np.nanmax(np.abs(total - 1), initial=0) > SINGLE_PRECISION:
            values = values / total[:, :, None]
    n, m, k = values.shape
    named = _class_values(classes, max(k, 2))
    schema = Schema(
        Kind.CLASS_PROBABILITIES, named, m, check_names(names, m), told or None
    )
    only_second = values[:, :, -1:] if len(named) == 2 else values
    return _soft_rows(only_second, schema, check_counts(counts, n))


def read_one_vs_rest(
    signals: ArrayLike,
    classes: Sequence[Any] | None,
    abstain: Any,
    names: Sequence[str] | None = None,
) -> Arguments:
    """One-vs-rest signals (m, n, k), hard or soft; -1 abstains in the authors' files."""
    array = as_array(signals, "one-vs-rest signals", (3,)).transpose(1, 0, 2)
    told = list_abstains(abstain)
    values = _check_probabilities(array, told or (ABSTAIN,))
    n, m, k = values.shape
    hard = bool(((values == 0) | (values == 1) | np.isnan(values)).all())
    kind = Kind.CLASS_VOTES if hard else Kind.CLASS_PROBABILITIES
    kind = kind if k == 1 else Kind.ONE_VS_REST
    named = _class_values(classes, max(k, 2))
    schema = Schema(kind, named, m, check_names(names, m), told or None)
    if not hard:
        return _soft_rows(values, schema, None)
    codes = np.nan_to_num(values, nan=ABSTAIN).reshape(n, m * k).astype(np.int8)
    used = np.flatnonzero((codes >= 0).any(axis=0))
    used = used if len(used) else np.arange(1)
    return hard_rows(codes[:, used], schema, used)


def _check_probabilities(array: NDArray[Any], silent: tuple[Any, ...]) -> FloatArray:
    """(n, m, k) checked numbers; NaN where they mean no opinion."""
    if array.dtype.kind not in "biuf":
        raise SignalsError(f"probabilities must be numbers, not {array.dtype}.")
    values = array.astype(float)
    for value in silent:
        if not isinstance(value, Real) and not is_missing(value):
            raise SignalsError(f"probabilities are no text, as `abstain={value!r}` is.")
        values[array == value] = np.nan
    low, high = np.nanmin(values, initial=0), np.nanmax(values, initial=1)
    if low < 0 or high > 1:
        worst = low if low < 0 else high
        raise SignalsError(
            f"probabilities must be between 0 and 1; {worst:g} came. If that means no "
            f"opinion, pass `abstain={worst:g}`."
        )
    return values


def max_off(n_classes: int) -> float:
    """How far sums of rounded probabilities may be from one."""
    return min(n_classes * MAX_ROUNDING, 0.2) + SINGLE_PRECISION


def _check_sums(values: FloatArray) -> FloatArray:
    """(n, m) what probabilities (n, m, k) add up to: one, but for rounding."""
    total: FloatArray = values.sum(axis=2)
    off = np.where(np.isnan(values).all(axis=2), 0, np.abs(total - 1))
    wrong = np.argwhere(~(off <= max_off(values.shape[2])))
    if len(wrong):
        example, signal = wrong[0]
        said = ", ".join(f"{p:.3g}" for p in values[example, signal])
        raise SignalsError(
            f"the class probabilities of a signal must add up to one; signal {signal} of "
            f"example {example} says {said}, which rounding does not explain. For scores "
            "of single classes use `from_one_vs_rest`."
        )
    return total


def _soft_rows(
    values: FloatArray, schema: Schema, counts: FloatArray | None
) -> Arguments:
    """Rows of probabilities (n, m, k), NaN for abstain; (n, m, 1): second of two."""
    if not schema.names_classes or values.shape[2] == 1:
        values = np.stack([1 - values, values], axis=-1)
    flat = values.reshape(len(values), schema.n_features)
    said = ~np.isnan(flat)
    indptr = np.concatenate([[0], np.cumsum(said.sum(axis=1))])
    F = csr_array(
        (flat[said], np.nonzero(said)[1].astype(np.int32), indptr), flat.shape
    )
    rows = {"schema": schema, "F": F, "row_of": np.arange(len(values))}
    return rows | {"row_counts": counts, "is_hard": False}


# -- new data, and what every reader checks -----------------------------------------


def read_alike(schema: Schema, data: Any) -> Arguments:
    """New data that are not signals yet, with the classes and abstains of a schema."""
    classes, names, abstain = schema.classes.tolist(), None, schema.abstain
    if is_frame(data):
        table = as_frame(data)
        if not len(table):
            raise SignalsError("the table has 0 rows; there is nothing to label.")
        names = schema.names
        chosen = choose_columns(table.columns, schema.columns or names)
        data, abstain = matrix(table, chosen), abstains_of_table(abstain)
        if schema.columns is not None:
            data = data.reshape(len(data), schema.n_signals, schema.n_classes)
    options: dict[str, Any] = {"classes": classes, "abstain": abstain, "names": names}
    one_column = getattr(data, "ndim", 0) == 3 and data.shape[2] == 1
    if schema.kind is Kind.ONE_VS_REST or one_column:
        return read_one_vs_rest(data, **options)
    if schema.kind is Kind.CLASS_PROBABILITIES:
        return read_probabilities(data, **options)
    return read_votes(data, normalise=schema.normalise, **options)


def check_counts(counts: ArrayLike | None, n: int) -> FloatArray | None:
    """How many examples each of `n` rows stands for."""
    if counts is None:
        return None
    given = np.asarray(counts)
    numbers = given.astype(float) if given.dtype.kind in "biuf" else np.zeros(0)
    if numbers.shape != (n,) or not (np.isfinite(numbers) & (numbers > 0)).all():
        raise SignalsError(
            f"`counts=` must have a number above zero for each of the {n} rows; "
            f"{counts!r:.80} was given. Leave out rows that stand for no example."
        )
    return numbers


def check_names(names: Sequence[str] | None, n_signals: int) -> tuple[str, ...] | None:
    """Names of the signals, each another; None if none were given."""
    if names is None:
        return None
    checked = tuple(str(name) for name in names)
    if len(checked) != n_signals:
        raise SignalsError(f"{len(checked)} names were given for {n_signals} signals.")
    twice = [name for name, times in Counter(checked).items() if times > 1]
    if twice:
        raise SignalsError(f"signal names must differ; twice: {', '.join(twice)}.")
    return checked


def _class_values(classes: Sequence[Any] | None, k: int) -> NDArray[Any]:
    named = class_list(classes)
    if named is None:
        return np.arange(k)
    if len(named) != k:
        raise SignalsError(f"signals speak of {k} classes, but `classes=` is {named}.")
    return np.array(named)
