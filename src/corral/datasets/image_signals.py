"""Weak signals for images, made as the paper made them.

An annotator chose an image of a class and clicked on what is typical of it; how near
other images are there is a soft signal for that class. A model trained on a few labelled
images is another signal for every class.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from corral._types import FloatArray
from corral.errors import ParameterError


def first_of_each(labels: ArrayLike, count: int) -> NDArray[np.int64]:
    """Rows of the first `count` examples of every class, in the order of rows.

    Examples
    --------
    >>> from corral.datasets import first_of_each
    >>> first_of_each(["a", "a", "b", "a", "b"], 1)
    array([0, 2])
    """
    y = np.asarray(labels)
    rows = [np.flatnonzero(y == value)[:count] for value in np.unique(y)]
    return np.sort(np.concatenate(rows))


def exemplar_signals(
    images: ArrayLike,
    known: ArrayLike,
    labels: ArrayLike,
    *,
    n_signals: int = 4,
    clicks: int = 8,
    block: int = 6,
    seed: int = 0,
) -> FloatArray:
    """Say how near images are to a labelled one, where it differs from other classes.

    For every signal and class a labelled image and `clicks` pixels are drawn, pixels the
    more often the more the class differs there from the others. Every click marks a
    block. The distance on what is marked becomes a probability of at least one half for
    the nearest ``1 / k`` of the images: `nearness`.

    Parameters
    ----------
    images : (n, height, width) or (n, height, width, channels) array
        Brightness from 0 to 1.
    known : array like `images`
        The few that are labelled.
    labels : array
        Their classes.
    n_signals : int
        Exemplars a class.
    clicks, block : int
        Clicks a signal, and the pixels along a side of what a click marks.
    seed : int

    Returns
    -------
    (m, n, k) array of float
        One-vs-rest, classes sorted, for `corral.WeakSignals.from_one_vs_rest`.
    """
    everything, few, y = np.asarray(images), np.asarray(known), np.asarray(labels)
    if everything.shape[1:] != few.shape[1:] or len(few) != len(y) or few.ndim < 3:
        raise ParameterError(
            f"images and known must have the same height and width, and known one label "
            f"each; got shapes {everything.shape} and {few.shape}, {len(y)} labels."
        )
    rng = np.random.default_rng(seed)
    classes = np.unique(y)
    said = np.empty((n_signals, len(everything), len(classes)))
    for signal in said:
        for k, value in enumerate(classes):
            mine = y == value
            gap = np.abs(few[mine].mean(axis=0) - few[~mine].mean(axis=0))
            gap = gap.reshape(*gap.shape[:2], -1).sum(axis=2)
            mask = _marked(gap, clicks, block, rng)
            exemplar = few[rng.choice(np.flatnonzero(mine))]
            apart = everything[:, mask] - exemplar[mask]
            distances = np.linalg.norm(apart.reshape(len(apart), -1), axis=1)
            signal[:, k] = nearness(distances, 1 / len(classes))
    return said


def nearness(distances: ArrayLike, share: float) -> FloatArray:
    """Logistic in the distance, one half at the quantile `share`.

    Examples
    --------
    >>> from corral.datasets import nearness
    >>> nearness(range(1, 12), 0.1)[:4].round(3)
    array([0.731, 0.5  , 0.269, 0.119])
    """
    d = np.asarray(distances, np.float64)
    return expit(np.quantile(d, share) - d)


def pseudo_label_signals(
    images: ArrayLike, known: ArrayLike, labels: ArrayLike, *, estimator: Any = None
) -> FloatArray:
    """Say what a classifier trained on the few labelled images thinks of all.

    Parameters
    ----------
    images, known, labels
        As for `exemplar_signals`.
    estimator : scikit-learn classifier with predict_proba, optional
        On flat pixels. Default: logistic regression.

    Returns
    -------
    (1, n, k) array of float
        One-vs-rest, classes sorted.
    """
    from sklearn.base import clone

    if estimator is None:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        regression = LogisticRegression(max_iter=1000)
        estimator = make_pipeline(StandardScaler(), regression)
    everything, few = np.asarray(images), np.asarray(known)
    model = clone(estimator).fit(few.reshape(len(few), -1), np.asarray(labels))
    return model.predict_proba(everything.reshape(len(everything), -1))[None]


def _marked(
    gap: FloatArray, clicks: int, block: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Blocks around pixels that are drawn in proportion to `gap`."""
    mask = np.zeros(gap.shape, bool)
    share = gap.ravel() / gap.sum()
    for place in rng.choice(gap.size, clicks, p=share):
        row, column = np.unravel_index(place, gap.shape)
        before = block // 2
        rows = slice(max(row - before, 0), row - before + block)
        mask[rows, max(column - before, 0) : column - before + block] = True
    return mask
