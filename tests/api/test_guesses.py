"""What a user of scikit-learn or Snorkel would type first, and what comes of it."""

import numpy as np
import pytest

import corral
from corral.datasets import random_votes
from corral.errors import CorralError

VOTES, Y = random_votes(300, [0.9, 0.8, 0.7], coverage=0.8)
TEXTS = ["free prize", "see you at noon", "win cash now", "lunch?"] * 3


def free(x):
    return "spam" if "free" in x or "win" in x else None


def noon(x):
    return "ham" if "noon" in x or "lunch" in x else None


WORK = {
    "label with gold": lambda: corral.label(VOTES, gold=Y).shape == (300, 2),
    "label by a method": lambda: (
        corral.label(VOTES, method="dawid-skene").shape[1] == 2
    ),
    "label with rules": lambda: corral.label([free, noon], TEXTS).shape == (12, 2),
    "apply functions": lambda: len(corral.apply([free, noon], TEXTS)) == 12,
    "compare with gold": lambda: corral.compare(VOTES, gold=Y).n_scored > 200,
    "compare with y": lambda: corral.compare(VOTES, y=Y).n_scored > 200,
    "compare by place": lambda: corral.compare(VOTES, Y, ["metal"]).accuracy[0] > 0.8,
    "inspect": lambda: corral.inspect(VOTES, gold=Y).analysis.gold is not None,
    "analyze": lambda: corral.analyze(VOTES).n_examples == 300,
    "rank": lambda: corral.rank(
        {"a": ["x", "y"], "b": ["y", "z"], "winner": ["a", "a"]}
    ),
    "suggest": lambda: len(corral.suggest(VOTES, 10).rows["row"]) == 10,
    "report": lambda: corral.report(VOTES, gold=Y).summary.accuracy.n_gold > 200,
    "report by a method": lambda: corral.report(VOTES, method="metal").summary.verdict,
    "report of labels": lambda: corral.report(VOTES).to_html().startswith("<!doctype"),
    "panel": lambda: corral.panel(VOTES, gold=Y).shares is not None,
    "fit": lambda: corral.ConstrainedLabeler().fit(VOTES).score(VOTES, Y) > 0.8,
    "fit_predict": lambda: len(corral.MajorityVote().fit(VOTES).predict(VOTES)) == 300,
    "fit with gold": lambda: corral.ConstrainedLabeler().fit(VOTES, gold=Y),
    "predict_proba": lambda: (
        corral.ConstrainedLabeler().fit(VOTES).predict_proba(VOTES[:5]).shape == (5, 2)
    ),
    "one known rate": lambda: corral.ConstrainedLabeler({"s0": 0.1}).fit(VOTES),
    "train": lambda: corral.train(corral.label([free, noon], TEXTS), TEXTS),
}
REFUSED = {
    "functions alone": (lambda: corral.label([free, noon]), "examples"),
    "votes and y": (lambda: corral.label(VOTES, Y), "gold"),
    "compare alone": (lambda: corral.compare(VOTES), "gold"),
    "a slip": (lambda: corral.label(VOTES, golds=Y), "golds"),
    "a method that is none": (
        lambda: corral.label(VOTES, method="vote"),
        "majority-vote",
    ),
    "gold for a vote": (lambda: corral.label(VOTES, gold=Y, method="metal"), "gold"),
    "an unknown option of reading": (lambda: corral.inspect(VOTES, sep=";"), "sep"),
}


@pytest.mark.parametrize("guess", WORK)
@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
def test_it_works(guess):
    found = WORK[guess]()
    assert found is not False
    assert found is not np.False_


@pytest.mark.parametrize("guess", REFUSED)
def test_it_says_what_to_do(guess):
    call, said = REFUSED[guess]
    with pytest.raises((CorralError, TypeError), match=said):
        call()
