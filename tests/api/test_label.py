"""The front door gives back the kind of object it was given."""

import duckdb
import numpy as np
import pytest
import scipy.sparse

import corral
from corral import (
    ConstrainedLabeler,
    MajorityVote,
    WeakSignals,
    WeightedVote,
)
from corral.datasets import random_votes
from corral.errors import ParameterError, SignalsError
from corral.labelers.labelled import find_accuracy

VOTES = np.array([[1, 1, -1], [0, 1, 0], [-1, -1, -1], [-1, 0, 0]])
TEXT = {
    "text": ["b", "d", "a", "c"],
    "rule": ["spam", "ham", None, None],
    "crowd": ["spam", "spam", None, "ham"],
}


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def frame(request):
    """A function from a mapping of columns to a data frame."""
    module = pytest.importorskip(request.param, reason=f"{request.param} is an extra")
    return module.table if request.param == "pyarrow" else module.DataFrame


def columns_of(table):
    """Any data frame as a mapping of lists; missing values are None."""
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    if hasattr(table, "iloc"):
        cells = table.astype(object).where(table.notna(), None)
        return {name: cells[name].tolist() for name in cells.columns}
    return {name: table[name].to_list() for name in table.columns}


def test_array():
    labels = corral.label(VOTES, error_rates=0.1)
    assert isinstance(labels, np.ndarray)
    assert labels.shape == (4, 2)
    np.testing.assert_allclose(labels.sum(axis=1), 1)
    np.testing.assert_array_equal(labels[2], [0.5, 0.5])
    assert labels.argmax(axis=1)[[0, 1, 3]].tolist() == [1, 0, 0]
    np.testing.assert_array_equal(
        labels, ConstrainedLabeler(error_rates=0.1).fit(VOTES).labels_
    )


def stored():
    rows, columns = np.nonzero(VOTES >= 0)
    return scipy.sparse.csr_array((VOTES[rows, columns], (rows, columns)), VOTES.shape)


@pytest.mark.parametrize(
    "votes",
    [VOTES.tolist(), np.where(VOTES < 0, np.nan, VOTES), stored(),
     WeakSignals.from_votes(VOTES), np.array(["n", "y", ""])[VOTES]],
    ids=["list", "float", "sparse", "signals", "strings"],
)  # fmt: skip
def test_every_writing_of_votes_gets_the_same_labels(votes):
    np.testing.assert_allclose(corral.label(votes), corral.label(VOTES), atol=1e-12)


def test_a_labeler_by_name_and_its_options():
    labels = corral.label(VOTES, labeler="weighted-vote", accuracies=0.7)
    expected = WeightedVote(accuracies=0.7).fit(VOTES).labels_
    np.testing.assert_array_equal(labels, expected)


# -- data frames ----------------------------------------------------------------------


def test_a_frame_comes_back_as_its_own_kind(frame):
    table = frame(TEXT)
    labelled = corral.label(table, signals=["rule", "crowd"], error_rates=0.1)
    assert type(labelled) is type(table)
    columns = columns_of(labelled)
    assert list(columns) == [*TEXT, "p_ham", "p_spam", "label", "confidence", "covered"]
    assert {name: columns[name] for name in TEXT} == TEXT, "kept, in order"
    assert list(columns_of(table)) == list(TEXT), "the argument is as before"

    votes = np.array([TEXT["rule"], TEXT["crowd"]], object).T
    labels = corral.label(votes, error_rates=0.1)
    np.testing.assert_allclose(columns["p_spam"], labels[:, 1])
    np.testing.assert_allclose(columns["confidence"], labels.max(axis=1))
    assert columns["covered"] == [True, True, False, True]
    assert columns["label"][0] == "spam"
    assert columns["label"][2] is None, "no signal, no label"
    assert columns["label"][3] == "ham"


def test_where_minus_one_is_a_class_no_answer_is_null(frame):
    table = frame({"a": [-1, 1, 0], "b": [-1, 1, 0]})
    columns = columns_of(corral.label(table, abstain=0))
    assert columns["label"] == [-1, 1, None]
    assert "p_1" in columns


def test_prefix_and_names_in_use(frame):
    once = corral.label(frame({"a": [0, 1, 1], "b": [0, 1, 0]}))
    with pytest.raises(ParameterError, match=r"'p_0', 'p_1', 'label', .*prefix="):
        corral.label(once, signals=["a", "b"])
    twice = corral.label(once, signals=["a", "b"], prefix="new_")
    added = [name for name in columns_of(twice) if name.startswith("new_")]
    assert added == [
        *("new_p_0", "new_p_1", "new_label"),
        *("new_confidence", "new_covered"),
    ]
    assert columns_of(twice)["new_p_1"] == columns_of(once)["p_1"]


def test_the_index_of_pandas_is_kept():
    pandas = pytest.importorskip("pandas", reason="pandas is an extra")
    table = pandas.DataFrame({"a": [0, 1, 1], "b": [0, 1, -1]}, index=["q", "p", "q"])
    labelled = corral.label(table)
    assert labelled.index.tolist() == ["q", "p", "q"]
    assert labelled["label"].tolist() == [0, 1, 1]
    filtered = table.iloc[[2, 0]].set_index(pandas.Index([9, 4]))
    assert corral.label(filtered)["label"].tolist() == [1, 0]


# -- refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"signals": ["a"]},
            ParameterError,
            "is not for votes as",
        ),
        (
            {"labeler": MajorityVote(), "error_rates": 0.1},
            ParameterError,
            "error_rates",
        ),
        ({"labeler": "vote"}, ParameterError, "'vote' was given"),
        ({"labeler": 3}, ParameterError, "3 was given"),
        ({"error_rates": [0.1, 0.1]}, ParameterError, "3 signals"),
        ({"classes": [0, 3]}, SignalsError, "votes for 1"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        corral.label(VOTES, **options)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_path_in_gives_a_path_out(tmp_path, ending):
    source, output = tmp_path / "votes.csv", tmp_path / f"labels{ending}"
    source.write_text("id,a,b\n1,spam,spam\n2,ham,spam\n3,,ham\n4,,\n5,spam,spam\n")
    written = corral.label(source, id="id", output=str(output), error_rates=0.1)
    assert written == output
    rows = duckdb.sql(f"SELECT id, label, p_spam FROM '{output}'").fetchall()
    votes = [["spam", "spam"], ["ham", "spam"], ["", "ham"], ["", ""], ["spam", "spam"]]
    labels = corral.label(votes, error_rates=0.1)
    ids = ["1", "2", "3", "4", "5"]  # of CSV all is text that is no signal
    assert [str(row[0]) for row in rows] == ids
    np.testing.assert_allclose([row[2] for row in rows], labels[:, 1], atol=1e-12)
    assert [row[1] for row in rows] == ["spam", "ham", "ham", None, "spam"]


def test_paths_need_an_output_and_only_they(tmp_path):
    (tmp_path / "v.csv").write_text("a,b\n0,1\n1,1\n")
    with pytest.raises(SignalsError, match="there is no file"):
        corral.label(tmp_path / "nofile.csv", output=tmp_path / "o.csv")
    with pytest.raises(ParameterError, match="output="):
        corral.label(tmp_path / "v.csv")
    with pytest.raises(ParameterError, match="goes with the path"):
        corral.label([[0, 1], [1, 1]], output=tmp_path / "o.csv")


def test_how_right_labels_are():
    votes, truth = random_votes(3000, [0.9, 0.85, 0.8, 0.75, 0.7], coverage=0.8)
    signals = WeakSignals.from_votes(votes)
    labeler = corral.ConstrainedLabeler().fit(signals)
    free = find_accuracy(labeler, signals)
    right = labeler.score(signals, truth)
    assert free.low < right < free.high
    assert "votes alone cannot say" in str(free)
    gold = np.where(np.arange(3000) < 200, truth, -1)
    seen = find_accuracy(labeler, signals, gold)
    hits = labeler.predict_proba(signals).argmax(axis=1)[:200] == truth[:200]
    assert seen.n_gold == 200
    assert seen.labels.value == pytest.approx(hits.mean(), abs=0.01)  # ties count half
    taught = corral.ConstrainedLabeler().fit(signals, gold=gold)
    assert find_accuracy(taught, signals, gold).labels is taught.rates_.accuracy
    vote = find_accuracy(corral.MajorityVote().fit(signals), signals)
    assert vote.low is None
