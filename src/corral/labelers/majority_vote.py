"""Majority vote, the baseline that everything must beat."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.checks import check_choice, make_generator
from corral.constraints.designs import design_rows, make_design
from corral.errors import ParameterError
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.explanation import signal_moves
from corral.labelers.labeler import NOTHING_LEARNED
from corral.labelers.multilabel import LabelsByClass
from corral.labelers.probabilities import class_columns
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


@dataclass(frozen=True)
class PaperVoteModel(MajorityModel):
    """The same with a draw for every (example, class) without a majority.

    Attributes
    ----------
    random_state : int, Generator or None
        Every call of `labels` begins with it.
    """

    random_state: Any

    by_pattern: ClassVar[bool] = False

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        """(p, k) labels where examples with the same votes share one draw."""
        return self._drawn(vote_balance(signals)[0])

    def labels(self, signals: WeakSignals) -> FloatArray:
        """(n, k) labels; every example is drawn for itself."""
        balance = vote_balance(signals)[0]
        return self._drawn(balance.take(signals.patterns.inverse, axis=0))

    def check(self, _: WeakSignals) -> None:
        """Refuse what is no random state."""
        make_generator(self.random_state)

    def _drawn(self, balance: FloatArray) -> FloatArray:
        said = np.sign(balance)
        drawn = make_generator(self.random_state).integers(0, 2, said.shape)
        won = np.where(said == 0, drawn, said > 0).astype(float)
        if won.shape[1] == 1:
            return class_columns(won)
        won[~won.any(axis=1)] = 1.0
        return won / won.sum(axis=1, keepdims=True)


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
    policy : "plurality" or "paper"
        "paper" is the rule behind the paper's tables: every (example, class) without a
        majority is drawn 0 or 1 at random, and the first class with a 1 wins. With
        signals that only ever say "yes" that buries the votes (TREC-6: 0.27 instead
        of 0.89).
    multilabel : bool
        Whether an example may have any number of classes. Signals are one-vs-rest, every
        class has a vote of its own, and `predict` says 1 or 0 for each.
    ties : "first", "random" or "abstain"
        What `predict` does when classes are equally likely.
    uncovered : "abstain" or "prior"
        Whether `predict` answers where no signal votes.
    random_state : int, Generator or None
        For random ties, and the draws of "paper".

    Examples
    --------
    >>> from corral import MajorityVote
    >>> votes = [["cat", "cat", "dog"], ["dog", None, None], [None, None, None]]
    >>> MajorityVote().fit_predict(votes).tolist()
    ['cat', 'dog', None]
    """

    rounds = True
    stored_types = (MajorityModel, PaperVoteModel, ClassModel, ColumnModels)

    policy: Literal["plurality", "paper"] = field(default="plurality", kw_only=False)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("policy", self.policy, ("plurality", "paper"))
        if self.multilabel and self.policy == "paper":
            raise ParameterError(
                "draws one class where there is no majority; a multi-label task needs "
                '"plurality".',
                parameter="policy",
            )

    def _find_model(self, _: WeakSignals, __: FloatArray | None) -> Model:
        if self.policy == "paper":
            return PaperVoteModel(self.random_state)
        return MajorityModel()

    @property
    def note_(self) -> str:
        return NOTHING_LEARNED

    def _model_to_save(self) -> Any:
        if self.policy != "paper":
            return self.model_
        return PaperVoteModel(self._options_to_save()["random_state"])
