"""The paper's rules for text, as data: words or a pattern, and the class they vote for.

Words are looked for anywhere in the lower-cased text, within other words, too ("no" is
in "know"). A rule votes where it finds one of its words, and abstains elsewhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from corral.functions import SignalFunction, keywords, regex


class TextRule(NamedTuple):
    """A rule that votes for one class.

    Attributes
    ----------
    name : str
    label : str
        The class.
    words : tuple of str
        Any of these in the lower-cased text is a vote.
    pattern : str
        A regular expression to search for in the text as it is, where there are no words.
    """

    name: str
    label: str
    words: tuple[str, ...] = ()
    pattern: str = ""

    def function(self, column: Any = None) -> SignalFunction:
        """The rule as a signal for `corral.apply`; `column` as for `functions.keywords`."""
        if self.words:
            return keywords(column, self.words, self.label, name=self.name)
        return regex(column, self.pattern, self.label, name=self.name)


_POSITIVE = (
    "good great nice delight wonderful",
    "love best genuine well thriller",
    "clever enjoy fine deliver fascinating",
    "super excellent charming pleasure strong",
    "fresh comedy interesting fun entertain charm clever",
    "amazing romantic intelligent classic stunning",
    "rich compelling delicious intriguing smart",
)
_NEGATIVE = (
    "bad better leave never disaster",
    "nothing action fail suck difficult",
    "mess dull dumb bland outrageous",
    "slow terrible boring insult weird damn",
    "drag no not awful waste flat",
    "horrible ridiculous stupid annoying painful",
    "poor pathetic pointless offensive silly",
)
_YELP_NEGATIVE = (*_NEGATIVE[:4], "drag awful waste flat worse", *_NEGATIVE[5:])


def _polarity(
    positive: tuple[str, ...], negative: tuple[str, ...]
) -> tuple[TextRule, ...]:
    """One rule per group of words, named after its first word."""
    sides = (("positive", positive), ("negative", negative))
    return tuple(
        TextRule(group.split()[0], label, tuple(group.split()))
        for label, groups in sides
        for group in groups
    )


SST2_RULES = _polarity(_POSITIVE, _NEGATIVE)
"""Fourteen rules for SST-2, seven per class."""
YELP_RULES = _polarity(_POSITIVE, _YELP_NEGATIVE)
"""Fourteen rules for Yelp; one group differs from SST-2's."""
IMDB_RULES = _polarity(
    ("good", "wonderful", "great", "amazing", "excellent"),
    ("bad", "horrible", "sucks", "awful", "terrible"),
)
"""Ten rules of one word each for IMDB."""

_TREC_WORDS: dict[str, tuple[str, ...]] = {
    # Two spaces are left of a quotation mark in copies that have none.
    "DESC": (
        "why|come from|what is `|what is  ",
        "how does|origin of|do to",
        "the word|explain|how can|difference",
        "mean|known for ?|meaning",
        "what causes|what effect|definition|how did",
    ),
    "ENTY": (
        "was the name|film|do you say",
        "color of|sport|fear of|favorite",
        "name a|kind of|term for",
        "made of|common",
        "favorite|test|animal",
    ),
    "ABBR": ("abbreviat", "stand for", "", "full form", "acronym"),
    "HUM": (
        "who",
        "writer|wrote",
        "invent|president",
        "name ?|occupation",
        "company",
    ),
    "LOC": (
        "city|mountain",
        "where",
        "state|originate|location",
        "nationality|planet",
        "capital|country",
    ),
    "NUM": (
        "when was|date",
        "year",
        "how many",
        "are there ?|have ?|when did",
        "how much",
    ),
}
_CAPITALS = r"(?:[A-Z][^a-z ]+|[^A-Za-z ]+[A-Z][^a-z ]*)"  # two characters or more
_THIRD_WORD_IN_CAPITALS = rf"^[^ ]* [^ ]* {_CAPITALS}(?: |$)"

TREC_RULES = tuple(
    TextRule(f"{label.lower()}_{group + 1}", label, tuple(groups[group].split("|")))
    if groups[group]
    else TextRule(
        f"{label.lower()}_{group + 1}", label, pattern=_THIRD_WORD_IN_CAPITALS
    )
    for group in range(5)
    for label, groups in _TREC_WORDS.items()
)
"""Thirty rules for TREC-6, five groups of one per class, in the order of groups."""
