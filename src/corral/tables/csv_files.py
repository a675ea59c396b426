"""CSV and TSV: one dialect instead of a guess, and every cell as the text it is.

Cells are quoted by ``"``, and within them ``""`` is one of those; nothing is a comment.
Only the delimiter is looked up, in the header.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any

from corral.errors import SignalsError
from corral.tables.column_names import twins_of
from corral.tables.sql import quote_files, quote_text

DELIMITERS = ",;\t|"
LONGEST = 1 << 24
"""Bytes of a line: eight times what DuckDB takes by default."""
HEADER_LINES = 100
"""Lines that are looked at for the header, which may have line breaks in its names."""
LOOKED_AT = 1000
"""Rows that a first line is compared with."""
SEVERAL = 3
"""Different values below a first line from which they may be ids."""
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """How the cells of a file are to be found.

    Attributes
    ----------
    delimiter : str
    names : tuple of str
        Of the columns.
    skipped : int
        Empty lines before the header.
    """

    delimiter: str
    names: tuple[str, ...]
    skipped: int


def csv_reader(
    connection: Any, files: Sequence[Path], delimiter: str | None
) -> tuple[str, dict[str, tuple[str, ...]]]:
    """SQL for what some files hold, all of it text; columns go by their names.

    Also these names, by file.

    Parameters
    ----------
    connection : DuckDBPyConnection
    files : sequence of paths
    delimiter : str, optional
        Default: the one of `DELIMITERS` that the header has most of.
    """
    layouts = [
        layout_of(_first_lines(connection, file), file.name, delimiter)
        for file in files
    ]
    for file, layout in zip(files, layouts, strict=True):
        _refuse_other_breaks(file, layout)
    parts = []
    for layout, group in groupby(
        zip(layouts, files, strict=True), key=lambda pair: pair[0]
    ):
        columns = ", ".join(f"{quote_text(name)}: 'VARCHAR'" for name in layout.names)
        parts.append(
            f"FROM read_csv({quote_files([file for _, file in group])}, auto_detect=false, "
            f"header=true, skip={layout.skipped}, columns={{{columns}}}, "
            f"delim={quote_text(layout.delimiter)}, quote='\"', escape='\"', comment='', "
            "strict_mode=true, null_padding=false, ignore_errors=false, "
            f"hive_partitioning=false, max_line_size={LONGEST}, buffer_size={2 * LONGEST})"
        )
    names = {
        str(file): layout.names for file, layout in zip(files, layouts, strict=True)
    }
    return f"({' UNION ALL BY NAME '.join(parts)})", names


def layout_of(lines: list[str], name: str, delimiter: str | None = None) -> Layout:
    """Find the header in the first lines of a file; refuse what cannot be one."""
    skipped = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if skipped == len(lines):
        raise SignalsError(f"{name!r} is empty: it has no rows and no header.")
    header = lines[skipped:]
    marks = delimiter or DELIMITERS
    # Strictly first: what is within quotes, such as "a; b; c", is then no delimiter.
    found = {mark: _cells(header, mark, strict=True) for mark in marks}
    if all(len(cells) < 2 for cells in found.values()):
        found = {mark: _cells(header, mark) for mark in marks}
    mark = max(found, key=lambda mark: len(found[mark]))  # the first, if several
    cells = [cell.strip() for cell in found[mark]]
    shown = repr(header[0].strip()[:60])
    if all(not cell or _NUMBER.fullmatch(cell) for cell in cells):
        raise SignalsError(
            f"{name!r} has no header line: the first line is {shown}. Put the names "
            "of the columns there, separated as the cells are."
        )
    names = [cell or f"column{i}" for i, cell in enumerate(cells)]
    if twins := twins_of(names):
        raise SignalsError(
            f"{name!r} has two columns named {', '.join(map(repr, twins))} in its first "
            f"line, {shown}; upper and lower case are the same. Give every column a name "
            "of its own."
        )
    return Layout(mark, tuple(names), skipped)


def refuse_data_as_header(
    names: Sequence[str], rows: Sequence[Sequence[str | None]], name: str
) -> None:
    """Refuse a first line that is surely data, and a header that comes again as data.

    Signals may be named after classes, so a header may look like the lines below it. Only
    numbers and ids prove that it is data.
    """
    given = {i: cell for i, cell in enumerate(names) if cell != f"column{i}"}
    shown = ", ".join(map(repr, names))
    columns = {i: [v.strip() for row in rows if (v := row[i])] for i in given}
    same = all(_shape(cell) in map(_shape, columns[i]) for i, cell in given.items())
    if not given or not same:
        return
    if any(_is_data(cell, columns[i]) for i, cell in given.items()):
        raise SignalsError(
            f"{name} seems to have no header line: its first line, {shown}, looks like "
            "the lines after it. Put the names of the columns there, which are no numbers "
            "or ids as in those lines."
        )
    others = [row for row in rows if any(row[i] != cell for i, cell in given.items())]
    values = {value for row in others for value in row if value}
    again = len(others) < len(rows) and values and values.isdisjoint(names)
    if again and len(given) > 1:
        raise SignalsError(
            f"{name} has its header line, {shown}, again among its rows, as if several "
            "files had been put into one. Delete that line."
        )


def _is_data(cell: str, values: Sequence[str]) -> bool:
    """Whether a cell of the first line is a number or an id, as those below it are."""
    if set(values) == {cell}:  # a rule named after the one class that it votes for
        return False
    if _NUMBER.fullmatch(cell):
        return True
    ids = {cell, *values}
    return (
        len(ids) > max(len(values), SEVERAL)  # all different
        and len(set(map(_shape, ids))) == 1
    )


def _shape(cell: str | None) -> str:
    """What is left of ``k17`` when its number does not matter."""
    return re.sub(r"\d+", "0", (cell or "").strip())


def _cells(lines: list[str], delimiter: str, *, strict: bool = False) -> list[str]:
    try:
        return next(
            csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)
        )
    except csv.Error:
        return []


def _first_lines(connection: Any, file: Path) -> list[str]:
    if file.suffix.lower() != ".zst":
        return _read_lines(file)
    import duckdb

    query = (  # Python cannot unpack it
        f"SELECT line FROM read_csv({quote_files([file])}, auto_detect=false, "
        "header=false, columns={'line': 'VARCHAR'}, delim='\x01', quote='', "
        "escape='', comment='', "
        f"max_line_size={LONGEST}, buffer_size={2 * LONGEST}) LIMIT {HEADER_LINES}"
    )
    try:
        return [line or "" for (line,) in connection.execute(query).fetchall()]
    except duckdb.Error as error:
        raise SignalsError(explain_csv_error(str(error), [file])) from error


def _read_lines(file: Path, newline: str | None = None) -> list[str]:
    try:
        with _open(file, "rt", encoding="utf-8-sig", newline=newline) as text:
            return list(islice(text, HEADER_LINES))
    except UnicodeDecodeError as error:
        raise SignalsError(explain_encoding(file)) from error
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or error
        raise SignalsError(f"cannot read {file.name!r}: {why}") from error


def _open(file: Path, mode: str = "rb", **options: Any) -> IO[Any]:
    opener: Any = gzip.open if file.suffix.lower() == ".gz" else open
    stream: IO[Any] = opener(file, mode, **options)
    return stream


def _refuse_other_breaks(file: Path, layout: Layout) -> None:
    """Refuse a line break in a name that is none of those that end lines.

    DuckDB takes the first for the end of all lines, and then finds no row. Spreadsheets
    write such names: a line feed within a cell, both characters after each line.
    """
    if file.suffix.lower() == ".zst" or not any("\n" in name for name in layout.names):
        return
    lines = _read_lines(file, newline="")[layout.skipped :]
    reader = csv.reader(lines, delimiter=layout.delimiter, skipinitialspace=True)
    next(reader)
    ends = {re.search("[\r\n]*$", line)[0] for line in lines[: reader.line_num]}  # type: ignore[index]
    if len(ends - {""}) > 1:
        named = next(name for name in layout.names if "\n" in name)
        raise SignalsError(
            f"cannot read {file.name!r}: the name {named!r:.60} in its header has a line "
            "break that is not written as those between lines are. Take the line break out "
            "of the name, or write Parquet."
        )


def explain_csv_error(error: str, files: Sequence[Path]) -> str:
    """An error of DuckDB about a CSV file, told in terms of the file."""
    path = re.search(r"^\s*file = (.*)$", error, re.MULTILINE)
    file = files[0] if path is None else Path(path[1])
    line = re.search(r"CSV Error on Line: (\d+)", error)
    where = f"{file.name!r}" + (f", line {line[1]}" if line else "")
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", error)
    if counts is not None:
        return (
            f"cannot read {where}: it has {counts[2]} cells where the header has "
            f"{counts[1]} columns. Mend the line; a cell that holds the delimiter or a "
            'line break must be within double quotes, as in "a, b".'
        )
    if "Maximum line size" in error or "not support a full read" in error:
        return (
            f"cannot read {where}: it has a line of more than {LONGEST >> 20} MB, which "
            "DuckDB does not take. Cut the text in it short, or write Parquet."
        )
    if "unterminated quote" in error:
        return (
            f"cannot read {where}: a cell begins with a double quote that is not closed "
            f"before the next delimiter, or within {LONGEST >> 20} MB. Close it, or write "
            'the quotes within a cell twice, as in "say ""hi""".'
        )
    if "not utf-8" in error or "Invalid unicode" in error:
        return explain_encoding(file)
    if "invalid state" in error:
        return (
            f"cannot read {where}: its lines do not all end in the same way (line feed, "
            "or carriage return and line feed). Convert it: dos2unix, or "
            f"tr -d '\\r' < {file.name} > unix-{file.name}"
        )
    return f"cannot read {where}: {error.splitlines()[0]}"


def explain_encoding(file: Path) -> str:
    """What to say of a file that is not UTF-8: where, and how to convert it."""
    where, encoding, offset = "", "CP1252", 0  # which Excel writes
    if file.suffix.lower() != ".zst":  # Python cannot unpack it
        with _open(file) as raw:
            for line in raw:
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as error:
                    where = f" at byte {offset + error.start:,}"
                    break
                offset += len(line)
        if where and line.startswith((b"\xff\xfe", b"\xfe\xff")):
            encoding = "UTF-16"
    plain = file.name.removesuffix(".gz").removesuffix(".zst")
    return (
        f"{file.name!r} is not UTF-8{where}. Convert it: "
        f"iconv -f {encoding} -t UTF-8 {plain} > utf8-{plain}"
    )
