"""What `benchmarks.quality` checks of the default beyond its scores.

Whether its intervals hold the true rates, what noisy copies change, what soft signals and
its constants are worth, and how these do on sets that they were not chosen on.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any
from unittest import mock

import numpy as np
from rich.progress import track

from benchmarks.measure import time_in_turns
from benchmarks.methods import vote_share
from benchmarks.sets import VoteSet
from benchmarks.simulated import add_noisy_copies
from corral import ConstrainedLabeler, DawidSkene, WeakSignals
from corral._types import FloatArray
from corral.datasets import random_votes
from corral.decisions import winner_shares
from corral.rates import Auto, default

LEVEL = 1.645
"""Standard errors to either side of a 90% interval."""
FEWEST = 20
"""Votes on examples with gold from which the error rate of a signal is known."""
NEAR_BEST = 0.1
"""Constants whose mean gain is so near the best are chosen between by log-loss."""
GRID = {
    "ASSUMED": (0.65, 0.75, 0.85),
    "CORRELATION": (0.2, 1 / 3, 0.5),
    "PRIOR": (2.0, 5.0, 10.0),
    "FLOOR": (0.02, 0.05, 0.1),
}
"""Constants of the default."""


def mean(values: Iterable[float]) -> float:
    """A plain number."""
    return float(np.mean(list(values)))


def interval_coverage(sets: list[VoteSet]) -> dict[str, dict[str, float]]:
    """By kind: how many 90% intervals hold the true rate, mean over sets.

    Where gold is partial, the true rate is itself an estimate, whose sampling error is
    added to the standard error.
    """
    found: dict[str, list[tuple[float, float, float, int]]] = defaultdict(list)
    for one in track(sets, "intervals"):
        rates = Auto().estimate(one.signals)
        known = one.gold >= 0
        said = (one.votes >= 0) & known[:, None]
        number = said.sum(axis=0)
        wrong = ((one.votes != one.gold[:, None]) & said).sum(axis=0)
        at = np.flatnonzero(number >= FEWEST)
        if not len(at):
            continue
        true = wrong[at] / number[at]
        partial = number[at] < (one.votes >= 0).sum(axis=0)[at]
        sampling = partial * true * (1 - true) / number[at]
        off = rates.error_rates[at] - true
        half = LEVEL * np.sqrt(rates.standard_errors[at] ** 2 + sampling)
        held = float((np.abs(off) <= half).mean())
        learned = rates.learned
        assert learned is not None
        found[one.kind].append((held, float(off.mean()), learned[at].mean(), len(at)))
    return {
        kind: {
            "sets": len(rows),
            "signals": sum(row[3] for row in rows),
            "held": mean(row[0] for row in rows),
            "bias": mean(row[1] for row in rows),
            "learned": mean(row[2] for row in rows),
        }
        for kind, rows in found.items()
    }


def copies_change(sets: list[VoteSet], draws: int) -> dict[str, dict[str, float]]:
    """By kind: per cent of hard labels that three noisy copies of a signal change."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for at, one in enumerate(track(sets, "copies")):
        before = [m(one) for m in (vote_share, default_labels)]
        changes = []
        for draw in range(draws):
            more = add_noisy_copies(one, np.random.default_rng([at, draw]))
            after = [m(more) for m in (vote_share, default_labels)]
            changes.append(
                [share_changed(a, b) for a, b in zip(before, after, strict=True)]
            )
        found[one.kind].append(tuple(np.mean(changes, axis=0)))
    return {
        kind: {"vote": mean(r[0] for r in rows), "Auto": mean(r[1] for r in rows)}
        for kind, rows in found.items()
    }


def default_labels(one: VoteSet) -> FloatArray:
    """(n, k) labels of the default."""
    labels: FloatArray = ConstrainedLabeler().fit(one.signals).labels_
    return labels


def share_changed(a: FloatArray, b: FloatArray) -> float:
    """Per cent of the hard labels that differ, ties in shares."""
    moved = np.abs(winner_shares(a) - winner_shares(b)).sum(axis=1)
    return 50 * float(moved.mean())


def soft_scores(sets: list[VoteSet]) -> dict[str, dict[str, dict[str, float]]]:
    """Scores by soft set: of the default on probabilities, and of simpler things."""
    found = {}
    for one in track(sets, "soft signals"):
        assert one.probabilities is not None
        silent = np.isnan(one.probabilities)
        filled = np.where(silent, 1 / one.k, one.probabilities)
        spoken = np.maximum((~silent[:, :, 0]).sum(axis=1), 1)
        average = np.where(silent, 0, one.probabilities).sum(axis=1) / spoken[:, None]
        alone = [one.score(filled[:, i]) for i in range(filled.shape[1])]
        labeler = ConstrainedLabeler().fit(one.soft_signals)
        found[one.name] = {
            "vote share": one.score(vote_share(one)),
            "averaging": one.score(average),
            "best signal": max(alone, key=lambda s: s["score"]),
            "Auto, votes": one.score(default_labels(one)),
            "Auto, probabilities": one.score(labeler.labels_),
        }
    return found


def time_of_a_million(n: int) -> dict[str, float]:
    """Seconds from an array of votes (n, 10) to labels; medians of time_in_turns runs."""
    votes, _ = random_votes(n, np.linspace(0.6, 0.9, 10).tolist(), coverage=0.7)

    def work(make: Any) -> Any:
        return lambda: make().fit(WeakSignals.from_votes(votes)).labels_

    seconds = time_in_turns(
        {"Auto": work(ConstrainedLabeler), "Dawid-Skene": work(DawidSkene)}, runs=5
    )
    return {"n": n, **seconds, "ratio": seconds["Auto"] / seconds["Dawid-Skene"]}


ABLATIONS: dict[str, dict[str, float]] = {
    "as it is": {},
    "not shrunk": {"PRIOR": 0.0},
    "half of all votes informed, where they cannot tell": {"ASSUMED": 0.5},
    "votes independent, no shares": {"CORRELATION": 0.0},
    "no floor": {"FLOOR": 0.0},
}


def ablation(sets: list[VoteSet]) -> dict[str, dict[str, Any]]:
    """Gain over the vote and log-loss by kind, with one constant of `Auto` changed."""
    rows = {}
    for name, changes in track(list(ABLATIONS.items()), "ablation"):
        gains, losses = defaultdict(list), defaultdict(list)
        worst = (np.inf, "")
        for one in sets:
            gain, loss = find_gain(one, changes)
            gains[one.kind].append(gain)
            losses[one.kind].append(loss)
            worst = min(worst, (gain, one.name))
        rows[name] = {
            **{kind: mean(values) for kind, values in gains.items()},
            "log-loss": f"{mean(mean(values) for values in losses.values()):.3f}",
            "worst": worst[0],
            "on": worst[1],
        }
    return rows


def find_gain(one: VoteSet, constants: dict[str, float]) -> tuple[float, float]:
    """Gain over the vote and log-loss of the default with other constants."""
    with mock.patch.multiple(default, **constants):
        found = one.score(default_labels(one))
    return found["score"] - one.score(vote_share(one))["score"], found["log_loss"]


def leave_one_family_out(sets: list[VoteSet]) -> dict[str, Any]:
    """Scores of families under constants that were chosen on all others.

    Of the points of `GRID` whose mean gain over families is within `NEAR_BEST` of the
    best, the one with the least mean log-loss is chosen.
    """
    points = list(itertools.product(*GRID.values()))
    found = np.array(
        [
            [find_gain(one, dict(zip(GRID, point, strict=True))) for point in points]
            for one in track(sets, "constants")
        ]
    )
    family = np.array([one.family for one in sets])
    names = np.unique(family)
    means = np.stack([found[family == name].mean(axis=0) for name in names])
    own = points.index(tuple(getattr(default, name) for name in GRID))
    chosen = {
        name: _choose(np.delete(means, at, axis=0).mean(axis=0))
        for at, name in enumerate(names)
    }
    left_out = [chosen[name] for name in family]
    best = _choose(means.mean(axis=0))
    return {
        "means": {
            "constants in the code": _means_by_kind(sets, found[:, own]),
            "chosen without the family": _means_by_kind(
                sets, found[np.arange(len(sets)), left_out]
            ),
            "chosen on all": _means_by_kind(sets, found[:, best]),
        },
        "chosen": {
            ", ".join(
                f"{name} {x}" for name, x in zip(GRID, points[at], strict=True)
            ): {"families": number}
            for at, number in Counter(chosen.values()).most_common()
        },
    }


def _means_by_kind(sets: list[VoteSet], found: FloatArray) -> dict[str, Any]:
    """Mean gain by kind and over families, and the log-loss, of (sets, 2) of both."""
    by_kind, by_family = defaultdict(list), defaultdict(list)
    for one, both in zip(sets, found, strict=True):
        by_kind[one.kind].append(both)
        by_family[one.family].append(both)
    families = np.mean([np.mean(rows, axis=0) for rows in by_family.values()], axis=0)
    return {
        **{kind: mean(row[0] for row in rows) for kind, rows in by_kind.items()},
        "families": float(families[0]),
        "log-loss": f"{families[1]:.3f}",
    }


def _choose(means: FloatArray) -> int:
    """The point to take, given mean gain and log-loss (points, 2)."""
    near = means[:, 0] >= means[:, 0].max() - NEAR_BEST
    return int(np.where(near, means[:, 1], np.inf).argmin())
