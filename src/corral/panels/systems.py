"""Is B better than A? Differences of shares and of mean grades, corrected by labels.

With a number ``s`` per class (one for a class, or its grade), the mean of a system is what
the model expects of its rows, plus the weighted mean of ``s`` by which its labelled rows
differ from what the model, fitted without them, expects. The variance of a difference is

    sum over items of (sum of the signed, weighted residuals of an item)^2
      + sum over items of (sum of the signed deviations of an item)^2 + variance within rows

The first line is of the labels, the others are of the items: other prompts would have other
means. Rows of one item, answered by both systems, are added up before squaring. So what
makes an item hard for both does not widen the interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError
from corral.panels.difference_estimator import PanelEstimator
from corral.panels.inputs import SURPRISES, code_slices
from corral.results import Part, Result, Table

if TYPE_CHECKING:
    from corral.panels.panel_report import PanelReport

MIN_LABELS_PER_SYSTEM = 5
"""Labelled rows that each system needs."""
GRADE = "grade"
"""What the mean of classes that are numbers is called."""


@dataclass(frozen=True, eq=False)
class Difference:
    """By how much the mean of a system is above that of another."""

    system: str
    base: str
    measure: str  # a class, whose share it is; or "grade"
    value: float
    low: float
    high: float
    where: str = ""  # the slice, such as topic=billing; empty for all rows


@dataclass(frozen=True, eq=False, repr=False)
class SystemDifferences(Result):
    """Systems that were judged on the same items, compared with the first of them."""

    systems: tuple[str, ...]
    n_labelled: tuple[int, ...]
    n_paired: int  # items that several systems have answered
    level: float
    differences: tuple[Difference, ...]

    title = "Which system is better"

    def parts(self) -> Iterator[Part]:
        found = self.differences
        is_sliced = any(each.where for each in found)
        yield Table(
            {
                "system": [each.system for each in found],
                "against": [each.base for each in found],
                "slice": [each.where for each in found] if is_sliced else None,
                "measure": [each.measure for each in found],
                "difference": [each.value for each in found],
                "interval": [(each.low, each.high) for each in found],
            },
            "Differences between systems",
            formats=dict.fromkeys(("difference", "interval"), "+.3f"),
        )
        for each in found:
            if each.where:
                continue
            by, unit = (1, "") if each.measure == GRADE else (100, " points")
            tied = each.low <= 0 <= each.high
            side = "tied with" if tied else "above" if each.value > 0 else "below"
            yield (
                f"{each.measure}: {each.system} is {side} "
                f"{each.base}, {by * each.value:+.1f}{unit} "
                f"({by * each.low:+.1f} to {by * each.high:+.1f})."
            )
        yield (
            f"Intervals of {self.level:.0%} are for items like these; {self.n_paired:,} "
            "items have several systems' rows, which are compared with each other."
        )


def compare_systems(
    found: PanelReport, system: ArrayLike, items: Sequence[Any] | None
) -> SystemDifferences:
    """Every system against the first one, over all rows and in slices with labels enough.

    The first system is that of the first row. Rows with the same value in `items` (n,) are
    of one item; by default each is its own.
    """
    estimator, n, classes = found.estimator, found.n_rows, found.classes
    codes, values = code_slices("system", system, n, "system")
    order = np.argsort([np.argmax(codes == i) for i in range(len(values))])
    codes, names = np.append(np.argsort(order), -1)[codes], values[order]
    given = np.arange(n) if items is None else np.array(list(map(str, items)))
    if len(given) != n:
        raise ParameterError(
            f"must hold one value for each of the {n:,} rows; {len(given):,} came.",
            parameter="items",
        )
    item = np.unique(given, return_inverse=True)[1]
    # A number per class: one for itself, or its grade. Of two, the second says it all.
    measures = dict(zip(map(str, classes.tolist()), np.eye(len(classes)), strict=True))
    if len(classes) == 2:
        del measures[str(classes[0])]
    if found.grade is not None:
        measures = {GRADE: classes.astype(float)} | measures
    chosen = codes[estimator.sample.rows]
    labelled = np.bincount(chosen[chosen >= 0], minlength=len(names))
    if len(names) < 2 or labelled.min() < MIN_LABELS_PER_SYSTEM:
        listed = ", ".join(f"{n} {c}" for n, c in zip(names, labelled, strict=True))
        raise ParameterError(
            f"needs two systems, and {MIN_LABELS_PER_SYSTEM} labelled rows of each; "
            f"labelled rows by system: {listed}.",
            parameter="system",
        )
    places = {"": codes}
    for column, (at, values) in found.places.items():
        for g, value in enumerate(values.tolist()):
            places[f"{column}={value}"] = np.where(at == g, codes, -1)
    differences = []
    for (where, inside), i in product(places.items(), range(1, len(names))):
        few = min((inside[estimator.sample.rows] == one).sum() for one in (0, i))
        if few < MIN_LABELS_PER_SYSTEM:
            continue
        for measure, worth in measures.items():
            three = _find_difference(estimator, inside, i, item, worth)
            who = str(names[i]), str(names[0]), measure
            differences.append(Difference(*who, *three, where))
    of_item = np.unique(np.column_stack([item, codes])[codes >= 0], axis=0)[:, 0]
    return SystemDifferences(
        tuple(map(str, names)),
        tuple(labelled.tolist()),
        int((np.bincount(of_item) > 1).sum()),
        estimator.level,
        tuple(differences),
    )


def _find_difference(
    estimator: PanelEstimator,
    codes: IntArray,
    i: int,
    items: IntArray,
    worth: FloatArray,
) -> tuple[float, float, float]:
    """By how much system `i` is above the first one, and its interval."""
    sample = estimator.sample
    rows = estimator.labels[estimator.panel.inverse]
    each = rows @ worth
    left = (estimator.truth - estimator.left_out) @ worth
    chosen = codes[sample.rows]
    sign, centred = np.zeros(len(rows)), np.zeros(len(rows))
    weight, floor = np.zeros(len(sample)), 0.0
    for one, side in ((0, -1), (i, 1)):
        mine = codes == one
        sign[mine] = side / mine.sum()
        centred[mine] = each[mine] - each[mine].mean()
        share = np.where(chosen == one, sample.weights, 0.0)
        share /= share.sum()
        weight += side * share
        # A surprise is added, as in all means; see `Sample.residual_variance`.
        floor += float(share**2 @ sample.unseen) * SURPRISES * float(share @ share)
    value = float(sign @ each + weight @ left)
    of_labels = np.bincount(items[sample.rows], weight * left * np.sqrt(sample.unseen))
    of_items = np.bincount(items, sign * centred)
    within = sign**2 @ (rows @ worth**2 - each**2)
    reach = float(np.ptp(worth))
    variance = of_labels @ of_labels + floor * reach**2 + of_items @ of_items + within
    return estimator.bounded(np.array(value), np.array(variance), -reach, reach).three
