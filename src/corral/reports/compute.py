"""One computation of all sections."""

from __future__ import annotations

from corral.reports.advice_items import choose_advice, describe_advice, find_values
from corral.reports.constraint_checks import check_constraints
from corral.reports.label_report import LabelReport
from corral.reports.label_shares import describe_labels
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.method_lines import compare_methods
from corral.reports.provenance import describe_origin
from corral.reports.row_choice import show_rows
from corral.reports.rows_to_read import choose_groups, describe_rows
from corral.reports.signal_agreement import compare_signals
from corral.reports.signal_lines import describe_signals
from corral.reports.summary import summarise
from corral.study import analyse


def compute_report(
    votes: LabelledVotes,
    *,
    title: str,
    data: str,
    command: str,
    change: float,
    seed: int,
) -> LabelReport:
    """Compute every section; what two of them need is computed once.

    Parameters
    ----------
    votes : LabelledVotes
    title : str
    data : str
        What the votes were read from.
    command : str
        What asked for the report.
    change : float
        How far error rates are moved.
    seed : int
        For whatever is drawn at random.
    """
    truth = None if votes.truth is None else votes.gold_values
    analysis = analyse(votes.signals, y=truth)
    skipped: list[str] = []
    values = find_values(votes, skipped)
    advice = choose_advice(votes, analysis, values, seed, skipped)
    groups = choose_groups(votes)
    # All rows are fetched by one question to whoever has them.
    wanted = [item.rows for item in advice] + [group.rows for group in groups]
    shown = show_rows(votes, wanted)
    return LabelReport(
        name=title,
        summary=summarise(votes, analysis),
        signals=describe_signals(votes, analysis, values),
        agreement=compare_signals(votes, seed),
        labels=describe_labels(votes),
        constraints=check_constraints(votes, change),
        advice=describe_advice(advice, shown[: len(advice)], skipped),
        rows=describe_rows(votes, groups, shown[len(advice) :]),
        methods=compare_methods(votes, seed),
        provenance=describe_origin(votes, command, data, seed),
    )
