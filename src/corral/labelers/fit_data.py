"""What a fit works on: votes, weights and what sets examples apart; perhaps a sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray, IntArray
from corral.constraints import ExampleFacts, Operator, Rows
from corral.signals import WeakSignals
from corral.signals.patterns import draw_rows


@dataclass(frozen=True)
class FitData:
    """Signals, their weights and what sets examples apart; all of them, or a sample.

    Attributes
    ----------
    signals : WeakSignals
        Patterns are split by `facts`.
    weights : (n,) array of float or None
    facts : ExampleFacts or None
    """

    signals: WeakSignals
    weights: FloatArray | None
    facts: ExampleFacts | None

    @classmethod
    def of(
        cls,
        signals: WeakSignals,
        weights: FloatArray | None,
        facts: ExampleFacts | None,
    ) -> FitData:
        """Split the patterns of signals."""
        split = signals if facts is None else signals.split_by(facts.codes)
        return cls(split, weights, facts)

    @property
    def n_patterns(self) -> int:
        """Number of patterns; 0 if examples do not share any."""
        return len(self.signals.patterns) if self.signals.has_patterns else 0

    def design(self, rows: Rows) -> Operator:
        """The operator of rows on all patterns."""
        if self.facts is None:
            return rows.design(self.signals, self.weights)
        patterns = self.facts.by_pattern(rows.rates_design(self.signals, self.weights))
        return rows.design(self.signals, self.weights, patterns.groups)

    def sample(
        self, rows: IntArray, size: int, rng: np.random.Generator
    ) -> tuple[FitData, int]:
        """Some of the rows drawn uniformly, and how many were drawn.

        They have the weight of the whole, so the steps of the solver are those of the
        whole.

        Parameters
        ----------
        rows : (j,) array of int
            What to draw from.
        size : int
        rng : Generator
        """
        weights, counts = self.weights, self.signals.counts
        if counts is None:
            total, size = float(len(rows)), min(size, len(rows))
            chosen = np.sort(rng.choice(rows, size=size, replace=False, shuffle=False))
            each = np.ones(size) if weights is None else weights[chosen]
        else:
            total = counts[rows].sum()
            drawn = draw_rows(counts[rows], size, rng)
            chosen, drawn = rows[drawn > 0], drawn[drawn > 0]
            each = drawn if weights is None else drawn * (weights / counts)[chosen]
        facts = None if self.facts is None else self.facts.take(chosen)
        return FitData.of(self.signals.take(chosen), each * (total / size), facts), size
