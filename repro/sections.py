"""One section per table or figure: a sentence, and the rest folded away."""

from __future__ import annotations

from collections.abc import Iterator

from repro.config import Experiment
from repro.markdown import fold, write_heading, write_line
from repro.pairs import compare_pairs
from repro.paper_comparison import compare_with_paper
from repro.results import Record

ACROSS = 6
"""Columns side by side that fit on a page."""
Records = dict[tuple[str, str], Record]


def write_section(experiment: Experiment, records: Records) -> Iterator[str]:
    """Lines about one experiment: the short of it, and folded the values and reasons."""
    yield f"## {write_heading(experiment)}\n"
    first, *more = experiment.about.strip().split("\n\n", 1)
    yield f"{first}\n"
    inside = [f"{text}\n" for text in more]
    if experiment.kind == "figure":
        yield f"![{experiment.title}](images/{experiment.name}.svg)\n"
    else:
        inside += write_table(experiment, records)
    inside.append(_describe_runs(experiment, records))
    yield fold(_name_contents(experiment), *inside)


def write_table(experiment: Experiment, records: Records) -> Iterator[str]:
    """The paper's columns first, then the others, and why values differ."""
    reasons: dict[str, int] = {}

    def cell(row: str, column: str) -> str:
        record = records.get((row, column))
        if record is None:
            return "" if f"{row}/{column}" in experiment.skip else "not run"
        shown = f"{record.mean:,.0f}" if experiment.exact else f"{record}"
        word, reason = compare_with_paper(experiment, row, column, record)
        base = records.get((row, experiment.paired_with or ""))
        if base is not None and base is not record:
            return f"{shown}<br>({compare_pairs(record, base)})"
        if word == "new":
            return shown
        mark = f" [{reasons.setdefault(reason, len(reasons) + 1)}]" if reason else ""
        published = experiment.published[row, column]
        paper = f"{published.mean:,.0f}" if experiment.exact else f"{published}"
        return f"{shown}<br>paper {paper}: {word}{mark}"

    for some in _blocks(experiment):
        rows = [r for r in experiment.rows if any((r, c) in records for c in some)]
        yield write_line("", *(experiment.columns[column] for column in some))
        yield write_line(*["---"] * (len(some) + 1))
        for row in rows:
            yield write_line(experiment.rows[row], *(cell(row, c) for c in some))
        yield ""
    if reasons:
        notes = (f"[{at}] {why[:1].upper()}{why[1:]}." for why, at in reasons.items())
        yield "\\\n".join(notes) + "\n"


def _blocks(experiment: Experiment) -> Iterator[list[str]]:
    """Columns side by side: the paper's first; those of one kind of features together."""
    paper = {column for _, column in experiment.published}
    kinds: dict[str, list[str]] = {str(True): []}
    for column in experiment.columns:
        features = column.partition(": ")[2]
        kinds.setdefault(features or str(column in paper), []).append(column)
    for columns in kinds.values():
        for a in range(0, len(columns), ACROSS):
            yield columns[a : a + ACROSS]


def _name_contents(experiment: Experiment) -> str:
    what = "How it was drawn" if experiment.kind == "figure" else "All values"
    return f"{what}: {write_heading(experiment)}"


def _describe_runs(experiment: Experiment, records: Records) -> str:
    """Seeds and time in a sentence, and where the rest is."""
    seeds = sorted({len(record.seeds) for record in records.values()})
    numbers = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    minutes = sum(record.seconds for record in records.values()) / 60
    plural = "" if seeds[-1] == 1 else "s"
    return (
        f"{len(records)} cells, {numbers} seed{plural} each, {minutes:,.0f} minutes in "
        "all. Examples, seeds, seconds and data of every cell: "
        f"`repro/results/{experiment.name}.json`.\n"
    )
