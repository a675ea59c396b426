"""Data sets that are part of scikit-learn, with ready-made weak signals: no download."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.datasets.dataset import Dataset, Examples
from corral.datasets.image_rules import draw_exemplars, first_of_each
from corral.signals import WeakSignals

_KNOWN = 3
"""Labelled images per digit: some 2% of all."""
_BLOCK = 2
"""Pixels that a click marks along a side of 8; the paper's clicks mark 6 of 28."""
_MARKERS = ("mean radius", "mean texture", "mean concavity", "worst area", "area error")
"""Measurements that are larger in malignant tumours."""
_LOW, _HIGH = 0.5, 0.7
"""Up to this quantile a rule says benign, from this one on malignant."""


def digits() -> Dataset:
    """Images of digits, with one set of pseudo-labels and four of exemplars.

    The first three images of every digit are known to the signals and left out; one
    fifth of the others is for testing.
    """
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    bunch = load_digits()
    images, labels = bunch.images / 16, bunch.target
    known = first_of_each(labels, _KNOWN)
    rest = np.setdiff1d(np.arange(len(labels)), known)
    few, answers = images[known], labels[known]
    model = LogisticRegression(max_iter=1000).fit(few.reshape(len(few), -1), answers)
    values = [model.predict_proba(images[rest].reshape(len(rest), -1))]
    rules = draw_exemplars(few, answers, block=_BLOCK)
    answers_of = (rule.function(10).apply(images[rest]) for rule in rules)
    near: list[Any] = [answer.confidence for answer in answers_of]
    values += [np.stack(near[i : i + 10], axis=1) for i in range(0, len(near), 10)]
    signals = WeakSignals.from_one_vs_rest(np.stack(values), classes=range(10))
    return _split("digits", tuple(range(10)), labels[rest], images[rest], signals)


def breast_cancer() -> Dataset:
    """Tumours as 30 measurements, with a rule for each of five of them.

    A rule votes benign below the median of its measurement, malignant above the 70%
    quantile, and abstains between. One fifth of the examples is for testing.
    """
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    classes = tuple(str(name) for name in bunch.target_names)
    X = bunch.data[:, [list(bunch.feature_names).index(name) for name in _MARKERS]]
    low, high = np.quantile(X, [_LOW, _HIGH], axis=0)
    votes = np.select([low >= X, high <= X], ["benign", "malignant"], "")
    signals = WeakSignals.from_votes(votes, classes=classes, names=_MARKERS)
    labels = np.array(classes)[bunch.target]
    return _split("breast_cancer", classes, labels, bunch.data, signals)


def _split(
    name: str,
    classes: tuple[Any, ...],
    labels: NDArray[Any],
    data: NDArray[Any],
    signals: WeakSignals,
) -> Dataset:
    """One fifth, drawn at random, for testing."""
    order = np.random.default_rng(0).permutation(len(labels))
    test, train = (np.sort(rows) for rows in np.split(order, [(len(order) + 4) // 5]))
    first, second = (
        Examples(labels[rows], data[rows], signals.take(rows)) for rows in (train, test)
    )
    return Dataset(name, classes, first, second)


EMBEDDED = {"digits": digits, "breast_cancer": breast_cancer}
"""Data sets by name that are made here."""
