"""Files of word vectors: read once, mapped later, whole or not at all."""

import gzip
import os
import pickle
import zipfile
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from corral.errors import StorageError
from corral.features import open_vectors, vector_file

LINES = b"the 0.5 -1\nfilm 2e-1 3\n. . . 4 5\nthe 9 9\n\xff\xfe 6 7\n"
VECTORS = [[0.5, -1], [0.2, 3], [4, 5], [9, 9], [6, 7]]


def written(folder, content, name="v.txt"):
    path = folder / name
    if name.endswith("zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("v.txt", content)
    else:
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return path


@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz", "v.zip"])
@pytest.mark.parametrize("head", [b"", b"5 2\n"])
@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_words_and_numbers(tmp_path, monkeypatch, name, head, at_once):
    monkeypatch.setattr(vector_file, "LINES", at_once)
    path = written(tmp_path, head + LINES, name)
    for _ in range(2):  # read, then mapped
        file = open_vectors(path, tmp_path / "cache")
        np.testing.assert_array_equal(file.vectors, np.float32(VECTORS))
        assert isinstance(file.vectors, np.memmap)
        assert file.words == {"the": 0, "film": 1, ". . .": 2, "\ufffd\ufffd": 4}


def test_no_newline_at_the_end_and_windows_line_ends(tmp_path):
    file = open_vectors(written(tmp_path, b"a 1 2\r\nb 3 4"), tmp_path)
    assert file.words == {"a": 0, "b": 1}
    assert file.vectors.tolist() == [[1, 2], [3, 4]]


def test_the_text_is_read_once(tmp_path, monkeypatch):
    path = written(tmp_path, LINES)
    open_vectors(path, tmp_path)
    monkeypatch.setattr(vector_file, "_convert", None)
    open_vectors(path, tmp_path)
    os.utime(path, (1, 1))
    with pytest.raises(TypeError):  # read anew
        open_vectors(path, tmp_path)


def test_another_file_of_the_same_name_is_another(tmp_path):
    path = written(tmp_path, b"a 1 2\n")
    status = path.stat()
    open_vectors(path, tmp_path / "cache")
    written(tmp_path, b"b 3 4\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert open_vectors(path, tmp_path / "cache").words == {"b": 0}


def test_the_cache_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    open_vectors(written(tmp_path, LINES))
    assert len(list((tmp_path / "home" / "corral" / "vectors").iterdir())) == 1


def test_a_pickle_holds_the_path_only(tmp_path):
    content = b"".join(b"w%d %s\n" % (i, b"1 " * 99 + b"2") for i in range(500))
    path = written(tmp_path, content, "v.zip")
    opened = open_vectors(path, tmp_path, member="v.txt")
    file = replace(opened, notes=("a copy",))
    packed = pickle.dumps(file)
    assert len(packed) < 1000
    back = pickle.loads(packed)
    np.testing.assert_array_equal(back.vectors, file.vectors)
    assert (back.member, back.notes) == ("v.txt", ("a copy",))
    assert deepcopy(file) is file
    assert repr(back) == "VectorFile('v.zip': 500 words, 100 numbers each)"


def test_an_archive_of_several_files(tmp_path):
    path = written(tmp_path, LINES, "v.zip")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("w.txt", "a 1\n")
    cache = tmp_path / "cache"
    assert open_vectors(path, cache, member="v.txt").vectors.shape == (5, 2)
    assert open_vectors(path, cache, member="w.txt").words == {"a": 0}
    with pytest.raises(
        StorageError, match=r"holds 'v\.txt', 'w\.txt'; say which by member="
    ):
        open_vectors(path, cache)
    with pytest.raises(StorageError, match=r"holds 'v\.txt', 'w\.txt'; not 'x\.txt'"):
        open_vectors(path, cache, member="x.txt")
    with pytest.raises(StorageError, match=r"no zip, so it has no 'v\.txt'"):
        open_vectors(written(tmp_path, LINES), cache, member="v.txt")


def test_another_thread_may_be_faster(tmp_path, monkeypatch):
    path = written(tmp_path, LINES)
    convert = vector_file._convert

    def slow(*args):
        monkeypatch.setattr(vector_file, "_convert", convert)
        open_vectors(path, tmp_path / "cache")
        convert(*args)

    monkeypatch.setattr(vector_file, "_convert", slow)
    assert open_vectors(path, tmp_path / "cache").vectors.shape == (5, 2)
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no word vectors"),
        (b"5 2\n", "no word vectors"),
        (b"a\nb\n", "line 1 .* a word and 1 numbers"),
        (b"a 1 2\nb 3\n", "line 2 .* 2 numbers; it is 'b 3'"),
        (b"2 2\na 1 2\nb 3\n", "line 3 .* 2 numbers"),
        (b"a 1 2\nb 3 x\n", "line 2 .* 2 numbers; it is 'b 3 x'"),
        (b"a 1 2\n\nb 3 4\n", "line 2 .*''"),
        (b"\na 1 2\n", "line 1 .*''"),
        (b"a 1 2\nb nan 4\n", "line 2 .* vector of 'b' .* not finite"),
        (b"2 2\na 1 2\nthe film 3 -inf\n", "line 3 .* vector of 'the film' .* not"),
        (b"a 1 1e39\nb 3 4\n", "line 1 .* vector of 'a' .* too large for 32 bits"),
    ],
)
def test_refused_and_nothing_is_left(tmp_path, content, message):
    with pytest.raises(StorageError, match=message):
        open_vectors(written(tmp_path, content), tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_the_line_of_a_later_block_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(vector_file, "LINES", 2)
    path = written(tmp_path, b"a 1\nb 2\nc 3\nd NaN\ne nan\n")
    with pytest.raises(StorageError, match=r"line 4 .* vector of 'd'"):
        open_vectors(path, tmp_path / "cache")


@pytest.mark.parametrize("name", ["v.txt.gz", "v.zip"])
def test_damaged_and_missing_files(tmp_path, name):
    path = written(tmp_path, LINES * 1000, name)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StorageError, match=f"{name}.*damaged"):
        open_vectors(path, tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())
    path.write_bytes(b"plain text")
    with pytest.raises(StorageError, match="damaged"):
        open_vectors(path, tmp_path / "cache")
    with pytest.raises(StorageError, match=r"no file.*none"):
        open_vectors(tmp_path / "none.txt", tmp_path / "cache")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("glove.6B.300d.first503.txt.gz", (503, 300)),
        ("glove.100d.txt.gz", (85177, 100)),
    ],
)
def test_glove(data, tmp_path, name, shape):
    path = data / "glove" / name
    file = open_vectors(path, tmp_path)
    assert file.vectors.shape == shape
    assert len(file.words) == shape[0]
    with gzip.open(path) as lines:
        word, *numbers = next(lines).decode().split()
    np.testing.assert_array_equal(
        file.vectors[file.words[word]], np.array(numbers, np.float32)
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vectors.npy", b""),
        ("vectors.npy", b"\x93NUMPY\x01\x00v\x00{"),
        ("words.txt", b"\xff\xfe"),
        ("words.txt", b"more\nwords\nthan\nthere\nare\nvectors"),
    ],
)
def test_a_damaged_cache_is_refused(tmp_path, name, content):
    path = written(tmp_path, LINES)
    open_vectors(path, tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    (kept / name).write_bytes(content)
    with pytest.raises(StorageError, match=r"is damaged.*Delete that folder"):
        open_vectors(path, tmp_path / "cache")


def test_a_cache_of_another_array_is_refused(tmp_path):
    path = written(tmp_path, LINES)
    open_vectors(path, tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    np.save(kept / "vectors.npy", np.zeros(9))
    with pytest.raises(StorageError, match="array of float64 of shape"):
        open_vectors(path, tmp_path / "cache")


def test_names_of_entries_are_shown_and_not_run(tmp_path):
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("\x1b]0;title\x07.txt", "\u202etxt.a", "x" * 60_000):
            archive.writestr(name, LINES)
    with pytest.raises(StorageError, match="say which by member=") as refused:
        open_vectors(path, tmp_path / "cache")
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 1000


def test_an_encrypted_entry_is_refused(tmp_path):
    path = written(tmp_path, LINES, "v.zip")
    raw = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + flags] |= 1  # the bit that says so
    path.write_bytes(raw)
    with pytest.raises(StorageError, match=r"is damaged.*encrypted"):
        open_vectors(path, tmp_path / "cache")
