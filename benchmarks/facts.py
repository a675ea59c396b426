"""``python -m benchmarks.facts``: single figures that the pages quote.

Accuracies and errors of single methods on the paper's signals and on synthetic votes; no
times. A figure with a table of its own belongs to the benchmark of that table.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

import corral
from benchmarks.measure import RESULTS_FOLDER, round_numbers
from benchmarks.sets import DATA, load_set
from benchmarks.tasks import SOURCES
from corral import Adagrad, ConstrainedLabeler, MajorityVote, WeakSignals, signal_errors
from corral.cli.raw_data_demo import FIVE, TEN, score_tumours
from corral.datasets import independent_task

RESULTS = RESULTS_FOLDER / "facts.json"
STARTS = 200
SEEDS = range(10)


def majority_vote() -> dict[str, float]:
    """On TREC-6, by the paper's rule and by plurality."""
    signals, truth = trec()
    paper = [MajorityVote("paper", random_state=s).fit_predict(signals) for s in SEEDS]
    return {
        "paper": float(np.mean([corral.metrics.accuracy(truth, y) for y in paper])),
        "plurality": MajorityVote().fit(signals).score(signals, truth),
    }


def data_programming() -> dict[str, float]:
    """By 30 small steps."""
    (signals, truth), (votes, gold) = trec(), sst2()
    method = corral.DataProgramming("gradient")
    return {
        "TREC-6": method.fit(signals).score(signals, truth),
        "SST-2": method.fit(votes).score(votes, gold),
    }


def metal() -> dict[str, float]:
    """On SST-2, by the point where the descent starts."""
    votes, truth = sst2()
    return {
        f"{start:g}": corral.MeTaL(start=start).fit(votes).score(votes, truth)
        for start in (0.01, *np.linspace(0.1, 1, 10).round(1).tolist())
    }


def bluebirds() -> dict[str, float]:
    """Errors of Dawid-Skene and the vote."""
    one = load_set("crowd/bluebirds")
    found = {"Dawid-Skene": corral.DawidSkene(), "vote": MajorityVote()}
    return {
        name: 1 - method.fit(one.signals).score(one.signals, one.gold)
        for name, method in found.items()
    }


def adagrad() -> dict[str, Any]:
    """The paper's method on its own signals, and its options."""
    (signals, truth), (votes, gold) = trec(), sst2()

    def fit(data: Any, solver: Any, seed: int = 0) -> Any:
        return ConstrainedLabeler(0.01, solver, random_state=seed).fit(data)

    def score(solver: Adagrad, seed: int = 0) -> float:
        return fit(signals, solver, seed).score(signals, truth)

    steps = [
        fit(
            signals, Adagrad(iterations=n, starts=1, uncovered_entries="start"), 0
        ).labels_
        for n in (200, 300)
    ]
    single = [score(Adagrad(starts=1, uncovered_entries="start"), s) for s in SEEDS]
    return {
        "TREC-6": score(Adagrad()),
        "TREC-6, labels that 100 steps more change": float(
            (steps[0].argmax(axis=1) != steps[1].argmax(axis=1)).mean()
        ),
        "TREC-6, one random start": [min(single), max(single)],
        **{
            f"SST-2, {rows}": fit(votes, Adagrad(rows=rows)).score(votes, gold)
            for rows in ("normalised", "raw")
        },
        "mean of starts": {str(n): _off_the_mean(n) for n in (300, 2000, 16_000)},
    }


def _off_the_mean(n: int) -> float:
    """How far labels of expected starts are from the mean of explicit ones."""
    votes = independent_task(n=round(n / 0.8)).votes
    both = [
        ConstrainedLabeler(0.4, solver, random_state=0).fit(votes).labels_
        for solver in (Adagrad(), Adagrad(starts=STARTS))
    ]
    return float(np.abs(both[0] - both[1]).mean())


def estimators() -> dict[str, float]:
    """`Agreement` on the paper's independent signals, `Firing` on its IMDB rules."""
    task = independent_task()
    signals = WeakSignals.from_votes(task.votes)
    found = corral.Agreement().estimate(signals).error_rates
    off = np.abs(found - signal_errors(signals, task.labels)).mean()
    with np.load(DATA / "imdb" / "weak_signals.npz") as held:
        imdb, gold = WeakSignals.from_votes(held["signals"]), held["labels"]
    rates = corral.Firing().estimate(imdb).error_rates
    true = signal_errors(imdb, gold)
    return {
        "Agreement, mean error": float(off),
        "Firing, mean error": float(np.abs(rates - true).mean()),
        "Firing, correlation": float(np.corrcoef(rates, true)[0, 1]),
    }


def slopes() -> dict[str, float]:
    """Of `calibrate` on all labels of the sets of the benchmark *calibration*."""
    sets = {name: load_set(source) for name, source in SOURCES.items()}
    return {
        name: corral.calibrate(ConstrainedLabeler().fit(one.signals), one.gold).slope
        for name, one in sets.items()
    }


def trec() -> tuple[WeakSignals, Any]:
    """The paper's one-vs-rest signals of TREC-6, and the truth."""
    with np.load(DATA / "trec" / "weak_signals.npz") as held:
        return WeakSignals.from_one_vs_rest(held["signals"]), held["labels"]


def sst2() -> tuple[WeakSignals, Any]:
    """Those of SST-2."""
    one = load_set("paper/sst2")
    return one.signals, one.gold


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        figures = {
            "majority vote, TREC-6": majority_vote(),
            "data programming": data_programming(),
            "MeTaL, SST-2, by start": metal(),
            "bluebirds, errors": bluebirds(),
            "Adagrad": adagrad(),
            "estimators": estimators(),
            "slopes": slopes(),
            "tumours": {
                name: {method: list(both) for method, both in found.items()}
                for name, found in (
                    ("five", score_tumours(FIVE)),
                    ("ten", score_tumours(TEN)),
                )
            },
        }
    text = json.dumps(round_numbers(figures), indent=1)
    print(text)
    RESULTS.write_text(text + "\n")
