"""MMCE: regularised minimax conditional entropy, with terms of workers and items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corral._types import FloatArray
from corral.checks import check_number, check_positive
from corral.error_rates import VoteModel
from corral.error_rates.rates import by_signal, column_errors
from corral.error_rates.vote_features import VoteFeatures
from corral.errors import ConvergenceWarning, ParameterError, SignalsWarning, warn_user
from corral.labelers.learned_labeler import (
    MOSTLY,
    LearnedLabeler,
    learnable,
    list_names,
    one_sided,
    share_of,
)
from corral.labelers.minimax.crowd import Crowd
from corral.labelers.minimax.item_model import ItemModel, confusion, worker_model
from corral.labelers.minimax.penalties import GAMMAS, PenaltyRule, cross_validate
from corral.labelers.minimax.terms import CrowdTerms, Penalties, find_terms
from corral.labelers.seen_votes import SeenVotes
from corral.labelers.signal_numbers import positive_balance
from corral.model import Model
from corral.signals import WeakSignals
from corral.wording import say, spell

CROSS_VALIDATED = "cross-validated"
LEAST = 1e-10
"""Share of a class that no vote is for."""
UNDECIDED = 0.02
"""Labels that nowhere differ from the class balance by more say nothing."""


@dataclass(eq=False, repr=False, kw_only=True)
class MinimaxEntropy(LearnedLabeler):
    """MMCE: regularised minimax conditional entropy, for crowds of workers.

    Every worker (signal) has a confusion matrix, as with Dawid and Skene, and every item
    (example) one as well: what it is easily taken for. The answers are as random as
    they can be, and the labels leave as little of that as they can, where both are to
    agree with the votes; how closely is a matter of regularisation. Examples with the
    same votes have the same item terms, so the work goes with the number of distinct
    rows of votes.

    Soft signals are rounded first. A one-vs-rest signal is a worker for every class it
    votes on. A signal that only ever says one thing tells this model next to nothing:
    on such signals the labels hardly leave the class balance, and a warning says so.

    Parameters
    ----------
    gamma : float or "cross-validated"
        Regularisation by the published rule: the penalty of worker terms is
        ``gamma * k**2``, that of item terms as much times the votes per worker over the
        votes per item. "cross-validated" takes the one of 1/4, 1/2, 1, 2 and 4 that
        predicts held-out votes best, in five parts.
    items : bool or "auto"
        Whether examples have terms. "auto": unless it is certain that they could move
        no probability by more than 0.01, as where examples are many and signals few.
    worker_penalty, item_penalty : float, optional
        Instead of what the rule says.
    class_balance : (k,) array of float, optional
        Shares of the classes; default even among those voted for.
    max_iter : int
        Rounds at most.
    tolerance : float
        Stop where no label changes by as much in a round.
    inner_tolerance : float
        How exactly a round solves for the terms: the largest difference, in votes, of
        answers given and expected.
    max_patterns, ties, uncovered
        As for `DawidSkene`.
    random_state : int, optional
        For random ties, that sample, and the parts of cross-validation.

    Attributes
    ----------
    confusion_ : (m, k, k) array of float
        ``confusion_[i, c, v]``: how often signal i says v where the class is c, on an
        example without a term; NaN where it never votes. One-vs-rest signals: a (k, 2)
        matrix for every stored column (see `WeakSignals.columns`), "no" and "yes".
    worker_terms_ : array of float, (m, k, k) for class votes
        The same as logarithms up to a constant; rows sum to zero.
    accuracies_ : (m,) array of float, or (m, k) for one-vs-rest signals
        How often signals are right under the labels; NaN where they never vote.
    error_rates_ : array of float of the same shape
        The rest to one.
    class_balance_ : (k,) array of float
        The labels of examples without votes.
    gamma_ : float
        The one given or chosen.
    scores_ : dict
        Log-likelihood of a held-out vote by gamma, if it was chosen so; else empty.
    worker_penalty_ : float
    item_penalty_ : float or None
        None: items have no terms.
    n_iter_, converged_
        Rounds taken, and whether they settled.
    history_ : array of float
        What is maximised, after every round.
    degenerate_ : bool
        Whether no label leaves the class balance by more than 0.02.
    model_ : VoteModel or ItemModel
        What every vote adds to the log-odds of the classes. With item terms,
        ``model_.workers`` is that, for votes that no example had when it was fitted.

    Notes
    -----
    Item terms exist for the votes that were fitted on. `predict_proba` gives examples
    with the same votes their labels, and labels others by the workers alone.

    References
    ----------
    D. Zhou, Q. Liu, J. C. Platt, C. Meek and N. B. Shah, Regularized minimax conditional
    entropy for crowdsourcing. arXiv:1503.07240, 2015.

    Examples
    --------
    >>> from corral import MinimaxEntropy
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(500, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.9)
    >>> labeler = MinimaxEntropy().fit(votes)
    >>> labeler.error_rates_.round(1).tolist()
    [0.1, 0.2, 0.3, 0.4, 0.4]
    >>> labeler.converged_, labeler.degenerate_
    (True, False)
    """

    stored_types = (VoteModel, ItemModel, SeenVotes)
    saved_attributes: ClassVar[dict[str, Any]] = {
        **LearnedLabeler.saved_attributes,
        "worker_terms_": FloatArray,
        "confusion_": FloatArray,
        "gamma_": float,
        "scores_": dict,
        "worker_penalty_": float,
        "item_penalty_": float | None,
        "degenerate_": bool,
    }

    gamma: float | Literal["cross-validated"] = field(default=0.25, kw_only=False)
    items: bool | Literal["auto"] = "auto"
    worker_penalty: float | None = None
    item_penalty: float | None = None
    max_iter: int = 50
    tolerance: float = 5e-3
    inner_tolerance: float = 1e-3

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_iter", self.max_iter)
        for name in ("tolerance", "inner_tolerance"):
            check_number(name, getattr(self, name))
        for name in ("worker_penalty", "item_penalty"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name))
        if isinstance(self.gamma, str) and self.gamma != CROSS_VALIDATED:
            raise ParameterError(
                f'gamma must be a number above zero or "{CROSS_VALIDATED}"; '
                f"{self.gamma!r} was given."
            )
        if not isinstance(self.gamma, str):
            check_number("gamma", self.gamma)
        elif self.worker_penalty is not None:
            raise ParameterError(
                "gamma cannot be cross-validated if worker_penalty is given in its "
                "place; give one of them."
            )
        if self.items != "auto" and not isinstance(self.items, bool):
            raise ParameterError(
                f'items must be True, False or "auto"; {self.items!r} was given.'
            )
        if self.multilabel:
            raise ParameterError(
                "labels examples of one class each. For a multi-label task take "
                f"{spell('DawidSkene')}, or fit the classes one by one, signals.about(c).",
                parameter="multilabel",
            )
        if self.items is False and self.item_penalty is not None:
            raise ParameterError(
                "item_penalty is of no use without item terms; leave it out, or leave "
                "items=False out."
            )

    def _find_model(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        features, _ = learnable(signals, weights, self.max_patterns, self._fixed_rng())
        prior = positive_balance(self.class_balance, signals.n_classes)
        if self.class_balance is None:
            # A class that no signal votes for has no term that could keep labels off it.
            voted = (features.member > 0).any(axis=0)
            prior = np.where(voted, 1.0, LEAST)
            prior /= prior.sum()
        found = self._find_terms(signals, features, prior)
        self.class_balance_ = prior
        self.accuracies_ = by_signal(signals, 1 - column_errors(features, found.labels))
        self.worker_terms_ = found.workers
        self.n_iter_ = len(found.history)
        self.converged_ = found.change < self.tolerance
        self.history_ = found.history
        workers = worker_model(signals, features, found.workers, prior)
        self.confusion_ = confusion(signals, features, workers)
        if found.items is None:
            return workers
        at = features.feature
        cells = features.pattern, features.column[at], features.vote[at]
        return ItemModel(workers, SeenVotes.of(signals, cells, found.labels))

    def _find_terms(
        self, signals: WeakSignals, features: VoteFeatures, prior: FloatArray
    ) -> CrowdTerms:
        crowd = Crowd.of(features)
        rule = PenaltyRule(self.items, self.worker_penalty, self.item_penalty)

        def find(votes: Crowd, penalties: Penalties) -> CrowdTerms:
            return find_terms(
                votes,
                penalties,
                prior,
                max_iter=self.max_iter,
                tolerance=self.tolerance,
                inner_tolerance=self.inner_tolerance,
            )

        self.scores_: dict[float, float] = {}
        if isinstance(self.gamma, str):
            self.scores_ = cross_validate(crowd, rule, find, self._fixed_rng())
            self.gamma_ = max(GAMMAS, key=self.scores_.__getitem__)
        else:
            self.gamma_ = float(self.gamma)
        penalties = rule.penalties(crowd, self.gamma_)
        self.worker_penalty_, self.item_penalty_ = penalties.workers, penalties.items
        found = find(crowd, penalties)
        if found.change >= self.tolerance:
            warn_user(
                f"{spell('MinimaxEntropy')} had not settled after {self.max_iter} rounds; "
                f"the last changed a label by {found.change:.2g}."
                f"{say(' Give a larger max_iter.')}",
                ConvergenceWarning,
            )
        moved = float(np.abs(found.labels - prior).max())
        self.degenerate_ = moved <= UNDECIDED
        self._warn_if_degenerate(signals, features, moved)
        return found

    def _warn_if_degenerate(
        self, signals: WeakSignals, features: VoteFeatures, moved: float
    ) -> None:
        """Say that labels are worth little, and why."""
        sided = one_sided(features)
        share = share_of(features, sided)
        ends = f"no label differs from the class balance by more than {moved:.2g}"
        if share >= MOSTLY:
            so = f"; {ends}, and what is left of the penalty decides"
            warn_user(
                f"{share:.0%} of the votes are of signals that only ever say one thing "
                f"({list_names(signals, sided)}). Such a vote is as likely whatever the "
                "class is, to this model, so it tells next to nothing"
                f"{so if self.degenerate_ else ''}. {spell('ConstrainedLabeler')} and "
                f"{spell('MajorityVote')} can use such votes.",
                SignalsWarning,
            )
        elif self.degenerate_:
            warn_user(
                f"{ends}: the votes are too few, or agree too little, for penalties of "
                f"{self.worker_penalty_:g} (workers). "
                + say(
                    f"Give a smaller gamma than {self.gamma_:g}, or use ", shell="Use "
                )
                + f"{spell('MajorityVote')}.",
                SignalsWarning,
            )

    @property
    def note_(self) -> str:
        check_is_fitted(self)
        terms = (
            "worker terms" if self.item_penalty_ is None else "worker and item terms"
        )
        end = "settled" if self.converged_ else "stopped before they settled"
        return f"{terms} learned from the votes, {end} after {self.n_iter_} rounds"
