"""Images like one example: METHODS i, by hand."""

import numpy as np
import pytest

import corral
from corral.errors import ParameterError, SignalsError
from corral.functions import by_exemplar, exemplar


def test_the_worked_example():
    images = np.arange(1.0, 12.0).reshape(11, 1, 1)
    said = exemplar(np.zeros((1, 1)), 0, percentile=10).apply(images)
    expected = [0.731059, 0.5, 0.268941, 0.119203, 0.047426]
    np.testing.assert_allclose(said.confidence[:5], expected, atol=1e-6)


@pytest.mark.parametrize(("distance", "order"), [("euclidean", 2), ("manhattan", 1)])
def test_only_the_mask_counts(monkeypatch, distance, order):
    monkeypatch.setattr(by_exemplar, "BLOCK", 40)
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (50, 6, 6, 3), np.uint8)
    mask = rng.random((6, 6, 3)) < 0.3
    like = exemplar(images[7], "x", mask=mask, distance=distance, percentile=20)
    apart = [np.linalg.norm((x.astype(float) - images[7])[mask], order) for x in images]
    np.testing.assert_allclose(like.distances(images), apart)
    said = like.apply(images).confidence
    assert (said >= 0.5).sum() == 10
    cut = np.percentile(apart, 20)
    fixed = exemplar(images[7], "x", mask=mask, distance=distance, threshold=cut)
    np.testing.assert_allclose(fixed.apply(images[:5]).confidence, said[:5])


def test_in_the_form_of_the_paper():
    images = np.array([0.0, 1.0, 9.0]).reshape(3, 1, 1)
    functions = [exemplar(*pair) for pair in zip(images, "abc", strict=True)]
    signals = corral.apply(functions, images, one_vs_rest=True)
    assert signals.kind.value == "one-vs-rest"
    assert signals.columns.tolist() == [[0, 0], [1, 1], [2, 2]]
    np.testing.assert_allclose(
        signals.values[2][0], functions[2].apply(images).confidence
    )


def test_an_image_with_a_missing_pixel_abstains_alone():
    images = np.arange(1.0, 12.0).reshape(11, 1, 1)
    like = exemplar(np.zeros((1, 1)), 0)
    spoiled = np.concatenate([images, [[[np.nan]]]])
    said = like.apply(spoiled)
    assert said.to_list()[-1] is None
    np.testing.assert_array_equal(said.confidence[:-1], like.apply(images).confidence)
    assert like.apply(spoiled[-1:]).to_list() == [None]


def test_exemplars_are_checked():
    image = np.zeros((2, 2))
    with pytest.raises(ParameterError, match="the reference has NaN"):
        exemplar([[np.nan, 1.0]], "x")
    exemplar([[np.nan, 1.0]], "x", mask=[[False, True]])
    with pytest.raises(ParameterError, match="threshold must be a finite"):
        exemplar(image, "x", threshold=np.nan)
    for mask in (np.zeros((2, 2), bool), np.ones(2, bool), np.ones((2, 2))):
        with pytest.raises(ParameterError, match="mask must be true or false"):
            exemplar(image, "x", mask=mask)
    with pytest.raises(ParameterError, match="percentile must be above 0"):
        exemplar(image, "x", percentile=0)
    with pytest.raises(ParameterError, match="distance must be"):
        exemplar(image, "x", distance="cosine")
    with pytest.raises(SignalsError, match=r"shape \(2, 2\), the images \(3,\)"):
        exemplar(image, "x").apply(np.zeros((5, 3)))
