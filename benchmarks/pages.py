"""``python -m benchmarks pages``: put stored results into README.md and docs.

A table between ``<!-- table: NAME -->`` and ``<!-- end -->`` is written anew from what the
benchmarks have stored. ``--check`` writes nothing and fails on any difference.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from benchmarks.tables import write_table

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- table: ([\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """README.md and the pages of docs."""
    built = ROOT / "docs" / "_build"
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    return [page for page in found if built not in page.parents]


def fill(text: str) -> str:
    """A page with every table as the stored results have it now."""
    return BLOCK.sub(lambda m: f"{m[1]}\n{write_table(m[2])}\n{m[3]}", text)


def main() -> int:
    """Write or check all pages."""
    differ = [page for page in pages() if fill(page.read_text()) != page.read_text()]
    check = "--check" in sys.argv
    for page in differ:
        print(f"{page.relative_to(ROOT)} differs" if check else f"wrote {page.name}")
        if not check:
            page.write_text(fill(page.read_text()))
    return check and bool(differ)


if __name__ == "__main__":
    sys.exit(main())
