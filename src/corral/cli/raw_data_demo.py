"""From raw data to a classifier, on data that scikit-learn carries."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corral import datasets, metrics
from corral.constraints import signal_errors
from corral.end_models import SoftLabelClassifier
from corral.functions import SignalFunction, apply, threshold
from corral.labelers import ConstrainedLabeler, Labeler, MajorityVote

COLUMNS = {"radius": 0, "texture": 1, "concavity": 6, "area error": 13, "area": 23}
"""Measurements that are larger in malignant tumours, and where they are."""
LOW, HIGH = 0.5, 0.7
"""Quantiles: below the first a rule says benign, above the second malignant."""
WIDTH = 60
"""Characters of a bar for an error of one."""


def show_raw_data_demo(console: Console) -> None:
    """Write rules, apply them, label, and train; print the numbers and the rules."""
    data: Any = datasets.load("breast_cancer")
    X, truth = data.train.data, data.train.labels
    rules = [rule for name in COLUMNS for rule in _rules(name, X)]
    signals = apply(rules, X, classes=data.classes)
    console.print(
        f"\nFrom raw data to a classifier: {len(X)} tumours as {X.shape[1]} measurements, "
        f"{len(rules)} rules on {len(COLUMNS)} of them, no labels\n",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("training labels from")
    for heading in ("label accuracy", "test accuracy"):
        table.add_column(heading, justify="right")
    labeler = ConstrainedLabeler()
    others: tuple[tuple[str, Labeler], ...] = (("majority vote", MajorityVote()),)
    for name, one in (*others, ("corral, estimated rates", labeler)):
        one.fit(signals)
        right = metrics.accuracy(truth, one.predict(signals), rows="answered")
        test = _tested(data, one.labels_, covered=one.covered_, classes=one.classes_)
        table.add_row(name, f"{right:.3f}", f"{test:.3f}")
    table.add_row("supervised (true labels)", "1.000", f"{_tested(data, truth):.3f}")
    console.print(table)
    console.print("\nHow often a rule is wrong: estimated ▒, and in truth █\n")
    errors = signal_errors(signals, truth)
    for i, name in enumerate(signals.names):
        bars = (("▒", labeler.error_rates_[i]), ("█", errors[i]))
        for mark, rate in bars:
            shown = mark * round(WIDTH * rate)
            title = name if mark == "▒" else ""
            console.print(f"{title:>22} {shown} {rate:.2f}", highlight=False)


def _rules(name: str, X: Any) -> list[SignalFunction]:
    """Two rules on a measurement, with limits from data without labels."""
    low, high = np.quantile(X[:, COLUMNS[name]], [LOW, HIGH])
    at = COLUMNS[name]
    return [
        threshold(at, "benign", below=low, name=f"{name} is low"),
        threshold(at, "malignant", above=high, name=f"{name} is high"),
    ]


def _tested(data: Any, labels: Any, **options: Any) -> float:
    """Test accuracy of a classifier trained on labels."""
    scaled = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model = SoftLabelClassifier(scaled).fit(data.train.data, labels, **options)
    return metrics.accuracy(data.test.labels, model.predict(data.test.data))
