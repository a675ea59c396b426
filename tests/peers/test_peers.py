"""Every label model of another library, through the same cases."""

import numpy as np
import pytest
from sklearn.base import clone

from corral import WeakSignals
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError
from corral.peers import PEERS, CrowdKit, PeerLabeler, Snorkel

pytestmark = pytest.mark.filterwarnings("ignore")  # of the peers


class Echo(PeerLabeler):
    """A peer that is always there: shares of the votes."""

    module = "json"

    def _aggregate(self, votes, k):
        assert (votes >= 0).any(axis=1).all(), "every row has a vote"
        shares = (votes[:, :, None] == np.arange(k)).mean(axis=1) + 1e-3
        return shares / shares.sum(axis=1, keepdims=True)


@pytest.fixture(params=PEERS)
def peer(request):
    made = PEERS[request.param]()
    if not made.is_installed():
        pytest.skip(f"{made.module} is an extra: make test EXTRAS=all")
    return made


@pytest.fixture(scope="module")
def votes():
    found, truth = random_votes(300, [0.9, 0.8, 0.8, 0.7, 0.8], coverage=0.8)
    found[0] = -1
    return found, truth


def test_labels_are_probabilities_and_better_than_guessing(peer, votes):
    found, truth = votes
    fitted = clone(peer).set_params(random_state=0).fit(found)
    assert fitted.labels_.shape == (300, 2)
    np.testing.assert_allclose(fitted.labels_.sum(axis=1), 1)
    assert fitted.score(found[1:], truth[1:]) > 0.8
    np.testing.assert_allclose(fitted.labels_[0], 0.5)
    assert fitted.predict(found)[0] == -1
    # Theirs are single precision, and sums depend on the order of rows.
    again = fitted.predict_proba(found[::-1])
    np.testing.assert_allclose(again, fitted.labels_[::-1], atol=1e-5)
    assert peer.module in fitted.note_


def test_three_classes_with_names(peer):
    if getattr(peer, "aggregator", "") == "kos":
        with pytest.raises(ParameterError, match="kos is for two classes"):
            peer.fit([[0, 1, 2]])
        return
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    wrong = rng.integers(0, 3, (200, 5))
    codes = np.where(rng.random((200, 5)) < 0.7, truth[:, None], wrong)
    names = np.array(["bird", "cat", "dog"])
    fitted = peer.fit(names[codes])
    assert (fitted.predict(names[codes]) == names[truth]).mean() > 0.8


def test_what_others_do_not_have_is_refused(votes):
    found, _ = votes
    with pytest.raises(ParameterError, match="knows no weights and no counted votes"):
        Echo().fit(found, sample_weight=np.ones(300))
    with pytest.raises(ParameterError, match="counted votes"):
        Echo().fit(WeakSignals.from_votes(found, counts=np.ones(300)))
    with pytest.raises(SignalsError, match="not one-vs-rest"):
        Echo().fit(WeakSignals.from_one_vs_rest(np.ones((2, 4, 3))))


def test_only_rows_of_the_fit_are_labelled():
    fitted = Echo().fit([[0, 1, 1], [1, 1, -1]])
    assert fitted.predict([[1, 1, -1]]).tolist() == [1]
    with pytest.raises(ParameterError, match="only what it was fitted on"):
        fitted.predict([[0, 0, 0]])


def test_a_saved_peer_labels_what_it_has_seen(votes, tmp_path):
    found, _ = votes
    fitted = Echo().fit(found)
    fitted.save(tmp_path / "echo.corral")
    again = Echo.load(tmp_path / "echo.corral")
    np.testing.assert_array_equal(again.predict_proba(found), fitted.labels_)
    told = again.explain(5, found)
    assert told.constraints == ("Echo",)
    assert not told.moves[:-1].any()  # it does not say what a vote was worth
    odds = np.log(fitted.labels_[5])
    np.testing.assert_allclose(told.moves[-1], odds - odds.mean())
    unseen = next(row for row in np.ndindex(*[2] * 5) if (found != row).any(1).all())
    with pytest.raises(ParameterError, match="Echo labels only what it was fitted on"):
        again.predict([unseen])


def test_sparse_and_soft_votes(votes):
    from scipy.sparse import csr_array

    found, _ = votes
    dense = Echo().fit(found)
    sparse = csr_array(found + 1)
    stored = WeakSignals.from_votes(sparse, classes=[1, 2])
    np.testing.assert_allclose(Echo().fit(stored).labels_, dense.labels_)
    soft = np.where(found < 0, np.nan, found * 0.8 + 0.1)
    rounded = Echo().fit(WeakSignals.from_probabilities(soft))
    np.testing.assert_allclose(rounded.labels_, dense.labels_)


def test_a_library_that_is_not_there():
    class Missing(Echo):
        module = "no_such_library.at_all"

    assert not Missing.is_installed()
    with pytest.raises(ParameterError, match=r"'no_such_library': pip install 'corral"):
        Missing().library()


def test_unknown_aggregators_are_named():
    with pytest.raises(ParameterError, match=r"'dawid-skene', .*'best' was given"):
        CrowdKit("best").fit([[0, 1]])


def test_class_balance_of_snorkel(votes):
    if not Snorkel.is_installed():
        pytest.skip("snorkel is an extra: make test EXTRAS=all")
    found, _ = votes
    even = Snorkel(random_state=0).fit(found).labels_
    skewed = Snorkel(class_balance=[0.9, 0.1], random_state=0).fit(found).labels_
    assert skewed[1:, 0].mean() > even[1:, 0].mean()
