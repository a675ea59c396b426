"""How strongly terms are held back: the published rule, and choosing by held-out votes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray
from corral.labelers.minimax.crowd import Crowd
from corral.labelers.minimax.terms import CrowdTerms, Penalties, predict_votes
from corral.progress import progress, silence

GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""What is tried, as published."""
FOLDS = 5
NEGLIGIBLE = 0.01
"""Item terms that can move no probability by more are left out."""


@dataclass(frozen=True)
class PenaltyRule:
    """Penalties in proportion to gamma, unless they are given.

    The published rule: ``gamma * k**2`` for workers, and for items that times the votes
    of a worker over the votes on an item (their means). So terms that rest on as many
    votes are held back alike.

    Attributes
    ----------
    items : bool or "auto"
        Whether items have terms; "auto": unless they are `negligible`.
    worker_penalty, item_penalty : float or None
        What a user gave instead.
    """

    items: bool | str
    worker_penalty: float | None
    item_penalty: float | None

    def penalties(self, crowd: Crowd, gamma: float) -> Penalties:
        """Those for the votes of a crowd."""
        workers = self.worker_penalty
        if workers is None:
            workers = gamma * crowd.table_shape[0] ** 2
        if self.items is False:
            return Penalties(workers, None)
        items = self.item_penalty
        if items is None:
            active = len(np.unique(crowd.column))
            items = workers * float(crowd.counts.sum()) / active
        if self.items == "auto" and negligible(crowd, items):
            return Penalties(workers, None)
        return Penalties(workers, items)


def negligible(crowd: Crowd, penalty: float) -> bool:
    """Whether item terms under a penalty could hardly move a label.

    Where F is at its maximum, ``penalty * sigma_j[c]`` is a difference of answers given and
    expected, so a vote's log-probability is moved by ``2 d Q_j(c) / penalty`` at most, with
    ``d`` votes on the item; all of them move the log-odds of two classes by at most
    ``2 d^2 / penalty``, and a probability by a quarter of that.
    """
    most = float(np.diff(crowd.matrix.indptr).max())
    return most**2 / (2 * penalty) <= NEGLIGIBLE


def cross_validate(
    crowd: Crowd,
    rule: PenaltyRule,
    find: Callable[[Crowd, Penalties], CrowdTerms],
    rng: np.random.Generator,
) -> dict[float, float]:
    """Log-likelihood of a held-out vote for every gamma.

    The votes of workers on items (patterns) are dealt into `FOLDS` parts. Each is left
    out once and predicted from the terms and labels that the others give.

    Parameters
    ----------
    crowd : Crowd
    rule : PenaltyRule
    find : callable
        Gives the terms of a crowd under penalties.
    rng : Generator
        Deals the votes.
    """
    fold = rng.permutation(len(crowd.pattern)) % FOLDS
    scores = dict.fromkeys(GAMMAS, 0.0)
    weights: FloatArray = crowd.counts[crowd.pattern]
    with progress("choosing gamma by held-out votes", len(GAMMAS) * FOLDS) as bar:
        for gamma in GAMMAS:
            penalties = rule.penalties(crowd, gamma)
            for part in range(FOLDS):
                held = fold == part
                with silence():
                    terms = find(crowd.only(~held), penalties)
                logs = predict_votes(crowd.only(held), terms)
                scores[gamma] += float(weights[held] @ logs) / float(weights.sum())
                bar.advance()
    return scores
