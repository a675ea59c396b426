"""JSON lines: what is no signal passes as it was; nothing else than JSON is written."""

import json
import math

import duckdb
import pytest

import corral
from corral.errors import SignalsError
from corral.io.files import VoteFiles
from corral.io.reader import Reading, read_votes

CELLS = {
    "large numbers": [12345678901234567890, 12345678901234567891, -1],
    "beyond floating point": [9007199254740993, 0.5, 9007199254740992],
    "times": ["2024-01-01T10:00:00+02:00", "2024-01-01", "10:00:00"],
    "dates": ["2024-01-01", "2024-01-02", None],
    "numbers as text": ["007", "7", "1e5"],
    "nested": [{"x": 1, "at": "2024-01-01"}, {"y": [1, 9007199254740993]}, None],
    "lists": [[], [1, "a"], ["2024-01-01"]],
    "of all kinds": [1, "spam", True],
    "truths": [True, False, None],
    "identifiers": ["123e4567-e89b-12d3-a456-426614174000", "x", None],
}


def make(folder, cells, name="v.jsonl"):
    source = folder / name
    rows = [
        json.dumps({"id": i, "cell": cell, "vote": i % 2})
        for i, cell in enumerate(cells)
    ]
    source.write_text("\n".join(rows) + "\n")
    return source


def strict(line):
    """A line as JSON has it: NaN and Infinity are refused."""

    def refuse(name):
        raise ValueError(name)

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
def test_every_cell_that_is_no_signal_passes_as_it_was(tmp_path, cells):
    source, target = make(tmp_path, cells), tmp_path / "o.jsonl"
    corral.label(source, signals="vote", output=target, labeler="majority-vote")
    rows = list(map(strict, target.read_text().splitlines()))
    assert [row["cell"] for row in rows] == cells
    assert [row["label"] for row in rows] == [0, 1, 0]


@pytest.mark.parametrize("name", ["large numbers", "times", "dates"])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_cells_pass_to_other_kinds_of_files_as_text(tmp_path, name, ending):
    cells = CELLS[name]
    source, target = make(tmp_path, cells), tmp_path / f"o{ending}"
    corral.label(source, signals="vote", output=target, labeler="majority-vote")
    reader = "read_csv('{}', all_varchar=true)" if ending == ".csv" else "'{}'"
    found = duckdb.sql(f"SELECT cell::VARCHAR FROM {reader.format(target)}").fetchall()
    said = [None if cell is None else str(cell) for cell in cells]
    assert [cell for (cell,) in found] == said


def test_a_bare_nan_is_a_missing_vote_and_never_written(tmp_path):
    source, target = tmp_path / "v.jsonl", tmp_path / "o.jsonl"
    rows = [(1, math.nan, 0), (2, 1.0, 1), (3, 0.0, math.nan), (4, 1.0, 1)]
    lines = [json.dumps(dict(zip(("id", "a", "b"), row, strict=True))) for row in rows]
    source.write_text("\n".join(lines))
    assert "NaN" in lines[0]
    corral.label(source, id="id", output=target, labeler="majority-vote")
    found = list(map(strict, target.read_text().splitlines()))
    assert [row["a"] for row in found] == [None, 1, 0, 1]
    assert [row["label"] for row in found] == [0, 1, 0, 1]


@pytest.mark.parametrize("cell", ["NaN", "Infinity", "[NaN]", 'say "NaN"', "banana"])
def test_text_that_looks_like_it_is_text(tmp_path, cell):
    cells = [cell, [cell], {"a": cell}]
    target = tmp_path / "o.jsonl"
    source = make(tmp_path, cells)
    corral.label(source, signals="vote", output=target, labeler="majority-vote")
    rows = list(map(strict, target.read_text().splitlines()))
    assert [row["cell"] for row in rows] == cells


def test_a_nan_of_parquet_is_null_in_json_and_infinity_is_refused(tmp_path):
    source, target = tmp_path / "v.parquet", tmp_path / "o.jsonl"
    query = "COPY (FROM (VALUES (0, '{}'::DOUBLE), (1, 2)) t(a, x)) TO '{}'"
    duckdb.sql(query.format("NaN", source))
    options = {"signals": "a", "output": target, "labeler": "majority-vote"}
    corral.label(source, **options)
    assert [strict(x)["x"] for x in target.read_text().splitlines()] == [None, 2]
    target.unlink()
    duckdb.sql(query.format("inf", source))
    with pytest.raises(SignalsError, match="column 'x' holds an infinity"):
        corral.label(source, **options)
    assert not target.exists()


def test_votes_of_several_kinds_are_text(tmp_path):
    file = VoteFiles(make(tmp_path, [1, "spam", True]))
    assert file.is_text("cell")
    found, _ = file.count(["cell"])
    assert set(found.ravel().tolist()) == {"1", "spam", "true"}


def test_numbers_of_long_tables(tmp_path):
    lines = [
        {"task": t, "worker": f"w{i}", "label": t % 2} for t in (10, 9) for i in (0, 1)
    ]
    lines[0]["worker"] = 7  # of several kinds: text without quotes
    (tmp_path / "v.jsonl").write_text("\n".join(map(json.dumps, lines)))
    read = read_votes(tmp_path / "v.jsonl", Reading(task="task")).signals
    assert set(read.names) == {"7", "w0", "w1"}
    corral.label(tmp_path / "v.jsonl", task="task", output=tmp_path / "o.jsonl")
    rows = list(map(strict, (tmp_path / "o.jsonl").read_text().splitlines()))
    assert [row["task"] for row in rows] == [10, 9]
