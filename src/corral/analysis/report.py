"""What `analyse` gives: numbers per signal, and the examples that it gets wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._plain import as_plain, as_rows
from corral._types import FloatArray, IntArray
from corral.text_table import text_table


@dataclass(frozen=True, repr=False)
class Bucket:
    """Examples on which a signal says one thing and the label another.

    Attributes
    ----------
    signal : str
    vote : class value, or "not ..."
        What the signal says.
    label : class value
        What the truth is, or what the labeler says if it is not known.
    rows : (j,) array of int
        Positions of the examples.
    n_examples : float
        How many examples the rows stand for.
    """

    signal: str
    vote: Any
    label: Any
    rows: IntArray
    n_examples: float

    def __repr__(self) -> str:
        return (
            f"{self.signal} said {self.vote}, the label is {self.label}: "
            f"{self.n_examples:g} examples"
        )


@dataclass(frozen=True)
class GoldScores:
    """Signals next to true labels.

    Attributes
    ----------
    n_examples : float
        Examples with a true label.
    correct, incorrect : (m,) arrays of float
        Votes that are right and wrong; probabilities are rounded.
    error_rates : (m,) array of float
        Share that is wrong, where a probability is as wrong as it is far off. NaN for a
        signal that says nothing of these examples.
    precision, recall : (m, k) arrays of float
        Of the votes for a class, the share that is right; of the examples of a class,
        covered or not, the share that is voted so. NaN where there are none.
    """

    n_examples: float
    correct: FloatArray
    incorrect: FloatArray
    error_rates: FloatArray
    precision: FloatArray
    recall: FloatArray


@dataclass(frozen=True, repr=False)
class Analysis:
    """What `analyse` found; print it, also with ``rich.print``.

    Attributes
    ----------
    names : tuple of str
    classes : (k,) array
    n_examples, n_covered : float
        All, and those that any signal votes on.
    polarity : tuple of tuples
        The classes that every signal votes for; "not ..." where it votes against one of
        many.
    coverage, overlaps, conflicts : (m,) arrays of float
        Share of the examples on which the signal votes, on which another does, too, and
        on which another contradicts it.
    share : (m,) array of float
        The part that it has in a vote: one if it repeats no other signal, one tenth for
        each of ten copies.
    learned : (m,) array of float, or None
        How often the labeler believes it to be right.
    rate_sources : tuple of str, or None
        Whether that is "learned" from votes, "assumed", or so much of it learned; only if
        error rates were estimated.
    implied_error_rates : (m,) array of float, or None
        How often it is wrong if the labels of the labeler are right.
    gold : GoldScores, or None
    buckets : tuple of Bucket
        Where signals and labels disagree, the largest first: the true labels, or those of
        the labeler if there are none.
    """

    names: tuple[str, ...]
    classes: NDArray[Any]
    n_examples: float
    n_covered: float
    polarity: tuple[tuple[Any, ...], ...]
    coverage: FloatArray
    overlaps: FloatArray
    conflicts: FloatArray
    share: FloatArray
    learned: FloatArray | None
    rate_sources: tuple[str, ...] | None
    implied_error_rates: FloatArray | None
    gold: GoldScores | None
    buckets: tuple[Bucket, ...]

    def to_frame(self, backend: Any = "pandas") -> Any:
        """One line per signal, with the columns of Snorkel's ``lf_summary`` first.

        Parameters
        ----------
        backend : "pandas", "polars", "pyarrow" or another that narwhals knows
        """
        columns: dict[str, Any] = {
            "Signal": list(self.names),
            "j": np.arange(len(self.names)),
            # Text, because a column of lists of different types fits few tables.
            "Polarity": [str(list(values)) for values in self.polarity],
            "Coverage": self.coverage,
            "Overlaps": self.overlaps,
            "Conflicts": self.conflicts,
        }
        if self.gold is not None:
            right, wrong = self.gold.correct, self.gold.incorrect
            columns["Correct"], columns["Incorrect"] = right, wrong
            columns["Emp. Acc."] = ratio(right, right + wrong)
        if self.learned is not None:
            columns["Learned Weight"] = self.learned
        if self.rate_sources is not None:
            columns["Weight Is"] = list(self.rate_sources)
        columns["Share"] = self.share
        if self.implied_error_rates is not None:
            columns["Implied Error"] = self.implied_error_rates
        if self.gold is not None:
            columns["Error"] = self.gold.error_rates
            for k, value in enumerate(self.classes.tolist()):
                columns[f"Precision {value}"] = self.gold.precision[:, k]
                columns[f"Recall {value}"] = self.gold.recall[:, k]
        return nw.from_dict(columns, backend=backend).to_native()

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain values: one line of ``signals`` per signal.

        What needs a labeler, or true labels, is there if they were given.
        """
        gold = self.gold
        return {
            "classes": as_plain(self.classes),
            "n_examples": as_plain(self.n_examples),
            "n_covered": as_plain(self.n_covered),
            "n_gold": None if gold is None else as_plain(gold.n_examples),
            "signals": as_rows(
                signal=self.names,
                votes=self.polarity,
                coverage=self.coverage,
                overlaps=self.overlaps,
                conflicts=self.conflicts,
                share=self.share,
                learned=self.learned,
                rate_source=self.rate_sources,
                implied_error=self.implied_error_rates,
                error=None if gold is None else gold.error_rates,
                precision=None if gold is None else gold.precision,
                recall=None if gold is None else gold.recall,
            ),
            "mistakes": as_rows(
                signal=[bucket.signal for bucket in self.buckets],
                vote=[bucket.vote for bucket in self.buckets],
                label=[bucket.label for bucket in self.buckets],
                n_examples=[bucket.n_examples for bucket in self.buckets],
            ),
        }

    def __str__(self) -> str:
        return f"{self._title()}\n{text_table(*self._table())}"

    __repr__ = __str__

    def __rich__(self) -> Any:
        """The same with all its lines, as a table for ``rich.print``."""
        from rich.table import Table  # here: few need it
        from rich.text import Text

        headings, rows = self._table()
        table = Table(title=self._title(), title_justify="left")
        for at, heading in enumerate(headings):
            table.add_column(heading, justify="right" if at else "left")
        for row in rows:
            table.add_row(*map(Text, row))  # as text, for names such as [win]
        return table

    def _title(self) -> str:
        known = "" if self.gold is None else f", {self.gold.n_examples:,.0f} with truth"
        return (
            f"{self.n_examples:,.0f} examples, {self.n_covered / self.n_examples:.1%} "
            f"covered{known}; {len(self.names)} signals that count as "
            f"{self.share.sum():.1f}"
        )

    def _table(self) -> tuple[Sequence[str], list[tuple[str, ...]]]:
        """Headings, and one line per signal."""
        columns: dict[str, Iterable[str]] = {
            "signal": self.names,
            "votes": ("/".join(map(str, votes)) for votes in self.polarity),
            "coverage": map("{:.1%}".format, self.coverage),
            "overlaps": map("{:.1%}".format, self.overlaps),
            "conflicts": map("{:.1%}".format, self.conflicts),
            "of a vote": map(_shown, self.share),
        }
        if self.learned is not None:
            columns["believed"] = map(_shown, self.learned)
        if self.rate_sources is not None:
            columns["which is"] = self.rate_sources
        if self.implied_error_rates is not None:
            columns["implied"] = map(_shown, self.implied_error_rates)
        if self.gold is not None:
            columns["error"] = map(_shown, self.gold.error_rates)
        return tuple(columns), list(zip(*columns.values(), strict=True))


def ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """One by the other; NaN of nothing."""
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)


def _shown(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.2f}"
