"""A labeler that is fitted again without each signal in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from sklearn.base import clone

from corral._types import FloatArray
from corral.advice.silent_signals import LeftOut
from corral.error_rates import FromLabels
from corral.errors import SignalsError
from corral.labelers import Labeler
from corral.signals import PatternCounts, WeakSignals


class Refit:
    """A labeler that is fitted again and again, with a signal left out or not.

    Attributes
    ----------
    fitted : WeakSignals
        What it is fitted on: one row per pattern, unless labels depend on single rows.
    first : (rows of fitted,) array of int
        Where every such row is first found in the signals.
    covered : (rows of fitted,) array of bool
        Whether a signal votes on the row, at the last fit.
    shared : bool
        Whether rows with the same votes have the same label.
    """

    def __init__(self, labeler: Labeler, signals: WeakSignals) -> None:
        self.labeler = clone(labeler)
        self.multilabel = bool(getattr(labeler, "multilabel", False))
        self.constraints = list(getattr(labeler, "constraints", None) or ())
        if labeler.random_state is None:
            self.labeler.set_params(random_state=0)
        rates = getattr(labeler, "error_rates", None)
        if isinstance(rates, FromLabels) and rates.signals is None:
            self.labeler.set_params(error_rates=replace(rates, signals=signals))
        solver = getattr(labeler, "_solver_", None)
        single = bool(self.constraints) or not (solver is None or solver.is_expected)
        self.shared = not (single or getattr(labeler, "single_rows", False))
        if not self.shared or not signals.is_hard:
            self.fitted, self.first = signals, np.arange(len(signals))
        else:
            self.fitted = PatternCounts(signals).signals
            patterns = signals.patterns
            _, self.first = np.unique(patterns.inverse, return_index=True)
            self.first = self.first[patterns.counts > 0]

    def labels(self, left_out: int | None = None) -> FloatArray:
        """(rows, k) labels; where no signal is left, all classes equally likely."""
        signals = self.fitted if left_out is None else self.fitted.without(left_out)
        if self.constraints:
            name = (left_out, None if left_out is None else signals.names[left_out])
            kept = [
                c
                for c in self.constraints
                if left_out is None or getattr(c, "signal", None) not in name
            ]
            self.labeler.set_params(constraints=kept)
        n, k = len(signals), signals.n_classes
        guess = np.full((n, k), 0.5 if self.multilabel else 1 / k)
        nothing = self.constraints and not kept and self.labeler.error_rates is None
        if nothing or not signals.covered.any():
            self.covered = np.zeros(n, bool)
            return guess
        try:
            self.labeler.fit(signals)
        except SignalsError:
            if left_out is None or np.delete(self.fitted.coverage, left_out).any():
                raise
            # All that is left says one half, and this labeler learns from votes.
            self.covered = np.zeros(n, bool)
            return guess
        self.covered = self.labeler.covered_
        labels: FloatArray = np.where(
            self.covered[:, None], self.labeler.labels_, guess
        )
        return labels


def refit_without_each(again: Refit) -> Iterator[LeftOut]:
    """Labels without each signal in turn, fitted again for each."""
    for i in range(again.fitted.n_signals):
        after = again.labels(i)
        yield slice(None), after, again.covered
