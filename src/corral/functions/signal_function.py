"""What every signal function is, and what it answers."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corral._types import FloatArray, IntArray
from corral.errors import FunctionError, ParameterError
from corral.functions.row_table import Table
from corral.signals.coding import ABSTAIN, code_type
from corral.wording import say

TRACEBACKS = 3
"""How many tracebacks a function keeps where errors abstain."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What one function says of every row.

    Attributes
    ----------
    classes : tuple
        The class values that the function votes on. None stands for the second of two
        classes, whatever it is called.
    codes : (n,) array of int or None
        Positions in `classes`, -1 for an abstain.
    confidence : (n,) array of float or None
        How sure the function is of the class in `codes`; None: certain.
    probabilities : (n, k) array of float or None
        A probability for every one of `classes`, NaN for an abstain; `codes` is None then.
    """

    classes: tuple[Any, ...]
    codes: IntArray | None = None
    confidence: FloatArray | None = None
    probabilities: FloatArray | None = None

    @property
    def is_soft(self) -> bool:
        """Whether there are probabilities among the answers."""
        return self.codes is None or self.confidence is not None

    def __len__(self) -> int:
        return len(self.probabilities if self.codes is None else self.codes)  # type: ignore[arg-type]

    def to_list(self) -> list[Any]:
        """One entry per row: a class, (class, confidence), probabilities, or None."""
        if self.codes is None:
            rows: Any = self.probabilities
            return [None if np.isnan(row).any() else row.tolist() for row in rows]
        codes = self.codes.tolist()
        if self.confidence is None:
            return [None if c < 0 else self.classes[c] for c in codes]
        pairs = zip(codes, self.confidence.tolist(), strict=True)
        return [None if c < 0 else (self.classes[c], sure) for c, sure in pairs]


def vote_where(mask: Any, label: Any) -> Answers:
    """Answers of a function that votes for one class where a mask (n,) is true."""
    return Answers((label,), np.where(mask, 0, ABSTAIN).astype(np.int8))


def encode(values: Sequence[Any]) -> Answers:
    """Answers from one class value per row, None where the function abstains."""
    seen = {value: None for value in values if value is not None}
    lookup: dict[Any, int] = {value: code for code, value in enumerate(seen)}
    lookup[None] = ABSTAIN
    kind = code_type(len(seen))
    codes = np.fromiter(map(lookup.__getitem__, values), kind, len(values))
    return Answers(tuple(seen), codes)


@dataclass(frozen=True)
class Failure:
    """One row that a function could not answer.

    Attributes
    ----------
    row : int
        Position in the data.
    error : str
        Kind and message.
    traceback : str
    """

    row: int
    error: str
    traceback: str

    @classmethod
    def of(cls, row: int, error: BaseException) -> Failure:
        """Describe an error, so that it can be kept and sent between processes."""
        lines = traceback.format_exception(error)
        return cls(row, f"{type(error).__name__}: {error}", "".join(lines))


@dataclass
class Failures:
    """The errors of one function: the first is raised, or all count as abstains.

    Attributes
    ----------
    name : str
        The function.
    abstain : bool
        Whether to go on after an error.
    count : int
        Rows that failed.
    first : list of Failure
        The first few of them.
    leave_out : str
        What to do to go on after an error.
    """

    name: str
    abstain: bool = False
    count: int = 0
    first: list[Failure] = field(default_factory=list)
    leave_out: str = 'pass on_error="abstain"'

    def add(self, row: int, error: BaseException) -> None:
        """Take note of a row that failed; raise, unless errors abstain."""
        self.add_failure(Failure.of(row, error), error)

    def add_all(self, errors: Mapping[int, BaseException]) -> None:
        """Take note of rows that failed, by the error of each."""
        for row, error in errors.items():
            self.add(row, error)

    def add_failure(self, failure: Failure, cause: BaseException | None = None) -> None:
        """Take note of a failure, which may come from another process."""
        if not self.abstain:
            leave_out = say(self.leave_out, "say --on-error abstain")
            error = FunctionError(
                f"signal {self.name!r} failed on row {failure.row}: "
                f"{failure.error.rstrip('.')}. Correct it, or {leave_out} to leave such "
                "rows out."
            )
            if cause is None:  # it happened in another process
                error.add_note(failure.traceback)
            raise error from cause
        self.count += 1
        if len(self.first) < TRACEBACKS:
            self.first.append(failure)

    def __str__(self) -> str:
        first = self.first[0]
        return f"{self.name}: {self.count} rows, first row {first.row}: {first.error}"


@dataclass(frozen=True, eq=False)
class SignalFunction(ABC):
    """A rule that says the class of a row, or abstains.

    Attributes
    ----------
    name : str
        What the signal is called.
    """

    name: str = field(kw_only=True)

    def reads(self) -> tuple[Any, ...] | None:
        """The columns that decide the answers; None: all of them."""
        return None

    def apply(self, data: Any) -> Answers:
        """What the function says of every row.

        Parameters
        ----------
        data : data frame, column, list or array
            As for `corral.apply`.

        Returns
        -------
        Answers
        """
        return self.answer(Table.of(data), Failures(self.name))

    @abstractmethod
    def answer(self, table: Table, failures: Failures) -> Answers:
        """Answer every row of a table; count errors in `failures`."""


@dataclass(frozen=True, eq=False)
class ColumnFunction(SignalFunction):
    """A signal function that reads one column.

    Attributes
    ----------
    column : column name or None
        None: the data are the column.
    """

    column: Any

    def reads(self) -> tuple[Any, ...]:
        return (self.column,)


def check_label(label: Any) -> Any:
    """A class value: text, a whole number but -1, or a truth value."""
    if isinstance(label, np.generic):
        label = label.item()
    if type(label) is int and label == ABSTAIN:
        raise ParameterError(
            "-1 means that a signal abstains, so no class can be called -1; use another "
            "number or text."
        )
    if not isinstance(label, str | int) or label == "":
        raise ParameterError(
            f"a class must be text or a whole number; {label!r} was given."
        )
    return label


def choose_name(name: str | None, default: Any) -> str:
    """The name given; else the default, or the name of a default that is callable.

    A default is cut to a readable length.
    """
    if name is None:
        if not isinstance(default, str):
            default = getattr(default, "__name__", type(default).__name__)
        return default if len(default) <= 40 else default[:37] + "..."
    if not isinstance(name, str) or not name:
        raise ParameterError(f"name must be text; {name!r} was given.")
    return name
