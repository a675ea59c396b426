"""Images that look like one example of a class, as the paper's annotators marked them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from corral._types import BoolArray, FloatArray
from corral.checks import check_choice
from corral.errors import ParameterError, SignalsError
from corral.functions.row_table import Table
from corral.functions.signal_function import (
    Answers,
    ColumnFunction,
    Failures,
    check_label,
    choose_name,
)
from corral.progress import progress
from corral.signals.coding import ABSTAIN

Distance = Literal["euclidean", "manhattan"]
BLOCK = 1 << 20
"""Pixels that are compared together."""


@dataclass(frozen=True, eq=False, repr=False)
class Exemplar(ColumnFunction):
    """What `exemplar` makes.

    Attributes
    ----------
    reference : array of one image
    label : class value
    mask : array of bool, as large as the image
    distance : "euclidean" or "manhattan"
    percentile : float
    cut : float or None
    """

    reference: FloatArray
    label: Any
    mask: BoolArray
    distance: Distance
    percentile: float
    cut: float | None

    def __repr__(self) -> str:
        return (
            f"Exemplar(name={self.name!r}, {int(self.mask.sum())} pixels, "
            f"label={self.label!r}, distance={self.distance!r})"
        )

    def answer(self, table: Table, failures: Failures) -> Answers:  # noqa: ARG002
        scores = self.distances(table)
        seen = np.isfinite(scores)  # an image with a missing pixel has no distance
        cut = self.cut
        if cut is None:
            cut = np.percentile(scores[seen], self.percentile) if seen.any() else 0.0
        sure = np.where(seen, expit(cut - scores), 1.0)
        return Answers((self.label,), np.where(seen, 0, ABSTAIN).astype(np.int8), sure)

    def distances(self, data: Any) -> FloatArray:
        """How far every image (n,) is from the reference, in the mask."""
        table = Table.of(data)
        images = np.asarray(table.column(self.column))
        if images.shape[1:] != self.reference.shape:
            raise SignalsError(
                f"signal {self.name!r}: the reference has the shape "
                f"{self.reference.shape}, the images {images.shape[1:]}."
            )
        wanted = np.flatnonzero(self.mask)
        flat = images.reshape(len(images), -1)
        looked_for = self.reference.ravel()[wanted]
        order = 2 if self.distance == "euclidean" else 1
        found = np.empty(len(flat))
        step = max(1, BLOCK // len(wanted))
        with progress(f"comparing {self.name}", len(flat), "images") as bar:
            for at in range(0, len(flat), step):
                rows = slice(at, at + step)
                apart = flat[rows][:, wanted].astype(float) - looked_for
                found[rows] = np.linalg.norm(apart, order, axis=1)
                bar.advance(len(apart))
        return found


def exemplar(
    reference: ArrayLike,
    label: Any,
    *,
    mask: ArrayLike | None = None,
    distance: Distance = "euclidean",
    percentile: float = 10.0,
    threshold: float | None = None,
    column: Any = None,
    name: str | None = None,
) -> Exemplar:
    """A soft signal: how much an image looks like an example of a class.

    The distance ``s`` to the reference, where the mask is true, becomes the probability
    ``1 / (1 + exp(s - t))``. ``t`` is a percentile of the distances of all images,
    so that a tenth of them, say, has a probability of at least one half. An image with NaN
    there abstains.

    Distances are taken as the pixels are; the paper's are between 0 and 1.

    Parameters
    ----------
    reference : array of one image
    label : str or int
        Its class.
    mask : array of bool, as large as the image, optional
        Where to look; default: everywhere.
    distance : {"euclidean", "manhattan"}
    percentile : float
        Above 0 and below 100; for balanced classes ``100 / k``.
    threshold : float, optional
        ``t`` itself, for new images that should be judged as the old ones were.
    column : str, int or None
        The column with the images; None: the data are the images, (n, ...).
    name : str, optional

    Examples
    --------
    >>> import numpy as np
    >>> from corral.functions import exemplar
    >>> images = np.arange(1.0, 12.0).reshape(11, 1, 1)
    >>> like_nothing = exemplar(np.zeros((1, 1)), "dark")
    >>> like_nothing.apply(images).confidence[:3].round(6).tolist()
    [0.731059, 0.5, 0.268941]
    """
    image = np.array(reference, float)
    where = np.ones(image.shape, bool) if mask is None else np.array(mask)
    if where.dtype != bool or where.shape != image.shape or not where.any():
        raise ParameterError(
            f"mask must be true or false for every pixel of the reference, "
            f"{image.shape}, and somewhere true; {where.dtype} of shape {where.shape} "
            "was given."
        )
    check_choice("distance", distance, ("euclidean", "manhattan"))
    if not 0 < percentile < 100:
        raise ParameterError(f"percentile must be above 0 and below 100; {percentile}.")
    if not np.isfinite(image[where]).all():
        raise ParameterError("the reference has NaN or infinite pixels; mask them out.")
    if threshold is not None and not np.isfinite(threshold):
        raise ParameterError(
            f"threshold must be a finite number; {threshold} was given."
        )
    value = check_label(label)
    named = choose_name(name, f"like {value}")
    cut = None if threshold is None else float(threshold)
    return Exemplar(
        column, image, value, where, distance, float(percentile), cut, name=named
    )
