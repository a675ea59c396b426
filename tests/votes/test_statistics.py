"""Sums over votes against loops over examples and signals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from corral import WeakSignals
from corral.votes import matrix


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


# -- products with the matrix of votes ---------------------------------------------------


def products():
    rng = np.random.default_rng(0)
    rests = rng.integers(-1, 2, (4, 300, 3)).astype(float)
    rests[1, :, 2] = -1  # a pair that never votes
    soft = rng.dirichlet(np.ones(4), (300, 3))
    soft[rng.random((300, 3)) < 0.3] = np.nan
    stored = np.where(rng.random((300, 40)) < 0.05, rng.integers(1, 4, (300, 40)), 0)
    return {
        "two classes": WeakSignals.from_votes(rng.integers(-1, 2, (300, 7))),
        "ten classes": WeakSignals.from_votes(rng.integers(-1, 10, (300, 5))),
        "sparse": WeakSignals.from_votes(csr_array(stored), classes=[1, 2, 3]),
        "one-vs-rest": WeakSignals.from_one_vs_rest(rests),
        "soft one-vs-rest": WeakSignals.from_one_vs_rest(
            np.where(rests < 0, np.nan, 0.2 + 0.5 * rests)
        ),
        "probabilities": WeakSignals.from_probabilities(soft),
    }


@pytest.mark.parametrize("kind", products())
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("counted", [False, True])
def test_scores_and_moments_are_products(kind, packed, counted, monkeypatch):
    """By look-up of packed rows or not, with a weight per class or for the class said."""
    if packed:
        monkeypatch.setattr(matrix, "MIN_PACKED_VOTES", 0)
        monkeypatch.setattr(matrix, "MIN_VOTES_PER_CODE", 0)
    signals, rng = products()[kind], np.random.default_rng(1)
    if counted:
        signals = signals.weighted(rng.random(len(signals)))
    schema, k = signals.schema, signals.n_classes
    assert bool(signals.matrix.packs) is (packed and signals.is_hard)
    F, u = signals.F.toarray(), signals.n_rows
    W, labels = rng.normal(size=(schema.n_features, k)), rng.random((u, k))
    np.testing.assert_allclose(signals.scores(W, W[0]), F @ W + W[0], atol=1e-12)
    moments = F.T @ (signals.counts[:, None] * labels)
    np.testing.assert_allclose(signals.moments(labels), moments, atol=1e-9)
    np.testing.assert_allclose(signals.cast, F.T @ signals.counts, atol=1e-9)
    own, sign = np.eye(k)[schema.says], np.where(schema.negated, -1, 1)
    table = (sign * W[:, 0])[:, None] * own
    np.testing.assert_allclose(signals.scores(W[:, 0]), F @ table, atol=1e-12)
    right = np.where(
        schema.negated,
        signals.cast - (moments * own).sum(axis=1),
        (moments * own).sum(1),
    )
    np.testing.assert_allclose(signals.hits(labels), right, atol=1e-9)
    at = slice(3, 50)
    np.testing.assert_allclose(signals.matrix.times(W, at), F[at] @ W, atol=1e-12)
    part = signals.matrix.transposed_times(labels[at], at)
    np.testing.assert_allclose(part, F[at].T @ labels[at], atol=1e-9)


@pytest.mark.parametrize("kind", products())
def test_features_say_who_votes_for_what(kind):
    """``F`` holds what `probabilities` say, and the rows are those of the examples."""
    signals = products()[kind]
    schema, said = signals.schema, signals.probabilities
    assert said.shape == (signals.n_rows, signals.n_signals, signals.n_classes)
    of = said[:, schema.signal, schema.says]
    expected = np.nan_to_num(np.where(schema.negated, 1 - of, of))
    np.testing.assert_allclose(signals.F.toarray(), expected, atol=1e-12)
    row, feature = signals.cells()
    assert (signals.F.toarray()[row, feature] == signals.F.data).all()
    voted = ~np.isnan(said).all(axis=1)
    np.testing.assert_array_equal(signals.entries_voted(), voted)
    examples = np.bincount(signals.row_of, minlength=signals.n_rows)
    np.testing.assert_array_equal(signals.counts, examples)
