"""What Snorkel's tests expect of functions, appliers, analysis and scores.

The tests are those in test/ of Snorkel's repository at version 0.10; the small arrays below
are their inputs and results.
"""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from tests.compat.expectations.expectation import Expectations

from corral.compat.snorkel.analysis import Scorer, get_label_buckets, metric_score
from corral.compat.snorkel.labeling import (
    LabelingFunction,
    LFAnalysis,
    LFApplier,
    PandasLFApplier,
    filter_unlabeled_dataframe,
    labeling_function,
)
from corral.compat.snorkel.preprocess import preprocessor
from corral.compat.snorkel.utils import (
    filter_labels,
    preds_to_probs,
    probs_to_preds,
    to_int_label_array,
)

SNORKEL = Expectations()
equal, close = np.testing.assert_array_equal, np.testing.assert_allclose


# -- functions -----------------------------------------------------------------


def over_42(x):
    return 0 if x.num > 42 else -1


def in_db(x, db):
    return 0 if x.num in db else -1


@preprocessor()
def square(x):
    x.num = x.num**2
    return x


def answers(lf, *numbers):
    return [lf(SimpleNamespace(num=number)) for number in numbers]


@SNORKEL.holds("lf/test_core.py", "functions with resources, preprocessors and pickle")
def _():
    assert answers(LabelingFunction("f", over_42), 43, 19) == [0, -1]
    given = LabelingFunction("g", in_db, resources={"db": [3, 6, 43]})
    assert answers(pickle.loads(pickle.dumps(given)), 43, 19) == [0, -1]
    twice = LabelingFunction("f", over_42, pre=[square, square])
    assert answers(twice, 43, 6, 2) == [0, 0, -1]
    nothing = preprocessor()(lambda _: None)
    with pytest.raises(ValueError, match="returned None"):
        answers(LabelingFunction("f", over_42, pre=[nothing]), 43)
    made = labeling_function(name="g", resources={"db": [43**2]}, pre=[square])(in_db)
    assert (made.name, answers(made, 43, 19)) == ("g", [0, -1])
    with pytest.raises(ValueError, match="missing parentheses"):
        labeling_function(over_42)


NUMBERS = [3, 43, 12, 9, 3]
VOTES = [[-1, 0], [0, -1], [-1, -1], [-1, 0], [-1, 0]]


@SNORKEL.holds(
    "apply/test_lf_applier.py", "votes on lists and frames; memory of preprocessors"
)
def _():
    import pandas as pd

    lfs = [
        LabelingFunction("f", over_42),
        LabelingFunction("g", in_db, resources={"db": [3, 6, 9]}),
    ]
    rows = [SimpleNamespace(num=number) for number in NUMBERS]
    equal(LFApplier(lfs).apply(rows), VOTES)
    frame = pd.DataFrame({"num": NUMBERS})
    equal(PandasLFApplier(lfs).apply(frame, progress_bar=False), VOTES)
    calls = []

    @preprocessor(memoize=True)
    def count(x):
        calls.append(x.num)
        x.num_squared = x.num**2
        return x

    @labeling_function(pre=[count])
    def large(x):
        return 0 if x.num_squared > 42 else -1

    for applier, data in ((LFApplier, rows), (PandasLFApplier, frame)):
        equal(applier([large]).apply(data)[:, 0], [-1, 0, 0, 0, -1])
        assert len(calls) == 4, "3 is there twice"
        count.reset_cache()
        calls.clear()


@SNORKEL.absent(
    "apply/test_lf_applier.py` (spaCy, Dask, parallel), `test_spark.py`, `lf/test_nlp.py",
    "functions on parsed text; appliers for Dask and Spark",
    "give `pre=` a preprocessor that calls spaCy; `corral.apply` takes Polars and Arrow "
    "and uses all cores, `corral.label` takes Spark",
)
def _():
    with pytest.raises(ImportError):
        import corral.compat.snorkel.labeling.apply.dask
    with pytest.raises(ImportError):
        import corral.compat.snorkel.labeling.lf.nlp  # noqa: F401


# -- analysis ------------------------------------------------------------------

L = np.array(
    [
        [-1, -1, 0, -1, -1, 0],
        [-1, -1, -1, 2, -1, -1],
        [2, -1, -1, -1, -1, 0],
        [1, -1, 2, -1, 0, 0],
        [-1, -1, -1, -1, -1, -1],
        [1, -1, 0, 2, 1, 0],
    ]
)
GOLD = np.array([0, 1, 2, 0, 1, 2])


@SNORKEL.holds("test_analysis.py", "coverage, overlaps, conflicts, accuracy, summary")
def _():
    found = LFAnalysis(L)
    assert found.label_coverage() == 5 / 6
    assert found.label_overlap() == 4 / 6
    assert found.label_conflict() == 3 / 6
    assert found.lf_polarities() == [[1, 2], [], [0, 2], [2], [0, 1], [0]]
    sixth = 6.0
    close(found.lf_coverages() * sixth, [3, 0, 3, 2, 2, 4])
    close(found.lf_overlaps() * sixth, [3, 0, 3, 1, 2, 4])
    close(found.lf_overlaps(normalize_by_coverage=True), [1, 0, 1, 1 / 2, 1, 1])
    close(found.lf_conflicts() * sixth, [3, 0, 2, 1, 2, 3])
    close(found.lf_conflicts(normalize_by_overlaps=True), [1, 0, 2 / 3, 1, 1, 3 / 4])
    accuracies = [1 / 3, 0, 1 / 3, 1 / 2, 1 / 2, 1 / 2]
    close(found.lf_empirical_accuracies(GOLD), accuracies)
    tables = found.lf_empirical_probs(GOLD, 3)
    close(tables[0], [[1 / 2, 1, 0], [0, 0, 0], [1 / 2, 0, 1 / 2], [0, 0, 1 / 2]])
    close(tables[5], [[0, 1, 0], [1, 0, 1], [0, 0, 0], [0, 0, 0]])
    lfs = [LabelingFunction(name, over_42) for name in "abcdef"]
    weights = [1, 0, 1, 1, 1, 0.5]
    summary = LFAnalysis(L, lfs).lf_summary(GOLD, est_weights=weights)
    assert summary.index.tolist() == list("abcdef")
    assert summary.columns.tolist() == [
        "j", "Polarity", "Coverage", "Overlaps", "Conflicts", "Correct", "Incorrect",
        "Emp. Acc.", "Learned Weight",
    ]  # fmt: skip
    equal(summary["Correct"], [1, 0, 1, 1, 1, 2])
    equal(summary["Incorrect"], [2, 0, 2, 1, 1, 2])
    close(summary["Emp. Acc."], accuracies)
    close(summary["Learned Weight"], weights)
    with pytest.raises(ValueError, match="Number of LFs"):
        LFAnalysis(L, lfs[:2])


@SNORKEL.holds("test_utils.py", "examples without votes are left out")
def _():
    import pandas as pd

    rows = pd.DataFrame({"A": ["x", "y", "z"]})
    votes = np.array([[0, 1, -1], [-1, -1, -1], [1, 1, 0]])
    kept, labels = filter_unlabeled_dataframe(rows, np.eye(3), votes)
    assert kept.A.tolist() == ["x", "z"]
    equal(labels, np.eye(3)[[0, 2]])


# -- scores --------------------------------------------------------------------


@SNORKEL.holds(
    "utils/test_core.py", "classes from probabilities and back; ties; filters"
)
def _():
    equal(to_int_label_array(np.array([[1], [0], [2.0]])), [1, 0, 2])
    for wrong, said in (
        ([[1], [2.1]], "non-integer"),
        ([[1, 0], [0, 1]], "1d np.array"),
    ):
        with pytest.raises(ValueError, match=said):
            to_int_label_array(np.array(wrong))
    equal(preds_to_probs(np.array([1, 0]), 2), [[0, 1], [1, 0]])
    equal(probs_to_preds(np.array([[0.1, 0.9], [0.7, 0.3]])), [1, 0])
    third = np.array([[0.33, 0.33, 0.33]])
    equal(probs_to_preds(third, tie_break_policy="abstain"), [-1])
    drawn = {int(probs_to_preds(third, "true-random")[0]) for _ in range(30)}
    assert drawn <= {0, 1, 2}
    equal(probs_to_preds(third), probs_to_preds(third))
    for wrong, policy in ((third, "negative"), (third[:, :1], "random")):
        with pytest.raises(ValueError, match=r"must be one of|must have probabilities"):
            probs_to_preds(wrong, tie_break_policy=policy)
    labels = {"golds": np.array([-1, 0, 0, 1, 1]), "preds": np.array([0, 0, 1, 1, -1])}
    kept = filter_labels(labels, {"golds": [-1], "preds": [-1]})
    equal(kept["golds"], [0, 0, 1])
    equal(kept["preds"], [0, 1, 1])


@SNORKEL.holds("analysis/test_metrics.py", "ten scores; filters; what is refused")
def _():
    golds = [1, 1, 1, 2, 2]
    assert metric_score(golds, [1, 1, 1, 2, 1], metric="accuracy") == 0.8
    for wrong in ([1, 1, 1, 2, 0.5], "1 1 1 2 2", np.ones((2, 5))):
        with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
            metric_score(golds, wrong)
    preds = [1, 0, 1, 2, 1]
    filters = ({}, 0.6), ({"preds": [0]}, 0.75), ({"golds": [1]}, 0.5)
    for filtered, score in (*filters, ({"golds": [2], "preds": [0]}, 1.0)):
        assert metric_score(golds, preds, filter_dict=filtered) == score
    two = {"golds": [1, 1, 1, 1, 2], "preds": [2, 2, 1, 1, 2]}
    scores = {"precision": 1.0, "recall": 0.5, "f1_micro": 0.6}
    for name, score in scores.items():
        assert metric_score(**two, metric=name) == pytest.approx(score)
    assert metric_score(**two, metric="recall", pos_label=2) == 1.0
    mcc = {"golds": [1, 1, 1, 1, 2], "preds": [2, 1, 1, 1, 1]}
    assert metric_score(**mcc, metric="matthews_corrcoef") == pytest.approx(-0.25)
    probs = np.eye(2)[[1, 1, 1, 1, 0]]
    assert metric_score([1, 1, 1, 1, 0], probs=probs, metric="roc_auc") == 1.0
    assert metric_score([1, 0], [1, -1], metric="coverage") == 0.5


@SNORKEL.holds("analysis/test_scorer.py", "several scores, own ones, abstains left out")
def _():
    golds, preds, probs = np.array([[1, 0, 1, 0, 1], [1, 0, 1, 1, 0], [1, 1, 1, 1, 0]])
    own = {"pred_sum": lambda _golds, preds, _probs: preds.sum()}
    scorer = Scorer(metrics=["accuracy", "f1"], custom_metric_funcs=own)
    found = scorer.score(golds, preds, probs)
    assert found == {"accuracy": 0.6, "f1": pytest.approx(2 / 3), "pred_sum": 3}
    both = Scorer(custom_metric_funcs={"d": lambda *_: {"a": 1, "b": 2}})
    assert both.score(golds, preds) == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="metrics must be one of"):
        Scorer(metrics=["accuracy", "f2"])
    with pytest.raises(ValueError, match="no labels"):
        Scorer().score([], [], [])
    unknown = np.array([1, 0, 1, 0, -1])
    for abstain, score in ((None, 0.6), (-1, 0.75), (10, 0.6)):
        assert Scorer(["accuracy"], abstain_label=abstain).score(unknown, preds) == {
            "accuracy": score
        }


@SNORKEL.absent(
    "analysis/test_scorer.py::test_score_slices",
    "scores by slice",
    "slicing functions have no counterpart; score a part of the rows",
)
def _():
    assert not hasattr(Scorer, "score_slices")


@SNORKEL.holds("analysis/test_error_analysis.py", "positions by labels")
def _():
    first, second = (
        np.array([[2], [1], [3], [1], [1], [3]]),
        np.array([1, 2, 3, 1, 2, 3]),
    )
    found = get_label_buckets(first, second)
    expected = {(2, 1): [0], (1, 2): [1, 4], (3, 3): [2, 5], (1, 1): [3]}
    assert {kind: rows.tolist() for kind, rows in found.items()} == expected
    with pytest.raises(ValueError, match="same number of elements"):
        get_label_buckets([0, 1, 1], [1, 1])
