"""scikit-learn's own checks of every labeler; what fails them has its reason here."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from corral.labelers import LABELERS

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

FITTED = (
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_pipeline_consistency",
    "check_readonly_memmap_input",
    "check_sample_weights_list",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
)
"""Checks that fit on votes alone, beside those in `VOTES`."""

NEEDS = {
    "WeightedVote": dict.fromkeys(
        (*FITTED, "check_all_zero_sample_weights_error"),
        "needs a weight or an accuracy of every signal",
    ),
}


@parametrize_with_checks(
    [kind() for kind in LABELERS.values()],
    expected_failed_checks=lambda e: VOTES | NEEDS.get(type(e).__name__, {}),
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
