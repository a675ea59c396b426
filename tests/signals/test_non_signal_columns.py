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
        crowd(8, 5, "{name} {value}"), "'item' and 'who' hardly ever",
    ),
    "ids": (votes(id=list(range(200))), "'id' has another value in nearly every"),
    "a few ids": ({"id": [7, 8, 9], "a": [0, 1, 0]}, "'id' shares no value"),
    "texts": (
        {"text": ["so good " * 20, "so bad"], "a": ["x", "y"]},
        "'text' holds texts.*`id=`",
    ),
    "ids in a few rows": (
        {"id": range(1, 11), "a": [0, 1] * 5, "b": [1, 1, 0, 0, 1] * 2},
        "'id' has another value",
    ),
    "an index without a name": (
        {"": range(6), "a": [0, 1, 2] * 2, "b": [1, 2, 0] * 2},
        "'(column0)?' has another value",
    ),
    "one vote per row, in thirty rows": (crowd(10, 5), "'item' and 'who' hardly ever"),
    "one vote per row, and one of them twice": (
        {name: [*cells, cells[0]] for name, cells in crowd(200, 30).items()},
        "'item' and 'who' hardly ever",
    ),
    "tasks and answers": (
        {name: cells for name, cells in crowd(200, 30).items() if name != "who"},
        "'item' shares hardly a value",
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
    with pytest.raises(SignalsError, match="columns '0' and '1' hardly ever"):
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
        "rule": ["c3" if i % 30 == 3 or i % 90 == 1 else None for i in range(300)],
    },
    "many classes": {
        "a": [i % 40 for i in range(400)],
        "b": [i % 40 if i % 3 else 5 for i in range(400)],
        "c": [i % 40 if i % 5 else 7 for i in range(400)],
    },
    "a single rater": {"a": ["x", "y", "z"]},
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
    expected = corral.label(np.column_stack([table[c] for c in "abc"]))
    for options in ({"id": ["id", "text"]}, {"signals": "[abc]"}, {"id": "[it]*"}):
        found = corral.label(frame, **options)
        np.testing.assert_allclose(found["p_1"], expected[:, 1])
    with pytest.raises(ValueError, match="also chosen as a signal"):
        corral.label(frame, id="a", signals=["a", "b"])


@pytest.mark.parametrize(("n", "m", "k"), [(200, 5, 20), (60, 10, 10), (100, 6, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_sparse_votes_with_nan_are_no_long_tables(n, m, k, seed):
    rng = np.random.default_rng(seed)
    votes = np.where(rng.random((n, m)) < 0.15, rng.integers(0, k, (n, m)), np.nan)
    signals = WeakSignals.from_votes(votes)
    assert signals.n_signals == m


def test_abstains_and_spellings_are_known_here_too():
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    frame = pandas.DataFrame(
        {"a": ["pos", "neg", "skip"] * 30, "b": ["Pos", "Neg", "-"] * 30,
         "c": ["POS", "NEG", "POS"] * 30}
    )  # fmt: skip
    with pytest.raises(SignalsError, match="`normalise=True`"):
        WeakSignals.from_frame(frame, abstain=["skip", "-"])
    read = WeakSignals.from_frame(frame, abstain=["skip", "-"], normalise=True)
    assert read.classes.tolist() == ["neg", "pos"]


def test_a_file_of_pandas_with_gaps_in_some_columns(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is an optional extra")
    frame = pandas.DataFrame(np.random.default_rng(0).integers(0, 3, (100, 3)))
    frame.columns = list("abc")
    frame.loc[::7, "a"] = np.nan  # 0.0 and 1.0 there, 0 and 1 in the others
    frame.to_csv(tmp_path / "v.csv", index=False)
    corral.label(tmp_path / "v.csv", output=tmp_path / "o.csv", error_rates=0.5)
    found = pandas.read_csv(tmp_path / "o.csv")
    expected = corral.label(frame, error_rates=0.5)
    np.testing.assert_allclose(found["p_2"], expected["p_2"], atol=1e-12)
