"""Labels and results as they were stored: no move of code may change them.

``python -m tests.golden.test_golden`` stores them anew, after a change that is meant to.
"""

import json
import math
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import corral
from corral import (
    Adagrad,
    Agreement,
    Averaging,
    ClassBalance,
    Confusion,
    ConstrainedLabeler,
    DataProgramming,
    DawidSkene,
    ErrorRate,
    FromLabels,
    GroupShare,
    Known,
    MajorityVote,
    MeTaL,
    OneCoinDawidSkene,
    OrdinalLabeler,
    Precision,
    Recall,
    WeakSignals,
    WeightedVote,
)
from corral.errors import CorralError

FOLDER = Path(__file__).parent
N_EXAMPLES = 300
N_ROWS = 12
TOLERANCE = 1e-5


def votes_on(truth, rights, coverage, n_classes, seed):
    """Votes (n, m) that are right as often as `rights` says, else any class."""
    rng = np.random.default_rng(seed)
    shape = (len(truth), len(rights))
    guesses = rng.integers(0, n_classes, shape)
    votes = np.where(rng.random(shape) < rights, truth[:, None], guesses)
    votes[rng.random(shape) >= coverage] = -1
    return votes


def make_sets():
    """Seven sets of votes, one of each kind, with their true classes."""
    rng = np.random.default_rng(7)
    two = rng.integers(0, 2, N_EXAMPLES)
    four = rng.choice(4, N_EXAMPLES, p=[0.4, 0.3, 0.2, 0.1])
    rights = np.linspace(0.3, 0.9, 7)
    binary = votes_on(two, rights, 0.8, 2, seed=1)
    rules = votes_on(two, np.full(8, 0.6), 0.25, 2, seed=2)
    for i in range(8):  # a rule has one class
        rules[rules[:, i] != i % 2, i] = -1
    crowd = votes_on(four, np.linspace(0.2, 0.9, 40), 0.12, 4, seed=3)
    grades = np.clip(four[:, None] + rng.integers(-1, 2, (N_EXAMPLES, 5)), 0, 3)
    table = votes_on(four, rights, 0.7, 4, seed=4)
    share = np.where(np.arange(4) == table[:, :, None], 0.7, 0.1)
    share[table < 0] = np.nan
    asked = votes_on(four, np.full(6, 0.8), 0.7, 4, seed=5)
    one_vs_rest = np.stack([(asked == k) * 1.0 for k in range(4)], axis=2)
    one_vs_rest[asked < 0] = np.nan
    names = np.array(["ant", "bee", "cow", "dog", None], object)
    return {
        "binary": (WeakSignals.from_votes(binary), two),
        "rules": (WeakSignals.from_votes(rules), two),
        "classes": (WeakSignals.from_votes(names[table]), names[four]),
        "crowd": (WeakSignals.from_votes(crowd), four),
        "grades": (WeakSignals.from_votes(grades, classes=[0, 1, 2, 3]), four),
        "one-vs-rest": (
            WeakSignals.from_one_vs_rest(one_vs_rest.transpose(1, 0, 2)),
            four,
        ),
        "probabilities": (WeakSignals.from_probabilities(share), four),
    }


def constrained_by(constraint):
    return ConstrainedLabeler(0.2, "entropy", constraints=[constraint])


def labelers_for(signals, truth):
    """Every labeler, solver and kind of constraint, by name."""
    first, name = signals.classes[0], signals.names[0]
    known = truth.astype(object)
    known[40:] = None
    group = np.where(np.arange(N_EXAMPLES) % 3 == 0, "a", "b")
    return {
        "default": ConstrainedLabeler(),
        "adagrad": ConstrainedLabeler(0.2, "adagrad"),
        "adagrad, paper": ConstrainedLabeler(0.2, Adagrad.paper(), random_state=0),
        "entropy": ConstrainedLabeler(0.2, "entropy"),
        "projection": ConstrainedLabeler(0.2, "projection"),
        "agreement": ConstrainedLabeler(Agreement(), "entropy"),
        "from labels": ConstrainedLabeler(FromLabels(known)),
        "error rate": constrained_by(ErrorRate(name, at_most=0.1)),
        "precision": constrained_by(Precision(name, first, at_least=0.9)),
        "recall": constrained_by(Recall(name, first, at_least=0.5)),
        "confusion": constrained_by(
            Confusion(name, first, signals.classes[1], at_most=0.05)
        ),
        "class balance": constrained_by(ClassBalance(first, equal=0.5)),
        "group share": constrained_by(GroupShare(group, "a", first, at_least=0.6)),
        "known": constrained_by(Known([0, 1, 2], truth[:3])),
        "majority": MajorityVote(),
        "averaging": Averaging(),
        "weighted": WeightedVote(accuracies=0.7),
        "data programming": DataProgramming(),
        "metal": MeTaL(),
        "dawid-skene": DawidSkene(),
        "one coin": OneCoinDawidSkene(),
        "ordinal": OrdinalLabeler(),
    }


def make_labels():
    """Labels of 12 rows and their mean, or the class of the refusal."""
    found = {}
    for kind, (signals, truth) in make_sets().items():
        for method, labeler in labelers_for(signals, truth).items():
            try:
                labels = labeler.fit(signals).labels_
            except CorralError as error:
                found[f"{kind} / {method}"] = type(error).__name__
                continue
            rows = labels[:: N_EXAMPLES // N_ROWS]
            found[f"{kind} / {method}"] = {
                "mean": labels.mean(axis=0).tolist(),
                "labels": rows.tolist(),
            }
    return found


def make_comparisons():
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 6, (2, 400))
    b = np.where(a == b, (b + 1) % 6, b)
    strength = np.linspace(-1, 1, 6)
    wins = rng.random(400) < 1 / (1 + np.exp(strength[b] - strength[a]))
    names = np.array([f"model {i}" for i in range(6)])
    judges = np.where(np.arange(400) % 3 == 0, "x", "y")
    return {
        "a": names[a],
        "b": names[b],
        "winner": np.where(wins, "a", "b"),
        "judge": judges,
    }


def make_results():
    """All results on one small set, as JSON says them."""
    signals, truth = make_sets()["binary"]
    labeler = ConstrainedLabeler(0.2, "entropy").fit(signals)
    gold = truth.astype(object)
    gold[np.random.default_rng(9).permutation(N_EXAMPLES)[60:]] = None
    methods = [MajorityVote(), DawidSkene()]
    results = {
        "analyse": corral.analyse(signals, labeler, truth),
        "agreement": corral.agreement(signals),
        "compare": corral.compare(signals, truth, methods),
        "explain": labeler.explain(0, signals),
        "panel": corral.panel(signals, gold=gold),
        "preferences": corral.preferences(make_comparisons(), judge="judge"),
        "redundancy": corral.redundancy(signals),
        "value of signal": corral.value_of_signal(labeler, signals),
        "report": corral.report(signals, labeler=labeler),
    }
    found = {name: result.to_dict() for name, result in results.items()}
    page = results["report"].to_html()
    found["elements of the page"] = {
        tag: len(re.findall(f"<{tag}[ >]", page))
        for tag in ("section", "table", "tr", "svg", "details", "h2")
    }
    return json.loads(json.dumps(found))


MAKERS = {"labels": make_labels, "results": make_results}
UNCOMPARED = {"provenance", "rows", "doubts", "seconds"}
"""What differs from run to run: versions, rows chosen among equals, times."""


def differences(stored, made, where=""):
    """Where two trees of JSON differ, numbers by more than the tolerance."""
    if isinstance(stored, dict) and isinstance(made, dict):
        for key in sorted(stored.keys() | made.keys()):
            if key not in UNCOMPARED:
                place = f"{where} / {key}"
                yield from differences(stored.get(key), made.get(key), place)
    elif isinstance(stored, list) and isinstance(made, list):
        if len(stored) != len(made):
            yield f"{where}: {len(stored)} entries, now {len(made)}"
        for i, pair in enumerate(zip(stored, made, strict=False)):
            yield from differences(*pair, f"{where}[{i}]")
    elif type(stored) in (int, float) and type(made) in (int, float):
        if not math.isclose(stored, made, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{where}: {stored}, now {made}"
    elif stored != made:
        yield f"{where}: {stored!r}, now {made!r}"


def make(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MAKERS[name]()


@pytest.mark.parametrize("name", MAKERS)
def test_equal_to_what_is_stored(name):
    stored = json.loads((FOLDER / f"{name}.json").read_text())
    assert list(differences(stored, make(name)))[:20] == []


if __name__ == "__main__":
    for name in MAKERS:
        text = json.dumps(make(name), indent=None, separators=(",", ":"))
        short = re.sub(r"-?\d+\.\d{8,}(e-?\d+)?", lambda m: f"{float(m[0]):.7g}", text)
        (FOLDER / f"{name}.json").write_text(short.replace('"},"', '"},\n"') + "\n")
