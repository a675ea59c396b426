"""Folders of the WRENCH benchmark: votes and texts in, and out again with soft labels."""

from __future__ import annotations

import json
from pathlib import Path

from corral.datasets import PARTS, read_wrench
from corral.errors import ParameterError, StorageError
from corral.exchange.answers import Annotations, AnswerSheet, Labels, Tool, list_votes
from corral.exchange.records import Record, encode_json
from corral.storage import atomic_write


def _knows(path: Path) -> bool:
    return (path / "label.json").exists() and (path / "train.json").exists()


def collect(path: Path, sheet: AnswerSheet) -> None:
    """Note the votes of one part; its true labels are known ones."""
    if not _knows(path):
        raise StorageError(f"expected {WRENCH.expected[:-1]}.")
    part = sheet.options["split"] or PARTS[0]
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
    names = examples.signals.names
    for name in names:
        sheet.add_signal(name)
    for row, column, vote in list_votes(examples.signals):
        sheet.add_answer(row, names[column], [read.classes[vote]])
    for row, value in enumerate(examples.labels.tolist()):
        if value is not None:
            sheet.add_known(row, value)
    sheet.classes = read.classes


def write(
    path: Path,
    found: Annotations | None,
    texts: list[str] | None,
    labels: Labels | None,
) -> None:
    """Write a folder with train.json and label.json; WRENCH leaves ``soft_label`` alone."""
    if found is None:
        raise ParameterError("a folder of WRENCH has votes; these are texts only.")
    classes = found.signals.classes.tolist()
    code = {value: at for at, value in enumerate(classes)} | {None: -1}
    if labels is not None and set(labels.classes) != set(classes):
        raise ParameterError(
            f"votes and labels of WRENCH must have the same classes: {classes} and "
            f"{labels.classes}."
        )
    rows = found.signals.votes.tolist()
    entries: Record = {}
    for at, name in enumerate(found.ids.tolist()):
        data = {} if texts is None else {"text": texts[at]}
        if found.format == WRENCH.name:  # it may have features
            data = found.records[at]["data"]
        entry = {"label": code[found.known[at]], "weak_labels": rows[at], "data": data}
        if labels is not None:
            order = [labels.classes.index(value) for value in classes]
            entry["soft_label"] = labels.soft[at, order].tolist()
        entries[str(name)] = entry
    with atomic_write(path, folder=True) as temporary:
        names = {str(at): str(value) for at, value in enumerate(classes)}
        (temporary / "label.json").write_bytes(encode_json(names))
        (temporary / "train.json").write_bytes(encode_json(entries))


WRENCH = Tool(
    "wrench",
    "a folder of WRENCH, with label.json and train.json,",
    ("split",),
    _knows,
    collect,
    write=write,
)
