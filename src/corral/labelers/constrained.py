"""Constrained label learning as an estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from corral._types import FloatArray
from corral.checks import require_votes
from corral.constraints import kinds
from corral.constraints.kinds import ClassBalance, Constraint
from corral.constraints.system import (
    ExampleFacts,
    System,
    make_system,
    read_example_facts,
)
from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.labelers.base import Labeler, as_signals
from corral.labelers.multilabel import estimate_by_class
from corral.model import LogLinear, logit, safe_log
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
from corral.solvers import Solution, Solver, Status, solver_of
from corral.solvers.adagrad import Adagrad, AdagradSteps
from corral.solvers.centres import Entropy, Projection
from corral.votes import WeakSignals

SAVED_ESTIMATORS = (Agreement, Auto)
"""Of other estimators, the rates that they estimated are saved."""
BALANCE_WEIGHT = 1000.0
"""Of a known class balance beside error rates: few examples of a rare class are many."""


class Basis(NamedTuple):
    """What is known before labels are looked for."""

    votes: WeakSignals  # whose rows keep apart what is known of single examples
    facts: ExampleFacts | None
    found: Rates | None  # estimated; None if a user gave the rates
    given: FloatArray  # (m,) or (m, k) rates that a user knows; NaN for others
    reference: (
        LogLinear | None
    )  # to stay near; None where a solver takes rates as known
    told: bool  # whether a user said anything of rates or labels


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
        signals, or an array (m,), NaN where unknown: rates that you know; (m, k) for
        one-vs-rest signals. A float: one rate for all (the paper's is 0.01). `FromLabels`,
        `Agreement`, or any object with ``estimate(signals) -> Rates``. None: only
        `constraints`.
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
        Status, certificate and history of the solve; only if there was one. Estimated
        labels have no certificate.

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

    saved_attributes = ("error_rates_", "implied_error_rates_")
    stored_types = (
        *(LogLinear, AdagradSteps, Solution, Status, Rates, Accuracy, csr_array),
        *(Adagrad, Entropy, Projection, *SAVED_ESTIMATORS),
        *(ClassBalance, kinds.Confusion, kinds.ErrorRate),
        *(kinds.Precision, kinds.Recall),
    )

    error_rates: Any = field(default="auto", kw_only=False)
    solver: str | Solver | None = field(default=None, kw_only=False)
    constraints: Sequence[Constraint] | None = None
    class_balance: ArrayLike | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        kinds.check_constraints(self.constraints or ())

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
        basis = self._read_basis(signals, gold)
        votes, facts, found, self.error_rates_, reference, told = basis
        if found is not None:
            self.rates_ = replace(found, labels=None)
            self.error_rates_ = found.error_rates
        if reference is None or told:
            model, labels = self._solve(basis)
        else:
            model, kept = reference, None
            if found is not None and reference is found.model:
                kept = found.labels
            labels = reference.row_labels(votes) if kept is None else kept
        labels = self._keep_labels(model, votes, labels, facts)
        self.implied_error_rates_ = votes.error_rates(labels)
        unheard = np.isnan(self.implied_error_rates_.reshape(votes.n_signals, -1))
        silent = np.flatnonzero(unheard.all(axis=1))
        if len(silent):
            listed = ", ".join(signals.names[i] for i in silent)
            warn_user(f"signals that never vote are left out: {listed}", SignalsWarning)
        return model

    # -- what is known ---------------------------------------------------------------------

    def _read_basis(self, signals: WeakSignals, gold: Any = None) -> Basis:
        facts = read_example_facts(
            self.constraints or (), signals, gold, multilabel=self.multilabel
        )
        votes = signals if facts is None else signals.split_by(facts.key)
        if getattr(self.solver, "by_example", False):
            if signals.row_counts is not None:
                raise ParameterError(
                    "random starts belong to single examples, but these signals are "
                    'counted; use starts="expected".'
                )
            votes = signals.by_example()
        found, given = self._estimate(votes, gold), np.full(votes.n_signals, np.nan)
        if self.error_rates is not None and estimator_of(self.error_rates) is None:
            given = read_rates(self.error_rates, votes, multilabel=self.multilabel)
        reference = None if found is None or self.solver is not None else found.model
        if reference is not None and self.class_balance is not None:
            balance = self._balance(votes)
            reference = replace(reference, prior=balance, silent_bias=None)
        told = not np.isnan(given).all() or bool(self._asked(votes, joint=True))
        return Basis(votes, facts, found, given, reference, told)

    def _estimate(self, signals: WeakSignals, gold: Any) -> Rates | None:
        """Rates, and labels that go with them; None if a user gave the rates."""
        estimator = estimator_of(self.error_rates)
        if estimator is None and self.solver is None and not self._is_uniform:
            estimator = Auto()
        if gold is not None:
            if not isinstance(estimator, Auto):
                raise ParameterError(
                    "goes with estimated rates, or with rates of single signals and no "
                    f"solver; the error rates {self.error_rates!r} came.",
                    parameter="gold",
                )
            estimator = FromLabels(gold)
        if estimator is None or not self.multilabel:
            return None if estimator is None else estimator.estimate(signals)
        balance = None if self.class_balance is None else self._balance(signals)
        return estimate_by_class(estimator, signals, balance)

    @property
    def _is_uniform(self) -> bool:
        """Whether no rates of single signals were given."""
        return np.ndim(self.error_rates) == 0 and not isinstance(
            self.error_rates, Mapping
        )

    def _balance(self, signals: WeakSignals) -> FloatArray:
        return check_balance(
            self.class_balance, signals.n_classes, multilabel=self.multilabel
        )

    # -- the labels that meet it -----------------------------------------------------------

    def _solve(self, basis: Basis) -> tuple[Any, FloatArray]:
        """The labels that meet what is known; the nearest to the reference, if any."""
        signals, _, found, given, reference, _ = basis
        system, solver = self._pose(basis)
        if not solver.takes_bounds and (system.lower != system.upper).any():
            raise ParameterError(
                f"{type(solver).__name__} takes exact rates only, no bounds. Use "
                'solver="entropy" or solver="projection".'
            )
        solution = solver.solve(system, np.random.default_rng(self.random_state))
        named = not self._is_uniform or bool(self._asked(signals, solver.joint))
        solution.warn(solver.advice, named=named)
        self.solution_, prior = solution, self._balance(signals)
        if found is not None and reference is not None:
            estimated, prior = found.error_rates, reference.prior
            each = given[:, None] if given.ndim < estimated.ndim else given
            self.error_rates_ = np.where(np.isnan(each), estimated, each)
            told: Any = np.isfinite(given.reshape(len(given), -1)).any(axis=1)
            self.rates_ = replace(found, given=told)
        schema = signals.schema
        every = schema.n_features
        heard = (schema.by_column(signals.cast) > 0)[schema.column].astype(float)
        # Constraints on all examples, or on groups, move labels without votes, too.
        touched = np.unique(system.R.indices // system.n_labels)
        keeps_all = bool(((touched == every) | (touched > every + 1)).any())
        if isinstance(solver, Adagrad):
            steps = AdagradSteps(
                solution.multipliers,
                system.R,
                system.n_labels,
                prior,
                self.multilabel,
                keeps_all or solver.uncovered_entries == "start",
                heard,
            )
            return steps, steps.finish(solution.labels, signals.entries_voted())
        weights = -system.spread(solution.multipliers)
        if system.n_labels == 1:
            weights = np.column_stack([-weights, weights])
            weights /= 2 if solver.link == "softmax" else 1
        keeps_all |= reference is not None
        model = LogLinear(
            weights[:every],
            weights[every : every + 2].sum(axis=0),
            prior,
            link=solver.link,
            multilabel=self.multilabel,
            voice=heard,
            silent_bias=weights[every : every + 1].sum(axis=0) if keeps_all else None,
            reference=reference,
        )
        labels = system.class_labels(solution.labels)
        return model, model.finish(labels, signals.entries_voted())

    def _pose(self, basis: Basis) -> tuple[System, Solver]:
        """The constraints, and their solver."""
        signals, facts, found, given, reference, _ = basis
        uniform = found is None and self.error_rates is not None
        default = "adagrad" if uniform else "entropy"
        solver = solver_of(default if self.solver is None else self.solver)
        system = make_system(
            signals,
            given if found is None or reference is not None else found.error_rates,
            self._asked(signals, solver.joint),
            joint=solver.joint,
            multilabel=self.multilabel,
            facts=facts,
        )
        if reference is None:
            return system, solver
        labels = reference.row_labels(signals)
        odds = logit(labels) if self.multilabel else safe_log(labels)
        if system.n_labels == 1:
            odds = odds[:, 1:] - odds[:, :1]
        return replace(system, reference=odds), solver

    def make_system(self, signals: Any) -> tuple[System, Solver]:
        """The constraints that a fit on `signals` would have, and their solver.

        Estimated rates, if the fit would have no constraints.
        """
        self._check_parameters()
        basis = self._read_basis(as_signals(signals))
        reference = basis.reference if basis.told else None
        if reference is not None:  # gold may have moved the one of a fit
            reference = getattr(getattr(self, "model_", None), "reference", reference)
        return self._pose(basis._replace(reference=reference))

    def _asked(self, signals: WeakSignals, joint: bool) -> list[Constraint]:
        """What a solver is asked for: `constraints`, and the class balance if given."""
        constraints = list(self.constraints or ())
        stated = any(isinstance(one, ClassBalance) for one in constraints)
        if self.class_balance is None or self.multilabel or stated:
            return constraints
        pairs = zip(signals.classes.tolist(), self._balance(signals), strict=True)
        weight = BALANCE_WEIGHT if joint else 1.0
        balance = [
            kinds.CoveredBalance(c, equal=share, weight=weight) for c, share in pairs
        ]
        # If labels add up to one, the share of the first class is what the others leave.
        second = signals.schema.names_classes and signals.n_classes == 2
        return [*constraints, *balance[joint or second :]]

    @property
    def note_(self) -> str:
        """How the labels were found: the verdict of the solver, and of the estimator."""
        self._check_fitted()
        solution: Solution | None = getattr(self, "solution_", None)
        note = (
            solution.message
            if solution
            else "labels are learned, without a certificate"
        )
        if hasattr(self, "rates_"):
            note += f"\nerror rates: {self.rates_.note}"
        return note

    def _options_to_save(self) -> dict[str, Any]:
        options = super()._options_to_save()
        estimator = estimator_of(self.error_rates)
        if estimator is not None and type(estimator) not in SAVED_ESTIMATORS:
            # It may hold examples: what it found is saved, as rates that are given.
            options["error_rates"] = self.error_rates_
            options["solver"] = self.solver or "entropy"
        about_examples = (kinds.GroupShare, kinds.Known)
        kept = [c for c in self.constraints or () if not isinstance(c, about_examples)]
        return options | {"constraints": kept or None}

    def _results_to_save(self) -> dict[str, Any]:
        found, none = super()._results_to_save(), np.empty((0, 0))
        if hasattr(self, "solution_"):
            found["solution_"] = replace(self.solution_, labels=none, multipliers=none)
        if hasattr(self, "rates_"):
            found["rates_"] = replace(self.rates_, model=None)
        return found


def estimator_of(spec: Any) -> RateEstimator | None:
    """The estimator that a user gave as `error_rates`; None if it is something else."""
    if isinstance(spec, str) and spec == "auto":
        return Auto()
    if isinstance(spec, type) or not hasattr(spec, "estimate"):
        return None
    estimator: RateEstimator = spec
    return estimator
