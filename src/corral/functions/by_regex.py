"""Votes for a class where a text has a pattern."""

from __future__ import annotations

import os
import re
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
    choose_name,
    vote_where,
)
from corral.progress import progress
from corral.tables.duckdb_work import heed_interrupts

Engine = Literal["re2", "re"]
BLOCK = 50_000
"""Texts searched between two updates of the progress bar."""


@dataclass(frozen=True, eq=False)
class Regex(ColumnFunction):
    """What `regex` makes.

    Attributes
    ----------
    pattern : str
    label : class value
    engine : "re2" or "re"
    """

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
    named = choose_name(name, pattern)
    return Regex(column, pattern, check_label(label), engine, name=named)


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
