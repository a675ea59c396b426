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

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from corral._stored import check_floats, check_positions
from corral._types import BoolArray, FloatArray, IntArray
from corral.error_rates.features import (
    plurality_shares,
    softmax,
)
from corral.model import Contributions, Model, centred_logs
from corral.signals import WeakSignals
from corral.signals.patterns import Patterns
from corral.signals.soft import spoken

ROWS = 1 << 16
"""Units of soft signals scored at once."""


@dataclass(frozen=True)
class VoteModel(Model):
    """Weights of votes, in log-odds.

    A soft signal adds the weights of its votes in proportion to its probabilities, or
    nothing where all are the same, and those of a group that speak add their mean.

    Attributes
    ----------
    signal : (f,) array of int
        The signal that casts the vote.
    label : (f,) array of int
        The label column it speaks of; -1: it names classes.
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
        Part of every label that is spread evenly over the classes.
    silent : (k,) array of float, optional
        Probabilities where no signal speaks; default those of the bias.
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
        """(p, k) probabilities, one row per pattern; per example if there are none."""
        labels = self._voted_labels(signals)
        if self.silent is not None:
            labels[~self._heard(signals)] = self.silent
        return labels

    def _voted_labels(self, signals: WeakSignals) -> FloatArray:
        if not signals.is_hard:
            n = signals.unit_values[0][0].shape[1]
            return np.concatenate(
                [
                    self.probabilities(*self._soft_scores(signals, a, min(a + ROWS, n)))
                    for a in range(0, n, ROWS)
                ]
            )
        patterns, table = signals.patterns, self._table(signals)
        if patterns.is_sparse or (self._group_size > 1).any():
            return np.concatenate(
                [
                    self.probabilities(
                        *self._scores_by_vote(patterns, a, a + ROWS, table)
                    )
                    for a in range(0, len(patterns), ROWS)
                ]
            )
        codes: Any = patterns.codes
        # What every vote adds, by its code; -1 is the last and adds nothing.
        added = np.append(self._counted, np.zeros((1, len(self.bias) + 1)), axis=0)
        added = added[np.pad(table, ((0, 0), (0, 1)), constant_values=-1)]
        return np.concatenate(
            [
                self.probabilities(*self._dense_scores(codes[a : a + ROWS], added))
                for a in range(0, len(codes), ROWS)
            ]
        )

    def probabilities(self, scores: FloatArray, votes: FloatArray) -> FloatArray:
        """(u, k) labels of summed scores (u, k), given the number of votes (u,)."""
        if self.tempering:
            scores = scores / (np.maximum(votes, 1) ** self.tempering)[:, None]
        labels = softmax(scores)
        if self.floor:
            labels = (1 - self.floor) * labels + self.floor / len(self.bias)
        return labels

    @cached_property
    def _counted(self) -> FloatArray:
        """(f, k + 1) the weights, and a one that counts the vote."""
        return np.column_stack([self.weights, np.ones(len(self.weights))])

    def _start(self, n: int) -> FloatArray:
        """(n, k + 1) scores and number of votes before any vote."""
        return np.tile(np.r_[self.bias, 0.0], (n, 1))

    def parts(self, signals: WeakSignals) -> csc_array:
        """(u, f) the part that every vote has in the scores of every unit.

        The labels are ``probabilities(parts @ weights + bias, parts.sum(axis=1))``: to move
        the weights of a few votes, only the units with these votes need to be looked at.
        """
        if not signals.is_hard:
            n = signals.unit_values[0][0].shape[1]
            columns = [
                (at, s, np.flatnonzero(s)) for at, s in self._soft_votes(signals, 0, n)
            ]
            unit = np.concatenate([np.zeros(0, int), *(rows for _, _, rows in columns)])
            shares = np.concatenate([np.zeros(0), *(s[rows] for _, s, rows in columns)])
            at = np.repeat([at for at, _, _ in columns], [len(r) for *_, r in columns])
        else:
            n = len(signals.patterns)
            unit, voter, vote = signals.patterns.cells()
            at = self._table(signals)[voter, vote]
            unit, at = unit[at >= 0], at[at >= 0]
            shares = self._shares(unit, at)
        return csc_array((shares, (unit, at)), (n, len(self.signal)))

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
        unit, voter, vote = patterns.cells(start, stop)
        sums = self._start(len(patterns.counts[start:stop]))
        at = table[voter, vote]
        known = at >= 0
        unit, at = unit[known], at[known]
        shares = self._shares(unit, at)
        for k in range(sums.shape[1]):
            sums[:, k] += np.bincount(
                unit, shares * self._counted[at, k], minlength=len(sums)
            )
        return sums[:, :-1], sums[:, -1]

    def contributions(self, one: WeakSignals) -> Contributions:
        """What every signal, and the bias, add to the log-odds of a single example.

        Less the mean over the classes, so that a positive number speaks for a class. The
        probabilities are in proportion to the exponentials of the sums.
        """
        table = self._table(one)
        if one.is_hard:
            unit, voter, vote = one.cells()
            at = table[voter, vote]
            at = at[at >= 0]
            shares = self._shares(unit[: len(at)], at)
        else:
            cells = self._soft_votes(one, 0, 1)
            at = np.array([f for f, _ in cells], int)
            shares = np.array([share[0] for _, share in cells])
        added = np.zeros((one.n_signals + 1, len(self.bias)))
        np.add.at(added, self.signal[at], shares[:, None] * self.weights[at])
        added[-1] = self.bias
        added /= max(shares.sum(), 1) ** self.tempering
        moves = added - added.mean(axis=1, keepdims=True)
        if self.silent is not None and not self._heard(one)[0]:
            moves[-1] = centred_logs(self.silent)
        elif self.floor:
            doubt = centred_logs(self.pattern_labels(one)[0]) - moves.sum(axis=0)
            moves = np.vstack([moves, doubt])
            return Contributions(moves, ("class balance", "doubt in all votes"))
        return Contributions(moves, ("class balance",))

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples a signal that has weights speaks of."""
        if (self._table(signals).max(axis=1) >= 0).all():
            return signals.covered
        heard = self._heard(signals)
        return heard[signals.patterns.inverse] if signals.has_patterns else heard

    def _heard(self, signals: WeakSignals) -> BoolArray:
        """(p,) the same by pattern; a soft signal speaks, be it of one half."""
        known = self._table(signals).max(axis=1) >= 0
        if signals.is_hard:
            heard = np.zeros(len(signals.patterns), bool)
            unit, voter, _ = signals.patterns.cells()
            heard[unit[known[voter]]] = True
            return heard
        lines = [line for values in signals.unit_values[0] for line in values]
        heard = np.zeros(len(lines[0]), bool)
        for at, line in enumerate(lines):  # one label column after the other
            if known[at % len(known)]:
                heard |= spoken(line)
        return heard

    def check(self, signals: WeakSignals) -> None:
        """Refuse what could not label signals such as these."""
        f, m, k = len(self.signal), signals.n_signals, signals.n_classes
        columns = signals.n_label_columns
        check_positions("signal", self.signal, (f,), 0, m)
        check_positions("label", self.label, (f,), -1, columns)
        check_positions("vote", self.vote, (f,), 0, max(k, 2))
        check_positions("group", self.group, (f,), 0, max(f, m * columns) + 1)
        check_floats("weights", self.weights, (f, k))
        check_floats("bias", self.bias, (k,))
        if not (0 <= self.tempering <= 1 and 0 <= self.floor <= 1):
            raise ValueError("tempering and floor must be between 0 and 1")
        if self.silent is not None:
            check_floats("silent", self.silent, (k,), low=0, high=1)

    @cached_property
    def _group_size(self) -> IntArray:
        """(f,) signals in the group of every feature."""
        pairs = np.unique(np.stack([self.group, self.signal, self.label]), axis=1)
        sizes: IntArray = np.bincount(pairs[0], minlength=1)[self.group]
        return sizes

    def _shares(self, unit: IntArray, at: IntArray) -> FloatArray:
        """(v,) what every vote, given by its feature, counts: one, less in a group."""
        shares = np.ones(len(at))
        grouped = self._group_size[at] > 1
        if grouped.any():
            unit, at = unit[grouped], at[grouped]
            shares[grouped] = plurality_shares(unit, self.group[at], self.vote[at])
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
        """(feature, what it counts in every unit); a group counts one if any speaks."""
        table = self._table(signals)
        cells = signals.soft_cells(start, stop)
        speaking: dict[int, FloatArray] = {}
        for voter, _, share in cells:
            own = table[voter].max()  # any of its features tells the group
            if own >= 0 and self._group_size[own] > 1:
                group = int(self.group[own])
                speaking[group] = speaking.get(group, 0.0) + share
        votes = []
        for voter, vote, share in cells:
            at = int(table[voter, vote])
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
