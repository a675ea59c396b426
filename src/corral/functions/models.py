"""Soft signals: what models say, and images like an example."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from corral._types import FloatArray
from corral.checks import check_choice
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions.base import (
    Answers,
    Failures,
    SignalFunction,
    Table,
    check_label,
    empty_codes,
    is_blank,
    read_answers,
    vote_where,
)
from corral.progress import progress
from corral.votes.coding import class_list

PIXELS_PER_BLOCK = 1 << 20
"""Pixels that are compared together."""


def model(
    estimator: Any,
    columns: Any = None,
    *,
    proba: bool = True,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that says what a model says, be it trained on a few labelled examples.

    The signal knows these labels, so leave the examples out when you count errors.

    Parameters
    ----------
    estimator : fitted estimator or callable
        Its ``predict_proba`` (or ``predict``) is called once with all rows; or it is
        called itself, and returns the same: probabilities (n, k), or (n,) for the second
        of two classes, NaN where it abstains; without `proba` class values (n,).
    columns : str, int or list of them, optional
        What it is given: one column, several, or all the data as they are.
    proba : bool
        Whether its probabilities count, or only the class that it says.
    classes : sequence, optional
        The class values that it votes on, in the order of its probabilities; default:
        its ``classes_``, else 0, 1, ... for probabilities and what it says for classes.
        -1 abstains unless it is named here.
    name : str, optional
        Default: the name of the class or function.

    Examples
    --------
    >>> from corral.functions import model
    >>> def spam_filter(texts):
    ...     return [0.9 if "win" in text else 0.4 for text in texts]
    >>> model(spam_filter, classes=["ham", "spam"]).apply(["win", "noon"]).to_list()
    [('spam', 0.9), ('spam', 0.4)]
    """
    wanted = "predict_proba" if proba else "predict"
    if not callable(estimator) and not hasattr(estimator, wanted):
        raise ParameterError(
            f"{type(estimator).__name__} has no {wanted} and cannot be called; pass an "
            f"estimator that has it{' or proba=False' if proba else ''}."
        )
    if columns is not None and not isinstance(columns, str | int):
        columns = tuple(columns)
    given = getattr(estimator, "classes_", None) if classes is None else classes
    values = None if given is None else tuple(class_list(given) or ())
    ask = getattr(estimator, wanted, estimator)

    def answer(table: Table, failures: Failures) -> Answers:
        part = table.part(columns)
        try:
            output = np.asarray(ask(part))
        except Exception as error:  # it was asked for all rows at once
            raise FunctionError(
                f"signal {failures.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if len(output) != len(table):
            raise SignalsError(
                f"signal {failures.name!r}: {len(output)} answers came for {len(table)} "
                "rows."
            )
        if proba:
            return _read_probabilities(output, values, failures.name)
        return _read_classes(output.tolist(), values, failures)

    return SignalFunction(answer, name, estimator)


def _read_probabilities(
    output: Any, classes: tuple[Any, ...] | None, name: str
) -> Answers:
    try:
        values: FloatArray = output.astype(float).reshape(len(output), -1)
    except (TypeError, ValueError) as error:
        raise SignalsError(
            f"signal {name!r}: probabilities were expected, {output.dtype} came. Pass "
            "proba=False for a model that says classes."
        ) from error
    silent, k = np.isnan(values).all(axis=1), values.shape[1]
    said = values[~silent]
    if output.ndim > 2 or not ((said >= 0) & (said <= 1 + 1e-9)).all():
        raise SignalsError(
            f"signal {name!r}: probabilities (n, k) between 0 and 1 were expected; an "
            f"array of shape {output.shape} came."
        )
    if k == 1 and (classes is None or len(classes) == 2):  # of the second of two
        classes = (None,) if classes is None else classes
        codes = np.where(silent, -1, len(classes) - 1).astype(np.int8)
        return Answers(classes, codes, np.where(silent, 1.0, values[:, 0]))
    classes = tuple(range(k)) if classes is None else classes
    if len(classes) != k:
        raise SignalsError(
            f"signal {name!r}: probabilities of {k} classes came, but the classes are "
            f"{classes}. Pass classes=."
        )
    return Answers(classes, probabilities=values)


def _read_classes(
    output: list[Any], classes: tuple[Any, ...] | None, failures: Failures
) -> Answers:
    """Class values as answers; -1 is a class where it is among them."""
    if classes is None:
        return read_answers(output, None, failures)
    known = {value: code for code, value in enumerate(classes)}
    codes = empty_codes(len(output), len(classes))
    for row, value in enumerate(output):
        if isinstance(value, Hashable) and value in known:
            codes[row] = known[value]
        elif value != -1 and not is_blank(value):
            error = ValueError(f"one of {classes} was expected; {value!r:.80} came")
            failures.add({row: error})
    return Answers(classes, codes)


def exemplar(
    reference: ArrayLike,
    label: Any,
    *,
    mask: ArrayLike | None = None,
    distance: Literal["euclidean", "manhattan"] = "euclidean",
    percentile: float = 10.0,
    threshold: float | None = None,
    column: Any = None,
    name: str | None = None,
) -> SignalFunction:
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
    value = check_label(label)
    wanted, order = np.flatnonzero(where), 2 if distance == "euclidean" else 1
    looked_for = image.ravel()[wanted]

    def answer(table: Table, failures: Failures) -> Answers:
        images = np.asarray(table.column(column))
        if images.shape[1:] != image.shape:
            raise SignalsError(
                f"signal {failures.name!r}: the reference has the shape {image.shape}, "
                f"the images {images.shape[1:]}."
            )
        flat = images.reshape(len(images), -1)
        apart = np.empty(len(flat))
        step = max(1, PIXELS_PER_BLOCK // len(wanted))
        with progress(f"comparing {failures.name}", len(flat), "images") as bar:
            for at in range(0, len(flat), step):
                block = flat[at : at + step][:, wanted] - looked_for
                apart[at : at + step] = np.linalg.norm(block, order, axis=1)
                bar.advance(len(block))
        seen = np.isfinite(apart)  # an image with a missing pixel has no distance
        cut = threshold
        if cut is None:
            cut = np.percentile(apart[seen], percentile) if seen.any() else 0.0
        return vote_where(seen, value, np.where(seen, expit(cut - apart), 1.0))

    return SignalFunction(answer, name, f"like {value}")
