"""Strengths and judges: as others find them, as planted, and as sure as they say."""

import numpy as np
import pytest
from scipy.optimize import minimize

import corral
from corral.datasets import random_comparisons
from corral.errors import SignalsError
from corral.ranking.comparisons import read_comparisons
from corral.ranking.fit import fit_comparisons
from corral.ranking.model import find_chances

COLUMNS = dict.fromkeys(("a", "b", "judge", "task")) | {
    "winner": "winner",
    "first": "a",
}
STRENGTHS = {f"m{i}": s for i, s in enumerate(np.linspace(1.5, -1.5, 8))}


def in_order(found, values):
    """Values of the items in the order of `STRENGTHS`."""
    return np.array([values[found.items.index(name)] for name in STRENGTHS])


def won_pairs(n, seed=0):
    """Pairs of a winner and a loser, by number, without ties."""
    made = random_comparisons(n, STRENGTHS, {"j": (1, 0)}, ties=0, seed=seed)
    rows = zip(made["a"], made["b"], made["winner"], strict=True)
    pairs = [(a, b) if winner == "a" else (b, a) for a, b, winner in rows]
    return [(int(w[1:]), int(x[1:])) for w, x in pairs]


@pytest.mark.parametrize("alpha", [1e-6, 0.02, 1.0])
def test_equal_judges_are_ranked_as_by_choix(alpha):
    choix = pytest.importorskip("choix")
    pairs = won_pairs(600)
    want = choix.opt_pairwise(8, pairs, alpha=alpha, tol=1e-10)
    # Its penalty is alpha, not alpha / 2, times the sum of squares.
    found = corral.preferences(pairs, prior=(2 * alpha) ** -0.5)
    ours = [found.strengths[found.items.index(str(i))] for i in range(8)]
    np.testing.assert_allclose(ours, want - want.mean(), atol=1e-6)


def test_ties_and_order_of_one_judge_are_those_of_a_plain_maximum():
    made = random_comparisons(500, STRENGTHS, {"j": (1, 0.7)}, seed=3)
    told = dict.fromkeys(("a", "b", "judge", "task"))
    told |= {"winner": "winner", "first": "a"}
    data = read_comparisons(made, told)[0].sum_by(tasks=False)

    def cost(x):
        eta = x[data.first] - x[data.second] + x[8]
        tie, win, lose = find_chances(eta, np.full(len(eta), np.exp(x[9])))
        likely = data.wins @ np.log(win) + data.ties @ np.log(tie)
        likely += data.losses @ np.log(lose)
        return -likely + (x[:8] @ x[:8] + x[8] ** 2) / 50 + (x[9] - start) ** 2 / 50

    share = data.ties.sum() / 500
    start = np.log(2 * (500 * share + 0.5) / (500 - 500 * share + 0.5))
    want = minimize(cost, np.zeros(10), tol=1e-10, method="BFGS").x
    fit = fit_comparisons(data, 5.0)
    np.testing.assert_allclose(fit.parameters.strengths, want[:8], atol=1e-4)
    np.testing.assert_allclose(fit.parameters.judges[0], [1, *want[8:]], atol=1e-4)


def test_planted_judges_are_found():
    judges = {
        **{f"good{i}": (1.2, 0.0) for i in range(4)},
        "first": (1.2, 1.0),
        "second": (1.2, -1.0),
        "spammer": (0.0, 0.3),
        "liar": (-1.0, 0.0),
    }
    made = random_comparisons(8000, STRENGTHS, judges)
    found = corral.preferences(made, judge="judge")
    root = np.sqrt(np.mean([s**2 for s, _ in judges.values()]))
    want = root * np.array(list(STRENGTHS.values()))
    np.testing.assert_allclose(in_order(found, found.strengths), want, atol=0.15)
    share = found.judges.n_verdicts / found.judges.n_verdicts.sum()
    assert share @ found.judges.sensitivity**2 == pytest.approx(1, abs=0.01)
    notes = dict(zip(found.judges.names, found.judges.describe(), strict=True))
    assert notes["liar"] == "prefers the weaker"
    assert "no better than chance" in notes["spammer"]
    assert notes["first"] == "favours the first"
    assert notes["second"] == "favours the second"
    assert all(notes[f"good{i}"] == "" for i in range(4))
    place = found.judges.names.index
    shares = found.judges.first_share
    assert shares[place("first")] == pytest.approx(1 / (1 + np.exp(-1)), abs=0.04)
    assert found.judges.reliability[place("liar")] < 0.35
    assert found.judges.reliability[place("spammer")] == pytest.approx(0.5, abs=0.04)
    assert found.judges.reliability[place("good0")] > 0.75


def test_strengths_of_judges_who_said_little_are_not_too_far_apart():
    draw = np.random.default_rng(0)
    ratios = []
    for seed in range(5):
        judges = {f"w{i}": (abs(draw.normal(1, 0.3)), 0) for i in range(150)}
        made = random_comparisons(2000, STRENGTHS, judges, seed=seed)
        found = corral.preferences(made, judge="judge")
        root = np.sqrt(np.mean([s**2 for s, _ in judges.values()]))
        truth = root * np.array(list(STRENGTHS.values()))
        ratios.append(in_order(found, found.strengths) @ truth / (truth @ truth))
    assert np.mean(ratios) == pytest.approx(1, abs=0.06)


def draw_fits(judges, n, draws, *, shared=0.0, **options):
    """(draws, K) strengths, their lower and upper ends and variances, over draws."""
    found = []
    for seed in range(draws):
        made = random_comparisons(n, STRENGTHS, judges, shared=shared, seed=seed)
        fit = corral.preferences(made, judge="judge", **options)
        numbers = (fit.strengths, *fit.interval.T, np.diag(fit.covariance))
        found.append([in_order(fit, each) for each in numbers])
    return np.array(found).transpose(1, 0, 2)


def some_judges():
    draw = np.random.default_rng(0)
    return {f"w{i}": (draw.normal(1, 0.4), draw.normal(0, 0.4)) for i in range(60)}


@pytest.mark.parametrize(
    ("judges", "n", "draws"),
    [
        ({"x": (1.3, 0.5), "y": (0.9, 0), "z": (0.6, -0.4), "spam": (0, 0)}, 600, 60),
        (some_judges(), 900, 40),  # many judges with few verdicts each
    ],
)
def test_intervals_hold_strengths_as_often_as_they_say(judges, n, draws):
    _, low, high, _ = draw_fits(judges, n, draws)
    root = np.sqrt(np.mean([s**2 for s, _ in judges.values()]))
    truth = root * np.array(list(STRENGTHS.values()))
    held = np.mean((low <= truth) & (truth <= high))
    assert held == pytest.approx(0.9, abs=0.06)


def test_verdicts_on_one_task_are_not_taken_for_independent():
    judges = {f"j{i}": (1.0, 0) for i in range(6)}
    strengths, _, _, plain = draw_fits(judges, 150, 30, shared=2.0)
    strengths_by_task, _, _, by_task = draw_fits(
        judges, 150, 30, shared=2.0, task="task"
    )
    spread = np.sqrt(strengths.var(axis=0).mean())
    np.testing.assert_allclose(strengths, strengths_by_task)
    assert np.sqrt(plain.mean()) < 0.75 * spread
    assert np.sqrt(by_task.mean()) == pytest.approx(spread, rel=0.2)


@pytest.mark.parametrize("n", [1, 5])
def test_few_tasks_leave_no_intervals(n):
    """Of one task all slopes add up to zero, as if everything were known."""
    made = random_comparisons(200, STRENGTHS, {"x": (1, 0)})
    tasks = {"task": np.arange(200) % n}
    with pytest.raises(SignalsError, match="too few"):
        corral.preferences(made | tasks, task="task")
    who = np.where(
        np.arange(200) < 100, "ann", "x"
    )  # of many tasks, all but n are hers
    tasks["task"][:100] = np.arange(100)
    with pytest.raises(SignalsError, match="too few"):
        corral.preferences(
            made | tasks | {"judge": who}, task="task", judge="judge", people="ann"
        )


def test_the_covariance_is_that_of_centred_strengths():
    made = random_comparisons(500, STRENGTHS, {"x": (1, 0), "y": (0.5, 0.2)})
    for task in (None, "task"):
        found = corral.preferences(made, judge="judge", task=task)
        np.testing.assert_allclose(found.covariance.sum(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(found.strengths.sum(), 0, atol=1e-9)


def test_ranks_say_who_may_be_above():
    made = random_comparisons(5000, {"x": 2, "y": 0, "z": 0.01}, {"j": (1, 0)})
    found = corral.preferences(made)
    ranks = dict(zip(found.items, found.ranks.tolist(), strict=True))
    assert ranks == {"x": [1, 1], "y": [2, 3], "z": [2, 3]}
