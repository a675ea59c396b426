"""Crowd-Kit's quickstart, with Crowd-Kit and with nothing but the import changed."""

import warnings

import numpy as np
import pytest
from tests.compat.flows.switch import load_flow

pd = pytest.importorskip("pandas")
pytest.importorskip("crowdkit", reason="it is an extra: make test EXTRAS=all")


@pytest.fixture
def path(tmp_path):
    """Answers of 30 workers to 200 tasks of three classes, five each."""
    rng = np.random.default_rng(0)
    classes, skill = np.array(["bird", "cat", "dog"]), rng.uniform(0.4, 0.95, 30)
    rows = []
    for task, truth in enumerate(rng.integers(3, size=200)):
        for worker in rng.choice(30, 5, replace=False):
            said = truth if rng.random() < skill[worker] else rng.integers(3)
            rows.append((f"t{task}", f"w{worker}", classes[said]))
    answers = pd.DataFrame(rows, columns=["task", "worker", "label"])
    answers.to_csv(tmp_path / "results.csv", index=False)
    return tmp_path / "results.csv"


def run_both(path, tmp_path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Crowd-Kit's own
        run = load_flow("crowd_kit_quickstart", "crowdkit", tmp_path, switch=False)
        theirs = run(path, **options)
    run = load_flow("crowd_kit_quickstart", "crowdkit", tmp_path, switch=True)
    return theirs, run(path, **options)


def untied(aggregator):
    """The tasks whose likeliest class is one alone.

    Of equal classes Crowd-Kit takes the first to appear (with pandas 3), corral the first
    in sorted order.
    """
    probas = aggregator.probas_
    best = probas.ge(probas.max(axis=1) - 1e-9, axis=0)
    return probas.index[best.sum(axis=1) == 1]


def test_labels_are_the_same(path, tmp_path):
    theirs, ours = run_both(path, tmp_path)
    for name, (labels, their) in theirs.items():
        clear = untied(their)
        assert len(clear) > 0.7 * len(labels)
        pd.testing.assert_series_equal(ours[name][0][clear], labels[clear])


@pytest.mark.filterwarnings("ignore:.*had not settled")
@pytest.mark.parametrize("n_iter", [1, 3])
def test_all_that_is_learned_is_the_same_after_as_many_rounds(path, tmp_path, n_iter):
    theirs, ours = run_both(path, tmp_path, n_iter=n_iter)
    close = {"atol": 1e-6, "check_like": True, "check_column_type": False}
    for name, (_, their) in theirs.items():
        our = ours[name][1]
        pd.testing.assert_frame_equal(our.probas_, their.probas_, **close)
        if name == "majority vote":
            continue
        pd.testing.assert_frame_equal(our.errors_, their.errors_, **close)
        pd.testing.assert_series_equal(
            our.priors_, their.priors_, atol=1e-6, check_like=True
        )
        assert len(our.loss_history_) == len(their.loss_history_) == n_iter
        if name == "one coin":
            pd.testing.assert_series_equal(our.skills_, their.skills_, atol=1e-6)
