"""Grades of examples in a few numbers: mean, median and what they may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import ParameterError
from corral.results import Part, Result, Table

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class OrdinalSummary(Result):
    """What the labels of examples with ordered classes say; print it.

    Attributes
    ----------
    mean : (n,) array of float
        Expected grade: class values if they are numbers, else places from 1.
    deviation : (n,) array of float
        Its standard deviation, of the true grade around it.
    median : (n,) array of class values
        The grade with the least expected distance from the true one.
    low, high : (n,) arrays of class values
        The true grade is from one to the other with a probability of at least `level`.
    level : float
    """

    mean: FloatArray
    deviation: FloatArray
    median: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    level: float

    @property
    def title(self) -> str:
        return "Grades of examples"

    def parts(self) -> Iterator[Part]:
        interval = f"{self.level:.0%} of it"
        yield Table(
            {
                "example": range(len(self.mean)),
                "mean": self.mean,
                "deviation": self.deviation,
                "median": self.median,
                interval: list(zip(self.low, self.high, strict=True)),
            },
            formats={"mean": ".2f", "deviation": ".2f"},
        )


def summarise_grades(
    labels: FloatArray, classes: NDArray[Any], level: float
) -> OrdinalSummary:
    """Mean, median and interval of labels (n, k), classes in order.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.labelers.ordinal_summary import summarise_grades
    >>> labels = np.array([[0.1, 0.6, 0.3], [0.01, 0.03, 0.96]])
    >>> summarise_grades(labels, np.array([1, 2, 3]), 0.9)
    example  mean  deviation  median  90% of it
          0  2.20       0.60       2     1 to 3
          1  2.95       0.26       3     3 to 3
    """
    if not isinstance(level, float) or not 0 < level < 1:
        raise ParameterError(
            f"must be between 0 and 1; {level!r} was given.", parameter="level"
        )
    numbers = classes.dtype.kind in "biuf"
    grades = classes.astype(float) if numbers else np.arange(1.0, len(classes) + 1)
    total = labels.cumsum(axis=1)

    def quantile(share: float) -> NDArray[Any]:
        at = (total >= share - ROUNDING).argmax(axis=1)
        found: NDArray[Any] = classes[at]
        return found

    mean = labels @ grades
    spread = labels @ grades**2 - mean**2
    rest = (1 - level) / 2
    return OrdinalSummary(
        mean,
        np.sqrt(np.maximum(spread, 0)),
        quantile(0.5),
        quantile(rest),
        quantile(1 - rest),
        level,
    )
