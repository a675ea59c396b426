"""Rules as people write them on the page, and the functions of corral that they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from corral.checks import check_choice
from corral.errors import ParameterError
from corral.functions import SignalFunction, keywords, lookup, regex, threshold

PARTS: dict[str, tuple[str, ...]] = {
    "words": ("words",),
    "regex": ("pattern",),
    "threshold": ("column", "above", "below"),
    "column": ("column", "values"),
}
"""The condition of a rule, by its kind."""
NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,18})?(e[+-]\d\d)?")
"""Numbers as DuckDB writes them."""
FIELDS = {"kind", "class", "name"}.union(*PARTS.values())


def require(good: bool, parameter: str, wanted: str, given: Any) -> None:
    """Refuse a value by the name of its field."""
    if not good:
        raise ParameterError(
            f"must be {wanted}; {given!r:.80} was given.", parameter=parameter
        )


@dataclass(frozen=True)
class Rule:
    """A rule that votes for one class, or a column of votes for any.

    Parameters
    ----------
    kind : {"words", "regex", "threshold", "column"}
        The rule votes where the text has one of some whole words (or phrases), in any case;
        where a pattern of RE2 is found; where a number is above or below a limit; or as a
        column says, such as the answers of a language model.
    class_ : str
        The class voted for; None for "column".
    words : tuple of str
        Of "words".
    pattern : str
        Of "regex"; ``(?i)`` in front ignores case.
    column, above, below : str and floats, optional
        Of "threshold"; the limits themselves do not count. "column" has a column, too.
    values : mapping of str to str
        Of "column": the class that every value means. The rule abstains on others.
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

    kind: Literal["words", "regex", "threshold", "column"]
    class_: str | None
    words: tuple[str, ...] = ()
    pattern: str = ""
    column: str = ""
    above: float | None = None
    below: float | None = None
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    name: str | None = None

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, PARTS)
        if self.name is not None:
            _require_texts("name", self.name)
        if self.kind != "column":
            _require_texts("class", self.class_)
        if self.kind == "words":
            _require_texts("words", *self.words)
        elif self.kind == "regex":
            _require_texts("pattern", self.pattern)
            if problem := find_problem(self.pattern):
                raise ParameterError(
                    f"cannot be used by RE2: {problem:.300}. RE2 has no look-around and no "
                    "back references.",
                    parameter="pattern",
                )
        else:
            _require_texts("column", self.column)
        if self.kind == "threshold":
            given = self.limits
            require(len(given) > 0, "above", 'given, or "below"', None)
            for limit, value in given.items():
                good = type(value) in (int, float) and abs(value) < 1e300
                require(good, limit, "a number", value)
            good = len(given) < 2 or given["above"] < given["below"]
            require(good, "below", "larger than above", self.below)
        elif self.kind == "column":
            require(self.class_ is None, "class", "left out", self.class_)
            good = isinstance(self.values, Mapping)
            require(good, "values", "an object", self.values)
            _require_texts("values", *self.values, *self.values.values())

    @property
    def limits(self) -> dict[str, float]:
        """Those that are given, of "threshold"."""
        both = {"above": self.above, "below": self.below}
        return {name: limit for name, limit in both.items() if limit is not None}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rule:
        """Read what `to_dict` wrote, or what a page sent."""
        good = isinstance(given, Mapping) and given.keys() <= FIELDS
        wanted = f"an object with the fields {', '.join(sorted(FIELDS))} only"
        require(good, "rule", wanted, given)
        fields: dict[str, Any] = {"kind": None, "class_": given.get("class")}
        fields |= {k: v for k, v in given.items() if v is not None and k != "class"}
        words = fields.pop("words", ())
        require(isinstance(words, list | tuple), "words", "a list of texts", words)
        return cls(**fields, words=tuple(words))

    def to_dict(self) -> dict[str, Any]:
        """The kind, the class, the condition and the name, as JSON has them."""
        made: dict[str, Any] = {"kind": self.kind, "class": self.class_}
        for key in (*PARTS[self.kind], "name"):
            value = getattr(self, key)
            if value is not None:
                made[key] = list(value) if isinstance(value, tuple) else value
        return made

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that it votes for."""
        if self.class_ is not None:
            return (self.class_,)
        return tuple(dict.fromkeys(self.values.values()))

    @property
    def title(self) -> str:
        """The name; by default the condition."""
        if self.name is not None:
            return self.name
        if self.kind in ("threshold", "column"):
            return self.function(None).name
        title = ", ".join(self.words) if self.kind == "words" else self.pattern
        return title if len(title) <= 40 else title[:37] + "..."

    def call(
        self, text: str | None, values: Mapping[str | None, Any]
    ) -> tuple[Callable[..., SignalFunction], list[Any], dict[str, Any]]:
        """The function of corral that makes the same rule, and its arguments.

        `text` is the column with the texts; `values` are classes by the names that they
        have here.
        """
        label = values.get(self.class_, self.class_)
        if self.kind == "words":
            return keywords, [text, list(self.words), label], {"match": "word"}
        if self.kind == "regex":
            return regex, [text, self.pattern, label], {}
        if self.kind == "threshold":
            return threshold, [self.column, label], self.limits
        table: dict[Any, Any] = {v: values.get(c, c) for v, c in self.values.items()}
        for value in self.values:  # numbers, as text and as numbers
            if value in ("true", "false") or NUMBER.fullmatch(value):
                table[json.loads(value)] = table[value]
        return lookup, [self.column, table], {}

    def function(self, text: str | None) -> SignalFunction:
        """The same rule as a function of corral; `text` is the column with the texts."""
        make, given, named = self.call(text, {})
        name = self.column if self.kind == "column" else None
        return make(*given, **named, name=self.name or name)


def _require_texts(parameter: str, *given: Any) -> None:
    good = len(given) > 0 and all(isinstance(text, str) and text for text in given)
    require(good, parameter, "text that is not empty", [*given])


@lru_cache(maxsize=4096)
def find_problem(pattern: str) -> str | None:
    """What RE2 says against a pattern."""
    import duckdb

    try:
        with duckdb.cursor() as cursor:  # `regex` opens a database, which takes 15 ms
            cursor.execute("SELECT regexp_matches('', ?)", [pattern])
    except duckdb.Error as error:
        return str(error).partition(": ")[2]
    return None
