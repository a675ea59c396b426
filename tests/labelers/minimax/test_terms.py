"""The dual of minimax conditional entropy: its gradient, its maximum, a worked example."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from tests.labelers.minimax.textbook import textbook

from corral import WeakSignals
from corral.error_rates.vote_features import vote_features
from corral.labelers.minimax import crowd as crowd_module
from corral.labelers.minimax.crowd import Crowd
from corral.labelers.minimax.terms import (
    Penalties,
    find_terms,
    item_problem,
    maximise,
    predict_votes,
    table_problem,
    worker_problem,
)

EXACT = {"max_iter": 50, "tolerance": 5e-3, "inner_tolerance": 1e-11}


def crowd_of(votes, k, counts=None):
    signals = WeakSignals.from_votes(votes, classes=list(range(k)), counts=counts)
    return Crowd.of(vote_features(signals))


@st.composite
def crowds(draw):
    """Some votes of up to 5 workers on up to 8 kinds of items, with counts."""
    n, m, k = (draw(st.integers(*ends)) for ends in ((1, 8), (1, 5), (2, 4)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    votes = rng.integers(-1, k, (n, m))
    votes[:, 0] = rng.integers(0, k, n)
    if draw(st.booleans()):
        return crowd_of(votes, k, rng.integers(1, 6, n)), k, rng
    said = (votes.T[:, :, None] == np.arange(k)).astype(float)
    said[votes.T < 0] = np.nan
    for i in range(m):  # some say yes only
        if rng.random() < 0.5:
            said[i][said[i] == 0] = np.nan
    signals = WeakSignals.from_one_vs_rest(said)
    return Crowd.of(vote_features(signals)), k, rng


def problems(crowd, k, rng):
    """The three problems at random labels and terms, with the shape of their terms."""
    labels = rng.dirichlet(np.ones(k), len(crowd.counts))
    v = crowd.allowed.shape[1]
    workers = centred(rng.normal(0, 1, (len(crowd.allowed), k, v)), crowd.allowed)
    items = centred(rng.normal(0, 1, (len(labels), k, v)))
    (block,) = crowd.blocks
    return [
        (table_problem(crowd, labels), workers),
        (worker_problem(crowd, labels, items), workers),
        (item_problem(crowd, block, labels, workers), items),
    ]


def centred(terms, allowed=None):
    """Rows that sum to zero, and are zero where an answer is not allowed."""
    if allowed is None:
        return terms - terms.mean(axis=2, keepdims=True)
    may = allowed[:, None, :]
    return may * (
        terms - (may * terms).sum(axis=2, keepdims=True) / may.sum(2)[..., None]
    )


@settings(max_examples=25)
@given(crowds())
def test_the_gradient_is_that_of_finite_differences(case):
    for (evaluate, said), terms in problems(*case):
        gradient = said - evaluate(terms)[1]
        found = approx_fprime(
            terms.ravel(), lambda x, f=evaluate, s=terms.shape: f(x.reshape(s))[0].sum()
        )
        np.testing.assert_allclose(gradient.ravel(), found, atol=1e-5)


@settings(max_examples=25)
@given(crowds(), st.sampled_from([0.01, 0.5, 30]))
def test_maximise_ends_where_the_gradient_is_zero(case, penalty):
    for (evaluate, said), start in problems(*case):
        best = maximise(evaluate, said, start, penalty, 1e-7)
        again = maximise(evaluate, said, best, penalty, 1e-7)  # 25 steps, and 25 more
        gradient = said - evaluate(again)[1] - penalty * again
        assert np.abs(gradient).max() <= 1e-6
        np.testing.assert_allclose(again.sum(axis=2), 0, atol=1e-6)


@settings(max_examples=25)
@given(crowds(), st.sampled_from([1e-3, 0.25, 5]), st.booleans())
def test_no_round_lowers_the_dual(case, penalty, items):
    crowd, k, _ = case
    penalties = Penalties(penalty, 2 * penalty if items else None)
    found = find_terms(crowd, penalties, np.full(k, 1 / k), **EXACT)
    assert (np.diff(found.history) >= -1e-8 * np.abs(found.history[1:])).all()
    np.testing.assert_allclose(found.labels.sum(axis=1), 1)


@settings(max_examples=10)
@given(crowds())
def test_without_item_terms_the_table_is_all_that_matters(case):
    crowd, k, rng = case
    labels = rng.dirichlet(np.ones(k), len(crowd.counts))
    no_items = np.zeros((len(labels), *crowd.table_shape))
    terms = centred(rng.normal(size=(len(crowd.allowed), *crowd.table_shape)))
    terms = centred(terms, crowd.allowed)
    (table, said), (votes, same) = (
        table_problem(crowd, labels),
        worker_problem(crowd, labels, no_items),
    )
    np.testing.assert_allclose(said, same)
    for one, other in zip(table(terms), votes(terms), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def example_d1():
    """METHODS d1, classes from 0: six items, three workers."""
    votes = np.array(
        [[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 0, -1], [0, 0, 0], [1, 1, 0]]
    )
    signals = WeakSignals.from_votes(votes)
    return crowd_of(votes, 2), signals.patterns.inverse


def test_worked_example():
    crowd, place = example_d1()
    found = find_terms(
        *(crowd, Penalties(0.1, 0.1), np.array([0.5, 0.5])),
        **{**EXACT, "max_iter": 1},
    )
    start = crowd.vote_shares(np.array([0.5, 0.5]))[place, 0]
    np.testing.assert_allclose(start, [2 / 3, 0, 2 / 3, 1 / 2, 1, 1 / 3])
    first = [[0.476677, -0.537955], [0.360498, -0.403871], [0.500444, -0.132285]]
    np.testing.assert_allclose(found.workers[:, :, 0], first, atol=1e-5)
    np.testing.assert_allclose(found.workers[:, :, 1], -np.array(first), atol=1e-5)
    labels = [0.597933, 0.027026, 0.533345, 0.438356, 0.963076, 0.416686]
    np.testing.assert_allclose(found.labels[place, 0], labels, atol=1e-5)


@pytest.mark.parametrize("k", [2, 3])
def test_the_textbook_loop(k):
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, 25)
    votes = np.where(
        rng.random((25, 6)) < 0.7, truth[:, None], rng.integers(0, k, (25, 6))
    )
    votes[rng.random((25, 6)) < 0.2] = -1
    votes[:, 0] = truth
    place = WeakSignals.from_votes(votes).patterns.inverse
    labels, workers, items = textbook(votes, k, 1.0, 2.0, 3, inner_tolerance=1e-12)
    penalties = Penalties(1.0, 2.0)
    found = find_terms(
        *(crowd_of(votes, k), penalties, np.full(k, 1 / k)), **{**EXACT, "max_iter": 3}
    )
    np.testing.assert_allclose(found.labels[place], labels, atol=1e-5)
    np.testing.assert_allclose(found.workers, workers, atol=1e-4)
    np.testing.assert_allclose(found.items[place], items, atol=1e-4)


def test_blocks_change_nothing(monkeypatch):
    crowd, _ = example_d1()
    args = Penalties(0.1, 0.2), np.array([0.4, 0.6])
    whole = find_terms(crowd, *args, **EXACT)
    monkeypatch.setattr(crowd_module, "BLOCK", 20)
    parts, _ = example_d1()
    assert len(parts.blocks) > 3
    found = find_terms(parts, *args, **EXACT)
    np.testing.assert_allclose(found.labels, whole.labels, atol=1e-9)
    np.testing.assert_allclose(predict_votes(parts, found), predict_votes(crowd, whole))


@pytest.mark.parametrize("items", [None, 0.2])
def test_votes_are_predicted_by_terms_and_labels(items):
    crowd, _ = example_d1()
    found = find_terms(crowd, Penalties(0.1, items), np.array([0.5, 0.5]), **EXACT)
    logs = predict_votes(crowd, found)
    for e, (j, f) in enumerate(zip(crowd.pattern, crowd.feature, strict=True)):
        terms = found.workers[crowd.column[f]] + (
            0 if items is None else found.items[j]
        )
        p = np.exp(terms) / np.exp(terms).sum(axis=1, keepdims=True)
        expected = np.log(found.labels[j] @ p[:, crowd.answer[f]])
        assert logs[e] == pytest.approx(expected)
