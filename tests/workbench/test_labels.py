"""Labels are those of corral; counts are those of a plain loop."""

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.workbench.labels import FunctionRules, Snapshot
from corral.workbench.project import SECTIONS, Project


@pytest.fixture(scope="module")
def votes():
    found, _ = random_votes(800, [0.9, 0.8, 0.7, 0.6], coverage=0.4)
    return found.astype(np.int8)


class AllRows:
    def __init__(self, n_rows):
        self.n_rows = n_rows

    @staticmethod
    def places(rows):
        return rows


def label(votes, classes=("neg", "pos"), **entries):
    """The snapshot of some votes; `entries` are sections of its project."""
    sections = {key: {} for key in SECTIONS} | {"settings": {"classes": classes}}
    names = tuple(f"rule {i}" for i in range(votes.shape[1]))
    rules = {f"f:{name}": column for name, column in zip(names, votes.T, strict=True)}
    given = Project(sections | entries), AllRows(len(votes)), FunctionRules(names)
    return Snapshot(*given, rules, None)


def labels_of(found):
    return found.row_labels[found.row_of]


def test_labels_are_those_of_the_default_labeler(votes):
    found, expected = label(votes), corral.ConstrainedLabeler().fit(votes).labels_
    assert np.allclose(labels_of(found), expected)
    assert np.allclose(found.labeler.labels_, expected)
    sure = np.abs(expected[:, 0] - 0.5) > 1e-9
    covered = (votes >= 0).any(axis=1)
    assert ((found.decided >= 0) == (sure & covered)).all()


def test_counts_are_those_of_a_loop(votes):
    found = label(votes)
    said = [{(i, v) for i, v in enumerate(row) if v >= 0} for row in votes.tolist()]
    for i, rule in enumerate(found.names):
        own = [row for row in said if i in {at for at, _ in row}]
        expected = {
            "covered": len(own),
            "conflicting": sum(len({v for _, v in row}) > 1 for row in own),
            "only_this": sum(len(row) == 1 for row in own),
        }
        assert found.rule_counts(rule) == expected
        assert {what: found.covers(what, rule).sum() for what in expected} == expected
    assert found.covers("covered").sum() == sum(bool(row) for row in said)
    clash = sum(len({v for _, v in row}) > 1 for row in said)
    assert found.covers("conflicting").sum() == clash
    for row, most in zip(votes.tolist(), found.majority.tolist(), strict=True):
        tally = [row.count(0), row.count(1)]
        assert most == (-1 if tally[0] == tally[1] else int(tally[1] > tally[0]))


def test_rules_that_never_vote_are_no_signals(votes):
    silent = np.column_stack([votes, np.full(len(votes), -1, np.int8)])
    found = label(silent, rates={"f:rule 4": {"rate": 0.1}})
    assert found.voting == [f"f:rule {i}" for i in range(4)]
    assert found.notes == []
    assert np.allclose(labels_of(found), labels_of(label(votes)))


@pytest.mark.parametrize(
    ("m", "classes"), [(0, ("neg", "pos")), (2, ("pos",)), (0, ())]
)
def test_without_rules_or_classes_there_are_no_labels(m, classes):
    found = label(np.full((5, m), -1, np.int8), classes)
    assert found.labeler is None
    assert found.decided.tolist() == found.majority.tolist() == [-1] * 5
    assert found.covers("covered").sum() == found.covers("conflicting").sum() == 0


def test_what_is_asked_is_met_and_moves_nothing_if_it_holds_anyway(votes):
    most = {"at_most": 0.99}
    asked = label(votes, rates={"f:rule 0": most}, balance={"pos": most})
    assert np.allclose(labels_of(asked), labels_of(label(votes)))
    rates, balance = {"f:rule 3": {"at_most": 0.05}}, {"pos": {"at_least": 0.6}}
    found = label(votes, rates=rates, balance=balance)
    assert found.errors()["f:rule 3"]["error"] < 0.06
    assert labels_of(found)[:, 1].mean() > 0.59


def test_labels_are_learned_from_what_was_taught(votes):
    rows = np.flatnonzero((votes[:, 0] == 1) & (votes[:, 1] == -1))[:30]
    said = {"class": "neg", "how": "chosen"}  # the first rule is wrong, people say
    taught = dict.fromkeys(map(str, rows.tolist()), said)
    free, found = (label(votes, hand_labels=given).errors() for given in ({}, taught))
    before, now = (each["f:rule 0"]["estimated"]["rate"] for each in (free, found))
    assert now > before + 0.1
