"""Tables of verdicts, read as comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from corral._types import BoolArray, IntArray
from corral.errors import ParameterError, SignalsError
from corral.ranking.comparisons import TASK, Comparisons, code_comparisons, code_names
from corral.ranking.table_columns import ComparisonTable
from corral.signals.abstains import is_no_vote

A, B, TIE, SILENT, UNKNOWN = 1, -1, 0, 8, 9
"""What a verdict says."""
WORDS = {
    **dict.fromkeys(("a", "left", "model_a", "response_a", "answer_a"), A),
    **dict.fromkeys(("b", "right", "model_b", "response_b", "answer_b"), B),
    **dict.fromkeys(("tie", "tied", "draw", "equal", "both", "neither", "same"), TIE),
    **dict.fromkeys(("tie (bothbad)", "bothbad", "both_bad"), TIE),
}
"""Verdicts that need no explanation, in any case; names of items come first."""
ROLES = {"a": A, "b": B, "tie": TIE}
SURE = 20
"""Verdicts that are all for the first item, from which that cannot be chance."""


@dataclass(frozen=True, kw_only=True)
class ComparisonReader:
    """Which columns hold what, as `corral.preferences` describes it."""

    a: str = "a"
    b: str = "b"
    winner: str = "winner"
    judge: str | None = None
    first: str | None = "a"
    task: str | None = None
    slices: Sequence[str] = ()
    counts: str | None = None
    verdicts: Mapping[Any, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for said, role in self.verdicts.items():
            if role not in ROLES:
                raise ParameterError(
                    f"must say a, b or tie for every value; {role!r} was given for "
                    f"{said!r}.",
                    parameter="verdicts",
                )

    def read(self, data: Any) -> tuple[Comparisons, str]:
        """The comparisons in a table, and a sentence on how they were read."""
        table = ComparisonTable(data)
        how = self._fit_to(table)
        named = {
            "a": how.a,
            "b": how.b,
            "winner": how.winner,
            "judge": how.judge,
            "first": how.first,
            "task": how.task,
            "counts": how.counts,
        }
        for role, column in named.items():
            if column is not None:
                table.require(role, column)
        for column in how.slices:
            table.require("slices", column)
        wanted = [c for role, c in named.items() if c is not None and role != "counts"]
        distinct = list(dict.fromkeys([*wanted, *how.slices]))
        found, sizes = table.read(distinct, how.counts)
        return how._code(found, sizes)

    def _fit_to(self, table: ComparisonTable) -> ComparisonReader:
        """The same with names of columns in place of "a" and "b", and of positions."""
        names = {"a": self.a, "b": self.b}
        winner, first, judge = self.winner, self.first, self.judge
        if table.is_array:
            judge = judge or ("judge" if "judge" in table.columns else None)
            winner = winner if "winner" in table.columns else "a"
            if first is not None and "first" in table.columns:
                first = "first"
        if winner not in table.columns:
            winner = names.get(winner, winner)
        if first is not None and first not in table.columns:
            first = names.get(first, first)
        if winner in names.values() and first == self.a:
            first = None  # a is where winners stand, not what was shown first
        return replace(self, winner=winner, first=first, judge=judge)

    def _code(
        self, found: dict[str, list[str | None]], sizes: Any
    ) -> tuple[Comparisons, str]:
        for column in (self.a, self.b, self.judge, self.task, self.first, *self.slices):
            if column is not None and None in found[column]:
                raise SignalsError(
                    f"column {column!r} has missing values; drop those rows."
                )
        items, both = code_names([str(name) for name in found[self.a] + found[self.b]])
        a, b = np.split(both, 2)
        if (a == b).any():
            raise SignalsError(
                f"{int(sizes[a == b].sum()):,} rows compare an item with itself, such as "
                f"{items[a[a == b][0]]!r}; drop them."
            )
        said = self._decode(found[self.winner], items, a, b, self.winner)
        silent = float(sizes[said == SILENT].sum())
        kept = (said != SILENT) & (sizes > 0)
        if not kept.any():
            raise SignalsError(
                f"column {self.winner!r} has no verdict in any row; it names the winner, "
                "a or b, or says tie."
            )
        turned = np.zeros(len(said), bool)
        if self.first is not None:
            shown = self._decode(found[self.first], items, a, b, self.first)
            if not np.isin(shown, (A, B)).all():
                raise SignalsError(
                    f"column {self.first!r} must name the item that was shown first, or "
                    f"say a or b. If that is not known, say so: `first=None`."
                )
            turned = shown == B
        named = {column: column for column in self.slices}
        if self.task is not None:
            named[TASK] = self.task
        names = np.array(items, object)
        first, second = np.where(turned, [b, a], [a, b])[:, kept]
        data = code_comparisons(
            names[first].tolist(),
            names[second].tolist(),
            np.where(turned, -said, said)[kept],
            None if self.judge is None else _take(found[self.judge], kept),
            ordered=self.first is not None,
            counts=sizes[kept],
            keys={name: _take(found[column], kept) for name, column in named.items()},
        )
        self._refuse_winners_first(data)
        return data, self._describe(data, silent)

    def _decode(
        self,
        values: Sequence[str | None],
        items: tuple[str, ...],
        a: IntArray,
        b: IntArray,
        column: str,
    ) -> IntArray:
        """(n,) what is said of a pair (a, b): A, B, TIE, or SILENT where it is missing."""
        place = {name: i for i, name in enumerate(items)}
        words = WORDS | {self.a.casefold(): A, self.b.casefold(): B}
        given = {str(said): ROLES[role] for said, role in self.verdicts.items()}
        kinds: dict[str | None, tuple[int, int]] = {None: (-1, SILENT)}
        for value in set(values) - {None}:
            if value in given:
                kinds[value] = -1, given[value]
            else:
                other = SILENT if is_no_vote(value) else UNKNOWN
                word = words.get(str(value).strip().casefold(), other)
                kinds[value] = place.get(str(value), -1), word
        item, word = np.array([kinds[value] for value in values]).T
        said = np.where(item == a, A, np.where(item == b, B, word))
        if (said == UNKNOWN).any():
            at = int(np.argmax(said == UNKNOWN))
            raise SignalsError(
                f"column {column!r} must name one of the two items, or say a, b or tie; "
                f"{values[at]!r} came for {items[a[at]]!r} and {items[b[at]]!r}. Say what "
                f"values mean with `verdicts={{{str(values[at])!r}: 'a'}}`."
            )
        return said

    def _refuse_winners_first(self, data: Comparisons) -> None:
        """Refuse a table in which the first always wins, as if that were its order."""
        if not data.ordered or data.losses.any() or data.wins.sum() < SURE:
            return
        raise SignalsError(
            f"all {int(data.wins.sum()):,} winners are shown first: {self.a!r} seems to be "
            "where winners stand, not what was shown first. Then the order is not known: "
            f"`first=None`."
        )

    def _describe(self, data: Comparisons, silent: float) -> str:
        total = float(data.n.sum())
        judges = len(data.judges)
        parts = [
            f"{total:,.0f} comparison{'s' * (total != 1)} of {len(data.items):,} items by "
            f"{judges:,} judge{'s' * (judges != 1)}",
            f"{data.ties.sum() / total:.0%} ties",
            "order known" if data.ordered else "order not known",
        ]
        if silent:
            parts.append(f"{silent:,.0f} rows without a verdict left out")
        return "; ".join(parts)


def _take(values: Sequence[Any], kept: BoolArray) -> list[Any]:
    return [value for value, keep in zip(values, kept.tolist(), strict=True) if keep]
