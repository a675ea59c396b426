"""What every signal does, and how well: coverage, conflicts, errors, where it is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral import metrics
from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import label_space, signal_errors
from corral.error_rates.features import spoken_cells, vote_features
from corral.error_rates.judgement import find_leaders
from corral.error_rates.redundancy import parts_of_votes
from corral.errors import ParameterError, SignalsError
from corral.labelers.base import Labeler, as_signals
from corral.signals import Kind, WeakSignals
from corral.signals.coding import code_labels
from corral.text_table import text_table


@dataclass(frozen=True, repr=False)
class Bucket:
    """Examples on which a signal says one thing and the label another.

    Attributes
    ----------
    signal : str
    vote : class value, or "not ..."
        What the signal says.
    label : class value
        What the truth is, or what the labeler says if it is not known.
    rows : (j,) array of int
        Positions of the examples.
    n_examples : float
        How many examples the rows stand for.
    """

    signal: str
    vote: Any
    label: Any
    rows: IntArray
    n_examples: float

    def __repr__(self) -> str:
        return (
            f"{self.signal} said {self.vote}, the label is {self.label}: "
            f"{self.n_examples:g} examples"
        )


@dataclass(frozen=True)
class GoldScores:
    """Signals next to true labels.

    Attributes
    ----------
    n_examples : float
        Examples with a true label.
    correct, incorrect : (m,) arrays of float
        Votes that are right and wrong; probabilities are rounded.
    error_rates : (m,) array of float
        Share that is wrong, where a probability is as wrong as it is far off. NaN for a
        signal that says nothing of these examples.
    precision, recall : (m, k) arrays of float
        Of the votes for a class, the share that is right; of the examples of a class,
        covered or not, the share that is voted so. NaN where there are none.
    """

    n_examples: float
    correct: FloatArray
    incorrect: FloatArray
    error_rates: FloatArray
    precision: FloatArray
    recall: FloatArray


@dataclass(frozen=True, repr=False)
class Analysis:
    """What `analyse` found; print it.

    Attributes
    ----------
    names : tuple of str
    classes : (k,) array
    n_examples, n_covered : float
        All, and those that any signal speaks of.
    polarity : tuple of tuples
        The classes that every signal votes for; "not ..." where it speaks against one of
        many.
    coverage, overlaps, conflicts : (m,) arrays of float
        Share of the examples on which the signal speaks, on which another does, too, and
        on which another contradicts it.
    share : (m,) array of float
        The part that it has in a vote: one if it repeats no other signal, one tenth for
        each of ten copies.
    learned : (m,) array of float, or None
        How often the labeler believes it to be right.
    implied_error_rates : (m,) array of float, or None
        How often it is wrong if the labels of the labeler are right.
    gold : GoldScores, or None
    buckets : tuple of Bucket
        Where signals and labels disagree, the largest first: the true labels, or those of
        the labeler if there are none.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_examples: float
    n_covered: float
    polarity: tuple[tuple[Any, ...], ...]
    coverage: FloatArray
    overlaps: FloatArray
    conflicts: FloatArray
    share: FloatArray
    learned: FloatArray | None
    implied_error_rates: FloatArray | None
    gold: GoldScores | None
    buckets: tuple[Bucket, ...]

    def to_frame(self, backend: Any = "pandas") -> Any:
        """One line a signal, with the columns of Snorkel's ``lf_summary`` first.

        Parameters
        ----------
        backend : "pandas", "polars", "pyarrow" or another that narwhals knows
        """
        columns: dict[str, Any] = {
            "Signal": list(self.names),
            "j": np.arange(len(self.names)),
            # Text, because a column of lists of different types fits few tables.
            "Polarity": [str(list(values)) for values in self.polarity],
            "Coverage": self.coverage,
            "Overlaps": self.overlaps,
            "Conflicts": self.conflicts,
        }
        if self.gold is not None:
            right, wrong = self.gold.correct, self.gold.incorrect
            columns["Correct"], columns["Incorrect"] = right, wrong
            columns["Emp. Acc."] = _ratio(right, right + wrong)
        if self.learned is not None:
            columns["Learned Weight"] = self.learned
        columns["Share"] = self.share
        if self.implied_error_rates is not None:
            columns["Implied Error"] = self.implied_error_rates
        if self.gold is not None:
            columns["Error"] = self.gold.error_rates
            for k, value in enumerate(self.classes.tolist()):
                columns[f"Precision {value}"] = self.gold.precision[:, k]
                columns[f"Recall {value}"] = self.gold.recall[:, k]
        return nw.from_dict(columns, backend=backend).to_native()

    def __str__(self) -> str:
        shares = {
            "coverage": self.coverage,
            "overlaps": self.overlaps,
            "conflicts": self.conflicts,
        }
        numbers: dict[str, FloatArray] = {"of a vote": self.share}
        if self.learned is not None:
            numbers["learned"] = self.learned
        if self.implied_error_rates is not None:
            numbers["implied error"] = self.implied_error_rates
        if self.gold is not None:
            numbers["error"] = self.gold.error_rates
        rows = [
            (
                name,
                "/".join(map(str, self.polarity[i])),
                *(f"{column[i]:.1%}" for column in shares.values()),
                *(_shown(column[i]) for column in numbers.values()),
            )
            for i, name in enumerate(self.names)
        ]
        known = "" if self.gold is None else f", {self.gold.n_examples:,.0f} with truth"
        return (
            f"{self.n_examples:,.0f} examples, {self.n_covered / self.n_examples:.1%} "
            f"covered{known}; {len(self.names)} signals that count as "
            f"{self.share.sum():.1f}\n"
            + text_table(("signal", "votes", *shares, *numbers), rows)
        )

    __repr__ = __str__


def analyse(
    signals: Any, labeler: Labeler | None = None, y: ArrayLike | None = None
) -> Analysis:
    """Say what every signal does, how well, and where it is wrong.

    Parameters
    ----------
    signals : as for `fit`
        Counted votes and `PatternCounts`, too.
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
    4 examples, 100.0% covered, 4 with truth; 2 signals that count as 2.0
    signal     votes  coverage  overlaps  conflicts  of a vote  error
    free        spam     75.0%     50.0%      25.0%       1.00   0.33
    length  ham/spam     75.0%     50.0%      25.0%       1.00   0.00
    >>> found.buckets
    (free said spam, the label is ham: 1 examples,)
    """
    read = as_signals(signals)
    if not read.covered.any():
        raise SignalsError(
            "no signal votes on any row, so there is nothing to analyse."
        )
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
    votes = _votes_of(read)
    truth = None if y is None else code_labels(y, read.classes, len(read))
    learned = implied = labels = None
    if labeler is not None:
        soft = labeler.predict_proba(read)
        learned, implied = _learned(labeler, read), _errors(read, soft)
        # A tie is no label to disagree with.
        clear = labeler.covers(read) & (metrics.winners(soft).sum(axis=1) == 1)
        labels = np.where(clear, soft.argmax(axis=1), -1)
    if truth is not None:
        labels = truth
    return Analysis(
        names=read.names,
        classes=read.classes,
        n_examples=float(counts.sum()),
        n_covered=float(counts[read.covered].sum()),
        polarity=votes.polarity,
        coverage=read.coverage,
        overlaps=read.overlaps,
        conflicts=read.conflicts,
        share=votes.share,
        learned=learned,
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


def _votes_of(signals: WeakSignals) -> _Votes:
    hard = signals.hardened()
    features = vote_features(hard)
    row, voter, vote = spoken_cells(hard.votes)
    n_values = int(features.vote.max()) + 1
    order = features.voter * n_values + features.vote  # features are sorted by these
    owner, member = hard.columns[:, 0], features.member > 0
    names = hard.classes.tolist()
    leaders, cast = find_leaders(features), features.votes_cast
    return _Votes(
        row,
        np.searchsorted(order, voter * n_values + vote),
        owner[features.voter],
        [
            names[classes.argmax()]
            if classes.sum() == 1
            else f"not {names[classes.argmin()]}"
            for classes in member
        ],
        member,
        parts_of_votes(leaders, cast, owner, hard.n_signals),
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
    return GoldScores(
        n_examples=float(size.sum()),
        correct=_sums(votes.signal, right, m),
        incorrect=_sums(votes.signal, all_votes - right, m),
        error_rates=_errors(signals.take(known), np.eye(k)[truth[known]]),
        precision=_ratio(hit, claimed),
        recall=_ratio(hit, np.broadcast_to(size, (m, k))),
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


def _learned(labeler: Labeler, signals: WeakSignals) -> FloatArray | None:
    """(m,) how often a labeler believes signals to be right, if it believes anything."""
    rates = getattr(labeler, "error_rates_", None)
    return None if rates is None else 1 - _by_signal(np.asarray(rates), signals)


def _errors(signals: WeakSignals, labels: FloatArray) -> FloatArray:
    """(m,) expected errors of signals under labels (n, k)."""
    return _by_signal(signal_errors(signals, labels), signals)


def _by_signal(errors: FloatArray, signals: WeakSignals) -> FloatArray:
    """(m,) errors of signals, from those of signals or of signals and classes."""
    if errors.ndim == 1:
        return errors
    if signals.kind is not Kind.ONE_VS_REST:  # a wrong vote is wrong about two classes
        return errors.sum(axis=1) / (1 if errors.shape[1] == 1 else 2)
    rows = label_space(signals).rows
    size = np.zeros(errors.shape)
    size[rows.signal, rows.label] = rows.size
    return _ratio(np.nansum(size * errors, axis=1), size.sum(axis=1))


def _sums(at: IntArray, each: FloatArray, n: int) -> FloatArray:
    sums: Any = np.bincount(at, each, minlength=n)
    return sums


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """One by the other; NaN of nothing."""
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _shown(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.2f}"
