"""Majority vote, the baseline that everything must beat."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.constraints.designs import design_rows, make_design
from corral.errors import ParameterError
from corral.labelers.base import StatelessLabeler
from corral.signals import WeakSignals


def vote_balance(signals: WeakSignals) -> FloatArray:
    """(n, k) votes for less votes against every class; soft signals are rounded."""
    hard = signals.hardened()
    design = make_design(hard, design_rows(hard))
    # A sign is -1 for "yes" and +1 for "no".
    ones = np.ones(design.n_rows)
    parts = [design.pull(ones, a, b) for a, b in design.ranges()]
    return design.by_example(-np.concatenate(parts, axis=1).T)


class MajorityVote(StatelessLabeler):
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
    ties : "first", "random" or "abstain"
    uncovered : "abstain" or "prior"
    random_state : int, optional

    Examples
    --------
    >>> from corral import MajorityVote
    >>> votes = [["cat", "cat", "dog"], ["dog", None, None], [None, None, None]]
    >>> MajorityVote().fit_predict(votes).tolist()
    ['cat', 'dog', None]
    """

    def __init__(
        self,
        policy: Literal["plurality", "paper"] = "plurality",
        *,
        ties: Literal["first", "random", "abstain"] = "first",
        uncovered: Literal["abstain", "prior"] = "abstain",
        random_state: Any = None,
    ) -> None:
        self.policy = policy
        self.ties = ties
        self.uncovered = uncovered
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.policy not in ("plurality", "paper"):
            raise ParameterError(
                f'policy must be "plurality" or "paper"; {self.policy!r} was given.'
            )

    def _covered(self, signals: WeakSignals) -> BoolArray:
        return signals.hardened().covered

    def _probabilities(self, signals: WeakSignals) -> FloatArray:
        balance = vote_balance(signals)
        if self.policy == "paper":
            said = np.sign(balance)
            drawn = self._rng().integers(0, 2, balance.shape)
            won = np.where(said == 0, drawn, said > 0).astype(float)
            if won.shape[1] == 1:
                return np.column_stack([1 - won, won])
            won[~won.any(axis=1)] = 1.0
            return won / won.sum(axis=1, keepdims=True)
        if balance.shape[1] == 1:
            balance = np.column_stack([-balance, balance])
        best = balance == balance.max(axis=1, keepdims=True)
        if not signals.names_classes:
            best[~self._covered(signals)] = True
        return best / best.sum(axis=1, keepdims=True)
