"""``python -m benchmarks networks``: from the paper's rules to a trained classifier.

SST-2: labels of the paper's rules train a classifier on the covered sentences, which
is scored on the test sentences; next to the same classifier trained on the true labels of
the same sentences. True labels are used for that row and for the scores only. The networks
need torch and are left out without it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.measure import RESULTS_FOLDER, round_numbers
from benchmarks.sets import DATA
from corral import (
    ConstrainedLabeler,
    MajorityVote,
    SoftLabelClassifier,
    SoftLabelMLP,
    apply,
    datasets,
)
from corral.features import WordVectors

RESULTS = RESULTS_FOLDER / "networks.json"
PAPER = {"CLL": 0.729}
"""Test accuracy on SST-2 that the paper reports, with 300-dimensional GloVe vectors."""
SEEDS = range(3)


def features(train: list[str], test: list[str]) -> Iterator[tuple[str, Any, Any]]:
    """Names and features of both parts."""
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    yield "TF-IDF", words.fit_transform(train), words.transform(test)
    glove = datasets.load("glove", folder=DATA)
    vectors = WordVectors(glove, divide_by="all").fit()
    yield "GloVe, 100 numbers", vectors.transform(train), vectors.transform(test)


def models(name: str) -> dict[str, Callable[[int], Any]]:
    """End models for features, by seed; all predict as they learned, with no prior."""
    found: dict[str, Callable[[int], Any]] = {
        "logistic regression": lambda _: SoftLabelClassifier(prior=None)
    }
    if find_spec("torch") is not None and name != "TF-IDF":
        found["paper's MLP"] = lambda seed: SoftLabelMLP(random_state=seed)
        found["MLP, early stop"] = lambda seed: SoftLabelMLP(
            epochs=100, validation=0.1, random_state=seed
        )
    return found


def run() -> dict[str, Any]:
    """Label, train, score; printed and returned."""
    data: Any = datasets.load("sst2", folder=DATA)
    rules = [rule.function() for rule in datasets.SST2_RULES]
    signals = apply(rules, data.train.data, classes=data.classes)
    rows = np.flatnonzero(signals.covered)
    votes = signals.take(rows)
    truth = data.train.labels[rows] == "positive"
    labelers = {
        "majority vote": MajorityVote(),
        "corral": ConstrainedLabeler(),
        "paper's CLL": ConstrainedLabeler(0.01, solver="adagrad"),
    }
    labels = {name: labeler.fit(votes).labels_ for name, labeler in labelers.items()}
    labels["supervised"] = np.eye(2)[truth.astype(int)]
    right = {n: float((q.argmax(axis=1) == truth).mean()) for n, q in labels.items()}
    results: dict[str, Any] = {"paper": PAPER, "label accuracy": right, "test": {}}
    covered = [data.train.data[i] for i in rows]
    for name, train, test in features(covered, data.test.data):
        for model, make in models(name).items():
            scores = results["test"][f"{name}, {model}"] = {}
            for source, soft in labels.items():
                each = [
                    make(seed)
                    .fit(train, soft, classes=data.classes)
                    .score(test, data.test.labels)
                    for seed in (SEEDS if "MLP" in model else [0])
                ]
                scores[source] = float(np.mean(each))
    show(results)
    return results


def show(results: dict[str, Any]) -> None:
    """One line per end model."""
    sources = list(results["label accuracy"])
    table = Table(box=None, header_style="bold")
    for heading in ("SST-2", *sources):
        left = heading == "SST-2"
        table.add_column(heading, justify="left" if left else "right", no_wrap=left)
    lines = {"labels": results["label accuracy"], **results["test"]}
    for name, scores in lines.items():
        table.add_row(name, *(f"{scores[source]:.3f}" for source in sources))
    Console().print(table)


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run()
    RESULTS.write_text(json.dumps(round_numbers(found), indent=1) + "\n")
