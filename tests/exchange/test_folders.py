"""Folders: Hugging Face datasets, whose labels are a column, and WRENCH."""

import json

import numpy as np
import pytest
from tests.exchange.exports import (
    CLASSES,
    CODES,
    EXPORTS,
    TEXTS,
    VOTES,
    flat_argilla_records,
    wrench_entries,
)

import corral
from corral.errors import ParameterError, SignalsError, StorageError

ADDED = ["hard_label", "soft_label", "confidence"]


@pytest.fixture
def datasets():
    found = pytest.importorskip("datasets", reason="datasets is an extra")
    found.disable_progress_bars()
    return found


@pytest.fixture
def wide(datasets):
    """A column of class codes per annotator, -1 where there is none."""
    columns = dict(zip(VOTES, np.array(CODES).T.tolist(), strict=True))
    truth = {"truth": [1, 0, -1, -1, -1, -1]}
    made = datasets.Dataset.from_dict({"text": TEXTS, **columns, **truth})
    for name in (*VOTES, "truth"):
        made = made.cast_column(name, datasets.ClassLabel(names=CLASSES))
    return made


def votes_of(found):
    return found.signals.votes.tolist()


def test_columns_of_votes(wide, tmp_path):
    found = corral.read_annotations(wide, signals=list(VOTES), gold="truth")
    assert found.format == "datasets"
    assert votes_of(found) == CODES
    assert found.signals.names == tuple(VOTES)
    assert found.signals.classes.tolist() == CLASSES
    assert found.known.tolist() == ["pos", "neg", None, None, None, None]
    assert found.texts == TEXTS
    wide.save_to_disk(tmp_path / "saved")
    arrow = next((tmp_path / "saved").glob("*.arrow"))
    for path in (tmp_path / "saved", arrow):
        assert votes_of(corral.read_annotations(path, signals=list(VOTES))) == CODES


def test_a_column_of_lists_and_splits(datasets, tmp_path):
    votes = datasets.Dataset.from_dict({"weak_labels": CODES, "text": TEXTS})
    splits = datasets.DatasetDict({"train": votes, "test": votes.select([0, 1])})
    splits.save_to_disk(tmp_path / "saved")
    with pytest.raises(ParameterError, match="split"):
        corral.read_annotations(tmp_path / "saved")
    found = corral.read_annotations(tmp_path / "saved", split="train")
    assert found.signals.names == ("weak_labels_0", "weak_labels_1", "weak_labels_2")
    assert votes_of(found) == CODES
    assert len(corral.read_annotations(splits, split="test")) == 2
    with pytest.raises(ParameterError, match="split"):
        corral.read_annotations(votes, split="test")


def test_datasets_of_argilla_are_known_by_their_columns(datasets):
    made = datasets.Dataset.from_list(flat_argilla_records())
    found = corral.read_annotations(made)
    assert votes_of(found) == CODES
    assert found.question == "sentiment"
    with pytest.raises(ParameterError, match="gold"):
        corral.read_annotations(made, gold="text")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "signals"),
        ({"signals": [*VOTES], "gold": "y"}, "'y'"),
        ({"signals": ["alice", "truth"], "gold": "truth"}, "gold"),
        ({"signals": [*VOTES], "question": "sentiment"}, "question"),
    ],
)
def test_columns_that_are_refused(wide, options, word):
    with pytest.raises(ParameterError, match=word):
        corral.read_annotations(wide, **options)


def test_codes_get_the_names_of_their_own_column(wide, datasets):
    made = datasets.Dataset.from_dict({"ann": [0, 1], "bob": [1, 0]})
    for name, order in (("ann", CLASSES), ("bob", CLASSES[::-1])):
        made = made.cast_column(name, datasets.ClassLabel(names=order))
    found = corral.read_annotations(made, signals=["ann", "bob"])
    assert found.signals.classes.tolist() == CLASSES
    assert votes_of(found) == [[0, 0], [1, 1]]
    odd = wide.remove_columns("truth").add_column("truth", [-2, 0, 0, 0, 0, 0])
    with pytest.raises(SignalsError, match="-2"):
        corral.read_annotations(odd, signals=list(VOTES), gold="truth")


def test_what_is_no_vote_in_a_dataset(datasets):
    made = datasets.Dataset.from_dict({"ann": [0.0, 1.0, None], "bob": [1, 0, 0]})
    found = corral.read_annotations(made, signals=["ann", "bob"])
    assert votes_of(found) == [[0, 1], [1, 0], [-1, 0]]
    assert not found.skipped
    made = datasets.Dataset.from_dict({"r1": ["a", "NA", "b"], "r2": ["a", None, "b"]})
    found = corral.read_annotations(made, signals=["r1", "r2"])
    assert found.skipped == {"answers that mean no vote": 1}


def test_lists_of_votes_have_one_per_signal(datasets):
    lists = [[1, 0], None, [], [0, 1]]
    found = corral.read_annotations(datasets.Dataset.from_dict({"weak_labels": lists}))
    assert found.signals.names == ("weak_labels_0", "weak_labels_1")
    ragged = datasets.Dataset.from_dict({"weak_labels": [[1, 0], [1]]})
    with pytest.raises(SignalsError, match="long"):
        corral.read_annotations(ragged)


def test_soft_labels_are_a_column(wide, datasets, tmp_path):
    found = corral.read_annotations(wide, signals=list(VOTES))
    labeler = corral.MajorityVote().fit(found.signals)
    path = corral.write_annotations(tmp_path / "out", found, labeler)
    made = datasets.load_from_disk(path)
    assert made.column_names == [*wide.column_names, *ADDED]
    np.testing.assert_allclose(made["soft_label"][:], labeler.labels_)
    assert made.features["hard_label"].names == CLASSES
    names = [CLASSES[code] if code >= 0 else None for code in made["hard_label"]]
    assert names == labeler.predict(found.signals).tolist()
    assert made.select_columns(wide.column_names).to_dict() == wide.to_dict()
    again = corral.read_annotations(path, signals=list(VOTES))
    assert votes_of(again) == CODES
    with pytest.raises(StorageError, match="exists"):
        corral.write_annotations(path, found, labeler)
    with pytest.raises(ParameterError, match="hard_label"):
        corral.write_annotations(tmp_path / "more", again, labeler)
    assert [p.name for p in tmp_path.iterdir()] == ["out"], "no draft is left"


def test_answers_of_a_tool_become_a_dataset(datasets, tmp_path):
    found = corral.read_annotations(EXPORTS["label-studio"](tmp_path))
    labeler = corral.MajorityVote().fit(found.signals)
    path = corral.write_annotations(tmp_path / "out", found, labeler, format="datasets")
    made = datasets.load_from_disk(path)
    assert made["text"][:] == TEXTS
    assert made["id"][:] == list(range(10, 16))


def test_without_the_library(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "datasets", None)
    (tmp_path / "state.json").write_text("{}")
    with pytest.raises(StorageError, match="package datasets"):
        corral.read_annotations(tmp_path)


# -- WRENCH -------------------------------------------------------------------------


def test_wrench_labels_are_known_and_features_come_back(tmp_path):
    path, entries = EXPORTS["wrench"](tmp_path), wrench_entries()
    for i, entry in enumerate(entries.values()):
        entry["weak_labels"] = [-1, *entry["weak_labels"]]  # it never votes
        entry |= {"data": {"feature": [0.5, i]}, "label": i % 2}
    (path / "train.json").write_text(json.dumps(entries))
    found = corral.read_annotations(path)
    assert found.signals.names == ("s0", "s1", "s2", "s3")
    assert found.known.tolist() == ["neg", "pos"] * 3
    assert found.texts is None
    corral.write_annotations(tmp_path / "votes", found)
    assert json.loads((tmp_path / "votes" / "train.json").read_text()) == entries
    soft = np.tile([0.9, 0.1], (len(found), 1))
    corral.write_annotations(tmp_path / "out", found, soft, classes=CLASSES[::-1])
    again = json.loads((tmp_path / "out" / "train.json").read_text())
    assert again["3"].pop("soft_label") == [0.1, 0.9], "in the order of its classes"
    assert again["3"] == entries["3"]
    with pytest.raises(ParameterError, match="same classes"):
        corral.write_annotations(tmp_path / "x", found, soft, classes=["a", "b"])
    with pytest.raises(ParameterError, match="split"):
        corral.read_annotations(path, split="test")


@pytest.mark.data
def test_a_published_folder(data):
    found = corral.read_annotations(data / "wrench" / "youtube")
    assert len(found) == 1586
    assert found.signals.n_signals == 10
    assert found.known[0] in found.signals.classes
