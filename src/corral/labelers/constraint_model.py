"""Labels by what a solver found for the constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import BoolArray, FloatArray
from corral.constraints import Operator, Rows
from corral.labelers.explanation import signal_moves
from corral.labelers.multilabel import column_probabilities
from corral.labelers.probabilities import class_probabilities
from corral.model import Contributions, Model
from corral.signals import WeakSignals
from corral.solvers.solution import Keeps, SolverModel


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
