"""``python -m benchmarks.adversarial``: the labelers that train a classifier beside.

On the breast cancer data with three soft signals (CORRAL_DATA or ../shared/data), and on
scikit-learn's digits with weak rules. Accuracy of the classifier on the examples that
were labelled and on others, mean over seeds. "True" error rates are measured on the
labels of the former, which is how these methods were published; "measured" ones on other
labelled examples; the remaining ones on none.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.measure import RESULTS_FOLDER, exit_with, round_numbers
from benchmarks.sets import DATA
from corral import (
    AdversarialLabeler,
    Averaging,
    DataConsistentLabeler,
    LogisticModel,
    MajorityVote,
    SoftLabelClassifier,
    StochasticGALL,
    WeakSignals,
    signal_errors,
)
from corral.datasets import digit_task
from corral.labelers import FeatureLabeler, Labeler

RESULTS = RESULTS_FOLDER / "adversarial.json"
SEEDS = 5
PLAIN = LogisticModel(1e-3, "descent", intercept=False)
"""The classifier of ALL; in 1,000 steps it goes as far as ALL's in 10,000."""


@dataclass(frozen=True)
class Data:
    """Signals and features of examples, and others to test on."""

    signals: WeakSignals
    X: Any
    y: Any
    new: Any
    new_y: Any
    measured: Any = None

    @property
    def true(self) -> Any:
        return signal_errors(self.signals, self.y)


def breast_cancer(_: int) -> Data:
    """227 examples, 30 features, 3 signals that are one feature each; 171 for testing."""
    folder = DATA / "breast-cancer"
    names = "data_features", "data_labels", "test_features", "test_labels"
    X, y, new, new_y = (np.load(folder / f"{name}.npy") for name in names)
    signals = WeakSignals.from_probabilities(np.load(folder / "weak_signals.npy"))
    return Data(signals, X, y.ravel(), new, new_y.ravel())


def digits(seed: int) -> Data:
    """1,117 images and 280 for testing; 4 rules per digit, learned from 400 others."""
    task = digit_task(seed=seed)
    images = task.features, task.labels, task.test_features, task.test_labels
    return Data(task.signals, *images, task.measured_errors)


def network(seed: int) -> Any:
    """The published network of DCWS, for two classes."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    hidden = nn.Linear(30, 512), nn.ReLU(), nn.Dropout(0.2)
    return nn.Sequential(*hidden, nn.Linear(512, 1))


Method = Callable[[Data, int], Labeler]
SETTLED: dict[str, Method] = {
    "averaging": lambda _, __: Averaging(),
    "majority vote": lambda _, __: MajorityVote(),
    "ALL, true rates": lambda d, _: AdversarialLabeler(d.true),
    "ALL, 0.3": lambda _, __: AdversarialLabeler(),
}
"""On breast cancer; nothing is random in them."""
DRAWN: dict[str, Method] = {
    "Stoch-GALL, true rates": lambda d, s: StochasticGALL(d.true, random_state=s),
    "Stoch-GALL, true rates, ALL's classifier": lambda d, s: StochasticGALL(
        d.true, model=PLAIN, random_state=s
    ),
    "DCWS, true rates": lambda d, s: DataConsistentLabeler(d.true, random_state=s),
    "DCWS, true rates, ALL's classifier": lambda d, s: DataConsistentLabeler(
        d.true, model=PLAIN, random_state=s
    ),
    "Stoch-GALL, true rates, network": lambda d, s: StochasticGALL(
        d.true, model=network(s), random_state=s
    ),
    "DCWS, 0": lambda _, s: DataConsistentLabeler(random_state=s),
    "DCWS, 0, network": lambda _, s: DataConsistentLabeler(
        model=network(s), random_state=s
    ),
    "DCWS, 0, ALL's classifier": lambda _, s: DataConsistentLabeler(
        model=PLAIN, random_state=s
    ),
}
DIGITS: dict[str, Method] = {
    "averaging": lambda _, __: Averaging(),
    "majority vote": lambda _, __: MajorityVote(),
    "Stoch-GALL, measured rates": lambda d, s: StochasticGALL(
        d.measured, random_state=s
    ),
    "Stoch-GALL, true rates": lambda d, s: StochasticGALL(d.true, random_state=s),
    "Stoch-GALL, estimated rates": lambda _, s: StochasticGALL(random_state=s),
    "DCWS, measured rates": lambda d, s: DataConsistentLabeler(
        d.measured, random_state=s
    ),
    "DCWS, 0": lambda _, s: DataConsistentLabeler(random_state=s),
}


def score(labeler: Labeler, data: Data) -> dict[str, float]:
    """Accuracy of the labels, and of a classifier on other examples."""
    if isinstance(labeler, FeatureLabeler):
        labeler.fit(data.signals, X=data.X)
        model: Any = labeler.model_
    else:
        labels = labeler.fit(data.signals).labels_
        scale = np.maximum(data.X.std(axis=0), 1e-9)
        model = SoftLabelClassifier(prior=None)
        model.fit(data.X / scale, labels, classes=labeler.classes_)
        data = Data(data.signals, data.X, data.y, data.new / scale, data.new_y)
    found = labeler.decide(labeler.labels_, labeler.covered_)
    return {
        "train": float((found == data.y).mean()),
        "test": float((model.predict(data.new) == data.new_y).mean()),
    }


def run(
    load: Callable[[int], Data], methods: dict[str, Method], seeds: Iterable[int]
) -> dict[str, dict[str, float]]:
    """Mean scores of every method over seeds."""
    every: dict[str, list[dict[str, float]]] = {name: [] for name in methods}
    for seed in seeds:
        data = load(seed)
        for name, method in methods.items():
            every[name].append(score(method(data, seed), data))
    return {
        name: {what: float(np.mean([one[what] for one in rows])) for what in rows[0]}
        for name, rows in every.items()
    }


def show(title: str, results: dict[str, dict[str, float]]) -> None:
    """One line per method."""
    table = Table(title=title, box=None, title_justify="left", header_style="bold")
    table.add_column("method")
    for heading in ("labels", "test"):
        table.add_column(heading, justify="right")
    for name, row in results.items():
        table.add_row(name, f"{row['train']:.3f}", f"{row['test']:.3f}")
    Console().print(table)


def find_missed(results: dict[str, Any]) -> list[str]:
    """Claims that the figures do not meet."""
    cancer, ten = results["breast cancer"], results["digits"]
    claims = {
        "ALL, true rates": cancer["ALL, true rates"]["train"] >= 0.92
        and cancer["ALL, true rates"]["test"] >= 0.95,
        "Stoch-GALL above averaging on digits": all(
            ten["Stoch-GALL, measured rates"][what] > ten["averaging"][what]
            for what in ("train", "test")
        ),
    }
    for name in ("Stoch-GALL", "DCWS"):
        row = cancer[f"{name}, true rates, ALL's classifier"]
        claims[f"{name} on breast cancer"] = min(row["train"], row["test"]) >= 0.93
    return [name for name, holds in claims.items() if not holds]


if __name__ == "__main__":
    # The products are small, and threads for them wait for each other.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        found = {
            "breast cancer": run(breast_cancer, SETTLED, range(1))
            | run(breast_cancer, DRAWN, range(SEEDS)),
            "digits": run(digits, DIGITS, range(SEEDS)),
        }
    for title, results in found.items():
        show(f"{title}, {SEEDS} seeds", results)
    RESULTS.write_text(json.dumps(round_numbers(found), indent=1) + "\n")
    exit_with(find_missed(found))
