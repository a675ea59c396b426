"""Constrained label learning as an estimator."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from corral._types import BoolArray, FloatArray, IntArray
from corral.constraints import (
    Constraint,
    LabelSpace,
    Operator,
    check_constraints,
    constrained_space,
    label_space,
    read_keys,
    row_rates,
    signal_errors,
)
from corral.error_rates import RateSource, SignalRates, resolve_rates
from corral.errors import (
    ConvergenceWarning,
    InfeasibleWarning,
    ParameterError,
    SignalsError,
    SignalsWarning,
)
from corral.labelers.base import Labeler, as_signals, check_weights, refuse_labels
from corral.labelers.explanation import Explanation, votes_of
from corral.labelers.model_file import load_labeler, save_labeler
from corral.labelers.probabilities import class_probabilities
from corral.patterns import draw_rows
from corral.signals import PatternCounts, WeakSignals
from corral.solvers import SOLVERS, Solution, Solver, Status
from corral.solvers.base import check_positive


class ConstrainedLabeler(Labeler):
    """Labels under which every signal errs as often as it is expected to.

    Parameters
    ----------
    error_rates : float, array or mapping
        How often signals are wrong: one number for all, one a signal (an array
        (m,) or a mapping from name to rate), or one a signal and class (m, k).
        The default is the paper's for sparse, precise rules. None: only `constraints`.
    solver : "adagrad", "entropy", "projection" or a solver object
        Which point of the space is chosen; see `Adagrad`, `Entropy` and `Projection` for
        their options.
    constraints : list of constraints, optional
        What else labels should meet: `ErrorRate`, `Precision`, `Recall`, `Confusion`,
        `ClassBalance`, `GroupShare` and `Known`. Bounds need the solver "entropy" or
        "projection".
    class_balance : (k,) array of float, optional
        Probabilities for examples that no signal speaks of; default uniform.
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
    implied_error_rates_ : (m,) or (m, k) array of float
        Errors of the signals under the labels found.
    residual_ : array of float
        Implied less expected errors.
    solution_ : Solution
        Status, certificate and history of the solve.
    pattern_counts_ : PatternCounts
        All that `partial_fit` has seen.

    Examples
    --------
    >>> from corral import ConstrainedLabeler
    >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
    >>> labeler = ConstrainedLabeler(error_rates=0.1).fit(votes)
    >>> labeler.predict(votes).tolist()
    ['spam', 'ham', 'ham']
    >>> labeler.solution_.status
    <Status.INFEASIBLE: 'infeasible'>
    """

    def __init__(
        self,
        error_rates: Any = 0.01,
        solver: str | Solver = "adagrad",
        *,
        constraints: Sequence[Constraint] | None = None,
        class_balance: ArrayLike | None = None,
        ties: Literal["first", "random", "abstain"] = "first",
        uncovered: Literal["abstain", "prior"] = "abstain",
        allow_above_chance: bool = False,
        max_patterns: int = 5_000_000,
        random_state: Any = None,
    ) -> None:
        self.error_rates = error_rates
        self.solver = solver
        self.constraints = constraints
        self.class_balance = class_balance
        self.ties = ties
        self.uncovered = uncovered
        self.allow_above_chance = allow_above_chance
        self.max_patterns = max_patterns
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive("max_patterns", self.max_patterns)
        if not check_constraints(self.constraints) and self.error_rates is None:
            raise ParameterError(
                "give error_rates, constraints or both; there is nothing to label by."
            )

    def _solver(self) -> Any:
        if not isinstance(self.solver, str):
            if isinstance(self.solver, type) or not hasattr(self.solver, "solve"):
                raise ParameterError(
                    "solver must be a name or an object such as corral.Adagrad(); "
                    f"{self.solver!r} was given."
                )
            return self.solver
        if self.solver not in SOLVERS:
            names = ", ".join(map(repr, SOLVERS))
            raise ParameterError(
                f"solver must be one of {names}; {self.solver!r} was given."
            )
        return SOLVERS[self.solver]()

    def _prior(self, n_classes: int) -> FloatArray:
        if self.class_balance is None:
            return np.full(n_classes, 1 / n_classes)
        try:
            prior = np.asarray(self.class_balance, float)
        except (TypeError, ValueError) as error:
            raise ParameterError("class_balance must be numbers.") from error
        if prior.shape != (n_classes,) or not (prior >= 0).all():
            raise ParameterError(
                f"class_balance must hold {n_classes} shares; {prior.tolist()} was given."
            )
        if abs(prior.sum() - 1) > 1e-6:
            raise ParameterError(
                f"class_balance must add up to one; it adds up to {prior.sum():g}."
            )
        return prior

    def fit(
        self, signals: Any, y: None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        super().fit(signals, y, sample_weight)
        if self._known_ is not None:
            self.covered_ = self.covered_ | (self._known_ >= 0)
        return self

    def _fit(self, signals: WeakSignals, weights: FloatArray | None) -> None:
        solver = self._solver()
        solver.check()
        prior = self._prior(signals.n_classes)
        if signals.counts is not None and not solver.is_expected:
            raise ParameterError(
                "explicit starts belong to single examples, but these signals are "
                'counted; use starts="expected".'
            )
        constraints = check_constraints(self.constraints)
        keys = read_keys(constraints, signals)
        if keys is not None:
            signals = signals.split_by(keys.codes)
        sampled = signals.has_patterns and len(signals.patterns) > self.max_patterns
        used, used_weights, used_keys = signals, weights, keys
        seen = signals.n_drawn
        if sampled:
            # Beside error rates, examples without votes count, too.
            rows = np.flatnonzero(signals.covered | bool(constraints))
            chosen, used_weights, seen = self._sample(signals, weights, rows)
            used = signals.take(chosen)
            if keys is not None:
                used_keys = keys.take(chosen)
                used = used.split_by(used_keys.codes)
        space, rates = self._space(used, used_weights, solver)
        space = constrained_space(space, used, constraints, used_keys)
        if not solver.takes_bounds and space.lower is not None:
            raise ParameterError(
                f"{type(solver).__name__} takes exact rates only, no bounds. Use "
                'solver="entropy" or solver="projection".'
            )
        solution: Solution = solver.solve(space, self._rng())
        named = bool(constraints) or rates.source is not RateSource.UNIFORM
        _warn(solution, space, used, solver.advice, named=named)

        self.solution_ = replace(solution, rows_used=seen)
        self.error_rates_ = rates.rates
        self._rows_ = space.rows
        self._prior_ = prior
        self._solver_ = solver
        self._signals_ = signals
        self._weights_ = weights
        for stale in ("_implied_", "pattern_counts_"):
            self.__dict__.pop(stale, None)
        if sampled:
            groups = None
            if keys is not None:
                whole = space.rows.rates_design(signals, weights)
                groups = keys.by_unit(whole).groups
            self._design_ = space.rows.design(signals, weights, groups)
            labels: FloatArray = solution.state.labels(self._design_).T
        else:
            self._design_ = space.design
            labels = solution.labels.T
        self._by_unit_ = sampled or solution.example_labels is None
        if solution.example_labels is not None and not sampled:
            labels = solution.example_labels
        self._labels_ = self._normalised(labels, self._design_, by_unit=self._by_unit_)
        self._known_ = None if keys is None else keys.known
        if keys is not None:
            known = keys.by_unit(self._design_).known if self._by_unit_ else keys.known
            fixed = known >= 0
            self._labels_[fixed] = np.eye(signals.n_classes)[known[fixed]]

    def _space(
        self, signals: WeakSignals, weights: FloatArray | None, solver: Solver
    ) -> tuple[LabelSpace, SignalRates]:
        """The space of the error rates, and these."""
        space = label_space(signals, weights=weights)
        if not len(space.rows):
            raise SignalsError(
                "no signal votes on any example that has a weight, so there is "
                "nothing to learn from."
            )
        if self.error_rates is None:
            none = np.full(signals.n_signals, np.nan)
            rates = SignalRates(none, RateSource.GIVEN)
        else:
            rates = resolve_rates(
                self.error_rates,
                signals,
                space.rows,
                allow_above_chance=self.allow_above_chance,
            )
        if solver.joint and rates.rates.ndim == 1:
            space = label_space(signals, weights=weights, joint=True)
        by_row = row_rates(signals, space.rows, rates.rates)
        return replace(space, rates=by_row), rates

    def partial_fit(
        self, signals: Any, y: None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add the counts of more examples to those seen, and fit again on all of them.

        The result is that of one `fit` on everything, in whatever chunks it came. A fit
        costs what the patterns cost, so with many chunks it is faster to add up
        `PatternCounts` and to fit once.

        Parameters
        ----------
        signals : as for `fit`
            Hard votes. If a chunk may lack a class, say which there are:
            ``WeakSignals.from_votes(chunk, classes=...)``.
        y : None
        sample_weight : (n,) array of float, optional

        Returns
        -------
        self
            ``labels_`` are those of ``pattern_counts_.signals``, one row a pattern; use
            `predict_proba` for examples.

        Examples
        --------
        >>> from corral import ConstrainedLabeler
        >>> labeler = ConstrainedLabeler(0.1)
        >>> for chunk in ([[1, 1], [0, 1]], [[0, 0], [1, 1]]):
        ...     labeler = labeler.partial_fit(chunk)
        >>> labeler.pattern_counts_
        PatternCounts(3 patterns of 4 examples, 2 signals, 2 classes)
        """
        refuse_labels(y)
        self._check_parameters()
        read = as_signals(signals)
        weights = check_weights(sample_weight, len(read))
        if weights is not None and read.counts is not None:
            weights = weights * read.counts
        counts = PatternCounts(read, weights)
        seen: PatternCounts | None = getattr(self, "pattern_counts_", None)
        counts = counts if seen is None else seen + counts
        self.fit(counts)
        self.pattern_counts_ = counts
        return self

    def _sample(
        self, signals: WeakSignals, weights: FloatArray | None, rows: IntArray
    ) -> tuple[IntArray, FloatArray, int]:
        """Some of the rows drawn uniformly, their weights, and how many were drawn.

        With the weight of the whole, the steps of the solver are those of the whole. The
        draw is the same every time unless `random_state` says otherwise.
        """
        rng = np.random.default_rng(0) if self.random_state is None else self._rng()
        if signals.counts is None:
            total = len(rows)
            size = min(self.max_patterns, total)
            chosen = np.sort(rng.choice(rows, size=size, replace=False, shuffle=False))
            each = np.ones(size) if weights is None else weights[chosen]
        else:
            counts = signals.counts[rows]
            total, size = counts.sum(), self.max_patterns
            drawn = draw_rows(counts, size, rng)
            chosen, drawn = rows[drawn > 0], drawn[drawn > 0]
            each = (
                drawn if weights is None else drawn * (weights / signals.counts)[chosen]
            )
        return chosen, each * (total / size), size

    def _normalised(
        self, labels: FloatArray, design: Operator, *, by_unit: bool
    ) -> FloatArray:
        """Class probabilities of labels a unit, or an example."""
        covered: BoolArray = (design.active_counts() > 0).T
        if not by_unit:
            covered = design.by_example(covered)
        kept = self._solver_.keeps(covered)
        return class_probabilities(labels, kept, covered, self._prior_)

    @property
    def labels_(self) -> FloatArray:
        """(n, k) soft labels of the examples fitted on."""
        check_is_fitted(self)
        if not hasattr(self, "_labels_"):
            raise ParameterError(
                "the labels of the examples fitted on are not saved with a labeler; use "
                "predict_proba."
            )
        if self._by_unit_:
            return self._design_.by_example(self._labels_)
        return self._labels_

    @property
    def implied_error_rates_(self) -> FloatArray:
        """(m,) errors of the signals under the labels; (m, k) for one-vs-rest."""
        check_is_fitted(self)
        if not hasattr(self, "_implied_"):
            self._implied_ = signal_errors(self._signals_, self.labels_, self._weights_)
        return self._implied_

    @property
    def residual_(self) -> FloatArray:
        """Implied less expected error of every signal (and class)."""
        implied, expected = self.implied_error_rates_, self.error_rates_
        if implied.ndim == 2 and expected.ndim == 1:
            expected = expected[:, None]
        elif implied.ndim == 1 and expected.ndim == 2:
            # Rates a class: a wrong class vote is an error about two classes.
            expected = expected.sum(axis=1) / (1 if expected.shape[1] == 1 else 2)
        return implied - expected

    @property
    def n_iter_(self) -> int:
        """Steps that the solver took."""
        check_is_fitted(self)
        return self.solution_.iterations

    def _probabilities(self, signals: WeakSignals) -> FloatArray:
        design = self._rows_.design(signals)
        shares = self._normalised(
            self.solution_.state.labels(design).T, design, by_unit=True
        )
        return design.by_example(shares)

    def save(self, path: str | PathLike[str]) -> None:
        """Write what labels new votes to a file, without pickle.

        The votes and labels of the fit are not in it, so it stays small; nor are
        constraints that speak of its examples, `GroupShare` and `Known`.

        Parameters
        ----------
        path : path
            By convention ending in ``.corral``.

        Examples
        --------
        >>> import tempfile
        >>> from corral import ConstrainedLabeler
        >>> labeler = ConstrainedLabeler(0.1).fit([["spam", None], ["ham", "spam"]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     labeler.save(f"{folder}/rules.corral")
        ...     again = ConstrainedLabeler.load(f"{folder}/rules.corral")
        >>> again.predict([[None, "spam"]]).tolist()
        ['spam']
        """
        check_is_fitted(self)
        save_labeler(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> ConstrainedLabeler:
        """Read a labeler that `save` wrote."""
        return load_labeler(cls, path)

    def _covered(self, signals: WeakSignals) -> BoolArray:
        design = self._rows_.rates_design(signals)
        spoken: BoolArray = design.active_counts().max(axis=0) > 0
        return design.by_example(spoken)

    def explain(self, example: int, signals: Any = None) -> Explanation:
        """Which signals moved the label of an example, and how far.

        Parameters
        ----------
        example : int
            Position of the example.
        signals : as for `fit`, optional
            Where the example is; default: the signals fitted on.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> from corral import ConstrainedLabeler
        >>> votes = [["spam", "spam", None], ["ham", "spam", "ham"], [None, None, "ham"]]
        >>> print(ConstrainedLabeler(0.1).fit(votes).explain(1))
        example 1: ham 0.60, spam 0.40
          s1 said spam   -50% toward ham
          s2 said ham    +25% toward ham
          s0 said ham    +25% toward ham
        """
        check_is_fitted(self)
        if not isinstance(example, int | np.integer):
            raise ParameterError(f"example must be a position; {example!r} was given.")
        own = signals is None
        if own and not hasattr(self, "_signals_"):
            raise ParameterError(
                "the signals fitted on are not saved with a labeler; give the signals "
                "that the example is in."
            )
        read = self._signals_ if own else self._like_.like(signals)
        if not -len(read) <= example < len(read):
            raise ParameterError(
                f"there are {len(read)} examples; example {example} was asked for."
            )
        example %= len(read)
        one = read.take(slice(example, example + 1))
        design, unit = self._rows_.design(one), 0
        if own:
            design, unit = self._design_, example
            unit = example if design.inverse is None else int(design.inverse[example])
        moved = self.solution_.state.contributions(design, unit)
        # Rows of a signal belong to it; what belongs to none stands by itself.
        alone = np.flatnonzero(self._rows_.signal < 0)
        line = self._rows_.signal.copy()
        line[alone] = read.n_signals + np.arange(len(alone))
        moves = np.zeros((read.n_signals + len(alone), design.n_labels))
        np.add.at(moves, line, moved)
        if design.n_labels == 1:
            moves = np.column_stack([-moves, moves])
        names = self._rows_.names(read)
        return Explanation(
            example,
            self.classes_,
            self.labels_[example] if own else self._probabilities(one)[0],
            read.names,
            votes_of(one),
            moves,
            tuple(names[r] for r in alone),
        )


def _warn(
    solution: Solution,
    space: LabelSpace,
    signals: WeakSignals,
    advice: str,
    *,
    named: bool,
) -> None:
    """Say what the user should know: always if unfinished, by name if infeasible."""
    silent = sorted(set(range(signals.n_signals)) - set(space.rows.signal.tolist()))
    if silent:
        warnings.warn(
            "signals that never vote are left out: "
            + ", ".join(signals.names[i] for i in silent),
            SignalsWarning,
            stacklevel=4,
        )
    if solution.status is Status.NOT_CONVERGED:
        warnings.warn(
            f"{solution.message}. {advice}.", ConvergenceWarning, stacklevel=4
        )
    if solution.status is Status.INFEASIBLE and named:
        names = space.rows.names(signals)
        worst = np.argsort(-np.abs(solution.residual))[:3]
        listed = ", ".join(
            f"{names[r]} (expected {space.nearest(solution.implied_error_rates)[r]:.2f}, "
            f"nearest {solution.implied_error_rates[r]:.2f})"
            for r in worst
        )
        warnings.warn(
            f"{solution.message}. Furthest off: {listed}.",
            InfeasibleWarning,
            stacklevel=4,
        )
