"""New data in the coding of signals that are there: the same classes, names and order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from corral.errors import SignalsError
from corral.signals import readers
from corral.signals.coding import UnknownClassError
from corral.signals.signal_data import Kind, SignalData, class_vote_columns
from corral.signals.vote_matrix import move_columns


def read_like(fitted: SignalData, data: Any) -> SignalData:
    """Arrays read as those of `fitted` were, with its classes and its abstain value."""
    one_column = getattr(data, "ndim", 0) == 3 and data.shape[2] == 1
    classes, abstain = fitted.classes.tolist(), fitted.abstain
    if fitted.kind is Kind.ONE_VS_REST or one_column:
        return readers.read_one_vs_rest(data, classes, abstain, may_be_silent=True)
    if fitted.kind is Kind.CLASS_VOTES:
        coding = readers.Coding(classes, abstain, fitted.normalise)
        try:
            return readers.read_votes(data, coding, may_be_silent=True)
        except UnknownClassError as error:
            raise SignalsError(
                f"{error.args[0]} Those are the classes of the votes fitted on: fit on "
                "votes that have all classes, or make the others abstain."
            ) from error
    return readers.read_probabilities(data, classes, abstain, may_be_silent=True)


def match_names(
    data: SignalData, have: tuple[str, ...], names: tuple[str, ...]
) -> SignalData:
    """Signals called `have` in the order of `names`; what is not there abstains."""
    place = {name: at for at, name in enumerate(names)}
    unknown = [name for name in have if name not in place]
    if unknown:
        raise SignalsError(
            f"the labeler was not fitted on {', '.join(unknown)}; it was fitted on "
            f"{', '.join(names)}."
        )
    to, m = np.array([place[name] for name in have]), len(names)
    if data.kind is Kind.CLASS_VOTES and data.votes is not None:
        votes, columns = move_columns(data.votes, to, m), class_vote_columns(m)
        return replace(data, n_signals=m, columns=columns, votes=votes)
    moved = np.column_stack([to[data.columns[:, 0]], data.columns[:, 1]])
    return replace(data, n_signals=m, columns=moved, rounding=None)
