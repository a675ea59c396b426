"""Labels by what a solver found for the constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.constraints import Operator, Rows
from corral.constraints.row_terms import COVERED, EVERY, GROUP, RowTerms
from corral.labelers.explanation import signal_moves
from corral.labelers.multilabel import column_probabilities
from corral.labelers.probabilities import check_shares, class_probabilities
from corral.model import Contributions, Model
from corral.signals import WeakSignals
from corral.solvers.solution import Keeps, SolverModel
from corral.storage.content_checks import check_floats, check_positions, require


@dataclass(frozen=True)
class ConstraintModel(Model):
    """The rows of the constraints, and what a solver keeps of them.

    Attributes
    ----------
    rows : Rows
    solver_model : SolverModel
        Multipliers of the rows (`Entropy`, `Projection`), or the record of the steps
        (`Adagrad`).
    keeps : "entries", "examples" or "all"
        Which entries keep the solver's label; see `Solver`.
    prior : (k,) array of float
        Probabilities of examples that no signal votes on.
    multilabel : bool
        Whether the classes of an example are independent of each other.
    """

    rows: Rows
    solver_model: SolverModel
    keeps: Keeps
    prior: FloatArray
    multilabel: bool

    def pattern_labels(self, signals: WeakSignals) -> FloatArray:
        return self.design_labels(self.rows.design(signals))

    def design_labels(self, design: Operator) -> FloatArray:
        """(p, k) probabilities of the patterns of any design with these rows."""
        return self.probabilities(self.solver_model.labels(design).T, design)

    def probabilities(
        self, labels: FloatArray, design: Operator, *, by_pattern: bool = True
    ) -> FloatArray:
        """Class probabilities of a solver's labels per pattern, or per example."""
        covered: BoolArray = (design.active_counts() > 0).T
        if not by_pattern:
            covered = design.by_example(covered)
        kept = covered
        if self.keeps == "all":
            kept = np.ones_like(covered)
        elif self.keeps == "examples":
            kept = np.broadcast_to(covered.any(axis=1, keepdims=True), covered.shape)
        if self.multilabel:
            return column_probabilities(labels, kept, self.prior)
        return class_probabilities(labels, kept, covered, self.prior)

    def covered(self, signals: WeakSignals) -> BoolArray:
        """(n,) which examples a signal that has a row votes on."""
        design = self.rows.rates_design(signals)
        some: BoolArray = design.active_counts().max(axis=0) > 0
        return design.by_example(some)

    def contributions(self, one: WeakSignals) -> Contributions:
        """How far every signal, and every other constraint, moved the label.

        `Entropy`: log-odds, exact. `Adagrad`: over all steps, before labels are kept
        between 0 and 1.
        """
        return self.pattern_contributions(self.rows.design(one), 0, one)

    def pattern_contributions(
        self, design: Operator, pattern: int, signals: WeakSignals
    ) -> Contributions:
        """The same for a pattern of a design of these rows on `signals`."""
        moved = self.solver_model.contributions(design, pattern)
        signal, names = self.rows.signal, self.rows.names(signals)
        others = tuple(names[r] for r in np.flatnonzero(signal < 0))
        return Contributions(signal_moves(moved, signal, signals.n_signals), others)

    def check(self, signals: WeakSignals) -> None:
        m, k = signals.n_signals, signals.n_classes
        check_rows(self.rows, m, signals.n_label_columns, k)
        self.solver_model.check(len(self.rows))
        check_shares("prior", self.prior, k, multilabel=self.multilabel)


def check_rows(rows: Rows, m: int, columns: int, k: int) -> None:
    """Positions of signals and label columns, and what constraints are made of."""
    r = len(rows.signal)
    check_positions("rows.signal", rows.signal, (r,), -1, m)
    check_positions("rows.label", rows.label, (r,), -1, columns)
    check_floats("rows.size", rows.size, (r,), low=0)
    check_floats("rows.mean", rows.mean, (r,))
    n_rates = r
    if rows.terms is not None:
        n_rates = r - len(rows.terms)
        _check_terms(rows.terms, m, columns, k)
    of_signals = rows.label[:n_rates]
    require(n_rates >= 0 and (rows.signal[:n_rates] >= 0).all(), "rows of signals")
    # Rows are sorted by label column, and are about one each or all.
    require((np.diff(of_signals) >= 0).all(), "rows in order")
    pairs = {*zip(rows.signal[:n_rates].tolist(), of_signals.tolist(), strict=True)}
    require(len(pairs) == n_rates, "every row once")
    require((of_signals >= 0).all() or (of_signals < 0).all(), "rows of one kind")


def _check_terms(terms: RowTerms, m: int, columns: int, k: int) -> None:
    t = len(terms.row)
    check_positions("terms.row", terms.row, (t,), 0, len(terms.names))
    check_positions("terms.signal", terms.signal, (t,), min(EVERY, GROUP, COVERED), m)
    # Of a group, this is its number, which no new example is in.
    said = np.where(terms.signal >= 0, terms.said, 0)
    # A class, of which two share one label column.
    check_positions("terms.said", said, (t,), 0, k)
    check_positions("terms.label", terms.label, (t,), 0, columns)
    check_floats("terms.coefficient", terms.coefficient, (t,))
