"""The primal problems of the dual solvers, solved by a general method on dense arrays."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.special import xlogy


def dense(space):
    """A (r, n_labels * u) that sums over examples, and b: errors are A y + b."""
    weights = np.tile(space.design.weights, space.design.n_labels)
    return space.matrix() * weights, space.rows.mean


def entropy(y, multilabel):
    """Entropy per pattern of labels (n_labels, p)."""
    if multilabel or len(y) == 1:
        return -(xlogy(y, y) + xlogy(1 - y, 1 - y)).sum(axis=0)
    return -xlogy(y, y).sum(axis=0)


def penalty(space, y, slack):
    """What it costs that errors leave their intervals."""
    a, b = dense(space)
    errors = a @ y.ravel() + b
    off = errors - np.clip(errors, *space.interval)
    return (space.row_weight * off**2).sum() / (2 * slack)


def objective(space, y, slack, prefer):
    """Mean of `prefer` over the examples, less the penalty."""
    weights = space.design.weights
    return weights @ prefer(y) / weights.sum() - penalty(space, y, slack)


def best(space, slack, prefer, *, simplex):
    """Labels (n_labels, p) of greatest objective, by an interior-point method."""
    shape = (space.design.n_labels, space.design.n_patterns)
    tiny = 1e-9
    constraints = []
    if simplex:
        sums = np.tile(np.eye(shape[1]), shape[0])
        constraints.append(LinearConstraint(sums, 1, 1))
    start = np.full(shape, 1 / shape[0] if simplex else 0.5)
    found = minimize(
        lambda y: -objective(space, y.reshape(shape), slack, prefer),
        start.ravel(),
        method="SLSQP",
        bounds=Bounds(tiny, 1 - tiny),
        constraints=constraints,
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return found.x.reshape(shape)
