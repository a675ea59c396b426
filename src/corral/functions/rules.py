"""Rules on a column: words and patterns in texts, known values, limits of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np

from corral._types import BoolArray
from corral.checks import check_choice
from corral.errors import ParameterError
from corral.functions.base import (
    Answers,
    Examples,
    Failures,
    SignalFunction,
    check_label,
    read_answers,
    vote_where,
)
from corral.progress import heed_interrupts

# -- texts ---------------------------------------------------------------------------


def keywords(
    column: Any,
    words: str | Iterable[str],
    label: Any,
    *,
    match: Literal["substring", "word"] = "substring",
    name: str | None = None,
) -> SignalFunction:
    """A signal that votes for a class where a text has any of some words, in any case.

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
    chosen = list(dict.fromkeys(word.lower() for word in listed))
    alternatives = "|".join(map(re.escape, chosen))
    alone = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)").search
    value = check_label(label)

    def answer(examples: Examples, failures: Failures) -> Answers:
        failures.add(examples.texts(column)[1])
        found = [any(w in text for w in chosen) for text in examples.lowered(column)]
        if match == "word":
            texts = zip(examples.lowered(column), found, strict=True)
            found = [has and alone(text) is not None for text, has in texts]
        return vote_where(found, value)

    return SignalFunction(answer, name, chosen[0])


def regex(
    column: Any, pattern: str, label: Any, *, name: str | None = None
) -> SignalFunction:
    r"""A signal that votes for a class where a pattern is found in a text.

    RE2, which is part of DuckDB, searches in a time that grows with the length of the text
    and nothing else. Its ``\w``, ``\d``, ``\s`` and ``\b`` know ASCII only (``\pL`` is any
    letter), and ``$`` is the very end, not before a last line break. It has no look-around
    and no back references: write these as a `corral.signal` with Python's ``re``.

    Parameters
    ----------
    column, label, name : as for `keywords`
    pattern : str
        A regular expression, found anywhere in the text; ``(?i)`` in front ignores case.

    Examples
    --------
    >>> from corral.functions import regex
    >>> money = regex(None, r"(?i)\$\d+|cash", "spam")
    >>> money.apply(["Cash now!", "hello", "only $5"]).to_list()
    ['spam', None, 'spam']
    """
    import duckdb

    if not isinstance(pattern, str):
        raise ParameterError(f"pattern must be text; {pattern!r} was given.")
    try:
        _search(pattern, [""])
    except duckdb.Error as error:
        raise ParameterError(
            f"RE2 cannot use the pattern {pattern!r:.200}: {error!s:.300}. Look-around and "
            "back references need a function of a row, with @corral.signal and `re`."
        ) from error
    value = check_label(label)

    def answer(examples: Examples, failures: Failures) -> Answers:
        texts, wrong = examples.texts(column)
        failures.add(wrong)
        return vote_where(_search(pattern, texts), value)

    return SignalFunction(answer, name, pattern)


@heed_interrupts()
def _search(pattern: str, texts: list[str | None]) -> BoolArray:
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


# -- values --------------------------------------------------------------------------


def lookup(
    column: Any, table: Mapping[Any, Any], *, name: str | None = None
) -> SignalFunction:
    """A signal that looks up the value of a column, as in a gazetteer.

    Parameters
    ----------
    column, name : as for `keywords`
    table : mapping
        The class of every known value.

    Examples
    --------
    >>> from corral.functions import lookup
    >>> lookup(None, {"Oslo": "city", "Elbe": "river"}).apply(["Elbe", "Rome"]).to_list()
    ['river', None]
    """
    if not isinstance(table, Mapping) or not table:
        raise ParameterError(
            f"a mapping from values to classes was expected; {table!r} was given."
        )
    known = {value: check_label(label) for value, label in table.items()}

    def answer(examples: Examples, failures: Failures) -> Answers:
        said = read_answers(known.get, examples.column(column), None, failures)
        return said.with_classes(known.values())

    default = "lookup" if column is None else f"{column} lookup"
    return SignalFunction(answer, name, default)


def threshold(
    column: Any,
    label: Any,
    *,
    above: float | None = None,
    below: float | None = None,
    name: str | None = None,
) -> SignalFunction:
    """A signal that votes for a class where a number is above or below a limit.

    With both limits, where it is between them. The limits themselves do not count, and
    missing numbers abstain.

    Parameters
    ----------
    column, label, name : as for `keywords`
    above, below : float, optional

    Examples
    --------
    >>> from corral.functions import threshold
    >>> threshold(None, "warm", above=20).apply([18.5, 25, None, 20]).to_list()
    [None, 'warm', None, None]
    >>> threshold("stars", "bad", below=2.5).name
    'stars < 2.5'
    """
    given = [limit for limit in (above, below) if limit is not None]
    if not given or not all(isinstance(x, Real) and x == x for x in given):
        raise ParameterError(
            f"a number is needed for above=, below= or both; {above=}, {below=} came."
        )
    if above is not None and below is not None and above >= below:
        raise ParameterError(f"nothing is above {above} and below {below}.")
    what = "value" if column is None else str(column)
    if below is None:
        condition = f"{what} > {above:g}"
    else:
        condition = f"{'' if above is None else f'{above:g} < '}{what} < {below:g}"
    value = check_label(label)

    def answer(examples: Examples, failures: Failures) -> Answers:
        values, wrong = examples.numbers(column)
        failures.add(wrong)
        inside = ~np.isnan(values)
        if above is not None:
            inside &= values > above
        if below is not None:
            inside &= values < below
        return vote_where(inside, value)

    return SignalFunction(answer, name, condition)
