"""Drafts: whole files or none, links, permissions, and what killed writers leave."""

import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corral.errors import StorageError
from corral.storage.drafts import draft_of
from corral.storage.versioned_file import read_file, write_file

WRITER = """
import sys
from corral.storage.drafts import draft_of
with draft_of(sys.argv[1], folder=len(sys.argv) > 2) as draft:
    print(draft, flush=True)
    sys.stdin.read()
"""


def start_writer(path, *more):
    """A process that holds a draft, and the draft."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), *more],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return process, Path(process.stdout.readline().strip())


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()


def write(path, text="new", folder=False):
    """Write a file; to a folder, text cannot be written."""
    with draft_of(path, folder=folder) as draft:
        draft.write_text(text)


@pytest.mark.parametrize("more", [(), ("folder",)], ids=["file", "folder"])
def test_what_a_killed_writer_left_is_swept_by_the_next(tmp_path, more):
    target = tmp_path / "labels.csv"
    process, left = start_writer(target, *more)
    kill(process)
    assert left.exists()
    write(tmp_path / "other.csv")
    assert left.exists(), "it is no draft of this file"
    write(target)
    assert {path.name for path in tmp_path.iterdir()} == {"labels.csv", "other.csv"}


def test_the_draft_of_a_living_writer_is_left_alone(tmp_path):
    target = tmp_path / "labels.csv"
    process, draft = start_writer(target)
    write(target, "first")
    assert draft.exists()
    assert target.read_text() == "first"
    process.communicate("done")
    assert process.returncode == 0
    assert target.read_text() == "", "the last to finish wins"
    assert [path.name for path in tmp_path.iterdir()] == ["labels.csv"]


def test_many_writers_at_once(tmp_path):
    target = tmp_path / "thing"
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda i: write(target, str(i)), range(200)))
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]
    assert target.read_text().isdigit()


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path, there):
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "a.csv", tmp_path / "link.csv"
    if there:
        real.write_text("old")
    link.symlink_to(real)
    write(link)
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert [path.name for path in real.parent.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444])
def test_permissions_are_kept(tmp_path, mode):
    target = tmp_path / "a.csv"
    target.write_text("old")
    target.chmod(mode)
    with draft_of(target) as draft:
        assert not stat.S_IMODE(draft.stat().st_mode) & ~(mode | 0o600)
        draft.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert target.read_text() == "new"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_new_files_follow_the_umask(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write(tmp_path / "a.csv")
        write_file(tmp_path / "model", "thing", {}, {})
    finally:
        os.umask(before)
    for name in ("a.csv", "model"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


@pytest.mark.parametrize("length", [200, 230, 255])
def test_names_as_long_as_the_system_takes_them(tmp_path, length):
    target = tmp_path / ("a" * length)
    write(target)
    write_file(target, "thing", {"k": 1}, {})
    assert read_file(target, "thing")[0] == {"k": 1}
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["a" * 256, "nowhere/a.csv", "folder"])
def test_errors_name_the_file_and_not_the_draft(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"a{256}|nowhere|folder") as raised:
        write(tmp_path / name)
    assert ".draft" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match=r"cannot write .*/pipe': a device, pipe or"):
        write_file(tmp_path / "pipe", "thing", {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    assert (tmp_path / "pipe").is_fifo()


def test_the_first_error_is_the_one_that_is_raised(tmp_path, monkeypatch):
    """To tidy up may fail as well, as on a disk that has become read-only."""

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    def write_and_fail():
        with draft_of(tmp_path / "a.csv"):
            monkeypatch.setattr(Path, "unlink", refuse)
            raise ValueError("what went wrong")

    with pytest.raises(ValueError, match="what went wrong"):
        write_and_fail()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_write_leaves_the_old_file_and_no_draft(tmp_path, error):
    target = tmp_path / "a.csv"
    target.write_text("old")

    def write_and_fail():
        with draft_of(target) as draft:
            draft.write_text("half")
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_an_interrupt_while_a_draft_is_made_leaves_none(tmp_path, monkeypatch):
    """Between making the file and noting its name, Python may interrupt, too."""
    lock = fcntl.flock

    def interrupt(*given):
        signal.raise_signal(signal.SIGINT)
        return lock(*given)

    monkeypatch.setattr("corral.storage.drafts.fcntl.flock", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "labels.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_a_draft_is_deleted_leaves_none(tmp_path, monkeypatch):
    delete = shutil.rmtree

    def interrupt(*given, **options):
        signal.raise_signal(signal.SIGINT)
        delete(*given, **options)

    monkeypatch.setattr("corral.storage.drafts.shutil.rmtree", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "data", folder=True)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_before_it_can_be_held_leaves_no_draft(tmp_path, monkeypatch):
    def write_and_interrupt():
        with draft_of(tmp_path / "a.csv") as draft:
            draft.write_text("half")

            def interrupt():
                raise KeyboardInterrupt

            monkeypatch.setattr("corral.storage.drafts.hold_interrupts", interrupt)
            raise ValueError

    with pytest.raises(KeyboardInterrupt):
        write_and_interrupt()
    assert list(tmp_path.iterdir()) == []
