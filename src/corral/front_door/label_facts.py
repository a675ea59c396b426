"""What there is to say of labels once they are made, in plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corral._plain import as_rows
from corral._types import FloatArray
from corral.signals import WeakSignals

if TYPE_CHECKING:
    from corral.labelers import Labeler


def describe_labels(
    labeler: Labeler, signals: WeakSignals, n_rows: int, n_patterns: int
) -> dict[str, Any]:
    """What there is to say of labels, in plain values: one line per signal.

    Parameters
    ----------
    labeler : Labeler
        Fitted on `signals`.
    signals : WeakSignals
    n_rows, n_patterns : int
        Of which the signals may be a sample.
    """
    from corral.constraints import signal_errors  # SciPy is slow to import

    counts = np.ones(len(signals)) if signals.counts is None else signals.counts
    rates = getattr(labeler, "rates_", None)
    hard = labeler.decide(labeler.labels_, labeler.covered_)
    rounding = signals.rounding_error
    return {
        "reading": signals.reading,
        "rows": n_rows,
        "patterns": n_patterns,
        "sampled_rows": None,
        "covered": float(np.average(labeler.covered_, weights=counts)),
        "tied": labeler.tie_share_,
        "rounding": None if rounding is None else rounding.mean,
        "labels": as_rows(
            label=labeler.classes_,
            rows=_count_labels(hard, counts, labeler.classes_),
        ),
        "signals": as_rows(
            signal=signals.names,
            coverage=signals.coverage,
            conflicts=signals.conflicts,
            expected_error=_per_signal(getattr(labeler, "error_rates_", None)),
            rate_source=None if rates is None else rates.sources,
            implied_error=_per_signal(
                signal_errors(signals, labeler.labels_, signals.counts)
            ),
        ),
        "note": labeler.note_,
    }


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
