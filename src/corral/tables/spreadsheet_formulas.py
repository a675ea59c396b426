"""Texts that a spreadsheet would run as formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corral.errors import SignalsWarning, warn_user
from corral.tables.engine import Columns

_FORMULA = re.compile(r"[=+\-@\t\r]")
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
                "runs it as a formula. Rename the class, or write Parquet or JSON lines.",
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
