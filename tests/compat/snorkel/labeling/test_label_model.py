"""`LabelModel` and the voters: what they hand on, and what files keep."""

import logging
import pickle

import numpy as np
import pytest

import corral
from corral.compat.snorkel.labeling import LFAnalysis
from corral.compat.snorkel.labeling.model import (
    LabelModel,
    MajorityClassVoter,
    MajorityLabelVoter,
    RandomVoter,
)
from corral.datasets import random_votes
from corral.errors import ParameterError, StorageError
from corral.labelers import LABELERS


@pytest.fixture(scope="module")
def data():
    votes, truth = random_votes(400, [0.9, 0.8, 0.7, 0.6, 0.6], coverage=0.6)
    votes[0] = -1
    return votes, truth


def fitted(votes, method="constrained", **options):
    model = LabelModel(cardinality=2, method=method)
    model.fit(votes, **options)
    return model


def test_the_labels_are_those_of_corral(data):
    votes, truth = data
    labeler = corral.ConstrainedLabeler().fit(votes)
    model = fitted(votes)
    covered = labeler.covered_
    labels = model.predict_proba(votes)
    np.testing.assert_allclose(labels[covered], labeler.labels_[covered])
    np.testing.assert_allclose(model.get_weights(), 1 - labeler.error_rates_)
    # Without a vote: even, so that there is no class to predict.
    assert model.predict_proba(votes)[0].tolist() == [0.5, 0.5]
    assert model.predict(votes)[0] == -1
    assert model.score(votes, truth, ["coverage"])["coverage"] < 1


def test_a_class_balance_is_met_and_kept_for_silence(data):
    votes, _ = data
    for given in ({"class_balance": [0.7, 0.3]}, {"Y_dev": [0] * 7 + [1] * 3}):
        model = fitted(votes, **given)
        labels = model.predict_proba(votes)
        np.testing.assert_allclose(labels[0], [0.7, 0.3])
        covered = (votes >= 0).any(axis=1)
        np.testing.assert_allclose(labels[covered].mean(axis=0), [0.7, 0.3], atol=1e-3)
        assert model.predict(votes)[0] == 0


@pytest.mark.parametrize("method", LABELERS)
def test_every_labeler_of_votes_can_be_asked(method, data):
    votes, truth = data
    if method == "weighted-vote":
        with pytest.raises(ParameterError, match="give weights= or accuracies="):
            fitted(votes, method)
        return
    model = fitted(votes, method, class_balance=[0.5, 0.5], seed=0)
    assert model.score(votes, truth)["accuracy"] > 0.75
    if not hasattr(model.labeler, "error_rates_"):
        with pytest.raises(ParameterError, match="learns nothing about functions"):
            model.get_weights()
    assert model.get_conditional_probs().shape == (5, 3, 2)


def test_three_classes_of_which_one_has_no_vote():
    votes = np.array([[0, 0, 2], [2, 2, -1], [0, -1, 0], [2, 2, 2]])
    model = LabelModel(cardinality=3)
    model.fit(votes)
    assert model.predict_proba(votes).shape == (4, 3)
    assert model.predict(votes).tolist() == [0, 2, 0, 2]
    assert MajorityLabelVoter(3).predict(votes).tolist() == [0, 2, 0, 2]


@pytest.mark.parametrize("method", ["constrained", "metal", "majority-vote"])
def test_a_file_keeps_what_labels_new_votes(method, data, tmp_path):
    votes, _ = data
    balance = [0.6, 0.4]
    model = fitted(votes, method, class_balance=balance)
    model.save(tmp_path / "model.pkl")
    again = LabelModel(cardinality=7)
    again.load(tmp_path / "model.pkl")
    assert (again.cardinality, again.method) == (2, method)
    covered = (votes >= 0).any(axis=1)
    np.testing.assert_array_equal(
        again.predict_proba(votes)[covered], model.predict_proba(votes)[covered]
    )
    # It is a file of corral, which any tool of corral reads.
    assert (
        type(corral.labelers.Labeler.load(tmp_path / "model.pkl")) is LABELERS[method]
    )
    if method != "majority-vote":
        np.testing.assert_array_equal(again.get_weights(), model.get_weights())
        np.testing.assert_allclose(again.p, balance)
    if method == "metal":
        np.testing.assert_array_equal(
            again.get_conditional_probs(), model.get_conditional_probs()
        )
    else:
        with pytest.raises(ParameterError, match="votes that were fitted on are not"):
            again.get_conditional_probs()


def test_a_pickle_is_refused(tmp_path):
    path = tmp_path / "model.pkl"
    path.write_bytes(pickle.dumps({"cardinality": 2}))
    for model in (LabelModel(), MajorityLabelVoter()):
        with pytest.raises(StorageError, match="no file that corral wrote"):
            model.load(path)


def test_voters_in_files(tmp_path):
    path = tmp_path / "voter.corral"
    voter = MajorityClassVoter(3)
    with pytest.raises(ParameterError, match="call fit"):
        voter.save(path)
    voter.fit([0.2, 0.5, 0.3])
    voter.save(path)
    again = MajorityClassVoter()
    again.load(path)
    assert again.cardinality == 3
    assert again.predict([[0, -1], [2, 2]]).tolist() == [1, 1]
    with pytest.raises(StorageError, match="holds a 'MajorityClassVoter'"):
        MajorityLabelVoter().load(path)
    MajorityLabelVoter(4).save(path)
    plain = MajorityLabelVoter()
    plain.load(path)
    assert plain.predict_proba([[3, 3]]).tolist() == [[0, 0, 0, 1]]


def test_voters():
    with pytest.raises(ParameterError, match="must hold 2 shares"):
        MajorityClassVoter().fit([1.0])
    even = MajorityClassVoter()
    even.fit([0.5, 0.5])
    assert even.predict_proba([[0], [1]]).tolist() == [[0.5, 0.5]] * 2
    drawn = RandomVoter(3, random_state=0).predict_proba(np.zeros((5, 2), int))
    np.testing.assert_array_equal(
        drawn, RandomVoter(3, random_state=0).predict_proba(np.zeros((5, 2), int))
    )
    assert MajorityLabelVoter().predict_proba([[-1, -1]]).tolist() == [[0.5, 0.5]]


def test_what_is_refused(data):
    votes, _ = data
    with pytest.raises(ParameterError, match="not fitted yet"):
        LabelModel().predict_proba(votes)
    with pytest.raises(ParameterError, match="cardinality must be 2 or more"):
        LabelModel(cardinality=1)
    with pytest.raises(ParameterError, match="method must be one of 'constrained'"):
        LabelModel(method="snorkel")
    for wrong, said in (
        ([0, 1, 1], "one row per example"),
        ([[0, -2]], "-2 came"),
        ([[0.5, 1]], "non-integer"),
        ([["spam", "ham"]], "whole numbers"),
    ):
        with pytest.raises(ParameterError, match=said):
            LabelModel().fit(wrong)


def test_verbose_logs_how_labels_were_found(data, caplog):
    votes, _ = data
    with caplog.at_level(logging.INFO):
        fitted(votes)
    assert "estimated" in caplog.text


def test_functions_that_never_vote_are_analysed():
    found = LFAnalysis([[-1, -1], [-1, -1]])
    assert found.label_coverage() == found.label_conflict() == 0
    assert found.lf_conflicts(normalize_by_overlaps=True).tolist() == [0, 0]
    pytest.importorskip("pandas")
    assert found.lf_summary([0, 1])["Emp. Acc."].tolist() == [0, 0]
    with pytest.raises(ParameterError, match="a class for each of the 2 examples"):
        found.lf_empirical_accuracies([0])


def test_true_classes_are_no_abstains():
    votes, _ = random_votes(50, [0.9, 0.8, 0.7])
    for given in ([0, 1, -1], []):
        with pytest.raises(ParameterError, match="Y_dev must hold true classes"):
            LabelModel().fit(votes, Y_dev=np.array(given, int))
