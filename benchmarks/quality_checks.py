"""What `benchmarks.quality` checks of the default beyond its scores.

Whether its intervals hold the true rates, what noisy copies change, what soft signals are
worth, what every step of it is worth, and how its constants do on sets they were not
chosen on.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from unittest import mock

import numpy as np
from corral.rates.copies import find_leaders
from corral.rates.vote_features import VoteFeatures, vote_features
from rich.progress import track

from benchmarks.measure import time_in_turns
from benchmarks.methods import vote_share
from benchmarks.sets import VoteSet
from benchmarks.simulated import add_noisy_copies
from corral import ConstrainedLabeler, DawidSkene, WeakSignals
from corral._types import FloatArray, IntArray
from corral.datasets import random_votes
from corral.decisions import winner_shares
from corral.rates import Auto, auto, independence

LEVEL = 1.645
"""Standard errors to either side of a 90% interval."""
FEWEST = 20
"""Votes on examples with gold from which the error rate of a signal is known."""
NEAR_BEST = 0.1
"""Constants whose mean gain is so near the best are chosen between by log-loss."""
GRID = {
    "MOST_EXCESS": (0.2, 0.3, 0.4, 0.5),
    "ANCHOR": (0.3, 0.5, 0.7),
    "BELIEF": (0.0, 0.25, 0.5),
    "TEMPERING": (0.35, 0.5),
    "FLOOR": (0.02, 0.05, 0.1),
}
HOME = dict.fromkeys(GRID, auto) | {"MOST_EXCESS": independence}
"""The module that has the constant."""


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


@dataclass(frozen=True)
class Prepared:
    """A set whose copies are found, so that the rest of `Auto` is quick to repeat."""

    one: VoteSet

    @cached_property
    def features(self) -> VoteFeatures:
        """All columns."""
        return vote_features(self.one.signals)

    @cached_property
    def leader(self) -> IntArray:
        """The column that every column repeats."""
        return find_leaders(self.features)

    @cached_property
    def leaders(self) -> VoteFeatures:
        """Those that repeat no other."""
        return self.features.merge_columns(self.leader)

    @cached_property
    def vote(self) -> dict[str, float]:
        """Scores of the vote."""
        return self.one.score(vote_share(self.one))

    def fit(self, *, copies: bool = True) -> auto.Fit:
        """`Auto` as it is patched now."""
        if copies:
            return auto.fit_distinct(self.leaders, self.leader)
        every = np.arange(self.features.n_columns)
        return auto.fit_distinct(self.features, every)

    def gain(self, labels: FloatArray, floor: float) -> tuple[float, float]:
        """Gain over the vote and log-loss of labels (u, k) of the patterns."""
        rows = labels[self.one.signals.patterns.inverse]
        found = self.one.score((1 - floor) * rows + floor / self.one.k)
        return found["score"] - self.vote["score"], found["log_loss"]


def all_raters(features: VoteFeatures) -> FloatArray:
    """Every signal is taken for a rater, so its lifts are learned."""
    return np.ones(features.n_columns)


def no_panel(_: VoteFeatures, rater: FloatArray) -> tuple[Any, float]:
    """No raters are held against rules."""
    return np.zeros(len(rater), bool), 0.0


ABLATIONS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "copies count in full": {},
    "no anchor": {"ANCHOR": 0.0},
    "anchor 1: learned from the vote": {"ANCHOR": 1.0},
    "rules learned": {"find_raters": all_raters},
    "no tempering": {"TEMPERING": 0.0},
    "no floor": {"FLOOR": 0.0},
    "raters not held against rules": {"find_panel": no_panel},
    "independence not looked for": {"find_evidence": lambda *_: 0.0},
}


def ablation(sets: list[Prepared]) -> dict[str, dict[str, Any]]:
    """Gain over the vote and log-loss by kind, with one step of `Auto` changed."""
    rows = {}
    for name, changes in track(list(ABLATIONS.items()), "ablation"):
        copies = name != "copies count in full"
        gains, losses = defaultdict(list), defaultdict(list)
        worst = (np.inf, "")
        with ExitStack() as stack:
            for constant, value in changes.items():
                stack.enter_context(mock.patch.object(auto, constant, value))
            for each in sets:
                fit = each.fit(copies=copies)
                gain, loss = each.gain(fit.find_labels(), fit.floor)
                gains[each.one.kind].append(gain)
                losses[each.one.kind].append(loss)
                worst = min(worst, (gain, each.one.name))
        rows[name] = {
            **{kind: mean(values) for kind, values in gains.items()},
            "log-loss": f"{mean(mean(values) for values in losses.values()):.3f}",
            "worst": worst[0],
            "on": worst[1],
        }
    return rows


def leave_one_family_out(sets: list[Prepared]) -> dict[str, Any]:
    """Scores of families under constants that were chosen on all others.

    Of the points of `GRID` whose mean gain over families is within `NEAR_BEST` of the
    best, the one with the least mean log-loss is chosen.
    """
    points = list(itertools.product(*GRID.values()))
    found = np.array([_grid_gains(each) for each in track(sets, "constants")])
    family = np.array([each.one.family for each in sets])
    names = np.unique(family)
    means = np.stack([found[family == name].mean(axis=0) for name in names])
    own = points.index(tuple(getattr(home, name) for name, home in HOME.items()))
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


def _means_by_kind(sets: list[Prepared], found: FloatArray) -> dict[str, Any]:
    """Mean gain by kind and over families, and the log-loss, of (sets, 2) of both."""
    by_kind, by_family = defaultdict(list), defaultdict(list)
    for each, both in zip(sets, found, strict=True):
        by_kind[each.one.kind].append(both)
        by_family[each.one.family].append(both)
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


def _grid_gains(each: Prepared) -> list[tuple[float, float]]:
    """Gain and log-loss at every point of the grid."""
    found = []
    fitted = ("MOST_EXCESS", "ANCHOR", "BELIEF")
    for point in itertools.product(*(GRID[name] for name in fitted)):
        patched = dict(zip(fitted, point, strict=True)) | {
            "TEMPERING": 1.0,
            "FLOOR": 1.0,
        }
        with ExitStack() as stack:
            for name, value in patched.items():
                stack.enter_context(mock.patch.object(HOME[name], name, value))
            fit = each.fit()
        for tempering in GRID["TEMPERING"]:
            labels = replace(fit, tempering=tempering * fit.tempering).find_labels()
            found += [each.gain(labels, floor * fit.floor) for floor in GRID["FLOOR"]]
    return found
