"""`snorkel.labeling`: functions, applied to rows; what they do, and how well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import update_wrapper
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.compat.snorkel.utils import ABSTAIN, to_int_label_array
from corral.errors import FunctionWarning, ParameterError, warn_user
from corral.functions.base import RowFunction
from corral.progress import progress, silence


class LabelingFunction(RowFunction):
    """A function from a row to a class, or to -1: it abstains.

    `corral.apply` takes it as it is, next to keywords, models and plain functions.
    """

    def __init__(
        self,
        name: str,
        f: Callable[..., Any],
        resources: Mapping[str, Any] | None = None,
        pre: Sequence[Callable[[Any], Any]] | None = None,
    ) -> None:
        self._f, self._resources = f, dict(resources or {})
        self._pre = list(pre or ())
        super().__init__(self._vote, name=name)
        update_wrapper(self, f, updated=())

    def _vote(self, x: Any) -> int:
        for change in self._pre:
            x = change(x)
            if x is None:
                raise ParameterError(
                    f"a preprocessor returns the row; {change!r:.80} returned None."
                )
        return read_vote(self._f(x, **self._resources))


def read_vote(said: Any) -> int:
    """A vote as an integer; None and NaN are abstains, as everywhere in corral."""
    if type(said) is int:
        return said
    if said is None or said != said:
        return ABSTAIN
    try:
        if int(said) == said:
            return int(said)
    except (TypeError, ValueError):
        pass
    raise ParameterError(
        "a labeling function returns a class, 0 or more, or -1 for an abstain; "
        f"{said!r:.80} came. corral.signal takes probabilities and texts."
    )


def labeling_function(
    name: str | None = None,
    resources: Mapping[str, Any] | None = None,
    pre: Sequence[Callable[[Any], Any]] | None = None,
) -> Callable[[Callable[..., Any]], LabelingFunction]:
    """Make a `LabelingFunction` of a function; its name is the default of `name`."""
    if callable(name):
        raise ParameterError("missing parentheses: write @labeling_function().")
    return lambda f: LabelingFunction(name or f.__name__, f, resources, pre)


class LFApplier:
    """Applies labeling functions, or anything with a name that can be called, to rows.

    A function that fails with `fault_tolerant` abstains, and a `FunctionWarning` says on
    how many rows. Else its error gets a note with the row.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling import LFApplier, labeling_function
    >>> @labeling_function()
    ... def large(x):
    ...     return 1 if x > 42 else -1
    >>> LFApplier([large]).apply([10, 99])
    array([[-1],
           [ 1]])
    """

    def __init__(self, lfs: Sequence[Any]) -> None:
        self._lfs = list(lfs)
        if not lfs or not all(callable(lf) and hasattr(lf, "name") for lf in lfs):
            raise ParameterError(
                f"must be functions made by @labeling_function(); {lfs!r:.80} came. "
                "corral.apply takes all kinds of functions.",
                parameter="lfs",
            )
        names = [lf.name for lf in lfs]
        if len(set(names)) < len(lfs):
            raise ParameterError(f"have names in common: {names}", parameter="lfs")

    def apply(
        self,
        data_points: Iterable[Any],
        progress_bar: bool = True,
        fault_tolerant: bool = False,
    ) -> IntArray:
        """Ask every function about every row: (n, m) votes, -1 for an abstain."""
        votes: list[list[int]] = []
        faults: Counter[str] = Counter()
        with (
            nullcontext() if progress_bar else silence(),
            progress("applying labeling functions", None, "rows") as bar,
        ):
            for at, x in enumerate(data_points):
                votes.append([])
                for lf in self._lfs:
                    try:
                        votes[at].append(max(read_vote(lf(x)), ABSTAIN))
                    except Exception as error:
                        if not fault_tolerant:
                            error.add_note(
                                f"Labeling function {lf.name!r}, row {at}. Correct it, or "
                                "pass fault_tolerant=True: it abstains there."
                            )
                            raise
                        faults[lf.name] += 1
                        votes[at].append(ABSTAIN)
                bar.advance()
        if faults:
            failed = ", ".join(f"{name}: {n} rows" for name, n in faults.items())
            message = (
                f"functions failed on some rows, which count as abstains: {failed}."
            )
            warn_user(FunctionWarning(message, dict(faults)))
        return np.array(votes, int).reshape(-1, len(self._lfs))


class PandasLFApplier(LFApplier):
    """Applies labeling functions to the rows of a pandas data frame, each a Series.

    `corral.apply` needs no Series, and is faster.
    """

    def apply(self, df: Any, *args: Any, **options: Any) -> Any:  # type: ignore[override]
        """As `LFApplier.apply`."""
        return super().apply((df.iloc[at] for at in range(len(df))), *args, **options)


def check_votes(L: ArrayLike, cardinality: int | None = None) -> IntArray:
    """A label matrix (n, m) of -1, 0, 1, ... below `cardinality`; refuse all else."""
    votes = to_int_label_array(L, flatten_vector=False)
    most = votes.max(initial=ABSTAIN)
    if votes.ndim != 2 or not votes.shape[1] or votes.min(initial=ABSTAIN) < ABSTAIN:
        raise ParameterError(
            "must have one row per example and one column per function, classes from 0 "
            f"on or -1 for an abstain; an array of shape {votes.shape} came.",
            parameter="L",
        )
    if cardinality is not None and most >= cardinality:
        raise ParameterError(
            f"L has cardinality {most + 1}, cardinality={cardinality} was given; give "
            "the number of all classes."
        )
    return votes


class LFAnalysis:
    """What labeling functions do: coverage, overlaps, conflicts, accuracy.

    Shares are of all examples, (m,) by function; `corral.analyse` says more.
    """

    def __init__(self, L: ArrayLike, lfs: Sequence[Any] | None = None) -> None:
        self.L = check_votes(L)
        if lfs is not None and len(lfs) != self.L.shape[1]:
            raise ParameterError(
                f"Number of LFs ({len(lfs)}) and of columns of L ({self.L.shape[1]}) are "
                "different; give the functions that made these votes, in that order."
            )
        self._names = None if lfs is None else [lf.name for lf in lfs]
        self._voted = self.L != ABSTAIN
        self._overlap = self._voted.sum(axis=1) > 1
        other = self._voted & (self.L.max(axis=1, keepdims=True) != self.L)
        self._conflict = other.any(axis=1)

    def label_coverage(self) -> float:
        return float(self._voted.any(axis=1).mean())

    def label_overlap(self) -> float:
        return float(self._overlap.mean())

    def label_conflict(self) -> float:
        return float(self._conflict.mean())

    def lf_polarities(self) -> list[list[int]]:
        return [np.unique(votes[votes != ABSTAIN]).tolist() for votes in self.L.T]

    def lf_coverages(self) -> FloatArray:
        return np.asarray(self._voted.mean(axis=0))

    def lf_overlaps(self, normalize_by_coverage: bool = False) -> FloatArray:
        shares = np.asarray((self._voted & self._overlap[:, None]).mean(axis=0))
        return _divide(shares, self.lf_coverages()) if normalize_by_coverage else shares

    def lf_conflicts(self, normalize_by_overlaps: bool = False) -> FloatArray:
        shares = np.asarray((self._voted & self._conflict[:, None]).mean(axis=0))
        return _divide(shares, self.lf_overlaps()) if normalize_by_overlaps else shares

    def lf_empirical_accuracies(self, Y: ArrayLike) -> FloatArray:
        return _divide(self._right(Y).sum(axis=0), self._voted.sum(axis=0))

    def _right(self, Y: ArrayLike) -> NDArray[np.bool_]:
        gold = to_int_label_array(Y)
        if len(gold) != len(self.L):
            raise ParameterError(
                f"must have a class for each of {len(self.L)} examples; {len(gold)} came.",
                parameter="Y",
            )
        return (gold[:, None] == self.L) & self._voted

    def lf_summary(
        self, Y: ArrayLike | None = None, est_weights: ArrayLike | None = None
    ) -> Any:
        """All of that in a pandas data frame, one line per function."""
        import pandas as pd

        columns: dict[str, Any] = {}
        if self._names is not None:
            columns["j"] = range(len(self._names))
        columns["Polarity"] = self.lf_polarities()
        columns["Coverage"] = self.lf_coverages()
        columns["Overlaps"] = self.lf_overlaps()
        columns["Conflicts"] = self.lf_conflicts()
        if Y is not None:
            right, known = self._right(Y), to_int_label_array(Y) != ABSTAIN
            columns["Correct"] = right.sum(axis=0)
            columns["Incorrect"] = (self._voted & known[:, None] & ~right).sum(axis=0)
            columns["Emp. Acc."] = self.lf_empirical_accuracies(Y)
        if est_weights is not None:
            columns["Learned Weight"] = np.asarray(est_weights)
        return pd.DataFrame(columns, index=self._names)


def _divide(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """One array by another; zero where the other is zero."""
    parts, wholes = np.asarray(part, float), np.asarray(whole, float)
    return np.divide(parts, wholes, out=np.zeros_like(parts), where=wholes > 0)


def filter_unlabeled_dataframe(
    X: Any, y: NDArray[Any], L: NDArray[Any]
) -> tuple[Any, NDArray[Any]]:
    """Leave examples without a vote in L (n, m) out of a frame and of labels (n, k)."""
    voted = (np.asarray(L) != ABSTAIN).any(axis=1)
    return X.iloc[voted], y[voted]
