"""Draw the pictures of the documentation: ``.venv/bin/python docs/make_pictures.py``.

They go to ``docs/images``. A test draws them again and compares.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import corral
from corral import plots
from corral.datasets import random_comparisons, random_votes
from corral.plots import Display

HERE = Path(__file__).parent
NAMES = ("free", "winner", "subject in capitals", "known sender", "many links", "reply")
NAMES += ("crowd, round 1", "crowd, round 2")
ACCURACIES = [0.92, 0.85, 0.65, 0.88, 0.7, 0.8, 0.75, 0.75]


def make_task() -> tuple[corral.WeakSignals, np.ndarray]:
    """Votes of eight signals on 4,000 messages, the last nearly a copy, and the truth."""
    votes, truth = random_votes(4000, ACCURACIES, coverage=0.5)
    rng = np.random.default_rng(0)
    votes[:, 7] = np.where(rng.random(len(votes)) < 0.9, votes[:, 6], votes[:, 7])
    words = np.array(["ham", "spam", None], object)[votes]
    return corral.WeakSignals.from_votes(words, names=NAMES), words_of(truth)


def words_of(truth: np.ndarray) -> np.ndarray:
    """Class values instead of numbers."""
    return np.array(["ham", "spam"])[truth]


def draw_costs() -> Display:
    """Seconds of the benchmark `scale`, as stored."""
    stored = json.loads((HERE.parent / "benchmarks/results/scale.json").read_text())
    shown = {
        "corral": "corral, in memory",
        "corral-files": "corral, Parquet files",
        "snorkel": "Snorkel",
        "crowd-kit": "crowd-kit",
    }
    costs: dict[str, list[tuple[float, float]]] = {}
    for cell in stored["cells"]:
        if cell["method"] in shown and cell["signals"] == 10 and cell["seconds"]:
            pair = cell["rows"], cell["seconds"]
            costs.setdefault(shown[cell["method"]], []).append(pair)
    return plots.CostDisplay.from_costs(costs)


def draw_panel() -> Display:
    """Four lenient judges that fail together, on two kinds of questions."""
    rng = np.random.default_rng(0)
    truth = (rng.random(3000) < 0.55).astype(int)
    hard = np.arange(3000) % 3 == 0
    lenient = rng.random(3000) < np.where(hard, 0.35, 0.1)
    wrong = rng.random((3000, 4)) < 0.1
    votes = np.where(lenient[:, None] | (truth[:, None] != wrong), 1, 0)
    human = np.full(3000, -1)
    rows = rng.choice(3000, 150, replace=False)
    human[rows] = truth[rows]
    words = np.array(["fail", "pass", None], object)
    found = corral.panel(
        words[votes],
        gold=words[human],
        slices={"questions:": np.where(hard, "hard", "easy")},
    )
    return plots.PanelDisplay.from_panel(found)


def draw_idea() -> Display:
    """The square of the concepts: two messages, two signals, and a third that cuts."""
    signals = corral.WeakSignals.from_votes(
        [["spam", None, "spam"], ["spam", "ham", None]],
        names=["free", "lunch", "prize"],
    )
    limits = [("free", 0.4), ("lunch", 0.5), ("prize", 0.1)]
    return plots.ConstrainedSpaceDisplay.from_votes(
        signals,
        constraints=[corral.ErrorRate(name, at_most=most) for name, most in limits],
        n_cut=1,
    )


def draw_strengths() -> Display:
    """Six models of the page on preferences, and five judges."""
    strengths = (1.2, 0.6, 0.2, -0.3, -0.6, -1.1)
    models = dict(zip(("ada", "bo", "cy", "di", "ed", "flo"), strengths, strict=True))
    judges = {
        "large": (1.3, 0.0),
        "other": (1.0, 0.2),
        "small": (0.8, 1.0),
        "asleep": (0.0, 0.0),
        "contrary": (-0.7, 0.0),
    }
    table = random_comparisons(1500, models, judges)
    found = corral.preferences(table, judge="judge")
    return plots.StrengthsDisplay.from_preferences(found)


def make_pictures() -> dict[str, str]:
    """SVG text by path below ``docs/images``."""
    signals, truth = make_task()
    labeler = corral.ConstrainedLabeler().fit(signals)
    space = [[1, 1, 1], [0, 1, None]]
    makers: dict[str, Callable[[], Display]] = {
        "constrained_space": draw_idea,
        "plots/signal_errors": lambda: plots.SignalErrorsDisplay.from_labeler(
            labeler, y=truth
        ),
        "plots/agreement": lambda: plots.AgreementDisplay.from_votes(signals),
        "plots/confidence": lambda: plots.ConfidenceDisplay.from_labeler(
            labeler, y=truth
        ),
        "plots/class_shares": lambda: plots.ClassSharesDisplay.from_labeler(
            labeler, y=truth
        ),
        "plots/reliability": lambda: plots.ReliabilityDisplay.from_labeler(
            labeler, truth
        ),
        "plots/sensitivity": lambda: plots.SensitivityDisplay.from_labeler(labeler),
        "plots/signal_values": lambda: plots.SignalValuesDisplay.from_labeler(labeler),
        "plots/strengths": draw_strengths,
        "plots/cost": draw_costs,
        "plots/panel": draw_panel,
        "plots/constrained_space": lambda: plots.ConstrainedSpaceDisplay.from_votes(
            space, error_rates=[0.4, 0.35, 0.25], margin=0.12, n_cut=1
        ),
    }
    from matplotlib import pyplot

    found = {}
    for name, make in makers.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", corral.errors.CorralWarning)
            found[f"{name}.svg"] = make().to_svg(width=600)
        pyplot.close("all")
    return found


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("Agg")
    for path, text in make_pictures().items():
        target = HERE / "images" / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(f"{text}\n", encoding="utf-8")
