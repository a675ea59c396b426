"""Zips and gzips that escape, explode or lie, wherever corral opens one."""

from __future__ import annotations

import gzip
import io
import json
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from corral import read_annotations, read_judges
from corral.features import open_vectors
from corral.labelers import Labeler
from corral.storage.archive import HEADER
from reliability.hostile.cases import Case, Surface, call
from reliability.hostile.models import as_header, parts_of

BOMB = 1 << 32
PIECE = 1 << 24
RECORD = b'{"text": "a", "label": ["pos"]}\n'
USES: dict[str, Callable[[Path], object]] = {
    "model": Labeler.load,
    "annotations": lambda path: read_annotations(path, "doccano"),
    "vectors": lambda path: open_vectors(path, path.parent / "cache"),
}
ENDINGS = {"model": "a.corral", "annotations": "a.zip", "vectors": "a.zip"}


def inside(kind: str) -> list[tuple[str, bytes]]:
    """The entries of a good archive of a kind."""
    if kind == "model":
        header, entries = parts_of("majority vote")
        raw = as_header(json.dumps(header).encode())
        return [(f"{HEADER}.npy", raw), *entries.items()]
    if kind == "annotations":
        return [("alice.jsonl", RECORD * 3), ("bob.jsonl", RECORD * 3)]
    return [("vectors.txt", b"good 1 0\nbad -1 0\n")]


def repeat(pattern: bytes, times: int) -> tuple[bytes, int]:
    """A deflated stream of a piece so many times, and the CRC of all of it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(pattern) + packer.flush(zlib.Z_FULL_FLUSH)
    crc = 0
    for _ in range(min(times, 4)):  # a wrong sum is only found at the end
        crc = zlib.crc32(pattern, crc)
    return piece * times + packer.flush(), crc


def bomb(entry: str, pattern: bytes, said: int | None = None) -> Callable[[Any], None]:
    """Four gigabytes in an entry that says how long it is, or that says something else."""

    def add(archive: zipfile.ZipFile) -> None:
        raw = (pattern * (PIECE // len(pattern) + 1))[:PIECE]
        content, crc = repeat(raw, BOMB // PIECE)
        archive.writestr(zipfile.ZipInfo(entry), content)
        info = archive.getinfo(entry)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.CRC, info.file_size = crc, BOMB if said is None else said

    return add


def quine_like(archive: zipfile.ZipFile) -> None:
    """Zips in zips, ten of each."""
    content = b"0" * 100_000
    for depth in range(5):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as inner:
            for at in range(10):
                inner.writestr(f"{depth}_{at}.zip", content)
        content = stream.getvalue()
    archive.writestr("nested.zip", content)
    archive.writestr("nested.json", content)


def link(archive: zipfile.ZipFile) -> None:
    """An entry that says it is a symbolic link."""
    info = zipfile.ZipInfo("link.jsonl")
    info.external_attr = 0o120777 << 16
    archive.writestr(info, "/etc/passwd")


def overlap(archive: zipfile.ZipFile) -> None:
    """A hundred entries that share one piece of the file."""
    archive.writestr("first.jsonl", RECORD * 100_000, zipfile.ZIP_DEFLATED)
    first = archive.getinfo("first.jsonl")
    for at in range(100):
        info = zipfile.ZipInfo(f"again{at}.jsonl")
        for field in ("header_offset", "compress_size", "file_size", "CRC"):
            setattr(info, field, getattr(first, field))
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.filelist.append(info)
        archive.NameToInfo[info.filename] = info


def many(archive: zipfile.ZipFile) -> None:
    """More entries than anybody has."""
    for at in range(20_000):
        archive.writestr(f"{at}.json", b"")


def named(*names: str) -> Callable[[Any], None]:
    """Entries of hostile names."""

    def add(archive: zipfile.ZipFile) -> None:
        for name in names:
            archive.writestr(name, RECORD)

    return add


ADDED: dict[str, Callable[[Any], None]] = {
    "a name that climbs out": named("../../canary.txt", "../canary.jsonl"),
    "a name that climbs out, for Windows": named("..\\..\\canary.jsonl", "C:\\x.jsonl"),
    "an absolute name": named("/tmp/corral_pwned.jsonl", "//tmp/x.jsonl"),
    "a name with NUL": named("a\x00.jsonl"),
    "a name with colour for a terminal": named("\x1b]0;x\x07\u202e.jsonl"),
    "a name of 60,000 characters": named("x" * 60_000 + ".jsonl"),
    "a device": named("/dev/zero.json", "CON.jsonl"),
    "a symbolic link": link,
    "zips in zips": quine_like,
    "entries that overlap": overlap,
    "many entries": many,
    "4 GB of zeros": bomb("zeros.json", b"\0"),
    "4 GB of zeros that say 10": bomb("zeros.jsonl", b"\0", 10),
    "4 GB of one line": bomb("line.jsonl", b"a"),
    "4 GB of brackets that say 10": bomb("deep.json", b"[", 10),
    "4 GB of records": bomb("records.jsonl", RECORD),
    "4 GB of records that say 10": bomb("records.jsonl", RECORD, 10),
}


def damage_crc(raw: bytes) -> bytes:
    """Another sum in the directory."""
    at = raw.rindex(b"PK\x01\x02") + 16
    return raw[:at] + b"\xde\xad\xbe\xef" + raw[at + 4 :]


def lie_about_size(size: int) -> Callable[[bytes], bytes]:
    """Another size, unpacked, in the directory."""

    def change(raw: bytes) -> bytes:
        at = raw.rindex(b"PK\x01\x02") + 24
        return raw[:at] + struct.pack("<I", size) + raw[at + 4 :]

    return change


def move(raw: bytes) -> bytes:
    """An entry that is said to lie beyond the end."""
    at = raw.rindex(b"PK\x01\x02") + 42
    return raw[:at] + b"\xff\xff\xff\x7f" + raw[at + 4 :]


def encrypt(raw: bytes) -> bytes:
    """An entry that is said to be encrypted."""
    at = raw.rindex(b"PK\x01\x02") + 8
    return raw[:at] + bytes([raw[at] | 1]) + raw[at + 1 :]


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "a wrong sum": damage_crc,
    "4 GB declared": lie_about_size(0xFFFFFFF0),
    "no size declared": lie_about_size(0),
    "an entry beyond the end": move,
    "an encrypted entry": encrypt,
    "the end is missing": lambda raw: raw[: len(raw) // 2],
    "the beginning is missing": lambda raw: raw[40:],
    "a script in front": lambda raw: b"#!/bin/sh\ntouch pwned\n" + raw,
    "two archives": lambda raw: raw + raw,
    "a long comment": lambda raw: raw[:-2] + b"\xff\xff" + b"x" * 65535,
    "nothing": lambda _: b"",
    "a pickle": lambda _: b"\x80\x04cposix\nsystem\n.",
    "nothing but an end": lambda _: b"PK\x05\x06" + bytes(18),
    "a directory of 65,535 entries": lambda _: (
        b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 65535, 65535, 0xFFFFFFF, 0, 0)
    ),
}


def make_zip(
    kind: str,
    add: Callable[[Any], None] | None = None,
    change: Callable[[bytes], bytes] | None = None,
    method: int = zipfile.ZIP_DEFLATED,
    *,
    twice: bool = False,
) -> Callable[[Path], Path]:
    """A `Case.make` of an archive with more in it than should be, or damaged."""

    def make(folder: Path) -> Path:
        path = folder / ENDINGS[kind]
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w", method) as archive:
            warnings.simplefilter("ignore")  # a name that is there twice
            for name, content in inside(kind) * (2 if twice else 1):
                archive.writestr(name, content)
            if add is not None:
                add(archive)
        if change is not None:
            path.write_bytes(change(path.read_bytes()))
        return path

    return make


def make_gzip(name: str, pattern: bytes, size: int = 1 << 30) -> Callable[[Path], Path]:
    """A `Case.make` of a gigabyte in a megabyte, behind some good lines."""

    def make(folder: Path) -> Path:
        raw = (pattern * (PIECE // len(pattern) + 1))[
            : PIECE // len(pattern) * len(pattern)
        ]
        content, _ = repeat(raw, size // len(raw))
        path = folder / name
        head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
        path.write_bytes(head + content + bytes(8))
        return path

    return make


def vectors_of(path: Path) -> None:
    """Open word vectors."""
    open_vectors(path, path.parent / "cache")


def label_table(path: Path) -> None:
    """Label a table by the command line."""
    call(path.parent, "label", path.name, "-o", "out.csv")


GZIPS: dict[str, tuple[str, bytes, Callable[[Path], object]]] = {
    "votes, a gigabyte of zeros": ("v.csv.gz", b"\0", label_table),
    "votes, a gigabyte in one line": ("v.csv.gz", b"a", label_table),
    "votes, a gigabyte of commas": ("v.csv.gz", b"a,", label_table),
    "votes, a gigabyte of empty lines": ("v.csv.gz", b"\n", label_table),
    "votes, a gigabyte in quotes": ("v.csv.gz", b'"', label_table),
    "JSON lines, a gigabyte of brackets": ("v.jsonl.gz", b"[", label_table),
    "JSON lines, a gigabyte of zeros": ("v.jsonl.gz", b"\0", label_table),
    "judges, a gigabyte in one line": ("j.jsonl.gz", b"a", read_judges),
    "judges, a gigabyte of brackets": ("j.jsonl.gz", b"[", read_judges),
    "judges, a gigabyte of empty lines": ("j.jsonl.gz", b" \n", read_judges),
    "vectors, a gigabyte in one line": ("w.txt.gz", b"a", vectors_of),
    "vectors, a gigabyte of blanks": ("w.txt.gz", b"a ", vectors_of),
    "vectors, a gigabyte of empty lines": ("w.txt.gz", b"\n", vectors_of),
}


def truncated_gzip(name: str) -> Callable[[Path], Path]:
    """A `Case.make` of a gzip that ends too early, with rubbish behind."""

    def make(folder: Path) -> Path:
        raw = gzip.compress(b"a,b\n1,0\n0,1\n" * 1000)
        (folder / name).write_bytes(raw[: len(raw) // 2] + b"\xff" * 100)
        return folder / name

    return make


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    for kind, use in USES.items():
        for name, add in ADDED.items():
            yield Case(f"{kind}: {name}", make_zip(kind, add), use)
        for name, change in DAMAGED.items():
            yield Case(f"{kind}: {name}", make_zip(kind, change=change), use)
        yield Case(f"{kind}: every entry twice", make_zip(kind, twice=True), use)
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            yield Case(
                f"{kind}: packed by {method}", make_zip(kind, method=method), use
            )
    for name, (file, pattern, use) in GZIPS.items():
        yield Case(name, make_gzip(file, pattern), use, "refused")
    for file, use in (("v.csv.gz", label_table), ("w.txt.gz", vectors_of)):
        yield Case(f"{file}: ends too early", truncated_gzip(file), use, "refused")


SURFACE = Surface(
    "archives",
    "A zip or gzip is refused before it takes memory, and nothing is unpacked to disk",
    list_cases,
)
