"""Whom to drop, whom to add, and how many more labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from corral._types import FloatArray
from corral.panels.assisted import Evidence
from corral.panels.panel_votes import read_panel
from corral.panels.pattern_model import fit_patterns
from corral.progress import progress
from corral.signals import WeakSignals

MOST_JUDGES = 50
"""Judges up to which the panel is fitted without each of them."""
NO_HARM = 0.01
"""Log-loss that a panel may lose with a judge whom it does not need."""
WORTH = 0.01
"""Accuracy that a judge must add to be worth adding."""
LEAST = 1e-3
"""Probabilities are cut off here before the logarithm."""


@dataclass(frozen=True, eq=False)
class Absence:
    """What happens to the panel without a judge.

    Attributes
    ----------
    name : str
    loss, low, high : float
        By how much the log-loss of the labelled rows rises, each left out, with an
        interval.
    """

    name: str
    loss: float
    low: float
    high: float

    @property
    def is_needless(self) -> bool:
        """Whether the labels show that the panel does without it."""
        return self.high < NO_HARM


@dataclass(frozen=True, eq=False)
class Newcomer:
    """What a judge would have to be like to be worth adding.

    Attributes
    ----------
    accuracy : float
        How often a judge who errs independently of the panel must be right to make the
        panel right one more time in a hundred; NaN if none could.
    like_best : float
        What one that is as good as the best judge, and errs independently, would add to
        the accuracy of the panel.
    """

    accuracy: float
    like_best: float


def find_absences(
    evidence: Evidence, signals: WeakSignals, names: tuple[str, ...]
) -> tuple[Absence, ...]:
    """Fit the panel without each judge in turn; nothing for more than `MOST_JUDGES`."""
    m = len(names)
    if not 2 <= m <= MOST_JUDGES:
        return ()
    sample = evidence.sample
    w = sample.weights
    reach = float(stdtrit(sample.effective - 1, (1 + evidence.level) / 2))
    # Without what is known of rates and classes, which would hide what a judge adds.
    fitted = fit_patterns(evidence.panel, sample.rows, sample.truth, w)
    whole = _losses(fitted.left_out, evidence)
    found = []
    with progress("fitting the panel without each judge", m) as bar:
        for i, name in enumerate(names):
            panel = read_panel(signals.without(i))
            fitted = fit_patterns(panel, sample.rows, sample.truth, w)
            rise = _losses(fitted.left_out, evidence) - whole
            mean = float(sample.mean(rise))
            half = reach * float(np.sqrt(sample.parts @ (rise - mean) ** 2))
            found.append(Absence(name, mean, mean - half, mean + half))
            bar.advance()
    return tuple(found)


def _losses(labels: FloatArray, evidence: Evidence) -> FloatArray:
    truth = evidence.sample.truth
    return -np.log(np.clip(labels[np.arange(len(truth)), truth], LEAST, 1))


def find_newcomer(evidence: Evidence, best: float) -> Newcomer:
    """What a judge who errs independently would add, by the labels of the panel.

    Parameters
    ----------
    evidence : Evidence
    best : float
        Accuracy of the best judge.
    """
    k = evidence.labels.shape[1]
    now = _expect(evidence, 1 / k)
    low, high = 1 / k, 1.0
    if now + WORTH > 1 or _expect(evidence, high) < now + WORTH:
        return Newcomer(np.nan, _expect(evidence, best) - now)
    for _ in range(30):
        middle = (low + high) / 2
        if _expect(evidence, middle) < now + WORTH:
            low = middle
        else:
            high = middle
    return Newcomer(high, max(0.0, _expect(evidence, best) - now))


def _expect(evidence: Evidence, accuracy: float) -> float:
    """Accuracy of the panel and one more judge, whose errors are spread evenly."""
    labels = evidence.labels
    k = labels.shape[1]
    order = np.sort(labels, axis=1)
    best, second = order[:, -1:], order[:, -2:-1]
    others = np.where(labels >= best, second, best)
    wrong = (1 - accuracy) / (k - 1)
    answers = np.maximum(accuracy * labels, wrong * others)
    return float(evidence.panel.mean(answers.sum(axis=1)))


def count_more_labels(n_labelled: int, n_rows: int) -> int:
    """Labels beyond those there are that would halve the interval.

    It goes with the square root of one over the labels less one over the rows.

    Examples
    --------
    >>> from corral.panels.next_steps import count_more_labels
    >>> count_more_labels(100, 1_000_000), count_more_labels(100, 500)
    (300, 150)
    """
    left = 1 / n_labelled - 1 / n_rows
    return int(np.ceil(1 / (left / 4 + 1 / n_rows) - n_labelled - 1e-6))
