"""What `analyse` says of signals, next to plain loops and to Snorkel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import corral
from corral import ConstrainedLabeler, DawidSkene, MajorityVote, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError

VOTES = [
    ["spam", "spam", None],
    ["spam", None, None],
    [None, "ham", "ham"],
    ["spam", "ham", "ham"],
    [None, None, None],
]
TRUTH = ["spam", "spam", "ham", "ham", "spam"]
NAMES = ["free", "length", "lunch"]


@pytest.fixture
def signals():
    return WeakSignals.from_votes(VOTES, names=NAMES)


def test_by_hand(signals):
    found = corral.analyse(signals, y=TRUTH)
    assert found.names == tuple(NAMES)
    assert found.polarity == (("spam",), ("ham", "spam"), ("ham",))
    assert (found.n_examples, found.n_covered) == (5, 4)
    np.testing.assert_allclose(found.coverage, [0.6, 0.6, 0.4])
    gold = found.gold
    assert gold.correct.tolist() == [2, 3, 2]
    assert gold.incorrect.tolist() == [1, 0, 0]
    np.testing.assert_allclose(gold.error_rates, [1 / 3, 0, 0])
    nan = np.nan
    np.testing.assert_allclose(gold.precision, [[nan, 2 / 3], [1, 1], [1, nan]])
    np.testing.assert_allclose(gold.recall, [[0, 2 / 3], [1, 1 / 3], [1, 0]])
    (bucket,) = found.buckets
    assert (bucket.signal, bucket.vote, bucket.label) == ("free", "spam", "ham")
    assert bucket.rows.tolist() == [3]
    assert "rows" not in found.to_dict()["buckets"][0]
    assert "free said spam, the label is ham: 1" in repr(bucket)


@given(
    arrays(np.int8, (12, 3), elements=st.integers(-1, 2)),
    arrays(np.int8, 12, elements=st.integers(-1, 2)),
)
def test_votes_next_to_a_plain_loop(votes, truth):
    votes[0], truth[0] = [0, 1, 2], 1
    signals = WeakSignals.from_votes(votes, classes=[0, 1, 2])
    found = corral.analyse(signals, y=truth)
    gold, known = found.gold, truth >= 0
    for i, column in enumerate(votes.T):
        spoken = known & (column >= 0)
        assert gold.correct[i] == (column == truth)[spoken].sum()
        assert gold.incorrect[i] == (column != truth)[spoken].sum()
        if spoken.any():
            wrong = (column != truth)[spoken].mean()
            assert gold.error_rates[i] == pytest.approx(wrong)
        for c in range(3):
            hits = (known & (column == c) & (truth == c)).sum()
            for score, total in (
                (gold.precision, (known & (column == c)).sum()),
                (gold.recall, (truth == c).sum()),
            ):
                expected = hits / total if total else np.nan
                assert score[i, c] == pytest.approx(expected, nan_ok=True)
    seen = {(b.signal, b.vote, b.label): b.rows.tolist() for b in found.buckets}
    for i, name in enumerate(found.names):
        for vote in range(3):
            for label in range(3):
                rows = np.flatnonzero((votes[:, i] == vote) & (truth == label)).tolist()
                wrong = rows if vote != label else []
                assert seen.get((name, vote, label), []) == wrong
    sizes = [bucket.n_examples for bucket in found.buckets]
    assert sizes == sorted(sizes, reverse=True)


def test_counted_votes_are_as_many_examples(signals):
    times = np.array([3, 1, 2, 5, 4])
    rows = np.repeat(np.arange(5), times)
    counted = WeakSignals.from_votes(VOTES, names=NAMES, counts=times)
    labeler = ConstrainedLabeler().fit(counted)
    truth = np.array(TRUTH)
    one = corral.analyse(counted, labeler, truth)
    all_rows = corral.analyse(signals.take(rows), labeler, truth[rows])
    assert str(one) == str(all_rows)
    for name in ("correct", "incorrect", "error_rates", "precision", "recall"):
        np.testing.assert_allclose(
            getattr(one.gold, name), getattr(all_rows.gold, name)
        )
    np.testing.assert_allclose(one.implied_error_rates, all_rows.implied_error_rates)
    assert [b.n_examples for b in one.buckets] == [5]
    assert one.buckets[0].rows.tolist() == [3]


def test_one_vs_rest_signals_may_say_no():
    said = np.full((2, 4, 3), -1.0)
    said[0, :, 1] = [1, 1, 0, -1]
    said[1, :, 2] = [-1, 0, 0, 1]
    signals = WeakSignals.from_one_vs_rest(said, classes=["a", "b", "c"])
    found = corral.analyse(signals, y=["b", "a", "b", "c"])
    assert found.polarity == (("not b", "b"), ("not c", "c"))
    assert found.gold.correct.tolist() == [1, 3]
    assert found.gold.incorrect.tolist() == [2, 0]
    np.testing.assert_allclose(found.gold.error_rates, [2 / 3, 0])
    assert found.gold.precision[0, 1] == 0.5
    assert found.gold.recall[0, 1] == 0.5
    says = {(b.signal, b.vote, b.label) for b in found.buckets}
    assert (
        says == {("signal 0", "b", "a"), ("signal 0", "not b", "b")} or len(says) == 2
    )


def test_probabilities_are_as_wrong_as_they_are_far_off():
    p = np.array([[[0.2, 0.8]], [[0.6, 0.4]]])
    found = corral.analyse(WeakSignals.from_probabilities(p), y=[1, 1])
    assert found.gold.error_rates[0] == pytest.approx(0.4)
    assert (found.gold.correct[0], found.gold.incorrect[0]) == (1, 1)


def test_a_labeler_adds_what_it_believes():
    votes, _ = random_votes(2000, [0.9, 0.7, 0.6], coverage=0.8)
    rates = [0.1, 0.3, 0.4]
    labeler = ConstrainedLabeler(rates).fit(votes)
    found = corral.analyse(votes, labeler)
    np.testing.assert_allclose(found.learned, 1 - np.array(rates))
    np.testing.assert_allclose(
        found.implied_error_rates, labeler.implied_error_rates_, atol=1e-6
    )
    assert found.gold is None
    labels = labeler.predict(votes)
    for bucket in found.buckets:
        assert (labels[bucket.rows] == bucket.label).all()
    assert corral.analyse(votes, DawidSkene().fit(votes)).learned[0] > 0.8
    assert corral.analyse(votes, MajorityVote().fit(votes)).learned is None


def test_beliefs_go_by_name():
    votes, _ = random_votes(200, [0.9, 0.8, 0.7])
    labeler = ConstrainedLabeler(error_rates=[0.1, 0.2, 0.3])
    labeler.fit(WeakSignals.from_votes(votes, names=NAMES))
    for order in ([2, 0, 1], [1]):
        named = WeakSignals.from_votes(
            votes[:, order], names=[NAMES[i] for i in order], classes=[0, 1]
        )
        learned = corral.analyse(named, labeler).learned
        np.testing.assert_allclose(learned, np.array([0.9, 0.8, 0.7])[order])
    unnamed = corral.analyse(WeakSignals.from_votes(votes), labeler)
    np.testing.assert_allclose(unnamed.learned, [0.9, 0.8, 0.7])


def test_an_even_probability_is_no_vote():
    soft = np.array([[[0.5, 0.5]], [[0.2, 0.8]]])
    found = corral.analyse(WeakSignals.from_probabilities(soft), y=[0, 1])
    assert found.gold.correct.tolist() == [1]
    assert found.coverage.tolist() == [0.5]
    even = WeakSignals.from_probabilities(np.full((5, 3), 0.5))
    with pytest.raises(SignalsError, match="votes"):
        corral.analyse(even)


def test_refused(signals):
    with pytest.raises(SignalsError, match="votes"):
        corral.analyse(WeakSignals.from_votes(VOTES).take([4]))
    with pytest.raises(ParameterError, match="known"):
        corral.analyse(signals, y=[None] * 5)
    with pytest.raises(ParameterError, match="5 examples"):
        corral.analyse(signals, y=TRUTH[:3])
    with pytest.raises(ParameterError, match="'eggs'"):
        corral.analyse(signals, y=["eggs"] * 5)
    with pytest.raises(ParameterError, match="labeler"):
        corral.analyse(signals, 5)
    yes = WeakSignals.from_one_vs_rest(np.ones((1, 3, 2)))
    labeler = ConstrainedLabeler(0.1, multilabel=True).fit(yes)
    with pytest.raises(ParameterError, match="multi-label"):
        corral.analyse(yes, labeler)
