"""Shares over all rows, and what they are compared with."""

import numpy as np
import pytest
from scipy.stats import beta
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.panels.shares import correct_votes, count_labels, count_votes


def test_rogan_and_gladen_by_hand():
    """(apparent + specificity - 1) / (sensitivity + specificity - 1) of the vote."""
    votes, truth = make_votes(5000, own=(0.2,), shared=0)
    known = hide(truth, 400)
    evidence = find_evidence(votes, known)
    rows = known >= 0
    said, true = votes[rows, 0], truth[rows]
    sensitivity = (np.sum(said & true) + 0.25) / (true.sum() + 0.5)
    specificity = (np.sum((1 - said) & (1 - true)) + 0.25) / ((1 - true).sum() + 0.5)
    want = (votes.mean() + specificity - 1) / (sensitivity + specificity - 1)
    assert correct_votes(evidence)[1] == pytest.approx(want)
    assert count_votes(evidence)[1] == pytest.approx(votes.mean())


def test_labels_alone_are_counted():
    votes, truth = make_votes(500)
    known = hide(truth, 50)
    found = count_labels(find_evidence(votes, known))
    assert found.value[1] == pytest.approx(truth[known >= 0].mean())
    assert found.low[1] < found.value[1] < found.high[1]


def test_a_class_that_no_label_has_is_rare():
    """Jeffreys' interval of none of 60, widened by Student's t."""
    votes, truth = make_votes(30_000, share=0.3)
    votes[0], truth[0] = 2, 2
    known = hide(truth, 60)
    known[0] = -1
    found = count_labels(find_evidence(votes, known))
    assert found.value[2] == found.low[2] == 0
    assert found.high[2] == pytest.approx(beta(0.5, 60.5).ppf(0.95), rel=0.03)
