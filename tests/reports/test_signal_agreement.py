"""Agreement of signals, beside a plain loop over pairs of votes."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import corral
from corral.reports.example_rows import RowsUnseen
from corral.reports.labelled_votes import LabelledVotes
from corral.reports.signals import MAX_MATRIX_SIGNALS, compare_signals


def compare(signals):
    labeler = corral.MajorityVote().fit(signals)
    votes = LabelledVotes(
        labeler, signals, labeler.labels_, labeler.covered_, None, RowsUnseen()
    )
    return compare_signals(votes, corral.analyse(signals), 0)


def count_by_loop(votes):
    """Common and contradicting votes of every pair of columns."""
    m = votes.shape[1]
    common, against = np.zeros((2, m, m))
    for row in votes:
        for a, b in combinations(range(m), 2):
            if row[a] >= 0 and row[b] >= 0:
                common[a, b] = common[b, a] = common[a, b] + 1
                if row[a] != row[b]:
                    against[a, b] = against[b, a] = against[a, b] + 1
    return common, against


@given(
    arrays(
        np.int64,
        st.tuples(st.integers(2, 12), st.integers(2, 5)),
        elements=st.integers(-1, 2),
    )
)
def test_class_votes(votes):
    votes[0, 0] = 0  # somebody votes
    signals = corral.WeakSignals.from_votes(votes, classes=[0, 1, 2])
    found = compare(signals)
    common, against = count_by_loop(votes)
    at = [signals.names.index(name) for name in found.names]
    assert np.array_equal(found.common, common[np.ix_(at, at)])
    for i, a in enumerate(at):
        for j, b in enumerate(at):
            if a == b or not common[a, b]:
                assert np.isnan(found.agreement[i, j])
            else:
                assert found.agreement[i][j] == pytest.approx(
                    1 - against[a, b] / common[a, b]
                )
    if common.any():
        assert found.agreeing == pytest.approx(1 - against.sum() / common.sum())
    else:
        assert found.agreeing is None


def test_one_versus_rest_by_hand():
    # (signals, examples, classes): yes to 0; no to 0; yes to 1; no to 1.
    table = np.full((4, 1, 3), -1.0)
    table[0, 0, 0], table[1, 0, 0], table[2, 0, 1], table[3, 0, 1] = 1, 0, 1, 0
    found = compare(corral.WeakSignals.from_one_vs_rest(table))
    at = {name: i for i, name in enumerate(found.names)}
    agree = {
        (a, b): found.agreement[at[f"s{a}"]][at[f"s{b}"]]
        for a, b in combinations(range(4), 2)
    }
    # Only "yes to 0" beside "no to 0" or "yes to 1", and "yes to 1" beside "no to 1".
    assert {pair for pair, share in agree.items() if share == 0} == {
        (0, 1),
        (0, 2),
        (2, 3),
    }
    assert found.alpha is None


def test_more_signals_than_the_matrix_has():
    votes, _ = corral.datasets.random_votes(300, [0.7] * 70, coverage=0.2)
    signals = corral.WeakSignals.from_votes(votes)
    found = compare(signals)
    assert len(found.names) == MAX_MATRIX_SIGNALS
    assert {*found.names, *found.others} == set(signals.names)
    least = min(signals.conflicts[signals.names.index(n)] for n in found.names)
    assert all(signals.conflicts[signals.names.index(n)] <= least for n in found.others)


def test_votes_of_one_versus_rest_are_not_called_examples():
    table = np.full((2, 12, 3), -1.0)
    table[0, :, 0], table[0, :, 1], table[1, :, :2] = 1, 0, (0, 1)
    found = compare(corral.WeakSignals.from_one_vs_rest(table))
    assert found.pairs[0].n_common == 4 * 12
    assert "of 48 pairs of their votes" in found.verdict
    named = corral.WeakSignals.from_votes([[0, 1]] * 12)
    assert "12 of 12 common examples" in compare(named).verdict


def test_alpha_is_that_of_agreement_and_may_have_no_interval():
    votes = np.random.default_rng(0).integers(0, 2, (50, 3))
    signals = corral.WeakSignals.from_votes(votes)
    expected, found = corral.agreement(signals, resamples=200), compare(signals)
    assert found.alpha == expected.alpha
    assert found.alpha_interval == expected.alpha_interval
    found = compare(corral.WeakSignals.from_votes([[0, 0], [1, 1], [0, 0]]))
    assert found.alpha == pytest.approx(1)
    assert found.alpha_interval is None
