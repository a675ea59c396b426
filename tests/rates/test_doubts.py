import warnings

import numpy as np
import pytest

from corral import ConstrainedLabeler, FromLabels
from corral.datasets import random_votes
from corral.errors import SignalsWarning

RNG = np.random.default_rng(0)
GUESSES = RNG.integers(0, 2, (300, 5))
PAIRS = np.where(np.arange(6) // 2 == RNG.integers(0, 3, (300, 1)), GUESSES[:, :1], -1)


@pytest.mark.parametrize(
    ("votes", "why"),
    [
        (random_votes(300, [0.8, 0.7], coverage=1.0)[0], "only two signals vote"),
        (random_votes(300, [0.8], coverage=1.0)[0], "only one signal votes"),
        (PAIRS, "hardly any example has three votes"),
        (GUESSES, "hardly more than by chance"),
    ],
)
def test_a_warning_says_why_votes_do_not_tell(votes, why):
    with pytest.warns(SignalsWarning, match=why) as caught:
        ConstrainedLabeler().fit(votes)
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore:the votes do not tell")
@pytest.mark.parametrize("n", [50, 60, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_rates_of_random_votes_are_assumed_wherever_it_is_said(n, seed):
    votes = np.random.default_rng(seed).integers(0, 2, (n, 5))
    constants = np.column_stack([np.zeros(n, int), np.ones(n, int), votes[:, 0]])
    for said in (votes, votes[:, :3], constants):
        rates = ConstrainedLabeler().fit(said).rates_
        assert set(rates.sources) == {"assumed"}
        assert "100%" not in rates.note


def test_few_good_raters_are_learned():
    votes, _ = random_votes(60, [0.85] * 5, coverage=1.0)
    assert set(ConstrainedLabeler().fit(votes).rates_.sources) == {"learned"}


def test_nothing_is_said_where_votes_tell_or_nobody_expects_it(rules):
    few = random_votes(50, [0.8, 0.7], coverage=1.0)[0]
    raters, truth = random_votes(300, [0.8, 0.7, 0.8], coverage=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for votes in (few, raters, rules(500)[0]):
            ConstrainedLabeler().fit(votes)
        ConstrainedLabeler(FromLabels(truth)).fit(raters[:, :2])
