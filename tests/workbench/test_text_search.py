"""Rules match in DuckDB exactly what the functions of corral match."""

import re
from threading import Event

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.io.files import VoteFiles
from corral.workbench import PreviewCancelled, Rule
from corral.workbench.row_store import ROW, ROWS, RowStore
from corral.workbench.text_search import TextSearch, letters, mark_words

LETTERS = "aAbsSkK\u212a\u017fiI\u0130\u0131\u03a3\u03c3\u03c2\u00df\u00e9E\u0301"
LETTERS += "_1\u0661\u4e2d\U0001f600"
OTHERS = " .,-'$\n\t\u00a0\u200b\u2019\x01\x00"
texts = st.text(st.sampled_from(LETTERS + OTHERS), max_size=12)


class Texts(RowStore):
    """Rows that are given, not read."""

    def __init__(self, given):
        import duckdb

        self.connection = duckdb.connect()
        self.given, self.n_rows = given, len(given)
        self.numbers = []

    def texts(self):
        yield list(self.given)

    def texts_of(self, rows):
        return [self.given[row] for row in rows]


def matches(rule, given):
    return TextSearch(Texts(given)).find(rule).tolist()


def votes(rule, given):
    answers = rule.function(None).apply(list(given)).to_list()
    return [answer is not None for answer in answers]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(texts, min_size=1, max_size=8), st.lists(texts, min_size=1, max_size=3))
def test_words_match_as_keywords_do(given, words):
    words = tuple(word for word in words if word) or ("a",)
    parts = [part for word in words for part in (f"x {word}", f"{word}.", f"a{word}")]
    rule = Rule("words", "pos", words=words)
    rows = [*given, *parts, None]
    assert matches(rule, rows) == votes(rule, rows)


@pytest.mark.parametrize(
    "word", ["great", "must see", "$5", ":)", "\u00e9t\u00e9", "5 stars", "_x", "don't"]
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "a{}",
        "{}a",
        "({})",
        "{}\u00e9",
        "\u00e9{}",
        "\u4e2d{}",
        "_{}",
        "{}1",
        "{}\n",
        "!{}!",
    ],
)
def test_what_is_beside_a_word_counts_as_in_keywords(word, around):
    rule = Rule("words", "pos", words=(word,))
    rows = [around.format(word), around.format(word.upper()), f"no {word[1:]}"]
    assert matches(rule, rows) == votes(rule, rows)


@pytest.mark.parametrize(
    "pattern",
    [r"\bfree\b", "(?i)caf\u00e9", r"^a.c$", r"\d+/10", r"\pL{3}", r"(?s)a.b", "a|", "$",
     r"[^a]", r"\x{e9}"],
)  # fmt: skip
def test_patterns_match_as_regex_does(pattern):
    rows = [
        "free",
        "freeze",
        "CAF\u00c9",
        "abc",
        "a\nc",
        "8/10",
        "a\nb",
        "",
        None,
        "\u00e9",
        "aaa",
    ]
    rule = Rule("regex", "pos", pattern=pattern)
    assert matches(rule, rows) == votes(rule, rows)


@pytest.mark.parametrize(
    "pattern",
    [r"(?i)\bka(s|\.)", "ab+c", "ab?c", "ab*", "ab{0}c", "ab|cd", "ab(c|d)|e", r"ab\|c",
     "ab[|]c", "(?s)ab.c", "ab|", r"\bab\b|x", "(?i)ks", "ab(?:c|(d|e))f", "ab[]|]c",
     r"ab\(|x", "ab(?i)C", r"ab[\][]|c]", "ab[[:digit:][]|c]", "[a-z]+bc", r"\x61bc",
     r"\141bc", "(?i).b/?C", "(ab)?cd", "(?:ab){0,2}x", "^ab$", "a.?ab", r"\pLab"],
)  # fmt: skip
def test_looking_for_the_text_that_is_needed_first_changes_nothing(pattern):
    rows = [
        "a",
        "b",
        "ab",
        "abc",
        "c",
        "x",
        "e",
        "|",
        "ab|c",
        "abb",
        "ac",
        "abdf",
        "KAS",
        "ab]c",
        "cd",
        "ab(",
        "abC",
        "zab",
        "xka.",
        "c]",
        "aab",
    ]
    rows += ["\u212aa.", "\u212a\u017f", "ab\nc"]
    rule = Rule("regex", "pos", pattern=pattern)
    assert matches(rule, rows) == votes(rule, rows)


def test_thresholds_match_as_threshold_does(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("text,stars\na,1\nb,\nc,2.5\nd,1e3\ne,-1\n")
    search = TextSearch(RowStore(path, "text"))
    rows = [
        dict(zip(("text", "stars"), cells, strict=True))
        for cells in VoteFiles(path).read_rows()
    ]
    for limits in ({"above": 1}, {"below": 2.5}, {"above": -1, "below": 1000}):
        rule = Rule("threshold", "pos", column="stars", **limits)
        answers = rule.function("text").apply(rows).to_list()
        assert search.find(rule).tolist() == [a is not None for a in answers]


def test_many_words_match_as_few_do():
    words = tuple(
        f"{a}{b}" for a in "$abc\u00e9_" for b in ("x", "yz", "1 w", ".", "\u00e9")
    )
    rows = [*words, *(f"a{word}" for word in words), *(f"{word}!" for word in words)]
    rule = Rule("words", "pos", words=words)
    assert matches(rule, [*rows, "nothing"]) == votes(rule, [*rows, "nothing"])


def test_some_rows_only():
    given = ["great", "bad", "great", "so great"]
    search = TextSearch(Texts(given), np.array([1, 3]))
    assert search.find(Rule("words", "pos", words=("great",))).tolist() == [False, True]
    assert search.places(np.array([0, 1, 3])).tolist() == [-1, 0, 1]


def test_letters_are_those_of_keywords():
    in_words = re.compile(r"\w").match
    assert letters().tolist() == [bool(in_words(chr(p))) for p in range(0x110000)]


def test_marking_changes_case_only():
    given = [
        "\u0130stanbul \u03a3\u0391\u03a3",
        "",
        "a_b c-d 1e",
        "x" * 3_000_000,
        "\ud83d\ude00 ok",
    ]
    assert [t.lower() for t in mark_words(given)] == [t.lower() for t in given]


def test_nobody_waits_for_a_cancelled_search():
    search = TextSearch(Texts(["great"] * 10))
    cancel = Event()
    cancel.set()
    with pytest.raises(PreviewCancelled):
        search.find(Rule("words", "pos", words=("great",)), cancel)
    with pytest.raises(PreviewCancelled):
        TextSearch(Texts(["great"]), cancel=cancel)


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_rows_are_read_from_files_of_all_kinds(tmp_path, kind):
    path = tmp_path / f"rows.{kind}"
    with VoteFiles(_source(tmp_path))._connection as connection:
        how = {"jsonl": "FORMAT json", "tsv": "FORMAT csv, DELIMITER '\t'"}.get(
            kind, f"FORMAT {kind}"
        )
        connection.execute(
            "COPY (SELECT * FROM (VALUES ('a, \"b\"\nc', 1, 'x'), (NULL, 2.5, 'y'), "
            "('\u00e9', NULL, 'z')) "
            f"t(text, stars, \"other name\")) TO '{path}' ({how})"
        )
    store = RowStore(path, "text")
    assert store.numbers == ["stars"]
    assert store.texts_of(np.array([2, 0])) == ["\u00e9", 'a, "b"\nc']
    assert store.number_column("stars")[:2].tolist() == [1, 2.5]
    assert store.connection.execute(f"SELECT count({ROW}) FROM {ROWS}").fetchall() == [
        (3,)
    ]


def test_lists_and_durations_are_no_numbers(tmp_path):
    path = tmp_path / "rows.parquet"
    with VoteFiles(_source(tmp_path))._connection as connection:
        connection.execute(
            "COPY (SELECT 'x' AS text, [1::FLOAT] AS list, [1.5] AS decimals, "
            "to_days(1) AS time, 1.5 AS price, 1::UINTEGER AS n, 1::HUGEINT AS h, "
            f"true AS b) TO '{path}' (FORMAT parquet)"
        )
    store = RowStore(path, "text")
    assert store.numbers == ["price", "n", "h", "b"]
    assert [store.number_column(name)[0] for name in store.numbers] == [1.5, 1, 1, 1]


def _source(folder):
    path = folder / "any.csv"
    path.write_text("text,b\nx,y\n")
    return path
