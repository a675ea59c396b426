"""What is read as labels and known classes, and what is refused."""

import numpy as np
import pytest

from corral import ConstrainedLabeler, WeakSignals, calibrate, reliability
from corral.datasets import random_votes
from corral.errors import CorralError
from corral.training.calibration import read_known

LABELS = [[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]]


@pytest.mark.parametrize("unknown", [None, float("nan"), -1, ""])
def test_unknown_classes(unknown):
    found = read_known(LABELS, [1, unknown, 0], None, None)
    assert found.probabilities.tolist() == [LABELS[0], LABELS[2]]
    assert found.truth.tolist() == [1, 0]
    assert found.classes.tolist() == [0, 1]


def test_minus_one_may_be_a_class():
    found = read_known(LABELS, [-1, 1, None], [-1, 1], None)
    assert found.truth.tolist() == [0, 1]


def test_frames_are_read():
    pd = pytest.importorskip("pandas")
    y = pd.Series(["b", pd.NA, "a"], dtype="string")
    found = read_known(pd.DataFrame(LABELS), y, ["a", "b"], None)
    assert found.truth.tolist() == [1, 0]


def test_rows_without_weight_are_left_out():
    found = read_known(LABELS, [0, 1, 0], None, [0, 2, 1])
    assert found.weights.tolist() == [2, 1]
    assert len(found.truth) == 2


def test_single_precision_is_taken():
    labels = np.random.default_rng(0).dirichlet(np.ones(50), 3).astype(np.float32)
    assert read_known(labels, [3, 4, 5], None, None).truth.tolist() == [3, 4, 5]


@pytest.mark.parametrize("ask", [calibrate, reliability])
@pytest.mark.parametrize(
    ("labels", "y", "options", "match"),
    [
        ([0.1, 0.9, 0.5], [0, 1, 1], {}, r"shape given is \(3,\)"),
        ([[0.5], [1.0]], [0, 1], {}, r"np.column_stack\(\[1 - p, p\]\)"),
        ([["x", "y"]], [0], {}, "array of numbers"),
        ([[0.5, 0.6]], [0], {}, "add up to one"),
        ([[1.5, -0.5]], [0], {}, "add up to one"),
        ([[0.5, np.nan]], [0], {}, "add up to one"),
        (LABELS, [0, 1], {}, "each of the 3 examples"),
        (LABELS, [[0], [1], [1, 0]], {}, r"\[0\] is not one of"),
        (LABELS, ["a", "b", "a"], {}, "`classes=`"),
        (LABELS, [None] * 3, {}, "at least one example"),
        (LABELS, [0, None, None], {"sample_weight": [0, 1, 1]}, "at least one"),
        (LABELS, [0, 1, 0], {"sample_weight": [1, 1]}, "sample_weight"),
        (LABELS, [0, 1, 0], {"classes": ["a", "b", "c"]}, r"\(n, 3\)"),
        (LABELS, [0, 1, 0], {"classes": "ab"}, "list of class values"),
    ],
)
def test_bad_input_is_refused(ask, labels, y, options, match):
    with pytest.raises(CorralError, match=match):
        ask(labels, y, **options)


def test_a_labeler_knows_its_classes():
    labeler = ConstrainedLabeler(0.1, "entropy").fit([["a", "b"], ["a", "a"]])
    assert read_known(labeler, ["b", "a"], None, None).truth.tolist() == [1, 0]
    with pytest.raises(CorralError, match="knows its classes"):
        calibrate(labeler, ["b", "a"], classes=["a", "b"])


def test_multi_label_rows_are_refused():
    signals = WeakSignals.from_one_vs_rest([[[1, 1], [0, 1]], [[1, 1], [1, 0]]])
    labeler = ConstrainedLabeler(0.2, "entropy", multilabel=True).fit(signals)
    with pytest.raises(CorralError, match="one by one"):
        calibrate(labeler, [0, 1])


def test_rows_of_a_labeler_count_as_often_as_they_were_fitted():
    votes, truth = random_votes(600, [0.9, 0.7, 0.6], coverage=0.8)
    rows, counts = np.unique(
        np.column_stack([votes, truth]), axis=0, return_counts=True
    )
    counted = WeakSignals.from_votes(rows[:, :-1], counts=counts)
    each = calibrate(ConstrainedLabeler().fit(votes), truth)
    all_at_once = calibrate(ConstrainedLabeler().fit(counted), rows[:, -1])
    assert all_at_once.slope == pytest.approx(each.slope, rel=1e-4)
    assert all_at_once.n_labelled == each.n_labelled
