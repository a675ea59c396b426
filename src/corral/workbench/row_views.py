"""Rows as they are shown: an excerpt, what was matched in it, votes and label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from corral._types import IntArray
from corral.progress import heed_interrupts
from corral.workbench.rules import Rule
from corral.workbench.text_search import NO_TEXT

EXCERPT = 600
"""Characters of a text in a list of rows."""
LEAD = 120
"""Characters before the first match, where an excerpt does not begin at the beginning."""
WHOLE = 200_000
"""Characters of the text of a single row."""
MOST_SPANS = 200
"""Matches in a text that are shown."""

Span = tuple[int, int]


def find_spans(connection: Any, rule: Rule, texts: Sequence[str]) -> list[list[Span]]:
    """Where a rule matches, in characters from 0, for every text.

    Parameters
    ----------
    connection : DuckDBPyConnection
        RE2 is DuckDB's.
    rule : Rule
    texts : sequence of str
    """
    if rule.kind == "words":
        return [_word_spans(rule.words, text) for text in texts]
    if rule.kind == "regex":
        return _regex_spans(connection, rule.pattern, texts)
    return [[] for _ in texts]


def _word_spans(words: Iterable[str], text: str) -> list[Span]:
    lower = text.lower()
    either = "|".join(
        re.escape(w.lower()) for w in sorted(words, key=len, reverse=True)
    )
    found = re.finditer(rf"(?<!\w)(?:{either})(?!\w)", lower)
    spans = [at.span() for at, _ in zip(found, range(MOST_SPANS), strict=False)]
    if len(lower) == len(text) or not spans:
        return spans
    # Some letters become two when lower-cased: back to positions in the text as it is.
    origin = [i for i, letter in enumerate(text) for _ in letter.lower()]
    return [(origin[a], origin[b - 1] + 1) for a, b in spans]


@heed_interrupts()
def _regex_spans(
    connection: Any, pattern: str, texts: Sequence[str]
) -> list[list[Span]]:
    """RE2 tells what it found and what is between, which tells where it was."""
    query = (
        "SELECT string_split_regex(t, $1), regexp_extract_all(t, $1) "
        "FROM (SELECT unnest($2::VARCHAR[]) AS t)"
    )
    with connection.cursor() as cursor:
        values = [without_groups(pattern), list(texts)]
        parts = cursor.execute(query, values).fetchall()
    found = []
    for text, (between, matched) in zip(texts, parts, strict=True):
        spans, at = [], 0
        for before, match in zip(between, matched, strict=False):
            at += len(before)
            if match and text[at : at + len(match)] == match:
                spans.append((at, at + len(match)))
            at += len(match)
        found.append(spans[:MOST_SPANS])
    return found


def without_groups(pattern: str) -> str:
    r"""A pattern that finds the same and remembers nothing of it.

    What groups hold is not asked for, and RE2 takes long to tell it of hundreds.

    Examples
    --------
    >>> from corral.workbench.row_views import without_groups
    >>> without_groups(r"(a|(?P<b>b))[(]\(")
    '(?:a|(?:b))[(]\\('
    """
    if r"\Q" in pattern:  # quotes, in which brackets are letters
        return pattern
    return _GROUP.sub(lambda at: "(?:" if at[0].startswith("(") else at[0], pattern)


_GROUP = re.compile(rf"{NO_TEXT.pattern}|\((?!\?)|\(\?P?<\w+>", re.DOTALL)


def cut(text: str, spans: Sequence[Any], longest: int = EXCERPT) -> dict[str, Any]:
    """An excerpt that shows the first match, with its spans.

    Examples
    --------
    >>> from corral.workbench.row_views import cut
    >>> cut("a great film", [(2, 7)], longest=9)
    {'text': 'a great f', 'begins': 0, 'more': True, 'spans': [[2, 7]]}
    """
    first = min((span[0] for span in spans), default=0)
    start = max(0, first - LEAD) if first > longest - LEAD else 0
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


def spans_by_rule(
    connection: Any,
    texts: Sequence[str],
    rules: Mapping[str, Rule],
    votes: IntArray,
    at: Mapping[str, int],
) -> list[list[tuple[int, int, str]]]:
    """What every rule matched in every text: (start, end, id of the rule).

    Parameters
    ----------
    connection : DuckDBPyConnection
    texts : sequence of n texts
    rules : mapping
        By id.
    votes : (n, m) array of int
        Only what a rule votes on is looked at.
    at : mapping
        The column of every rule in `votes`, by id.
    """
    found: list[list[tuple[int, int, str]]] = [[] for _ in texts]
    for name, rule in rules.items():
        rows = np.flatnonzero(votes[:, at[name]] >= 0).tolist()
        if not rows or rule.kind == "threshold":
            continue
        spans = find_spans(connection, rule, [texts[row] for row in rows])
        for row, own in zip(rows, spans, strict=True):
            found[row] += [(a, b, name) for a, b in own]
    return [sorted(spans) for spans in found]
