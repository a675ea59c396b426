"""Signals next to each other, to a labeler and to true labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral import metrics
from corral._types import BoolArray, FloatArray, IntArray
from corral.analysis.report import Analysis, Bucket, GoldScores, ratio
from corral.checks import require_votes
from corral.constraints import LabelSpace, label_space
from corral.constraints.signal_errors import error_table, mean_by_signal
from corral.error_rates.copies import find_leaders, share_votes
from corral.error_rates.vote_features import vote_features
from corral.errors import ParameterError
from corral.labelers.inputs import as_signals
from corral.labelers.labeler import Labeler
from corral.signals import WeakSignals
from corral.signals.gold import code_labels


def analyse(
    signals: Any, labeler: Labeler | None = None, y: ArrayLike | None = None
) -> Analysis:
    """Say what every signal does, how well, and where it is wrong.

    Parameters
    ----------
    signals : as for `fit`
        Counted votes and `PatternCounts`, too. A probability counts as a vote for the
        likeliest class, the first of them if several are.
    labeler : fitted labeler, optional
        Adds what it believes of the signals, and how often they err under its labels.
    y : (n,) class values, optional
        True labels, as far as they are known; -1, None or NaN for the others. Adds errors,
        precision and recall.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> import corral
    >>> votes = [["spam", "spam"], ["spam", None], [None, "ham"], ["spam", "ham"]]
    >>> signals = corral.WeakSignals.from_votes(votes, names=["free", "length"])
    >>> found = corral.analyse(signals, y=["spam", "spam", "ham", "ham"])
    >>> found
    4 examples, 100.0% covered, 4 with truth; 2 signals, worth 2.0 independent ones
    <BLANKLINE>
    signal  votes     coverage  overlaps  conflicts  weight  error
    free    spam         75.0%     50.0%      25.0%    1.00   0.33
    length  ham/spam     75.0%     50.0%      25.0%    1.00   0.00
    <BLANKLINE>
    Precision and recall by class
    signal  class  precision  recall
    free    ham                 0.00
    free    spam        0.67    1.00
    length  ham         1.00    1.00
    length  spam        1.00    0.50
    <BLANKLINE>
    Where signals and labels disagree
    signal  said  label  examples
    free    spam  ham           1
    >>> found.buckets
    (free said spam, the label is ham: 1 examples,)
    """
    read = as_signals(signals)
    hard = read.harden()
    require_votes(hard.covered.any(), "analyse")
    if labeler is not None and not isinstance(labeler, Labeler):
        raise ParameterError(
            f"labeler must be a fitted labeler of corral; {labeler!r} came."
        )
    if getattr(labeler, "multilabel", False):
        raise ParameterError(
            "an example of a multi-label task has no single label to compare votes with; "
            "analyse takes labelers of single-label tasks."
        )
    counts = np.ones(len(read)) if read.counts is None else read.counts
    votes = _votes_of(hard)
    truth = None if y is None else code_labels(y, read.classes, len(read))
    learned = sources = implied = labels = None
    if labeler is not None:
        soft, space = labeler.predict_proba(read), label_space(read)
        order = _match_signals(labeler, read)
        learned = _find_learned_accuracies(labeler, read, space, order)
        if (rates := getattr(labeler, "rates_", None)) is not None:
            sources = tuple(rates.sources[at] for at in order)
        implied = mean_by_signal(space, read, error_table(space, read, soft))
        # A tie is no label to disagree with.
        clear = labeler.covers(read) & (metrics.is_winner(soft).sum(axis=1) == 1)
        labels = np.where(clear, soft.argmax(axis=1), -1)
    if truth is not None:
        labels = truth
    return Analysis(
        names=read.names,
        classes=read.classes,
        n_examples=float(counts.sum()),
        n_covered=float(counts[read.covered].sum()),
        polarity=votes.polarity,
        coverage=hard.coverage,
        overlaps=hard.overlaps,
        conflicts=hard.conflicts,
        share=votes.share,
        learned=learned,
        rate_sources=sources,
        implied_error_rates=implied,
        gold=None if truth is None else _gold(read, votes, truth, counts),
        buckets=() if labels is None else _buckets(read, votes, labels, counts),
    )


@dataclass(frozen=True)
class _Votes:
    """Hard votes, one by one, and what they can be.

    A *claim* is a signal and something that it says: a class, or "not" a class.

    Attributes
    ----------
    row, claim : (v,) arrays of int
        Of every vote.
    signal : (f,) array of int
        Who makes the claim.
    says : list of f values
    member : (f, k) array of bool
        The classes for which the claim is true.
    share : (m,) array of float
        See `Analysis`.
    """

    row: IntArray
    claim: IntArray
    signal: IntArray
    says: list[Any]
    member: BoolArray
    share: FloatArray

    @property
    def polarity(self) -> tuple[tuple[Any, ...], ...]:
        found: list[list[Any]] = [[] for _ in self.share]
        for signal, said in zip(self.signal.tolist(), self.says, strict=True):
            found[signal].append(said)
        return tuple(map(tuple, found))


def _votes_of(hard: WeakSignals) -> _Votes:
    features = vote_features(hard)
    row, column, vote = hard.cells()
    n_values = hard.n_choices
    order = features.column * n_values + features.vote  # features are sorted by these
    owner, member = hard.vote_columns[:, 0], features.member > 0
    names = hard.classes.tolist()
    leaders, cast = find_leaders(features), features.votes_cast
    return _Votes(
        row,
        np.searchsorted(order, column * n_values + vote),
        owner[features.column],
        [
            names[classes.argmax()]
            if classes.sum() == 1
            else f"not {names[classes.argmin()]}"
            for classes in member
        ],
        member,
        share_votes(leaders, cast, owner, hard.n_signals),
    )


def _gold(
    signals: WeakSignals, votes: _Votes, truth: IntArray, counts: FloatArray
) -> GoldScores:
    known = truth >= 0
    if not known.any():
        raise ParameterError("y holds no known label; leave it out.")
    m, k = signals.n_signals, signals.n_classes
    used = known[votes.row]
    claim, row = votes.claim[used], votes.row[used]
    cells = claim * k + truth[row]
    table = _sums(cells, counts[row], len(votes.says) * k).reshape(-1, k)
    right = (table * votes.member).sum(axis=1)
    all_votes = table.sum(axis=1)
    names_one = votes.member.sum(axis=1) == 1
    # (m, k): of every class, the votes for it and those of them that are right.
    cell = votes.signal * k + votes.member.argmax(axis=1)
    claimed, hit = (
        _sums(cell, each * names_one, m * k).reshape(m, k)
        for each in (all_votes, right)
    )
    size = _sums(truth[known], counts[known], k)
    sample = signals.take(known)
    space = label_space(sample)
    errors = error_table(space, sample, np.eye(k)[truth[known]])
    return GoldScores(
        n_examples=float(size.sum()),
        correct=_sums(votes.signal, right, m),
        incorrect=_sums(votes.signal, all_votes - right, m),
        error_rates=mean_by_signal(space, sample, errors),
        precision=ratio(hit, claimed),
        recall=ratio(hit, np.broadcast_to(size, (m, k))),
    )


def _buckets(
    signals: WeakSignals, votes: _Votes, labels: IntArray, counts: FloatArray
) -> tuple[Bucket, ...]:
    label = labels[votes.row]
    wrong = (label >= 0) & ~votes.member[votes.claim, label]
    row, k = votes.row[wrong], signals.n_classes
    cell = votes.claim[wrong] * k + label[wrong]
    order = np.lexsort((row, cell))
    cells, starts = np.unique(cell[order], return_index=True)
    values = signals.classes.tolist()
    found = [
        Bucket(
            signals.names[votes.signal[at // k]],
            votes.says[at // k],
            values[at % k],
            rows,
            float(counts[rows].sum()),
        )
        for at, rows in zip(cells, np.split(row[order], starts[1:]), strict=False)
    ]
    return tuple(sorted(found, key=lambda bucket: -bucket.n_examples))


def _match_signals(labeler: Labeler, signals: WeakSignals) -> list[int]:
    """Position at which the labeler has every signal."""
    places = {name: at for at, name in enumerate(labeler.signal_names_)}
    # Signals without names go by position, as they do for the labeler.
    return [places.get(name, at) for at, name in enumerate(signals.names)]


def _find_learned_accuracies(
    labeler: Labeler, signals: WeakSignals, space: LabelSpace, order: list[int]
) -> FloatArray | None:
    """(m,) how often a labeler believes signals to be right, if it believes anything."""
    rates = getattr(labeler, "error_rates_", None)
    if rates is None:
        return None
    return 1 - mean_by_signal(space, signals, np.asarray(rates)[order])


def _sums(at: IntArray, each: FloatArray, n: int) -> FloatArray:
    sums: Any = np.bincount(at, each, minlength=n)
    return sums
