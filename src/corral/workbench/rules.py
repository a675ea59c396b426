"""Rules as people write them on the page, and the functions of corral that they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.functions import SignalFunction, keywords, regex, threshold

RuleKind = Literal["words", "regex", "threshold"]
PARTS: dict[str, tuple[str, ...]] = {
    "words": ("words",),
    "regex": ("pattern",),
    "threshold": ("column", "above", "below"),
}
"""What a rule of a kind has beside its class and its name."""
FIELDS = {"kind", "class", "name"}.union(*PARTS.values())


def require(good: bool, parameter: str, wanted: str, given: Any) -> None:
    """Refuse a value that is not as wanted, by the name of its field."""
    if not good:
        raise ParameterError(
            f"must be {wanted}; {given!r:.80} came.", parameter=parameter
        )


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

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, get_args(RuleKind))
        for field in ("class_", "pattern", "column", "name"):
            text = getattr(self, field)
            good = isinstance(text, str) or (field == "name" and text is None)
            require(good, field.rstrip("_"), "text", text)
        require(self.class_ != "", "class", "named", self.class_)
        require(self.name != "", "name", "text that is not empty", self.name)
        good = all(isinstance(w, str) and w for w in self.words)
        good = good and (self.kind != "words" or len(self.words) > 0)
        require(good, "words", "one or more words", list(self.words))
        try:
            texts = (
                *self.words,
                self.class_,
                self.pattern,
                self.column,
                self.name or "",
            )
            "".join(texts).encode()
        except UnicodeEncodeError as error:  # a lone surrogate, which no file can hold
            raise ParameterError(
                "must be whole characters; half of one came.", parameter="rule"
            ) from error
        if self.kind == "regex":
            require(self.pattern != "", "pattern", "a pattern", self.pattern)
            problem = find_problem(self.pattern)
            if problem is not None:
                raise ParameterError(
                    f"cannot be used by RE2: {problem:.300}. RE2 has no look-around and no "
                    "back references.",
                    parameter="pattern",
                )
        elif self.kind == "threshold":
            self._check_limits()

    def _check_limits(self) -> None:
        require(self.column != "", "column", "the name of a column", self.column)
        for field in ("above", "below"):
            limit = getattr(self, field)
            good = type(limit) in (int, float) and abs(limit) < 1e300
            require(limit is None or good, field, "a number", limit)
        if self.above is None:
            require(self.below is not None, "above", 'given, or "below"', None)
        elif self.below is not None:
            wanted = f"more than {self.above:g}, which is above"
            require(self.above < self.below, "below", wanted, self.below)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rule:
        """Read what `to_dict` wrote, or what a page sent.

        Words may also be one text, in which commas separate them.
        """
        wanted = "an object with kind, class and condition"
        require(isinstance(given, Mapping), "rule", wanted, given)
        unknown = sorted(given.keys() - FIELDS)
        require(not unknown, "rule", f"of {', '.join(sorted(FIELDS))}", unknown)
        fields: dict[str, Any] = {"kind": None, "class_": given.get("class")}
        fields |= {k: v for k, v in given.items() if v is not None and k != "class"}
        words = fields.pop("words", ())
        if isinstance(words, str):
            words = [word.strip() for word in words.split(",")]
        require(isinstance(words, list | tuple), "words", "a list of texts", words)
        return cls(**fields, words=tuple(word for word in words if word != ""))

    def to_dict(self) -> dict[str, Any]:
        """What JSON and the project file hold: what belongs to the kind, and no more."""
        made: dict[str, Any] = {"kind": self.kind, "class": self.class_}
        for key in (*PARTS[self.kind], "name"):
            value = getattr(self, key)
            if value is not None:
                made[key] = list(value) if isinstance(value, tuple) else value
        return made

    @property
    def title(self) -> str:
        """The name, or what it is by default."""
        if self.name is not None:
            return self.name
        if self.kind == "words":
            title = ", ".join(self.words)
        elif self.kind == "regex":
            title = self.pattern
        else:
            return self.function(None).name
        return title if len(title) <= 40 else title[:37] + "..."

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
        limits = {"above": self.above, "below": self.below}
        return threshold(self.column, self.class_, **limits, name=self.name)


@lru_cache(maxsize=4096)
def find_problem(pattern: str) -> str | None:
    """What RE2 says against a pattern."""
    try:
        regex(None, pattern, "any")
    except ParameterError as error:
        return str(error.__cause__).partition(": ")[2] or str(error)
    return None
