"""Labeling functions, applied to a list of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from corral._types import IntArray
from corral.compat.snorkel.labeling.lf.core import LabelingFunction
from corral.errors import ParameterError
from corral.functions.apply_functions import warn_of_failures
from corral.functions.row_table import Table
from corral.functions.signal_function import Failures
from corral.progress import silence
from corral.signals.coding import ABSTAIN
from corral.signals.constructors import check_names


class ApplierMetadata(NamedTuple):
    """What `apply` returns beside the votes.

    Attributes
    ----------
    faults : dict
        How many rows every function failed on, of those that did.
    """

    faults: dict[str, int]


class BaseLFApplier:
    """Base of appliers: the functions, and how they are asked.

    Parameters
    ----------
    lfs : list of LabelingFunction
    """

    def __init__(self, lfs: Sequence[LabelingFunction]) -> None:
        wrong = [lf for lf in lfs if not isinstance(lf, LabelingFunction)]
        if wrong or not len(lfs):
            came = f"{wrong[0]!r:.80}" if wrong else "none"
            raise ParameterError(
                f"must be labeling functions, made by @labeling_function(); {came} came. "
                "corral.apply takes all kinds of functions.",
                parameter="lfs",
            )
        self._lfs = list(lfs)
        self._names = check_names([lf.name for lf in lfs], len(lfs))

    def _ask(
        self, rows: Any, progress_bar: bool, fault_tolerant: bool, return_meta: bool
    ) -> IntArray | tuple[IntArray, ApplierMetadata]:
        """The votes (n, m) of all functions on rows, a list or an array of them."""
        votes = np.full((len(rows), len(self._lfs)), ABSTAIN)
        failures = [
            Failures(name, fault_tolerant, leave_out="pass fault_tolerant=True")
            for name in self._names
        ]
        if len(rows):
            table = Table(rows)
            with nullcontext() if progress_bar else silence():
                for j, lf in enumerate(self._lfs):
                    # What preprocessors remember is of no use in another process.
                    remembers = any(
                        getattr(p, "memoize", False) for p in lf.function.pre
                    )
                    answers = lf.answer(table, failures[j], 1 if remembers else None)
                    values = np.array([*answers.classes, ABSTAIN], int)
                    votes[:, j] = values[answers.codes]
        if return_meta:
            return votes, ApplierMetadata(
                {f.name: f.count for f in failures if f.count}
            )
        warn_of_failures(failures)
        return votes

    def __repr__(self) -> str:
        return f"{type(self).__name__}, LFs: {list(self._names)}"


class LFApplier(BaseLFApplier):
    """Applies labeling functions to a list of rows, or to an array.

    Parameters
    ----------
    lfs : list of LabelingFunction

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from corral.compat.snorkel.labeling import LFApplier, labeling_function
    >>> @labeling_function()
    ... def large(x):
    ...     return 1 if x.size > 42 else -1
    >>> LFApplier([large]).apply([SimpleNamespace(size=10), SimpleNamespace(size=99)])
    array([[-1],
           [ 1]])
    """

    def apply(
        self,
        data_points: Iterable[Any],
        progress_bar: bool = True,
        fault_tolerant: bool = False,
        return_meta: bool = False,
    ) -> IntArray | tuple[IntArray, ApplierMetadata]:
        """Ask every function about every row.

        Parameters
        ----------
        data_points : list or array
            One entry per row.
        progress_bar : bool
            Whether a bar may appear, on a terminal and after two seconds.
        fault_tolerant : bool
            Whether a function that fails abstains. If not, a `FunctionError` names it
            and the row.
        return_meta : bool
            Return the number of failures per function, too; else a `FunctionWarning`
            has them.

        Returns
        -------
        (n, m) array of int
            -1 for an abstain.
        ApplierMetadata
            If asked for.
        """
        kept = isinstance(data_points, np.ndarray | list)
        rows = data_points if kept else list(data_points)
        return self._ask(rows, progress_bar, fault_tolerant, return_meta)
