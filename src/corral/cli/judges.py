"""``--judges``: what judges wrote, as a table that every command reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corral.cli.annotation_files import OF_TOOLS
from corral.cli.reading import split_names
from corral.cli.shell import Shell
from corral.errors import ParameterError
from corral.exchange.judges import LAYOUT, name_column, read_judges
from corral.votes.frames import choose_columns

OF_OTHERS = ("probabilities", "columns", "normalise", "separator", *OF_TOOLS)
"""Options for tables and for files of annotation tools."""


@contextmanager
def spool_judges(
    votes: str, reading: Mapping[str, Any], pattern: str | None, shell: Shell
) -> Iterator[tuple[str, dict[str, Any]]]:
    """A table of the answers in a file, one row per example, and how to read it.

    What became of the answers is shown.

    Parameters
    ----------
    votes : str
        The file that judges wrote.
    reading : mapping
        Options, which mean what they mean for `corral.read_judges`; names of signals
        choose judges.
    pattern : str or None
    shell : Shell
    """
    for name in OF_OTHERS:
        if reading[name]:
            raise ParameterError(
                "is not for --judges: what judges wrote says itself what it is.",
                parameter=name,
            )
    fields = {name: reading[name] for name in ("task", "worker", "label")}
    with shell.work():
        read = read_judges(
            votes,
            **{name: field for name, field in fields.items() if field is not None},
            classes=_read_classes(reading["classes"]),
            pattern=pattern,
            abstain=reading["abstain"],
        )
    shell.say(f"{read}\n")
    shell.found["answers"] = read.to_dict()
    names = list(read.signals.names)
    if reading["signals"] is not None:
        chosen = [n for item in reading["signals"] for n in _names(item, names)]
        names = choose_columns(names, chosen)
    soft = not read.signals.is_hard
    by_class = soft and read.signals.n_label_columns > 1
    if by_class:
        values = read.signals.classes
        names = [name_column(name, value) for name in names for value in values]
    with TemporaryDirectory(prefix="corral-") as folder:
        place = Path(folder, f"{Path(votes).stem}.jsonl")
        read.write_lines(place)
        yield (
            str(place),
            dict.fromkeys(name for name in reading if name not in OF_TOOLS)
            | {
                "signals": names,
                "id": reading["id"] or [read.task],
                "probabilities": soft,
                "columns": (LAYOUT if by_class else "{signal}") if soft else None,
                "bins": reading["bins"] if soft else None,
                "classes": [str(c) for c in read.signals.classes],
                "normalise": False,
                "separator": None,
            },
        )


def _names(item: str, names: list[str]) -> list[str]:
    """Names with commas between; one that is a name with a comma stays whole."""
    return [item] if item in names else split_names(item)


def _read_classes(given: str | None) -> list[str] | list[int] | None:
    """Classes in order; whole numbers as numbers, as JSON has them."""
    named = split_names(given or "")
    if all(re.fullmatch(r"-?\d+", name) for name in named):
        return [int(name) for name in named] or None
    return named
