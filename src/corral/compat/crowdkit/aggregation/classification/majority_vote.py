"""Majority vote, perhaps weighted by skills of workers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

from corral.checks import check_choice
from corral.compat.crowdkit.aggregation.base import (
    BaseClassificationAggregator,
    read_answers,
)
from corral.errors import ParameterError


@dataclass
class MajorityVote(BaseClassificationAggregator):
    """The class with the most answers, or with the largest sum of skills.

    Parameters
    ----------
    default_skill : float, optional
        That of workers without one, with ``on_missing_skill="value"``.
    on_missing_skill : "error", "ignore" or "value"
        What happens to answers of workers without a skill: an error, nothing (they are
        left out), or they count `default_skill`.

    Attributes
    ----------
    labels_, probas_
        As for all aggregators; a probability is a share of the answers, or of skills.
    skills_ : pandas Series, "skill"
        By worker: the share of the answers that agree with `labels_`.

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
    >>> skills = pd.Series({"w1": 0.9, "w2": 0.2, "w3": 0.4})
    >>> MajorityVote().fit_predict(answers, skills).to_dict()
    {'a': 'cat'}
    """

    default_skill: float | None = None
    on_missing_skill: Literal["error", "ignore", "value"] = "error"
    skills_: Any = field(default=None, init=False, repr=False)

    def fit(self, data: Any, skills: Any = None) -> Self:
        """Count the answers.

        Parameters
        ----------
        data : pandas data frame
            One row per answer, with the columns "task", "worker" and "label".
        skills : pandas Series, optional
            Skills, by worker.
        """
        answers = read_answers(data)
        if skills is not None:
            answers = self._add_skills(answers, skills)
        self._keep(vote_shares(answers))
        self.skills_ = agreement(answers, self.labels_)
        return self

    def _add_skills(self, answers: Any, skills: Any) -> Any:
        check_choice(
            "on_missing_skill", self.on_missing_skill, ("error", "ignore", "value")
        )
        if (self.on_missing_skill == "value") is (self.default_skill is None):
            raise ParameterError(
                'default_skill and on_missing_skill="value" go together; give both or '
                "none."
            )
        answers = answers.join(skills.rename("skill"), on="worker")
        missing = answers["skill"].isna()
        if self.on_missing_skill == "value":
            return answers.fillna({"skill": self.default_skill})
        if self.on_missing_skill == "ignore":
            kept = answers[~missing]
            lost = answers["task"].nunique() - kept["task"].nunique()
            if lost:
                raise ParameterError(
                    f"{lost} tasks have no worker with a known skill. Give skills for "
                    'them, or on_missing_skill="value" with a default_skill.'
                )
            return kept
        if missing.any():
            workers = answers.loc[missing, "worker"].unique().tolist()
            raise ParameterError(
                f"{missing.sum()} answers are of workers without a skill, such as "
                f'{workers[:3]}. Give theirs, or on_missing_skill="ignore" or "value".'
            )
        return answers


def vote_shares(answers: Any) -> Any:
    """By task: the share of the answers, or of their column "skill", for every class.

    Tasks and classes are sorted, so the first of equal classes wins, whatever the order of
    the answers.
    """
    import pandas as pd

    if answers.empty:
        return pd.DataFrame()
    weights = answers["skill"] if "skill" in answers else pd.Series(1.0, answers.index)
    sums = weights.groupby([answers["task"], answers["label"]]).sum()
    table = sums.unstack("label", fill_value=0.0)
    return table.div(table.sum(axis=1), axis=0)


def agreement(answers: Any, truth: Any) -> Any:
    """By worker: the share of the answers that are the true label of their task.

    Tasks without one do not count; a task may have several.
    """
    import pandas as pd

    pairs = pd.MultiIndex.from_arrays([truth.index, truth])
    given = answers[answers["task"].isin(truth.index)].drop_duplicates()
    said = pd.MultiIndex.from_frame(given[["task", "label"]])
    right = pd.Series(said.isin(pairs), given.index, float)
    return right.groupby(given["worker"]).mean().rename("skill")
