"""Records in files: a JSON list, or JSON lines, in a file, a folder or an archive."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path, PurePath
from typing import Any, TypeAlias
from zipfile import ZipFile

from corral.errors import StorageError
from corral.progress import progress
from corral.storage import atomic_write, find_files, reading

Record: TypeAlias = dict[str, Any]
ENDINGS = (".json", ".jsonl", ".ndjson")
LINE_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}
"""Characters that end a line for Python, but not for JSON."""


def read_records(path: str | PathLike[str]) -> Iterator[tuple[str, str, Record]]:
    """Read records one by one: the stem of the file, the place in words, the record.

    Parameters
    ----------
    path : path
        A file, perhaps with the ending ``.gz``; a pattern of files; a folder or a zip.
    """
    empty = True
    for name, open_file in _find_files(Path(path)):
        short = PurePath(name.removesuffix(".gz"))
        with (
            reading(name, "JSON objects: a list of them, or one per line,"),
            open_file() as file,
            progress(f"reading {short.name}", None, "records") as bar,
        ):
            for place, record in _parse(file):
                if not isinstance(record, dict):
                    raise StorageError(
                        f"expected an object as {place}, found {record!r:.80}."
                    )
                empty = False
                bar.advance()
                yield short.stem, f"{place} of {PurePath(name).name!r}", record
    if empty:
        raise StorageError(f"{str(path)!r} holds no records.")


def _find_files(path: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    if path.suffix.lower() == ".zip" and path.is_file():
        with reading(path, "a zip of JSON files"), ZipFile(path) as archive:
            for name in filter(_holds_records, archive.namelist()):
                yield f"{path}/{name}", partial(archive.open, name)
        return
    files = find_files(path) if not path.is_dir() else sorted(path.iterdir())
    for file in files:
        if not path.is_dir() or _holds_records(file.name):
            zipped = file.suffix.lower() == ".gz"
            yield str(file), partial(gzip.open if zipped else open, file, "rb")


def _holds_records(name: str) -> bool:
    place = PurePath(name.removesuffix(".gz"))
    hidden = place.name.startswith(".")  # notes of an operating system
    return place.suffix.lower() in ENDINGS and not hidden


def _parse(file: Any) -> Iterator[tuple[str, Any]]:
    """Every record with its place; a file of lines is never in memory as a whole."""
    code = json.detect_encoding(file.peek(4)[:4])
    with io.TextIOWrapper(file, code, newline="\n") as lines:
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


def write_records(path: Path, records: Sequence[Record]) -> None:
    """Write records as JSON lines, or as a list if the file is a ``.json``."""
    begin, between, end = b"", b"\n", b"\n"
    if path.suffix.lower() == ".json":
        begin, between, end = b"[\n", b",\n", b"\n]\n"
    with (
        atomic_write(path, overwrite=True) as temporary,
        temporary.open("wb") as file,
        progress(f"writing {path.name}", len(records), "records") as bar,
    ):
        for record in records:
            file.write(begin + encode_json(record))
            begin = between
            bar.advance()
        file.write(end)


def encode_json(value: Any) -> bytes:
    """JSON, readable in any language; half characters and line breaks are escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        return text.translate(LINE_BREAKS).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def require(record: Any, key: str, kind: type = object) -> Any:
    """A field of a record; refused if it is missing or of another type."""
    there = isinstance(record, dict) and key in record
    if not there or not isinstance(record[key], kind):
        raise StorageError(f"expected {key!r} ({kind.__name__}), found {record!r:.90}.")
    return record[key]


def require_objects(record: Record, *keys: str) -> list[Record]:
    """The objects in a list, under the first of the keys that is there; [] without it."""
    key = next((key for key in keys if record.get(key) is not None), None)
    found: list[Record] = [] if key is None else require(record, key, list)
    odd = next((each for each in found if not isinstance(each, dict)), None)
    if odd is not None:
        raise StorageError(f"expected objects in {key!r}, found {odd!r:.80}.")
    return found
