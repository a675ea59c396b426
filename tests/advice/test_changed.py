import numpy as np
import pytest

import corral
from corral.advice.changed import changed, check_labeler
from corral.text_table import MOST, text_table


def test_multilabel_columns_are_for_themselves():
    before = np.array([[0.9, 0.6], [0.9, 0.2]])
    after = np.array([[0.6, 0.9], [0.9, 0.6]])
    assert changed(before, after, multilabel=True).tolist() == [False, True]
    assert changed(before, after).tolist() == [True, False]


def test_only_labelers_are_taken():
    with pytest.raises(corral.errors.ParameterError, match="str was given"):
        check_labeler("auto")


def test_long_tables_are_cut():
    rows = [(f"s{i}", str(i)) for i in range(MOST + 5)]
    lines = text_table(("signal", "number"), rows).splitlines()
    assert len(lines) == MOST + 2
    assert lines[-1] == "and 5 more"
    assert len(text_table(("signal", "number"), rows[:MOST]).splitlines()) == MOST + 1
