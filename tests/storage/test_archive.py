"""Archives that were made to harm: refused before they take memory."""

import io
import json
import signal
import subprocess
import sys
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

from corral.errors import StorageError
from corral.storage import archive
from corral.storage.versioned_file import VERSION, read_file, write_file

HEADER = {"version": VERSION, "kind": "thing", "settings": {}, "arrays": {}}
BOMB = 4 * 2**30


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    return stream.getvalue()


def start_of(dtype, shape):
    """What comes in front of an array, however large it would be."""
    stream = io.BytesIO()
    described = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, described)
    return stream.getvalue()


def text(header):
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return npy(np.frombuffer(raw, np.uint8))


def declared(**arrays):
    table = {
        name: {"dtype": dtype, "shape": shape}
        for name, (dtype, shape) in arrays.items()
    }
    return HEADER | {"arrays": table}


def write(path, header=HEADER, entries=(), method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("corral.npy", text(header))
        for name, content in entries:
            archive.writestr(f"{name}.npy", content)
    return path


def bomb(path, header):
    """Four gigabytes of zeros in four megabytes, made from one compressed piece."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = start_of("|u1", (BOMB,))
    pieces = [
        packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)
        for part in (start, bytes(2**24))
    ]
    content = pieces[0] + pieces[1] * (BOMB // 2**24) + packer.flush()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("corral.npy", text(header))
        archive.writestr("x.npy", content)
        entry = archive.getinfo("x.npy")
        entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, BOMB + len(start)
    return path


@pytest.fixture(scope="module")
def bombs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    honest = declared(x=("|u1", [BOMB]))
    return {
        "honest": bomb(folder / "honest", honest),
        "silent": bomb(folder / "silent", declared(x=("|u1", [3]))),
        "old": bomb(folder / "old", honest | {"version": 3}),
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("honest", r"would unpack to 4,294,967,296"),
        ("silent", r"x has 4,294,967,424 bytes instead of 3"),
        ("old", r"has version 3 of the format"),
    ],
)
def test_a_bomb_takes_no_memory(bombs, name, message):
    assert bombs[name].stat().st_size < 2**25
    tracemalloc.start()
    try:
        with pytest.raises(StorageError, match=message):
            read_file(bombs[name], "thing")
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_a_bomb_in_a_process_with_little_memory(bombs):
    """What Python does not trace counts, too."""
    code = (
        "import resource, sys\n"
        "from corral.errors import StorageError\n"
        "from corral.storage.versioned_file import read_file\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))\n"
        "try: read_file(sys.argv[1], 'thing')\n"
        "except StorageError as error: print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(bombs["honest"])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "would unpack to 4,294,967,296" in ran.stdout


def nested():
    return b'{"a":' * 100_000 + b"1" + b"}" * 100_000


HOSTILE = {
    "header is a list": ([1], (), "its header is list, no object"),
    "header is a number": (4, (), "its header is int"),
    "header is nested": (nested(), (), "RecursionError"),
    "header is no JSON": (b"\xff\xfe{}", (), "UnicodeDecodeError"),
    "header is empty": (b"", (), "JSONDecodeError"),
    "no version": ({"kind": "thing"}, (), "has version None"),
    "version is a list": (HEADER | {"version": [4]}, (), r"has version \[4\]"),
    "no settings": ({"version": VERSION, "kind": "thing"}, (), "'settings' is missing"),
    "settings are a list": (HEADER | {"settings": []}, (), "its settings are list"),
    "no table": (
        {"version": VERSION, "kind": "thing", "settings": {}},
        (),
        "'arrays' is missing",
    ),
    "table is a list": (HEADER | {"arrays": []}, (), "not those that its header names"),
    "array that is not named": (
        HEADER, [("x", npy(np.arange(3)))], "not those that its header names",
    ),
    "named array that is not there": (
        declared(x=("<f8", [3])), (), "not those that its header names",
    ),
    "huge shape": (
        declared(x=("<f8", [10**13])),
        [("x", start_of("<f8", (10**13,)))],
        r"x has 128 bytes instead of 80,000,000,000,000",
    ),
    "huge empty shape": (
        declared(x=("<f8", [10**13, 0])),
        [("x", start_of("<f8", (10**13, 0)))],
        "would unpack to 80,000,000,000,000",
    ),
    "shape that overflows": (
        declared(x=("<f8", [2**62, 2**62])),
        [("x", start_of("<f8", (2**62, 2**62)))],
        "bytes instead of",
    ),
    "negative shape": (
        declared(x=("<f8", [-1])), [("x", npy(np.arange(3.0)))], r"has the shape \[-1\]",
    ),
    "shape of text": (
        declared(x=("<f8", "3")), [("x", npy(np.arange(3.0)))], "has the shape '3'",
    ),
    "shape of truths": (
        declared(x=("<f8", [True])), [("x", npy(np.ones(1)))], "has the shape",
    ),
    "shape is null": (declared(x=("<f8", None)), [("x", npy(np.ones(1)))], "TypeError"),
    "another shape": (
        declared(x=("<f8", [2, 3])), [("x", npy(np.ones((3, 2))))], "another array",
    ),
    "another type": (
        declared(x=("<f8", [3])), [("x", npy(np.arange(3)))], "another array",
    ),
    "unknown type": (declared(x=("hello", [3])), [("x", npy(np.ones(3)))], "TypeError"),
    "objects": (
        declared(x=("|O", [1])), [("x", npy(np.array([{"a": 1}], object)))], "no array",
    ),
    "text of no width": (
        declared(x=("<U0", [10**13])), [("x", start_of("<U0", (10**13,)))], "bytes",
    ),
    "no array": (declared(x=("|u1", [30])), [("x", b"x" * 40)], "x is no array"),
    "long array": (
        declared(x=("|u1", [30])),
        [("x", start_of("|u1", (30,)) + b"x" * 31)],
        "x has another length than its shape",
    ),
    "short array": (
        declared(x=("|u1", [30])), [("x", b"x" * 4)], "4 bytes instead of 30",
    ),
    "expression instead of a header": (
        declared(x=("<f8", [1])),
        [("x", b"\x93NUMPY\x01\x00" + b"\x40\x00" + b"(" * 64 + b"x" * 8)],
        "x is no array",
    ),
    "no text": (
        declared(x=("<U1", [1])),
        [("x", start_of("<U1", (1,)) + b"\xff\xff\xff\xff")],
        "holds what is no str",
    ),
    "no truth value": (
        declared(x=("|b1", [1])), [("x", start_of("|b1", (1,)) + b"\x07")], "no bool",
    ),
    "entry twice": (
        declared(x=("<f8", [3])), [("x", npy(np.ones(3)))] * 2, "there twice",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize(
    ("header", "entries", "message"), HOSTILE.values(), ids=HOSTILE
)
def test_hostile_archives(tmp_path, header, entries, message):
    path = write(tmp_path / "a", header, entries)
    with pytest.raises(StorageError, match=message):
        read_file(path, "thing")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compression_is_refused(tmp_path, method):
    """A few bytes of these unpack to gigabytes at once."""
    entries = [("x", npy(np.ones(3)))]
    path = write(tmp_path / "a", declared(x=("<f8", [3])), entries, method)
    with pytest.raises(StorageError, match="corral is packed in a way"):
        read_file(path, "thing")


def test_an_encrypted_entry_is_refused(tmp_path):
    path = write(tmp_path / "a", declared(x=("<f8", [1])), [("x", npy(np.ones(1)))])
    content = bytearray(path.read_bytes())
    local, central = content.rfind(b"PK\x03\x04"), content.rfind(b"PK\x01\x02")
    content[local + 6] |= 1
    content[central + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"damaged \(RuntimeError: .*encrypted"):
        read_file(path, "thing")


def test_a_header_of_gigabytes_is_not_read(tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("corral.npy", "w") as entry,
    ):
        entry.write(start_of("|u1", (2**28,)))
        for _ in range(16):
            entry.write(b" " * 2**24)
    tracemalloc.start()
    try:
        with pytest.raises(StorageError, match="its header has 268,435,584 bytes"):
            read_file(tmp_path / "a", "thing")
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


ARRAYS = {
    "columns first": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "big-endian": np.arange(5, dtype=">i4"),
    "scalar": np.array(7.5),
    "empty": np.empty((0, 3)),
    "no text": np.empty(0, str),
    "text": np.array(["a", "été", "\U0001f40e"]),
    "truths": np.array([[True, False]]),
    "single": np.arange(3, dtype=np.float32),
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_arrays_come_back(tmp_path, array):
    write_file(tmp_path / "a", "thing", {}, {"x": array})
    back = read_file(tmp_path / "a", "thing")[1]["x"]
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array)


def test_what_is_written_can_always_be_read(tmp_path, monkeypatch):
    """Arrays that compress better than a bomb may are stored as they are."""
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    write_file(tmp_path / "a", "thing", {}, {"x": np.zeros(100_000)})
    assert (tmp_path / "a").stat().st_size > 800_000
    assert not read_file(tmp_path / "a", "thing")[1]["x"].any()
    write_file(tmp_path / "a", "thing", {}, {"x": np.zeros(100)})
    assert (tmp_path / "a").stat().st_size < 1200


def test_ctrl_c_amid_an_array_is_heard_after_it(tmp_path, monkeypatch):
    """Closing an archive that has an open entry fails, which hid the interrupt."""
    write = np.lib.format.write_array

    def interrupted(*given, **options):
        signal.raise_signal(signal.SIGINT)
        write(*given, **options)

    monkeypatch.setattr(np.lib.format, "write_array", interrupted)
    with (tmp_path / "a.zip").open("w+b") as file, pytest.raises(KeyboardInterrupt):
        archive.pack(file, {}, {"x": np.arange(3)})
