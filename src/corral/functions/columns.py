"""Votes by the value of a column: known values, limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.functions.base import (
    Answers,
    Failures,
    SignalFunction,
    Table,
    check_label,
    empty_codes,
    vote_where,
)


def lookup(
    column: Any,
    table: Mapping[Any, Any] | Iterable[Any],
    label: Any = None,
    *,
    lowercase: bool = False,
    name: str | None = None,
) -> SignalFunction:
    """A signal that looks the value of a column up: a gazetteer.

    Parameters
    ----------
    column : str, int or None
        The column with the values; None: the data are the values.
    table : mapping or iterable
        The class of every known value; or the known values, all of class `label`.
    label : str or int, optional
        The class voted for, where `table` does not say it.
    lowercase : bool
        Whether upper and lower case are the same.
    name : str, optional

    Examples
    --------
    >>> from corral.functions import lookup
    >>> lookup(None, {"Oslo": "city", "Elbe": "river"}).apply(["Elbe", "Rome"]).to_list()
    ['river', None]
    >>> lookup(None, {"oslo", "rome"}, "city", lowercase=True).apply(["ROME"]).to_list()
    ['city']
    """
    if isinstance(table, str) or not isinstance(table, Iterable):
        raise ParameterError(
            f"a mapping from values to classes, or a set, was expected; {table!r} came."
        )
    if isinstance(table, Mapping) is (label is not None):
        raise ParameterError(
            "a set of values needs label=, the class that they stand for."
            if label is None
            else "the table names the class of every value; leave out label=."
        )
    items = table.items() if isinstance(table, Mapping) else ((v, label) for v in table)
    known = build_table((_lower(v) if lowercase else v, c) for v, c in items)
    if not known:
        raise ParameterError("the table is empty; it needs at least one value.")
    classes = {label: code for code, label in enumerate(dict.fromkeys(known.values()))}

    def answer(table: Table, failures: Failures) -> Answers:
        places, errors = table.places(column)
        failures.add(errors)
        if lowercase:
            lowered: dict[Any, list[int]] = {}
            for value, rows in places.items():
                lowered.setdefault(_lower(value), []).extend(rows)
            places = lowered
        codes = empty_codes(len(table), len(classes))
        found = places.keys() & known.keys()  # goes through the smaller
        for value in found:
            codes[places[value]] = classes[known[value]]
        texts = [{isinstance(value, str) for value in of} for of in (known, places)]
        if not found and texts[0].isdisjoint(texts[1]):
            warn_user(
                f"{failures.name} finds nothing: the table holds "
                f"{type(next(iter(known))).__name__}, the data hold "
                f"{type(next(iter(places))).__name__}.",
                SignalsWarning,
            )
        return Answers(tuple(classes), codes)

    default = "lookup" if column is None else f"{column} lookup"
    return SignalFunction(answer, name, default)


def build_table(items: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """A table of values and their classes; one value cannot have two."""
    table: dict[Any, Any] = {}
    for value, given in items:
        label = check_label(given)
        if table.setdefault(value, label) != label:
            raise ParameterError(
                f"{value!r} stands for {table[value]!r} and, in another spelling, for "
                f"{label!r}."
            )
    return table


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def threshold(
    column: Any,
    label: Any,
    *,
    above: float | None = None,
    below: float | None = None,
    name: str | None = None,
) -> SignalFunction:
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
    >>> threshold("stars", "bad", below=2.5).name
    'stars < 2.5'
    """
    given = [limit for limit in (above, below) if limit is not None]
    if not given or not all(isinstance(x, Real) and x == x for x in given):
        raise ParameterError(
            f"a number is needed for above=, below= or both; {above=}, {below=} came."
        )
    if above is not None and below is not None and above >= below:
        raise ParameterError(f"nothing is above {above} and below {below}.")
    what = "value" if column is None else str(column)
    if below is None:
        condition = f"{what} > {above:g}"
    else:
        condition = f"{'' if above is None else f'{above:g} < '}{what} < {below:g}"
    value = check_label(label)

    def answer(table: Table, failures: Failures) -> Answers:
        values, wrong = table.numbers(column)
        failures.add(wrong)
        inside = ~np.isnan(values)
        if above is not None:
            inside &= values > above
        if below is not None:
            inside &= values < below
        return vote_where(inside, value)

    return SignalFunction(answer, name, condition)
