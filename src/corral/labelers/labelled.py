"""Labels of a run: the columns that a table gets, and facts about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import BoolArray, FloatArray
from corral.constraints import signal_errors
from corral.decisions import is_answered
from corral.labelers.base import Labeler
from corral.results import Part, Result, Table
from corral.votes import WeakSignals


@dataclass(frozen=True, eq=False, repr=False)
class LabelFacts(Result):
    """Rows, labels and signals of votes that were labelled."""

    reading: str
    rows: int
    patterns: int
    covered: float
    tied: float  # of these
    classes: NDArray[Any]
    label_rows: list[int]  # rows with every class as their label
    signals: tuple[str, ...]
    coverage: FloatArray
    conflicts: FloatArray
    expected_error: FloatArray | None
    rate_sources: tuple[str, ...] | None  # learned or assumed, if it was estimated
    implied_error: FloatArray  # if the labels are right
    note: str
    accuracy_known: float | None = None  # on the `scored` examples with a known class
    scored: int = 0
    annotations: dict[str, Any] | None = None  # what was read of a tool's file

    @property
    def title(self) -> str:
        return "Labels"

    def parts(self) -> Iterator[Part]:
        columns: dict[str, Any] = {
            "signal": self.signals,
            "coverage": self.coverage,
            "conflicts": self.conflicts,
            "estimated error": self.expected_error,
            "source": self.rate_sources,
            "error vs labels": self.implied_error,
        }
        columns = {name: each for name, each in columns.items() if each is not None}
        yield Table(columns, formats={"coverage": ".1%", "conflicts": ".1%"})
        counts = zip(self.label_rows, self.classes.tolist(), strict=True)
        yield (
            f"{self.rows:,} rows, {self.patterns:,} distinct vote patterns, "
            f"{self.covered:.1%} covered, {self.tied:.1%} of those tied\n"
            f"labels: {', '.join(f'{n:,} {value}' for n, value in counts)}\n{self.note}"
        )
        if self.accuracy_known is not None:
            yield (
                f"{self.accuracy_known:.1%} right on the {self.scored:,} examples with a "
                "vote whose true class is known"
            )


def describe_labels(
    labeler: Labeler,
    signals: WeakSignals,
    n_rows: int,
    n_patterns: int,
    **known: Any,
) -> LabelFacts:
    """Facts about the labels of a labeler that was fitted on `signals`.

    `known` are further attributes of `LabelFacts`.
    """
    counts = signals.row_counts
    counts = np.ones(len(signals)) if counts is None else counts
    rates = getattr(labeler, "rates_", None)
    expected = getattr(labeler, "error_rates_", None)
    hard = labeler.decide(labeler.labels_, labeler.covered_)
    if hard.ndim == 2:  # in a multi-label task a row may have several classes
        label_rows = [round(total) for total in counts @ (hard == 1)]
    else:
        label_rows = [round(counts[hard == c].sum()) for c in labeler.classes_]
    return LabelFacts(
        reading=signals.reading,
        rows=n_rows,
        patterns=n_patterns,
        covered=float(np.average(labeler.covered_, weights=counts)),
        tied=labeler.tie_share_,
        classes=labeler.classes_,
        label_rows=label_rows,
        signals=signals.names,
        coverage=signals.coverage,
        conflicts=signals.conflicts,
        expected_error=None if expected is None else mean_rates(expected),
        rate_sources=None if rates is None else rates.sources,
        implied_error=mean_rates(signal_errors(signals, labeler.labels_)),
        note=labeler.note_,
        **known,
    )


def mean_rates(rates: FloatArray) -> FloatArray:
    """Rates (m,), or the mean over the classes that a signal speaks of, of (m, k)."""
    if rates.ndim == 1:
        return rates
    known = ~np.isnan(rates)
    number, sums = known.sum(axis=1), np.where(known, rates, 0).sum(axis=1)
    return np.divide(sums, number, out=np.full(len(rates), np.nan), where=number > 0)


def label_columns(
    labeler: Labeler,
    prefix: str = "",
    *,
    empty: bool = False,
    separator: str | None = None,
) -> dict[str, NDArray[Any]]:
    """The columns to add to a table: probabilities, label, confidence, covered.

    `empty` leaves the label empty where there is no answer, as files have it. `separator`
    stands between the classes of an example in a multi-label task.
    """
    labels, covered = labeler.labels_, labeler.covered_
    classes = labeler.classes_
    if separator is not None:
        columns = _set_columns(labeler, labels, covered, separator)
        return {f"{prefix}{name}": column for name, column in columns.items()}
    columns = {f"{prefix}p_{name}": labels[:, k] for k, name in enumerate(classes)}
    hard = labeler.decide(labels, covered)
    if empty and hard.dtype.kind in "iuf":
        hard = np.ma.masked_array(hard, ~is_answered(hard))
    columns[f"{prefix}label"] = hard
    columns[f"{prefix}confidence"] = labels.max(axis=1)
    columns[f"{prefix}covered"] = covered
    if hasattr(labeler, "grade_columns"):
        graded = labeler.grade_columns(labels)
        columns |= {f"{prefix}{name}": column for name, column in graded.items()}
    return columns


def _set_columns(
    labeler: Labeler, labels: FloatArray, covered: BoolArray, separator: str
) -> dict[str, NDArray[Any]]:
    """The columns of a multi-label task, without prefix."""
    names = labeler.classes_.astype(str)
    hard = labeler.decide(labels, covered)
    sets = np.full(len(hard), None, object)
    for row in np.flatnonzero((hard >= 0).all(axis=1)).tolist():
        # The empty set is a separator: an empty cell is no answer.
        sets[row] = separator.join(names[hard[row] == 1]) or separator
    return {
        **{f"p_{name}": labels[:, k] for k, name in enumerate(names)},
        "label": sets,
        "confidence": np.maximum(labels, 1 - labels).prod(axis=1),
        "covered": covered,
    }
