"""Predictions in given class shares: offsets to scores, found on all training examples."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from corral import SoftLabelClassifier
from corral.decisions import winner_shares
from corral.errors import ParameterError
from corral.training.classifier import SHARE_TOLERANCE, SHARPNESS, find_offsets

CLASSIFIERS = {
    "logistic": LogisticRegression(),
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest, no decision function": RandomForestClassifier(50, random_state=0),
    "svm, no probabilities": LinearSVC(),
}


def rare_classes(n=900, k=3, seed=0):
    """Classes of shares 4 : 2 : 1, features that tell them apart badly, labels unsure."""
    rng = np.random.default_rng(seed)
    p = 2.0 ** -np.arange(k)
    y = rng.choice(k, n, p=p / p.sum())
    x = rng.normal(size=(n, k + 1)) + np.eye(k, k + 1)[y]
    soft = 0.5 * np.eye(k)[y] + 0.5 * rng.dirichlet(np.ones(k), n)
    return x, soft, y


def predicted_shares(model, x, k, weights=None):
    return np.bincount(model.predict(x), weights, k) / (
        len(x) if weights is None else weights.sum()
    )


@pytest.mark.parametrize("k", [2, 3, 6])
def test_smoothed_counts_equal_the_shares(k):
    rng = np.random.default_rng(k)
    scores, weights = rng.normal(size=(500, k)), rng.uniform(0, 2, 500)
    shares = rng.dirichlet(np.ones(k))
    offsets = find_offsets(scores, shares, weights)
    centred = scores - scores.mean(axis=1, keepdims=True)
    mean = np.average(centred, axis=0, weights=weights)
    spread = np.average((centred - mean) ** 2, axis=0, weights=weights).mean() ** 0.5
    counts = softmax(SHARPNESS * (scores + offsets) / spread, axis=1)
    np.testing.assert_allclose(
        np.average(counts, axis=0, weights=weights), shares, atol=1e-5
    )
    assert offsets.mean() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("k", [2, 3])
def test_any_classifier_predicts_the_shares_of_the_labels(name, k):
    """All examples count, those without a label, too."""
    x, soft, _ = rare_classes(k=k)
    covered = np.arange(len(x)) % 3 > 0
    known = np.where(covered[:, None], soft, np.nan)
    model = SoftLabelClassifier(clone(CLASSIFIERS[name]))
    model.fit(x, known)
    expected = winner_shares(soft[covered]).mean(axis=0)
    np.testing.assert_allclose(model.prior_, expected)
    np.testing.assert_allclose(predicted_shares(model, x, k), expected, atol=0.04)
    own = SoftLabelClassifier(clone(CLASSIFIERS[name]), prior=None)
    own.fit(x, known)
    missed = np.abs(predicted_shares(own, x, k) - expected).max()
    assert np.abs(predicted_shares(model, x, k) - expected).max() <= max(
        missed, SHARE_TOLERANCE
    )


@pytest.mark.parametrize("prior", ["labels", [0.8, 0.2]])
def test_probabilities_and_training_do_not_depend_on_the_prior(prior):
    x, soft, _ = rare_classes(k=2)
    with_prior = SoftLabelClassifier(prior=prior).fit(x, soft)
    without = SoftLabelClassifier(prior=None).fit(x, soft)
    p = without.predict_proba(x)
    np.testing.assert_array_equal(with_prior.predict_proba(x), p)
    by_hand = (np.log(p) + with_prior.offsets_).argmax(axis=1)
    np.testing.assert_array_equal(with_prior.predict(x), by_hand)
    assert (with_prior.predict(x) != without.predict(x)).any()


def test_known_shares_are_kept():
    x, soft, y = rare_classes()
    shares = np.array([0.2, 0.3, 0.5])
    model = SoftLabelClassifier(prior=shares).fit(x, soft, classes=["a", "b", "c"])
    found = np.array([(model.predict(x) == name).mean() for name in "abc"])
    np.testing.assert_allclose(found, shares, atol=0.03)
    true = np.bincount(y) / len(y)
    right = SoftLabelClassifier(prior=true).fit(x, soft).score(x, y)
    assert right > SoftLabelClassifier(prior=shares).fit(x, soft).score(x, y)


def test_scores_of_few_values_are_left_alone():
    """No offsets give class 1 of a stump four tenths: it has half of the examples."""
    x = np.repeat([[0.0], [1.0]], 50, axis=0)
    stump = DecisionTreeClassifier(max_depth=1)
    model = SoftLabelClassifier(stump, prior=[0.6, 0.4]).fit(x, np.repeat([0, 1], 50))
    assert not model.offsets_.any()
    assert model.predict(x).mean() == 0.5


def test_classes_of_share_zero_or_without_labels_are_never_predicted():
    x, soft, _ = rare_classes()
    wide = np.column_stack(
        [soft[:, :2] / soft[:, :2].sum(1, keepdims=True), 0 * soft[:, 2]]
    )
    model = SoftLabelClassifier(prior=[0.5, 0.2, 0.3]).fit(x, wide)
    np.testing.assert_allclose(
        predicted_shares(model, x, 3), [5 / 7, 2 / 7, 0], atol=0.03
    )
    none = SoftLabelClassifier(prior=[0.7, 0.3, 0.0]).fit(x, soft)
    assert none.offsets_[2] == -np.inf
    assert set(none.predict(x)) == {0, 1}


class OnlyClasses(LogisticRegression):
    predict_proba = property()  # no such method
    decision_function = property()


@pytest.mark.parametrize(
    "options",
    [
        *(
            {"prior": p}
            for p in ("even", 0.5, [0.5, 0.6], [0.2, 0.3, 0.5], [1.2, -0.2])
        ),
        *({"prior": p} for p in ([np.nan, 1.0], {0: 1})),
        {"estimator": OnlyClasses()},
    ],
)
def test_refused(options):
    x, soft, _ = rare_classes(k=2)
    with pytest.raises(ParameterError, match="prior"):
        SoftLabelClassifier(**options).fit(x, soft)


def test_shares_need_labels():
    x, soft, _ = rare_classes()
    only = soft * [1, 1, 0]
    with pytest.raises(ParameterError, match="share"):
        SoftLabelClassifier(prior=[0, 0, 1]).fit(x, only)
