"""Probabilities in arrays: what is kept, copied and refused."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import (
    ConstrainedLabeler,
    WeakSignals,
)
from corral.errors import SignalsError
from corral.votes import soft_source

nan = np.nan


def peak_of(work):
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


def probabilities(n=40, m=3, k=None, silent=nan, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    if k is None:
        p = rng.random((n, m)).astype(dtype)
    else:
        p = rng.dirichlet(np.ones(k), (n, m)).astype(dtype)
    p[rng.random((n, m)) < 0.2] = silent
    return p


def one_vs_rest(n=40, m=3, k=4, silent=nan, dtype=np.float32):
    rng = np.random.default_rng(1)
    w = rng.random((m, n, k)).astype(dtype)
    w[rng.random(w.shape) < 0.3] = silent
    if k > 1:
        w[0, :, 1] = silent  # a pair that never votes
    return w


@pytest.mark.parametrize(
    ("dtype", "kept"), [(np.float16, np.float32), (">f4", np.float32), (">f8", float)]
)
def test_other_floats_are_copied_with_as_much_precision(dtype, kept):
    array = probabilities().astype(dtype)
    (values,) = WeakSignals.from_probabilities(array).values
    assert values.dtype == kept
    np.testing.assert_array_equal(values, array.T.astype(kept))


# -- blocks ---------------------------------------------------------------------------


BAD = {
    "range": (probabilities(), (-1, 1), 1.5, "between 0 and 1; 1.5 came"),
    "sum": (probabilities(k=3, silent=1 / 3), (-1, 1, 0), 0.9, "add up to one"),
    "some": (probabilities(k=3, silent=1 / 3), (-1, 1, 0), nan, "some classes"),
}


@pytest.mark.parametrize(("array", "at", "value", "message"), BAD.values(), ids=BAD)
def test_the_last_block_is_checked_too(array, at, value, message, monkeypatch):
    monkeypatch.setattr(soft_source, "BLOCK", 64)
    array = array.copy()
    if value == 0.9:
        array[-1, 1] = [0.3, 0.5, 0.5]
    else:
        array[at] = value
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_probabilities(array)


@given(st.integers(1, 400))
def test_blocks_change_nothing(block):
    array = one_vs_rest()
    expected = WeakSignals.from_one_vs_rest(array)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(soft_source, "BLOCK", block)
        read = WeakSignals.from_one_vs_rest(array)
    np.testing.assert_array_equal(read.columns, expected.columns)
    for found, wanted in zip(read.values, expected.values, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("k", [1, 3])
def test_an_array_is_copied_once(k):
    array = np.random.default_rng(0).random((4, 300_000, k), np.float32)
    peak, signals = peak_of(lambda: WeakSignals.from_one_vs_rest(array))
    kept = sum(v.nbytes for v in signals.values)
    assert kept == array.nbytes
    assert peak < 1.5 * array.nbytes + 4 * soft_source.BLOCK


# -- counted rows ---------------------------------------------------------------------


def test_rows_of_probabilities_may_be_counted():
    array = probabilities(silent=0.3)
    counts = np.random.default_rng(2).integers(1, 5, len(array))
    counted = WeakSignals.from_probabilities(array, counts=counts)
    whole = np.repeat(array, counts, axis=0)
    np.testing.assert_allclose(
        np.repeat(ConstrainedLabeler(0.3).fit(counted).labels_, counts, axis=0),
        ConstrainedLabeler(0.3).fit(WeakSignals.from_probabilities(whole)).labels_,
        atol=1e-9,
    )
    np.testing.assert_allclose(
        counted.conflicts, WeakSignals.from_probabilities(whole).conflicts
    )
    with pytest.raises(SignalsError, match="each of the 40 rows"):
        WeakSignals.from_probabilities(array, counts=[1])


def test_rows_of_one_vs_rest_signals_may_be_counted():
    for w in (one_vs_rest(), np.round(one_vs_rest())):
        counts = np.arange(1, 41)
        counted = WeakSignals.from_one_vs_rest(w, counts=counts)
        whole = WeakSignals.from_one_vs_rest(np.repeat(w, counts, axis=1))
        np.testing.assert_allclose(
            np.repeat(ConstrainedLabeler(0.2).fit(counted).labels_, counts, axis=0),
            ConstrainedLabeler(0.2).fit(whole).labels_,
            atol=1e-9,
        )
