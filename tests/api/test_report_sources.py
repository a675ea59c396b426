"""The same report from arrays, frames, files and relations."""

import duckdb
import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.errors import ParameterError

NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def table():
    votes, truth = random_votes(300, [0.9, 0.75, 0.6], coverage=0.6)
    return votes, truth, [f"text of {i}" for i in range(len(votes))]


@pytest.fixture(scope="module")
def of_arrays(table):
    votes, truth, texts = table
    signals = corral.WeakSignals.from_votes(votes, names=NAMES)
    return corral.report(signals, gold=truth, text=texts)


def columns_of(table):
    votes, truth, texts = table
    columns = {"id": [f"n{i}" for i in range(len(votes))], "text": texts}
    columns |= {
        n: [None if v < 0 else int(v) for v in votes[:, i]] for i, n in enumerate(NAMES)
    }
    return columns | {"y": truth.tolist()}


@pytest.fixture(scope="module")
def parquet(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("votes") / "votes.parquet"
    write(columns_of(table), path)
    return path


def write(columns, path):
    rows = list(zip(*columns.values(), strict=True))
    connection = duckdb.connect()
    kinds = {str: "VARCHAR", int: "INTEGER"}
    typed = ", ".join(
        f'"{n}" {kinds[type(next(v for v in values if v is not None))]}'
        for n, values in columns.items()
    )
    connection.execute(f"CREATE TABLE t ({typed})")
    connection.executemany(
        f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", rows
    )
    connection.execute(f"COPY t TO '{path}'")


def read_report(votes):
    return corral.report(votes, gold="y", text="text", id="id")


def test_a_file_gives_what_arrays_give(of_arrays, parquet):
    report = read_report(parquet)
    assert report.verdicts == of_arrays.verdicts
    assert report.title == "votes.parquet"


def test_rows_of_a_file_have_their_names_texts_and_truth(table, parquet):
    votes, truth, texts = table
    report = read_report(parquet)
    rows = [row for group in report.rows for row in group.rows]
    assert len(rows) > 20
    for row in rows:
        at = int(row.name[1:])
        assert row.text == texts[at]
        assert row.gold == str(truth[at])
        said = {p.name: p.vote for p in row.parts if p.vote}
        assert said == {
            n: str(v) for n, v in zip(NAMES, votes[at], strict=True) if v >= 0
        }
    silent = next(g for g in report.rows if g.kind == "uncovered")
    assert len({row.name for row in silent.rows}) == min(12, int(silent.n_examples))


def test_a_relation_and_a_frame(of_arrays, parquet):
    relation = duckdb.connect().sql(f"FROM '{parquet}'")
    assert read_report(relation).verdicts == of_arrays.verdicts
    pl = pytest.importorskip("polars")
    frame = pl.read_parquet(parquet)
    found = read_report(frame)
    assert found.verdicts == of_arrays.verdicts
    assert found.rows[0].rows[0].text.startswith("text of ")
    lazy = corral.report(frame.lazy(), gold="y", id=["id", "text"])
    assert lazy.summary.verdict == of_arrays.summary.verdict
    with pytest.raises(ParameterError, match="stay where they are"):
        read_report(frame.lazy())


def test_long_tables(table, tmp_path):
    votes, truth, texts = table
    cells = [(i, j) for i, j in np.argwhere(votes >= 0).tolist()]
    columns = {
        "task": [f"t{i}" for i, _ in cells],
        "worker": [NAMES[j] for _, j in cells],
        "label": [int(votes[i, j]) for i, j in cells],
        "text": [texts[i] for i, _ in cells],
        "y": [int(truth[i]) for i, _ in cells],
    }
    path = tmp_path / "answers.parquet"
    write(columns, path)
    plain = corral.report(path, task="task", text="text")
    scored = corral.report(path, task="task", text="text", gold="y")
    for report in (plain, scored):
        row = report.rows[0].rows[0]
        assert row.text == texts[int(row.name[1:])]
    seen = scored.summary.accuracy
    assert seen.n_gold == scored.summary.n_examples == plain.summary.n_examples
    pl = pytest.importorskip("polars")
    framed = corral.report(pl.DataFrame(columns), task="task", text="text", gold="y")
    assert framed.summary.accuracy == seen
    row = framed.rows[0].rows[0]
    assert row.text == texts[int(row.name[1:])]


@pytest.mark.parametrize("kind", ["list", "pandas", "arrow", "dates"])
def test_missing_texts_are_none(kind):
    votes = [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    texts = ["one", None, "three"]
    if kind == "pandas":
        texts = pytest.importorskip("pandas").array(texts, "string")
    elif kind == "arrow":
        texts = pytest.importorskip("pyarrow").array(texts)
    elif kind == "dates":
        texts = np.array(["2020-01-01", "NaT", "2020-01-03"], "datetime64[D]")
    report = corral.report(votes, text=texts)
    shown = {row.name: row.text for group in report.rows for row in group.rows}
    assert shown["row 1"] is None
    assert {type(text) for name, text in shown.items() if name != "row 1"} == {str}
