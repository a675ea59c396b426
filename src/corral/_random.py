"""What users give as `random_state`, as a generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral.errors import ParameterError


def generator(random_state: Any) -> np.random.Generator:
    """A generator from None, a seed or a generator; refuse what is none of these."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "random_state must be None, a whole number that is not negative, or a "
            f"generator; {random_state!r} was given."
        ) from error
