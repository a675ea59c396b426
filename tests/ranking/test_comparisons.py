"""Tables of any kind are read as the same comparisons; unconnected items are named."""

import json
from functools import partial

import numpy as np
import pytest

import corral
from corral.datasets import random_comparisons
from corral.errors import ParameterError, SignalsError

ITEMS = {"x": 1.0, "y": 0.3, "z": -0.2, "007": -1.1}
MADE = random_comparisons(300, ITEMS, {"1": (1, 0.4), "2": (0.7, -0.2)}, seed=5)
ROWS = list(zip(*(MADE[name].tolist() for name in MADE), strict=True))


SPLIT = [("x", "y"), ("y", "x"), ("y", "z"), ("z", "y"), ("u", "v"), ("v", "u")]


def as_file(path, kind):
    path = path / f"votes.{kind}"
    if kind == "parquet":
        as_frame("polars").write_parquet(path)
        return path
    lines = [",".join(map(str, row)) for row in [list(MADE), *ROWS]]
    if kind == "jsonl":
        lines = [json.dumps(dict(zip(MADE, row, strict=True))) for row in ROWS]
    path.write_text("\n".join(lines))
    return path


def as_frame(library):
    module = pytest.importorskip(library)
    columns = {name: values.tolist() for name, values in MADE.items()}
    return (module.table if library == "pyarrow" else module.DataFrame)(columns)


def as_relation(_):
    frame = as_frame("polars")
    return pytest.importorskip("duckdb").from_arrow(frame.to_arrow())


def expect_equal(found, want):
    assert found.items == want.items
    np.testing.assert_allclose(found.strengths, want.strengths, atol=1e-6)
    np.testing.assert_allclose(found.interval, want.interval, atol=1e-6)
    np.testing.assert_allclose(
        found.judges.first_share, want.judges.first_share, atol=1e-6
    )


@pytest.mark.parametrize(
    "make",
    [
        *(partial(as_file, kind=kind) for kind in ("csv", "jsonl", "parquet")),
        *(lambda _, name=n: as_frame(name) for n in ("pandas", "polars", "pyarrow")),
        lambda _: as_frame("polars").lazy(),
        as_relation,
    ],
)
def test_tables_of_any_kind(tmp_path, make):
    options = {"judge": "judge", "task": "task"}
    want = corral.preferences(MADE, **options)
    expect_equal(corral.preferences(make(tmp_path), **options), want)


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


def test_missing_verdicts_are_left_out_and_counted():
    rows = [("x", "y", "x"), ("y", "x", "y"), ("x", "y", None), ("x", "y", "n/a")]
    found = corral.preferences(rows)
    assert found.n_verdicts.tolist() == [2, 2]
    assert "2 rows without a verdict left out" in found.reading


def test_files_of_the_arena_and_of_alpaca_eval_are_known_by_their_columns():
    want = corral.preferences(MADE, judge="judge", task="task")
    arena = {"a": "model_a", "b": "model_b", "tie": "tie (bothbad)"}
    table = {
        "question_id": MADE["task"],
        "model_a": MADE["a"],
        "model_b": MADE["b"],
        "winner": [arena[said] for said in MADE["winner"]],
        "judge": MADE["judge"],
        "turn": [1] * 300,
    }
    found = corral.preferences(table)
    expect_equal(found, want)
    assert "Arena" in found.reading
    few = {**table, "question_id": ["q"] * 300}
    expect_equal(corral.preferences(few), corral.preferences(MADE, judge="judge"))
    want = corral.preferences(MADE, judge="judge", task="task", first=None)
    alpaca = {
        "instruction": MADE["task"],
        "generator_1": MADE["a"],
        "generator_2": MADE["b"],
        "preference": [{"a": 1.0, "b": 2.0, "tie": 1.5}[w] for w in MADE["winner"]],
        "annotator": MADE["judge"],
    }
    expect_equal(corral.preferences(alpaca), want)


@pytest.mark.parametrize(
    ("table", "options", "word"),
    [
        (MADE, {"judge": "judge", "people": "ann"}, "people"),
        (MADE, {"judge": "judge", "people": ["1", "2"]}, "people"),
        (MADE, {"people": "all"}, "people"),
        ({"a": ["x"], "b": ["y"]}, {}, "winner"),
        ({"a": ["x"], "b": ["y"], "winner": ["q"]}, {}, "'q' came for 'x' and 'y'"),
        ({"a": ["x"], "b": ["y"], "winner": [1]}, {}, r"verdicts=\{'1': 'tie'\}"),
        ({"a": ["x"], "b": ["x"], "winner": ["a"]}, {}, "itself"),
        ({"a": ["x"], "b": [None], "winner": ["a"]}, {}, "missing"),
        ({"a": ["x"], "b": ["y"], "winner": [None]}, {}, "no verdict"),
        ({"a": ["x"], "b": ["y"], "winner": []}, {}, "equally many"),
        ({"a": [["x"]], "b": ["y"], "winner": ["a"]}, {}, "'a' must hold texts"),
        ([], {}, "no rows"),
        ([(1, 2, 3, 4, 5, 6)], {}, "columns"),
        ([("x", "y", "x")] * 30, {}, "first=None"),
        ({**MADE, "f": ["tie"] * 300}, {"first": "f"}, "shown first"),
        (MADE, {"prior": 0}, "prior"),
        (MADE, {"prior": np.inf}, "prior"),
        (MADE, {"level": 1}, "level"),
        (MADE, {"verdicts": {"1": "x"}}, "verdicts"),
        (MADE, {"task": "topic"}, "task"),
    ],
)
def test_tables_and_options_that_are_refused(table, options, word):
    with pytest.raises((SignalsError, ParameterError), match=word):
        corral.preferences(table, **options)


def test_groups_are_refused_by_name():
    with pytest.raises(SignalsError, match=r"\{x, y, z\} and \{u, v\}"):
        corral.preferences(SPLIT)


def test_how_far_an_item_that_always_wins_is_ahead_rests_on_the_prior():
    rows = [("best", "x"), ("best", "y"), ("x", "y"), ("y", "x")]
    found = corral.preferences(rows)
    assert found.items[0] == "best"
    assert "{x, y} and {best}" in found.notes[0]
    assert np.isfinite(found.strengths).all()


def test_a_tie_bounds_strengths_on_both_sides():
    rows = [("best", "x", "best"), ("best", "x", "tie")] * 3
    found = corral.preferences(rows, first=None)
    assert not found.notes
    assert found.strengths[0] > 0
