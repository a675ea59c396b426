"""Data sets: by name, from files, downloaded, and made at random."""

import hashlib
import json

import numpy as np
import pytest

from corral import ConstrainedLabeler, WeakSignals, datasets, signal_errors
from corral.datasets import independent_task, random_votes
from corral.errors import ParameterError, StorageError

CONTENT = b"LOC:city Where is Bonn ?\n" * 20_000
HASH = hashlib.sha256(CONTENT).hexdigest()


def test_a_download_is_put_in_place(tmp_path, monkeypatch):
    (tmp_path / "published").write_bytes(CONTENT)
    source = (tmp_path / "published").as_uri(), HASH
    monkeypatch.setattr(datasets, "TREC", dict.fromkeys(datasets.TREC, source))
    assert datasets.names(tmp_path)["trec"] == "to download"
    assert len(datasets.load("trec", folder=tmp_path).train) == 20_000
    assert datasets.names(tmp_path)["trec"] == "there"


@pytest.mark.parametrize("name", ["cut", "missing"])
def test_what_is_not_the_published_file_is_not_kept(tmp_path, name):
    (tmp_path / "cut").write_bytes(CONTENT[:-1])
    with pytest.raises(StorageError, match="cannot download"):
        datasets.download((tmp_path / name).as_uri(), HASH, tmp_path / "sub" / "file")
    assert list((tmp_path / "sub").iterdir()) == []


def test_names_that_are_not_there(tmp_path, monkeypatch):
    with pytest.raises(ParameterError, match="digits, breast_cancer, trec"):
        datasets.load("crowd/dogs", folder=tmp_path)
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
        ("crowd/bluebirds", (108, None, None), (39, 2)),
        ("crowd/dogs", (807, None, None), (109, 4)),
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


def write_crowd(folder):
    (folder / "answers.csv").write_text(
        "worker,task,label\nann,b,cat\nbob,b,dog\nann,a,cat\n"
    )
    (folder / "truth.csv").write_text("task,label\na,cat\nc,dog\n")
    return folder / "answers.csv"


FORMATS = {
    "trec": (write_trec, datasets.read_trec),
    "crowd": (
        write_crowd,
        lambda path: datasets.read_crowd(path, path.with_name("truth.csv")),
    ),
}
"""By name: what writes one file into a folder, and what reads it."""


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", [None, b"", b"\x00\xff\x80 something else\n"])
def test_a_file_that_is_another_or_not_there(name, content, tmp_path):
    write, read = FORMATS[name]
    path = write(tmp_path)
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(StorageError, match=rf"(?s)expected .*{path.name}|{path.name}"):
        read(path)


def test_trec_keeps_spaces_and_latin_1(tmp_path):
    questions = datasets.read_trec(write_trec(tmp_path))
    assert questions.data == ["What is  a café  ?", "Where is Bonn ?"]
    assert questions.labels.tolist() == ["DESC", "LOC"]


@pytest.mark.parametrize("line", ["WHAT:x y ?", "LOC:city", "LOC:city  "])
def test_trec_names_the_line(line, tmp_path):
    path = tmp_path / "q.label"
    path.write_text(f"LOC:city Where ?\n{line}\n")
    with pytest.raises(StorageError, match="line 2 is"):
        datasets.read_trec(path)


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
    both = {"text": "hi", "feature": [1]}
    wrench_rows(tmp_path, "train", lambda _, row: row.update(data=both))
    assert datasets.read_wrench(tmp_path).train.data == ["hi", "hi"]


def test_wrench_with_labels_that_are_not_known(tmp_path):
    write_wrench(tmp_path)
    wrench_rows(tmp_path, "train", lambda at, row: row.update(label=-1 if at else 1))
    wrench_rows(tmp_path, "test", lambda _, row: row.update(label=-1))
    found = datasets.read_wrench(tmp_path)
    assert found.train.labels.tolist() == ["SPAM", None]
    assert found.test.labels.tolist() == [None, None]
    assert found.valid.labels.tolist() == ["SPAM", "HAM"]


@pytest.mark.parametrize(
    ("gone", "note"),
    [
        (["valid"], "no valid.json; found train, test"),
        (["valid", "test"], "no valid.json and no test.json; found train"),
        ([], None),
    ],
)
def test_wrench_without_some_parts(gone, note, tmp_path):
    write_wrench(tmp_path)
    for part in gone:
        (tmp_path / f"{part}.json").unlink()
    found = datasets.read_wrench(tmp_path)
    assert found.notes == (() if note is None else (note,))
    for part in ("valid", "test"):
        assert (getattr(found, part) is None) == (part in gone)
    (tmp_path / "train.json").unlink()
    with pytest.raises(StorageError, match="train"):
        datasets.read_wrench(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        [{"text": "a"}, {"feature": [1]}],
        [{"feature": [1]}, {"feature": [1, 2]}],
        [{"feature": [1]}, {"feature": [float("nan")]}],
        [{}, {}],
    ],
)
def test_wrench_with_data_that_are_neither(data, tmp_path):
    write_wrench(tmp_path)
    wrench_rows(tmp_path, "train", lambda at, row: row.update(data=data[at]))
    with pytest.raises(StorageError, match=r"train\.json"):
        datasets.read_wrench(tmp_path)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("train", '{"0": {"label": 1, "weak_labels": [1]}}'),
        ("valid", '{"0": {"label": 2, "weak_labels": [1], "data": {"text": ""}}}'),
        ("test", '{"0": {"label": 1, "weak_labels": [7], "data": {"text": ""}}}'),
        ("label", '{"1": "HAM", "2": "SPAM"}'),
        ("train", "{}"),
        ("train", '{"0": {"weak_labels": [1, 0]}, "1": {"weak_labels": [1]}}'),
    ],
)
def test_wrench_names_the_file(part, text, tmp_path):
    write_wrench(tmp_path)
    (tmp_path / f"{part}.json").write_text(text)
    with pytest.raises(StorageError, match=rf"{part}\.json"):
        datasets.read_wrench(tmp_path)


def test_crowd_with_tasks_in_order_of_their_first_answer(tmp_path):
    write_crowd(tmp_path)
    found = datasets.read_crowd(tmp_path / "answers.csv", tmp_path / "truth.csv")
    assert found.signals.index.tolist() == ["b", "a"]
    assert found.signals.names == ("ann", "bob")
    assert found.signals.classes.tolist() == ["cat", "dog"]
    np.testing.assert_array_equal(found.signals.votes, [[0, 1], [0, -1]])
    assert found.labels.tolist() == ["", "cat"]  # nothing is known of b


@pytest.mark.parametrize(
    ("truth", "match"),
    [
        ("task,label\na,cat\na,dog\n", "1 tasks more than once"),
        ("task,label\nx,cat\n", "no task of"),
        ("task,truth\na,cat\n", "columns task, label"),
        ("task,label\na\n", "2 fields"),
    ],
)
def test_crowd_with_another_truth(truth, match, tmp_path):
    answers = write_crowd(tmp_path)
    (tmp_path / "truth.csv").write_text(truth)
    with pytest.raises(StorageError, match=rf"(?s){match}"):
        datasets.read_crowd(answers, tmp_path / "truth.csv")


# -- part of scikit-learn ---------------------------------------------------------


@pytest.mark.parametrize("name", ["digits", "breast_cancer"])
def test_the_same_every_time_and_labels_that_learn(name):
    first, second = datasets.load(name), datasets.load(name)
    np.testing.assert_array_equal(first.train.data, second.train.data)
    signals = first.train.signals
    errors = signal_errors(signals, first.train.labels)
    chance = 1 - 1 / len(first.classes)
    assert (errors < chance).all()
    assert (errors > 0.01).any()  # weak
    labeler = ConstrainedLabeler().fit(signals)
    # Chance is 0.1 and 0.63.
    assert labeler.score(signals, first.train.labels) > 0.7
    assert labeler.score(first.test.signals, first.test.labels) > 0.7


# -- made at random --------------------------------------------------------------


@pytest.fixture(scope="module")
def independent():
    return independent_task()


def errors(task):
    """Error of every signal on the training examples, by hand."""
    voted = task.votes >= 0
    return ((task.votes != task.labels[:, None]) & voted).sum(axis=0) / voted.sum(
        axis=0
    )


def test_independent_numbers(independent):
    found = errors(independent)
    expected = [
        *(0.2987, 0.3324, 0.3973, 0.3500, 0.3333),
        *(0.3228, 0.3721, 0.3727, 0.3368, 0.3595),
    ]
    np.testing.assert_array_equal(found.round(4), expected)
    signals = WeakSignals.from_votes(independent.votes)
    np.testing.assert_allclose(signal_errors(signals, independent.labels), found)
    assert signals.covered.mean() == pytest.approx(0.971, abs=5e-4)
    assert independent.labels.mean() == pytest.approx(0.5027, abs=5e-5)
    assert independent.test_labels.mean() == pytest.approx(0.4965, abs=5e-5)


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
