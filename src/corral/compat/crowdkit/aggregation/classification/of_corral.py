"""Labelers of corral as aggregators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from corral.compat.crowdkit.aggregation.base import (
    BaseClassificationAggregator,
    read_answers,
)
from corral.labelers import Labeler, labeler_of
from corral.signals import WeakSignals


@dataclass
class LabelerAggregator(BaseClassificationAggregator):
    """Base of aggregators that a labeler of corral does the work of.

    A subclass says which, by `_labeler`.

    Attributes
    ----------
    labels_, probas_
        As for all aggregators.
    labeler_ : Labeler
        The fitted labeler; its signals are the workers, numbered as they appear.
    """

    labeler_: Any = field(default=None, init=False, repr=False)

    def _labeler(self) -> Labeler:
        raise NotImplementedError

    def fit(self, data: Any) -> Self:
        """Learn from answers.

        Parameters
        ----------
        data : pandas data frame
            One row per answer, with the columns "task", "worker" and "label". Two
            different answers of a worker to a task are refused.
        """
        import pandas as pd

        answers = read_answers(data)
        if answers.empty:
            self._keep(pd.DataFrame())
        else:
            self._keep(self._label(answers))
        self._describe(answers)
        return self

    def _label(self, answers: Any) -> Any:
        """Probabilities by task and class, both as they appear."""
        import pandas as pd

        task, tasks = pd.factorize(answers["task"])
        worker, _ = pd.factorize(answers["worker"])
        label, labels = pd.factorize(answers["label"])
        k = len(labels)
        signals = WeakSignals.from_long(
            {"task": task, "worker": worker, "label": label},
            classes=np.arange(max(k, 2)),
        )
        self.labeler_ = self._labeler().fit(signals)
        found = self.labeler_.labels_[:, :k]
        return pd.DataFrame(
            found / found.sum(axis=1, keepdims=True),
            index=pd.Index(tasks, name="task"),
            columns=pd.Index(labels, name="label"),
        )

    def _describe(self, answers: Any) -> None:
        """Set what is known beside labels; there may be no answers."""


@dataclass
class ConstrainedLabeler(LabelerAggregator):
    """corral's default, for a long table of answers.

    Attributes
    ----------
    labels_, probas_, labeler_
        As for all labelers of corral in this form.
    skills_ : pandas Series, "skill"
        By worker: how often it is right, as far as was learned.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import ConstrainedLabeler
    >>> answers = pd.DataFrame(
    ...     [(t, w, "yes" if (t + (w > 3)) % 2 else "no") for t in range(9) for w in range(5)],
    ...     columns=["task", "worker", "label"],
    ... )
    >>> ConstrainedLabeler().fit_predict(answers).head(3).tolist()
    ['no', 'yes', 'no']
    """

    method = "constrained"
    skills_: Any = field(default=None, init=False, repr=False)

    def _labeler(self) -> Labeler:
        return labeler_of(self.method)

    def _describe(self, answers: Any) -> None:
        import pandas as pd

        rates = [] if answers.empty else self.labeler_.error_rates_
        workers = pd.Index(answers["worker"].unique(), name="worker")
        self.skills_ = pd.Series(1 - np.asarray(rates), workers, name="skill")


@dataclass
class MinimaxEntropy(ConstrainedLabeler):
    """`corral.MinimaxEntropy`, for a long table of answers.

    It has the attributes of `ConstrainedLabeler`.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import MinimaxEntropy
    >>> answers = pd.DataFrame(
    ...     [(t, w, "yes" if (t + (w > 3)) % 2 else "no") for t in range(9) for w in range(5)],
    ...     columns=["task", "worker", "label"],
    ... )
    >>> MinimaxEntropy().fit_predict(answers).head(3).tolist()
    ['no', 'yes', 'no']
    """

    method = "minimax-entropy"
