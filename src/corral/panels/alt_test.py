"""May a judge replace an annotator? The alternative annotator test.

Calderon, Reichart and Dror (ACL 2025). Each annotator is left out in turn. On every item
that they answered, the judge and the annotator are compared by how many of the other
annotators each agrees with; ``d`` is 1 where only the annotator does at least as well, -1
where only the judge does, 0 where both do. The judge wins against an annotator if a t-test
rejects "the mean of d is epsilon or more", with Benjamini and Yekutieli's correction for
several annotators; it may replace them if it wins against half of them or more.

Epsilon is what an annotator costs more than a judge: 0.2 for experts, 0.1 for crowds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from corral._types import FloatArray, IntArray

EPSILON, FALSE_WINS = 0.2, 0.05
MIN_ITEMS = 30
"""Items that an annotator, and others, must have answered."""


@dataclass(frozen=True, eq=False)
class Replacement:
    """Whether a judge may replace an annotator."""

    name: str
    winning_rate: float  # share of the annotators that it wins against
    advantage: float  # how often it does at least as well as the annotator left out
    p_values: FloatArray  # (a,) corrected; NaN for annotators with too few items

    @property
    def may_replace(self) -> bool:
        """Whether it wins against half of the annotators or more."""
        return self.winning_rate >= 0.5


def run_alt_test(
    votes: IntArray, people: IntArray, name: str, *, epsilon: float = EPSILON
) -> Replacement:
    """The test for verdicts (n,) and answers of people (n, a), -1 for no answer."""
    answered = people >= 0
    said = (people[:, :, None] == people[:, None, :]) & answered[:, None, :]
    agreed = said.sum(axis=2) - answered  # of each person with the others
    backed = ((people == votes[:, None]) & answered).sum(axis=1)
    p_values, shares = [], []
    for j in range(people.shape[1]):
        others = answered.sum(axis=1) - answered[:, j]
        rows = answered[:, j] & (others > 0) & (votes >= 0)
        mine = agreed[rows, j]
        judged = backed[rows] - (people[rows, j] == votes[rows])
        if len(mine) < MIN_ITEMS:
            p_values.append(np.nan)
            continue
        d = (mine >= judged).astype(float) - (judged >= mine)
        shares.append(float((judged >= mine).mean()))
        if np.ptp(d) == 0:  # no spread, no t
            p_values.append(float(d[0] >= epsilon))
        else:
            p_values.append(
                float(scipy.stats.ttest_1samp(d, epsilon, alternative="less").pvalue)
            )
    found = np.array(p_values)
    known = np.isfinite(found)
    if not shares:
        return Replacement(name, 0.0, np.nan, found)
    found[known] = scipy.stats.false_discovery_control(found[known], method="by")
    wins = float((found[known] <= FALSE_WINS).mean())
    return Replacement(name, wins, float(np.mean(shares)), found)
