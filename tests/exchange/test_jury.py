"""The plug-in for Inspect, with a stand-in for what it takes from there."""

import sys
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

import corral
from corral.errors import SignalsError


@pytest.fixture
def plug_in(monkeypatch):
    def known(name):
        return lambda function: function

    stand_in = SimpleNamespace(score_reducer=known, metric=known, Score=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(scorer=stand_in))
    monkeypatch.setitem(sys.modules, "inspect_ai.scorer", stand_in)
    monkeypatch.delitem(sys.modules, "corral.exchange.jury", raising=False)
    yield import_module("corral.exchange.jury")
    monkeypatch.delitem(sys.modules, "corral.exchange.jury")


def score(value):
    return SimpleNamespace(value=value)


def test_a_jury_answers_with_a_probability(plug_in):
    rng = np.random.default_rng(0)
    true = rng.random(500) < 0.5
    right = rng.random((500, 3)) < [0.95, 0.6, 0.6]
    votes = np.where(right == true[:, None], "pass", "fail")
    labeler = corral.DawidSkene().fit(corral.WeakSignals.from_votes(votes))
    reduce = plug_in.corral_jury(labeler)
    assert reduce([score("C"), score("I"), score(0.2)]).value > 0.5
    assert reduce([score(False), score("C"), score(1)]).value < 0.5
    alone = labeler.predict_proba(np.array([["pass", None, None]], object))[0, 1]
    assert reduce([score("C"), score(None), score("?")]).value == pytest.approx(alone)
    with pytest.raises(SignalsError, match="2 judges"):
        reduce([score("C"), score("I")])


def test_judges_who_err_together_are_worth_fewer(plug_in):
    rng = np.random.default_rng(1)
    true, alone = rng.random(2000) < 0.5, rng.random((2000, 2)) < 0.3

    def samples(wrong):
        return [
            SimpleNamespace(
                score=score({str(j): int(t != w) for j, w in enumerate(row)}),
                sample_metadata={"gold": "IC"[t]},
            )
            for t, row in zip(true.astype(int), wrong, strict=True)
        ]

    count = plug_in.effective_judges()
    assert count(samples(alone[:, [0, 0, 0]])) == pytest.approx(1)
    assert count(samples(alone)) == pytest.approx(2, abs=0.1)
    both = count(samples(alone[:, [0, 0, 1]]))  # correlations of 1, 0 and 0
    assert both == pytest.approx(3 / (1 + 2 / 3), abs=0.1)
    assert np.isnan(count([]))
