"""What differs from Snorkel, as docs/howto/from_other_tools.md lists it."""

import pickle

import numpy as np
import pytest

import corral
from corral.compat.snorkel.analysis import get_label_buckets, metric_score
from corral.compat.snorkel.labeling import (
    LabelingFunction,
    LFAnalysis,
    LFApplier,
    labeling_function,
)
from corral.compat.snorkel.labeling.model import METHODS, LabelModel, MajorityLabelVoter
from corral.compat.snorkel.preprocess import preprocessor
from corral.compat.snorkel.utils import preds_to_probs
from corral.datasets import random_votes
from corral.errors import CompatWarning, FunctionWarning, ParameterError, StorageError
from corral.functions import keywords
from corral.labelers import Labeler

SMALL = [[0, 0, 1], [1, 1, -1], [0, -1, 0]]


@pytest.fixture(scope="module")
def data():
    votes, truth = random_votes(400, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.6)
    votes[0] = -1
    return votes, truth


def fitted(votes, method="constrained", **options):
    model = LabelModel(cardinality=2, method=method)
    model.fit(votes, **options)
    return model


# -- what is absent ------------------------------------------------------------


def test_functions_of_snorkel_itself_are_taken():
    theirs = pytest.importorskip("snorkel.labeling")
    lf = theirs.LabelingFunction("theirs", lambda text: 1 if "free" in text else -1)
    texts = ["free", "lunch"]
    assert LFApplier([lf]).apply(texts).tolist() == [[1], [-1]]
    signals = corral.apply([lf, keywords(None, "lunch", 0)], texts)
    assert signals.names == ("theirs", "lunch")
    assert signals.votes.tolist() == [[1, -1], [-1, 0]]


# -- functions -----------------------------------------------------------------


@labeling_function()
def short(text):
    """Short texts are ham."""
    return 0 if len(text) < 9 else -1


@pytest.mark.parametrize(
    ("said", "vote"),
    [(1, 1), (True, 1), (np.int8(2), 2), (1.0, 1), (-7, -1), (None, -1),
     (float("nan"), -1)],
)  # fmt: skip
def test_what_a_function_may_say(said, vote):
    lf = LabelingFunction("f", lambda _: said)
    assert LFApplier([lf]).apply(["x"]).tolist() == [[vote]]


@pytest.mark.parametrize("said", [0.7, "spam", [1], object()])
def test_what_it_may_not_say(said):
    with pytest.raises(ParameterError, match="labeling function") as caught:
        LFApplier([LabelingFunction("f", lambda _: said)]).apply(["x"])
    assert "'f', row 0" in caught.value.__notes__[0]


def test_tolerated_faults_are_warned_of():
    fails = LabelingFunction("fails", lambda text: 1 // (len(text) - 5))
    with pytest.warns(FunctionWarning, match="fails: 2 rows"):
        LFApplier([fails]).apply(["hello", "a prize", "there"], fault_tolerant=True)


def test_what_appliers_take():
    large = LabelingFunction("large", lambda row: 1 if row[0] > 42 else -1)
    assert LFApplier([large]).apply(np.array([[10], [99]])).tolist() == [[-1], [1]]
    assert LFApplier([large]).apply(iter([(10,), (99,)])).tolist() == [[-1], [1]]
    assert LFApplier([large]).apply([]).shape == (0, 1)
    for wrong in ([lambda _: 1], []):
        with pytest.raises(ParameterError, match="lfs"):
            LFApplier(wrong)


@pytest.mark.parametrize(
    ("one", "other"), [([1, [2]], [1, [3]]), (np.array([1]), np.array([2]))]
)
def test_rows_of_any_kind_are_remembered(one, other):
    calls = []
    note = preprocessor(memoize=True)(lambda x: calls.append(x) or "done")
    for row in (one, other, one):
        assert note(row) == "done"
    assert len(calls) == 2


# -- scores --------------------------------------------------------------------


def test_scores_refuse_what_they_cannot_score():
    for golds, preds, options in (
        ([1, 0], [-1, -1], {"filter_dict": {"preds": [-1]}}),
        ([1, 0], [1, 0, 1], {}),
        ([1, 0], None, {}),
        (np.array([1, None], object), [1, 0], {}),
    ):
        with pytest.raises(ParameterError):
            metric_score(golds, preds, **options)
    assert metric_score(np.array([1, 0, 1], object), [1, 0, 0]) == pytest.approx(2 / 3)
    with pytest.raises(ParameterError, match="abstain"):
        preds_to_probs([0, -1], 2)
    with pytest.raises(ParameterError, match="same number"):
        get_label_buckets()
    with pytest.raises(ParameterError, match="Y"):
        LFAnalysis(SMALL).lf_empirical_accuracies([0])


# -- models --------------------------------------------------------------------


def test_the_labels_are_those_of_corral(data):
    votes, truth = data
    labeler = corral.ConstrainedLabeler().fit(votes)
    model = fitted(votes)
    covered = labeler.covered_
    labels = model.predict_proba(votes)
    np.testing.assert_allclose(labels[covered], labeler.labels_[covered])
    np.testing.assert_allclose(model.get_weights(), 1 - labeler.error_rates_)
    # Without a vote: even, so that there is no class to predict.
    assert labels[0].tolist() == [0.5, 0.5]
    assert model.score(votes, truth, ["coverage"])["coverage"] < 1


def test_a_class_balance_is_met_and_kept_for_silence(data):
    votes, _ = data
    for given in ({"class_balance": [0.7, 0.3]}, {"Y_dev": [0] * 7 + [1] * 3}):
        labels = fitted(votes, **given).predict_proba(votes)
        np.testing.assert_allclose(labels[0], [0.7, 0.3])
        covered = (votes >= 0).any(axis=1)
        np.testing.assert_allclose(labels[covered].mean(axis=0), [0.7, 0.3], atol=1e-3)
    for wrong in ([0, 1, -1], []):
        with pytest.raises(ValueError):  # noqa: PT011 - whichever it is
            fitted(votes, Y_dev=np.array(wrong, int))


@pytest.mark.parametrize("method", METHODS)
def test_both_methods_are_kept(method, data, tmp_path):
    votes, truth = data
    model = fitted(votes, method, class_balance=[0.5, 0.5], seed=0)
    assert model.score(votes, truth)["accuracy"] > 0.75
    path = tmp_path / "model.corral"
    model.save(path)
    again = LabelModel(cardinality=7)
    again.load(path)
    assert (again.cardinality, again.method) == (2, method)
    np.testing.assert_array_equal(
        again.predict_proba(votes), model.predict_proba(votes)
    )
    assert type(Labeler.load(path)) is METHODS[method], "corral reads it, too"


def test_files_are_no_pickles(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"cardinality": 2}))
    with pytest.raises(StorageError):
        LabelModel().load(path)


def test_what_is_refused(data):
    votes, _ = data
    silent = fitted([[-1, -1], [-1, -1]])
    for model in (LabelModel(), silent):
        with pytest.raises(ParameterError, match="fit"):
            model.predict_proba(votes)
    for wrong in ({"cardinality": 1}, {"method": "snorkel"}):
        with pytest.raises(ParameterError):
            LabelModel(**wrong)
    for wrong in ([0, 1, 1], [[0, -2]], [[0.5, 1]], [["spam", "ham"]]):
        with pytest.raises(ParameterError):
            LabelModel().fit(wrong)


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
def test_options_without_effect_are_named():
    with pytest.warns(CompatWarning, match="no effect in .*: n_epochs, lr") as caught:
        fitted(SMALL, n_epochs=10, lr=0.1)
    assert caught[0].filename == __file__
    with pytest.warns(CompatWarning, match="no effect in .*: optimizer, mu_eps"):
        fitted(SMALL, "metal", optimizer="adam", mu_eps=0.1)
    with pytest.warns(CompatWarning, match="device"):
        LabelModel(device="cuda:0")
    with pytest.warns(CompatWarning, match="MajorityLabelVoter: verbose"):
        MajorityLabelVoter(cardinality=2, verbose=False)


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
def test_what_metal_takes_is_not_warned_of():
    options = {"n_epochs": 10, "lr": 0.02, "l2": 0.1, "prec_init": [0.6, 0.7, 0.8]}
    chosen = fitted(SMALL, "metal", seed=1, progress_bar=False, **options).labeler
    assert (chosen.max_iter, chosen.learning_rate, chosen.penalty) == (10, 0.02, 0.1)
    assert chosen.precision.tolist() == [0.6, 0.7, 0.8]
    with pytest.raises(ParameterError, match="loss grew"):
        fitted([[0, -1, 0], [0, 1, 0]], "metal", n_epochs=10, lr=1e8)
