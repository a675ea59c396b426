"""What a page claims: the numbers in its text, and the tables that are written for it.

A number claims a result if it has a decimal point or a per cent sign, if a unit of time,
memory or comparison follows, if it is the low end of such ("84 to 91%"), or if it is one of
so many ("7 of 53"). Other whole numbers
are counts and settings. Code, formulas, links and generated tables are not looked at:
examples are run as tests, and tables are compared with what would be written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
GENERATED_ELSEWHERE = {"docs/reproduction.md", "docs/published_numbers.md"}
"""Pages that `python -m repro report` writes, or that quote these."""

NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
_START = r"(?<![\w.,])(?<![A-Za-z]-)"
_UNIT = r"(?:s|ms|minutes?|hours?|[kK]B|MB|GB|TB|points?|times)\b"
_RESULT = rf"(?:\s?%|\s{_UNIT})"
_CLAIM = re.compile(
    rf"{_START}{NUMBER}(?:(?<=\.\d)|(?<=\.\d\d)|(?<=\.\d{{3}})|(?<=\.\d{{4}})"
    rf"|(?<=\.\d{{5}})|(?={_RESULT})|(?=\sto\s{NUMBER}{_RESULT})|(?=\sof\s\d))(?!\d)"
)
_HIDDEN = re.compile(
    r"^```.*?^```|<!-- generated: .*?<!-- end -->|<!--.*?-->|\$\$.*?\$\$|\$[^$\n]+\$"
    r"|`[^`]+`|\]\([^)]*\)|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
_BLOCK = re.compile(
    r"(?P<head><!-- generated: (?P<name>[\w -]+) -->\n)(?P<body>.*?)(?P<end><!-- end -->)",
    re.DOTALL,
)


def pages() -> list[Path]:
    """README.md and the pages of docs whose numbers are checked here."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    left_out = {ROOT / name for name in GENERATED_ELSEWHERE}
    built = ROOT / "docs" / "_build"
    return [p for p in found if p not in left_out and built not in p.parents]


def hide_code(text: str) -> str:
    """The text with spaces in place of what is not read as a claim; lines stay."""
    return _HIDDEN.sub(lambda found: re.sub(r"\S", " ", found[0]), text)


def find_numbers(text: str) -> list[tuple[int, str]]:
    """Where the numbers are that claim a result, and what they are.

    Examples
    --------
    >>> find_numbers("7.1 s, 84 to 91%, 5 of 91 sets of TREC-6, 50 rows, `0.5`")
    [(0, '7.1'), (7, '84'), (13, '91'), (18, '5')]
    """
    return [(m.start(), m[0]) for m in _CLAIM.finditer(hide_code(text))]


def fill_blocks(text: str, tables: dict[str, Callable[[], str]]) -> str:
    """The text with every generated block as its table is now."""

    def write(found: re.Match[str]) -> str:
        return f"{found['head']}\n{tables[found['name']]()}\n{found['end']}"

    return _BLOCK.sub(write, text)


def block_names(text: str) -> list[str]:
    """The generated blocks of a page."""
    return [found["name"] for found in _BLOCK.finditer(text)]


def lay_out(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    head, *body = ("| " + " | ".join(line) + " |\n" for line in (headings, *rows))
    return head.replace("|  |", "| |") + "|---" * len(headings) + "|\n" + "".join(body)
