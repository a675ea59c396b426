"""Data sets: by name, from files, downloaded, and made at random."""

import hashlib
import json

import numpy as np
import pytest

from corral import datasets
from corral.datasets import random_votes
from corral.errors import ParameterError, StorageError

CONTENT = b"LOC:city Where is Bonn ?\n" * 20_000
HASH = hashlib.sha256(CONTENT).hexdigest()


def test_a_download_is_put_in_place(tmp_path, monkeypatch):
    (tmp_path / "published").write_bytes(CONTENT)
    source = (tmp_path / "published").as_uri(), HASH
    monkeypatch.setattr(datasets, "TREC", dict.fromkeys(datasets.TREC, source))
    assert len(datasets.load("trec", folder=tmp_path).train) == 20_000
    (tmp_path / "published").unlink()
    assert len(datasets.load("trec", folder=tmp_path).test) == 20_000


@pytest.mark.parametrize("name", ["cut", "missing"])
def test_what_is_not_the_published_file_is_not_kept(tmp_path, name):
    (tmp_path / "cut").write_bytes(CONTENT[:-1])
    with pytest.raises(StorageError, match="cannot download"):
        datasets.download((tmp_path / name).as_uri(), HASH, tmp_path / "sub" / "file")
    assert list((tmp_path / "sub").iterdir()) == []


def test_names_that_are_not_there(tmp_path, monkeypatch):
    with pytest.raises(ParameterError, match="there are trec"):
        datasets.load("wrench/imdb", folder=tmp_path)
    monkeypatch.setenv("CORRAL_DATA", str(tmp_path / "data"))
    assert datasets.data_folder() == tmp_path / "data"
    monkeypatch.delenv("CORRAL_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert datasets.data_folder() == tmp_path / "corral"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "sizes", "signals"),
    [
        ("trec", (5452, None, 500), None),
        ("wrench/youtube", (1586, 120, 250), (10, 2)),
        ("wrench/trec", (5033, 500, 500), (68, 6)),
    ],
)
def test_public_sets(name, sizes, signals, data):
    found = datasets.load(name, folder=data)
    parts = (found.train, found.valid, found.test)
    assert tuple(part and len(part) for part in parts) == sizes
    assert set(found.train.labels) == set(found.classes)
    assert found.name == name
    if signals:
        said = found.train.signals
        assert (said.n_signals, said.n_classes) == signals


# -- files ----------------------------------------------------------------------


def write_trec(folder):
    path = folder / "train_5500.label"
    path.write_bytes(b"DESC:def What is  a caf\xe9  ?\nLOC:city Where is Bonn ?\n")
    return path


def write_wrench(folder):
    rows = {
        "0": {"label": 1, "weak_labels": [1, -1], "data": {"text": "buy now"}},
        "1": {"label": 0, "weak_labels": [-1, 0], "data": {"text": "hello"}},
    }
    for part in ("train", "valid", "test"):
        (folder / f"{part}.json").write_text(json.dumps(rows))
    (folder / "label.json").write_text('{"0": "HAM", "1": "SPAM"}')
    return folder


@pytest.mark.parametrize("content", [None, b"", b"\x00\xff\x80 something else\n"])
def test_a_file_that_is_another_or_not_there(content, tmp_path):
    path = write_trec(tmp_path)
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(StorageError, match=path.name):
        datasets.read_trec(path)


def test_trec_keeps_spaces_and_latin_1(tmp_path):
    questions = datasets.read_trec(write_trec(tmp_path))
    assert questions.data == ["What is  a café  ?", "Where is Bonn ?"]
    assert questions.labels.tolist() == ["DESC", "LOC"]


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
