"""What every reader does with a file that is cut off, wrong or not there."""

import pytest
from tests.datasets.readers.small_files import FORMATS

from corral.errors import StorageError

# Half of a text can be a text, too; `load` finds that by the hash.
BINARY = sorted(FORMATS.keys() - {"sst2", "trec", "crowd"})


@pytest.mark.parametrize("name", FORMATS)
def test_whole(name, tmp_path):
    write, read = FORMATS[name]
    assert read(write(tmp_path)) is not None


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_truncated(name, share, tmp_path):
    write, read = FORMATS[name]
    path = write(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(StorageError, match=rf"(?s)expected .*{path.name}.*truncated"):
        read(path)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("content", [b"", b"\x00\xff\x80 something else\n"])
def test_another_file(name, content, tmp_path):
    write, read = FORMATS[name]
    path = write(tmp_path)
    path.write_bytes(content)
    with pytest.raises(StorageError, match=rf"(?s)expected .*{path.name}"):
        read(path)


@pytest.mark.parametrize("name", FORMATS)
def test_not_there(name, tmp_path):
    write, read = FORMATS[name]
    path = write(tmp_path)
    path.unlink()
    with pytest.raises(StorageError, match=path.name):
        read(path)
