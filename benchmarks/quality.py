"""``python -m benchmarks.quality``: label quality on public votes, beside other methods.

Text: the six sets of `votes/`, sst-2, imdb and trec-6. Crowds: bluebirds, rte and dogs. The
two sets of `wrench/`, training parts of two of these, are in the tables of full sets.
F1 for the binary sets of `votes/`, accuracy otherwise; ties count as many each way. No
row reads gold labels except those that say so.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS_FOLDER, round_numbers
from benchmarks.quality_checks import (
    copies,
    few_labels,
    make_skewed_sets,
    make_thinned_sets,
)
from benchmarks.quality_sets import (
    CROWDS,
    PAPER,
    VOTES,
    WRENCH,
    Method,
    VoteSet,
    draws,
    load,
)
from corral import ConstrainedLabeler, DawidSkene, MajorityVote, WeakSignals
from corral.error_rates import Auto, auto, judgement, likelihoods
from corral.error_rates.features import VoteFeatures

RESULTS = RESULTS_FOLDER / "quality.json"
TEXT = VOTES + PAPER

PUBLISHED = {  # full sets of votes/; see the README of the data
    "majority vote": (84.56, 67.28, 84.46, 78.22, 54.51, 79.07),
    "Dawid-Skene": (83.56, 57.90, 88.31, 75.20, 47.66, 73.53),
    "data programming": (78.62, 41.78, 78.61, 71.61, 45.85, 72.78),
    "FlyingSquid": (83.07, 69.12, 80.86, 78.67, 50.10, 12.15),
    "MeTaL": (76.34, 17.69, 78.62, 70.14, 43.73, 54.58),
    "HyperLM": (91.40, 70.54, 82.60, 78.73, 60.02, 84.21),
    "Bayesian BF": (89.71, 62.39, 85.02, 77.67, 59.88, 84.21),
    "oracle weighting (gold)": (94.22, 72.25, 88.31, 78.83, 63.75, 84.21),
}


def read_signals(task: VoteSet) -> WeakSignals:
    """The votes of a set, counted."""
    classes = list(range(task.k))
    return WeakSignals.from_votes(task.votes, classes=classes, counts=task.counts)


def label_free(task: VoteSet) -> Any:
    """Labels under the rates of `Auto`."""
    signals = read_signals(task)
    model = Auto().estimate(signals).model
    assert model is not None
    return model.labels(signals)


def dawid_skene(task: VoteSet) -> Any:
    """Confusion matrices and the class balance by expectation and maximisation."""
    return DawidSkene().fit(read_signals(task)).labels_


def paper(task: VoteSet) -> Any:
    """The paper's solver at 0.01."""
    return ConstrainedLabeler(0.01, solver="adagrad").fit(read_signals(task)).labels_


def majority(task: VoteSet) -> Any:
    """Shares of the votes."""
    return MajorityVote().fit(read_signals(task)).labels_


METHODS: dict[str, Method] = {
    "majority vote": majority,
    "the paper's CLL, 0.01": paper,
    "Dawid-Skene": dawid_skene,
    "Auto": label_free,
}


def patch_judgement(**changes: Any) -> Any:
    """`Auto` with another judgement of the signals."""

    def changed(features: VoteFeatures) -> judgement.Judgement:
        found = judgement.check_targets(features)
        values = {
            name: np.full(features.n_columns, float(value))
            if name != "skewed"
            else value
            for name, value in changes.items()
        }
        return replace(found, **values)

    return mock.patch.object(auto, "judge", changed)


ABLATIONS: dict[str, Any] = {
    "nothing learned": patch_judgement(learned=0),
    "everything learned": patch_judgement(learned=1),
    "copies count in full": mock.patch.object(
        auto, "find_leaders", lambda features: np.arange(features.n_columns)
    ),
    "step 3 left out": mock.patch.object(judgement, "WITNESSES", 1e-9),
    "classes never skewed": patch_judgement(skewed=False),
    "classes always skewed": patch_judgement(skewed=True),
    "informed 40%": mock.patch.object(likelihoods, "INFORMED", 0.4),
    "informed 60%": mock.patch.object(likelihoods, "INFORMED", 0.6),
    "three others needed in step 3": mock.patch.object(judgement, "WITNESSES", 3.0),
    "skewed from 0.06": mock.patch.object(judgement, "SKEWED", 0.06),
    "skewed from 0.12": mock.patch.object(judgement, "SKEWED", 0.12),
}


def scores(method: Method, tasks: list[VoteSet]) -> dict[str, float]:
    """Mean scores over vote sets, and the mean time per set."""
    began = time.perf_counter()
    found = [task.score(method(task)) for task in tasks]
    seconds = (time.perf_counter() - began) / len(tasks)
    means = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
    return means | {"seconds": seconds}


def score_resampled(method: Method, sets: dict[str, list[VoteSet]]) -> dict[str, Any]:
    """Scores by set, and means over text and crowds."""
    by_set = {name: scores(method, tasks) for name, tasks in sets.items()}
    mean = {
        kind: float(np.mean([by_set[n]["score"] for n in names]))
        for kind, names in (("text", TEXT), ("crowd", CROWDS))
    }
    for name in ("log_loss", "brier", "seconds"):
        mean[name] = float(np.mean([s[name] for s in by_set.values()]))
    return {"sets": by_set, "mean": mean}


def leave_one_set_out(runs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Score of every set under the variant that is best on all others.

    If the constants were fitted to the sets, this would be lower than the default.
    """
    chosen, held_out = {}, {}
    for name in TEXT + CROWDS:
        others = [n for n in TEXT + CROWDS if n != name]
        best = max(
            runs,
            key=lambda v: np.mean([runs[v]["sets"][n]["score"] for n in others]),
        )
        chosen[name] = best
        held_out[name] = runs[best]["sets"][name]["score"]
    return {
        "text": float(np.mean([held_out[n] for n in TEXT])),
        "crowd": float(np.mean([held_out[n] for n in CROWDS])),
        "chosen": chosen,
    }


def run(repeats: int) -> dict[str, Any]:
    """Everything, printed as it comes, and stored."""
    console = Console()
    full = {name: load(name) for name in TEXT + CROWDS}
    sets = {name: list(draws(task, repeats)) for name, task in full.items()}
    results: dict[str, Any] = {"repeats": repeats}

    results["resampled"] = {n: score_resampled(m, sets) for n, m in METHODS.items()}
    show_means(
        console,
        f"Random subsets of the signals, {3 * repeats} a set (50, 70, 85%)",
        results["resampled"],
    )
    everything = full | {name: load(name) for name in WRENCH}
    results["full"] = {
        name: {s: scores(method, [task]) for s, task in everything.items()}
        for name, method in METHODS.items()
    }
    show_full(console, results["full"])

    results["ablation"] = {"Auto": results["resampled"]["Auto"]}
    for name, changed in ABLATIONS.items():
        with changed:
            results["ablation"][name] = score_resampled(label_free, sets)
    show_means(console, "Auto with one thing changed", results["ablation"])
    results["leave one set out"] = leave_one_set_out(results["ablation"])
    console.print("leave one set out", results["leave one set out"])

    tasks = make_skewed_sets() + make_thinned_sets()
    for kind in ("raters", "rules", "split raters", "thinned rules", "thinned crowds"):
        results[f"skewed {kind}"] = {
            name: [scores(method, [t])["score"] for t in tasks if t.name == kind]
            for name, method in METHODS.items()
        }
        show_skewed(console, kind, results[f"skewed {kind}"])
    results["copies"] = copies({n: full[n] for n in VOTES}, label_free)
    console.print(
        "hard labels changed by nine copies of a signal, %", results["copies"]
    )
    results["few labels"] = few_labels({n: full[n] for n in VOTES}, read_signals)
    console.print("labelled examples (these rows read gold)", results["few labels"])
    return results


def show_means(console: Console, title: str, rows: dict[str, Any]) -> None:
    """One line per method: text, crowds, log-loss, Brier, time."""
    table = Table(title=title, box=None, title_justify="left", header_style="bold")
    for heading in ("", "text", "crowd", "log-loss", "Brier", "ms"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, row in rows.items():
        m = row["mean"]
        table.add_row(
            name,
            f"{m['text']:.2f}",
            f"{m['crowd']:.2f}",
            f"{m['log_loss']:.3f}",
            f"{m['brier']:.3f}",
            f"{1000 * m['seconds']:.0f}",
        )
    console.print(table)


def show_full(console: Console, rows: dict[str, Any]) -> None:
    """One line per set, one column per method; then published figures."""
    for part, digits in (("score", 1), ("log_loss", 3), ("brier", 3), ("seconds", 3)):
        figures = {
            name: [row[s][part] for s in (*VOTES, *PAPER, *CROWDS, *WRENCH)]
            for name, row in rows.items()
        }
        lines = (*VOTES, *PAPER, *CROWDS, *WRENCH)
        show_sets(console, f"Full sets: {part}", lines, figures, digits)
    ours = {"Auto": [rows["Auto"][s]["score"] for s in VOTES]}
    show_sets(console, "Published", VOTES, ours | PUBLISHED, 1)


def show_sets(
    console: Console, title: str, sets: Any, columns: dict[str, Any], digits: int
) -> None:
    """One line per set, and the mean of the first six; one column per method."""
    table = Table(title=title, box=None, title_justify="left")
    for heading in ("", *columns):
        table.add_column(heading, justify="right")
    for i, name in enumerate(sets):
        table.add_row(name, *(f"{c[i]:.{digits}f}" for c in columns.values()))
    means = (f"{np.mean(c[:6]):.{digits}f}" for c in columns.values())
    table.add_row("mean of the first six", *means)
    console.print(table)


def show_skewed(console: Console, kind: str, rows: dict[str, list[float]]) -> None:
    """Minority F1 next to that of majority vote."""
    base = np.array(rows["majority vote"])
    title = f"Skewed classes (80, 90, 95%), minority F1: {kind}"
    table = Table(title=title, box=None, title_justify="left")
    for heading in (
        "",
        "mean",
        "worst against majority vote",
        "tasks more than 1 below",
    ):
        table.add_column(heading, justify="right")
    for name, row in rows.items():
        gap = np.array(row) - base
        low = f"{(gap < -1).sum()} of {len(gap)}"
        table.add_row(name, f"{np.mean(row):.1f}", f"{gap.min():+.1f}", low)
    console.print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20, help="draws of every size")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(parser.parse_args().repeats)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(round_numbers(found), indent=1) + "\n")
