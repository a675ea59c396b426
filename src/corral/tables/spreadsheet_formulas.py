"""Texts that a spreadsheet would run as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from corral.errors import ParameterError, SignalsWarning, warn_user
from corral.tables.engine import Columns
from corral.tables.paths import kind_of
from corral.tables.sql import quote_name, quote_text
from corral.wording import option

_FORMULA = re.compile("[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")
"""How a formula begins, also as keyboards of East Asia write it."""
_NUMBER = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?")


def warn_of_formulas(added: Iterable[Columns]) -> Iterator[Columns]:
    """Pass on what is added to a CSV file; warn once of text that is run as a formula.

    Only names of classes are looked at, as the other cells are the user's own.
    """
    warned = False
    for batch in added:
        if not warned and (found := formulas_in(_texts(batch))):
            warn_user(
                f"the class {min(found)!r} is written to a CSV file, where a spreadsheet "
                f"runs it as a formula. Pass {option('escape_formulas', True)}, rename the "
                "class, or write Parquet or JSON lines.",
                SignalsWarning,
            )
            warned = True
        yield batch


def formulas_in(texts: Iterable[str]) -> set[str]:
    """Texts that a spreadsheet runs; numbers are not among them."""
    return {t for t in texts if _FORMULA.match(t) and not _NUMBER.fullmatch(t)}


def _texts(batch: Columns) -> set[str]:
    texts = set(batch)
    for values in batch.values():
        if values.dtype.kind in "OU":
            texts.update(v for v in set(values.tolist()) if isinstance(v, str))
    return texts


def escape_cell(cell: Any) -> Any:
    """A cell as a spreadsheet shows it: an apostrophe before what it would run."""
    return f"'{cell}" if isinstance(cell, str) and formulas_in([cell]) else cell


def require_csv(target: Path) -> None:
    """Refuse to escape formulas where no spreadsheet would run them."""
    if kind_of(target) not in (".csv", ".tsv"):
        raise ParameterError(
            f"is for CSV and TSV; {target.name!r} is written as it is. Leave it out.",
            parameter="escape_formulas",
        )


def escape_texts(query: str, relation: Any) -> str:
    """SQL for what a query gives, with an apostrophe before every formula.

    Names of columns are texts, too. Numbers stay as they are.

    Parameters
    ----------
    query : str
    relation : DuckDBPyRelation
        What the query gives: names and types are taken from it.
    """
    listed = []
    for name, kind in zip(relation.columns, relation.types, strict=True):
        value = quote_name(name)
        if str(kind).startswith(("VARCHAR", "ENUM")):
            text = f"{value}::VARCHAR"
            risky = f"regexp_matches({text}, {quote_text(f'^{_FORMULA.pattern}')})"
            number = f"regexp_full_match({text}, {quote_text(_NUMBER.pattern)})"
            mark = quote_text("'")
            value = f"if({risky} AND NOT {number}, {mark} || {text}, {text})"
        shown = f"'{name}" if formulas_in([name]) else name
        listed.append(f"{value} AS {quote_name(shown)}")
    return f"SELECT {', '.join(listed)} FROM ({query})"
