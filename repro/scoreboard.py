"""The first screen of the page: how many published values come out, table by table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from repro.config import Count, Experiment
from repro.markdown import link_to, write_line
from repro.paper_comparison import compare_with_paper
from repro.results import Record

Records = dict[tuple[str, str], Record]
ReadRecords = Callable[[str], Records]
"""From the name of an experiment to its records."""


@dataclass(frozen=True)
class Score:
    """Cells of one line, counted by how they compare with the paper."""

    experiment: Experiment
    count: Count
    words: Counter[str]


def count_cells(experiment: Experiment, count: Count, records: Records) -> Score:
    """Count the cells of a line that the paper has a value for."""
    rows, columns = count.rows or experiment.rows, count.columns or experiment.columns
    words = Counter(
        compare_with_paper(experiment, row, column, records[row, column]).word
        for row, column in experiment.published
        if row in rows and column in columns
    )
    return Score(experiment, count, words)


def count_all(known: dict[str, Experiment], read: ReadRecords) -> list[Score]:
    """Every line of the scoreboard, in the order of the paper."""
    scores = [
        count_cells(one, count, read(name))
        for name, one in known.items()
        for count in one.counts
    ]
    return sorted(scores, key=lambda score: score.experiment.place)


def total(scores: list[Score]) -> Counter[str]:
    """The sum over the lines that are as published."""
    return sum((s.words for s in scores if s.count.as_published), Counter())


def write_scoreboard(scores: list[Score]) -> Iterator[str]:
    """Lines of Markdown: one per table, and the sum."""
    every = total(scores)
    cells, other = sum(every.values()), every["other data"]
    yield (
        f"**{every['same']} of {cells - other} published accuracies come out with the "
        f"paper's methods and end models.** {other} more are of Yelp and SVHN.\n"
    )
    yield write_line("", "values", "same", "in one sentence")
    yield write_line(*["---"] * 4)
    for place, alike in groupby(scores, key=lambda score: score.experiment.place):
        first, *others = alike
        beside = ", ".join(f"{one.count.name}: {one.words['same']}" for one in others)
        judged = first.words.total() - first.words["other data"]
        yield write_line(
            link_to(first.experiment, place),
            str(judged),
            str(first.words["same"]),
            first.count.why + (f" ({beside})" if beside else ""),
        )
    yield ""


def write_cll(known: dict[str, Experiment], read: ReadRecords) -> Iterator[str]:
    """Every accuracy of CLL that the paper has and its data allow: what matches first."""
    lines = []
    for score in count_all(known, read):
        one, (_, rows, columns, *_) = score.experiment, score.count
        for (row, column), published in one.published.items():
            shown = one.columns[column]
            if row not in (rows or one.rows) or column not in (columns or one.columns):
                continue
            if not score.count.as_published or not shown.startswith("CLL"):
                continue
            record = read(one.name)[row, column]
            word = compare_with_paper(one, row, column, record).word
            if word != "other data":
                cells = [
                    link_to(one, one.place),
                    shown.removeprefix("CLL, ") if len(rows) == 1 else one.rows[row],
                    f"{published}",
                    f"**{record}**" if word == "same" else f"{record}",
                    f"`{one.name}`",
                    f"{record.seconds / 60:.1f}",
                ]
                lines.append((word != "same", cells))
    yield write_line("table", "what", "paper", "here", "run", "minutes")
    yield write_line(*["---"] * 6)
    yield from (write_line(*cells) for _, cells in sorted(lines, key=lambda at: at[0]))
    yield ""
