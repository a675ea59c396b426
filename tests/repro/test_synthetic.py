import numpy as np
import pytest
from repro.baselines import descend_agreement
from repro.config import Cell, experiments
from repro.random_tasks import independent_task
from repro.store import Store
from repro.studies.synthetic import SyntheticPairs, SyntheticTest
from repro.synthetic import dependent_task, draw_data, soft_labels

from corral import WeakSignals, signal_errors

SIZE = {"examples": 1000, "features": 10}
PAIRED, DEPENDENT = experiments()["paired"], experiments()["dependent"]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def paired(row, column, store):
    cell = Cell(PAIRED, row, column, PAIRED.settings | SIZE | {"seeds": 2})
    return SyntheticPairs().run(cell, store).values


def test_descent_finds_the_rates_of_independent_raters():
    rates = [0.1, 0.2, 0.3] * 2
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 100_000)
    votes = np.column_stack([truth ^ (rng.random(len(truth)) < e) for e in rates])
    votes[rng.random(votes.shape) < 0.3] = -1
    signals = WeakSignals.from_votes(votes)
    found = [descend_agreement(signals, seed) for seed in range(2)]
    np.testing.assert_allclose(found, [rates] * 2, atol=0.02)


def test_the_papers_own_draw():
    drawn, task = draw_data("dependent", None, 1000, 10), dependent_task(1000, 10)
    np.testing.assert_array_equal(drawn.truth, task.labels)
    np.testing.assert_array_equal(drawn.features, task.features)
    np.testing.assert_array_equal(drawn.signals.covered, (task.votes >= 0).any(axis=1))


def test_published_conventions_of_uncovered_examples(store):
    """Majority vote leaves them open, rounding makes them class 0, CLL keeps a start."""
    drawn = draw_data("dependent", None, 1000, 10)
    silent = ~drawn.signals.covered
    vote = soft_labels("MV", drawn, 0, store)
    assert (vote[silent] == 0.5).all()
    assert (vote[silent].argmax(axis=1) == 0).all()
    kept = soft_labels("true", drawn, 0, store)[silent, 1]
    assert 0.2 < kept.std() < 0.4
    assert DEPENDENT.settings["targets"]["MV"] == "rounded"
    assert DEPENDENT.settings["targets"]["true"] == "soft"


def test_label_accuracy_counts_covered_examples_and_half_a_tie(store):
    votes = draw_data("dependent", 0, 1000, 10)
    said = votes.signals.votes
    balance = (said == 1).sum(axis=1) - (said == 0).sum(axis=1)
    right = np.where(balance == 0, 0.5, (balance > 0) == votes.truth)
    expected = right[(said >= 0).any(axis=1)].mean()
    assert paired("dependent_labels", "MV", store)[0] == pytest.approx(expected)


def test_linear_row_repeats(store, tmp_path):
    cell = Cell(DEPENDENT, "linear", "true", DEPENDENT.settings | SIZE)
    first = SyntheticTest().run(cell, store)
    fresh = Store(tmp_path / "other")  # which has nothing of the first run
    assert first.values == SyntheticTest().run(cell, fresh).values
    assert len(first.values) == 3
    assert (first.rows, first.test_rows) == (800, 200)


def test_dependent_signals_are_those_of_the_published_code():
    """Draw for draw (METHODS k.2)."""
    task, other = dependent_task(), independent_task()
    np.testing.assert_array_equal(task.labels, other.labels)
    np.testing.assert_array_equal(task.features, other.features)
    voted = task.votes >= 0
    assert (voted == voted[:, :1]).all(), "copies abstain where the first does"
    assert voted[:, 0].mean() == pytest.approx(0.301, abs=5e-4)
    wrong = ((task.votes != task.labels[:, None]) & voted).sum(axis=0)
    errors = wrong / voted.sum(axis=0)
    assert errors[0].round(4) == 0.4228
    assert (errors[1:].round(3).min(), errors[1:].round(3).max()) == (0.448, 0.457)


def test_independent_numbers():
    task = independent_task()
    voted = task.votes >= 0
    wrong = ((task.votes != task.labels[:, None]) & voted).sum(axis=0)
    found = wrong / voted.sum(axis=0)
    expected = [
        *(0.2987, 0.3324, 0.3973, 0.3500, 0.3333),
        *(0.3228, 0.3721, 0.3727, 0.3368, 0.3595),
    ]
    np.testing.assert_array_equal(found.round(4), expected)
    signals = WeakSignals.from_votes(task.votes)
    np.testing.assert_allclose(signal_errors(signals, task.labels), found)
    assert signals.covered.mean() == pytest.approx(0.971, abs=5e-4)
    assert task.labels.mean() == pytest.approx(0.5027, abs=5e-5)
    assert task.test_labels.mean() == pytest.approx(0.4965, abs=5e-5)
