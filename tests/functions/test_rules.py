"""Keywords find what a plain loop finds; RE2 and re find the same; look-ups and limits."""

import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import corral
from corral.errors import FunctionError, FunctionWarning, ParameterError, SignalsError
from corral.functions import keywords, lookup, regex, threshold

# Few letters, so that words overlap, end each other and stand next to what is no letter.
letters = st.text("abAB_ .é\U0001d518\ud800\u0130Σ\n\0", max_size=12)
words = st.lists(letters.filter(bool), min_size=1, max_size=4)
matches = st.sampled_from(["substring", "word"])


def has_any(text, words, match):
    """Whether a text has any of some words, looked for letter by letter."""
    for word in words:
        for at in range(len(text)):
            beside = text[max(at - 1, 0) : at] + text[at + len(word) :][:1]
            alone = match == "substring" or not re.search(r"\w", beside)
            if text[at : at + len(word)] == word and alone:
                return True
    return False


@given(
    texts=st.lists(letters | st.none(), min_size=1, max_size=6),
    words=words,
    match=matches,
)
@example(["aab", "ab"], ["aab", "ab", "b"], "word")
@example(["xΣ", "İ"], ["ς", "i̇"], "substring")
@example(["a", "b"], ["a\0b", "\0"], "substring")
def test_keywords_find_what_a_loop_finds(texts, words, match):
    function = keywords(None, words, "x", match=match)
    words = [word.lower() for word in words]
    expected = [
        "x" if has_any((t or "").lower(), words, match) else None for t in texts
    ]
    assert function.apply(texts).to_list() == expected


def test_missing_texts_abstain_and_other_values_are_errors():
    spam = keywords(None, "a", "spam")
    assert spam.apply(["a", None, float("nan"), ""]).to_list() == ["spam", *[None] * 3]
    with pytest.raises(
        FunctionError, match=r"signal 'a' failed on row 2.*text was exp"
    ):
        spam.apply(["a", 3])


@pytest.mark.parametrize("wrong", [[], "", ["a", ""], ["a", 3], 3])
def test_words_must_be_texts(wrong):
    with pytest.raises(ParameterError, match="words must be"):
        keywords(None, wrong, "spam")


# -- patterns -----------------------------------------------------------------------

PATTERNS = [r"a+b", r"^a", r"(?i)AB|b\.", r"\bab\b", r"[^a]b$", "é"]


@settings(max_examples=30)
@given(st.lists(st.none() | st.text("aAb. é\0", max_size=8), min_size=1))
@pytest.mark.parametrize("pattern", PATTERNS)
def test_re2_finds_what_re_finds(pattern, texts):
    if r"\b" in pattern:  # there RE2 knows ASCII only
        texts = [text and text.replace("é", "") for text in texts]
    expected = ["x" if t is not None and re.search(pattern, t) else None for t in texts]
    assert regex(None, pattern, "x").apply(texts).to_list() == expected


def test_a_pattern_that_takes_re_for_ever_is_linear():
    evil = regex(None, r"^(a|a)*$", "x")
    assert evil.apply(["a" * 40 + "b", "aaa"]).to_list() == [None, "x"]


def test_half_a_character_is_no_obstacle():
    assert regex(None, "b", "x").apply(["\ud800b", "é\udc00"]).to_list() == ["x", None]


@pytest.mark.parametrize("pattern", ["(", r"(\w)\1", "(?=a)"])
def test_what_re2_cannot_do_is_said_at_once(pattern):
    with pytest.raises(ParameterError, match="pattern"):
        regex(None, pattern, "x")


def test_what_is_no_text_to_search():
    with pytest.raises(ParameterError, match="pattern"):
        regex(None, re.compile("a"), "x")
    with pytest.raises(FunctionError, match="row 1: TypeError: text was expected"):
        regex(None, "a", "x").apply([7])


# -- values --------------------------------------------------------------------------


def test_lookup_of_values():
    both = lookup("place", {"Oslo": "city", "Elbe": "river"})
    rows = [{"place": place} for place in ("Elbe", "oslo", None)]
    assert both.apply(rows).to_list() == ["river", None, None]
    for wrong in ({"a"}, "abc", {}):
        with pytest.raises(ParameterError, match="mapping"):
            lookup(None, wrong)


def test_what_cannot_be_looked_up():
    known, data = lookup(None, {"a": "x", "b": "y"}), ["a", ["b"]]
    with pytest.raises(FunctionError, match=r"row 2: .* unhashable"):
        known.apply(data)
    with pytest.warns(FunctionWarning, match="1 rows, first row 2"):
        signals = corral.apply(known, data, on_error="abstain")
    assert signals.votes.tolist() == [[0], [-1]]


@given(st.lists(st.floats() | st.integers(-5, 5) | st.none(), min_size=1))
def test_threshold_is_strict(values):
    def inside(value):
        return value is not None and -2 < value < 3

    said = threshold(None, 1, above=-2, below=3).apply(values).to_list()
    assert said == [1 if inside(value) else None for value in values]


def test_threshold_on_columns_of_arrays():
    array = np.array([[1, 5], [9, 0]])
    assert threshold(1, "x", above=4).apply(array).to_list() == ["x", None]
    with pytest.raises(
        SignalsError, match=r"no column 2 in an array of shape \(2, 2\)"
    ):
        threshold(2, "x", above=4).apply(array)


@pytest.mark.parametrize("value", ["4", [1], {}])
def test_threshold_wants_numbers(value):
    with pytest.raises(FunctionError, match="row 2: TypeError: a number was expected"):
        threshold(None, "x", above=1).apply([2, value])


def test_threshold_options():
    for limits in ({}, {"above": "3"}, {"below": float("nan")}):
        with pytest.raises(ParameterError, match="a number is needed"):
            threshold(None, "x", **limits)
    with pytest.raises(ParameterError, match="nothing is above 3 and below 3"):
        threshold(None, "x", above=3, below=3)
    assert threshold("a", 1, above=0.5, below=2).name == "0.5 < a < 2"
