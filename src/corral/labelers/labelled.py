"""Labels of a run: how often they are right, and the columns that a table gets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.constraints import row_means
from corral.decisions import is_answered, is_winner, winner_shares
from corral.labelers.base import Labeler
from corral.labelers.simple import MajorityVote
from corral.model import safe_log, softmax
from corral.rates import Accuracy
from corral.results import Part, Result, Table
from corral.results.text import say_count
from corral.votes import WeakSignals
from corral.votes.coding import code_labels

SCREEN_SIGNALS = 15
"""Signals that a terminal shows, the worst first."""
BISECTIONS = 16
MAX_RANGE_CELLS = 5_000_000
"""Distinct rows times classes up to which a range of the accuracy is looked for."""


@dataclass(frozen=True)
class LabelAccuracy:
    """How often labels are right: measured on true labels, or what the votes allow.

    `labels` and `vote` (a majority vote) are of the same `n_gold` labelled examples that
    have a vote; labels that learned from them are of examples left out in turn. Without
    true labels `low` and
    `high` are a range: how often labels are right if all signals err one standard error
    more, or less, than estimated.
    """

    n_gold: float = 0.0
    labels: Accuracy | None = None
    vote: Accuracy | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.labels is not None and self.vote is not None:
            ends = f"{self.labels.low:.0%} to {self.labels.high:.0%}"
            return (
                f"Labels are right on about {self.labels.value:.0%} of rows ({ends}, from "
                f"{say_count(self.n_gold, 'labelled row')}); a majority vote on "
                f"{self.vote} of the same rows."
            )
        if self.low is None or self.high is None:
            return "Votes alone cannot say how often the labels are right."
        return (
            f"Labels may be right on {self.low:.0%} to {min(self.high, 0.99):.0%} of rows: "
            "votes alone cannot say more, some labels by hand can."
        )


def find_accuracy(
    labeler: Labeler, signals: WeakSignals, gold: Any = None
) -> LabelAccuracy:
    """How often the labels of a fitted labeler are right, by true labels (n,) if given."""
    if labeler.multilabel:
        return LabelAccuracy()
    codes = np.full(len(signals), -1)
    if gold is not None:
        codes = code_labels(gold, signals.classes, len(signals))
    known = np.flatnonzero((codes >= 0) & signals.covered & (signals.row_weights > 0))
    if not len(known):
        return LabelAccuracy(0.0, None, None, *expected_range(labeler, signals))
    counts, votes = signals.row_weights[known], signals.take(known)
    found = getattr(labeler, "rates_", None)
    learned = getattr(found, "accuracy", getattr(labeler, "accuracy_", None))
    vote = MajorityVote().fit(signals)
    at = np.arange(len(known)), codes[known]
    own, by_vote = (
        Accuracy.of(winner_shares(one.predict_proba(votes))[at], counts)
        for one in (labeler, vote)
    )
    return LabelAccuracy(float(counts.sum()), learned or own, by_vote)


def expected_range(
    labeler: Labeler, signals: WeakSignals
) -> tuple[float | None, float | None]:
    """How often labels are right if signals err one standard error more, or less.

    All signals at once, since what makes one worse than estimated is often what they have
    in common. The labels are sharpened or flattened until the votes err that often.
    """
    rates = getattr(labeler, "rates_", None)
    if rates is None or signals.n_rows * signals.n_classes > MAX_RANGE_CELLS:
        return None, None
    cast = signals.schema.by_signal(signals.schema.by_column(signals.cast))
    errors, spread = map(np.nan_to_num, (rates.error_rates, rates.standard_errors))
    rows = signals.distinct()
    labels, covered = labeler.predict_proba(rows), labeler.covers(rows)
    logs, weights = safe_log(labels), rows.row_weights * covered
    best = is_winner(labels) / is_winner(labels).sum(axis=1, keepdims=True)

    def accuracy(wanted: float) -> float:
        low, high = -4.0, 4.0
        for _ in range(BISECTIONS):
            power = (low + high) / 2
            bent = softmax(np.exp(power) * logs)
            implied = np.nan_to_num(rows.error_rates(row_means(rows, bent)))
            too_bad = (cast * implied).sum() > wanted
            low, high = (power, high) if too_bad else (low, power)
        return float(weights @ (bent * best).sum(axis=1) / weights.sum())

    worse, better = np.minimum(errors + spread, 1), np.maximum(errors - spread, 0)
    return accuracy((cast * worse).sum()), accuracy((cast * better).sum())


@dataclass(frozen=True, eq=False, repr=False)
class LabelFacts(Result):
    """Rows, labels and signals of votes that were labelled."""

    accuracy: LabelAccuracy
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
    text: str | None = None  # a column of texts
    annotations: dict[str, Any] | None = None  # what was read of a tool's file

    title = "Labels"

    def parts(self) -> Iterator[Part]:
        yield str(self.accuracy)
        expected = self.expected_error
        columns: dict[str, Any] = {
            "signal": np.array(self.signals, object),
            "coverage": self.coverage,
            "conflicts": self.conflicts,
            "error": self.implied_error if expected is None else expected,
            "source": self.rate_sources and np.array(self.rate_sources, object),
        }
        order = np.argsort(-np.nan_to_num(columns["error"]), kind="stable")
        yield Table(
            {name: None if c is None else c[order] for name, c in columns.items()},
            formats=dict.fromkeys(("coverage", "conflicts", "error"), ".1%"),
            most=SCREEN_SIGNALS,
        )
        counts = zip(self.label_rows, self.classes.tolist(), strict=True)
        tied = f", {self.tied:.1%} of these are tied" if self.tied else ""
        yield (
            f"{say_count(self.rows, 'row')}, {self.covered:.1%} with a vote{tied}; labels: "
            f"{', '.join(f'{n:,} {value}' for n, value in counts)}"
        )
        if self.rate_sources is None or "given" in self.rate_sources:
            yield self.note


def describe_labels(
    labeler: Labeler,
    signals: WeakSignals,
    n_rows: int,
    n_patterns: int,
    gold: Any = None,
    **others: Any,
) -> LabelFacts:
    """Facts about the labels of a labeler that was fitted on `signals`.

    `others` are further attributes of `LabelFacts`.
    """
    counts = signals.row_weights
    rates = getattr(labeler, "rates_", None)
    expected = getattr(labeler, "error_rates_", None)
    hard = labeler.decide(labeler.labels_, labeler.covered_)
    if hard.ndim == 2:  # in a multi-label task a row may have several classes
        label_rows = [round(total) for total in counts @ (hard == 1)]
    else:
        label_rows = [round(counts[hard == c].sum()) for c in labeler.classes_]
    return LabelFacts(
        accuracy=find_accuracy(labeler, signals, gold),
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
        expected_error=None if expected is None else mean_rates(signals, expected),
        rate_sources=None if rates is None else rates.sources,
        implied_error=find_errors(signals, labeler.labels_),
        note=labeler.note_,
        **others,
    )


def find_errors(signals: WeakSignals, labels: FloatArray) -> FloatArray:
    """(m,) how often every signal is wrong if labels (n, k) are right; NaN: no votes."""
    return mean_rates(signals, signals.error_rates(row_means(signals, labels)))


def mean_rates(signals: WeakSignals, rates: FloatArray) -> FloatArray:
    """(m,) one rate per signal from rates (m,), or (m, k) per signal and class.

    A one-vs-rest signal has the mean over its classes, by how often it votes on each.
    """
    if rates.ndim == 1:
        return rates
    cast = signals.schema.by_column(signals.cast).reshape(rates.shape)
    with np.errstate(invalid="ignore"):
        return np.nansum(cast * rates, axis=1) / cast.sum(axis=1)


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
    names = labeler.classes_.astype(str)
    hard = labeler.decide(labels, covered)
    confidence = labels.max(axis=1)
    if separator is not None:
        confidence = np.maximum(labels, 1 - labels).prod(axis=1)
        sets, hard = hard, np.full(len(hard), None, object)
        for row in np.flatnonzero((sets >= 0).all(axis=1)).tolist():
            # The empty set is a separator: an empty cell is no answer.
            hard[row] = separator.join(names[sets[row] == 1]) or separator
    elif empty and hard.dtype.kind in "iuf":
        hard = np.ma.masked_array(hard, ~is_answered(hard))
    columns: dict[str, Any] = {
        f"p_{name}": labels[:, k] for k, name in enumerate(names)
    }
    columns |= {"label": hard, "confidence": confidence, "covered": covered}
    if hasattr(labeler, "grade_columns"):
        columns |= labeler.grade_columns(labels)
    return {f"{prefix}{name}": column for name, column in columns.items()}
