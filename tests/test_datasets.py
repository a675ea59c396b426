"""Data sets: from files, and made at random."""

import json

import numpy as np
import pytest

from corral import datasets
from corral.datasets import random_votes
from corral.errors import StorageError


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "sizes", "signals"),
    [
        ("youtube", (1586, 120, 250), (10, 2)),
        ("trec", (5033, 500, 500), (68, 6)),
    ],
)
def test_public_sets(name, sizes, signals, data):
    found = datasets.read_wrench(data / "wrench" / name)
    assert (len(found.train), len(found.valid), len(found.test)) == sizes
    assert set(found.train.labels) == set(found.classes)
    said = found.train.signals
    assert (said.n_signals, said.n_classes) == signals


# -- files ----------------------------------------------------------------------


def write_wrench(folder):
    rows = {
        "0": {"label": 1, "weak_labels": [1, -1], "data": {"text": "buy now"}},
        "1": {"label": 0, "weak_labels": [-1, 0], "data": {"text": "hello"}},
    }
    for part in ("train", "valid", "test"):
        (folder / f"{part}.json").write_text(json.dumps(rows))
    (folder / "label.json").write_text('{"0": "HAM", "1": "SPAM"}')
    return folder


def test_wrench(tmp_path):
    found = datasets.read_wrench(write_wrench(tmp_path))
    assert found.classes == ("HAM", "SPAM")
    for part in (found.train, found.valid, found.test):
        assert part.data == ["buy now", "hello"]
        assert part.labels.tolist() == ["SPAM", "HAM"]
        np.testing.assert_array_equal(part.signals.votes, [[1, -1], [-1, 0]])


def wrench_rows(folder, part, change):
    """Rewrite a part of a WRENCH folder, entry by entry."""
    file = folder / f"{part}.json"
    rows = json.loads(file.read_text())
    for at, row in enumerate(rows.values()):
        change(at, row)
    file.write_text(json.dumps(rows))


def test_wrench_with_features_instead_of_texts(tmp_path):
    write_wrench(tmp_path)
    wrench_rows(
        tmp_path, "train", lambda at, row: row.update(data={"feature": [at, 0.5, 2]})
    )
    found = datasets.read_wrench(tmp_path)
    np.testing.assert_array_equal(found.train.data, [[0, 0.5, 2], [1, 0.5, 2]])
    assert found.valid.data == ["buy now", "hello"]


def test_wrench_with_labels_that_are_not_known(tmp_path):
    write_wrench(tmp_path)
    wrench_rows(tmp_path, "train", lambda at, row: row.update(label=-1 if at else 1))
    wrench_rows(tmp_path, "test", lambda _, row: row.update(label=-1))
    found = datasets.read_wrench(tmp_path)
    assert found.train.labels.tolist() == ["SPAM", None]
    assert found.test.labels.tolist() == [None, None]
    assert found.valid.labels.tolist() == ["SPAM", "HAM"]


@pytest.mark.parametrize("gone", [["valid"], ["valid", "test"]])
def test_wrench_without_some_parts(gone, tmp_path):
    write_wrench(tmp_path)
    for part in gone:
        (tmp_path / f"{part}.json").unlink()
    found = datasets.read_wrench(tmp_path)
    assert [part for part in ("valid", "test") if getattr(found, part) is None] == gone
    (tmp_path / "train.json").unlink()
    with pytest.raises(StorageError, match="train"):
        datasets.read_wrench(tmp_path)


WRENCH_ROWS = """{"0": {"label": 1, "weak_labels": [1, 0], "data": {%s}},
    "1": {"label": 0, "weak_labels": [0, 1], "data": {%s}}}"""


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("train", '{"0": {"label": 1, "weak_labels": [1]}}'),
        ("valid", '{"0": {"label": 2, "weak_labels": [1], "data": {"text": ""}}}'),
        ("test", '{"0": {"label": 1, "weak_labels": [7], "data": {"text": ""}}}'),
        ("label", '{"1": "HAM", "2": "SPAM"}'),
        ("train", "{}"),
        ("train", WRENCH_ROWS % ('"text": "a"', '"feature": [1]')),
        ("train", WRENCH_ROWS % ('"feature": [1]', '"feature": [1, 2]')),
        ("train", '{"0": {"weak_labels": [1, 0]}, "1": {"weak_labels": [1]}}'),
    ],
)
def test_wrench_names_the_file(part, text, tmp_path):
    write_wrench(tmp_path)
    (tmp_path / f"{part}.json").write_text(text)
    with pytest.raises(StorageError, match=rf"{part}\.json"):
        datasets.read_wrench(tmp_path)


# -- made at random --------------------------------------------------------------


def test_random_votes():
    accuracies = (0.9, 0.6, 0.75)
    votes, labels = random_votes(100_000, accuracies, coverage=0.4, seed=3)
    assert votes.shape == (100_000, 3)
    assert votes.dtype == np.int8
    voted = votes >= 0
    np.testing.assert_allclose(voted.mean(axis=0), 0.4, atol=0.01)
    right = ((votes == labels[:, None]) & voted).sum(axis=0) / voted.sum(axis=0)
    np.testing.assert_allclose(right, accuracies, atol=0.01)
    assert labels.mean() == pytest.approx(0.5, abs=0.01)
    wrong = (votes != labels[:, None]) & voted
    together = (wrong[:, 0] & wrong[:, 1]).mean() / (voted[:, 0] & voted[:, 1]).mean()
    assert together == pytest.approx(0.1 * 0.4, abs=0.01), "errors are independent"
