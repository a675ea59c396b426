"""``python -m benchmarks pages``: put stored results into README.md and docs.

A table between ``<!-- table: NAME -->`` and ``<!-- end -->`` is written anew from what the
benchmarks have stored, and the list of files in CONTRIBUTING.md from the source.
``--check`` writes nothing and fails on any difference. Both fail if code has changed since
a stored result measured it; what is stored is written all the same. Both list every table
of figures with its page, its stored results, their commits, and whether they are stale.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

from benchmarks.sources import find_stale
from benchmarks.tables import (
    draw_growth,
    lay_out,
    read_stored,
    results_of,
    write_table,
)
from corral.results.svg import to_svg

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(<!-- table: ([\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> list[Path]:
    """README.md and the pages of docs."""
    built = ROOT / "docs" / "_build"
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
    return [page for page in found if built not in page.parents]


FILES = re.compile(r"(<!-- files -->\n).*?(<!-- end -->)", re.DOTALL)
"""The list of files in CONTRIBUTING.md."""


def list_files() -> str:
    """Every file of the source, its lines and its first sentence, as imports go up."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    source, rows = ROOT / "src" / "corral", []
    for name in " | ".join(reversed(layers)).split(" | "):
        place = source / name.removeprefix("corral.")
        found = sorted(place.rglob("*.py")) if place.is_dir() else []
        for path in found or [place.with_suffix(".py")]:
            text = path.read_text()
            said = (ast.get_docstring(ast.parse(text)) or "").split("\n\n")[0]
            number = len(text.splitlines())
            if number > 1:
                shown = path.relative_to(source).as_posix()
                rows.append([f"`{shown}`", str(number), " ".join(said.split())])
    total = sum(int(lines) for _, lines, _ in rows)
    rows.append([f"{len(rows)} files", f"{total:,}", ""])
    return lay_out(["file", "lines", "what it is"], rows)


def fill(text: str) -> str:
    """A page with every table as the stored results have it now."""
    return BLOCK.sub(lambda m: f"{m[1]}\n{write_table(m[2])}\n{m[3]}", text)


def main() -> int:
    """Write or check all pages, and the picture that has stored figures."""
    if "--check" not in sys.argv and (chart := draw_growth()):
        (ROOT / "docs/images/growth.svg").write_text(to_svg(chart, standalone=True))
    guide = ROOT / "CONTRIBUTING.md"
    listed = FILES.sub(lambda m: f"{m[1]}\n{list_files()}\n{m[2]}", guide.read_text())
    if "--check" not in sys.argv:
        guide.write_text(listed)
    differ = [page for page in pages() if fill(page.read_text()) != page.read_text()]
    check = "--check" in sys.argv
    for page in differ:
        print(f"{page.relative_to(ROOT)} differs" if check else f"wrote {page.name}")
        if not check:
            page.write_text(fill(page.read_text()))
    stale = find_stale()
    for page in pages():
        for _, table, _ in BLOCK.findall(page.read_text()):
            for name in results_of(table):
                state = "stale" if name in stale else "of the code as it is"
                commit = read_stored(name)["commit"]
                print(f"{page.name}, {table}: {name}, {commit}, {state}")
    for name, parts in stale.items():
        print(f"stale: {name}: code has changed in {', '.join(parts)}", file=sys.stderr)
    return bool(stale) or (check and bool(differ))


if __name__ == "__main__":
    sys.exit(main())
