"""Every operator against the dense matrix it stands for."""

import numpy as np
import pytest
from corral.constraints.designs import (
    CombinedDesign,
    design_rows,
    make_design,
    signal_design,
)
from corral.constraints.designs.combined_design import MANY_LABELS
from corral.constraints.designs.feature_design import FeatureDesign
from corral.constraints.designs.operator import Operator, weighted_gram
from corral.constraints.designs.sparse_vote_design import SparseVoteDesign
from scipy.sparse import csr_array

from corral import WeakSignals
from corral.constraints import label_space

RNG = np.random.default_rng(0)


def votes(n_classes, n=300, m=7):
    return RNG.integers(-1, n_classes, (n, m)).astype(np.int8)


def soft(shape, dtype=float):
    w = RNG.random(shape).astype(dtype)
    w[RNG.random(shape) < 0.3] = np.nan
    return w


def hard_one_vs_rest():
    w = RNG.integers(0, 2, (4, 300, 3)).astype(float)
    w[RNG.random(w.shape) < 0.5] = -1
    w[1, :, 2] = -1  # a pair that never votes
    return w


def probabilities():
    p = RNG.dirichlet(np.ones(4), (300, 5))
    p[RNG.random((300, 5)) < 0.3] = np.nan
    return p


def sparse(n_classes):
    """Votes for 1, 2, ..., two per row of 40 signals, among them rows without a vote."""
    named = RNG.integers(1, n_classes + 1, (300, 40))
    stored = np.where(RNG.random(named.shape) < 0.05, named, 0)
    stored[:5] = 0
    return csr_array(stored)


CASES = {
    "binary votes": lambda: WeakSignals.from_votes(votes(2)),
    "class votes": lambda: WeakSignals.from_votes(votes(4)),
    "hard one-vs-rest": lambda: WeakSignals.from_one_vs_rest(hard_one_vs_rest()),
    "soft one-vs-rest": lambda: WeakSignals.from_one_vs_rest(soft((4, 300, 3))),
    "binary probabilities": lambda: WeakSignals.from_probabilities(soft((300, 6))),
    "float32": lambda: WeakSignals.from_probabilities(soft((300, 6), np.float32)),
    "class probabilities": lambda: WeakSignals.from_probabilities(probabilities()),
    "binned": lambda: WeakSignals.from_one_vs_rest(soft((4, 300, 3)), bins=2),
    "binned float32": lambda: WeakSignals.from_probabilities(
        soft((300, 3), np.float32), bins=3
    ),
    "sparse": lambda: WeakSignals.from_votes(sparse(3), classes=[1, 2, 3, 4]),
    "sparse, binary": lambda: WeakSignals.from_votes(sparse(2), classes=[1, 2]),
}


@pytest.fixture(params=CASES)
def signals(request):
    return CASES[request.param]()


def test_products_equal_those_with_the_dense_matrix(signals, compiled):
    design = make_design(signals, design_rows(signals))
    signs = design.signs(0, design.n_patterns)
    v = RNG.normal(size=design.n_rows)
    y = RNG.random((design.n_labels, design.n_patterns))
    pulled = np.zeros((design.n_labels, design.n_patterns))
    np.add.at(pulled, design.label, signs * v[:, None])
    for a, b in [(0, design.n_patterns), (3, 50)]:
        np.testing.assert_allclose(design.pull(v, a, b), pulled[:, a:b], atol=1e-12)
        expected = (signs[:, a:b] * y[design.label, a:b]).sum(axis=1)
        np.testing.assert_allclose(design.push(y[:, a:b], a, b), expected, atol=1e-11)


def test_signs_are_what_the_signals_say(signals):
    """active (1 - 2 w), entry by entry, from the data themselves."""
    design = make_design(signals, design_rows(signals))
    signs = design.by_example(design.signs(0, design.n_patterns).T)
    for r, (i, k) in enumerate(design_rows(signals)):
        if signals.is_hard:
            codes = signals.votes
            codes = codes.toarray() - 1 if isinstance(codes, csr_array) else codes
            if signals.kind == "class votes":
                v = codes[:, i].astype(float)
                w = (v == (1 if design.n_labels == 1 else k)).astype(float)
            else:
                at = signals.columns.tolist().index([i, k])
                v = w = codes[:, at].astype(float)
            expected = np.where(v < 0, 0, 1 - 2 * w)
        else:
            rows = signals.columns[signals.columns[:, 1] == k, 0].tolist()
            w = signals.values[k][rows.index(i)].astype(float)
            expected = np.where(np.isnan(w), 0, 1 - 2 * w)
        np.testing.assert_allclose(signs[:, r], expected, atol=1e-12)


def test_sizes_means_and_counts(signals, compiled):
    design = make_design(signals, design_rows(signals))
    sizes, means = design.sizes_and_means()
    rows = np.stack(
        [design.entries(r, 0, design.n_patterns) for r in range(design.n_rows)]
    )
    active = ~np.isnan(rows)
    np.testing.assert_allclose(sizes, active @ design.weights)
    sums = np.where(active, rows, 0) @ design.weights
    np.testing.assert_allclose(means[sizes > 0], (sums / sizes)[sizes > 0], rtol=1e-6)
    counts = design.active_counts()
    for k in range(design.n_labels):
        np.testing.assert_array_equal(counts[k], active[design.label == k].sum(axis=0))


def test_rows_that_new_soft_signals_lack_are_silent(compiled):
    fitted = WeakSignals.from_one_vs_rest(soft((3, 300, 2)))
    new = soft((3, 50, 2))
    new[1, :, 0] = np.nan
    design = make_design(WeakSignals.from_one_vs_rest(new), design_rows(fitted))
    assert np.isnan(design.entries(1, 0, 50)).all()
    assert design.sizes_and_means()[0][1] == 0
    expected = np.where(np.isnan(new[:, :, 0]), 0, 1 - 2 * new[:, :, 0]).sum(axis=0)
    np.testing.assert_allclose(design.pull(np.ones(6), 0, 50)[0], expected, atol=1e-12)
    assert design.push(np.ones((2, 50)), 0, 50)[1] == 0
    np.testing.assert_array_equal(
        design.active_counts(), (~np.isnan(new)).sum(axis=0).T
    )


@pytest.mark.parametrize("case", ["sparse", "sparse, binary"])
def test_few_votes_of_many_signals_stay_sparse(case):
    signals = CASES[case]()
    design = make_design(signals, design_rows(signals))
    assert isinstance(design, SparseVoteDesign)
    assert not signals.covered.all()


@pytest.mark.parametrize("case", ["sparse", "sparse, binary"])
def test_some_of_many_signals(case):
    """A labeler leaves out the signals that were silent when it was fitted."""
    signals = CASES[case]()
    pairs = design_rows(signals)
    chosen = np.isin(pairs[:, 0], [3, 7, 39])
    every = make_design(signals, pairs).signs(0, 200)
    few = make_design(signals, pairs[chosen]).signs(0, 200)
    np.testing.assert_array_equal(few, every[chosen])


@pytest.mark.parametrize("case", ["sparse", "sparse, binary"])
def test_sparse_products_are_the_same_in_blocks(case, monkeypatch):
    monkeypatch.setattr(signal_design, "COMPILED_FROM", 0)
    signals = CASES[case]()
    design = make_design(signals, design_rows(signals))
    v = RNG.normal(size=design.n_rows)
    whole = design.pull(v, 0, design.n_patterns)
    design.block = 37
    parts = [design.pull(v, a, b) for a, b in design.ranges()]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
    y = RNG.random(whole.shape)
    whole = design.push(y, 0, design.n_patterns)
    np.testing.assert_allclose(design.totals(y), whole, atol=1e-12)
    by_pattern = np.asfortranarray(y)
    np.testing.assert_array_equal(design.push(by_pattern, 0, design.n_patterns), whole)


def test_sample_weights_become_pattern_weights():
    signals = WeakSignals.from_votes([[0, 1], [0, 1], [1, 1]])
    weights = np.array([1.0, 2.0, 5.0])
    space = label_space(signals, weights=weights)
    assert space.design.weights.tolist() == [3.0, 5.0]
    assert space.rows.size.tolist() == [8.0, 8.0]
    np.testing.assert_allclose(space.rows.mean, [5 / 8, 1])


# -- rows of any kind -----------------------------------------------------------


def dense_rows(design, a, b):
    """(r, n_labels, p) from the coefficients."""
    rows = np.zeros((design.n_rows, design.n_labels, b - a))
    for k, (at, block) in enumerate(design.coefficients(a, b)):
        rows[at, k] = block.toarray() if isinstance(block, csr_array) else block
    return rows


def combined(signals):
    """Half sums of some rows, and rows of features of the same patterns."""
    base_design = make_design(signals, design_rows(signals))
    n = base_design.n_patterns
    features = csr_array(np.where(RNG.random((n, 3)) < 0.5, RNG.random((n, 3)), 0))
    last = base_design.n_labels - 1
    own = FeatureDesign(base_design, features, np.array([0, 2]), np.array([last, 0]))
    matrix = RNG.normal(size=(5, base_design.n_rows + 2))
    matrix[RNG.random(matrix.shape) < 0.6] = 0
    return CombinedDesign([base_design, own], csr_array(matrix)), matrix


@pytest.mark.parametrize("form", ["own", "combined"])
def test_coefficients_are_what_the_products_multiply(signals, compiled, form):
    design = make_design(signals, design_rows(signals))
    if form == "combined":
        parts = design
        design, matrix = combined(signals)
        every = [dense_rows(part, 0, parts.n_patterns) for part in design.parts]
        expected = np.tensordot(matrix, np.concatenate(every), 1)
        np.testing.assert_allclose(
            dense_rows(design, 0, parts.n_patterns), expected, atol=1e-12
        )
    v = RNG.normal(size=design.n_rows)
    y = RNG.random((design.n_labels, design.n_patterns))
    for a, b in [(0, design.n_patterns), (3, 50), (4, 4)]:
        rows = dense_rows(design, a, b)
        pulled = np.tensordot(v, rows, 1)
        np.testing.assert_allclose(design.pull(v, a, b), pulled, atol=1e-11)
        pushed = np.einsum("rku,ku->r", rows, y[:, a:b])
        np.testing.assert_allclose(design.push(y[:, a:b], a, b), pushed, atol=1e-10)
    assert design.active_counts().shape == y.shape


def test_weighted_gram_of_dense_and_sparse_rows():
    rows, weights = (
        np.where(RNG.random((4, 30)) < 0.5, RNG.random((4, 30)), 0),
        RNG.random(30),
    )
    expected = rows @ np.diag(weights) @ rows.T
    for form in (rows, csr_array(rows)):
        np.testing.assert_allclose(weighted_gram(form, weights), expected)


def test_patterns_can_be_left_out(signals):
    design = make_design(signals, design_rows(signals))
    gone = np.arange(design.n_patterns) % 3 == 0
    left = design.without(gone)
    assert (left.weights[gone] == 0).all()
    np.testing.assert_array_equal(left.weights[~gone], design.weights[~gone])
    assert left.sample_weight.sum() == pytest.approx(left.weights.sum())
    assert design.weights.min() > 0


@pytest.mark.parametrize("joint", [False, True])
def test_gram(signals, compiled, joint):
    """Weighted sums over patterns of rows times rows, with and without an outer product."""
    design = label_space(signals, joint=joint).design
    shape = design.n_labels, design.n_patterns
    d, g = RNG.random(shape), RNG.random(shape)
    for a, b in [(0, design.n_patterns), (3, 50)]:
        rows = dense_rows(design, a, b)
        own = np.einsum("rku,ku,sku->rs", rows, d[:, a:b], rows)
        mixed = np.einsum("rku,ku->ru", rows, g[:, a:b])
        np.testing.assert_allclose(design.gram(d[:, a:b], None, a, b), own, atol=1e-9)
        np.testing.assert_allclose(
            design.gram(d[:, a:b], g[:, a:b], a, b), own - mixed @ mixed.T, atol=1e-9
        )
    assert design.gram_cost > 0


def test_joint_gram_of_many_classes_equals_the_sum_over_classes():
    """Votes for many classes are compared; a sum over classes gives the same."""
    rng = np.random.default_rng(0)
    votes = rng.integers(-1, MANY_LABELS, (60, 5))
    votes[:, 4] = np.arange(60) % MANY_LABELS
    space = label_space(
        WeakSignals.from_votes(votes, classes=range(MANY_LABELS)), joint=True
    )
    design = space.design
    d, g = rng.random((2, design.n_labels, design.n_patterns))
    a, b = 7, design.n_patterns - 3
    expected = Operator.gram(design, d[:, a:b], g[:, a:b], a, b)
    np.testing.assert_allclose(
        design.gram(d[:, a:b], g[:, a:b], a, b), expected, atol=1e-12
    )
