"""The container: every constructor, what it keeps, and what it derives."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from corral import ConstrainedLabeler, MajorityVote, WeakSignals
from corral.errors import ParameterError, SignalsError, SignalsWarning
from corral.votes import Kind

nan = np.nan
VOTES = np.array([[1, 1, -1], [0, 1, 0], [-1, -1, -1], [1, 0, 0]])
PROBABILITIES = np.array([[0.9, nan], [0.25, 0.5], [nan, nan]])
THREE = np.array([
    [[0.2, 0.3, 0.5], [nan, nan, nan]],
    [[1.0, 0.0, 0.0], [0.1, 0.8, 0.1]],
])  # fmt: skip
# two signals, three examples, three classes
ONE_VS_REST = np.array([
    [[1, -1, -1], [0, -1, -1], [-1, -1, -1]],
    [[-1, 1, -1], [-1, -1, 1], [-1, -1, -1]],
])  # fmt: skip


def kinds():
    soft = np.where(ONE_VS_REST < 0, nan, ONE_VS_REST * 0.8)
    sparse = np.full((40, 20), -1)
    sparse[:3, :3] = [[1, 0, -1], [0, -1, -1], [-1, -1, -1]]
    return {
        "votes": WeakSignals.from_votes(VOTES),
        "three classes": WeakSignals.from_votes([[0, 2], [1, -1], [2, 1]]),
        "strings": WeakSignals.from_votes([["b", None], ["a", "b"], ["b", "a"]]),
        "sparse": WeakSignals.from_votes(stored(sparse)),
        "long": WeakSignals.from_long(LONG),
        "probabilities": WeakSignals.from_probabilities(PROBABILITIES),
        "probabilities of three": WeakSignals.from_probabilities(THREE),
        "one-vs-rest": WeakSignals.from_one_vs_rest(ONE_VS_REST),
        "soft one-vs-rest": WeakSignals.from_one_vs_rest(soft),
    }


def stored(votes):
    """A sparse array in which zeros are stored and abstains are not."""
    rows, columns = np.nonzero(votes >= 0)
    return scipy.sparse.csr_array((votes[rows, columns], (rows, columns)), votes.shape)


LONG = {
    "task": ["t2", "t1", "t2", "t3", "t1"],
    "worker": ["ann", "bob", "bob", "ann", "ann"],
    "label": ["cat", "dog", "dog", "dog", "cat"],
}
every_kind = pytest.mark.parametrize("kind", kinds())


# -- shapes ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "n", "m", "k", "meaning", "hard"),
    [
        ("votes", 4, 3, 2, Kind.CLASS_VOTES, True),
        ("three classes", 3, 2, 3, Kind.CLASS_VOTES, True),
        ("sparse", 40, 20, 2, Kind.CLASS_VOTES, True),
        ("long", 3, 2, 2, Kind.CLASS_VOTES, True),
        ("probabilities", 3, 2, 2, Kind.CLASS_PROBABILITIES, False),
        ("probabilities of three", 2, 2, 3, Kind.CLASS_PROBABILITIES, False),
        ("one-vs-rest", 3, 2, 3, Kind.ONE_VS_REST, True),
        ("soft one-vs-rest", 3, 2, 3, Kind.ONE_VS_REST, False),
    ],
)
def test_shape(kind, n, m, k, meaning, hard):
    signals = kinds()[kind]
    assert len(signals) == n
    assert (signals.n_signals, signals.n_classes) == (m, k)
    assert (signals.kind, signals.is_hard) == (meaning, hard)
    assert signals.names == tuple(f"s{i}" for i in range(m)) or kind == "long"
    assert repr(signals) == (
        f"WeakSignals({n} examples, {m} signals, {k} classes, {meaning.value})"
    )


def said(signals):
    """(n, m, k) what is said of every class of every example; NaN: nothing."""
    return signals.probabilities[signals.row_of]


def test_only_class_votes_are_one_table():
    for kind in ("probabilities", "one-vs-rest"):
        with pytest.raises(SignalsError, match="no single vote"):
            _ = kinds()[kind].votes


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b", "a"], "must differ; twice: a"),
        (["a", "b"], "2 names were given for 3 signals"),
        (["1", 1, 2], "twice: 1"),
    ],
)
def test_bad_names(names, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_votes(VOTES, names=names)


# -- sparse ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "matrix"])
@pytest.mark.parametrize("n", [4, 400])
def test_sparse_votes_are_the_stored_entries_zeros_too(form, n):
    dense = np.full((n, 30), -1)
    dense[3, 3:] = 1
    dense[:4, :3] = VOTES
    table = stored(dense)
    table = scipy.sparse.csr_matrix(table) if form == "matrix" else table.asformat(form)
    signals = WeakSignals.from_votes(table)
    plain = WeakSignals.from_votes(dense)
    assert signals.n_signals == 30
    assert signals.classes.tolist() == [0, 1]
    np.testing.assert_array_equal(signals.coverage, plain.coverage)
    np.testing.assert_array_equal(signals.conflicts, plain.conflicts)
    np.testing.assert_array_equal(signals.covered, plain.covered)
    np.testing.assert_allclose(
        ConstrainedLabeler().fit(signals).labels_,
        ConstrainedLabeler().fit(plain).labels_,
        atol=1e-12,
    )


def test_memory_of_many_sparse_signals_grows_with_the_votes():
    rng = np.random.default_rng(0)
    n, m, each = 20_000, 4000, 3
    rows = np.repeat(np.arange(n), each)
    columns = (rng.integers(0, m, (n, 1)) + np.array([0, 7, 30])) % m
    cells = (rng.integers(0, 4, n * each), (rows, columns.ravel()))
    table = scipy.sparse.csr_array(cells, (n, m))
    tracemalloc.start()
    signals = WeakSignals.from_votes(table)
    assert signals.coverage.sum() * n == pytest.approx(n * each)
    scores = signals.scores(np.ones(signals.schema.n_features))
    signals.hits(scores / each)
    for labeler in (MajorityVote(), ConstrainedLabeler()):
        assert labeler.fit(signals).labels_.shape == (n, 4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * m / 4, "memory goes with the votes, not with the cells"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (scipy.sparse.csr_array((5, 3)), r"empty: shape \(5, 3\), 0 stored"),
        (scipy.sparse.csr_array((0, 3)), r"empty: shape \(0, 3\)"),
        (
            scipy.sparse.csr_array(
                (np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([0, 2, 3])), (2, 2)
            ),
            "votes twice on one example",
        ),
        (scipy.sparse.csr_array(np.array([[0.5, 0], [1, 0]])), "0.5"),
        (scipy.sparse.csr_array(np.array([[1j, 0], [1, 0]])), "complex"),
    ],
)
def test_bad_sparse(table, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_votes(table)


# -- long tables ----------------------------------------------------------------------


def test_long_table():
    signals = WeakSignals.from_long(LONG)
    assert signals.index.tolist() == ["t2", "t1", "t3"]
    assert signals.names == ("ann", "bob")
    assert signals.classes.tolist() == ["cat", "dog"]
    assert signals.votes.tolist() == [[0, 1], [0, 1], [1, -1]]
    assert not signals.index.flags.writeable
    assert signals.take([2, 0]).index.tolist() == ["t3", "t2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": None}, "'label'; the table has 'task', 'worker'"),
        ({"worker": ["ann"] * 5}, "same task more than once"),
        ({"label": ["cat"] * 4}, r"different lengths: \[5, 5, 4\]"),
        ({"label": [[0]] * 5}, "dimension"),
        ({"task": [], "worker": [], "label": []}, "empty"),
        ({"worker": [None] * 5}, "5 without 'worker'"),
    ],
)
def test_bad_long_table(change, message):
    table = {k: v for k, v in (LONG | change).items() if v is not None}
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_long(table)


def test_rows_of_a_long_table_without_a_name_are_left_out_and_counted():
    table = LONG | {"worker": [1, 2, np.nan, 1, 2], "task": ["x", "x", "y", "", "z"]}
    with pytest.warns(SignalsWarning, match="1 without 'task' and 1 without 'worker'"):
        signals = WeakSignals.from_long(table)
    assert (signals.index.tolist(), signals.names) == (["x", "z"], ("1", "2"))


REPEATS = {
    "task": ["t", "t", "t", "t", "u", "u"],
    "worker": ["ann", "bob", "ann", "ann", "bob", "bob"],
    "label": ["cat", "dog", "cat", "dog", "dog", None],
}


@pytest.mark.parametrize(("repeats", "said"), [("first", "cat"), ("last", "dog")])
def test_repeated_answers(repeats, said):
    """Equal ones are left out always, others by an option; no answer repeats nothing."""
    with pytest.raises(SignalsError, match=r"'ann' says 'cat' and 'dog' of t \(1"):
        WeakSignals.from_long(REPEATS)
    with pytest.warns(SignalsWarning, match="1 that are equal, 1 before"):
        signals = WeakSignals.from_long(REPEATS, repeats=repeats)
    votes = signals.classes[signals.votes].tolist()
    assert votes[0] == [said, "dog"]
    assert signals.votes[1].tolist() == [-1, signals.classes.tolist().index("dog")]
    with pytest.raises(ParameterError, match="repeats"):
        WeakSignals.from_long(REPEATS, repeats="mean")


# -- probabilities --------------------------------------------------------------------


def test_probabilities_of_the_second_class_and_of_all():
    signals = WeakSignals.from_probabilities(PROBABILITIES, classes=["no", "yes"])
    assert signals.classes.tolist() == ["no", "yes"]
    both = np.stack([1 - PROBABILITIES, PROBABILITIES], axis=2)
    same = WeakSignals.from_probabilities(both, classes=["no", "yes"])
    coded = np.where(np.isnan(PROBABILITIES), -1, PROBABILITIES)
    abstained = WeakSignals.from_probabilities(coded, abstain=-1)
    for one in (signals, same, abstained):
        np.testing.assert_allclose(said(one), both)
    np.testing.assert_array_equal(said(WeakSignals.from_probabilities(THREE)), THREE)


# -- one-vs-rest ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("silent", "options"),
    [(-1, {}), (nan, {}), (-1, {"abstain": -1}), (9, {"abstain": 9})],
)
@pytest.mark.parametrize("sure", [1, 0.7])
def test_one_vs_rest_and_what_abstains(silent, options, sure):
    coded = np.where(ONE_VS_REST < 0, silent, ONE_VS_REST * sure)
    signals = WeakSignals.from_one_vs_rest(coded, classes=["a", "b", "c"], **options)
    expected = np.where(ONE_VS_REST < 0, nan, ONE_VS_REST * sure)
    np.testing.assert_allclose(said(signals), expected.transpose(1, 0, 2))
    assert signals.classes.tolist() == ["a", "b", "c"]
    assert signals.is_hard is (sure == 1)


def test_one_column_is_the_second_of_two_classes_and_two_stay_two():
    hard = WeakSignals.from_one_vs_rest(VOTES.T[:, :, None], classes=["no", "yes"])
    assert hard.classes.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(hard.votes, VOTES)
    soft = WeakSignals.from_one_vs_rest(PROBABILITIES.T[:, :, None])
    np.testing.assert_array_equal(said(soft)[:, :, 1], PROBABILITIES)
    two = WeakSignals.from_one_vs_rest([[[1, 0], [0, 1], [-1, -1]]])
    assert two.kind is Kind.ONE_VS_REST
    assert two.schema.n_columns == 2


BAD_SOFT = {
    "above one": (np.array([[0.5, 1.5]]), {}, "between 0 and 1; 1.5 came"),
    "below zero": (np.array([[0.5, -0.2]]), {}, "-0.2 came.*abstain=-0.2"),
    "infinite": (np.array([[0.5, -np.inf]]), {}, "inf"),
    "complex": (np.array([[0.5j, 1]]), {}, "complex"),
    "objects": (np.array([[0.5, None]], object), {}, "must be numbers"),
    "empty": (np.zeros((0, 2)), {}, "empty"),
    "dates": (np.array([["2024-01-01"]], "M8[D]"), {}, "datetime64"),
    "classes": (np.array([[0.5, 0.1]]), {"classes": ["a", "b", "c"]}, "2 classes"),
}


@pytest.mark.parametrize(
    ("data", "options", "message"), BAD_SOFT.values(), ids=BAD_SOFT
)
def test_bad_probabilities(data, options, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_probabilities(data, **options)
    if isinstance(data, list) or data.ndim != 2:
        return
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_one_vs_rest(data[None].swapaxes(0, 2), **options)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[[0.5, 0.2, 0.2]]], "add up to one.*from_one_vs_rest"),
        ([[[0.5, nan, 0.5]]], "add up to one.*from_one_vs_rest"),
        (np.ones((3, 2, 1)), "class"),
        (np.zeros((2, 2, 2, 2)), "2 or 3 dimensions"),
    ],
)
def test_bad_class_probabilities(data, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_probabilities(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [(ONE_VS_REST[0], "3 dimensions"), (np.full((2, 3, 2), 2), "between 0 and 1")],
)
def test_bad_one_vs_rest(data, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_one_vs_rest(data)


# -- never changed --------------------------------------------------------------------


def arrays_of(signals):
    F = signals.F
    return [
        F.data,
        F.indices,
        F.indptr,
        signals.row_of,
        signals.counts,
        signals.classes,
    ]


@every_kind
def test_arrays_cannot_be_written_to(kind):
    signals = kinds()[kind]
    for part in (signals, signals.take(slice(0, 2)), signals.harden()):
        for array in arrays_of(part):
            assert not array.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                array[...] = array


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (WeakSignals.from_votes, VOTES.astype(np.int8)),
        (WeakSignals.from_probabilities, THREE),
        (WeakSignals.from_one_vs_rest, THREE),
    ],
)
def test_changing_the_argument_changes_nothing(make, data):
    given, classes = data.copy(), np.arange(2 if data.ndim == 2 else 3)
    signals = make(given, classes=classes)
    before = [array.copy() for array in arrays_of(signals)]
    given[...] = classes[...] = 0
    for was, now in zip(before, arrays_of(signals), strict=True):
        np.testing.assert_array_equal(was, now)


def test_a_million_rows_of_votes_take_little_more_than_themselves():
    votes = np.random.default_rng(0).integers(-1, 2, (1_000_000, 10), np.int8)
    tracemalloc.start()
    signals = WeakSignals.from_votes(votes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * votes.nbytes
    assert signals.n_rows <= 3**10
    np.testing.assert_array_equal(signals.votes, votes)


# -- derived --------------------------------------------------------------------------


@every_kind
@pytest.mark.parametrize(
    "rows", [slice(1, None), [1, 0], np.array([0, 0, 1]), slice(None, None, -1), "mask"]
)
def test_take(kind, rows):
    signals = kinds()[kind]
    n = len(signals)
    rows = np.arange(n) % 2 == 0 if isinstance(rows, str) else rows
    positions = np.arange(n)[rows]
    part = signals.take(rows)
    assert len(part) == len(positions)
    assert (part.names, part.kind) == (signals.names, signals.kind)
    np.testing.assert_array_equal(part.classes, signals.classes)
    np.testing.assert_array_equal(said(part), said(signals)[positions])
    np.testing.assert_array_equal(part.covered, signals.covered[rows])


@every_kind
def test_items(kind):
    """As scikit-learn's splits ask for them."""
    signals = kinds()[kind]
    assert signals.shape == (len(signals), signals.n_signals)
    part = signals[np.array([1, 0]), ...]
    for one, other in zip(
        arrays_of(part), arrays_of(signals.take([1, 0])), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(SignalsError, match="indexed by a slice"):
        signals[1]
    with pytest.raises(SignalsError, match="indexed by a slice"):
        np.asarray(signals)


@every_kind
def test_without(kind):
    signals = kinds()[kind]
    for i in range(min(4, signals.n_signals)):
        expected = said(signals).copy()
        expected[:, i] = nan
        less = signals.without(i)
        np.testing.assert_array_equal(said(less), expected)
        assert (less.names, less.kind) == (signals.names, signals.kind)


@every_kind
def test_rows_apart_by_example_and_by_key(kind):
    signals = kinds()[kind]
    n = len(signals)
    single = signals.by_example()
    assert single.row_of.tolist() == list(range(n))
    keys = np.arange(n) % 2
    split = signals.split_by(keys)
    assert len({*zip(split.row_of, keys, strict=True)}) == split.n_rows
    for other in (single, split):
        np.testing.assert_array_equal(said(other), said(signals))
        assert other.counts.sum() == n


def test_hardened_ties_are_no_votes():
    tied = [[[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]], [[1 / 3] * 3, [0.5, 0.25, 0.25]]]
    for dtype in (np.float32, np.float64):
        hard = WeakSignals.from_probabilities(np.array(tied, dtype)).harden()
        assert hard.votes.tolist() == [[-1, -1], [-1, 0]]


# -- new data of the same kind --------------------------------------------------------


@pytest.mark.parametrize(
    ("fitted", "new", "codes"),
    [
        ("votes", [[1, -1, 0]], [[1, -1, 0]]),
        ("votes", [[1.0, nan, nan]], [[1, -1, -1]]),
        ("votes", [[1, 1, 1]], [[1, 1, 1]]),
        ("votes", [[-1, -1, -1]], [[-1, -1, -1]]),
        ("votes", [[None, None, None]], [[-1, -1, -1]]),
        ("votes", [[nan, nan, nan]], [[-1, -1, -1]]),
        ("three classes", [[2, 2]], [[2, 2]]),
        ("strings", [["b", "b"]], [[1, 1]]),
        ("strings", [[None, ""]], [[-1, -1]]),
    ],
)
def test_read_takes_new_votes_by_the_fitted_classes(fitted, new, codes):
    signals = kinds()[fitted]
    read = signals.schema.read(new)
    assert read.votes.tolist() == codes
    np.testing.assert_array_equal(read.classes, signals.classes)


@pytest.mark.parametrize(
    ("fitted", "new"),
    [
        ("votes", np.full((2, 3), -1)),
        ("votes", scipy.sparse.csr_array((2, 3))),
        ("probabilities", np.full((2, 2), nan)),
        ("probabilities of three", np.full((2, 2, 3), nan)),
        ("one-vs-rest", np.full((2, 2, 3), -1)),
        ("soft one-vs-rest", np.full((2, 2, 3), -1.0)),
    ],
)
def test_read_takes_new_examples_that_nobody_speaks_of(fitted, new):
    """A small batch at prediction time may well be uncovered; it gets the prior."""
    read = kinds()[fitted].schema.read(new)
    assert len(read) == 2
    assert not read.covered.any()


@every_kind
def test_read_takes_signals_of_its_own_kind(kind):
    signals = kinds()[kind]
    read = signals.schema.read(signals.take(slice(0, 2)))
    assert (read.kind, read.names, len(read)) == (signals.kind, signals.names, 2)
    np.testing.assert_array_equal(read.covered, signals.covered[:2])


BAD_NEW = {
    "unseen class": ("votes", [[2, 0, 1]], "votes for 2, which.*Before you fit"),
    "unseen string": ("strings", [["c", "a"]], "votes for 'c'"),
    "numbers for strings": ("strings", [[1, 0]], "'a', 'b'"),
    "too many signals": ("votes", [[1, 0, 1, 1]], "3 signals were expected; 4 came"),
    "too few signals": ("votes", [[1, 0]], "3 signals were expected; 2 came"),
    "both abstains": ("votes", [[nan, -1, 1]], "both -1 and missing"),
    "probabilities for votes": ("votes", [[0.3, 0.5, 0.5]], "0.3"),
    "votes of a kind": (
        "votes", WeakSignals.from_probabilities(PROBABILITIES, names=["s0", "s1"]),
        "2 came|soft class probabilities came",
    ),
    "other classes": (
        "votes", WeakSignals.from_votes([["a", "b", "a"]]), r"classes \[0, 1\]",
    ),
    "no rows of signals": (
        "votes", WeakSignals.from_votes(VOTES).take(slice(0, 0)), "0 |empty|no ",
    ),
    "classes of probabilities": (
        "probabilities of three", np.full((1, 2, 4), 0.25), "classes",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "new", "message"), BAD_NEW.values(), ids=BAD_NEW)
@pytest.mark.parametrize("door", ["read", "predict"])
def test_refused_at_predict(kind, new, message, door):
    signals = kinds()[kind]
    fitted = ConstrainedLabeler(0.1).fit(signals)
    call = signals.schema.read if door == "read" else fitted.predict
    with pytest.raises(SignalsError, match=message):
        call(new)
