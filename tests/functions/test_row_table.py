"""The same answers from every kind of data."""

import copy
import pickle

import numpy as np
import pytest

import corral
from corral.errors import SignalsError
from corral.functions import keywords, model, signal, threshold
from corral.functions.base import Row, Table

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
    model(low, "stars", proba=False),
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
    assert repr(row) == "Row({'text': 'a', 'values': 3})"


def test_what_a_mapping_lacks_is_missing():
    spam = keywords("text", "good", "pos")
    rows = [{"text": "good"}, {"stars": 1}, None]
    assert spam.apply(rows).to_list() == ["pos", None, None]
    with pytest.raises(SignalsError, match="no column 'text' in any row"):
        spam.apply(rows[1:])


@pytest.mark.parametrize("data", [[], np.zeros((0, 3)), ()])
def test_no_rows(data):
    with pytest.raises(SignalsError, match="0 rows"):
        Table(data)


@pytest.mark.parametrize("data", ["text", 3, None, {"text": ["a"]}, np.array(3)])
def test_what_is_no_data(data):
    with pytest.raises(SignalsError, match="a list or an array was expected"):
        Table(data)


def test_columns_that_are_not_there():
    with pytest.raises(
        SignalsError, match="no column named 'txt'; the table has 'text', 's"
    ):
        keywords("txt", "a", "x").apply(frames()[0])
    with pytest.raises(SignalsError, match="must name the column that it reads"):
        keywords(None, "a", "x").apply(frames()[0])
    with pytest.raises(SignalsError, match="no column 'text' in row 1, a str"):
        keywords("text", "a", "x").apply(["a"])
    with pytest.raises(SignalsError, match="no column 0 in row 1, a str"):
        keywords(0, "a", "x").apply(["a"])
