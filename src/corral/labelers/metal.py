"""MeTaL, the label model of Snorkel: accuracies from how often votes meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral._types import FloatArray
from corral.checks import check_number
from corral.errors import ParameterError
from corral.labelers.em import LearnedLabeler, right_shares
from corral.labelers.simple import by_question
from corral.progress import progress
from corral.rates import check_balance, signal_numbers
from corral.votes import WeakSignals

MOMENTUM = 0.9
SETTLED = 1e-6
"""Change of the loss in a step, relative to the loss at the start."""
BLOCK_FEATURES = 1 << 10
"""Features whose meetings are counted at once."""


@dataclass(eq=False, repr=False, kw_only=True)
class MeTaL(LearnedLabeler):
    """Matrix completion as in MeTaL, which is Snorkel's ``LabelModel``.

    Signals err independently of each other, given the class. So how often two votes meet
    is the product of ``mu[vote, class]``, the probability of a vote given the class,
    summed over the classes. ``mu`` is found by gradient descent on the squared
    differences, from a start that trusts every vote.

    The 100 steps are early stopping: with more, the loss keeps falling and labels of
    signals that only ever vote for one class get worse.

    Parameters
    ----------
    class_balance : (k,) array of float, optional
        Shares of the classes; default even. They are not learned.
    precision : float, array or mapping
        How often votes are thought to be right at the start: one number, or one per
        signal by position or by name.
    max_iter : int
        Steps.
    learning_rate : float
    penalty : float
        Snorkel's ``l2``. It adds ``penalty**2`` times the squared distance of ``mu`` from
        its initial value to the loss, and ``penalty / 2`` times its squared size: Snorkel
        hands the same number to its optimiser as the decay of weights.
    start : float
        The descent starts at this part of the initial ``mu``. Snorkel draws it between 0
        and 1; after 100 steps it still matters.
    ties, uncovered, answers, random_state : as for `MajorityVote`

    Attributes
    ----------
    accuracies_, error_rates_, class_balance_, n_iter_, converged_ : see `LearnedLabeler`
    history_ : array of float
        The loss before every step, and after the last.

    References
    ----------
    A. Ratner, B. Hancock, J. Dunnmon, F. Sala, S. Pandey and C. Ré, Training complex
    models with multi-task weak supervision. AAAI 2019.

    Examples
    --------
    >>> from corral import MeTaL
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(5_000, [0.9, 0.8, 0.7, 0.6], coverage=0.9)
    >>> MeTaL().fit(votes).accuracies_.round(1).tolist()
    [0.9, 0.8, 0.7, 0.6]
    """

    precision: Any = 0.7
    learning_rate: float = 0.01
    penalty: float = 0.0
    start: float = 0.5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("learning_rate", self.learning_rate)
        check_number("penalty", self.penalty, zero=True)
        check_number("start", self.start)

    def _learn(self, signals: WeakSignals) -> tuple[FloatArray, FloatArray, FloatArray]:
        schema, total = signals.schema, float(signals.counts.sum())
        balance = check_balance(self.class_balance, signals.n_classes, positive=True)
        precision = signal_numbers("precision", self.precision, signals)
        if not ((precision > 0) & (precision <= 1)).all():
            raise ParameterError(
                "precision must be above 0 and at most 1; "
                f"{precision.tolist()} was given."
            )
        trust = by_question(precision, signals)
        problem = MomentFit(signals, balance, trust, self.penalty)
        quiet = np.errstate(over="ignore", invalid="ignore")  # reported below
        with progress("completing the matrix", self.max_iter) as bar, quiet:
            mu, speed, history = self.start * problem.initial, np.zeros(()), []
            for _ in range(self.max_iter):
                loss, gradient = problem.loss_and_gradient(mu)
                history.append(loss)
                speed = MOMENTUM * speed + gradient
                mu = mu - self.learning_rate * speed
                bar.advance()
            history.append(problem.loss_and_gradient(mu)[0])
        if not history[-1] <= history[0] * (1 + 1e-9):
            raise ParameterError(
                f"the loss grew from {history[0]:.3g} to {history[-1]:.3g}: a "
                f"learning_rate of {self.learning_rate:g} is too large for this many votes "
                "per example. Give a smaller one."
            )
        least = min(0.01, 10 ** -np.ceil(np.log10(total)))
        mu = problem.align_classes(np.clip(mu, least, 1 - least))
        used = signals.cast > 0
        supported = np.where(used[:, None], schema.supports, 0.0)
        right = right_shares(signals, (mu * supported) @ balance * total)
        self.accuracies_ = np.clip(right, 1e-6, 1)
        self.history_, self.n_iter_ = np.array(history), self.max_iter
        self.converged_ = bool(abs(history[-1] - history[-2]) <= SETTLED * history[0])
        return np.where(used[:, None], np.log(mu), 0.0), np.log(balance), balance

    @property
    def note_(self) -> str:
        self._check_fitted()
        end = (
            "settled" if self.converged_ else "still falling, stopped early on purpose"
        )
        return f"{self.n_iter_} steps of matrix completion, the loss {end}"


class MomentFit:
    """The squared differences between how often votes meet and how often they should.

    `balance` (k,) has the shares of the classes, `precision` (c,) how often the answers to
    every question are right at the start.
    """

    def __init__(
        self,
        signals: WeakSignals,
        balance: FloatArray,
        precision: FloatArray,
        penalty: float = 0.0,
    ) -> None:
        self.signals, self.balance, self.penalty = signals, balance, penalty
        schema, F, self.total = signals.schema, signals.F, signals.counts.sum()
        self.share = signals.cast / self.total
        trusted = self.share * precision[schema.column] / (schema.supports @ balance)
        self.initial = np.clip(trusted, 0, 1)[:, None] * schema.supports
        self.weighted = csr_array(F.T * signals.counts)
        # Pairs of votes (f, f) as a table, or a product with the votes if that is smaller.
        f, self.table = F.shape[1], None
        if f**2 <= 2 * F.nnz:
            self.table = (self.weighted @ F).toarray() / self.total
            np.fill_diagonal(self.table, 0)  # a question has one answer
            self.square = float((self.table**2).sum())
        else:
            parts = (
                self.weighted[a : a + BLOCK_FEATURES] @ F
                for a in range(0, f, BLOCK_FEATURES)
            )
            squares = sum(float((part.data**2).sum()) for part in parts)
            self.square = squares / self.total**2 - float(self.share @ self.share)

    def meet(self, other: FloatArray) -> FloatArray:
        """How often votes on different questions occur together, times any (f, k)."""
        if self.table is not None:
            return self.table @ other
        product: FloatArray = self.weighted @ (self.signals.F @ other)
        return product / self.total - self.share[:, None] * other

    def loss_and_gradient(self, mu: FloatArray) -> tuple[float, FloatArray]:
        """The loss at ``mu`` (f, k), and its gradient.

        ``mu P mu'`` has a low rank and is never formed; the blocks of questions with
        themselves, which nothing is asked of, are taken off it one by one.
        """
        scaled = mu * self.balance  # mu P
        gram = mu.T @ scaled  # mu' mu P
        seen = self.meet(scaled)  # O mu P
        blocks = mu.reshape(self.signals.schema.n_columns, -1, mu.shape[1])
        own = blocks.transpose(0, 2, 1) @ (blocks * self.balance)
        product = scaled @ gram - ((blocks * self.balance) @ own).reshape(mu.shape)
        marginal = mu @ self.balance - self.share
        away = self.penalty * (mu - self.initial)
        fit = (gram * gram.T).sum() - (own * own.transpose(0, 2, 1)).sum()
        fit += self.square - 2 * (mu * seen).sum()
        loss = fit + marginal @ marginal
        loss += (away**2).sum() + self.penalty / 2 * (mu**2).sum()
        gradient = 4 * (product - seen) + 2 * np.outer(marginal, self.balance)
        return float(loss), gradient + self.penalty * (2 * away + mu)

    def align_classes(self, mu: FloatArray) -> FloatArray:
        """``mu`` with its columns in the order that trusts the votes most.

        Equally frequent classes may change places without changing the loss.
        """
        from scipy.optimize import linear_sum_assignment  # slow to load

        claims = self.signals.schema.shares
        trust = claims.T @ (mu * self.balance * (self.share > 0)[:, None])
        order = np.arange(len(self.balance))
        for share in np.unique(self.balance.round(3)):
            group = np.flatnonzero(self.balance.round(3) == share)
            _, best = linear_sum_assignment(trust[np.ix_(group, group)], maximize=True)
            order[group] = group[best]
        return mu[:, order]
