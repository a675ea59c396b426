"""What ``corral explain`` shows: why a row of a file has the label it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from corral.errors import ParameterError
from corral.tables import VoteFiles
from corral.vote_reader import VoteReader

if TYPE_CHECKING:
    from corral.explain import Explanation
    from corral.labelers import Labeler


def explain_row(
    votes: str | PathLike[str],
    row: str,
    reading: VoteReader,
    make_labeler: Callable[[], Labeler],
    *,
    fit: bool = True,
) -> Explanation:
    """Say which signals moved the label of a row of a file, and how far.

    Parameters
    ----------
    votes : path
    row : str
        What the row has in the first column that names rows; its number, from 1, if the
        reading names none.
    reading : VoteReader
    make_labeler : callable
        Gives the labeler once the votes were read.
    fit : bool
        Fit it on the votes of the file. If not, it is fitted already.
    """
    table = VoteFiles(votes)
    read = reading.read_table(table)
    names = reading.name_rows(table)
    if not names and not row.isdecimal():
        raise ParameterError(
            f"the row must be a number from 1, or name a column with --id that holds "
            f"{row!r}."
        )
    number, at = table.find_row(row, names[0] if names else None)
    if table.sampled:
        found = np.flatnonzero(np.asarray(table.sample_at) == at)
        if not len(found):
            raise ParameterError(
                f"row {number:,} is not in the sample of {read.n_drawn:,} rows that fits "
                "in memory. Put it in a file of its own, and give a saved model."
            )
        at = int(found[0])
    labeler = make_labeler()
    explained = (
        labeler.fit(read).explain(at) if fit else labeler.explain(at, signals=read)
    )
    return replace(explained, example=row)
