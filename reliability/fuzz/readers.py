"""What reads files of others, as functions of bytes, and files to begin with."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import corral
from corral.labelers import Labeler
from reliability.fuzz.json_edits import as_lines
from reliability.fuzz.on_answers import EXPORTS, LINES
from reliability.fuzz.on_files import VOTES, model_file, table_file
from reliability.fuzz.on_labelers import assert_probabilities
from reliability.fuzz.on_workbench import ROWS, kept, opened, written_project
from reliability.fuzz.properties import must_work


@dataclass(frozen=True)
class Reader:
    """Something that reads a file.

    Attributes
    ----------
    says : str
        What it reads, in words.
    file : str
        What the file is called.
    read : callable
        Takes a folder with that file; raises `CorralError` for what it refuses.
    seeds : callable
        Gives files that are read, to begin with.
    """

    says: str
    file: str
    read: Callable[[Path], Any]
    seeds: Callable[[], list[bytes]]

    def run(self, data: bytes) -> None:
        """Read these bytes from a file of their own."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / self.file).write_bytes(data)
            self.read(folder)


def read_model(folder: Path) -> None:
    """Load a model and label by it."""
    labeler = Labeler.load(folder / "a.corral")
    # A model of another number of signals or of other classes refuses these votes.
    labels = labeler.predict_proba(VOTES)
    assert_probabilities(labels, len(VOTES), labels.shape[1])


def read_project(folder: Path) -> None:
    """Open a project of the workbench."""
    (folder / "rows.csv").write_text(ROWS)
    with opened(folder) as bench, must_work():
        kept(bench)


def read_options(folder: Path) -> None:
    """Run a command with options from a file; what it does not refuse, it raises."""
    from corral.cli.app import app

    (folder / "votes.csv").write_bytes(table_file("csv"))
    unseen, options = StringIO(), str(folder / "options.toml")
    # Unlike `main`, which words them for a terminal, `app` lets all errors through.
    with redirect_stdout(unseen), redirect_stderr(unseen), suppress(SystemExit):
        app(["inspect", str(folder / "votes.csv"), "--config", options])


def read_vectors(folder: Path) -> None:
    """Open word vectors, and look at every one."""
    from corral.features import open_vectors

    found = open_vectors(folder / "vectors.txt", cache=folder / "cache")
    for at in found.words.values():
        assert found.vectors[at].shape == found.vectors.shape[1:]


def label_table(folder: Path) -> None:
    """Label a table."""
    (path,) = folder.iterdir()
    corral.label(path, id="id", output=folder / "labels.parquet", error_rates=0.2)


def _json(rows: Any) -> bytes:
    return json.dumps(rows).encode()


OPTIONS = b'id = "id"\nsignals = ["a", "b"]\nclasses = "0,1"\nabstain = -1\n'
READERS = {
    "model": Reader(
        "models (`.corral`)",
        "a.corral",
        read_model,
        lambda: [model_file(name) for name in ("default", "majority vote", "MeTaL")],
    ),
    "project": Reader(
        "projects of the workbench",
        "rows.corral.json",
        read_project,
        lambda: [_json(written_project())],
    ),
    "options": Reader(
        "files of options (TOML)", "options.toml", read_options, lambda: [OPTIONS]
    ),
    "csv": Reader("CSV", "votes.csv", label_table, lambda: [table_file("csv")]),
    "jsonl": Reader(
        "JSON lines", "votes.jsonl", label_table, lambda: [table_file("jsonl")]
    ),
    "parquet": Reader(
        "Parquet", "votes.parquet", label_table, lambda: [table_file("parquet")]
    ),
    "annotations": Reader(
        "files of annotation tools",
        "export.json",
        lambda folder: corral.read_annotations(folder / "export.json"),
        lambda: [_json(rows) for rows in EXPORTS.values()],
    ),
    "judges": Reader(
        "answers of judges",
        "answers.jsonl",
        lambda folder: corral.read_judges(folder / "answers.jsonl"),
        lambda: [as_lines(LINES).encode(), *(as_lines(x).encode() for x in LINES)],
    ),
    "vectors": Reader(
        "word vectors",
        "vectors.txt",
        read_vectors,
        lambda: [b"2 2\ngood 1 0\nbad -1 0.5\n", b"film 0 1e-3 nan\n"],
    ),
}
"""By name."""
