"""Error rates that a labeler estimates."""

import numpy as np
import pytest

from corral import (
    Agreement,
    Auto,
    ConstrainedLabeler,
    ErrorRate,
    FromLabels,
    Known,
    Rates,
    WeakSignals,
)
from corral.datasets import random_votes
from corral.errors import ParameterError

ACCURACIES = [0.9, 0.8, 0.7, 0.6, 0.85]
VOTES, TRUTH = random_votes(800, ACCURACIES, coverage=0.6, seed=3)
SIGNALS = WeakSignals.from_votes(VOTES)
KNOWN = np.where(np.arange(800) < 50, TRUTH, -1)
ESTIMATORS = {"auto": Auto(), "from labels": FromLabels(KNOWN)}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_labels_are_those_of_the_model(name):
    rates = ESTIMATORS[name].estimate(SIGNALS)
    labeler = ConstrainedLabeler(ESTIMATORS[name]).fit(SIGNALS)
    expected = rates.model.labels(SIGNALS)
    assert not SIGNALS.covered.all()
    np.testing.assert_allclose(labeler.labels_, expected, atol=1e-12)
    np.testing.assert_allclose(labeler.predict_proba(VOTES), expected, atol=1e-12)
    np.testing.assert_array_equal(labeler.error_rates_, rates.error_rates)
    np.testing.assert_array_equal(labeler.rates_.standard_errors, rates.standard_errors)
    np.testing.assert_array_equal(labeler.covered_, SIGNALS.covered)


def test_nothing_is_certified_of_estimated_labels():
    labeler = ConstrainedLabeler("auto").fit(VOTES)
    assert not hasattr(labeler, "solution_")
    assert "without a certificate" in labeler.note_


def test_labels_belong_to_the_examples_or_come_with_their_votes():
    with pytest.raises(ParameterError, match="208 examples"):
        ConstrainedLabeler(FromLabels(KNOWN)).fit(SIGNALS.distinct())
    apart = FromLabels(TRUTH[:50], signals=SIGNALS.take(slice(50)))
    labeler = ConstrainedLabeler(apart).fit(SIGNALS.distinct())
    assert "50 labelled examples" in labeler.rates_.note


def test_an_explicit_solver_takes_the_rates_as_numbers():
    rates = Auto().estimate(SIGNALS).error_rates
    for solver in ("adagrad", "entropy"):
        np.testing.assert_array_equal(
            ConstrainedLabeler("auto", solver).fit(VOTES).labels_,
            ConstrainedLabeler(rates, solver).fit(VOTES).labels_,
        )


def test_rates_without_a_model_and_constraints_are_solved_by_entropy():
    np.testing.assert_array_equal(
        ConstrainedLabeler(Agreement()).fit(VOTES).labels_,
        ConstrainedLabeler(Agreement(), "entropy").fit(VOTES).labels_,
    )
    constraints = [ErrorRate(signal=0, at_most=0.05), Known([0, 1], TRUTH[:2])]
    labeler = ConstrainedLabeler("auto", constraints=constraints).fit(VOTES)
    assert labeler.implied_error_rates_[0] < 0.06
    assert labeler.labels_[[0, 1], TRUTH[:2]].tolist() == [1, 1]


class Odd:
    """An estimator that returns what it is told to."""

    def __init__(self, found):
        self.found = found

    def estimate(self, signals):
        return self.found


def test_an_estimator_of_your_own():
    rates = np.array([0.1, 0.2, 0.3, 0.4, 0.15])
    own = Odd(Rates(rates, np.zeros(5), "made up"))
    np.testing.assert_array_equal(
        ConstrainedLabeler(own).fit(VOTES).labels_,
        ConstrainedLabeler(rates, "entropy").fit(VOTES).labels_,
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("foo", "\"auto\", or an estimator .* 'foo' was given"),
        (Auto, r"an estimator such as corral\.Auto\(\); <class"),
    ],
)
def test_nonsense_is_refused(spec, message):
    with pytest.raises(ParameterError, match=message):
        ConstrainedLabeler(spec).fit(VOTES)
