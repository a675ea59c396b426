"""Rows to label by hand, and what `corral inspect` shows beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from corral._types import IntArray
from corral.checks import check_choice, check_positive, make_generator
from corral.errors import ParameterError
from corral.io.files import DuckTable
from corral.io.reader import Votes
from corral.labelers import Labeler
from corral.labelers.base import as_signals
from corral.labelers.labelled import SCREEN_SIGNALS, LabelAccuracy
from corral.results import Part, Result, Section, Table
from corral.results.text import say_count
from corral.study.analysis import Analysis
from corral.study.rater_agreement import RaterAgreement
from corral.study.repeated_signals import Redundancy
from corral.study.signal_values import SignalValues


def suggest_labels(
    labeler: Labeler | None,
    signals: Any,
    k: int,
    *,
    known: ArrayLike | None = None,
    by: Literal["chance", "doubt"] = "chance",
    random_state: Any = None,
) -> IntArray:
    """Rows to label by hand.

    Parameters
    ----------
    labeler : Labeler or None
        Fitted; its labels say how doubtful every row is. Random rows need none.
    signals : as for `fit`
        The rows to choose from.
    k : int
        How many to choose.
    known : (l,) array of int, optional
        Positions of rows that have a label already. They are not chosen again.
    by : "chance" or "doubt"
        Random rows; or the most doubtful votes first, the most frequent of them first.
    random_state : int, Generator or None

    Returns
    -------
    (k,) array of int
        Positions of rows. Rows without votes are never chosen. A row that stands for
        several (`counts`) may be chosen several times.

    Notes
    -----
    Labels of random rows also measure: error rates, accuracy and shares from them hold for
    all rows. Rows chosen by doubt are not a fair sample; on public sets they did not teach
    more than random rows at 50 labels, nor did six other ways to choose.

    Examples
    --------
    >>> import corral
    >>> from corral.datasets import random_votes
    >>> votes, truth = random_votes(1000, [0.9, 0.6, 0.6, 0.6], coverage=0.8)
    >>> labeler = corral.ConstrainedLabeler().fit(votes)
    >>> rows = corral.suggest_labels(labeler, votes, 10, random_state=0)
    >>> gold = [truth[j] if j in rows else None for j in range(len(votes))]
    >>> helped = corral.ConstrainedLabeler().fit(votes, gold=gold)
    """
    check_positive("k", k)
    check_choice("by", by, ("chance", "doubt"))
    rng = make_generator(random_state)
    read = as_signals(signals) if labeler is None else labeler.read(signals)
    n = len(read)
    rows = np.asarray([] if known is None else known)
    whole = rows.dtype.kind in "iu" or not rows.size
    if rows.ndim != 1 or not whole or ((rows < 0) | (rows >= n)).any():
        raise ParameterError(
            f"known must be positions of rows, from 0 to {n - 1}; "
            f"{np.asarray(known).tolist()!r:.60} was given."
        )
    left = read.row_weights.copy()
    np.subtract.at(left, rows.astype(int), 1)
    left = np.where(read.harden().covered, np.maximum(left, 0), 0)
    if left.sum() < k:
        raise ParameterError(
            f"{k} rows were asked for, but only {left.sum():.0f} have a vote and no label "
            "yet."
        )
    if by == "chance":
        drawn = rng.choice(int(left.sum()), k, replace=False)
        return np.searchsorted(np.cumsum(left), drawn, side="right")
    if labeler is None or labeler.multilabel:
        raise ParameterError(
            'by="doubt" needs a labeler, for a task in which an example has one class.'
        )
    doubt = 1 - labeler.predict_proba(read).max(axis=1).round(9)
    like_it = np.bincount(read.row_of, left)[read.row_of]
    mixed = rng.permutation(n)
    order = mixed[np.lexsort([-like_it[mixed], -doubt[mixed]])]
    return np.repeat(order, left[order].astype(int))[:k]


def fetch_rows(
    found: Votes, rows: IntArray, times: IntArray
) -> tuple[list[int], list[int], list[list[Any]], list[Any] | None]:
    """Which of the rows, their numbers from 1, cells that name them, and texts.

    Of rows that stay in an engine, those with the same votes are one of `rows`, and as
    many are fetched as `times` says.
    """
    table, index = found.table, found.signals.index
    if table is None or found.task is not None:
        columns = found.values.get("names") or (() if index is None else (index,))
        cells = [[column[row] for row in rows] for column in columns]
        if (texts := found.values.get("text")) is not None:
            texts = [texts[row] for row in rows]
        return [*range(len(rows))], [row + 1 for row in rows.tolist()], cells, texts
    if not isinstance(table, DuckTable):
        raise ParameterError(
            "the rows of a lazy frame have no numbers; collect it, or give a file."
        )
    columns = [*found.ids, *([] if found.text is None else [found.text])]
    fetched = zip(*table.rows_with(rows, times, columns), strict=True)
    at, numbers, *cells = map(list, fetched)
    return at, numbers, cells, None if found.text is None else cells.pop()


@dataclass(frozen=True, eq=False, repr=False)
class SuggestedRows(Result):
    """Rows to label by hand: a form with an empty column ``label``."""

    rows: dict[
        str, list[str]
    ]  # by column: what names a row (an id, or "row"), and texts

    title = "Rows to label by hand"

    def parts(self) -> Iterator[Part]:
        blank = [""] * len(next(iter(self.rows.values())))
        yield Table({**self.rows, "label": blank})


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """Votes: what signals do, how far they agree, what to do next; print it."""

    reading: str  # how the votes were read
    n_rows: int  # examples
    n_patterns: int  # distinct rows of votes
    accuracy: LabelAccuracy | None = None  # of the labels that corral would give
    analysis: Analysis | None = None
    agreement: RaterAgreement | None = None
    redundancy: Redundancy | None = None
    values: SignalValues | None = None
    skipped: tuple[str, ...] = ()  # what was left out, and why

    title = "Signals"

    def parts(self) -> Iterator[Part]:
        if self.accuracy is not None:
            yield str(self.accuracy)
        found = self.analysis
        if found is not None:
            covered = f"{found.n_covered / found.n_examples:.1%} with a vote"
            yield (
                f"{say_count(self.n_rows, 'row')}, {covered}; {len(found.names)} signals, "
                f"worth {found.share.sum():.1f} independent ones."
            )
            yield found.worst_first(most=SCREEN_SIGNALS)
            if self.values is not None:
                yield from self.values.sentences()
        above: tuple[str, ...] = ()
        if found is not None and self.values is not None:
            above = tuple(self.values.sentences())
        for each in (found, self.agreement, self.values, self.redundancy):
            if each is not None:
                parts = tuple(part for part in each.parts() if part not in above)
                yield Section(each.title, parts, brief=found is not None)
        yield from self.skipped
