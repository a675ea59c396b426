"""Rows to label by hand, by name: printed, and as a file to fill in."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corral._plain import as_rows
from corral.advice import suggest_labels
from corral.errors import ParameterError, SignalsError, SignalsWarning, warn_user
from corral.labelers import ConstrainedLabeler
from corral.labelers.explanation import votes_of
from corral.signals import WeakSignals
from corral.storage.drafts import draft_of
from corral.tables import VoteFiles
from corral.tables.spreadsheet_formulas import escape_cell, formulas_in
from corral.text_table import join_names, text_table

VOTES, LABEL = "votes", "label"
"""Columns of the file beside those that name a row; the second is empty."""
ROOM = 70
"""Characters of a line for what signals say."""
DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class SuggestedRows:
    """Rows to label by hand, the most helpful first.

    Attributes
    ----------
    names : tuple of str
        Columns that name a row: the ids, or "row", its number from 1.
    ids : list of tuples
        What these are.
    votes : list of tuples of str
        What the signals say of each row, as in ``spam_words=spam``.
    alike : list of float
        How many rows have these votes.
    """

    names: tuple[str, ...]
    ids: list[tuple[Any, ...]]
    votes: list[tuple[str, ...]]
    alike: list[float]

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values: one line of ``rows`` per row."""
        return {
            "names": list(self.names),
            "rows": as_rows(id=self.ids, votes=self.votes, rows_like_it=self.alike),
        }

    def __str__(self) -> str:
        rows = [
            (
                *("" if v is None else str(v) for v in ids),
                f"{n:,.0f}",
                join_names(said, ROOM),
            )
            for ids, said, n in zip(self.ids, self.votes, self.alike, strict=True)
        ]
        words = [*range(len(self.names)), len(self.names) + 1]
        return text_table((*self.names, "rows like it", VOTES), rows, left=words)

    def write(self, path: Path, *, escape_formulas: bool = False) -> None:
        """Write a file to fill in; at `path` is the old file or the new, never a part.

        Parameters
        ----------
        path : path
        escape_formulas : bool
            Put an apostrophe before texts that a spreadsheet would run.
        """
        heads: tuple[Any, ...] = (*self.names, VOTES, LABEL)
        rows: list[tuple[Any, ...]] = [
            (*ids, "; ".join(said), None)
            for ids, said in zip(self.ids, self.votes, strict=True)
        ]
        if escape_formulas:
            heads, *rows = (tuple(map(escape_cell, row)) for row in (heads, *rows))
        cells = {cell for row in (heads, *rows) for cell in row}
        if found := formulas_in(cell for cell in cells if isinstance(cell, str)):
            warn_user(
                f"the cell {min(found)!r} of {path.name!r} is one that a spreadsheet runs "
                "as a formula. Pass --escape-formulas, rename the signal or the id, or "
                "fill the file in with a text editor.",
                SignalsWarning,
            )
        try:
            with (
                draft_of(path) as draft,
                draft.open("w", newline="", encoding="utf-8") as file,
            ):
                table = csv.writer(file, delimiter=DELIMITERS[path.suffix.lower()])
                table.writerow(heads)
                table.writerows(rows)
        except OSError as error:
            raise SignalsError(
                f"cannot write {path.name!r}: {error.strerror}."
            ) from error


def check_rows_file(
    table: VoteFiles, path: Path | None, suggest: int | None, overwrite: bool
) -> Path | None:
    """Refuse a file that cannot be written to, before any work is done."""
    if path is None:
        if overwrite:
            raise ParameterError("--overwrite goes with --suggest-to.")
        return None
    if suggest is None:
        raise ParameterError("--suggest-to goes with --suggest, the number of rows.")
    if path.suffix.lower() not in DELIMITERS:
        raise ParameterError(
            f"--suggest-to writes a table to fill in, so its name must end in "
            f"{' or '.join(DELIMITERS)}; {path.name!r} was given."
        )
    return table.check_target(path, overwrite)


def find_suggested_rows(
    table: VoteFiles,
    labeler: ConstrainedLabeler,
    signals: WeakSignals,
    k: int,
    names: list[str],
) -> SuggestedRows:
    """The rows of a table whose label would help most, by their ids.

    Parameters
    ----------
    table : VoteFiles
        Which the signals were read from.
    labeler : ConstrainedLabeler
    signals : WeakSignals
    k : int
    names : list of str
        Columns that name a row; none: the number of the row, from 1.
    """
    _refuse_taken(names)
    times = Counter(suggest_labels(labeler, signals, k, random_state=0).tolist())
    patterns = np.array(list(times), int)
    rows = table.rows_with(patterns, np.array(list(times.values()), int), names)
    said = [_votes(signals, row) for row in patterns]
    counts = signals.counts
    return SuggestedRows(
        tuple(names) or ("row",),
        [tuple(ids) if names else (number,) for _, number, *ids in rows],
        [said[at] for at, *_ in rows],
        [1.0 if counts is None else counts[patterns[at]] for at, *_ in rows],
    )


def _refuse_taken(names: list[str]) -> None:
    taken = [name for name in names if name.lower() in (VOTES, LABEL)]
    if taken:
        raise ParameterError(
            f"column {taken[0]!r} cannot name the rows of --suggest, as it would be there "
            "twice; name the columns that do with --id."
        )


def _votes(signals: WeakSignals, row: int) -> tuple[str, ...]:
    """What was said of a row, signal by signal."""
    said = votes_of(signals.take(slice(row, row + 1)))
    told = zip(signals.names, said, strict=True)
    return tuple(f"{name}={vote}" for name, vote in told if vote)
