"""New data in the coding of signals that are there: the same classes, names and order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from corral.errors import SignalsError
from corral.signals import readers
from corral.signals.parts import Kind, Parts, class_vote_columns
from corral.signals.votes import move_columns


def read_like(fitted: Parts, data: Any) -> Parts:
    """Arrays read as those of `fitted` were, with its classes and its abstain value."""
    one_column = getattr(data, "ndim", 0) == 3 and data.shape[2] == 1
    classes, abstain = fitted.classes.tolist(), fitted.abstain
    if fitted.kind is Kind.ONE_VS_REST or one_column:
        return readers.read_one_vs_rest(data, classes, abstain, may_be_silent=True)
    if fitted.kind is Kind.CLASS_VOTES:
        coding = readers.Coding(classes, abstain, fitted.normalise)
        return readers.read_votes(data, coding, may_be_silent=True)
    return readers.read_probabilities(data, classes, abstain, may_be_silent=True)


def match_names(parts: Parts, have: tuple[str, ...], names: tuple[str, ...]) -> Parts:
    """Signals called `have` in the order of `names`; what is not there abstains."""
    place = {name: at for at, name in enumerate(names)}
    unknown = [name for name in have if name not in place]
    if unknown:
        raise SignalsError(
            f"the labeler was not fitted on {', '.join(unknown)}; it was fitted on "
            f"{', '.join(names)}."
        )
    to, m = np.array([place[name] for name in have]), len(names)
    if parts.kind is Kind.CLASS_VOTES and parts.votes is not None:
        votes, columns = move_columns(parts.votes, to, m), class_vote_columns(m)
        return replace(parts, n_signals=m, columns=columns, votes=votes)
    moved = np.column_stack([to[parts.columns[:, 0]], parts.columns[:, 1]])
    return replace(parts, n_signals=m, columns=moved, rounding=None)
