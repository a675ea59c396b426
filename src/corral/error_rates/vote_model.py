"""Labels as a log-linear model of the votes.

    q_j(k)  in proportion to  exp( bias_k + sum over votes of j of weight[vote, k] )

Votes that are dependent say less than their sum: its `tempering` divides it by a power of
the number of votes, and its `floor` is the probability that they mislead altogether.

Maximum entropy under constraints on how often a class goes with a vote (confusion rates)
and on the class balance has this form, with the multipliers as weights. So the model
labels any votes, seen or not, and says what every signal added.

Signals that repeat each other are one group, with one vote: the commonest of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates.class_offsets import find_class_offsets
from corral.error_rates.vote_features import (
    plurality_shares,
    softmax,
)
from corral.model import Contributions, Model, centred_logs
from corral.signals import WeakSignals
from corral.signals.patterns import Patterns
from corral.signals.soft_source import is_vote

ROWS = 1 << 16
"""Patterns of soft signals scored at once."""


@dataclass(frozen=True)
class VoteModel(Model):
    """Weights of votes, in log-odds.

    A soft signal adds the weights of its votes in proportion to its probabilities, or
    nothing where all are the same, and those of a group that vote add their mean.

    Attributes
    ----------
    signal : (f,) array of int
        The signal that casts the vote.
    label : (f,) array of int
        The label column it votes on; -1: it names classes.
    vote : (f,) array of int
        Its code: the class, or 1 and 0 for "yes" and "no" of a one-vs-rest signal.
    weights : (f, k) array of float
        What the vote adds to the score of every class.
    bias : (k,) array of float
        The score of every class before any vote.
    group : (f,) array of int
        A number for the signal, the same for all that repeat each other.
    tempering : float
        Scores are divided by this power of the number of votes; 0: they are as they are.
    floor : float
        Part of every label that is spread as `silent` says, or as before any vote.
    silent : (k,) array of float, optional
        Probabilities where no signal votes; default those of the bias.
    """

    signal: IntArray
    label: IntArray
    vote: IntArray
    weights: FloatArray
    bias: FloatArray
    group: IntArray
    tempering: float = 0.0
    floor: float = 0.0
    silent: FloatArray | None = None

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        labels = self._voted_labels(signals)
        if self.silent is not None:
            labels[~self._heard(signals)] = self.silent
        return labels

    def _voted_labels(self, signals: WeakSignals) -> FloatArray:
        blocks = self._score_blocks(signals)
        return np.concatenate([self.probabilities(*block) for block in blocks])

    def _score_blocks(
        self, signals: WeakSignals
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Summed scores (b, k) and number of votes (b,), some patterns after the other."""
        if not signals.is_hard:
            n = signals.pattern_values[0][0].shape[1]
            for a in range(0, n, ROWS):
                yield self._soft_scores(signals, a, min(a + ROWS, n))
            return
        patterns, table = signals.patterns, self._table(signals)
        if patterns.is_sparse or (self._group_size > 1).any():
            for a in range(0, len(patterns), ROWS):
                yield self._scores_by_vote(patterns, a, a + ROWS, table)
            return
        codes: Any = patterns.codes
        # What every vote adds, by its code; -1 is the last and adds nothing.
        added = np.append(self._counted, np.zeros((1, len(self.bias) + 1)), axis=0)
        added = added[np.pad(table, ((0, 0), (0, 1)), constant_values=-1)]
        for a in range(0, len(codes), ROWS):
            yield self._dense_scores(codes[a : a + ROWS], added)

    def with_balance(
        self, signals: WeakSignals, weights: FloatArray, balance: FloatArray
    ) -> VoteModel:
        """With a bias under which the mean label of patterns with votes is the balance.

        Patterns without votes have the balance itself.

        Parameters
        ----------
        signals : WeakSignals
        weights : (u,) array of float
            Of every pattern, or example.
        balance : (k,) array of float
            Shares of the classes.
        """
        heard = np.flatnonzero(self._heard(signals) & (weights > 0))
        bias = self.bias
        if len(heard):
            scores, votes = (
                np.concatenate(parts)[heard]
                for parts in zip(*self._score_blocks(signals), strict=True)
            )
            scale = np.maximum(votes, 1) ** -self.tempering
            bias = bias + find_class_offsets(scores, scale, weights[heard], balance)
        return replace(self, bias=bias, silent=balance)

    def probabilities(self, scores: FloatArray, votes: FloatArray) -> FloatArray:
        """(p, k) labels of summed scores (p, k), given the number of votes (p,)."""
        if self.tempering:
            scores = scores / (np.maximum(votes, 1) ** self.tempering)[:, None]
        labels = softmax(scores)
        if self.floor:
            rest = softmax(self.bias[None]) if self.silent is None else self.silent
            labels = (1 - self.floor) * labels + self.floor * rest
        return labels

    @cached_property
    def _counted(self) -> FloatArray:
        """(f, k + 1) the weights, and what the vote counts for."""
        return np.column_stack([self.weights, self.vote_sizes])

    @property
    def vote_sizes(self) -> FloatArray:
        """(f,) what a vote counts for in the number of votes.

        One if it names a class. "Yes" or "no" about one class says too little to be
        tempered, and counts for nothing.
        """
        return (self.label < 0).astype(float)

    def _start(self, n: int) -> FloatArray:
        """(n, k + 1) scores and number of votes before any vote."""
        return np.tile(np.r_[self.bias, 0.0], (n, 1))

    def feature_shares(self, signals: WeakSignals) -> csc_array:
        """(p, f) the share that every vote has in the scores of every pattern.

        The labels are ``probabilities(parts @ weights + bias, parts @ vote_sizes)``. To
        move the weights of a few votes, only the patterns with these votes are looked at.
        """
        if not signals.is_hard:
            n = signals.pattern_values[0][0].shape[1]
            columns = [
                (at, s, np.flatnonzero(s)) for at, s in self._soft_votes(signals, 0, n)
            ]
            pattern = np.concatenate(
                [np.zeros(0, int), *(rows for _, _, rows in columns)]
            )
            shares = np.concatenate([np.zeros(0), *(s[rows] for _, s, rows in columns)])
            at = np.repeat([at for at, _, _ in columns], [len(r) for *_, r in columns])
        else:
            n = len(signals.patterns)
            pattern, column, vote = signals.patterns.cells()
            at = self._table(signals)[column, vote]
            pattern, at = pattern[at >= 0], at[at >= 0]
            shares = self._shares(pattern, at)
        return csc_array((shares, (pattern, at)), (n, len(self.signal)))

    def _dense_scores(
        self, codes: IntArray, added: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        sums = self._start(len(codes))
        for column, of_vote in zip(codes.T, added, strict=True):
            sums += of_vote[column]
        return sums[:, :-1], sums[:, -1]

    def _scores_by_vote(
        self, patterns: Patterns, start: int, stop: int, table: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        pattern, column, vote = patterns.cells(start, stop)
        sums = self._start(len(patterns.counts[start:stop]))
        at = table[column, vote]
        known = at >= 0
        pattern, at = pattern[known], at[known]
        shares = self._shares(pattern, at)
        for k in range(sums.shape[1]):
            sums[:, k] += np.bincount(
                pattern, shares * self._counted[at, k], minlength=len(sums)
            )
        return sums[:, :-1], sums[:, -1]

    def contributions(self, one: WeakSignals) -> Contributions:
        """What every signal, and the bias, add to the log-odds of a single example.

        Less the mean over the classes, so that a positive number is for a class. The
        probabilities are in proportion to the exponentials of the sums.
        """
        table = self._table(one)
        if one.is_hard:
            pattern, column, vote = one.cells()
            at = table[column, vote]
            at = at[at >= 0]
            shares = self._shares(pattern[: len(at)], at)
        else:
            cells = self._soft_votes(one, 0, 1)
            at = np.array([f for f, _ in cells], int)
            shares = np.array([share[0] for _, share in cells])
        added = np.zeros((one.n_signals + 1, len(self.bias)))
        np.add.at(added, self.signal[at], shares[:, None] * self.weights[at])
        added[-1] = self.bias
        added /= max(float(shares @ self.vote_sizes[at]), 1.0) ** self.tempering
        moves = added - added.mean(axis=1, keepdims=True)
        if self.silent is not None and not self._heard(one)[0]:
            moves[-1] = centred_logs(self.silent)
        elif self.floor:
            doubt = centred_logs(self.pattern_labels(one)[0]) - moves.sum(axis=0)
            moves = np.vstack([moves, doubt])
            return Contributions(moves, ("class balance", "doubt in all votes"))
        return Contributions(moves, ("class balance",))

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples have a vote that the model has weights for."""
        if (self._table(signals) >= 0).all():
            return signals.covered
        heard = self._heard(signals)
        return heard[signals.patterns.inverse] if signals.has_patterns else heard

    def _heard(self, signals: WeakSignals) -> BoolArray:
        """(p,) the same by pattern; a soft signal votes even where it says one half."""
        has_weights: BoolArray = self._table(signals) >= 0
        if signals.is_hard:
            heard: BoolArray = np.zeros(len(signals.patterns), bool)
            pattern, column, vote = signals.patterns.cells()
            heard[pattern[has_weights[column, vote]]] = True
            return heard
        known: BoolArray = np.any(has_weights, axis=1)
        lines = [line for values in signals.pattern_values[0] for line in values]
        heard = np.zeros(len(lines[0]), bool)
        for at, line in enumerate(lines):  # one label column after the other
            if known[at % len(known)]:
                heard |= is_vote(line)
        return heard

    @cached_property
    def _group_size(self) -> IntArray:
        """(f,) signals in the group of every feature."""
        pairs = np.unique(np.stack([self.group, self.signal, self.label]), axis=1)
        sizes: IntArray = np.bincount(pairs[0], minlength=1)[self.group]
        return sizes

    def _shares(self, pattern: IntArray, at: IntArray) -> FloatArray:
        """(v,) what every vote, given by its feature, counts: one, less in a group."""
        shares = np.ones(len(at))
        grouped = self._group_size[at] > 1
        if grouped.any():
            pattern, at = pattern[grouped], at[grouped]
            shares[grouped] = plurality_shares(pattern, self.group[at], self.vote[at])
        return shares

    def _table(self, signals: WeakSignals) -> IntArray:
        """Feature of every (stored column, vote) of these signals; -1: none."""
        columns = signals.vote_columns
        # Class votes have the label column -1, here the last, on both sides.
        place = np.full((signals.n_signals, signals.n_label_columns), -1)
        place[tuple(columns.T)] = np.arange(len(columns))
        column = place[self.signal, self.label]
        known = np.flatnonzero(column >= 0)
        table = np.full((len(columns), signals.n_choices), -1)
        table[column[known], self.vote[known]] = known
        return table

    def _soft_votes(
        self, signals: WeakSignals, start: int, stop: int
    ) -> list[tuple[int, FloatArray]]:
        """(feature, what it counts in every pattern); a group counts one if any votes."""
        table = self._table(signals)
        cells = signals.soft_cells(start, stop)
        speaking: dict[int, FloatArray] = {}
        for column, _, share in cells:
            own = table[column].max()  # all its features have the same group
            if own >= 0 and self._group_size[own] > 1:
                group = int(self.group[own])
                speaking[group] = speaking.get(group, 0.0) + share
        votes = []
        for column, vote, share in cells:
            at = int(table[column, vote])
            if at >= 0:
                number = speaking.get(int(self.group[at]))
                part = share if number is None else share / np.maximum(number, 1)
                votes.append((at, part))
        return votes

    def _soft_scores(
        self, signals: WeakSignals, start: int, stop: int
    ) -> tuple[FloatArray, FloatArray]:
        sums = self._start(stop - start)
        for at, share in self._soft_votes(signals, start, stop):
            sums += share[:, None] * self._counted[at]
        return sums[:, :-1], sums[:, -1]
