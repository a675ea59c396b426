r"""Davidson's model of verdicts with judges, and its Fisher information.

A judge of sensitivity :math:`\alpha`, position bias :math:`\beta` and readiness for ties
:math:`\tau` is shown item :math:`i` before item :math:`k`. With
:math:`\eta = \alpha(\theta_i - \theta_k) + \beta` the first wins, neither, or the second,
in proportion to :math:`e^{\eta/2}`, :math:`e^\tau` and :math:`e^{-\eta/2}`.

That is an exponential family: a tie counts as half a win for both, and without ties it is
the model of Bradley and Terry. Judges are linked only through items, so the information
eliminates judges first; one matrix of items by items is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from corral._types import FloatArray
from corral.ranking.comparisons import Comparisons, find_distinct, sum_by_code

SENSITIVITY, BIAS, TIES = range(3)
"""Columns of the numbers of judges."""
MAX_DENSE_CELLS = 10_000_000
"""Items by numbers of judges that are held with their zeros at once: it is faster."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """Strengths, and the numbers of judges."""

    strengths: FloatArray  # (K,)
    judges: FloatArray  # (J, 3) sensitivity, position bias, readiness for ties

    def minus(self, other: Parameters) -> FloatArray:
        """All differences, one after the other."""
        judges = self.judges - other.judges
        return np.concatenate([self.strengths - other.strengths, judges.ravel()])

    def gaps(self, data: Comparisons) -> FloatArray:
        """(r,) how much stronger the first item is."""
        return self.strengths[data.first] - self.strengths[data.second]

    def judge(self, data: Comparisons) -> Verdicts:
        """What every row is expected to say, and how it differs."""
        eta = self.judges[:, SENSITIVITY][data.judge] * self.gaps(data)
        eta += self.judges[:, BIAS][data.judge]
        ties = np.exp(self.judges[:, TIES])[data.judge] if data.has_ties else None
        return weigh_verdicts(data, eta, ties)


class Verdicts(NamedTuple):
    """The log-likelihood of all rows; slopes and Fisher information (r,) of every row."""

    log_likelihood: float
    eta: FloatArray  # slope by the log-odds of the first
    tau: FloatArray  # slope by the log-odds of ties
    eta_eta: FloatArray
    eta_tau: FloatArray
    tau_tau: FloatArray


def weigh_verdicts(
    data: Comparisons, eta: FloatArray, ties: FloatArray | None
) -> Verdicts:
    """Compare verdicts with log-odds (r,) of the first, and odds (r,) of ties."""
    tie, win, lose = find_chances(eta, ties)
    n, mean = data.n, win - lose
    said = (data.wins - data.losses) @ eta / 2
    log_z = np.abs(eta) / 2 - np.log(np.maximum(win, lose))
    if ties is not None:
        said += data.ties @ np.log(ties)
    return Verdicts(
        float(said - n @ log_z),
        eta=(data.wins - data.losses - n * mean) / 2,
        tau=data.ties - n * tie,
        eta_eta=n * (1 - tie - mean**2) / 4,
        eta_tau=-n * mean * tie / 2,
        tau_tau=n * tie * (1 - tie),
    )


def find_chances(
    eta: FloatArray, ties: FloatArray | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Probabilities of a tie, of the first and of the second.

    `eta` are log-odds of the first; `ties`, if any, twice the odds of a tie between equals.
    """
    less = np.exp(-np.abs(eta))  # of the likelier side, which is 1
    tie = np.zeros_like(eta) if ties is None else ties * np.sqrt(less)
    likelier = 1 / (1 + less + tie)
    tie, less = tie * likelier, less * likelier
    ahead = eta >= 0
    return tie, np.where(ahead, likelier, less), np.where(ahead, less, likelier)


class Layout:
    """Where the numbers of every row go: which items, which cells of item and judge.

    `estimated` says which of the three numbers of judges are. Strengths have mean zero.
    """

    def __init__(self, data: Comparisons, estimated: list[int]) -> None:
        self.data, self.estimated = data, estimated
        self.n_items, self.n_judges = len(data.items), len(data.judges)
        low, high = np.sort([data.first, data.second], axis=0)
        at, self.pair_of = find_distinct([low, high])
        self.low, self.high = low[at], high[at]
        both, judge = np.r_[data.first, data.second], np.tile(data.judge, 2)
        at, self.cell_of = find_distinct([judge, both])
        self.cell_item = both[at]
        sizes = np.bincount(judge[at], minlength=self.n_judges)
        self.cell_ends = np.concatenate([[0], np.cumsum(sizes)])
        self.weights = self.to_judges(data.n) / data.n.sum()

    def to_items(self, values: FloatArray) -> FloatArray:
        """(K,) values (r,) summed by the first item, less those by the second."""
        n, data = self.n_items, self.data
        return sum_by_code(data.first, values, n) - sum_by_code(data.second, values, n)

    def to_judges(self, values: FloatArray) -> FloatArray:
        """(J,) values (r,) summed by judge."""
        return sum_by_code(self.data.judge, values, self.n_judges)

    def by_judge_number(
        self, gaps: FloatArray, by_eta: FloatArray, by_tau: FloatArray
    ) -> list[FloatArray]:
        """(r,) arrays, one per estimated number: slopes by it, of those by eta, tau."""
        every = (by_eta * gaps, by_eta, by_tau)
        return [every[number] for number in self.estimated]

    def weigh_pairs(self, weights: FloatArray) -> FloatArray:
        """(K, K) information on the strengths alone, of weights (r,) of their gaps."""
        weight = sum_by_code(self.pair_of, weights, len(self.low))
        table = np.zeros((self.n_items, self.n_items))
        table[self.low, self.high] = table[self.high, self.low] = -weight
        np.fill_diagonal(table, -table.sum(axis=1))
        return table

    def weigh_cells(self, column: FloatArray) -> csr_array:
        """(J, K) information on strengths and a number of judges, of a column (r,)."""
        both = np.concatenate([column, -column])
        values = sum_by_code(self.cell_of, both, len(self.cell_item))
        shape = (self.n_judges, self.n_items)
        return csr_array((values, self.cell_item, self.cell_ends), shape)


class Information:
    """The Fisher information at some parameters, with the precision of priors.

    `precision` is that of strengths, `judge_precision` (q,) that of the numbers of judges.
    `averaged` over what judges may be like, it leads to the best strengths; otherwise it
    says how sure the strengths are.
    """

    def __init__(
        self,
        layout: Layout,
        parameters: Parameters,
        verdicts: Verdicts,
        precision: float,
        judge_precision: FloatArray,
        *,
        averaged: bool,
    ) -> None:
        self.layout, self.q = layout, len(layout.estimated)
        judge, gaps = layout.data.judge, parameters.gaps(layout.data)
        blocks = self._make_blocks(gaps, verdicts) + np.diag(judge_precision)
        # (J, q, q), where strengths are known
        self.judge_covariance = np.linalg.inv(blocks).astype(float, copy=False)
        sensitivity = parameters.judges[:, SENSITIVITY]
        square = sensitivity**2 + averaged * self.sensitivity_variances
        table = layout.weigh_pairs(verdicts.eta_eta * square[judge])
        # The mean, which no comparison tells, is held at zero.
        table += max(float(np.diag(table).mean()), 1e-12) / layout.n_items
        table[np.diag_indices_from(table)] += precision
        by_number = layout.by_judge_number(gaps, verdicts.eta_eta, verdicts.eta_tau)
        self._cross = [layout.weigh_cells(sensitivity[judge] * c) for c in by_number]
        if self.q:
            self._eliminate_judges(table)
        self._factor = cho_factor(table, overwrite_a=True, check_finite=False)
        self._held: tuple[FloatArray, FloatArray] | None = None
        if SENSITIVITY in layout.estimated:
            self._held = self._hold_scale(sensitivity)

    @property
    def sensitivity_variances(self) -> FloatArray:
        """(J,) of sensitivities, where strengths are known; zero if these are given."""
        if SENSITIVITY not in self.layout.estimated:
            return np.zeros(self.layout.n_judges)
        return self.judge_covariance[:, 0, 0]

    def _make_blocks(self, gaps: FloatArray, verdicts: Verdicts) -> FloatArray:
        """(J, q, q) information on every judge."""
        layout = self.layout
        _, _, _, eta_eta, eta_tau, tau_tau = verdicts
        every = (
            (eta_eta * gaps**2, eta_eta * gaps, eta_tau * gaps),
            (eta_eta * gaps, eta_eta, eta_tau),
            (eta_tau * gaps, eta_tau, tau_tau),
        )
        blocks = np.empty((layout.n_judges, self.q, self.q))
        for row, i in enumerate(layout.estimated):
            for column, j in enumerate(layout.estimated):
                blocks[:, row, column] = layout.to_judges(every[i][j])
        return blocks

    def _eliminate_judges(self, table: FloatArray) -> None:
        """Take from the information on strengths what is needed to know the judges."""
        step = max(1, MAX_DENSE_CELLS // (self.q * len(table)))
        for start in range(0, self.layout.n_judges, step):
            some = slice(start, start + step)
            cross = np.stack([c[some].toarray() for c in self._cross], axis=1)
            known = self.judge_covariance[some] @ cross
            table -= cross.reshape(-1, len(table)).T @ known.reshape(-1, len(table))

    def _hold_scale(self, sensitivity: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What solutions must not contain, so that the scale of sensitivities stays.

        Verdicts tell sensitivities times strengths, so that one of them needs a scale.
        """
        normal = np.zeros((self.layout.n_judges, self.q, 1))
        normal[:, 0, 0] = self.layout.weights * sensitivity
        items, judges = self._solve(np.zeros((self.layout.n_items, 1)), normal)
        root = np.sqrt(np.sum(normal * judges))
        return items / root, judges / root

    def solve(
        self, items: FloatArray, judges: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """What gives `items` (K, c) and `judges` (J, q, c), times the information."""
        found, numbers = self._solve(items, judges)
        if self._held is not None:
            held, held_numbers = self._held
            along = held.T @ items + np.tensordot(held_numbers[..., 0], judges, 2)
            found, numbers = found - held @ along, numbers - held_numbers @ along
        return found, numbers

    def _solve(
        self, items: FloatArray, judges: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        if not self.q:
            return cho_solve(self._factor, items, check_finite=False), judges
        scaled = self.judge_covariance @ judges
        crossed = sum(c.T @ scaled[:, i] for i, c in enumerate(self._cross))
        found = cho_solve(self._factor, items - crossed, check_finite=False)
        back = np.stack([c @ found for c in self._cross], axis=1)
        return found, scaled - self.judge_covariance @ back
