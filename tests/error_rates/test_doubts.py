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


def test_nothing_is_said_where_votes_tell_or_nobody_expects_it(rules):
    few = random_votes(50, [0.8, 0.7], coverage=1.0)[0]
    raters, truth = random_votes(300, [0.8, 0.7, 0.8], coverage=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for votes in (few, raters, rules(500)[0]):
            ConstrainedLabeler().fit(votes)
        ConstrainedLabeler(FromLabels(truth)).fit(raters[:, :2])
