"""Records in files: JSON, JSON lines, and folders or archives of these."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any
from zipfile import ZipFile

from corral.datasets import reading
from corral.errors import StorageError
from corral.exchange.annotations import Record
from corral.progress import progress
from corral.storage import atomic_write

ENDINGS = (".json", ".jsonl", ".ndjson")
LINE_BREAKS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}
"""All that end a line for Python, but not for JSON."""
EXPECTED = "JSON objects: a list of them, or one per line,"


def read_records(path: Path) -> list[tuple[str, Record]]:
    """The records of a file, and the name of the file that each is from.

    Parameters
    ----------
    path : path
        A file, or a folder or zip of files, of JSON or JSON lines.
    """
    found: list[tuple[str, Record]] = []
    for name, data in _files(path):
        with reading(name, EXPECTED):
            records = parse_records(data.decode(json.detect_encoding(data)))
        stem = Path(name).stem
        found += [(stem, record) for record in records]
    if not found:
        raise StorageError(f"{str(path)!r} holds no records.")
    return found


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        places = files_in(path)
        with progress(f"reading {path.name}", len(places), "files") as bar:
            for place in places:
                yield str(place), place.read_bytes()
                bar.advance()
    elif path.suffix.lower() == ".zip":
        with _opened(path) as archive:
            for name in filter(_holds_records, archive.namelist()):
                yield f"{path}/{name}", archive.read(name)
    else:
        yield str(path), path.read_bytes()


def files_in(folder: Path) -> list[Path]:
    """The files of a folder that hold records, in the order of their names."""
    return [place for place in sorted(folder.iterdir()) if _holds_records(place.name)]


def _holds_records(name: str) -> bool:
    """Whether to read a file; hidden ones are notes of an operating system."""
    place = PurePath(name)
    return place.suffix.lower() in ENDINGS and not place.name.startswith(".")


@contextmanager
def _opened(path: Path) -> Iterator[ZipFile]:
    with reading(path, "a zip of JSON files"), ZipFile(path) as archive:
        yield archive


def parse_records(text: str) -> list[Record]:
    """The objects of a text: a list of them, one by itself, or one per line."""
    start = text.lstrip()[:1]
    if not start:
        return []
    if start == "[":
        records = json.loads(text)
    else:
        try:
            records = [json.loads(text)]
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            records = [_parse_line(i, line) for i, line in _lines(text)]
    for record in records:
        if not isinstance(record, dict):
            raise StorageError(f"expected an object per example, found {record!r:.80}.")
    return list(records)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Only \n ends a line: texts may hold other characters that splitlines() splits at.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def _parse_line(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise StorageError(
            f"line {number:,} is no JSON: {error.msg} at character {error.pos:,}."
        ) from error


def first_record(path: Path) -> Record | None:
    """The first record of a file of which only the beginning is read; None if unclear."""
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        return None
    with path.open("rb") as file:
        try:
            record = json.loads(file.readline().decode("utf-8-sig"))
        except (ValueError, RecursionError):  # the latter if it is nested deeply
            return None
    return record if isinstance(record, dict) else None


def write_records(path: Path, records: Sequence[Record], *, lines: bool) -> None:
    """Write records as JSON lines, or as a list with one line each; all or nothing."""
    with (
        atomic_write(path, overwrite=True) as temporary,
        temporary.open("wb") as file,
        progress(f"writing {path.name}", len(records), "records") as bar,
    ):
        for number, record in enumerate(records):
            begin = b"" if lines else (b",\n" if number else b"[\n")
            file.write(begin + encode_json(record) + (b"\n" if lines else b""))
            bar.advance()
        if not lines:
            file.write(b"\n]\n")


def encode_json(value: Any) -> bytes:
    """JSON, readable in any language.

    Escaped are half characters, which no text may hold, and characters at which some
    readers break lines.
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        return text.translate(LINE_BREAKS).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()
