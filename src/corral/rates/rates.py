"""What every estimator of error rates returns, and rates that a user gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from corral._types import BoolArray, FloatArray
from corral.checks import check_share
from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.model import LogLinear
from corral.votes import WeakSignals

NEARLY_ALL = 0.95
"""Share from which a rate is called learned; below one less this, assumed."""
BALANCE_ROUNDING = 1e-6
"""What shares that add up to one may lack."""


ACCURACY_LEVEL = 0.9


def wilson_intervals(share: Any, n: Any, level: float) -> FloatArray:
    """(..., 2) Wilson's intervals of shares (...) seen in `n` trials."""
    squared = scipy.special.ndtri((1 + level) / 2) ** 2
    low, high = (wilson_bound(each, n, squared) for each in (share, 1 - share))
    return np.clip(np.stack([low, 1 - high], axis=-1), 0, 1)


def wilson_bound(share: Any, n: Any, squared_deviations: float) -> FloatArray:
    """(...) the lower end, that many squared standard deviations below."""
    width = squared_deviations / n
    spread = np.sqrt(width * share * (1 - share) + width**2 / 4)
    bound: FloatArray = (share + width / 2 - spread) / (1 + width)
    return bound


@dataclass(frozen=True)
class Accuracy:
    """A share of examples that are right, with a 90% interval (Wilson's)."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, right: FloatArray, counts: FloatArray) -> Accuracy:
        """From rows (n,) that are right, wrong or partly right, for `counts` examples."""
        share = np.average(right, weights=counts)
        ends = wilson_intervals(share, counts.sum(), ACCURACY_LEVEL)
        return cls(float(share), *ends.tolist())

    def __str__(self) -> str:
        return f"{self.value:.0%} ({self.low:.0%} to {self.high:.0%})"


@dataclass(frozen=True)
class Rates:
    """Estimated error rates, how sure they are, and how they were found.

    Attributes
    ----------
    error_rates : (m,) array of float, or (m, k) for one-vs-rest signals
        NaN where a signal never votes.
    standard_errors : array of float of the same shape
    note : str
        How the rates were found, and what to know about them.
    class_balance : (k,) array of float or None
        Estimated share of every class.
    model : LogLinear or None
        The labels that go with the rates.
    labels : (u, k) array of float or None
        These labels of the votes that the rates are from.
    learned : array of float of the shape of `error_rates`, or None
        How far the votes, or labels, tell the rate; the rest of it is assumed.
    accuracy : Accuracy or None
        How often the labels of `model` are right on labelled examples that were left out.
    given : (m,) array of bool or None
        Signals whose rate is not estimated, but known.
    """

    error_rates: FloatArray
    standard_errors: FloatArray
    note: str
    class_balance: FloatArray | None = None
    model: LogLinear | None = None
    learned: FloatArray | None = None
    accuracy: Accuracy | None = None
    given: BoolArray | None = None
    labels: FloatArray | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Whether the rate of every signal is given, learned or assumed, in a few words."""
        if self.learned is None:
            return ("estimated",) * len(self.error_rates)
        each = self.learned.reshape(len(self.learned), -1)
        known = ~np.isnan(each)
        mean = np.where(known, each, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        given = np.zeros(len(mean), bool) if self.given is None else self.given
        return tuple(
            "given" if known else name_source(share)
            for share, known in zip(mean.tolist(), given.tolist(), strict=True)
        )

    def intervals(self, level: float = 0.9) -> FloatArray:
        """(..., 2) ranges that hold the rate with probability `level`, within [0, 1]."""
        check_share("level", level, "between 0 and 1")
        half = scipy.special.ndtri((1 + level) / 2) * self.standard_errors
        ends = [self.error_rates - half, self.error_rates + half]
        return np.clip(np.stack(ends, axis=-1), 0, 1)


def name_source(learned: float) -> str:
    """What to call a rate of which so much is learned."""
    if learned < 1 - NEARLY_ALL:
        return "assumed"
    return "learned" if learned > NEARLY_ALL else f"{learned:.0%} learned"


class RateEstimator(Protocol):
    """Finds error rates from signals (and what it was constructed with)."""

    def estimate(self, signals: WeakSignals) -> Rates:
        """Estimate from signals; `counts` say what every distinct row weighs."""


def read_rates(
    spec: Any, signals: WeakSignals, *, multilabel: bool = False
) -> FloatArray:
    """Read what a user gave as `error_rates`: (m,), or (m, k).

    A number is one rate for all signals; an array or a mapping by name is one rate per
    signal; an array (m, k) is one rate per one-vs-rest signal and class. NaN, or a name
    that is not there, is a rate that is not known. In multi-label tasks a guess is wrong
    one time in two.
    """
    m, k = signals.n_signals, signals.n_classes
    if isinstance(spec, str | type):
        raise ParameterError(
            "must be a number, one per signal, a mapping from signal name to number, "
            f'"auto", or an estimator such as corral.Auto(); {spec!r} was given.',
            parameter="error_rates",
        )
    rates = signal_numbers("error_rates", spec, signals, partial=True)
    uniform = np.ndim(spec) == 0 and not isinstance(spec, Mapping)
    wrong = ~((rates >= 0) & (rates <= 1)) & ~(np.isnan(rates) & (not uniform))
    if wrong.any():
        bad = rates[wrong][0]
        raise ParameterError(f"error rates must be between 0 and 1; {bad:g} was given.")
    chance = _chance(signals, multilabel)
    if uniform and rates[0] > np.nanmin(chance):
        raise ParameterError(
            f"a uniform error rate of {rates[0]:g} is above chance, {np.nanmin(chance):g} "
            f"for these {signals.kind.value} of {k} classes, and would turn every label "
            "around. Give a smaller rate, or one per signal."
        )
    table, limits = rates.reshape(m, -1), chance.reshape(m, -1)
    worse = (table > limits + 1e-12).any(axis=1)
    if worse.any():
        names = ", ".join(signals.names[i] for i in np.flatnonzero(worse))
        warn_user(
            "error rates above chance, so these signals count against what they say: "
            + names,
            SignalsWarning,
        )
    return rates


def _chance(signals: WeakSignals, multilabel: bool) -> FloatArray:
    """(m,) the rate of a guess; (m, k) for one-vs-rest signals, NaN where they are silent.

    A class vote or a signal that only ever says "yes" guesses wrong at ``1 - 1/k``;
    a one-vs-rest signal that says "no" is wrong at ``1/k``. Where an example may have any
    number of classes, both are one half.
    """
    k = 2 if multilabel else signals.n_classes
    if signals.schema.names_classes:
        return np.full(signals.n_signals, 1 - 1 / k)
    no, yes = np.moveaxis(signals.cast.reshape(signals.n_signals, -1, 2), -1, 0)
    guess = np.where(no == 0, 1 - 1 / k, 1 / k)
    return np.where(no + yes > 0, guess, np.nan)


def signal_numbers(
    name: str,
    given: Any,
    signals: WeakSignals,
    *,
    within: bool = False,
    partial: bool = False,
) -> FloatArray:
    """Numbers (m,), or (m, k) for one-vs-rest signals, in any form a user gives them.

    `name` is what they were given as. `within`: refuse what is not between 0 and 1, as it
    has no finite log-odds. `partial`: NaN where unknown; a mapping may leave signals out.
    """
    names, listed = signals.names, given
    if isinstance(given, Mapping):
        unknown = [signal for signal in given if signal not in names]
        missing = [signal for signal in names if signal not in given]
        if unknown or (missing and not partial):
            raise ParameterError(
                f"must name {'signals' if partial else 'every signal once'}; "
                + (f"unknown: {', '.join(map(repr, unknown))}; " if unknown else "")
                + (f"missing: {', '.join(map(repr, missing))}; " if missing else "")
                + f"the signals are {', '.join(names)}.",
                parameter=name,
            )
        listed = [given.get(signal, np.nan) for signal in names]
    try:
        numbers = np.asarray(listed, float)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "must be a number, an array with one number per signal, or a mapping from "
            f"signal name to number; {given!r} was given.",
            parameter=name,
        ) from error
    if numbers.ndim == 0:
        numbers = np.full(len(names), float(numbers))
    shapes: list[tuple[int, ...]] = [(len(names),)]
    if not signals.schema.names_classes:
        shapes.append((len(names), signals.n_classes))
    known = np.isfinite(numbers)
    if numbers.shape not in shapes or not (known | (partial & np.isnan(numbers))).all():
        raise ParameterError(
            f"must be finite numbers, one for each of the {len(names)} signals, of the "
            f"shape {' or '.join(map(str, shapes))}; the shape given is {numbers.shape}.",
            parameter=name,
        )
    inside = (numbers > 0) & (numbers < 1)
    if within and not inside.all():
        raise ParameterError(
            "must be more than 0 and less than 1, as a vote that is always right could "
            f"never be outvoted; {numbers[~inside][0]:g} was given.",
            parameter=name,
        )
    return numbers


def check_balance(
    class_balance: ArrayLike | None,
    n_classes: int,
    *,
    multilabel: bool = False,
    positive: bool = False,
) -> FloatArray:
    """Shares (k,) of the classes as a user gave them; default even.

    In a multi-label task they need not add up to one; default one half each. `positive`:
    refuse shares of zero and one.
    """
    if class_balance is None:
        return np.full(n_classes, 0.5 if multilabel else 1 / n_classes)
    try:
        prior = np.asarray(class_balance, float)
    except (TypeError, ValueError):
        prior = np.empty(0)
    inside = (prior > 0) & (prior < 1) if positive else (prior >= 0) & (prior <= 1)
    off = 0 if multilabel else abs(prior.sum() - 1)
    if prior.shape != (n_classes,) or not inside.all() or off > BALANCE_ROUNDING:
        span = "above 0 and below 1" if positive else "from 0 to 1"
        total = "" if multilabel else ", which add up to one"
        raise ParameterError(
            f"must be {n_classes} shares {span}{total}; {class_balance!r} was given.",
            parameter="class_balance",
        )
    return prior
