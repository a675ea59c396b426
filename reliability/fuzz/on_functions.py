"""Signals written as functions: the same votes as plain Python gives."""

from __future__ import annotations

import re
import tempfile
import warnings
from typing import Any

import numpy as np
from hypothesis import strategies as st

import corral
from corral.functions import keywords, lookup, regex, threshold
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.values import floats, odd, texts

words = st.sampled_from(
    ["a", "b", "ab", "free", "Free!", "né", "x y", "ß", "İ", "日本", "a.b"]
)
documents = st.lists(
    st.one_of(
        st.lists(words, max_size=6).map(" ".join), texts, st.text("abß İ.", max_size=9)
    ),
    min_size=1,
    max_size=8,
)


def votes_of(functions: list[Any], data: Any, **options: Any) -> Any:
    """Where every function votes."""
    signals = corral.apply(functions, data, classes=["no", "yes"], **options)
    return np.asarray(signals.votes) >= 0


@holds_for(
    st.tuples(
        documents,
        st.lists(words, min_size=1, max_size=3, unique=True),
        st.sampled_from(["substring", "word"]),
        st.booleans(),
    ),
    cost=6,
)
def keyword_signals(case: tuple[list[str], list[str], str, bool]) -> None:
    """Keywords find what a plain search finds, together, alone and from a cache."""
    rows, sought, match, lowercase = case
    options: dict[str, Any] = {"match": match, "lowercase": lowercase}
    functions = [
        keywords(None, word, "yes", name=f"k{i}", **options)
        for i, word in enumerate(sought)
    ]
    found = votes_of(functions, rows)
    for i, word in enumerate(sought):
        with must_work():
            alone = votes_of([functions[i]], rows)[:, 0]
        np.testing.assert_array_equal(found[:, i], alone)
        expected = [find_plainly(text, word, match, lowercase) for text in rows]
        assert found[:, i].tolist() == expected, (word, rows)
    with tempfile.TemporaryDirectory() as folder, must_work():
        for _ in range(2):
            np.testing.assert_array_equal(
                votes_of(functions, rows, cache=folder), found
            )


def find_plainly(text: str, word: str, match: str, lowercase: bool) -> bool:
    """Whether a text has a word, in one line of Python."""
    if lowercase:
        text, word = text.lower(), word.lower()
    if match == "substring":
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


@holds_for(
    st.tuples(documents, st.one_of(st.text("ab.*+?[](){}\\^$|", max_size=6), words)),
    cost=3,
)
def regex_signals(case: tuple[list[str], str]) -> None:
    """Regular expressions find what Python's find, or are refused."""
    rows, pattern = case
    # What Python advises against, such as `[[]`, it says itself.
    warnings.filterwarnings("ignore", "Possible .*set", FutureWarning)
    quick = votes_of([regex(None, pattern, "yes", name="r")], rows)[:, 0]
    if not is_pattern(pattern):  # RE2 takes `a**`; Python does not, and refuses it
        votes_of([regex(None, pattern, "yes", engine="re", name="r")], rows)
        raise AssertionError("what Python cannot compile was taken")
    with must_work():
        function = regex(None, pattern, "yes", engine="re", name="r")
        exact = votes_of([function], rows)[:, 0]
    assert exact.tolist() == [bool(re.search(pattern, text)) for text in rows]
    if pattern.isalnum() and all(map(str.isascii, rows)):
        assert quick.tolist() == exact.tolist()


def is_pattern(text: str) -> bool:
    """Whether Python takes a text as a regular expression."""
    try:
        re.compile(text)
    except re.error:
        return False
    return True


@holds_for(
    st.tuples(
        st.lists(texts, min_size=1, max_size=6),
        st.dictionaries(texts, st.sampled_from(["no", "yes"]), min_size=1, max_size=4),
    ),
    cost=2,
)
def lookup_signals(case: tuple[list[str], dict[str, str]]) -> None:
    """Look-ups answer what the table has for a value, and nothing else."""
    rows, table = case
    function = lookup(None, table)
    with must_work():
        answers = function.apply(rows).to_list()
    assert answers == [table.get(text) for text in rows]


def returns(values: list[Any]) -> Any:
    """A function of rows that returns these, one after the other."""

    def answer(row: int) -> Any:
        return values[row]

    return answer


@holds_for(st.lists(odd, min_size=1, max_size=6), cost=2)
def functions_return_anything(values: list[Any]) -> None:
    """A function that returns anything votes, abstains or is refused."""
    function = corral.signal(returns(values), name="f")
    signals = corral.apply([function], list(range(len(values))), on_error="abstain")
    assert len(signals) == len(values)


@holds_for(st.tuples(st.lists(floats, min_size=1, max_size=8), floats), cost=2)
def threshold_signals(case: tuple[list[float], float]) -> None:
    """Thresholds vote where the number is above, and never on NaN."""
    numbers, limit = case
    function = threshold(None, above=limit, label="yes", name="t")
    with must_work():
        voted = votes_of([function], numbers)[:, 0]
    expected = [not np.isnan(x) and x > limit for x in numbers]
    assert voted.tolist() == expected
