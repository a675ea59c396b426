"""The tools, and which of them a file is from."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from corral.errors import StorageError
from corral.exchange import hugging_face, wrench
from corral.exchange.annotations import Record
from corral.exchange.argilla import ARGILLA
from corral.exchange.doccano import DOCCANO
from corral.exchange.json_records import ENDINGS, files_in, first_record, read_records
from corral.exchange.label_studio import LABEL_STUDIO
from corral.exchange.prodigy import PRODIGY
from corral.exchange.tool import Records

JSON_TOOLS = {t.name: t for t in (LABEL_STUDIO, ARGILLA, PRODIGY, DOCCANO)}
"""In the order in which they are tried: doccano's records have no mark of their own."""
FOLDERS = {
    hugging_face.NAME: hugging_face.knows_folder,
    wrench.NAME: wrench.knows_folder,
}
TOOLS = (*JSON_TOOLS, *FOLDERS)
MOST_KEYS = 10
"""Of a record, that a message names."""


def expected_in(name: str) -> str:
    """What files of a tool hold, in a few words."""
    if name == hugging_face.NAME:
        return hugging_face.EXPECTED
    return wrench.EXPECTED if name == wrench.NAME else JSON_TOOLS[name].expected


def recognise(path: str | PathLike[str]) -> str | None:
    """The tool that a file or folder looks like, by its name and beginning.

    None where it may as well be a table of votes. A ``.json`` is always of a tool, though
    it may take to read it to say of which: then this is ``"json"``.
    """
    place = Path(path)
    for name, knows in FOLDERS.items():
        if knows(place):
            return name
    if place.suffix.lower() in (".json", ".zip"):
        return "json"
    if place.is_dir():
        place = next(iter(files_in(place)), place)
    first = first_record(place) if place.is_file() else None
    return None if first is None else _tool_of(first)


def _tool_of(record: Record) -> str | None:
    return next((t.name for t in JSON_TOOLS.values() if t.knows(record)), None)


def _listed(record: Record) -> str:
    """The keys of a record, as far as they fit into a line."""
    keys = [f"{key!r:.40}" for key in record]
    more = ", ..." if len(keys) > MOST_KEYS else ""
    return f"the keys {', '.join(keys[:MOST_KEYS])}{more}" if keys else "no keys"


def find_tool(place: Path, format: str | None) -> tuple[str, Records]:
    """The tool that wrote a file, and its records, where these are JSON."""
    name = next((each for each, knows in FOLDERS.items() if knows(place)), None)
    if format in FOLDERS or (format is None and name is not None):
        return str(format or name), ()
    if not place.is_dir() and place.suffix.lower() not in (*ENDINGS, ".zip"):
        raise StorageError(
            f"cannot tell what kind of file {place.name!r} is; annotations are in "
            f"{', '.join(ENDINGS)}, in a .zip of these, or in a folder."
        )
    records = read_records(place)
    first = records[0][1]
    looks = _tool_of(first)
    if format is not None and looks is not None and not JSON_TOOLS[format].knows(first):
        raise StorageError(
            f"{str(place)!r} is of {looks}, by the look of its first record; "
            f"`format=` says {format}."
        )
    found = format or looks
    if found is None:
        raise StorageError(
            f"{str(place)!r} is of no tool that corral knows: its first record has "
            f"{_listed(first)}. Say which with `format=`: "
            f"{', '.join(TOOLS)}. Of WRENCH, give the folder."
        )
    return found, records
