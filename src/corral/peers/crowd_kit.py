"""The aggregators of Crowd-Kit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from corral._types import FloatArray, IntArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.peers.peer_labeler import PeerLabeler

AGGREGATORS = {
    "dawid-skene": "DawidSkene",
    "one-coin-dawid-skene": "OneCoinDawidSkene",
    "glad": "GLAD",
    "mace": "MACE",
    "m-msr": "MMSR",
    "wawa": "Wawa",
    "zero-based-skill": "ZeroBasedSkill",
    "kos": "KOS",
    "majority-vote": "MajorityVote",
}
"""Classes of Crowd-Kit by name."""
SEEDED = ("mace", "m-msr", "kos")


@dataclass(eq=False, repr=False, kw_only=True)
class CrowdKit(PeerLabeler):
    """An aggregator of ``crowdkit.aggregation``, unchanged.

    Parameters
    ----------
    aggregator : str
        One of `AGGREGATORS`. "kos" is for two classes. "m-msr" and "kos" give classes,
        not probabilities.
    options : mapping, optional
        Arguments of the aggregator, such as ``{"n_iter": 50}``.
    ties, uncovered
        As for all labelers.
    random_state : int, optional
        For "mace", "m-msr" and "kos", which start at random, and for ties.
    """

    module = "crowdkit.aggregation"

    aggregator: str = field(default="dawid-skene", kw_only=False)
    options: dict[str, Any] | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("aggregator", self.aggregator, AGGREGATORS)

    def _aggregate(self, votes: IntArray, k: int) -> FloatArray:
        aggregator = self._make_aggregator(k)
        import pandas as pd  # comes with Crowd-Kit

        task, worker = np.nonzero(votes >= 0)
        answers = {"task": task, "worker": worker, "label": votes[task, worker]}
        table = pd.DataFrame(answers)
        labels = np.zeros((len(votes), k))
        if hasattr(aggregator, "fit_predict_proba"):
            found = aggregator.fit_predict_proba(table)
            labels[np.ix_(found.index, found.columns)] = found.fillna(0)
        else:
            chosen = aggregator.fit_predict(table)
            labels[chosen.index, chosen.astype(int)] = 1
        return labels / labels.sum(axis=1, keepdims=True)

    def _make_aggregator(self, k: int) -> Any:
        """The aggregator, with a seed where it takes one."""
        kind = getattr(self.library(), AGGREGATORS[self.aggregator])
        if self.aggregator == "kos" and k > 2:
            raise ParameterError(f"kos is for two classes; these votes have {k}.")
        options = dict(self.options or {})
        if self.random_state is not None and self.aggregator in SEEDED:
            options.setdefault("random_state", int(self._rng().integers(2**31)))
        # Wawa and ZeroBasedSkill ask scikit-learn whether they are fitted, which it
        # answers for its own estimators only since version 1.7.
        return type(kind.__name__, (kind, BaseEstimator), {})(**options)
