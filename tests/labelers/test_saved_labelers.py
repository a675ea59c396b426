"""Saved labelers label new votes as before."""

import numpy as np
import pytest

from corral import (
    ClassBalance,
    Confusion,
    ConstrainedLabeler,
    ErrorRate,
    FromLabels,
    GroupShare,
    Known,
    Precision,
    Recall,
    WeakSignals,
)
from corral.datasets import random_votes
from corral.errors import ParameterError, StorageError
from corral.persist import write_file

WORDS = np.array(["ham", "spam", "?"], object)[random_votes(300)[0]]
NAMED = WeakSignals.from_votes(WORDS, abstain="?", names=list("abcdefghij"))

FEW = {
    2: [[0, 0, 1], [1, 1, -1], [0, 1, -1], [1, 1, 1], [0, 0, 0], [1, 0, 1]],
    3: [[0, 0, 1], [1, 1, -1], [2, 1, -1], [1, 2, 1], [0, 0, 2], [2, 2, 2]],
}
KINDS = {
    "ErrorRate": lambda c, d: ErrorRate("s0", at_most=0.3),
    "Precision": lambda c, d: Precision("s0", c, at_least=0.6),
    "Recall": lambda c, d: Recall("s0", c, at_least=0.5),
    "Confusion": lambda c, d: Confusion("s0", c, d, at_most=0.5),
    "ClassBalance": lambda c, d: ClassBalance(c, at_least=0.3),
    "GroupShare": lambda c, d: GroupShare(np.arange(6) % 2, 0, c, at_least=0.4),
    "Known": lambda c, d: Known([0], [c]),
}


@pytest.mark.filterwarnings("ignore::corral.errors.InfeasibleWarning")
@pytest.mark.parametrize("rates", [0.2, None])
@pytest.mark.parametrize("k", FEW)
@pytest.mark.parametrize("kind", KINDS)
def test_every_constraint_can_be_saved(kind, k, rates, tmp_path):
    for c, d in np.ndindex(k, k):
        asked = KINDS[kind](c, d)
        labeler = ConstrainedLabeler(rates, "entropy", constraints=[asked]).fit(FEW[k])
        labeler.save(tmp_path / "a")
        again = ConstrainedLabeler.load(tmp_path / "a")
        again.save(tmp_path / "b")
        again = ConstrainedLabeler.load(tmp_path / "b")
        new = [*FEW[k], [-1, -1, -1], [-1, 1, 0], [0, -1, 1]]
        np.testing.assert_array_equal(
            again.predict_proba(new), labeler.predict_proba(new)
        )
        np.testing.assert_array_equal(again.predict(new), labeler.predict(new))
        assert again.note_ == labeler.note_


@pytest.mark.parametrize("kind", ["GroupShare", "Known"])
def test_constraints_on_examples_alone_are_not_there_to_fit_again(kind, tmp_path):
    asked = [KINDS[kind](1, 0)]
    ConstrainedLabeler(None, "entropy", constraints=asked).fit(FEW[2]).save(
        tmp_path / "a"
    )
    with pytest.raises(ParameterError, match="nothing to label by"):
        ConstrainedLabeler.load(tmp_path / "a").fit(FEW[2])


def test_coding_and_names_are_remembered(tmp_path):
    labeler = ConstrainedLabeler(0.2).fit(NAMED)
    labeler.save(tmp_path / "l.corral")
    again = ConstrainedLabeler.load(tmp_path / "l.corral")
    new = [["spam"] * 9 + ["?"], ["?"] * 10]
    assert again.predict(new).tolist() == ["spam", None]
    turned = WeakSignals.from_votes(
        [row[::-1] for row in new],
        classes=["ham", "spam"],
        abstain="?",
        names=list("jihgfedcba"),
    )
    np.testing.assert_array_equal(again.predict_proba(turned), again.predict_proba(new))


def test_estimated_rates_are_saved_and_can_be_estimated_again(tmp_path):
    votes = random_votes(300)[0]
    labeler = ConstrainedLabeler().fit(votes)
    labeler.save(tmp_path / "a")
    again = ConstrainedLabeler.load(tmp_path / "a")
    assert again.rates_.note == labeler.rates_.note
    np.testing.assert_array_equal(again.rates_.intervals(), labeler.rates_.intervals())
    np.testing.assert_array_equal(
        again.rates_.class_balance, labeler.rates_.class_balance
    )
    again.save(tmp_path / "b")
    refitted = ConstrainedLabeler.load(tmp_path / "b").fit(votes)
    np.testing.assert_array_equal(refitted.labels_, labeler.labels_)


def test_an_estimator_with_examples_is_saved_as_its_rates(tmp_path):
    votes, labels = random_votes(300)
    known = np.where(np.arange(300) < 20, labels, -1)
    labeler = ConstrainedLabeler(FromLabels(known)).fit(votes)
    labeler.save(tmp_path / "a")
    again = ConstrainedLabeler.load(tmp_path / "a")
    np.testing.assert_array_equal(again.predict_proba(votes), labeler.labels_)
    np.testing.assert_array_equal(again.error_rates, labeler.error_rates_)
    assert "20 labelled" in again.rates_.note


def test_files_that_do_not_fit(tmp_path):
    write_file(tmp_path / "a", "labeler", {}, {})
    with pytest.raises(StorageError, match="damaged"):
        ConstrainedLabeler.load(tmp_path / "a")
    with pytest.raises(StorageError, match="folder"):
        ConstrainedLabeler(0.3).fit(random_votes(300)[0]).save(tmp_path / "no" / "a")
