import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

import corral
from corral import ConstrainedLabeler, MajorityVote, WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsWarning
from corral.labelers import LABELERS


class Grumpy(MajorityVote):
    """Says something before it works."""

    def _find_model(self, signals):
        import warnings

        warnings.warn("Not sure. Ask another one.", SignalsWarning, stacklevel=2)
        return super()._find_model(signals)


class Broken(MajorityVote):
    """Does not work."""

    def _find_model(self, signals):
        raise ZeroDivisionError("no idea.\nReally")


@pytest.fixture
def task():
    return random_votes(500, [0.9, 0.8, 0.7, 0.6], coverage=0.7)


def test_scores_are_those_of_scikit_learn(task):
    votes, truth = task
    signals = WeakSignals.from_votes(votes)
    labeler = ConstrainedLabeler().fit(signals)
    found = corral.compare(votes, truth, ["constrained"])
    on = signals.covered
    labels, answers = labeler.labels_[on], labeler.predict(signals)[on]
    assert found.accuracy[0] == pytest.approx(accuracy_score(truth[on], answers))
    assert found.f1[0] == pytest.approx(f1_score(truth[on], answers))
    distances = ((labels - np.eye(2)[truth[on]]) ** 2).sum(axis=1)
    assert found.brier[0] == pytest.approx(distances.mean())
    logs = -np.log(np.clip(labels, 1e-3, 1))[np.arange(on.sum()), truth[on]].mean()
    assert found.log_loss[0] == pytest.approx(logs)
    assert found.n_scored == on.sum()
    assert found.n_uncovered == (~on).sum()
    assert found.seconds[0] > 0


def test_ties_count_in_equal_parts():
    votes = [[0, 1], [0, 1], [1, 1]]
    found = corral.compare(votes, [0, 1, 1], MajorityVote())
    assert found.accuracy[0] == pytest.approx(2 / 3)
    # Class 1 is claimed 1/2 + 1/2 + 1 times, twice of them rightly in 1.5 parts.
    assert found.f1[0] == pytest.approx(2 * 1.5 / (2 + 2))


def test_counted_rows_are_so_many_examples(task):
    votes, truth = task
    rows = np.column_stack([votes, truth])
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    names = ["constrained", "majority-vote", "dawid-skene"]
    each = corral.compare(votes, truth, names)
    signals = WeakSignals.from_votes(distinct[:, :-1], counts=counts)
    counted = corral.compare(signals, distinct[:, -1], names)
    for score in ("accuracy", "f1", "log_loss", "brier"):
        np.testing.assert_allclose(
            getattr(counted, score), getattr(each, score), atol=1e-6
        )
    assert counted.n_scored == each.n_scored


def test_every_own_method_works(task):
    own = {*LABELERS} - {"weighted-vote", "ordinal"}
    found = corral.compare(*task)
    assert set(found.methods) == own
    assert not found.refused
    assert (found.accuracy > 0.7).all()


def test_what_methods_say_is_shown(task):
    methods = {"grumpy": Grumpy(), "broken": Broken()}
    found = corral.compare(*task, methods)
    assert found.warned == {"grumpy": "Not sure."}
    assert found.refused == {"broken": "no idea."}
    assert "broken refused: no idea." in str(found)
    assert "grumpy warned: Not sure." in str(found)


def test_unknown_labels_are_not_scored(task):
    votes, truth = task
    some = [y if j < 100 else None for j, y in enumerate(truth.tolist())]
    found = corral.compare(votes, some, ["majority-vote"])
    assert found.n_scored == WeakSignals.from_votes(votes[:100]).covered.sum()
    with pytest.raises(ParameterError, match="nothing can be scored"):
        corral.compare(votes, [None] * 500)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["best"]}, "constrained.*'best' was given"),
        ({"methods": {"a": 3}}, "3 was given"),
        ({"methods": ["weighted-vote"]}, "no method could label.*give weights="),
        ({"random_state": "x"}, "random_state must be None"),
    ],
)
def test_refused_options(task, options, message):
    with pytest.raises(ParameterError, match=message):
        corral.compare(*task, **options)


def test_files_and_relations_with_a_column_of_gold_labels(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    votes, truth = random_votes(300, [0.9, 0.8, 0.7], coverage=0.8)
    path = tmp_path / "votes.csv"
    rows = np.column_stack([np.arange(300), votes, truth]).tolist()
    path.write_text("\n".join(["id,a,b,c,y", *(",".join(map(str, r)) for r in rows)]))
    methods = ["constrained", "majority-vote"]
    expected = corral.compare(votes, truth, methods)
    relation = duckdb.sql(f"FROM '{path}'")
    for table, options in (
        (path, {"id": "id"}),
        (relation, {"id": "id", "classes": [0, 1]}),
    ):
        found = corral.compare(table, "y", methods, **options)
        assert found.methods == expected.methods
        np.testing.assert_allclose(found.accuracy, expected.accuracy, atol=1e-12)
        np.testing.assert_allclose(found.brier, expected.brier, atol=1e-9)
    with pytest.raises(ParameterError, match="no column is named 'gold'"):
        corral.compare(path, "gold", methods, id="id")
    with pytest.raises(ParameterError, match="name of a column"):
        corral.compare(path, truth, methods, id="id")
    with pytest.raises(ParameterError, match="ids is unknown"):
        corral.compare(votes, truth, methods, ids="id")


def test_what_differs_beyond_chance():
    votes, truth = random_votes(4000, [0.95, 0.55, 0.55, 0.55], coverage=1)
    signals = WeakSignals.from_votes(votes)
    best = corral.WeightedVote(accuracies=[0.95, 0.55, 0.55, 0.55])
    found = corral.compare(signals, truth, {"vote": MajorityVote(), "weights": best})
    assert found.winner == "weights"
    assert found.p_value[0] < 0.01
    assert found.p_value[1] == 1
    low, high = found.accuracy_interval.T
    assert (low < found.accuracy).all()
    assert (found.accuracy < high).all()
    assert str(found).startswith("weights is right on ")
    same = corral.compare(signals, truth, {"a": best, "b": best})
    assert same.winner is None
    assert "not shown to be better than b" in str(same)


def test_a_labeler_that_is_given_stays_as_it_is():
    votes, truth = random_votes(300)
    generator = np.random.default_rng(0)
    drawn = ConstrainedLabeler(0.3, corral.Adagrad(starts=1), random_state=generator)
    before = generator.bit_generator.state
    corral.compare(votes, gold=truth, methods=[drawn])
    assert generator.bit_generator.state == before
    drawn.fit(votes)
    before = generator.bit_generator.state
    corral.value_of_signal(drawn, votes[:50])
    assert generator.bit_generator.state == before
