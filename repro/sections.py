"""One section per table or figure: what was done, the values, and why they differ."""

from __future__ import annotations

from collections.abc import Iterator

from repro.config import Experiment
from repro.markdown import write_heading, write_line
from repro.pairs import compare_pairs
from repro.paper_comparison import compare_with_paper
from repro.results import Record

Records = dict[tuple[str, str], Record]


def write_section(experiment: Experiment, records: Records) -> Iterator[str]:
    """Lines about one experiment: what was done, values and reasons."""
    yield f"## {write_heading(experiment)}\n"
    yield f"{experiment.about.strip()}\n"
    if experiment.kind == "figure":
        yield f"![{experiment.title}](images/{experiment.name}.svg)\n"
    else:
        yield from write_table(experiment, records)
    minutes = sum(record.seconds for record in records.values()) / 60
    yield f"`repro/results/{experiment.name}.json`, {minutes:,.0f} minutes.\n"


def write_table(experiment: Experiment, records: Records) -> Iterator[str]:
    """The paper's columns first, then the others, and why values differ.

    Published values are in brackets, or in a row of their own if all rows have the same;
    a value that is the same is bold. Rows of other data than the paper's are left out.
    """
    reasons: dict[str, None] = {}
    published = experiment.published
    paper = {column for _, column in published}
    columns = sorted(experiment.columns, key=lambda column: column not in paper)
    rows = [
        row
        for row in experiment.rows
        if row not in experiment.other_data
        and any(row == at and not records[at, c].note for at, c in records)
    ]
    one_row = len(rows) > 1 and all(
        len({published.get((row, column)) for row in rows}) == 1 for column in columns
    )

    def write(value: float) -> str:
        return f"{value:,.0f}" if experiment.exact else f"{value:.3f}"

    def cell(row: str, column: str) -> str:
        record = records.get((row, column))
        if record is None:
            return "" if f"{row}/{column}" in experiment.skip else "not run"
        shown = write(record.mean)
        word, reason = compare_with_paper(experiment, row, column, record)
        base = records.get((row, experiment.paired_with or ""))
        if base is not None and base is not record:
            return f"{shown}<br>({compare_pairs(record, base)})"
        if word == "new":
            return shown
        if reason:
            reasons[reason] = None
        shown = f"**{shown}**" if word == "same" else shown
        return shown if one_row else f"{shown} ({write(published[row, column].mean)})"

    yield write_line("", *(experiment.columns[column] for column in columns))
    yield write_line(*["---"] * (len(columns) + 1))
    if one_row and published:
        given = (published.get((rows[0], column)) for column in columns)
        yield write_line("paper", *(write(one.mean) if one else "" for one in given))
    for row in rows:
        yield write_line(experiment.rows[row], *(cell(row, c) for c in columns))
    yield ""
    if reasons:
        whys = "; ".join(reasons)
        yield f"Why values differ: {whys}.\n"
