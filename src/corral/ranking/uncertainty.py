"""How sure strengths and judges are: by Fisher information, or by tasks (sandwich)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array
from scipy.stats import norm

from corral._types import FloatArray
from corral.ranking.comparisons import TASK, Comparisons
from corral.ranking.davidson import SENSITIVITY
from corral.ranking.fit import Fit

AT_ONCE = 2_000_000
"""Numbers in the solutions that are held at once."""


def normal_reach(level: float) -> float:
    """Standard deviations between the middle of a normal interval and its ends.

    Examples
    --------
    >>> from corral.ranking.uncertainty import normal_reach
    >>> round(normal_reach(0.9), 3)
    1.645
    """
    # From the side of the tail, which is no zero however near to one the level is.
    return float(norm.isf((1 - level) / 2))


def find_covariance(
    fit: Fit, tasks: Comparisons | None
) -> tuple[FloatArray, FloatArray]:
    """Covariance (K, K) of strengths, and variances (J, 3) of what judges are like.

    By the Fisher information, as if no verdict depended on another. With tasks, verdicts
    on the same task may depend on each other in any way (a clustered sandwich).

    Parameters
    ----------
    fit : Fit
    tasks : Comparisons, optional
        The same comparisons, with the key `TASK`.
    """
    layout = fit.layout
    spread = None if tasks is None else _sum_tasks(fit, tasks)
    q = len(layout.estimated)
    items = np.eye(layout.n_items) - layout.same
    judges = np.zeros((layout.n_judges, q, layout.n_items))
    found, numbers = fit.information.solve(items, judges)
    if spread is None:
        covariance = layout.centre(found)
    else:
        both = np.vstack([found, numbers.reshape(-1, layout.n_items)])
        covariance = both.T @ (spread @ both)
    variances = np.zeros((layout.n_judges, 3))
    for some, values in _judge_variances(fit, spread):
        variances[some, :] = values
    return (covariance + covariance.T) / 2, variances


def _judge_variances(
    fit: Fit, spread: csr_array | None
) -> Iterator[tuple[slice, FloatArray]]:
    """Some judges after the other: (c, 3) variances of theirs, zero if not estimated."""
    layout, q = fit.layout, len(fit.layout.estimated)
    J, K = layout.n_judges, layout.n_items
    if not q:
        return
    step = max(1, AT_ONCE // ((K + J * q) * q))
    for start in range(0, J, step):
        some = slice(start, min(start + step, J))
        size = some.stop - start
        units = np.zeros((J, q, size * q))
        units[some] = np.eye(size * q).reshape(size, q, -1)
        found, numbers = fit.information.solve(np.zeros((K, size * q)), units)
        if spread is None:
            own = np.diagonal(numbers[some].reshape(size * q, -1))
        else:
            both = np.vstack([found, numbers.reshape(J * q, -1)])
            own = np.sum(both * (spread @ both), axis=0)
        values = np.zeros((size, 3))
        values[:, layout.estimated] = own.reshape(size, q)
        yield some, values


def _sum_tasks(fit: Fit, data: Comparisons) -> csr_array:
    """Squares and products of the slopes of tasks, summed: the middle of the sandwich."""
    layout, at = fit.layout, fit.parameters
    verdicts = at.judge(data)
    q, K = len(layout.estimated), layout.n_items
    by_item = at.judges[:, SENSITIVITY][data.judge] * verdicts.eta
    by_number = layout.by_judge_number(at.gaps(data), verdicts.eta, verdicts.tau)
    values = [by_item, -by_item, *by_number]
    places = [data.first, data.second]
    places += [K + data.judge * q + i for i in range(q)]
    task = data.keys[TASK]
    n_tasks = int(task.max()) + 1
    slopes = csr_array(
        (np.concatenate(values), (np.tile(task, len(values)), np.concatenate(places))),
        shape=(n_tasks, K + layout.n_judges * q),
    )
    return slopes.T @ slopes * (n_tasks / max(n_tasks - 1, 1))
