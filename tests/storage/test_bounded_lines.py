"""Lines of files that were made to fill memory."""

import gzip
import re

import pytest

import corral
from corral.errors import SignalsError, StorageError
from corral.features import open_vectors
from corral.storage.bounded_lines import bounded_lines
from corral.tables import VoteFiles


@pytest.mark.parametrize("pattern", [b"a", b" \n"])
def test_a_packed_file_that_explodes_is_refused(tmp_path, pattern):
    packed = gzip.compress(pattern * (2**25 // len(pattern)))
    for name, read in (
        ("judges.jsonl.gz", corral.read_judges),
        ("votes.csv.gz", VoteFiles),
        ("words.txt.gz", lambda path: open_vectors(path, tmp_path / "cache")),
    ):
        (tmp_path / name).write_bytes(packed)
        with pytest.raises((SignalsError, StorageError), match=name):
            read(tmp_path / name)


def test_lines_as_they_are(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("a\n\nb")
    with path.open() as stream:
        assert list(bounded_lines(stream, path)) == ["a\n", "\n", "b"]


def test_lines_that_pack_well_are_read(tmp_path):
    """As those of a judge that repeat a long prompt, which gzip makes little of."""
    path = tmp_path / "a.txt.gz"
    prompt = "".join(chr(97 + i * i % 26) for i in range(10_000)) + "\n"
    path.write_bytes(gzip.compress(3_000 * prompt.encode()))
    assert path.stat().st_size * 100 < 3_000 * len(prompt)
    with gzip.open(path, "rt") as stream:
        assert sum(1 for _ in bounded_lines(stream, path)) == 3_000


def test_what_is_refused_is_told_as_it_was_counted(tmp_path, monkeypatch):
    """Many short lines are too much though their bytes are few."""
    monkeypatch.setattr("corral.storage.bounded_lines.FEW", 1_000)
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"a\n" * 2_000_000, 9, mtime=0))
    with (
        gzip.open(path, "rt") as stream,
        pytest.raises(
            StorageError, match=r"unpacks to [\d,]+ lines of [\d,]+ bytes"
        ) as told,
    ):
        list(bounded_lines(stream, path))
    number, size, disk = (
        int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", str(told.value))
    )
    assert size == 2 * number
    assert disk == path.stat().st_size
