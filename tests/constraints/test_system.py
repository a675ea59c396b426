"""The rows on the moments against dense matrices, and the errors they stand for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from corral import ClassBalance, Recall, WeakSignals, signal_errors
from corral.constraints import make_system, read_truth, system
from corral.errors import ParameterError

RNG = np.random.default_rng(0)


def soft(shape):
    w = RNG.random(shape)
    w[RNG.random(shape) < 0.3] = np.nan
    return w


def made_signals():
    rests = RNG.integers(-1, 2, (4, 300, 3)).astype(float)
    rests[1, :, 2] = -1  # a pair that never votes
    p = RNG.dirichlet(np.ones(4), (300, 5))
    p[RNG.random((300, 5)) < 0.3] = np.nan
    stored = np.where(RNG.random((300, 40)) < 0.05, RNG.integers(1, 4, (300, 40)), 0)
    stored[:5] = 0
    return {
        "binary": WeakSignals.from_votes(RNG.integers(-1, 2, (300, 7))),
        "classes": WeakSignals.from_votes(RNG.integers(-1, 4, (300, 5))),
        "many classes": WeakSignals.from_votes(RNG.integers(-1, 20, (300, 4))),
        "sparse": WeakSignals.from_votes(csr_array(stored), classes=[1, 2, 3]),
        "one-vs-rest": WeakSignals.from_one_vs_rest(rests),
        "soft one-vs-rest": WeakSignals.from_one_vs_rest(soft((4, 300, 3))),
        "binary probabilities": WeakSignals.from_probabilities(soft((300, 6))),
        "probabilities": WeakSignals.from_probabilities(p),
    }


SIGNALS = made_signals()
every_kind = pytest.mark.parametrize("kind", SIGNALS)
both_forms = pytest.mark.parametrize("joint", [False, True])


def expected_rows(signals, joint):
    """Signal, class, coefficients (u, k) and constant of every row, from what is said."""
    said, k = signals.probabilities, signals.n_classes
    for i in range(signals.n_signals):
        spoken = ~np.isnan(said[:, i])
        if signals.schema.names_classes and joint:
            if spoken.any():
                yield i, -1, -np.nan_to_num(said[:, i]), 1.0
            continue
        for c in [1] if signals.schema.names_classes and k == 2 else range(k):
            w, on = said[:, i, c], spoken[:, c]
            if on.any():
                table = np.zeros((len(said), k))
                table[on, c] = 1 - 2 * w[on]
                weights = signals.counts[on]
                yield i, c, table, weights @ w[on] / weights.sum()


def labels_of(system, y):
    """(u, k) labels of every class."""
    return np.column_stack([1 - y, y]) if system.n_labels == 1 else y


@every_kind
@both_forms
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_what_the_signals_say(kind, joint, weighted):
    signals = SIGNALS[kind]
    if weighted:
        signals = signals.weighted(RNG.uniform(0.5, 2, len(signals)))
    made = make_system(signals, joint=joint)
    y = RNG.dirichlet(np.ones(max(2, made.n_labels)), made.n_rows)[:, -made.n_labels :]
    found = dict(
        zip(zip(made.signal, made.label, strict=True), made.errors(y), strict=True)
    )
    rows = list(expected_rows(signals, joint))
    assert len(rows) == len(made) == len(made.names)
    for i, c, table, constant in rows:
        size = signals.counts[~np.isnan(signals.probabilities[:, i, max(c, 0)])].sum()
        total = (signals.counts[:, None] * table * labels_of(made, y)).sum()
        at = (
            i,
            0 if signals.schema.names_classes and made.n_labels == 1 and c == 1 else c,
        )
        assert found[at] == pytest.approx(total / size + constant, abs=1e-9)


@every_kind
@both_forms
def test_products_are_those_with_the_dense_matrix(kind, joint, monkeypatch):
    signals = SIGNALS[kind]
    asked = [ClassBalance(signals.classes[1], equal=0.3)]
    asked.append(Recall(2, signals.classes[1], at_least=0.3))
    made = make_system(signals, constraints=asked, joint=joint)
    r, k, u = len(made), made.n_labels, made.n_rows
    A = made.coefficients.toarray().T.reshape(r, k, u).transpose(0, 2, 1)
    v, y, d, g = RNG.normal(size=r), *RNG.random((3, u, k))
    pulled = np.tensordot(v, A, 1)
    np.testing.assert_allclose(made.pull(made.spread(v)), pulled, atol=1e-11)
    errors = np.tensordot(A, made.weights[:, None] * y, 2) / made.size + made.constant
    np.testing.assert_allclose(made.errors(y), errors, atol=1e-11)
    monkeypatch.setattr(system, "BLOCK_ROWS", 37)
    parts = [made.pull(made.spread(v), at) for at in made.blocks]
    np.testing.assert_allclose(np.concatenate(parts), pulled, atol=1e-11)
    moments = sum(made.push(made.weights[at, None] * y[at], at) for at in made.blocks)
    np.testing.assert_allclose(
        made.totals(moments) / made.size + made.constant, errors, atol=1e-11
    )
    for share, at in (
        (0, slice(0, u)),
        (1, slice(0, u)),
        (0, slice(3, 50)),
        (1, slice(3, 50)),
    ):
        monkeypatch.setattr(system, "DENSE_SHARE", share)
        monkeypatch.setattr(system, "BLOCK_COEFFICIENTS", 300)
        own = np.einsum("ruk,uk,suk->rs", A[:, at], d[at], A[:, at])
        mixed = np.einsum("ruk,uk->ru", A[:, at], g[at])
        np.testing.assert_allclose(made.gram(d[at], None, at.start), own, atol=1e-9)
        np.testing.assert_allclose(
            made.gram(d[at], g[at], at.start), own - mixed @ mixed.T, atol=1e-9
        )


def test_example_a1_matrix_and_residual():
    """METHODS a1: two signals, four examples, each a distinct row."""
    signals = WeakSignals.from_votes([[1, -1], [1, 1], [0, 0], [-1, 0]])
    made = make_system(signals, np.array([0.25, 0.25]))
    expected = np.array([[-1, -1, 1, 0], [0, -1, 1, 1]]) / 3
    np.testing.assert_allclose(made.matrix()[:, signals.row_of], expected)
    np.testing.assert_allclose(made.c, [-5 / 12, -1 / 12])
    start = np.empty((4, 1))
    start[signals.row_of, 0] = [0.2, 0.4, 0.6, 0.8]
    np.testing.assert_allclose(made.errors(start) - made.rates, [5 / 12, 5 / 12])


# -- error rates -----------------------------------------------------------------------


def test_example_a3_error_of_a_soft_signal():
    signals = WeakSignals.from_probabilities(np.array([[0.9], [0.2], [0.6]]))
    np.testing.assert_allclose(signal_errors(signals, [1, 0, 0]), [0.3])


@given(st.integers(0, 10_000), st.integers(2, 12))
def test_error_of_class_votes_is_the_share_of_wrong_votes(seed, k):
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, k, (30, 4))
    y = rng.integers(0, k, 30)
    votes[0] = 0  # every signal votes
    signals = WeakSignals.from_votes(votes, classes=range(k))
    expected = [(votes[:, i] != y)[votes[:, i] >= 0].mean() for i in range(4)]
    np.testing.assert_allclose(signal_errors(signals, y), expected)
    labels = rng.dirichlet(np.ones(k), 30)
    expected = [
        1 - labels[votes[:, i] >= 0, votes[votes[:, i] >= 0, i]].mean()
        for i in range(4)
    ]
    np.testing.assert_allclose(signal_errors(signals, labels), expected)


def test_error_of_one_vs_rest_signals_is_by_class_and_nan_where_silent():
    w = np.full((2, 3, 2), np.nan)
    w[0, :, 0] = [1, 1, 0]
    w[1, :2, 1] = [0.2, 0.9]
    errors = signal_errors(WeakSignals.from_one_vs_rest(w), [0, 1, 0])
    np.testing.assert_allclose(errors[0], [2 / 3, np.nan])
    np.testing.assert_allclose(errors[1], [np.nan, (0.2 + 0.1) / 2])


def test_a_signal_that_never_votes_has_no_row():
    signals = WeakSignals.from_votes([[0, -1], [1, -1]], names=["good", "mute"])
    assert make_system(signals).signal.tolist() == [0]


def test_names_of_rows():
    votes = WeakSignals.from_votes([["a", "b"], ["c", "a"]], names=["x", "y"])
    assert make_system(votes).names[:3] == ("x[a]", "y[a]", "x[b]")
    assert make_system(votes, joint=True).names == ("x", "y")
    binary = WeakSignals.from_votes([[0, 1], [1, 1]], names=["x", "y"])
    assert make_system(binary).names == ("x", "y")


def test_true_labels_are_class_values_or_a_column_for_each_class():
    classes = np.array(["a", "b"])
    read = read_truth(["b", "a", None], 3, classes)
    np.testing.assert_array_equal(read, [[0, 1], [1, 0], [np.nan, np.nan]])
    for wrong in (
        ["a", "z"],
        np.ones((2, 3)),
        [[0.5, 0.5]] * 2,
        [["a", "b"]] * 2,
        ["a"],
    ):
        with pytest.raises(ParameterError):
            read_truth(wrong, 2, classes)
    signals = WeakSignals.from_votes([[0], [1], [1]])
    assert signal_errors(signals, [0, 0, None]).tolist() == [0.5]
    with pytest.raises(ParameterError, match="2"):
        signal_errors(signals, [0, 1])
