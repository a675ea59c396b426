"""Votes for a class where a text has one of some words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from corral._types import BoolArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.functions.row_table import Table
from corral.functions.signal_function import (
    Answers,
    ColumnFunction,
    Failures,
    check_label,
    choose_name,
    vote_where,
)

Match = Literal["substring", "word"]

COMPILED_FROM = 1 << 20
"""Pairs of text and word from which compiled code repays its loading time."""


@dataclass(frozen=True, eq=False)
class Keywords(ColumnFunction):
    """What `keywords` makes.

    Attributes
    ----------
    words : tuple of str
    label : class value
    match : "substring" or "word"
    lowercase : bool
    """

    words: tuple[str, ...]
    label: Any
    match: Match
    lowercase: bool

    def answer(self, table: Table, failures: Failures) -> Answers:
        return answer_together([self], table, [failures])[0]


def keywords(
    column: Any,
    words: str | Iterable[str],
    label: Any,
    *,
    match: Match = "substring",
    lowercase: bool = True,
    name: str | None = None,
) -> Keywords:
    """A signal that votes for a class where a text has any of some words.

    All keyword signals of a call of `corral.apply` are found in one pass over the texts,
    however many words they have.

    Parameters
    ----------
    column : str, int or None
        The column with the texts; None: the data are the texts.
    words : str or iterable of str
        A word may hold spaces and anything else.
    label : str or int
        The class voted for.
    match : {"substring", "word"}
        Whether "act" is found in "action", or only where no letter, digit or underscore
        is next to it.
    lowercase : bool
        Whether upper and lower case are the same: words and texts are lower-cased.
    name : str, optional
        Default: the words.

    Examples
    --------
    >>> import corral
    >>> from corral.functions import keywords
    >>> spam = keywords(None, ["free", "prize"], "spam")
    >>> spam.apply(["Free lunch", "hello", "FREEZE"]).to_list()
    ['spam', None, 'spam']
    >>> keywords(None, "free", "spam", match="word").apply(["freeze", "free!"]).to_list()
    [None, 'spam']
    """
    several = isinstance(words, Iterable) and not isinstance(words, str)
    listed: list[Any] = list(words) if several else [words]
    if not listed or not all(isinstance(word, str) and word for word in listed):
        raise ParameterError(
            f"words must be one or more texts that are not empty; {words!r} was given."
        )
    check_choice("match", match, ("substring", "word"))
    if lowercase:
        listed = [word.lower() for word in listed]
    distinct = tuple(dict.fromkeys(listed))
    named = choose_name(name, ", ".join(distinct))
    return Keywords(column, distinct, check_label(label), match, lowercase, name=named)


def answer_together(
    functions: Sequence[Keywords], table: Table, failures: Sequence[Failures]
) -> list[Answers]:
    """Answers of many keyword functions, one pass for every column and case."""
    answers: dict[int, Answers] = {}
    together: dict[Any, list[int]] = {}
    for at, function in enumerate(functions):
        together.setdefault((function.column, function.lowercase), []).append(at)
    for (column, lowercase), members in together.items():
        texts, wrong = table.texts(column)
        for at in members:
            failures[at].add_all(wrong)
        found = find(texts, [functions[at] for at in members], lowercase)
        for at, rows in zip(members, found.T, strict=True):
            answers[at] = vote_where(rows, functions[at].label)
    return [answers[at] for at in range(len(functions))]


def find(
    texts: Sequence[str | None], functions: Sequence[Keywords], lowercase: bool
) -> BoolArray:
    """Which texts (n,) have a word of which functions (m,): (n, m)."""
    if len(texts) * sum(len(f.words) for f in functions) < COMPILED_FROM:
        return find_plainly(texts, functions, lowercase)
    # Here, because it loads numba.
    from corral.functions.automaton import Automaton

    words = [(f.words, f.match == "word") for f in functions]
    return Automaton(words).find(texts, lowercase)


def find_plainly(
    texts: Sequence[str | None], functions: Sequence[Keywords], lowercase: bool
) -> BoolArray:
    """The same by Python's `re`, function by function, for few texts."""
    found = np.zeros((len(texts), len(functions)), bool)
    cased = [t.lower() if lowercase and t else t or "" for t in texts]
    for at, function in enumerate(functions):
        either = "|".join(map(re.escape, function.words))
        if function.match == "word":
            either = rf"(?<!\w)(?:{either})(?!\w)"
        search = re.compile(either).search
        found[:, at] = [search(text) is not None for text in cased]
    return found
