"""Comparisons of pairs, made at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corral.errors import ParameterError


def random_comparisons(
    n: int,
    strengths: Mapping[str, float],
    judges: Mapping[str, tuple[float, float]],
    *,
    ties: float = 0.5,
    shared: float = 0.0,
    seed: int = 0,
) -> dict[str, NDArray[Any]]:
    """Verdicts of judges of known quality on pairs of items of known strength.

    Parameters
    ----------
    n : int
        Tasks, each a random pair in random order.
    strengths : mapping of item to float
        In log-odds.
    judges : mapping of judge to (sensitivity, position bias)
        A sensitivity of 0 is a judge who does not look, one below 0 prefers the weaker. A
        bias above 0, in log-odds, favours what is shown first.
    ties : float
        How much likelier a tie is than a win of either, where items are equal.
    shared : float
        0: a random judge per task, errors are independent. Above: every judge has every
        task, and all see the same gap, which is off by a normal number of this scale.
    seed : int

    Returns
    -------
    dict of arrays
        The columns ``a`` (shown first), ``b``, ``winner`` ("a", "b" or "tie"), ``judge``
        and ``task``.

    Examples
    --------
    >>> from corral.datasets import random_comparisons
    >>> made = random_comparisons(2, {"x": 1, "y": 0}, {"judge": (1, 0)})
    >>> list(made), len(made["a"])
    (['a', 'b', 'winner', 'judge', 'task'], 2)
    """
    if len(strengths) < 2 or not judges:
        raise ParameterError("two strengths or more, and a judge, are needed.")
    draw = np.random.default_rng(seed)
    items, names = np.array(list(strengths)), np.array(list(judges))
    a = draw.integers(len(items), size=n)
    b = (a + draw.integers(1, len(items), size=n)) % len(items)
    values = np.array(list(strengths.values()), float)
    gaps = values[a] - values[b] + shared * draw.standard_normal(n)
    task, each = np.arange(n), draw.integers(len(names), size=n)
    if shared:
        task, each = np.divmod(np.arange(n * len(names)), len(names))
    sensitivity, bias = np.array(list(judges.values()), float)[each].T
    half = (sensitivity * gaps[task] + bias) / 2
    chances = np.column_stack([np.exp(half), np.exp(-half), np.full(len(half), ties)])
    below = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    said = (draw.random((len(half), 1)) > below[:, :2]).sum(axis=1)
    return {
        "a": items[a[task]],
        "b": items[b[task]],
        "winner": np.array(["a", "b", "tie"])[said],
        "judge": names[each],
        "task": task,
    }
