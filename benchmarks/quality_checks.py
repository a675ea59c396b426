"""How labelers do with copies of signals, skewed classes and few labels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.quality_sets import Method, VoteSet, load, make
from corral import WeakSignals
from corral.datasets import dependent_task
from corral.error_rates import FromLabels
from corral.metrics import winners

N_COPIES = 9
NOISE = 0.05
SIGNALS_TRIED = 10
N_LABELLED = (20, 100)
DRAWS = 20


def make_skewed_sets() -> list[VoteSet]:
    """Raters, raters split into one rule per class, and rules of equal precision.

    The second and the third look alike, and ask for opposite answers where two classes
    have as many votes: the rare class is the safer one only for the third.
    """
    tasks = []
    sizes = ((10, 0.3), (10, 1.0), (30, 0.1), (5, 0.6))
    accuracies = ((0.6, 0.7), (0.6, 0.9), (0.75, 0.95))
    for (m, coverage), (low, high), k, share in product(
        sizes, accuracies, (2, 3), (0.8, 0.9, 0.95)
    ):
        task = skewed_raters(2000, m, k, coverage, share, low, high)
        tasks += [task, split(task)]
    for seed, k, share in product(range(4), (2, 4), (0.8, 0.9, 0.95)):
        tasks.append(skewed_rules(3000, k, share, seed))
    return tasks


def make_thinned_sets() -> list[VoteSet]:
    """Real sets of two classes, with examples of one left out until it is rare."""
    binary = ("youtube", "cdr", "commercial", "yelp", "sst-2", "imdb")
    full = [(load(name), "thinned rules") for name in binary]
    full += [(load(name), "thinned crowds") for name in ("bluebirds", "rte")]
    return [
        thin(task, name, rare, share, seed)
        for (task, name), rare, share, seed in product(
            full, (0, 1), (0.8, 0.9, 0.95), range(2)
        )
    ]


def thin(task: VoteSet, name: str, rare: int, share: float, seed: int) -> VoteSet:
    """The set with `share` of its examples in the other class."""
    rng = np.random.default_rng([seed, rare, round(100 * share)])
    gold = task.gold.astype(int)
    kept = gold[:, 1 - rare].sum() * (1 - share) / share / gold[:, rare].sum()
    gold[:, rare] = rng.binomial(gold[:, rare], min(1, kept))
    gold[:, 1 - rare] = rng.binomial(gold[:, 1 - rare], min(1, 1 / kept))
    return make(name, task.votes, gold.astype(float), "minority f1")


def skewed_raters(
    n: int, m: int, k: int, coverage: float, share: float, low: float, high: float
) -> VoteSet:
    """Votes that are right with a probability that does not depend on the class."""
    rng = np.random.default_rng(1)
    balance = np.full(k, (1 - share) / (k - 1))
    balance[0] = share
    y = rng.choice(k, n, p=balance)[:, None]
    right = rng.random((n, m)) < rng.uniform(low, high, m)
    votes = np.where(right, y, (y + rng.integers(1, k, (n, m))) % k)
    votes = np.where(rng.random((n, m)) < coverage, votes, -1)
    return make("raters", votes, np.eye(k)[y[:, 0]], "minority f1")


def split(task: VoteSet) -> VoteSet:
    """Every signal as one rule per class."""
    rules = [np.where(task.votes == c, c, -1) for c in range(task.k)]
    votes = np.concatenate(rules, axis=1)
    return make(f"split {task.name}", votes, task.gold, task.measure)


def skewed_rules(
    n: int, k: int, share: float, seed: int, per_class: int = 4
) -> VoteSet:
    """Rules that fire for one class with a precision of 0.6 to 0.95."""
    rng = np.random.default_rng(seed)
    balance = np.full(k, (1 - share) / (k - 1))
    balance[0] = share
    y = rng.choice(k, n, p=balance)
    columns = []
    for c in np.repeat(np.arange(k), per_class):
        precision, fires = rng.uniform(0.6, 0.95), rng.uniform(0.02, 0.25)
        fires *= min(1, 2 * balance[c])
        within = min(0.9, precision * fires / balance[c])
        elsewhere = (1 - precision) * fires / (1 - balance[c])
        fired = rng.random(n) < np.where(y == c, within, elsewhere)
        columns.append(np.where(fired, c, -1))
    return make("rules", np.column_stack(columns), np.eye(k)[y], "minority f1")


def copies(tasks: dict[str, VoteSet], method: Method) -> dict[str, dict[str, float]]:
    """Per cent of hard labels that nine copies change: the worst and the mean signal."""
    votes = dependent_task().votes
    dependent = make("dependent", votes, np.ones((len(votes), 2)) / 2, "accuracy")
    found = {}
    for name, task in (tasks | {"dependent": dependent}).items():
        m = task.votes.shape[1]
        rng = np.random.default_rng(0)
        tried = rng.choice(m, min(m, SIGNALS_TRIED), replace=False)
        exact = [count_changes(task, method, i, 0.0) for i in tried]
        noisy = [count_changes(task, method, i, NOISE) for i in tried]
        found[name] = {
            "exact": max(exact),
            "noisy mean": float(np.mean(noisy)),
            "noisy worst": max(noisy),
        }
    return found


def count_changes(task: VoteSet, method: Method, signal: int, noise: float) -> float:
    """Per cent of the examples whose likeliest classes change."""
    before = winners(method(task))
    at = np.repeat(np.arange(len(task.gold)), np.rint(task.counts).astype(int))
    rng = np.random.default_rng([int(signal), 5])
    added = np.repeat(task.votes[at, signal][:, None], N_COPIES, axis=1)
    flip = (rng.random(added.shape) < noise) & (added >= 0)
    other = (added + rng.integers(1, task.k, added.shape)) % task.k
    votes = np.concatenate([task.votes[at], np.where(flip, other, added)], axis=1)
    # The row that every example came from stands in for its gold label.
    origin, rows = np.unique(votes, axis=0, return_inverse=True), at
    patterns, inverse = origin
    counts = np.bincount(inverse.ravel())
    gold = counts[:, None] * np.ones((1, task.k)) / task.k
    after = winners(
        method(VoteSet(task.name, patterns.astype(np.int8), gold, "accuracy"))
    )
    shared = (after[inverse.ravel()] & before[rows]).any(axis=1)
    return float(100 * (1 - shared.mean()))


def few_labels(
    tasks: dict[str, VoteSet], read_signals: Callable[[VoteSet], WeakSignals]
) -> dict[str, dict[str, Any]]:
    """Scores with some labelled examples, beside a classifier trained on the same."""
    found: dict[str, dict[str, Any]] = {}
    for n_labelled in N_LABELLED:
        ours: dict[str, float] = {}
        theirs: dict[str, float] = {}
        for name, task in tasks.items():
            signals = read_signals(task)
            pairs = [
                _one_draw(task, signals, n_labelled, draw) for draw in range(DRAWS)
            ]
            ours[name], theirs[name] = np.mean(pairs, axis=0).tolist()
        for method, row in (("FromLabels", ours), ("logistic regression", theirs)):
            row["mean"] = float(np.mean(list(row.values())))
            found[f"{method}, {n_labelled}"] = row
    return found


def _one_draw(
    task: VoteSet, signals: WeakSignals, n_labelled: int, draw: int
) -> tuple[float, float]:
    rng = np.random.default_rng([draw, n_labelled])
    cells = task.gold.astype(int)
    chosen = rng.multivariate_hypergeometric(cells.ravel(), n_labelled)
    rows, classes = np.nonzero(chosen.reshape(cells.shape))
    times = chosen.reshape(cells.shape)[rows, classes]
    rows, classes = np.repeat(rows, times), np.repeat(classes, times)
    sample = WeakSignals.from_votes(task.votes[rows], classes=list(range(task.k)))
    model = FromLabels(classes, sample).estimate(signals).model
    assert model is not None
    ours = task.score(model.labels(signals))["score"]
    hot = (task.votes[:, :, None] == np.arange(task.k)).reshape(len(task.votes), -1)
    q = np.zeros((len(task.votes), task.k))
    if len(set(classes)) == 1:
        q[:, classes[0]] = 1
    else:
        classifier = LogisticRegression(max_iter=1000).fit(hot[rows], classes)
        q[:, classifier.classes_] = classifier.predict_proba(hot)
    return ours, task.score(q)["score"]
