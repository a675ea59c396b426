"""``python -m benchmarks pages``: put stored results into README.md and docs.

Tables between ``<!-- generated: NAME -->`` and ``<!-- end -->`` are written anew, and so
are the numbers of the sentences in `benchmarks.pages.sentences`. Numbers without a source
are listed, and the exit code is then 1. ``--check`` writes nothing and fails on any
difference.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.pages.claims import correct, find_unsourced
from benchmarks.pages.demo import fill_demo
from benchmarks.pages.markdown import ROOT, fill_blocks, pages
from benchmarks.pages.sentences import CLAIMS
from benchmarks.pages.tables import TABLES


def main() -> int:
    """Write or check all pages."""
    parser = argparse.ArgumentParser(
        prog="benchmarks pages",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    failed = False
    for page in pages():
        name, text = page.relative_to(ROOT), page.read_text()
        written = fill_demo(correct(fill_blocks(text, TABLES), CLAIMS))
        if written != text:
            print(f"{name} differs" if check else f"wrote {name}")
            failed |= check
            if not check:
                page.write_text(written)
        for line, words in find_unsourced(written, CLAIMS):
            print(f"{name}:{line}: no source: {words}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
