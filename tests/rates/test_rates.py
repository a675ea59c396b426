import numpy as np
import pytest

from corral.errors import ParameterError
from corral.rates import Rates


def test_intervals_are_normal_and_stay_in_range():
    rates = Rates(np.array([0.5, 0.01, np.nan]), np.array([0.1, 0.1, np.nan]), "")
    low, high = rates.intervals(0.95).T
    assert low[:2] == pytest.approx([0.5 - 0.195996, 0], abs=1e-5)
    assert high[:2] == pytest.approx([0.5 + 0.195996, 0.01 + 0.195996], abs=1e-5)
    assert np.isnan(low[2])


@pytest.mark.parametrize("level", [0, 1, 90])
def test_bad_level_is_refused(level):
    with pytest.raises(ParameterError, match="level"):
        Rates(np.zeros(1), np.zeros(1), "").intervals(level)
