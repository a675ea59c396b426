"""Where a report comes from."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.reports.labelled_votes import LabelledVotes
from corral.reports.sections import Provenance
from corral.signals import WeakSignals
from corral.signals.vote_matrix import list_cells

ROWS = 1 << 16
"""Rows of probabilities that are hashed at once."""


def describe_origin(
    votes: LabelledVotes, command: str, data: str, seed: int
) -> Provenance:
    """Compute the section of provenance."""
    given = votes.labeler.random_state
    return Provenance(
        version=version("corral"),
        python=platform.python_version(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        command=command,
        data=data,
        reading=votes.signals.reading,
        data_hash=hash_votes(votes),
        labeler=" ".join(repr(votes.labeler).split()),
        seed=f"{seed}; of the labeler: {'not set' if given is None else given}",
    )


def hash_votes(votes: LabelledVotes) -> str:
    """SHA-256 of names, classes, votes and true labels; the order of rows is no matter.

    Distinct rows are hashed in the order of their content, with how often they occur, so
    a file, a frame and an array of the same votes have the same. Of probabilities, rows
    are put in the order of their own hashes, which need little memory.
    """
    signals = votes.signals
    digest = sha256()
    for text in (*signals.names, "", *map(repr, signals.classes.tolist())):
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    truth = np.full(len(signals), -1) if votes.truth is None else votes.truth
    if signals.has_patterns:
        patterns = signals.patterns
        for part in list_cells(patterns.codes):
            digest.update(np.asarray(part, "<i8").tobytes())
        groups, size = votes.pattern, len(patterns)
    else:
        rows, groups = np.unique(_hash_rows(signals), return_inverse=True)
        digest.update(rows.tobytes())
        size = len(rows)
    k = signals.n_classes + 1
    table = np.bincount(groups * k + truth + 1, votes.counts, size * k)
    digest.update(np.asarray(table, "<f8").tobytes())
    return digest.hexdigest()


def _hash_rows(signals: WeakSignals) -> NDArray[Any]:
    """(n,) hashes of the probabilities of every row."""
    hashes: list[bytes] = []
    for start in range(0, len(signals), ROWS):
        at = slice(start, start + ROWS)
        parts = [np.asarray(values[:, at], "<f8") for values in signals.values]
        rows = np.concatenate(parts).T + 0.0  # one zero, not two
        rows[np.isnan(rows)] = np.nan  # and one NaN
        hashes += [sha256(row.tobytes()).digest() for row in rows]
    return np.frombuffer(b"".join(hashes), "V32")
