"""A vote weighted by accuracy on tasks whose class is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from corral.compat.crowdkit.aggregation.base import read_answers
from corral.compat.crowdkit.aggregation.classification.majority_vote import agreement
from corral.compat.crowdkit.aggregation.classification.wawa import SkilledVote


@dataclass
class GoldMajorityVote(SkilledVote):
    """A vote in which workers count by how often they are right where that is known.

    Attributes
    ----------
    labels_, probas_
        As for `MajorityVote`, once something was predicted.
    skills_ : pandas Series, "skill"
        By worker: the share of right answers.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import GoldMajorityVote
    >>> answers = pd.DataFrame({
    ...     "task": ["a", "a", "b", "b"], "worker": ["w1", "w2", "w1", "w2"],
    ...     "label": ["cat", "dog", "dog", "cat"],
    ... })
    >>> GoldMajorityVote().fit_predict(answers, pd.Series({"a": "cat"})).to_dict()
    {'a': 'cat', 'b': 'dog'}
    """

    def fit(self, data: Any, true_labels: Any) -> Self:  # type: ignore[override]
        """Measure skills.

        Parameters
        ----------
        data : pandas data frame
            One row per answer, with the columns "task", "worker" and "label".
        true_labels : pandas Series
            True classes, by task, of some tasks.
        """
        self.skills_ = agreement(read_answers(data), true_labels)
        return self
