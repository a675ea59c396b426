"""Saved files: what comes back, what is refused, and that nothing in them is run."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.sparse import csr_array

from corral import ConstrainedLabeler, WeakSignals, persist
from corral.datasets import random_votes
from corral.errors import StorageError
from corral.persist import decode, encode, read_file, write_file
from corral.votes import Kind

ARRAYS = {"x": np.arange(300.0), "words": np.array(["a", "bc"])}
SIGNALS = WeakSignals.from_votes(random_votes(80)[0])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "thing.corral"
    write_file(path, "thing", {"k": 2, "none": None, "nan": float("nan")}, ARRAYS)
    return path


@pytest.mark.parametrize(
    "array",
    [
        np.float64(3.5),
        np.zeros((2, 0, 3)),
        np.arange(6, dtype=np.int8).reshape(2, 3).T,
        np.array(["", "é\U0001d518", "a" * 300]),
        np.array([True, False]),
        np.array([np.nan, -np.inf], np.float32),
    ],
)
def test_arrays_come_back(tmp_path, array):
    write_file(tmp_path / "a", "thing", {}, {"x": array})
    back = read_file(tmp_path / "a", "thing")[1]["x"]
    np.testing.assert_array_equal(back, array)
    assert back.dtype == array.dtype


def test_another_kind_or_version_is_refused(file, monkeypatch):
    with pytest.raises(StorageError, match="holds a 'thing', not a 'labeler'"):
        read_file(file, "labeler")
    monkeypatch.setattr(persist, "VERSION", persist.VERSION + 1)
    with pytest.raises(StorageError, match=r"has version \d+ .* reads version"):
        read_file(file, "thing")


class Harm:
    """What pickle would run."""

    def __reduce__(self):
        return print, ("pickle was run",)


def archive_of(**arrays):
    def write(path):
        with path.open("wb") as file:
            np.savez(file, **arrays)

    return write


NPY = b"\x93NUMPY\x01\x00v\x00" + (
    b"{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }".ljust(117) + b"\n"
)
OTHERS = {
    "empty": lambda path: path.write_bytes(b""),
    "csv": lambda path: path.write_text("votes,labels\n"),
    "pickle": lambda path: path.write_bytes(pickle.dumps(Harm())),
    "array": lambda path: path.write_bytes(NPY),
    "archive": archive_of(x=np.arange(3)),
    "objects": archive_of(x=np.array([Harm()], object)),
    "header of objects": archive_of(corral=np.array([Harm()], object)),
    "other JSON": archive_of(corral=np.frombuffer(b"[1]", np.uint8)),
    "missing": lambda path: None,
    "folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_what_corral_did_not_write_is_refused_and_not_run(tmp_path, capsys, make):
    make(tmp_path / "other")
    with pytest.raises(StorageError):
        ConstrainedLabeler.load(tmp_path / "other")
    assert not capsys.readouterr().out


def test_what_no_file_can_hold_is_refused_when_written(tmp_path):
    for settings, arrays in (({}, {"x": np.array([None, {}])}), ({"x": object()}, {})):
        with pytest.raises(StorageError, match="cannot write"):
            write_file(tmp_path / "a", "thing", settings, arrays)
    assert not list(tmp_path.iterdir())


def test_no_value_is_an_abstain(tmp_path):
    """``abstain=[]``: used to be written, and then to be called damaged."""
    votes = random_votes(80)[0] % 3
    signals = WeakSignals.from_votes(votes, abstain=[])
    labeler = ConstrainedLabeler().fit(signals)
    labeler.save(tmp_path / "a")
    again = ConstrainedLabeler.load(tmp_path / "a")
    np.testing.assert_array_equal(again.predict_proba(votes), labeler.labels_)


# -- dataclasses -----------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    weights: np.ndarray
    name: str = "leaf"


@dataclass(frozen=True)
class Tree:
    leaves: tuple[Leaf, ...]
    votes: csr_array
    kind: Kind
    table: dict


KNOWN = {"Leaf": Leaf, "Tree": Tree, "Kind": Kind}


def test_dataclasses_come_back():
    votes = csr_array(np.eye(3, dtype=np.int8))
    tree = Tree(
        (Leaf(np.ones(2)), Leaf(np.zeros(1), "b")), votes, Kind.CLASS_VOTES, {"a": 0.5}
    )
    arrays = {}
    back = decode(encode(tree, arrays, KNOWN, "it"), arrays, KNOWN, "it")
    assert [leaf.name for leaf in back.leaves] == ["leaf", "b"]
    np.testing.assert_array_equal(back.leaves[0].weights, [1, 1])
    np.testing.assert_array_equal(back.votes.toarray(), np.eye(3))
    assert (back.kind, back.table) == (Kind.CLASS_VOTES, {"a": 0.5})


def test_only_known_classes_are_written_and_made():
    with pytest.raises(TypeError, match="cannot be kept in a file"):
        encode(Leaf(np.ones(1)), {}, {}, "it")
    with pytest.raises(KeyError):
        decode({"is": "Popen", "args": "ls"}, {}, KNOWN, "it")
