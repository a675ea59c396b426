"""What judges say of every pattern, and what is made of it without any label."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corral._types import FloatArray, IntArray
from corral.error_rates.auto import fit
from corral.error_rates.vote_features import vote_features
from corral.errors import CorralWarning, SignalsError
from corral.labelers import DawidSkene
from corral.signals import WeakSignals

LEAST = 0.01
"""Part of label-free probabilities that is spread over the classes, to bound the logs."""
HALF_VOTE = 0.5
"""Votes, spread over the classes, that are added to those of a pattern."""
MOST_CELLS = 200_000_000
"""Patterns times judges times classes that are held in memory."""


@dataclass(frozen=True, eq=False)
class PanelVotes:
    """The votes of judges, by pattern.

    Attributes
    ----------
    said : (u, m, k) array of float
        What judges say: one for the class of a vote, or probabilities; zero: no vote.
    votes : (u, m) array of int
        The class that each says; -1: none.
    counts : (u,) array of float
        Rows of every pattern.
    inverse : (n,) array of int
        The pattern of every row.
    logs : (u, k, 3) array of float
        Logarithms of what three methods make of the votes without a label: the default,
        Dawid-Skene (judges err independently) and the share of the votes. Their mean over
        the classes is zero.
    """

    said: FloatArray
    votes: IntArray
    counts: FloatArray
    inverse: IntArray
    logs: FloatArray

    @property
    def shape(self) -> tuple[int, int, int]:
        """Patterns, judges and classes."""
        u, m, k = self.said.shape
        return u, m, k

    @cached_property
    def hard(self) -> FloatArray:
        """(u, m, k) one for the class that each says."""
        return (self.votes[:, :, None] == np.arange(self.shape[2])).astype(float)

    @cached_property
    def shares(self) -> FloatArray:
        """(u, k) shares of the votes: the majority vote is the largest of them."""
        total = self.said.sum(axis=1)
        size = total.sum(axis=1, keepdims=True)
        even = np.full_like(total, 1 / total.shape[1])
        return np.where(size > 0, total / np.maximum(size, 1e-12), even)

    def mean(self, each: FloatArray) -> FloatArray:
        """The mean over all rows of numbers (u, ...) per pattern."""
        return self.counts @ each / self.counts.sum()


def read_panel(signals: WeakSignals) -> PanelVotes:
    """What judges say, and what the label-free methods make of it."""
    if not signals.names_classes:
        raise SignalsError(
            "these signals vote on one class at a time (one-vs-rest); a panel is of "
            "judges who name a class, or give a probability for each."
        )
    if signals.counts is not None:
        raise SignalsError(
            "these signals are counts of patterns, and a panel needs the rows: which of "
            "them have a label matters. Give the votes row by row."
        )
    m, k = signals.n_signals, signals.n_classes
    inverse = _find_inverse(signals)
    u = int(inverse.max()) + 1
    if u * m * k > MOST_CELLS:
        raise SignalsError(
            f"{u:,} patterns of {m:,} judges and {k:,} classes do not fit into memory. "
            f"Round probabilities by `bins=10`, or take a sample of the rows."
        )
    said = _read_hard(signals, u) if signals.is_hard else _read_soft(signals, u)
    votes = np.full((u, m), -1)
    best = said.max(axis=2)
    tied = (said >= best[:, :, None] - 1e-9).sum(axis=2) > 1
    votes[(best > 0) & ~tied] = said.argmax(axis=2)[(best > 0) & ~tied]
    counts = np.bincount(inverse, minlength=u).astype(float)
    found = _label_free(signals)
    silent = best.max(axis=1) <= 0
    total = said.sum(axis=1) + HALF_VOTE / k
    found.append(total / total.sum(axis=1, keepdims=True))
    logs = np.stack([np.log((1 - LEAST) * p + LEAST / k) for p in found], axis=2)
    logs -= logs.mean(axis=1, keepdims=True)
    logs[silent] = 0
    return PanelVotes(said, votes, counts, inverse, logs)


def _find_inverse(signals: WeakSignals) -> IntArray:
    """(n,) the pattern of every row; rows of probabilities are patterns by themselves."""
    if signals.is_hard:
        return signals.patterns.inverse
    inverse = signals.pattern_values[1]
    return np.arange(len(signals)) if inverse is None else inverse


def _read_hard(signals: WeakSignals, u: int) -> FloatArray:
    said = np.zeros((u, signals.n_signals, signals.n_classes))
    said[signals.patterns.cells()] = 1
    return said


def _read_soft(signals: WeakSignals, u: int) -> FloatArray:
    said = np.zeros((u, signals.n_signals, signals.n_classes))
    for column, vote, confidence in signals.soft_cells(0, u):
        said[:, column, vote] = confidence
    return said


def _label_free(signals: WeakSignals) -> list[FloatArray]:
    """(u, k) labels of the default and of Dawid-Skene, by pattern.

    What these warn of is that votes alone do not tell the rates; here labels do.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorralWarning)
        default = fit(vote_features(signals)).model(signals)
        independent = DawidSkene(abstains="ignore").fit(signals).model_
    return [model.pattern_labels(signals) for model in (default, independent)]
