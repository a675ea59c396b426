"""Single cells in SQL: what a text may be read as, and how a number is written."""

from __future__ import annotations

from corral.signals.abstains import NO_VOTE_TEXTS
from corral.tables.sql import as_text, quoted


def as_json(name: str, column: str) -> str:
    """A number as JSON has it: NaN is missing, and infinity cannot be said."""
    infinite = as_text(f"column {column!r} holds an infinity, which JSON cannot")
    return (
        f"CASE WHEN isinf({name}) THEN error({infinite}) WHEN NOT isnan({name}) "
        f"THEN {name} END"
    )


def ask_types(cell: str) -> list[str]:
    """Whether the cells of a column are words, fractions, or gaps such as "N/A"."""
    text = without_no_votes(cell)
    number = f"TRY_CAST({text} AS DOUBLE)"
    # Floating point would make one of two large numbers, and infinity of others.
    large = f"abs({number}) >= 2^63 AND NOT isnan({number})"
    word = f"{number} IS NULL OR {large} OR contains({text}, '_')"
    broken = f"{number} <> trunc({number}) OR isnan({number})"
    spoken = f"FILTER ({text} IS NOT NULL)"
    return [
        f"bool_or({word}) {spoken}",
        f"bool_or({broken}) {spoken}",
        f"list(DISTINCT {cell}) FILTER ({cell} IS NOT NULL AND {text} IS NULL)",
    ]


def without_no_votes(text: str) -> str:
    """A cell, NULL where it says "N/A" or the like: numbers with gaps are numbers."""
    listed = ", ".join(as_text(word) for word in sorted(NO_VOTE_TEXTS))
    return f"CASE WHEN lower(trim({text})) NOT IN ({listed}) THEN {text} END"


def escaped(column: str) -> str:
    """A column's name in a text that is formatted later."""
    return quoted(column).replace("{", "{{").replace("}", "}}")
