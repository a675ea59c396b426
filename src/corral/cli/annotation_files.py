"""Files of annotation tools in the place of a table of votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corral.cli.shell import Shell
from corral.cli.streams import TOOLS
from corral.errors import ParameterError

OF_TOOLS = ("question", "predictions")
"""Options that say how such a file is read."""
OF_TABLES = (
    *("signals", "id", "task", "worker", "label"),
    *("probabilities", "columns", "bins", "normalise", "separator"),
)
"""Options that say how a table is read, and nothing of such a file."""
NO_TABLES = (".json", ".zip", ".arrow")
"""How files end that are no table of votes."""


@contextmanager
def spool_annotations(
    path: str, reading: Mapping[str, Any], shell: Shell
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path of a table of votes, and how to read it.

    That of a tool is read, kept as ``shell.annotations``, and spooled as a table with one
    vote per row: task, worker, label, known, text. Any other path stays as it is.

    Parameters
    ----------
    path : str
    reading : mapping
        All options that say how votes are read.
    shell : Shell
    """
    table = {name: value for name, value in reading.items() if name not in OF_TOOLS}
    asked = {name: reading[name] for name in OF_TOOLS if reading[name]}
    told = [name for name in OF_TABLES if reading[name]]
    if not _is_of_tool(path, shell.kind, bool(told)):
        if asked:
            raise ParameterError(
                "is for files of annotation tools, which this is not. If it is one, "
                f"say so with --format: {', '.join(TOOLS)}.",
                parameter=next(iter(asked)),
            )
        yield path, table
        return
    from corral.cli.reading import split_names

    if shell.kind == "datasets" and "signals" in told:  # the one tool with columns
        told.remove("signals")
        asked["signals"] = [n for item in reading["signals"] for n in split_names(item)]
    if told:
        raise ParameterError(
            "is for tables of votes, not for files of annotation tools; "
            "`format=`, `question=` and `predictions=` are for those.",
            parameter=told[0],
        )
    from corral.exchange import read_annotations
    from corral.exchange.records import write_records

    named = shell.kind if shell.kind in TOOLS else None
    classes = split_names(reading["classes"] or "") or None
    silent = reading["abstain"]
    with shell.work():
        found = read_annotations(path, named, classes=classes, abstain=silent, **asked)
    shell.annotations = found
    shell.say(str(found))
    with TemporaryDirectory(prefix="corral-") as folder:
        place = Path(folder, f"{Path(path).stem}.jsonl")
        write_records(place, found.to_long(), lines=True)
        classes = list(map(str, found.signals.classes.tolist()))
        columns = {name: name for name in ("task", "worker", "label")}
        how = {**table, **columns, "classes": classes, "abstain": None, "signals": None}
        yield str(place), how


def _is_of_tool(path: str, kind: str, told: bool) -> bool:
    """Whether to read a path as a file of a tool: said so, or it looks like one."""
    if kind in TOOLS:
        return True
    place = Path(path)
    may_be_table = place.is_dir() or place.suffix.lower() in (".jsonl", ".ndjson")
    if may_be_table and told:
        return False
    if not may_be_table and place.suffix.lower() not in NO_TABLES:
        return False
    from corral.exchange import recognise

    return place.exists() and recognise(place) is not None
