"""Checks of arguments, with one wording for all of corral."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.errors import ParameterError, SignalsError

MAX_TOTAL_WEIGHT = 1e100
"""Of all examples together; the square of a larger total overflows."""


def check_positive(name: str, value: Any) -> None:
    """Refuse anything but a positive whole number."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ParameterError(
            f"must be a positive integer; {value!r} was given.", parameter=name
        )


def check_whole(name: str, value: Any) -> None:
    """Refuse anything but a whole number from 0."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
        raise ParameterError(
            f"must be a whole number from 0; {value!r} was given.", parameter=name
        )


def check_number(name: str, value: Any, *, zero: bool = False) -> None:
    """Refuse anything but a number above zero, or also zero."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not (0 < float(value) < np.inf or (zero and value == 0)):
        wanted = "zero or a number above" if zero else "a number above zero"
        raise ParameterError(f"must be {wanted}; {value!r} was given.", parameter=name)


def check_share(
    name: str,
    value: Any,
    wanted: Literal["from 0 to 1", "between 0 and 1"] = "from 0 to 1",
) -> None:
    """Refuse anything but a number from 0 to 1, or one between the two."""
    fine = isinstance(value, Real) and 0 <= float(value) <= 1
    if not fine or (wanted == "between 0 and 1" and value in (0, 1)):
        raise ParameterError(
            f"must be a number {wanted}; {value!r} was given.", parameter=name
        )


def check_flag(name: str, value: Any) -> None:
    """Refuse anything but True and False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(
            f"must be True or False; {value!r} was given.", parameter=name
        )


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Refuse anything but one of some names."""
    choices = tuple(allowed)
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ParameterError(
            f"must be one of {listed}; {value!r} was given.", parameter=name
        )


def check_weights(sample_weight: ArrayLike | None, n: int) -> FloatArray | None:
    """Weights of `n` examples as numbers, or None if there are none."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, float)
    except (TypeError, ValueError) as error:
        raise ParameterError("must be numbers.", parameter="sample_weight") from error
    if weights.shape != (n,):
        raise ParameterError(
            f"must have one weight for each of the {n} examples; the shape given is "
            f"{weights.shape}.",
            parameter="sample_weight",
        )
    if not (weights >= 0).all() or not 0 < weights.sum() <= MAX_TOTAL_WEIGHT:
        raise ParameterError(
            "must not be negative, and must add up to more than zero and at most "
            f"{MAX_TOTAL_WEIGHT:g}.",
            parameter="sample_weight",
        )
    return weights


def require_votes(found: Any, purpose: str = "learn from") -> None:
    """Refuse signals without any vote, where `found` is false or zero."""
    if not found:
        raise SignalsError(
            "no signal votes on any example that has a weight, so there is nothing to "
            f"{purpose}. A probability of one half does not count as a vote."
        )


def make_generator(random_state: Any) -> np.random.Generator:
    """A generator from None, a seed or a generator; refuse what is none of these."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "random_state must be None, a whole number that is not negative, or a "
            f"generator; {random_state!r} was given."
        ) from error
