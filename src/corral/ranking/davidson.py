r"""How likely verdicts are: Davidson's model of ties, with what judges add to it.

A judge of sensitivity :math:`\alpha`, position bias :math:`\beta` and readiness for ties
:math:`\tau` is shown item :math:`i` before item :math:`k`. With
:math:`\eta = \alpha(\theta_i - \theta_k) + \beta` the first wins, neither, or the second,
in proportion to :math:`e^{\eta/2}`, :math:`e^\tau` and :math:`e^{-\eta/2}`.

Davidson's form, rather than Rao and Kupper's: it is an exponential family, so that a tie
counts as half a win for both, the likelihood has one maximum, and without ties it is
the model of Bradley and Terry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corral._types import FloatArray
from corral.ranking.comparisons import Comparisons

SENSITIVITY, BIAS, TIES = range(3)
"""Columns of what is known of judges."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """Strengths, and what judges are like.

    Attributes
    ----------
    strengths : (K,) array of float
    judges : (J, 3) array of float
        Sensitivity, position bias, readiness for ties.
    """

    strengths: FloatArray
    judges: FloatArray

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
    """The log-likelihood of rows, its slopes, and their information.

    Attributes
    ----------
    log_likelihood : float
        Of all rows together.
    eta, tau : (r,) arrays of float
        Its slopes by the log-odds of the first, and of ties.
    eta_eta, eta_tau, tau_tau : (r,) arrays of float
        Fisher information: what the second derivatives are on average.
    """

    log_likelihood: float
    eta: FloatArray
    tau: FloatArray
    eta_eta: FloatArray
    eta_tau: FloatArray
    tau_tau: FloatArray


def weigh_verdicts(
    data: Comparisons, eta: FloatArray, ties: FloatArray | None
) -> Verdicts:
    """Compare verdicts with log-odds (r,) of the first, and odds (r,) of ties.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.ranking.comparisons import code_comparisons
    >>> from corral.ranking.davidson import weigh_verdicts
    >>> data = code_comparisons(["x", "x"], ["y", "y"], [1, 0])  # a win and a tie
    >>> found = weigh_verdicts(data, np.zeros(2), np.full(2, 2.0))
    >>> round(float(np.exp(found.log_likelihood)), 3)  # 1/4 of 1/2
    0.125
    """
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

    Parameters
    ----------
    eta : (r,) array of float
        Log-odds of the first.
    ties : (r,) array of float, optional
        Odds of a tie where both are equal, times two.

    Examples
    --------
    >>> import numpy as np
    >>> from corral.ranking.davidson import find_chances
    >>> [chance.tolist() for chance in find_chances(np.zeros(1), np.full(1, 2.0))]
    [[0.5], [0.25], [0.25]]
    """
    less = np.exp(-np.abs(eta))  # of the likelier side, which is 1
    tie = np.zeros_like(eta) if ties is None else ties * np.sqrt(less)
    likelier = 1 / (1 + less + tie)
    tie, less = tie * likelier, less * likelier
    ahead = eta >= 0
    return tie, np.where(ahead, likelier, less), np.where(ahead, less, likelier)
