"""Examples that come in chunks."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import ArrayLike

from corral.checks import check_weights
from corral.labelers.inputs import as_signals, warn_of_labels
from corral.labelers.labeler import Labeler
from corral.signals import PatternCounts


class Incremental(Labeler):
    """Base of labelers that can be fitted chunk by chunk.

    Attributes
    ----------
    pattern_counts_ : PatternCounts
        All that `partial_fit` has seen.
    """

    pattern_counts_: PatternCounts

    def partial_fit(
        self, signals: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add the counts of more examples to those seen, and fit again on all of them.

        The result is that of one `fit` on all chunks, in whatever order; what `fit` itself
        saw before is forgotten, as every `fit` starts anew. A fit
        costs what the patterns cost, so with many chunks it is faster to add up
        `PatternCounts` and to fit once.

        Parameters
        ----------
        signals : as for `fit`
            Hard votes. If a chunk may lack a class, say which there are:
            ``WeakSignals.from_votes(chunk, classes=...)``.
        y : (n,) array, optional
            Not learned from, and a warning says so.
        sample_weight : (n,) array of float, optional

        Returns
        -------
        self
            ``labels_`` are those of ``pattern_counts_.signals``, one row per pattern; use
            `predict_proba` for examples.

        Examples
        --------
        >>> from corral import ConstrainedLabeler
        >>> labeler = ConstrainedLabeler(0.1)
        >>> for chunk in ([[1, 1], [0, 1]], [[0, 0], [1, 1]]):
        ...     labeler = labeler.partial_fit(chunk)
        >>> labeler.pattern_counts_
        PatternCounts(3 patterns of 4 examples, 2 signals, 2 classes)
        """
        self._check_parameters()
        read = as_signals(signals)
        warn_of_labels(y, len(read))
        weights = check_weights(sample_weight, len(read))
        if weights is not None and read.counts is not None:
            weights = weights * read.counts
        counts = PatternCounts(read, weights)
        seen: PatternCounts | None = getattr(self, "pattern_counts_", None)
        counts = counts if seen is None else seen + counts
        self.fit(counts)
        self.pattern_counts_ = counts
        return self
