"""Rules matched in DuckDB as fast as a user types, with the votes of `corral.functions`.

`keywords` finds a word in a lower-cased text if no letter, digit or underscore is beside
it. Here capitals mark where words begin: a search for ``Great`` with no letter after it is
fast, as the capital is rare. Python says which characters are letters, and RE2 gets them as
a class: the two may know different versions of Unicode.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from threading import Event, Lock
from typing import Any

import numpy as np

from corral._types import BoolArray, IntArray
from corral.io.lazy import fresh_name
from corral.workbench.project import Rule
from corral.workbench.rows import ROWS_PER_BLOCK, RowStore

TEXTS_PER_QUERY = 25_000
"""Texts that one core searches before `cancel` is asked."""
MAX_SINGLE_WORDS, WORDS_TOGETHER = 10, 100
"""Words that are searched one by one; and how many at a time if a rule has more."""
MAX_KEPT_BYTES = 1 << 26
"""Bytes of remembered answers: one per row, for every word and pattern."""
EXCERPT_LENGTH = 320
"""Characters of a text that a list of rows shows, in about three lines."""
LEAD_LENGTH = 120
"""Characters before the first match of an excerpt that begins within its text."""
MAX_SPANS = 200
"""Matches in a text that are shown."""

Span = tuple[int, int]


class PreviewCancelled(Exception):  # noqa: N818
    """Nobody waits for the answer any more."""


def stop_if(cancel: Event | None) -> None:
    """Raise `PreviewCancelled` if an event is set."""
    if cancel is not None and cancel.is_set():
        raise PreviewCancelled


class TextSearch:
    """Searches the texts of some rows (default: all); an event can `cancel` it.

    `rows` are their numbers, in order; a row has a number among all rows, and a place here.
    `sampled` says how many rows there are, or None if these are all.
    """

    def __init__(
        self,
        store: RowStore,
        rows: IntArray | None = None,
        *,
        cancel: Event | None = None,
    ) -> None:
        self.sampled = None if rows is None else len(rows)
        self.rows = np.arange(store.n_rows) if rows is None else rows
        self.n_rows = len(self.rows)
        self._store = store
        self._table = fresh_name("texts")
        self._kept: OrderedDict[str | tuple[str, ...], BoolArray] = OrderedDict()
        self._lock = Lock()
        blocks: Any = store.texts()
        if rows is not None:
            starts = range(0, len(rows), ROWS_PER_BLOCK)
            blocks = (store.texts_of(rows[at : at + ROWS_PER_BLOCK]) for at in starts)
        with store.connection.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {self._table} (text VARCHAR, marked VARCHAR)")
            for texts in blocks:
                stop_if(cancel)
                corral_block = {  # noqa: F841
                    "text": np.array(texts, object),
                    "marked": np.array(mark_words([t or "" for t in texts]), object),
                }
                cursor.execute(f"INSERT INTO {self._table} FROM corral_block")

    def places(self, rows: IntArray) -> IntArray:
        """From numbers of rows to places; -1 for rows that are not searched."""
        at = np.minimum(np.searchsorted(self.rows, rows), self.n_rows - 1)
        return np.where(self.rows[at] == rows, at, -1)

    def votes(
        self, rule: Rule, classes: Sequence[str], cancel: Event | None = None
    ) -> Any:
        """(n,) the position of the class that a rule votes for, -1 where it abstains."""
        self._store.check_column(rule)
        if rule.kind != "column":
            at = np.int8(classes.index(rule.classes[0]))
            return np.where(self.find(rule, cancel), at, np.int8(-1))
        to = [*map(classes.index, rule.values.values()), -1]  # -1 is the last
        places = self._store.value_positions(rule.column, [*rule.values])
        return np.array(to, np.int8)[places[self.rows]]

    def find(self, rule: Rule, cancel: Event | None = None) -> BoolArray:
        """(n,) whether a rule that is not a column votes on a row."""
        if rule.kind == "regex":
            return self._look(rule.pattern, cancel)
        words = tuple(word.lower() for word in rule.words)
        # Few are searched one by one: while a user types, all but one are remembered.
        size = 1 if len(words) <= MAX_SINGLE_WORDS else WORDS_TOGETHER
        sought = [words[i : i + size] for i in range(0, len(words), size)]
        return np.logical_or.reduce([self._look(each, cancel) for each in sought])

    def _look(self, sought: str | tuple[str, ...], cancel: Event | None) -> BoolArray:
        """(n,) which rows have a pattern, or one of some words; answers are remembered."""
        with self._lock:
            if sought in self._kept:
                self._kept.move_to_end(sought)
                return self._kept[sought]
        found = self._search(*_query(sought), cancel)
        with self._lock:
            self._kept[sought] = found
            while len(self._kept) * self.n_rows > MAX_KEPT_BYTES:
                self._kept.popitem(last=False)
        return found

    def _search(self, test: str, values: list[str], cancel: Event | None) -> BoolArray:
        found = np.zeros(self.n_rows, bool)
        query = (
            f"SELECT rowid FROM {self._table} WHERE rowid >= ? AND rowid < ? AND {test}"
        )

        def search_from(start: int) -> None:
            stop_if(cancel)
            given = [start, start + TEXTS_PER_QUERY, *values]
            with self._store.connection.cursor() as cursor:
                rows = cursor.execute(query, given)
                found[rows.fetchnumpy()["rowid"]] = True

        # DuckDB gives a table of fewer than 122,880 rows to one core.
        with ThreadPoolExecutor() as threads:
            list(threads.map(search_from, range(0, self.n_rows, TEXTS_PER_QUERY)))
        return found


def _query(sought: str | tuple[str, ...]) -> tuple[str, list[str]]:
    """A test of a text in SQL, and the values of its parameters."""
    if isinstance(sought, str):
        return "regexp_matches(text, ?)", [sought]
    words = mark_words(sought)
    if len(words) > 1 or "A" <= words[0][0] <= "Z":
        return "regexp_matches(marked, ?)", [_alone(words)]
    # Not "AND", whose sides DuckDB may swap: most texts do not have the word at all.
    test = "CASE WHEN contains(marked, ?) THEN regexp_matches(marked, ?) ELSE false END"
    return test, [words[0], _alone(words)]


def _alone(words: Sequence[str]) -> str:
    """The pattern of any of some marked words with no letter beside it, for RE2."""
    # The class of all other characters is large, so it is written as rarely as possible.
    other = f"[^{letter_class()}]"
    marked = [word for word in words if "A" <= word[0] <= "Z"]
    bare = [word for word in words if not "A" <= word[0] <= "Z"]
    either = [_any_of(marked)] if marked else []
    either += [f"(?:^|{other}){_any_of(bare)}"] if bare else []
    return f"(?:{'|'.join(either)})(?:$|{other})"


def _any_of(words: Sequence[str]) -> str:
    """The pattern of some texts, for RE2."""
    return f"(?:{'|'.join(map(quote_text, words))})"


def quote_text(text: str) -> str:
    """The pattern of a text, for RE2."""
    return re.sub(r"[^\w\s]|\x00", lambda at: f"\\x{{{ord(at[0]):x}}}", text)


def mark_words(texts: Sequence[str]) -> list[str]:
    """Texts in lower case, but for capitals where words begin.

    Examples
    --------
    >>> from corral.workbench.search import mark_words
    >>> mark_words(["A GREAT film-noir, 1st"])
    ['A Great Film-Noir, 1st']
    """
    # One array of all characters: a line break between two texts is not a letter.
    lower = [text.lower() for text in texts]
    points = np.frombuffer(
        "\n".join(["", *lower]).encode("utf-32-le", "surrogatepass"), np.uint32
    ).copy()
    begins = (points >= ord("a")) & (points <= ord("z"))
    begins[1:] &= ~letters()[points][:-1]
    points[begins] -= 32
    whole = points.tobytes().decode("utf-32-le", "surrogatepass")
    marked, at = [], 1
    for text in lower:
        marked.append(whole[at : at + len(text)])
        at += len(text) + 1
    return marked


@cache
def letters() -> BoolArray:
    """Which code points Python calls letters or digits, and the underscore."""
    points = range(0x110000)
    found = np.fromiter((chr(p).isalnum() for p in points), bool, len(points))
    found[ord("_")] = True
    return found


@cache
def letter_class() -> str:
    """`letters` as the inside of a class of RE2."""
    edges = np.flatnonzero(np.diff(letters(), prepend=False, append=False)).tolist()
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return "".join(f"\\x{{{a:x}}}-\\x{{{b - 1:x}}}" for a, b in pairs)


# -- places of matches in a text ----------------------------------------------------


def find_spans(store: RowStore, rule: Rule, texts: Sequence[str]) -> list[list[Span]]:
    """For every text where a rule matches: the first character, and the one after it."""
    if rule.kind == "regex":
        return _regex_spans(store, rule.pattern, texts)
    if rule.kind != "words":
        return [[] for _ in texts]
    either = "|".join(map(re.escape, sorted(rule.words, key=len, reverse=True)))
    word = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
    found = (islice(word.finditer(text), MAX_SPANS) for text in texts)
    return [[at.span() for at in matches] for matches in found]


def _regex_spans(
    store: RowStore, pattern: str, texts: Sequence[str]
) -> list[list[Span]]:
    """Places from the lengths of the matches of RE2 and of the texts between them."""
    query = (
        "SELECT string_split_regex(t, $1), regexp_extract_all(t, $1) "
        "FROM (SELECT unnest($2::VARCHAR[]) AS t)"
    )
    parts = store.fetch(query, [pattern, list(texts)])
    found = []
    for text, (between, matched) in zip(texts, parts, strict=True):
        spans, at = [], 0
        for before, match in zip(between, matched, strict=False):
            at += len(before)
            if match and text[at : at + len(match)] == match:
                spans.append((at, at + len(match)))
            at += len(match)
        found.append(spans[:MAX_SPANS])
    return found


def cut(
    text: str, spans: Sequence[Any], longest: int = EXCERPT_LENGTH
) -> dict[str, Any]:
    """An excerpt that shows the first match, with its spans."""
    first = min((span[0] for span in spans), default=0)
    start = max(0, first - LEAD_LENGTH) if first > longest - LEAD_LENGTH else 0
    stop = min(len(text), start + longest)
    kept = [
        [max(a, start) - start, min(b, stop) - start, *which]
        for a, b, *which in sorted(spans)
        if b > start and a < stop
    ]
    return {
        "text": text[start:stop],
        "begins": start,
        "more": start > 0 or stop < len(text),
        "spans": kept,
    }
