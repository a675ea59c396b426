"""Rows that are not error rates, as sums of votes times labels.

Every such row is ``sum of coefficient * feature * y[label]``, where a feature of an example
is what a signal says of a class (``w``), whether it is in a group, whether any signal
speaks of it, or one. The same terms make the row on any signals, so they are all that a
fitted labeler keeps of a constraint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack

from corral._types import FloatArray, IntArray
from corral.constraints.designs import make_design
from corral.constraints.designs.combined_design import CombinedDesign
from corral.constraints.designs.feature_design import FeatureDesign
from corral.constraints.designs.operator import Operator
from corral.signals import WeakSignals

EVERY, GROUP, COVERED = -1, -2, -3
"""In place of a signal: the feature that is one everywhere, that of a group, and the one
that is one where any signal speaks."""


@dataclass(frozen=True)
class RowTerms:
    """The terms of some rows.

    Attributes
    ----------
    names : tuple of str
        One per row.
    row : (t,) array of int
        The row that a term belongs to.
    signal, said : (t,) arrays of int
        The feature: what a signal says of a class; `EVERY`; `COVERED`; or `GROUP` and
        its number.
    label : (t,) array of int
        The label column.
    coefficient : (t,) array of float
    """

    names: tuple[str, ...]
    row: IntArray
    signal: IntArray
    said: IntArray
    label: IntArray
    coefficient: FloatArray

    def __len__(self) -> int:
        return len(self.names)

    def design(
        self, base: Operator, signals: WeakSignals, groups: IntArray | None = None
    ) -> CombinedDesign:
        """The rows of `base`, and then these.

        Parameters
        ----------
        base : Operator
        signals : WeakSignals
        groups : (p, columns) array of int, optional
            The groups of every pattern; without it, none is in any.
        """
        pairs = np.column_stack([self.signal, self.said])
        features, feature = np.unique(pairs, axis=0, return_inverse=True)
        cells = np.column_stack([feature.ravel(), self.label])
        rows, at = np.unique(cells, axis=0, return_inverse=True)
        values = feature_matrix(signals, features, base.n_patterns, groups)
        own = FeatureDesign(base, values, rows[:, 0], rows[:, 1])
        n = base.n_rows
        matrix = csr_array(
            (
                np.append(np.ones(n), self.coefficient),
                (
                    np.append(np.arange(n), n + self.row),
                    np.append(np.arange(n), n + at.ravel()),
                ),
            ),
            (n + len(self), n + len(rows)),
        )
        return CombinedDesign([base, own], matrix)


def feature_matrix(
    signals: WeakSignals,
    features: IntArray,
    n_patterns: int,
    groups: IntArray | None = None,
) -> csr_array:
    """Features (f, 2) of signals by pattern: (p, f)."""
    columns = [
        _feature(signals, signal, said, n_patterns, groups)
        for signal, said in features.tolist()
    ]
    return csr_array(hstack([csr_array(c[:, None]) for c in columns]))


def _feature(
    signals: WeakSignals,
    signal: int,
    said: int,
    n_patterns: int,
    groups: IntArray | None,
) -> FloatArray:
    if signal == EVERY:
        return np.ones(n_patterns)
    if signal == COVERED:
        return signals.covered_patterns.astype(float)
    if signal == GROUP:
        none = np.zeros(n_patterns)
        return none if groups is None else (groups == said).any(axis=1).astype(float)
    return said_of(signals, signal, said)


def said_of(signals: WeakSignals, signal: int, said: int) -> FloatArray:
    """(p,) what a signal says of a class: 0 to 1, and 0 where it abstains."""
    every = range(signals.n_label_columns)
    columns = every if signals.names_classes else range(said, said + 1)
    design = make_design(signals, np.array([(signal, k) for k in columns]))
    one_column = signals.n_label_columns == 1
    row = said if len(columns) > 1 else 0
    w = design.entries(row, 0, design.n_patterns).astype(float)
    return np.nan_to_num(1 - w if one_column and said == 0 else w)
