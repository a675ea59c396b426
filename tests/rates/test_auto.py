import numpy as np
import pytest
from corral.rates.auto import FLOOR
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from corral import ConstrainedLabeler, MajorityVote, WeakSignals, signal_errors
from corral.datasets import random_votes
from corral.decisions import is_winner
from corral.errors import SignalsError, SignalsWarning
from corral.rates import Auto, copies, independence


def labels(signals, **options):
    return Auto().estimate(signals, **options).model.labels(signals)


def test_intervals_hold_the_rates_of_raters():
    votes, y = random_votes(30_000, [0.95, 0.9, 0.8, 0.7, 0.6] * 2, coverage=0.5)
    signals = WeakSignals.from_votes(votes)
    rates = Auto().estimate(signals)
    truth = signal_errors(signals, y)
    low, high = rates.intervals(0.9).T
    assert ((low <= truth) & (truth <= high)).all()
    assert (np.argsort(rates.error_rates.reshape(2, 5)) == np.arange(5)).all()
    assert (rates.learned > 0.9).all()


def test_a_rater_beside_rules_is_found_out(rules):
    votes, y = rules(4000)
    rng = np.random.default_rng(0)
    for accuracy in (0.3, 0.5, 0.75, 0.95):
        rater = np.where(rng.random(len(y)) < accuracy, y, 1 - y)
        signals = WeakSignals.from_votes(np.column_stack([votes, rater]))
        rates = Auto().estimate(signals)
        assert rates.error_rates[-1] == pytest.approx(1 - accuracy, abs=0.08)


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
def test_rules_that_never_meet_are_no_copies(order):
    votes = [[None, "x"]] * 50 + [["y", None]]
    signals = WeakSignals.from_votes(votes, classes=order)
    assert ConstrainedLabeler().fit(signals).predict(signals)[-1] == "y"


@pytest.mark.parametrize(("n_raters", "most"), [(5, 0.002), (3, 0.01)])
def test_no_rare_class_is_invented(n_raters, most):
    rng = np.random.default_rng(0)
    y = rng.random(50_000) < 0.001
    votes = y[:, None] ^ (rng.random((len(y), n_raters)) > 0.999)
    found = ConstrainedLabeler().fit(votes.astype(int)).labels_[:, 1]
    assert 0.0005 < found.mean() < most
    np.testing.assert_array_equal(found[votes.all(axis=1)] > 0.5, True)


def test_pairs_may_be_counted_in_parts(monkeypatch):
    votes, _ = random_votes(500, [0.9, 0.8, 0.7, 0.6, 0.8], coverage=0.9)
    signals = WeakSignals.from_votes(np.hstack([votes, votes[:, :2]]))
    whole = labels(signals)
    for module in (copies, independence):
        monkeypatch.setattr(module, "PAIRS", 20)
    np.testing.assert_allclose(labels(signals), whole, atol=1e-12)


def test_rates_of_rules_are_assumed_and_unsure(rules):
    votes, _ = rules()
    rates = Auto().estimate(WeakSignals.from_votes(votes))
    assert "0% of the votes" in rates.note
    assert (rates.learned == 0).all()
    # Anywhere between none and chance, one half: the spread of a uniform distribution.
    assert (rates.standard_errors >= 0.5 / np.sqrt(12) - 1e-9).all()


def test_a_single_vote_is_informed_half_of_the_time():
    signals = WeakSignals.from_votes([[0, -1], [-1, 1]] * 50)
    # 0.75 for it, of which a twentieth is doubt.
    assert labels(signals)[0].tolist() == pytest.approx([0.7375, 0.2625], abs=0.01)


def test_no_label_is_surer_than_the_floor_allows():
    votes, _ = random_votes(500, [0.99] * 3, coverage=1.0)
    assert labels(WeakSignals.from_votes(votes)).max() <= 1 - FLOOR / 2


def test_more_votes_alike_say_less_than_their_sum():
    votes, _ = random_votes(4000, [0.8] * 6, coverage=0.5)
    signals = WeakSignals.from_votes(votes)
    model = Auto().estimate(signals).model
    odds = [
        np.diff(np.log(model.labels(signals.like([[1] * n + [-1] * (6 - n)]))))[0, 0]
        for n in (1, 4)
    ]
    assert odds[0] < odds[1] < 4 * odds[0]


@pytest.mark.parametrize("kind", ["rules", "raters"])
def test_exact_copies_change_nothing(rules, kind):
    votes, _ = rules() if kind == "rules" else random_votes(2000, coverage=0.5)
    before = labels(WeakSignals.from_votes(votes))
    for signal in (0, votes.shape[1] - 1):
        copied = np.column_stack([votes, *[votes[:, signal]] * 9])
        after = labels(WeakSignals.from_votes(copied))
        np.testing.assert_allclose(after, before, atol=1e-12)


@settings(max_examples=150)
@given(seed=st.integers(0, 10_000), copies=st.integers(1, 9))
def test_exact_copies_change_nothing_on_a_handful_of_rows(seed, copies):
    rng = np.random.default_rng(seed)
    n, m, k = rng.integers(3, 11), rng.integers(2, 6), rng.integers(2, 4)
    votes = rng.integers(-1, k, (n, m))
    cast = votes[votes[:, 0] >= 0, 0]
    one_sided = len(set(cast.tolist())) == 1
    twins = (votes[:, 1:] == votes[:, :1]).all(axis=0).any()
    # Fewer are no proof of a copy, so they count; see docs/concepts.md.
    assume(len(cast) > 1 and (one_sided or copies * len(cast) >= 5))
    assume(len(cast) >= 5 or one_sided or not twins)
    alone = WeakSignals.from_votes(votes, classes=range(k))
    copied = np.column_stack([votes, *[votes[:, 0]] * copies])
    again = WeakSignals.from_votes(copied, classes=range(k))
    np.testing.assert_allclose(labels(again), labels(alone), atol=1e-9)


def test_noisy_copies_change_little(rules):
    votes, _ = rules()
    rng = np.random.default_rng(1)
    column = votes[:, [0]].repeat(9, axis=1)
    noisy = np.where((rng.random(column.shape) < 0.05) & (column >= 0), 1, column)
    before = is_winner(labels(WeakSignals.from_votes(votes)))
    after = is_winner(labels(WeakSignals.from_votes(np.column_stack([votes, noisy]))))
    assert (before & after).any(axis=1).mean() > 0.97


def test_copies_that_are_tied_where_nobody_else_speaks():
    rng = np.random.default_rng(0)
    rule = np.where(rng.random(500) < 0.4, 1, -1)
    tied = np.flatnonzero(rule >= 0)[:8]
    copy = rule.copy()
    copy[tied] = 0
    others = np.where(rng.random((500, 3)) < 0.5, rng.integers(0, 2, (500, 3)), -1)
    others[tied] = -1
    signals = WeakSignals.from_votes(np.column_stack([rule, copy, others]))
    with pytest.warns(SignalsWarning, match="hardly more than by chance"):
        rates = Auto().estimate(signals)
    assert rates.model is not None
    assert len(set(rates.model.group)) == 4
    assert np.isfinite(rates.error_rates).all()
    assert np.isfinite(rates.model.labels(signals)[tied]).all()


def test_better_than_majority_vote_where_raters_differ():
    votes, y = random_votes(5000, [0.95, 0.9, *[0.6] * 5], coverage=1.0)
    found = labels(WeakSignals.from_votes(votes)).argmax(axis=1)
    majority = votes.mean(axis=1) > 0.5
    assert (found == y).mean() > (majority == y).mean() + 0.05


def test_order_of_examples_does_not_matter():
    votes, _ = random_votes(1000, coverage=0.5)
    order = np.random.default_rng(0).permutation(len(votes))
    straight = labels(WeakSignals.from_votes(votes))
    shuffled = labels(WeakSignals.from_votes(votes[order]))
    np.testing.assert_array_equal(shuffled, straight[order])


def test_counts_and_weights_stand_for_examples():
    votes, _ = random_votes(300, [0.9, 0.8, 0.7, 0.8], coverage=0.6)
    times = np.random.default_rng(0).integers(1, 4, len(votes))
    whole = WeakSignals.from_votes(np.repeat(votes, times, axis=0))
    counted = WeakSignals.from_votes(votes, counts=times)
    plain = WeakSignals.from_votes(votes)
    expected = Auto().estimate(whole)
    for found in (
        Auto().estimate(counted),
        Auto().estimate(plain, times.astype(float)),
    ):
        np.testing.assert_allclose(found.error_rates, expected.error_rates)
        np.testing.assert_allclose(found.model.weights, expected.model.weights)


def test_sparse_votes_are_dense_votes():
    votes, _ = random_votes(500, [0.9, 0.8, 0.7, 0.8], coverage=0.4)
    dense = WeakSignals.from_votes(votes)
    cells = csr_array(votes + 1)
    sparse = WeakSignals.from_votes(
        csr_array((cells.data - 1, cells.indices, cells.indptr), cells.shape)
    )
    np.testing.assert_allclose(labels(sparse), labels(dense), atol=1e-9)


def test_positive_only_one_vs_rest_is_class_votes(rules):
    votes, _ = rules(500)
    said = np.where(votes.T[:, :, None] == np.arange(2), 1.0, -1.0)
    rest = WeakSignals.from_one_vs_rest(np.concatenate([said, said * 0 - 1], axis=2))
    found = Auto().estimate(rest)
    assert found.error_rates.shape == (8, 4)
    best = found.model.labels(rest)[:, :2].argmax(axis=1)
    classes = WeakSignals.from_votes(votes, classes=[0, 1, 2, 3])
    expected = labels(classes)[:, :2].argmax(axis=1)
    covered = (votes >= 0).any(axis=1)
    np.testing.assert_array_equal(best[covered], expected[covered])


def test_saying_no_speaks_for_the_other_classes():
    said = np.full((2, 60, 3), np.nan)
    said[0, :, 0] = 0  # not the first
    said[1, :30, 1] = 1
    said[1, 30:, 2] = 1
    q = labels(WeakSignals.from_one_vs_rest(said))
    assert (q[:30].argmax(axis=1) == 1).all()
    assert (q[30:].argmax(axis=1) == 2).all()
    assert (q[:, 0] < 0.2).all()


def test_certain_probabilities_are_votes():
    votes, _ = random_votes(400, [0.9, 0.8, 0.7, 0.8], coverage=1.0)
    soft = WeakSignals.from_probabilities(np.where(votes, 1 - 1e-9, 1e-9))
    hard = WeakSignals.from_votes(votes)
    np.testing.assert_allclose(labels(soft), labels(hard), atol=1e-6)


def test_unsure_probabilities_say_less():
    votes, _ = random_votes(400, [0.9, 0.8, 0.7, 0.8], coverage=1.0)
    sure = WeakSignals.from_probabilities(np.where(votes, 0.999, 0.001))
    unsure = WeakSignals.from_probabilities(np.where(votes, 0.7, 0.3))
    model = Auto().estimate(sure).model
    less, more = (model.labels(s).max(axis=1).mean() for s in (unsure, sure))
    assert less < more - 0.1


def test_no_votes_are_refused():
    signals = WeakSignals.from_votes([[0, 1], [1, 1]])
    with pytest.raises(SignalsError, match="nothing"):
        Auto().estimate(signals, np.zeros(2))


@given(arrays(np.int8, (12, 4), elements=st.integers(-1, 2)))
def test_any_votes_give_probabilities(votes):
    assume((votes >= 0).any())
    signals = WeakSignals.from_votes(votes, classes=[0, 1, 2])
    rates = Auto().estimate(signals)
    q = rates.model.labels(signals)
    np.testing.assert_allclose(q.sum(axis=1), 1)
    spoken = (votes >= 0).any(axis=0)
    assert np.isfinite(rates.error_rates[spoken]).all()
    assert np.isnan(rates.error_rates[~spoken]).all()
    np.testing.assert_allclose(
        rates.error_rates[spoken], signal_errors(signals, q)[spoken], atol=FLOOR
    )
    np.testing.assert_allclose(rates.class_balance.sum(), 1)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "least"), [("bluebirds", 0.86), ("rte", 0.92), ("dogs", 0.83)]
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


def test_two_raters_alone_are_not_learned():
    y = np.arange(200) % 2
    with pytest.warns(SignalsWarning, match="only two signals vote"):
        rates = Auto().estimate(WeakSignals.from_votes(np.column_stack([y, 1 - y])))
    assert rates.learned.tolist() == [0, 0]


@given(arrays(np.int8, (12, 4), elements=st.integers(-1, 2)), st.permutations(range(3)))
def test_names_of_classes_do_not_matter(votes, order):
    assume((votes >= 0).any())
    order = np.array(order)
    plain = WeakSignals.from_votes(votes, classes=[0, 1, 2])
    other = np.where(votes < 0, -1, order[votes])
    moved = WeakSignals.from_votes(other, classes=[0, 1, 2])
    np.testing.assert_allclose(labels(moved)[:, order], labels(plain), atol=1e-9)
