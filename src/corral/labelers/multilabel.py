"""Multi-label tasks, class by class, with what signals are worth pooled over classes.

Every class is a task of its own with the classes "no" and "yes". A class with few votes
tells little of a signal, but how good the signal is on the other classes does: what a vote
is worth, its log-likelihood ratio, is shrunk toward the mean of the same vote of the same
signal over all classes. How far is told by the votes: as far as the values differ by no
more than their sampling errors (DerSimonian and Laird's estimate of the variance between
classes, one for all signals).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.errors import CorralWarning, warn_user
from corral.model import LogLinear
from corral.progress import progress
from corral.votes import WeakSignals

ALIKE_CHARACTERS = 20
"""Characters from which on warnings of two classes are one; the rest has numbers."""
PRIOR_VOTES = 0.5
"""Votes added to every count, so that a sampling error is finite."""


@dataclass(frozen=True, eq=False)
class ClassFit:
    """What was found of one class.

    Attributes
    ----------
    position : int
        Of the class.
    speakers : (s,) array of int
        The signals that speak of it.
    view : WeakSignals
        What they say of the class.
    found : Any
        What was learned beside the model: rates, or a fitted labeler.
    model : LogLinear or None
    """

    position: int
    speakers: IntArray
    view: WeakSignals
    found: Any
    model: LogLinear | None


def fit_classes(
    signals: WeakSignals, find: Callable[[int, WeakSignals], tuple[Any, Any]]
) -> list[ClassFit]:
    """Learn every class that any signal votes on; refuse signals that vote on none.

    Parameters
    ----------
    signals : WeakSignals
        One-vs-rest.
    find : callable
        From the position of a class and what signals say of it to what was found, and a
        model or None.
    """
    fits = []
    caught: dict[Any, list[str]] = {}
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
            with _gather_warnings(caught, str(value)):
                found, model = find(k, view)
            fits.append(ClassFit(k, speakers, view, found, model))
    for (category, said), names in caught.items():
        classes = "class" if len(names) == 1 else "classes"
        warn_user(f"{classes} {', '.join(names)}: {said}", category)
    require_votes(len(fits))
    return fits


@contextmanager
def _gather_warnings(caught: dict[Any, list[str]], name: str) -> Iterator[None]:
    """Note what is warned of, and the classes it is about; others are passed on."""
    with warnings.catch_warnings(record=True) as new:
        warnings.simplefilter("always")
        yield
    for one in new:
        if not issubclass(one.category, CorralWarning):
            warn_user(one.message, one.category)
            continue
        said = str(one.message)
        start = said[:ALIKE_CHARACTERS]
        alike = [key for key in caught if key[1].startswith(start)]
        key = alike[0] if alike else (one.category, said)
        caught.setdefault(key, []).append(name)


def join_classes(
    signals: WeakSignals, fits: list[ClassFit], balance: FloatArray | None = None
) -> LogLinear:
    """One model of all classes, from a model of "no" and "yes" for each.

    Parameters
    ----------
    signals : WeakSignals
    fits : list of ClassFit
        With models.
    balance : (k,) array of float, optional
        Shares of the classes, for entries without a vote; default one half, or the share
        that the class has if signals say both "yes" and "no" of it.
    """
    models = [fit.model for fit in fits]
    worths = [_worth(model) for model in models if model is not None]
    variances, groups = [], []
    for fit in fits:
        met = fit.view.moments(fit.model.row_labels(fit.view))  # type: ignore[union-attr]
        variances.append((1 / (met + PRIOR_VOTES)).sum(axis=1))
        groups.append((2 * fit.speakers[:, None] + np.array([0, 1])).ravel())
    cast = [fit.view.cast > 0 for fit in fits]
    used = np.concatenate(cast)
    pooled = np.concatenate(worths)
    pooled[used] = shrink(
        pooled[used], np.concatenate(variances)[used], np.concatenate(groups)[used]
    )
    pooled[~used] = 0.0
    edges = np.cumsum([len(worth) for worth in worths])[:-1]
    return _join(signals, fits, models, np.split(pooled, edges), balance)


def _worth(model: LogLinear) -> FloatArray:
    """(f,) what votes "no" and "yes" add to the log-odds of "yes"."""
    if model.weights.ndim == 2:
        found: FloatArray = model.weights[:, 1] - model.weights[:, 0]
        return found
    return np.where(
        np.arange(len(model.weights)) % 2 == 1, model.weights, -model.weights
    )


def _join(
    signals: WeakSignals,
    fits: list[ClassFit],
    models: list[Any],
    worths: list[FloatArray],
    balance: FloatArray | None,
) -> LogLinear:
    k = signals.n_classes
    weights, bias = np.zeros(signals.schema.n_features), np.zeros(k)
    prior, spread, trust = np.full(k, 0.5), np.ones(k), np.ones(k)
    doubt, voice = np.full(k, 0.5), np.zeros(len(weights))
    for fit, model, worth in zip(fits, models, worths, strict=True):
        at = fit.position
        first = 2 * (fit.speakers * k + at)
        weights[first], weights[first + 1] = -worth[::2], worth[1::2]
        own = fit.view.cast > 0 if model.voice is None else model.voice
        voice[first], voice[first + 1] = own.reshape(-1, 2).T
        bias[at] = model.bias[1] - model.bias[0]
        spread[at], trust[at] = model.spread, model.trust
        doubt[at] = 0.5 if model.doubt is None else model.doubt[1]
        # Signals that only ever say "yes" leave open how many "no" there are.
        hard = fit.view.harden().cast.reshape(-1, 2).sum(axis=0)
        prior[at] = model.prior[1] if hard.all() else 0.5
    reference = None
    if models[0].reference is not None:
        before = [model.reference for model in models]
        own = [_worth(model) for model in before]
        reference = _join(signals, fits, before, own, balance)
    return replace(
        models[0],
        weights=weights,
        bias=bias,
        prior=prior if balance is None else balance,
        multilabel=True,
        spread=spread,
        doubt=doubt,
        voice=voice,
        trust=trust,
        reference=reference,
        keeps_all=False,
    )


def shrink(values: FloatArray, variances: FloatArray, group: IntArray) -> FloatArray:
    """Values (f,) moved toward the mean of their group, as far as errors explain them.

    Parameters
    ----------
    values, variances : (f,) arrays of float
        Estimates, and the squares of their standard errors.
    group : (f,) array of int

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.multilabel import shrink
    >>> group = np.array([0, 0, 0, 1])
    >>> shrink(np.array([1.0, 1.1, 3.0, 9.0]), np.full(4, 4.0), group).round(2).tolist()
    [1.7, 1.7, 1.7, 9.0]
    >>> shrink(np.array([1.0, 1.1, 3.0, 9.0]), np.full(4, 0.1), group).round(2).tolist()
    [1.06, 1.15, 2.9, 9.0]
    """
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
