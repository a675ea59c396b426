"""Any classifier on soft labels: the weighted loss, nothing else."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from corral import ConstrainedLabeler, SoftLabelClassifier
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
    model = SoftLabelClassifier().fit(x, soft)
    np.testing.assert_allclose(
        model.predict_proba(x), by_hand.predict_proba(x), atol=1e-3
    )
    np.testing.assert_array_equal(model.predict(x), by_hand.predict(x))
    assert model.classes_.tolist() == list(range(k))


def test_the_expected_loss_is_what_is_minimised():
    """A constant feature: the prediction is the mean of the soft labels."""
    soft = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    model = SoftLabelClassifier(LogisticRegression(C=1e6)).fit(np.zeros((3, 1)), soft)
    np.testing.assert_allclose(
        model.predict_proba([[0.0]]), soft.mean(axis=0)[None], atol=1e-3
    )


def test_hard_labels_are_one_hot_labels():
    x, _, y = example()
    names = np.array(["c", "a", "b"])
    hard = SoftLabelClassifier().fit(x, names[y])
    plain = LogisticRegression().fit(x, names[y])
    assert hard.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(hard.predict_proba(x), plain.predict_proba(x), atol=1e-3)
    assert hard.score(x, names[y]) == plain.score(x, names[y])


def test_class_names_follow_the_columns():
    x, soft, y = example()
    names = np.array(["c", "a", "b"])
    model = SoftLabelClassifier().fit(x, soft, classes=names)
    plain = SoftLabelClassifier().fit(x, soft)
    assert model.classes_.tolist() == ["c", "a", "b"]
    np.testing.assert_allclose(
        model.predict_proba(x), plain.predict_proba(x), atol=1e-3
    )
    np.testing.assert_array_equal(model.predict(x), names[plain.predict(x)])
    np.testing.assert_array_equal(
        model.predict(x), names[model.predict_proba(x).argmax(axis=1)]
    )
    assert model.score(x, names[y]) > 0.7


def test_a_class_without_weight_gets_probability_zero():
    x, soft, _ = example(k=2)
    wide = np.column_stack([soft[:, 0], np.zeros(len(x)), soft[:, 1]])
    p = SoftLabelClassifier().fit(x, wide).predict_proba(x)
    assert p.shape == (len(x), 3)
    assert (p[:, 1] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


@pytest.mark.parametrize(
    "form", [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array,
             scipy.sparse.csr_matrix, np.ndarray.tolist, np.asfortranarray],
)  # fmt: skip
def test_forms_of_features(form):
    x, soft, _ = example()
    dense = SoftLabelClassifier().fit(x, soft).predict_proba(x)
    model = SoftLabelClassifier().fit(form(x), soft)
    assert model.n_features_in_ == x.shape[1]
    np.testing.assert_allclose(model.predict_proba(form(x)), dense, atol=1e-3)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_features(library):
    module = pytest.importorskip(library, reason=f"{library} is an extra")
    x, soft, y = example()
    frame = module.DataFrame({f"f{i}": x[:, i] for i in range(x.shape[1])})
    model = SoftLabelClassifier().fit(frame, soft)
    expected = SoftLabelClassifier().fit(x, soft).predict_proba(x)
    np.testing.assert_allclose(model.predict_proba(frame), expected, atol=1e-3)
    assert model.score(frame, y) > 0.7


def test_a_shuffled_index_and_labels_in_a_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    x, soft, _ = example()
    order = np.random.default_rng(1).permutation(len(x))
    frame = pandas.DataFrame(x, index=order, columns=list("abcd"))
    labels = pandas.DataFrame(soft, index=order)
    model = SoftLabelClassifier().fit(frame, labels)
    expected = SoftLabelClassifier().fit(x, soft).predict_proba(x)
    np.testing.assert_allclose(model.predict_proba(frame), expected, atol=1e-3)


def test_rows_of_weight_zero_are_ignored():
    x, soft, _ = example()
    covered = np.arange(len(x)) % 3 > 0
    spoiled = np.where(covered[:, None], x, 1e6)
    model = SoftLabelClassifier().fit(spoiled, soft, sample_weight=covered)
    expected = SoftLabelClassifier().fit(x[covered], soft[covered])
    np.testing.assert_allclose(
        model.predict_proba(x), expected.predict_proba(x), atol=1e-3
    )


def test_a_weight_of_two_is_two_examples():
    x, soft, _ = example()
    weight = np.where(np.arange(len(x)) < 30, 2, 1)
    model = SoftLabelClassifier().fit(x, soft, sample_weight=weight)
    rows = np.repeat(np.arange(len(x)), weight)
    expected = SoftLabelClassifier().fit(x[rows], soft[rows])
    np.testing.assert_allclose(
        model.predict_proba(x), expected.predict_proba(x), atol=1e-3
    )


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_the_unit_of_the_weights_does_not_matter(scale):
    """`min_weight` is about probabilities, so tiny weights are not left out."""
    x, soft, _ = example()
    weight = np.linspace(1, 2, len(x)) * scale
    model = SoftLabelClassifier(DecisionTreeClassifier(max_depth=3, random_state=0))
    scaled = model.fit(x, soft, sample_weight=weight).predict(x)
    plain = model.fit(x, soft, sample_weight=weight / scale).predict(x)
    np.testing.assert_array_equal(scaled, plain)


def test_min_weight_leaves_out_small_probabilities():
    x, soft, _ = example(k=2)
    soft = np.column_stack([0.99 * soft, np.full(len(x), 0.01)])
    cut = SoftLabelClassifier(min_weight=0.05).fit(x, soft)
    assert 2 not in cut.estimator_.classes_
    assert cut.predict_proba(x).shape == (len(x), 3)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(20, random_state=0),
        GaussianNB(),
        DecisionTreeClassifier(),
    ],
    ids=lambda e: type(e).__name__,
)
def test_other_classifiers(estimator):
    x, soft, y = example()
    model = SoftLabelClassifier(estimator).fit(x, soft)
    assert model.score(x, y) > 0.7
    assert type(model.estimator_) is type(estimator)
    assert not hasattr(estimator, "classes_"), "the one given is not fitted"


def test_after_a_labeler():
    votes = np.array([["x", "x"], ["y", None], ["x", "y"], [None, None], ["y", "y"]])
    x = np.array([[0.0], [1.0], [0.5], [9.0], [1.0]])
    labeler = ConstrainedLabeler(0.1).fit(votes)
    model = SoftLabelClassifier().fit(
        x, labeler.labels_, sample_weight=labeler.covered_, classes=labeler.classes_
    )
    assert model.predict([[-1.0], [2.0]]).tolist() == ["x", "y"]


def test_uncovered_examples_are_left_out_or_count_less():
    x, soft, _ = example()
    covered = np.arange(len(x)) % 3 > 0
    for weight in (0.0, 0.25):
        model = SoftLabelClassifier(uncovered_weight=weight)
        told = model.fit(x, soft, covered=covered).predict_proba(x)
        by_hand = SoftLabelClassifier().fit(x, soft, np.where(covered, 1, weight))
        np.testing.assert_array_equal(told, by_hand.predict_proba(x))


def test_examples_without_a_label_are_left_out():
    x, _, y = example()
    names = np.array(["a", "b", None], object)[y]
    known = names != None  # noqa: E711
    expected = SoftLabelClassifier().fit(x[known], names[known].astype(str))
    model = SoftLabelClassifier().fit(x, names)
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict_proba(x), expected.predict_proba(x))


def test_a_pipeline_hands_the_weights_to_its_last_step():
    x, soft, _ = example()
    inside = SoftLabelClassifier(make_pipeline(StandardScaler(), LogisticRegression()))
    by_hand = make_pipeline(StandardScaler(), LogisticRegression())
    rows, columns = np.repeat(np.arange(len(x)), 3), np.tile(np.arange(3), len(x))
    weights = {"logisticregression__sample_weight": soft.ravel()}
    by_hand.fit(x[rows], columns, **weights)
    np.testing.assert_allclose(
        inside.fit(x, soft).predict_proba(x), by_hand.predict_proba(x)
    )


def test_texts_go_through_a_pipeline_inside_or_around():
    texts = ["good film", "bad film", "good plot", "bad plot"]
    soft = np.array([[0.1, 0.9], [0.8, 0.2], [0.2, 0.8], [0.9, 0.1]])
    around = make_pipeline(TfidfVectorizer(), SoftLabelClassifier()).fit(texts, soft)
    inside = SoftLabelClassifier(
        make_pipeline(TfidfVectorizer(), LogisticRegression())
    ).fit(texts, soft)
    for model in (around, inside):
        assert model.predict(["good", "bad"]).tolist() == [1, 0]


def test_texts_are_not_widened_to_the_longest():
    seen = []

    class Seen(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append(X)
            return super().fit([[len(text)] for text in X], y, sample_weight)

    SoftLabelClassifier(Seen()).fit(["a", "b" * 10_000], [[0.2, 0.8], [0.9, 0.1]])
    assert seen[0].dtype == object
    assert seen[0].tolist() == ["a", "a", "b" * 10_000, "b" * 10_000]


def test_names_of_features():
    pandas = pytest.importorskip("pandas")
    model = SoftLabelClassifier()
    assert not hasattr(model, "feature_names_in_")
    model.fit(pandas.DataFrame(X, columns=list("abcd")), SOFT)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert not hasattr(model.fit(X, SOFT), "feature_names_in_")


def test_a_classifier_without_probabilities_has_none():
    x, soft, y = example()
    model = SoftLabelClassifier(LinearSVC())
    assert not hasattr(model, "predict_proba")
    assert model.fit(x, soft).score(x, y) > 0.7
    assert not hasattr(model, "predict_proba")


# -- scikit-learn manners -------------------------------------------------------------


def test_clone_parameters_and_pickle():
    model = SoftLabelClassifier(LogisticRegression(C=0.5), min_weight=0.01)
    assert model.get_params()["estimator__C"] == 0.5
    twin = clone(model).set_params(estimator__C=2.0)
    assert (model.estimator.C, twin.estimator.C) == (0.5, 2.0)
    x, soft, _ = example()
    fitted = model.fit(x, soft)
    assert fitted is model
    back = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(back.predict_proba(x), fitted.predict_proba(x))
    assert not hasattr(clone(fitted), "classes_")


def test_not_fitted():
    for method in ("predict", "predict_proba"):
        with pytest.raises(NotFittedError):
            getattr(SoftLabelClassifier(), method)([[0.0]])


X, SOFT, Y = example(n=6)
BAD = {
    "no weights taken": (
        {"estimator": KNeighborsClassifier()}, {}, "KNeighbors.*sample_weight",
    ),
    "another length": ({}, {"y": SOFT[:-1]}, r"5 labels .*\(6, 4\)"),
    "no table": ({}, {"X": 5}, r"6 labels .*\(\)"),
    "above one": ({}, {"y": SOFT * 3}, "between 0 and 1"),
    "negative": ({}, {"y": -SOFT}, "between 0 and 1"),
    "NaN": ({}, {"y": SOFT * np.nan}, "no label; nothing is left"),
    "high threshold": ({"min_weight": 1.0}, {}, "min_weight=1.0"),
    "wrong threshold": ({"min_weight": "x"}, {}, "min_weight must be .* 'x'"),
    "three dimensions": ({}, {"y": SOFT[None]}, r"\(1, 6, 3\)"),
    "too few classes": ({}, {"classes": ["a", "b"]}, "2 classes were named for 3"),
    "class twice": ({}, {"classes": ["a", "b", "a"]}, "a"),
    "wrong weights": ({}, {"sample_weight": [1, 1]}, "6 weights"),
    "negative weights": ({}, {"sample_weight": [-1] * 6}, "not negative"),
    "NaN weights": ({}, {"sample_weight": [np.nan] + [1] * 5}, "weight"),
    "no weight": ({}, {"sample_weight": np.zeros(6)}, "weight zero"),
    "unknown hard label": ({}, {"y": Y, "classes": [0, 1]}, "2"),
    "pipeline of no weights": (
        {"estimator": make_pipeline(StandardScaler(), KNeighborsClassifier())},
        {}, "KNeighbors.*sample_weight",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "call", "message"), BAD.values(), ids=BAD)
def test_refused(options, call, message):
    with pytest.raises(ParameterError, match=message):
        SoftLabelClassifier(**options).fit(**({"X": X, "y": SOFT} | call))


EXPECTED_TO_FAIL = {
    "check_supervised_y_2d": "a y of two dimensions is soft labels, not classes",
}


@parametrize_with_checks(
    [SoftLabelClassifier()], expected_failed_checks=lambda _: EXPECTED_TO_FAIL
)
def test_scikit_learn(estimator, check):
    check(estimator)
