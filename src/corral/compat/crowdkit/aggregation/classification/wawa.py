"""Worker agreement with aggregate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from corral.compat.crowdkit.aggregation.base import BaseClassificationAggregator
from corral.compat.crowdkit.aggregation.classification.majority_vote import MajorityVote
from corral.errors import ParameterError


@dataclass
class SkilledVote(BaseClassificationAggregator):
    """Base of votes weighted by skills that `fit` finds.

    Attributes
    ----------
    labels_, probas_
        As for all aggregators, once something was predicted.
    skills_ : pandas Series, "skill"
        By worker.
    """

    skills_: Any = field(default=None, init=False, repr=False)

    def predict(self, data: Any) -> Any:
        """The likeliest class by task, for answers of the workers that were fitted."""
        return self._vote(data).labels_

    def predict_proba(self, data: Any) -> Any:
        """A probability per class by task, for answers of the workers fitted."""
        return self._vote(data).probas_

    def _vote(self, data: Any) -> Self:
        if self.skills_ is None:
            raise ParameterError("skills of workers are not known yet; call fit.")
        self._keep(MajorityVote().fit_predict_proba(data, self.skills_))
        return self

    def fit_predict(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        return self.fit(data, *args, **kwargs).predict(data)

    def fit_predict_proba(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        return self.fit(data, *args, **kwargs).predict_proba(data)


@dataclass
class Wawa(SkilledVote):
    """A vote in which workers count by how often they agree with the majority.

    Attributes
    ----------
    labels_, probas_, skills_
        As for `MajorityVote`.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import Wawa
    >>> answers = pd.DataFrame({
    ...     "task": ["a", "a", "a", "b", "b"], "worker": ["w1", "w2", "w3", "w1", "w3"],
    ...     "label": ["cat", "dog", "dog", "dog", "cat"],
    ... })
    >>> Wawa().fit_predict_proba(answers).round(2).loc["b"].to_dict()
    {'cat': 1.0, 'dog': 0.0}
    """

    def fit(self, data: Any) -> Self:
        """Take the skills from a majority vote on the same answers."""
        self.skills_ = MajorityVote().fit(data).skills_
        return self
