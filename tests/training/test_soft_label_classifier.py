"""Any classifier on soft labels: the weighted loss, nothing else."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from corral import SoftLabelClassifier
from corral.errors import ParameterError


def example(n=120, k=3, d=4, seed=0):
    """Features that depend on the class, and soft labels around it."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    x = rng.normal(size=(n, d)) + 2 * np.eye(k, d)[y]
    soft = rng.dirichlet(np.ones(k), n) * 0.5 + 0.5 * np.eye(k)[y]
    return x, soft, y


@pytest.mark.parametrize("k", [2, 3, 5])
def test_equal_to_weighted_logistic_regression(k):
    x, soft, _ = example(k=k, d=5)
    by_hand = LogisticRegression().fit(
        np.tile(x, (k, 1)),
        np.repeat(np.arange(k), len(x)),
        sample_weight=soft.T.ravel(),
    )
    model = SoftLabelClassifier(prior=None).fit(x, soft)
    np.testing.assert_allclose(
        model.predict_proba(x), by_hand.predict_proba(x), atol=1e-3
    )
    np.testing.assert_array_equal(model.predict(x), by_hand.predict(x))
    assert model.classes_.tolist() == list(range(k))


def test_a_shuffled_index_and_labels_in_a_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    x, soft, _ = example()
    order = np.random.default_rng(1).permutation(len(x))
    frame = pandas.DataFrame(x, index=order, columns=list("abcd"))
    labels = pandas.DataFrame(soft, index=order)
    model = SoftLabelClassifier().fit(frame, labels)
    expected = SoftLabelClassifier().fit(x, soft).predict_proba(x)
    np.testing.assert_allclose(model.predict_proba(frame), expected, atol=1e-3)


class Strict(LogisticRegression):
    """Takes classes as XGBoost does: 0, 1, ..., without a gap."""

    def fit(self, X, y, sample_weight=None):
        if np.unique(y).tolist() != list(range(len(np.unique(y)))):
            raise ValueError(f"Invalid classes: {np.unique(y)}")
        return super().fit(X, y, sample_weight)


def test_named_and_absent_classes_of_a_strict_classifier():
    x, soft, y = example()
    names = np.array(["c", "a", "b"])
    model = SoftLabelClassifier(Strict()).fit(x, soft, classes=names)
    assert model.score(x, names[y]) > 0.7
    wide = np.insert(soft, 1, 0, axis=1)
    more = SoftLabelClassifier(Strict()).fit(x, wide, classes=["c", "none", "a", "b"])
    np.testing.assert_allclose(
        more.predict_proba(x)[:, [0, 2, 3]], model.predict_proba(x), atol=1e-6
    )
    assert not more.predict_proba(x)[:, 1].any()
    np.testing.assert_array_equal(more.predict(x), model.predict(x))


@pytest.mark.parametrize(
    "wrap",
    [lambda c: c, CalibratedClassifierCV, lambda c: make_pipeline(StandardScaler(), c)],
)
def test_weights_of_classes_inside_the_classifier_would_count_rows(wrap):
    x, soft, _ = example()
    inner = wrap(LogisticRegression(class_weight="balanced"))
    with pytest.raises(ParameterError, match=r"class_weight='balanced' .* count rows"):
        SoftLabelClassifier(inner).fit(x, soft)


# -- scores ---------------------------------------------------------------------------


def test_texts_go_through_a_pipeline_inside_or_around():
    texts = ["good film", "bad film", "good plot", "bad plot"]
    soft = np.array([[0.1, 0.9], [0.8, 0.2], [0.2, 0.8], [0.9, 0.1]])
    around = make_pipeline(TfidfVectorizer(), SoftLabelClassifier()).fit(texts, soft)
    inside = SoftLabelClassifier(
        make_pipeline(TfidfVectorizer(), LogisticRegression())
    ).fit(texts, soft)
    for model in (around, inside):
        assert model.predict(["good", "bad"]).tolist() == [1, 0]


def test_a_classifier_without_probabilities_has_none():
    x, soft, y = example()
    model = SoftLabelClassifier(LinearSVC())
    assert not hasattr(model, "predict_proba")
    assert model.fit(x, soft).score(x, y) > 0.7
    assert not hasattr(model, "predict_proba")


# -- scikit-learn manners -------------------------------------------------------------


X, SOFT, Y = example(n=6)
NEIGHBORS = KNeighborsClassifier()
BAD = {
    "no weights taken": ({"estimator": NEIGHBORS}, {}, "sample_weight"),
    "a pipeline that takes none": (
        {"estimator": make_pipeline(StandardScaler(), NEIGHBORS)}, {}, "sample_weight",
    ),
    "another length": ({}, {"y": SOFT[:-1]}, "5 labels"),
    "no table": ({}, {"X": 5}, "6 labels"),
    "wrong weights": ({}, {"sample_weight": [1, 1]}, "sample_weight"),
    "unknown hard label": ({}, {"y": Y, "classes": [0, 1]}, "2"),
}  # fmt: skip


@pytest.mark.parametrize(("options", "call", "message"), BAD.values(), ids=BAD)
def test_refused(options, call, message):
    with pytest.raises(ParameterError, match=message):
        SoftLabelClassifier(**options).fit(**({"X": X, "y": SOFT} | call))


EXPECTED_TO_FAIL = {
    "check_supervised_y_2d": "a y of two dimensions is soft labels, not classes"
}


@parametrize_with_checks(
    [SoftLabelClassifier(), SoftLabelClassifier(prior=None)],
    expected_failed_checks=lambda _: EXPECTED_TO_FAIL,
)
def test_scikit_learn(estimator, check):
    check(estimator)
