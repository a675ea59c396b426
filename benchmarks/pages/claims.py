"""Sentences with numbers, and where each number comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from benchmarks.pages.markdown import NUMBER, find_numbers


@dataclass(frozen=True)
class Claim:
    """Words of a sentence that hold numbers, wherever in the pages they stand.

    Attributes
    ----------
    text : str
        The words, with a format in place of every number that is a result:
        ``"in {:.2f} s on one core"``. Line breaks do not matter. A result may be a word:
        which set is worst, or whether an aim is met.
    values : tuple of float or str
        The results, computed from what is stored.
    reason : str
        Why the numbers that the words themselves hold need no result: a definition, a
        setting, a figure of others. Required if there are any.
    """

    text: str
    values: tuple[float | str, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        words = re.sub(r"\{[^}]*\}", "", self.text)
        if find_numbers(words) and not self.reason:
            raise ValueError(f"a number without a source or a reason: {self.text!r}")

    @cached_property
    def shown(self) -> str:
        """The words with the results in them."""
        return self.text.format(*self.values)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds the words, whatever the numbers are."""
        parts = re.split(r"\{[^}]*\}", self.text)
        literal = (r"\s+".join(map(re.escape, re.split(r"\s+", p))) for p in parts)
        return re.compile(rf"(?:{NUMBER}|\**[A-Za-z][\w-]*\**)".join(literal))

    def correct(self, found: str) -> str:
        """Words that were found, with the results of now, line breaks as they are."""
        gaps = iter(re.findall(r"\s+", found))
        return re.sub(r"\s+", lambda _: next(gaps), self.shown)


def correct(text: str, claims: tuple[Claim, ...]) -> str:
    """The text with the numbers of all claims as the results have them."""
    for claim in claims:
        text = claim.pattern.sub(lambda found, c=claim: c.correct(found[0]), text)
    return text


def find_unsourced(text: str, claims: tuple[Claim, ...]) -> list[tuple[int, str]]:
    """Line and surroundings of the numbers that no claim has."""
    spans = [m.span() for claim in claims for m in claim.pattern.finditer(text)]
    left = [
        at
        for at, _ in find_numbers(text)
        if not any(start <= at < end for start, end in spans)
    ]
    return [
        (
            text.count("\n", 0, at) + 1,
            " ".join(text[max(0, at - 45) : at + 45].split()),
        )
        for at in left
    ]
