"""corral.compat.crowdkit next to Crowd-Kit, and on tables that are small, odd or wrong.

The small tables are inputs and results of Crowd-Kit's own tests, tasks and workers renamed.
"""

import warnings

import numpy as np
import pytest

from corral.compat.crowdkit.aggregation import DawidSkene, MajorityVote
from corral.errors import ConvergenceWarning, ParameterError

pd = pytest.importorskip("pandas")
ALL = (MajorityVote, DawidSkene)
close = np.testing.assert_allclose


def frame(rows):
    return pd.DataFrame(rows, columns=["worker", "task", "label"])


def crowd(seed, repeated=False):
    """Answers of a random crowd: two to four classes, workers good and bad."""
    rng = np.random.default_rng(seed)
    k, workers, per_task = rng.integers((2, 4, 2), (5, 25, 5))
    skill = rng.uniform(0.3, 0.95, workers)
    rows = []
    for task, truth in enumerate(rng.integers(k, size=rng.integers(30, 150))):
        for worker in rng.choice(workers, per_task, replace=repeated):
            right = rng.random() < skill[worker]
            said = truth if right else rng.integers(k)
            rows.append((f"w{worker}", task, "abcd"[said]))
    return frame(rows)


def toy():
    """Five workers on five tasks, y or n; the third left one out."""
    said = {"w1": "nyyyy", "w2": "yynyn", "w3": " ynyn", "w4": "ynyyn", "w5": "nnnyn"}
    words = {"y": "yes", "n": "no"}
    return frame(
        [
            (worker, f"t{at + 1}", words[letter])
            for worker, letters in said.items()
            for at, letter in enumerate(letters)
            if letter != " "
        ]
    )


TOY_TRUTH = ["yes", "yes", "no", "yes", "no"]


# -- next to Crowd-Kit ---------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*had not settled")
@pytest.mark.parametrize("n_iter", [1, 100])
@pytest.mark.parametrize("seed", range(6))
def test_dawid_skene_is_crowd_kits(seed, n_iter):
    theirs = pytest.importorskip("crowdkit.aggregation")
    answers = crowd(seed, repeated=seed % 2 == 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Crowd-Kit's own
        their = theirs.DawidSkene(n_iter).fit(answers)
    our = DawidSkene(n_iter).fit(answers)
    close(our.loss_history_, their.loss_history_, atol=1e-9)
    alike = {"atol": 1e-8, "check_like": True, "check_column_type": False}
    pd.testing.assert_frame_equal(our.probas_, their.probas_, **alike)
    pd.testing.assert_frame_equal(our.errors_, their.errors_, **alike)
    pd.testing.assert_series_equal(our.priors_, their.priors_, check_like=True)
    best = our.probas_.ge(our.probas_.max(axis=1) - 1e-9, axis=0)
    clear = our.probas_.index[best.sum(axis=1) == 1]  # of equal classes it takes others
    pd.testing.assert_series_equal(our.labels_[clear], their.labels_[clear])


# -- known results -------------------------------------------------------------


@pytest.mark.parametrize("truth", [TOY_TRUTH, [said == "yes" for said in TOY_TRUTH]])
def test_the_true_labels_of_a_toy(truth):
    answers = toy()
    if True in truth:
        answers["label"] = answers["label"] == "yes"
    found = DawidSkene(n_iter=100500).fit(answers).labels_
    assert found.sort_index().tolist() == truth


def test_vote_shares_and_skills():
    vote = MajorityVote()
    found = vote.fit_predict(toy())
    assert found is vote.labels_
    assert (found.name, vote.skills_.name) == ("agg_label", "skill")
    close(vote.skills_.sort_index(), [0.6, 0.8, 1.0, 0.4, 0.8])
    close(vote.probas_["no"], [0.5, 0.4, 0.6, 0, 0.8])
    assert (vote.probas_.index.name, vote.probas_.columns.name) == ("task", "label")
    assert found.tolist() == ["no", "yes", "no", "yes", "no"]


def test_dawid_skene_warns_if_it_has_not_settled():
    with pytest.warns(ConvergenceWarning, match="1 rounds"):
        DawidSkene(n_iter=1).fit(toy())


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
@pytest.mark.parametrize("kind", ALL)
def test_tables_that_are_small_odd_or_wrong(kind):
    rows = [(1, "a", "x"), (2, "a", None), (1, "b", "x"), (2, "b", "x"), (2, "c", None)]
    found = kind().fit_predict_proba(frame(rows))
    assert found.index.tolist() == ["a", "b"], "c has no answer"
    assert found["x"].tolist() == [1, 1]
    with pytest.raises(ParameterError, match="no answers"):
        kind().fit(frame([]))
    mixed = crowd(1).sample(frac=1, random_state=0)
    one, other = kind().fit_predict(crowd(1)), kind().fit_predict(mixed)
    pd.testing.assert_series_equal(one.sort_index(), other.sort_index())
    for column in ("task", "worker", "label"):
        with pytest.raises(KeyError, match=column):
            kind().fit(toy().drop(columns=column))
    for column in ("task", "worker"):
        answers = toy().astype({column: object})
        answers.loc[[3, 5], column] = None
        with pytest.raises(ParameterError, match="2 answers"):
            kind().fit(answers)
