"""Texts as means of word vectors."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from corral import SoftLabelClassifier
from corral.errors import ParameterError
from corral.features import WordVectors, open_vectors, word_vectors

VECTORS = {"good": [1, 0], "bad": [-1, 0], "film": [0, 1], "Film": [0, 5]}
TEXTS = ["good good film", "A bad Film, really!", "", "unknown", "good"]


@pytest.fixture
def path(tmp_path):
    lines = (f"{word} {a} {b}\n" for word, (a, b) in VECTORS.items())
    file = tmp_path / "v.txt"
    file.write_text("".join(lines))
    return file


@pytest.fixture
def vectors(path, tmp_path):
    return open_vectors(path, tmp_path)


def by_hand(words, number):
    return np.sum([VECTORS[word] for word in words] or [[0, 0]], axis=0) / max(
        1, number
    )


@pytest.mark.parametrize("at_once", [1, 2, 100])
@pytest.mark.parametrize(
    ("clean", "divide_by", "found"),
    [
        (True, "known", [("good good film", 3), ("bad film", 2), ("good", 1)]),
        (True, "all", [("good good film", 3), ("bad film", 4), ("good", 1)]),
        (False, "known", [("good good film", 3), ("bad", 1), ("good", 1)]),
        (False, "all", [("good good film", 3), ("bad", 4), ("good", 1)]),
    ],
)
def test_means(vectors, monkeypatch, at_once, clean, divide_by, found):
    monkeypatch.setattr(word_vectors, "TEXTS", at_once)
    first, second, last = (by_hand(text.split(), number) for text, number in found)
    made = WordVectors(vectors, clean=clean, divide_by=divide_by)
    means = made.fit_transform(TEXTS)
    assert means.dtype == np.float32
    expected = [first, second, [0, 0], [0, 0], last]
    np.testing.assert_allclose(means, expected, rtol=1e-6)


def test_manners(vectors):
    made = clone(WordVectors(vectors, divide_by="all"))
    assert made.get_params()["divide_by"] == "all"
    with pytest.raises(NotFittedError):
        made.transform(TEXTS)
    expected = made.fit_transform(np.array(TEXTS))
    back = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(back.transform(iter(TEXTS)), expected)
    assert made.get_feature_names_out().tolist() == ["wordvectors0", "wordvectors1"]
    assert made.transform([]).shape == (0, 2)


def test_in_a_pipeline_with_soft_labels(path, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = make_pipeline(WordVectors(path), SoftLabelClassifier())
    soft = np.array([[0.1, 0.9], [0.8, 0.2]])
    model.fit(["a good film", "a bad film"], soft)
    assert model.predict(["good", "bad"]).tolist() == [1, 0]


def test_refused(vectors):
    made = WordVectors(vectors).fit()
    with pytest.raises(ParameterError, match="one text came: 'good'"):
        made.transform("good")
    with pytest.raises(ParameterError, match="number 1 is NoneType"):
        made.transform(["good", None])
    with pytest.raises(ParameterError, match=r"divide_by.*'some'"):
        WordVectors(vectors, divide_by="some").fit()
