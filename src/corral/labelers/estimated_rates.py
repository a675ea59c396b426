"""Error rates that are estimated, and the space of labels that they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.checks import require_votes
from corral.constraints import LabelSpace, Rows, label_space, row_rates
from corral.error_rates import (
    Auto,
    FromLabels,
    RateEstimator,
    Rates,
    RateSource,
    SignalRates,
    resolve_rates,
)
from corral.errors import ParameterError
from corral.labelers.by_class import estimate_by_class
from corral.labelers.fit_data import FitData
from corral.signals import WeakSignals
from corral.solvers import Solution, Status
from corral.solvers.solution import TOLERANCE


def estimator_of(spec: Any) -> RateEstimator | None:
    """The estimator that a user gave as `error_rates`; None if it is something else.

    Examples
    --------
    >>> from corral.labelers.estimated_rates import estimator_of
    >>> estimator_of("auto")
    Auto()
    """
    if isinstance(spec, str) and spec == "auto":
        return Auto()
    if isinstance(spec, type) or not hasattr(spec, "estimate"):
        return None
    estimator: RateEstimator = spec
    return estimator


def estimate_rates(
    estimator: RateEstimator,
    whole: FitData,
    used: FitData,
    *,
    multilabel: bool = False,
    balance: FloatArray | None = None,
) -> Rates:
    """Estimate from what is fitted on, and check the result.

    Parameters
    ----------
    estimator : RateEstimator
    whole : FitData
        All examples; labels of `FromLabels` belong to these.
    used : FitData
        Those fitted on, `whole` or a sample of it.
    multilabel : bool
        Estimate the rates of every class by themselves.
    balance : (k,) array of float, optional
        Then the shares of the classes, if they are known.
    """
    if isinstance(estimator, FromLabels) and estimator.signals is None:
        if whole.signals.counts is not None:
            raise ParameterError(
                "the labels of FromLabels belong to single examples, but these signals "
                "are counted: a row stands for many. Give the votes on the labelled "
                "examples, FromLabels(labels, signals=...)."
            )
        estimator = replace(estimator, signals=whole.signals)
    if multilabel:
        rates = estimate_by_class(estimator, used.signals, used.weights, balance)
    else:
        rates = estimator.estimate(used.signals, used.weights)
    if not isinstance(rates, Rates):
        raise ParameterError(
            f"{type(estimator).__name__}.estimate must return corral.Rates; "
            f"{type(rates).__name__} came."
        )
    signals, found = used.signals, np.asarray(rates.error_rates)
    shapes = [(signals.n_signals,), (signals.n_signals, signals.n_label_columns)]
    if found.shape not in shapes or (found < 0).any() or (found > 1).any():
        raise ParameterError(
            f"{type(estimator).__name__} must estimate a rate between 0 and 1 for each "
            f"of the {signals.n_signals} signals (NaN: unknown); an array of shape "
            f"{found.shape} from {np.nanmin(found):g} to {np.nanmax(found):g} came."
        )
    return rates


def signal_rates(
    spec: Any,
    estimated: Rates | None,
    signals: WeakSignals,
    rows: Rows,
    **options: bool,
) -> SignalRates:
    """Error rates that were estimated, or given, or neither (NaN).

    Parameters
    ----------
    spec : None, or what `resolve_rates` takes
    estimated : Rates or None
        In place of `spec`.
    signals, rows, **options
        As for `resolve_rates`.
    """
    if estimated is not None:
        return SignalRates(estimated.error_rates, RateSource.ESTIMATED)
    if spec is None:
        return SignalRates(np.full(signals.n_signals, np.nan), RateSource.GIVEN)
    return resolve_rates(spec, signals, rows, **options)


def rate_space(
    spec: Any,
    estimated: Rates | None,
    data: FitData,
    *,
    joint: bool,
    allow_above_chance: bool,
    multilabel: bool,
) -> tuple[LabelSpace, SignalRates]:
    """The space of the error rates of what is fitted on, and these.

    Parameters
    ----------
    spec, estimated, allow_above_chance, multilabel
        As for `signal_rates`.
    data : FitData
    joint : bool
        Whether the labels of an example add up to one; see `Solver`.
    """
    signals, weights = data.signals, data.weights
    space = label_space(signals, weights=weights)
    require_votes(len(space.rows))
    rates = signal_rates(
        spec,
        estimated,
        signals,
        space.rows,
        allow_above_chance=allow_above_chance,
        multilabel=multilabel,
    )
    if joint and rates.rates.ndim == 1:
        space = label_space(signals, weights=weights, joint=True)
    by_row = row_rates(signals, space.rows, rates.rates)
    return replace(space, rates=by_row, multilabel=multilabel), rates


def estimated_solution(labels: FloatArray, space: LabelSpace) -> Solution:
    """The verdict on labels (p, k) that came with estimated rates: how far off these are.

    Parameters
    ----------
    labels : (p, k) array of float
        By pattern of the space.
    space : LabelSpace
        Has the estimated rates.
    """
    columns = labels.T[1:] if space.design.n_labels == 1 else labels.T
    errors = space.errors(columns)
    residual = errors - space.nearest(errors)
    missed = float(np.sqrt(np.mean(residual**2)))
    return Solution(
        labels=columns,
        example_labels=None,
        status=Status.ESTIMATED,
        iterations=0,
        residual=residual,
        implied_error_rates=errors,
        excess=missed,  # the least is not below zero; nothing better is known
        tolerance=TOLERANCE,
        history=np.array([missed]),
        rows_used=space.design.n_examples,
        model=None,
        gap=np.inf,  # no solver, no objective: nothing is certified
    )
