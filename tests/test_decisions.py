"""From probabilities to answers."""

import numpy as np

from corral import decisions


def test_tie_share():
    p = [[0.5, 0.5, 0.0], [0.4, 0.3, 0.3], [1 / 3, 1 / 3, 1 / 3], [0.0, 1e-12, 1.0]]
    assert decisions.tie_share(p) == 0.5


def test_class_values_of_unsigned_classes():
    chosen, silent = np.array([0, 1, 1]), np.array([False, False, True])
    small = decisions.class_values(chosen, silent, np.array([3, 5], np.uint8))
    assert small.tolist() == [3, 5, -1]
    large = decisions.class_values(chosen, silent, np.array([3, 2**64 - 1], np.uint64))
    assert large.tolist() == [3, 2**64 - 1, None]
