"""`crowdkit.aggregation`: answers of a crowd in, one label per task out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray
from corral.errors import ConvergenceWarning, ParameterError, warn_user

MIN_PROBABILITY = 1e-10
"""Of an answer given the class, and of a class."""


@dataclass
class BaseClassificationAggregator(ABC):
    """Base of aggregators; `fit` sets `labels_` and `probas_`, both by task."""

    labels_: Any = field(default=None, init=False, repr=False)
    probas_: Any = field(default=None, init=False, repr=False)

    @abstractmethod
    def fit(self, data: Any) -> Self:
        """Learn from a pandas frame of task, worker and label, one row per answer."""

    def _keep(self, probas: Any) -> None:
        """Take the probabilities; of equal ones, the first class wins."""
        self.probas_ = probas
        self.labels_ = probas.idxmax(axis="columns").rename("agg_label")

    def fit_predict(self, data: Any) -> Any:
        return self.fit(data).labels_

    def fit_predict_proba(self, data: Any) -> Any:
        return self.fit(data).probas_


def read_answers(data: Any) -> Any:
    """The three columns of a long table, without missing answers."""
    answers = data[["task", "worker", "label"]].dropna(subset=["label"])
    if answers.empty:
        raise ParameterError("there are no answers.")
    nameless = int(answers[["task", "worker"]].isna().any(axis=1).sum())
    if nameless:
        raise ParameterError(
            f"{nameless} answers have no task or no worker. Name these, or leave the "
            'answers out, with dropna(subset=["task", "worker"]).'
        )
    return answers


@dataclass
class MajorityVote(BaseClassificationAggregator):
    """The class with the most answers; `skills_` says how often a worker gives it.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.crowdkit.aggregation import MajorityVote
    >>> answers = pd.DataFrame({
    ...     "task": ["a", "a", "a"], "worker": ["w1", "w2", "w3"],
    ...     "label": ["cat", "dog", "dog"],
    ... })
    >>> MajorityVote().fit_predict(answers).to_dict()
    {'a': 'dog'}
    """

    skills_: Any = field(default=None, init=False, repr=False)

    def fit(self, data: Any) -> Self:
        answers = read_answers(data)
        self._keep(vote_shares(answers))
        right = answers["label"] == answers["task"].map(self.labels_)
        self.skills_ = right.groupby(answers["worker"]).mean().rename("skill")
        return self


def vote_shares(answers: Any) -> Any:
    """By task: the share of the answers for every class, both sorted."""
    table = answers.groupby(["task", "label"]).size().unstack("label", fill_value=0)
    return table.div(table.sum(axis=1), axis=0)


@dataclass
class DawidSkene(BaseClassificationAggregator):
    """Dawid and Skene's model of workers, as Crowd-Kit fits it.

    `corral.DawidSkene` fits the same model, with smoothing, and stops where its
    likelihood settles. Here a warning says if `n_iter` rounds have not settled.
    """

    n_iter: int = 100
    tol: float = 1e-5
    priors_: Any = field(default=None, init=False, repr=False)
    errors_: Any = field(default=None, init=False, repr=False)
    loss_history_: Any = field(default=None, init=False, repr=False)

    def fit(self, data: Any) -> Self:
        import pandas as pd

        answers = read_answers(data)
        self.loss_history_ = []
        shares = vote_shares(answers)
        task, tasks = pd.factorize(answers["task"])
        said, pairs = pd.factorize(
            pd.MultiIndex.from_frame(answers[["worker", "label"]])
        )
        worker, _ = pd.factorize(pairs.get_level_values(0))
        crowd = csr_array((np.ones(len(task)), (task, said)))  # answers, tasks x pairs
        probas, loss, gain = shares.loc[tasks].to_numpy(), -np.inf, np.inf
        errors = _answer_rates(crowd, worker, probas)
        while len(self.loss_history_) < self.n_iter and gain >= self.tol:
            evidence = crowd @ np.log(errors)
            scores = evidence + np.log(probas.mean(axis=0).clip(MIN_PROBABILITY))
            probas = np.exp(scores - scores.max(axis=1, keepdims=True))
            probas /= probas.sum(axis=1, keepdims=True)
            errors = _answer_rates(crowd, worker, probas)
            prior = np.log(probas.mean(axis=0).clip(MIN_PROBABILITY))
            # Crowd-Kit counts the prior once per answer, not once per task.
            expected = crowd @ np.log(errors) + crowd.sum(axis=1)[:, None] * prior
            bound = (probas * expected).sum() - (
                probas * np.log(probas.clip(MIN_PROBABILITY))
            ).sum()
            gain, loss = bound / len(answers) - loss, bound / len(answers)
            self.loss_history_.append(float(loss))
        if self.n_iter and gain >= self.tol:
            warn_user(
                f"DawidSkene had not settled after {self.n_iter} rounds. Give "
                "a larger n_iter.",
                ConvergenceWarning,
            )
        index = pd.Index(tasks, name="task")
        self._keep(pd.DataFrame(probas, index, shares.columns))
        self.priors_ = self.probas_.mean().rename("prior")
        pairs = pairs.set_names(["worker", "label"])
        self.errors_ = pd.DataFrame(errors, pairs, shares.columns.rename(None))
        return self


def _answer_rates(crowd: Any, worker: Any, probas: Any) -> FloatArray:
    """(p, k) how often the pairs of worker and answer come, given the class."""
    counts: FloatArray = (crowd.T @ probas).clip(MIN_PROBABILITY)
    total = np.zeros((worker.max() + 1, counts.shape[1]))
    np.add.at(total, worker, counts)
    return counts / total[worker]
