"""Soft signals: fitted models, models trained on few labels, images like an example."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from corral._types import BoolArray, FloatArray
from corral.checks import check_choice
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions.row_table import Table, is_scalar
from corral.functions.signal_function import (
    Answers,
    ColumnFunction,
    Failures,
    SignalFunction,
    check_label,
    named,
    read_answers,
)
from corral.progress import progress
from corral.signals.abstains import is_missing
from corral.signals.coding import ABSTAIN, class_list, code_type

Distance = Literal["euclidean", "manhattan"]
BLOCK = 1 << 20
"""Pixels that are compared together."""


@dataclass(frozen=True, eq=False)
class Model(SignalFunction):
    """What `model` makes."""

    estimator: Any
    columns: Any
    proba: bool
    classes: tuple[Any, ...] | None

    def answer(self, table: Table, failures: Failures) -> Answers:
        wanted = "predict_proba" if self.proba else "predict"
        ask = getattr(self.estimator, wanted, self.estimator)
        given = table.part(self.columns)
        try:
            output = np.asarray(ask(given))
        except Exception as error:  # it was asked for all rows at once
            raise FunctionError(
                f"signal {self.name!r} failed: {type(error).__name__}: {error}."
            ) from error
        if len(output) != len(table):
            raise SignalsError(
                f"signal {self.name!r}: {len(output)} answers came for {len(table)} rows."
            )
        classes = self.classes
        if classes is None and hasattr(self.estimator, "classes_"):
            classes = tuple(np.asarray(self.estimator.classes_).tolist())
        if not self.proba:
            return _encode_classes(output.tolist(), classes, failures)
        probabilities = _check_probabilities(output, self.name)
        n_classes = probabilities.shape[1]
        if n_classes == 1 and (classes is None or len(classes) == 2):
            # of the second of two classes
            abstains = np.isnan(probabilities[:, 0])
            codes = np.where(abstains, ABSTAIN, len(classes or "-") - 1).astype(np.int8)
            sure = np.where(abstains, 1.0, probabilities[:, 0])
            return Answers(classes or (None,), codes, sure)
        classes = tuple(range(n_classes)) if classes is None else classes
        if len(classes) != n_classes:
            raise SignalsError(
                f"signal {self.name!r}: probabilities of {n_classes} classes came, but "
                f"the classes are {classes}. Pass classes=."
            )
        return Answers(classes, probabilities=probabilities)


def model(
    estimator: Any,
    columns: Any = None,
    *,
    proba: bool = True,
    classes: Sequence[Any] | None = None,
    name: str | None = None,
) -> Model:
    """A signal that says what a model says.

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
    if not callable(estimator) and not hasattr(
        estimator, "predict_proba" if proba else "predict"
    ):
        raise ParameterError(
            f"{type(estimator).__name__} has no "
            f"{'predict_proba; pass proba=False' if proba else 'predict'}, and cannot be "
            "called."
        )
    if columns is not None and not isinstance(columns, str | int):
        columns = tuple(columns)
    values = None if classes is None else tuple(class_list(classes) or ())
    return Model(estimator, columns, proba, values, **named(name, estimator))


def _encode_classes(
    output: list[Any], classes: tuple[Any, ...] | None, failures: Failures
) -> Answers:
    """Class values as answers; -1 is a class where it is among them."""
    if classes is None:
        return read_answers(output, None, failures)
    known = {value: code for code, value in enumerate(classes)}
    codes = np.full(len(output), ABSTAIN, code_type(len(classes)))
    for row, value in enumerate(output):
        if isinstance(value, Hashable) and value in known:
            codes[row] = known[value]
        elif not is_scalar(value) or not (is_missing(value) or value == ABSTAIN):
            error = ValueError(f"one of {classes} was expected; {value!r:.80} came")
            failures.add(row, error)
    return Answers(classes, codes)


def _check_probabilities(output: Any, name: str) -> Any:
    """(n, k) probabilities; NaN in a whole row abstains."""
    try:
        values = output.astype(float)
    except (TypeError, ValueError) as error:
        raise SignalsError(
            f"signal {name!r}: probabilities were expected, {output.dtype} came. Pass "
            "proba=False for a model that says classes."
        ) from error
    values = values[:, None] if values.ndim == 1 else values
    known = values[~np.isnan(values).all(axis=1)] if values.ndim == 2 else values
    if values.ndim != 2 or not ((known >= 0) & (known <= 1 + 1e-9)).all():
        raise SignalsError(
            f"signal {name!r}: probabilities (n, k) between 0 and 1 were expected; an "
            f"array of shape {output.shape} came."
        )
    return values


def pseudolabels(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    columns: Any = None,
    name: str | None = None,
) -> Model:
    """A soft signal: the probabilities of a model trained on a few labelled examples.

    The signal knows these labels, so leave the examples out when you count errors.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        A copy of it is trained, here and once.
    X : (l, ...) features of the labelled examples
    y : (l,) their class values
    columns : str, int or list of them, optional
        What the model is given of the data later on, in the form of `X`; default: all.
    name : str, optional
        Default: "pseudolabels".

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from corral.functions import pseudolabels
    >>> known = pseudolabels(GaussianNB(), [[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    >>> known.apply(np.array([[0.5], [5.5]])).probabilities.round(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if not hasattr(estimator, "predict_proba"):
        raise ParameterError(
            f"{type(estimator).__name__} has no predict_proba, which soft signals need."
        )
    from sklearn.base import clone  # here: other processes do not need it

    trained = clone(estimator).fit(X, y)
    made = model(trained, columns)
    return replace(made, **named(name, "pseudolabels"))


@dataclass(frozen=True, eq=False, repr=False)
class Exemplar(ColumnFunction):
    """What `exemplar` makes."""

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
    cut = None if threshold is None else float(threshold)
    parts = image, value, where, distance, float(percentile), cut
    return Exemplar(column, *parts, **named(name, f"like {value}"))
