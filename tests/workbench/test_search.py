"""Rules match in DuckDB exactly what the functions of corral match, and where."""

import re
from threading import Event

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.workbench import PreviewCancelled, Rule
from corral.workbench.rows import RowStore
from corral.workbench.search import (
    EXCERPT_LENGTH,
    LEAD_LENGTH,
    TextSearch,
    cut,
    find_spans,
    letters,
)

LETTERS = "aAbsSkK\u212a\u017fiI\u0130\u0131\u03a3\u03c3\u03c2\u00df\u00e9E\u0301"
LETTERS += "_1\u0661\u4e2d\U0001f600"
OTHERS = " .,-'$\n\t\u00a0\u200b\u2019\x01\x00"
texts = st.text(st.sampled_from(LETTERS + OTHERS), max_size=12)


class Texts(RowStore):
    """Rows that are given, not read."""

    def __init__(self, given):
        self.connection = duckdb.connect()
        self.given, self.n_rows = given, len(given)

    def texts(self):
        yield list(self.given)

    def texts_of(self, rows):
        return [self.given[row] for row in rows]


def words(*sought):
    return Rule("words", "pos", words=sought)


def regex(pattern):
    return Rule("regex", "pos", pattern=pattern)


def check_same_votes(rule, rows):
    answers = rule.function(None).apply(list(rows)).to_list()
    found = TextSearch(Texts(rows)).find(rule).tolist()
    assert found == [answer is not None for answer in answers]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(texts, min_size=1, max_size=8), st.lists(texts, min_size=1, max_size=3))
def test_words_match_as_keywords_do(rows, sought):
    sought = tuple(word for word in sought if word) or ("a",)
    parts = [part for word in sought for part in (f"x {word}", f"{word}.", f"a{word}")]
    check_same_votes(words(*sought), [*rows, *parts, None])


def test_many_words_match_as_few_do():
    ends = ("x", "yz", "1 w", ".", "\u00e9")
    many = tuple(f"{a}{b}" for a in "$abc\u00e9_" for b in ends)
    rows = [*many, *(f"a{word}" for word in many), *(f"{word}!" for word in many)]
    check_same_votes(words(*many), [*rows, "nothing"])


PATTERNS = [r"\bfree\b", "(?i)caf\u00e9", r"^a.c$", r"\d+/10", r"\pL{3}", r"(?s)a.b"]
PATTERNS += ["a|", "$", r"[^a]", r"\x{e9}"]
PATTERNS += [r"(?i)\bka(s|\.)", "ab+c|d", r"ab[\][]|c]", r"\x61bc", "(?i)ks", "ab{0}c"]
ROWS = [
    "free",
    "freeze",
    "CAF\u00c9",
    "a\nc",
    "8/10",
    "a\nb",
    "",
    None,
    "\u00e9",
    "aaa",
]
ROWS += ["abc", "d", "KAS", "xka.", "\u212a\u017f", "ab]c", "zab|c", "\u212aa."]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_as_regex_does(pattern):
    check_same_votes(regex(pattern), ROWS)


def test_some_rows_only():
    search = TextSearch(Texts(["great", "bad", "great", "so great"]), np.array([1, 3]))
    assert search.find(words("great")).tolist() == [False, True]
    assert search.places(np.array([0, 1, 3])).tolist() == [-1, 0, 1]


def test_letters_are_those_of_keywords():
    in_words = re.compile(r"\w").match
    assert letters().tolist() == [bool(in_words(chr(p))) for p in range(0x110000)]


def test_nobody_waits_for_a_cancelled_search():
    search, cancel = TextSearch(Texts(["great"] * 10)), Event()
    cancel.set()
    with pytest.raises(PreviewCancelled):
        search.find(words("great"), cancel)
    with pytest.raises(PreviewCancelled):
        TextSearch(Texts(["great"]), cancel=cancel)


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (words("great"), "Great, GREATER, great", ["Great", "great"]),
        (words("must", "must see"), "a must see", ["must see"]),
        (words("bul"), "\u0130stan bul", ["bul"]),  # whose first letter becomes two
        (words("\U0001f600"), "ok \U0001f600!", ["\U0001f600"]),
        (words("great"), "", []),
        (regex(r"\bact\b"), "action act", ["act"]),
        (regex(r"(?i)wors(t|e)"), "Worst and worse", ["Worst", "worse"]),
        (regex(r"\d+/10"), "8/10 or 9/10", ["8/10", "9/10"]),
        (regex(r"^a"), "aa", ["a"]),
        (regex(r"a*"), "baab", ["aa"]),
        (regex("\u00e9."), "\U0001f600 \u00e9t\u00e9.", ["\u00e9t", "\u00e9."]),
        (regex("(x)?y"), "y xy", ["y", "xy"]),
    ],
)
def test_places_of_matches(rule, text, expected):
    (spans,) = find_spans(Texts([]), rule, [text])
    assert [text[a:b] for a, b in spans] == expected


def test_an_excerpt_shows_the_first_match():
    shown = cut("x" * 5000 + " great " + "y" * 5000, [(5001, 5006, "r1")])
    ((start, end, rule),) = shown["spans"]
    assert shown["text"][start:end] == "great"
    assert (rule, start, shown["begins"]) == ("r1", LEAD_LENGTH, 5001 - LEAD_LENGTH)
    assert (shown["more"], len(shown["text"])) == (True, EXCERPT_LENGTH)


def test_columns_may_be_called_as_duckdb_and_corral_call_theirs(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("ROWID,corral_row,text,v\n" + "7,x,some text,1\n5,y,more text,2\n")
    store = RowStore(path, "text")
    assert store.cells_of(np.array([1, 0]), ["ROWID", "v"]) == [(5, 2), (7, 1)]
    assert [row["corral_row"] for row in store.all_rows()] == ["x", "y"]
    assert store.texts_of(np.array([1])) == ["more text"]
