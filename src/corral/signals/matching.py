"""New data in the coding of signals that are there: the same classes, names and order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from corral.errors import SignalsError
from corral.signals import readers
from corral.signals.stored_signals import Kind, StoredSignals, class_vote_columns
from corral.signals.votes import move_columns


def read_like(fitted: StoredSignals, data: Any) -> StoredSignals:
    """Arrays read as those of `fitted` were, with its classes and its abstain value."""
    one_column = getattr(data, "ndim", 0) == 3 and data.shape[2] == 1
    classes, abstain = fitted.classes.tolist(), fitted.abstain
    if fitted.kind is Kind.ONE_VS_REST or one_column:
        return readers.read_one_vs_rest(data, classes, abstain, may_be_silent=True)
    if fitted.kind is Kind.CLASS_VOTES:
        coding = readers.Coding(classes, abstain, fitted.normalise)
        return readers.read_votes(data, coding, may_be_silent=True)
    return readers.read_probabilities(data, classes, abstain, may_be_silent=True)


def match_names(
    stored: StoredSignals, have: tuple[str, ...], names: tuple[str, ...]
) -> StoredSignals:
    """Signals called `have` in the order of `names`; what is not there abstains."""
    place = {name: at for at, name in enumerate(names)}
    unknown = [name for name in have if name not in place]
    if unknown:
        raise SignalsError(
            f"the labeler was not fitted on {', '.join(unknown)}; it was fitted on "
            f"{', '.join(names)}."
        )
    to, m = np.array([place[name] for name in have]), len(names)
    if stored.kind is Kind.CLASS_VOTES and stored.votes is not None:
        votes, columns = move_columns(stored.votes, to, m), class_vote_columns(m)
        return replace(stored, n_signals=m, columns=columns, votes=votes)
    moved = np.column_stack([to[stored.columns[:, 0]], stored.columns[:, 1]])
    return replace(stored, n_signals=m, columns=moved, rounding=None)
