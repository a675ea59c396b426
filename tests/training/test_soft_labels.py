"""Labels of every form become probabilities and weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.tree import DecisionTreeClassifier

from corral import ConstrainedLabeler, SoftLabelClassifier, WeakSignals
from corral.errors import CorralError, ParameterError
from corral.training.soft_labels import read_labels, split_weights


def read(y, classes=None, sample_weight=None):
    values, soft = read_labels(y, classes)
    return values, *split_weights(soft, sample_weight)


@given(arrays(float, (7, 3), elements=st.floats(0, 1)))
def test_probability_times_weight_is_the_label(y):
    y[0] = 0.5, 0.5, 0.0
    y /= np.maximum(y.sum(axis=1, keepdims=True), 1)
    _, soft, weights = read(y)
    known = y.sum(axis=1) > 0
    np.testing.assert_allclose(soft[known].sum(axis=1), 1)
    assert not soft[~known].any()
    assert not weights[~known].any()
    np.testing.assert_allclose(soft * weights[:, None], y, atol=1e-5)


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
    found, soft, counted = read(y, classes)
    assert counted.tolist() == weights
    assert found.tolist() == values
    for label, row, weight in zip(y, soft, weights, strict=True):
        expected = [value == label for value in values] if weight else 0
        np.testing.assert_array_equal(row, expected)


EVEN = [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        *(
            ({"y": y}, "soft labels")
            for y in ([[0.5, np.nan]], [["a", "b"]], [[-1, 2]])
        ),
        ({"y": EVEN, "sample_weight": ["x"]}, "sample_weight"),
        ({"y": [[np.nan, np.nan]]}, "nothing"),
        ({"y": EVEN, "classes": [["a"], ["b"]]}, "classes"),
        ({"y": EVEN, "classes": ["a", "a"]}, "classes"),
        ({"y": EVEN, "classes": "ab"}, "classes"),
        ({"y": EVEN, "classes": ["a", "b", "c"]}, "one column per class"),
        ({"y": [EVEN]}, "one column per class"),
        ({"y": [0.2, 0.8]}, "continuous"),
        ({"y": [np.inf, 1.0]}, "infinite"),
        ({"y": [None, None]}, "nothing"),
        ({"y": [1, 0, -1]}, "classes="),
        ({"y": [[0.5, 0.5], [0.9, 0.8]]}, "column"),
    ],
)
def test_refused(call, word):
    with pytest.raises(CorralError, match=word):
        read(**call)


def test_the_labels_of_a_multilabel_task_are_refused():
    """One class used to be trained on, of the several that an example has."""
    w = np.random.default_rng(0).random((3, 40, 3)).round()
    signals = WeakSignals.from_one_vs_rest(w, classes=["ant", "bee", "cow"])
    labeler = ConstrainedLabeler(0.2, "entropy", multilabel=True)
    labels = labeler.fit(signals).labels_
    with pytest.raises(ParameterError, match="train one classifier for each column"):
        read(labels, labeler.classes_)
    hard = labeler.predict(signals)
    for column in hard.T:
        assert read(column)[2].all()
    for p in labels.T:
        assert read(np.column_stack([1 - p, p]))[2].all()


@pytest.mark.parametrize(
    "row", [[0.334, 0.334, 0.333], [0.34, 0.34, 0.33], [0.34, 0.34, 0.34]]
)
def test_rounded_probabilities_are_no_multilabel_task(row):
    _, soft, weights = read([row])
    assert weights.tolist() == [1]
    np.testing.assert_allclose(soft, [np.array(row) / sum(row)])


def fit_tree(classes):
    """Predicts the first class for 0, the second for 1."""
    tree = SoftLabelClassifier(DecisionTreeClassifier(), prior=None)
    return tree.fit([[0], [1]], np.eye(2), classes=classes)


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
def test_the_score_is_the_expected_accuracy(y, expected):
    assert fit_tree(["a", "b"]).score([[0], [1], [0]], y) == pytest.approx(expected)


def test_scores_of_classes_that_are_numbers():
    model, x = fit_tree([3, 5]), [[0], [1], [0]]
    assert model.score(x, [3, 5, 5], [1, 1, 2]) == 0.5
    assert model.score(x, [3.0, np.nan, -1.0]) == 1
    for wrong in (["3", "5", "5"], [3, 5], [-1, -1, -1]):
        with pytest.raises(CorralError, match=r"label|class"):
            model.score(x, wrong)


def test_columns_named_after_classes_may_have_any_order():
    polars = pytest.importorskip("polars", reason="polars is an optional extra")
    frame = polars.DataFrame({"p_1": [0.9, 0.2], "p_0": [0.1, 0.8]})
    assert read_labels(frame, [0, 1])[1].tolist() == [[0.1, 0.9], [0.8, 0.2]]
    with pytest.raises(ParameterError, match="p_1"):
        read_labels(frame, ["a", "b"])
