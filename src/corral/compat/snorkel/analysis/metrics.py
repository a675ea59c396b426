"""Scores by name, those of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral import metrics
from corral.checks import check_choice
from corral.compat.snorkel.utils.core import filter_labels, to_int_label_array
from corral.errors import ParameterError

METRICS = {
    "accuracy": ("accuracy_score", {}),
    "coverage": ("", {}),
    "precision": ("precision_score", {}),
    "recall": ("recall_score", {}),
    "f1": ("f1_score", {}),
    "f1_micro": ("f1_score", {"average": "micro"}),
    "f1_macro": ("f1_score", {"average": "macro"}),
    "fbeta": ("fbeta_score", {}),
    "matthews_corrcoef": ("matthews_corrcoef", {}),
    "roc_auc": ("roc_auc_score", {}),
}
"""By name: the function of `sklearn.metrics`, and its options."""


def metric_score(
    golds: ArrayLike | None = None,
    preds: ArrayLike | None = None,
    probs: ArrayLike | None = None,
    metric: str = "accuracy",
    filter_dict: Mapping[str, Sequence[int]] | None = None,
    **kwargs: Any,
) -> float:
    """Score predictions.

    Parameters
    ----------
    golds : (n,) array of int
        True classes.
    preds : (n,) array of int
        For all but "roc_auc".
    probs : (n, 2) array of float
        For "roc_auc".
    metric : str
        One of `METRICS`.
    filter_dict : mapping, optional
        By "golds" or "preds": labels whose examples are left out, such as
        ``{"preds": [-1]}``.
    **kwargs
        Further arguments of the function of `sklearn.metrics`.

    Examples
    --------
    >>> from corral.compat.snorkel.analysis import metric_score
    >>> metric_score([1, 0, 1], [1, 0, 0], metric="f1")
    0.6666666666666666
    """
    from sklearn import metrics as scores

    check_choice("metric", metric, METRICS)
    given = {
        "golds": None if golds is None else to_int_label_array(golds),
        "preds": None if preds is None else to_int_label_array(preds),
        "probs": None if probs is None else np.asarray(probs, float),
    }
    lengths = {name: len(each) for name, each in given.items() if each is not None}
    if len(set(lengths.values())) > 1:
        raise ParameterError(
            f"labels must be of the same examples; there are {lengths} of them."
        )
    unknown = set(filter_dict or ()) - {"golds", "preds"}
    if unknown:
        raise ParameterError(
            f"must only include the keys 'golds' and 'preds'; {sorted(unknown)} came.",
            parameter="filter_dict",
        )
    kept = filter_labels(given, filter_dict or {})
    needed = {"coverage": ("preds",), "roc_auc": ("golds", "probs")}
    names = needed.get(metric, ("golds", "preds"))
    absent = [name for name in names if kept[name] is None]
    if absent:
        raise ParameterError(
            f"metric {metric!r} requires access to {' and '.join(absent)}; give "
            f"{'them' if len(absent) > 1 else 'it'}."
        )
    arrays: list[Any] = [kept[name] for name in names]
    if not len(arrays[0]):
        raise ParameterError(
            "no example is left to score: all labels, or all predictions, are left out."
        )
    if metric == "coverage":
        return metrics.coverage(arrays[0])
    if metric == "roc_auc":
        if arrays[1].shape[1:] != (2,):
            raise ParameterError(
                "metric 'roc_auc' is for two classes; the probabilities have the shape "
                f"{arrays[1].shape}."
            )
        arrays[1] = arrays[1][:, 1]
    if metric == "f1" and arrays[0].max() > 1:
        raise ParameterError(
            "metric 'f1' is for two classes; take 'f1_micro' or 'f1_macro'."
        )
    function, options = METRICS[metric]
    return float(getattr(scores, function)(*arrays, **(options | kwargs)))
