"""A warning names the line of the user, whatever lies between."""

import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import corral
from corral import ConstrainedLabeler, DawidSkene
from corral.datasets import random_votes
from corral.errors import CorralWarning

VOTES = random_votes(60, [0.9, 0.8, 0.7], coverage=0.9)
ONE_SIDED = np.array([[1, -1, 0], [1, -1, -1], [-1, 1, 0], [1, 1, -1]] * 10)
MOSTLY_ZERO = np.repeat([[0, 0, 0], [1, 2, 1], [2, 1, 2]], [30, 5, 5], axis=0)
ABOVE = [0.9, 0.1, 0.1]

CALLS = {
    "fit": lambda: ConstrainedLabeler(ABOVE).fit(VOTES[0]),
    "a labeler that learns": lambda: DawidSkene(abstains="ignore").fit(ONE_SIDED),
    "label": lambda: corral.label(VOTES[0], error_rates=ABOVE),
    "reading": lambda: corral.label([["a", "N/A"], ["b", "a"]], error_rates=0.3),
    "compare": lambda: corral.compare(
        MOSTLY_ZERO, MOSTLY_ZERO[:, 0], ["majority-vote"]
    ),
    "a pipeline of scikit-learn": lambda: make_pipeline(
        FunctionTransformer(), ConstrainedLabeler(ABOVE)
    ).fit(VOTES[0]),
    "y that is not learned from": lambda: ConstrainedLabeler(0.3).fit(*VOTES),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_names_the_line_of_the_user(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    ours = [w for w in caught if issubclass(w.category, CorralWarning)]
    assert ours, "nothing was warned of"
    assert {w.filename for w in ours} == {__file__}
