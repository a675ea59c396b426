import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError
from corral.study.label_suggestions import VARIANCE, _Design


@pytest.fixture(scope="module")
def votes():
    return random_votes(300, [0.9, 0.7, 0.6], coverage=0.6)[0]


@pytest.fixture(scope="module")
def labeler(votes):
    return ConstrainedLabeler("auto").fit(votes)


def test_the_design_is_the_inverse_of_the_second_derivative(votes, labeler):
    signals = labeler.read(votes)
    rng = np.random.default_rng(0)
    design = _Design(signals, rng.dirichlet([1, 1], signals.n_rows))
    x = design.x.toarray()
    precision = np.eye(x.shape[1]) / VARIANCE
    gram = (x * design.counts[:, None]).T @ x
    for row in rng.integers(0, signals.n_rows, 12):
        before = np.linalg.inv(precision)
        total = (before * gram).sum()
        step = design.step[row]
        spread = x[row] @ before @ x[row]
        # g / (1 + g spread) = step, so the label adds g x x^T.
        g = step / (1 - step * spread)
        precision += g * np.outer(x[row], x[row])
        after = np.linalg.inv(precision)
        gained = step * design.pull[row]
        assert gained == pytest.approx(total - (after * gram).sum())
        design.label(int(row))
        np.testing.assert_allclose(design.spread, ((x @ after) * x).sum(axis=1))
        np.testing.assert_allclose(
            design.pull, ((x @ after @ gram @ after) * x).sum(axis=1), rtol=1e-6
        )


def test_rows_are_distinct_covered_and_reproducible(votes, labeler):
    rows = corral.suggest_labels(labeler, votes, 40, random_state=3)
    assert len(set(rows.tolist())) == 40
    assert labeler.covered_[rows].all()
    again = corral.suggest_labels(labeler, votes, 40, random_state=3)
    np.testing.assert_array_equal(rows, again)
    fewer = corral.suggest_labels(labeler, votes, 10, random_state=3)
    np.testing.assert_array_equal(fewer, rows[:10])


def test_every_row_can_be_had(votes, labeler):
    n = int(labeler.covered_.sum())
    rows = corral.suggest_labels(labeler, votes, n, random_state=0)
    np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(labeler.covered_))
    with pytest.raises(ParameterError, match=str(n)):
        corral.suggest_labels(labeler, votes, n + 1)


def test_known_rows_are_not_chosen_and_count(votes, labeler):
    patterns = labeler.read(votes).row_of
    first = corral.suggest_labels(labeler, votes, 20, random_state=0)
    known = first[:15]
    rest = corral.suggest_labels(labeler, votes, 5, known=known, random_state=0)
    assert not set(rest.tolist()) & set(known.tolist())
    np.testing.assert_array_equal(patterns[rest], patterns[first[15:]])
    anew = corral.suggest_labels(labeler, votes, 5, random_state=0)
    assert set(patterns[rest]) != set(patterns[anew])


def test_counted_rows_are_chosen_as_often_as_single_ones(votes, labeler):
    signals = labeler.read(votes)
    counted = signals.distinct()
    rows = corral.suggest_labels(labeler, signals, 30, random_state=0)
    times = corral.suggest_labels(labeler, counted, 30, random_state=0)
    np.testing.assert_array_equal(signals.votes[rows], counted.votes[times])
    assert (np.bincount(times) <= counted.row_counts[: times.max() + 1]).all()


@pytest.mark.parametrize("kind", ["soft", "one-vs-rest", "sparse"])
def test_any_signals(kind, votes):
    if kind == "soft":
        w = np.where(votes < 0, np.nan, np.where(votes == 1, 0.8, 0.3))
        signals = WeakSignals.from_probabilities(w)
    elif kind == "one-vs-rest":
        said = np.full((3, 300, 2), -1.0)
        said[:, :, 1] = votes.T
        said[:, :, 0] = np.where(votes.T == 0, 1, -1)
        signals = WeakSignals.from_one_vs_rest(said)
    else:
        from scipy.sparse import csr_array

        signals = WeakSignals.from_votes(csr_array(votes + 1), classes=[1, 2])
    for labeler in (ConstrainedLabeler("auto"), corral.MajorityVote()):
        rows = corral.suggest_labels(labeler.fit(signals), signals, 8, random_state=0)
        assert signals.covered[rows].all()
        assert len(set(rows.tolist())) == 8


def test_what_is_refused(votes, labeler):
    suggest = corral.suggest_labels
    for k in (0, -1, 2.5, True):
        with pytest.raises(ParameterError, match="k must"):
            suggest(labeler, votes, k)
    for known in ([300], [-1], [0.5], [[1]], ["a"]):
        with pytest.raises(ParameterError, match="known"):
            suggest(labeler, votes, 3, known=known)
    with pytest.raises(ParameterError, match="random_state"):
        suggest(labeler, votes, 3, random_state="luck")
    said = WeakSignals.from_one_vs_rest(np.ones((2, 4, 3)))
    many = ConstrainedLabeler(0.2, multilabel=True).fit(said)
    with pytest.raises(ParameterError, match="one class"):
        suggest(many, said, 1)
