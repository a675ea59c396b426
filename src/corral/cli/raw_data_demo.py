"""Where corral loses: rules on measurements of tumours that scikit-learn carries."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corral import datasets, metrics
from corral.end_models import SoftLabelClassifier
from corral.functions import SignalFunction, apply, threshold
from corral.labelers import ConstrainedLabeler, Labeler, MajorityVote
from corral.signals import WeakSignals

FIVE = {"radius": 0, "texture": 1, "concavity": 6, "area error": 13, "area": 23}
"""Measurements that are larger in malignant tumours, and where they are."""
TEN = {f"measurement {column}": column for column in range(10)}
"""All ten means: three of them are about size, and some hardly tell anything."""
LOW, HIGH = 0.5, 0.7
"""Quantiles: below the first a rule says benign, above the second malignant."""


def score_tumours(columns: dict[str, int]) -> dict[str, tuple[float, float]]:
    """Label and test accuracy of two rules on each of some measurements."""
    data: Any = datasets.load("breast_cancer")
    X, truth = data.train.data, data.train.labels
    rules = [rule for name, at in columns.items() for rule in _rules(name, X, at)]
    signals: WeakSignals = apply(rules, X, classes=data.classes)
    methods: dict[str, Labeler] = {
        "majority vote": MajorityVote(),
        "corral, estimated rates": ConstrainedLabeler(),
    }
    found = {}
    for name, one in methods.items():
        one.fit(signals)
        right = metrics.accuracy(truth, one.predict(signals), rows="answered")
        options = {"covered": one.covered_, "classes": one.classes_}
        found[name] = right, _tested(data, one.labels_, **options)
    found["supervised (true labels)"] = 1.0, _tested(data, truth)
    return found


def show_raw_data_demo(console: Console) -> None:
    """Print the scores of both choices of measurements."""
    console.print(
        "\nWhere it loses: tumours as measurements. For each measurement one rule says "
        "benign where it is low, and one says malignant where it is high. The good ones "
        "err on the same tumours, and the vote is hard to beat.\n",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("training labels from")
    for heading in ("five measurements", "test", "all ten means", "test"):
        table.add_column(heading, justify="right")
    five, ten = score_tumours(FIVE), score_tumours(TEN)
    for name, scores in five.items():
        table.add_row(name, *(f"{score:.3f}" for score in (*scores, *ten[name])))
    console.print(table)
    console.print(
        "\nGive the rates you know, or label 50 rows: corral.FromLabels.",
        highlight=False,
    )


def _rules(name: str, X: Any, at: int) -> list[SignalFunction]:
    """Two rules on a measurement, with limits from data without labels."""
    low, high = np.quantile(X[:, at], [LOW, HIGH])
    return [
        threshold(at, "benign", below=low, name=f"{name} is low"),
        threshold(at, "malignant", above=high, name=f"{name} is high"),
    ]


def _tested(data: Any, labels: Any, **options: Any) -> float:
    """Test accuracy of a classifier trained on labels."""
    scaled = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model = SoftLabelClassifier(scaled).fit(data.train.data, labels, **options)
    return metrics.accuracy(data.test.labels, model.predict(data.test.data))
