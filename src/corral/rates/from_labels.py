"""Labels and rates from votes and a few labelled examples: constraints with slack.

The label-free labels E (`Auto`) are the reference. The labelled examples give linear
constraints on labels: on them,

    class c is as frequent as it was found to be                         (k constraints)
    every signal is right as often as it was found to be                 (one per signal)
    where signal i says v, class c is as frequent as found               (one per (i, v, c))
    the mean of log E under the labels is as found: E's level of trust   (one)

Examples are few, so a constraint may be missed by r at a price of (spread r)^2 / 2:

    q = argmin  sum_j KL(q_j || E_j)
                + 1/2 sum_k spread_k^2 (sum_j phi_k(q_j) - phi_k(y_j))^2

over labels q of the labelled examples j. The multiplier of constraint k is the weight of
phi_k, for all examples alike, labelled or not:

    q_j(c)  in proportion to  E_j(c) exp(sum_k theta_k phi_k(j, c))

which is also the posterior mode of a log-linear model with prior N(0, spread_k^2) on every
weight. A vote on an example with d votes counts 1 / sqrt(d). The class balance of few
labels is trusted least, since what it is wrong about costs rare classes most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from corral._types import FloatArray
from corral.constraints import row_means
from corral.decisions import winner_shares
from corral.errors import ParameterError
from corral.model import LogLinear, hear, posterior, safe_log, softmax
from corral.rates.default import default_model, find_informedness, find_standard_errors
from corral.rates.rates import Accuracy, Rates
from corral.votes import WeakSignals
from corral.votes.coding import code_labels

SPREAD = 0.5
"""Prior standard deviation, in log-odds, of the multipliers of trust and of cells."""
CLASS_SPREAD = 0.3
"""The same for the class balance."""
SIGNAL_SPREAD = 0.7
"""The same for how often a signal is right."""
MAX_FOLDS = 20
"""Parts of the labelled examples of which each is left out, to score labels on it."""
MIN_PRIOR_VOTES, MAX_PRIOR_VOTES = 0.5, 1000.0
"""Bounds of the labelled votes that the label-free rate of a signal may be worth."""
FACTORS = np.geomspace(0.1, 1000, 30)
"""Candidate factors for the weight of the label-free rates."""
FACTOR_SPREAD = 1.0
"""Standard deviation of the logarithm of the factor, before any label was seen."""


@dataclass(frozen=True, eq=False)
class FromLabels:
    """From a few labelled examples, around what the votes alone say.

    Parameters
    ----------
    labels : (n,) array of class values
        One per example, or per row of counted ones; None, NaN, "" or -1 (unless it is
        a class) where unknown.
    signals : WeakSignals, optional
        The votes on the labelled examples, if they are not among those that are fitted.

    Examples
    --------
    >>> from corral import FromLabels, WeakSignals
    >>> votes = WeakSignals.from_votes([[1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]] * 5)
    >>> rates = FromLabels([1, 0, 1, 0] + [-1] * 16).estimate(votes)
    >>> rates.error_rates.argmin(), rates.error_rates.argmax()
    (np.int64(0), np.int64(2))
    >>> print(rates.accuracy)
    100% (60% to 100%)
    """

    labels: ArrayLike
    signals: WeakSignals | None = None

    def estimate(self, signals: WeakSignals) -> Rates:
        """Estimate the rates, and the labels that go with them."""
        sample = signals if self.signals is None else signals.schema.read(self.signals)
        found = find_informedness(signals)
        reference = default_model(signals, found)
        original = found.first == np.arange(signals.n_signals)
        voice = (signals.cast > 0) * original[signals.schema.signal].astype(float)
        learned = learn_from(reference, sample, self.labels, voice)
        labels = reference.row_labels(signals)
        of_votes = signals.error_rates(labels)
        rates, errors, prior_votes, seen = _shrink_rates(
            learned.labelled,
            learned.truth,
            of_votes,
            find_standard_errors(signals, labels, of_votes, found),
        )
        varies = found.varies if rates.ndim == 1 else found.varies[:, None]
        balance = signals.counts @ learned.model.row_labels(signals)
        return Rates(
            rates,
            errors,
            learned.note,
            balance / balance.sum(),
            learned.model,
            np.maximum(varies, seen / (seen + prior_votes)),
            learned.accuracy,
        )


class Learned(NamedTuple):
    """What labelled examples tell beside a reference."""

    model: LogLinear  # the reference, moved
    labelled: WeakSignals  # the votes on the labelled examples, and what each counts
    truth: FloatArray  # (l, k) their classes, one-hot
    accuracy: Accuracy  # how often labels are right on them if each is left out
    note: str


def learn_from(
    reference: LogLinear,
    sample: WeakSignals,
    labels: ArrayLike,
    voice: FloatArray | None = None,
) -> Learned:
    """Move a reference by the class values (n,) that are known of a sample."""
    codes = code_labels(labels, sample.classes, len(sample))
    known = np.flatnonzero((codes >= 0) & (sample.row_weights > 0))
    if not len(known):
        raise ParameterError("at least one true label is needed; all are unknown.")
    labelled = sample.take(known)
    counts, truth = labelled.row_weights, np.eye(sample.n_classes)[codes[known]]
    # Matrices are small: threads would wait for each other, many times longer.
    with threadpool_limits(limits=1, user_api="blas"):
        right = score_left_out(reference, labelled, truth, voice)
        model = move_weights(reference, labelled, truth, voice)
    # As everywhere, of the examples with a vote; labels of others are a guess.
    voted = labelled.covered if labelled.covered.any() else np.ones(len(known), bool)
    accuracy = Accuracy.of(right[voted], counts[voted])
    note = (
        f"learned from {counts.sum():.0f} labelled examples and the votes; {accuracy} of "
        "those with a vote are labelled right if they are left out"
    )
    return Learned(model, labelled, truth, accuracy, note)


def score_left_out(
    reference: LogLinear,
    labelled: WeakSignals,
    truth: FloatArray,
    voice: FloatArray | None,
) -> FloatArray:
    """(l,) how far labels are right on labelled examples that did not move them.

    A row stands for as many examples as its count says. They are left out one by one, not
    together: without all others like it, an example would be labelled otherwise.
    """
    examples = np.clip(np.rint(labelled.row_weights), 1, MAX_FOLDS).astype(int)
    row = np.repeat(np.arange(len(truth)), examples)
    row = np.random.default_rng(0).permutation(row)  # like rows, some of them together
    n_parts = min(len(row), MAX_FOLDS)
    dealt = np.zeros((n_parts, len(truth)))
    np.add.at(dealt, (np.arange(len(row)) % n_parts, row), 1 / examples[row])
    right = np.zeros(len(truth))
    for part in dealt:
        kept, model = np.flatnonzero(part < 1), reference
        if len(kept):
            rest = labelled.take(kept)
            rest = rest._with(weights=rest.row_weights * (1 - part[kept]))
            model = move_weights(reference, rest, truth[kept], voice)
        found = winner_shares(model.labels(labelled))
        right += part * (found * truth).sum(axis=1)
    return right


def move_weights(
    reference: LogLinear,
    labelled: WeakSignals,
    truth: FloatArray,
    voice: FloatArray | None = None,
) -> LogLinear:
    """The model that labelled examples move away from the label-free `reference`.

    The weights of `labelled` are what examples count, `truth` (l, k) are their classes,
    one-hot, and `voice` (f,) is as for `LogLinear`: zero for votes that are not moved.
    """
    price = labelled.row_weights
    base = safe_log(reference.labels(labelled))
    labelled = hear(labelled, voice)
    schema, k = labelled.schema, labelled.n_classes
    F = labelled.F[labelled.row_of]
    seen = np.unique(F.indices)
    votes = F[:, seen].toarray()
    voices = replace(reference, voice=voice).voices(labelled)[labelled.row_of]
    votes /= np.sqrt(np.maximum(voices, 1))
    level = base - base.mean(axis=1, keepdims=True)
    # One for the class that a vote is about, less one if it says "not".
    named = np.where(schema.negated, -1.0, 1.0)[:, None] * np.eye(k)[schema.says]
    column = schema.column[seen]
    sizes = [1, k, schema.n_columns, len(seen) * k]
    spread = np.repeat([SPREAD, CLASS_SPREAD, SIGNAL_SPREAD, SPREAD], sizes)
    cuts = np.cumsum(sizes)[:-1]

    def split(theta: FloatArray) -> tuple[float, FloatArray, FloatArray, FloatArray]:
        """The level of trust, and weights of classes, questions, and votes (seen, k)."""
        trust, classes, columns, cells = np.split(spread * theta, cuts)
        return float(trust[0]), classes, columns, cells.reshape(-1, k)

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        trust, classes, columns, cells = split(theta)
        weights = cells + columns[column][:, None] * named[seen]
        scores = base + trust * level + classes + votes @ weights
        labels, evidence = posterior(scores)
        off = price[:, None] * (labels - truth)
        met = votes.T @ off
        by_column = np.bincount(column, (met * named[seen]).sum(axis=1), len(columns))
        slope = [[(level * off).sum()], off.sum(axis=0), by_column, met.ravel()]
        value = price @ (evidence - (truth * scores).sum(axis=1)) + theta @ theta / 2
        return float(value), spread * np.concatenate(slope) + theta

    began = np.zeros(len(spread))
    found = scipy.optimize.minimize(loss, began, jac=True, method="L-BFGS-B").x
    trust, classes, columns, cells = split(found)
    weights = columns[schema.column][:, None] * named
    weights[seen] += cells
    return LogLinear(
        weights,
        classes,
        reference.prior,
        rooted=True,
        voice=voice,
        silent_bias=classes,
        reference=reference,
        trust=1 + trust,
    )


def _shrink_rates(
    labelled: WeakSignals, truth: FloatArray, expected: FloatArray, spread: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Rates, their standard errors, what the expected are worth in votes, and votes seen.

    An expected rate with its standard error is worth a number of labelled votes: those
    that would tell it as exactly. Standard errors may be too large or too small for all
    signals alike, by a factor that the labelled votes tell; means are over the factor.
    """
    schema = labelled.schema
    seen: Any = schema.by_signal(schema.by_column(labelled.cast))
    wrong = seen * np.nan_to_num(labelled.error_rates(row_means(labelled, truth)))
    own = expected * (1 - expected) / spread**2 - 1
    own = np.clip(own, MIN_PRIOR_VOTES, MAX_PRIOR_VOTES)
    prior_votes = np.multiply.outer(FACTORS, own)
    heard = (seen > 0) & ~np.isnan(expected)
    inner = np.clip(expected[heard], 1e-3, 1 - 1e-3)
    a, b = prior_votes[:, heard] * inner, prior_votes[:, heard] * (1 - inner)
    x, n = wrong[heard], seen[heard]
    betaln = scipy.special.betaln
    likely = (betaln(a + x, b + n - x) - betaln(a, b)).sum(axis=1)
    likely -= (np.log(FACTORS) / FACTOR_SPREAD) ** 2 / 2
    share = softmax(likely[None])[0]
    rates = (wrong + prior_votes * expected) / (seen + prior_votes)
    variances = rates * (1 - rates) / (seen + prior_votes + 1)
    mean = np.tensordot(share, rates, 1)
    errors = np.sqrt(np.tensordot(share, variances + (rates - mean) ** 2, 1))
    return mean, errors, np.tensordot(share, prior_votes, 1), seen
