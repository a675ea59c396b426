"""The paper's data, its rules, which give the published signals, and word vectors."""

import gzip
import hashlib
import zipfile

import numpy as np
import pytest
from repro.data import data_folder, download, load, read_questions, read_sst_trees
from repro.rules import SST2_RULES, TREC_RULES
from repro.word_vectors import average, clean_text, open_vectors

import corral
from corral import WeakSignals
from corral.errors import StorageError

# From the description of the data: to train on, to test on, signals and classes.
SIZES = {
    "sst2": (6920, 1821, None),
    "imdb": (25_000, 25_000, None),
    "yelp": (4484, 4455, None),
    "trec": (5452, 500, None),
    "svhn": (1083, 949, None),
    "fashion_mnist": (60_000, 10_000, None),
    "paper/sst2": (3998, None, (14, 2)),
    "paper/imdb": (29_182, None, (10, 2)),
    "paper/trec": (2946, None, (5, 6)),
    "paper/fashion_mnist": (60_000, 10_000, (4, 10)),
    "paper/svhn": (73_257, None, (6, 10)),
}
COVERAGES = [
    [146, 108, 21, 632, 152, 77],
    [101, 116, 44, 52, 286, 114],
    [116, 93, 75, 148, 135, 323],
    [109, 47, 1, 48, 16, 92],
    [60, 87, 4, 54, 158, 61],
]
ERRORS = [
    [0.103, 0.370, 0.048, 0.035, 0.184, 0.078],
    [0.030, 0.147, 0.068, 0.077, 0.098, 0.246],
    [0.043, 0.226, 0.453, 0.243, 0.333, 0.000],
    [0.202, 0.340, 0.000, 0.292, 0.063, 0.043],
    [0.017, 0.287, 0.000, 0.185, 0.089, 0.066],
]


@pytest.fixture
def folder(data, monkeypatch):
    monkeypatch.setenv("CORRAL_DATA", str(data))
    return data


@pytest.mark.data
@pytest.mark.parametrize("name", SIZES)
def test_sizes_and_classes(name, folder):
    found = load(name)
    train, test, signals = SIZES[name]
    assert (len(found.train), found.test and len(found.test)) == (train, test)
    assert set(found.train.labels) == set(found.classes)
    if signals:
        said = found.train.signals
        assert (said.n_signals, said.n_classes) == signals


@pytest.mark.data
def test_images_and_labels_are_of_the_same_rows(folder):
    assert load("fashion_mnist").train.labels[:2].tolist() == [
        "ankle boot",
        "t-shirt/top",
    ]
    stored = np.load(folder / "svhn" / "all_labels.npz")
    digits = load("svhn")
    np.testing.assert_array_equal(digits.train.labels, stored["train"][:1083] % 10)
    np.testing.assert_array_equal(digits.test.labels, stored["test"][:949] % 10)


def test_sst_trees_leave_out_what_is_neutral(tmp_path):
    path = tmp_path / "trees.zip"
    train = "(3 (2 A) (4 (2 -LRB-) (3 film)))\n(2 (2 Meh) (2 .))\n(0 (1 Bad) (2 .))\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("trees/train.txt", train)
        archive.writestr("trees/test.txt", "(1 (2 Not) (3 good))\n")
    train, test = read_sst_trees(path)
    assert train.data == ["A ( film", "Bad ."]
    assert train.labels.tolist() == ["positive", "negative"]
    assert (test.data, test.labels.tolist()) == (["Not good"], ["negative"])


def test_cleaned_text():
    raw = "<br />I can't stop, @you! See https://x.org/a?b=1 #wow 10/10"
    assert clean_text(raw) == "i can t stop see"


def test_vectors_are_averaged_over_all_words(tmp_path):
    """A word may have spaces, and comes twice; the file is parsed once."""
    path = tmp_path / "vectors.txt.gz"
    lines = "good 1 0\nbad -1 0\nfilm 0 1\n. . 5 5\nbad 9 9\n"
    path.write_bytes(gzip.compress(lines.encode()))
    for _ in range(2):
        file = open_vectors(path, tmp_path / "cache")
        assert file.words == {"good": 0, "bad": 1, "film": 2, ". .": 3}
        found = average(["A good film!", "bad bad", "?"], file, clean=True)
        np.testing.assert_allclose(found, [[1 / 3, 1 / 3], [-1, 0], [0, 0]])
    assert len(list((tmp_path / "cache").iterdir())) == 1


def votes(rules, texts):
    """(n, m) class names, "" where a rule abstains, by `corral.apply`."""
    labels = np.array([rule.label for rule in rules])
    signals = corral.apply([rule.function() for rule in rules], texts)
    return np.where(signals.votes >= 0, labels, "")


def fires(rules, texts):
    """(n, m) booleans: where a rule votes."""
    return votes(rules, texts) != ""


@pytest.mark.data
def test_sst2_bit_for_bit(folder):
    train = load("sst2").train
    published = load("paper/sst2").train
    said = votes(SST2_RULES, train.data)
    covered = (said != "").any(axis=1)
    found = WeakSignals.from_votes(said[covered], classes=("negative", "positive"))
    assert found.votes.shape == (3998, 14)
    np.testing.assert_array_equal(found.votes, published.signals.votes)
    np.testing.assert_array_equal(train.labels[covered], published.labels)


@pytest.mark.data
def test_trec_coverages_and_errors(folder):
    train = load("trec").train
    found = fires(TREC_RULES, train.data)
    labels = [rule.label for rule in TREC_RULES]
    wrong = found & (train.labels[:, None] != labels)
    assert found.sum(axis=0).reshape(5, 6).tolist() == COVERAGES
    errors = (wrong.sum(axis=0) / found.sum(axis=0)).reshape(5, 6)
    np.testing.assert_allclose(errors, ERRORS, atol=5.1e-4)
    assert found.any(axis=1).sum() == 2969


# -- files ----------------------------------------------------------------------------

CONTENT = b"LOC:city Where is Bonn ?\n" * 20_000
HASH = hashlib.sha256(CONTENT).hexdigest()


def test_a_download_is_put_in_place(tmp_path):
    (tmp_path / "published").write_bytes(CONTENT)
    place = tmp_path / "sub" / "file"
    download((tmp_path / "published").as_uri(), HASH, place)
    assert place.read_bytes() == CONTENT


@pytest.mark.parametrize("name", ["cut", "missing"])
def test_what_is_not_the_published_file_is_not_kept(tmp_path, name):
    (tmp_path / "cut").write_bytes(CONTENT[:-1])
    with pytest.raises(StorageError, match="cannot download"):
        download((tmp_path / name).as_uri(), HASH, tmp_path / "sub" / "file")
    assert list((tmp_path / "sub").iterdir()) == []


def test_the_folder_of_data(tmp_path, monkeypatch):
    monkeypatch.setenv("CORRAL_DATA", str(tmp_path / "data"))
    assert data_folder() == tmp_path / "data"
    monkeypatch.delenv("CORRAL_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "corral"


@pytest.mark.parametrize("content", [None, b"", b"\x00\xff\x80 something else\n"])
def test_questions_that_are_something_else_or_not_there(content, tmp_path):
    path = tmp_path / "train.label"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StorageError, match=path.name):
        read_questions(path)


def test_questions_keep_spaces_and_latin_1(tmp_path):
    path = tmp_path / "train.label"
    path.write_bytes(b"DESC:def What is  a caf\xe9  ?\nLOC:city Where is Bonn ?\n")
    questions = read_questions(path)
    assert questions.data == ["What is  a caf\xe9  ?", "Where is Bonn ?"]
    assert questions.labels.tolist() == ["DESC", "LOC"]
