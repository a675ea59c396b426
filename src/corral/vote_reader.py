"""Votes as users give them, read as signals: what `label` and `compare` begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from inspect import signature
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from corral._types import FloatArray
from corral.errors import ParameterError
from corral.tables import VoteFiles, VoteTable, open_table
from corral.votes import PatternCounts, WeakSignals
from corral.votes.coding import is_missing
from corral.votes.frames import as_frame, choose_columns, fill_missing, is_frame
from corral.votes.label_sets import indicate, parse_set
from corral.votes.probability_columns import group_columns
from corral.votes.readers import Coding

Names = str | Sequence[str] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class VoteReader:
    """Which columns are signals and what is in them, as `corral.label` describes it.

    Attributes
    ----------
    announce : callable, optional
        Called with the signals once they are read, before the work begins.
    """

    signals: Names = None
    id: Names = None
    task: str | None = None
    worker: str | None = None
    label: str | None = None
    probabilities: bool = False
    columns: str | None = None
    bins: int | None = None
    classes: Sequence[Any] | None = None
    abstain: Any = None
    normalise: bool = False
    separator: str | None = None
    announce: Callable[[WeakSignals], None] | None = None

    def __post_init__(self) -> None:
        soft = self.bins is not None or self.columns is not None
        chosen = self.signals is not None or self.id is not None
        if self.task is None and (self.worker is not None or self.label is not None):
            raise ParameterError(
                "`worker=` and `label=` go with `task=`, for a table with "
                "one vote per row."
            )
        if self.task is not None and (chosen or soft or self.probabilities):
            raise ParameterError(
                "`signals=`, `id=`, `probabilities=`, `columns=` and `bins=` are for "
                "tables with a column per signal, not with `task=`."
            )
        if soft and not self.probabilities:
            raise ParameterError("`bins=` and `columns=` go with `probabilities=True`.")
        if self.separator is not None:
            self._check_sets()
        if self.normalise and self.probabilities:
            raise ParameterError(
                "`normalise=` is for votes, not for `probabilities=True`."
            )

    def _check_sets(self) -> None:
        if not isinstance(self.separator, str) or not self.separator:
            raise ParameterError(
                f"must be text, such as ';'; {self.separator!r} was given.",
                parameter="separator",
            )
        others = {
            "task": self.task,
            "probabilities": self.probabilities or None,
            "abstain": self.abstain,
            "normalise": self.normalise or None,
        }
        for name, value in others.items():
            if value is not None:
                raise ParameterError(
                    f"`{name}=` does not go with `separator=`, for cells "
                    "that hold sets of classes."
                )

    @property
    def is_plain(self) -> bool:
        """Whether nothing was said of the votes."""
        told = (f for f in fields(self) if getattr(self, f.name) is not f.default)
        return all(field.name == "announce" for field in told)

    @property
    def answers(self) -> tuple[str, str, str] | None:
        """The three columns of a long table; None: there is a column per signal."""
        if self.task is None:
            return None
        return self.task, self.worker or "worker", self.label or "label"

    @property
    def coding(self) -> Coding:
        """How votes are written."""
        return Coding(self.classes, self.abstain, self.normalise)

    def split_names(self, names: Names, columns: Sequence[str]) -> Names:  # noqa: ARG002
        """Names of columns of a table, each by itself."""
        return names

    def match_class(self, value: Any, classes: NDArray[Any]) -> Any:  # noqa: ARG002
        """A class in the type of the others."""
        return value

    def choose(self, table: VoteTable) -> list[str]:
        """The signal columns of a table."""
        named = (self.split_names(n, table.columns) for n in (self.signals, self.id))
        return table.choose(*named)

    def name_rows(self, table: VoteTable) -> list[str]:
        """The columns that name a row: the ids, or the task of a long table."""
        if self.task is not None:
            return [self.task]
        ids = self.split_names(self.id, table.columns)
        return choose_columns(table.columns, ids or ())

    def read_table(self, table: VoteTable) -> WeakSignals:
        """The signals of a table whose rows are not in memory."""
        if self.separator is not None:
            return self._announced(self._read_sets(table, self.choose(table))[0])
        if self.answers is not None:
            return self._announced(table.read_answers(*self.answers, self.coding))
        return self._announced(
            table.read(
                self.choose(table),
                coding=self.coding,
                probabilities=self.probabilities,
                layout=self.columns,
                bins=self.bins,
            )
        )

    def read_votes(self, votes: Any) -> WeakSignals:
        """The signals of whatever holds votes: a path, a table, a frame or an array."""
        if isinstance(votes, str | PathLike):
            return self.read_table(VoteFiles(votes))
        table = open_table(votes)
        if table is not None:
            return self.read_table(table)
        if is_frame(votes):
            return self.read_frame(as_frame(votes))
        return self.read_array(votes)

    def read_frame(self, frame: nw.DataFrame[Any]) -> WeakSignals:
        """The signals of a data frame; those of a long one in order of appearance."""
        coded = vars(self.coding)
        if self.separator is not None:
            ids = choose_columns(frame.columns, self.id) if self.id else []
            rest = [c for c in frame.columns if c not in ids]
            names = choose_columns(rest, self.signals) if self.signals else rest
            return self._of_sets(frame.select(names).rows(), names)
        if self.answers is not None:
            task, worker, label = self.answers
            return WeakSignals.from_long(
                frame, task=task, worker=worker, label=label, **coded
            )
        chosen = self.signals
        if self.id is not None:
            ids = choose_columns(frame.columns, self.id)
            both = set(choose_columns(frame.columns, chosen)) if chosen else set()
            if both := both.intersection(ids):
                raise ParameterError(
                    f"the id {min(both)!r} is also chosen as a signal."
                )
            frame = frame.select([c for c in frame.columns if c not in ids])
        return WeakSignals.from_frame(
            frame,
            chosen,
            probabilities=self.probabilities,
            columns=self.columns,
            bins=self.bins,
            **coded,
        )

    def read_array(self, votes: Any) -> WeakSignals:
        """Signals that are given without columns that have names."""
        if self.signals is not None or self.id is not None or self.task is not None:
            raise ParameterError(
                "`signals=`, `id=` and `task=` choose columns of a table, "
                "and these votes have no named columns. Give a data frame or a file, or "
                "leave these options out."
            )
        if self.columns is not None:
            raise ParameterError("`columns=` is for the columns of a table.")
        if self.separator is not None and not isinstance(votes, WeakSignals):
            return self._of_sets(votes, None)
        if isinstance(votes, WeakSignals | PatternCounts):
            if not self.is_plain:
                raise ParameterError(
                    "`classes=`, `abstain=`, `normalise=`, `probabilities=` and `bins=` "
                    "belong where the WeakSignals are made."
                )
            return votes.signals if isinstance(votes, PatternCounts) else votes
        if self.probabilities:
            return WeakSignals.from_probabilities(
                votes, bins=self.bins, classes=self.classes, abstain=self.abstain
            )
        return WeakSignals.from_votes(votes, **vars(self.coding))

    def read_gold(
        self, table: VoteTable, gold: str
    ) -> tuple[WeakSignals, NDArray[Any]]:
        """The signals of a table, and the true labels in one of its columns."""
        if gold not in table.columns:
            raise ParameterError(
                f"no column is named {gold!r}, which `y=` says; the table has "
                f"{', '.join(map(repr, table.columns))}."
            )
        if self.separator is not None:
            columns = [c for c in self.choose(table) if c != gold]
            read, (cells,) = self._read_sets(table, columns, [gold])
            truth: NDArray[Any] = indicate(
                [parse_set(cell, self.separator) for cell in cells],
                read.classes.tolist(),
            )
        elif self.answers is None:
            read, truth = self._read_columns(table, gold)
        else:
            read, truth = self._read_answers(table, gold, *self.answers)
        return self._announced(read), truth

    def _read_columns(
        self, table: VoteTable, gold: str
    ) -> tuple[WeakSignals, NDArray[Any]]:
        """Of a table with a column per signal; rows are counted with their gold label."""
        columns = [c for c in self.choose(table) if self.signals or c != gold]
        if gold in columns:
            raise ParameterError(f"the column of `y=`, {gold!r}, is among the signals.")
        table.refuse_other(columns, self.classes)
        if not self.probabilities:
            table.keep_codes([*columns, gold])
        named = table.is_text(gold) and self.probabilities  # classes, beside numbers
        if not named and len({table.is_text(c) for c in (*columns, gold)}) > 1:
            raise ParameterError(
                "votes and gold labels must be all numbers or all text; choose the columns "
                "of votes with `signals=`, or leave one out with `id=`."
            )
        counts: FloatArray | None = None
        if named:
            rows = table.rows([*columns, gold])
            votes, truth = np.stack([rows[c] for c in columns], axis=1), rows[gold]
        else:
            cells, counts = table.count([*columns, gold], soft=self.probabilities)
            votes, truth = cells[:, :-1], cells[:, -1]
        coding = self.coding.match_type(votes)
        if self.probabilities:
            groups = group_columns(
                columns, votes, self.columns, coding.classes, coding.abstain
            )
            return WeakSignals.from_probabilities(
                groups.arrange(votes),
                classes=groups.classes or coding.classes,
                abstain=coding.abstain,
                names=groups.signals,
                counts=counts,
                bins=self.bins,
            ), truth
        return WeakSignals.from_votes(
            fill_missing(votes, coding.abstain),
            names=columns,
            counts=counts,
            **vars(coding),
        ), truth

    def _read_answers(
        self, table: VoteTable, gold: str, task: str, worker: str, answer: str
    ) -> tuple[WeakSignals, NDArray[Any]]:
        """Of a table with one vote per row, held in memory."""
        table.keep_codes([answer, gold])
        text = table.is_text(answer)
        if table.is_text(gold) != text:
            raise ParameterError(
                f"the answers in {answer!r} and the gold labels in {gold!r} must be both "
                "numbers or both text."
            )
        rows = table.rows([task, worker, answer, gold], names=(task, worker))
        coding = self.coding.match_type(rows[answer])
        rows[answer] = fill_missing(rows[answer], coding.abstain)
        read = WeakSignals.from_long(
            rows, task=task, worker=worker, label=answer, **vars(coding)
        )
        known: dict[Any, Any] = {}
        for name, value in zip(rows[task].tolist(), rows[gold].tolist(), strict=True):
            if not is_missing(value) and known.setdefault(name, value) != value:
                raise ParameterError(
                    f"{name!r} has more than one gold label, {known[name]!r} and "
                    f"{value!r}."
                )
        silent = None if text else np.nan
        tasks: Any = read.index
        return read, np.array([known.get(name, silent) for name in tasks.tolist()])

    def _of_sets(self, votes: Any, names: Sequence[str] | None) -> WeakSignals:
        assert self.separator is not None
        return WeakSignals.from_label_sets(
            votes, classes=self.classes, separator=self.separator, names=names
        )

    def _read_sets(
        self, table: VoteTable, columns: Sequence[str], others: Sequence[str] = ()
    ) -> tuple[WeakSignals, list[list[Any]]]:
        """Signals of columns of sets, and the cells of other columns; all in memory."""
        if not isinstance(table, VoteFiles):
            raise ParameterError(
                "`separator=` is for files and for frames in memory; collect the "
                "table first."
            )
        at = {name: i for i, name in enumerate(table.columns)}
        rows = [
            [
                cell if cell is None or isinstance(cell, str) else str(cell)
                for cell in (row[at[name]] for name in (*columns, *others))
            ]
            for row in table.read_rows()
        ]
        m = len(columns)
        read = self._of_sets([row[:m] for row in rows], columns)
        return read, [[row[m + i] for row in rows] for i in range(len(others))]

    def _announced(self, signals: WeakSignals) -> WeakSignals:
        if self.announce is not None:
            self.announce(signals)
        return signals


def make_reader(function: Callable[..., Any], given: dict[str, Any]) -> VoteReader:
    """A reader of the options that a function was given beside its own.

    Refused if one is for neither, with the nearest that is.
    """
    reading = {field.name for field in fields(VoteReader)} - {"announce"}
    own = {
        name
        for name, each in signature(function).parameters.items()
        if each.default is not each.empty
    }
    for name in given:
        if name in reading:
            continue
        near = get_close_matches(name, sorted(reading | own), 1)
        cure = f"Did you mean `{near[0]}=`?" if near else "See its help for those."
        if not near and (taker := own & {"labeler", "methods"}):
            cure = (
                f"Options of a labeler go to the labeler, and that to `{taker.pop()}=`, "
                "as in corral.ConstrainedLabeler(error_rates=0.1)."
            )
        raise ParameterError(
            f"is no option of corral.{function.__name__}. {cure}", parameter=name
        )
    return VoteReader(**given)
