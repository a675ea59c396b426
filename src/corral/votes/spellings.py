"""Texts that are one class, written in several ways."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from corral.errors import SignalsError

_WHOLE = re.compile(r"[+-]?\d{1,15}(\.0*)?")


def normalise_text(text: str) -> str:
    """Lower case, single blanks, nothing invisible; whole numbers without a fraction.

    Examples
    --------
    >>> from corral.votes.spellings import normalise_text
    >>> normalise_text("  Very  Positive "), normalise_text("1.0")
    ('very positive', '1')
    """
    if not text.isprintable():
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    plain = " ".join(text.split()).casefold()
    return str(int(float(plain))) if _WHOLE.fullmatch(plain) else plain


def refuse_spellings(values: Iterable[str]) -> None:
    """Refuse texts that look like one class written in several ways."""
    groups: dict[str, list[str]] = {}
    for value in sorted(values):
        groups.setdefault(normalise_text(value), []).append(value)
    several = [group for group in groups.values() if len(group) > 1]
    if several:
        listed = "; ".join(", ".join(map(repr, group)) for group in several[:5])
        more = f"; and {len(several) - 5} more" if len(several) > 5 else ""
        raise SignalsError(
            f"votes that differ in case, blanks or how a number is written only: "
            f"{listed}{more}. Pass `normalise=True` to read each of these as "
            f"one class, or list them in `classes=` if they are different classes."
        )
