"""scikit-learn's own checks of every labeler; what fails them has its reason here."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from corral.labelers import LABELERS, WeightedVote

NUMBERS = "the check gives numbers that are no classes, whatever the tags say"
VOTES = {
    "check_sample_weight_equivalence_on_dense_data": NUMBERS,
    "check_sample_weight_equivalence_on_sparse_data": NUMBERS,
    "check_estimator_sparse_tag": NUMBERS,
    "check_estimator_sparse_array": NUMBERS,
    "check_estimator_sparse_matrix": NUMBERS,
    "check_positive_only_tag_during_fit": NUMBERS,
    "check_fit_score_takes_y": "the check's y has classes that its votes do not have",
    "check_sample_weights_not_an_array": "votes are arrays, lists or tables",
    "check_n_features_in_after_fitting": "the message speaks of signals, not features",
    "check_complex_data": "the message names the dtype",
    "check_estimators_empty_data_messages": "the message speaks of signals",
    "check_fit2d_predict1d": "the message names the shape",
}
"""Votes are classes, so they are not any numbers; messages speak of signals."""


@parametrize_with_checks(
    [kind(weights=1) if kind is WeightedVote else kind() for kind in LABELERS.values()],
    expected_failed_checks=lambda _: VOTES,
)
@pytest.mark.filterwarnings("ignore::UserWarning")  # of random votes
def test_scikit_learn(estimator, check, request):
    try:
        check(estimator)
    except Exception as error:
        if request.node.get_closest_marker("xfail") is None:
            raise
        # Without the frames of scikit-learn, which take pytest half a second to show.
        pytest.fail(str(error), pytrace=False)
