"""Numbers and names as sentences of a report have them."""

from __future__ import annotations

from collections.abc import Sequence

MAX_NAMES = 3
"""Names that a sentence lists."""
MAX_NAME_LENGTH = 40
"""Characters of a name within a sentence."""
SAMPLE_SIZE = 100
"""Random examples whose true labels tell how good labels are."""


def say_share(share: float) -> str:
    """A percentage that is never wrongly all or nothing.

    Examples
    --------
    >>> from corral.reports.phrases import say_share
    >>> say_share(0.8613), say_share(1.0), say_share(0.99999), say_share(0.0002)
    ('86.1%', '100%', 'over 99.9%', 'under 0.1%')
    """
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    if share < 0.0005:
        return "under 0.1%"
    return "over 99.9%" if share >= 0.9995 else f"{share:.1%}"


def say_points(difference: float) -> str:
    """A difference of shares: 2.3 points."""
    points = f"{abs(difference) * 100:.1f}"
    return f"{points} point{'' if points == '1.0' else 's'}"


def say_count(number: float, noun: str, plural: str | None = None) -> str:
    """1,843 examples; 1 class."""
    word = noun if round(number) == 1 else plural or f"{noun}s"
    return f"{number:,.0f} {word}"


def say_the(number: float, noun: str) -> str:
    """The 1,843 examples; the one example."""
    one = round(number) == 1
    return f"the one {noun}" if one else f"the {say_count(number, noun)}"


def say_verb(number: float, singular: str, plural: str) -> str:
    """The form of a verb for a number of things."""
    return singular if round(number) == 1 else plural


def say_sample(number: float) -> str:
    """Examples to label by hand, of so many."""
    if number > SAMPLE_SIZE:
        return "a hundred random examples"
    one = round(number) == 1
    return "the one example" if one else f"all {say_count(number, 'example')}"


def say_names(names: Sequence[str], most: int = MAX_NAMES) -> str:
    """Some names, and how many more.

    Examples
    --------
    >>> from corral.reports.phrases import say_names
    >>> say_names(["a", "b"]), say_names(["a", "b", "c", "d", "e"])
    ('“a” and “b”', '“a”, “b”, “c” and 2 more')
    """
    shown = [f"“{cut(name, MAX_NAME_LENGTH)}”" for name in names[:most]]
    rest = len(names) - len(shown)
    last = f"{rest:,} more" if rest else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last


def cut(text: str, most: int) -> str:
    """At most so many characters; an ellipsis ends a text that was longer."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
