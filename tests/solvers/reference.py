"""The primal problems of the dual solvers, solved by a general method on dense arrays."""

from dataclasses import replace

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.special import xlogy


def dense(system):
    """A (r, u * n_labels) that sums over examples, and b: errors are A y.ravel() + b."""
    table = system.matrix().reshape(len(system), system.n_labels, -1)
    summed = (table * system.weights).transpose(0, 2, 1)
    return summed.reshape(len(system), -1), system.constant


def entropy(y, multilabel):
    """Entropy per distinct row of labels (u, n_labels)."""
    if multilabel or y.shape[1] == 1:
        return -(xlogy(y, y) + xlogy(1 - y, 1 - y)).sum(axis=1)
    return -xlogy(y, y).sum(axis=1)


def nearness(y):
    """Minus half the squared distance to one half, per distinct row."""
    return -((y - 0.5) ** 2).sum(axis=1) / 2


def objective(system, y, slack, prefer):
    """Mean of `prefer` over the examples, less what it costs to leave the intervals."""
    a, b = dense(system)
    errors = a @ y.ravel() + b
    off = errors - np.clip(errors, system.lower, system.upper)
    penalty = (system.weight * off**2).sum() / (2 * slack)
    return system.weights @ prefer(y) / system.weights.sum() - penalty


def best(system, slack, prefer, *, simplex):
    """Labels (u, n_labels) of greatest objective, by a general method."""
    u, k = system.n_rows, system.n_labels
    tiny = 1e-9
    constraints = []
    if simplex:
        sums = np.kron(np.eye(u), np.ones(k))
        constraints.append(LinearConstraint(sums, 1, 1))
    start = np.full((u, k), 1 / k if simplex else 0.5)
    found = minimize(
        lambda y: -objective(system, y.reshape(u, k), slack, prefer),
        start.ravel(),
        method="SLSQP",
        bounds=Bounds(tiny, 1 - tiny),
        constraints=constraints,
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return found.x.reshape(u, k)


def bounded(system, lower=-np.inf, upper=np.inf):
    """The same rows with other intervals."""
    low, high = (np.broadcast_to(x, len(system)).astype(float) for x in (lower, upper))
    return replace(system, lower=low, upper=high)
