"""Multi-label tasks, class by class, with what votes are worth pooled over classes.

Every class is a task of its own with the classes "no" and "yes". A class with few votes
tells little of a signal, but how good the signal is on the other classes does: what a vote
is worth, its log-likelihood ratio, is shrunk toward the mean of the same vote of the same
signal over all classes, the more the values differ by no more than their sampling errors
(DerSimonian and Laird's estimate of the variance between classes, one for all signals).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.constraints import read_truth
from corral.errors import ParameterError
from corral.model import LogLinear
from corral.progress import progress
from corral.rates import Auto, FromLabels, RateEstimator, Rates
from corral.votes import WeakSignals

PRIOR_VOTES = 0.5
"""Votes added to every count, so that a sampling error is finite."""


class ClassFit(NamedTuple):
    """What was found of one class."""

    position: int
    speakers: IntArray  # (s,) the signals that speak of it
    view: WeakSignals  # what they say of it
    rates: Rates
    model: LogLinear


def estimate_by_class(
    estimator: RateEstimator, signals: WeakSignals, balance: FloatArray | None
) -> Rates:
    """Error rates (m, k) of one-vs-rest signals, and the labels that go with them.

    `balance` (k,) has the shares of the classes, for entries without a vote; default one
    half, or the estimated share if signals say both "yes" and "no" of the class.
    """
    truth, sample = None, signals
    if isinstance(estimator, FromLabels):
        sample = signals if estimator.signals is None else estimator.signals
        truth = read_truth(estimator.labels, len(sample), sample.classes)
        if np.isnan(truth).all():
            raise ParameterError("at least one true label is needed; all are unknown.")
    fits = []
    with progress("learning classes", signals.n_classes, "classes") as bar:
        for k, value in enumerate(signals.classes.tolist()):
            bar.advance()
            speakers = signals.speakers(k)
            if not len(speakers):
                continue
            view = signals.for_class(value)
            hard = view.harden()
            if not hard.counts[hard.covered_rows].any():
                continue
            own: Any = estimator
            if truth is not None and np.isnan(truth[:, k]).all():
                own = Auto()
            elif truth is not None:
                words = np.array(["no", "yes", None], object)
                labels = words[np.nan_to_num(truth[:, k], nan=2).astype(int)]
                other = None if sample is signals else sample.for_class(value)
                own = replace(own, labels=labels, signals=other)
            rates = own.estimate(view)
            model = getattr(rates, "model", None)
            if model is None:
                raise ParameterError(
                    f"{type(estimator).__name__} gives no labels, only rates. With "
                    'multilabel=True, use "auto", gold labels or rates that you know.',
                    parameter="error_rates",
                )
            if truth is not None and model.reference is None:
                # No label of this class is known: its model is the reference, unmoved.
                still, none = np.zeros((len(model.weights), 2)), np.zeros(2)
                model = LogLinear(
                    still,
                    none,
                    model.prior,
                    silent_bias=none,
                    rooted=True,
                    reference=model,
                )
            fits.append(ClassFit(k, speakers, view, rates, model))
    require_votes(len(fits))
    model = join_classes(signals, fits, balance)
    shape = signals.n_signals, signals.n_classes
    errors, learned = np.full(shape, np.nan), np.full(shape, np.nan)
    shares = np.full(signals.n_classes, 0.5)
    for fit in fits:
        at = fit.speakers, fit.position
        errors[at], learned[at] = fit.rates.standard_errors, fit.rates.learned
        if fit.rates.class_balance is not None:
            shares[fit.position] = fit.rates.class_balance[1]
    return Rates(
        signals.error_rates(model.row_labels(signals)),
        errors,
        f"each of {len(fits)} classes has its own, with what votes are worth pooled; "
        f"{signals.classes[fits[0].position]}: {fits[0].rates.note}",
        shares,
        model,
        learned,
    )


def join_classes(
    signals: WeakSignals, fits: list[ClassFit], balance: FloatArray | None
) -> LogLinear:
    """One model of all classes, from a model of "no" and "yes" for each."""
    variances, groups = [], []
    for fit in fits:
        met = fit.view.moments(fit.model.row_labels(fit.view))
        variances.append((1 / (met + PRIOR_VOTES)).sum(axis=1))
        groups.append((2 * fit.speakers[:, None] + np.array([0, 1])).ravel())
    used = np.concatenate([fit.view.cast > 0 for fit in fits])
    pooled = np.concatenate([_log_odds_of_votes(fit.model) for fit in fits])
    pooled[used] = shrink(
        pooled[used], np.concatenate(variances)[used], np.concatenate(groups)[used]
    )
    pooled[~used] = 0.0
    edges = np.cumsum([2 * len(fit.speakers) for fit in fits])[:-1]
    joined = _join(signals, fits, np.split(pooled, edges), balance)
    references = [
        fit._replace(model=fit.model.reference)
        for fit in fits
        if fit.model.reference is not None
    ]
    if not references:
        return joined
    log_odds = [_log_odds_of_votes(fit.model) for fit in references]
    return replace(joined, reference=_join(signals, references, log_odds, balance))


def _log_odds_of_votes(model: LogLinear) -> FloatArray:
    """(f,) what votes "no" and "yes" add to the log-odds of "yes"."""
    if model.weights.ndim == 2:
        return np.asarray(model.weights[:, 1] - model.weights[:, 0])
    says_yes = np.arange(len(model.weights)) % 2 == 1
    return np.where(says_yes, model.weights, -model.weights)


def _join(
    signals: WeakSignals,
    fits: list[ClassFit],
    log_odds: list[FloatArray],
    balance: FloatArray | None,
) -> LogLinear:
    k = signals.n_classes
    weights, bias = np.zeros(signals.schema.n_features), np.zeros(k)
    prior, spread, trust = np.full(k, 0.5), np.ones(k), np.ones(k)
    doubt, voice = np.full(k, 0.5), np.zeros(len(weights))
    for fit, own in zip(fits, log_odds, strict=True):
        at, model = fit.position, fit.model
        no = 2 * (fit.speakers * k + at)
        weights[no], weights[no + 1] = -own[::2], own[1::2]
        heard = fit.view.cast > 0 if model.voice is None else model.voice
        voice[no], voice[no + 1] = heard.reshape(-1, 2).T
        bias[at] = model.bias[1] - model.bias[0]
        spread[at], trust[at] = model.spread, model.trust
        doubt[at] = 0.5 if model.doubt is None else model.doubt[1]
        # Signals that only ever say "yes" leave open how many "no" there are.
        hard = fit.view.harden().cast.reshape(-1, 2).sum(axis=0)
        prior[at] = model.prior[1] if hard.all() else 0.5
    return replace(
        fits[0].model,
        weights=weights,
        bias=bias,
        prior=prior if balance is None else balance,
        multilabel=True,
        spread=spread,
        doubt=doubt,
        voice=voice,
        trust=trust,
        silent_bias=None,
        reference=None,
    )


def shrink(values: FloatArray, variances: FloatArray, group: IntArray) -> FloatArray:
    """Values (f,) moved toward the mean of their group (f,) if errors explain them."""
    _, group = np.unique(group, return_inverse=True)
    precision = 1 / variances

    def mean(weight: FloatArray) -> FloatArray:
        return np.bincount(group, weight * values) / np.bincount(group, weight)

    total = np.bincount(group, precision)
    scatter = float((precision * (values - mean(precision)[group]) ** 2).sum())
    freedom = len(values) - len(total)
    room = float((total - np.bincount(group, precision**2) / total).sum())
    between = max(0.0, (scatter - freedom) / room) if room > 0 else 0.0
    centre = mean(1 / (variances + between))[group]
    return centre + between / (between + variances) * (values - centre)
