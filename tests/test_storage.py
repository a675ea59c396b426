"""The one atomic write: whole files or none, never over an input, links, permissions."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from corral.errors import CorralError, ParameterError, StorageError
from corral.storage import atomic_write, check_output

WRITER = """
import sys
from corral.storage import atomic_write
with atomic_write(sys.argv[1], overwrite=True) as temporary:
    temporary.write_text("half")
    print("half", flush=True)
    sys.stdin.read()
"""


def write(path, text="new", **options):
    with atomic_write(path, **options) as temporary:
        temporary.write_text(text)


def test_a_killed_writer_leaves_the_old_file(tmp_path):
    target = tmp_path / "labels.csv"
    target.write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as process:  # fmt: skip
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    assert target.read_text() == "old"
    write(target, overwrite=True)
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_write_leaves_what_was_there_and_no_more(tmp_path, error):
    target = tmp_path / "a.csv"
    target.write_text("old")

    def write_and_fail():
        with atomic_write(target, overwrite=True) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == "old"


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path, there):
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "a.csv", tmp_path / "link.csv"
    if there:
        real.write_text("old")
    link.symlink_to(real)
    write(link, overwrite=True)
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert [path.name for path in real.parent.iterdir()] == ["a.csv"]


def test_permissions_are_kept(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    target.chmod(0o600)
    with atomic_write(target, overwrite=True) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        temporary.write_text("new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name", ["a" * 256, "nowhere/a.csv", "nowhere/../a.csv", "folder", "pipe", "link"]
)
def test_places_that_are_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(StorageError) as raised:
        write(tmp_path / name, overwrite=True)
    assert ".tmp" not in str(raised.value)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["folder", "link", "pipe"]


def test_a_file_that_exists_is_replaced_only_if_asked(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    with pytest.raises(ParameterError, match="overwrite"):
        write(target)
    assert target.read_text() == "old"
    write(target, overwrite=True)
    assert target.read_text() == "new"


@pytest.mark.parametrize(
    "output",
    ["in.csv", "sub/../in.csv", "nowhere/../in.csv", "link.csv", "hard.csv", "odd.csv"],
)
@pytest.mark.parametrize(
    "given", ["in.csv", "link.csv", "*.csv", "**/*.csv", "i[n].csv", "."]
)
def test_an_input_is_never_replaced(tmp_path, monkeypatch, output, given):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "in.csv").write_text("votes")
    (tmp_path / "link.csv").symlink_to("in.csv")
    (tmp_path / "odd.csv").symlink_to("nowhere/../in.csv")
    os.link("in.csv", "hard.csv")
    with pytest.raises(CorralError):
        check_output(output, inputs=[given], overwrite=True)
    with pytest.raises(CorralError):
        write(output, inputs=[given], overwrite=True)
    assert (tmp_path / "in.csv").read_text() == "votes"


@pytest.mark.parametrize("pattern", ["in/*.csv", "./in/l*", "**/*.csv", "in/**/*"])
def test_no_output_is_read_by_the_next_run(tmp_path, monkeypatch, pattern):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in" / "sub").mkdir(parents=True)
    with pytest.raises(ParameterError, match="match"):
        check_output("in/labels.csv", inputs=[pattern])
    check_output("labels.txt", inputs=[pattern])
    if "**" not in pattern:
        check_output("in/sub/labels.csv", inputs=[pattern])
