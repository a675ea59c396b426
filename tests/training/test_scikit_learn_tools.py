"""What scikit-learn does with classifiers, done with one that learns from soft labels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corral import SoftLabelClassifier


@pytest.fixture(scope="module")
def task():
    rng = np.random.default_rng(0)
    y = np.arange(150) % 3
    x = rng.normal(size=(150, 4)) + 2 * np.eye(3, 4)[y]
    return x, 0.3 * rng.dirichlet(np.ones(3), 150) + 0.7 * np.eye(3)[y], y


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_of_features_come_through_set_output(task, library):
    pytest.importorskip(library, reason=f"{library} is an extra")
    x, soft, _ = task
    model = make_pipeline(StandardScaler(), SoftLabelClassifier())
    model.set_output(transform=library).fit(x, soft)
    assert model[-1].feature_names_in_.tolist() == ["x0", "x1", "x2", "x3"]
    plain = make_pipeline(StandardScaler(), SoftLabelClassifier()).fit(x, soft)
    np.testing.assert_allclose(model.predict_proba(x), plain.predict_proba(x))


def test_cross_validation_of_all_kinds(task):
    x, soft, y = task
    model = SoftLabelClassifier()
    assert cross_val_score(model, x, soft, cv=3).mean() > 0.6
    assert cross_val_score(model, x, y, cv=3, scoring="neg_log_loss").mean() > -0.6
    both = cross_validate(model, x, y, cv=3, scoring=["accuracy", "f1_macro"])
    assert both["test_f1_macro"].mean() > 0.7
    assert cross_val_predict(model, x, y, cv=3).shape == y.shape


def test_options_are_searched_at_any_depth(task):
    x, soft, _ = task
    model = make_pipeline(StandardScaler(), SoftLabelClassifier(LogisticRegression()))
    grid = {
        "softlabelclassifier__estimator__C": [0.01, 1.0],
        "softlabelclassifier__prior": ["labels", None],
    }
    search = GridSearchCV(model, grid, cv=3).fit(x, soft)
    assert np.isfinite(search.cv_results_["mean_test_score"]).sum() == 4
    again = clone(search.best_estimator_)
    for name, value in search.best_params_.items():
        assert again.get_params()[name] == value


def test_inside_other_classifiers(task):
    x, _, y = task
    one = SoftLabelClassifier()
    for outer in (
        CalibratedClassifierCV(one, cv=3),
        VotingClassifier([("a", one), ("b", clone(one))], voting="soft"),
        StackingClassifier([("a", one)], cv=3),
    ):
        assert outer.fit(x, y).score(x, y) > 0.85
