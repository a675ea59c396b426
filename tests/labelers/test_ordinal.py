"""Classes with an order: confusions of graders, and grades with intervals."""

import numpy as np
import pytest

import corral
from corral import DawidSkene, MajorityVote, OrdinalLabeler, WeakSignals
from corral.errors import (
    ConvergenceWarning,
    ParameterError,
    SignalsError,
    SignalsWarning,
)
from corral.labelers.ordinal import summarise_grades


def graded(n=600, m=30, per=5, k=5, seed=0):
    """Votes of graders with bias and noise of their own, `per` per example; the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    bias, noise = rng.normal(0, 0.5, m), rng.uniform(0.4, 1.3, m)
    said = truth[:, None] + bias + noise * rng.normal(size=(n, m))
    votes = np.clip(np.rint(said), 0, k - 1).astype(int)
    asked = rng.random((n, m)).argsort(axis=1) < per
    return np.where(asked, votes, -1), truth, bias


def test_it_is_nearer_to_the_truth_than_methods_without_order():
    right, far = [], []
    for seed in range(3):
        votes, truth, _ = graded(n=400, m=40, seed=seed)
        labelers = OrdinalLabeler(), DawidSkene(), MajorityVote()
        found = [labeler.fit(votes).labels_ for labeler in labelers]
        for p in found:
            right.append((p.argmax(axis=1) == truth).mean())
            median = (p.cumsum(axis=1) >= 0.5 - 1e-9).argmax(axis=1)
            far.append(np.abs(median - truth).mean())
    right, far = np.reshape(right, (3, 3)).mean(0), np.reshape(far, (3, 3)).mean(0)
    assert right[0] > right[1:].max() + 0.02
    assert far[0] < far[1:].min() - 0.02


def test_biases_are_found():
    votes, _, bias = graded(n=2000, m=20, per=8)
    found = OrdinalLabeler().fit(votes).biases_
    assert np.corrcoef(found, bias)[0, 1] > 0.9


def test_the_order_is_that_of_the_classes():
    votes, _, _ = graded(n=300)
    plain = OrdinalLabeler().fit(votes)
    words = np.array(["bad", "poor", "fair", "good", "fine", None], object)
    text = WeakSignals.from_votes(words[votes], classes=words[:5].tolist())
    listed = OrdinalLabeler().fit(text)
    np.testing.assert_allclose(listed.labels_, plain.labels_)
    mixed = WeakSignals.from_votes(words[votes])  # sorted: bad, fair, fine, ...
    with pytest.warns(SignalsWarning, match="taken to rise from bad to poor"):
        wrong = OrdinalLabeler().fit(mixed)
    at = [mixed.classes.tolist().index(word) for word in words[:5]]
    assert np.abs(wrong.labels_[:, at] - plain.labels_).max() > 0.01
    told, given = listed.summarise(), plain.summarise()
    np.testing.assert_allclose(told.mean, given.mean + 1)  # text: places from 1
    assert told.median.tolist() == words[given.median].tolist()


def test_what_a_summary_says():
    labels = np.array([[0.2, 0.3, 0.5], [0.0, 0.06, 0.94], [1.0, 0.0, 0.0]])
    found = summarise_grades(labels, np.array([10, 20, 40]), 0.8)
    np.testing.assert_allclose(found.mean, [28, 38.8, 10])
    np.testing.assert_allclose(found.deviation[0], np.sqrt(0.2 * 324 + 0.3 * 64 + 72))
    assert found.median.tolist() == [20, 40, 10]
    assert found.low.tolist() == [10, 40, 10]
    assert found.high.tolist() == [40, 40, 10]
    assert found.to_dict()["median"] == [20, 40, 10]
    assert "80% of it" in str(found)
    for level in (0, 1.0, "x"):
        with pytest.raises(ParameterError, match="level"):
            summarise_grades(labels, np.arange(3), level)


def test_intervals_hold_the_truth():
    votes, truth, _ = graded(n=1500, m=20, per=5)
    found = OrdinalLabeler().fit(votes).summarise(level=0.9)
    held = (found.low <= truth) & (truth <= found.high)
    assert 0.87 < held.mean() <= 1
    assert (found.low <= found.median).all()
    assert (found.median <= found.high).all()


def test_tables_get_the_grades(tmp_path):
    votes, _, _ = graded(n=60, m=6)
    path, out = tmp_path / "votes.csv", tmp_path / "labels.csv"
    names = [f"r{i}" for i in range(6)]
    lines = [",".join("" if v < 0 else str(v + 1) for v in row) for row in votes]
    path.write_text("\n".join([",".join(names), *lines]))
    corral.label(path, output=out, labeler="ordinal")
    head, *rows = out.read_text().splitlines()
    assert head.endswith("label,confidence,covered,mean,median,low,high")
    want = OrdinalLabeler().fit(votes).summarise()
    got = np.array([row.split(",")[-4:] for row in rows], float)
    np.testing.assert_allclose(got[:, 0], want.mean + 1)
    np.testing.assert_array_equal(
        got[:, 1:].T, [want.median + 1, want.low + 1, want.high + 1]
    )


def test_true_grades_move_the_labels_and_stay(tmp_path):
    votes, truth, _ = graded(n=1500, m=20, per=3)
    known = np.random.default_rng(0).choice(len(truth), 150, replace=False)
    gold, rest = np.full(len(truth), -1), np.setdiff1d(np.arange(len(truth)), known)
    gold[known] = truth[known]

    def log_loss(labels):
        return -np.log(labels[rest, truth[rest]]).mean()

    labeler = OrdinalLabeler()
    before = log_loss(labeler.fit(votes).labels_)
    labels = labeler.fit(votes, gold=gold).labels_
    assert log_loss(labels) < before - 0.01
    np.testing.assert_array_equal(labels[known, truth[known]], 1)
    right = (labels.argmax(axis=1) == truth)[rest].mean()
    assert labeler.accuracy_.low < right < labeler.accuracy_.high
    labeler.save(tmp_path / "grades")
    again = OrdinalLabeler.load(tmp_path / "grades")
    np.testing.assert_array_equal(again.predict_proba(votes)[rest], labels[rest])
    assert again.note_ == labeler.note_ != OrdinalLabeler().fit(votes).note_
    with pytest.raises(ParameterError, match="true label"):
        labeler.fit(votes, gold=np.full(len(truth), -1))


def test_what_is_refused():
    votes, _, _ = graded(n=100)
    with pytest.warns(ConvergenceWarning, match="had not settled after 2 rounds"):
        OrdinalLabeler(max_iter=2).fit(votes)
    one = np.where(np.arange(3) == votes[:, :4, None], 1.0, np.nan).transpose(1, 0, 2)
    with pytest.raises(SignalsError, match="one-vs-rest"):
        OrdinalLabeler().fit(WeakSignals.from_one_vs_rest(one))
