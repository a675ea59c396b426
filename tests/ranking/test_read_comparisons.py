"""Tables of any kind and spelling are read as the same comparisons, or refused."""

import json

import numpy as np
import pytest

import corral
from corral.datasets import random_comparisons
from corral.errors import ParameterError, SignalsError
from corral.ranking.read_comparisons import ComparisonReader

ITEMS = {"x": 1.0, "y": 0.3, "z": -0.2, "007": -1.1}
MADE = random_comparisons(300, ITEMS, {"1": (1, 0.4), "2": (0.7, -0.2)}, seed=5)
ROWS = list(zip(*(MADE[name].tolist() for name in MADE), strict=True))


def wrote(path, kind):
    names = list(MADE)
    if kind == "csv":
        lines = [",".join(map(str, row)) for row in [names, *ROWS]]
    else:
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in ROWS]
    path = path / f"votes.{kind}"
    path.write_text("\n".join(lines))
    return path


def as_frame(library):
    module = pytest.importorskip(library)
    columns = {name: values.tolist() for name, values in MADE.items()}
    if library == "pyarrow":
        return module.table(columns)
    return module.DataFrame(columns)


def as_relation(kind):
    frame = as_frame("polars")
    if kind == "lazy":
        return frame.lazy()
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql("FROM frame")


def expect_equal(found, want):
    assert found.items == want.items
    np.testing.assert_allclose(found.strengths, want.strengths, atol=1e-6)
    np.testing.assert_allclose(found.interval, want.interval, atol=1e-6)
    np.testing.assert_allclose(
        found.judges.first_share, want.judges.first_share, atol=1e-6
    )


@pytest.fixture(scope="module")
def want():
    return corral.preferences(MADE, judge="judge", task="task")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_files(tmp_path, want, kind):
    path = wrote(tmp_path, kind)
    expect_equal(corral.preferences(path, judge="judge", task="task"), want)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(want, library):
    expect_equal(
        corral.preferences(as_frame(library), judge="judge", task="task"), want
    )


def test_parquet(tmp_path, want):
    path = tmp_path / "votes.parquet"
    as_frame("polars").write_parquet(path)
    expect_equal(corral.preferences(path, judge="judge", task="task"), want)


@pytest.mark.parametrize("kind", ["lazy", "relation"])
def test_lazy_tables(want, kind):
    expect_equal(
        corral.preferences(as_relation(kind), judge="judge", task="task"), want
    )


def test_arrays_have_their_columns_in_order():
    want = corral.preferences(MADE, judge="judge")
    expect_equal(corral.preferences([row[:4] for row in ROWS]), want)
    expect_equal(corral.preferences(np.array([row[:4] for row in ROWS])), want)
    shown = [(*row[:4], "a") for row in ROWS]
    expect_equal(corral.preferences(shown), want)


def test_spellings_of_a_verdict():
    want = corral.preferences(MADE, judge="judge")
    named = {"left": MADE["a"], "right": MADE["b"], "who": MADE["judge"]}
    spelled = [
        ({"a": "left", "b": "right", "tie": "Draw"}, {}),
        ({"a": "A", "b": " b ", "tie": "neither"}, {}),
        (
            {"a": "1", "b": "2", "tie": "0"},
            {"verdicts": {1: "a", 2: "b", "0": "tie"}},
        ),
    ]
    for words, options in spelled:
        said = [words[value] for value in MADE["winner"]]
        found = corral.preferences(
            {**named, "said": said},
            a="left",
            b="right",
            winner="said",
            judge="who",
            **options,
        )
        expect_equal(found, want)
    items = [row[0] if row[2] == "a" else row[1] for row in ROWS]
    said = [i if row[2] != "tie" else "tie" for i, row in zip(items, ROWS, strict=True)]
    expect_equal(corral.preferences({**MADE, "winner": said}, judge="judge"), want)


def test_which_was_shown_first():
    want = corral.preferences(MADE, judge="judge")
    turned = [
        (b, a, {"a": "b", "b": "a"}.get(w, w), judge, a) for a, b, w, judge, _ in ROWS
    ]
    expect_equal(corral.preferences(turned), want)
    frame = dict(zip("abwjf", zip(*turned, strict=True), strict=True))
    found = corral.preferences(frame, winner="w", judge="j", first="b")
    expect_equal(found, want)
    unknown = corral.preferences(MADE, judge="judge", first=None)
    assert np.isnan(unknown.judges.first_share).all()
    assert "order not known" in unknown.reading


def test_counts_stand_for_rows():
    rows = [("x", "y", "x"), ("y", "x", "y"), ("x", "z", "tie"), ("z", "y", "z")]
    counts = [5, 3, 2, 4]
    many = [row for row, n in zip(rows, counts, strict=True) for _ in range(n)]
    a, b, winner = zip(*rows, strict=True)
    table = {"a": a, "b": b, "winner": winner, "n": counts}
    found = corral.preferences(table, counts="n")
    np.testing.assert_allclose(
        found.strengths, corral.preferences(many).strengths, atol=1e-9
    )
    with pytest.raises(SignalsError, match="not negative"):
        corral.preferences({**table, "n": [1, 1, 1, -1]}, counts="n")


def test_missing_verdicts_are_left_out_and_counted():
    rows = [("x", "y", "x"), ("y", "x", "y"), ("x", "y", None), ("x", "y", "n/a")]
    found = corral.preferences(rows)
    assert found.n_verdicts.tolist() == [2, 2]
    assert "2 rows without a verdict left out" in found.reading


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"a": ["x"], "b": ["y"]}, {}, "winner is 'winner', but no column"),
        ({"a": ["x"], "b": ["y"], "winner": ["q"]}, {}, "'q' came for 'x' and 'y'"),
        ({"a": ["x"], "b": ["y"], "winner": [1]}, {}, r"verdicts=\{'1': 'a'\}"),
        ({"a": ["x"], "b": ["x"], "winner": ["a"]}, {}, "an item with itself"),
        ({"a": ["x"], "b": [None], "winner": ["a"]}, {}, "'b' has missing values"),
        ({"a": ["x"], "b": ["y"], "winner": [None]}, {}, "no verdict in any row"),
        ({"a": ["x"], "b": ["y"], "winner": []}, {}, "equally many values"),
        ([], {}, "no rows"),
        ([(1, 2, 3, 4, 5, 6)], {}, "two to five columns"),
        ([("x", "y", "x")] * 30, {}, "first=None"),
        (
            {"a": ["x"], "b": ["y"], "winner": ["a"], "f": ["tie"]},
            {"first": "f"},
            "shown first",
        ),
    ],
)
def test_what_is_refused(table, options, message):
    with pytest.raises((SignalsError, ParameterError), match=message):
        corral.preferences(table, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": 0}, "prior must be a number from 1e-50"),
        ({"prior": 5e-324}, "prior must be a number from 1e-50"),
        ({"level": 1}, "level must be"),
        ({"unconnected": "x"}, "unconnected must be one of"),
        ({"verdicts": {"1": "x"}}, "a, b or tie"),
        ({"slices": "topic"}, "slices is 'topic'"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        corral.preferences(MADE, **options)


def test_rows_are_counted_not_repeated():
    data, _ = ComparisonReader(judge="judge").read(MADE)
    assert len(data.sum_by().first) <= 4 * 3 * 2
    assert data.sum_by().n.sum() == 300


@pytest.mark.parametrize("column", ["a", "winner"])
def test_lists_in_a_column_are_refused(column):
    table = {name: values.tolist() for name, values in MADE.items()}
    table[column][7] = ["x"]
    with pytest.raises(SignalsError, match=f"column '{column}' must hold texts or"):
        corral.preferences(table)
