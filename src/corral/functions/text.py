"""Votes for a class where a text has one of some words, or a pattern."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from corral._types import BoolArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.functions.base import (
    Answers,
    Failures,
    SignalFunction,
    Table,
    check_label,
    vote_where,
)
from corral.progress import heed_interrupts, progress

TEXTS_PER_SEARCH = 50_000
"""Texts searched between two updates of the progress bar."""


def keywords(
    column: Any,
    words: str | Iterable[str],
    label: Any,
    *,
    match: Literal["substring", "word"] = "substring",
    lowercase: bool = True,
    name: str | None = None,
) -> SignalFunction:
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
    chosen = tuple(dict.fromkeys(w.lower() if lowercase else w for w in listed))
    value, in_word = check_label(label), re.compile(r"\w").search

    def answer(table: Table, failures: Failures) -> Answers:
        failures.add(table.texts(column)[1])
        joined, starts = table.joined(column, lowercase)
        found = np.zeros(len(table), bool)
        # A search of each word in all texts at once is faster than one pattern of words.
        for word in chosen:
            at = joined.find(word)
            while at >= 0:
                end, row = at + len(word), bisect_right(starts, at) - 1
                next_at = starts[row + 1]
                beside = joined[max(at - 1, 0) : at] + joined[end : end + 1]
                if end >= next_at or (match == "word" and in_word(beside)):
                    next_at = at + 1
                else:
                    found[row] = True
                at = joined.find(word, next_at)
        return vote_where(found, value)

    return SignalFunction(answer, name, chosen[0])


def regex(
    column: Any,
    pattern: str,
    label: Any,
    *,
    engine: Literal["re2", "re"] = "re2",
    name: str | None = None,
) -> SignalFunction:
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
    import duckdb

    if not isinstance(pattern, str):
        raise ParameterError(f"pattern must be text; {pattern!r} was given.")
    check_choice("engine", engine, ("re2", "re"))
    search = _search_re2 if engine == "re2" else _search_re
    try:
        search(pattern, [""])
    except duckdb.OutOfMemoryException as error:  # which says nothing of the pattern
        raise MemoryError(str(error)) from error
    except (duckdb.Error, re.error) as error:
        instead = ' For look-around and back references pass engine="re".'
        raise ParameterError(
            f"{engine} cannot use the pattern {pattern!r:.200}: {error!s:.300}."
            f"{instead if engine == 're2' else ''}"
        ) from error
    value = check_label(label)

    def answer(table: Table, failures: Failures) -> Answers:
        texts, wrong = table.texts(column)
        failures.add(wrong)
        found = np.zeros(len(texts), bool)
        with progress(f"searching {failures.name}", len(texts), "texts") as bar:
            for start in range(0, len(texts), TEXTS_PER_SEARCH):
                block = texts[start : start + TEXTS_PER_SEARCH]
                found[start : start + len(block)] = search(pattern, block)
                bar.advance(len(block))
        return vote_where(found, value)

    return SignalFunction(answer, name, pattern)


@heed_interrupts()
def _search_re2(pattern: str, texts: list[str | None]) -> BoolArray:
    import duckdb

    whole = [  # UTF-8 has no half characters (lone surrogates)
        text
        if text is None or text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for text in texts
    ]
    # DuckDB finds the array by the name of this variable.
    corral_texts = {"text": np.array(whole, object)}  # noqa: F841
    query = "SELECT regexp_matches(text, $1) AS found FROM corral_texts"
    with duckdb.connect() as connection:
        found = connection.execute(query, [pattern]).fetchnumpy()["found"]
    return np.ma.filled(found, False).astype(bool)


def _search_re(pattern: str, texts: list[str | None]) -> BoolArray:
    search = re.compile(pattern).search
    found = (text is not None and search(text) is not None for text in texts)
    return np.fromiter(found, bool, len(texts))
