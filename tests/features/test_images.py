"""Pixels from 0 to 1."""

import numpy as np
import pytest

from corral.errors import ParameterError
from corral.features import normalise_images


@pytest.mark.parametrize(
    ("dtype", "brightest", "given"),
    [
        ("u1", 255, None),
        ("u2", 65535, None),
        ("u1", 16, 16),
        ("f8", 16, 16),
        ("i8", 9, 9),
    ],
)
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 4, 3)])
def test_the_brightest_becomes_one(dtype, brightest, given, shape):
    images = np.random.default_rng(0).integers(0, brightest + 1, shape).astype(dtype)
    images.flat[0] = brightest
    made = normalise_images(images, given)
    assert made.dtype == np.float32
    assert made.max() == 1
    np.testing.assert_allclose(made, images / brightest, rtol=1e-6)


@pytest.mark.parametrize(
    ("images", "brightest", "message"),
    [
        (np.zeros((3, 4), "u1"), None, r"\(3, 4\)"),
        (np.zeros((1, 3, 4)), None, "brightest="),
        (np.full((1, 3, 4), 300.0), 255, "from 300 to 300"),
        (np.full((1, 3, 4), np.nan), 255, "nan"),
        (np.full((1, 3, 4), -1), 255, "-1"),
        (np.zeros((1, 3, 4)), 0, "above zero"),
    ],
)
def test_refused(images, brightest, message):
    with pytest.raises(ParameterError, match=message):
        normalise_images(images, brightest)
