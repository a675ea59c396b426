"""Records in files: a JSON list, or JSON lines, in a file, a folder or a zip."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any, TypeAlias
from zipfile import ZipFile

from corral.errors import CorralError, StorageError
from corral.progress import progress
from corral.storage import atomic_write, find_files, reading

Record: TypeAlias = dict[str, Any]
Places: TypeAlias = Sequence[tuple[PurePath, Record]]
"""Records, each with its file."""
ENDINGS = (".json", ".jsonl", ".ndjson")
UNKNOWN_FORM = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What records of another form than a tool writes lead to."""
LOG, LOG_PARTS = ".eval", ("header.json", "_journal/start.json", "samples/")
"""A log of Inspect is a zip; the parts of it that are read, the first one first."""


def read_records(path: str | PathLike[str]) -> Iterator[tuple[PurePath, str, Record]]:
    """Read records one by one: the file, the place in words, the record.

    The path names a file, a folder, a zip or a pattern of files.
    """
    empty = True
    for name, open_file in _find_files(Path(path)):
        with (
            reading(str(name), "JSON objects: a list of them, or one per line,"),
            open_file() as file,
            progress(f"reading {name.name}", None, "records") as bar,
        ):
            for place, record in _parse(file):
                if not isinstance(record, dict):
                    raise StorageError(
                        f"expected an object as {place}, found {record!r:.80}."
                    )
                empty = False
                bar.advance()
                yield name, f"{place} of {name.name!r}", record
    if empty:
        raise StorageError(f"{str(path)!r} holds no records.")


def _find_files(path: Path) -> Iterator[tuple[PurePath, Callable[[], Any]]]:
    for file in find_files(path):
        kind = file.suffix.lower()
        if kind not in (".zip", LOG):
            if not path.is_dir() or _holds_records(file.name):
                yield file, partial(open, file, "rb")
            continue
        with suppress(ImportError):  # comes with Inspect; Python has it from 3.14 on
            import_module("zipfile_zstd")
        with reading(file, "a zip of JSON files"), ZipFile(file) as archive:
            names = list(filter(_holds_records, archive.namelist()))
            if kind == LOG:
                names = [name for part in LOG_PARTS for name in names if part in name]
            for name in names:  # all parts of a log have its name
                place = file if kind == LOG else file / name
                yield place, partial(_open_part, archive, name)


def _open_part(archive: ZipFile, name: str) -> Any:
    try:
        return archive.open(name)
    except NotImplementedError as error:
        raise StorageError(
            "its parts are compressed with zstd. Install what reads them, `pip install "
            "zipfile-zstd`, or have Inspect write JSON: `inspect log convert --to json`."
        ) from error


def _holds_records(name: str) -> bool:
    place = PurePath(name)  # an operating system hides its notes
    return place.suffix.lower() in ENDINGS and not place.name.startswith(".")


def _parse(file: Any) -> Iterator[tuple[str, Any]]:
    """Every record with its place; a file of lines is never in memory as a whole."""
    with io.TextIOWrapper(file, "utf-8-sig", newline="\n") as lines:
        is_first = True
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            try:
                found = json.loads(line)
            except json.JSONDecodeError as error:
                if not is_first:
                    raise StorageError(
                        f"line {number:,} is not JSON: {error.msg}."
                    ) from error
                found = json.loads(line + lines.read())
            if is_first and isinstance(found, list):
                for at, record in enumerate(found, 1):
                    yield f"record {at}", record
            else:
                yield f"line {number}", found
            is_first = False


def load_tool(module: str) -> ModuleType:
    """The module of a tool; its ``knows`` says whether a record is of this tool."""
    return import_module(f"corral.exchange.{module}")


def find_tool(tools: Mapping[str, str], record: Record) -> str | None:
    """The first of the tools, by name, that a record looks like."""
    for name, module in tools.items():
        with suppress(*UNKNOWN_FORM):  # then it is a record of something else
            if load_tool(module).knows(record):
                return name
    return None


@contextmanager
def expecting(tool: str, path: str | PathLike[str]) -> Iterator[None]:
    """Say in one error that records are not as the tool writes them."""
    try:
        yield
    except CorralError:
        raise
    except UNKNOWN_FORM as error:
        raise StorageError(
            f"{str(path)!r} was read as a file of {tool}, but something is missing or of "
            f"another type: {type(error).__name__}: {error!s:.200}."
        ) from error


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write records as JSON lines, or as a list if the file is a ``.json``."""
    rows = map(json.dumps, records)
    is_list = path.suffix.lower() == ".json"
    text = "[\n" + ",\n".join(rows) + "\n]" if is_list else "\n".join(rows)
    with atomic_write(path, overwrite=True) as temporary:
        temporary.write_text(f"{text}\n", "ascii", newline="\n")
