"""Multi-label tasks: methods scored on entries, one per example and class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import FloatArray
from corral.comparison.comparison import Comparison
from corral.comparison.methods import all_methods, make_methods
from corral.comparison.try_methods import score_labels, score_methods
from corral.errors import ParameterError
from corral.labelers.multilabel import check_multilabel, read_indicators
from corral.signals import WeakSignals


def compare_sets(
    signals: WeakSignals,
    y: ArrayLike,
    methods: Any,
    dev_size: int,
    positive: Any,
    random_state: int | None,
) -> Comparison:
    """The same for a multi-label task: entries, one per example and class, are scored."""
    if dev_size or positive is not None:
        raise ParameterError(
            "dev_size and positive are for tasks in which an example has one class."
        )
    check_multilabel(signals)
    truth = read_indicators(y, len(signals), signals.classes)
    counts = np.ones(len(signals)) if signals.counts is None else signals.counts
    known = ~np.isnan(truth) & signals.covered[:, None]
    if not known.any():
        raise ParameterError(
            "nothing can be scored: no example has known classes in `y=` and a "
            "signal that speaks of it."
        )
    if isinstance(methods, str) and methods == "own":
        methods = all_methods()
    tried = make_methods(methods, random_state)
    for name, labeler in tried.items():
        if "multilabel" not in labeler.get_params():
            raise ParameterError(
                f"{name} labels examples of one class each, and the true labels have one "
                "column for each class."
            )
        labeler.set_params(multilabel=True)
    weights = np.broadcast_to(counts[:, None], truth.shape)[known]
    codes = truth[known].astype(int)

    def score(labels: FloatArray) -> tuple[float, float, float, float]:
        yes = labels[known]
        return score_labels(np.column_stack([1 - yes, yes]), codes, weights, 1)

    scored = score_methods(tried, signals, score)
    unheard = ~np.isnan(truth).all(axis=1) & ~signals.covered
    return Comparison(
        **scored,
        f1_of="yes",
        n_scored=float(weights.sum()),
        n_uncovered=float(counts[unheard].sum()),
        n_labelled=0,
        scored="entries, one per example and class,",
    )
