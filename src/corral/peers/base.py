"""The base of label models of other libraries."""

from __future__ import annotations

from abc import abstractmethod
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corral._types import BoolArray, FloatArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.labelers.base import Labeler
from corral.signals import WeakSignals


class PeerLabeler(Labeler):
    """Base of labelers that another library does the work of.

    A subclass implements `_aggregate`, which labels a dense array of votes. Other libraries
    have no one-vs-rest signals, sample weights or counted votes, so these are refused. They
    are not given examples without votes, which get even probabilities.
    """

    module: ClassVar[str]
    """What is imported."""
    single_rows = True
    """Counted votes are refused."""

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the library is there."""
        return find_spec(cls.module.split(".")[0]) is not None

    @classmethod
    def load(cls) -> Any:
        """Import the library."""
        if not cls.is_installed():
            raise ParameterError(
                f"{cls.__name__} needs the package {cls.module.split('.')[0]!r}: "
                "pip install 'corral[peers]'"
            )
        return import_module(cls.module)

    @abstractmethod
    def _aggregate(self, votes: IntArray, k: int) -> FloatArray:
        """Probabilities (n, k) of votes (n, m), -1 for abstain; every row has a vote."""

    def _fit(self, signals: WeakSignals, weights: FloatArray | None) -> None:
        name = type(self).__name__
        if weights is not None:
            raise ParameterError(
                f"{name} knows no weights and no counted votes; give every example as "
                "a row of its own."
            )
        if not signals.names_classes:
            raise SignalsError(
                f"{name} takes signals that name a class, not one-vs-rest signals."
            )
        hard = signals.hardened()
        covered = hard.covered
        votes = _read_votes(hard)
        labels = np.full((len(hard), hard.n_classes), 1 / hard.n_classes)
        labels[covered] = self._aggregate(votes[covered], hard.n_classes)
        self._labels_ = labels
        first = np.zeros(len(hard.patterns), np.int64)
        first[hard.patterns.inverse] = np.arange(len(hard))
        self._known_ = {
            row.tobytes(): labels[i] for row, i in zip(votes[first], first, strict=True)
        }

    def _probabilities(self, signals: WeakSignals) -> FloatArray:
        """Those of the fit: others label the examples they are fitted on, and no more."""
        votes = _read_votes(signals.hardened())
        found = [self._known_.get(row.tobytes()) for row in votes]
        if any(row is None for row in found):
            raise ParameterError(
                f"{type(self).__name__} labels only what it was fitted on, and these "
                "votes have rows that it has not seen. Fit on all examples."
            )
        return np.array(found).reshape(len(votes), len(self.classes_))

    def _covered(self, signals: WeakSignals) -> BoolArray:
        return signals.hardened().covered

    @property
    def note_(self) -> str:
        """How the labels were found, in a sentence."""
        return f"labelled by {self.module}"

    @property
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""
        check_is_fitted(self)
        return self._labels_


def _read_votes(hard: WeakSignals) -> IntArray:
    """(n, m) codes of votes, -1 for abstain: the only form that others read."""
    votes = np.full(hard.shape, -1)
    row, column, vote = hard.cells()
    votes[row, column] = vote
    return votes
