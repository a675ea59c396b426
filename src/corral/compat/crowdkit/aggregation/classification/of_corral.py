"""Labelers of corral as aggregators."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

from sklearn.base import clone

from corral.compat.crowdkit.aggregation.base import (
    BaseClassificationAggregator,
    read_answers,
)
from corral.labelers import Labeler, labeler_of
from corral.signals import WeakSignals


@dataclass
class FittedLabeler(BaseClassificationAggregator):
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

    @abstractmethod
    def _labeler(self) -> Labeler:
        """The labeler, not fitted."""

    def fit(self, data: Any) -> Self:
        """Learn from answers.

        Parameters
        ----------
        data : pandas data frame
            One row per answer, with the columns "task", "worker" and "label". Two answers
            of a worker to a task are refused.
        """
        import pandas as pd

        answers = read_answers(data)
        self.labeler_ = None
        self._keep(pd.DataFrame() if answers.empty else self._label(answers))
        self._describe(answers)
        return self

    def _label(self, answers: Any) -> Any:
        """Probabilities by task, as they appear, and class, sorted."""
        import pandas as pd

        task, tasks = pd.factorize(answers["task"])
        worker, _ = pd.factorize(answers["worker"])
        label, labels = pd.factorize(answers["label"], sort=True)
        k = len(labels)
        signals = WeakSignals.from_long(
            {"task": task, "worker": worker, "label": label},
            classes=range(max(k, 2)),
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
class LabelerAggregator(FittedLabeler):
    """Any labeler of corral, for a long table of answers.

    Parameters
    ----------
    labeler : str or Labeler
        A name that `corral.label` takes, or an object; default: corral's default.

    Attributes
    ----------
    labels_, probas_, labeler_
        As for all labelers in this form.
    skills_ : pandas Series, "skill"
        By worker: how often it is right, as far as was learned. None if the labeler
        learns nothing of that.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import LabelerAggregator
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(300, [0.9, 0.8, 0.7, 0.6], coverage=1)
    >>> answers = pd.DataFrame(votes).rename_axis("task").reset_index()
    >>> answers = answers.melt("task", var_name="worker", value_name="label")
    >>> bool((LabelerAggregator().fit_predict(answers) == truth).mean() > 0.8)
    True
    """

    labeler: Any = "constrained"
    skills_: Any = field(default=None, init=False, repr=False)

    def _labeler(self) -> Labeler:
        made = labeler_of(self.labeler)
        return made if isinstance(self.labeler, str) else clone(made)

    def _describe(self, answers: Any) -> None:
        import pandas as pd

        rates = getattr(self.labeler_, "error_rates_", None)
        if rates is not None:
            workers = pd.Index(answers["worker"].unique(), name="worker")
            self.skills_ = pd.Series(1 - rates, workers, name="skill")
