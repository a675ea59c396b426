"""Pieces of SQL: names, texts, files, single cells; and Ctrl-C while DuckDB works."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corral.votes.coding import NO_VOTE_TEXTS

WHOLE = "[+-]?(0|[1-9][0-9]*)"
"""How a whole number is written, unless it is a code; of a column, all may end in .0(0)."""


def quote_name(name: str) -> str:
    """The name of a column."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(value: str) -> str:
    """A text."""
    return "'" + value.replace("'", "''") + "'"


def quote_files(files: Iterable[Path]) -> str:
    """A list of files; characters that would make a name a pattern are escaped."""
    return f"[{', '.join(quote_text(glob.escape(str(file))) for file in files)}]"


def make_template(column: str) -> str:
    """A column as a format string, with a place ``{v}`` for the name of its table."""
    return "{v}" + quote_name(column).replace("{", "{{").replace("}", "}}")


def write_json_number(name: str, column: str) -> str:
    """A number as JSON has it: NULL for NaN, and an error for infinity."""
    infinite = quote_text(f"column {column!r} holds an infinity, which JSON cannot")
    return (
        f"CASE WHEN isinf({name}) THEN error({infinite}) WHEN NOT isnan({name}) "
        f"THEN {name} END"
    )


def ask_types(cell: str) -> list[str]:
    """Whether a column has words, fractions, gaps such as "N/A", codes such as "01"."""
    text = null_no_votes(cell)
    number = f"TRY_CAST({text} AS DOUBLE)"
    # As DOUBLE, large numbers would become equal to each other, or infinite.
    large = f"abs({number}) >= 2^63 AND NOT isnan({number})"
    word = f"{number} IS NULL OR {large} OR contains({text}, '_')"
    fraction = f"{number} <> trunc({number}) OR isnan({number})"
    votes = f"FILTER ({text} IS NOT NULL)"
    whole, tenths = (
        f"regexp_full_match(trim({text}), {quote_text(WHOLE + end)})"
        for end in ("", r"\.0+")
    )
    code = f"NOT ({whole} OR {tenths} OR isnan({number}))"
    return [
        f"bool_or({word}) {votes}",
        f"bool_or({fraction}) {votes}",
        f"list(DISTINCT {cell}) FILTER ({cell} IS NOT NULL AND {text} IS NULL)",
        f"NOT bool_or({number} <> trunc({number})) {votes} AND (bool_or({code}) {votes} "
        f"OR bool_or({whole}) {votes} AND bool_or({tenths}) {votes})",
    ]


def null_no_votes(text: str) -> str:
    """A cell, NULL where it says "N/A" or the like: numbers with gaps are numbers."""
    words = ", ".join(quote_text(word) for word in sorted(NO_VOTE_TEXTS))
    return f"CASE WHEN lower(trim({text})) NOT IN ({words}) THEN {text} END"


def round_to_grid(value: str, bins: int | None, abstain: Any) -> str:
    """SQL for what rows are grouped by: a value, or its place on the grid."""
    if bins is None:
        return value
    return f"floor({null_abstains(f'{value}::DOUBLE', abstain)} * {bins} + 0.5)::INT"


def null_abstains(value: str, abstain: Any) -> str:
    """A probability, NULL where there is no opinion."""
    known = f"CASE WHEN NOT isnan({value}) THEN {value} END"
    return f"({known})" if abstain is None else f"nullif({known}, {float(abstain)!r})"


@contextmanager
def heed_interrupts() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where DuckDB raises an error of its own in its place.

    That is so of all that it does in the main thread, however quick.

    Examples
    --------
    >>> from corral.tables.sql import heed_interrupts
    >>> try:
    ...     with heed_interrupts():
    ...         raise RuntimeError("Query interrupted")
    ... except KeyboardInterrupt:
    ...     print("stopped")
    stopped
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from error
        raise
