"""Coverage, overlaps and conflicts against a loop over examples and signals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from corral import WeakSignals
from corral.votes import vote_statistics


def by_loop(said):
    """Shares from ``said[i][j]``: the (class, yes) pairs signal i says of example j."""
    m, n = len(said), len(said[0])
    shares = np.zeros((3, m))
    for i in range(m):
        for j in range(n):
            own = said[i][j]
            others = [said[h][j] for h in range(m) if h != i and said[h][j]]
            shares[0, i] += bool(own)
            shares[1, i] += bool(own and others)
            shares[2, i] += any(
                contradicts(a, b) for a in own for other in others for b in other
            )
    return shares / n


def contradicts(a, b):
    """Two classes claimed, or one claimed and denied."""
    (c, yes), (d, also) = a, b
    return (yes and also and c != d) or (c == d and yes != also)


def check(signals, said):
    shares = np.array([signals.coverage, signals.overlaps, signals.conflicts])
    np.testing.assert_allclose(shares, by_loop(said), atol=1e-12)
    covered = [any(bool(row[j]) for row in said) for j in range(len(said[0]))]
    assert signals.covered.tolist() == covered
    assert signals.uncovered.tolist() == [j for j, is_ in enumerate(covered) if not is_]


def test_by_hand():
    signals = WeakSignals.from_votes(
        [[1, 1, -1], [0, 1, 0], [-1, -1, -1], [1, -1, -1], [1, 0, -1]]
    )
    np.testing.assert_allclose(signals.coverage, [0.8, 0.6, 0.2])
    np.testing.assert_allclose(signals.overlaps, [0.6, 0.6, 0.2])
    np.testing.assert_allclose(signals.conflicts, [0.4, 0.4, 0.2])


def test_a_signal_does_not_contradict_itself():
    alone = WeakSignals.from_one_vs_rest(np.array([[[1, 1, -1], [1, 0, 0]]]))
    assert alone.overlaps.tolist() == [0]
    assert alone.conflicts.tolist() == [0]


@given(
    hnp.arrays(
        np.int8,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=7),
        elements=st.integers(-1, 3),
    )
)
def test_class_votes(votes):
    if votes.max() < 0:
        return
    signals = WeakSignals.from_votes(votes, classes=range(4))
    check(signals, [[[(v, True)] if v >= 0 else [] for v in row] for row in votes.T])


@given(
    hnp.arrays(
        np.int8,
        st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(2, 3)),
        elements=st.sampled_from([-1, -1, 0, 1]),
    ),
    st.booleans(),
)
def test_one_vs_rest(votes, soft):
    if votes.max() < 0:
        return
    written = np.where(votes < 0, np.nan, np.where(votes == 1, 0.8, 0.3))
    signals = WeakSignals.from_one_vs_rest(written if soft else votes)
    said = [
        [[(k, bool(v)) for k, v in enumerate(entry) if v >= 0] for entry in row]
        for row in votes.tolist()
    ]
    check(signals, said)


@given(
    hnp.arrays(
        np.int8,
        st.tuples(st.integers(1, 6), st.integers(1, 4)),
        elements=st.integers(-1, 1),
    )
)
def test_binary_probabilities_count_as_their_likelier_class(votes):
    if votes.max() < 0:
        return
    soft = np.where(votes < 0, np.nan, np.where(votes == 1, 0.6, 0.4))
    signals = WeakSignals.from_probabilities(soft)
    check(signals, [[[(v, True)] if v >= 0 else [] for v in row] for row in votes.T])


def test_one_half_is_an_opinion_and_no_vote():
    signals = WeakSignals.from_probabilities([[0.5, 0.9], [0.5, 0.5], [np.nan, np.nan]])
    np.testing.assert_allclose(signals.coverage, [0, 1 / 3])
    assert signals.overlaps.tolist() == signals.conflicts.tolist() == [0, 0]
    assert signals.covered.tolist() == [True, True, False]


@pytest.mark.parametrize("k", [2, 5])
def test_many_examples(k):
    rng = np.random.default_rng(k)
    votes = rng.integers(-1, k, (3000, 6))
    said = [[[(v, True)] if v >= 0 else [] for v in row] for row in votes.T.tolist()]
    check(WeakSignals.from_votes(votes), said)


@pytest.mark.parametrize("limit", ["ROWS", "CELLS"])
def test_blocks_add_up_to_the_whole(monkeypatch, limit):
    rng = np.random.default_rng(0)
    votes = WeakSignals.from_votes(rng.integers(-1, 3, (50, 4)))
    rests = WeakSignals.from_one_vs_rest(rng.integers(-1, 2, (3, 50, 3)))
    for signals in (votes, rests):
        whole = [signals.coverage, signals.overlaps, signals.conflicts]
        monkeypatch.setattr(vote_statistics, limit, 7)
        again = signals.drop_counts()
        parts = [again.coverage, again.overlaps, again.conflicts]
        np.testing.assert_allclose(parts, whole, atol=1e-12)
        monkeypatch.undo()
