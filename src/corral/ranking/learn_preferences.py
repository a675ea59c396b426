"""``corral.preferences``: comparisons in, strengths, judges and soft preferences out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from corral._types import FloatArray, IntArray
from corral.checks import check_choice, check_share
from corral.errors import ParameterError, SignalsError
from corral.ranking.comparisons import TASK, Comparisons
from corral.ranking.connections import (
    check_bounds,
    find_groups,
    find_unbounded,
    refuse_groups,
)
from corral.ranking.davidson import Parameters
from corral.ranking.fit import fit_comparisons
from corral.ranking.judges import describe_judges
from corral.ranking.pairs import find_preferences
from corral.ranking.preferences_result import Preferences
from corral.ranking.read_comparisons import ComparisonReader
from corral.ranking.slices import fit_slices
from corral.ranking.uncertainty import find_covariance, normal_reach

FEWEST_TASKS = 20
"""Tasks from which on their differences tell how sure strengths are; of one, all slopes
add up to zero, and no interval is left."""
LEAST_PRIOR = 1e-50
"""Its fourth power, of which intervals are made, is a number still."""
MOST_ITEMS = 5000
"""Items up to which all pairs of strengths have a covariance, which takes 200 MB."""


def preferences(
    table: Any,
    *,
    a: str = "a",
    b: str = "b",
    winner: str = "winner",
    judge: str | None = None,
    first: str | None = "a",
    task: str | None = None,
    slices: str | Sequence[str] | None = None,
    counts: str | None = None,
    verdicts: Mapping[Any, str] | None = None,
    prior: float = 5.0,
    unconnected: str = "refuse",
    level: float = 0.9,
) -> Preferences:
    r"""Who is preferred, and by whom: strengths of items from comparisons of pairs.

    Judges may be of any quality: how well each tells items apart, whether it favours what
    it sees first, and how often it calls a tie are learned with the strengths.

    Parameters
    ----------
    table : path, data frame, lazy frame, relation, mapping of columns, or array
        One comparison per row. An array has the columns a, b, winner, judge and first, as
        many as there are; with two of them, a is the winner.
    a, b : str
        The columns of the two items.
    winner : str
        The column of verdicts: the name of an item; or a, b, left, right, the name of
        their column; or tie, draw, both, neither. Missing ones are left out. "a": the
        winner always stands in the first column.
    judge : str, optional
        The column of judges; default: all verdicts are of one.
    first : str, optional
        The column that says which item was shown first, as `winner` does. "a": always the
        item in the first column. None: not known, so no position bias is learned.
    task : str, optional
        The column of what items were compared on, such as a prompt. Verdicts on one task
        are then not taken for independent: intervals are wider if they are not. It takes
        20 tasks or more.
    slices : str or sequence of str, optional
        Columns whose values get strengths of their own.
    counts : str, optional
        A column of numbers: how often a row occurs.
    verdicts : mapping, optional
        What other values mean, such as ``{"1": "a", "2": "b", "0": "tie"}``.
    prior : float
        Standard deviation of a normal prior of strengths, in log-odds. The default is
        weak, and keeps items that always win from being infinitely strong; from 1e-50
        to ``inf``, which is none.
    unconnected : "refuse" or "separate"
        What to do if some items are never compared with others, even through third ones.
        "separate": strengths have mean zero in each such group.
    level : float
        Probability of the intervals.

    Returns
    -------
    Preferences

    Notes
    -----
    A judge of sensitivity :math:`\alpha`, position bias :math:`\beta` and readiness for
    ties :math:`\tau` prefers the first item, neither or the second in proportion to
    :math:`e^{\eta/2}`, :math:`e^\tau` and :math:`e^{-\eta/2}`, where
    :math:`\eta = \alpha(\theta_{first} - \theta_{second}) + \beta`. That is Davidson's
    form of the model of Bradley and Terry. Judges are drawn to each other as far as they
    are alike. The mean square of the sensitivities, by verdicts, is one.

    Examples
    --------
    >>> import corral
    >>> rows = 9 * [("x", "y", "x")] + 4 * [("y", "x", "y")] + 6 * [("y", "z", "tie")]
    >>> rows += 6 * [("y", "x", "x")] + 5 * [("z", "y", "y")] + 3 * [("z", "x", "z")]
    >>> found = corral.preferences(rows + 4 * [("y", "z", "z")] + 8 * [("z", "x", "x")])
    >>> found.items
    ('x', 'y', 'z')
    >>> round(found.preference("x", "y")[0], 2)
    0.8
    """
    check_share("level", level, "between 0 and 1")
    check_choice("unconnected", unconnected, ("refuse", "separate"))
    if (
        not isinstance(prior, Real)
        or isinstance(prior, bool)
        or not prior >= LEAST_PRIOR
    ):
        raise ParameterError(
            f"must be a number from {LEAST_PRIOR:g}, or infinite; {prior!r} was given.",
            parameter="prior",
        )
    named = [slices] if isinstance(slices, str) else list(slices or ())
    reader = ComparisonReader(
        a=a,
        b=b,
        winner=winner,
        judge=judge,
        first=first,
        task=task,
        slices=named,
        counts=counts,
        verdicts=verdicts or {},
    )
    data, reading = reader.read(table)
    with _blas().limit(limits=1, user_api="blas"):  # threads would wait for each other
        return rank_comparisons(
            data,
            reading,
            prior=float(prior),
            unconnected=unconnected,
            level=float(level),
        )


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()  # looking for the libraries takes a while


def rank_comparisons(
    data: Comparisons, reading: str, *, prior: float, unconnected: str, level: float
) -> Preferences:
    """What `preferences` does once the table is read."""
    if len(data.items) > MOST_ITEMS:
        raise SignalsError(
            f"{len(data.items):,} items were compared, and the intervals of more than "
            f"{MOST_ITEMS:,} do not fit in memory. Leave out those with few comparisons."
        )
    n_tasks = len(data.key_values.get(TASK, ()))
    if 0 < n_tasks < FEWEST_TASKS:
        raise SignalsError(
            f"the verdicts are on {n_tasks} task{'s' * (n_tasks != 1)}, too few to learn "
            f"intervals from: `task=` takes {FEWEST_TASKS} or more, such as "
            f"prompts. Leave it out; `slices=` is for topics and the like."
        )
    plain = data.sum_by()
    group, bounded = find_groups(plain), find_unbounded(plain)
    if unconnected == "refuse":
        refuse_groups(plain, group)
    notes = check_bounds(plain, group, bounded, prior)
    fit = fit_comparisons(plain, prior, group)
    covariance, variances = find_covariance(fit, None)
    weight = 1.0
    if TASK in data.keys:
        independent = float(np.trace(covariance))
        covariance, variances = find_covariance(fit, data.sum_by([TASK]))
        weight = min(1.0, independent / float(np.trace(covariance)))
    order = np.lexsort((-fit.parameters.strengths, group))  # the strongest first
    data, group, covariance = (
        data.reorder(order),
        group[order],
        covariance[order][:, order],
    )
    found = Parameters(fit.parameters.strengths[order], fit.parameters.judges)
    reach = normal_reach(level) * np.sqrt(np.diag(covariance))
    return Preferences(
        items=data.items,
        strengths=found.strengths,
        interval=found.strengths[:, None] + np.outer(reach, [-1, 1]),
        covariance=covariance,
        ranks=_find_ranks(found.strengths, covariance, group, level),
        n_verdicts=data.count_verdicts(),
        group=group,
        judges=describe_judges(fit, variances, level),
        pairs=find_preferences(
            data.sum_by(), found, covariance, weight=weight, level=level
        ),
        slices={
            column: fit_slices(
                data.sum_by([column]),
                column,
                found,
                group,
                weight=weight,
                prior=prior,
                level=level,
            )
            for column in data.keys
            if column != TASK
        },
        level=level,
        reading=reading,
        notes=notes,
    )


def _find_ranks(
    strengths: FloatArray, covariance: FloatArray, group: IntArray, level: float
) -> IntArray:
    """(K, 2) best and worst rank, among those of the same group."""
    own = np.diag(covariance)
    variance = (own[:, None] + own - 2 * covariance).clip(0)
    reach = normal_reach(level) * np.sqrt(variance)
    gaps, same = strengths[:, None] - strengths, group[:, None] == group
    best = 1 + (same & (gaps < -reach)).sum(axis=1)
    worst = (same & (gaps <= reach)).sum(axis=1)
    return np.column_stack([best, worst])
