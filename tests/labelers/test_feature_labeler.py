"""Every labeler with features through the same cases."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.labelers.test_contract import CASES, from_votes

from corral import (
    AdversarialLabeler,
    DataConsistentLabeler,
    LogisticModel,
    MajorityVote,
    Precision,
    StochasticGALL,
    WeakSignals,
)
from corral.errors import (
    ConvergenceWarning,
    ParameterError,
    SignalsError,
    SignalsWarning,
    StorageError,
)
from corral.labelers import FeatureLabeler, Labeler

LABELERS = {
    "adversarial": AdversarialLabeler(0.4, max_iter=300, random_state=0),
    "stochastic gall": StochasticGALL(0.3, epochs=10, random_state=0),
    "data consistent": DataConsistentLabeler(0.3, max_iter=300, random_state=0),
}


def features(truth):
    """Four columns that tell the classes apart, with noise."""
    _, codes = np.unique(truth, return_inverse=True)
    rng = np.random.default_rng(0)
    return np.eye(4)[codes] * 2 + rng.normal(size=(len(truth), 4))


@pytest.fixture(params=LABELERS)
def labeler(request):
    return clone(LABELERS[request.param])


@pytest.fixture
def binary():
    signals, truth = from_votes(2)
    return signals, features(truth), truth


@pytest.mark.parametrize("case", CASES)
def test_labels_are_those_of_the_model(labeler, case):
    signals, truth = CASES[case]()
    X = features(truth)
    if isinstance(labeler, AdversarialLabeler) and signals.n_label_columns > 1:
        with pytest.raises(SignalsError, match=r"two classes.*Use StochasticGALL"):
            labeler.fit(signals, X=X)
        return
    if signals.kind.value == "one-vs-rest":
        labeler.set_params(error_rates=0.2)
    assert labeler.fit(signals, X=X) is labeler
    labels = labeler.labels_
    assert labels.shape == (len(signals), signals.n_classes)
    np.testing.assert_allclose(labels.sum(axis=1), 1)
    np.testing.assert_array_equal(labeler.predict_proba(signals, X), labels)
    np.testing.assert_array_equal(labeler.model_.predict_proba(X), labels)
    np.testing.assert_array_equal(labeler.covered_, signals.covered)
    assert labeler.history_.shape == (labeler.n_iter_,)
    assert isinstance(labeler.converged_, bool)
    assert "LogisticModel" in labeler.note_
    answers = labeler.predict(signals, X)
    assert (answers == truth).mean() > 0.7
    right = (answers == truth)[signals.covered]
    assert labeler.score(signals, truth, X) == pytest.approx(right.mean())
    assert answers[0] == (None if signals.classes.dtype.kind == "U" else -1)


def test_uncovered_examples_teach_nothing_and_are_answered_if_asked(labeler, binary):
    signals, X, _ = binary
    moved = X.copy()
    moved[0] += 3  # no signal votes on the first example
    labeler.set_params(uncovered="prior", model=Fixed())
    found = labeler.fit(signals, X=X).model_.predict_proba(X[1:])
    np.testing.assert_allclose(
        labeler.fit(signals, X=moved).model_.predict_proba(X[1:]), found, atol=1e-12
    )
    assert labeler.predict(signals, moved)[0] == labeler.model_.predict(moved[:1])[0]


class Fixed(LogisticModel):
    """Standardises by nothing, so that examples without votes do not count there."""

    def _start(self, X, random_state):
        super()._start(X, random_state)
        self._mean, self._scale = np.zeros(4), np.ones(4)


@pytest.mark.filterwarnings("ignore:not every bound is met")
@pytest.mark.parametrize("case", ["binary", "strings"])
def test_a_saved_labeler_labels_as_before(labeler, case, tmp_path):
    signals, truth = CASES[case]()
    X = features(truth)
    if isinstance(labeler, AdversarialLabeler) and case == "strings":
        return  # two classes only
    labeler.set_params(
        model=LogisticModel(0.01), constraints=[Precision(0, truth[0], at_least=0.5)]
    )
    labeler.fit(signals, X=X).save(tmp_path / "it.corral")
    for again in (
        type(labeler).load(tmp_path / "it.corral"),
        Labeler.load(tmp_path / "it.corral"),
    ):
        assert type(again) is type(labeler)
        np.testing.assert_allclose(
            again.predict_proba(signals, X), labeler.labels_, atol=1e-12
        )
        np.testing.assert_array_equal(
            again.predict(signals, X), labeler.predict(signals, X)
        )
        assert again.note_ == labeler.note_
        assert again.model.learning_rate == 0.01
        assert again.constraints == labeler.constraints
    # It can learn again, from where it began.
    np.testing.assert_allclose(again.fit(signals, X=X).labels_, labeler.labels_)
    MajorityVote().fit(signals).save(tmp_path / "it.corral")
    with pytest.raises(StorageError, match="'MajorityVote', not a 'FeatureLabeler'"):
        FeatureLabeler.load(tmp_path / "it.corral")


def test_features_explain_the_label(labeler, binary):
    signals, X, _ = binary
    labeler.fit(signals, X=X)
    for told in (labeler.explain(7), labeler.explain(7, signals, X)):
        assert told.constraints == ("features",)
        assert not told.moves[:-1].any()  # votes have taught, and move nothing
        odds = np.log(labeler.labels_[7])
        np.testing.assert_allclose(told.moves[-1], odds - odds.mean(), atol=1e-9)
        assert [vote or "-1" for vote in told.votes] == [
            str(vote) for vote in signals.votes[7]
        ]
    with pytest.raises(ParameterError, match="pass X="):
        labeler.explain(7, signals)


def test_weights_count_as_repeats_do(labeler, binary):
    signals, X, _ = binary
    labeler.set_params(model=Fixed())
    if isinstance(labeler, StochasticGALL):
        labeler.set_params(batch_size=1000)  # one batch, so that the order is nothing
    twice = np.append(np.arange(len(X)), np.arange(20))
    weights = np.ones(len(X))
    weights[:20] = 2
    found = labeler.fit(signals, sample_weight=weights, X=X).labels_
    repeated = labeler.fit(signals.take(twice), X=X[twice]).labels_[: len(X)]
    if isinstance(labeler, AdversarialLabeler):
        # Its labels move in steps that weights make larger; the verdicts stay.
        assert ((found[:, 1] > 0.5) == (repeated[:, 1] > 0.5)).mean() > 0.95
    else:
        np.testing.assert_allclose(found, repeated, atol=0.02)


def test_features_are_asked_for(labeler, binary):
    signals, X, truth = binary
    with pytest.raises(ParameterError, match=r"needs the features.*pass X="):
        labeler.fit(signals)
    with pytest.raises(ParameterError, match=r"each of the 120 examples; .*\(119, 4\)"):
        labeler.fit(signals, X=X[1:])
    with pytest.raises(ParameterError, match="must be finite"):
        labeler.fit(signals, X=np.where(X > 2, np.nan, X))
    with pytest.raises(NotFittedError):
        labeler.predict(signals, X)
    labeler.fit(signals, X=X)
    with pytest.raises(ParameterError, match="needs the features"):
        labeler.predict_proba(signals)
    with pytest.raises(ParameterError, match="needs the features"):
        labeler.score(signals, truth)
    with pytest.raises(ParameterError, match="each of the 2 examples"):
        labeler.predict([[0] * 6, [1] * 6], X)
    with pytest.warns(SignalsWarning, match="not learned from"):
        labeler.fit(signals, truth, X=X)
    counted = WeakSignals.from_votes([[0, 1], [1, 1]], counts=[3, 4])
    with pytest.raises(ParameterError, match="these signals are counted"):
        labeler.fit(counted, X=X[:2])


def test_new_examples_need_their_own_features(labeler, binary):
    signals, X, truth = binary
    labeler.fit(signals.take(slice(0, 80)), X=X[:80])
    answers = labeler.predict(signals.take(slice(80, None)), X[80:])
    covered = signals.covered[80:]
    np.testing.assert_array_equal(
        answers[covered], labeler.model_.predict(X[80:])[covered]
    )
    assert (answers == truth[80:]).mean() > 0.7


def test_sparse_features_give_the_same(labeler, binary):
    signals, X, _ = binary
    X = np.where(X > 0.5, X, 0)
    dense = labeler.fit(signals, X=X).labels_
    np.testing.assert_allclose(
        labeler.fit(signals, X=csr_array(X)).labels_, dense, atol=1e-9
    )


def test_the_manners_of_scikit_learn(labeler, binary):
    signals, X, _ = binary
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = labeler.fit(signals, X=X).labels_
    np.testing.assert_array_equal(clone(labeler).fit(signals, X=X).labels_, first)
    np.testing.assert_array_equal(
        labeler.fit_predict(signals, X=X), labeler.predict(signals, X)
    )
    thawed = pickle.loads(pickle.dumps(labeler))
    np.testing.assert_array_equal(thawed.predict_proba(signals, X), first)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_parameters_are_checked(labeler, binary):
    signals, X, _ = binary
    with pytest.raises(ParameterError, match=r"model must be corral.LogisticModel"):
        clone(labeler).set_params(model="mlp").fit(signals, X=X)
    with pytest.raises(ParameterError, match="random_state must be"):
        clone(labeler).set_params(random_state="a").fit(signals, X=X)
    numbers = {"penalty", "max_iter", "epochs", "batch_size", "warm_up"}
    numbers |= {"slack_cost", "learning_rate"}
    for name in numbers & labeler.get_params().keys():
        with pytest.raises(ParameterError, match=f"{name} must be"):
            clone(labeler).set_params(**{name: -1}).fit(signals, X=X)


def test_bounds_that_somebody_stands_behind_are_reported_if_unmet(labeler, binary):
    signals, X, _ = binary
    impossible = [Precision("s0", 1, at_least=1.0), Precision("s0", 1, at_most=0.2)]
    labeler.set_params(constraints=impossible)
    with pytest.warns(ConvergenceWarning, match=r"Furthest off: Precision\(s0, 1\)"):
        labeler.fit(signals, X=X)
    assert not labeler.converged_


def test_astray_training_is_an_error(labeler, binary):
    signals, X, _ = binary
    labeler.set_params(model=Broken())
    with pytest.raises(ParameterError, match="training went astray"):
        labeler.fit(signals, X=X)


class Broken(LogisticModel):
    def _direction(self, gradient):
        return np.full_like(gradient, np.nan)


def test_a_torch_module_is_a_model(labeler, binary, tmp_path):
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    signals, X, truth = binary
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(4, 16),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.2),
        torch.nn.Linear(16, 2),
    )
    labeler.set_params(model=net)
    if isinstance(labeler, StochasticGALL):
        labeler.set_params(epochs=40)
    labeler.fit(signals, X=X)
    assert (labeler.model_.predict(X) == truth).mean() > 0.8
    with pytest.raises(StorageError, match=r"TorchModel is not saved .*torch\.save"):
        labeler.save(tmp_path / "it.corral")
    np.testing.assert_array_equal(
        clone(labeler).fit(signals, X=X).labels_, labeler.labels_
    )
