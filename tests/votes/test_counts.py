"""Rows that stand for many examples, as a database counts them."""

from dataclasses import replace

import numpy as np
import pytest

from corral import Adagrad, Averaging, ConstrainedLabeler, MajorityVote, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError

VOTES, _ = random_votes(3_000)
PATTERNS, INVERSE, COUNTS = np.unique(
    VOTES, axis=0, return_inverse=True, return_counts=True
)
COUNTED = WeakSignals.from_votes(PATTERNS, counts=COUNTS)


def test_counted_rows_are_the_examples_they_stand_for():
    whole = WeakSignals.from_votes(VOTES)
    for name in ("coverage", "overlaps", "conflicts"):
        np.testing.assert_allclose(getattr(COUNTED, name), getattr(whole, name))
    assert repr(COUNTED).startswith(
        f"WeakSignals({len(PATTERNS)} rows for 3000 examples"
    )
    np.testing.assert_array_equal(COUNTED.take([3, 1]).counts, COUNTS[[3, 1]])
    assert not COUNTED.counts.flags.writeable


@pytest.mark.parametrize(
    "labeler", [ConstrainedLabeler(0.3), MajorityVote(), Averaging()]
)
def test_labels_are_those_of_the_examples(labeler):
    expected = labeler.fit(VOTES).labels_
    shares = labeler.tie_share_
    np.testing.assert_array_equal(
        labeler.fit(COUNTED).labels_[INVERSE.ravel()], expected
    )
    assert labeler.tie_share_ == pytest.approx(shares)


def test_diagnostics_are_those_of_the_examples():
    whole, counted = (ConstrainedLabeler(0.3).fit(s) for s in (VOTES, COUNTED))
    np.testing.assert_allclose(
        counted.implied_error_rates_, whole.implied_error_rates_, atol=1e-12
    )
    assert counted.solution_.rows_used == 3_000


def test_weights_multiply_counts():
    weights = np.random.default_rng(0).random(len(PATTERNS))
    by_row = ConstrainedLabeler(0.3).fit(COUNTED, sample_weight=weights)
    by_example = ConstrainedLabeler(0.3).fit(
        VOTES, sample_weight=weights[INVERSE.ravel()]
    )
    np.testing.assert_allclose(
        by_row.labels_[INVERSE.ravel()], by_example.labels_, atol=1e-9
    )


def test_a_sample_is_drawn_by_count():
    votes, _ = random_votes(60_000, accuracies=[0.65] * 8)
    patterns, counts = np.unique(votes, axis=0, return_counts=True)
    signals = WeakSignals.from_votes(patterns, counts=counts)
    whole = ConstrainedLabeler(0.35).fit(signals).labels_
    part = ConstrainedLabeler(0.35, max_patterns=2_000).fit(signals)
    assert part.solution_.rows_used == 2_000
    assert np.average(np.abs(part.labels_ - whole)[:, 1], weights=counts) < 0.01


def test_a_part_of_a_sample_has_its_own_size():
    sample = COUNTED._copy(replace(COUNTED._data, drawn=9))
    assert sample.n_drawn == 9
    assert sample.take([0]).n_drawn == COUNTS[0]


def test_frames_may_be_counted():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    frame = pandas.DataFrame(PATTERNS, columns=list("abcdefghij"))
    signals = WeakSignals.from_votes(frame, counts=COUNTS)
    assert signals.names[0] == "a"
    np.testing.assert_array_equal(signals.counts, COUNTS)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1], "each of the 2 rows"),
        ([1, 0], "above zero"),
        (["a", 1], "must be numbers"),
    ],
)
def test_bad_counts(counts, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_votes([[0, 1], [1, 1]], counts=counts)


def test_explicit_starts_are_refused():
    with pytest.raises(
        ParameterError, match="explicit starts belong to single examples"
    ):
        ConstrainedLabeler(0.3, Adagrad(starts=2)).fit(COUNTED)
