"""Strengths and judges, fitted together: Fisher scoring, priors learned on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import ConvergenceWarning, warn_user
from corral.progress import Progress, progress
from corral.ranking.comparisons import Comparisons
from corral.ranking.davidson import (
    BIAS,
    SENSITIVITY,
    TIES,
    Parameters,
    Verdicts,
)
from corral.ranking.information import Information, Layout

TOLERANCE, SEVERAL, ROUGH = 1e-8, 1e-5, 1e-2
"""Largest change of any number at which a fit ends: of one judge, whose steps are those of
Newton, of several, and of strengths that only begin a fit."""
LEARNED = 1e-3
"""Relative change of the priors of judges at which these are settled."""
MOST_ROUNDS = 200
LENGTHS = 1 / 8, 1.0
"""Of steps, as shares of those that Fisher scoring suggests."""
WEAK = 5.0
"""Standard deviation of the prior of a single judge, of whom there is nothing to learn."""
USUAL = np.array([0.5, 0.5, 1.0])
"""Standard deviations among judges that are expected before any is seen."""
BELIEF = 2.0
"""For how many judges that expectation counts."""


@dataclass(frozen=True, eq=False)
class JudgePrior:
    """Normal distributions that the numbers of judges are drawn from.

    Attributes
    ----------
    mean, scale : (3,) arrays of float
        Of sensitivity, position bias and readiness for ties.
    """

    mean: FloatArray
    scale: FloatArray

    def learn(
        self, judges: FloatArray, covariance: FloatArray, estimated: list[int]
    ) -> JudgePrior:
        """The same with means and scales that fit the judges.

        A judge counts as far as verdicts, and not the prior, tell its number (MacKay).
        """
        variances = np.diagonal(covariance, axis1=1, axis2=2)
        mean, scale = self.mean.copy(), self.scale.copy()
        mean[estimated] = judges[:, estimated].mean(axis=0)
        far = ((judges - mean)[:, estimated] ** 2).sum(axis=0)
        told = (1 - variances / scale[estimated] ** 2).clip(0, 1).sum(axis=0)
        usual = BELIEF * USUAL[estimated] ** 2
        scale[estimated] = np.sqrt((far + usual) / (told + BELIEF))
        return JudgePrior(mean, scale)


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters that are likeliest by verdicts and priors, and how sure they are.

    Attributes
    ----------
    layout : Layout
    parameters : Parameters
    verdicts : Verdicts
    information : Information
    """

    layout: Layout
    parameters: Parameters
    verdicts: Verdicts
    information: Information


def fit_comparisons(data: Comparisons, prior_scale: float, group: IntArray) -> Fit:
    """Find strengths and judges.

    Parameters
    ----------
    data : Comparisons
    prior_scale : float
        Standard deviation of the normal prior of strengths; infinite for none.
    group : (K,) array of int
        Items that are comparable have the same.
    """
    several = len(data.judges) > 1
    estimated = [BIAS] * data.ordered + [TIES] * data.has_ties
    total, ties = float(data.n.sum()), float(data.ties.sum())
    readiness = np.log(2 * (ties + 0.5) / (total - ties + 0.5))
    judges = np.tile([1.0, 0.0, readiness], (len(data.judges), 1))
    begin = Parameters(np.zeros(len(data.items)), judges)
    scale = USUAL if several else np.full(3, WEAK)
    search = _Search(data, prior_scale**-2, JudgePrior(judges[0], scale))
    with progress("fitting strengths", None, "rounds") as bar:
        if several:  # a sensitivity has a meaning once there are strengths
            rough = search.run(begin, Layout(data, estimated, group), ROUGH, bar)
            begin, estimated = rough.parameters, [SENSITIVITY, *estimated]
        layout = Layout(data, estimated, group)
        return search.run(
            begin, layout, SEVERAL if several else TOLERANCE, bar, learning=several
        )


@dataclass
class _Search:
    """Steps toward the likeliest parameters."""

    data: Comparisons
    precision: float
    prior: JudgePrior
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
        here, moved = self._look(at, at.judge(self.data), layout), np.inf
        way, self.longest = np.zeros(at.minus(at).shape), 1.0
        for _ in range(MOST_ROUNDS):
            if moved <= tolerance and not learning:
                break
            at, verdicts = self._step(here)
            before, way = way, at.minus(here.parameters)
            back = before @ way < 0  # and forth: steps are too long
            self.longest = float(
                np.clip(self.longest * (0.5 if back else 1.2), *LENGTHS)
            )
            moved = float(np.abs(way).max())
            if learning:
                old, known = self.prior, here.information.judge_covariance
                self.prior = old.learn(at.judges, known, layout.estimated)
                learning = np.abs(self.prior.scale / old.scale - 1).max() > LEARNED
            here = self._look(at, verdicts, layout)
            bar.advance()
        else:
            warn_user(
                f"strengths or judges still moved by {moved:.1g} after {MOST_ROUNDS} "
                "rounds; take them as rough.",
                ConvergenceWarning,
            )
        return self._look(at, here.verdicts, layout, averaged=False)

    def _look(
        self,
        at: Parameters,
        verdicts: Verdicts,
        layout: Layout,
        *,
        averaged: bool = True,
    ) -> Fit:
        weights = self.prior.scale[layout.estimated] ** -2
        known = Information(
            layout, at, verdicts, self.precision, weights, averaged=averaged
        )
        return Fit(layout, at, verdicts, known)

    def _step(self, here: Fit) -> tuple[Parameters, Verdicts]:
        """One step of Fisher scoring, shorter if a whole one would lead down."""
        layout, at, verdicts = here.layout, here.parameters, here.verdicts
        numbers, data = layout.estimated, self.data
        gaps, doubt = at.gaps(data), _Doubt(here)
        slopes = at.judges[:, SENSITIVITY][data.judge] * verdicts.eta - doubt.slopes(
            gaps
        )
        items = layout.to_items(slopes) - self.precision * at.strengths
        far = (at.judges - self.prior.mean) / self.prior.scale**2
        judges = np.zeros((len(at.judges), len(numbers)))
        by_number = layout.by_judge_number(gaps, verdicts.eta, verdicts.tau)
        for i, slopes in enumerate(by_number):
            judges[:, i] = layout.to_judges(slopes) - far[:, numbers[i]]
        step, turn = here.information.solve(items[:, None], judges[..., None])
        height, length = self._height(at, verdicts) - doubt.cost(gaps), self.longest
        while True:
            changed = at.judges.copy()
            changed[:, numbers] += length * turn[..., 0]
            new = Parameters(at.strengths + length * step[:, 0], changed)
            new = _rescale(new, here)
            found = new.judge(data)
            reached = self._height(new, found) - doubt.cost(new.gaps(data))
            # Steps that short are rounding: the top is reached.
            if reached >= height - 1e-9 * abs(height) or length < 1e-6:
                return new, found
            length /= 2

    def _height(self, at: Parameters, verdicts: Verdicts) -> float:
        """Log-likelihood and log-prior."""
        far = ((at.judges - self.prior.mean) / self.prior.scale) ** 2
        prior = self.precision * (at.strengths @ at.strengths) + far.sum()
        return verdicts.log_likelihood - prior / 2


class _Doubt:
    """What a judge's sensitivity may be costs a gap: sure verdicts are then less likely.

    The likeliest strengths for the likeliest judges are too far apart where judges have
    said little, as both fit the same noise. So strengths are likeliest on average over
    what judges may be like, by the first terms of an expansion.
    """

    def __init__(self, here: Fit) -> None:
        layout = here.layout
        own = here.information.sensitivity_variances
        shared = np.zeros_like(own)
        if SENSITIVITY in layout.estimated and BIAS in layout.estimated:
            shared = here.information.judge_covariance[:, 0, 1]
        weights = here.verdicts.eta_eta
        self._own = weights * own[layout.data.judge]
        self._shared = weights * shared[layout.data.judge]

    def slopes(self, gaps: FloatArray) -> FloatArray:
        """(r,) of the cost, by the gaps."""
        return self._own * gaps + self._shared

    def cost(self, gaps: FloatArray) -> float:
        return float(self._own @ gaps**2 / 2 + self._shared @ gaps)


def _rescale(at: Parameters, before: Fit) -> Parameters:
    """The same verdicts, with sensitivities whose mean square is one.

    That of the estimates, which are drawn together, and of how far they may be off.
    """
    layout, judges = before.layout, at.judges.copy()
    if SENSITIVITY not in layout.estimated:
        return Parameters(layout.centre(at.strengths), judges)
    squares = judges[:, SENSITIVITY] ** 2 + before.information.sensitivity_variances
    root = np.sqrt(float(layout.weights @ squares))
    judges[:, SENSITIVITY] /= root
    return Parameters(layout.centre(at.strengths) * root, judges)
