"""`LogLinear`, the one model: weights of votes, and a link from their sums to labels.

    q_j(k)  in proportion to  exp( (bias_k + sum over votes of j of weight[vote, k]) / D_j )

A labeler finds the weights; the model labels any votes, seen or not, says what every signal
added, and is saved as arrays. Maximum entropy under constraints has this form, with the
multipliers of the constraints as weights, and so have weighted votes, Dawid-Skene and the
default. Other links serve a projection (``clip(1/2 + sum)``), a plurality and a mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy
from scipy.sparse import csr_array

from corral._types import BoolArray, FloatArray
from corral.votes import WeakSignals
from corral.votes.weak_signals import TIED

Link: TypeAlias = Literal["softmax", "box", "plurality", "mean"]
MIN_SUM = 1e-4
"""Labels of an example that add up to less say nothing of its class: no solver is as
precise as that, and a rounding error must not become a certainty."""
MEAN_ROUNDING = 1e-9
"""The same for means, which are as precise as what was given."""


class Contributions(NamedTuple):
    """What moved one label: (m + c, k), signals first; and the names of the others."""

    moves: FloatArray
    others: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LogLinear:
    """Weights of votes, in log-odds, and how their sums become labels.

    Attributes
    ----------
    weights : (f, k) array of float, or (f,)
        What every vote adds to every class; or to the class that it is about, from which
        a "no" takes it away. A soft vote adds in proportion to its probability.
    bias : (k,) array of float
        The score of every class before any vote.
    prior : (k,) array of float
        Labels where no signal votes.
    silent_bias : (k,) array of float, optional
        The score where no signal votes; None: labels are the prior there.
    link : str
        How scores become labels: "softmax"; "box", ``clip(1/2 + score, 0, 1)``;
        "plurality", the classes with the highest score; "mean", the score per vote.
    multilabel : bool
        Whether every class of an example is a question of its own.
    tempering : float
        Correlation of the votes on an example: with d of them, scores are divided by
        ``1 + (d - 1) tempering``.
    share : float
        Part of every label that is the share of the weights, after `spread` more was given
        to the classes in proportion to `doubt`.
    spread : float, or (k,) array of float
    floor : float
        Part of every label that is `doubt`.
    doubt : (k,) array of float, optional
        Labels before any vote; default `prior`.
    rooted : bool
        Whether a vote on an example with d votes counts ``1 / sqrt(d)``.
    leans : bool
        Whether a soft vote counts by how far it is above chance; see `lean`.
    voice : (f,) array of float, optional
        What a vote counts, from 0 (it was never cast when the weights were learned) to 1;
        one of c copies of a signal has 1 / c.
    reference : LogLinear or None
        Labels that the scores are added to, as log-odds.
    trust : float, or (k,) array of float
        What the log-odds of the reference are multiplied by.
    """

    weights: FloatArray
    bias: FloatArray
    prior: FloatArray
    link: Link = "softmax"
    multilabel: bool = False
    tempering: float = 0.0
    share: float = 0.0
    spread: float | FloatArray = 1.0
    floor: float = 0.0
    doubt: FloatArray | None = None
    rooted: bool = False
    leans: bool = False
    voice: FloatArray | None = None
    silent_bias: FloatArray | None = None
    reference: LogLinear | None = None
    trust: float | FloatArray = 1.0

    def labels(self, signals: WeakSignals) -> FloatArray:
        """(n, k) probabilities, one row per example."""
        return self.row_labels(signals).take(signals.row_of, axis=0)

    def row_labels(self, signals: WeakSignals) -> FloatArray:
        """(u, k) probabilities, one row per distinct row."""
        signals = hear(lean(signals) if self.leans else signals, self.voice)
        voted = signals.entries_voted()
        scores = signals.scores(self.weights)
        if self.rooted:
            scores /= np.sqrt(np.maximum(self.voices(signals), 1))
        scores += self._bias(signals)
        if self.link == "softmax":
            labels = self._probabilities(signals, scores)
        elif self.link == "mean":
            labels = scores / np.maximum(self.voices(signals), 1)
        elif self.link == "plurality":
            best = scores == scores.max(axis=1, keepdims=True)
            labels = best / best.sum(axis=1, keepdims=True)
            if self.multilabel:
                labels = (np.sign(scores) + 1) / 2
        else:
            labels = np.clip(0.5 + scores, 0, 1)
        return self.finish(labels, voted)

    def _bias(self, signals: WeakSignals) -> FloatArray:
        """(u, k) the score of every class before any vote."""
        silent = self.bias if self.silent_bias is None else self.silent_bias
        return np.where(signals.covered_rows[:, None], self.bias, silent)

    def finish(self, labels: FloatArray, voted: BoolArray) -> FloatArray:
        """(u, k) labels, with the prior where no signal votes, that add up to one."""
        kept = voted | (self.silent_bias is not None)
        if not self.multilabel:
            if self.link in ("box", "mean"):
                least = MEAN_ROUNDING if self.link == "mean" else MIN_SUM
                return share_out(labels, kept, self.prior, least)
            kept = np.asarray(kept.any(axis=1, keepdims=True))
        return np.where(kept, labels, self.prior)

    def _probabilities(self, signals: WeakSignals, scores: FloatArray) -> FloatArray:
        if self.tempering:
            scores = scores / self._dependence(signals)
        if self.reference is not None:
            before = self.reference.row_labels(signals)
            odds = logit(before) if self.multilabel else safe_log(before)
            scores = scores + self.trust * odds
        labels = scipy.special.expit(scores) if self.multilabel else softmax(scores)
        doubt = self.prior if self.doubt is None else self.doubt
        if self.share:
            said, total = self._said(signals)
            shares = (said + self.spread * doubt) / (total + self.spread)
            labels = (1 - self.share) * labels + self.share * shares
        return (1 - self.floor) * labels + self.floor * doubt

    def _said(self, signals: WeakSignals) -> tuple[FloatArray, FloatArray]:
        """(u, k) weights of the votes for every class, and of all votes that could be."""
        schema, each = signals.schema, np.abs(self.weights)
        if self.multilabel:
            yes = signals.scores(np.where(schema.negated, 0.0, each))
            return yes, yes - signals.scores(np.where(schema.negated, each, 0.0))
        if not schema.names_classes:
            each = each[:, None] * schema.shares
        said = signals.scores(each)
        return said, said.sum(axis=1, keepdims=True)

    def voices(self, signals: WeakSignals) -> FloatArray:
        """(u, 1) how many signals vote on a row, or (u, k) on a row and class."""
        if signals.schema.names_classes:
            return signals.votes_on[:, None]
        if self.multilabel or self.link == "mean":
            return signals.F @ np.eye(signals.n_classes)[signals.schema.says]
        # A signal has one voice on an example, however many classes it speaks of.
        row, at = signals.cells()
        speaks = row * signals.n_signals + signals.schema.signal[at]
        speaks, first = np.unique(speaks, return_index=True)
        each = None if self.voice is None else self.voice[at[first]]
        found = np.bincount(speaks // signals.n_signals, each, signals.n_rows)
        return found[:, None].astype(float)

    def _dependence(self, signals: WeakSignals) -> FloatArray:
        return 1 + (np.maximum(self.voices(signals), 1) - 1) * self.tempering

    def contributions(self, one: WeakSignals) -> Contributions:
        """What every signal, and the bias, add to the scores of a single example.

        For "softmax" less the mean over the classes, so that a positive number is for a
        class, and the probabilities are in proportion to the exponentials of the sums.
        """
        q = self.row_labels(one)[0]
        one = hear(lean(one) if self.leans else one, self.voice)
        m, k, schema = one.n_signals, one.n_classes, one.schema
        at, data = one.F.indices, one.F.data
        table = self.weights
        if table.ndim == 1:
            signed = np.where(schema.negated, -table, table)[at]
            table = signed[:, None] * np.eye(k)[schema.says[at]]
        else:
            table = table[at]
        moves = np.zeros((m + 1, k))
        np.add.at(moves, schema.signal[at], data[:, None] * table)
        if self.rooted:
            moves /= np.sqrt(np.maximum(self.voices(one)[0], 1))
        if self.link == "plurality" and schema.names_classes:
            said = np.bincount(schema.signal[at], data, m)[:, None]
            moves[:m] = 2 * moves[:m] - said  # votes for less votes against
        if self.link == "mean":
            votes = np.maximum(self.voices(one)[0], 1)
            asked = np.zeros((m, k))
            if schema.names_classes:
                asked[schema.signal[at]] = 1 / k
            else:
                asked[schema.signal[at], schema.says[at]] = 1 / 2
            moves[:m] = (moves[:m] - asked) / votes
        if self.link in ("plurality", "mean"):
            return Contributions(moves[:m])
        moves[-1] = self._bias(one)[0]
        if self.link != "softmax":
            return Contributions(moves, ("constraints",))
        if self.tempering:
            moves /= self._dependence(one)
        if not self.multilabel:
            moves -= moves.mean(axis=1, keepdims=True)
        parts, names = [moves], ["class balance"]
        if self.reference is not None:
            before = self.reference.contributions(one)
            moves[:m] += self.trust * before.moves[:m]
            names[0] = "known labels and rates"
            parts.append(self.trust * before.moves[m:])
            names += before.others
        found = logit(q) if self.multilabel else safe_log(q) - safe_log(q).mean()
        rest = found - sum(part.sum(axis=0) for part in parts)
        finite = np.minimum(q, 1 - q).min() > MEAN_ROUNDING  # else so are no log-odds
        if finite and np.abs(rest).max() > MEAN_ROUNDING:
            parts.append(rest[None])
            names.append("doubt in all votes")
        return Contributions(np.vstack(parts), tuple(names))

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples any signal votes on."""
        return hear(signals, self.voice).covered


def hear(signals: WeakSignals, voice: FloatArray | None) -> WeakSignals:
    """Votes that count as much as their voice (f,); None: all alike."""
    if voice is None:
        return signals
    each = voice[signals.F.indices]
    if (each == 1).all():
        return signals
    return _weigh(signals, signals.F.data * each)


def _weigh(signals: WeakSignals, data: FloatArray) -> WeakSignals:
    """The same signals with other entries of ``F``; zeros are no votes."""
    F, kept = signals.F, data > 0
    ends = np.concatenate([[0], np.cumsum(kept)])[F.indptr]
    hard = signals.is_hard and bool((data[kept] == 1).all())
    F = csr_array((data[kept], F.indices[kept], ends), F.shape)
    return signals._with(F=F, counts=signals.counts, is_hard=hard)


def lean(signals: WeakSignals) -> WeakSignals:
    """Soft votes as votes of less weight: how far a probability is above chance.

    A class that is as likely as chance, or less, gets no vote.
    """
    if signals.is_hard:
        return signals
    chance = signals.schema.n_columns / signals.schema.n_features
    above = (signals.F.data - chance) / (1 - chance)
    return _weigh(signals, np.where(above > TIED, above, 0))


def share_out(
    labels: FloatArray, kept: BoolArray, prior: FloatArray, least: float = MIN_SUM
) -> FloatArray:
    """Labels (u, k) in the box as rows that sum to one.

    Entries that are not `kept` share what the others leave, ``max(0, 1 - sum) / number``;
    rows without any kept entry get `prior` (k,). What a row lacks to `least` is added
    evenly before it is divided by its sum, so labels that are all nearly zero become
    nearly even.
    """
    shares = np.where(kept, labels, 0)
    left = np.maximum(0, 1 - shares.sum(axis=1)) / np.maximum((~kept).sum(axis=1), 1)
    np.add(shares, left[:, None], out=shares, where=~kept)
    shares += np.maximum(least - shares.sum(axis=1), 0)[:, None] / shares.shape[1]
    shares /= shares.sum(axis=1, keepdims=True)
    shares[~kept.any(axis=1)] = prior
    return shares


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities (u, k) in proportion to ``exp(scores)``."""
    return posterior(scores)[0]


def posterior(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same, and the logarithm (u,) of the sum of ``exp(scores)``."""
    columns = np.array(scores.T, order="C")  # faster to sum over few classes
    largest = columns.max(axis=0)
    columns -= largest
    np.exp(columns, out=columns)
    total = columns.sum(axis=0)
    columns /= total
    return np.ascontiguousarray(columns.T), largest + np.log(total)


def safe_log(probabilities: FloatArray) -> FloatArray:
    """Logarithms, finite where a probability is zero."""
    return np.log(np.maximum(probabilities, np.finfo(float).tiny))


def logit(probabilities: FloatArray) -> FloatArray:
    """Log-odds, finite where a probability is zero or one."""
    return safe_log(probabilities) - safe_log(1 - probabilities)
