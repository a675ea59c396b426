"""Every labeler through the same cases."""

import pickle

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, cross_val_score
from tests.made_signals import agreeing_votes

import corral
from corral import (
    Adagrad,
    Auto,
    Averaging,
    ConstrainedLabeler,
    DataProgramming,
    DawidSkene,
    MajorityVote,
    MeTaL,
    OneCoinDawidSkene,
    OrdinalLabeler,
    WeakSignals,
    WeightedVote,
)
from corral.errors import ParameterError, SignalsError, SignalsWarning, StorageError
from corral.labelers import LABELERS as NAMED
from corral.labelers import Labeler, labeler_of
from corral.persist import read_file

# Two signals, or noise, are enough for most of what is asked here, not to learn from.
pytestmark = [
    pytest.mark.filterwarnings("ignore:fewer than 3 signals vote"),
    pytest.mark.filterwarnings("ignore:DataProgramming had not settled"),
    pytest.mark.filterwarnings("ignore:no label differs"),
    pytest.mark.filterwarnings("ignore:the classes are text in alphabetical order"),
]

LABELERS = {
    "constrained": ConstrainedLabeler(0.2),
    "constrained, starts": ConstrainedLabeler(0.2, Adagrad(starts=2), random_state=0),
    "entropy": ConstrainedLabeler(0.2, "entropy"),
    "projection": ConstrainedLabeler(0.2, "projection"),
    "auto": ConstrainedLabeler("auto"),
    "auto, entropy": ConstrainedLabeler(Auto(), "entropy"),
    "majority": MajorityVote(),
    "averaging": Averaging(),
    "weighted": WeightedVote(accuracies=0.7),
    "data programming": DataProgramming(),
    "metal": MeTaL(),
    "dawid-skene": DawidSkene(),
    "one-coin": OneCoinDawidSkene(),
    "ordinal": OrdinalLabeler(),
}
LEARNED = ["data programming", "metal", "dawid-skene", "one-coin", "ordinal"]


def one_vs_rest(soft):
    votes, truth = agreeing_votes(3)
    w = np.stack([(votes == k) * 1.0 for k in range(3)], axis=2).transpose(1, 0, 2)
    w = np.clip(w, 0.1, 0.8) if soft else w
    w[votes.T < 0] = np.nan
    w[3, :, 1] = np.nan
    return WeakSignals.from_one_vs_rest(w), truth


def probabilities():
    votes, truth = agreeing_votes(3)
    p = np.where(np.arange(3) == votes[:, :, None], 0.6, 0.2)
    p[votes < 0] = np.nan
    return WeakSignals.from_probabilities(p), truth


def from_votes(n_classes, names=None):
    votes, truth = agreeing_votes(n_classes)
    if names is None:
        return WeakSignals.from_votes(votes), truth
    words = np.array([*names, None], object)
    return WeakSignals.from_votes(words[votes]), np.array(names)[truth]


CASES = {
    "binary": lambda: from_votes(2),
    "classes": lambda: from_votes(4),
    "strings": lambda: from_votes(3, ["ant", "bee", "cow"]),
    "hard one-vs-rest": lambda: one_vs_rest(soft=False),
    "soft one-vs-rest": lambda: one_vs_rest(soft=True),
    "probabilities": probabilities,
}


@pytest.fixture(params=LABELERS)
def labeler(request):
    return clone(LABELERS[request.param])


@pytest.fixture(
    params=[
        *("constrained", "entropy", "projection", "auto", "auto, entropy"),
        *("majority", "averaging", "weighted"),
        *LEARNED,
    ]
)
def settled(request):
    """Labelers that draw nothing at random."""
    return clone(LABELERS[request.param])


@pytest.fixture(params=LEARNED)
def learned(request):
    """Labelers that learn how good signals are."""
    return clone(LABELERS[request.param])


@pytest.fixture(params=CASES)
def case(request):
    used = request.node.callspec.params
    if "ordinal" in used.values() and "one-vs-rest" in request.param:
        pytest.skip("grades are class votes")
    return CASES[request.param]()


def test_labels_are_probabilities_of_the_classes(labeler, case):
    signals, _ = case
    assert labeler.fit(signals) is labeler
    for p in (labeler.labels_, labeler.predict_proba(signals)):
        assert p.shape == (len(signals), signals.n_classes)
        assert (p >= 0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_array_equal(labeler.classes_, signals.classes)
    assert labeler.signal_names_ == signals.names
    np.testing.assert_array_equal(labeler.covered_, signals.covered)


def test_labels_are_better_than_chance_and_have_the_class_values(settled, case):
    signals, truth = case
    predicted = settled.fit_predict(signals)
    assert np.mean(predicted == truth) > 0.7
    assert set(predicted[signals.covered].tolist()) <= set(signals.classes.tolist())
    assert predicted[0] == (None if signals.classes.dtype.kind == "U" else -1)


def test_score_is_the_accuracy_of_compare(settled, case):
    """Covered examples with a known class; ties count in equal parts."""
    signals, truth = case
    gold = truth.astype(object)
    gold[5:40:7] = None
    gold[6:40:7] = np.nan
    score = settled.fit(signals).score(signals, gold)
    assert score == pytest.approx(corral.compare(signals, gold, [settled]).accuracy[0])
    answers, winning = settled.predict(signals), settled.labels_.max(axis=1)
    known = np.array([value in set(truth.tolist()) for value in gold])
    clear = (np.isclose(settled.labels_, winning[:, None])).sum(axis=1) == 1
    used = known & signals.covered
    right = (answers == truth)[used & clear].sum()
    tied = (used & ~clear).sum()
    assert right <= score * used.sum() + 1e-9 <= right + tied + 1e-9
    for options in ({"uncovered": "prior"}, {"ties": "abstain"}, {"ties": "random"}):
        settled.set_params(**options, random_state=0)
        assert settled.score(signals, gold) == score


@pytest.mark.filterwarnings("ignore:the votes do not tell")
def test_ties(settled):
    votes = np.array([[0, 1], [1, 0], [0, 0], [1, 1]])
    answers = {
        ties: settled.set_params(ties=ties, random_state=3).fit(votes).predict(votes)
        for ties in ("first", "random", "abstain")
    }
    assert answers["first"].tolist() == [0, 0, 0, 1]
    assert answers["abstain"].tolist() == [-1, -1, 0, 1]
    many = np.repeat(votes, 100, axis=0)
    drawn = settled.set_params(ties="random").fit(many).predict(many)[:200]
    assert 0.3 < drawn.mean() < 0.7


def test_new_votes_are_read_with_the_fitted_classes(labeler):
    signals, _ = from_votes(3, ["ant", "bee", "cow"])
    labeler.fit(signals)
    p = labeler.predict_proba([["bee"] * 6, [None] * 6])
    assert p.shape == (2, 3)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    with pytest.raises(SignalsError, match="'dog'"):
        labeler.predict([["dog"] * 6])
    with pytest.raises(SignalsError, match="6 signals were expected; 5 came"):
        labeler.predict([["bee"] * 5])
    with pytest.raises(SignalsError, match="empty"):
        labeler.predict(np.empty((0, 6), int))


def test_votes_and_probabilities_may_stand_for_each_other(settled):
    """A certain probability is a vote."""
    signals, _ = from_votes(3)
    certain = np.where(np.arange(3) == signals.votes[:, :, None], 1.0, 0.0)
    certain[signals.votes < 0] = np.nan
    settled.fit(signals)
    new = WeakSignals.from_probabilities(certain)
    np.testing.assert_allclose(
        settled.predict_proba(new), settled.predict_proba(signals), atol=1e-9
    )
    with pytest.raises(SignalsError, match="expected; one-vs-rest came"):
        settled.predict_proba(one_vs_rest(soft=True)[0])


def test_named_signals_are_matched_by_name(settled):
    votes, _ = agreeing_votes(3)
    names = [f"s{i}" for i in range(6)]
    settled.fit(WeakSignals.from_votes(votes, names=names))
    expected = settled.predict_proba(WeakSignals.from_votes(votes, names=names))
    order = [3, 1, 0, 5, 2, 4]
    moved = WeakSignals.from_votes(votes[:, order], names=[names[i] for i in order])
    np.testing.assert_array_equal(settled.predict_proba(moved), expected)
    fewer = WeakSignals.from_votes(votes[:, :4], names=names[:4])
    rest = np.where(np.arange(6) < 4, votes, -1)
    np.testing.assert_array_equal(
        settled.predict_proba(fewer), settled.predict_proba(rest)
    )
    other = WeakSignals.from_votes(votes[:, :1], names=["other"], classes=[0, 1, 2])
    with pytest.raises(SignalsError, match="signals other came"):
        settled.predict(other)


def undecided_rows(kind):
    """Soft signals of which the first three rows are as likely as not, the fourth silent.

    The second has a signal that says nothing, the third rounding errors.
    """
    votes, _ = agreeing_votes(2 if kind == "binary" else 3)
    if kind == "binary":
        p = 0.2 + 0.5 * votes  # no two sides alike
        even = 1 / 2
    elif kind == "classes":
        p = np.where(np.arange(3) == votes[:, :, None], 0.6, 0.2)
        even = 1 / 3
    else:
        p = np.where(np.arange(3) == votes[:, :, None], 0.9, 0.2)
        even = 1 / 2
    p[votes < 0] = np.nan
    p[:3], p[3] = even, np.nan
    p[1, 0] = np.nan
    p[2] = np.float32(even)
    if kind == "one-vs-rest":
        return WeakSignals.from_one_vs_rest(p.transpose(1, 0, 2))
    return WeakSignals.from_probabilities(p)


@pytest.mark.parametrize("kind", ["binary", "classes", "one-vs-rest"])
def test_one_half_is_no_vote(settled, kind):
    """An example of which nobody knows anything is labelled as if nobody had spoken."""
    signals = undecided_rows(kind)
    if kind == "one-vs-rest" and isinstance(settled, OrdinalLabeler):
        pytest.skip("grades are class votes")
    settled.fit(signals)
    for labels in (settled.labels_, settled.predict_proba(signals)):
        np.testing.assert_allclose(
            labels[:3],
            np.tile(labels[3], (3, 1)),
            atol=1e-6 if kind == "classes" else 1e-7,
        )
    # Labelers that use probabilities have heard them; those that count votes have not.
    heard = isinstance(settled, ConstrainedLabeler | Averaging | WeightedVote)
    assert settled.covered_[:4].tolist() == [heard, heard, heard, False]
    if not heard:
        assert settled.predict(signals)[:4].tolist() == [-1] * 4


@pytest.mark.filterwarnings("ignore:the votes do not tell")
def test_sparse_votes_and_long_tables(settled):
    """Few votes of many signals: fit, predict, explain, all as for dense votes."""
    rng = np.random.default_rng(5)
    votes = rng.integers(0, 3, (200, 60))
    dense = np.where(rng.random((200, 60)) < 0.05, votes, -1)
    tasks, workers = np.nonzero(dense >= 0)
    long = {"task": tasks, "worker": workers, "label": dense[tasks, workers]}
    crowd = WeakSignals.from_long(long)
    columns = [int(name) for name in crowd.names]
    same = WeakSignals.from_votes(dense[crowd.index][:, columns])
    settled.fit(crowd)
    labels = clone(settled).fit(same).labels_
    np.testing.assert_allclose(settled.labels_, labels, atol=1e-6)
    few = {"task": ["x", "y"], "worker": [workers[0], workers[5]], "label": [0, 0]}
    new = WeakSignals.from_long(few, classes=[0, 1, 2])
    assert settled.predict(new).shape == (2,)
    assert settled.explain(0, new).votes.count("0") == 1


def test_a_class_may_be_called_minus_one(settled):
    votes, truth = agreeing_votes(2)
    coded = np.where(votes < 0, 0, 2 * votes - 1)
    signals = WeakSignals.from_votes(coded, classes=[-1, 1], abstain=0)
    truth = 2 * truth - 1
    predicted = settled.fit(signals).predict(signals)
    assert predicted[0] is None
    assert np.mean(predicted == truth) > 0.7
    assert settled.score(signals, truth) > 0.7


def test_tie_share(settled):
    settled.fit([[0, 1], [1, 0], [0, 0], [1, 1], [-1, -1]])
    assert settled.tie_share_ == 0.5


def test_the_manners_of_scikit_learn(labeler, case):
    signals, _ = case
    with pytest.raises(NotFittedError):
        labeler.predict(signals)
    copy = clone(labeler)
    assert copy.get_params().keys() == labeler.get_params().keys()
    assert "answers='balanced'" in repr(copy.set_params(answers="balanced"))
    assert "answers" not in repr(labeler)
    with pytest.raises(ParameterError, match="nonsense"):
        copy.set_params(nonsense=1)
    labeler.fit(signals)
    with pytest.raises(NotFittedError):
        copy.predict(signals)
    thawed = pickle.loads(pickle.dumps(labeler))
    np.testing.assert_array_equal(thawed.labels_, labeler.labels_)
    assert not any(isinstance(x, WeakSignals) for x in vars(thawed).values())
    np.testing.assert_array_equal(
        thawed.predict_proba(signals), labeler.predict_proba(signals)
    )
    assert labeler.n_features_in_ == signals.n_signals


def test_fitting_twice_gives_the_same_and_leaves_the_global_random_state(labeler, case):
    signals, _ = case
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = labeler.fit(signals).labels_
    second = clone(labeler).fit(signals).labels_
    np.testing.assert_array_equal(first, second)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("random_state", state) for state in ("a", -1, 1.5)),
        *(("sample_weight", weights) for weights in ([1.0], [1, -1], [0, 0])),
        ("ties", "last"),
        ("uncovered", "zero"),
    ],
)
def test_options_are_checked_in_fit(labeler, name, value):
    given = {name: value} if name == "sample_weight" else {}
    if not given:
        labeler.set_params(**{name: value})
    with pytest.raises(ParameterError, match=name):
        labeler.fit([[0, 1], [1, 1]], **given)


def test_weights_that_leave_no_votes_are_refused(labeler):
    votes = [[0, 1, 1], [-1, -1, -1]]
    with pytest.raises(SignalsError, match=r"no signal votes .* that has a weight"):
        labeler.fit(votes, sample_weight=[0, 1])


def test_labels_are_not_learned_from(labeler):
    votes, truth = agreeing_votes(2)
    expected = clone(labeler).fit(votes).labels_
    for y in (truth, 1 - truth):
        with pytest.warns(SignalsWarning, match=r"not learned from.*gold="):
            labeler.fit(votes, y)
        np.testing.assert_array_equal(labeler.labels_, expected)
    with pytest.raises(ParameterError, match=r"classes of the 120 examples.*\(6,\)"):
        labeler.fit(votes, np.ones(6))


@pytest.mark.filterwarnings("ignore:y is not learned from")
@pytest.mark.parametrize("names", [None, ["ant", "bee", "cow"]])
def test_cross_validation_against_gold(settled, names):
    """Votes as they are, and as signals, which keep their classes."""
    signals, truth = from_votes(3, names)
    votes = agreeing_votes(3)[0]
    folds = KFold(4)
    expected = [
        clone(settled).fit(signals[train]).score(signals[test], truth[test])
        for train, test in folds.split(votes)
    ]
    assert min(expected) > 0.6
    found = cross_val_score(settled, signals, truth, cv=folds, error_score="raise")
    np.testing.assert_array_equal(found, expected)
    if names is None:
        found = cross_val_score(settled, votes, truth, cv=folds, error_score="raise")
        np.testing.assert_allclose(found, expected)


def test_three_dimensions_must_be_named(labeler):
    with pytest.raises(SignalsError, match="Say which"):
        labeler.fit(np.ones((2, 3, 4)))


def test_labelers_by_name():
    assert {type(labeler) for labeler in LABELERS.values()} == set(NAMED.values())
    for name, kind in NAMED.items():
        assert type(labeler_of(name, ties="random")) is kind
    given = MajorityVote()
    assert labeler_of(given) is given
    for wrong, options in (("vote", {}), (DawidSkene, {}), (given, {"ties": "first"})):
        with pytest.raises(ParameterError):
            labeler_of(wrong, **options)


def test_counts_weights_and_chunks_are_examples(settled):
    """Of zero weight: as if it were not there."""
    votes, _ = agreeing_votes(3)
    times = np.arange(len(votes)) % 3
    signals = WeakSignals.from_votes(votes)
    expected = clone(settled).fit(np.repeat(votes, times, axis=0)).predict_proba(votes)
    some = times > 0
    counted = WeakSignals.from_votes(votes[some], counts=times[some])
    fits = [
        clone(settled).fit(signals, sample_weight=times),
        clone(settled).fit(counted),
        clone(settled).fit(counted.distinct()),
        clone(settled).fit(counted[:40] + counted[40:]),
    ]
    for fitted in fits:
        labels = fitted.predict_proba(signals)
        np.testing.assert_allclose(labels, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["auto", *LEARNED])
def test_votes_that_were_never_cast_add_nothing(name):
    votes, _ = agreeing_votes(3)
    votes[votes[:, 0] == 2, 0] = -1
    labeler = clone(LABELERS[name])
    labeler.fit(WeakSignals.from_votes(votes, classes=[0, 1, 2, 3]))
    new = np.array([[2, 1, -1, -1, 1, 0], [2] + [-1] * 5, [3] * 6, [2, 0, 3, -1, 0, 1]])
    heard = np.where((new == 3) | ((new == 2) & (np.arange(6) == 0)), -1, new)
    expected = labeler.predict_proba(heard)
    np.testing.assert_allclose(labeler.predict_proba(new), expected, atol=1e-12)
    assert labeler.covers(new).tolist() == [True, False, False, True]
    assert labeler.predict(new)[1:3].tolist() == [-1, -1]
    assert not labeler.explain(3, new).moves[[0, 2]].any()


def test_rows_without_votes_have_the_prior(labeler, case):
    """The same for all, whatever else was labelled with them."""
    signals, _ = case
    labeler.fit(signals)
    silent = signals.take([0, 0, 5])
    labels = labeler.predict_proba(silent)
    np.testing.assert_allclose(labels[:2], labeler.labels_[[0, 0]], atol=1e-12)
    assert labeler.covers(silent).tolist() == [False, False, True]


def test_what_is_learned(learned, case):
    signals, _ = case
    learned.fit(signals)
    rests = signals.kind == "one-vs-rest"
    shape = (signals.n_signals, signals.n_classes)[: 1 + rests]
    assert learned.accuracies_.shape == learned.error_rates_.shape == shape
    known = ~np.isnan(learned.accuracies_)
    assert (learned.accuracies_[known] > 0.5).all()
    assert known.all() if not rests else (~known).sum() == (~known[3, 1])
    assert learned.class_balance_.sum() == pytest.approx(1)
    assert learned.n_iter_ >= 1
    assert len(learned.history_) >= learned.n_iter_
    assert isinstance(learned.converged_, bool)


def test_a_signal_that_never_votes_has_no_accuracy(learned):
    votes, _ = agreeing_votes(2)
    votes[:, 2] = -1
    learned.fit(votes)
    assert np.flatnonzero(np.isnan(learned.accuracies_)).tolist() == [2]


@pytest.mark.filterwarnings("default:fewer than 3 signals vote")
def test_two_signals_are_too_few_to_learn_from(learned):
    with pytest.warns(SignalsWarning, match="fewer than 3 signals"):
        learned.fit([[0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("name", "value"),
    [("multilabel", True), ("max_iter", 2.5), ("class_balance", [0.5, 0.6])],
)
def test_parameters_of_learning_are_checked(learned, name, value):
    with pytest.raises(ParameterError, match=name):
        learned.set_params(**{name: value}).fit([[0, 1, 0], [1, 1, 0]])


def test_a_saved_labeler_labels_and_explains_as_before(labeler, case, tmp_path):
    signals, _ = case
    labeler.fit(signals).save(tmp_path / "it.corral")
    new = signals.take(np.arange(len(signals))[::-2])
    for again in (
        type(labeler).load(tmp_path / "it.corral"),
        Labeler.load(tmp_path / "it.corral"),
    ):
        assert type(again) is type(labeler)
        expected = labeler.predict_proba(new)
        np.testing.assert_allclose(again.predict_proba(new), expected, atol=1e-12)
        np.testing.assert_array_equal(again.predict(new), labeler.predict(new))
        np.testing.assert_array_equal(again.covers(new), labeler.covers(new))
        np.testing.assert_array_equal(again.classes_, labeler.classes_)
        assert again.signal_names_ == labeler.signal_names_
        assert again.n_features_in_ == labeler.n_features_in_
        assert again.note_ == labeler.note_
        told, before = again.explain(3, new), labeler.explain(3, new)
        np.testing.assert_allclose(told.moves, before.moves, atol=1e-12)
        assert str(told) == str(before)
        for name in labeler.saved_attributes:
            if name not in ("solution_", "rates_"):
                np.testing.assert_equal(getattr(again, name), getattr(labeler, name))
        again.save(tmp_path / "again.corral")


def test_the_file_of_another_labeler_is_refused(labeler, tmp_path):
    labeler.fit(agreeing_votes(2)[0]).save(tmp_path / "it.corral")
    other = Averaging if not isinstance(labeler, Averaging) else MajorityVote
    with pytest.raises(
        StorageError, match=rf"{type(labeler).__name__}.*not a '{other.__name__}'"
    ):
        other.load(tmp_path / "it.corral")


def test_a_file_holds_no_examples(settled, tmp_path):
    votes, _ = agreeing_votes(2)
    settled.fit(np.repeat(votes, 10, axis=0)).save(tmp_path / "it.corral")
    _, arrays = read_file(tmp_path / "it.corral", "labeler")
    longest = max((max(a.shape, default=0) for a in arrays.values()), default=0)
    assert longest <= 501  # the history of a solver


@pytest.mark.parametrize(
    "name", ["auto", "weighted", *LEARNED, "entropy", "auto, entropy"]
)
def test_moves_add_up_to_the_log_odds(name, case):
    signals, _ = case
    labeler = clone(LABELERS[name]).fit(signals)
    for j in (1, 17, 40):
        moved, p = labeler.explain(j, signals).moves.sum(axis=0), labeler.labels_[j]
        np.testing.assert_allclose(softmax(moved), p, atol=1e-9)


def test_votes_add_up_to_the_majority(case):
    signals, _ = case
    labeler = MajorityVote().fit(signals)
    for j in (1, 17, 40):
        told = labeler.explain(j, signals)
        assert set(np.unique(told.moves)) <= {-1, 0, 1}
        balance = told.moves.sum(axis=0)
        np.testing.assert_array_equal(balance == balance.max(), labeler.labels_[j] > 0)
        silent = [not vote for vote in told.votes]
        assert not told.moves[silent].any()
