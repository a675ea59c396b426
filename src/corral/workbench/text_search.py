"""Rules matched in DuckDB as fast as one types, with the votes of `corral.functions`.

`keywords` looks for a word in a text that Python has lower-cased, with no letter, digit or
underscore beside it. Here the first letter of every word of that text is a capital (of
those that ASCII has). So capitals are only where words begin, and a search for ``Great``,
with no letter after it, is one for the word: the capital is rare and quickly found.

What is a letter is decided by Python, and written out as a class for RE2: the two may know
different versions of Unicode.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Event, Lock

import numpy as np

from corral._types import BoolArray, IntArray
from corral.progress import heed_interrupts
from corral.workbench.row_store import BLOCK, RowStore
from corral.workbench.rules import Rule

GROUP = 4096
"""Texts that DuckDB searches as one piece of work, so that all cores have some."""
STRIDE = 8 * GROUP
"""Texts that are searched before a look at whether the answer is still wanted."""
CHARACTERS = 1 << 20
"""Characters that words are marked in together."""
FEW, MANY = 10, 100
"""Words that are searched one by one; beyond that, so many at a time."""
KEPT = 1 << 26
"""Bytes that the rows of words and patterns may take which are remembered."""


class PreviewCancelled(Exception):  # noqa: N818
    """Nobody waits for the answer any more."""


def stop_if(cancel: Event | None) -> None:
    """Raise `PreviewCancelled` if an event is set."""
    if cancel is not None and cancel.is_set():
        raise PreviewCancelled


class TextSearch:
    """The texts of some rows, to be searched.

    Parameters
    ----------
    store : RowStore
    rows : (n,) array of int, optional
        Which of them; default: all.
    cancel : Event, optional
        Once it is set, `PreviewCancelled` is raised.

    Attributes
    ----------
    rows : (n,) array of int or None
    """

    def __init__(
        self,
        store: RowStore,
        rows: IntArray | None = None,
        *,
        cancel: Event | None = None,
    ) -> None:
        self.rows = rows
        self.n_rows = store.n_rows if rows is None else len(rows)
        self._store = store
        self._database = f"corral_texts_{id(self)}"
        self._table = f"{self._database}.texts"
        self._kept: OrderedDict[str | tuple[str, ...], BoolArray] = OrderedDict()
        self._lock = Lock()
        with heed_interrupts(), store.connection.cursor() as cursor:
            cursor.execute(
                f"ATTACH ':memory:' AS {self._database} (ROW_GROUP_SIZE {GROUP})"
            )
            cursor.execute(f"CREATE TABLE {self._table} (text VARCHAR, marked VARCHAR)")
            for texts in self._blocks():
                stop_if(cancel)
                corral_block = {  # noqa: F841
                    "text": np.array(texts, object),
                    "marked": np.array(mark_words([t or "" for t in texts]), object),
                }
                cursor.execute(f"INSERT INTO {self._table} FROM corral_block")

    def _blocks(self) -> Iterator[list[str | None]]:
        if self.rows is None:
            yield from self._store.texts()
            return
        for start in range(0, len(self.rows), BLOCK):
            yield self._store.texts_of(self.rows[start : start + BLOCK])

    def places(self, rows: IntArray) -> IntArray:
        """Where rows, by their numbers, are among those that are looked at; -1: nowhere."""
        if self.rows is None:
            return rows
        at = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[at] == rows, at, -1)

    def find(self, rule: Rule, cancel: Event | None = None) -> BoolArray:
        """(n,) on which rows a rule votes.

        Parameters
        ----------
        rule : Rule
        cancel : Event, optional
            Once it is set, `PreviewCancelled` is raised.
        """
        if rule.kind == "words":
            words = tuple(word.lower() for word in rule.words)
            # Few are searched one by one: while one types, all but one are known.
            size = 1 if len(words) <= FEW else MANY
            sought = [words[i : i + size] for i in range(0, len(words), size)]
            return np.logical_or.reduce([self._look(each, cancel) for each in sought])
        if rule.kind == "regex":
            return self._look(rule.pattern, cancel)
        values = self._store.number_column(rule.column)
        values = values if self.rows is None else values[self.rows]
        inside = ~np.isnan(values)
        if rule.above is not None:
            inside &= values > rule.above
        if rule.below is not None:
            inside &= values < rule.below
        return inside

    def _look(self, sought: str | tuple[str, ...], cancel: Event | None) -> BoolArray:
        """Rows with a pattern, or with one of some words, remembered."""
        with self._lock:
            if sought in self._kept:
                self._kept.move_to_end(sought)
                return self._kept[sought]
        found = self._search(*_query(sought), cancel)
        found.setflags(write=False)
        with self._lock:
            self._kept[sought] = found
            while len(self._kept) * self.n_rows > KEPT:
                self._kept.popitem(last=False)
        return found

    @heed_interrupts()
    def _search(self, test: str, values: list[str], cancel: Event | None) -> BoolArray:
        found = np.zeros(self.n_rows, bool)
        query = (
            f"SELECT rowid FROM {self._table} WHERE rowid >= ? AND rowid < ? AND {test}"
        )
        with self._store.connection.cursor() as cursor:
            for start in range(0, self.n_rows, STRIDE):
                stop_if(cancel)
                rows = cursor.execute(query, [start, start + STRIDE, *values])
                found[rows.fetchnumpy()["rowid"]] = True
        return found


def _query(sought: str | tuple[str, ...]) -> tuple[str, list[str]]:
    """A test of a text in SQL, and the values of its parameters."""
    if isinstance(sought, str):
        needed = required_text(sought)
        if needed is None:
            return "regexp_matches(text, ?)", [sought]
        # Plain text is found much faster than a pattern, and most rows do not have it.
        has = "regexp_matches" if needed.startswith("(?i)") else "contains"
        test = f"CASE WHEN {has}(text, ?) THEN regexp_matches(text, ?) ELSE false END"
        return test, [needed, sought]
    words = mark_words(sought)
    if len(words) > 1:
        return "regexp_matches(marked, ?)", [_alone(words)]
    # Not "AND", whose sides DuckDB may swap: most texts do not have the word at all.
    test = "CASE WHEN contains(marked, ?) THEN regexp_matches(marked, ?) ELSE false END"
    return test, [words[0], _alone(words)]


def required_text(pattern: str) -> str | None:
    r"""The longest text that every match of a pattern has; None where none is seen.

    Where the pattern ignores case, so does the text: it keeps the ``(?i)`` in front.

    Examples
    --------
    >>> from corral.workbench.text_search import required_text
    >>> patterns = (r"(?i)\bwast(e|ed)\b", "wor+st", r"\d+ of 10", "(?i)[89]/10", "ab|c")
    >>> [required_text(pattern) for pattern in patterns]
    ['(?i)wast', 'wo', ' of 10', '/10', None]
    """
    _, flags, rest = re.split(r"^((?:\(\?[ims]+\))?)", pattern, maxsplit=1)
    if r"\Q" in rest or re.search(r"\(\?(?!:|P?<)", rest):  # quotes; flags within
        return None
    rest = NO_TEXT.sub("\0", rest)
    while (outside := re.sub(r"\([^()]*\)", "\0", rest)) != rest:
        rest = outside
    if "|" in rest:  # an alternative counts only outside of parentheses
        return None
    # What is repeated may be missing, or be there more than once.
    rest = re.sub(r".(?:[*+?]|\{[\d,]+\})+", "\0", rest, flags=re.DOTALL)
    found = max(re.findall(r"[A-Za-z0-9 /',:;!-]{2,}", rest), key=len, default=None)
    ignores_case = found is not None and "i" in flags and re.search("[A-Za-z]", found)
    return f"(?i){found}" if ignores_case else found


NO_TEXT = re.compile(
    r"\\(?:[pPx]\{[^}]*\}|[pP].|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)"
    r"|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]",
    re.DOTALL,
)
"""Escapes and classes of characters in a pattern."""


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
    quoted = [
        re.sub(r"[^\w\s]|\x00", lambda at: f"\\x{{{ord(at[0]):x}}}", word)
        for word in words
    ]
    return f"(?:{'|'.join(quoted)})"


def mark_words(texts: Sequence[str]) -> list[str]:
    """Texts in lower case, but for capitals where words begin.

    Examples
    --------
    >>> from corral.workbench.text_search import mark_words
    >>> mark_words(["A GREAT film-noir, 1st"])
    ['A Great Film-Noir, 1st']
    """
    marked: list[str] = []
    for start, stop in _blocks(texts):
        lower = [text.lower() for text in texts[start:stop]]
        points = np.frombuffer(
            "\n".join(["", *lower]).encode("utf-32-le", "surrogatepass"), np.uint32
        ).copy()
        is_letter = letters()[points]
        begins = (points >= ord("a")) & (points <= ord("z"))
        begins[1:] &= ~is_letter[:-1]
        points[begins] -= 32
        whole = points.tobytes().decode("utf-32-le", "surrogatepass")
        at = 1
        for text in lower:
            marked.append(whole[at : at + len(text)])
            at += len(text) + 1
    return marked


def _blocks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Ranges of texts of about a million characters."""
    start = size = 0
    for stop, text in enumerate(texts, 1):
        size += len(text)
        if size > CHARACTERS or stop == len(texts):
            yield start, stop
            start, size = stop, 0


@cache
def letters() -> BoolArray:
    """Which code points Python calls letters or digits, and the underscore."""
    points = range(0x110000)
    found = np.fromiter((chr(p).isalnum() for p in points), bool, len(points))
    found[ord("_")] = True
    return found


@cache
def letter_class() -> str:
    """The same as the inside of a class of RE2."""
    edges = np.flatnonzero(np.diff(letters(), prepend=False, append=False)).tolist()
    pairs = zip(edges[::2], edges[1::2], strict=True)
    return "".join(f"\\x{{{a:x}}}-\\x{{{b - 1:x}}}" for a, b in pairs)
