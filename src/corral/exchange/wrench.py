"""Folders of the WRENCH benchmark: votes and texts in, and out again with soft labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from corral.datasets import PARTS, read_wrench
from corral.errors import ParameterError, StorageError
from corral.exchange.annotations import Annotations, AnswerSheet, Record
from corral.exchange.json_records import encode_json
from corral.exchange.tool import Answered, Wanted
from corral.storage import atomic_write

NAME = "wrench"
EXPECTED = "a folder of WRENCH, with label.json and train.json,"


def knows_folder(path: Path) -> bool:
    """Whether a folder is one of WRENCH."""
    return (path / "label.json").exists() and (path / "train.json").exists()


def collect(path: Path, sheet: AnswerSheet, wanted: Wanted) -> Answered:
    """Note the votes of one part; its true labels are known ones."""
    wanted.refuse_other("WRENCH", "split")
    if not knows_folder(path):
        raise StorageError(
            "expected a folder of WRENCH, with label.json and train.json."
        )
    part = wanted.split or PARTS[0]
    read = read_wrench(path)
    examples = getattr(read, part, None) if part in PARTS else None
    if examples is None or examples.signals is None:
        there = [each for each in PARTS if getattr(read, each) is not None]
        raise ParameterError(
            f"must be one of {', '.join(map(repr, there))}; {part!r} was given.",
            parameter="split",
        )
    entries: dict[str, Record] = json.loads((path / f"{part}.json").read_text("utf-8"))
    for name, entry in entries.items():
        sheet.add_example([name], entry, entry["data"].get("text"))
    signals = examples.signals
    for name in signals.names:
        sheet.add_signal(name)
    for row, column, vote in zip(*signals.cells(), strict=True):
        sheet.add_vote(int(row), signals.names[column], read.classes[vote])
    for at, value in enumerate(examples.labels.tolist()):
        if value is not None:
            sheet.add_known(at, value)
    return Answered(classes=read.classes)


def write(path: Path, found: Annotations, soft: Any) -> None:
    """Write a folder with train.json and label.json.

    Parameters
    ----------
    path : path
        A folder, which must not be there.
    found : Annotations
    soft : (n, k) array or None
        Labels, written as ``soft_label``, which WRENCH leaves alone.
    """
    classes = found.signals.classes.tolist()
    code = {value: at for at, value in enumerate(classes)} | {None: -1}
    rows = [[-1] * found.signals.n_signals for _ in range(len(found))]
    for row, column, vote in zip(*found.signals.cells(), strict=True):
        rows[row][column] = int(vote)
    entries: Record = {}
    for at, name in enumerate(found.ids.tolist()):
        entry = {
            "label": code[found.known[at]],
            "weak_labels": rows[at],
            "data": _data(found, at),
        }
        entries[str(name)] = entry
        if soft is not None:
            entry["soft_label"] = soft[at].tolist()
    with atomic_write(path, folder=True) as temporary:
        names = {str(at): str(value) for at, value in enumerate(classes)}
        (temporary / "label.json").write_bytes(encode_json(names))
        (temporary / "train.json").write_bytes(encode_json(entries))


def _data(found: Annotations, at: int) -> Record:
    """The text, or the features that a folder of WRENCH had."""
    if found.format == NAME:
        return dict(found.records[at]["data"])
    if found.texts is None:
        return {}
    return {"text": found.texts[at]}
