"""A few problems of every solver and constraint against fifty digits."""

import numpy as np
import pytest

pytest.importorskip("mpmath", reason="fifty digits need mpmath")

from mpmath import mpf
from reliability.numbers import large
from reliability.numbers.cases import KINDS, SOLVERS, make_case
from reliability.numbers.plain import PlainProblem
from reliability.numbers.reference import Problem, potential
from reliability.numbers.run import check_case

from corral import ConstrainedLabeler, Entropy, ErrorRate, WeakSignals
from corral.errors import CorralError
from corral.solvers.potentials import POTENTIALS


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_true(solver, kind):
    off = []
    for seed in (100,):
        try:
            off.append(
                check_case(make_case(kind, seed, exact=solver == "adagrad"), solver)
            )
        except CorralError:
            continue
    assert all(x < 1e-3 for x in off if not isinstance(x, str)), off


@pytest.mark.parametrize("name", sorted(POTENTIALS))
def test_the_reference_has_the_formulas(name):
    z = np.array([[-0.4], [0.3], [0.7]])
    value, labels, _ = POTENTIALS[name].evaluate(z)
    ours = potential(name, [mpf(float(x)) for x in z[:, 0]])
    assert float(ours[0]) == pytest.approx(value[0], abs=1e-14)
    np.testing.assert_allclose(np.array(ours[1], float), labels[:, 0], atol=1e-14)


def test_a_false_certificate_is_found():
    case = make_case("rates", 3, exact=False)
    labeler = ConstrainedLabeler([0.2] * case.signals.n_signals, case.solver("entropy"))
    solution = labeler.fit(case.signals).solution_
    problem = Problem(labeler.space_, solution.model.potential, case.slack)
    away = [mpf(float(x)) + 1 for x in solution.model.multipliers]
    best, _ = problem.solve(away)
    assert problem.dual(best) - problem.primal(away) > 1e-3
    np.testing.assert_allclose(
        np.array(best, float), solution.model.multipliers, atol=1e-3
    )


@pytest.mark.parametrize("solver", ["adagrad", "entropy", "projection"])
def test_single_and_double_precision_agree(solver):
    rng = np.random.default_rng(0)
    said = rng.dirichlet(np.ones(3), (40, 4))
    fits = [
        ConstrainedLabeler(0.3, solver)
        .fit(WeakSignals.from_probabilities(said.astype(kind)))
        .labels_
        for kind in (np.float32, np.float64)
    ]
    np.testing.assert_allclose(*fits, atol=1e-4)


@pytest.mark.parametrize("joint", [False, True])
def test_large_problems_are_recomputed(joint):
    title = "1,000 classes" if joint else "10,000 signals, weights over 12 orders"
    for solver in large.SOLVERS:
        found = large.check_large(title, solver, 100, 30, 4 if joint else 2)
        assert found["true"], found
        assert found["recomputed"] == pytest.approx(found["certified"], abs=1e-9)


def test_a_gap_that_is_not_zero_is_recomputed():
    votes = [(np.arange(4), np.array([1, 1, 0, 1])), (np.arange(2), np.array([0, 1]))]
    rates, weight = np.array([0.2, 0.4]), np.array([1.0, 3.0])
    problem = PlainProblem(votes, 4, 2, rates, weight, 1e-2, joint=False)
    table = np.full((4, 2), -1)
    for i, (rows, said) in enumerate(votes):
        table[rows, i] = said
    signals = WeakSignals.from_votes(table, classes=[0, 1])
    rules = [ErrorRate(i, equal=rates[i], weight=weight[i]) for i in range(2)]
    labeler = ConstrainedLabeler(None, Entropy(slack=1e-2), constraints=rules)
    space = labeler.fit(signals).space_
    away = [mpf("0.3"), mpf("-0.7")]
    exact = Problem(space, "bernoulli", 1e-2)
    gap, _ = problem.gap("bernoulli", np.array([[0.3], [-0.7]], np.longdouble))
    assert gap == pytest.approx(float(exact.dual(away) - exact.primal(away)), rel=1e-12)
    assert gap > 0.01


def test_known_answers_at_small_size():
    assert large.check_classes(5)["off"] < 1e-6
    copies = large.check_copies(3)
    for name in ("entropy", "projection"):
        assert copies[name]["converged"]
        assert copies[name]["off"] < 1e-6
    assert large.check_single_precision(5)["entropy"]["same_status"]


def test_a_solve_of_few_copies_has_to_converge():
    good = {"off": 0.0, "converged": True, "same_status": True}
    found = {title: {} for title in large.SIZES} | {
        "known": {"copies": dict.fromkeys(large.SOLVERS, good), "one": good},
        "few copies": dict.fromkeys(large.SOLVERS, good),
        "single": dict.fromkeys(large.SOLVERS, good),
    }
    assert large.find_failures(found) == []
    found["few copies"]["entropy"] = good | {"converged": False}
    found["few copies"]["projection"] = good | {"off": 1.0}
    assert len(large.find_failures(found)) == 2
