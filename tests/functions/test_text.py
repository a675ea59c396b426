"""Keywords find what a plain loop finds, in any script; RE2 and re find the same."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import corral
from corral.errors import FunctionError, ParameterError
from corral.functions import keywords, regex

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
    lowercase=st.booleans(),
)
@example(["aab", "ab"], ["aab", "ab", "b"], "word", True)
@example(["xΣ", "İ"], ["ς", "i̇"], "substring", True)
@example(["a", "b"], ["a\0b", "\0"], "substring", True)
def test_keywords_find_what_a_loop_finds(texts, words, match, lowercase):
    function = keywords(None, words, "x", match=match, lowercase=lowercase)
    case = str.lower if lowercase else str
    words = [case(word) for word in words]
    expected = ["x" if has_any(case(t or ""), words, match) else None for t in texts]
    assert function.apply(texts).to_list() == expected


def test_columns_and_cases_are_kept_apart():
    rows = [{"title": "Good", "text": "bad"}, {"title": "bad", "text": "Good"}]
    functions = [
        keywords("title", "good", "a"),
        keywords("text", "good", "a", name="text"),
        keywords("text", "good", "b", lowercase=False, name="cased"),
    ]
    assert corral.apply(functions, rows).votes.tolist() == [[0, -1, -1], [-1, 0, -1]]


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
def test_both_engines_find_the_same(pattern, texts):
    if r"\b" in pattern:  # there RE2 knows ASCII only
        texts = [text and text.replace("é", "") for text in texts]
    expected = ["x" if t is not None and re.search(pattern, t) else None for t in texts]
    for engine in ("re2", "re"):
        assert (
            regex(None, pattern, "x", engine=engine).apply(texts).to_list() == expected
        )


def test_a_pattern_that_takes_re_for_ever_is_linear():
    evil = regex(None, r"^(a|a)*$", "x")
    assert evil.apply(["a" * 40 + "b", "aaa"]).to_list() == [None, "x"]


def test_half_a_character_is_no_obstacle():
    assert regex(None, "b", "x").apply(["\ud800b", "é\udc00"]).to_list() == ["x", None]


@pytest.mark.parametrize("pattern", ["(", r"(\w)\1", "(?=a)"])
def test_what_re2_cannot_do_is_said_at_once(pattern):
    with pytest.raises(ParameterError, match="engine"):
        regex(None, pattern, "x")


def test_regex_options():
    for pattern, engine in (("(", "re"), ("a", "perl"), (re.compile("a"), "re")):
        with pytest.raises(ParameterError, match=r"pattern|engine"):
            regex(None, pattern, "x", engine=engine)
    with pytest.raises(FunctionError, match="row 1: TypeError: text was expected"):
        regex(None, "a", "x").apply([7])
