"""cleanlab's tables, with corral's numbers."""

import numpy as np
import pytest

import corral
from corral.compat.cleanlab.multiannotator import (
    convert_long_to_wide_dataset,
    get_label_quality_multiannotator,
)
from corral.datasets import random_votes
from corral.errors import CompatWarning, ParameterError

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def wide():
    votes, _ = random_votes(400, [0.9, 0.8, 0.7, 0.6], coverage=0.8)
    table = pd.DataFrame(votes, columns=list("abcd")).replace(-1, np.nan)
    return table.dropna(how="all")


def test_the_numbers_are_those_of_corral(wide):
    found = get_label_quality_multiannotator(wide)
    codes = wide.fillna(-1).to_numpy(int)
    labeler = corral.ConstrainedLabeler().fit(codes)
    labels = found["label_quality"]
    assert labels.columns.tolist() == [
        "consensus_label", "consensus_quality_score", "annotator_agreement",
        "num_annotations",
    ]  # fmt: skip
    assert labels.index.equals(wide.index)
    np.testing.assert_allclose(
        labels.consensus_quality_score, labeler.labels_.max(axis=1)
    )
    np.testing.assert_array_equal(
        labels.consensus_label, labeler.labels_.argmax(axis=1)
    )
    np.testing.assert_array_equal(labels.num_annotations, wide.notna().sum(axis=1))
    same = wide.eq(labels.consensus_label, axis=0)
    np.testing.assert_allclose(
        labels.annotator_agreement, same.sum(axis=1) / wide.notna().sum(axis=1)
    )
    stats = found["annotator_stats"]
    assert stats.annotator_quality.is_monotonic_increasing
    np.testing.assert_allclose(
        stats.annotator_quality[list("abcd")], 1 - labeler.error_rates_
    )
    np.testing.assert_allclose(
        stats.agreement_with_consensus[list("abcd")], same.sum() / wide.notna().sum()
    )
    detailed = found["detailed_label_quality"]
    assert detailed.columns[0] == "quality_annotator_a"
    assert detailed.isna().to_numpy().tolist() == wide.isna().to_numpy().tolist()
    said = wide["a"].notna().to_numpy()
    own = labeler.labels_[said, wide["a"].dropna().astype(int)]
    np.testing.assert_allclose(detailed["quality_annotator_a"][said], own)


def test_the_worst_class_is_the_one_that_is_least_likely_right():
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=300)
    given = np.where(
        rng.random((4, 300)) < 0.9, truth, rng.integers(3, size=(4, 300))
    ).T
    given[truth == 2, 3] = 1  # the last annotator says 2 only where it is wrong
    stats = get_label_quality_multiannotator(given)["annotator_stats"]
    assert stats.index[0] == 3
    assert stats.worst_class[3] == 2


def test_texts_and_tables_that_are_not_asked_for():
    table = pd.DataFrame(
        {"a": ["x", "y", "x"], "b": ["x", "y", None], "c": ["y", "y", "x"]}
    )
    found = get_label_quality_multiannotator(
        table, return_detailed_quality=False, return_annotator_stats=False
    )
    assert list(found) == ["label_quality"]
    assert found["label_quality"].consensus_label.tolist() == ["x", "y", "x"]


def test_what_belongs_to_crowdlab_has_no_effect(wide):
    with pytest.warns(CompatWarning) as caught:
        get_label_quality_multiannotator(
            wide, np.full((len(wide), 2), 0.5), calibrate_probs=True
        )
    said = [str(warning.message) for warning in caught]
    assert "pred_probs has no effect" in said[0]
    assert "calibrate_probs has no effect" in said[1]


def test_what_is_refused(wide):
    silent = wide.copy()
    silent.iloc[0] = np.nan
    with pytest.raises(ParameterError, match=r"1 of .* examples have no annotation"):
        get_label_quality_multiannotator(silent)
    with pytest.raises(ParameterError, match=r"annotators \['e'\] labelled nothing"):
        get_label_quality_multiannotator(wide.assign(e=np.nan))
    with pytest.raises(ParameterError, match="method must learn about annotators"):
        get_label_quality_multiannotator(wide, method="majority-vote")


def test_long_to_wide():
    rows = [("x", "ann", 0), ("x", "bob", 1), ("y", "ann", 1)]
    long = pd.DataFrame(rows, columns=["task", "annotator", "label"])
    wide = convert_long_to_wide_dataset(long)
    assert wide.columns.tolist() == ["ann", "bob"]
    assert (wide.index.name, wide.columns.name) == (None, None)
    assert wide.loc["y", "ann"] == 1
    assert np.isnan(wide.loc["y", "bob"])


def test_two_labels_of_one_annotator_and_no_labels_at_all(wide):
    rows = [("x", "ann", 0), ("x", "ann", 1), ("y", "ann", 1)]
    long = pd.DataFrame(rows, columns=["task", "annotator", "label"])
    with pytest.raises(ParameterError, match="once; 1 labels are further ones"):
        convert_long_to_wide_dataset(long)
    with pytest.raises(ParameterError, match="there must be examples"):
        get_label_quality_multiannotator(wide.iloc[:0])
