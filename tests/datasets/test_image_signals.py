"""Exemplars and pseudo-labels (METHODS i), and which images they may look at."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

from corral.datasets import (
    exemplar_signals,
    first_of_each,
    nearness,
    pseudo_label_signals,
)
from corral.errors import ParameterError


@pytest.fixture(scope="module")
def digits():
    bunch = load_digits()
    known = first_of_each(bunch.target, 5)
    return bunch.images / 16, known, bunch.target


def test_nearness_as_in_the_worked_example():
    found = nearness(np.arange(1, 12), 0.1)
    expected = [0.731059, 0.5, 0.268941, 0.119203, 0.047426]
    np.testing.assert_allclose(found[:5], expected, atol=5e-7)
    assert nearness([0, 1e6], 0.5)[1] == 0  # no overflow, no warning


def test_first_of_each_class():
    labels = np.array([2, 0, 2, 2, 1, 0, 0])
    assert first_of_each(labels, 2).tolist() == [0, 1, 2, 4, 5]


def test_exemplars_are_near_their_own_class(digits):
    images, known, y = digits
    said = exemplar_signals(images, images[known], y[known], n_signals=3, block=2)
    assert said.shape == (3, len(y), 10)
    # One tenth of the images is nearest; half of it at random, more if it means anything.
    np.testing.assert_allclose((said >= 0.5).mean(axis=1), 0.1, atol=0.01)
    right = (said.argmax(axis=2) == y).mean(axis=1)
    assert (right > 0.3).all()
    assert not np.allclose(said[0], said[1])


def test_the_distance_is_that_of_marked_pixels_to_a_known_image():
    rng = np.random.default_rng(3)
    images, labels = rng.random((40, 5, 5)), np.arange(40) % 2
    said = exemplar_signals(images, images[:2], labels[:2], n_signals=1, block=99)
    for k in (0, 1):  # one image a class, all pixels marked
        distances = np.linalg.norm((images - images[k]).reshape(40, -1), axis=1)
        np.testing.assert_allclose(said[0, :, k], nearness(distances, 0.5))


def test_colours_count():
    rng = np.random.default_rng(3)
    images = rng.random((12, 6, 6, 3))
    said = exemplar_signals(images, images[:4], [0, 0, 1, 1], n_signals=2)
    assert said.shape == (2, 12, 2)
    grey = exemplar_signals(
        images[..., 0], images[:4, ..., 0], [0, 0, 1, 1], n_signals=2
    )
    assert not np.allclose(said, grey)


def test_the_seed_decides(digits):
    images, known, y = digits
    few = images[known], y[known]
    one, same, other = (
        exemplar_signals(images[:50], *few, n_signals=1, seed=s) for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_pseudo_labels_are_what_the_model_says(digits):
    images, known, y = digits
    said = pseudo_label_signals(images, images[known], y[known])
    assert said.shape == (1, len(y), 10)
    np.testing.assert_allclose(said.sum(axis=2), 1)
    assert (said[0].argmax(axis=1) == y).mean() > 0.7
    tree = DecisionTreeClassifier(random_state=0)
    grown = pseudo_label_signals(images, images[known], y[known], estimator=tree)
    assert set(np.unique(grown)) == {0, 1}
    assert not hasattr(tree, "classes_")  # a copy was fitted


@pytest.mark.parametrize(
    ("known", "labels"),
    [
        (np.zeros((2, 4, 4)), [0, 1]),
        (np.zeros((2, 5, 5)), [0]),
        (np.zeros((2, 25)), [0, 1]),
    ],
)
def test_images_that_do_not_fit(known, labels):
    with pytest.raises(ParameterError, match="same height and width"):
        exemplar_signals(np.zeros((3, 5, 5)), known, labels)
