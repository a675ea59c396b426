"""Answers of workers, next to other signals."""

import numpy as np

import corral
from corral.functions import crowd


def test_a_crowd_says_what_its_long_table_says():
    rng = np.random.default_rng(0)
    pairs = rng.permutation(50 * 30)[:400]
    answers = {
        "item": [f"t{pair // 30}" for pair in pairs],
        "who": [f"w{pair % 30}" for pair in pairs],
        "said": rng.choice(["a", "b", "c"], 400).tolist(),
    }
    names = {"task": "item", "worker": "who", "label": "said"}
    signals = corral.WeakSignals.from_long(answers, **names)
    applied = corral.apply(
        crowd(answers, *names.values()), [{"item": t} for t in signals.index]
    )
    assert applied.names == signals.names
    np.testing.assert_array_equal(applied.votes, signals.votes)
    assert (
        corral.apply(crowd(answers, *names.values(), column=None), ["?"]).votes.max()
        == -1
    )


def test_very_sparse_crowds_stay_sparse():
    answers = {
        "task": list(range(100)),
        "worker": list(range(100)),
        "label": ["a", "b"] * 50,
    }
    signals = corral.apply(crowd(answers, column=None), list(range(100)))
    expected = corral.WeakSignals.from_long(answers)
    assert (signals.votes != expected.votes).nnz == 0
