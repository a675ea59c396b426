import numpy as np
import pytest

import corral
from corral.study.rate_changes import check_labeler, find_changed_labels


def test_every_multilabel_column_is_a_label():
    before = np.array([[0.9, 0.6], [0.9, 0.2]])
    after = np.array([[0.6, 0.9], [0.9, 0.6]])
    assert find_changed_labels(before, after, multilabel=True).tolist() == [False, True]
    assert find_changed_labels(before, after).tolist() == [True, False]


def test_only_labelers_are_taken():
    with pytest.raises(corral.errors.ParameterError, match="str was given"):
        check_labeler("auto")
