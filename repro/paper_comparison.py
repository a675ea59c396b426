"""Compare a figure with the published one."""

from __future__ import annotations

from typing import NamedTuple

from repro.config import Experiment
from repro.results import Record


class Comparison(NamedTuple):
    """How a figure compares with the published one.

    Attributes
    ----------
    word : str
        "same", "above", "below"; "other data" where those are not the paper's; or "new"
        where the paper has no figure.
    reason : str
        Why it differs, if it does.
    """

    word: str
    reason: str = ""


def compare_with_paper(
    experiment: Experiment, row: str, column: str, record: Record
) -> Comparison:
    """Compare a cell with the paper.

    It is the same within the published deviation and the experiment's tolerance.

    Raises
    ------
    LookupError
        If it differs and the config gives no reason.
    """
    published = experiment.published.get((row, column))
    if published is None:
        return Comparison("new")
    if record.note:
        return Comparison("other data", record.note)
    gap = record.mean - published.mean
    # Published figures are rounded, so half a unit of the last digit is no difference.
    if abs(gap) <= experiment.tolerance + (published.sd or 0.0) + 5e-4:
        return Comparison("same")
    reason = experiment.reason(row, column)
    if reason is None:
        raise LookupError(
            f"{experiment.name}: {row} / {column} is {record} and not {published}; "
            f"say why under [reasons] in configs/{experiment.name}.toml."
        )
    return Comparison("above" if gap > 0 else "below", reason)
