"""Where labels may go: never over an input, and over a file only if asked."""

import os
from pathlib import Path

import numpy as np
import pytest

import corral
from corral.errors import ParameterError, SignalsError, StorageError
from corral.io.files import VoteFiles

TEXT = "id,a,b\n1,0,0\n2,1,1\n"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "votes" / "v.csv"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


def same(_, source):
    return source, source


def dots(_, source):
    return source, source.parent / ".." / source.parent.name / source.name


def a_link_to_the_input(folder, source):
    (folder / "link.csv").symlink_to(source)
    return source, folder / "link.csv"


def the_input_is_a_link(folder, source):
    (folder / "link.csv").symlink_to(source)
    return folder / "link.csv", source


def a_hard_link(folder, source):
    os.link(source, folder / "hard.csv")
    return source, folder / "hard.csv"


def a_file_of_the_folder(_, source):
    return source.parent, source


def a_new_file_in_the_folder(_, source):
    return source.parent, source.parent / "labels.csv"


def a_new_file_in_a_link_to_the_folder(folder, source):
    (folder / "linked").symlink_to(source.parent)
    return source.parent, folder / "linked" / "labels.csv"


def a_file_of_a_pattern(_, source):
    return source.parent / "*.csv", source


INPUTS = [
    same, dots, a_link_to_the_input, the_input_is_a_link, a_hard_link,
    a_file_of_the_folder, a_new_file_in_the_folder, a_new_file_in_a_link_to_the_folder,
    a_file_of_a_pattern,
]  # fmt: skip


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("case", INPUTS, ids=lambda case: case.__name__)
def test_an_output_that_is_an_input(tmp_path, source, case, overwrite):
    votes, output = case(tmp_path, source)
    with pytest.raises(ParameterError, match="output"):
        corral.label(votes, id="id", output=output, overwrite=overwrite)
    assert source.read_text() == TEXT
    assert {path.name for path in source.parent.iterdir()} == {"v.csv"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_pipe_is_not_replaced(tmp_path, source, overwrite):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(StorageError):
        corral.label(source, id="id", output=pipe, overwrite=overwrite)
    assert pipe.is_fifo()


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


def test_an_output_is_replaced_only_if_asked(tmp_path, source):
    output = tmp_path / "labels.csv"
    output.write_text("old")
    options = {"id": "id", "output": output, "labeler": "majority-vote"}
    with pytest.raises(ParameterError, match=r"exists already.*`overwrite=True`"):
        corral.label(source, **options)
    assert output.read_text() == "old"
    corral.label(source, overwrite=True, **options)
    assert output.read_text().startswith("id,a,b,p_1,label")
    with pytest.raises(
        ParameterError, match="`overwrite=` goes with the path of a file"
    ):
        corral.label([[0, 1], [1, 1]], overwrite=True)


def test_links_and_permissions_stay(tmp_path, source):
    real, link = tmp_path / "real.csv", tmp_path / "labels.csv"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    options = {"id": "id", "output": link, "labeler": "majority-vote"}
    corral.label(source, overwrite=True, **options)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert real.read_text().startswith("id,a,b,p_1,label")


@pytest.mark.parametrize("length", [230, 255])
def test_long_names(tmp_path, source, length):
    output = tmp_path / ("a" * (length - 4) + ".csv")
    corral.label(source, id="id", output=output, labeler="majority-vote")
    assert output.exists()
    with pytest.raises(StorageError, match="too long"):
        corral.label(source, id="id", output=tmp_path / ("b" * 252 + ".csv"))


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="Linux has such a folder")
def test_a_place_where_nobody_can_write(source):
    with pytest.raises(StorageError) as raised:
        corral.label(source, id="id", output="/sys/kernel/o.csv")
    assert ".tmp" not in str(raised.value)


FOLDERS = {
    "nothing": ((), "has no files of votes. Their names must end in .csv"),
    "hidden files": (
        (".v.csv", "_SUCCESS"),
        "has no files of votes; names such as '.v.csv' are left out",
    ),
}


@pytest.mark.parametrize(("names", "message"), FOLDERS.values(), ids=FOLDERS)
def test_folders_without_votes(tmp_path, names, message):
    for name in names:
        (tmp_path / name).write_text(TEXT)
    with pytest.raises(SignalsError) as raised:
        VoteFiles(tmp_path)
    assert message in str(raised.value)


def test_rows_out_are_rows_in(tmp_path, source, monkeypatch):
    """A file that grows while it is read is not labelled in part."""
    monkeypatch.setattr("corral.io.files.LOADED_UP_TO", 0)
    file = VoteFiles(source)
    found, _ = file.count(["a", "b"])
    with source.open("a") as more:
        more.write("3,1,1\n")
    with pytest.raises(SignalsError, match="2 rows were read and 3 would be written"):
        file.write(tmp_path / "o.csv", [{"label": np.arange(len(found))}])
    assert {path.name for path in tmp_path.iterdir()} == {"votes"}
