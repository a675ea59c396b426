"""Exemplars and clicks (METHODS i): drawn from few images, where classes differ."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from corral.datasets import draw_exemplars, first_of_each
from corral.errors import ParameterError


def test_first_of_each_class():
    labels = np.array([2, 0, 2, 2, 1, 0, 0])
    assert first_of_each(labels, 2).tolist() == [0, 1, 2, 4, 5]


def test_every_class_gets_exemplars_of_its_own():
    bunch = load_digits()
    images, y = bunch.images[:100], bunch.target[:100]
    rules = draw_exemplars(images, y, n_signals=3)
    assert [rule.label for rule in rules] == [*range(10)] * 3
    assert len({rule.name for rule in rules}) == 30
    for rule in rules:
        same = (images == rule.exemplar).all(axis=(1, 2))
        assert set(y[same]) == {rule.label}


def test_clicks_are_where_classes_differ():
    images = np.zeros((6, 20, 20))
    images[:3, 10, 5] = 1  # the only pixel that tells "a" from "b"
    rules = draw_exemplars(images, list("aaabbb"), n_signals=1, clicks=2)
    expected = np.zeros((20, 20), bool)
    expected[7:13, 2:8] = True  # 6 x 6, three before and two after
    for rule in rules:
        np.testing.assert_array_equal(rule.mask, expected)


def test_a_block_ends_where_the_image_ends():
    images = np.zeros((2, 4, 4))
    images[0, 0, 3] = 1
    first, _ = draw_exemplars(images, [0, 1], n_signals=1, block=4)
    expected = np.zeros((4, 4), bool)
    expected[:2, 1:] = True
    np.testing.assert_array_equal(first.mask, expected)


def test_colours_are_marked_together():
    images = np.random.default_rng(0).random((4, 9, 9, 3))
    for rule in draw_exemplars(images, [0, 0, 1, 1]):
        assert rule.mask.shape == (9, 9, 3)
        assert (rule.mask.any(axis=2) == rule.mask.all(axis=2)).all()


def test_classes_that_do_not_differ_are_clicked_on_all_the_same():
    for rule in draw_exemplars(np.ones((4, 9, 9)), [0, 0, 1, 1]):
        assert rule.mask.any()


def test_the_seed_decides():
    bunch = load_digits()
    few = bunch.images[:50], bunch.target[:50]
    one, same, other = (draw_exemplars(*few, seed=s) for s in (0, 0, 1))
    masks = [np.array([rule.mask for rule in rules]) for rules in (one, same, other)]
    np.testing.assert_array_equal(masks[0], masks[1])
    assert (masks[0] != masks[2]).any()


@pytest.mark.parametrize(
    ("shape", "labels"), [((2, 25), [0, 1]), ((2, 5, 5), [0]), ((2, 5, 5), [1, 1])]
)
def test_images_that_do_not_fit(shape, labels):
    with pytest.raises(ParameterError, match="images must be"):
        draw_exemplars(np.zeros(shape), labels)
