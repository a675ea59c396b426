"""`snorkel.analysis`: scores of labels, and examples by what is said of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corral._types import IntArray
from corral.checks import check_choice
from corral.compat import stands_for
from corral.compat.snorkel.utils import ABSTAIN, filter_labels, to_int_label_array
from corral.errors import ParameterError

__all__ = ["Scorer", "get_label_buckets", "get_label_instances", "metric_score"]

METRICS: dict[str, tuple[str, dict[str, str]]] = {
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
    """Score predictions by one of `METRICS`; what cannot be scored is refused.

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
        raise ParameterError(f"labels must be of the same examples; {lengths} came.")
    if not {"golds", "preds"}.issuperset(filter_dict or ()):
        raise ParameterError(
            f"must only include the keys 'golds' and 'preds'; {filter_dict} came.",
            parameter="filter_dict",
        )
    needed = {"coverage": ("preds",), "roc_auc": ("golds", "probs")}
    kept = filter_labels(given, filter_dict or {})
    arrays: list[Any] = [kept[name] for name in needed.get(metric, ("golds", "preds"))]
    if any(each is None or not len(each) for each in arrays):
        raise ParameterError(
            f"metric {metric!r} needs {needed.get(metric, ('golds', 'preds'))}, of one "
            "example or more."
        )
    if metric == "coverage":
        return float((arrays[0] != ABSTAIN).mean())
    two = arrays[0].max() <= 1 and (metric == "f1" or arrays[1].shape[1:] == (2,))
    if metric in ("f1", "roc_auc") and not two:
        raise ParameterError(f"metric {metric!r} is for two classes.")
    if metric == "roc_auc":
        arrays[1] = arrays[1][:, 1]
    function, options = METRICS[metric]
    return float(getattr(scores, function)(*arrays, **(options | kwargs)))


class Scorer:
    """Several scores at once, by name and by functions of a user.

    Examples
    --------
    >>> from corral.compat.snorkel.analysis import Scorer
    >>> Scorer(["accuracy", "coverage"]).score([1, 0, 1, 1], [1, 1, -1, 1])
    {'accuracy': 0.6666666666666666, 'coverage': 0.75}
    """

    def __init__(
        self,
        metrics: Sequence[str] | None = None,
        custom_metric_funcs: Mapping[str, Callable[..., Any]] | None = None,
        abstain_label: int | None = ABSTAIN,
    ) -> None:
        for name in metrics or ():
            check_choice("metrics", name, METRICS)
        self.metrics = list(metrics or ())
        self.custom_metric_funcs = dict(custom_metric_funcs or {})
        self.abstain_label = abstain_label

    def score(
        self,
        golds: ArrayLike,
        preds: ArrayLike | None = None,
        probs: ArrayLike | None = None,
    ) -> dict[str, float]:
        """Scores by name, of true classes (n,), predictions (n,), probabilities (n, k)."""
        if not len(golds):  # type: ignore[arg-type]
            raise ParameterError("there are no labels to score.")
        out = [] if self.abstain_label is None else [self.abstain_label]
        found = {}
        for name in self.metrics:
            rows = None if name == "coverage" else {"golds": out, "preds": out}
            found[name] = metric_score(golds, preds, probs, name, rows)
        for name, function in self.custom_metric_funcs.items():
            said = function(golds, preds, probs)
            found |= said if isinstance(said, dict) else {name: said}
        return found


def get_label_buckets(*y: ArrayLike) -> dict[tuple[int, ...], IntArray]:
    """Positions of the examples, by the labels that they have in every array (n,).

    Examples
    --------
    >>> from corral.compat.snorkel.analysis import get_label_buckets
    >>> get_label_buckets([1, 1, 0], [1, -1, -1])[1, -1]
    array([1])
    """
    labels = [to_int_label_array(each) for each in y]
    if len({len(each) for each in labels}) != 1:
        raise ParameterError("arrays must all have the same number of elements.")
    kinds, bucket = np.unique(np.column_stack(labels), axis=0, return_inverse=True)
    return {
        tuple(kind): np.flatnonzero(bucket == at)
        for at, kind in enumerate(kinds.tolist())
    }


def get_label_instances(
    bucket: tuple[int, ...], x: NDArray[Any], *y: ArrayLike
) -> NDArray[Any]:
    """Rows of an array (n, ...) whose examples have some labels, one per array in `y`."""
    buckets = get_label_buckets(*y)
    rows = sum(map(len, buckets.values()))
    if len(bucket) != len(y) or len(x) != rows:
        raise ParameterError(
            "bucket must have a label per array, and x a row per label; "
            f"{len(bucket)} for {len(y)} arrays and {len(x)} for {rows} labels came."
        )
    found = buckets.get(tuple(bucket))
    return np.array([]) if found is None else x[found]


stands_for(__name__, "error_analysis", "metrics", "scorer")
