"""Columns of probabilities: one per signal, or one per signal and class."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import IntArray
from corral.errors import SignalsError
from corral.signals.abstains import take_one_abstain
from corral.signals.binning import RoundingError
from corral.signals.soft_source import measure_sums
from corral.wording import option

SEPARATORS = ("_", ".", ":", "-", "/", " ")
LAYOUTS = tuple(
    layout.format(mark=mark)
    for layout in ("{{signal}}{mark}{{class}}", "{{class}}{mark}{{signal}}")
    for mark in SEPARATORS
)
MODEL = "model"
"""What a signal is called whose columns are named after classes alone."""
ENOUGH_ROWS = 10
"""Rows in which unrelated probabilities hardly add up to one by chance."""


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
    abstain: Any = None,
    bins: int | None = None,
) -> ProbabilityColumns:
    """Find out whether columns of probabilities have one class each.

    Parameters
    ----------
    names : (c,) sequence of str
    values : (n, c) array of float
        They tell whether classes add up to one.
    layout : str, optional
        How names are made: ``"{signal}_{class}"``, ``"{signal}"`` if every column is a
        signal, or ``"{class}"`` if all are classes of one signal.
    classes : sequence, optional
        All classes, in order.
    abstain : float, optional
        What means no opinion, beside NaN.
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
    silent = take_one_abstain(abstain)
    known = values if silent is None else np.where(values == silent, np.nan, values)
    doubt = None
    for candidate in LAYOUTS:
        for found in _split(columns, candidate, classes):
            _, m, k = (said := found.arrange(known)).shape
            off = _off(said, bins)
            if off == 0:
                return found
            if off and m > 1 and k > 2 and (classes is None or len(classes) > 2):
                doubt = doubt or (
                    f"the columns are named like {m} signals with {k} classes each "
                    f"({columns[0]!r}, ...), but the classes of a signal do not add up "
                    f"to one; they are off by up to {off:.3g}"
                )
    whole = known[:, None, :]
    if len(columns) > 2 and len(known) >= ENOUGH_ROWS and _off(whole, bins) == 0:
        doubt = (
            f"the columns {', '.join(map(repr, columns[:4]))}, ... add up to one in every "
            "row, as the classes of one signal do"
        )
    if doubt:
        raise SignalsError(
            f"{doubt}. Pass {option('columns', '{signal}')} if every column is a signal "
            "with the probability of the second of two classes, "
            f"{option('columns', '{class}')} if all are classes of one signal, or how "
            f"names are made, such as {option('columns', '{class}_{signal}')}."
        )
    return ProbabilityColumns(columns)


def _off(probabilities: NDArray[Any], bins: int | None) -> float | None:
    """How far classes are from adding up to one; 0 within rounding, None if unclear.

    It is unclear where some classes have a probability and others have none, or where
    there is no row at all.
    """
    missing = np.isnan(probabilities)
    full = ~missing.any(axis=2)
    if not full.any(axis=0).all() or (missing.any(axis=2) != missing.all(axis=2)).any():
        return None
    # Rounding to a grid moves every class by half a step at most.
    slack = None if bins is None else probabilities.shape[2] / 2 / bins + 1e-9
    return measure_sums(probabilities[full], slack) or 0


def match_columns(
    present: Collection[str], signals: Sequence[str], classes: Sequence[Any]
) -> list[str] | None:
    """The columns of every signal and class, signal after signal, if all are there."""
    for layout in LAYOUTS:
        wanted = [
            layout.format(**{"signal": signal, "class": label})
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
    if layout == "{class}":
        named = _class_values(columns)
        if classes and set(map(str, classes)) != set(columns):
            raise SignalsError(f"the columns {columns} are not the classes {classes}.")
        order = [columns.index(str(c)) for c in classes or columns]
        return ProbabilityColumns(
            [MODEL], list(classes or named), np.array(order)[None]
        )
    if layout.count("{signal}") != 1 or layout.count("{class}") != 1:
        raise SignalsError(
            f"{option('columns')} says how names are made, such as '{{signal}}_{{class}}', "
            f"'{{signal}}' or '{{class}}'; {layout!r} was given."
        )
    for found in _split(columns, layout, classes):
        return found
    raise SignalsError(
        f"the columns {', '.join(map(repr, columns[:8]))} are not all of the form "
        f"{layout!r} with the same classes for every signal."
    )


def _split(
    columns: list[str], layout: str, classes: Sequence[Any] | None
) -> Iterator[ProbabilityColumns]:
    """Columns by signal and class, where all names have a form and no pair is missing.

    A name with several separators may be split at the first or at the last of them.
    """
    known = "|".join(re.escape(str(c)) for c in classes or ())
    for some in (".+", ".+?"):
        pattern = (
            re.escape(layout)
            .replace(r"\{signal\}", f"(?P<signal>{some})")
            .replace(r"\{class\}", f"(?P<label>{known or '.+'})")
        )
        places: dict[tuple[str, str], int] = {}
        for place, column in enumerate(columns):
            parts = re.fullmatch(pattern, column)
            if parts is None:
                break
            places[parts["signal"], parts["label"]] = place
        signals = list(dict.fromkeys(signal for signal, _ in places))
        seen = dict.fromkeys(label for _, label in places)
        labels = [str(c) for c in classes or seen]
        complete = len(columns) == len(places) == len(signals) * len(labels)
        if complete and len(labels) > 1 and set(labels) == set(seen):
            table = [[places[signal, label] for label in labels] for signal in signals]
            named = list(classes) if classes else _class_values(labels)
            yield ProbabilityColumns(signals, named, np.array(table))


def _class_values(labels: list[str]) -> list[Any]:
    """Names of classes; numbers if all are whole numbers."""
    whole = all(re.fullmatch(r"-?\d+", label) for label in labels)
    return [int(label) if whole else label for label in labels]
