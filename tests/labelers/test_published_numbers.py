"""Accuracies on the paper's data, as the paper, the authors' code or DESIGN.md has them."""

import numpy as np
import pytest

from corral import (
    Adagrad,
    Averaging,
    ConstrainedLabeler,
    MajorityVote,
    MeTaL,
    Status,
    WeakSignals,
)

pytestmark = [
    pytest.mark.data,
    pytest.mark.filterwarnings("ignore::corral.errors.SignalsWarning"),
]
RAW = Adagrad(rows="raw")


def load(data, name):
    """Signals and the truth of one of the paper's sets."""
    if name == "sst-2":
        truth = np.load(data / name / "data_labels.npy").ravel()
        votes = np.load(data / name / "weak_signals.npy")
        return WeakSignals.from_votes(votes), truth
    stored = np.load(data / name / "weak_signals.npz")
    truth = stored["labels"]
    if name == "imdb":
        return WeakSignals.from_votes(stored["signals"]), truth.ravel()
    truth = truth.argmax(axis=1) if truth.ndim == 2 else truth
    return WeakSignals.from_one_vs_rest(stored["signals"]), truth


@pytest.mark.parametrize(
    ("name", "labeler", "expected", "near"),
    [
        ("sst-2", ConstrainedLabeler(0.01), 0.678, 0.001),
        ("sst-2", ConstrainedLabeler(0.01, RAW), 0.664, 0.002),
        ("sst-2", ConstrainedLabeler(0.01, "entropy"), 0.678, 0.001),
        ("sst-2", ConstrainedLabeler(0.01, "projection"), 0.678, 0.001),
        ("sst-2", MeTaL(), 0.672, 0.001),
        ("imdb", ConstrainedLabeler(0.01), 0.736, 0.001),
        ("imdb", ConstrainedLabeler(0.01, "entropy"), 0.736, 0.001),
        ("imdb", ConstrainedLabeler(0.01, "projection"), 0.736, 0.001),
        ("imdb", MeTaL(), 0.736, 0.001),
        ("trec", MeTaL(), 0.8948, 0.001),
    ],
    ids=str,
)
def test_accuracies(data, name, labeler, expected, near):
    signals, truth = load(data, name)
    score = labeler.fit(signals).score(signals, truth)
    assert score == pytest.approx(expected, abs=near)
    solution = getattr(labeler, "solution_", None)
    if name == "sst-2" and solution is not None and labeler.solver is not RAW:
        assert solution.status is Status.INFEASIBLE
        assert solution.rms_residual == pytest.approx(0.0989, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "labeler", "expected", "near"),
    [
        ("sst-2", MajorityVote(), 0.6688, 1e-4),
        ("imdb", MajorityVote(ties="first"), 0.7361, 1e-4),
        ("imdb", MajorityVote(ties="random"), 0.7008, 0.005),
        ("trec", MajorityVote(), 0.8842, 1e-4),
        ("trec", MajorityVote(ties="random"), 0.8926, 0.005),
        ("trec", Averaging(), 0.8815, 1e-4),
    ],
    ids=str,
)
def test_answers_by_the_policy_for_ties(data, name, labeler, expected, near):
    """16% of IMDB's rows are tied, so the policy is worth seven points."""
    signals, truth = load(data, name)
    labeler.set_params(random_state=0).fit(signals)
    accuracy = np.mean(labeler.predict(signals) == truth)
    assert accuracy == pytest.approx(expected, abs=near)


def test_trec_by_default_and_as_published(data):
    signals, truth = load(data, "trec")
    assert ConstrainedLabeler().fit(signals).score(signals, truth) >= 0.885
    scores = [
        ConstrainedLabeler(0.01, Adagrad.paper(), random_state=seed).fit_predict(
            signals
        )
        == truth
        for seed in range(6)
    ]
    assert 0.82 <= np.mean(scores) <= 0.85
