"""SQL for what files hold: CSV by one dialect, JSON lines, and the types of text.

CSV has one dialect instead of a guess: cells are quoted by ``"``, ``""`` within a cell
stands for a quote, nothing is a comment, and the header tells the delimiter. Every cell
stays text; a column that is read as a signal holds numbers if all of its cells do.
"""

from __future__ import annotations

import csv
import glob
import gzip
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby, islice
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from corral.errors import ParameterError, SignalsError
from corral.io.lazy import names_twice
from corral.storage import reading
from corral.votes.coding import NO_VOTE_TEXTS

DELIMITERS = ",;\t|"
MAX_LINE_BYTES = 1 << 24  # eight times what DuckDB takes by default
MAX_HEADER_LINES = 100  # that are looked at: names in a header may have line breaks
EXACT_UP_TO = 2.0**53  # floating point rounds whole numbers from here on
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan", re.IGNORECASE)
_WHOLE = "[+-]?(0|[1-9][0-9]*)"
"""How a whole number is written, unless it is a code; all of a column may end in .0(0)."""


def quote_name(name: str) -> str:
    """The name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(value: str) -> str:
    """A text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def quote_files(files: Iterable[Path]) -> str:
    """Files in SQL; characters that would make a name a pattern are escaped."""
    return f"[{', '.join(quote_text(glob.escape(str(file))) for file in files)}]"


# -- CSV -----------------------------------------------------------------------------


def scan_csv(files: Sequence[Path], kind: str) -> tuple[str, list[str]]:
    """SQL for what CSV files hold, all of it text, and the names of its columns."""
    layouts = [_find_header(file, kind) for file in files]
    parts = []
    for (mark, names, skipped), group in groupby(
        zip(layouts, files, strict=True), key=lambda pair: pair[0]
    ):
        typed = ", ".join(f"{quote_text(name)}: 'VARCHAR'" for name in names)
        parts.append(
            f"FROM read_csv({quote_files([file for _, file in group])}, "
            f"auto_detect=false, header=true, skip={skipped}, columns={{{typed}}}, "
            f"delim={quote_text(mark)}, quote='\"', escape='\"', comment='', "
            "strict_mode=true, null_padding=false, ignore_errors=false, "
            f"hive_partitioning=false, max_line_size={MAX_LINE_BYTES}, "
            f"buffer_size={2 * MAX_LINE_BYTES})"
        )
    columns = list(dict.fromkeys(name for _, names, _ in layouts for name in names))
    return f"({' UNION ALL BY NAME '.join(parts)})", columns


def _find_header(file: Path, kind: str) -> tuple[str, tuple[str, ...], int]:
    """The delimiter, the names of the columns, and how many empty lines come before."""
    lines = _first_lines(file)
    skipped = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if skipped == len(lines):
        raise SignalsError(f"{file.name!r} is empty: it has no rows and no header.")
    header = lines[skipped:]
    marks = "\t" if kind == ".tsv" else DELIMITERS
    # Strictly first: a mark within quotes, as in "a; b; c", does not separate cells.
    for strict in (True, False):
        found = {mark: _rows(header, mark, strict) for mark in marks}
        if any(len(rows[0]) > 1 for rows in found.values() if rows):
            break
    # The first mark, if several give the same number of cells.
    mark = max(found, key=lambda mark: len(found[mark][0]) if found[mark] else 0)
    first, *below = found[mark]
    cells = [cell.strip() for cell in first]
    shown = repr(header[0].strip()[:60])
    for at, name in enumerate(cells):
        under = {row[at].strip() for row in below if len(row) > at} - {""}
        # A rule may be named after the one class that it votes for.
        if under - {name} and all(map(NUMBER.fullmatch, [name, *under])):
            raise SignalsError(
                f"{file.name!r} seems to have no header line: its first line, {shown}, "
                "looks like the others. Put the names of the columns there."
            )
    names = [cell or f"column{i}" for i, cell in enumerate(cells)]
    if broken := [name for name in names if "\n" in name]:
        raise SignalsError(  # DuckDB may take it for the end of all lines, and lose rows
            f"cannot read {file.name!r}: the name {broken[0]!r:.60} in its header has a "
            "line break. Take it out, or write Parquet."
        )
    if twice := names_twice(names):
        raise SignalsError(
            f"{file.name!r} has two columns named {', '.join(map(repr, twice))} in its "
            f"first line, {shown}; upper and lower case are the same."
        )
    return mark, tuple(names), skipped


def _first_lines(file: Path) -> list[str]:
    try:
        with _open(file, "rt", encoding="utf-8-sig") as text:
            return list(islice(text, MAX_HEADER_LINES))
    except UnicodeDecodeError as error:
        raise SignalsError(explain_encoding(file)) from error
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise SignalsError(f"cannot read {file.name!r}: {why}") from error


def _open(file: Path, mode: str, **options: Any) -> Any:
    return (gzip.open if file.suffix.lower() == ".gz" else open)(file, mode, **options)


def _rows(lines: list[str], delimiter: str, strict: bool) -> list[list[str]]:
    """The cells of some lines, up to the first that cannot be read."""
    how: dict[str, Any] = {"delimiter": delimiter, "skipinitialspace": True}
    rows: list[list[str]] = []
    with suppress(csv.Error):
        rows.extend(csv.reader(lines, **how, strict=strict))
    return rows


def explain_csv(error: str, files: Sequence[Path]) -> str:
    """An error of DuckDB about a CSV file, told in terms of the file."""
    path = re.search(r"^\s*file = (.*)$", error, re.MULTILINE)
    file = files[0] if path is None else Path(path[1])
    if re.search("not utf-8|Invalid unicode", error):
        return explain_encoding(file)
    line = re.search(r"CSV Error on Line: (\d+)", error)
    where = f"cannot read {file.name!r}" + (f", line {line[1]}" if line else "")
    if re.search("Maximum line size|not support a full read", error):
        return (
            f"{where}: it has a line of more than {MAX_LINE_BYTES >> 20} MB, which DuckDB "
            "does not take. Cut the text in it short, or write Parquet."
        )
    why = re.search("(Expected Number|Value with|The CSV Parser).*", error)
    said = why[0] if why else error.splitlines()[0]
    return (
        f"{where}: {said.rstrip('.')}. Cells with a delimiter, a quote or a line break "
        'stand in double quotes, as in "say ""hi""", and all lines end in the same way.'
    )


def explain_encoding(file: Path) -> str:
    """What to say of a file that is not UTF-8, with the encoding that it may have."""
    with _open(file, "rb") as raw:
        begin = raw.read(MAX_LINE_BYTES)
    encoding = "cp1252" if re.search(rb"[\x80-\x9f]", begin) else "latin-1"
    if begin[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    return (
        f"{file.name!r} is not UTF-8; it looks like {encoding}. Read it with "
        f"`encoding={encoding!r}`, or save it as UTF-8."
    )


# -- copies that DuckDB reads ----------------------------------------------------------


def copy_as_utf8(file: Path, encoding: str, folder: str) -> Path:
    """A copy of a file of text in UTF-8, without compression."""
    temporary = Path(folder, re.sub(r"(?i)\.gz$", "", file.name))
    try:
        with (
            _open(file, "rt", encoding=encoding, newline="") as given,
            temporary.open("w", encoding="utf-8", newline="") as text,
        ):
            shutil.copyfileobj(given, text)
    except LookupError as error:
        said = f"{encoding!r} is unknown; Python knows 'cp1252', for example."
        raise ParameterError(said, parameter="encoding") from error
    except UnicodeError as error:
        raise SignalsError(f"{file.name!r} is not {encoding}: {error}.") from error
    return temporary


def copy_as_csv(file: Path, folder: str) -> Path:
    """The first sheet of a workbook as CSV."""
    try:
        import openpyxl
    except ImportError as error:
        said = f"to read {file.name!r}, pip install openpyxl, or save the sheet as CSV."
        raise SignalsError(said) from error
    temporary = Path(folder, f"{file.name}.csv")
    with reading(file, "a workbook of Excel"), catch_warnings():
        simplefilter("ignore")  # of styles that openpyxl does not know
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        rows = [
            row for row in book.worksheets[0].values if any(map(str, filter(None, row)))
        ]
        book.close()
        width = max(map(len, rows), default=0)
        with temporary.open("w", encoding="utf-8", newline="") as text:
            lines = csv.writer(text)
            lines.writerows([*row, *[None] * (width - len(row))] for row in rows)
    return temporary


# -- JSON ---------------------------------------------------------------------------


def scan_json(connection: Any, files: Sequence[Path]) -> tuple[str, list[str]]:
    """SQL for the objects in some files, and the columns that are kept as JSON.

    Dates, numbers too large for floating point, and nested values stay as they were
    written.
    """
    listed = any(file.suffix.lower() == ".json" for file in files)
    form = "auto" if listed else "newline_delimited"
    plain = f"read_json({quote_files(files)}, format='{form}', {{}})"
    guess = plain.format("union_by_name=true, hive_partitioning=false, sample_size=-1")
    kinds = {}
    for name, guessed, *_ in connection.execute(f"DESCRIBE FROM {guess}").fetchall():
        once_text = re.match("DATE|TIME|UUID|INTERVAL", guessed) and "[" not in guessed
        simple = guessed in ("BIGINT", "BOOLEAN", "VARCHAR", "DOUBLE")
        kinds[name] = guessed if simple else "VARCHAR" if once_text else "JSON"

    def reader() -> str:
        columns = ", ".join(f"{quote_text(c)}: '{kind}'" for c, kind in kinds.items())
        return plain.format(f"columns={{{columns}}}, hive_partitioning=false")

    if numbers := [name for name, kind in kinds.items() if kind == "DOUBLE"]:
        large = ", ".join(
            f"bool_or(abs({quote_name(c)}) >= {EXACT_UP_TO} AND NOT isnan({quote_name(c)}))"
            for c in numbers
        )
        found = connection.execute(f"SELECT {large} FROM {reader()}").fetchone()
        kinds |= {c: "JSON" for c, true in zip(numbers, found, strict=True) if true}
    tests = {"DOUBLE": "NOT isnan({0})", "JSON": "lower({0}::VARCHAR) <> 'nan'"}
    shown = []
    for column, kind in kinds.items():
        name = quote_name(column)
        if kind in tests:  # NaN is missing: JSON has no other way to say it
            known = f"CASE WHEN {tests[kind].format(name)} THEN {name} END"
            shown.append(f"{known} AS {name}")
        else:
            shown.append(name)
    kept = [name for name, kind in kinds.items() if kind == "JSON"]
    return f"(SELECT {', '.join(shown)} FROM {reader()})", kept


def json_text(column: str) -> str:
    """SQL for a cell of a column of JSON as text: a string without its quotes."""
    return (
        f"CASE json_type({column}) WHEN 'VARCHAR' THEN {column} ->> '$' "
        f"ELSE {column}::VARCHAR END"
    )


def json_number(name: str, column: str) -> str:
    """SQL for a number as JSON has it: NULL for NaN, and an error for infinity."""
    infinite = quote_text(f"column {column!r} holds an infinity, which JSON cannot")
    return (
        f"CASE WHEN isinf({name}) THEN error({infinite}) WHEN NOT isnan({name}) "
        f"THEN {name} END"
    )


# -- cells of text -------------------------------------------------------------------


def ask_types(cell: str) -> list[str]:
    """Whether a column has words, fractions, gaps such as "N/A", codes such as "01"."""
    text = null_no_votes(cell)
    number = f"TRY_CAST({text} AS DOUBLE)"
    # As DOUBLE, large numbers would become equal to each other, or infinite.
    large = f"abs({number}) >= 2^63 AND NOT isnan({number})"
    word = f"{number} IS NULL OR {large} OR contains({text}, '_')"
    fraction = f"{number} <> trunc({number}) OR isnan({number})"
    votes = f"FILTER ({text} IS NOT NULL)"
    whole, tenths = (
        f"regexp_full_match(trim({text}), {quote_text(_WHOLE + end)})"
        for end in ("", r"\.0+")
    )
    code = f"NOT ({whole} OR {tenths} OR isnan({number}))"
    return [
        f"bool_or({word}) {votes}",
        f"bool_or({fraction}) {votes}",
        f"list(DISTINCT {cell}) FILTER ({cell} IS NOT NULL AND {text} IS NULL)",
        f"NOT bool_or({number} <> trunc({number})) {votes} AND (bool_or({code}) {votes} "
        f"OR bool_or({whole}) {votes} AND bool_or({tenths}) {votes})",
    ]


def null_no_votes(text: str) -> str:
    """A cell, NULL where it says "N/A" or the like: numbers with gaps are numbers."""
    words = ", ".join(quote_text(word) for word in sorted(NO_VOTE_TEXTS))
    return f"CASE WHEN lower(trim({text})) NOT IN ({words}) THEN {text} END"
