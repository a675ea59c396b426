"""What every signal does, how well, and where it is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import require_votes
from corral.constraints import label_space
from corral.constraints.signal_errors import error_table, mean_by_signal
from corral.decisions import is_winner
from corral.errors import ParameterError
from corral.labelers.base import Labeler, as_signals
from corral.rates.copies import find_leaders, share_votes
from corral.rates.vote_features import vote_features
from corral.results import Part, Result, Table, dots
from corral.votes import WeakSignals
from corral.votes.coding import code_labels

MEANINGS = {
    "coverage": "Share of the examples on which the signal votes.",
    "overlaps": "Share of the examples on which another signal votes, too.",
    "conflicts": "Share of the examples on which another signal contradicts it.",
    "weight": "1 for a unique signal, 1/10 for each of ten copies.",
    "believed": "How often the labeler believes the signal to be right.",
    "source": "Whether that is learned from votes, assumed or given.",
    "implied": "How often the signal is wrong if the labels are right.",
    "error": "How often the signal is wrong, by true labels.",
}


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
    rows: IntArray = field(repr=False)  # and not in JSON
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
class Analysis(Result):
    """What `analyse` found; print it.

    Attributes
    ----------
    names : tuple of str
    classes : (k,) array
    n_examples, n_covered : float
        All, and those that any signal votes on.
    polarity : tuple of tuples
        The classes that every signal votes for; "not ..." where it votes against one of
        many.
    coverage, overlaps, conflicts : (m,) arrays of float
        Share of the examples on which the signal votes, on which another does, too, and
        on which another contradicts it.
    share : (m,) array of float
        The part that it has in a vote: one if it repeats no other signal, one tenth for
        each of ten copies.
    learned : (m,) array of float, or None
        How often the labeler believes it to be right.
    rate_sources : tuple of str, or None
        Whether that is "learned" from votes, "assumed", or so much of it learned; only if
        error rates were estimated.
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
    rate_sources: tuple[str, ...] | None
    implied_error_rates: FloatArray | None
    gold: GoldScores | None
    buckets: tuple[Bucket, ...]

    title = "What every signal does"

    def parts(self) -> Iterator[Part]:
        known = "" if self.gold is None else f", {self.gold.n_examples:,.0f} with truth"
        yield (
            f"{self.n_examples:,.0f} examples, {self.n_covered / self.n_examples:.1%} "
            f"covered{known}; {len(self.names)} signals, worth {self.share.sum():.1f} "
            "independent ones"
        )
        columns: dict[str, Any] = {
            "signal": self.names,
            "votes": ["/".join(map(str, votes)) for votes in self.polarity],
            "coverage": self.coverage,
            "overlaps": self.overlaps,
            "conflicts": self.conflicts,
            "weight": self.share,
            "believed": self.learned,
            "source": self.rate_sources,
            "implied": self.implied_error_rates,
            "error": None if self.gold is None else self.gold.error_rates,
        }
        columns = {name: each for name, each in columns.items() if each is not None}
        shares = dict.fromkeys(("coverage", "overlaps", "conflicts"), ".1%")
        yield Table(
            columns, formats=dict.fromkeys(columns, ".2f") | shares, meanings=MEANINGS
        )
        series: dict[str, Any] = {
            "expected": None if self.learned is None else 1 - self.learned,
            "implied": self.implied_error_rates,
            "true": columns.get("error"),
        }
        series = {name: each for name, each in series.items() if each is not None}
        if series:
            said = f"Errors of {len(self.names)} signals: {', '.join(series)}."
            yield dots(
                "How often signals err", said, self.names, series, label="errors"
            )
        if self.gold is not None:
            m, k = self.gold.precision.shape
            yield Table(
                {
                    "signal": np.repeat(np.array(self.names, object), k),
                    "class": list(map(str, self.classes.tolist())) * m,
                    "precision": self.gold.precision.ravel(),
                    "recall": self.gold.recall.ravel(),
                },
                "Precision and recall by class",
                {"precision": ".2f", "recall": ".2f"},
                most=5,
            )
        if self.buckets:
            yield Table(
                {
                    "signal": [bucket.signal for bucket in self.buckets],
                    "said": [str(bucket.vote) for bucket in self.buckets],
                    "label": [str(bucket.label) for bucket in self.buckets],
                    "examples": [round(bucket.n_examples) for bucket in self.buckets],
                },
                "Where signals and labels disagree",
                most=5,
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
    signal  votes     coverage  overlaps  conflicts  weight  error
    free    spam         75.0%     50.0%      25.0%    1.00   0.33
    length  ham/spam     75.0%     50.0%      25.0%    1.00   0.00
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
    votes, share = _read_votes(hard)
    polarity: list[list[Any]] = [[] for _ in read.names]
    for signal, said in zip(votes.signal.tolist(), votes.says, strict=True):
        polarity[signal].append(said)
    truth = None if y is None else code_labels(y, read.classes, len(read))
    learned = sources = implied = labels = None
    if labeler is not None:
        soft = labeler.predict_proba(read)
        places = {name: at for at, name in enumerate(labeler.signal_names_)}
        # Signals without names go by position, as they do for the labeler.
        order = [places.get(name, at) for at, name in enumerate(read.names)]
        if (expected := getattr(labeler, "error_rates_", None)) is not None:
            expected = np.asarray(expected)[order]
            learned = 1 - mean_by_signal(label_space(read), read, expected)
        if (rates := getattr(labeler, "rates_", None)) is not None:
            sources = tuple(rates.sources[at] for at in order)
        implied = find_errors(read, soft)
        # A vote cannot disagree with a tie.
        clear = labeler.covers(read) & (is_winner(soft).sum(axis=1) == 1)
        labels = np.where(clear, soft.argmax(axis=1), -1)
    if truth is not None:
        labels = truth
    return Analysis(
        names=read.names,
        classes=read.classes,
        n_examples=float(counts.sum()),
        n_covered=float(counts[read.covered].sum()),
        polarity=tuple(map(tuple, polarity)),
        coverage=hard.coverage,
        overlaps=hard.overlaps,
        conflicts=hard.conflicts,
        share=share,
        learned=learned,
        rate_sources=sources,
        implied_error_rates=implied,
        gold=None if truth is None else _score_signals(read, votes, truth, counts),
        buckets=() if labels is None else _find_buckets(read, votes, labels, counts),
    )


class _Votes(NamedTuple):
    """Hard votes; a *claim* is a signal and something that it says: (not) a class."""

    row: IntArray  # (v,) of every vote
    claim: IntArray  # (v,) of every vote
    signal: IntArray  # (f,) who makes the claim
    says: list[Any]  # f values
    member: BoolArray  # (f, k) the classes for which the claim is true


def _read_votes(hard: WeakSignals) -> tuple[_Votes, FloatArray]:
    """The votes, and the share (m,) of a vote that every signal has."""
    features = vote_features(hard)
    row, column, vote = hard.cells()
    n_values = hard.n_choices
    order = features.column * n_values + features.vote  # features are sorted by these
    owner, member = hard.vote_columns[:, 0], features.member > 0
    names = hard.classes.tolist()
    says = [
        names[each.argmax()] if each.sum() == 1 else f"not {names[each.argmin()]}"
        for each in member
    ]
    claim = np.searchsorted(order, column * n_values + vote)
    leaders, cast = find_leaders(features), features.votes_cast
    share = share_votes(leaders, cast, owner, hard.n_signals)
    return _Votes(row, claim, owner[features.column], says, member), share


def _score_signals(
    signals: WeakSignals, votes: _Votes, truth: IntArray, counts: FloatArray
) -> GoldScores:
    known = truth >= 0
    if not known.any():
        raise ParameterError("y holds no known label; leave it out.")
    m, k = signals.n_signals, signals.n_classes
    used = known[votes.row]
    row, cell = votes.row[used], votes.claim[used] * k + truth[votes.row[used]]
    n_claims = len(votes.says)
    table = np.bincount(cell, counts[row], n_claims * k).reshape(-1, k)
    right = (table * votes.member).sum(axis=1)
    all_votes = table.sum(axis=1)
    names_one = votes.member.sum(axis=1) == 1
    # (m, k): of every class, the votes for it and those of them that are right.
    cell = votes.signal * k + votes.member.argmax(axis=1)
    claimed, hit = (
        np.bincount(cell, each * names_one, m * k).reshape(m, k)
        for each in (all_votes, right)
    )
    size = np.bincount(truth[known], counts[known], k)
    precision, recall = np.full((2, m, k), np.nan)
    np.divide(hit, claimed, out=precision, where=claimed > 0)
    np.divide(hit, size, out=recall, where=size > 0)
    return GoldScores(
        n_examples=float(size.sum()),
        correct=np.bincount(votes.signal, right, m).astype(float),
        incorrect=np.bincount(votes.signal, all_votes - right, m).astype(float),
        error_rates=find_errors(signals.take(known), np.eye(k)[truth[known]]),
        precision=precision,
        recall=recall,
    )


def find_errors(signals: WeakSignals, labels: FloatArray) -> FloatArray:
    """(m,) how often every signal is wrong if labels (n, k) are right."""
    space = label_space(signals)
    return mean_by_signal(space, signals, error_table(space, signals, labels))


def _find_buckets(
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
