"""Alpha and kappa are those of other libraries, for whatever corral reads."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import corral
from corral.errors import ParameterError, SignalsError


def draw_votes(n=400, m=5, k=3, coverage=0.7, seed=0):
    """(n, m) votes of raters who are right more often than not; -1: no answer."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    votes = np.where(
        rng.random((n, m)) < 0.6, truth[:, None], rng.integers(0, k, (n, m))
    )
    return np.where(rng.random((n, m)) < coverage, votes, -1)


tables = st.tuples(st.integers(2, 12), st.integers(2, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-1, 3), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@pytest.mark.parametrize("metric", ["nominal", "ordinal"])
@given(votes=tables)
@settings(max_examples=40, deadline=None)
def test_alpha_is_that_of_the_reference(metric, votes):
    krippendorff = pytest.importorskip("krippendorff")
    votes = np.array(votes)
    shared = votes[(votes >= 0).sum(axis=1) > 1]
    assume(len(np.unique(shared[shared >= 0])) > 1)
    found = corral.agreement(votes, metric=metric, resamples=2, classes=range(4))
    answers = np.where(votes < 0, np.nan, votes).T
    expected = krippendorff.alpha(
        answers, level_of_measurement=metric, value_domain=range(4)
    )
    assert found.alpha == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("k", [2, 4])
def test_cohens_kappa_and_its_interval_are_those_of_the_reference(k):
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    votes = draw_votes(k=k)
    found = corral.agreement(votes, resamples=2, level=0.9)
    for a in range(5):
        for b in range(a):
            both = votes[(votes[:, a] >= 0) & (votes[:, b] >= 0)]
            table = np.zeros((k, k))
            np.add.at(table, (both[:, a], both[:, b]), 1)
            expected = rater.cohens_kappa(table)
            assert found.common[a, b] == len(both)
            assert found.kappa[a, b] == pytest.approx(expected.kappa)
            ends = expected.kappa + 1.6448536 * expected.std_kappa * np.array([-1, 1])
            np.testing.assert_allclose(found.kappa_interval[a, b], ends, atol=1e-6)


def test_the_interval_holds_the_value_of_the_whole():
    whole = corral.agreement(draw_votes(100_000, seed=1), resamples=2)
    inside = 0
    for seed in range(40):
        found = corral.agreement(draw_votes(300, seed=seed), resamples=200, level=0.9)
        low, high = found.alpha_interval
        inside += low <= whole.alpha <= high
    # 36 of 40 are expected; fewer than 29 come once in a thousand.
    assert inside >= 29


def test_weighted_patterns_are_their_rows():
    votes = draw_votes(500, k=2)
    signals = corral.WeakSignals.from_votes(votes)
    one_by_one = corral.agreement(votes)
    counted = corral.agreement(signals.distinct())
    assert counted.alpha == pytest.approx(one_by_one.alpha)
    np.testing.assert_allclose(counted.kappa, one_by_one.kappa)
    assert counted.alpha_interval == pytest.approx(one_by_one.alpha_interval)
    assert counted.n_shared == one_by_one.n_shared


def test_probabilities_count_as_their_likeliest_class():
    soft = corral.WeakSignals.from_probabilities([[0.9, 0.7], [0.2, 0.6], [0.5, 0.1]])
    hard = corral.agreement([[1, 1], [0, 1], [-1, 0]])
    assert corral.agreement(soft).alpha == hard.alpha


def test_full_agreement_and_one_class_only():
    found = corral.agreement([[0, 0], [1, 1], [0, 0], [1, 1]])
    assert (found.alpha, found.kappa[0, 1]) == pytest.approx((1, 1))
    assert np.isnan(found.kappa_interval[0, 1]).all()
    alike = corral.agreement([[0, 0], [0, 0], [1, -1]])
    assert np.isnan([alike.alpha, alike.kappa[0, 1]]).all()
    assert "undefined" in str(alike)


def test_signals_that_never_meet_are_left_empty():
    found = corral.agreement([[0, 0, -1], [1, 0, -1], [-1, -1, 1]])
    assert found.n_shared == 2
    assert "\ns2\n" in str(found)
    assert np.isnan(found.kappa[2, 0])


@pytest.mark.parametrize(
    ("votes", "options", "error", "message"),
    [
        ([[0, 1], [1, 1]], {"metric": "ratio"}, ParameterError, "metric"),
        ([[0, 1], [1, 1]], {"level": 1}, ParameterError, "level"),
        ([[0, 1], [1, 1]], {"resamples": 0}, ParameterError, "resamples"),
        (
            corral.WeakSignals.from_one_vs_rest(np.ones((2, 3, 2))),
            {},
            SignalsError,
            "one-vs-rest",
        ),
        ([[0, -1], [-1, 1]], {}, SignalsError, "two votes"),
    ],
)
def test_what_cannot_be_measured_is_refused(votes, options, error, message):
    with pytest.raises(error, match=message):
        corral.agreement(votes, **options)


def test_more_signals_than_pairs_are_compared_for():
    votes = np.ones((3, 2001), np.int8)
    votes[0] = 0
    found = corral.agreement(votes, resamples=2)
    assert found.kappa is None
    assert found.alpha == pytest.approx(1)
    assert "4,000 signals times classes" in str(found)


@pytest.mark.parametrize("n", [3, 9, 40])
def test_no_interval_of_few_examples_or_of_none_that_vary(n):
    alike = corral.agreement(np.repeat(np.arange(n) % 2, 2).reshape(-1, 2))
    ends = [*alike.alpha_interval, *alike.kappa_interval[0, 1]]
    assert np.isnan(ends).all()
    assert " to " not in str(alike)
    assert alike.alpha == pytest.approx(1)
    varied = corral.agreement([[i % 2, i % 3 % 2] for i in range(n)])
    known = np.isfinite([*varied.alpha_interval, *varied.kappa_interval[0, 1]])
    assert (known == (n >= 10)).all()


def test_the_order_of_texts_must_be_given():
    words = np.array(["low", "mid", "high"], object)[draw_votes(60, coverage=1)]
    with pytest.raises(ParameterError, match="order"):
        corral.agreement(words, metric="ordinal")
    order = ["low", "mid", "high"]
    found = corral.agreement(words, metric="ordinal", classes=order)
    numbers = corral.agreement(draw_votes(60, coverage=1), metric="ordinal")
    assert found.alpha == pytest.approx(numbers.alpha)
    signals = corral.WeakSignals.from_votes(words, classes=order)
    assert corral.agreement(signals, metric="ordinal").alpha == found.alpha


def test_one_class_rules_have_no_kappa():
    said = np.random.default_rng(0).random((60, 3)) < 0.6
    found = corral.agreement(np.where(said, [0, 0, 1], -1))
    assert np.isnan(found.kappa).all()
    assert "one class" in str(found)
