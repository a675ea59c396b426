"""Labels are those of corral; counts are those of a plain loop."""

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.workbench.labels import Wishes, distinct_rows, evaluate

CLASSES = ("neg", "pos")


@pytest.fixture(scope="module")
def votes():
    found, _ = random_votes(800, [0.9, 0.8, 0.7, 0.6], coverage=0.4)
    return found.astype(np.int8)


def label(votes, wishes=None, classes=CLASSES):
    names = [f"rule {i}" for i in range(votes.shape[1])]
    distinct = distinct_rows(votes.T, len(votes))
    return evaluate(*distinct, classes, wishes or Wishes(), names)


def test_labels_are_those_of_the_default_labeler(votes):
    found = label(votes)
    expected = corral.ConstrainedLabeler().fit(votes)
    assert np.allclose(found.labels, expected.labels_)
    assert (found.decided >= 0).sum() == (votes >= 0).any(axis=1).sum() - np.sum(
        (np.abs(expected.labels_[:, 0] - 0.5) < 1e-9) & (votes >= 0).any(axis=1)
    )


def test_distinct_rows_are_those_of_numpy(votes):
    codes, row_of = distinct_rows(votes.T, len(votes))
    assert (codes[row_of] == votes).all()
    assert len(codes) == len(np.unique(votes, axis=0))


def test_counts_are_those_of_a_loop(votes):
    found = label(votes)
    said = [{(i, v) for i, v in enumerate(row) if v >= 0} for row in votes.tolist()]
    for i in range(4):
        own = [row for row in said if i in {at for at, _ in row}]
        clash = [row for row in own if len({v for _, v in row}) > 1]
        alone = [row for row in own if len(row) == 1]
        for what, rows in (
            ("covered", own),
            ("conflicting", clash),
            ("only_this", alone),
        ):
            assert found.rule_counts[what][i] == len(rows)
            assert found.rule_rows(i, what).sum() == len(rows)
    assert found.covered.sum() == sum(bool(row) for row in said)
    assert found.conflicting.sum() == sum(len({v for _, v in row}) > 1 for row in said)
    for row, voted, most in zip(
        votes.tolist(), said, found.majority.tolist(), strict=True
    ):
        tally = [row.count(0), row.count(1)]
        expected = -1 if tally[0] == tally[1] else int(tally[1] > tally[0])
        assert most == (expected if voted else -1)


def test_rules_that_never_vote_are_no_signals(votes):
    silent = np.column_stack([votes, np.full(len(votes), -1, np.int8)])
    found = label(silent)
    assert found.columns.tolist() == [0, 1, 2, 3]
    assert found.notes == ()
    assert np.allclose(found.labels, label(votes).labels)


@pytest.mark.parametrize(("m", "classes"), [(0, CLASSES), (2, ("pos",)), (0, ())])
def test_without_rules_or_classes_there_are_no_labels(m, classes):
    votes = np.full((5, m), -1, np.int8)
    found = label(votes, classes=classes)
    assert found.labeler is None
    assert found.decided.tolist() == [-1] * 5
    assert found.covered.sum() == found.conflicting.sum() == 0
    assert found.majority.tolist() == [-1] * 5


def test_a_demand_that_holds_anyway_moves_nothing(votes):
    free = label(votes).labels
    asked = Wishes(rates={0: {"at_most": 0.99}}, balance={"pos": {"at_most": 0.99}})
    assert np.allclose(label(votes, asked).labels, free)


def test_a_demand_is_met(votes):
    asked = Wishes(rates={3: {"at_most": 0.05}}, balance={"pos": {"at_least": 0.6}})
    found = label(votes, asked)
    assert found.labeler.implied_error_rates_[3] < 0.06
    assert found.labels[:, 1].mean() > 0.59


def test_labels_are_learned_from_what_was_taught(votes):
    rows = np.flatnonzero((votes[:, 0] == 1) & (votes[:, 1] == -1))[:30]
    taught = dict.fromkeys(rows.tolist(), 0)  # the first rule is wrong, people say
    free = label(votes)
    found = label(votes, Wishes(taught=taught))
    assert (
        found.labeler.rates_.error_rates[0] > free.labeler.rates_.error_rates[0] + 0.1
    )
