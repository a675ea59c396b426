"""Rows to label by hand, by name: printed, and as a file to fill in."""

from __future__ import annotations

import csv
import glob
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from corral.advice import suggest_labels
from corral.errors import ParameterError, SignalsError
from corral.labelers import ConstrainedLabeler
from corral.labelers.explanation import votes_of
from corral.signals import WeakSignals
from corral.tables import VoteFiles
from corral.text_table import listed, text_table

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

    def __str__(self) -> str:
        rows = [
            (
                *("" if v is None else str(v) for v in ids),
                f"{n:,.0f}",
                listed(said, ROOM),
            )
            for ids, said, n in zip(self.ids, self.votes, self.alike, strict=True)
        ]
        words = [*range(len(self.names)), len(self.names) + 1]
        return text_table((*self.names, "rows like it", VOTES), rows, left=words)

    def write(self, path: Path) -> None:
        """Write a file to fill in; at `path` is the old file or the new, never a part."""
        draft = path.with_name(f".{path.name}.{uuid4().hex}.draft")
        try:
            with draft.open("w", newline="", encoding="utf-8") as file:
                table = csv.writer(file, delimiter=DELIMITERS[path.suffix.lower()])
                table.writerow((*self.names, VOTES, LABEL))
                for ids, said in zip(self.ids, self.votes, strict=True):
                    table.writerow((*ids, "; ".join(said), None))
            draft.replace(path)
        except OSError as error:
            raise SignalsError(
                f"cannot write {path.name!r}: {error.strerror}."
            ) from error
        finally:
            draft.unlink(missing_ok=True)


def check_rows_file(
    path: Path | None, suggest: int | None, overwrite: bool, votes: str
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
    if not path.parent.is_dir():
        raise SignalsError(f"there is no folder {str(path.parent)!r}.")
    inputs = [Path(votes), *map(Path, glob.glob(votes)), *Path(votes).glob("*")]
    if path.exists() and any(file.exists() and path.samefile(file) for file in inputs):
        raise ParameterError(
            f"--suggest-to {path.name!r} is among the votes that are read. Choose another "
            "name."
        )
    if path.exists() and not overwrite:
        raise ParameterError(
            f"{path.name!r} exists already, and labels may be filled in there. Choose "
            "another --suggest-to, or replace it with --overwrite."
        )
    return path


def suggested_rows(
    table: VoteFiles,
    labeler: ConstrainedLabeler,
    signals: WeakSignals,
    k: int,
    id: str | Sequence[str] | None,
) -> SuggestedRows:
    """The rows of a table whose label would help most, by their ids.

    Parameters
    ----------
    table : VoteFiles
        Which the signals were read from.
    labeler : ConstrainedLabeler
    signals : WeakSignals
    k : int
    id : str, sequence of str, optional
        Columns that name a row; default: the number of the row, from 1.
    """
    names = _id_columns(id)
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


def _id_columns(id: str | Sequence[str] | None) -> list[str]:
    names = [id] if isinstance(id, str) else list(id or ())
    taken = [name for name in names if name.lower() in (VOTES, LABEL)]
    if taken:
        raise ParameterError(
            f"column {taken[0]!r} cannot name the rows of --suggest, as it would be there "
            "twice; name the columns that do with --id."
        )
    return names


def _votes(signals: WeakSignals, row: int) -> tuple[str, ...]:
    """What was said of a row, signal by signal."""
    said = votes_of(signals.take(slice(row, row + 1)))
    told = zip(signals.names, said, strict=True)
    return tuple(f"{name}={vote}" for name, vote in told if vote)
