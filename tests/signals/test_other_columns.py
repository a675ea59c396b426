"""Tables that are not votes are refused at once, in memory as in files."""

import numpy as np
import pytest

import corral
from corral import ConstrainedLabeler, WeakSignals
from corral.errors import SignalsError


def crowd(n_tasks=100, n_workers=12, written="{value}"):
    """A table with one vote per row, as columns."""
    rng = np.random.default_rng(0)
    rows = [
        (task, worker, int(rng.random() < 0.7))
        for task in range(n_tasks)
        for worker in rng.choice(n_workers, 4, replace=False).tolist()
    ]
    columns = dict(zip(("item", "who", "said"), zip(*rows, strict=True), strict=True))
    if written == "{value}":
        return {name: list(column) for name, column in columns.items()}
    return {
        name: [written.format(name=name, value=value) for value in column]
        for name, column in columns.items()
    }


def votes(n=200, **more):
    rng = np.random.default_rng(1)
    table = {name: rng.integers(0, 2, n).tolist() for name in ("a", "b", "c")}
    return table | more


TABLES = {
    "one vote per row": (crowd(), r"'item' and 'who'.*`task=`, `worker=`"),
    "one vote per row, by name": (
        {"task": [0, 0, 1], "Worker_ID": [0, 1, 0], "Labels": [0, 1, 1]},
        "'Worker_ID' and 'Labels' look like.*`task=`",
    ),
    "one vote per row, in words": (
        crowd(8, 5, "{name} {value}"), "'item' shares no value",
    ),
    "ids": (votes(id=list(range(200))), "'id' has another value in nearly every"),
    "a few ids": ({"id": [7, 8, 9], "a": [0, 1, 0]}, "'id' shares no value"),
    "texts": (
        {"text": ["so good " * 20, "so bad"], "a": ["x", "y"]},
        "'text' holds texts.*`id=`",
    ),
    "another question": (votes(age=[3, 4] * 100), "'age' shares no value"),
    "numbers with few repeats": (
        votes(price=[i // 3 for i in range(200)]), "'price' shares hardly a value",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("table", "message"), TABLES.values(), ids=TABLES)
def test_refused_in_memory(table, message):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    frame = pandas.DataFrame(table)
    for read in (WeakSignals.from_frame, ConstrainedLabeler().fit, corral.label):
        with pytest.raises(SignalsError, match=message):
            read(frame)


@pytest.mark.parametrize(("table", "message"), TABLES.values(), ids=TABLES)
def test_refused_in_files(tmp_path, table, message):
    lines = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join([",".join(table), *lines]) + "\n")
    with pytest.raises(SignalsError, match=message):
        corral.label(path, output=tmp_path / "labels.csv")
    assert not (tmp_path / "labels.csv").exists()


def test_refused_as_an_array():
    table = np.column_stack(list(crowd().values()))
    with pytest.raises(SignalsError, match="columns '0' and '1' never"):
        ConstrainedLabeler().fit(table)


def test_very_many_classes():
    table = np.random.default_rng(0).integers(0, 400, (700, 2))
    with pytest.raises(SignalsError, match="different values would be"):
        WeakSignals.from_votes(table)
    assert WeakSignals.from_votes(table, classes=range(400)).n_classes == 400


GOOD = {
    "rules for one class each": {"a": ["x", None, "x"], "b": [None, "y", None]},
    "a rater and rules": {
        "rater": [f"c{i % 30}" for i in range(300)],
        "rule": ["c3" if i % 7 == 0 else None for i in range(300)],
    },
    "many classes": {
        "a": [i % 40 for i in range(400)],
        "b": [i % 40 if i % 3 else 5 for i in range(400)],
        "c": [i % 40 if i % 5 else 7 for i in range(400)],
    },
    "a single rater": {"a": ["x", "y", "z"]},
}


@pytest.mark.parametrize("table", GOOD.values(), ids=GOOD)
def test_votes_are_not_refused(table):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    WeakSignals.from_frame(pandas.DataFrame(table))


def test_columns_that_are_chosen_by_name(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    table = votes(text=["a, b"] * 200, id=list(range(200)))
    frame = pandas.DataFrame(table)
    expected = corral.label(np.column_stack([table[c] for c in "abc"]))
    for options in ({"id": ["id", "text"]}, {"signals": "[abc]"}, {"id": "[it]*"}):
        found = corral.label(frame, **options)
        np.testing.assert_allclose(found["p_1"], expected[:, 1])
    with pytest.raises(ValueError, match="also chosen as a signal"):
        corral.label(frame, id="a", signals=["a", "b"])
