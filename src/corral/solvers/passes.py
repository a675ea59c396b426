"""A whole expected step in one compiled call, for the designs that have one.

Nothing but the votes and the state is then read from memory. Other designs, and explicit
starts, take the same step in parts (`Walk.step`); the tests hold both equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from corral._types import FloatArray
from corral.constraints.designs import Operator, SparseVoteDesign, VoteDesign

State: TypeAlias = tuple[FloatArray, ...]
"""The arrays of a `Shift`: s, lo, hi and square."""
Pass: TypeAlias = Callable[[Any, State, FloatArray, int, int], FloatArray]
"""Step the units of a design from a to b along ``sign.T @ v``; ``sign @ y`` after it."""


def vote_pass(
    design: VoteDesign, state: State, v: FloatArray, a: int, b: int
) -> FloatArray:
    """Votes on patterns, a block of units at a time."""
    from corral.solvers import shift_kernels

    out = np.empty(design.n_rows)
    shift_kernels.vote_pass(
        *(design.columns, design.column, design.hit, design.label, v),
        *(design.weights, *state, a, b, out),
    )
    return out


def sparse_pass(
    design: SparseVoteDesign, state: State, v: FloatArray, a: int, b: int
) -> FloatArray:
    """Votes of many signals, all label columns of a unit at a time."""
    from corral.solvers import shift_kernels

    table = design.table(v)
    out = np.zeros_like(table)
    shift_kernels.sparse_pass(
        *(design.indptr, design.indices, design.voted, table),
        *(design.weights, *(x.T for x in state), a, b, out),
    )
    return out.T.ravel()


PASSES: dict[type[Operator], Pass] = {
    VoteDesign: vote_pass,
    SparseVoteDesign: sparse_pass,
}
