"""Data frames of three libraries are read alike."""

import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, WeakSignals
from corral.errors import SignalsError

nan = np.nan


def library(name):
    """A function from a mapping of columns to a data frame."""
    module = pytest.importorskip(name, reason=f"{name} is an optional extra")
    return module.table if name == "pyarrow" else module.DataFrame


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def frame(request):
    return library(request.param)


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas", reason="pandas is an optional extra")


COLUMNS = {
    "integers": ({"a": [0, 1, 2], "b": [2, -1, 0]}, [[0, 2], [1, -1], [2, 0]], [0, 1, 2]),
    "nulls": ({"a": [0, None], "b": [1, None]}, [[0, 1], [-1, -1]], [0, 1]),
    "floats": ({"a": [0.0, 1.0], "b": [1.0, nan]}, [[0, 1], [1, -1]], [0, 1]),
    "strings": ({"a": ["y", None], "b": ["x", ""]}, [[1, 0], [-1, -1]], ["x", "y"]),
    "booleans": ({"a": [True, False], "b": [True, None]}, [[1, 1], [0, -1]], [0, 1]),
    "integers and floats": ({"a": [0, 1], "b": [1.0, None]}, [[0, 1], [1, -1]], [0, 1]),
    "a silent signal": ({"a": [0, 1], "b": [None, None]}, [[0, -1], [1, -1]], [0, 1]),
    "a silent signal among strings": (
        {"a": ["x", "y"], "b": [None, None]}, [[0, -1], [1, -1]], ["x", "y"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "codes", "classes"), COLUMNS.values(), ids=COLUMNS)
def test_columns_and_nulls(frame, columns, codes, classes):
    signals = WeakSignals.from_frame(frame(columns))
    assert signals.names == ("a", "b")
    assert signals.classes.tolist() == classes
    assert signals.votes.tolist() == codes
    same = WeakSignals.from_votes(frame(columns))
    assert (same.names, same.votes.tolist()) == (signals.names, codes)


def test_chosen_columns(frame):
    table = frame({"text": ["?", "!"], "a": [0, 1], "b": [1, 1], "c": [1, 0]})
    signals = WeakSignals.from_frame(table, ["c", "a"])
    assert signals.names == ("c", "a")
    assert signals.votes.tolist() == [[1, 0], [0, 1]]
    assert WeakSignals.from_frame(table, "a").names == ("a",)


def test_null_always_abstains(frame):
    table = frame({"a": [9, 1, None], "b": [0, 1, 9]})
    signals = WeakSignals.from_frame(table, abstain=9)
    assert signals.votes.tolist() == [[-1, 0], [1, 1], [-1, -1]]
    table = frame({"a": ["?", "x", None], "b": ["y", "x", "?"]})
    signals = WeakSignals.from_frame(table, abstain="?")
    assert signals.votes.tolist() == [[-1, 1], [0, 0], [-1, -1]]


def test_long_table(frame):
    table = frame({"t": ["p", "q", "p"], "w": [1, 1, 2], "l": ["x", "y", None]})
    signals = WeakSignals.from_long(table, task="t", worker="w", label="l")
    assert signals.index.tolist() == ["p", "q"]
    assert signals.names == ("1", "2")
    assert signals.votes.tolist() == [[0, -1], [1, -1]]
    skipped = frame({"t": [1, 1, 2], "w": [1, 2, 1], "l": ["x", "?", None]})
    names = {"task": "t", "worker": "w", "label": "l"}
    signals = WeakSignals.from_long(skipped, **names, abstain="?", classes=["x", "y"])
    assert signals.votes.tolist() == [[0, -1], [-1, -1]]
    with pytest.raises(SignalsError, match="'worker'; the table has 't'"):
        WeakSignals.from_long(table, task="t", label="l")


@pytest.mark.parametrize(
    ("values", "dtype", "classes"),
    [
        ([1, None, 0], "Int8", [0, 1]),
        (["y", None, "x"], "category", ["x", "y"]),
        ([1, None, 0], "category", [0, 1]),
    ],
)
def test_pandas_types(pandas, values, dtype, classes):
    table = pandas.DataFrame({"a": pandas.Series(values, dtype=dtype)})
    signals = WeakSignals.from_frame(table)
    assert signals.votes.ravel().tolist() == [1, -1, 0]
    assert signals.classes.tolist() == classes


def test_polars_types():
    polars = pytest.importorskip("polars", reason="polars is an optional extra")
    for dtype in (polars.Categorical, polars.Enum(["y", "x"]), polars.String):
        table = polars.DataFrame({"a": polars.Series(["y", None, "x"], dtype=dtype)})
        signals = WeakSignals.from_frame(table)
        assert signals.votes.ravel().tolist() == [1, -1, 0], dtype


BAD = {
    "a missing column": ({"a": [0, 1]}, ["a", "z"], "'z'; .*'a'"),
    "no columns": ({"a": [0, 1]}, [], "0 signal columns"),
    "no rows": ({"a": []}, None, "0 rows"),
    "text and numbers": (
        {"a": [0, 1], "b": ["x", "y"]}, ["a", "b"], "a: numbers, b: text.*`signals=`",
    ),
    "fractions": ({"a": [0.5, 1.0]}, None, "0.5.*from_probabilities"),
    "lists": ({"a": [[0], [1]]}, None, "List|list"),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "chosen", "message"), BAD.values(), ids=BAD)
def test_refused(frame, columns, chosen, message):
    with pytest.raises(SignalsError, match=message):
        WeakSignals.from_frame(frame(columns), chosen)


def test_duplicate_columns_are_refused(pandas):
    table = pandas.DataFrame([[0, 1], [1, 0]], columns=["a", "a"])
    for read in (WeakSignals.from_frame, ConstrainedLabeler().fit):
        with pytest.raises(SignalsError, match="'a'"):
            read(table)


def test_what_is_no_eager_frame_is_refused():
    with pytest.raises(SignalsError, match=r"data frame .* list was given"):
        WeakSignals.from_frame([[0, 1]])
    polars = pytest.importorskip("polars", reason="polars is an optional extra")
    lazy = polars.LazyFrame({"a": [0, 1]})
    for read in (WeakSignals.from_frame, WeakSignals.from_votes):
        with pytest.raises(SignalsError, match="relations and Spark"):
            read(lazy)


# -- prediction -----------------------------------------------------------------------


def test_new_frames_are_read_by_name(frame):
    fitted = WeakSignals.from_frame(frame({"a": ["x", "y"], "b": ["y", None]}))
    new = fitted.schema.read(frame({"id": [3, 4], "b": ["x", "y"], "a": [None, "y"]}))
    assert new.names == ("a", "b")
    assert new.votes.tolist() == [[-1, 0], [1, 1]]
    for columns, word in (
        ({"a": ["x"], "c": ["x"]}, "'b'"),
        ({"a": [], "b": []}, "0 rows"),
    ):
        with pytest.raises(SignalsError, match=word):
            fitted.schema.read(frame(columns))


def test_a_labeler_predicts_on_frames_and_arrays_alike(frame):
    table = frame({"a": [0, 1, 1, None], "b": [0, 1, 0, None]})
    labeler = ConstrainedLabeler(0.1).fit(table)
    assert labeler.signal_names_ == ("a", "b")
    array = [[0, 0], [1, 1], [1, 0], [nan, nan]]
    np.testing.assert_array_equal(
        labeler.predict_proba(table), labeler.predict_proba(array)
    )
    assert labeler.predict(table)[-1] == -1


def test_hugging_face_datasets():
    datasets = pytest.importorskip("datasets", reason="datasets is an optional package")
    table = datasets.Dataset.from_dict(
        {"text": ["p", "q", "r"], "a": [0, -1, 1], "b": [0, 1, 1]}
    )
    chosen = table.select([2, 0, 1])  # rows in an order of their own
    found = corral.label(chosen, id="text", error_rates=0.3)
    assert isinstance(found, datasets.Dataset)
    assert found["text"][:] == ["r", "p", "q"]
    expected = corral.label([[1, 1], [0, 0], [-1, 1]], error_rates=0.3)
    np.testing.assert_allclose(found["p_1"][:], expected[:, 1])
    long = datasets.Dataset.from_dict(
        {"task": ["p", "p", "q"], "worker": ["i", "j", "i"], "label": ["x", "y", "x"]}
    )
    found = corral.label(long, task="task", error_rates=0.3)
    assert found["task"][:] == ["p", "q"]
    names = {"a": datasets.ClassLabel(names=["neg", "pos"])}
    names["b"] = datasets.ClassLabel(names=["pos", "neg"])
    votes = {"a": [0, 1, 1, None], "b": [1, 0, 1, -1]}
    coded = datasets.Dataset.from_dict(votes, features=datasets.Features(names))
    read = WeakSignals.from_frame(coded)
    assert read.classes.tolist() == ["neg", "pos"]
    assert read.votes.tolist() == [[0, 0], [1, 1], [1, 0], [-1, -1]]
    assert corral.label(coded)["label"][:2] == ["neg", "pos"]
    with pytest.raises(SignalsError, match="Choose a split"):
        corral.label(datasets.DatasetDict({"train": table}))
