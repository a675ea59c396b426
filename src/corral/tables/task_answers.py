"""Answers of a long table, one key per task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from corral._types import IntArray
from corral.errors import SignalsError
from corral.signals.vote_matrix import Cells, store_cells


def parse_answers(
    keys: NDArray[Any],
    workers: IntArray,
    values: IntArray,
    n_workers: int,
) -> csr_array:
    """Votes (p, workers) of keys such as ``"3,17"``, as `Votes` stores them."""
    said = [key for key in keys.tolist() if key]
    flat = np.fromstring(",".join(said), np.int64, sep=",")
    lengths = [key.count(",") + 1 if key else 0 for key in keys.tolist()]
    rows = np.repeat(np.arange(len(keys)), lengths)
    shape = (len(keys), n_workers)
    votes = store_cells(Cells(rows, workers[flat], values[flat]), shape)
    if votes.nnz < len(flat):
        raise SignalsError(
            "a worker answers the same task more than once "
            f"({len(flat) - votes.nnz} repeated answers among the patterns). Keep one "
            "answer each."
        )
    return votes
