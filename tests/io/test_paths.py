"""Where labels may go: never over an input, and over a file only if asked."""

import numpy as np
import pytest

import corral
from corral.errors import ParameterError, SignalsError
from corral.io.files import VoteFiles

TEXT = "id,a,b\n1,0,0\n2,1,1\n"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "votes" / "v.csv"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("votes", "output"),
    [("v.csv", "v.csv"), (".", "v.csv"), (".", "labels.csv"), ("*.csv", "v.csv")],
)
def test_an_output_that_is_an_input(source, votes, output):
    votes, output = source.parent / votes, source.parent / output
    with pytest.raises(ParameterError, match="output"):
        corral.label(votes, id="id", output=output, overwrite=True)
    assert source.read_text() == TEXT
    assert {path.name for path in source.parent.iterdir()} == {"v.csv"}


@pytest.mark.parametrize(
    ("votes", "output"),
    [
        ("votes/v.csv", "votes/labels.csv"),
        ("votes", "labels.csv"),
        ("votes/*.csv", "votes/labels.parquet"),
        ("votes/v*.csv", "votes/labels.csv"),
        ("*/v.csv", "v.csv"),
    ],
)
def test_an_output_beside_the_input(tmp_path, source, votes, output):
    made = corral.label(
        tmp_path / votes, id="id", output=tmp_path / output, labeler="majority-vote"
    )
    assert made.exists()
    assert source.read_text() == TEXT


@pytest.mark.parametrize("names", [(), (".v.csv", "_SUCCESS")])
def test_folders_without_votes(tmp_path, names):
    for name in names:
        (tmp_path / name).write_text(TEXT)
    with pytest.raises(SignalsError, match="no files of votes"):
        VoteFiles(tmp_path)


def test_rows_out_are_rows_in(tmp_path, source, monkeypatch):
    """A file that grows while it is read is not labelled in part."""
    monkeypatch.setattr("corral.io.files.LOADED_UP_TO", 0)
    file = VoteFiles(source)
    found, _ = file.count(["a", "b"])
    with source.open("a") as more:
        more.write("3,1,1\n")
    with pytest.raises(SignalsError, match="2 rows were read and 3 would be written"):
        file.write(tmp_path / "o.csv", {"label": np.arange(len(found))})
    assert {path.name for path in tmp_path.iterdir()} == {"votes"}
