"""Probabilities in arrays and in mapped files: what is kept, copied and refused."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral import (
    Averaging,
    ConstrainedLabeler,
    MajorityVote,
    WeakSignals,
    redundant_signals,
    signal_errors,
)
from corral.errors import SignalsError
from corral.signals import soft_source

nan = np.nan


def peak_of(work):
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.fixture
def mapped(tmp_path):
    """Write an array to a file and map it."""

    def write(array, name="values.npy"):
        np.save(tmp_path / name, array)
        return np.load(tmp_path / name, mmap_mode="r")

    return write


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


LAYOUTS = {
    "two classes": (WeakSignals.from_probabilities, probabilities()),
    "classes": (WeakSignals.from_probabilities, probabilities(k=3)),
    "column-major": (
        WeakSignals.from_probabilities,
        np.asfortranarray(probabilities(k=3)),
    ),
    "double": (WeakSignals.from_probabilities, probabilities(dtype=float)),
    "one-vs-rest": (WeakSignals.from_one_vs_rest, one_vs_rest()),
    "authors' files": (WeakSignals.from_one_vs_rest, one_vs_rest(silent=-1)),
    "one column": (WeakSignals.from_one_vs_rest, one_vs_rest(k=1)),
}
every_layout = pytest.mark.parametrize(("make", "array"), LAYOUTS.values(), ids=LAYOUTS)


# -- mapped files ---------------------------------------------------------------------


@every_layout
def test_a_mapped_file_says_what_the_array_says(make, array, mapped):
    file, memory = make(mapped(array)), make(array)
    assert (file.kind, file.n_signals, len(file)) == (
        memory.kind,
        memory.n_signals,
        len(memory),
    )
    np.testing.assert_array_equal(file.covered, memory.covered)
    np.testing.assert_array_equal(file.coverage, memory.coverage)
    np.testing.assert_array_equal(file.conflicts, memory.conflicts)
    for labeler in (ConstrainedLabeler(0.2), MajorityVote(), Averaging()):
        expected = labeler.fit(memory).labels_
        np.testing.assert_allclose(labeler.fit(file).labels_, expected, atol=1e-12)
        np.testing.assert_allclose(labeler.predict_proba(mapped(array)), expected)
    labels = ConstrainedLabeler(0.2).fit(memory)
    np.testing.assert_allclose(
        signal_errors(file, labels.labels_), signal_errors(memory, labels.labels_)
    )
    assert redundant_signals(file) == redundant_signals(memory)
    told = ConstrainedLabeler(0.2).fit(file).explain(5)
    assert told.votes == ConstrainedLabeler(0.2).fit(memory).explain(5).votes


@every_layout
def test_a_mapped_file_stays_where_it_is(make, array, mapped):
    given = mapped(array)
    signals = make(given)
    for values in signals.values:
        assert np.shares_memory(values, given)
        assert not values.flags.writeable
    assert np.shares_memory(signals.take(slice(2, 9)).values[0], given)
    assert not np.shares_memory(signals.take([2, 9]).values[0], given)
    assert not any(np.shares_memory(v, array) for v in make(array).values)


@pytest.mark.parametrize("shape", [(10, 400_000, 1), (2, 400_000, 5)])
def test_reading_a_mapped_file_takes_a_few_blocks(shape, mapped):
    given = mapped(np.random.default_rng(0).random(shape, np.float32))
    peak, _ = peak_of(lambda: WeakSignals.from_one_vs_rest(given))
    assert peak < 4 * soft_source.BLOCK < given.nbytes / 3


@pytest.mark.parametrize("shape", [(20_000, 200), (10_000, 80, 5)])
def test_fitting_a_mapped_file_takes_less_than_its_size(shape, mapped):
    """Every step passes over the file; what is kept goes with the labels."""
    array = np.random.default_rng(0).random(shape, np.float32)
    if len(shape) == 3:
        array /= array.sum(axis=2, keepdims=True)
    signals = WeakSignals.from_probabilities(mapped(array))
    labeler = ConstrainedLabeler(0.4)
    labeler.fit(signals).predict_proba(signals)  # loads what is compiled
    peak, _ = peak_of(lambda: labeler.fit(signals).labels_)
    assert peak < array.nbytes / 2
    peak, _ = peak_of(lambda: labeler.predict_proba(signals))
    assert peak < array.nbytes / 2


def test_an_abstain_that_is_a_probability_must_be_in_memory(mapped):
    array = probabilities(silent=0.5)
    with pytest.raises(SignalsError, match=r"abstain=0\.5` is a probability"):
        WeakSignals.from_probabilities(mapped(array), abstain=0.5)
    signals = WeakSignals.from_probabilities(array, abstain=0.5)
    np.testing.assert_array_equal(
        signals.values[0], np.where(array == 0.5, nan, array).T
    )


def test_another_abstain_in_a_mapped_file(mapped):
    signals = WeakSignals.from_one_vs_rest(mapped(one_vs_rest(silent=9)), abstain=9)
    memory = WeakSignals.from_one_vs_rest(one_vs_rest())
    np.testing.assert_array_equal(
        ConstrainedLabeler(0.2).fit(signals).labels_,
        ConstrainedLabeler(0.2).fit(memory).labels_,
    )


def test_certain_signals_of_a_mapped_file_are_hard_votes(mapped):
    w = np.round(one_vs_rest(silent=-1))
    signals = WeakSignals.from_one_vs_rest(mapped(w))
    assert signals.is_hard
    np.testing.assert_array_equal(signals.votes, WeakSignals.from_one_vs_rest(w).votes)


@pytest.mark.parametrize(
    ("dtype", "kept"), [(np.float16, np.float32), (">f4", np.float32), (">f8", float)]
)
def test_other_floats_are_copied_with_as_much_precision(dtype, kept, mapped):
    array = probabilities().astype(dtype)
    (values,) = WeakSignals.from_probabilities(mapped(array)).values
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
