"""Rows of patterns, by what names them."""

import numpy as np
import pytest

from corral.io.reader import Reading, read_votes


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.integers(-1, 2, (300, 4))


def written(folder, table):
    lines = [
        f"r{i}," + ",".join("" if v < 0 else str(v) for v in row)
        for i, row in enumerate(table.tolist())
    ]
    path = folder / "votes.csv"
    path.write_text("\n".join(["id,a,b,c,d", *lines]))
    return path


def test_so_many_different_rows_of_each_pattern(table, tmp_path):
    read = read_votes(written(tmp_path, table), Reading(id="id"))
    files, signals = read.table, read.signals
    votes = np.asarray(signals.votes)
    patterns = np.array([3, 0, 7])
    alike = [(table == votes[p]).all(axis=1) for p in patterns]
    times = np.array([1, 2, 99])
    found = files.rows_with(patterns, times, ["id"])
    places = [at for at, *_ in found]
    assert places == sorted(places)
    for at in range(3):
        rows = [(number, name) for place, number, name in found if place == at]
        assert len(set(rows)) == len(rows) == min(times[at], alike[at].sum())
        for number, name in rows:
            assert name == f"r{number - 1}"
            assert alike[at][number - 1]
