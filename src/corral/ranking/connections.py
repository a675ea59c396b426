"""Which items comparisons connect; strengths of others cannot be compared."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from corral._types import FloatArray, IntArray
from corral.errors import SignalsError
from corral.ranking.comparisons import Comparisons
from corral.results.text import join_names

MOST_SHOWN = 5
"""Groups that a message names."""


def find_groups(data: Comparisons) -> IntArray:
    """(K,) items that comparisons connect, directly or through others, have the same.

    The largest group is 0.

    Examples
    --------
    >>> from corral.ranking.comparisons import code_comparisons
    >>> from corral.ranking.connections import find_groups
    >>> find_groups(code_comparisons(["x", "y", "u"], ["y", "z", "v"], [1, 1, 1])).tolist()
    [1, 1, 0, 0, 0]
    """
    links = _link(data, data.n)
    return _sort_by_size(connected_components(links, directed=False)[1])


def refuse_groups(data: Comparisons, group: IntArray) -> None:
    """Refuse items of which some are never compared with the others."""
    if group.max() == 0:
        return
    raise SignalsError(
        f"the items fall into {group.max() + 1:,} groups that are never compared with each "
        f"other: {describe_groups(data.items, group)}. Strengths of different groups "
        "cannot be compared. Add comparisons between them, drop the rows of all but one, "
        f"or rank each group by itself with `unconnected='separate'`."
    )


def find_unbounded(data: Comparisons) -> IntArray:
    """(K,) items of which each has won or tied against the others, if through others.

    Verdicts alone bound the gap of two items with the same number, and of no others.
    """
    beaten = _link(data, data.losses + data.ties) + _link(data, data.wins + data.ties).T
    return _sort_by_size(connected_components(beaten, connection="strong")[1])


def check_bounds(
    data: Comparisons, group: IntArray, bounded: IntArray, prior: float
) -> tuple[str, ...]:
    """A note on gaps that only the prior bounds; refused where there is none.

    Parameters
    ----------
    data : Comparisons
    group, bounded : (K,) arrays of int
        What `find_groups` and `find_unbounded` found.
    prior : float
        Standard deviation of the prior of strengths, maybe infinite.
    """
    if bounded.max() == group.max():
        return ()
    where = describe_groups(data.items, bounded)
    if np.isinf(prior):
        raise SignalsError(
            "without a prior some strengths are infinite, as one side wins every "
            f"comparison between these groups of items: {where}. Give a prior, such as "
            f"`prior=5`, or more comparisons."
        )
    return (
        f"One side wins every comparison between {where}: how far they are apart rests on "
        "the prior.",
    )


def describe_groups(items: tuple[str, ...], group: IntArray) -> str:
    """The names in every group, as far as there is room."""
    n = int(group.max()) + 1
    names = np.array(items, object)
    shown = [
        f"{{{join_names(names[group == i], 60)}}}" for i in range(min(n, MOST_SHOWN))
    ]
    more = [f"{n - MOST_SHOWN:,} more"] if n > MOST_SHOWN else []
    return " and ".join([*shown, *more])


def _link(data: Comparisons, weights: FloatArray) -> csr_array:
    """(K, K) links from the first to the second, where weights (r,) are not zero."""
    some = weights > 0
    n = len(data.items)
    ends = data.first[some], data.second[some]
    return csr_array((weights[some], ends), shape=(n, n))


def _sort_by_size(group: IntArray) -> IntArray:
    order = np.argsort(-np.bincount(group), kind="stable")
    return np.argsort(order)[group]
