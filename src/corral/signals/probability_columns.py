"""Columns of probabilities: one per signal, or one per signal and class."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import IntArray
from corral.errors import SignalsError
from corral.signals.binning import RoundingError
from corral.signals.soft import measure_sums

SEPARATORS = ("_", ".", ":", "-", "/", " ")
LAYOUTS = tuple(f"{{signal}}{mark}{{class}}" for mark in SEPARATORS)


@dataclass(frozen=True)
class ProbabilityColumns:
    """What columns of probabilities are about.

    Attributes
    ----------
    signals : list of str
    classes : list, or None
        None: every column is a signal, with the probability of the second of two classes.
    places : (m, k) array of int, or None
        The column of every signal and class.
    """

    signals: list[str]
    classes: list[Any] | None = None
    places: IntArray | None = None

    def arrange(self, values: NDArray[Any]) -> NDArray[Any]:
        """Columns (n, c) as probabilities (n, m), or (n, m, k)."""
        return values if self.places is None else values[:, self.places]

    def arrange_rounding(self, rounding: RoundingError) -> RoundingError:
        """What rounding costs every signal, from what it costs every column."""
        if self.places is None:
            return rounding
        by_class = rounding.by_signal[self.places]
        if by_class.shape[1] == 2:
            return replace(rounding, by_signal=by_class[:, 1])
        # A wrong class is an error about two classes.
        return replace(rounding, by_signal=by_class.sum(axis=1) / 2)


def group_columns(
    names: Sequence[Any],
    values: NDArray[Any],
    layout: str | None = None,
    classes: Sequence[Any] | None = None,
    bins: int | None = None,
) -> ProbabilityColumns:
    """Find out whether columns of probabilities have one class each.

    Parameters
    ----------
    names : (c,) sequence of str
    values : (n, c) array of float
        NaN where there is no opinion. They tell whether classes add up to one.
    layout : str, optional
        How names are made: ``"{signal}_{class}"``, or ``"{signal}"`` if every column is
        a signal.
    classes : sequence, optional
        All classes, in order.
    bins : int, optional
        Values are multiples of ``1 / bins``.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.signals.probability_columns import group_columns
    >>> names = ["llm_neg", "llm_pos", "rule_neg", "rule_pos"]
    >>> found = group_columns(names, np.array([[0.2, 0.8, 0.4, 0.6]]))
    >>> found.signals, found.classes
    (['llm', 'rule'], ['neg', 'pos'])
    """
    columns = [str(name) for name in names]
    if layout is not None:
        return _split_as_told(columns, layout, classes)
    for candidate in LAYOUTS:
        found = _split(columns, candidate, classes)
        if found is None or found.places is None:
            continue
        m, k = found.places.shape
        # Rounding to a grid moves every class by half a step at most.
        slack = None if bins is None else k / 2 / bins + 1e-9
        off = measure_sums(found.arrange(values), slack)
        if off is None:
            return found
        if m > 1 and k > 2 and (classes is None or len(classes) > 2):
            raise SignalsError(
                f"the columns are named like {m} signals with {k} classes each "
                f"({columns[0]!r}, ...), but the classes of a signal do not add up to "
                f"one; they are off by up to {off:.3g}. Pass `columns='{{signal}}'` if "
                "every column is a signal with the probability of the second of two "
                "classes, or scale them to add up to one."
            )
    return ProbabilityColumns(columns)


def match_columns(
    present: Collection[str], signals: Sequence[str], classes: Sequence[Any]
) -> list[str] | None:
    """The columns of every signal and class, signal after signal, if all are there."""
    for mark in SEPARATORS:
        for parts in ("{signal}{mark}{label}", "{label}{mark}{signal}"):
            wanted = [
                parts.format(signal=signal, mark=mark, label=label)
                for signal in signals
                for label in classes
            ]
            if all(name in present for name in wanted):
                return wanted
    return None


def _split_as_told(
    columns: list[str], layout: str, classes: Sequence[Any] | None
) -> ProbabilityColumns:
    if layout == "{signal}":
        return ProbabilityColumns(columns)
    if layout.count("{signal}") != 1 or layout.count("{class}") != 1:
        raise SignalsError(
            "`columns` says how names are made, such as '{signal}_{class}', or "
            f"'{{signal}}'; {layout!r} was given."
        )
    found = _split(columns, layout, classes)
    if found is None:
        raise SignalsError(
            f"the columns {', '.join(map(repr, columns[:8]))} are not all of the form "
            f"{layout!r} with the same classes for every signal."
        )
    return found


def _split(
    columns: list[str], layout: str, classes: Sequence[Any] | None
) -> ProbabilityColumns | None:
    """Columns by signal and class, if all names have a form and no pair is missing."""
    known = "|".join(re.escape(str(c)) for c in classes or ())
    pattern = (
        re.escape(layout)
        .replace(r"\{signal\}", "(?P<signal>.+)")
        .replace(r"\{class\}", f"(?P<label>{known})" if known else "(?P<label>.+?)")
    )
    places: dict[tuple[str, str], int] = {}
    for place, column in enumerate(columns):
        parts = re.fullmatch(pattern, column)
        if parts is None:
            return None
        places[parts["signal"], parts["label"]] = place
    signals = list(dict.fromkeys(signal for signal, _ in places))
    labels = [str(c) for c in classes or dict.fromkeys(label for _, label in places)]
    if len(labels) < 2 or len(places) != len(signals) * len(labels):
        return None
    table = np.array(
        [[places[signal, label] for label in labels] for signal in signals]
    )
    whole = all(re.fullmatch(r"-?\d+", label) for label in labels)
    named = list(classes) if classes else [int(x) if whole else x for x in labels]
    return ProbabilityColumns(signals, named, table)
