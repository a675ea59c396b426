"""Aggregators on tables that are small, odd or wrong."""

import numpy as np
import pytest

import corral
from corral.compat.crowdkit.aggregation import (
    DawidSkene,
    LabelerAggregator,
    MajorityVote,
    OneCoinDawidSkene,
    Wawa,
)
from corral.datasets import random_votes
from corral.errors import ConvergenceWarning, ParameterError, SignalsError

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def crowd():
    votes, truth = random_votes(300, [0.95, 0.9, 0.7, 0.6, 0.55], coverage=1)
    answers = pd.DataFrame(votes).rename_axis("task").reset_index()
    return answers.melt("task", var_name="worker", value_name="label"), truth


def test_any_labeler_of_corral(crowd):
    answers, truth = crowd
    signals = corral.WeakSignals.from_long(answers)
    for given in ("constrained", corral.DawidSkene(smoothing=0.5)):
        found = LabelerAggregator(given).fit(answers)
        expected = corral.labelers.labeler_of(given).fit(signals)
        np.testing.assert_allclose(found.probas_, expected.labels_)
        np.testing.assert_allclose(found.skills_, 1 - expected.error_rates_)
        assert found.skills_.index.name == "worker"
        assert (found.labels_ == truth).mean() > 0.9
    assert LabelerAggregator("majority-vote").fit(answers).skills_ is None
    with pytest.raises(ParameterError, match="labeler must be one of"):
        LabelerAggregator("wawa").fit(answers)


def test_rounds_that_do_not_settle_are_warned_of(crowd):
    with pytest.warns(ConvergenceWarning, match="had not settled after 1 rounds"):
        DawidSkene(n_iter=1).fit(crowd[0])


def test_two_answers_of_a_worker_to_a_task():
    rows = [("a", 1, "x"), ("a", 1, "y"), ("a", 2, "y")]
    answers = pd.DataFrame(rows, columns=["task", "worker", "label"])
    with pytest.raises(SignalsError, match="answers the same task more than once"):
        DawidSkene().fit(answers)
    assert MajorityVote().fit_predict(answers).to_dict() == {"a": "y"}


@pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning")
@pytest.mark.parametrize(
    "kind", [MajorityVote, Wawa, DawidSkene, OneCoinDawidSkene, LabelerAggregator]
)
def test_one_class_and_missing_answers(kind):
    rows = [("a", 1, "x"), ("a", 2, None), ("b", 1, "x"), ("b", 2, "x"), ("c", 2, None)]
    answers = pd.DataFrame(rows, columns=["task", "worker", "label"])
    found = kind().fit_predict_proba(answers)
    assert found.index.tolist() == ["a", "b"], "c has no answer"
    assert found["x"].tolist() == [1, 1]


def test_empty_tables():
    empty = pd.DataFrame([], columns=["task", "worker", "label"])
    for kind in (MajorityVote, OneCoinDawidSkene, LabelerAggregator):
        assert kind().fit_predict(empty).empty


def test_skills_are_asked_for_in_pairs(crowd):
    skills = pd.Series({0: 1.0})
    for wrong in (
        MajorityVote(default_skill=1),
        MajorityVote(on_missing_skill="value"),
    ):
        with pytest.raises(ParameterError, match="go together"):
            wrong.fit(crowd[0], skills)
    with pytest.raises(ParameterError, match="on_missing_skill must be one of"):
        MajorityVote(on_missing_skill="drop").fit(crowd[0], skills)
    with pytest.raises(ParameterError, match="call fit"):
        Wawa().predict(crowd[0])


def test_the_order_of_answers_does_not_matter(crowd):
    answers = crowd[0]
    mixed = answers.sample(frac=1, random_state=0)
    for kind in (MajorityVote, Wawa, DawidSkene):
        one, other = kind().fit_predict(answers), kind().fit_predict(mixed)
        pd.testing.assert_series_equal(one.sort_index(), other.sort_index())


@pytest.mark.parametrize("column", ["task", "worker"])
@pytest.mark.parametrize("aggregator", [MajorityVote, DawidSkene, Wawa])
def test_answers_of_nobody_or_to_nothing_are_refused(crowd, aggregator, column):
    answers = crowd[0].astype({column: object})
    answers.loc[[3, 5], column] = None
    with pytest.raises(ParameterError, match="2 answers are of no task or no worker"):
        aggregator().fit(answers)


def test_a_task_whose_workers_have_no_skill_has_no_label():
    answers = pd.DataFrame(
        [("a", "w1", "x"), ("a", "w2", "y"), ("b", "w1", "x")],
        columns=["task", "worker", "label"],
    )
    skills = pd.Series({"w1": 0.0, "w2": 1.0})
    found = MajorityVote().fit(answers, skills)
    assert found.labels_.to_dict() == {
        "a": "y",
        "b": pytest.approx(np.nan, nan_ok=True),
    }
    assert found.probas_.loc["b"].isna().all()
