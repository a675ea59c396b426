"""What every signal adds: which to fix or drop, and which kind to write next."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.decisions import is_winner
from corral.errors import CorralWarning, SignalsError
from corral.labelers import Labeler
from corral.labelers.labelled import find_errors
from corral.progress import progress
from corral.rates import FromLabels
from corral.results import Part, Result, Table, dots, join_names, printable
from corral.results.text import say_count
from corral.study.analysis import GoldScores
from corral.votes import WeakSignals

MIN_SHARE = 1e-3
"""Smaller shares of the rows are not worth a word."""
MAX_REFIT_CELLS = 2_000_000_000
"""Distinct rows times classes times squared signals, up to which the labeler is fitted
again without each signal: about a minute."""


@dataclass(frozen=True, repr=False)
class SignalValues(Result):
    """What `value_of_signal` found; print it.

    All shares are of all rows. A signal is left out by a new fit.
    """

    names: tuple[str, ...]
    coverage: FloatArray  # (m,) rows that the signal votes on
    only: FloatArray  # (m,) rows that no other signal votes on
    conflicts: FloatArray  # (m,) rows on which another signal contradicts it
    errors: FloatArray  # (m,) part of its votes that is wrong under the labels, or NaN
    flips: FloatArray  # (m,) covered rows that have another label if it is left out
    worth: FloatArray  # (m,) accuracy lost without it, judged by the labels with it
    uncovered: float  # rows that no signal votes on
    assumed: BoolArray  # (m,) whether nothing tells its error rate
    # (m,) whether it errs less than the labels
    good: BoolArray | bool = field(default=False, repr=False)
    gold: GoldScores | None = field(default=None, repr=False)

    def judged_by(self, gold: GoldScores, label_error: float) -> SignalValues:
        """The same by true labels, where a signal has enough votes on labelled rows.

        A signal that errs less than the labels should count more, and is not to drop.
        """
        errors = gold.known_errors
        found = np.where(np.isnan(errors), self.errors, errors)
        return replace(self, errors=found, good=errors < label_error, gold=gold)

    @property
    def droppable(self) -> BoolArray:
        """(m,) whether hardly a row changes without it; of two copies not both at once."""
        return (
            (self.flips < MIN_SHARE) & (self.only < MIN_SHARE) & ~np.asarray(self.good)
        )

    def _largest(self, share: FloatArray, among: BoolArray) -> int | None:
        """The signal with the largest share (m,) of rows, if it is needed."""
        share = np.where(among & ~self.droppable, np.nan_to_num(share), 0.0)
        return int(share.argmax()) if share.max() >= MIN_SHARE else None

    def _advise_by_gold(self, gold: GoldScores) -> Iterator[tuple[str, int, str, str]]:
        """The signal that is wrong on most rows by true labels.

        The lower ends of the intervals are compared, so that few labels blame little.
        """
        shares = self.coverage[:, None] * gold.error_intervals
        seen = gold.correct + gold.incorrect
        if (worst := self._largest(shares[:, 0], seen > 0)) is None:
            return
        known = not np.isnan(gold.known_errors[worst])
        what, only = ("Fix", "") if known else ("Check", "only ")
        low, high = shares[worst]
        why = (
            f"it is wrong on about {self.coverage[worst] * gold.error_rates[worst]:.1%} of "
            f"rows ({low:.1%} to {high:.1%}, from {only}{say_count(seen[worst], 'vote')} "
            "on labelled rows)"
        )
        yield what.lower(), worst, f"{what} {self.names[worst]}", why

    def _advise_by_votes(self) -> Iterator[tuple[str, int, str, str]]:
        """What votes make likely of signals that true labels do not judge."""
        unknown = np.isnan(self.gold.known_errors) if self.gold else np.array(True)
        expected = self.coverage * self.errors
        if (worst := self._largest(expected, unknown & ~self.assumed)) is not None:
            why = (
                f"it is expected to be wrong on {expected[worst]:.1%} of rows, "
                f"{self.errors[worst]:.0%} of its votes"
            )
            yield "check", worst, f"Check {self.names[worst]}", why
        if (worst := self._largest(self.conflicts, unknown & self.assumed)) is not None:
            why = (
                f"others contradict it on {self.conflicts[worst]:.1%} of the rows, and "
                "the votes do not tell which is right"
            )
            yield "check", worst, f"Check {self.names[worst]}", why

    title = "What every signal adds"

    def advice(self) -> Iterator[tuple[str, int, str, str]]:
        """What to do first: an action, with which signal (or -1), what, and why."""
        by_gold = () if self.gold is None else (*self._advise_by_gold(self.gold),)
        yield from by_gold or self._advise_by_votes()
        drop = np.flatnonzero(self.droppable & (self.coverage > 0))
        if len(drop):
            one = "Drop one of" if len(drop) > 1 else "Drop"
            names = join_names([self.names[i] for i in drop], 60)
            why = "without it hardly a label changes; then look again"
            yield "drop", -1, f"{one} {names}", why
        if self.uncovered >= MIN_SHARE:
            why = f"no signal votes on {self.uncovered:.1%} of the rows"
            yield "write", -1, "Write a rule", why

    def sentences(self) -> Iterator[str]:
        """The advice in sentences."""
        for _, _, what, why in self.advice():
            yield f"{printable(what)}: {why}."

    def parts(self) -> Iterator[Part]:
        yield from self.sentences()
        order = np.argsort(-self.worth, kind="stable")
        columns = {
            "coverage": self.coverage,
            "only it": self.only,
            "conflicts": self.conflicts,
            "error": self.errors,
            "flips": self.flips,
            "worth": self.worth,
        }
        names = [self.names[i] for i in order]
        yield Table(
            {"signal": names} | {name: each[order] for name, each in columns.items()},
            formats=dict.fromkeys(columns, ".1%"),
            meanings={
                "only it": "Rows on which no other signal votes.",
                "flips": "Labels that change if the signal is left out.",
                "worth": "Accuracy lost if the signal is left out.",
            },
        )
        yield dots(
            self.title,
            f"{names[0]} adds most: {self.worth[order[0]]:.1%} of the accuracy.",
            names,
            {
                "accuracy lost": self.worth[order],
                "labels that change": self.flips[order],
            },
            label="without the signal",
        )


def value_of_signal(labeler: Labeler, signals: Any) -> SignalValues:
    """What every signal adds, and where signals are missing.

    The labeler is fitted again without each signal. To see what a new signal would add,
    include it among the signals.

    Parameters
    ----------
    labeler : Labeler
        Fitted; its options are used.
    signals : as for `fit`
        What to fit on.

    Returns
    -------
    SignalValues

    Notes
    -----
    `worth` is judged by the labels that all signals give; rows without another vote count
    as guessed. Labels without a signal would be surer where it contradicts others, so that
    the most useful signals would seem harmful.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, _ = random_votes(2000, [0.9, 0.7, 0.7, 0.7], coverage=0.7)
    >>> signals = corral.WeakSignals.from_votes(votes, names=["a", "b", "c", "d"])
    >>> labeler = corral.ConstrainedLabeler([0.1, 0.3, 0.3, 0.3], "entropy").fit(signals)
    >>> found = corral.value_of_signal(labeler, signals)
    >>> found.names[found.worth.argmax()]
    'a'
    """
    read = labeler.read(signals)
    if not read.covered.any():
        raise SignalsError("no signal votes on any of these rows.")
    m, constraints = read.n_signals, getattr(labeler, "constraints", None) or ()
    if read.n_rows * read.n_classes * m**2 > MAX_REFIT_CELLS:
        raise SignalsError(
            f"to fit again without each of {m:,} signals takes minutes on {read.n_rows:,} "
            "distinct rows; give some of them, `signals.take(rows)`."
        )
    again = deepcopy(replace(labeler))
    if labeler.random_state is None:
        again.set_params(random_state=0)
    rates = getattr(labeler, "error_rates", None)
    if isinstance(rates, FromLabels) and rates.signals is None:
        again.set_params(error_rates=replace(rates, signals=read))
    counts, multilabel = read.row_weights, labeler.multilabel
    weights = counts / counts.sum()
    with warnings.catch_warnings():
        # Warnings are about the signal left out, or were shown at the first fit.
        warnings.simplefilter("ignore", CorralWarning)
        labels, covered = _fit(again, read)
        sure = _expected_accuracy(labels, labels, multilabel)
        only, flips, worth = np.zeros((3, m))
        with progress("leaving signals out", m) as bar:
            for i in range(m):
                if constraints:  # those of the signal go with it
                    of = [getattr(c, "signal", None) for c in constraints]
                    left = [name not in (i, read.names[i]) for name in of]
                    again.set_params(constraints=[*compress(constraints, left)])
                after, still = _fit(again, read.without(i))
                both = covered & still
                flipped = _changed(labels, after, multilabel)
                # Sums of whole numbers are exact; sums of shares depend on the machine.
                only[i] = counts @ (covered & ~both) / counts.sum()
                flips[i] = counts @ (flipped & both) / counts.sum()
                expected = _expected_accuracy(labels, after, multilabel)
                worth[i] = weights @ ((sure - expected) * covered)
                bar.advance()
    learned = getattr(getattr(labeler, "rates_", None), "learned", None)
    assumed = np.zeros(m, bool)
    if learned is not None:
        assumed = np.nan_to_num(learned.reshape(m, -1)).mean(axis=1) < 0.5
    return SignalValues(
        read.names,
        read.coverage,
        only,
        read.conflicts,
        find_errors(read, labels),
        flips,
        worth,
        float(weights @ ~covered),
        assumed,
    )


def _fit(labeler: Labeler, signals: WeakSignals) -> tuple[FloatArray, BoolArray]:
    """Labels (n, k), and where any signal votes; elsewhere all classes are as likely."""
    n, k = len(signals), signals.n_classes
    guess = np.full((n, k), 0.5 if labeler.multilabel else 1 / k)
    constraints = getattr(labeler, "constraints", None)
    nothing = constraints == [] and getattr(labeler, "error_rates", None) is None
    if nothing or not signals.harden().covered.any():
        return guess, np.zeros(n, bool)
    covered = labeler.fit(signals).covered_
    return np.where(covered[:, None], labeler.labels_, guess), covered


def _changed(before: FloatArray, after: FloatArray, multilabel: bool) -> BoolArray:
    """(n,) whether the likeliest class is another one, or any class crosses one half."""
    if multilabel:
        return np.any((before > 0.5) != (after > 0.5), axis=1)
    return ~np.any(is_winner(before) & is_winner(after), axis=1)


def _expected_accuracy(
    labels: FloatArray, chosen: FloatArray, multilabel: bool
) -> FloatArray:
    """(n,) how likely, by `labels`, the answers of `chosen` are; ties are averaged."""
    if multilabel:
        yes = np.where(chosen == 0.5, 0.5, chosen > 0.5)
        return (yes * labels + (1 - yes) * (1 - labels)).mean(axis=1)
    best = is_winner(chosen)
    return (labels * best).sum(axis=1) / best.sum(axis=1)
