"""A model trained on few labelled examples as a signal for all."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from corral.errors import ParameterError
from corral.functions.by_model import Model, model
from corral.functions.signal_function import choose_name


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
    return model(trained, columns, name=choose_name(name, "pseudolabels"))
