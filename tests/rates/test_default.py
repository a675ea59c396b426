import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corral import ConstrainedLabeler, MajorityVote, WeakSignals, signal_errors
from corral.datasets import random_votes
from corral.errors import SignalsError
from corral.rates import Auto
from corral.rates.default import ASSUMED, FLOOR, find_informedness

SMALL = arrays(np.int8, (12, 4), elements=st.integers(-1, 2))


def labels(signals):
    return Auto().estimate(signals).model.labels(signals)


def test_rates_of_raters_are_learned_and_in_order():
    votes, y = random_votes(30_000, [0.95, 0.9, 0.8, 0.7, 0.6] * 2, coverage=0.5)
    signals = WeakSignals.from_votes(votes)
    rates = Auto().estimate(signals)
    truth = signal_errors(signals, y)
    low, high = rates.intervals(0.9).T
    assert ((low <= truth) & (truth <= high)).all()
    assert (np.argsort(rates.error_rates.reshape(2, 5)) == np.arange(5)).all()
    assert (rates.learned > 0.9).all()
    assert set(rates.sources) == {"learned"}


def test_raters_beside_rules_are_told_apart(rules):
    votes, y = rules(4000)
    rng = np.random.default_rng(0)
    found = []
    for accuracy in (0.3, 0.5, 0.75, 0.95):
        rater = np.where(rng.random(len(y)) < accuracy, y, 1 - y)
        signals = WeakSignals.from_votes(np.column_stack([votes, rater]))
        found.append(Auto().estimate(signals).error_rates[-1])
    assert found == sorted(found, reverse=True)
    assert found[0] > 0.4
    assert found[-1] < 0.25


def test_an_adversary_counts_for_nearly_nothing():
    """A vote is never turned around, but it may weigh little."""
    votes, y = random_votes(5000, [0.8] * 6 + [0.2], coverage=0.8)
    h = find_informedness(WeakSignals.from_votes(votes)).h
    assert h[-1] < 0.3 * h[:-1].min()
    without = labels(WeakSignals.from_votes(votes[:, :-1])).argmax(axis=1)
    found = labels(WeakSignals.from_votes(votes)).argmax(axis=1)
    assert (found == y).mean() > (without == y).mean() - 0.02


def test_constant_answerers_do_not_outvote_a_crowd():
    votes, y = random_votes(3000, [0.8] * 8, coverage=0.6)
    constant = np.where(votes[:, :5] >= 0, 0, -1)
    found = labels(WeakSignals.from_votes(np.column_stack([votes, constant])))
    alone = labels(WeakSignals.from_votes(votes))
    before, after = ((q.argmax(axis=1) == y).mean() for q in (alone, found))
    majority = MajorityVote().fit_predict(np.column_stack([votes, constant]))
    assert after > (majority == y).mean() + 0.05
    assert after > before - 0.1  # they cost something still


@pytest.mark.parametrize("order", [["b", "x", "y", "c"], ["y", "b", "c", "x"]])
def test_rules_that_never_meet_are_believed(order):
    votes = [[None, "x"]] * 50 + [["y", None]]
    signals = WeakSignals.from_votes(votes, classes=order)
    assert ConstrainedLabeler().fit(signals).predict(signals)[-1] == "y"


@pytest.mark.parametrize("n_raters", [3, 5, 30])
def test_few_examples_of_a_rare_class_are_invented(n_raters):
    rng = np.random.default_rng(0)
    y = rng.random(50_000) < 0.001
    votes = y[:, None] ^ (rng.random((len(y), n_raters)) > 0.999)
    found = ConstrainedLabeler().fit(votes.astype(int)).labels_[:, 1]
    assert 0.0005 < found.mean() < 0.02
    np.testing.assert_array_equal(found[votes.all(axis=1)] > 0.5, True)


def test_rates_of_rules_are_assumed_and_unsure(rules):
    votes, _ = rules()
    signals = WeakSignals.from_votes(votes)
    rates = Auto().estimate(signals)
    assert "assumed" in rates.note
    assert (rates.learned == 0).all()
    np.testing.assert_allclose(find_informedness(signals).h, ASSUMED)
    # Anywhere between zero and chance, about one half: a uniform distribution.
    assert (rates.standard_errors >= 0.45 / np.sqrt(12)).all()


def test_no_label_is_surer_than_the_floor_allows():
    votes, _ = random_votes(500, [0.99] * 3, coverage=1.0)
    assert labels(WeakSignals.from_votes(votes)).max() <= 1 - FLOOR / 3


def test_more_votes_alike_say_less_than_their_sum():
    votes, _ = random_votes(4000, [0.8] * 6, coverage=0.5)
    signals = WeakSignals.from_votes(votes)
    model = Auto().estimate(signals).model
    rows = [[1] * n + [-1] * (6 - n) for n in (1, 4)]
    odds = np.diff(np.log(model.labels(signals.schema.read(rows))))[:, 0]
    assert odds[0] < odds[1] < 4 * odds[0]


def test_saying_no_speaks_for_the_other_classes():
    said = np.full((2, 60, 3), np.nan)
    said[0, :, 0] = 0  # not the first
    said[1, :30, 1] = 1
    said[1, 30:, 2] = 1
    q = labels(WeakSignals.from_one_vs_rest(said))
    assert (q[:30].argmax(axis=1) == 1).all()
    assert (q[30:].argmax(axis=1) == 2).all()
    assert (q[:, 0] < 0.2).all()


def test_certain_probabilities_are_votes_and_unsure_ones_say_less():
    votes, _ = random_votes(400, [0.9, 0.8, 0.7, 0.8], coverage=1.0)
    hard = WeakSignals.from_votes(votes)
    sure, unsure = (
        WeakSignals.from_probabilities(np.where(votes, p, 1 - p))
        for p in (1 - 1e-9, 0.7)
    )
    np.testing.assert_allclose(labels(sure), labels(hard), atol=1e-6)
    model = Auto().estimate(sure).model
    less, more = (model.labels(s).max(axis=1).mean() for s in (unsure, sure))
    assert less < more - 0.05


def test_no_votes_are_refused():
    signals = WeakSignals.from_votes([[0, 1], [1, 1]])
    with pytest.raises(SignalsError, match="nothing"):
        Auto().estimate(signals.weighted(np.zeros(2)))


@given(SMALL)
def test_any_votes_give_probabilities(votes):
    assume((votes >= 0).any())
    signals = WeakSignals.from_votes(votes, classes=[0, 1, 2])
    rates = Auto().estimate(signals)
    q = rates.model.labels(signals)
    np.testing.assert_allclose(q.sum(axis=1), 1)
    spoken = (votes >= 0).any(axis=0)
    assert np.isfinite(rates.standard_errors[spoken]).all()
    assert np.isnan(rates.error_rates[~spoken]).all()
    errors = signal_errors(signals, q)
    np.testing.assert_allclose(rates.error_rates[spoken], errors[spoken])
    np.testing.assert_allclose(rates.class_balance.sum(), 1)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "least"), [("bluebirds", 0.84), ("rte", 0.92), ("dogs", 0.83)]
)
def test_crowds(data, name, least):
    answers = np.genfromtxt(data / "crowd" / name / "answers.csv", int, delimiter=",")
    truth = np.genfromtxt(data / "crowd" / name / "truth.csv", int, delimiter=",")[1:]
    gold = np.zeros(len(truth), int)
    gold[truth[:, 0]] = truth[:, 1]
    votes = np.full((len(gold), answers[:, 1].max() + 1), -1)
    votes[answers[1:, 0], answers[1:, 1]] = answers[1:, 2]
    found = labels(WeakSignals.from_votes(votes)).argmax(axis=1)
    assert (found == gold).mean() >= least


def test_a_signal_that_meets_no_other_is_assumed():
    votes = np.random.default_rng(0).integers(0, 2, (2000, 1))
    rates = Auto().estimate(WeakSignals.from_votes(votes))
    assert rates.sources == ("assumed",)
    low, high = rates.intervals(0.9)[0]
    assert high - low > 0.3
