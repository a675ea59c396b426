"""Majority vote, the baseline that everything must beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.constraints.designs import design_rows, make_design
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.explanation import signal_moves
from corral.labelers.labeler import NOTHING_LEARNED
from corral.labelers.multilabel import LabelsByClass
from corral.model import Contributions, Model
from corral.signals import WeakSignals
from corral.solvers.solution import pattern_rows


@dataclass(frozen=True)
class MajorityModel(Model):
    """Counts of votes, for less against.

    A class vote counts against the other classes.
    """

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        """(p, k) shares of the classes with the most votes, one row per pattern."""
        balance, voted = vote_balance(signals)
        if balance.shape[1] == 1:
            balance = np.column_stack([-balance, balance])
        best = balance == balance.max(axis=1, keepdims=True)
        if not signals.names_classes:
            best[~voted] = True
        return best / best.sum(axis=1, keepdims=True)

    def contributions(self, one: WeakSignals) -> Contributions:
        """One for every vote for a class, less one for every vote against it."""
        design = make_design(one, design_rows(one))
        signal = design_rows(one)[:, 0]
        return Contributions(
            signal_moves(-pattern_rows(design, 0), signal, one.n_signals)
        )


def vote_balance(signals: WeakSignals) -> tuple[FloatArray, BoolArray]:
    """Votes for less votes against every class, and whether there are any, by pattern.

    Of shape (p, n_label_columns), where one column is for the second of two classes, and
    (p,).
    """
    design = make_design(signals, design_rows(signals))
    # A sign is -1 for "yes" and +1 for "no".
    ones = np.ones(design.n_rows)
    parts = [design.pull(ones, a, b) for a, b in design.ranges()]
    return -np.concatenate(parts, axis=1).T, design.active_counts().max(axis=0) > 0


@dataclass(eq=False, repr=False, kw_only=True)
class MajorityVote(LabelsByClass):
    """The class with the most votes.

    Class votes: plurality. One-vs-rest signals: votes for less votes against. Soft
    signals are rounded first; one half is no vote, nor are classes that are as likely.
    Tied winners share the probability. Nothing is learned.

    Parameters
    ----------
    multilabel : bool
        Whether an example may have any number of classes. Signals are one-vs-rest, every
        class has a vote of its own, and `predict` says 1 or 0 for each.
    ties : "first", "random" or "abstain"
        What `predict` does when classes are equally likely.
    uncovered : "abstain" or "prior"
        Whether `predict` answers where no signal votes.
    random_state : int, Generator or None
        For random ties.

    Examples
    --------
    >>> from corral import MajorityVote
    >>> votes = [["cat", "cat", "dog"], ["dog", None, None], [None, None, None]]
    >>> MajorityVote().fit_predict(votes).tolist()
    ['cat', 'dog', None]
    """

    rounds = True
    stored_types = (MajorityModel, ClassModel, ColumnModels)

    def _find_model(self, _: WeakSignals, __: FloatArray | None) -> Model:
        return MajorityModel()

    @property
    def note_(self) -> str:
        return NOTHING_LEARNED
