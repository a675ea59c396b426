"""Labels, their quality and that of annotators, in cleanlab's tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.compat.options import warn_of_options
from corral.errors import ParameterError
from corral.labelers import labeler_of
from corral.signals import WeakSignals
from corral.signals.coding import ABSTAIN

NOT_LEARNED = (
    "corral labels by the annotations alone. To have a classifier's opinion count, give "
    "its predictions as one more annotator."
)


def convert_long_to_wide_dataset(labels_multiannotator_long: Any) -> Any:
    """A table with one row per example and one column per annotator.

    Parameters
    ----------
    labels_multiannotator_long : pandas data frame
        One row per annotation, with the columns "task", "annotator" and "label".

    Returns
    -------
    pandas data frame
        Missing where an annotator did not label the example.

    Examples
    --------
    >>> import pandas as pd
    >>> from corral.compat.cleanlab.multiannotator import convert_long_to_wide_dataset
    >>> long = pd.DataFrame({
    ...     "task": ["x", "x", "y"], "annotator": ["ann", "bob", "ann"], "label": [0, 1, 1],
    ... })
    >>> convert_long_to_wide_dataset(long)
       ann  bob
    x  0.0  1.0
    y  1.0  NaN
    """
    pairs = labels_multiannotator_long[["task", "annotator"]]
    twice = int(pairs.duplicated().sum())
    if twice:
        raise ParameterError(
            f"annotators label an example once; {twice} labels are further ones. Keep one "
            'each, such as drop_duplicates(["task", "annotator"], keep="last").'
        )
    wide = labels_multiannotator_long.pivot(
        index="task", columns="annotator", values="label"
    )
    return wide.rename_axis(index=None, columns=None)


def get_label_quality_multiannotator(
    labels_multiannotator: Any,
    pred_probs: Any = None,
    *,
    method: str = "constrained",
    consensus_method: Any = None,
    quality_method: Any = None,
    calibrate_probs: Any = None,
    return_detailed_quality: bool = True,
    return_annotator_stats: bool = True,
    return_weights: Any = None,
    verbose: bool = False,  # noqa: ARG001 - nothing is printed either way
    label_quality_score_kwargs: Any = None,
) -> dict[str, Any]:
    """The best label of every example, and how good labels and annotators are.

    Parameters
    ----------
    labels_multiannotator : pandas data frame or (n, m) array
        One row per example, one column per annotator: classes, or missing. Every example
        has one at least.
    pred_probs : (n, k) array of float, optional
        Not used, and a warning says so: corral needs no classifier.
    method : str
        A labeler of corral that learns of signals: "constrained", "dawid-skene", ...
    return_detailed_quality, return_annotator_stats : bool
        Whether to return these tables.
    verbose : bool
        Nothing is printed either way.
    consensus_method, quality_method, calibrate_probs, return_weights, \
label_quality_score_kwargs
        Belong to CROWDLAB; they have no effect, and a warning says so, once.

    Returns
    -------
    dict of pandas data frames
        "label_quality", one row per example: "consensus_label",
        "consensus_quality_score" (its probability), "annotator_agreement" and
        "num_annotations". "detailed_label_quality": the probability of every annotation.
        "annotator_stats", one row per annotator, the worst first: "annotator_quality" (how
        often it is right, as far as was learned), "agreement_with_consensus",
        "worst_class" (the class whose annotations are least likely to be right) and
        "num_examples_labeled".

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from corral.compat.cleanlab.multiannotator import get_label_quality_multiannotator
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(500, [0.9, 0.8, 0.6], coverage=0.9)
    >>> given = pd.DataFrame(votes, columns=["ann", "bob", "cy"]).replace(-1, np.nan)
    >>> found = get_label_quality_multiannotator(given.dropna(how="all"))
    >>> found["annotator_stats"].index.tolist()
    ['cy', 'bob', 'ann']
    """
    import pandas as pd

    warn_of_options(
        "get_label_quality_multiannotator",
        [] if pred_probs is None else ["pred_probs"],
        NOT_LEARNED,
    )
    given = {
        "consensus_method": consensus_method,
        "quality_method": quality_method,
        "calibrate_probs": calibrate_probs,
        "return_weights": return_weights,
        "label_quality_score_kwargs": label_quality_score_kwargs,
    }
    warn_of_options(
        "get_label_quality_multiannotator",
        [name for name, value in given.items() if value],
        "CROWDLAB has such options, corral has not. Choose a labeler by method=.",
    )
    table = pd.DataFrame(labels_multiannotator)
    codes, classes = code_labels(table)
    labels, qualities = label_and_rate(codes, table.columns.map(str).tolist(), method)
    chosen, said = labels.argmax(axis=1), codes != ABSTAIN
    agrees = codes == chosen[:, None]
    of_label = np.take_along_axis(labels, np.maximum(codes, 0), axis=1)
    of_label = np.where(said, of_label, np.nan)
    tables = {
        "label_quality": pd.DataFrame(
            {
                "consensus_label": classes[chosen],
                "consensus_quality_score": labels.max(axis=1),
                "annotator_agreement": agrees.sum(axis=1) / said.sum(axis=1),
                "num_annotations": said.sum(axis=1),
            },
            index=table.index,
        )
    }
    if return_detailed_quality:
        tables["detailed_label_quality"] = pd.DataFrame(
            of_label, index=table.index, columns=table.columns
        ).add_prefix("quality_annotator_")
    if return_annotator_stats:
        worst = [find_worst(*pair) for pair in zip(of_label.T, codes.T, strict=True)]
        stats = pd.DataFrame(
            {
                "annotator_quality": qualities,
                "agreement_with_consensus": agrees.sum(axis=0) / said.sum(axis=0),
                "worst_class": classes[worst],
                "num_examples_labeled": said.sum(axis=0),
            },
            index=table.columns,
        )
        order = ["annotator_quality", "agreement_with_consensus"]
        tables["annotator_stats"] = stats.sort_values(order)
    return tables


def label_and_rate(
    codes: IntArray, names: list[str], method: str
) -> tuple[FloatArray, FloatArray]:
    """Labels (n, k) of annotations (n, m), and how often annotators (m,) are right."""
    classes = range(max(2, codes.max() + 1))
    signals = WeakSignals.from_votes(
        codes, classes=classes, abstain=ABSTAIN, names=names
    )
    labeler: Any = labeler_of(method).fit(signals)
    if not hasattr(labeler, "error_rates_"):
        raise ParameterError(
            f'must learn about annotators, as "constrained" does; {method!r} does not.',
            parameter="method",
        )
    return labeler.labels_, 1 - labeler.error_rates_


def code_labels(table: Any) -> tuple[IntArray, Any]:
    """Annotations (n, m) as positions in the classes, -1 where missing; the classes."""
    import pandas as pd

    flat, classes = pd.factorize(table.to_numpy().ravel(), sort=True)
    codes = flat.reshape(table.shape)
    if not codes.size:
        raise ParameterError(
            f"there must be examples and annotators; the table has the shape {codes.shape}."
        )
    silent = int((codes == ABSTAIN).all(axis=1).sum())
    if silent:
        raise ParameterError(
            f"{silent} of {len(table)} examples have no annotation; leave them out: "
            'labels.dropna(how="all").'
        )
    idle = table.columns[(codes == ABSTAIN).all(axis=0)].tolist()
    if idle:
        raise ParameterError(
            f"annotators {idle[:3]} labelled nothing; leave their columns out."
        )
    if classes.dtype.kind == "f" and (classes == classes.astype(int)).all():
        classes = classes.astype(int)  # a missing label made floats of them
    return codes, classes


def find_worst(quality: FloatArray, codes: IntArray) -> int:
    """The class whose annotations (n,) are least likely to be right."""
    here = codes != ABSTAIN
    counts = np.bincount(codes[here])
    means = np.bincount(codes[here], quality[here]) / np.maximum(counts, 1)
    return int(np.where(counts, means, np.inf).argmin())
