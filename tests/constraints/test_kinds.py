"""Every constraint does to the labels what its name says, on any solver and signals."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.made_signals import agreeing_votes

from corral import (
    ClassBalance,
    Confusion,
    ConstrainedLabeler,
    Entropy,
    ErrorRate,
    GroupShare,
    Known,
    Precision,
    Projection,
    Recall,
    Status,
    WeakSignals,
    signal_errors,
)
from corral.constraints.kinds import CoveredBalance
from corral.constraints.system import make_system, read_example_facts
from corral.errors import InfeasibleWarning, ParameterError

CLASSES = ("ant", "bee", "cow")
LOOSE = ErrorRate(at_most=0.6)


def named(votes, names=CLASSES):
    return WeakSignals.from_votes(np.array([*names, None], object)[votes])


def soft(votes, n_classes):
    p = np.where(np.arange(n_classes) == votes[:, :, None], 0.7, 0.3 / (n_classes - 1))
    p[votes < 0] = np.nan
    return p


def one_vs_rest(votes):
    w = np.stack([(votes == k) * 1.0 for k in range(3)], axis=2).transpose(1, 0, 2)
    w[votes.T < 0] = np.nan
    w[3, :, 1] = np.nan
    return WeakSignals.from_one_vs_rest(w, classes=CLASSES)


VOTES, TRUTH = agreeing_votes(3, 200, 5)
BINARY = agreeing_votes(2, 200, 5)[0]
SIGNALS = {
    "binary": WeakSignals.from_votes(np.array(["ant", "bee", None], object)[BINARY]),
    "classes": named(VOTES),
    "sparse": WeakSignals.from_votes(
        csr_array(np.where(np.arange(90) < 5, np.pad(VOTES, ((0, 0), (0, 85))) + 1, 0)),
        classes=[1, 2, 3],
    ),
    "one-vs-rest": one_vs_rest(VOTES),
    "probabilities": WeakSignals.from_probabilities(soft(VOTES, 3), classes=CLASSES),
    "binary probabilities": WeakSignals.from_probabilities(
        soft(BINARY, 2)[:, :, 1], classes=["ant", "bee"]
    ),
}
SOLVERS = {"entropy": Entropy(1e-7), "projection": Projection(slack=1e-8)}


@pytest.fixture(params=SIGNALS)
def signals(request):
    return SIGNALS[request.param]


@pytest.fixture(params=SOLVERS)
def solver(request):
    return SOLVERS[request.param]


def raw_labels(signals, solver, constraints):
    """Labels (n, k) as the solver leaves them, before anything is normalised."""
    facts = read_example_facts(constraints, signals)
    if facts is not None:
        signals = signals.split_by(facts.key)
    rates = np.full(signals.n_signals, np.nan)
    system = make_system(signals, rates, constraints, joint=solver.joint, facts=facts)
    solution = solver.solve(system)
    assert solution.status is Status.FEASIBLE
    return system.class_labels(solution.labels)[signals.row_of]


def said(signals, i, k):
    """(n,) what signal i says of class k."""
    return np.nan_to_num(signals.probabilities[signals.row_of, i, k])


SHIFTS = {"equal": 0.03, "at_least": 0.05, "at_most": -0.05}


def precision(signals, labels):
    w = said(signals, 0, 1)
    return w @ labels[:, 1] / w.sum()


def confusion(signals, labels):
    w = said(signals, 1, 1)
    return w @ labels[:, 0] / w.sum()


def recall(signals, labels):
    return said(signals, 2, 0) @ labels[:, 0] / labels[:, 0].sum()


@pytest.mark.parametrize("bound", SHIFTS)
@pytest.mark.parametrize("measure", [precision, confusion, recall])
def test_a_share_moves_to_where_it_is_asked_to_be(signals, solver, measure, bound):
    """A bound a little beyond what the labels had without it binds."""
    without = raw_labels(signals, solver, [LOOSE])
    share = {bound: measure(signals, without) + SHIFTS[bound]}
    first, second = signals.classes[:2]
    asked = {
        precision: Precision(0, second, **share),
        confusion: Confusion(1, second, first, **share),
        recall: Recall(2, first, **share),
    }[measure]
    labels = raw_labels(signals, solver, [LOOSE, asked])
    assert measure(signals, labels) == pytest.approx(share[bound], abs=1e-4)


def test_class_balance_counts_examples_without_votes(signals, solver):
    shares = [0.5, 0.5] if signals.n_classes == 2 else [0.5, 0.3, 0.2]
    asked = [
        ClassBalance(c, equal=p) for c, p in zip(signals.classes, shares, strict=True)
    ]
    labels = raw_labels(signals, solver, [LOOSE, *asked])
    np.testing.assert_allclose(labels.mean(axis=0), shares, atol=1e-4)


def test_group_shares(signals, solver):
    site = np.where(np.arange(200) % 3 == 0, "north", "south").astype(object)
    site[::20] = None
    asked = [
        GroupShare(site, "north", signals.classes[0], equal=0.6),
        GroupShare(site, "south", signals.classes[0], at_most=0.2),
    ]
    labels = raw_labels(signals, solver, [LOOSE, *asked])
    assert labels[site == "north", 0].mean() == pytest.approx(0.6, abs=1e-4)
    assert labels[site == "south", 0].mean() == pytest.approx(0.2, abs=1e-4)


@pytest.mark.parametrize("form", ["equal", "at_most"])
def test_error_rates_of_all_or_one_signal(signals, solver, form):
    one = ErrorRate("s1", **{form: 0.3})
    labels = raw_labels(signals, solver, [LOOSE, one])
    if solver.joint or (signals.n_classes == 2 and signals.schema.names_classes):
        errors = signal_errors(signals, labels)
        errors = errors[1] if errors.ndim == 1 else errors[1][~np.isnan(errors[1])]
        assert (errors <= 0.3 + 1e-4).all()
        if form == "equal":
            np.testing.assert_allclose(errors, 0.3, atol=1e-4)


# -- known labels -------------------------------------------------------------


@pytest.mark.parametrize("name", ["adagrad", "entropy", "projection"])
@pytest.mark.parametrize("kind", ["binary", "classes", "one-vs-rest", "probabilities"])
def test_known_labels_are_kept_and_count_in_error_rates(name, kind):
    signals = SIGNALS[kind]
    truth = TRUTH % signals.n_classes
    rows = np.arange(0, 200, 4)
    known = Known(rows, signals.classes[truth[rows]])
    rate = {"one-vs-rest": 0.3, "probabilities": 0.5}.get(kind, 0.4)
    labeler = ConstrainedLabeler(rate, name, constraints=[known])
    labeler.fit(signals)
    np.testing.assert_array_equal(
        labeler.labels_[rows], np.eye(signals.n_classes)[truth[rows]]
    )
    # The row without votes is among them, and answered.
    assert labeler.covered_[0]
    predicted = labeler.decide(labeler.labels_, labeler.covered_)
    np.testing.assert_array_equal(predicted[rows], signals.classes[truth[rows]])
    if name == "entropy" and kind != "one-vs-rest":
        np.testing.assert_allclose(labeler.implied_error_rates_, rate, atol=2e-3)


# -- the labeler --------------------------------------------------------------


def test_bounds_name_the_solvers_that_take_them():
    labeler = ConstrainedLabeler(0.4, constraints=[ErrorRate(at_most=0.3)])
    with pytest.raises(ParameterError, match=r'Adagrad .* solver="entropy"'):
        labeler.fit(SIGNALS["classes"])


def test_constraints_do_not_stop_at_the_votes_of_the_fit(tmp_path):
    """New votes are labelled by the same multipliers, and so are those of a file."""
    site = np.where(np.arange(200) % 3 == 0, "north", "south")
    asked = [
        LOOSE,
        Precision("s0", "ant", at_least=0.8),
        ClassBalance("cow", at_most=0.3),
        Recall("s1", "bee", at_least=0.5),
        GroupShare(site, "north", "ant", at_most=0.3),
    ]
    signals = SIGNALS["classes"]
    labeler = ConstrainedLabeler(None, "entropy", constraints=asked).fit(signals)
    p = labeler.predict_proba(signals)
    south = site == "south"
    np.testing.assert_allclose(p[south], labeler.labels_[south], atol=1e-9)
    assert np.abs(p - labeler.labels_)[~south].max() > 1e-3
    labeler.save(tmp_path / "l.corral")
    again = ConstrainedLabeler.load(tmp_path / "l.corral")
    np.testing.assert_array_equal(again.predict_proba(signals), p)
    np.testing.assert_array_equal(
        again.explain(3, signals).moves, labeler.explain(3, signals).moves
    )
    # Constraints on single examples stay with these; the others can be fitted again.
    assert [str(c) for c in again.constraints] == [str(c) for c in asked[:-1]]
    plain = ConstrainedLabeler(None, "entropy", constraints=asked[:-1]).fit(signals)
    np.testing.assert_allclose(again.fit(signals).labels_, plain.labels_, atol=1e-12)


@pytest.mark.parametrize("rates", [None, "auto"])
@pytest.mark.parametrize("solver", ["entropy", "projection", None])
def test_constraints_on_all_and_on_covered_examples_are_told_apart(rates, solver):
    """Examples without votes do not feel what is asked of those with votes."""
    if rates is solver is None:
        return
    asked = [LOOSE, ClassBalance("ant", equal=0.4), CoveredBalance("ant", equal=0.5)]
    signals = SIGNALS["classes"].take(np.r_[np.zeros(60, int), 1:200])
    labeler = ConstrainedLabeler(rates, solver, constraints=asked).fit(signals)
    found = labeler.predict_proba(signals)
    np.testing.assert_allclose(found, labeler.labels_, atol=1e-9)


def test_infeasible_constraints_are_named():
    asked = [ErrorRate(at_most=0.01), ClassBalance("ant", equal=1.0)]
    with pytest.warns(InfeasibleWarning, match="ClassBalance"):
        ConstrainedLabeler(None, "entropy", constraints=asked).fit(SIGNALS["classes"])


def test_weights_say_which_constraint_gives_way():
    signals = WeakSignals.from_votes([[0, 1], [0, 1], [1, 0], [0, 1]])
    errors = {}
    for heavy in ("s0", "s1"):
        asked = [ErrorRate(equal=0.0), ErrorRate(heavy, equal=0.0, weight=99.0)]
        labeler = ConstrainedLabeler(None, "entropy", constraints=asked)
        with pytest.warns(InfeasibleWarning):
            labeler.fit(signals)
        errors[heavy] = labeler.implied_error_rates_
    np.testing.assert_allclose(errors["s0"], [0.01, 0.99], atol=2e-3)
    np.testing.assert_allclose(errors["s1"], [0.99, 0.01], atol=2e-3)


# -- what is refused ----------------------------------------------------------


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (ErrorRate("rule", at_most=0.1), "no signal 'rule'; the signals are s0, s1"),
        (ErrorRate("s0", "ant", at_most=0.1), "Use Precision or Confusion"),
        (Precision("s0", "dog", at_most=0.1), "'dog' is not one of the classes"),
        (Precision("s0", "ant"), r"Precision\(s0, ant\) must say what is asked"),
        (ClassBalance("ant", at_least=0.3, at_most=0.2), "at least 0.3, at most 0.2"),
        (ClassBalance("ant", equal=1.2), "1.2"),
        (ClassBalance("ant", equal=0.5, weight=0), "weight"),
        (GroupShare(["x"], "x", "ant", equal=0.5), r"each of the 200 .* \(1,\)"),
        (GroupShare(["x"] * 200, "y", "ant", equal=0.5), "such a group"),
        (Known([0], ["dog"]), "'dog' is not one of the classes"),
        (Known([0, 1], ["ant"]), "each of 2"),
        (Known([0.0], ["ant"]), "from 0 to 199"),
        (Known([True] + [False] * 199, ["ant"] * 200), r"np\.flatnonzero\(mask\)"),
        (Known([200], ["ant"]), "from 0 to 199"),
        (Known([0, 7, 7], ["ant", "ant", "bee"]), "different"),
    ],
)
def test_constraints_are_checked_in_fit(constraint, message):
    labeler = ConstrainedLabeler(0.4, "entropy", constraints=[constraint])
    with pytest.raises(ParameterError, match=message):
        labeler.fit(SIGNALS["classes"])


def test_other_things_that_are_refused():
    signals = SIGNALS["classes"]
    for wrong in (LOOSE, "at most", [0.3]):
        with pytest.raises(ParameterError, match="constraints must be a list"):
            ConstrainedLabeler(0.3, "entropy", constraints=wrong).fit(signals)
    with pytest.raises(ParameterError, match="nothing to label by"):
        ConstrainedLabeler(None, "entropy").fit(signals)
    twice = [Known([0], ["ant"]), Known([0], ["bee"])]
    with pytest.raises(ParameterError, match="two different labels"):
        ConstrainedLabeler(0.3, "entropy", constraints=twice).fit(signals)
    mute = WeakSignals.from_votes([["a", None], ["b", None]], classes=["a", "b"])
    asked = [ErrorRate("s1", at_most=0.3)]
    with pytest.raises(ParameterError, match="never votes"):
        ConstrainedLabeler(0.3, "entropy", constraints=asked).fit(mute)
    never = [Precision("s0", "c", at_least=0.3)]
    three = WeakSignals.from_votes([["a", "b"], ["b", "b"]], classes=["a", "b", "c"])
    with pytest.raises(ParameterError, match="such a vote"):
        ConstrainedLabeler(0.3, "entropy", constraints=never).fit(three)
    counted = WeakSignals.from_votes([[0, 1], [1, 1]], counts=[3, 4])
    share = [GroupShare(["a", "b"], "a", 1, equal=0.5)]
    with pytest.raises(ParameterError, match="about single examples"):
        ConstrainedLabeler(0.3, "entropy", constraints=share).fit(counted)
