"""Constrained label learning as an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from corral._types import FloatArray, IntArray
from corral.checks import check_positive
from corral.constraints import (
    ClassBalance,
    Confusion,
    Constraint,
    CoveredBalance,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    Recall,
    Rows,
    check_constraints,
    constrained_space,
    read_example_facts,
    signal_errors,
)
from corral.constraints.row_terms import RowTerms
from corral.error_rates import Agreement, Auto, Rates, RateSource, VoteModel
from corral.errors import ParameterError
from corral.labelers.column_models import ClassModel, ColumnModels
from corral.labelers.constraint_model import ConstraintModel
from corral.labelers.estimated_rates import (
    estimate_rates,
    estimated_solution,
    estimator_of,
    rate_space,
)
from corral.labelers.fit_data import FitData
from corral.labelers.multilabel import MultilabelAnswers, check_multilabel
from corral.labelers.partial_fit import Incremental
from corral.labelers.probabilities import check_balance
from corral.labelers.solve_warnings import furthest_off, warn_about
from corral.model import Contributions, Model
from corral.signals import WeakSignals
from corral.solvers import (
    Adagrad,
    Entropy,
    Projection,
    Solution,
    Solver,
    Status,
    solver_of,
)
from corral.solvers.adagrad import Trajectory
from corral.solvers.dual import Multipliers
from corral.solvers.solution import Keeps

ESTIMATORS = (Agreement, Auto)
"""Those that are saved; of others, the rates that they estimated are."""
RULE_TYPES = (*ESTIMATORS, ClassBalance, Confusion, ErrorRate, Precision, Recall)
STORED_TYPES = (
    *(
        ClassModel,
        ColumnModels,
        ConstraintModel,
        Rows,
        RowTerms,
        Trajectory,
        Multipliers,
        VoteModel,
    ),
    *(Solution, Status, Rates, Adagrad, Entropy, Projection, *RULE_TYPES),
)


@dataclass(eq=False, repr=False, kw_only=True)
class ConstrainedLabeler(Incremental, MultilabelAnswers):
    """Labels under which every signal errs as often as it is expected to.

    Parameters
    ----------
    error_rates : "auto", an estimator, float, array or mapping
        How often signals are wrong. Estimated: "auto" is `Auto`, from the votes alone;
        `FromLabels`, `Agreement` and any object with
        ``estimate(signals, weights) -> Rates`` are taken, too. Or given: one number for
        all (the paper's is 0.01), one per signal (an array (m,) or a mapping from name to
        rate), or one per signal and class (m, k). None: only `constraints`.
    solver : "adagrad", "entropy", "projection" or a solver object, optional
        Which point of the space is chosen; see `Adagrad`, `Entropy` and `Projection` for
        their options. Default: "adagrad" for given rates. For estimated ones the labels
        are those of the model that comes with them, of which nothing is certified;
        "entropy" if there is none (`Agreement`), or if there are `constraints`.
    constraints : list of constraints, optional
        What else labels should meet: `ErrorRate`, `Precision`, `Recall`, `Confusion`,
        `ClassBalance`, `GroupShare` and `Known`. Bounds need the solver "entropy" or
        "projection".
    multilabel : bool
        Whether an example may have any number of classes. Signals are one-vs-rest, each
        column of labels is for itself, and `predict` says 1 or 0 for every class. Where
        rates are estimated, what the votes of a signal are worth is pooled over classes.
    class_balance : (k,) array of float, optional
        Shares of the classes, where they are known. The mean label of the examples that
        any signal votes on then has these shares if labels come with estimated rates (of
        the examples fitted on, where `max_patterns` makes it a sample; `rates_` stay as
        estimated without it). With given rates they are one more constraint, which may
        be missed if rates contradict it, unless `constraints` has a `ClassBalance`. The
        other examples have them as probabilities; default uniform, or what an estimated
        model has for them. In multi-label tasks they are for entries that no signal
        speaks of only; default one half, or the estimated share if signals say both "yes"
        and "no" of the class.
    ties : "first", "random" or "abstain"
        What `predict` does when classes are equally likely.
    uncovered : "abstain" or "prior"
        Whether `predict` answers where no signal speaks.
    allow_above_chance : bool
        Take a uniform rate that is worse than guessing.
    max_patterns : int
        With more distinct vote patterns than this, fit on a uniform sample of so
        many examples (see ``solution_.rows_used``) and label the rest with the result.
    random_state : int, Generator or None
        For random starts, random ties and that sample. With the default solver and
        ties nothing is random.

    Attributes
    ----------
    classes_ : (k,) array
        Class values.
    labels_ : (n, k) array of float
        Soft labels of the examples fitted on.
    covered_ : (n,) array of bool
        Whether any signal speaks of the example; leave the others out of training.
    tie_share_ : float
        Share of the covered examples whose likeliest classes are tied.
    error_rates_ : (m,) or (m, k) array of float
        Expected errors; NaN where none is given.
    rates_ : Rates
        Estimated rates with standard errors, intervals, a note, and how far each is
        `learned`, not assumed; only if estimated.
    implied_error_rates_ : (m,) or (m, k) array of float
        Errors of the signals under the labels found.
    residual_ : array of float
        Implied less expected errors.
    solution_ : Solution
        Status, certificate and history of the solve. Estimated labels have the status
        ``Status.ESTIMATED`` and no certificate: their gap is infinite.
    space_ : LabelSpace
        The constraints as the solver had them; see `corral.feasibility`.
    pattern_counts_ : PatternCounts
        All that `partial_fit` has seen.

    Examples
    --------
    >>> from corral import ConstrainedLabeler
    >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
    >>> labeler = ConstrainedLabeler().fit(votes)
    >>> labeler.predict(votes).tolist()
    ['spam', 'ham', 'ham']
    >>> labeler.labels_.round(1).tolist()
    [[0.2, 0.8], [0.6, 0.4], [0.7, 0.3]]

    The paper's labeler, with a rate that somebody thinks is right:

    >>> labeler = ConstrainedLabeler(error_rates=0.1, solver="adagrad").fit(votes)
    >>> labeler.solution_.status
    <Status.INFEASIBLE: 'infeasible'>
    """

    stored_types = STORED_TYPES
    saved_attributes = (
        "error_rates_",
        "implied_error_rates_",
        "solution_",
        "rates_",
    )

    error_rates: Any = field(default="auto", kw_only=False)
    solver: str | Solver | None = field(default=None, kw_only=False)
    constraints: Sequence[Constraint] | None = None
    class_balance: ArrayLike | None = None
    allow_above_chance: bool = False
    max_patterns: int = 5_000_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_patterns", self.max_patterns)
        check_constraints(self.constraints)

    def fit(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        # Not asked of a loaded labeler: constraints on its examples are not saved.
        if not check_constraints(self.constraints) and self.error_rates is None:
            raise ParameterError(
                "give error_rates, constraints or both; there is nothing to label by."
            )
        super().fit(signals, y, sample_weight)
        if self._facts_ is not None:
            self.covered_ = self.covered_ | (self._facts_.known >= 0)
        return self

    def _find_model(self, signals: WeakSignals, weights: FloatArray | None) -> Model:
        estimator = estimator_of(self.error_rates)
        default = "adagrad" if estimator is None else "entropy"
        solver = solver_of(default if self.solver is None else self.solver)
        if self.multilabel:
            check_multilabel(signals)
        prior = check_balance(
            self.class_balance, signals.n_classes, multilabel=self.multilabel
        )
        if signals.counts is not None and not solver.is_expected:
            raise ParameterError(
                "explicit starts belong to single examples, but these signals are "
                'counted; use starts="expected".'
            )
        constraints = check_constraints(self.constraints)
        facts = read_example_facts(constraints, signals, multilabel=self.multilabel)
        whole = used = FitData.of(signals, weights, facts)
        seen, sampled = signals.n_drawn, whole.n_patterns > self.max_patterns
        if sampled:
            rng = self._fixed_rng()
            # Beside error rates, examples without votes count, too.
            rows = np.flatnonzero(signals.covered | bool(constraints))
            used, seen = whole.sample(rows, self.max_patterns, rng)
        estimated = None
        if estimator is not None:
            balance = None if self.class_balance is None else prior
            estimated = estimate_rates(
                estimator, whole, used, multilabel=self.multilabel, balance=balance
            )
        space, rates = rate_space(
            self.error_rates,
            estimated,
            used,
            joint=solver.joint,
            allow_above_chance=self.allow_above_chance,
            multilabel=self.multilabel,
        )
        by_model = not (self.solver or constraints)
        by_model &= estimated is not None and estimated.model is not None
        asked = (
            constraints
            if by_model
            else self._asked(constraints, used.signals, solver.joint)
        )
        space = constrained_space(space, used.signals, asked, used.facts)
        if not solver.takes_bounds and space.lower is not None:
            raise ParameterError(
                f"{type(solver).__name__} takes exact rates only, no bounds. Use "
                'solver="entropy" or solver="projection".'
            )
        model: Model
        if by_model:
            assert estimated is not None
            assert estimated.model is not None
            model = estimated.model
            if self.class_balance is not None and not self.multilabel:
                if not isinstance(model, VoteModel):
                    raise ParameterError(
                        "needs estimated rates whose model is a VoteModel; "
                        f"{type(self.error_rates).__name__} gave a "
                        f"{type(model).__name__}. Leave it out, or give "
                        'solver="entropy".',
                        parameter="class_balance",
                    )
                model = model.with_balance(used.signals, space.design.weights, prior)
                estimated = replace(estimated, class_balance=prior, model=model)
            solution = estimated_solution(model.pattern_labels(used.signals), space)
        else:
            solution = solver.solve(space, self._rng())
            assert solution.model is not None  # every solver has one
            keeps: Keeps = (
                "entries" if solver.joint and self.multilabel else solver.keeps
            )
            model = ConstraintModel(
                space.rows, solution.model, keeps, prior, bool(self.multilabel)
            )
        named = bool(asked) or rates.source is RateSource.GIVEN
        warn_about(solution, space, used.signals, solver.advice, named=named)

        self.solution_ = replace(solution, rows_used=seen)
        self.space_ = space
        self.error_rates_ = rates.rates
        self._solver_ = solver
        self._weights_ = weights
        self._facts_ = facts
        for stale in ("implied_error_rates_", "pattern_counts_", "rates_"):
            self.__dict__.pop(stale, None)
        if estimated is not None:
            self.rates_ = estimated
        self._design_ = whole.design(space.rows) if sampled else space.design
        return model

    def _asked(
        self, constraints: Sequence[Constraint], signals: WeakSignals, joint: bool
    ) -> Sequence[Constraint]:
        """What a solver is asked for: `constraints`, and the class balance if given."""
        stated = any(isinstance(one, ClassBalance) for one in constraints)
        if self.class_balance is None or self.multilabel or stated:
            return constraints
        shares = np.asarray(self.class_balance, float).tolist()
        pairs = zip(signals.classes.tolist(), shares, strict=True)
        balance = [CoveredBalance(c, equal=share) for c, share in pairs]
        # If labels add up to one, the share of the first class is what the others leave.
        adds_up = joint or signals.n_label_columns == 1
        return [*constraints, *balance[adds_up:]]

    def _label_fitted(self, signals: WeakSignals) -> tuple[FloatArray, IntArray | None]:
        solution, design, facts = self.solution_, self._design_, self._facts_
        own = solution.example_labels
        by_pattern = own is None
        if solution.model is None:  # the labels came with the rates
            labels: FloatArray = self.model_.pattern_labels(signals)
        elif design is not self.space_.design:  # the solver saw a sample
            labels, by_pattern = self.model_.design_labels(design), True
        elif own is None:
            labels = self.model_.probabilities(solution.labels.T, design)
        else:
            labels = self.model_.probabilities(own, design, by_pattern=False)
        if facts is not None:
            known = facts.by_pattern(design).known if by_pattern else facts.known
            labels[known >= 0] = facts.labels[known[known >= 0]]
        return labels, design.inverse if by_pattern else None

    @cached_property
    def implied_error_rates_(self) -> FloatArray:
        """(m,) errors of the signals under the labels; (m, k) for one-vs-rest."""
        check_is_fitted(self)
        return signal_errors(self._signals_, self.labels_, self._weights_)

    @property
    def residual_(self) -> FloatArray:
        """Implied less expected error of every signal (and class)."""
        implied, expected = self.implied_error_rates_, self.error_rates_
        if implied.ndim == 2 and expected.ndim == 1:
            expected = expected[:, None]
        elif implied.ndim == 1 and expected.ndim == 2:
            # Rates per class: a wrong class vote is an error about two classes.
            expected = expected.sum(axis=1) / (1 if expected.shape[1] == 1 else 2)
        return implied - expected

    @property
    def note_(self) -> str:
        """How the labels were found: the verdict of the solver, and of the estimator."""
        check_is_fitted(self)
        notes = [self.solution_.message]
        if self.solution_.status is Status.MISSED:
            names = self.model_.rows.names(self._like_)
            notes.append(furthest_off(self.solution_, names, "found"))
        if hasattr(self, "rates_"):
            notes.append(f"rates: {self.rates_.note}")
        return "\n".join(notes)

    @property
    def n_iter_(self) -> int:
        """Steps that the solver took."""
        check_is_fitted(self)
        return self.solution_.iterations

    def _contributions(
        self, one: WeakSignals, fitted: int | None, p: FloatArray
    ) -> Contributions:
        if fitted is None or self._facts_ is None:
            return super()._contributions(one, fitted, p)
        # Of an example that was fitted on it is known which groups it is in.
        design = self._design_
        pattern = fitted if design.inverse is None else int(design.inverse[fitted])
        found: Contributions = self.model_.pattern_contributions(design, pattern, one)
        return found

    def __getstate__(self) -> dict[str, Any]:
        getattr(self, "implied_error_rates_", None)  # from votes, which are left out
        return super().__getstate__()

    def _options_to_save(self) -> dict[str, Any]:
        rules, solver = rules_to_save(self), self.solver
        given = isinstance(rules["error_rates"], np.ndarray)
        if solver is None and given and hasattr(self, "rates_"):
            # What cannot be estimated again is labelled by numbers, and these by a solver.
            solver = self._solver_
        if isinstance(solver, Adagrad) and not solver.is_expected:
            # Explicit starts belong to examples; how many there were is enough.
            solver = replace(solver, starts=len(self.model_.solver_model.steps))
        balance = self.class_balance
        even = None if balance is None else np.asarray(balance, float)
        kept = rules | {"solver": solver, "class_balance": even}
        return super()._options_to_save() | kept

    def _results_to_save(self) -> dict[str, Any]:
        results = {name: getattr(self, name, None) for name in self.saved_attributes}
        solution, rates = self.solution_, results["rates_"]
        none = np.empty((len(solution.labels), 0))
        bare = replace(solution, labels=none, example_labels=None, model=None)
        rates = None if rates is None else replace(rates, model=None)
        return results | {"solution_": bare, "rates_": rates}

    def _restore(self, results: dict[str, Any], model: Any) -> None:
        super()._restore(results, model)
        if self.rates_ is None:
            del self.rates_
        elif self.solution_.status is Status.ESTIMATED:
            self.rates_ = replace(self.rates_, model=model)


def rules_to_save(labeler: Any) -> dict[str, Any]:
    """Of the rates and constraints of a fitted labeler, what needs no examples.

    `GroupShare` and `Known` are left out.
    """
    rate = labeler.error_rates
    if isinstance(rate, Real):
        rate = float(rate)
    elif rate is not None and type(estimator_of(rate)) not in ESTIMATORS:
        rate = labeler.error_rates_
    asked = labeler.constraints or ()
    kept = [c for c in asked if not isinstance(c, GroupShare | Known)]
    return {"error_rates": rate, "constraints": kept or None}
