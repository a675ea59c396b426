"""What every signal does, how well, and where it is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.constraints import row_means
from corral.decisions import is_winner
from corral.errors import ParameterError
from corral.labelers.base import Labeler, as_signals
from corral.labelers.labelled import find_errors, mean_rates
from corral.rates import wilson_intervals
from corral.results import Part, Result, Table, dots, shorten
from corral.results.text import MAX_LINES, say_count
from corral.study.repeated_signals import compare_pairs, share_votes
from corral.votes import WeakSignals
from corral.votes.coding import code_labels

LEVEL = 0.9
"""Probability of the intervals."""
MIN_VOTES = 10
"""Votes from which on a signal is judged by them."""
MAX_CLASSES_LENGTH = 40
"""Characters of a list of classes."""
MEANINGS = {
    "coverage": "Share of the examples on which the signal votes.",
    "overlaps": "Share of the examples on which another signal votes, too.",
    "conflicts": "Share of the examples on which another signal contradicts it.",
    "share": "1 for a unique signal, 1/10 for each of ten copies.",
    "expected error": "How often the labeler believes the signal to be wrong.",
    "source": "Whether the expected error is learned, assumed or given.",
    "implied error": "How often the signal is wrong if the labels are right.",
    "true error": "How often the signal is wrong, by true labels.",
}


@dataclass(frozen=True, repr=False)
class Bucket:
    """Examples on which a signal says one thing and the label another."""

    signal: str
    vote: Any  # what the signal says: a class, or "not ..."
    label: Any  # the true class, or that of the labeler if it is not known
    rows: IntArray = field(repr=False)  # (j,) positions of the examples; not in JSON
    n_examples: float  # how many examples the rows stand for

    def __repr__(self) -> str:
        return (
            f"{self.signal} said {self.vote}, the label is {self.label}: "
            f"{self.n_examples:g} examples"
        )


@dataclass(frozen=True)
class GoldScores:
    """Signals next to true labels; NaN where there is nothing to divide by."""

    n_examples: float  # with a true label
    correct: FloatArray  # (m,) votes that are right; probabilities are rounded
    incorrect: FloatArray
    error_rates: FloatArray  # (m,) where a probability is as wrong as it is far off
    error_intervals: FloatArray  # (m, 2) of these (Wilson's), with probability 0.9
    precision: FloatArray  # (m, k) of the votes for a class, the share that is right
    recall: FloatArray  # (m, k) of the examples of a class, the share that is voted so

    @property
    def known_errors(self) -> FloatArray:
        """(m,) the error rates, NaN where a signal has fewer than ten of these votes."""
        enough = self.correct + self.incorrect >= MIN_VOTES
        return np.where(enough, self.error_rates, np.nan)


@dataclass(frozen=True, repr=False)
class Analysis(Result):
    """What `analyse` found; print it.

    What the labeler says, and what true labels say, is None where these were not given.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_examples: float
    n_covered: float  # that any signal votes on
    polarity: tuple[tuple[Any, ...], ...]  # the classes that every signal votes for
    coverage: FloatArray  # (m,) share of the examples on which the signal votes
    overlaps: FloatArray  # (m,) on which another does, too
    conflicts: FloatArray  # (m,) on which another contradicts it
    share: FloatArray  # (m,) one if it repeats no other signal, 1/10 for each of ten copies
    learned: FloatArray | None  # (m,) how often the labeler believes it to be right
    error_intervals: FloatArray | None  # (m, 2) of the error that it believes in
    rate_sources: tuple[str, ...] | None  # whether that is "learned", "assumed" or both
    implied_error_rates: FloatArray | None  # (m,) if these labels are right
    gold: GoldScores | None
    buckets: tuple[Bucket, ...]  # where signals and labels disagree, the largest first

    title = "What every signal does"

    def parts(self) -> Iterator[Part]:
        known = "" if self.gold is None else f", {self.gold.n_examples:,.0f} with truth"
        yield (
            f"{self.n_examples:,.0f} examples, {self.n_covered / self.n_examples:.1%} "
            f"covered{known}; {say_count(len(self.names), 'signal')}, worth "
            f"{self.share.sum():.1f} independent ones"
        )
        gold = self.gold
        if self.implied_error_rates is not None or gold is not None:
            yield dots(
                "How often signals err",
                f"Error rates of {say_count(len(self.names), 'signal')}.",
                self.names,
                {
                    "expected": None if self.learned is None else 1 - self.learned,
                    "implied": self.implied_error_rates,
                    "true": gold.error_rates if gold else None,
                },
                intervals={
                    "expected": self.error_intervals,
                    "true": gold.error_intervals if gold else None,
                },
                label="votes that are wrong",
            )
        yield self.worst_first()
        if gold is not None:
            m, k = gold.precision.shape
            yield Table(
                {
                    "signal": np.repeat(np.array(self.names, object), k),
                    "class": list(map(str, self.classes.tolist())) * m,
                    "precision": gold.precision.ravel(),
                    "recall": gold.recall.ravel(),
                },
                "Precision and recall by class",
                {"precision": ".2f", "recall": ".2f"},
                most=5,
            )
        if self.buckets:
            yield Table(
                {
                    "signal": [each.signal for each in self.buckets],
                    "said": [str(each.vote) for each in self.buckets],
                    "label": [str(each.label) for each in self.buckets],
                    "examples": [round(each.n_examples) for each in self.buckets],
                },
                "Where signals and labels disagree",
                most=5,
            )

    def worst_first(self, most: int | None = None) -> Table:
        """The signals, those that err most first; `most` lines, and fewer columns."""
        gold, expected = self.gold, None if self.learned is None else 1 - self.learned
        true = gold.error_rates if gold else None
        says = ["/".join(map(str, votes)) for votes in self.polarity]
        columns: dict[str, Any] = {
            "signal": self.names,
            "votes": [shorten(each, MAX_CLASSES_LENGTH) for each in says],
            "coverage": self.coverage,
            "overlaps": self.overlaps,
            "conflicts": self.conflicts,
            "share": self.share,
            "expected error": expected,
            "expected, 90%": self.error_intervals,
            "source": self.rate_sources,
            "implied error": self.implied_error_rates,
            "true error": true,
            "true, 90%": gold.error_intervals if gold else None,
        }
        if most is not None:
            few = ("overlaps", "share", "implied error", "votes")
            columns = {name: c for name, c in columns.items() if name not in few}
        known = (true, expected, self.implied_error_rates, self.conflicts)
        worst = next(each for each in known if each is not None)
        order = np.argsort(-np.nan_to_num(worst), kind="stable")
        columns = {
            name: None if c is None else [c[at] for at in order]
            for name, c in columns.items()
        }
        formats = dict.fromkeys(columns, ".1%") | {"share": ".2f"}
        formats |= {"expected, 90%": ".0%", "true, 90%": ".0%"}
        return Table(
            columns, formats=formats, meanings=MEANINGS, most=most or MAX_LINES
        )


def analyse(
    signals: Any, labeler: Labeler | None = None, y: ArrayLike | None = None
) -> Analysis:
    """Say what every signal does, how well, and where it is wrong.

    Parameters
    ----------
    signals : as for `fit`
        Counted votes, too. A probability counts as a vote for the likeliest class, the
        first of them if several are.
    labeler : fitted labeler, optional
        Adds what it believes of the signals, and how often they err under its labels.
    y : (n,) class values, optional
        True labels; -1, None or NaN where they are not known. Adds errors, precision and
        recall.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> import corral
    >>> votes = [["spam", "spam"], ["spam", None], [None, "ham"], ["spam", "ham"]]
    >>> signals = corral.WeakSignals.from_votes(votes, names=["free", "length"])
    >>> found = corral.analyse(signals, y=["spam", "spam", "ham", "ham"])
    >>> print(found.tables[0])
    signal  votes     coverage  overlaps  conflicts  share  true error  true, 90%
    free    spam         75.0%     50.0%      25.0%   1.00       33.3%  8% to 75%
    length  ham/spam     75.0%     50.0%      25.0%   1.00        0.0%  0% to 47%
    >>> found.buckets
    (free said spam, the label is ham: 1 examples,)
    """
    read = as_signals(signals)
    hard = read.harden()
    require_votes(hard.covered.any(), "analyse")
    fits = isinstance(labeler, Labeler) and not labeler.multilabel
    if labeler is not None and not fits:
        raise ParameterError(
            "labeler must be a fitted labeler of corral that gives an example one class, "
            f"so not multi-label; {labeler!r} came."
        )
    counts = read.row_weights
    truth = None if y is None else code_labels(y, read.classes, len(read))
    learned = intervals = sources = implied = labels = None
    if labeler is not None:
        soft = labeler.predict_proba(read)
        places = {name: at for at, name in enumerate(labeler.signal_names_)}
        # Signals without names go by position, as they do for the labeler.
        order = [places.get(name, at) for at, name in enumerate(read.names)]
        if (expected := getattr(labeler, "error_rates_", None)) is not None:
            learned = 1 - mean_rates(read, np.asarray(expected)[order])
        if (rates := getattr(labeler, "rates_", None)) is not None:
            sources = tuple(rates.sources[at] for at in order)
            ends = np.moveaxis(rates.intervals(LEVEL)[order], -1, 0)
            intervals = np.stack([mean_rates(read, end) for end in ends], axis=-1)
        implied = find_errors(read, soft)
        # A vote cannot disagree with a tie.
        clear = labeler.covers(read) & (is_winner(soft).sum(axis=1) == 1)
        labels = np.where(clear, soft.argmax(axis=1), -1)
    if truth is not None:
        labels = truth
    said = _name_votes(hard)
    polarity: list[list[Any]] = [[] for _ in read.names]
    for at in np.flatnonzero(hard.cast):
        polarity[hard.schema.signal[at]].append(said[at])
    return Analysis(
        names=read.names,
        classes=read.classes,
        n_examples=float(counts.sum()),
        n_covered=float(counts[read.covered].sum()),
        polarity=tuple(map(tuple, polarity)),
        coverage=hard.coverage,
        overlaps=hard.overlaps,
        conflicts=hard.conflicts,
        share=share_votes(hard, compare_pairs(hard)),
        learned=learned,
        error_intervals=intervals,
        rate_sources=sources,
        implied_error_rates=implied,
        gold=None if truth is None else _score_signals(read, hard, truth),
        buckets=() if labels is None else _find_buckets(hard, said, labels, counts),
    )


def _name_votes(hard: WeakSignals) -> list[Any]:
    """What every vote (f) says: a class, or "not" one of many."""
    names = hard.classes.tolist()
    return [
        names[each.argmax()] if each.sum() == 1 else f"not {names[each.argmin()]}"
        for each in hard.schema.supports
    ]


def _score_signals(read: WeakSignals, hard: WeakSignals, truth: IntArray) -> GoldScores:
    known = truth >= 0
    if not known.any():
        raise ParameterError("y holds no known label; leave it out.")
    m, k, schema = read.n_signals, read.n_classes, hard.schema
    labels = np.eye(k)[truth[known]]
    judged = hard.take(known)
    met = judged.moments(row_means(judged, labels))
    # (m, k): of every class, the votes for it and those of them that are right.
    for_one = schema.supports * (schema.supports.sum(axis=1) == 1)[:, None]
    claimed = (met.sum(axis=1)[:, None] * for_one).reshape(m, -1, k).sum(axis=1)
    hit = (met * for_one).reshape(m, -1, k).sum(axis=1)
    right = (met * schema.supports).reshape(m, -1).sum(axis=1)
    size = read.row_weights[known] @ labels
    incorrect = met.reshape(m, -1).sum(axis=1) - right
    errors, seen = find_errors(read.take(known), labels), right + incorrect
    intervals = np.full((m, 2), np.nan)
    intervals[seen > 0] = wilson_intervals(errors[seen > 0], seen[seen > 0], LEVEL)
    with np.errstate(invalid="ignore"):
        precision, recall = hit / claimed, hit / np.where(size > 0, size, np.nan)
    return GoldScores(
        n_examples=float(size.sum()),
        correct=right,
        incorrect=incorrect,
        error_rates=errors,
        error_intervals=intervals,
        precision=precision,
        recall=recall,
    )


def _find_buckets(
    hard: WeakSignals, said: list[Any], labels: IntArray, counts: FloatArray
) -> tuple[Bucket, ...]:
    schema, k = hard.schema, hard.n_classes
    row, at = hard.by_example().cells()
    wrong = (labels[row] >= 0) & (schema.supports[at, labels[row]] == 0)
    row, cell = row[wrong], at[wrong] * k + labels[row[wrong]]
    order = np.argsort(cell, kind="stable")
    cells, starts = np.unique(cell[order], return_index=True)
    found = [
        Bucket(
            hard.names[schema.signal[each // k]],
            said[each // k],
            hard.classes.tolist()[each % k],
            rows,
            float(counts[rows].sum()),
        )
        for each, rows in zip(cells, np.split(row[order], starts[1:]), strict=False)
    ]
    return tuple(sorted(found, key=lambda bucket: -bucket.n_examples))
