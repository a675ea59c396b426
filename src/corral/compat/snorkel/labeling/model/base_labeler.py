"""What every label model can do once it gives probabilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from os import PathLike

from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.checks import check_positive
from corral.compat.snorkel.analysis.scorer import Scorer
from corral.compat.snorkel.utils.core import probs_to_preds


class BaseLabeler(ABC):
    """Base of label models: probabilities become classes, and are scored.

    Parameters
    ----------
    cardinality : int
        Number of classes, which are 0, 1, ...
    """

    def __init__(self, cardinality: int = 2) -> None:
        check_positive("cardinality", cardinality)
        self.cardinality = cardinality

    @abstractmethod
    def predict_proba(self, L: ArrayLike) -> FloatArray:
        """(n, k) a probability for every class, of votes (n, m), -1 for an abstain."""

    def predict(
        self,
        L: ArrayLike,
        return_probs: bool = False,
        tie_break_policy: str = "abstain",
    ) -> IntArray | tuple[IntArray, FloatArray]:
        """The likeliest class of every example.

        Parameters
        ----------
        L : (n, m) array of int
            Votes, -1 for an abstain.
        return_probs : bool
            Return the probabilities, too.
        tie_break_policy : "abstain", "random" or "true-random"
            As for `probs_to_preds`.
        """
        probs = self.predict_proba(L)
        preds = probs_to_preds(probs, tie_break_policy)
        return (preds, probs) if return_probs else preds

    def score(
        self,
        L: ArrayLike,
        Y: ArrayLike,
        metrics: Sequence[str] | None = ("accuracy",),
        tie_break_policy: str = "abstain",
    ) -> dict[str, float]:
        """Scores by name, of the examples that get a class.

        Those on which `predict` abstains count for "coverage" only.

        Parameters
        ----------
        L : (n, m) array of int
        Y : (n,) array of int
            True classes.
        metrics : list of str
            As for `corral.compat.snorkel.analysis.metric_score`.
        tie_break_policy
            As for `predict`.
        """
        found = self.predict(L, return_probs=True, tie_break_policy=tie_break_policy)
        return Scorer(metrics).score(Y, *found)

    @abstractmethod
    def save(self, destination: str | PathLike[str]) -> None:
        """Write it to a file, without pickle."""

    @abstractmethod
    def load(self, source: str | PathLike[str]) -> None:
        """Become what `save` wrote."""
