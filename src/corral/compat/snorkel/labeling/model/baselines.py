"""Label models that learn nothing."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.checks import make_generator
from corral.compat.options import warn_of_options
from corral.compat.snorkel.labeling.model.base_labeler import BaseLabeler
from corral.compat.snorkel.labeling.votes import as_signals, check_votes
from corral.compat.snorkel.utils.core import ABSTAIN
from corral.errors import ParameterError
from corral.labelers.majority_vote import MajorityVote
from corral.metrics import winner_shares
from corral.storage.content_checks import check_floats, require
from corral.storage.versioned_file import explain_damage, read_file, write_file


class Voter(BaseLabeler):
    """Base of label models that learn nothing; files keep their numbers.

    Parameters
    ----------
    cardinality : int
        Number of classes.
    **options
        Have no effect, as in Snorkel; a warning says so.
    """

    kept: ClassVar[tuple[str, ...]] = ()
    """Arrays (k,) that a file keeps."""

    def __init__(self, cardinality: int = 2, **options: Any) -> None:
        super().__init__(cardinality)
        warn_of_options(type(self).__name__, options, "it takes cardinality only.")

    def save(self, destination: str | PathLike[str]) -> None:
        arrays = {name: getattr(self, name) for name in self.kept}
        settings = {"cardinality": self.cardinality}
        write_file(destination, type(self).__name__, settings, arrays)

    def load(self, source: str | PathLike[str]) -> None:
        settings, arrays = read_file(source, type(self).__name__)
        with explain_damage(source):
            k = settings["cardinality"]
            require(isinstance(k, int) and k > 0, "a number of classes")
            require(arrays.keys() == set(self.kept), "what such a voter keeps")
            for name, array in arrays.items():
                check_floats(name, array, (k,), low=0)
        self.cardinality = k
        for name, array in arrays.items():
            setattr(self, f"_{name}", array)


class MajorityLabelVoter(Voter):
    """The class that most functions vote for; even parts where several have most.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling.model import MajorityLabelVoter
    >>> MajorityLabelVoter().predict_proba([[0, 0, -1], [-1, 0, 1], [1, -1, -1]])
    array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 1. ]])
    """

    def predict_proba(self, L: ArrayLike) -> FloatArray:
        votes = check_votes(L, self.cardinality)
        labels = np.full((len(votes), self.cardinality), 1 / self.cardinality)
        voted = (votes != ABSTAIN).any(axis=1)
        if voted.any():
            signals = as_signals(votes[voted], self.cardinality)
            labels[voted] = MajorityVote().fit(signals).labels_[:, : self.cardinality]
        return labels


class MajorityClassVoter(Voter):
    """The most frequent class for every example, whatever the votes.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling.model import MajorityClassVoter
    >>> voter = MajorityClassVoter()
    >>> voter.fit([0.8, 0.2])
    >>> voter.predict([[1, 1, -1], [-1, 0, 1]])
    array([0, 0])
    """

    kept = ("balance",)
    _balance: FloatArray | None = None

    @property
    def balance(self) -> FloatArray:
        """(k,) shares of the classes."""
        if self._balance is None:
            raise ParameterError(
                "the shares of the classes are not known yet; call fit(balance=...)."
            )
        return self._balance

    def fit(self, balance: ArrayLike, **options: Any) -> None:
        """Take the shares (k,) of the classes; options have no effect."""
        warn_of_options("MajorityClassVoter.fit", options, "it takes balance only.")
        shares = np.asarray(balance, float)
        if shares.shape != (self.cardinality,):
            raise ParameterError(
                f"must hold {self.cardinality} shares; the shape given is "
                f"{shares.shape}.",
                parameter="balance",
            )
        self._balance = shares

    def predict_proba(self, L: ArrayLike) -> FloatArray:
        return np.repeat(winner_shares(self.balance[None]), len(np.asarray(L)), axis=0)


class RandomVoter(Voter):
    """Probabilities by lot.

    Parameters
    ----------
    cardinality : int
    random_state : int, Generator or None
        Snorkel draws from NumPy's global state, which corral leaves alone.

    Examples
    --------
    >>> from corral.compat.snorkel.labeling.model import RandomVoter
    >>> RandomVoter(random_state=0).predict_proba([[0, 1], [1, 1]]).shape
    (2, 2)
    """

    def __init__(
        self, cardinality: int = 2, *, random_state: Any = None, **options: Any
    ) -> None:
        super().__init__(cardinality, **options)
        self.random_state = random_state

    def predict_proba(self, L: ArrayLike) -> FloatArray:
        rng = make_generator(self.random_state)
        drawn = rng.random((len(np.asarray(L)), self.cardinality))
        return drawn / drawn.sum(axis=1, keepdims=True)
