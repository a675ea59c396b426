"""What there is to say of labels once they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.results import Part, Result, Table
from corral.votes import WeakSignals

if TYPE_CHECKING:
    from corral.labelers import Labeler


@dataclass(frozen=True, eq=False, repr=False)
class LabelFacts(Result):
    """Rows, labels and signals of votes that were labelled.

    Attributes
    ----------
    reading : str
        How the votes were read.
    rows, patterns : int
    sampled_rows : int or None
        Rows that the labeler was fitted on, if not on all; shares and counts are then
        estimates.
    covered, tied : float
        Share of the rows with a vote, and of these with tied labels.
    rounding : float or None
        How far rounding moved probabilities, on average.
    classes : (k,) array
    label_rows : list of k int
        Rows with every class as their label.
    signals : tuple of str
    coverage, conflicts : (m,) arrays of float
    expected_error : (m,) array of float, or None
    rate_sources : tuple of str, or None
        Whether that is learned or assumed, if it was estimated.
    implied_error : (m,) array of float
        How often signals are wrong if the labels are right.
    note : str
        How labels were found.
    accuracy_known : float or None
        On examples of an annotation tool whose true class is known.
    scored : int
        How many these are.
    annotations : dict or None
        What was read, where that is a file of an annotation tool.
    """

    reading: str
    rows: int
    patterns: int
    sampled_rows: int | None
    covered: float
    tied: float
    rounding: float | None
    classes: NDArray[Any]
    label_rows: list[int]
    signals: tuple[str, ...]
    coverage: FloatArray
    conflicts: FloatArray
    expected_error: FloatArray | None
    rate_sources: tuple[str, ...] | None
    implied_error: FloatArray
    note: str
    accuracy_known: float | None = None
    scored: int = 0
    annotations: dict[str, Any] | None = None

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
        if self.sampled_rows is not None:
            yield (
                f"fitted on a sample of {self.sampled_rows:,} rows, which these shares and "
                "counts are estimated from"
            )
        if self.rounding is not None:
            yield f"rounding moved probabilities by {self.rounding:.3g} on average"
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
    sampled_rows: int | None = None,
    **known: Any,
) -> LabelFacts:
    """What there is to say of the labels of a labeler fitted on `signals`.

    Parameters
    ----------
    labeler : Labeler
    signals : WeakSignals
    n_rows, n_patterns : int
        Of which the signals may be a sample.
    sampled_rows : int, optional
        Its size, if they are.
    **known
        Further attributes of `LabelFacts`.
    """
    from corral.constraints import signal_errors  # SciPy is slow to import

    counts = np.ones(len(signals)) if signals.counts is None else signals.counts
    rates = getattr(labeler, "rates_", None)
    hard = labeler.decide(labeler.labels_, labeler.covered_)
    rounding = signals.rounding_error
    implied = _per_signal(signal_errors(signals, labeler.labels_, signals.counts))
    assert implied is not None
    return LabelFacts(
        reading=signals.reading,
        rows=n_rows,
        patterns=n_patterns,
        sampled_rows=sampled_rows,
        covered=float(np.average(labeler.covered_, weights=counts)),
        tied=labeler.tie_share_,
        rounding=None if rounding is None else rounding.mean,
        classes=labeler.classes_,
        label_rows=_count_labels(hard, counts, labeler.classes_),
        signals=signals.names,
        coverage=signals.coverage,
        conflicts=signals.conflicts,
        expected_error=_per_signal(getattr(labeler, "error_rates_", None)),
        rate_sources=None if rates is None else rates.sources,
        implied_error=implied,
        note=labeler.note_,
        **known,
    )


def _count_labels(
    hard: NDArray[Any], counts: FloatArray, classes: NDArray[Any]
) -> list[int]:
    """Rows that have every class; in a multi-label task a row may have several."""
    if hard.ndim == 2:
        return [round(total) for total in counts @ (hard == 1)]
    return [round(counts[hard == value].sum()) for value in classes]


def _per_signal(rates: FloatArray | None) -> FloatArray | None:
    """Rates (m,), or the mean over the classes that a signal speaks of, of (m, k)."""
    if rates is None or rates.ndim == 1:
        return rates
    known = ~np.isnan(rates)
    number = known.sum(axis=1)
    sums = np.where(known, rates, 0).sum(axis=1)
    return np.divide(sums, number, out=np.full(len(rates), np.nan), where=number > 0)
