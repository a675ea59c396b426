"""Votes as features: which voter says what, on every vote pattern.

A *voter* is a stored column of the signals: a signal that names classes, or the opinion
of a one-vs-rest signal about one class. A *feature* is a pair (voter, vote), and speaks
for some of the classes: a class vote for one, "yes" for one, "no" for all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.patterns import Votes
from corral.signals import Kind, WeakSignals


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities (u, k) in proportion to ``exp(scores)``."""
    columns = np.array(scores.T, order="C")  # reductions over few classes, the fast way
    columns -= columns.max(axis=0)
    np.exp(columns, out=columns)
    columns /= columns.sum(axis=0)
    return np.ascontiguousarray(columns.T)


def values_of(signals: WeakSignals) -> int:
    """How many different votes a voter has."""
    return signals.n_classes if signals.kind is not Kind.ONE_VS_REST else 2


def voter_classes(signals: WeakSignals) -> IntArray:
    """(c,) the class that every voter speaks of; -1: it names classes."""
    if signals.kind is not Kind.ONE_VS_REST:
        return np.full(signals.n_signals, -1)
    # With a single label column, the column is the second of two classes.
    label: IntArray = signals.columns[:, 1]
    return label if signals.n_label_columns > 1 else label + 1


def spoken_cells(codes: Votes) -> tuple[IntArray, IntArray, IntArray]:
    """Unit, voter and vote of every vote, by unit."""
    if isinstance(codes, csr_array):
        unit = np.repeat(np.arange(codes.shape[0]), np.diff(codes.indptr))
        return unit, codes.indices, codes.data.astype(np.int64) - 1
    unit, voter = np.nonzero(np.ascontiguousarray(codes) >= 0)
    return unit, voter, codes[unit, voter].astype(np.int64)


@dataclass(frozen=True)
class VoteFeatures:
    """The votes of all patterns as a sparse matrix of features.

    Attributes
    ----------
    counts : (u,) array of float
        Examples (or sample weight) a pattern.
    unit, feature : (v,) arrays of int
        Pattern and feature of every vote, by pattern.
    voter : (f,) array of int
        Who casts the vote.
    vote : (f,) array of int
        Its code.
    member : (f, k) array of float
        One for the classes that the vote speaks for, else zero.
    n_voters : int
    """

    counts: FloatArray
    unit: IntArray
    feature: IntArray
    voter: IntArray
    vote: IntArray
    member: FloatArray
    n_voters: int

    @property
    def n_units(self) -> int:
        """Number of patterns."""
        return len(self.counts)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.member.shape[1]

    @cached_property
    def weight(self) -> FloatArray:
        """(v,) examples that every vote stands for."""
        return self.counts[self.unit]

    @cached_property
    def caster(self) -> IntArray:
        """(v,) voter of every vote."""
        return self.voter[self.feature]

    @cached_property
    def matrix(self) -> csr_array:
        """(u, f) one where the pattern has the feature."""
        starts = np.searchsorted(self.unit, np.arange(self.n_units + 1))
        shape = (self.n_units, len(self.voter))
        return csr_array((np.ones(len(self.unit)), self.feature, starts), shape)

    @cached_property
    def weighted(self) -> csr_array:
        """(f, u) examples of the patterns that have the feature."""
        at = csr_array(
            (self.weight, self.feature, self.matrix.indptr), self.matrix.shape
        )
        return at.T.tocsr()

    @cached_property
    def size(self) -> FloatArray:
        """(f,) examples with the feature."""
        sums: Any = np.bincount(self.feature, self.weight, minlength=len(self.voter))
        return sums

    @cached_property
    def votes_cast(self) -> FloatArray:
        """(c,) votes of every voter."""
        return self.by_voter(self.size)

    def keep(self, chosen: BoolArray) -> VoteFeatures:
        """Only some of the features (f,); the other voters fall silent.

        Every pattern must keep a vote.
        """
        place = np.cumsum(chosen) - 1
        votes = chosen[self.feature]
        return replace(
            self,
            unit=self.unit[votes],
            feature=place[self.feature[votes]],
            voter=self.voter[chosen],
            vote=self.vote[chosen],
            member=self.member[chosen],
        )

    def by_voter(self, each: FloatArray) -> FloatArray:
        """Sum a number a feature over the features of every voter."""
        sums: Any = np.bincount(self.voter, each, minlength=self.n_voters)
        return sums


def vote_features(
    signals: WeakSignals, weights: FloatArray | None = None
) -> VoteFeatures:
    """Features of the patterns of hard (or hardened) votes.

    Parameters
    ----------
    signals : WeakSignals
    weights : (n,) array of float, optional
        Sample weights; patterns without weight are left out.
    """
    hard = signals.hardened()
    patterns = hard.patterns
    counts: Any = patterns.counts
    if weights is not None:
        counts = np.bincount(patterns.inverse, weights, minlength=len(patterns))
    unit, voter, vote = spoken_cells(patterns.codes)
    spoken = counts[unit] > 0
    unit, voter, vote = unit[spoken], voter[spoken], vote[spoken]
    used, unit = np.unique(unit, return_inverse=True)
    n_values = values_of(signals)
    # Voters times votes are few next to the votes, so a table beats sorting.
    key = voter * n_values + vote
    seen = np.zeros(hard.votes.shape[1] * n_values, bool)
    seen[key] = True
    cells = np.flatnonzero(seen)
    feature = (np.cumsum(seen) - 1)[key]
    owner, code = np.divmod(cells, n_values)
    classes = voter_classes(signals)[owner]
    names = np.eye(signals.n_classes)
    said_yes = names[np.where(classes < 0, code, classes)]
    member = np.where(((classes >= 0) & (code == 0))[:, None], 1 - said_yes, said_yes)
    return VoteFeatures(
        counts=counts[used].astype(float),
        unit=unit,
        feature=feature,
        voter=owner,
        vote=code,
        member=member,
        n_voters=hard.votes.shape[1],
    )
