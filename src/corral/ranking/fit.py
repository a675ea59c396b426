"""Strengths and judges, fitted together by Fisher scoring, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from corral._types import FloatArray
from corral.errors import ConvergenceWarning, warn_user
from corral.progress import Progress, progress
from corral.ranking.comparisons import Comparisons
from corral.ranking.model import (
    BIAS,
    SENSITIVITY,
    TIES,
    Information,
    Layout,
    Parameters,
    Verdicts,
)

TOLERANCE, JUDGES_TOLERANCE, ROUGH_TOLERANCE = 1e-8, 1e-5, 1e-2
"""Largest change of any number at which a fit ends: of one judge, whose steps are those of
Newton, of several, and of strengths that only begin a fit."""
PRIOR_TOLERANCE = 1e-3
"""Relative change of the priors of judges at which these are settled."""
MAX_ROUNDS = 200
STEP_LENGTHS = 1 / 8, 1.0
"""Of steps, as shares of those that Fisher scoring suggests."""
SINGLE_JUDGE_SCALE = 5.0
"""Standard deviation of the prior of a single judge, of whom there is nothing to learn."""
PRIOR_SCALE = np.array([0.5, 0.5, 1.0])
"""Standard deviations among judges that are expected before any is seen."""
PRIOR_WEIGHT = 2.0
"""For how many judges that expectation counts."""
MAX_NUMBERS = 2_000_000
"""Numbers in the solutions that are held at once."""


class Fit(NamedTuple):
    """The likeliest parameters by verdicts and priors, and the information there."""

    layout: Layout
    parameters: Parameters
    verdicts: Verdicts
    information: Information


def fit_comparisons(data: Comparisons, prior_scale: float) -> Fit:
    """Find strengths, with a normal prior of this scale, and judges."""
    several = len(data.judges) > 1
    estimated = [BIAS] * data.ordered + [TIES] * data.has_ties
    total, ties = float(data.n.sum()), float(data.ties.sum())
    readiness = np.log(2 * (ties + 0.5) / (total - ties + 0.5))
    judges = np.tile([1.0, 0.0, readiness], (len(data.judges), 1))
    begin = Parameters(np.zeros(len(data.items)), judges)
    scale = PRIOR_SCALE if several else np.full(3, SINGLE_JUDGE_SCALE)
    search = _Search(data, prior_scale**-2, judges[0], scale)
    with progress("fitting strengths", None, "rounds") as bar:
        if several:  # a sensitivity has a meaning once there are strengths
            rough = Layout(data, estimated)
            begin = search.run(begin, rough, ROUGH_TOLERANCE, bar).parameters
            estimated = [SENSITIVITY, *estimated]
        layout = Layout(data, estimated)
        tolerance = JUDGES_TOLERANCE if several else TOLERANCE
        return search.run(begin, layout, tolerance, bar, learning=several)


@dataclass
class _Search:
    """Steps toward the likeliest parameters; means and scales of judges are learned."""

    data: Comparisons
    precision: float
    mean: FloatArray
    scale: FloatArray
    longest: float = 1.0

    def run(
        self,
        at: Parameters,
        layout: Layout,
        tolerance: float,
        bar: Progress,
        learning: bool = False,
    ) -> Fit:
        """Step until nothing moves further than `tolerance`."""
        here, moved = self._evaluate(at, at.judge(self.data), layout), np.inf
        way, self.longest = np.zeros(at.minus(at).shape), 1.0
        for _ in range(MAX_ROUNDS):
            if moved <= tolerance and not learning:
                break
            at, verdicts = self._step(here)
            before, way = way, at.minus(here.parameters)
            back = before @ way < 0  # and forth: steps are too long
            self.longest = float(
                np.clip(self.longest * (0.5 if back else 1.2), *STEP_LENGTHS)
            )
            moved = float(np.abs(way).max())
            if learning:
                old = self.scale
                self._learn_prior(at.judges, here)
                learning = np.abs(self.scale / old - 1).max() > PRIOR_TOLERANCE
            here = self._evaluate(at, verdicts, layout)
            bar.advance()
        else:
            warn_user(
                f"strengths or judges still moved by {moved:.1g} after {MAX_ROUNDS} "
                "rounds; take them as rough.",
                ConvergenceWarning,
            )
        return self._evaluate(at, here.verdicts, layout, averaged=False)

    def _evaluate(
        self, at: Parameters, verdicts: Verdicts, layout: Layout, averaged: bool = True
    ) -> Fit:
        weights = self.scale[layout.estimated] ** -2
        known = Information(
            layout, at, verdicts, self.precision, weights, averaged=averaged
        )
        return Fit(layout, at, verdicts, known)

    def _learn_prior(self, judges: FloatArray, here: Fit) -> None:
        """A judge counts by how much verdicts, not the prior, tell its number (MacKay)."""
        estimated = here.layout.estimated
        variances = np.diagonal(here.information.judge_covariance, axis1=1, axis2=2)
        mean, scale = self.mean.copy(), self.scale.copy()
        mean[estimated] = judges[:, estimated].mean(axis=0)
        far = ((judges - mean)[:, estimated] ** 2).sum(axis=0)
        told = (1 - variances / scale[estimated] ** 2).clip(0, 1).sum(axis=0)
        usual = PRIOR_WEIGHT * PRIOR_SCALE[estimated] ** 2
        scale[estimated] = np.sqrt((far + usual) / (told + PRIOR_WEIGHT))
        self.mean, self.scale = mean, scale

    def _step(self, here: Fit) -> tuple[Parameters, Verdicts]:
        """One step of Fisher scoring, shorter if a whole one would lead down."""
        layout, at, verdicts = here.layout, here.parameters, here.verdicts
        numbers, data = layout.estimated, self.data
        gaps, (own, shared) = at.gaps(data), _weigh_doubt(here)

        def cost(gaps: FloatArray) -> float:
            return float(own @ gaps**2 / 2 + shared @ gaps)

        slopes = at.judges[:, SENSITIVITY][data.judge] * verdicts.eta
        items = layout.to_items(slopes - own * gaps - shared)
        items -= self.precision * at.strengths
        far = (at.judges - self.mean) / self.scale**2
        judges = np.zeros((len(at.judges), len(numbers)))
        by_number = layout.by_judge_number(gaps, verdicts.eta, verdicts.tau)
        for i, slopes in enumerate(by_number):
            judges[:, i] = layout.to_judges(slopes) - far[:, numbers[i]]
        step, turn = here.information.solve(items[:, None], judges[..., None])
        height = self._log_posterior(at, verdicts) - cost(gaps)
        length = self.longest
        while True:
            changed = at.judges.copy()
            changed[:, numbers] += length * turn[..., 0]
            new = Parameters(at.strengths + length * step[:, 0], changed)
            new = _rescale(new, here)
            found = new.judge(data)
            reached = self._log_posterior(new, found) - cost(new.gaps(data))
            # Steps that short are rounding: the top is reached.
            if reached >= height - 1e-9 * abs(height) or length < 1e-6:
                return new, found
            length /= 2

    def _log_posterior(self, at: Parameters, verdicts: Verdicts) -> float:
        far = ((at.judges - self.mean) / self.scale) ** 2
        prior = self.precision * (at.strengths @ at.strengths) + far.sum()
        return verdicts.log_likelihood - prior / 2


def _weigh_doubt(here: Fit) -> tuple[FloatArray, FloatArray]:
    """What doubt about sensitivities costs: weights (r,) of squared gaps / 2, and of gaps.

    The likeliest strengths for the likeliest judges are too far apart where judges have
    said little. So strengths are likeliest on average over what judges may be like, by
    the first terms of an expansion.
    """
    layout, known = here.layout, here.information
    own, judge = known.sensitivity_variances, layout.data.judge
    shared = np.zeros_like(own)
    if SENSITIVITY in layout.estimated and BIAS in layout.estimated:
        shared = known.judge_covariance[:, 0, 1]
    return here.verdicts.eta_eta * own[judge], here.verdicts.eta_eta * shared[judge]


def _rescale(at: Parameters, before: Fit) -> Parameters:
    """The same chances, with sensitivities whose mean square, doubt included, is one."""
    layout, judges = before.layout, at.judges.copy()
    if SENSITIVITY not in layout.estimated:
        return Parameters(at.strengths - at.strengths.mean(), judges)
    squares = judges[:, SENSITIVITY] ** 2 + before.information.sensitivity_variances
    root = np.sqrt(float(layout.weights @ squares))
    judges[:, SENSITIVITY] /= root
    return Parameters((at.strengths - at.strengths.mean()) * root, judges)


def z_value(level: float) -> float:
    """Standard deviations between the middle of a normal interval and its ends."""
    return float(-ndtri((1 - level) / 2))


def find_covariance(
    fit: Fit, tasks: Comparisons | None
) -> tuple[FloatArray, FloatArray]:
    """Covariance (K, K) of strengths, and variances (J, 3) of the numbers of judges.

    By the Fisher information, as if no verdict depended on another. With `tasks`, the
    same comparisons by task, verdicts on one task may depend on each other in any way (a
    clustered sandwich).
    """
    layout, solve = fit.layout, fit.information.solve
    J, K, q = layout.n_judges, layout.n_items, len(layout.estimated)
    spread = None if tasks is None else _sum_tasks(fit, tasks)
    found, numbers = solve(np.eye(K) - 1 / K, np.zeros((J, q, K)))
    if spread is None:
        covariance = found - found.mean(axis=0)
    else:
        both = np.vstack([found, numbers.reshape(-1, K)])
        covariance = both.T @ (spread @ both)
    variances = np.zeros((J, 3))
    step = max(1, MAX_NUMBERS // ((K + J * q) * max(q, 1)))
    for start in range(0, J if q else 0, step):
        some = slice(start, min(start + step, J))
        size = some.stop - start
        units = np.zeros((J, q, size * q))
        units[some] = np.eye(size * q).reshape(size, q, -1)
        found, numbers = solve(np.zeros((K, size * q)), units)
        if spread is None:
            own = np.diagonal(numbers[some].reshape(size * q, -1))
        else:
            both = np.vstack([found, numbers.reshape(J * q, -1)])
            own = np.sum(both * (spread @ both), axis=0)
        variances[some, layout.estimated] = own.reshape(size, q)
    return (covariance + covariance.T) / 2, variances


def _sum_tasks(fit: Fit, data: Comparisons) -> csr_array:
    """Squares and products of the slopes of tasks, summed: the middle of the sandwich."""
    layout, at = fit.layout, fit.parameters
    verdicts = at.judge(data)
    q, K = len(layout.estimated), layout.n_items
    by_item = at.judges[:, SENSITIVITY][data.judge] * verdicts.eta
    by_number = layout.by_judge_number(at.gaps(data), verdicts.eta, verdicts.tau)
    values = [by_item, -by_item, *by_number]
    places = [data.first, data.second]
    places += [K + data.judge * q + i for i in range(q)]
    tasks: Any = data.task
    _, task = np.unique(tasks, return_inverse=True)
    n_tasks = int(task.max()) + 1
    slopes = csr_array(
        (np.concatenate(values), (np.tile(task, len(values)), np.concatenate(places))),
        shape=(n_tasks, K + layout.n_judges * q),
    )
    return slopes.T @ slopes * (n_tasks / max(n_tasks - 1, 1))
