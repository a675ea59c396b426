"""The paper's rules for images, as data: an exemplar, and where to look at it.

An annotator chose an image of a class and clicked on what is typical of it. How near
other images are to it there is a soft signal for that class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import BoolArray, FloatArray
from corral.errors import ParameterError
from corral.functions import SignalFunction, exemplar


class ImageRule(NamedTuple):
    """An image that others are compared with.

    Attributes
    ----------
    name : str
    label : class value
    exemplar : (height, width) or (height, width, channels) array
    mask : array of bool, as large as the image
        Where they are compared.
    """

    name: str
    label: Any
    exemplar: NDArray[Any]
    mask: BoolArray

    def function(self, n_classes: int, column: Any = None) -> SignalFunction:
        """The rule as a signal for `corral.apply`, among so many balanced classes.

        `column` is that of `functions.exemplar`.
        """
        return exemplar(
            self.exemplar,
            self.label,
            mask=self.mask,
            percentile=100 / n_classes,
            column=column,
            name=self.name,
        )


def first_of_each(labels: ArrayLike, count: int) -> NDArray[np.int64]:
    """Rows of the first `count` examples of every class, in the order of rows.

    The paper trained a model on such rows, one in a hundred, and took what it says of
    all examples as one more signal per class.

    Examples
    --------
    >>> from corral.datasets import first_of_each
    >>> first_of_each(["a", "a", "b", "a", "b"], 1)
    array([0, 2])
    """
    y = np.asarray(labels)
    rows = [np.flatnonzero(y == value)[:count] for value in np.unique(y)]
    return np.sort(np.concatenate(rows))


def draw_exemplars(
    images: ArrayLike,
    labels: ArrayLike,
    *,
    n_signals: int = 4,
    clicks: int = 8,
    block: int = 6,
    seed: int = 0,
) -> tuple[ImageRule, ...]:
    """Choose exemplars and click on them, as an annotator would.

    An exemplar is drawn from the images of a class, and pixels the more often, the more
    the class differs there from the others. Every click marks a block around it.

    Parameters
    ----------
    images : (n, height, width) or (n, height, width, channels) array
        The few that are labelled.
    labels : (n,) array
        Their classes.
    n_signals : int
        Exemplars per class.
    clicks, block : int
        Clicks per exemplar, and the pixels along a side of what a click marks.
    seed : int

    Returns
    -------
    tuple of ImageRule
        One per class, sorted, for the first signal; then for the next.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from corral.datasets import draw_exemplars
    >>> digits = load_digits()
    >>> rules = draw_exemplars(digits.images[:50], digits.target[:50], block=2)
    >>> len(rules), rules[7].name, rules[7].exemplar.shape
    (40, '7_1', (8, 8))
    """
    few, y = np.asarray(images), np.asarray(labels)
    classes = np.unique(y)
    if few.ndim not in (3, 4) or len(few) != len(y) or len(classes) < 2:
        raise ParameterError(
            f"images must be (n, height, width) or (n, height, width, channels), with a "
            f"label each, of two classes or more; got shape {few.shape}, {len(y)} labels "
            f"and {len(classes)} classes."
        )
    rng = np.random.default_rng(seed)
    rules = []
    for signal in range(1, n_signals + 1):
        for value in classes.tolist():
            mine = y == value
            gap = np.abs(few[mine].mean(axis=0) - few[~mine].mean(axis=0))
            by_pixel = gap.reshape(*gap.shape[:2], -1).sum(axis=2)
            mask = np.zeros(gap.shape, bool)
            mask[_mark_blocks(by_pixel, clicks, block, rng)] = True
            exemplar = few[rng.choice(np.flatnonzero(mine))]
            rules.append(ImageRule(f"{value}_{signal}", value, exemplar, mask))
    return tuple(rules)


def _mark_blocks(
    gap: FloatArray, clicks: int, block: int, rng: np.random.Generator
) -> BoolArray:
    """Blocks around pixels that are drawn in proportion to `gap`."""
    marked = np.zeros(gap.shape, bool)
    # If the classes differ nowhere, every pixel is as likely.
    share = gap.ravel() / gap.sum() if gap.any() else None
    for place in rng.choice(gap.size, clicks, p=share):
        row, column = (
            int(at) - block // 2 for at in np.unravel_index(place, gap.shape)
        )
        marked[max(row, 0) : row + block, max(column, 0) : column + block] = True
    return marked
