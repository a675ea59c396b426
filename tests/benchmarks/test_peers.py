"""Label models of other libraries, as the benchmarks call them."""

import numpy as np
import pytest

from benchmarks import peers
from corral import WeakSignals
from corral.datasets import random_votes


@pytest.mark.filterwarnings("ignore")  # of the peers
@pytest.mark.parametrize("name", ["snorkel", "hyperlm"])
def test_labels_are_probabilities_and_better_than_guessing(name):
    pytest.importorskip(name)
    votes, truth = random_votes(300, [0.9, 0.8, 0.8, 0.7, 0.8], coverage=0.8)
    votes[0] = -1
    labels = getattr(peers, name)(WeakSignals.from_votes(votes, classes=[0, 1]))
    np.testing.assert_allclose(labels.sum(axis=1), 1)
    np.testing.assert_allclose(labels[0], 0.5)
    assert (labels.argmax(axis=1) == truth)[1:].mean() > 0.8
