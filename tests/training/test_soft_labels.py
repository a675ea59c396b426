"""Labels of every form become probabilities and weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corral import ConstrainedLabeler, WeakSignals
from corral.errors import ParameterError, SignalsWarning
from corral.training.soft_labels import expected_accuracy, read_soft_labels

SEVERAL = "several ones in a row are read as several possible classes"


@pytest.mark.filterwarnings(f"ignore:{SEVERAL}")
@given(arrays(float, (7, 3), elements=st.floats(0, 1)), st.floats(0, 1))
def test_probability_times_weight_never_exceeds_the_label(y, low):
    covered = np.arange(7) < 5
    y[0] = 0.5, 0.5, 0.0
    y[1] = 1.0, 1.0, 0.0
    several = (y.sum(axis=1) > 1) & (y != np.rint(y)).any(axis=1)
    y[several] /= y[several].sum(axis=1, keepdims=True)
    read = read_soft_labels(y, covered=covered, uncovered_weight=low)
    known = y.sum(axis=1) > 0
    np.testing.assert_allclose(read.probabilities[known].sum(axis=1), 1)
    assert not read.probabilities[~known].any()
    assert not read.weights[~known].any()
    least = np.minimum(y, y / np.maximum(y.sum(axis=1, keepdims=True), 1e-300))
    expected = least * np.where(covered, 1, low)[:, None]
    np.testing.assert_allclose(
        read.probabilities * read.weights[:, None], expected, atol=1e-5
    )


@pytest.mark.filterwarnings(f"ignore:{SEVERAL}")
def test_the_input_is_not_changed():
    y = np.array([[0.2, 0.2], [np.nan, np.nan], [1.0, 1.0]])
    before = y.copy()
    read_soft_labels(y)
    np.testing.assert_array_equal(y, before)


@pytest.mark.parametrize(
    ("y", "classes", "weights", "values"),
    [
        ([1, 0, -1], [0, 1], [1, 1, 0], [0, 1]),
        ([1, 1, -1], None, [1, 1, 1], [-1, 1]),
        ([1, 0, -1], [-1, 0, 1], [1, 1, 1], [-1, 0, 1]),
        ([1.0, np.nan, 0.0], None, [1, 0, 1], [0, 1]),
        (np.array(["b", None, "a"], object), None, [1, 0, 1], ["a", "b"]),
        (np.array(["b", np.nan, "a"], object), ["b", "a"], [1, 0, 1], ["b", "a"]),
        (["b", "b", "a"], ["b", "c", "a"], [1, 1, 1], ["b", "c", "a"]),
    ],
)
def test_class_values_with_no_answer(y, classes, weights, values):
    read = read_soft_labels(y, classes)
    assert read.weights.tolist() == weights
    assert read.classes.tolist() == values
    for label, row, weight in zip(y, read.probabilities, weights, strict=True):
        expected = [value == label for value in values] if weight else 0
        np.testing.assert_array_equal(row, expected)


def test_missing_text_of_pandas():
    pandas = pytest.importorskip("pandas")
    read = read_soft_labels(pandas.Series(["b", None, "a"], dtype="string"))
    assert read.classes.tolist() == ["a", "b"]
    assert read.weights.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"y": [[0.5, np.nan]]}, "NaN in the whole row"),
        ({"y": [["a", "b"]]}, "must be numbers"),
        ({"y": [[0.5, 0.5]], "uncovered_weight": 2}, "uncovered_weight.*2"),
        ({"y": [[0.5, 0.5]], "uncovered_weight": "x"}, "uncovered_weight.*'x'"),
        ({"y": [[0.5, 0.5]], "sample_weight": ["x"]}, "sample_weight must be numbers"),
        ({"y": [[0.5, 0.5]], "covered": [1]}, "1 times True or False.*int"),
        ({"y": [[0.5, 0.5]], "covered": [True, True]}, "1 times True or False"),
        ({"y": [[0.5, 0.5]], "covered": [False]}, "nothing is left"),
        ({"y": [[0.5, 0.5]], "classes": [["a"], ["b"]]}, "different values"),
        ({"y": [0.2, 0.8]}, "continuous.*one column per class"),
        ({"y": [np.inf, 1.0]}, "infinite"),
        ({"y": [None, None]}, "nothing is left"),
        ({"y": [1, 0, -1]}, "classes=labeler.classes_"),
        ({"y": [[0.5, 0.5], [0.9, 0.8]]}, r"example 1 add up to 1.7.*each column"),
    ],
)
def test_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        read_soft_labels(**call)


def test_the_labels_of_a_multilabel_task_are_refused():
    """One class used to be trained on, of the several that an example has."""
    w = np.random.default_rng(0).random((3, 40, 3)).round()
    signals = WeakSignals.from_one_vs_rest(w, classes=["ant", "bee", "cow"])
    labeler = ConstrainedLabeler(0.2, "entropy", multilabel=True)
    labels = labeler.fit(signals).labels_
    with pytest.raises(ParameterError, match="train one classifier for each column"):
        read_soft_labels(labels, labeler.classes_)
    hard = labeler.predict(signals)
    with pytest.warns(SignalsWarning, match=f"{SEVERAL}.*one classifier per column"):
        read_soft_labels(hard, labeler.classes_)
    for column in hard.T:
        assert read_soft_labels(column).weights.all()
    for p in labels.T:
        assert read_soft_labels(np.column_stack([1 - p, p])).weights.all()


def test_single_precision_is_no_multilabel_task():
    y = np.random.default_rng(0).dirichlet(np.ones(50), 30).astype(np.float32)
    assert read_soft_labels(y).weights.tolist() == [1] * 30


@pytest.mark.parametrize(
    "row", [[0.334, 0.334, 0.333], [0.34, 0.34, 0.33], [0.34, 0.34, 0.34]]
)
def test_rounded_probabilities_are_no_multilabel_task(row):
    read = read_soft_labels([row])
    assert read.weights.tolist() == [1]
    np.testing.assert_allclose(read.probabilities, [np.array(row) / sum(row)])


def test_a_sum_is_printed_with_its_digits():
    with pytest.raises(ParameterError, match=r"add up to 1\.0201; "):
        read_soft_labels([[0.6, 0.4201]])


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]], (0.9 + 0.6 + 0.5) / 3),
        ([[0.5, 0.0], [0.0, 0.0], [0.0, 1.0]], 0.5 / 1.5),
        (["a", "b", "b"], 2 / 3),
        (np.array(["a", None, np.nan], object), 1),
        (["a", "new", "a"], 2 / 3),
    ],
)
def test_expected_accuracy(y, expected):
    found = expected_accuracy(np.array([0, 1, 0]), y, np.array(["a", "b"]))
    assert found == pytest.approx(expected)


def test_expected_accuracy_with_weights_and_numbers():
    predicted, classes = np.array([0, 1, 0]), np.array([3, 5])
    assert expected_accuracy(predicted, [3, 5, 5], classes, [1, 1, 2]) == 0.5
    assert expected_accuracy(predicted, [3.0, np.nan, -1.0], classes) == 1
    with pytest.raises(ParameterError, match=r"label '3' is not one .*\[3, 5\]"):
        expected_accuracy(predicted, ["3", "5", "5"], classes)
    with pytest.raises(ParameterError, match=r"3 examples .* with 2 labels"):
        expected_accuracy(predicted, [3, 5], classes)
    with pytest.raises(ParameterError, match="nothing is left"):
        expected_accuracy(predicted, [-1, -1, -1], classes)
