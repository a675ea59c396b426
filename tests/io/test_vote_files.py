"""Files of votes: read, written again with labels, never half."""

import duckdb
import numpy as np
import pytest

from corral.errors import SignalsError
from corral.io.files import VoteFiles

ENDINGS = [".csv", ".tsv", ".parquet", ".jsonl", ".ndjson"]
ROWS = '''SELECT * FROM (VALUES
    (1, 'b "quoted"', 0, 1, 'x'),
    (2, 'a, comma', NULL, 1, NULL),
    (3, 'c', 1, NULL, 'y'))
    AS t(id, "my ""text""", r0, r1, word)'''


def write(path, query=ROWS):
    """Make a file of votes with DuckDB itself."""
    how = {
        ".csv": "FORMAT csv, HEADER",
        ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
        ".parquet": "FORMAT parquet",
    }.get(path.suffix, "FORMAT json")
    duckdb.sql(f"COPY ({query}) TO '{path}' ({how})")
    return path


def rows_of(path):
    return duckdb.sql(f"FROM '{path}'").fetchall()


def matrix(file, columns):
    """Distinct rows in the order of their text, and no counts."""
    found, _ = file.count(columns)
    return found[np.argsort([str(row) for row in found.tolist()])]


def add(path, target, by_row):
    """Write columns that are given a row, matched by the key column."""
    file = VoteFiles(path)
    keys, _ = file.count(["id"])
    rows = keys.ravel().astype(int) - 1
    added = {name: values[rows] for name, values in by_row.items()}
    file.write(target, added, overwrite=True)


@pytest.fixture(params=ENDINGS)
def votes(request, tmp_path):
    return write(tmp_path / f"votes{request.param}")


def test_numbers_and_nulls(votes):
    found = matrix(VoteFiles(votes), ["r1", "r0"])
    np.testing.assert_array_equal(found, [[1, 0], [1, np.nan], [np.nan, 1]])
    whole = matrix(VoteFiles(votes), ["id"])
    assert whole.dtype.kind == "i"
    assert whole.ravel().tolist() == [1, 2, 3]


def test_a_column_of_nulls_goes_with_numbers_and_with_text(tmp_path):
    query = "SELECT 1 AS n, 'x' AS t, NULL::VARCHAR AS a, NULL::INTEGER AS b"
    for ending in ENDINGS:
        file = VoteFiles(write(tmp_path / f"v{ending}", query))
        np.testing.assert_array_equal(
            matrix(file, ["n", "a", "b"]), [[1, np.nan, np.nan]]
        )
        assert matrix(file, ["t", "a", "b"]).astype(str).tolist() == [
            ["x", "nan", "nan"]
        ]


@pytest.mark.parametrize("columns", [["r0", "word"], ["r0", "day"], ["day", "word"]])
def test_columns_of_different_kinds(tmp_path, columns):
    query = "SELECT 1 AS r0, 'x' AS word, DATE '2024-01-01' AS day"
    file = VoteFiles(write(tmp_path / "v.parquet", query))
    with pytest.raises(SignalsError, match="all numbers or all text"):
        matrix(file, columns)


def test_a_date_or_a_truth_that_is_missing_leaves_the_others(tmp_path):
    query = "FROM (VALUES (DATE '2026-01-02', true), (NULL, NULL)) t(day, a)"
    rows = VoteFiles(write(tmp_path / "v.parquet", query)).rows(["day", "a"])
    assert [str(day)[:10] for day in rows["day"]] == ["2026-01-02", "None"]
    assert rows["a"].tolist() == [True, None]


@pytest.mark.parametrize("ending", ENDINGS)
def test_write(votes, ending, tmp_path):
    target = tmp_path / f"labels{ending}"
    added = {
        "p_1": np.array([0.25, 1.0, 0.5]),
        "label": np.array(["ham", "spam", None], object),
        'say "p"': np.array([1, -1, 3]),
        "covered": np.array([True, True, False]),
    }
    add(votes, target, added)
    # Of CSV all is text that is no signal, and DuckDB reads it as numbers again.
    text = votes.suffix in (".csv", ".tsv") and ending not in (".csv", ".tsv")
    zero, one = ("0", "1") if text else (0, 1)
    assert rows_of(target) == [
        (1, 'b "quoted"', zero, one, "x", 0.25, "ham", 1, True),
        (2, "a, comma", None, one, None, 1.0, "spam", -1, True),
        (3, "c", one, None, "y", 0.5, None, 3, False),
    ]
    assert duckdb.sql(f"FROM '{target}'").columns[-4:] == list(added)
    assert {path.name for path in tmp_path.iterdir()} == {votes.name, target.name}


@pytest.mark.parametrize("ordered", [True, False])
def test_every_row_of_a_large_file_gets_its_own(tmp_path, monkeypatch, ordered):
    monkeypatch.setattr("corral.io.files.ORDERED_UP_TO", 10**6 if ordered else 0)
    n = 300_000
    query = f"SELECT i AS id, i % 1000 AS vote FROM range({n}) t(i)"
    file = VoteFiles(write(tmp_path / "v.parquet", query))
    found, counts = file.count(["vote"])
    assert (counts == n / 1000).all()
    added = {"twice": 2 * found.ravel()}
    file.write(tmp_path / "o.parquet", added)
    output = f"read_parquet('{tmp_path}/o.parquet', file_row_number=true)"
    wrong = duckdb.sql(f"FROM {output} WHERE twice <> 2 * vote").fetchall()
    assert wrong == []
    moved = duckdb.sql(f"FROM {output} WHERE id <> file_row_number").fetchall()
    assert duckdb.sql(f"SELECT count(*) FROM {output}").fetchall() == [(n,)]
    assert not (ordered and moved)


def test_null_nan_empty_and_minus_one_are_different_votes(tmp_path):
    query = """SELECT * FROM (VALUES (1, NULL::DOUBLE, 'x'), (2, 'NaN'::DOUBLE, ''),
        (3, -1, NULL), (4, 0, 'x')) AS t(id, number, word)"""
    file = VoteFiles(write(tmp_path / "v.parquet", query))
    for column in ("number", "word"):
        found, counts = file.count([column])
        target = tmp_path / f"{column}.parquet"
        file.write(target, {"at": np.arange(len(found))})
        rows = rows_of(target)
        assert all(row[-1] is not None for row in rows)
        assert len({row[-1] for row in rows}) == len(found)
        assert counts.sum() == 4


@pytest.mark.parametrize("ending", [".csv.gz", ".jsonl.gz"])
def test_compressed_text(tmp_path, ending):
    source = write(tmp_path / "v.csv")
    add(source, tmp_path / f"o{ending}", {"label": np.array([7, 8, 9])})
    again = VoteFiles(tmp_path / f"o{ending}")
    assert matrix(again, ["id", "label"]).tolist() == [[1, 7], [2, 8], [3, 9]]


def test_folders_and_patterns_of_files(tmp_path):
    folder = tmp_path / "votes"
    folder.mkdir()
    for i in range(3):
        write(folder / f"part{i}.parquet", f"SELECT {i} AS id, {i % 2} AS vote")
    (folder / "_SUCCESS").write_text("")
    for path in (folder, f"{folder}/*.parquet", f"{tmp_path}/**/part*"):
        found, counts = VoteFiles(path).count(["vote"])
        assert dict(zip(found.ravel().tolist(), counts, strict=True)) == {0: 2, 1: 1}
    write(folder / "part3.csv", "SELECT 3 AS id, 0 AS vote")
    with pytest.raises(SignalsError, match=r"different kinds: \.csv, \.parquet"):
        VoteFiles(folder)
    with pytest.raises(SignalsError, match="there is no file"):
        VoteFiles(f"{folder}/*.tsv")


def test_odd_paths(tmp_path):
    folder = tmp_path / "it's a [folder]"
    folder.mkdir()
    source = folder / "o'clock.csv"
    source.write_text("a,b\n0,1\n")
    file = VoteFiles(source)
    file.count(["a"])
    file.write(folder / "l'abel.csv", {"label": np.array([1])})
    assert (folder / "l'abel.csv").read_text().splitlines() == ["a,b,label", "0,1,1"]


BAD = {
    "missing": ("votes.csv", None, r"there is no file .*votes\.csv"),
    "unknown ending": ("votes.doc", "a,b", r"'votes.doc' is; .*\.csv, \.tsv"),
    "no ending": ("votes", "a,b", "'votes' is"),
    "no rows": ("votes.csv", "a,b\n", "no rows"),
    "nothing": ("votes.csv", "", "no rows|cannot read"),
    "no rows in json": ("votes.jsonl", "", "no rows|cannot read"),
    "not parquet": ("votes.parquet", "a,b\n0,1\n", r"cannot read 'votes\.parquet'"),
    "broken json": ("votes.jsonl", '{"a": 1\n', r"cannot read 'votes\.jsonl'"),
}


@pytest.mark.parametrize(("name", "text", "message"), BAD.values(), ids=BAD)
def test_bad_files(tmp_path, name, text, message):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(SignalsError, match=message):
        VoteFiles(tmp_path / name)


def test_names_of_folders_are_no_columns(tmp_path):
    folder = tmp_path / "run=3"
    folder.mkdir()
    (folder / "v.csv").write_text("id,a,b\n1,0,1\n")
    assert VoteFiles(folder / "v.csv").columns == ["id", "a", "b"]


def test_what_comes_late_in_a_file_is_read(tmp_path):
    lines = ['{"a": 1, "note": null}'] * 25_000 + ['{"a": 0, "note": "late"}']
    (tmp_path / "v.jsonl").write_text("\n".join(lines))
    file = VoteFiles(tmp_path / "v.jsonl")
    found, _ = file.count(["note"])
    assert "late" in found.ravel().tolist()


def test_nothing_stays_in_memory_of_what_was_written(votes, tmp_path):
    """A workbench exports again and again from the same table."""
    file = VoteFiles(votes)
    file.read_rows()

    def count_tables():
        return file._connection.sql("FROM duckdb_tables()").aggregate("count(*)")

    for name in ("a", "b"):
        before = count_tables().fetchall()
        added = {"label": np.array(["x", "y", "z"])}
        file.write_beside(tmp_path / f"{name}.csv", added, keep=["id"])
        assert count_tables().fetchall() == before
