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
import scipy

from corral._types import FloatArray, IntArray
from corral.checks import require_votes
from corral.error_rates import FromLabels, RateEstimator, Rates, VoteModel
from corral.errors import CorralWarning, ParameterError, warn_user
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.model import Model
from corral.progress import progress
from corral.signals import WeakSignals
from corral.signals.one_class import NO_YES, speakers_of

ALIKE = 20
"""Characters from which on warnings of two classes are one; the rest has numbers."""
LEAST = 0.5
"""Votes added to every count, so that a sampling error is finite."""


@dataclass(frozen=True, eq=False)
class ClassFit:
    """What was found of one class.

    Attributes
    ----------
    position : int
        Of the class.
    speakers : (s,) array of int
    view : WeakSignals
        What they say of the class.
    found : Any
        What was learned beside the model: rates, or a fitted labeler.
    model : Model or None
    """

    position: int
    speakers: IntArray
    view: WeakSignals
    found: Any
    model: Model | None


def fit_classes(
    signals: WeakSignals,
    weights: FloatArray | None,
    find: Callable[[int, IntArray, WeakSignals], tuple[Any, Any]],
) -> list[ClassFit]:
    """Learn every class that any signal votes on; refuse signals that vote on none.

    Parameters
    ----------
    signals : WeakSignals
        One-vs-rest.
    weights : (n,) array of float, optional
        Votes on examples without a weight are none.
    find : callable
        From the position of a class, the signals that speak of it and what they say to
        what was found, and a model or None.
    """
    fits = []
    caught: dict[Any, list[str]] = {}
    with progress("learning classes", signals.n_classes, "classes") as bar:
        for k, value in enumerate(signals.classes):
            bar.advance()
            speakers = speakers_of(signals._data, k)
            if not len(speakers):
                continue
            view = signals.about(value, speakers)
            voted = view.harden().covered
            if not (voted if weights is None else weights[voted]).any():
                continue
            with _gather_warnings(caught, str(value)):
                found, model = find(k, speakers, view)
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
        alike = [key for key in caught if key[1][:ALIKE] == said[:ALIKE]]
        key = alike[0] if alike else (one.category, said)
        caught.setdefault(key, []).append(name)


def combine(
    fits: list[ClassFit],
    weights: FloatArray | None,
    balance: FloatArray | None,
    k: int,
    *,
    pool: bool = True,
) -> ColumnModels:
    """One model of all classes.

    Parameters
    ----------
    fits : list of ClassFit
        With models.
    weights : (n,) array of float, optional
        Of the examples.
    balance : (k,) array of float, optional
        Shares of the classes, for entries without a vote.
    k : int
        Number of classes.
    pool : bool
        Shrink what votes are worth toward the mean over the classes, where they have
        weights.
    """
    models = [fit.model for fit in fits]
    if pool and all(isinstance(model, VoteModel) for model in models):
        models = _pool_models(fits, weights)
    columns = tuple(
        ClassModel(fit.position, fit.speakers, model)
        for fit, model in zip(fits, models, strict=True)
        if model is not None
    )
    prior = np.full(k, np.nan)
    for fit in fits:
        # Signals that only ever say "yes" leave open how many "no" there are.
        _, _, vote = fit.view.harden().cells()
        if len(np.unique(vote)) < len(NO_YES):
            prior[fit.position] = 0.5
    return ColumnModels(columns, prior if balance is None else balance)


def _pool_models(fits: list[ClassFit], weights: FloatArray | None) -> list[Any]:
    """The models of all classes, with weights that are shrunk toward their mean."""
    worth, variance, group = [], [], []
    for fit in fits:
        model: Any = fit.model
        table = count_votes(fit.view, model.labels(fit.view), weights)
        cast = table[model.signal, model.vote] + LEAST  # (f, 2), by "no" and "yes"
        worth.append(model.weights[:, 1] - model.weights[:, 0])
        variance.append((1 / cast).sum(axis=1))
        group.append(fit.speakers[model.signal] * len(NO_YES) + model.vote)
    pooled = shrink(*map(np.concatenate, (worth, variance, group)))
    models, start = [], 0
    for fit, own in zip(fits, worth, strict=True):
        half = (pooled[start : start + len(own)] - own)[:, None] / 2
        model = fit.model
        models.append(replace(model, weights=model.weights + half * [-1.0, 1.0]))
        start += len(own)
    return models


def count_votes(
    view: WeakSignals, labels: FloatArray, weights: FloatArray | None
) -> FloatArray:
    """(s, 2, 2) how often a signal says "no" or "yes" where labels (n, 2) are either."""
    row, column, vote = view.harden().cells()
    each = labels[row] if weights is None else labels[row] * weights[row, None]
    table = np.zeros((view.n_signals, len(NO_YES), len(NO_YES)))
    np.add.at(table, (column, vote), each)
    return table


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
    >>> from corral.labelers.by_class import shrink
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


def entry_errors(
    signals: WeakSignals, fits: list[ClassFit], model: ColumnModels, weights: Any
) -> FloatArray:
    """(m, k) how often every signal is wrong on every class, under the labels."""
    errors = np.full((signals.n_signals, signals.n_classes), np.nan)
    for fit, column in zip(fits, model.columns, strict=True):
        table = count_votes(fit.view, column.model.labels(fit.view), weights)
        cast, right = table.sum(axis=(1, 2)), np.trace(table, axis1=1, axis2=2)
        some = cast > 0
        at = fit.speakers[some]
        errors[at, fit.position] = 1 - right[some] / cast[some]
    return errors


def estimate_by_class(
    estimator: RateEstimator,
    signals: WeakSignals,
    weights: FloatArray | None,
    balance: FloatArray | None,
) -> Rates:
    """Error rates (m, k) of one-vs-rest signals, and the labels that go with them.

    Parameters
    ----------
    estimator : RateEstimator
        Asked for every class; of `FromLabels` the labels are (n, k).
    signals, weights
        As for `RateEstimator.estimate`.
    balance : (k,) array of float, optional
        As for `combine`.
    """

    def find(k: int, speakers: IntArray, view: WeakSignals) -> tuple[Any, Any]:
        own = estimator
        if isinstance(estimator, FromLabels):
            own = _labels_of(estimator, signals.classes[k], k, speakers)
        rates = own.estimate(view, weights)
        return rates, getattr(rates, "model", None)

    fits = fit_classes(signals, weights, find)
    shape = signals.n_signals, signals.n_classes
    tables = {
        name: np.full(shape, np.nan)
        for name in ("error_rates", "standard_errors", "learned")
    }
    for fit in fits:
        for name, table in tables.items():
            if getattr(fit.found, name) is not None:
                table[fit.speakers, fit.position] = getattr(fit.found, name)
    shares = [fit.found.class_balance for fit in fits]
    class_balance = None
    if all(share is not None for share in shares):
        class_balance = np.full(signals.n_classes, 0.5)
        class_balance[[fit.position for fit in fits]] = [share[1] for share in shares]
    model = None
    if all(fit.model is not None for fit in fits):
        model = combine(fits, weights, balance, signals.n_classes)
        tables["error_rates"] = entry_errors(signals, fits, model, weights)
    else:
        tables["error_rates"] = _pool_rates(
            tables["error_rates"], tables["standard_errors"]
        )
    learned = tables["learned"]
    return Rates(
        tables["error_rates"],
        tables["standard_errors"],
        f"{len(fits)} classes, each for itself, with what votes are worth pooled over "
        f"them; {signals.classes[fits[0].position]}: {fits[0].found.note}",
        class_balance,
        model,
        None if np.isnan(learned).all() else learned,
    )


def _pool_rates(rates: FloatArray, errors: FloatArray) -> FloatArray:
    """Rates (m, k) without a model: their log-odds, shrunk over the classes."""
    known = ~np.isnan(rates)
    inner = np.clip(rates[known], 1e-3, 1 - 1e-3)
    spread = np.maximum(errors[known], 1e-3) / (inner * (1 - inner))
    signal = np.nonzero(known)[0]
    pooled = rates.copy()
    pooled[known] = scipy.special.expit(
        shrink(scipy.special.logit(inner), spread**2, signal)
    )
    return pooled


def _labels_of(
    estimator: FromLabels, value: Any, k: int, speakers: IntArray
) -> FromLabels:
    """The estimator of one class: whether labelled examples have it."""
    sample = estimator.signals
    assert sample is not None  # the labeler has put it there
    labels: Any = np.asarray(estimator.labels)
    shape = (len(sample), sample.n_classes)
    if labels.shape != shape or labels.dtype.kind not in "biuf":
        raise ParameterError(
            "the labels of FromLabels in a multi-label task are 0 and 1 of the shape "
            f"{shape}, NaN or -1 where unknown; an array of shape {labels.shape} came."
        )
    own = labels[:, k].astype(float)
    words = np.full(len(own), None, object)
    for code, word in enumerate(NO_YES.tolist()):
        words[own == code] = word
    return replace(estimator, labels=words, signals=sample.about(value, speakers))
