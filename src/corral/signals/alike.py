"""New data in the coding of signals that are there: the same classes, names and order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral.errors import SignalsError
from corral.signals import readers
from corral.signals.coding import ABSTAIN
from corral.signals.parts import Kind, Parts, class_vote_parts


def read_alike(like: Parts, data: Any) -> Parts:
    """Arrays read as `like` was, with its classes and its abstain value."""
    one_column = getattr(data, "ndim", 0) == 3 and data.shape[2] == 1
    classes = like.classes.tolist()
    if like.kind is Kind.ONE_VS_REST or one_column:
        return readers.read_one_vs_rest(data, classes, like.abstain, may_be_silent=True)
    if like.kind is Kind.CLASS_VOTES:
        coding = readers.Coding(classes, like.abstain, like.normalise)
        return readers.read_votes(data, coding, may_be_silent=True)
    return readers.read_probabilities(data, classes, like.abstain, may_be_silent=True)


def matched_parts(parts: Parts, have: tuple[str, ...], names: tuple[str, ...]) -> Parts:
    """Signals called `have` in the order of `names`; what is not there abstains."""
    place = {name: at for at, name in enumerate(names)}
    unknown = [name for name in have if name not in place]
    if unknown:
        raise SignalsError(
            f"the labeler was not fitted on {', '.join(unknown)}; it was fitted on "
            f"{', '.join(names)}."
        )
    to = np.array([place[name] for name in have])
    if parts.kind is not Kind.CLASS_VOTES:
        moved = np.column_stack([to[parts.columns[:, 0]], parts.columns[:, 1]])
        return replace(parts, n_signals=len(names), columns=moved, rounding=None)
    votes: Any = parts.votes
    shape = (votes.shape[0], len(names))
    if isinstance(votes, csr_array):
        moved_votes: Any = csr_array(
            (votes.data, to[votes.indices], votes.indptr), shape
        )
        moved_votes.sort_indices()
    else:
        moved_votes = np.full(shape, ABSTAIN, votes.dtype)
        moved_votes[:, to] = votes
    made = class_vote_parts(moved_votes, parts.classes, parts.index)
    return replace(
        made,
        abstain=parts.abstain,
        normalise=parts.normalise,
        silent=parts.silent,
        counts=parts.counts,
    )
