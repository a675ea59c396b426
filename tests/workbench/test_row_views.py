"""Where matches are, in characters, and what an excerpt shows."""

import pytest
from tests.workbench.test_search import Texts

from corral.workbench import Rule
from corral.workbench.search import EXCERPT, LEAD, cut, find_spans


@pytest.fixture
def connection():
    return Texts([])


def found(connection, rule, text):
    (spans,) = find_spans(connection, rule, [text])
    return [text[a:b] for a, b in spans]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (("great",), "Great, GREATER, great", ["Great", "great"]),
        (("must", "must see"), "a must see", ["must see"]),
        (("bul",), "\u0130stan bul", ["bul"]),  # whose first letter becomes two
        (("i\u0307stan",), "x \u0130stan bul", ["\u0130stan"]),
        (("\U0001f600",), "ok \U0001f600!", ["\U0001f600"]),
        (("great",), "", []),
    ],
)
def test_words(connection, words, text, expected):
    assert found(connection, Rule("words", "pos", words=words), text) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"\bact\b", "action act", ["act"]),
        (r"(?i)wors(t|e)", "Worst and worse", ["Worst", "worse"]),
        (r"\d+/10", "8/10 or 9/10", ["8/10", "9/10"]),
        (r"^a", "aa", ["a"]),
        (r"a*", "baab", ["aa"]),
        ("\u00e9.", "\U0001f600 \u00e9t\u00e9.", ["\u00e9t", "\u00e9."]),
        ("(x)?y", "y xy", ["y", "xy"]),
    ],
)
def test_patterns(connection, pattern, text, expected):
    spans = found(connection, Rule("regex", "pos", pattern=pattern), text)
    assert spans == expected


def test_limits_match_no_words(connection):
    rule = Rule("threshold", "pos", column="stars", above=1)
    assert found(connection, rule, "5 stars") == []


def test_an_excerpt_shows_the_first_match():
    text = "x" * 5000 + " great " + "y" * 5000
    shown = cut(text, [(5001, 5006, "r1")])
    ((start, end, rule),) = shown["spans"]
    assert shown["text"][start:end] == "great"
    assert (rule, start, shown["begins"]) == ("r1", LEAD, 5001 - LEAD)
    assert shown["more"]
    assert len(shown["text"]) == EXCERPT


def test_a_short_text_is_whole():
    assert cut("great", [(0, 5)]) == {
        "text": "great",
        "begins": 0,
        "more": False,
        "spans": [[0, 5]],
    }
