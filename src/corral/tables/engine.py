"""What an engine must be able to do with a table of votes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

from corral._types import FloatArray, IntArray

Columns: TypeAlias = dict[str, NDArray[Any]]


class Engine(ABC):
    """Groups the rows of a table, gives the groups, and joins labels back to the rows."""

    @abstractmethod
    def is_text(self, column: str) -> bool:
        """Whether a column holds text."""

    @abstractmethod
    def _count(
        self, columns: Sequence[str], bins: int | None = None, abstain: Any = None
    ) -> FloatArray:
        """Group the rows by some columns, keep the groups, give the size of each.

        With `bins`, by what the columns are on a grid, ``floor(value bins + 1/2)``; NULL
        where they are `abstain` or NaN.
        """

    @abstractmethod
    def _measure_moves(
        self, columns: Sequence[str], bins: int, abstain: Any
    ) -> list[Sequence[float]]:
        """How far rounding to a grid moves the values of every column, and their range.

        Sum, number and maximum of the absolute moves, smallest and largest value.
        """

    @abstractmethod
    def _sort(self) -> FloatArray:
        """Sort the groups by their content, so that samples repeat; give their sizes."""

    @abstractmethod
    def _groups(self, at: slice | IntArray, columns: Sequence[str]) -> NDArray[Any]:
        """(p, m) values of some groups: numbers (NULL: NaN) or text (NULL: None)."""

    @abstractmethod
    def _labelled(self, added: Iterable[Columns], keep_order: bool | None) -> Any:
        """The table, of the kind it was, with columns of one value per group."""

    @abstractmethod
    def _first_rows(self, columns: Sequence[str]) -> dict[str, Any]:
        """The values of some columns in the first `ROWS_LOOKED_AT` rows."""

    @abstractmethod
    def _has_nulls(self, column: str) -> bool:
        """Whether a column has missing values."""

    @abstractmethod
    def _make_tasks(self, task: str, codes: IntArray) -> str:
        """Put one row per task in place of the answers; give the name of their key.

        The key is a text, the codes of all answers to the task in ascending order, as in
        ``"3,17"``. It is counted next, and not shown.

        Parameters
        ----------
        task : str
        codes : (groups,) array of int
            A code for every (worker, answer) counted last; -1 is no answer.
        """

    def _learn_types(  # noqa: B027
        self, columns: Sequence[str], counted: bool = False
    ) -> None:
        """Find out which columns of a CSV file, where all is text, hold numbers.

        Parameters
        ----------
        columns : sequence of str
        counted : bool
            They are counted next and have few distinct rows, so that finding the types
            may group the rows already.
        """
