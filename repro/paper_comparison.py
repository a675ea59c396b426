"""Compare a value with the published one."""

from __future__ import annotations

from typing import NamedTuple

from repro.config import Experiment
from repro.results import Record

TOLERANCE = 0.005
"""Two accuracies are the same if they differ by no more than this, beyond the published
deviation and half a unit of the last published digit."""
ROUNDING = 5e-4


class Comparison(NamedTuple):
    """How a value compares with the published one.

    Attributes
    ----------
    word : str
        "same", "above", "below"; "other data" where those are not the paper's; or "new"
        where the paper has no value.
    reason : str
        Why it differs, if it does.
    """

    word: str
    reason: str = ""


def compare_with_paper(
    experiment: Experiment, row: str, column: str, record: Record
) -> Comparison:
    """Compare a cell with the paper.

    It is the same within the published deviation and `TOLERANCE`; a number of things only
    if it is equal.

    Raises
    ------
    LookupError
        If it differs and the config gives no reason.
    """
    published = experiment.published.get((row, column))
    if published is None:
        return Comparison("new")
    if other := record.note or experiment.other_data.get(row, ""):
        return Comparison("other data", other)
    gap = record.mean - published.mean
    allowed = TOLERANCE + (published.sd or 0.0) + ROUNDING
    if abs(gap) <= (0 if experiment.exact else allowed):
        return Comparison("same")
    reason = experiment.reason(row, column)
    if reason is None:
        raise LookupError(
            f"{experiment.name}: {row} / {column} is {record} and not {published}; "
            f"say why under [reasons] in configs/{experiment.name}.toml."
        )
    return Comparison("above" if gap > 0 else "below", reason)
