"""Votes for a class where a text has one of some words, or a pattern."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
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
    named,
    vote_where,
)
from corral.progress import heed_interrupts, progress

Match = Literal["substring", "word"]
Engine = Literal["re2", "re"]
BLOCK = 50_000
"""Texts searched between two updates of the progress bar."""


@dataclass(frozen=True, eq=False)
class Keywords(ColumnFunction):
    """What `keywords` makes."""

    words: tuple[str, ...]
    label: Any
    match: Match
    lowercase: bool

    def answer(self, table: Table, failures: Failures) -> Answers:
        joined, starts, wrong = table.joined(self.column, self.lowercase)
        failures.add_all(wrong)
        found = np.zeros(len(table), bool)
        in_word = re.compile(r"\w").search
        # A search of each word in all texts at once is faster than one pattern of words.
        for word in self.words:
            at = joined.find(word)
            while at >= 0:
                end, row = at + len(word), bisect_right(starts, at) - 1
                next_at = starts[row + 1]
                beside = joined[max(at - 1, 0) : at] + joined[end : end + 1]
                if end >= next_at or (self.match == "word" and in_word(beside)):
                    next_at = at + 1
                else:
                    found[row] = True
                at = joined.find(word, next_at)
        return vote_where(found, self.label)


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

    The time grows with the number of words: look thousands of them up with `lookup`.

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
        Default: the first word.

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
    value = check_label(label)
    return Keywords(
        column, distinct, value, match, lowercase, **named(name, distinct[0])
    )


@dataclass(frozen=True, eq=False)
class Regex(ColumnFunction):
    """What `regex` makes."""

    pattern: str
    label: Any
    engine: Engine

    def answer(self, table: Table, failures: Failures) -> Answers:
        texts, wrong = table.texts(self.column)
        failures.add_all(wrong)
        search = _search_re2 if self.engine == "re2" else _search_re
        found = np.zeros(len(texts), bool)
        with progress(f"searching {self.name}", len(texts), "texts") as bar:
            for start in range(0, len(texts), BLOCK):
                block = texts[start : start + BLOCK]
                found[start : start + BLOCK] = search(self.pattern, block)
                bar.advance(len(block))
        return vote_where(found, self.label)


def regex(
    column: Any,
    pattern: str,
    label: Any,
    *,
    engine: Engine = "re2",
    name: str | None = None,
) -> Regex:
    r"""A signal that votes for a class where a pattern is found in a text.

    Parameters
    ----------
    column : str, int or None
        The column with the texts; None: the data are the texts.
    pattern : str
        A regular expression, found anywhere in the text; ``(?i)`` in front ignores case.
    label : str or int
        The class voted for.
    engine : {"re2", "re"}
        RE2, which DuckDB brings along, takes a time that grows with the length of the
        text and nothing else. It has no look-around and no back references, and its
        ``\w``, ``\d``, ``\s`` and ``\b`` know ASCII only (``\pL`` is any letter); ``$``
        is the very end, not before a last line break. Python's own ``re`` has all that,
        but some patterns take it for ever on some texts.
    name : str, optional
        Default: the pattern.

    Examples
    --------
    >>> from corral.functions import regex
    >>> money = regex(None, r"(?i)\$\d+|cash", "spam")
    >>> money.apply(["Cash now!", "hello", "only $5"]).to_list()
    ['spam', None, 'spam']
    >>> regex(None, r"(\w)\1", "double", engine="re").apply(["moon", "sun"]).to_list()
    ['double', None]
    """
    if not isinstance(pattern, str):
        raise ParameterError(f"pattern must be text; {pattern!r} was given.")
    check_choice("engine", engine, ("re2", "re"))
    if engine == "re2":
        _check_re2(pattern)
    else:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ParameterError(
                f"{pattern!r:.200} is no pattern: {error!s:.200}."
            ) from error
    return Regex(column, pattern, check_label(label), engine, **named(name, pattern))


def _check_re2(pattern: str) -> None:
    import duckdb

    try:
        _search_re2(pattern, [""])
    except duckdb.OutOfMemoryException as error:  # which says nothing of the pattern
        raise MemoryError(str(error)) from error
    except duckdb.Error as error:
        raise ParameterError(
            f"RE2 cannot use the pattern {pattern!r:.200}: {error!s:.300}. For look-around "
            'and back references pass engine="re".'
        ) from error


@heed_interrupts()
def _search_re2(pattern: str, texts: list[str | None]) -> BoolArray:
    read = np.array([_replace_surrogates(text) for text in texts], object)
    # DuckDB finds the array by the name of this variable.
    corral_texts = {"text": read}  # noqa: F841
    query = "SELECT regexp_matches(text, $1) AS found FROM corral_texts"
    with _database().cursor() as connection:
        found = connection.execute(query, [pattern]).fetchnumpy()["found"]
    return np.ma.filled(found, False).astype(bool)


@cache
def _database() -> Any:
    """A database of its own, where the user's settings do not matter.

    Opening one takes longer than most searches, so it is kept.
    """
    import duckdb

    return duckdb.connect()


if hasattr(os, "register_at_fork"):
    # Its threads do not survive a fork, and a child that holds it waits for them when it
    # ends. So it is closed before a fork, and both processes open their own. A search that
    # another thread is in the middle of keeps it open until that is done; in the child that
    # thread and what it holds are never heard of again.
    os.register_at_fork(before=_database.cache_clear)


def _replace_surrogates(text: str | None) -> str | None:
    """The text, with half a character (a lone surrogate) replaced: UTF-8 has none."""
    if text is None or text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _search_re(pattern: str, texts: list[str | None]) -> BoolArray:
    search = re.compile(pattern).search
    found = (text is not None and search(text) is not None for text in texts)
    return np.fromiter(found, bool, len(texts))
