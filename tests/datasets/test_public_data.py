"""Every public data set in the folder, through `load`: sizes, classes and hashes."""

import shutil

import numpy as np
import pytest

from corral import ConstrainedLabeler, datasets
from corral.datasets.catalogue import CATALOGUE
from corral.datasets.data_files import sha256_of
from corral.errors import StorageError
from corral.features import WordVectors

pytestmark = pytest.mark.data

# From the description of the data; None: no such part.
SIZES = {
    "sst2": (6920, None, 1821),
    "imdb": (25_000, None, 25_000),
    "yelp": (4484, None, 4455),
    "trec": (5452, None, 500),
    "svhn": (1083, None, 949),
    "fashion_mnist": (60_000, None, 10_000),
    "wrench/youtube": (1586, 120, 250),
    "wrench/trec": (5033, 500, 500),
    "votes/youtube": (1843, None, None),
    "votes/cdr": (12_562, None, None),
    "votes/commercial": (81_105, None, None),
    "votes/yelp": (31_512, None, None),
    "votes/trec": (5738, None, None),
    "votes/semeval": (2527, None, None),
    "crowd/bluebirds": (108, None, None),
    "crowd/rte": (800, None, None),
    "crowd/dogs": (807, None, None),
    "paper/sst2": (3998, None, None),
    "paper/imdb": (29_182, None, None),
    "paper/trec": (2946, None, None),
    "paper/fashion_mnist": (60_000, None, 10_000),
    "paper/svhn": (73_257, None, None),
    "paper/breast_cancer": (227, None, 171),
}
SIGNALS = {
    "wrench/youtube": (10, 2),
    "wrench/trec": (68, 6),
    "votes/semeval": (164, 9),
    "crowd/bluebirds": (39, 2),
    "crowd/dogs": (109, 4),
    "paper/sst2": (14, 2),
    "paper/imdb": (10, 2),
    "paper/trec": (5, 6),
    "paper/fashion_mnist": (4, 10),
    "paper/svhn": (6, 10),
    "paper/breast_cancer": (3, 2),
}


def test_no_data_set_is_forgotten():
    assert CATALOGUE.keys() == SIZES.keys() | {"glove", "glove_42b"}


@pytest.mark.parametrize("name", [name for name in SIZES if name != "imdb"])
def test_sizes_and_classes(name, data):
    check(datasets.load(name, folder=data), name)


@pytest.mark.xdist_group("imdb")  # one worker reads the reviews
def test_sizes_and_classes_of_imdb(imdb):
    check(imdb, "imdb")
    assert imdb.notes == (
        "aclImdb_v1.tar.gz: repacked, without the reviews that have no label",
    )


def check(found, name):
    parts = (found.train, found.valid, found.test)
    assert tuple(part and len(part) for part in parts) == SIZES[name]
    for part in filter(None, parts):
        assert set(part.labels) <= set(found.classes)
    assert set(found.train.labels) == set(found.classes)
    if name in SIGNALS:
        signals = found.train.signals
        assert (signals.n_signals, signals.n_classes) == SIGNALS[name]
    assert found.name == name


def test_glove(data, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = datasets.load("glove", folder=data)
    assert found.vectors.shape == (85_177, 100)
    assert list(found.words)[:2] == ["the", ","]
    assert found.notes == ("glove.100d.txt.gz: 85,177 words of glove.6B.100d.txt",)
    first = WordVectors(found).fit_transform(["The unheardofword"])
    np.testing.assert_allclose(first[0, :3], [-0.038194, -0.24487, 0.72812])


def test_fashion_mnist_and_svhn_by_the_first_examples(data):
    garments = datasets.load("fashion_mnist", folder=data)
    assert garments.train.labels[:3].tolist() == [
        "ankle boot",
        "t-shirt/top",
        "t-shirt/top",
    ]
    digits = datasets.load("svhn", folder=data)
    stored = np.load(data / "svhn" / "all_labels.npz")
    np.testing.assert_array_equal(digits.train.labels, stored["train"][:1083] % 10)
    np.testing.assert_array_equal(digits.test.labels, stored["test"][:949] % 10)


def test_the_papers_label_accuracy_on_its_own_signals(data):
    train = datasets.load("paper/sst2", folder=data).train
    labeler = ConstrainedLabeler(error_rates=0.01, solver="adagrad").fit(train.signals)
    assert labeler.score(train.signals, train.labels) == pytest.approx(0.678, abs=1e-3)


@pytest.mark.parametrize("name", ["trec", "crowd/dogs", "sst2", "votes/youtube"])
def test_truncated_renamed_and_wrong_files(name, data, tmp_path):
    paths = CATALOGUE[name][0].paths
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(data / path, tmp_path / path)
    first, last = tmp_path / paths[0], data / paths[-1]
    assert len(datasets.load(name, folder=tmp_path).train) == SIZES[name][0]
    whole = first.read_bytes()
    others = [whole[: whole.rfind(b"\n", 0, len(whole) // 2) + 1], whole + b"\n"]
    if len(paths) > 1:
        others.append(last.read_bytes())  # one file under the name of the other
    for content in others:
        first.write_bytes(content)
        with pytest.raises(StorageError) as error:
            datasets.load(name, folder=tmp_path)
        expected = sha256_of(data / paths[0])
        assert expected in str(error.value)
        assert f"found sha256 {sha256_of(first)}" in str(error.value)
