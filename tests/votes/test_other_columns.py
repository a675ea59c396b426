"""Columns that are not votes are left out or refused, in memory as in files."""

import datetime
import re
import warnings

import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, WeakSignals
from corral.errors import ParameterError, SignalsError


def votes(n=200, **more):
    rng = np.random.default_rng(1)
    table = {name: rng.integers(0, 2, n).tolist() for name in ("a", "b", "c")}
    return table | more


DAY = datetime.date(2026, 1, 1)
ASIDE = {
    "ids": (votes(key=list(range(200))), ["key"]),
    "a few ids": ({"id": [1, 2, 3], "a": [0, 1, 0], "b": [0, 1, 1]}, ["id"]),
    "an index without a name": (
        {"": range(6), "a": [0, 1, 2] * 2, "b": [1, 2, 0] * 2}, ["", "column0"],
    ),
    "long texts": ({"t": ["so good " * 20, "bad"], "a": ["x", "y"], "b": [None, "y"]},
                   ["t"]),
    "dates": (votes(4, at=["2026-01-02", "2026-01-02 10:30", "2026-02-01", ""]), ["at"]),
    "days": (votes(3, at=[DAY, DAY, DAY]), ["at"]),
    "all of them": (
        votes(60, key=[f"k{i}" for i in range(60)], text=["so so " * 30] * 60,
              at=["12:30"] * 60),
        ["key", "text", "at"],
    ),
}  # fmt: skip
UNCLEAR = {
    "short texts": ({"t": ["good", "bad", "ugly"], "a": ["x", "y", "x"]}, ["t"]),
    "texts with gaps": (votes(40, t=[*map(str.upper, "klmnopqrst"), *[""] * 30]), ["t"]),
    "lengths": (votes(length=[i % 80 for i in range(200)]), ["length"]),
    "prices and sizes": (
        votes(price=[1 + i % 8 for i in range(200)], size=[i % 9 for i in range(200)]),
        ["price", "size"],
    ),
    "fractions": (votes(price=[0.5 + i % 8 for i in range(200)]), ["price"]),
    "sources": (votes(source=["web", "app"] * 100), ["source"]),
    "all of them": (
        votes(price=[1 + i % 8 for i in range(200)], gold=[0, 1] * 100,
              source=["web", "app"] * 100),
        ["price", "gold", "source"],
    ),
}  # fmt: skip
TRUTHS = ["label", "Ground_Truth", "hand_label_row", "expected_output", "reference"]
UNCLEAR |= {name: (votes(20, **{name: [0, 1] * 10}), [name]) for name in TRUTHS}


def write(path, table):
    lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join([",".join(table), *lines]) + "\n")
    return path


def named(message):
    return re.findall(r"'([^']*)' \(", str(message))


@pytest.mark.parametrize(("table", "expected"), ASIDE.values(), ids=ASIDE)
def test_what_cannot_be_a_vote_is_left_out_with_a_note(table, expected, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    frame = pandas.DataFrame(table)
    path = write(tmp_path / "table.csv", table)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read = WeakSignals.from_frame(frame)
        corral.label(path, output=tmp_path / "labels.csv", error_rates=0.3)
    assert set(read.names) == set(table) - set(expected)
    notes = [named(w.message) for w in caught if "not read as votes" in str(w.message)]
    assert len(notes) == 2
    for note in notes:  # a file calls a column without a name so
        assert note in (expected, expected[:1], expected[1:])


@pytest.mark.parametrize(("table", "expected"), UNCLEAR.values(), ids=UNCLEAR)
def test_what_may_be_either_is_refused_once(table, expected, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    frame, path = pandas.DataFrame(table), write(tmp_path / "table.csv", table)
    reads = (
        lambda: WeakSignals.from_frame(frame),
        lambda: ConstrainedLabeler().fit(frame),
        lambda: corral.label(frame),
        lambda: corral.label(path, output=tmp_path / "labels.csv"),
    )
    for read in reads:
        with pytest.raises(SignalsError) as caught:
            read()
        assert named(caught.value) == expected
        others = [name for name in table if name not in expected]
        assert f"`signals={others}`" in str(caught.value)
    assert not (tmp_path / "labels.csv").exists()


def test_true_labels_are_votes_if_they_are_chosen(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    frame = pandas.DataFrame(votes(50, label=[0, 1] * 25))
    assert "label" in WeakSignals.from_frame(frame, list(frame.columns)).names
    with pytest.raises(SignalsError, match="true labels"):
        WeakSignals.from_frame(frame, classes=[0, 1])
    with pytest.raises(SignalsError, match="true labels"):
        WeakSignals.from_frame(frame / 2, probabilities=True)
    frame.to_csv(tmp_path / "v.csv", index=False)
    corral.compare(tmp_path / "v.csv", "label", ["majority-vote"])


@pytest.mark.parametrize(("grades", "n"), [(10, 20), (20, 25), (100, 50)])
def test_grades_are_votes(grades, n, tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    for seed in range(20):
        truth = (rng := np.random.default_rng(seed)).integers(1, grades + 1, n)
        said = [rng.normal(truth, grades / 10) for _ in range(4)]
        table = np.clip(np.rint(np.stack(said, 1)), 1, grades).astype(int)
        frame = pandas.DataFrame(table, columns=list("abcd"))
        assert WeakSignals.from_frame(frame).n_signals == 4
        if not seed:
            frame.to_csv(tmp_path / "v.csv", index=False)
            corral.label(tmp_path / "v.csv", output=tmp_path / "o.csv", error_rates=0.5)


GOOD = {
    "rules for one class each": {"a": ["x", None, "x"], "b": [None, "y", None]},
    "a rater and rules": {
        "rater": [f"c{i % 30}" for i in range(300)],
        "rule": ["c3" if i % 30 == 3 or i % 90 == 1 else None for i in range(300)],
    },
    "many classes": {
        "a": [i % 40 for i in range(400)],
        "b": [i % 40 if i % 3 else 5 for i in range(400)],
        "c": [i % 40 if i % 5 else 7 for i in range(400)],
    },
    "a rule called class": {"class": ["x", "y"], "a": ["x", "x"]},
    "rules for a few classes each": {
        "a": [*"pqrs", *[None] * 4], "b": [*[None] * 4, *"tuvw"],
    },
    "many classes on few rows": {
        name: [(i * 7) % 60 if i % (5 + j) else 3 for i in range(100)]
        for j, name in enumerate("abcde")
    },
    "a user and a rating that are rules": {
        "user": ["x", "y", None, "x"], "rating": ["y", "x", "x", None],
    },
}  # fmt: skip


@pytest.mark.parametrize("table", GOOD.values(), ids=GOOD)
def test_votes_are_not_refused(table):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    WeakSignals.from_frame(pandas.DataFrame(table))


def test_columns_that_are_chosen_by_name(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    table = votes(text=["a, b"] * 200, id=list(range(200)))
    frame = pandas.DataFrame(table)
    known = {"error_rates": 0.3}
    expected = corral.label(np.column_stack([table[c] for c in "abc"]), **known)
    for options in ({"id": ["id", "text"]}, {"signals": "[abc]"}, {"id": "[it]*"}):
        found = corral.label(frame, **options, **known)
        np.testing.assert_allclose(found["p_1"], expected[:, 1])
    with pytest.raises(ParameterError, match="also chosen as a signal"):
        corral.label(frame, id="a", signals=["a", "b"])
