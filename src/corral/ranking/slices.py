"""Strengths per slice, drawn to each other as far as slices are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.errors import ParameterError
from corral.progress import progress
from corral.ranking.comparisons import Comparisons
from corral.ranking.davidson import SENSITIVITY, Parameters
from corral.ranking.information import Layout
from corral.ranking.uncertainty import normal_reach

USUAL, BELIEF = 0.3, 2.0
"""How far slices are expected to differ, and for how many strengths that counts."""
MOST_ROUNDS, SETTLED = 200, 1e-3


@dataclass(frozen=True, eq=False)
class SliceStrengths:
    """Strengths in every slice.

    Attributes
    ----------
    column : str
    names : tuple of str
        Of the S slices.
    strengths : (S, K) array of float
        Those of every slice have mean zero.
    interval : (S, K, 2) array of float
    n_verdicts : (S, K) array of float
        In which an item took part.
    scale : float
        How far strengths of a slice are from the mean over slices (standard deviation).
    """

    column: str
    names: tuple[str, ...]
    strengths: FloatArray
    interval: FloatArray
    n_verdicts: FloatArray
    scale: float


class _Slice:
    """The verdicts of one slice, as far as they tell strengths; judges are known."""

    def __init__(self, data: Comparisons, judges: FloatArray, group: ArrayLike) -> None:
        self.data, self.judges = data, judges
        self.layout = Layout(data, [], np.asarray(group))

    def look(
        self, strengths: FloatArray, weight: float
    ) -> tuple[FloatArray, FloatArray]:
        """Slopes (K,) of the log-likelihood, and information (K, K)."""
        found = Parameters(strengths, self.judges).judge(self.data)
        sensitivity = self.judges[:, SENSITIVITY][self.data.judge]
        slopes = self.layout.to_items(weight * sensitivity * found.eta)
        table = self.layout.weigh_pairs(weight * sensitivity**2 * found.eta_eta)
        return slopes, table


def fit_slices(
    data: Comparisons,
    column: str,
    overall: Parameters,
    group: ArrayLike,
    *,
    weight: float,
    prior: float,
    level: float,
) -> SliceStrengths:
    """Find strengths per slice: normal around a mean over slices, which has the prior.

    The scale is learned, so that a slice of few verdicts says what all say, and one of
    many speaks for itself. Judges are as they are overall.

    Parameters
    ----------
    data : Comparisons
        With the key `column`.
    column : str
    overall : Parameters
    group : (K,) array of int
        Items that are comparable have the same.
    weight : float
        For how many independent verdicts one counts.
    prior : float
        Standard deviation of the prior of strengths; without it, that of an item that
        always wins would have no end here, though it has one over all slices.
    level : float
        Probability of the intervals.
    """
    names, codes = data.key_values[column], data.keys[column]
    parts = [
        _Slice(data.take(np.flatnonzero(codes == s)), overall.judges, group)
        for s in range(len(names))
    ]
    n, unit = len(names) * len(overall.strengths), np.eye(len(overall.strengths))
    same = parts[0].layout.same
    strengths = np.tile(overall.strengths, (len(names), 1))
    mean, scale, precision = overall.strengths, USUAL, prior**-2
    with progress("fitting slices", None, "rounds") as bar:
        for _ in range(MOST_ROUNDS):
            tight = scale**-2
            looks = [p.look(x, weight) for p, x in zip(parts, strengths, strict=True)]
            known = np.stack(
                [np.linalg.inv(table + tight * unit) for _, table in looks]
            )
            slopes = np.stack([slope for slope, _ in looks]) - tight * (
                strengths - mean
            )
            own = (known @ slopes[..., None])[..., 0]
            # What is left of the mean once strengths of slices are eliminated.
            left = tight * (unit - tight * known).sum(axis=0) + same * tight
            left += precision * unit
            try:
                mean_covariance = np.linalg.inv(left)
            except np.linalg.LinAlgError as error:
                raise ParameterError(
                    f"must be finite with slices by {column!r}, in which strengths have no "
                    "end, such as those of items that always win.",
                    parameter="prior",
                ) from error
            pull = tight * (strengths - mean + own).sum(axis=0) - precision * mean
            turn = mean_covariance @ pull
            step = own + tight * (known @ turn)
            strengths, mean = strengths + step, mean + turn
            apart = tight * known - unit
            unsure = known + apart @ mean_covariance @ apart
            told = n - tight * np.trace(unsure, axis1=1, axis2=2).sum()
            far = ((strengths - mean) ** 2).sum() + BELIEF * USUAL**2
            before, scale = scale, np.sqrt(far / (max(told, 0.0) + BELIEF))
            bar.advance()
            if abs(scale / before - 1) < SETTLED and np.abs(step).max() < SETTLED:
                break
    covariance = known + tight**2 * known @ mean_covariance @ known
    centred = strengths - strengths @ same
    centring = unit - same
    variance = np.diagonal(centring @ covariance @ centring, axis1=1, axis2=2)
    reach = normal_reach(level) * np.sqrt(variance)
    return SliceStrengths(
        column,
        names,
        centred,
        np.stack([centred - reach, centred + reach], axis=-1),
        np.stack([part.data.count_verdicts() for part in parts]),
        float(scale),
    )
