"""Snorkel's label model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray, IntArray
from corral.peers.peer_labeler import PeerLabeler


@dataclass(eq=False, repr=False, kw_only=True)
class Snorkel(PeerLabeler):
    """``snorkel.labeling.model.LabelModel``, unchanged.

    Parameters
    ----------
    class_balance : (k,) array of float, optional
        Default: even, as in Snorkel.
    n_epochs : int
    lr : float
    ties, uncovered, random_state
        As for all labelers.

    See Also
    --------
    corral.MeTaL : the same method, many times faster and on any number of rows.
    """

    module = "snorkel.labeling.model"

    class_balance: ArrayLike | None = None
    n_epochs: int = 100
    lr: float = 0.01

    def _aggregate(self, votes: IntArray, k: int) -> FloatArray:
        model = self.library().LabelModel(cardinality=k, verbose=False)
        balance = self.class_balance
        model.fit(
            votes,
            class_balance=None if balance is None else np.asarray(balance).tolist(),
            n_epochs=self.n_epochs,
            lr=self.lr,
            seed=int(self._rng().integers(2**31)),
            progress_bar=False,
        )
        labels: FloatArray = model.predict_proba(votes)
        return labels
