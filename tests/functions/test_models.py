"""Models as signals: probabilities, classes, and what they may not say."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import corral
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions import model

X = np.array([[0.0, 1], [1, 1], [5, 1], [6, 1]])


def test_a_fitted_estimator_gives_its_probabilities():
    fitted = LogisticRegression().fit(X, ["a", "a", "b", "b"])
    said = model(fitted).apply(X)
    assert said.classes == ("a", "b")
    np.testing.assert_array_equal(said.probabilities, fitted.predict_proba(X))
    assert model(fitted, proba=False).apply(X).to_list() == ["a", "a", "b", "b"]
    first = LogisticRegression().fit(X[:, :1], [0, 0, 1, 1])
    np.testing.assert_array_equal(
        model(first, [0]).apply(X).probabilities, first.predict_proba(X[:, :1])
    )


def test_a_callable_may_abstain():
    def halves(texts):
        return [0.5 if text else np.nan for text in texts]

    said = model(halves, classes=["a", "b"]).apply(["x", ""]).to_list()
    assert said == [("b", 0.5), None]
    table = np.array([[0.2, 0.8], [np.nan, np.nan]])
    assert model(lambda _: table).apply(["x", "y"]).to_list() == [[0.2, 0.8], None]


def test_classes_of_any_numbers():
    fitted = LinearSVC().fit(X, [-1, -1, 1, 1])
    for classes in (None, [-1, 1]):
        said = model(fitted, proba=False, classes=classes)
        assert said.apply(X).to_list() == [-1, -1, 1, 1]
        assert corral.apply(said, X).votes.ravel().tolist() == [0, 0, 1, 1]
    floats = LinearSVC().fit(X, [1.0, 1.0, 2.0, 2.0])
    assert model(floats, proba=False).apply(X).to_list() == [1, 1, 2, 2]


def test_classes_of_a_callable():
    def said(answers, classes=None):
        asked = model(lambda _: answers, proba=False, classes=classes)
        return asked.apply(["x", "y"]).to_list()

    assert said([1, -1]) == said([1, -1], [0, 1]) == [1, None]
    assert said(np.array(["a", None], object), ["a", "b"]) == ["a", None]
    with pytest.raises(FunctionError, match=r"row 2: .* one of \('a', 'b'\) was expec"):
        said(["a", "c"], ["a", "b"])


def test_one_column_is_the_second_of_two_classes():
    halves = model(lambda _: [0.9, 0.4], classes=["ham", "spam"])
    signals = corral.apply(halves, ["x", "y"])
    assert signals.classes.tolist() == ["ham", "spam"]
    assert signals.probabilities[:, 0, 1].tolist() == [0.9, 0.4]
    only = GaussianNB().fit(X, ["a"] * 4)
    assert model(only).apply(X).classes == ("a",)


@pytest.mark.parametrize(
    "said",
    [
        [0.5],
        [0.5, 1.5],
        ["a", "b"],
        [[0.5, np.nan], [0.5, 0.5]],
        [[0.5, 0.2, 0.3]] * 2,
    ],
)
def test_model_answers_are_checked(said):
    with pytest.raises(SignalsError, match="<lambda>"):
        model(lambda _: said, classes=["a", "b"]).apply(["x", "y"])


def test_what_is_no_model():
    with pytest.raises(ParameterError, match="int has no predict_proba"):
        model(3)
    with pytest.raises(ParameterError, match="LinearSVC has no predict_proba"):
        model(LinearSVC())
