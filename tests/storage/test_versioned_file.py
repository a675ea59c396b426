import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from corral.errors import StorageError
from corral.storage import versioned_file
from corral.storage.versioned_file import read_file, write_file

ARRAYS = {"x": np.arange(300.0), "words": np.array(["a", "bc"])}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "thing.corral"
    write_file(path, "thing", {"k": 2, "none": None, "nan": float("nan")}, ARRAYS)
    return path


def test_what_is_written_comes_back(file):
    settings, arrays = read_file(file, "thing")
    assert settings["k"] == 2
    assert settings["none"] is None
    assert np.isnan(settings["nan"])
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype


def test_another_kind_or_version_is_refused(file, monkeypatch):
    with pytest.raises(StorageError, match="holds a 'thing', not a 'labeler'"):
        read_file(file, "labeler")
    monkeypatch.setattr(versioned_file, "VERSION", 7)
    with pytest.raises(StorageError, match=r"has version 6 .* reads version 7"):
        read_file(file, "thing")


OTHERS = {
    "empty": (b"", "it is empty"),
    "csv": (b"votes,labels\n", "it is no archive at all"),
    "zeros": (b"\x00" * 99, "it is no archive at all"),
    "pickle": (pickle.dumps([1, 2]), "it seems to be a pickle"),
}


@pytest.mark.parametrize(("content", "message"), OTHERS.values(), ids=OTHERS)
def test_files_that_corral_did_not_write(tmp_path, content, message):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=f"is no file that corral wrote: {message}"):
        read_file(path, "thing")


def test_an_archive_of_somebody_else(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.arange(3))
    np.savez(tmp_path / "b.npz", x=np.array([{"a": 1}], object))
    for name in ("a.npz", "b.npz"):
        with pytest.raises(StorageError, match="without corral's header") as error:
            read_file(tmp_path / name, "thing")
        assert "pickle" not in str(error.value)


def test_the_beginning_of_a_file(file):
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(StorageError, match=r"is damaged \(its end is missing\)"):
        read_file(file, "thing")


def test_many_threads_write_the_same_file(tmp_path):
    def write(_):
        write_file(tmp_path / "thing", "thing", {}, ARRAYS)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(80)))
    assert [file.name for file in tmp_path.iterdir()] == ["thing"]
    read_file(tmp_path / "thing", "thing")


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(StorageError, match="there is no file"):
        read_file(tmp_path / "nothing", "thing")
    with pytest.raises(StorageError, match="is a folder; give the path of a file"):
        read_file(tmp_path, "thing")


def test_what_no_file_can_hold_is_refused_when_written(tmp_path):
    with pytest.raises(StorageError, match="x is of type object"):
        write_file(tmp_path / "a", "thing", {}, {"x": np.array([None, {}])})
    with pytest.raises(StorageError, match="cannot be written as JSON"):
        write_file(tmp_path / "a", "thing", {"x": object()}, {})
    with pytest.raises(StorageError, match="names and settings take 16,777,"):
        write_file(tmp_path / "a", "thing", {"x": "a" * 2**24}, {})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_file_is_refused_or_read_whole(file, seed):
    """One byte changed, or the end cut off, at a random place."""
    rng = np.random.default_rng(seed)
    content = bytearray(file.read_bytes())
    if seed % 2:
        content = content[: rng.integers(1, len(content))]
    else:
        content[rng.integers(len(content))] ^= 1 + int(rng.integers(255))
    file.write_bytes(content)
    try:
        _, arrays = read_file(file, "thing")
    except StorageError:
        return
    for name, array in ARRAYS.items():  # a byte that means nothing, such as a date
        np.testing.assert_array_equal(arrays[name], array)


def test_a_failed_write_leaves_the_old_file(file, monkeypatch, tmp_path):
    before = file.read_bytes()

    def full(*_, **__):
        raise OSError("no space left")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(StorageError, match="no space left"):
        write_file(file, "thing", {}, ARRAYS)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == [file.name]
