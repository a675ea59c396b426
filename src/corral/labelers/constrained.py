"""Constrained label learning as an estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from corral._types import BoolArray, FloatArray, IntArray
from corral.checks import require_votes
from corral.constraints import (
    ClassBalance,
    Confusion,
    Constraint,
    CoveredBalance,
    ErrorRate,
    ExampleFacts,
    GroupShare,
    Known,
    Precision,
    Recall,
    System,
    check_constraints,
    make_system,
    read_example_facts,
)
from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.labelers.base import Labeler, as_signals
from corral.labelers.multilabel import estimate_by_class
from corral.model import Link, LogLinear, logit, safe_log
from corral.rates import (
    Accuracy,
    Agreement,
    Auto,
    FromLabels,
    RateEstimator,
    Rates,
    check_balance,
    read_rates,
)
from corral.solvers import (
    Adagrad,
    Entropy,
    Projection,
    Solution,
    Solver,
    Status,
    solver_of,
)
from corral.solvers.adagrad import AdagradSteps
from corral.solvers.solution import TOLERANCE
from corral.votes import WeakSignals

SAVED_ESTIMATORS = (Agreement, Auto)
"""Of other estimators, the rates that they estimated are saved."""
BALANCE_WEIGHT = 1000.0
"""Of a known class balance beside error rates: few examples of a rare class are many."""


@dataclass(eq=False, repr=False, kw_only=True)
class ConstrainedLabeler(Labeler):
    """Labels under which every signal errs as often as it is expected to.

    By default the labels come from the votes alone, or from votes and the true labels of
    a few examples (`fit` takes them as `gold`). They are the *reference*, and have no
    certificate. With rates that you know, or `constraints`, the labels are the nearest to
    the reference, by relative entropy, under which these hold, with a certificate. One
    rate for all signals, or a `solver`, is the paper's way: a point of the space in which
    every signal errs as often as you say, without a reference.

    Parameters
    ----------
    error_rates : "auto", mapping, array, float or an estimator
        How often signals are wrong. "auto": `Auto` estimates it. A mapping from names of
        signals, or an array (m,) or (m, k) with NaN where unknown: rates that you know. A
        float: one rate for all (the paper's is 0.01). `FromLabels`, `Agreement`, or any
        object with ``estimate(signals) -> Rates``. None: only `constraints`.
    solver : "adagrad", "entropy", "projection" or a solver object, optional
        Which point of the space is chosen, without a reference. Estimated rates are then
        taken as if you knew them. Default: "adagrad" for one rate for all, "entropy" for
        bounds alone and for rates that come without labels (`Agreement`).
    constraints : list of constraints, optional
        What else labels should meet: `ErrorRate`, `Precision`, `Recall`, `Confusion`,
        `ClassBalance`, `GroupShare` and `Known`. Bounds need the solver "entropy" or
        "projection".
    class_balance : (k,) array of float, optional
        Shares of the classes, if you know them: a constraint on the mean label of the
        examples with a vote, unless `constraints` has a `ClassBalance`. Examples without
        votes have them as probabilities; default even, or estimated. In multi-label tasks
        only entries without a vote have them; default one half, or the estimated share if
        signals say both "yes" and "no" of the class.
    multilabel, ties, uncovered, answers
        As for `MajorityVote`. In multi-label tasks, what the votes of a signal are worth is
        pooled over the classes if rates are estimated.
    random_state : int, Generator or None
        For random starts and random ties. By default nothing is random.

    Attributes
    ----------
    classes_, signal_names_, labels_, covered_, class_shares_
        As for every labeler; see `corral.labelers.Labeler`.
    error_rates_ : (m,) or (m, k) array of float
        Expected errors; NaN where unknown.
    rates_ : Rates
        Estimated rates with standard errors, intervals, a note, and how far each is
        `learned`, not assumed; only if estimated.
    implied_error_rates_ : (m,) or (m, k) array of float
        Errors of the signals under the labels found.
    solution_ : Solution
        Status, certificate and history of the solve. Estimated labels have the status
        ``Status.ESTIMATED`` and no certificate: their gap is infinite.

    Examples
    --------
    >>> from corral import ConstrainedLabeler
    >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
    >>> labeler = ConstrainedLabeler().fit(votes)
    >>> labeler.predict(votes).tolist()
    ['spam', 'ham', 'ham']

    The paper's labeler, with a rate that somebody thinks is right:

    >>> labeler = ConstrainedLabeler(error_rates=0.1, solver="adagrad").fit(votes)
    >>> labeler.solution_.status
    <Status.INFEASIBLE: 'infeasible'>
    """

    stored_types = (
        *(LogLinear, AdagradSteps, Solution, Status, Rates, Accuracy, csr_array),
        *(Adagrad, Entropy, Projection, *SAVED_ESTIMATORS),
        *(ClassBalance, Confusion, ErrorRate, Precision, Recall),
    )

    error_rates: Any = field(default="auto", kw_only=False)
    solver: str | Solver | None = field(default=None, kw_only=False)
    constraints: Sequence[Constraint] | None = None
    class_balance: ArrayLike | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_constraints(self.constraints or ())

    def fit(
        self,
        signals: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        gold: Any = None,
    ) -> Self:
        """Learn from signals, and from the true labels of some examples if there are any.

        Parameters
        ----------
        signals, y, sample_weight
            As for every labeler.
        gold : (n,) array of class values, or (n, k) of 0 and 1 (multi-label), optional
            True labels; None, NaN, "" or -1 (unless it is a class) where unknown. Their
            examples keep them, and they move the labels of all others, see `FromLabels`.

        Examples
        --------
        >>> from corral import ConstrainedLabeler
        >>> votes = [[1, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]] * 5
        >>> labeler = ConstrainedLabeler().fit(votes, gold=[1, 0, 1, 0] + [None] * 16)
        >>> labeler.error_rates_.argmax()
        np.int64(2)
        """
        # Not asked of a loaded labeler: constraints on its examples are not saved.
        if self.error_rates is None and not self.constraints:
            raise ParameterError(
                "there is nothing to label by; give error_rates, constraints or both."
            )
        return self._fit(signals, y, sample_weight, gold=gold)

    def _find_model(self, signals: WeakSignals, gold: Any = None) -> Any:
        require_votes(signals.cast.any())
        votes, facts = self._read_facts(signals, gold)
        estimator = self._estimator(gold)
        if estimator is None:
            model, labels = self._fit_space(votes, facts, self.given_rates(votes))
        else:
            model, labels = self._fit_reference(estimator, votes, facts)
        self.implied_error_rates_ = votes.error_rates(labels)
        unheard = np.isnan(self.implied_error_rates_.reshape(votes.n_signals, -1))
        if unheard.all(axis=1).any():
            silent = np.flatnonzero(unheard.all(axis=1))
            listed = ", ".join(signals.names[i] for i in silent)
            warn_user(f"signals that never vote are left out: {listed}", SignalsWarning)
        known = facts.is_known if facts is not None else np.zeros(len(votes), bool)
        self._fitted = labels, votes.row_of, model.covered(votes) | known
        return model

    def _label_fitted(
        self,
        signals: WeakSignals,  # noqa: ARG002
    ) -> tuple[FloatArray, IntArray, BoolArray]:
        fitted: tuple[FloatArray, IntArray, BoolArray] = self.__dict__.pop("_fitted")
        return fitted

    def _read_facts(
        self, signals: WeakSignals, gold: Any = None
    ) -> tuple[WeakSignals, ExampleFacts | None]:
        """What is known of examples; and the signals, whose rows keep it apart."""
        facts = read_example_facts(
            self.constraints or (), signals, gold, multilabel=self.multilabel
        )
        if self._solver().by_example:
            if signals.row_counts is not None:
                raise ParameterError(
                    "explicit starts belong to single examples, but these signals are "
                    'counted; use starts="expected".'
                )
            return signals.by_example(), facts
        return (signals if facts is None else signals.split_by(facts.key)), facts

    def _estimator(self, gold: Any = None) -> RateEstimator | None:
        """What finds the reference; None if there is none."""
        estimator, rates = estimator_of(self.error_rates), self.error_rates
        one_by_one = isinstance(rates, Mapping) or np.ndim(rates) > 0
        if estimator is None and one_by_one and self.solver is None:
            estimator = Auto()
        if gold is None:
            return estimator
        if not isinstance(estimator, Auto):
            raise ParameterError(
                'gold= needs error_rates="auto", or rates of single signals without '
                f"`solver=`; {self.error_rates!r} was given."
            )
        return FromLabels(gold)

    def given_rates(self, signals: WeakSignals) -> FloatArray:
        """(m,) or (m, k) rates that a user knows; NaN for others."""
        if self.error_rates is None or estimator_of(self.error_rates) is not None:
            return np.full(signals.n_signals, np.nan)
        return read_rates(self.error_rates, signals, multilabel=self.multilabel)

    # -- without a reference: a point of the space, found by a solver ----------------------

    def _fit_space(
        self, signals: WeakSignals, facts: ExampleFacts | None, rates: FloatArray
    ) -> tuple[Any, FloatArray]:
        """Labels of the space of rates, which a user gave or that were estimated."""
        solver = self._solver()
        system = self._system(signals, facts, rates, joint=solver.joint)
        if not solver.takes_bounds and not system.is_exact:
            raise ParameterError(
                f"{type(solver).__name__} takes exact rates only, no bounds. Use "
                'solver="entropy" or solver="projection".'
            )
        solution = solver.solve(system, np.random.default_rng(self.random_state))
        prior = self._balance(signals)
        every = signals.schema.n_features
        touched = np.unique(system.R.indices // system.n_labels)
        keeps_all = bool(((touched == every) | (touched > every + 1)).any())
        model: Any
        if isinstance(solver, Adagrad):
            model = AdagradSteps(
                solution.multipliers,
                system.R,
                system.n_labels,
                prior,
                self.multilabel,
                keeps_all or solver.uncovered_entries == "start",
                _heard(signals),
            )
            found = solution.labels
        else:
            model = _log_linear(
                signals, system, solution, solver.link, prior, keeps_all=keeps_all
            )
            found = system.class_labels(solution.labels)
        labels = model.finish(found, signals.entries_voted())
        one_for_all = np.ndim(self.error_rates) == 0 and not isinstance(
            self.error_rates, Mapping
        )
        named = not one_for_all or bool(self._asked(signals, solver.joint))
        solution.warn(solver.advice, named=named)
        self.solution_, self.error_rates_ = solution, rates
        return model, _put_known(labels, signals, facts)

    # -- the reference, and the labels nearest to it under what is known -------------------

    def _fit_reference(
        self,
        estimator: RateEstimator,
        signals: WeakSignals,
        facts: ExampleFacts | None,
    ) -> tuple[Any, FloatArray]:
        """Labels of an estimated model; if anything is known, the nearest to them."""
        self.rates_ = rates = self._estimate(estimator, signals)
        model = rates.model
        if model is None or self.solver is not None:
            return self._fit_space(signals, facts, rates.error_rates)
        if self.class_balance is not None:
            model = replace(model, prior=self._balance(signals), keeps_all=False)
        labels = _put_known(model.row_labels(signals), signals, facts)
        given = self.given_rates(signals)
        if np.isnan(given).all() and not self._asked(signals, joint=True):
            self.error_rates_ = rates.error_rates
            self.solution_ = _estimated_solution(signals, labels, rates)
            return model, labels
        system = self._near(self._system(signals, facts, given, joint=True), labels)
        solution = Entropy().solve(system)
        solution.warn(Entropy().advice, named=True)
        estimated, expected = rates.error_rates, given
        if given.ndim < estimated.ndim:
            expected = given[:, None]
        if expected.ndim == estimated.ndim:  # else of classes, which have no estimate
            expected = np.where(np.isnan(expected), estimated, expected)
        told: Any = np.isfinite(given.reshape(len(given), -1)).any(axis=1)
        self.rates_ = replace(rates, given=told)
        self.solution_, self.error_rates_ = solution, expected
        nearest = _log_linear(
            signals,
            system,
            solution,
            "softmax",
            model.prior,
            keeps_all=True,
            reference=model,
        )
        labels = system.class_labels(solution.labels)
        return nearest, _put_known(labels, signals, facts)

    def _near(self, system: System, labels: FloatArray) -> System:
        """The same constraints, for labels (u, k) near to others."""
        if self.multilabel:
            return replace(system, reference=logit(labels))
        logs = safe_log(labels)
        one = system.n_labels == 1
        return replace(system, reference=logs[:, 1:] - logs[:, :1] if one else logs)

    def _estimate(self, estimator: RateEstimator, signals: WeakSignals) -> Rates:
        if self.multilabel:
            balance = self.class_balance
            prior = None if balance is None else self._balance(signals)
            return estimate_by_class(estimator, signals, prior)
        return estimator.estimate(signals)

    # -- what both share -------------------------------------------------------------------

    def make_system(self, signals: Any) -> tuple[System, Solver]:
        """The constraints that a fit on `signals` would have, and their solver.

        Estimated rates, if the fit would have no constraints.
        """
        self._check_parameters()
        votes, facts = self._read_facts(as_signals(signals))
        estimator, rates = self._estimator(), self.given_rates(votes)
        if estimator is not None:
            found = self._estimate(estimator, votes)
            known = not np.isnan(rates).all() or self._asked(votes, joint=True)
            if known and self.solver is None and found.model is not None:
                system = self._system(votes, facts, rates, joint=True)
                fitted = getattr(getattr(self, "model_", None), "reference", None)
                reference = fitted or found.model  # gold may have moved the fitted one
                return self._near(system, reference.row_labels(votes)), Entropy()
            rates = found.error_rates
        solver = self._solver()
        return self._system(votes, facts, rates, joint=solver.joint), solver

    def _system(
        self,
        signals: WeakSignals,
        facts: ExampleFacts | None,
        rates: FloatArray,
        *,
        joint: bool,
    ) -> System:
        return make_system(
            signals,
            rates,
            self._asked(signals, joint),
            joint=joint,
            multilabel=self.multilabel,
            facts=facts,
        )

    def _solver(self) -> Any:
        """The solver that was asked for, or the default of rates of this kind."""
        one_for_all = self.error_rates is not None and self._estimator() is None
        default = "adagrad" if one_for_all else "entropy"
        return solver_of(default if self.solver is None else self.solver)

    def _balance(self, signals: WeakSignals) -> FloatArray:
        return check_balance(
            self.class_balance, signals.n_classes, multilabel=self.multilabel
        )

    def _asked(self, signals: WeakSignals, joint: bool) -> list[Constraint]:
        """What a solver is asked for: `constraints`, and the class balance if given."""
        constraints = list(self.constraints or ())
        stated = any(isinstance(one, ClassBalance) for one in constraints)
        if self.class_balance is None or self.multilabel or stated:
            return constraints
        pairs = zip(signals.classes.tolist(), self._balance(signals), strict=True)
        weight = BALANCE_WEIGHT if joint else 1.0
        balance = [CoveredBalance(c, equal=share, weight=weight) for c, share in pairs]
        # If labels add up to one, the share of the first class is what the others leave.
        second = signals.schema.names_classes and signals.n_classes == 2
        return [*constraints, *balance[joint or second :]]

    @property
    def note_(self) -> str:
        """How the labels were found: the verdict of the solver, and of the estimator."""
        check_is_fitted(self)
        notes = [self.solution_.message]
        if hasattr(self, "rates_"):
            notes.append(f"rates: {self.rates_.note}")
        return "\n".join(notes)

    def _options_to_save(self) -> dict[str, Any]:
        options = super()._options_to_save()
        estimator = estimator_of(self.error_rates)
        if estimator is not None and type(estimator) not in SAVED_ESTIMATORS:
            # It may hold examples: what it found is saved, as rates that are given.
            options["error_rates"] = self.error_rates_
            options["solver"] = self.solver or "entropy"
        if isinstance(self.solver, Adagrad) and self.solver.by_example:
            # Explicit starts belong to examples; how many there were is enough.
            starts = len(self.solution_.multipliers)
            options["solver"] = replace(self.solver, starts=starts)
        about_examples = (GroupShare, Known)
        kept = [c for c in self.constraints or () if not isinstance(c, about_examples)]
        return options | {"constraints": kept or None}

    def _results_to_save(self) -> dict[str, Any]:
        none = np.empty((0, 0))
        found = {
            "error_rates_": self.error_rates_,
            "implied_error_rates_": self.implied_error_rates_,
            "solution_": replace(self.solution_, labels=none, multipliers=none),
        }
        if hasattr(self, "rates_"):
            found["rates_"] = replace(self.rates_, model=None)
        return found


def _log_linear(
    signals: WeakSignals,
    system: System,
    solution: Solution,
    link: Link,
    prior: FloatArray,
    **others: Any,
) -> LogLinear:
    """The model whose weights are the multipliers of the constraints."""
    every = signals.schema.n_features
    weights = system.class_weights(solution.multipliers, half=link == "softmax")
    return LogLinear(
        weights[:every],
        weights[every : every + 2].sum(axis=0),
        prior,
        link=link,
        multilabel=system.multilabel,
        voice=_heard(signals),
        silent_bias=weights[every : every + 1].sum(axis=0),
        **others,
    )


def _heard(signals: WeakSignals) -> FloatArray:
    """(f,) one for the votes of signals that speak at all (of a class, if one-vs-rest)."""
    heard: FloatArray = (signals.schema.by_column(signals.cast) > 0).astype(float)
    return heard[signals.schema.column]


def _put_known(
    labels: FloatArray, signals: WeakSignals, facts: ExampleFacts | None
) -> FloatArray:
    """Labels (u, k) of the distinct rows, with those that are known as they are."""
    if facts is None:
        return labels
    known, _ = facts.of_rows(signals)
    return np.where(np.isnan(known), labels, known)


def _estimated_solution(
    signals: WeakSignals, labels: FloatArray, rates: Rates
) -> Solution:
    """How far labels (u, k) that came with estimated rates are from these."""
    implied = signals.error_rates(labels)
    residual = np.nan_to_num(implied - rates.error_rates).ravel()
    missed = float(np.sqrt(np.mean(residual**2)))
    return Solution(
        labels=labels,
        status=Status.ESTIMATED,
        iterations=0,
        residual=residual,
        implied_error_rates=implied.ravel(),
        excess=missed,  # the least is not below zero; nothing better is known
        tolerance=TOLERANCE,
        history=np.array([missed]),
        gap=np.inf,  # no solver, no objective: nothing is certified
        multipliers=np.empty(0),
    )


def estimator_of(spec: Any) -> RateEstimator | None:
    """The estimator that a user gave as `error_rates`; None if it is something else."""
    if isinstance(spec, str) and spec == "auto":
        return Auto()
    if isinstance(spec, type) or not hasattr(spec, "estimate"):
        return None
    estimator: RateEstimator = spec
    return estimator
