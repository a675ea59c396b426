"""How sure labels are, whether that is right, and how many each class has, drawn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from corral import metrics
from corral.calibration import Reliability, reliability
from corral.drawings import draw_class_shares, draw_confidence
from corral.plots.display import Display, fitted_votes
from corral.signals.gold import code_labels


class ConfidenceDisplay(Display):
    """How many labels are how sure.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> from corral.plots import ConfidenceDisplay
    >>> votes, truth = random_votes(1000, [0.9, 0.8, 0.7])
    >>> labeler = corral.ConstrainedLabeler().fit(votes)
    >>> display = ConfidenceDisplay.from_labeler(labeler, y=truth)
    """

    @classmethod
    def from_labeler(
        cls,
        labeler: Any,
        votes: Any = None,
        *,
        y: ArrayLike | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the confidence of the labels of covered examples.

        Parameters
        ----------
        labeler : Labeler
            Fitted.
        votes : as for `fit`, optional
            Default: what it was fitted on.
        y : (n,) class values, optional
            True labels, as far as they are known: adds the part that is wrong.
        ax : matplotlib axes, optional
        """
        read = fitted_votes(labeler, votes)
        labels, covered = labeler.predict_proba(read), labeler.covers(read)
        right = None
        if y is not None:
            truth = code_labels(y, labeler.classes_, len(read))
            hit = metrics.winner_shares(labels)[np.arange(len(labels)), truth]
            right = np.where(truth >= 0, hit, np.nan)[covered]
        counts = np.ones(len(read)) if read.counts is None else read.counts
        drawing = draw_confidence(
            labels.max(axis=1)[covered],
            counts[covered],
            n_classes=labels.shape[1],
            right=right,
        )
        return cls(drawing).plot(ax)


class ClassSharesDisplay(Display):
    """Shares of the classes among labels, votes and true labels.

    Examples
    --------
    >>> import corral
    >>> from corral.plots import ClassSharesDisplay
    >>> labeler = corral.MajorityVote().fit([[0, 1, 1], [0, 0, -1]])
    >>> display = ClassSharesDisplay.from_labeler(labeler, y=[1, 0])
    """

    @classmethod
    def from_labeler(
        cls,
        labeler: Any,
        votes: Any = None,
        *,
        y: ArrayLike | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the classes of covered examples; parameters as for `ConfidenceDisplay`."""
        read = fitted_votes(labeler, votes)
        counts = np.ones(len(read)) if read.counts is None else read.counts
        counted = counts * labeler.covers(read)
        labels = counted @ labeler.predict_proba(read) / counted.sum()
        voted = true = None
        k = read.n_classes
        if read.names_classes:
            row, _, vote = read.harden().cells()
            each = np.bincount(vote, counts[row], k)
            voted = each / each.sum()
        if y is not None:
            truth = code_labels(y, labeler.classes_, len(read))
            known = truth >= 0
            each = np.bincount(truth[known], counts[known], k)
            true = each / each.sum()
        drawing = draw_class_shares(
            labeler.classes_.tolist(), labels, votes=voted, true=true
        )
        return cls(drawing).plot(ax)


class ReliabilityDisplay(Display):
    """How often labels are right, against how sure they are.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> from corral.plots import ReliabilityDisplay
    >>> votes, truth = random_votes(1000, [0.9, 0.8, 0.7])
    >>> labeler = corral.ConstrainedLabeler().fit(votes)
    >>> display = ReliabilityDisplay.from_labeler(labeler, truth)
    """

    @classmethod
    def from_reliability(cls, found: Reliability, *, ax: Any = None) -> Self:
        """Draw what `corral.reliability` found."""
        return cls(found.draw()).plot(ax)

    @classmethod
    def from_labeler(
        cls, labeler: Any, y: ArrayLike, *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the reliability of a labeler's labels; `options` are of `reliability`."""
        return cls.from_reliability(reliability(labeler, y, **options), ax=ax)

    @classmethod
    def from_probabilities(
        cls, labels: ArrayLike, y: ArrayLike, *, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the reliability of any class probabilities (n, k)."""
        return cls.from_reliability(reliability(labels, y, **options), ax=ax)
