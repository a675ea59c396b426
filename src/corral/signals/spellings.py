"""Classes that differ in case or blanks only."""

from __future__ import annotations

from collections.abc import Iterable

from corral.errors import SignalsError


def normalise_text(text: str) -> str:
    """Lower case, without blanks at the ends and with single ones inside.

    Examples
    --------
    >>> from corral.signals.spellings import normalise_text
    >>> normalise_text("  Very  Positive ")
    'very positive'
    """
    return " ".join(text.split()).casefold()


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
            f"votes that differ in case or blanks only: {listed}{more}. Pass "
            "`normalise=True` to read each of these as one class, or list them in "
            "`classes=` if they are different classes."
        )
