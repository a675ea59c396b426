"""`snorkel.analysis`: scores of labels, and examples by their labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from corral._types import IntArray
from corral.checks import check_choice
from corral.compat.snorkel.utils import ABSTAIN, to_int_label_array
from corral.errors import ParameterError

__all__ = ["get_label_buckets", "metric_score"]

METRICS = {
    "accuracy": "accuracy_score",
    "coverage": "",
    "precision": "precision_score",
    "recall": "recall_score",
    "f1": "f1_score",
    "f1_micro": "f1_score",
    "f1_macro": "f1_score",
    "fbeta": "fbeta_score",
    "matthews_corrcoef": "matthews_corrcoef",
    "roc_auc": "roc_auc_score",
}
"""By name: the function of `sklearn.metrics`."""
NEEDED = {"coverage": ("preds",), "roc_auc": ("golds", "probs")}
"""What a metric compares, if not "golds" and "preds"."""


def metric_score(
    golds: ArrayLike | None = None,
    preds: ArrayLike | None = None,
    probs: ArrayLike | None = None,
    metric: str = "accuracy",
    filter_dict: Mapping[str, Sequence[int]] | None = None,
    **kwargs: Any,
) -> float:
    """Score predictions by one of `METRICS`.

    `filter_dict` leaves examples out: by "golds" and "preds", the labels that they have.
    """
    from sklearn import metrics as scores

    check_choice("metric", metric, METRICS)
    sent = {"golds": golds, "preds": preds, "probs": probs}
    given: dict[str, Any] = {
        name: np.asarray(each, float) if name == "probs" else to_int_label_array(each)
        for name, each in sent.items()
        if each is not None
    }
    lengths = {name: len(each) for name, each in given.items()}
    if len(set(lengths.values())) > 1:
        raise ParameterError(f"labels must be of the same examples; {lengths} came.")
    kept = np.ones(max(lengths.values(), default=0), bool)
    for name, values in (filter_dict or {}).items():
        kept &= ~np.isin(given[name], values)
    names = NEEDED.get(metric, ("golds", "preds"))
    if not kept.any() or not given.keys() >= set(names):
        raise ParameterError(
            f"metric {metric!r} needs {names}, of one example or more."
        )
    arrays = [given[name][kept] for name in names]
    if metric == "coverage":
        return float((arrays[0] != ABSTAIN).mean())
    if metric == "roc_auc":
        arrays[1] = arrays[1][:, 1]
    if metric.startswith("f1_"):
        kwargs = {"average": metric.removeprefix("f1_")} | kwargs
    return float(getattr(scores, METRICS[metric])(*arrays, **kwargs))


def get_label_buckets(*y: ArrayLike) -> dict[tuple[int, ...], IntArray]:
    """Positions of the examples, by the labels that they have in every array (n,)."""
    labels = [to_int_label_array(each) for each in y]
    if len({len(each) for each in labels}) != 1:
        raise ParameterError("arrays must all have the same number of elements.")
    kinds, bucket = np.unique(np.column_stack(labels), axis=0, return_inverse=True)
    return {
        tuple(kind): np.flatnonzero(bucket == at)
        for at, kind in enumerate(kinds.tolist())
    }
