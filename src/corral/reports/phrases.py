"""Numbers and names as sentences of a report have them."""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMES = 3
"""Names that a sentence lists."""
LONGEST_NAME = 40
"""Characters of a name within a sentence."""
SAMPLE = 100
"""Random examples whose true labels tell how good labels are."""


def say_share(share: float) -> str:
    """A share as a percentage that is never wrongly all or nothing.

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


def say_count(number: float, noun: str, plural: str | None = None) -> str:
    """A number of things.

    Examples
    --------
    >>> from corral.reports.phrases import say_count
    >>> say_count(1843, "example"), say_count(1, "class", "classes")
    ('1,843 examples', '1 class')
    """
    word = noun if round(number) == 1 else plural or f"{noun}s"
    return f"{number:,.0f} {word}"


def say_the(number: float, noun: str) -> str:
    """All of a number of things.

    Examples
    --------
    >>> from corral.reports.phrases import say_the
    >>> say_the(1843, "example"), say_the(1, "example")
    ('the 1,843 examples', 'the one example')
    """
    one = round(number) == 1
    return f"the one {noun}" if one else f"the {say_count(number, noun)}"


def say_verb(number: float, singular: str, plural: str) -> str:
    """The form of a verb for a number of things.

    Examples
    --------
    >>> from corral.reports.phrases import say_verb
    >>> say_verb(1, "votes", "vote"), say_verb(2, "votes", "vote")
    ('votes', 'vote')
    """
    return singular if round(number) == 1 else plural


def say_sample(number: float) -> str:
    """Examples to label by hand, of so many.

    Examples
    --------
    >>> from corral.reports.phrases import say_sample
    >>> say_sample(1843), say_sample(4), say_sample(1)
    ('a hundred random examples', 'all 4 examples', 'the one example')
    """
    if number > SAMPLE:
        return "a hundred random examples"
    return (
        say_the(number, "example")
        if round(number) == 1
        else f"all {say_count(number, 'example')}"
    )


def say_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Some names, and how many more.

    Examples
    --------
    >>> from corral.reports.phrases import say_names
    >>> say_names(["a", "b"]), say_names(["a", "b", "c", "d", "e"])
    ('“a” and “b”', '“a”, “b”, “c” and 2 more')
    """
    shown = [f"“{cut(name, LONGEST_NAME)}”" for name in names[:most]]
    rest = len(names) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest:,} more"
    *most_of_them, last = shown
    return f"{', '.join(most_of_them)} and {last}" if most_of_them else last


def say_points(difference: float) -> str:
    """A difference of shares.

    Examples
    --------
    >>> from corral.reports.phrases import say_points
    >>> say_points(0.0234), say_points(0.01)
    ('2.3 points', '1.0 point')
    """
    points = f"{abs(difference) * 100:.1f}"
    return f"{points} point{'' if points == '1.0' else 's'}"


def cut(text: str, most: int) -> str:
    """A text of at most so many characters; an ellipsis ends one that was longer.

    Examples
    --------
    >>> from corral.reports.phrases import cut
    >>> cut("subscribe to my channel", 10)
    'subscribe…'
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
