"""Damaged files: what is read from them is right, or they are refused."""

from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import corral
from corral.errors import CorralError
from corral.labelers import Labeler
from reliability.fuzz.labelers import LABELERS
from reliability.fuzz.on_labelers import assert_probabilities
from reliability.fuzz.properties import holds_for, must_work

VOTES = np.array(
    [[0, 1, -1], [1, 1, 0], [0, -1, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1]]
)

TIMES = 20
"""How often a model sees the votes, so that every labeler has enough to learn from."""


@cache
def model_file(name: str) -> bytes:
    """A model that was saved, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.corral"
        with must_work():
            LABELERS[name]().fit(np.tile(VOTES, (TIMES, 1))).save(path)
        return path.read_bytes()


@cache
def table_file(kind: str) -> bytes:
    """A table of votes, as bytes."""
    rows = [["id", "a", "b", "c"], *([i, *v] for i, v in enumerate(VOTES.tolist()))]
    if kind == "csv":
        return "\n".join(",".join(map(str, row)) for row in rows).encode()
    if kind == "jsonl":
        import json

        return "\n".join(
            json.dumps(dict(zip(rows[0], r, strict=True))) for r in rows[1:]
        ).encode()
    import pyarrow
    import pyarrow.parquet

    buffer = io.BytesIO()
    table = pyarrow.table(dict(zip(rows[0], np.array(rows[1:]).T, strict=True)))
    pyarrow.parquet.write_table(table, buffer)
    return buffer.getvalue()


@dataclass(frozen=True)
class Damage:
    """What is done to the bytes of a file.

    Attributes
    ----------
    how : str
        "cut", "flip", "insert", "overwrite", "repeat" or "replace".
    at : float
        Where, as a share of its length.
    bytes : bytes
    """

    how: str
    at: float
    bytes: bytes

    def apply(self, data: bytes) -> bytes:
        """The file after it."""
        at = min(int(self.at * len(data)), max(len(data) - 1, 0))
        if self.how == "cut":
            return data[:at]
        if self.how == "flip" and data:
            return (
                data[:at]
                + bytes([data[at] ^ (1 << len(self.bytes) % 8)])
                + data[at + 1 :]
            )
        if self.how == "insert":
            return data[:at] + self.bytes + data[at:]
        if self.how == "overwrite":
            return data[:at] + self.bytes + data[at + len(self.bytes) :]
        if self.how == "repeat":
            return data[:at] + data
        return self.bytes


damages = st.lists(
    st.builds(
        Damage,
        st.sampled_from(["cut", "flip", "insert", "overwrite", "repeat", "replace"]),
        st.floats(0, 1),
        st.one_of(
            st.binary(min_size=1, max_size=12),
            st.sampled_from(
                [b'"', b"\x00", b"\r", b"\n\n", b"\xff\xfe", b"NaN", b",,,"]
            ),
            st.sampled_from(
                [b"{", b"[" * 5000, b"PK\x03\x04", b"\xef\xbb\xbf", b"1e999"]
            ),
        ),
    ),
    min_size=1,
    max_size=3,
)


def damaged(data: bytes, done: list[Damage]) -> bytes:
    """Bytes after all damage."""
    for damage in done:
        data = damage.apply(data)
    return data


@holds_for(st.tuples(st.sampled_from(sorted(LABELERS)), damages), cost=3)
def damaged_models(case: tuple[str, list[Damage]]) -> None:
    """A damaged model is refused, or labels as probabilities."""
    name, done = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.corral"
        path.write_bytes(damaged(model_file(name), done))
        labeler = Labeler.load(path)
    with must_work():
        labels = labeler.predict_proba(VOTES)
    assert_probabilities(labels, len(VOTES), labels.shape[1])


@holds_for(st.tuples(st.sampled_from(["csv", "jsonl", "parquet"]), damages), cost=30)
def damaged_tables(case: tuple[str, list[Damage]]) -> None:
    """A damaged table is refused and leaves no output, or is labelled whole."""
    import pyarrow.parquet

    kind, done = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, output = folder / f"votes.{kind}", folder / "labels.parquet"
        path.write_bytes(damaged(table_file(kind), done))
        try:
            try:
                corral.label(path, id="id", output=output, error_rates=0.2)
            except CorralError:
                assert not output.exists(), "an output was left behind"
                raise
            columns = pyarrow.parquet.read_table(output).to_pydict()
            shares = [v for n, v in columns.items() if n.startswith("p_")]
            p = np.array(shares, float).T
            assert ((p >= 0) & (p <= 1)).all()
        finally:
            left = {p.name for p in folder.iterdir()} - {path.name, output.name}
            assert not left, left
