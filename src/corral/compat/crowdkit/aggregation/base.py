"""What every aggregator of classes has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

from corral.errors import ParameterError

COLUMNS = ["task", "worker", "label"]


@dataclass
class BaseClassificationAggregator(ABC):
    """Base of aggregators: from a long table of answers to one class per task.

    A subclass implements `fit`, which sets `probas_` by `_keep`.

    Attributes
    ----------
    labels_ : pandas Series, "agg_label"
        The likeliest class, by task.
    probas_ : pandas data frame
        A probability per class, by task.
    """

    labels_: Any = field(default=None, init=False, repr=False)
    probas_: Any = field(default=None, init=False, repr=False)

    @abstractmethod
    def fit(self, data: Any) -> Self:
        """Learn from answers.

        Parameters
        ----------
        data : pandas data frame
            One row per answer, with the columns "task", "worker" and "label".
        """

    def _keep(self, probas: Any) -> None:
        """Take the probabilities; of equal ones, the first class wins."""
        import pandas as pd

        self.probas_ = probas
        chosen = pd.Series(dtype=float)
        if probas.size:  # NaN where the workers of a task have no weight at all
            chosen = probas.dropna().idxmax(axis="columns").reindex(probas.index)
        self.labels_ = chosen.rename("agg_label")

    def fit_predict(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Fit, and give `labels_`; arguments as for `fit`."""
        self.fit(data, *args, **kwargs)
        return self.labels_

    def fit_predict_proba(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Fit, and give `probas_`; arguments as for `fit`."""
        self.fit(data, *args, **kwargs)
        return self.probas_


def read_answers(data: Any) -> Any:
    """The three columns of a long table; an answer that is missing is none."""
    answers = data[COLUMNS].dropna(subset=["label"])
    nameless = int(answers[["task", "worker"]].isna().any(axis=1).sum())
    if nameless:
        raise ParameterError(
            f"{nameless} answers are of no task or no worker. Leave them out, with "
            'dropna(subset=["task", "worker"]), or name these.'
        )
    return answers
