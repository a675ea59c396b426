"""Lines of files that were made to fill memory."""

import gzip

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
