"""Pages from stored results: templates in ``pages``, filled in and written to ``docs``.

A template may hold ``{{ table NAME }}`` for a whole experiment, and
``{{ NAME ROW/COLUMN }}`` for one figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from repro.config import Experiment, experiments
from repro.pairs import compare_pairs
from repro.paper_comparison import compare_with_paper
from repro.results import RESULTS, Record, Results

PAGES = Path(__file__).parent / "pages"
DOCS = Path(__file__).parents[1] / "docs"
MADE = "<!-- Made by `python -m repro report`; change repro/pages instead. -->\n\n"
ACROSS = 4
"""Data sets side by side that fit on a page."""
_HOLE = re.compile(r"\{\{ (table )?(\w+)(?: ([^{}/]+)/([^{}/]+))? \}\}")


def make_pages(results: Path = RESULTS) -> dict[Path, str]:
    """Every page by where it goes, as the stored results have it."""
    known = experiments()

    def fill(hole: re.Match[str]) -> str:
        table, name, row, column = hole.groups()
        experiment, records = known[name], Results(name, results).records
        if table:
            return "\n".join(write_section(experiment, records))
        if (row, column) not in records:
            raise LookupError(
                f"{name} has no {row} / {column}; run: python -m repro run {name}"
            )
        return f"{records[row, column].mean:.3f}"

    return {
        DOCS / template.name: MADE + _HOLE.sub(fill, template.read_text("utf-8"))
        for template in sorted(PAGES.glob("*.md"))
    }


def write_section(
    experiment: Experiment, records: dict[tuple[str, str], Record]
) -> Iterator[str]:
    """Lines about one experiment: what it is, the figures, reasons, details."""
    yield f"## {experiment.title}\n"
    yield f"{experiment.about.strip()}\n"
    if experiment.kind == "figure":
        yield f"![{experiment.title}](images/{experiment.name}.svg)\n"
    else:
        yield from _summary(experiment, records)
    yield from _details(experiment, records)


def _summary(
    experiment: Experiment, records: dict[tuple[str, str], Record]
) -> Iterator[str]:
    """A table, methods by data sets, and why figures differ from the paper's."""
    reasons: dict[str, int] = {}

    def cell(row: str, column: str) -> str:
        record = records.get((row, column))
        if record is None:
            return "" if f"{row}/{column}" in experiment.skip else "not run"
        word, reason = compare_with_paper(experiment, row, column, record)
        base = records.get((row, experiment.paired_with or ""))
        if base is not None and base is not record:
            return f"{record}<br>({compare_pairs(record, base)})"
        if word == "new":
            return f"{record}"
        mark = f" [{reasons.setdefault(reason, len(reasons) + 1)}]" if reason else ""
        paper = experiment.published[row, column]
        return f"{record}<br>paper {paper}: {word}{mark}"

    names = list(experiment.rows)
    for some in (names[a : a + ACROSS] for a in range(0, len(names), ACROSS)):
        yield _line("", *(experiment.rows[row] for row in some))
        yield _line(*["---"] * (len(some) + 1))
        for column, shown in experiment.columns.items():
            yield _line(shown, *(cell(row, column) for row in some))
        yield ""
    if reasons:
        notes = (f"[{at}] {why[:1].upper()}{why[1:]}." for why, at in reasons.items())
        yield "\\\n".join(notes) + "\n"


def _details(
    experiment: Experiment, records: dict[tuple[str, str], Record]
) -> Iterator[str]:
    """How every cell was computed, folded away."""
    yield "<details><summary>Rows, seeds, time and data of every cell</summary>\n"
    heads = ("", "method", "rows", "tested on", "seeds", "seconds", "data")
    yield _line(*heads)
    yield _line(*["---"] * len(heads))
    for row, shown in experiment.rows.items():
        for column, method in experiment.columns.items():
            if (record := records.get((row, column))) is None:
                continue
            data = ", ".join(f"{name} `{key[:8]}`" for name, key in record.data.items())
            yield _line(
                shown,
                method,
                f"{record.rows:,}",
                "" if record.test_rows is None else f"{record.test_rows:,}",
                _span(record.seeds),
                f"{record.seconds:.1f}",
                data + (f"; {record.note}" if record.note else ""),
            )
    yield "\n</details>\n"


def _span(seeds: list[int]) -> str:
    return f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
