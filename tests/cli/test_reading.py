"""What a command reads is said, and what is no table of votes is refused."""

import duckdb
import pytest


@pytest.fixture
def write(tmp_path):
    """A CSV file of some lines; where labels go stands beside it."""

    def write(*lines):
        path = tmp_path / "table.csv"
        path.write_text("\n".join(lines) + "\n")
        return path, "-o", tmp_path / "labels.csv"

    return write


def column(path, name):
    rows = duckdb.sql(f"SELECT \"{name}\" FROM '{path}'").fetchall()
    return [value for (value,) in rows]


VOTES = ["a,b,c", "0,1,0", "1,1,-1", "0,-1,0", "1,1,0", "0,0,-1"]
RATE = ("--error-rate", "0.3")


def test_every_command_says_how_it_read(run, write):
    table, *output = write(
        *(line + ",1" if i else line + ",y" for i, line in enumerate(VOTES))
    )
    said = "read as: -1 = no vote; classes 0, 1"
    assert said in run("label", table, *output, "--id", "y", *RATE).stderr
    assert said in run("inspect", table, "--id", "y").stderr
    assert (
        said
        in run("compare", table, "--gold", "y", "--methods", "majority-vote").stderr
    )
    quiet = run(
        "label", table, "-o", output[1].with_name("o.csv"), "--id", "y", *RATE, "-q"
    )
    assert quiet.stderr == ""


def test_doubts_are_asked_about_in_options(run, write):
    rows = [*["0,0"] * 12, "1,2", "2,1"]
    said = run("label", *write("a,b", *rows), *RATE).stderr
    assert "warning: 0 was read as a class, like 1, 2." in said
    assert "--abstain 0" in said
    said = run("label", *write("a,b", "x,N/A", "?,y", "x,y"), *RATE, "--overwrite")
    assert "--abstain '?,N/A'" in said.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["task,worker,label", "1,1,0", "2,2,1"], "--worker worker and --label label"),
        (["q,who,said", "q1,w1,x", "q2,w2,y", "q3,w1,x"], "'q' (texts"),
    ],
)
def test_tables_of_something_else(refused, write, lines, message):
    table = write(*lines)
    line = refused("label", *table)
    assert message in line
    assert "--task" in line
    assert "=`" not in line, "options, not arguments of Python"
    assert not table[2].exists()
    assert message in refused("inspect", table[0])
