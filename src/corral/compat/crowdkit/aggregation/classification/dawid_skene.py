"""Dawid-Skene and its one-coin form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from corral.compat.crowdkit.aggregation.classification.majority_vote import vote_shares
from corral.compat.crowdkit.aggregation.classification.of_corral import FittedLabeler
from corral.errors import ParameterError
from corral.labelers import Labeler, labeler_of

LEAST = 1e-10
"""Least probability of an answer given the class."""


@dataclass
class DawidSkene(FittedLabeler):
    """Dawid and Skene's model of workers: one error matrix each.

    It is `corral.DawidSkene` without smoothing, which gives the labels of Crowd-Kit after
    the same number of rounds.

    Parameters
    ----------
    n_iter : int
        Rounds at most; 0 gives shares of the answers. A warning says if they have not
        settled.
    tol : float
        Stop where a round raises the log-likelihood per answer by less.
    initial_error_strategy : str, optional
        How `initial_error` is used; that is not supported, and refused by `fit`.

    Attributes
    ----------
    labels_, probas_, labeler_
        As for all labelers of corral in this form.
    priors_ : pandas Series, "prior"
        The mean of `probas_`, by class.
    errors_ : pandas data frame
        How often a worker gives an answer, by worker and answer, given the class in the
        columns.
    loss_history_ : list of float
        Log-likelihood per answer, by round. Crowd-Kit has a lower bound of it.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import DawidSkene
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(300, [0.9, 0.8, 0.7, 0.6], coverage=1)
    >>> answers = pd.DataFrame(votes).rename_axis("task").reset_index()
    >>> answers = answers.melt("task", var_name="worker", value_name="label")
    >>> aggregator = DawidSkene(n_iter=100)
    >>> bool((aggregator.fit_predict(answers) == truth).mean() > 0.8)
    True
    >>> round(aggregator.errors_.loc[(0, 1), 1], 1)  # the first worker, on class 1
    np.float64(0.9)
    """

    method: ClassVar[str] = "dawid-skene"
    options: ClassVar[dict[str, Any]] = {"abstains": "ignore"}
    n_iter: int = 100
    tol: float = 1e-5
    initial_error_strategy: str | None = None
    priors_: Any = field(default=None, init=False, repr=False)
    errors_: Any = field(default=None, init=False, repr=False)
    loss_history_: Any = field(default=None, init=False, repr=False)

    def fit(
        self, data: Any, true_labels: Any = None, initial_error: Any = None
    ) -> Self:
        """Learn from answers.

        Parameters
        ----------
        data : pandas data frame
            One row per answer, with the columns "task", "worker" and "label". Two answers
            of a worker to a task are refused.
        true_labels, initial_error : None
            Not supported, and refused: see `GoldMajorityVote`, and `corral.Known` or
            `corral.FromLabels` for known classes.
        """
        if true_labels is not None:
            raise ParameterError(
                "is not supported by corral's DawidSkene. Leave it out, or label with "
                "corral.ConstrainedLabeler(constraints=[corral.Known(...)]).",
                parameter="true_labels",
            )
        if initial_error is not None:
            raise ParameterError(
                "is not supported by corral's DawidSkene. Leave it out, or give what you "
                "know of workers to corral.ConstrainedLabeler(error_rates={...}).",
                parameter="initial_error",
            )
        return super().fit(data)

    def _labeler(self) -> Labeler:
        rounds = {"max_iter": self.n_iter, "tolerance": self.tol}
        return labeler_of(self.method, smoothing=0.0, **rounds, **self.options)

    def _label(self, answers: Any) -> Any:
        return vote_shares(answers) if self.n_iter == 0 else super()._label(answers)

    def _describe(self, answers: Any) -> None:
        import pandas as pd

        if answers.empty:
            self.priors_ = pd.Series(dtype=float, name="prior")
            self.errors_ = pd.DataFrame()
            self.loss_history_ = []
            return
        self.priors_ = self.probas_.mean().rename("prior")
        self.errors_ = self._errors(answers)
        fitted = self.labeler_ is not None
        self.loss_history_ = self.labeler_.history_.tolist() if fitted else []

    def _errors(self, answers: Any) -> Any:
        """How often a worker gives an answer, given the class, under `probas_`."""
        counts = answer_counts(answers, self.probas_).clip(lower=LEAST)
        return counts / counts.groupby("worker", sort=False).sum()


@dataclass
class OneCoinDawidSkene(DawidSkene):
    """Dawid and Skene's model with one skill per worker.

    It takes the options of `DawidSkene` and has its attributes.

    Attributes
    ----------
    skills_ : pandas Series, "skill"
        By worker: how often it is right, under `probas_`.
    """

    method: ClassVar[str] = "one-coin-dawid-skene"
    options: ClassVar[dict[str, Any]] = {}
    skills_: Any = field(default=None, init=False, repr=False)

    def _describe(self, answers: Any) -> None:
        import pandas as pd

        self.skills_ = pd.Series(dtype=float, name="skill")
        super()._describe(answers)

    def _errors(self, answers: Any) -> Any:
        counts = answer_counts(answers, self.probas_)
        labels = counts.index.get_level_values("label")
        own = labels.to_numpy()[:, None] == counts.columns.to_numpy()
        right = (counts * own).sum(axis=1).groupby("worker", sort=False).sum()
        number = answers.groupby("worker", sort=False).size()
        self.skills_ = (right / number).rename("skill")
        skill = self.skills_[counts.index.get_level_values("worker")].to_numpy()[
            :, None
        ]
        others = max(1, counts.shape[1] - 1)
        counts[:] = np.clip(
            np.where(own, skill, (1 - skill) / others), LEAST, 1 - LEAST
        )
        return counts


def answer_counts(answers: Any, probas: Any) -> Any:
    """By worker and answer: how many tasks of every class, by their probabilities."""
    import pandas as pd

    index = pd.MultiIndex.from_frame(answers[["worker", "label"]])
    of_task = probas.loc[answers["task"]].set_axis(index)
    return (
        of_task.groupby(["worker", "label"], sort=False).sum().rename_axis(columns=None)
    )
