"""Constrained label learning as an estimator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils.validation import check_is_fitted

from corral._types import FloatArray, IntArray
from corral.checks import check_positive, require_votes
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
from corral.errors import (
    ConvergenceWarning,
    InfeasibleWarning,
    ParameterError,
    SignalsWarning,
    warn_user,
)
from corral.labelers.base import Labeler, as_signals, read_indicators
from corral.labelers.multilabel import fit_classes, join_classes, shrink
from corral.model import LogLinear, logit, safe_log
from corral.rates import (
    Accuracy,
    Agreement,
    Auto,
    FromLabels,
    RateEstimator,
    Rates,
    Uniform,
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

    The default is a *reference*: labels from the votes alone, or around the true labels of
    a few examples (`fit` takes them as `gold`). A rate that is known is a constraint, and
    `constraints` has others: the labels are then the nearest to the reference, by relative
    entropy, under which these hold, with a certificate. Of the reference itself nothing is
    certified. One rate for all signals, or a `solver`, asks for the paper's way instead: a
    point of the space in which every signal errs as often as told, without a reference.

    Parameters
    ----------
    error_rates : "auto", mapping, array, float or an estimator
        How often signals are wrong. "auto": nothing is known, and `Auto` estimates. A
        mapping from names of signals, or an array (m,) or (m, k), NaN where unknown: rates
        that are known. A float: one rate for all (the paper's is 0.01). `FromLabels`,
        `Agreement` and any object with ``estimate(signals) -> Rates`` are taken, too.
        None: only `constraints`.
    solver : "adagrad", "entropy", "projection" or a solver object, optional
        Which point of the space is chosen, without a reference; see `Adagrad`, `Entropy`
        and `Projection` for their options. Estimated rates are then taken as if they were
        known. Default: "adagrad" for one rate for all, "entropy" for bounds alone and for
        rates that come without labels (`Agreement`).
    constraints : list of constraints, optional
        What else labels should meet: `ErrorRate`, `Precision`, `Recall`, `Confusion`,
        `ClassBalance`, `GroupShare` and `Known`. Bounds need the solver "entropy" or
        "projection".
    multilabel : bool
        Whether an example may have any number of classes. Signals are one-vs-rest, each
        column of labels is for itself, and `predict` says 1 or 0 for every class. Where
        rates are estimated, what the votes of a signal are worth is pooled over classes.
    class_balance : (k,) array of float, optional
        Shares of the classes, where they are known: a constraint on the mean label of the
        examples that any signal votes on, unless `constraints` has a `ClassBalance`. The
        other examples have them as probabilities; default uniform, or what an estimated
        model has for them. In multi-label tasks they are for entries that no signal
        speaks of only; default one half, or the estimated share if signals say both "yes"
        and "no" of the class.
    ties : "first", "random" or "abstain"
        What `predict` does when classes are equally likely.
    uncovered : "abstain" or "prior"
        Whether `predict` answers where no signal speaks.
    answers : "likeliest" or "balanced"
        What `predict` says: the likeliest class, or the one whose probability is largest
        when divided by the root of the share of the class. That finds more examples of rare
        classes, for a little accuracy; probabilities stay what they are.
    allow_above_chance : bool
        Take a uniform rate that is worse than guessing.
    max_patterns : int
        With more distinct rows of votes than this, fit on a sample of so many examples
        (see ``solution_.rows_used``) and label the rest with the result; not with `gold`.
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
        Expected errors; NaN where nothing is expected.
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
    counted_ : WeakSignals
        All that `partial_fit` has seen.

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
    allow_above_chance: bool = False
    max_patterns: int = 5_000_000

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_patterns", self.max_patterns)
        check_constraints(self.constraints)

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

        Returns
        -------
        self

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
                "give error_rates, constraints or both; there is nothing to label by."
            )
        self._gold = gold
        try:
            super().fit(signals, y, sample_weight)
        finally:
            del self._gold
        known = self.__dict__.pop("_known_")
        self.covered_ = self.covered_ if known is None else self.covered_ | known
        return self

    def _find_model(self, signals: WeakSignals) -> Any:
        require_votes(signals.cast.any())
        facts = self._facts(signals)
        votes = self._votes(signals, facts)
        self._known_ = None if facts is None else facts.is_known
        estimator = self._estimator()
        if estimator is None:
            default = "entropy" if self.error_rates is None else "adagrad"
            model = self._fit_space(votes, facts, self.given_rates(votes), default)
        else:
            model = self._fit_reference(estimator, signals, votes, facts)
        self.implied_error_rates_ = votes.error_rates(self._found_)
        unheard = np.isnan(self.implied_error_rates_.reshape(votes.n_signals, -1))
        if unheard.all(axis=1).any():
            silent = np.flatnonzero(unheard.all(axis=1))
            listed = ", ".join(signals.names[i] for i in silent)
            warn_user(f"signals that never vote are left out: {listed}", SignalsWarning)
        sampled = votes.n_drawn < signals.n_drawn
        self._fitted_ = None if sampled else (self._found_, votes.row_of)
        del self._found_
        return model

    def _estimator(self) -> RateEstimator | None:
        """What finds the reference; None if there is none."""
        estimator, rates = estimator_of(self.error_rates), self.error_rates
        one_by_one = isinstance(rates, Mapping) or np.ndim(rates) > 0
        if estimator is None and one_by_one and self.solver is None:
            estimator = Auto()
        gold = self.__dict__.get("_gold")
        if gold is None:
            return estimator
        if not isinstance(estimator, Auto):
            raise ParameterError(
                'gold= is learned from with error_rates="auto" or rates of single signals; '
                f"without `solver=`; {self.error_rates!r} was given."
            )
        return FromLabels(gold)

    def given_rates(self, signals: WeakSignals) -> FloatArray:
        """(m,) or (m, k) rates that a user knows; NaN for others."""
        if self.error_rates is None or estimator_of(self.error_rates) is not None:
            return np.full(signals.n_signals, np.nan)
        return read_rates(
            self.error_rates,
            signals,
            allow_above_chance=self.allow_above_chance,
            multilabel=self.multilabel,
        )

    # -- without a reference: a point of the space, found by a solver ----------------------

    def _fit_space(
        self,
        signals: WeakSignals,
        facts: ExampleFacts | None,
        rates: FloatArray,
        default: str,
    ) -> Any:
        """Labels of the space of rates, which a user gave or that were estimated."""
        solver = self._solver(default)
        system = self._system(signals, facts, rates, joint=solver.joint)
        if not solver.takes_bounds and not system.is_exact:
            raise ParameterError(
                f"{type(solver).__name__} takes exact rates only, no bounds. Use "
                'solver="entropy" or solver="projection".'
            )
        solution = solver.solve(system, np.random.default_rng(self.random_state))
        k = signals.n_classes
        prior = check_balance(self.class_balance, k, multilabel=self.multilabel)
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
            labels = model.finish(solution.labels, signals.entries_voted())
        else:
            half = solver.link == "softmax"
            weights = system.class_weights(solution.multipliers, half)
            model = LogLinear(
                weights[:every],
                weights[every : every + 2].sum(axis=0),
                prior,
                link=solver.link,
                multilabel=self.multilabel,
                voice=_heard(signals),
                keeps_all=keeps_all,
                silent_bias=weights[every : every + 1].sum(axis=0),
            )
            found = system.class_labels(solution.labels)
            labels = model.finish(found, signals.entries_voted())
        rate = self.error_rates
        uniform = estimator_of(rate) is not None or (
            np.ndim(rate) == 0 and not isinstance(rate, Mapping)
        )
        named = not uniform or bool(self._asked(signals, solver.joint))
        labels = _put_known(labels, signals, facts)
        self._keep(system, solution, rates, labels, signals.n_drawn)
        self._warn_about(solution, system.names, solver.advice, named=named)
        return model

    # -- the reference, and the labels nearest to it under what is known -------------------

    def _fit_reference(
        self,
        estimator: RateEstimator,
        whole: WeakSignals,
        signals: WeakSignals,
        facts: ExampleFacts | None,
    ) -> Any:
        """Labels of an estimated model; if anything is known, the nearest to them."""
        self.rates_ = rates = self._estimate(estimator, whole, signals)
        model = rates.model
        if model is None or self.solver is not None:
            return self._fit_space(signals, facts, rates.error_rates, "entropy")
        if self.class_balance is not None:
            k = signals.n_classes
            prior = check_balance(self.class_balance, k, multilabel=self.multilabel)
            model = replace(model, prior=prior, keeps_all=False)
        labels = _put_known(model.row_labels(signals), signals, facts)
        given = self.given_rates(signals)
        if np.isnan(given).all() and not self._asked(signals, joint=True):
            verdict = _verdict(signals, labels, rates)
            self._keep(None, verdict, rates.error_rates, labels, signals.n_drawn)
            return model
        system = self._near(self._system(signals, facts, given, joint=True), labels)
        solution = Entropy().solve(system)
        every = signals.schema.n_features
        weights = system.class_weights(solution.multipliers, half=True)
        found = LogLinear(
            weights[:every],
            weights[every : every + 2].sum(axis=0),
            model.prior,
            multilabel=self.multilabel,
            voice=_heard(signals),
            keeps_all=True,
            silent_bias=weights[every : every + 1].sum(axis=0),
            reference=model,
        )
        labels = _put_known(system.class_labels(solution.labels), signals, facts)
        estimated, expected = rates.error_rates, given
        if given.ndim < estimated.ndim:
            expected = given[:, None]
        if expected.ndim == estimated.ndim:  # else of classes, which have no estimate
            expected = np.where(np.isnan(expected), estimated, expected)
        told: Any = np.isfinite(given.reshape(len(given), -1)).any(axis=1)
        self.rates_ = replace(rates, given=told)
        self._keep(system, solution, expected, labels, signals.n_drawn)
        self._warn_about(solution, system.names, Entropy().advice, named=True)
        return found

    def _near(self, system: System, labels: FloatArray) -> System:
        """The same constraints, for labels (u, k) near to others."""
        if self.multilabel:
            return replace(system, reference=logit(labels))
        logs = safe_log(labels)
        one = system.n_labels == 1
        return replace(system, reference=logs[:, 1:] - logs[:, :1] if one else logs)

    def _estimate(
        self, estimator: RateEstimator, whole: WeakSignals, signals: WeakSignals
    ) -> Rates:
        """Estimate from what is fitted on, perhaps a sample of the whole; check it."""
        if isinstance(estimator, FromLabels) and estimator.signals is None:
            estimator = replace(estimator, signals=whole)
        if self.multilabel:
            rates = estimate_by_class(estimator, signals, self.class_balance)
        else:
            rates = estimator.estimate(signals)
        if not isinstance(rates, Rates):
            raise ParameterError(
                f"{type(estimator).__name__}.estimate must return corral.Rates; "
                f"{type(rates).__name__} came."
            )
        found, m = np.asarray(rates.error_rates), signals.n_signals
        shapes = [(m,), (m, signals.n_classes)]
        if found.shape not in shapes or (found < 0).any() or (found > 1).any():
            raise ParameterError(
                f"{type(estimator).__name__} must estimate a rate between 0 and 1 for each "
                f"of the {m} signals (NaN: unknown); an array of shape {found.shape} from "
                f"{np.nanmin(found):g} to {np.nanmax(found):g} came."
            )
        return rates

    # -- what both share -------------------------------------------------------------------

    def make_system(self, signals: Any) -> tuple[System, Solver]:
        """The constraints that a fit on `signals` would have, and their solver.

        Estimated rates, if the fit would have none.
        """
        self._check_parameters()
        read = as_signals(signals)
        facts = self._facts(read)
        votes = self._votes(read, facts)
        estimator, given = self._estimator(), self.given_rates(votes)
        if estimator is None:
            solver = self._solver("adagrad")
            return self._system(votes, facts, given, joint=solver.joint), solver
        model = getattr(self, "model_", None)
        rates = self._estimate(estimator, read, votes)
        known = not np.isnan(given).all() or self._asked(votes, joint=True)
        if known and self.solver is None and rates.model is not None:
            system = self._system(votes, facts, given, joint=True)
            fitted = getattr(model, "reference", None)  # which gold may have moved
            labels = (fitted or rates.model).row_labels(votes)
            return self._near(system, labels), Entropy()
        solver = self._solver("entropy")
        found = self._system(votes, facts, rates.error_rates, joint=solver.joint)
        return found, solver

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

    def _solver(self, default: str) -> Any:
        return solver_of(default if self.solver is None else self.solver)

    def _facts(self, signals: WeakSignals) -> ExampleFacts | None:
        given = check_constraints(self.constraints)
        gold = self.__dict__.get("_gold")
        if gold is not None:
            truth = read_indicators(gold, len(signals), signals.classes)
            rows = np.flatnonzero(~np.isnan(truth).any(axis=1))
            labels = truth if self.multilabel else signals.classes[truth.argmax(axis=1)]
            given = [*given, Known(rows, labels[rows])]
        return read_example_facts(given, signals, multilabel=self.multilabel)

    def _votes(self, signals: WeakSignals, facts: ExampleFacts | None) -> WeakSignals:
        """What is fitted on: distinct rows apart where facts differ, or a sample."""
        if self.solver is not None and self._solver("").by_example:
            if signals.row_counts is not None:
                raise ParameterError(
                    "explicit starts belong to single examples, but these signals are "
                    'counted; use starts="expected".'
                )
            return signals.by_example()
        if facts is not None:
            return signals.split_by(facts.codes)
        if signals.n_rows > self.max_patterns:
            # Beside error rates, examples without votes count, too.
            heard = signals if self.constraints else signals.take(signals.covered)
            return heard.sample(self.max_patterns, self._fixed_rng())
        return signals

    def _asked(self, signals: WeakSignals, joint: bool) -> list[Constraint]:
        """What a solver is asked for: `constraints`, and the class balance if given."""
        constraints = list(self.constraints or ())
        stated = any(isinstance(one, ClassBalance) for one in constraints)
        if self.class_balance is None or self.multilabel or stated:
            return constraints
        shares = check_balance(self.class_balance, signals.n_classes).tolist()
        pairs = zip(signals.classes.tolist(), shares, strict=True)
        weight = BALANCE_WEIGHT if joint else 1.0
        balance = [CoveredBalance(c, equal=share, weight=weight) for c, share in pairs]
        # If labels add up to one, the share of the first class is what the others leave.
        second = signals.schema.names_classes and signals.n_classes == 2
        return [*constraints, *balance[joint or second :]]

    def _keep(
        self,
        system: System | None,
        solution: Solution,
        rates: FloatArray,
        labels: FloatArray,
        n_drawn: int,
    ) -> None:
        self.solution_ = replace(solution, rows_used=n_drawn)
        self.error_rates_: FloatArray = rates
        self._found_: FloatArray = labels
        self._row_names_ = () if system is None else system.names

    def _label_fitted(self, signals: WeakSignals) -> tuple[FloatArray, IntArray]:
        fitted = self.__dict__.pop("_fitted_", None)
        if fitted is None:
            return super()._label_fitted(signals)
        labels, row_of = fitted
        return labels, row_of

    def _warn_about(
        self, solution: Solution, names: Sequence[str], advice: str, *, named: bool
    ) -> None:
        """Warn: always if a solve is unfinished, by name if rates cannot be met.

        `named`: rates were given one by one, so that a miss is worth a warning. One rate
        for all is often meant to be out of reach.
        """
        if solution.status is Status.NOT_CONVERGED:
            warn_user(f"{solution.message}. {advice}.", ConvergenceWarning)
        if named and solution.status is Status.INFEASIBLE:
            listed = furthest_off(solution, names, "nearest")
            warn_user(f"{solution.message}. {listed}.", InfeasibleWarning)
        if named and solution.status is Status.MISSED:
            listed = furthest_off(solution, names, "found")
            warn_user(f"{solution.message}. {listed}. {advice}.", ConvergenceWarning)

    @property
    def residual_(self) -> FloatArray:
        """Implied less expected error of every signal (and class)."""
        check_is_fitted(self)
        implied, expected = self.implied_error_rates_, self.error_rates_
        if implied.ndim == 2 and expected.ndim == 1:
            expected = expected[:, None]
        elif implied.ndim == 1 and expected.ndim == 2:
            # Rates per class: a wrong class vote is an error about two classes.
            expected = expected.sum(axis=1) / (1 if expected.shape[1] == 1 else 2)
        residual: FloatArray = implied - expected
        return residual

    @property
    def note_(self) -> str:
        """How the labels were found: the verdict of the solver, and of the estimator."""
        check_is_fitted(self)
        notes = [self.solution_.message]
        if self.solution_.status is Status.MISSED:
            notes.append(furthest_off(self.solution_, self._row_names_, "found"))
        if hasattr(self, "rates_"):
            notes.append(f"rates: {self.rates_.note}")
        return "\n".join(notes)

    @property
    def n_iter_(self) -> int:
        """Steps that the solver took."""
        check_is_fitted(self)
        return self.solution_.iterations

    def _options_to_save(self) -> dict[str, Any]:
        rate, solver = self.error_rates, self.solver
        if isinstance(rate, Real):
            rate = float(rate)
        elif isinstance(rate, Mapping):
            rate = [rate.get(name, np.nan) for name in self.signal_names_]
            rate = np.array(rate, float)
        elif isinstance(rate, Uniform):
            rate = float(rate.rate)
        elif estimator_of(rate) is None and rate is not None:
            rate = np.asarray(rate, float)
        elif rate is not None and type(estimator_of(rate)) not in SAVED_ESTIMATORS:
            rate = self.error_rates_
            if solver is None and hasattr(self, "rates_"):
                solver = (
                    "entropy"  # what cannot be estimated again is labelled by numbers
                )
        if isinstance(solver, Adagrad) and solver.by_example:
            # Explicit starts belong to examples; how many there were is enough.
            solver = replace(solver, starts=len(self.solution_.multipliers))
        kept = [
            c for c in self.constraints or () if not isinstance(c, GroupShare | Known)
        ]
        balance = self.class_balance
        return super()._options_to_save() | {
            "error_rates": rate,
            "solver": solver,
            "constraints": kept or None,
            "class_balance": None if balance is None else np.asarray(balance, float),
        }

    def _results_to_save(self) -> dict[str, Any]:
        none = np.empty((0, 0))
        found = {
            "error_rates_": self.error_rates_,
            "implied_error_rates_": self.implied_error_rates_,
            "solution_": replace(self.solution_, labels=none, multipliers=none),
            "_row_names_": self._row_names_,
        }
        if hasattr(self, "rates_"):
            found["rates_"] = replace(self.rates_, model=None)
        return found


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
    code = np.zeros(signals.n_rows, int)
    code[signals.row_of] = facts.codes
    known = facts.known[code]
    return np.where(np.isnan(known), labels, known)


def _verdict(signals: WeakSignals, labels: FloatArray, rates: Rates) -> Solution:
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
        rows_used=signals.n_drawn,
        gap=np.inf,  # no solver, no objective: nothing is certified
        multipliers=np.empty(0),
    )


def furthest_off(solution: Solution, names: Sequence[str], how: str) -> str:
    """The three rows that are furthest from what was expected, to be read by a person."""
    found, off = solution.implied_error_rates, solution.residual
    listed = ", ".join(
        f"{names[r]} (expected {found[r] - off[r]:.2f}, {how} {found[r]:.2f})"
        for r in np.argsort(-np.abs(off))[:3]
    )
    return f"Furthest off: {listed}"


def estimator_of(spec: Any) -> RateEstimator | None:
    """The estimator that a user gave as `error_rates`; None if it is something else.

    Examples
    --------
    >>> from corral.labelers.constrained import estimator_of
    >>> estimator_of("auto")
    Auto()
    """
    if isinstance(spec, str) and spec == "auto":
        return Auto()
    if isinstance(spec, type) or not hasattr(spec, "estimate"):
        return None
    estimator: RateEstimator = spec
    return estimator


def estimate_by_class(
    estimator: RateEstimator, signals: WeakSignals, class_balance: ArrayLike | None
) -> Rates:
    """Error rates (m, k) of a multi-label task, and the labels that go with them.

    The estimator is asked for every class; of `FromLabels` the labels are (n, k).
    """
    k, balance = signals.n_classes, None
    if class_balance is not None:
        balance = check_balance(class_balance, k, multilabel=True)

    def find(at: int, view: WeakSignals) -> tuple[Any, Any]:
        own = estimator
        if isinstance(estimator, FromLabels):
            own = _labels_of(estimator, signals.classes[at], at)
        rates = own.estimate(view)
        return rates, getattr(rates, "model", None)

    fits = fit_classes(signals, find)
    shape = signals.n_signals, k
    tables = {
        name: np.full(shape, np.nan)
        for name in ("error_rates", "standard_errors", "learned")
    }
    for fit in fits:
        for name, table in tables.items():
            if getattr(fit.found, name) is not None:
                table[fit.speakers, fit.position] = getattr(fit.found, name)
    shares = [fit.found.class_balance for fit in fits]
    found_balance = None
    if all(share is not None for share in shares):
        found_balance = np.full(k, 0.5)
        found_balance[[fit.position for fit in fits]] = [share[1] for share in shares]
    model, rates = None, tables["error_rates"]
    if all(fit.model is not None for fit in fits):
        model = join_classes(signals, fits, balance)
        rates = signals.error_rates(model.row_labels(signals))
    else:  # rates without a model: their log-odds, shrunk over the classes
        known = ~np.isnan(rates)
        inner = np.clip(rates[known], 1e-3, 1 - 1e-3)
        errors = np.maximum(tables["standard_errors"][known], 1e-3)
        spread = errors / (inner * (1 - inner))
        odds = shrink(scipy.special.logit(inner), spread**2, np.nonzero(known)[0])
        rates[known] = scipy.special.expit(odds)
    learned = tables["learned"]
    return Rates(
        rates,
        tables["standard_errors"],
        f"{len(fits)} classes, each for itself, with what votes are worth pooled over "
        f"them; {signals.classes[fits[0].position]}: {fits[0].found.note}",
        found_balance,
        model,
        None if np.isnan(learned).all() else learned,
    )


def _labels_of(estimator: FromLabels, value: Any, at: int) -> FromLabels:
    """The estimator of one class: whether labelled examples have it."""
    sample = estimator.signals
    assert sample is not None  # the labeler has put it there
    labels = read_indicators(estimator.labels, len(sample), sample.classes)
    if np.isnan(labels[:, at]).all():
        raise ParameterError(
            f"at least one true label is needed of every class; of {value!r} all are "
            "unknown."
        )
    words = np.full(len(sample), None, object)
    for code, word in enumerate(("no", "yes")):
        words[labels[:, at] == code] = word
    return replace(estimator, labels=words, signals=sample.for_class(value))
