"""Columns of probabilities: one per signal, or one per signal and class."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral._types import IntArray
from corral.errors import SignalsError
from corral.votes.coding import take_one_abstain

SEPARATORS = ("_", ".", ":", "-", "/", " ")
LAYOUTS = tuple(
    layout.format(mark=mark)
    for layout in ("{{signal}}{mark}{{class}}", "{{class}}{mark}{{signal}}")
    for mark in SEPARATORS
)
MODEL = "model"
"""What a signal is called whose columns are named after classes alone."""
MIN_SHARE = 0.9
"""Share of rows that add up to one beyond which columns look like classes."""
MIN_ROWS = 10
"""Rows in which unrelated probabilities hardly add up to one by chance."""
MIN_ROWS_OF_TWO = 3
"""The same for two columns that add up to one in every row."""


ADVICE = (
    "Pass `columns='{signal}'` if every column is a signal with the probability of the "
    "second of two classes, `columns='{class}'` if all are classes of one signal, or how "
    "names are made, such as `columns='{class}_{signal}'`."
)


@dataclass(frozen=True)
class ProbabilityColumns:
    """What columns of probabilities are about."""

    signals: list[str]
    classes: list[Any] | None = None
    """None: every column is a signal, with the probability of the second of two classes."""
    places: IntArray | None = None
    """(m, k) the column of every signal and class."""

    def arrange(self, values: NDArray[Any]) -> NDArray[Any]:
        """Columns (n, c) as probabilities (n, m), or (n, m, k)."""
        return values if self.places is None else values[:, self.places]


def rounding_slack(values: NDArray[Any], n_classes: int) -> float:
    """How far sums of rounded probabilities can be off: half a digit per class.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.votes.probability_columns import rounding_slack
    >>> round(rounding_slack(np.array([0.33, 0.33, 0.33]), 3), 4)
    0.015
    """
    known = values[~np.isnan(values)].astype(float)
    for decimals in range(2, 5):  # one decimal is too coarse to judge rounding
        scaled = known * 10**decimals
        if (np.abs(scaled - np.rint(scaled)) < 1e-3).all():
            return min(n_classes / 2 * 10**-decimals, 0.2) + 1e-6
    return 1e-3


def group_columns(
    names: Sequence[Any],
    values: NDArray[Any],
    layout: str | None = None,
    classes: Sequence[Any] | None = None,
    abstain: Any = None,
) -> ProbabilityColumns:
    """Find out whether columns of probabilities (n, c) have one class each.

    Their names say so, or the `layout` of these, and the classes of a signal add up to one.
    A `layout` is ``"{signal}_{class}"``, ``"{signal}"`` if every column is a signal, or
    ``"{class}"`` if all are classes of one. Beside NaN, `abstain` means no opinion.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.votes.probability_columns import group_columns
    >>> names = ["llm_neg", "llm_pos", "rule_neg", "rule_pos"]
    >>> found = group_columns(names, np.array([[0.2, 0.8, 0.4, 0.6]]))
    >>> found.signals, found.classes
    (['llm', 'rule'], ['neg', 'pos'])
    """
    columns = [str(name) for name in names]
    silent = take_one_abstain(abstain)
    known = values if silent is None else np.where(values == silent, np.nan, values)
    if layout is not None:
        found: ProbabilityColumns | None = _split_as_told(columns, layout, classes)
    else:
        found = _split_by_classes(columns, classes) if classes else None
    if found is not None:
        bad, _ = _find_bad_row(found, columns, known)
        if bad:
            raise SignalsError(
                f"{bad}: the classes of a signal must add up to one, or all be empty. "
                f"Correct that row. {ADVICE}"
            )
        return found
    doubt = None
    for candidate in LAYOUTS:
        for found in _split(columns, candidate, None):
            assert found.places is not None
            m, k = found.places.shape
            if classes is not None and k != len(classes):
                continue
            bad, share = _find_bad_row(found, columns, known)
            if bad is None and classes is None:
                return found
            if share > MIN_SHARE or (m > 1 and k > 2):
                doubt = doubt or (
                    f"the columns are named like {m} signals with {k} classes each, "
                    f"but {bad or f'not after {classes}'}"
                )
    whole = ProbabilityColumns([MODEL], columns, np.arange(len(columns))[None])
    bad, share = _find_bad_row(whole, columns, known)
    enough = MIN_ROWS_OF_TWO if len(columns) == 2 and bad is None else MIN_ROWS
    if len(columns) > 1 and len(known) >= enough and share > MIN_SHARE:
        doubt = doubt or (
            f"the columns {', '.join(map(repr, columns[:4]))} add up to one in most rows, "
            "as the classes of one signal do"
        )
    if doubt:
        raise SignalsError(f"{doubt}. {ADVICE}")
    return ProbabilityColumns(columns)


def _find_bad_row(
    found: ProbabilityColumns,
    columns: list[str],
    known: NDArray[Any],
) -> tuple[str | None, float]:
    """A row in which classes do not add up or some are missing; how many rows add up."""
    if found.places is None:
        return None, 0
    said = found.arrange(known)
    k = said.shape[2]
    slack = rounding_slack(said, k)
    off = np.abs(said.astype(float).sum(axis=2) - 1)  # NaN where a class is missing
    speaks = ~np.isnan(said).all(axis=2)
    near = off <= max(slack, k / 2 * 0.01)
    share = (near & speaks).sum() / max(speaks.sum(), 1)
    wrong = np.argwhere(speaks & ~(off <= slack))
    if not len(wrong):
        return None, share
    row, signal = wrong[0]
    cells = [f"{columns[at]} = {known[row, at]:g}" for at in found.places[signal]]
    return f"a row has {', '.join(cells)}".replace("= nan", "empty"), share


def _split_by_classes(
    columns: list[str], classes: Sequence[Any]
) -> ProbabilityColumns | None:
    """Columns by signal and class, if their names say it; refused if they contradict."""
    labels = [str(c) for c in classes]
    if set(columns) == set(labels):
        return _split_as_told(columns, "{class}", classes)
    for layout in LAYOUTS:
        for found in _split(columns, layout, classes):
            return found
    marks = "[" + re.escape("".join(SEPARATORS)) + "]"
    about = set()
    for column in columns:
        ends = [
            label
            for label in labels
            if re.search(f"(^|{marks}){(c := re.escape(label))}$|^{c}{marks}", column)
        ]
        about.add(max(ends, key=len, default=None))
    if None not in about and about != {labels[-1]}:
        raise SignalsError(
            f"the columns {', '.join(map(repr, columns[:4]))} are named after classes, but "
            f"not every signal has one column for each of {', '.join(labels)}. "
            f"{ADVICE}"
        )
    return None


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
            f"`columns=` says how names are made, such as '{{signal}}_{{class}}', "
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
