"""What labeling costs, drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, Self

from sklearn.base import clone

from corral.checks import check_positive, make_generator
from corral.drawings import draw_costs
from corral.errors import ParameterError
from corral.labelers import Labeler
from corral.labelers.inputs import as_signals
from corral.plots.display import Display


class CostDisplay(Display):
    """Seconds, or bytes, against the number of rows.

    Examples
    --------
    >>> from corral.plots import CostDisplay
    >>> costs = {"corral": [(1e4, 0.1), (1e6, 2)], "other": [(1e4, 3)]}
    >>> display = CostDisplay.from_costs(costs)
    """

    @classmethod
    def from_costs(
        cls,
        costs: Mapping[str, Sequence[tuple[float, float]]],
        *,
        rows: str = "rows",
        unit: str = "seconds",
        ax: Any = None,
    ) -> Self:
        """Draw costs that were measured.

        Parameters
        ----------
        costs : mapping of str to (rows, cost) pairs
            One line per name.
        rows, unit : str
            What the axes are called.
        ax : matplotlib axes, optional
        """
        return cls(draw_costs(costs, rows=rows, unit=unit)).plot(ax)

    @classmethod
    def from_labelers(
        cls,
        labelers: Mapping[str, Labeler],
        votes: Any,
        *,
        rows: Sequence[int],
        random_state: Any = 0,
        ax: Any = None,
    ) -> Self:
        """Measure how long labelers take to fit, once for every number of rows.

        Parameters
        ----------
        labelers : mapping of str to Labeler
            They are cloned, not fitted.
        votes : as for `fit`
            Rows are drawn from these, with replacement.
        rows : sequence of int
        random_state : int, Generator or None
            For the rows drawn.
        ax : matplotlib axes, optional
        """
        read = as_signals(votes)
        if read.counts is not None:
            raise ParameterError(
                "rows are drawn from votes given row by row; these are counted."
            )
        for number in rows:
            check_positive("rows", number)
        rng = make_generator(random_state)
        drawn = [read.take(rng.integers(0, len(read), number)) for number in rows]
        costs = {
            name: [(float(len(each)), _time_fit(labeler, each)) for each in drawn]
            for name, labeler in labelers.items()
        }
        return cls.from_costs(costs, unit="seconds to fit", ax=ax)


def _time_fit(labeler: Labeler, signals: Any) -> float:
    fresh = clone(labeler)
    start = perf_counter()
    fresh.fit(signals)
    return perf_counter() - start
