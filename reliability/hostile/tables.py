"""Tables of votes whose bytes, cells, columns or names were crafted."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reliability.hostile.cases import Case, Surface, call

GOOD = "c,a,b\nham,spam,ham\nspam,spam,spam\nham,ham,ham\n"
ROWS = "ham,spam,ham\nspam,spam,spam\n,ham,ham\n"
SQL = (
    'a"; DROP TABLE votes; --',
    "a'; DROP TABLE votes; --",
    "read_text('/etc/passwd')",
    "(SELECT content FROM read_text('/etc/passwd'))",
    "COPY (SELECT 1) TO 'pwned'",
    "a\" AS x, (SELECT getenv('HOME')) AS \"y",
    "*",
    "COLUMNS('.*')",
    "rowid",
    "count(*)",
    "NULL",
    "?",
    "$1",
    "{v}",
    "%s",
    "a\\",
    '""',
    "corral_added",
    "a--",
    "a/*",
)
FILES = (
    "-rf.csv",
    "--help.csv",
    "a b.csv",
    "a'b.csv",
    'a"b.csv',
    "a;b.csv",
    "a[1].csv",
    "[a-z]*.csv",
    "*.csv",
    "?.csv",
    "{a,b}.csv",
    "a\nb.csv",
    "a\x1b[2J.csv",
    "a\u202eb.csv",
    "$(touch pwned).csv",
    "`touch pwned`.csv",
    "'); DROP TABLE x; --.csv",
    "read_csv('x').csv",
    "s3:__x.csv",
    "~.csv",
    "%2e%2e.csv",
    "x" * 200 + ".csv",
    "[red]a[bold].csv",
    "<script>.csv",
)


def label(path: Path) -> None:
    """Label a table by the command line."""
    before = (
        path.read_bytes() if path.is_file() and path.stat().st_size < 2**20 else b""
    )
    call(path.parent, "label", f"./{path.name}", "-o", "out.csv")
    out = (path.parent / "out.csv").read_text(errors="replace")
    assert "root:" not in out, "another file was read"
    assert "decoy" not in out, "a name was taken for a pattern"
    assert not Path("pwned").exists()
    assert not before or path.read_bytes() == before


def inspect(path: Path) -> None:
    """Look at a table by the command line."""
    call(path.parent, "inspect", f"./{path.name}")
    assert not Path("pwned").exists()


def named(name: str, content: bytes | str) -> Callable[[Path], Path]:
    """A `Case.make` of a table by any name."""

    def make(folder: Path) -> Path:
        raw = (
            content.encode("utf-8", "surrogatepass")
            if isinstance(content, str)
            else content
        )
        (folder / name).write_bytes(raw)
        return folder / name

    return make


DECOYS = ("a.csv", "a1.csv", "b.csv", "d.csv", "decoy.csv")
"""Files that the patterns among `FILES` would match, if names were patterns."""


def among_decoys(name: str, content: str) -> Callable[[Path], Path]:
    """A `Case.make` of a table with others beside it, which its name would match."""

    def make(folder: Path) -> Path:
        for decoy in DECOYS:
            (folder / decoy).write_text(GOOD.replace("spam", "decoy"))
        return named(name, content)(folder)

    return make


CELLS: dict[str, bytes | str] = {
    "nothing": "",
    "blanks": " \n \n",
    "NUL": "c,a,b\nham,spam\x00,ham\nham,ham,ham\n",
    "NUL in a name": "c,a\x00,b\nham,spam,ham\nham,ham,ham\n",
    "only NUL": b"\x00" * 100_000,
    "a byte order mark": "\ufeff" + GOOD,
    "two byte order marks": "\ufeff\ufeff" + GOOD,
    "UTF-16": GOOD.encode("utf-16"),
    "UTF-16, no mark": GOOD.encode("utf-16-le"),
    "UTF-32": GOOD.encode("utf-32"),
    "Latin-1": "c,a,b\nham,spâm,ham\nham,ham,ham\n".encode("latin-1"),
    "Latin-1, late": GOOD.encode() + b"4,ham,ham\n" * 5000 + b"5,h\xe4m,ham\n",
    "overlong UTF-8": b"c,a,b\nham,\xc0\xaf,ham\nham,ham,ham\n",
    "half a character": "c,a,b\nham,\ud800,ham\nham,ham,ham\n",
    "UTF-7": b"c,a,b\nham,+ADw-script+AD4-,ham\nham,ham,ham\n",
    "a field of 10 MB": "c,a,b\nham," + "x" * 10_000_000 + ",ham\nham,ham,ham\n",
    "a field of 20 MB": "c,a,b\nham," + "x" * 20_000_000 + ",ham\nham,ham,ham\n",
    "a name of 1 MB": "c,a" + "x" * 2**20 + ",b\nham,spam,ham\nham,ham,ham\n",
    "200 columns": ",".join(f"c{i}" for i in range(200)) + "\n" + "a," * 199 + "b\n",
    "100,000 columns": ",".join(f"c{i}" for i in range(100_000))
    + "\n"
    + "," * 99_999
    + "\n",
    "100,000 rows of one cell": "a,b\n" + "\n" * 100_000,
    "100,000 classes": "a,b\n" + "".join(f"x{i},y{i}\n" for i in range(50_000)),
    "an unclosed quote": 'c,a,b\nham,"spam,ham\nham,ham,ham\n',
    "an unclosed quote in the header": '"c,a,b\nham,spam,ham\nham,ham,ham\n',
    "quotes, 1 MB": '"' * 2**20,
    "quotes within": 'c,a,b\nham,sp"am,ham\nham,ham,ham\n',
    "mixed line ends": "c,a,b\r\nham,spam,ham\nham,ham,ham\r3,ham,spam\n",
    "carriage returns": GOOD.replace("\n", "\r"),
    "no line end": GOOD.rstrip("\n"),
    "short lines": "c,a,b\nham,spam\nham,ham,ham\n",
    "long lines": "c,a,b\nham,spam,ham,ham,ham\nham,ham,ham\n",
    "names twice": "a,a,b\nham,spam,ham\nham,ham,ham\n",
    "names that differ in case": "a,A,b\nspam,spam,ham\nham,ham,ham\n",
    "no names": ",,\nspam,spam,ham\nham,ham,ham\n",
    "only delimiters": ",,,\n,,,\n",
    "every delimiter": "a,b;c\td|e\nham,2;3\t4|5\n",
    "comments": "# a\nc,a,b\nham,spam,ham\n",
    "formulas": "c,a,b\n=cmd|'/c calc'!A1,=1+1,@SUM(1)\nham,-2+3,=1+1\n",
    "colour for a terminal": "c,a\x1b[31m,b\nham,\x1b]0;x,\x9b2J\nham,\u202ea,\x07\n",
    "markup": "id,[red]a,[/]\nham,[link=x],<script>\nham,[bold],<script>\n",
    "numbers without end": "a,b\n" + "9" * 5000 + ",1\nham,0\n",
    "NaN and infinity": "a,b\nnan,inf\n-inf,1e999\nham,0\n",
    "a binary": bytes(range(256)) * 400,
    "a zip": b"PK\x03\x04" + bytes(1000),
    "a pickle": b"\x80\x04cposix\nsystem\n(S'touch pwned'\ntR.",
    "HTML": "<!doctype html><html><script>alert(1)</script></html>",
}
LINES: dict[str, bytes | str] = {
    "deep": '{"a":' * 5000 + "1" + "}" * 5000 + "\n",
    "deep lists": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}\n",
    "never closed": '{"a": ' + "[" * 100_000,
    "a number of 100,000 digits": '{"a": '
    + "9" * 100_000
    + ', "b": 1}\n{"a": 1, "b": 0}\n',
    "NaN": '{"a": NaN, "b": 1}\n{"a": 1, "b": -Infinity}\n',
    "a key twice": '{"a": 1, "a": 0, "b": 1}\n{"a": 1, "b": 0}\n',
    "half a character": '{"a": "\\ud800", "b": "x"}\n{"a": "x", "b": "x"}\n',
    "NUL": '{"a": "\\u0000", "b": "x"}\n{"a": "x", "b": "x"}\n',
    "SQL as a key": '{"a\\"; DROP TABLE x; --": 1, "b": 1}\n{"b": 0}\n',
    "no key": '{"": 1, "b": 1}\n{"": 0, "b": 0}\n',
    "20,000 keys": "{" + ", ".join(f'"k{i}": 1' for i in range(20_000)) + "}\n",
    "a list": "[1, 2]\n[2, 3]\n",
    "texts": '"a"\n"b"\n',
    "half an object": '{"a": 1\n{"a": 2}\n',
    "UTF-16": '{"a": 1}\n'.encode("utf-16"),
    "objects as votes": '{"a": {"x": 1}, "b": [1]}\n{"a": {"y": 1}, "b": []}\n',
    "colour for a terminal": '{"\\u001b[2J": "\\u009b", "b": "\\u202e"}\n{"b": "x"}\n',
    "a line of 20 MB": '{"a": "' + "x" * 20_000_000 + '", "b": "y"}\n',
}


def parquet(**columns: Any) -> bytes:
    """A Parquet file of some columns."""
    import pyarrow
    import pyarrow.parquet

    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


def bend_parquet(at: int, value: bytes) -> Callable[[Path], Path]:
    """A `Case.make` of a Parquet file with other bytes, counted from its end."""

    def make(folder: Path) -> Path:
        raw = bytearray(parquet(a=["spam", "ham"] * 9, b=["ham", "ham"] * 9))
        place = len(raw) + at
        raw[place : place + len(value)] = value
        (folder / "v.parquet").write_bytes(bytes(raw))
        return folder / "v.parquet"

    return make


FOOTERS: dict[str, tuple[int, bytes]] = {
    "a footer of 2 GB": (-8, b"\xff\xff\xff\x7f"),
    "a negative footer": (-8, b"\xff\xff\xff\xff"),
    "no footer": (-8, bytes(4)),
    "no mark at the end": (-4, b"XXXX"),
    "an encrypted footer": (-4, b"PARE"),
    **{
        f"another byte, {-at} before the end": (at, b"\xff")
        for at in range(-400, -8, 23)
    },
}


def odd_file(build: Callable[[Path], object]) -> Callable[[Path], Path]:
    """A `Case.make` of a table that is no file."""

    def make(folder: Path) -> Path:
        build(folder / "v.csv")
        return folder / "v.csv"

    return make


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    yield Case("none: a good table", named("v.csv", GOOD), label, "harmless")
    for name, content in CELLS.items():
        yield Case(f"CSV: {name}", named("v.csv", content), label)
        yield Case(f"inspect: {name}", named("v.csv", content), inspect)
    for name, content in LINES.items():
        yield Case(f"JSON lines: {name}", named("v.jsonl", content), label)
    for name in SQL:
        quoted = '"' + name.replace('"', '""') + '"'
        yield Case(f"column {name}", named("v.csv", f"c,{quoted},b\n{ROWS}"), label)
    for name in SQL:
        made = lambda folder, name=name: named(  # noqa: E731
            "v.parquet", parquet(**{name: ["spam", "ham"], "b": ["ham", "ham"]})
        )(folder)
        yield Case(f"column of Parquet {name}", made, label)
    for name in FILES:
        yield Case(f"file {name}", among_decoys(name, GOOD), label)
        bad = among_decoys(name, "a,b\nham,2,3\n")
        yield Case(f"bad file {name}", bad, label, "refused")
    for name, (at, value) in FOOTERS.items():
        yield Case(f"Parquet: {name}", bend_parquet(at, value), label)
    odd: dict[str, Callable[[Path], object]] = {
        "a pipe": os.mkfifo,
        "a folder": Path.mkdir,
        "a link to /dev/zero": lambda p: p.symlink_to("/dev/zero"),
        "a link to itself": lambda p: p.symlink_to(p.name),
        "a link to nothing": lambda p: p.symlink_to("nowhere"),
    }
    for name, build in odd.items():
        yield Case(f"the table is {name}", odd_file(build), label, "refused")


SURFACE = Surface(
    "tables",
    "A table is refused in a line, or labelled; no name is run as SQL or as a pattern",
    list_cases,
)
