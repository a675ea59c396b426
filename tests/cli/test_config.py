"""TOML files for repeat runs."""

import csv
import io

import pytest

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


def test_options_come_from_a_file(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = 'votes = "votes.csv"\noutput = "o.csv"\nid = ["id"]\nprefix = "p_"\n'
    config = write(folder, f"{text}quiet = true\n")
    ran = run("label", "--config", config)
    assert ran.stderr == ""
    assert header(folder / "o.csv")[4] == "p_p_y"


def test_the_command_line_wins(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
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
        ("prefix = ", "TOML"),
    ],
)
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
