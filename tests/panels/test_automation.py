"""What may run unattended: the promised share of errors, and rows that people read next."""

import numpy as np
import pytest
from tests.panels.made_panels import fit_panel, hide, holds, make_votes

import corral
from corral.errors import ParameterError
from corral.panels.automation import find_automation
from corral.panels.judges import choose_labels, find_hits


def decide(votes, known, chances=None, **options):
    """What `PanelReport.automate` does, without the rest of a panel; and the classes."""
    estimator = fit_panel(votes, known, sampling=chances)
    hits = find_hits(estimator, np.random.default_rng(0))
    names = tuple(map(str, range(votes.shape[1])))
    labels, _ = choose_labels(estimator, hits, names)
    if chances is None:
        chances = np.full(len(votes), (known >= 0).mean())
    rng = np.random.default_rng(0)
    found = find_automation(estimator, labels, chances, rng, **options)
    return found, labels[estimator.panel.inverse].argmax(axis=1)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_promise_is_kept(weighted):
    """At 80% confidence, more than one in five broken promises would be too many."""
    broken, decided = [], []
    for seed in range(60):
        votes, truth = make_votes(1500, (0.15, 0.2, 0.25), 0.08, seed=seed % 6)
        known, chances = hide(truth, 150, seed), None
        if weighted:
            chances = np.where(np.ptp(votes, axis=1) > 0, 0.15, 0.08)
            chosen = np.random.default_rng([seed, 2]).random(1500) < chances
            known = np.where(chosen, truth, -1)
        found, said = decide(votes, known, chances, error=0.12, confidence=0.8)
        wrong = (said != truth)[found.decided_]
        broken.append(found.n_decided > 0 and wrong.mean() > 0.12)
        decided.append(found.n_decided)
    assert np.mean(broken) <= 0.2
    assert np.mean(decided) > (50 if weighted else 300)


def test_intervals_stay_valid_once_the_queue_is_read():
    held = []
    for seed in range(40):
        votes, truth = make_votes(1000, (0.1, 0.2, 0.2), 0.1, seed=seed % 4)
        known = hide(truth, 80, seed)
        found, _ = decide(votes, known, error=0.03, n_next=60)
        assert len(found.queue_) == 60
        assert (known[found.queue_] < 0).all()
        known[found.queue_] = truth[found.queue_]
        later = fit_panel(votes, known, sampling=found.sampling_).shares()
        held.append(holds(later, [1 - truth.mean(), truth.mean()])[1])
    assert np.mean(held) >= 0.78  # of 40, at 90%


def test_doubtful_rows_come_first_and_decided_ones_not_at_all():
    votes, truth = make_votes(2000, (0.05, 0.1, 0.1), 0.02)
    panel = corral.panel(votes, gold=hide(truth, 200))
    found = panel.automate(error=0.05)
    assert found.n_decided > 500
    assert not found.decided_[found.queue_].any()
    assert (found.sampling_[found.queue_] == 1).all()
    doubt = 1 - panel.labels_.max(axis=1)[found.queue_]
    half = len(doubt) // 2
    assert doubt[:half].mean() > doubt[half:].mean()


def test_too_few_labels_decide_nothing():
    votes, truth = make_votes(500)
    found = corral.panel(votes, gold=hide(truth, 20)).automate(error=0.01)
    assert found.n_decided == 0
    assert "no rows" in str(found)
    for wrong in ({"error": 0}, {"confidence": 1}, {"n_next": -1}):
        with pytest.raises(ParameterError):
            corral.panel(votes, gold=hide(truth, 20)).automate(**wrong)
