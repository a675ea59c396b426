"""What is known holds exactly, or is refused."""

import numpy as np
import pytest
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.errors import ParameterError
from corral.panels.judges import find_judges

VOTES, TRUTH = make_votes(500)
KNOWN = hide(TRUTH, 80)


def test_balance_and_rates_hold():
    rates = {"s1": 0.2}
    evidence = find_evidence(VOTES, KNOWN, balance=[0.65, 0.35], rates=rates)
    mean = evidence.panel.mean
    np.testing.assert_allclose(mean(evidence.labels), [0.65, 0.35], atol=1e-6)
    wrong = ((1 - evidence.panel.hard[:, 1]) * evidence.labels).sum(axis=1)
    assert mean(wrong) == pytest.approx(0.2, abs=1e-6)
    judge = find_judges(evidence, ("s0", "s1", "s2"))[1]
    assert judge.accuracy_interval == (judge.accuracy,) * 2 == (0.8, 0.8)


def test_known_rates_narrow_the_share():
    wrong = float((VOTES[:, 0] != TRUTH).mean())
    from corral.panels.shares import find_shares

    plain = find_shares(find_evidence(VOTES, KNOWN))
    helped = find_shares(find_evidence(VOTES, KNOWN, rates=[wrong, np.nan, np.nan]))
    assert helped.high[1] - helped.low[1] < plain.high[1] - plain.low[1] + 1e-9


def test_what_cannot_hold_is_refused():
    votes = np.column_stack([np.zeros(100, int), np.arange(100) % 2])
    known = np.where(np.arange(100) % 3 == 0, np.arange(100) % 2, -1)
    with pytest.raises(ParameterError, match="cannot hold together"):
        find_evidence(votes, known, balance=[0.9, 0.1], rates={"s0": 0.6})


@pytest.mark.parametrize(
    ("rates", "said"),
    [({"x": 0.1}, "none of the judges"), ([0.1], "per judge"), ([2, 0, 0], "from 0")],
)
def test_rates_are_checked(rates, said):
    with pytest.raises(ParameterError, match=said):
        find_evidence(VOTES, KNOWN, rates=rates)
