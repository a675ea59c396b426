"""A report as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from corral.reports.headings import HEADINGS
from corral.reports.label_report import LabelReport
from corral.reports.phrases import write_number, write_share
from corral.reports.row_sections import ReportRow, RowGroup
from corral.text_table import WIDTH, printable, shorten, text_table

ROWS_SHOWN = 3
"""Rows per group."""
TEXT_SHOWN = 70


def render_text(report: LabelReport) -> str:
    """Every section: its name, its verdict and what it rests on."""
    blocks = [[report.title, *_summary(report)]]
    tables = {
        "signals": _signals(report),
        "agreement": _agreement(report),
        "labels": _labels(report),
        "constraints": report.constraints.skipped,
        "advice": _advice(report),
        "rows": [line for group in report.rows.groups for line in _group(group)],
        "methods": _methods(report),
    }
    for name, lines in tables.items():
        blocks.append([HEADINGS[name], *_say(report.verdicts[name]), *lines])
    blocks.append([HEADINGS["provenance"], *_provenance(report)])
    return "\n\n".join(
        "\n".join(printable(line, lines=True) for line in block) for block in blocks
    )


def _say(sentence: str, indent: str = "") -> list[str]:
    return wrap(
        printable(sentence), WIDTH, initial_indent=indent, subsequent_indent=indent
    )


def _summary(report: LabelReport) -> Iterator[str]:
    found = report.summary
    yield from _say(found.verdict)
    lines = [
        ("examples", f"{found.n_examples:,.0f}"),
        ("covered", f"{found.n_covered / found.n_examples:.1%}"),
        ("signals", f"{found.n_signals:,} that count as {found.counted_signals:,.1f}"),
        ("classes", ", ".join(found.classes)),
        ("not as a majority vote", f"{found.changed:.1%}"),
    ]
    if found.expected_accuracy is not None:
        lines.append(("expected accuracy", f"{found.expected_accuracy:.1%}"))
    if found.accuracy is not None and found.vote_accuracy is not None:
        lines.append(("accuracy", f"{found.accuracy:.1%}"))
        lines.append(("accuracy of a majority vote", f"{found.vote_accuracy:.1%}"))
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        yield f"  {name:<{width}}  {shorten(printable(value), WIDTH - width - 4)}"
    for warning in found.warnings:
        yield from _say(f"warning: {warning}")


def _signals(report: LabelReport) -> list[str]:
    has_gold = any(line.gold_error is not None for line in report.signals.lines)
    rows = [
        (
            line.name,
            f"{line.coverage:.1%}",
            f"{line.overlaps:.1%}",
            f"{line.conflicts:.1%}",
            write_share(line.expected_error),
            ""
            if line.expected_interval is None
            else "{:.1%} to {:.1%}".format(*line.expected_interval),
            write_share(line.implied_error),
            *([write_share(line.gold_error)] if has_gold else []),
            f"{line.vote_share:.2f}",
        )
        for line in report.signals.lines
    ]
    headings = ["signal", "coverage", "overlaps", "conflicts", "expected"]
    headings += ["90% interval", "implied", *(["true"] if has_gold else [])]
    return [text_table((*headings, "of a vote"), rows)]


def _agreement(report: LabelReport) -> list[str]:
    rows = [
        (
            pair.first,
            pair.second,
            f"{pair.n_common:,.0f}",
            f"{pair.n_contradicting:,.0f}",
        )
        for pair in report.agreement.pairs
    ]
    headings = "signal", "and", "pairs of votes", "contradicting"
    return [text_table(headings, rows, left=(0, 1))] if rows else []


def _labels(report: LabelReport) -> list[str]:
    found = report.labels
    has_gold = found.shares[0].gold is not None
    rows = [
        (
            share.value,
            f"{share.labels:.1%}",
            f"{share.answers:.1%}",
            f"{share.votes:.1%}",
            *([write_share(share.gold)] if has_gold else []),
        )
        for share in found.shares
    ]
    headings = ("class", "labels", "answers", "majority vote")
    lines = [text_table((*headings, *(["true"] if has_gold else [])), rows)]
    return lines + ([] if found.reliability is None else [str(found.reliability)])


def _advice(report: LabelReport) -> Iterator[str]:
    for at, item in enumerate(report.advice.items):
        first, *rest = _say(item.sentence, "   ")
        yield f"{at + 1}. {first.strip()}"
        yield from rest
        yield from map(_row, item.rows[:ROWS_SHOWN])
    for reason in report.advice.skipped:
        yield from _say(reason)


def _group(group: RowGroup) -> Iterator[str]:
    yield f"{group.title}: {group.n_examples:,.0f}"
    yield from map(_row, group.rows[:ROWS_SHOWN])


def _row(row: ReportRow) -> str:
    none = "tied" if row.tied else "no label"
    label = none if row.label is None else f"{row.label} {row.confidence:.2f}"
    gold = "" if row.gold is None else f", true {row.gold}"
    said = "; ".join(f"{part.name}={part.vote}" for part in row.parts if part.vote)
    text = shorten(printable(row.text or said), TEXT_SHOWN)
    return f"     {printable(row.name)} ({printable(label + gold)}): {text}"


def _methods(report: LabelReport) -> list[str]:
    has_gold = report.methods.lines[0].accuracy is not None
    rows = [
        (
            line.name,
            *(
                [write_share(line.accuracy), write_number(line.log_loss, 3)]
                if has_gold
                else []
            ),
            write_share(line.changed),
            line.remark,
        )
        for line in report.methods.lines
    ]
    headings = ["method", *(["accuracy", "log-loss"] if has_gold else []), "changed"]
    table = text_table((*headings, "remark"), rows, left=(0, len(headings)))
    return [table, *report.methods.skipped]


def _provenance(report: LabelReport) -> list[str]:
    found = vars(report.provenance)
    width = max(map(len, found))
    return [f"  {name.replace('_', ' '):<{width}}  {found[name]}" for name in found]
