"""Who errs with whom, and how many judges that leaves."""

import tracemalloc

import numpy as np
import pytest
from tests.panels.made_panels import find_evidence, hide, make_votes

from corral.errors import ParameterError
from corral.panels.dependence import find_dependence, read_families


def study(votes, known, families=None):
    names = tuple(f"s{i}" for i in range(votes.shape[1]))
    evidence = find_evidence(votes, known)
    return find_dependence(evidence, names, families, np.random.default_rng(0))


def test_correlations_are_those_of_errors():
    votes, truth = make_votes(3000, own=(0.1, 0.2, 0.2), shared=0.1)
    found = study(votes, truth)
    want = np.corrcoef((votes != truth[:, None]).T)
    np.testing.assert_allclose(found.correlation, want, atol=0.02)
    mean = want[~np.eye(3, dtype=bool)].mean()
    assert found.effective == pytest.approx(3 / (1 + 2 * mean), abs=0.05)


def test_a_hundred_labels_tell_about_as_much():
    votes, truth = make_votes(3000, own=(0.1,) * 5, shared=0.1)
    want = study(votes, truth).effective
    found = study(votes, hide(truth, 100))
    assert found.effective_interval[0] - 0.3 < want < found.effective_interval[1] + 0.3
    assert found.effective < 3.5


def test_copies_count_once_and_families_are_measured():
    votes, truth = make_votes(2000, own=(0.2, 0.2), shared=0)
    votes = np.column_stack([votes[:, :1].repeat(3, axis=1), votes[:, 1]])
    found = study(votes, hide(truth, 150), {"gpt": ["s0", "s1", "s2"], "other": "s3"})
    gpt, other = found.families
    assert gpt.effective == pytest.approx(1, abs=0.01)
    assert gpt.within == pytest.approx(1, abs=0.01)
    assert abs(gpt.outside) < 0.25
    assert other.judges == ("s3",)
    assert np.isnan(other.within)
    assert found.find_nearest(0) in (1, 2)


def test_one_judge_counts_as_one():
    votes, truth = make_votes(200, own=(0.2,))
    found = study(votes, hide(truth, 50))
    assert found.effective == 1
    assert found.find_nearest(0) is None


def test_families_are_checked():
    names = ("gpt4", "gpt4o", "llama")
    assert read_families(names, {"g": "gpt*"})["g"].tolist() == [0, 1]
    with pytest.raises(ParameterError, match="holds no judge"):
        read_families(names, {"g": "claude*"})
    with pytest.raises(ParameterError, match="shares a judge"):
        read_families(names, {"g": "gpt*", "h": ["gpt4"]})


def test_labels_without_any_error_leave_it_open():
    votes, truth = make_votes(500, own=(0.03,) * 5, shared=0)
    known = np.full(500, -1)
    rows = np.flatnonzero((votes == truth[:, None]).all(axis=1))[::10]
    known[rows] = truth[rows]
    found = study(votes, known)
    assert found.effective > 4.5
    assert found.effective_interval[0] < 2.5


def test_families_must_be_named():
    with pytest.raises(ParameterError, match="families must say by name"):
        read_families(("a", "b"), ["a"])


def test_memory_does_not_grow_with_labels_times_pairs_of_judges():
    rng = np.random.default_rng(0)
    votes, truth = make_votes(240, own=(0.2,) * 150, shared=0)
    votes[rng.random(votes.shape) < 0.9] = -1
    evidence = find_evidence(votes, hide(truth, 200))
    names = tuple(map(str, range(150)))
    tracemalloc.start()
    found = find_dependence(evidence, names, None, rng)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.correlation.shape == (150, 150)
    assert peak < 15e6  # two arrays of labels x judges x judges alone: 72 MB
