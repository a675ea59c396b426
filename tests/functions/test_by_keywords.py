"""Keywords: one pass finds what a plain loop finds, in any script."""

import csv
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import corral
from corral.errors import FunctionError, ParameterError
from corral.functions import by_keywords, keywords
from corral.functions.by_keywords import find, find_plainly

# Few letters, so that words overlap, end each other and stand next to what is no letter.
letters = st.text("abAB_ .é\U0001d518\ud800\u0130Σ\n\0", max_size=12)
words = st.lists(letters.filter(bool), min_size=1, max_size=4)
matches = st.sampled_from(["substring", "word"])


def said(text, function):
    """A signal's answer, word by word."""
    if text is None:
        return False
    if function.lowercase:
        text = text.lower()
    for word in function.words:
        for at in range(len(text)):
            if text[at : at + len(word)] != word:
                continue
            beside = text[max(at - 1, 0) : at] + text[at + len(word) :][:1]
            if function.match == "substring" or not re.search(r"\w", beside):
                return True
    return False


@given(
    texts=st.lists(letters | st.none(), min_size=1, max_size=6),
    signals=st.lists(st.tuples(words, matches), min_size=1, max_size=4),
    lowercase=st.booleans(),
)
@example(["aab", "ab"], [(["aab", "ab", "b"], "word"), (["a"], "word")], True)
@example(["xΣ", "İ"], [(["ς", "i̇"], "substring")], True)
def test_both_searches_find_what_a_loop_finds(texts, signals, lowercase):
    from corral.functions.automaton import Automaton

    functions = [
        keywords(None, w, "x", match=match, lowercase=lowercase) for w, match in signals
    ]
    expected = [[said(text, f) for f in functions] for text in texts]
    machine = Automaton([(f.words, f.match == "word") for f in functions])
    np.testing.assert_array_equal(machine.find(texts, lowercase), expected)
    np.testing.assert_array_equal(find_plainly(texts, functions, lowercase), expected)


def test_many_blocks(monkeypatch):
    from corral.functions import automaton

    texts = ["", "good", None, "a bad one", "g", "ood", "no good"] * 9
    functions = [keywords(None, "good", 1), keywords(None, ["bad", "one"], 0)]
    expected = find_plainly(texts, functions, True)
    monkeypatch.setattr(by_keywords, "COMPILED_FROM", 0)
    for size in (1, 7, 100):
        monkeypatch.setattr(automaton, "BLOCK", size)
        np.testing.assert_array_equal(find(texts, functions, True), expected)


def test_too_many_words(monkeypatch):
    from corral.functions import automaton

    monkeypatch.setattr(automaton, "MOST_CELLS", 20)
    automaton.Automaton(
        [(["abc", "ab"], False)]
    )  # four states, three letters and others
    with pytest.raises(ParameterError, match=r"2 keywords .* 3 different .* `lookup`"):
        automaton.Automaton([(["abc", "cba"], False)])


def test_lowercase_and_words_given_twice():
    assert keywords(None, ["Good", "good"], 1).words == ("good",)
    cased = keywords(None, "Good", 1, lowercase=False)
    assert cased.apply(["good", "Good"]).to_list() == [None, 1]


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
        FunctionError, match=r"signal 'a' failed on row 1.*text was exp"
    ):
        spam.apply(["a", 3])


@pytest.mark.parametrize("wrong", [[], "", ["a", ""], ["a", 3], 3])
def test_words_must_be_texts(wrong):
    with pytest.raises(ParameterError, match="words must be"):
        keywords(None, wrong, "spam")


def test_options_are_checked():
    with pytest.raises(ParameterError, match="'substring', 'word'; 'prefix'"):
        keywords(None, "a", "spam", match="prefix")
    with pytest.raises(ParameterError, match="class must be text or a whole number"):
        keywords(None, "a", 0.5)
    with pytest.raises(ParameterError, match="name must be text"):
        keywords(None, "a", "spam", name="")


POSITIVE = """good great nice delight wonderful
love best genuine well thriller
clever enjoy fine deliver fascinating
super excellent charming pleasure strong
fresh comedy interesting fun entertain charm clever
amazing romantic intelligent classic stunning
rich compelling delicious intriguing smart"""
NEGATIVE = """bad better leave never disaster
nothing action fail suck difficult
mess dull dumb bland outrageous
slow terrible boring insult weird damn
drag no not awful waste flat
horrible ridiculous stupid annoying painful
poor pathetic pointless offensive silly"""


@pytest.mark.data
def test_the_published_signals_of_sst2_bit_for_bit(data):
    functions = [
        keywords(None, line.split(), label)
        for label, lines in ((1, POSITIVE), (0, NEGATIVE))
        for line in lines.splitlines()
    ]
    with open(data / "sst-2" / "sst2-train.csv", encoding="utf-8") as file:
        sentences = [row["sentence"] for row in csv.DictReader(file)]
    signals = corral.apply(functions, sentences)
    rows = np.load(data / "sst-2" / "covered_rows.npy")
    published = np.load(data / "sst-2" / "weak_signals.npy")
    assert np.flatnonzero(signals.covered).tolist() == rows.tolist()
    np.testing.assert_array_equal(signals.votes[rows], published)
