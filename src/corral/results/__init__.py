"""One form of answers: `Result`, made of sentences, facts, tables, charts and sections."""

from corral.results.chart import (
    Axis,
    Chart,
    Line,
    Points,
    dots,
    histogram,
    matrix,
)
from corral.results.result import (
    Code,
    Facts,
    Part,
    Result,
    Section,
    Table,
    as_plain,
)
from corral.results.text import join_names, printable, shorten

__all__ = [
    "Axis",
    "Chart",
    "Code",
    "Facts",
    "Line",
    "Part",
    "Points",
    "Result",
    "Section",
    "Table",
    "as_plain",
    "dots",
    "histogram",
    "join_names",
    "matrix",
    "printable",
    "shorten",
]
