"""XGBoost and LightGBM on soft labels: weights per class copy, nothing else."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from corral import SoftLabelClassifier


def xgboost():
    module = pytest.importorskip("xgboost", reason="in the group test-all")
    return module.XGBClassifier(n_estimators=5, max_depth=2, n_jobs=1)


def lightgbm():
    module = pytest.importorskip("lightgbm", reason="in the group test-all")
    return module.LGBMClassifier(n_estimators=5, max_depth=2, n_jobs=1, verbose=-1)


class Column(LogisticRegression):
    """Predicts a column, as CatBoost does with three classes or more."""

    def predict(self, X):
        return super().predict(X)[:, None]


BOOSTERS = [xgboost, lightgbm]
NAMES = np.array(["c", "a", "b"])


def example():
    rng = np.random.default_rng(0)
    y = np.minimum(np.arange(240) % 6, 2)  # the last class is the commonest
    x = rng.normal(size=(240, 4)) + 2 * np.eye(3, 4)[y]
    return x, 0.3 * rng.dirichlet(np.ones(3), 240) + 0.7 * np.eye(3)[y], y


@pytest.mark.parametrize("make", [*BOOSTERS, Column])
def test_shares_scores_and_balance(make):
    x, soft, y = example()
    moved = SoftLabelClassifier(make()).fit(x, soft, classes=NAMES)
    assert moved.score(x, NAMES[y]) > 0.8
    assert 0 < moved.score(x, soft) < 1
    plain = SoftLabelClassifier(make(), prior=None).fit(x, soft)
    assert plain.predict(x).shape == (len(x),)
    balanced = soft * soft.sum(axis=0).min() / soft.sum(axis=0)
    even = SoftLabelClassifier(make(), prior=None).fit(x, balanced)
    rare = [model.predict_proba(x)[:, :2].mean() for model in (plain, even)]
    assert rare[0] < rare[1], "every class counts the same, so rare ones more"
