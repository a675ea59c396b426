"""The base of label models of other libraries."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.labelers.labeler import Labeler
from corral.labelers.seen_votes import SeenVotes
from corral.model import Contributions, Model, opaque_contributions
from corral.signals import WeakSignals


@dataclass(frozen=True)
class SeenVotesModel(Model):
    """The labels that a library gave; it labels what it is fitted on, and no more.

    Attributes
    ----------
    seen : SeenVotes
    source : str
        Who gave them.
    """

    seen: SeenVotes
    source: str

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        """(p, k) those of the fit, one row per pattern."""
        place = self.seen.place(signals)
        if (place < 0).any():
            raise ParameterError(
                f"{self.source} labels only what it was fitted on, and these votes have "
                "rows that it has not seen. Fit on all examples."
            )
        return self.seen.labels[place]

    def contributions(self, one: WeakSignals) -> Contributions:
        """All of the log-odds at once: the library does not say where they are from."""
        return opaque_contributions(
            self.pattern_labels(one)[0], one.n_signals, self.source
        )

    def check(self, signals: WeakSignals) -> None:
        self.seen.check(signals)


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
    rounds = True
    stored_types = (SeenVotesModel, SeenVotes)

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the library is there."""
        return find_spec(cls.module.split(".")[0]) is not None

    @classmethod
    def library(cls) -> Any:
        """The library, imported."""
        if not cls.is_installed():
            raise ParameterError(
                f"{cls.__name__} needs the package {cls.module.split('.')[0]!r}: "
                "pip install 'corral[peers]'"
            )
        return import_module(cls.module)

    @abstractmethod
    def _aggregate(self, votes: IntArray, k: int) -> FloatArray:
        """Probabilities (n, k) of votes (n, m), -1 for abstain; every row has a vote."""

    def _find_model(
        self, signals: WeakSignals, weights: FloatArray | None
    ) -> SeenVotesModel:
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
        covered, k = signals.covered, signals.n_classes
        labels = np.full((len(signals), k), 1 / k)
        labels[covered] = self._aggregate(_read_votes(signals)[covered], k)
        self._found_ = labels
        first = np.zeros(len(signals.patterns), np.int64)
        first[signals.patterns.inverse] = np.arange(len(signals))
        cells = signals.patterns.cells()
        return SeenVotesModel(SeenVotes.of(signals, cells, labels[first]), name)

    def _label_fitted(self, _: WeakSignals) -> tuple[FloatArray, None]:
        # Where a library draws lots, examples with the same votes differ.
        return self.__dict__.pop("_found_"), None

    @property
    def note_(self) -> str:
        return f"labelled by {self.module}"


def _read_votes(hard: WeakSignals) -> IntArray:
    """(n, m) codes of votes, -1 for abstain: the only form that others read."""
    votes = np.full(hard.shape, -1)
    row, column, vote = hard.cells()
    votes[row, column] = vote
    return votes
