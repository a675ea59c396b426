"""Error rates that the user gives.

A number is one rate for all signals; an array or a mapping by name is one rate per
signal; an array (m, k) is one rate per signal and class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from corral._types import FloatArray
from corral.constraints import Rows
from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.signals import WeakSignals


class RateSource(StrEnum):
    """Where rates come from; decides whether to warn if they cannot be met."""

    UNIFORM = "uniform"
    GIVEN = "given"
    ESTIMATED = "estimated"


@dataclass(frozen=True)
class Uniform:
    """The same rate for every signal.

    Parameters
    ----------
    rate : float
        The paper takes 0.01 for sparse keyword signals and ``1 / k`` for image
        signals.
    """

    rate: float


@dataclass(frozen=True)
class SignalRates:
    """Checked rates.

    Attributes
    ----------
    rates : (m,) or (m, k) array of float
    source : RateSource
    """

    rates: FloatArray
    source: RateSource


def resolve_rates(
    spec: Any,
    signals: WeakSignals,
    rows: Rows,
    *,
    allow_above_chance: bool = False,
    multilabel: bool = False,
) -> SignalRates:
    """Read what a user gave as `error_rates`.

    Parameters
    ----------
    spec : float, Uniform, array (m,) or (m, k), or mapping from name to rate
    signals : WeakSignals
    rows : Rows
        The constraints that the rates are for.
    allow_above_chance : bool
        Take a uniform rate that is worse than guessing.
    multilabel : bool
        Whether an example may have any number of classes; a guess is then wrong one time
        in two.

    Examples
    --------
    >>> from corral import WeakSignals
    >>> from corral.constraints import label_space
    >>> from corral.error_rates import resolve_rates
    >>> signals = WeakSignals.from_votes([[0, 1], [1, 1]], names=["rule", "crowd"])
    >>> rows = label_space(signals).rows
    >>> resolve_rates({"rule": 0.1, "crowd": 0.3}, signals, rows).rates.tolist()
    [0.1, 0.3]
    """
    if isinstance(spec, Uniform):
        if np.ndim(spec.rate) != 0:
            raise ParameterError(f"Uniform takes one rate; {spec.rate!r} was given.")
        spec = spec.rate
    if isinstance(spec, Mapping):
        spec = by_name("error_rates", spec, signals)
    try:
        if isinstance(spec, str) or np.iscomplexobj(spec):
            raise TypeError
        rates = np.asarray(spec, float)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "must be a number, an array with one rate per signal, a mapping from signal "
            'name to rate, "auto", or an estimator such as corral.Auto(); '
            f"{spec!r} was given.",
            parameter="error_rates",
        ) from error
    if not ((rates >= 0) & (rates <= 1)).all():
        bad = rates[~((rates >= 0) & (rates <= 1))].ravel()[0]
        raise ParameterError(f"error rates must be between 0 and 1; {bad:g} was given.")
    if rates.ndim == 0:
        full = np.full(signals.n_signals, float(rates))
        limit = float(chance(signals, rows, multilabel=multilabel).min())
        _check_uniform(float(rates), signals, limit, allow_above_chance)
        return SignalRates(full, RateSource.UNIFORM)
    if rates.shape == (signals.n_signals, 2) and signals.n_label_columns == 1:
        # Being wrong about one of two classes is being wrong about the other.
        if not np.array_equal(rates[:, 0], rates[:, 1]):
            raise ParameterError(
                "with two classes a signal errs as often on one as on the other; the two "
                "columns of error_rates differ."
            )
        rates = rates[:, 0]
    shapes = [(signals.n_signals,), (signals.n_signals, signals.n_classes)]
    if rates.shape not in shapes:
        raise ParameterError(
            f"must have one rate for each of the {signals.n_signals} signals, "
            f"{shapes[0]}, or one per signal and class, {shapes[1]}; the shape given is "
            f"{rates.shape}.",
            parameter="error_rates",
        )
    above = _above_chance(rates, signals, rows, multilabel)
    if above:
        warn_user(
            "error rates above chance, so these signals count against what they say: "
            + ", ".join(above),
            SignalsWarning,
        )
    return SignalRates(rates, RateSource.GIVEN)


def by_name(name: str, spec: Mapping[str, float], signals: WeakSignals) -> list[float]:
    """Numbers (m,) in the order of the signals; `name` is what they were given as."""
    unknown = [signal for signal in spec if signal not in signals.names]
    missing = [signal for signal in signals.names if signal not in spec]
    if unknown or missing:
        raise ParameterError(
            "must name every signal once; "
            + (f"unknown: {', '.join(map(repr, unknown))}; " if unknown else "")
            + (f"missing: {', '.join(map(repr, missing))}; " if missing else "")
            + f"the signals are {', '.join(signals.names)}.",
            parameter=name,
        )
    return [spec[signal] for signal in signals.names]


def chance(signals: WeakSignals, rows: Rows, *, multilabel: bool = False) -> FloatArray:
    """The rate of a guess, for every row.

    A class vote or a signal that only ever says "yes" guesses wrong at ``1 - 1/k``;
    a one-vs-rest signal that always says "no" is wrong at ``1/k``. Where an example may
    have any number of classes, both are one half.
    """
    k = 2 if multilabel else signals.n_classes
    if signals.names_classes:
        return np.full(len(rows), 1 - 1 / k)
    return np.where(rows.mean == 1, 1 - 1 / k, 1 / k)


def _check_uniform(
    rate: float, signals: WeakSignals, limit: float, allow_above_chance: bool
) -> None:
    if rate > limit and not allow_above_chance:
        raise ParameterError(
            f"a uniform error rate of {rate:g} is above chance, {limit:g} for these "
            f"{signals.kind.value} of {signals.n_classes} classes, and would turn every "
            "label around. Give a smaller rate, or one per signal; "
            "`allow_above_chance` lifts this limit."
        )


def _above_chance(
    rates: FloatArray, signals: WeakSignals, rows: Rows, multilabel: bool
) -> list[str]:
    if rates.ndim == 2 and signals.names_classes:
        # Rates of single classes of class votes: chance depends on the share of votes.
        k = signals.n_classes
        limit = (1 - 1 / k) * (rows.mean + (1 - rows.mean) / max(1, k - 1))
        given = rates[rows.signal, rows.label]
    else:
        limit = chance(signals, rows, multilabel=multilabel)
        given = (
            rates[rows.signal, rows.label] if rates.ndim == 2 else rates[rows.signal]
        )
    worse = sorted(set(rows.signal[given > limit + 1e-12].tolist()))
    return [signals.names[i] for i in worse]
