"""Votes read from a table of known values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.functions.row_table import Table
from corral.functions.signal_function import (
    Answers,
    ColumnFunction,
    Failures,
    check_label,
    choose_name,
)
from corral.signals.coding import ABSTAIN, code_type


@dataclass(frozen=True, eq=False)
class Lookup(ColumnFunction):
    """What `lookup` makes.

    Attributes
    ----------
    table : dict
        The class of every known value.
    lowercase : bool
    """

    table: dict[Any, Any]
    lowercase: bool

    def __repr__(self) -> str:
        return (
            f"Lookup(name={self.name!r}, column={self.column!r}, "
            f"{len(self.table)} values, lowercase={self.lowercase})"
        )

    def answer(self, table: Table, failures: Failures) -> Answers:
        places, wrong = table.places(self.column)
        failures.add_all(wrong)
        if self.lowercase:
            lowered: dict[Any, list[int]] = {}
            for value, rows in places.items():
                lowered.setdefault(_lower(value), []).extend(rows)
            places = lowered
        classes = {
            value: code for code, value in enumerate(dict.fromkeys(self.table.values()))
        }
        codes = np.full(len(table), ABSTAIN, code_type(len(classes)))
        known = places.keys() & self.table.keys()  # goes through the smaller
        for value in known:
            codes[places[value]] = classes[self.table[value]]
        if not known and _are_texts(places).isdisjoint(_are_texts(self.table)):
            warn_user(  # without the name: a crowd has many such signals
                "a lookup finds nothing: the table holds "
                f"{type(next(iter(self.table))).__name__}, the data hold "
                f"{type(next(iter(places))).__name__}.",
                SignalsWarning,
            )
        return Answers(tuple(classes), codes)


def lookup(
    column: Any,
    table: Mapping[Any, Any] | Iterable[Any],
    label: Any = None,
    *,
    lowercase: bool = False,
    name: str | None = None,
) -> Lookup:
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
    known = build_table(
        (_lower(value) if lowercase else value, check_label(its_class))
        for value, its_class in items
    )
    if not known:
        raise ParameterError("the table is empty; it needs at least one value.")
    named = choose_name(name, "lookup" if column is None else f"{column} lookup")
    return Lookup(column, known, lowercase, name=named)


def build_table(items: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """A table of values and their classes; one value cannot have two."""
    table: dict[Any, Any] = {}
    for value, label in items:
        if table.setdefault(value, label) != label:
            raise ParameterError(
                f"{value!r} stands for {table[value]!r} and, in another spelling, for "
                f"{label!r}."
            )
    return table


def _are_texts(values: Iterable[Any]) -> set[bool]:
    return {isinstance(value, str) for value in values}


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value
