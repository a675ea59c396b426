"""The same answers from every kind of data; plain functions of a row."""

import copy
import pickle

import numpy as np
import pytest

import corral
from corral.errors import FunctionError, ParameterError, SignalsError
from corral.functions import keywords, llm, lookup, model, signal, threshold
from corral.functions.base import Examples, Row

TEXTS = ["good film", None, "bad film"]
STARS = [5, 3, 1]


def frames():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"text": TEXTS, "stars": STARS}
    return pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)


def low(stars):
    return ["neg" if s < 4 else None for s in stars]


FUNCTIONS = [
    keywords("text", "good", "pos"),
    threshold("stars", "neg", below=2),
    signal(name="row")(lambda row: "pos" if row["stars"] > 3 else None),
    model(low, "stars"),
]
VOTES = [[1, -1, 1, -1], [-1, -1, -1, 0], [-1, 0, -1, 0]]


def test_frames_of_every_library_and_lists_of_mappings():
    rows = [{"text": t, "stars": s} for t, s in zip(TEXTS, STARS, strict=True)]
    for data in (*frames(), rows):
        assert corral.apply(FUNCTIONS, data).votes.tolist() == VOTES, type(data)


def test_columns_by_themselves():
    spam = keywords(None, "good", "pos")
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    series = polars.Series(TEXTS), pandas.Series(TEXTS)
    arrow = pytest.importorskip("pyarrow")
    arrays = arrow.array(TEXTS), arrow.chunked_array([TEXTS])
    for data in (TEXTS, tuple(TEXTS), np.array(TEXTS, object), *series, *arrays):
        assert spam.apply(data).to_list() == ["pos", None, None]


def test_a_model_gets_the_columns_as_a_frame():
    for frame in frames()[:2]:
        seen = []
        asked = model(lambda part, seen=seen: seen.append(part) or [0.5] * 3, ["stars"])
        asked.apply(frame)
        assert type(seen[0]) is type(frame)
        assert list(seen[0].columns) == ["stars"]


def test_rows_of_a_frame():
    row = Row({"text": "a", "values": 3})
    assert (row.text, row["text"], row.values) == ("a", "a", 3)
    with pytest.raises(KeyError, match="no column 'txt'; the row has text, values"):
        row["txt"]
    with pytest.raises(AttributeError, match="no column 'txt'"):
        row.txt  # noqa: B018
    assert "text" in row
    assert (list(row), row.get("txt", 4), dict(row)) == (
        ["text", "values"],
        4,
        {"text": "a", "values": 3},
    )
    assert pickle.loads(pickle.dumps(row)).text == copy.deepcopy(row).text == "a"


def test_what_a_mapping_lacks_is_missing():
    spam = keywords("text", "good", "pos")
    rows = [{"text": "good"}, {"stars": 1}, None]
    assert spam.apply(rows).to_list() == ["pos", None, None]
    named = keywords("get", "good", "pos")  # as a method of a dict
    assert named.apply([Row({"get": "good"})]).to_list() == ["pos"]
    with pytest.raises(SignalsError, match="no column 'text' in any row"):
        spam.apply(rows[1:])


@pytest.mark.parametrize(
    "data", [[], np.zeros((0, 3)), "text", 3, None, {"text": ["a"]}, np.array(3)]
)
def test_what_is_no_data(data):
    with pytest.raises(SignalsError, match=r"0 rows|was expected"):
        Examples(data)


def test_columns_that_are_not_there():
    frame = frames()[0]
    for column, data in (("txt", frame), (None, frame), ("text", ["a"]), (0, ["a"])):
        with pytest.raises(SignalsError, match="column"):
            keywords(column, "a", "x").apply(data)


# -- plain functions of a row -----------------------------------------------------


def test_a_decorated_function_is_still_a_function():
    @signal
    def even(number):
        """Say whether it is."""
        return "even" if number % 2 == 0 else None

    assert (even(2), even(3), even.name) == ("even", None, "even")
    assert (even.__name__, even.__doc__) == ("even", "Say whether it is.")
    assert even.apply([2, 3]).to_list() == ["even", None]
    named = signal(name="n", label="x")(lambda _: None)
    assert (named.name, named.label) == ("n", "x")


@pytest.mark.parametrize("silent", [None, "", float("nan"), -1, np.int64(-1)])
def test_abstains(silent):
    assert signal(lambda _: silent).apply([0]).to_list() == [None]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("a", "a"),
        (np.str_("a"), "a"),
        (np.int64(3), 3),
        (True, True),
        (np.False_, False),
        (0.25, ("x", 0.25)),
        (np.float32(0.25), ("x", 0.25)),
        (("a", 0.25), ("a", 0.25)),
        (["a", 0.25], ("a", 0.25)),
        (1.0, "x"),
    ],
)
def test_answers(said, read):
    assert signal(label="x")(lambda _: said).apply([0]).to_list() == [read]


@pytest.mark.parametrize(
    "said", [1.5, [1], (-1, 0.9), ("a", 2), ("a", "b"), (0.5, 0.5), {}, object()]
)
def test_what_is_no_answer(said):
    with pytest.raises(FunctionError, match=r"signal '<lambda>' failed on row 1"):
        signal(lambda _: said).apply([0])


@pytest.mark.parametrize(
    "builder",
    [
        lambda: keywords(None, "bad", -1),
        lambda: lookup(None, {"bad": np.int8(-1)}),
        lambda: llm(list, "{}", {"yes": 1, "no": 0, "unsure": -1}),
        lambda: signal(label=-1)(len),
    ],
)
def test_no_class_is_called_minus_one(builder):
    with pytest.raises(ParameterError, match="-1 means that a signal abstains"):
        builder()
