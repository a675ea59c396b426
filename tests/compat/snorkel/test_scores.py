"""Scores, buckets and classes from probabilities, next to Snorkel's."""

import numpy as np
import pytest

from corral.compat.snorkel.analysis import (
    get_label_instances,
    metric_score,
)
from corral.compat.snorkel.analysis.metrics import METRICS
from corral.compat.snorkel.utils import preds_to_probs, probs_to_preds
from corral.errors import ParameterError


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    probs = rng.integers(0, 5, (200, 1)) / 4
    golds = (rng.random(200) < 0.2 + 0.6 * probs[:, 0]).astype(int)
    return golds, np.column_stack([1 - probs, probs])


def test_ties_are_broken_as_snorkel_does(scored):
    theirs = pytest.importorskip("snorkel.utils")
    three = np.repeat(scored[1], 2, axis=1)[:, :3]
    for probs in (scored[1], three):
        for policy in ("abstain", "random"):
            np.testing.assert_array_equal(
                probs_to_preds(probs, policy), theirs.probs_to_preds(probs, policy)
            )


@pytest.mark.parametrize("metric", METRICS)
def test_scores_are_those_of_snorkel(metric, scored):
    theirs = pytest.importorskip("snorkel.analysis")
    golds, probs = scored
    preds = probs_to_preds(probs)
    options = {"beta": 2} if metric == "fbeta" else {}
    found = metric_score(golds, preds, probs, metric, **options)
    assert found == theirs.metric_score(golds, preds, probs, metric, **options)


def test_what_a_score_needs(scored):
    golds, probs = scored
    with pytest.raises(ParameterError, match="requires access to preds"):
        metric_score(golds, metric="accuracy")
    with pytest.raises(ParameterError, match="is for two classes; the probabilities"):
        metric_score(golds, probs=probs[:, :1], metric="roc_auc")
    with pytest.raises(ParameterError, match="take 'f1_micro' or 'f1_macro'"):
        metric_score([0, 2], [0, 2], metric="f1")
    with pytest.raises(ParameterError, match="metric must be one of"):
        metric_score(golds, golds, metric="f2")
    with pytest.raises(ParameterError, match="'probs'"):
        metric_score(golds, golds, filter_dict={"probs": [0]})


def test_instances():
    rows = np.array([["a"], ["b"], ["c"]])
    assert get_label_instances((1, 0), rows, [1, 1, 0], [1, 0, 0]).tolist() == [["b"]]
    assert len(get_label_instances((7, 7), rows, [1, 1, 0], [1, 0, 0])) == 0
    with pytest.raises(ParameterError, match="one label per array"):
        get_label_instances((1,), rows, [1, 1, 0], [1, 0, 0])
    with pytest.raises(ParameterError, match="a row for each of the 3 labels"):
        get_label_instances((1, 0), rows[:2], [1, 1, 0], [1, 0, 0])


def test_an_abstain_has_no_probability():
    with pytest.raises(ParameterError, match="leave it out first"):
        preds_to_probs([0, -1], 2)


def test_labels_may_be_numbers_among_objects():
    golds = np.array([1, 0, 1], object)
    assert metric_score(golds, [1, 0, 0]) == pytest.approx(2 / 3)
    with pytest.raises(ParameterError, match="whole numbers"):
        metric_score(np.array([1, None, 1], object), [1, 0, 0])


@pytest.mark.parametrize("metric", ["accuracy", "f1"])
def test_nothing_to_score(metric):
    with pytest.raises(ParameterError, match="no example is left"):
        metric_score([1, 0], [-1, -1], metric=metric, filter_dict={"preds": [-1]})
    with pytest.raises(
        ParameterError, match=r"same examples; .*'golds': 2, 'preds': 3"
    ):
        metric_score([1, 0], [1, 0, 1], metric=metric, filter_dict={"preds": [-1]})
