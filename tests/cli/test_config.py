"""TOML files for repeat runs."""

import csv
import io
import os
import sys
from threading import Thread

import pytest

from corral.errors import ParameterError

VOTES = "id,a,b,c\n1,x,x,\n2,y,,y\n3,x,y,x\n4,,,\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path


def write(folder, text, name="run.toml"):
    path = folder / name
    path.write_text(text)
    return path


def header(path):
    return next(csv.reader(io.StringIO(path.read_text())))


def test_options_come_from_a_file_and_paths_are_beside_it(run, folder):
    text = 'votes = "votes.csv"\noutput = "o.csv"\nid = ["id"]\nprefix = "p_"\n'
    config = write(folder, f"{text}quiet = true\n")
    ran = run("label", "--config", config)
    assert ran.stderr == ""
    assert header(folder / "o.csv")[4] == "p_p_y"


def test_the_command_line_wins(run, folder):
    config = write(
        folder, 'votes = "votes.csv"\noutput = "o.csv"\nid = "id"\nprefix = "p_"\n'
    )
    run("label", "--config", config, "--prefix", "q_", "-o", folder / "other.csv")
    assert header(folder / "other.csv")[4] == "q_p_y"
    assert not (folder / "o.csv").exists()


@pytest.mark.parametrize(
    "rates",
    [
        "error-rate = 0.2",
        'error-rate = "0.2"',
        'error-rate = ["a=0.2", "b=0.2", "c=0.2"]',
        "[error-rate]\na = 0.2\nb = 0.2\nc = 0.2",
    ],
)
def test_rates_as_they_would_be_typed(run, folder, rates):
    config = write(folder, f'classes = ["x", "y"]\nid = "id"\n{rates}\n')
    ran = run("label", folder / "votes.csv", "-o", folder / "o.csv", "--config", config)
    assert ran.stderr.count("0.200 ") == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("singals = 'a'", "Did you mean 'signals'"),
        ("error_rate = 0.1", "Did you mean 'error-rate'?"),
        ("zzz = 1", "See --help"),
        ("config = 'x'", "option"),
        ("quiet = 1", "quiet = 1, where true or false is expected"),
        ("prefix = true", "text or a number is expected"),
        ("prefix = ['a', 'b']", "text or a number is expected"),
        ("id = [1979-05-27]", "text or a number is expected"),
        ("prefix = ", "TOML"),
    ],
)  # fmt: skip
def test_what_is_refused(refused, folder, text, said):
    config = write(folder, text)
    call = ["label", folder / "votes.csv", "-o", folder / "o.csv"]
    line = refused(*call, "--config", config)
    assert said in line
    assert "run.toml" in line
    assert not (folder / "o.csv").exists()


def test_files_that_cannot_be_read(refused, folder):
    call = ["label", "v.csv", "-o", "o.csv", "--config"]
    assert "No such file" in refused(*call, folder / "none.toml")
    assert "directory" in refused(*call, folder)
    (folder / "b.toml").write_bytes(b"\xff\xfe\x00")
    assert "TOML" in refused(*call, folder / "b.toml")


def test_paths_of_serve_are_beside_the_file(run, folder, monkeypatch):
    given = {}

    def stop(file, *, project, **options):
        given.update(file=file, project=project)
        raise ParameterError("enough")

    monkeypatch.setattr("corral.workbench.Workbench.open", stop)
    config = write(folder, 'file = "t.csv"\nproject = "p.json"\ntext = "text"')
    monkeypatch.chdir("/")
    run("serve", "--config", config, code=1)
    assert given == {"file": folder / "t.csv", "project": folder / "p.json"}


def test_options_from_standard_input(run, refused, folder, monkeypatch):
    text = f'votes = "{folder}/votes.csv"\noutput = "{folder}/o.csv"\nid = "id"\n'
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    run("label", "--config", "-")
    assert (folder / "o.csv").exists()
    line = refused("label", "-", "-o", folder / "p.csv", "--config", "-")
    assert "standard input can be read once" in line


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_options_from_a_pipe(run, folder, monkeypatch):
    """As ``--config <(...)`` gives them; paths are relative to where the shell is."""
    monkeypatch.chdir(folder)
    (folder / "elsewhere").mkdir()
    pipe = folder / "elsewhere" / "pipe"
    os.mkfifo(pipe)
    text = 'votes = "votes.csv"\noutput = "o.csv"\nid = ["id"]\n'
    writer = Thread(target=pipe.write_text, args=[text])
    writer.start()
    run("label", "--config", pipe)
    writer.join()
    assert (folder / "o.csv").exists()
