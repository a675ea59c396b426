"""Votes for a class where a number is above or below a limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from corral.errors import ParameterError
from corral.functions.row_table import Table
from corral.functions.signal_function import (
    Answers,
    ColumnFunction,
    Failures,
    check_label,
    choose_name,
    vote_where,
)


@dataclass(frozen=True, eq=False)
class Threshold(ColumnFunction):
    """What `threshold` makes.

    Attributes
    ----------
    label : class value
    above, below : float or None
    """

    label: Any
    above: float | None
    below: float | None

    def answer(self, table: Table, failures: Failures) -> Answers:
        values, wrong = table.numbers(self.column)
        failures.add_all(wrong)
        inside = ~np.isnan(values)
        if self.above is not None:
            inside &= values > self.above
        if self.below is not None:
            inside &= values < self.below
        return vote_where(inside, self.label)


def threshold(
    column: Any,
    label: Any,
    *,
    above: float | None = None,
    below: float | None = None,
    name: str | None = None,
) -> Threshold:
    """A signal that votes for a class where a number is above or below a limit.

    With both limits, where it is between them. The limits themselves do not count, and
    missing numbers abstain.

    Parameters
    ----------
    column : str, int or None
        The column with the numbers; None: the data are the numbers.
    label : str or int
        The class voted for.
    above, below : float, optional
    name : str, optional
        Default: the condition.

    Examples
    --------
    >>> from corral.functions import threshold
    >>> threshold(None, "warm", above=20).apply([18.5, 25, None, 20]).to_list()
    [None, 'warm', None, None]
    >>> threshold("stars", "bad", below=2.5)
    Threshold(name='stars < 2.5', column='stars', label='bad', above=None, below=2.5)
    """
    given = [limit for limit in (above, below) if limit is not None]
    if not given or not all(isinstance(x, Real) and _is_comparable(x) for x in given):
        raise ParameterError(
            f"a number is needed for above=, below= or both; {above=}, {below=} came."
        )
    if above is not None and below is not None and above >= below:
        raise ParameterError(f"nothing is above {above} and below {below}.")
    what = "value" if column is None else str(column)
    low = "" if above is None else f"{above:g} < "
    condition = (
        f"{low}{what} < {below:g}" if below is not None else f"{what} > {above:g}"
    )
    named = choose_name(name, condition)
    return Threshold(column, check_label(label), above, below, name=named)


def _is_comparable(number: Any) -> bool:
    """Whether it is a number that columns can be compared with."""
    try:
        return not math.isnan(number)
    except OverflowError:
        return False
