"""Large problems: certificates recomputed, answers that are known, single precision.

Fifty digits take too long here. What is proved instead: from the multipliers that a solver
found, `PlainProblem` computes the objective of its labels and a bound on all others, so
that the gap between the two needs no trust in the solver.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from corral import (
    Adagrad,
    ConstrainedLabeler,
    Entropy,
    ErrorRate,
    Projection,
    Status,
    WeakSignals,
)
from corral.errors import CorralWarning
from reliability.numbers.plain import PlainProblem

EDGES = (0.0, 1e-12, 0.01, 0.3, 0.5, 1 - 1e-12, 1.0)
ROUNDING = 1e-9
"""By how much a certificate in double precision may be off at this size."""
LABEL_ROUNDING = 1e-6
"""The same of a label: where rates cannot be met, multipliers are large, and so are the
last bits of their sums."""
NEAR = 1e-4
"""How far labels of a solve, whose gap is 1e-9, may be from the known answer."""
FEW_COPIES = 3
"""Copies of 20 signals with which every solve must converge."""
SINGLE = 1e-4
"""How far labels may move if votes are rounded to single precision."""
SOLVERS: dict[str, Callable[[], Any]] = {
    "entropy": Entropy,
    "projection": Projection,
    "uniform projection": lambda: Projection("uniform"),
    "adagrad": Adagrad,
}
SIZES = {
    "10,000 signals": (2_000, 10_000, 2),
    "10,000 signals, rates at the edge": (2_000, 10_000, 2),
    "10,000 signals, weights over 12 orders": (2_000, 10_000, 2),
    "1,000 classes": (500, 20, 1_000),
}
"""Examples, signals and classes of every problem."""


def run_large(shrink: int = 1) -> dict[str, Any]:
    """Every solver on every problem, with fewer signals and classes if `shrink` says so."""
    found: dict[str, Any] = {}
    for title, (n, m, k) in SIZES.items():
        size = n, max(m // shrink, 20), max(k // shrink, 2)
        for name in SOLVERS:
            cell = check_large(title, name, *size)
            found.setdefault(title, {})[name] = cell
            print(title, name, cell, flush=True)
    found["known"] = {
        "copies": check_copies(max(500 // shrink, 2)),
        "one signal, many classes": check_classes(max(1_000 // shrink, 3)),
    }
    # At full size no solve converges, and labels may be anywhere: so a smaller one, too.
    found["few copies"] = check_copies(FEW_COPIES)
    found["single"] = check_single_precision(max(200 // shrink, 5))
    print(found["known"], found["few copies"], found["single"], flush=True)
    return found


def find_failures(found: dict[str, Any]) -> list[str]:
    """Certificates that are not true, and answers that are not the known ones."""
    failures = [
        f"{title}, {name}: certified {cell['certified']:.2g}, true {cell['recomputed']:.2g}"
        for title in SIZES
        for name, cell in found[title].items()
        if not cell["true"]
    ]
    copies, one = found["known"].values()
    failures += [
        f"copies, {name}: {copies[name]['off']:.2g} off"
        for name in ("entropy", "projection")
        if copies[name]["converged"] and copies[name]["off"] > NEAR
    ]
    few = found["few copies"]
    failures += [
        f"few copies, {name}: {few[name]}"
        for name in ("entropy", "projection")
        if not few[name]["converged"] or few[name]["off"] > NEAR
    ]
    if one["off"] > NEAR:
        failures.append(f"{one['classes']} classes: {one['off']:.2g} off")
    for name in SOLVERS:
        one = found["single"][name]
        if one["off"] > SINGLE or not one["same_status"]:
            failures.append(f"single precision, {name}: {one}")
    return failures


def check_large(title: str, name: str, n: int, m: int, k: int) -> dict[str, Any]:
    """Solve a problem, and compare what is certified with what plain formulas give."""
    rng = np.random.default_rng(0)
    table = random_votes(rng, n, m, k)
    signals = WeakSignals.from_votes(table, classes=range(k))
    at_edge, weighted = "edge" in title, "weights" in title
    rates = rng.choice(EDGES, m) if at_edge else np.full(m, 0.25)
    weight = 10 ** rng.uniform(-6, 6, m) if weighted else np.ones(m)
    rules = [
        ErrorRate(i, equal=float(rates[i]), weight=float(weight[i])) for i in range(m)
    ]
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CorralWarning)
        labeler = ConstrainedLabeler(
            None if weighted else rates.tolist(),
            SOLVERS[name](),
            constraints=rules if weighted else (),
            allow_above_chance=True,
        ).fit(signals)
    seconds = time.monotonic() - began
    solution = labeler.solution_
    joint = name == "entropy" and k > 2
    slack = 1.0 if name == "adagrad" else labeler.solver.slack
    columns = table.tocsc()
    votes = [
        (columns.indices[a:b], columns.data[a:b])
        for a, b in zip(columns.indptr[:-1], columns.indptr[1:], strict=True)
    ]
    plain = PlainProblem(votes, n, k, rates, weight, slack, joint)
    inverse = signals.patterns.inverse
    labels = solution.labels[:, inverse].T
    if name == "adagrad":
        recomputed, off = plain.least_squares(labels.astype(np.longdouble))[1], 0.0
    else:
        given = np.asarray(solution.model.multipliers, np.longdouble)
        x = given[:, None] if joint or k == 2 else given.reshape(k, m).T
        recomputed, y = plain.gap(solution.model.potential, x)
        off = float(np.abs(y - labels).max())
    true = recomputed <= solution.gap * (1 + 1e-6) + ROUNDING and off <= LABEL_ROUNDING
    return {
        "size": [n, m, k],
        "status": str(solution.status),
        "converged": solution.status is not Status.NOT_CONVERGED,
        "certified": float(solution.gap),
        "recomputed": float(recomputed),
        "labels_off": off,
        "true": bool(true and np.isfinite(labels).all()),
        "seconds": round(seconds, 1),
    }


def random_votes(rng: np.random.Generator, n: int, m: int, k: int) -> csr_array:
    """(n, m) votes, ten or twenty per example, three of four right."""
    per = min(20, max(m // 2, 2))
    truth, task = rng.integers(0, k, n), np.repeat(np.arange(n), per)
    # Signals in one random order after the other, so that all of them vote as often.
    lines = m // per
    orders = [rng.permutation(m)[: lines * per] for _ in range(-(-n // lines))]
    worker = np.concatenate(orders)[: n * per]
    right = rng.random(len(task)) < 0.75
    said = np.where(right, truth[task], rng.integers(0, k, len(task)))
    return csr_array((said, (task, worker)), shape=(n, m))


def check_copies(copies: int) -> dict[str, Any]:
    """So many copies of 20 signals give the labels of 20 with that weight.

    If the solve converged, that is; otherwise it says so, and labels may be anywhere.
    """
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    votes = np.where(rng.random((300, 20)) < 0.75, truth[:, None], 1 - truth[:, None])
    votes[rng.random(votes.shape) < 0.5] = -1
    rates = rng.uniform(0.1, 0.4, 20)
    rules = [ErrorRate(i, equal=r, weight=copies) for i, r in enumerate(rates.tolist())]
    off = {}
    for name in ("entropy", "projection"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CorralWarning)
            few = ConstrainedLabeler(None, SOLVERS[name](), constraints=rules)
            many = ConstrainedLabeler(np.tile(rates, copies).tolist(), SOLVERS[name]())
            few.fit(WeakSignals.from_votes(votes, classes=[0, 1]))
            many.fit(WeakSignals.from_votes(np.tile(votes, copies), classes=[0, 1]))
        apart = float(np.abs(few.labels_ - many.labels_).max())
        done = many.solution_.status is not Status.NOT_CONVERGED
        off[name] = {"off": apart, "converged": done}
    return {"signals": 20 * copies, **off}


def check_classes(k: int, rate: float = 0.3) -> dict[str, Any]:
    """One signal that says every class once: the label is known up to one equation.

    By symmetry the class that it says gets ``1 - e``, all others the same. The multiplier
    of greatest entropy is ``log((1 - e) (k - 1) / e)``, and slack makes ``e`` larger or
    smaller than the rate by slack times the multiplier.
    """
    from mpmath import findroot, log, mpf

    slack = mpf(Entropy().slack)
    wrong = findroot(
        lambda e: e - mpf(rate) - slack * log((1 - e) * (k - 1) / e), mpf(rate)
    )
    signals = WeakSignals.from_votes(np.arange(k)[:, None], classes=range(k))
    labels = ConstrainedLabeler([rate], "entropy").fit(signals).labels_
    expected = np.full((k, k), float(wrong / (k - 1)))
    np.fill_diagonal(expected, float(1 - wrong))
    return {"classes": k, "off": float(np.abs(labels - expected).max())}


def check_single_precision(m: int) -> dict[str, Any]:
    """Probabilities in float32 against float64; rates are those of labels that exist."""
    rng = np.random.default_rng(2)
    truth = np.eye(5)[rng.integers(0, 5, 400)]
    labels = 0.5 * truth + 0.5 * rng.dirichlet(np.ones(5), 400)
    said = 0.5 * truth[:, None] + 0.5 * rng.dirichlet(np.ones(5), (400, m))
    said[rng.random((400, m)) < 0.5] = np.nan
    own = labels[:, None]
    rates = np.nanmean(said * (1 - own) + (1 - said) * own, axis=0)
    single = said.astype(np.float32)
    found: dict[str, Any] = {"signals": m}
    for name in SOLVERS:
        fits = []
        for given in (said, single, single.astype(float)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CorralWarning)
                labeler = ConstrainedLabeler(
                    rates, SOLVERS[name](), allow_above_chance=True
                )
                fits.append(labeler.fit(WeakSignals.from_probabilities(given)))
        exact, short, same = fits
        found[name] = {
            "off": float(np.abs(short.labels_ - exact.labels_).max()),
            "same_numbers_off": float(np.abs(short.labels_ - same.labels_).max()),
            "same_status": exact.solution_.status == short.solution_.status,
        }
    return found
