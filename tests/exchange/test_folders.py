"""Folders: Hugging Face datasets, whose labels are a column, and WRENCH."""

import json

import numpy as np
import pytest
from tests.exchange.exports import (
    CLASSES,
    EXPORTS,
    TEXTS,
    VOTES,
    flat_argilla_records,
    wrench_entries,
)

import corral
from corral.errors import ParameterError, SignalsError, StorageError


@pytest.fixture
def datasets():
    found = pytest.importorskip("datasets", reason="datasets is an extra")
    found.disable_progress_bars()
    return found


@pytest.fixture
def wide(datasets):
    """A column of class codes per annotator, -1 where there is none."""
    code = {"neg": 0, "pos": 1, None: -1}
    columns = {who: [code[v] for v in said] for who, said in VOTES.items()}
    truth = {"truth": [1, 0, -1, -1, -1, -1]}
    made = datasets.Dataset.from_dict({"text": TEXTS, **columns, **truth})
    for name in (*VOTES, "truth"):
        made = made.cast_column(name, datasets.ClassLabel(names=CLASSES))
    return made


def votes_of(found):
    return found.signals.votes.tolist()


EXPECTED = [
    [CLASSES.index(said[i]) if said[i] else -1 for said in VOTES.values()]
    for i in range(len(TEXTS))
]


def test_columns_of_votes(wide, tmp_path):
    found = corral.read_annotations(wide, signals=list(VOTES), gold="truth")
    assert found.format == "datasets"
    assert votes_of(found) == EXPECTED
    assert found.signals.names == tuple(VOTES)
    assert found.signals.classes.tolist() == CLASSES
    assert found.known.tolist() == ["pos", "neg", None, None, None, None]
    assert found.texts == TEXTS
    wide.save_to_disk(tmp_path / "saved")
    saved = corral.read_annotations(tmp_path / "saved", signals=list(VOTES))
    assert votes_of(saved) == EXPECTED
    arrow = next((tmp_path / "saved").glob("*.arrow"))
    assert votes_of(corral.read_annotations(arrow, signals=list(VOTES))) == EXPECTED


def test_a_column_of_lists_and_splits(datasets, tmp_path):
    votes = datasets.Dataset.from_dict({"weak_labels": EXPECTED, "text": TEXTS})
    splits = datasets.DatasetDict({"train": votes, "test": votes.select([0, 1])})
    splits.save_to_disk(tmp_path / "saved")
    with pytest.raises(ParameterError, match="split must be one of 'train', 'test'"):
        corral.read_annotations(tmp_path / "saved")
    found = corral.read_annotations(tmp_path / "saved", split="train")
    assert found.signals.names == ("weak_labels_0", "weak_labels_1", "weak_labels_2")
    assert votes_of(found) == EXPECTED
    assert len(corral.read_annotations(splits, split="test")) == 2
    with pytest.raises(ParameterError, match="there are no splits"):
        corral.read_annotations(votes, split="test")


def test_datasets_of_argilla_are_known_by_their_columns(datasets):
    made = datasets.Dataset.from_list(flat_argilla_records())
    found = corral.read_annotations(made)
    assert votes_of(found) == EXPECTED
    assert found.question == "sentiment"


def test_columns_that_are_not_there(wide):
    with pytest.raises(ParameterError, match="Say which are votes with `signals=`"):
        corral.read_annotations(wide)
    with pytest.raises(ParameterError, match="no column is named 'y'"):
        corral.read_annotations(wide, signals=list(VOTES), gold="y")


def test_soft_labels_are_a_column(wide, datasets, tmp_path):
    found = corral.read_annotations(wide, signals=list(VOTES))
    labeler = corral.MajorityVote().fit(found.signals)
    path = corral.write_annotations(tmp_path / "out", found, labeler)
    made = datasets.load_from_disk(path)
    assert made.column_names == [
        *wide.column_names, "hard_label", "soft_label", "confidence",
    ]  # fmt: skip
    np.testing.assert_allclose(made["soft_label"][:], labeler.labels_)
    assert made.features["hard_label"].names == CLASSES
    expected = labeler.predict(found.signals).tolist()
    names = [CLASSES[code] if code >= 0 else None for code in made["hard_label"]]
    assert names == expected
    assert made.select_columns(wide.column_names).to_dict() == wide.to_dict()
    again = corral.read_annotations(path, signals=list(VOTES))
    assert votes_of(again) == EXPECTED
    with pytest.raises(StorageError, match="exists"):
        corral.write_annotations(path, found, labeler)
    with pytest.raises(ParameterError, match="has 'hard_label', 'soft_label'"):
        corral.write_annotations(tmp_path / "more", again, labeler)
    assert not (tmp_path / "more").exists()
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
    with pytest.raises(StorageError, match="needs the package datasets"):
        corral.read_annotations(tmp_path)


def test_wrench_labels_are_known_and_features_come_back(tmp_path):
    path = EXPORTS["wrench"](tmp_path)
    entries = wrench_entries()
    for i, entry in enumerate(entries.values()):
        entry["data"] = {"feature": [0.5, i]}
        entry["label"] = i % 2
    (path / "train.json").write_text(json.dumps(entries))
    found = corral.read_annotations(path)
    assert found.known.tolist() == ["neg", "pos"] * 3
    assert found.texts is None
    labeler = corral.MajorityVote().fit(found.signals)
    corral.write_annotations(tmp_path / "out", found, labeler)
    again = json.loads((tmp_path / "out" / "train.json").read_text())
    assert again["3"].pop("soft_label") == labeler.labels_[3].tolist()
    assert again["3"] == entries["3"]
    with pytest.raises(ParameterError, match="split must be one of 'train'; 'test'"):
        corral.read_annotations(path, split="test")


def test_signals_keep_their_order_also_those_that_never_vote(tmp_path):
    path = EXPORTS["wrench"](tmp_path)
    entries = {
        "0": {"label": 0, "weak_labels": [-1, -1, 1], "data": {"text": "a"}},
        "1": {"label": 1, "weak_labels": [-1, 0, 1], "data": {"text": "b"}},
    }
    (path / "train.json").write_text(json.dumps(entries))
    found = corral.read_annotations(path)
    assert found.signals.names == ("s0", "s1", "s2")
    corral.write_annotations(tmp_path / "out", found)
    assert json.loads((tmp_path / "out" / "train.json").read_text()) == entries


@pytest.mark.data
def test_a_published_folder(data):
    found = corral.read_annotations(data / "wrench" / "youtube")
    assert len(found) == 1586
    assert found.signals.n_signals == 10
    assert found.known[0] in found.signals.classes


def test_every_column_has_its_own_names_of_classes(datasets):
    made = datasets.Dataset.from_dict({"ann": [0, 1], "bob": [1, 0]})
    made = made.cast_column("ann", datasets.ClassLabel(names=["neg", "pos"]))
    made = made.cast_column("bob", datasets.ClassLabel(names=["pos", "neg"]))
    found = corral.read_annotations(made, signals=["ann", "bob"])
    assert found.signals.classes.tolist() == ["neg", "pos"]
    assert votes_of(found) == [[0, 0], [1, 1]]


def test_codes_that_missing_ones_made_floats(datasets):
    made = datasets.Dataset.from_dict({"ann": [0.0, 1.0, None], "bob": [1, 0, 0]})
    found = corral.read_annotations(made, signals=["ann", "bob"])
    assert votes_of(found) == [[0, 1], [1, 0], [-1, 0]]
    assert not found.skipped


def test_lists_of_votes_have_one_per_signal(datasets):
    lists = [[1, 0], None, [], [0, 1]]
    found = corral.read_annotations(datasets.Dataset.from_dict({"weak_labels": lists}))
    assert found.signals.names == ("weak_labels_0", "weak_labels_1")
    ragged = datasets.Dataset.from_dict({"weak_labels": [[1, 0], [1]]})
    with pytest.raises(SignalsError, match=r"equally long.* has 2, and 1 in row 1"):
        corral.read_annotations(ragged)


def test_true_classes_are_no_votes(wide):
    with pytest.raises(ParameterError, match="'truth' is a signal, too"):
        corral.read_annotations(wide, signals=["alice", "truth"], gold="truth")


def test_codes_without_a_name(wide, datasets):
    odd = wide.remove_columns("truth").add_column("truth", [-2, 0, 0, 0, 0, 0])
    with pytest.raises(SignalsError, match="from 0 to 1, or -1; -2 came"):
        corral.read_annotations(odd, signals=list(VOTES), gold="truth")


def test_soft_labels_of_wrench_have_the_order_of_its_classes(wide, tmp_path):
    found = corral.read_annotations(wide, signals=list(VOTES))
    soft = np.tile([0.9, 0.1], (len(found), 1))
    path, order = tmp_path / "out", CLASSES[::-1]
    corral.write_annotations(path, found, soft, classes=order, format="wrench")
    written = json.loads((path / "train.json").read_text())
    assert written["0"]["soft_label"] == [0.1, 0.9]
    with pytest.raises(ParameterError, match="one list of classes"):
        corral.write_annotations(
            tmp_path / "x", found, soft, classes=["a", "b"], format="wrench"
        )
