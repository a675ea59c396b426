"""Files of votes: read, written again with labels, never half."""

import os

import duckdb
import numpy as np
import pytest

from corral.errors import SignalsError
from corral.tables import VoteFile

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


@pytest.fixture(params=ENDINGS)
def votes(request, tmp_path):
    return write(tmp_path / f"votes{request.param}")


def test_read(votes):
    file = VoteFile(votes)
    assert file.columns == ["id", 'my "text"', "r0", "r1", "word"]
    assert file.n_rows == 3


def test_numbers_and_nulls(votes):
    matrix = VoteFile(votes).matrix(["r1", "r0"])
    np.testing.assert_array_equal(matrix, [[1, 0], [1, np.nan], [np.nan, 1]])
    whole = VoteFile(votes).matrix(["id"])
    assert whole.dtype.kind == "i"
    assert whole.ravel().tolist() == [1, 2, 3]


def test_text_and_nulls(votes):
    matrix = VoteFile(votes).matrix(["word", 'my "text"'])
    assert matrix.tolist() == [["x", 'b "quoted"'], [None, "a, comma"], ["y", "c"]]


def test_a_column_of_nulls_goes_with_numbers_and_with_text(tmp_path):
    query = "SELECT 1 AS n, 'x' AS t, NULL::VARCHAR AS a, NULL::INTEGER AS b"
    for ending in ENDINGS:
        file = VoteFile(write(tmp_path / f"v{ending}", query))
        np.testing.assert_array_equal(
            file.matrix(["n", "a", "b"]), [[1, np.nan, np.nan]]
        )
        assert file.matrix(["t", "a", "b"]).tolist() == [["x", None, None]]


@pytest.mark.parametrize("columns", [["r0", "word"], ["r0", "day"], ["day", "word"]])
def test_columns_of_different_kinds(tmp_path, columns):
    query = "SELECT 1 AS r0, 'x' AS word, DATE '2024-01-01' AS day"
    file = VoteFile(write(tmp_path / "v.parquet", query))
    with pytest.raises(SignalsError, match="all numbers or all text"):
        file.matrix(columns)


def test_dates_alone(tmp_path):
    file = VoteFile(write(tmp_path / "v.parquet", "SELECT DATE '2024-01-01' AS day"))
    with pytest.raises(SignalsError, match="day"):
        file.matrix(["day"])


def test_choose(votes):
    file = VoteFile(votes)
    assert file.choose(None, None) == file.columns
    assert file.choose(None, "id") == file.columns[1:]
    assert file.choose(["r*"], "id") == ["r0", "r1"]
    assert file.choose(["r1", "r*"], None) == ["r1", "r0"]
    assert file.choose(['my "text"'], None) == ['my "text"']
    with pytest.raises(
        SignalsError, match=r"no column matches 'q\*'; the file has 'id'"
    ):
        file.choose(["r0", "q*"], None)
    with pytest.raises(SignalsError, match="no column named 'key'; the file has 'id'"):
        file.choose(None, "key")


def test_a_name_with_brackets_chooses_itself(tmp_path):
    file = VoteFile(write(tmp_path / "v.csv", 'SELECT 1 AS "a[1]", 2 AS a1'))
    assert file.choose(["a[1]"], None) == ["a[1]"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_write(votes, ending, tmp_path):
    target = tmp_path / f"labels{ending}"
    added = {
        "p_1": np.array([0.25, 1.0, 0.5]),
        "label": np.array(["ham", "spam", None], object),
        'say "p"': np.array([1, -1, 3]),
        "covered": np.array([True, True, False]),
    }
    VoteFile(votes).write(target, added)
    assert rows_of(target) == [
        (1, 'b "quoted"', 0, 1, "x", 0.25, "ham", 1, True),
        (2, "a, comma", None, 1, None, 1.0, "spam", -1, True),
        (3, "c", 1, None, "y", 0.5, None, 3, False),
    ]
    assert duckdb.sql(f"FROM '{target}'").columns[-4:] == list(added)
    assert {path.name for path in tmp_path.iterdir()} == {votes.name, target.name}


def test_row_order_is_kept_in_large_files(tmp_path):
    n = 300_000
    source = write(tmp_path / "v.parquet", f"SELECT i AS id FROM range({n}) t(i)")
    file = VoteFile(source)
    np.testing.assert_array_equal(file.matrix(["id"]).ravel(), np.arange(n))
    file.write(tmp_path / "o.parquet", {"twice": 2 * np.arange(n)})
    wrong = duckdb.sql(f"FROM '{tmp_path}/o.parquet' WHERE twice <> 2 * id").fetchall()
    assert wrong == []


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_columns_of_text_files_are_written_as_they_were_read(tmp_path, ending):
    """Zip codes keep their zeros, and the third of April stays what it was."""
    source, target = tmp_path / f"v{ending}", tmp_path / f"o{ending}"
    lines = ["id,zip,day,flag,rule", "1,00701,03/04/2024,yes,0"]
    tab = "\t" if ending == ".tsv" else ","
    source.write_text("\n".join(lines).replace(",", tab) + "\n")
    VoteFile(source).write(target, {"label": np.array([1])})
    written = target.read_text().replace(tab, ",").splitlines()
    assert written == [f"{lines[0]},label", f"{lines[1]},1"]


@pytest.mark.parametrize("words", [("yes", "no"), ("true", "false"), ("t", "f")])
def test_words_stay_words(tmp_path, words):
    """A class called "yes" is not turned into a number."""
    (tmp_path / "v.csv").write_text(f"a,b\n{words[0]},{words[1]}\n,{words[0]}\n")
    matrix = VoteFile(tmp_path / "v.csv").matrix(["a", "b"])
    assert matrix.tolist() == [[words[0], words[1]], [None, words[0]]]


def test_a_file_may_be_written_over_itself(votes):
    VoteFile(votes).write(votes, {"label": np.array([1, 2, 3])})
    assert [row[-1] for row in rows_of(votes)] == [1, 2, 3]


def test_odd_paths(tmp_path):
    folder = tmp_path / "it's a [folder]"
    folder.mkdir()
    source = folder / "o'clock.csv"
    source.write_text("a,b\n0,1\n")
    VoteFile(source).write(folder / "l'abel.csv", {"label": np.array([1])})
    assert (folder / "l'abel.csv").read_text().splitlines() == ["a,b,label", "0,1,1"]


def test_upper_case_endings(tmp_path):
    source = tmp_path / "VOTES.CSV"
    source.write_text("a,b\n0,1\n")
    assert VoteFile(source).columns == ["a", "b"]


def test_a_failed_write_leaves_the_old_file_and_no_draft(votes, tmp_path):
    target = tmp_path / "labels.csv"
    target.write_text("old")
    with pytest.raises(SignalsError, match=r"labels\.csv|label"):
        VoteFile(votes).write(target, {"label": np.array([1j, 2j, 3j])})
    assert target.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {votes.name, "labels.csv"}


def test_a_folder_in_the_way(votes, tmp_path):
    (tmp_path / "labels.csv").mkdir()
    with pytest.raises(SignalsError, match=r"cannot write 'labels\.csv'"):
        VoteFile(votes).write(tmp_path / "labels.csv", {"label": np.array([1, 2, 3])})
    assert {path.name for path in tmp_path.iterdir()} == {votes.name, "labels.csv"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_cannot_be_written(votes, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(SignalsError, match=r"cannot write 'labels\.csv'"):
        VoteFile(votes).write(locked / "labels.csv", {"label": np.array([1, 2, 3])})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("labels.xlsx", r"'labels.xlsx' is.*\.csv, \.tsv, \.parquet"),
        ("labels", "'labels' is"),
        ("nowhere/labels.csv", "there is no folder .*nowhere"),
    ],
)
def test_bad_targets(votes, tmp_path, name, message):
    with pytest.raises(SignalsError, match=message):
        VoteFile(votes).write(tmp_path / name, {"label": np.array([1, 2, 3])})
    assert [path.name for path in tmp_path.iterdir()] == [votes.name]


@pytest.mark.parametrize("wrong", [2, 4])
def test_columns_of_another_length(votes, tmp_path, wrong):
    with pytest.raises(SignalsError, match=rf"3 rows.*{wrong}|{wrong}.*3 rows"):
        VoteFile(votes).write(tmp_path / "o.csv", {"label": np.arange(wrong)})
    assert not (tmp_path / "o.csv").exists()


BAD = {
    "missing": ("votes.csv", None, r"there is no file .*votes\.csv"),
    "unknown ending": ("votes.xlsx", "a,b", r"'votes.xlsx' is; .*\.csv, \.tsv"),
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
        VoteFile(tmp_path / name)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "votes.csv").mkdir()
    with pytest.raises(SignalsError, match="there is no file"):
        VoteFile(tmp_path / "votes.csv")
