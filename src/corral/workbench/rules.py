"""Rules as people write them on the page, and the functions of corral that they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.functions import SignalFunction, keywords, regex, threshold

RuleKind = Literal["words", "regex", "threshold"]
LONGEST_WORD, LONGEST_PATTERN = 500, 10_000
"""Characters; DuckDB gives up on longer words, and nobody reads longer patterns."""
MOST_WORDS = 10_000
"""Of a rule; more of them are a function, such as `corral.functions.keywords`."""
MOST_BRACKETS = 500
"""In a pattern; the time that RE2 takes grows with the square of it."""
LARGEST = 1e300
"""Numbers that a rule may compare with are below this."""


@dataclass(frozen=True)
class Rule:
    """A rule that votes for one class.

    Parameters
    ----------
    kind : {"words", "regex", "threshold"}
        Words (or phrases) that stand alone in the text, whatever their case; a pattern of
        RE2 that is found in it; a number above or below a limit.
    class_ : str
        The class voted for.
    words : tuple of str
        Of "words": the rule votes where the text has any of them.
    pattern : str
        Of "regex"; ``(?i)`` in front ignores case.
    column : str
        Of "threshold".
    above, below : float, optional
        Of "threshold"; the limits themselves do not count.
    name : str, optional
        Default: the condition.

    Examples
    --------
    >>> from corral.workbench import Rule
    >>> rule = Rule("words", "pos", words=("great", "must see"))
    >>> rule.function("text").apply([{"text": "A MUST SEE."}]).to_list()
    ['pos']
    >>> Rule.from_dict(rule.to_dict()) == rule
    True
    """

    kind: RuleKind
    class_: str
    words: tuple[str, ...] = ()
    pattern: str = ""
    column: str = ""
    above: float | None = None
    below: float | None = None
    name: str | None = None

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rule:
        """Read what `to_dict` wrote, or what a page sent.

        Words may also be one text, in which commas separate them.
        """
        if not isinstance(given, Mapping):
            raise ParameterError(
                f"must be an object with kind, class and condition; {given!r:.80} came.",
                parameter="rule",
            )
        unknown = given.keys() - _KEYS
        if unknown:
            raise ParameterError(
                f"has {sorted(unknown)[0]!r}, which no rule has; a rule has "
                f"{', '.join(sorted(_KEYS))}.",
                parameter="rule",
            )
        fields = {k: v for k, v in given.items() if v is not None and k != "class"}
        words = fields.pop("words", ())
        if isinstance(words, str):
            words = [word.strip() for word in words.split(",")]
        if not isinstance(words, list | tuple):
            raise ParameterError(
                f"must be a list of texts; {words!r:.80} came.", parameter="words"
            )
        kept = tuple(word for word in words if word != "")
        needed: dict[str, Any] = {"kind": None, "class_": given.get("class")}
        return cls(**(needed | fields | {"words": kept})).checked()

    def to_dict(self) -> dict[str, Any]:
        """What JSON and the project file hold: what belongs to the kind, and no more."""
        made: dict[str, Any] = {"kind": self.kind, "class": self.class_}
        for key in _PARTS[self.kind]:
            value = getattr(self, key)
            if value is not None:
                made[key] = list(value) if isinstance(value, tuple) else value
        return made if self.name is None else made | {"name": self.name}

    def checked(self) -> Rule:
        """The same, once everything in it was checked."""
        check_choice("kind", self.kind, get_args(RuleKind))
        for key in ("class_", "pattern", "column", "name"):
            value = getattr(self, key)
            if not isinstance(value, str) and not (key == "name" and value is None):
                raise ParameterError(
                    f"must be text; {value!r:.80} came.", parameter=key.rstrip("_")
                )
        for text in (self.class_, self.pattern, self.column, self.name, *self.words):
            _check_whole(text)
        if not self.class_:
            raise ParameterError("must be named.", parameter="class")
        if self.name == "":
            raise ParameterError("must not be empty.", parameter="name")
        _CHECKS[self.kind](self)
        return self

    @property
    def title(self) -> str:
        """The name, or what it would be by default."""
        return self.name or _name(self)

    def named(self, name: str) -> Rule:
        """The same by another name."""
        return replace(self, name=name)

    def function(self, text: str | None) -> SignalFunction:
        """The same as a function of corral.

        Parameters
        ----------
        text : str or None
            The column with the texts.
        """
        if self.kind == "words":
            return keywords(text, self.words, self.class_, match="word", name=self.name)
        if self.kind == "regex":
            return regex(text, self.pattern, self.class_, name=self.name)
        return threshold(
            self.column,
            self.class_,
            above=self.above,
            below=self.below,
            name=self.name,
        )


def _check_whole(text: Any) -> None:
    """Refuse half a character (a lone surrogate), which no text of a file can have."""
    try:
        str(text).encode()
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"must be whole characters; {text!r:.80} came.", parameter="rule"
        ) from error


def _check_words(rule: Rule) -> None:
    if not rule.words or not all(isinstance(w, str) and w for w in rule.words):
        raise ParameterError(
            f"must be one or more words; {list(rule.words)!r:.80} came.",
            parameter="words",
        )
    if len(rule.words) > MOST_WORDS:
        raise ParameterError(
            f"must be at most {MOST_WORDS:,}; {len(rule.words):,} came. Write a function "
            "for so many.",
            parameter="words",
        )
    longest = max(rule.words, key=len)
    if len(longest) > LONGEST_WORD:
        raise ParameterError(
            f"must have at most {LONGEST_WORD} characters each; {longest[:20]!r} and so on "
            f"has {len(longest):,}.",
            parameter="words",
        )


def _check_pattern(rule: Rule) -> None:
    if not rule.pattern:
        raise ParameterError("must be a pattern; nothing came.", parameter="pattern")
    if len(rule.pattern) > LONGEST_PATTERN:
        raise ParameterError(
            f"must have at most {LONGEST_PATTERN:,} characters; {len(rule.pattern):,} "
            "came.",
            parameter="pattern",
        )
    if rule.pattern.count("(") > MOST_BRACKETS:
        raise ParameterError(
            f"must have at most {MOST_BRACKETS} brackets; "
            f"{rule.pattern.count('('):,} came.",
            parameter="pattern",
        )
    try:
        _name(rule)
    except ParameterError as error:
        why = str(error.__cause__).partition(": ")[2] or str(error)
        raise ParameterError(
            f"cannot be used by RE2: {why:.300}. It has no look-around and no back "
            "references.",
            parameter="pattern",
        ) from error


def _check_limits(rule: Rule) -> None:
    if not rule.column:
        raise ParameterError("must name a column of numbers.", parameter="column")
    for key in ("above", "below"):
        value = getattr(rule, key)
        if value is not None and (
            type(value) not in (int, float) or not abs(value) < LARGEST
        ):
            raise ParameterError(
                f"must be a number; {value!r:.80} came.", parameter=key
            )
    if rule.above is None and rule.below is None:
        raise ParameterError(
            "must be a number, or below; neither came.", parameter="above"
        )
    if rule.above is not None and rule.below is not None and rule.above >= rule.below:
        raise ParameterError(
            f"must be above {rule.above:g}, else no number is between them; "
            f"{rule.below:g} came.",
            parameter="below",
        )


@lru_cache(maxsize=4096)
def _name(rule: Rule) -> str:
    """All words of a rule, or what corral calls its function; refused if there is none."""
    called = rule.function("text").name
    name = ", ".join(rule.words) if rule.kind == "words" else called
    return name if len(name) <= 40 else name[:37] + "..."


_CHECKS = {
    "words": _check_words,
    "regex": _check_pattern,
    "threshold": _check_limits,
}
_PARTS: dict[str, tuple[str, ...]] = {
    "words": ("words",),
    "regex": ("pattern",),
    "threshold": ("column", "above", "below"),
}
"""What a rule of a kind has beside its class and its name."""
_KEYS = {"kind", "class", "name"}.union(*_PARTS.values())
