"""``corral explain``: a row of a file by its number, its id or its task."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import corral
from corral.cli.app import app

VOTES = [["x", "x", ""], ["y", "", "y"], ["x", "y", "x"], ["", "", ""], ["x", "y", "x"]]


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    groups = ["odd", "even", "odd", "even", "odd"]
    lines = [
        f"k{i},{groups[i - 1]},{','.join(row)}" for i, row in enumerate(VOTES, start=1)
    ]
    path.write_text("\n".join(["id,group,a,b,c", *lines]))
    return path


def expected(row, **options):
    read = corral.WeakSignals.from_votes(np.array(VOTES), names=["a", "b", "c"])
    return corral.ConstrainedLabeler(**options).fit(read).explain(row, read)


@pytest.mark.parametrize(
    "how",
    [
        ["2", "--signals", "[abc]"],
        ["k2", "--id", "id,group"],
        ["k2", "--id", "id", "--id", "group"],
    ],
)  # fmt: skip
def test_a_row_by_number_or_id(run, votes, how):
    found = json.loads(run("explain", votes, *how, "--json").stdout)
    want = expected(1)
    assert found["example"] == how[0]
    assert found["label"] == want.label
    assert found["probabilities"] == pytest.approx(want.probabilities)
    assert found["shares"] == pytest.approx(want.shares)


def test_given_rates(run, votes):
    ran = run("explain", votes, 3, "--signals", "[abc]", "--error-rate", 0.2)
    lines = str(expected(2, error_rates=0.2)).splitlines()
    assert ran.stdout.splitlines()[1:] == lines[1:]
    assert ran.stdout.startswith("example 3: x ")


def test_a_saved_model(run, refused, votes, tmp_path):
    model = tmp_path / "m.corral"
    run(
        "label",
        votes,
        "-o",
        tmp_path / "o.csv",
        "--id",
        "id,group",
        "--save-model",
        model,
    )
    few = tmp_path / "few.csv"
    few.write_text("id,a,b,c\nnew,y,,y\n")
    ran = run("explain", few, "new", "--id", "id", "--model", model, "--classes", "x,y")
    assert ran.stdout.splitlines()[1:] == str(expected(1)).splitlines()[1:]
    call = ["explain", few, "new", "--id", "id", "--model", model]
    assert "--error-rate is what" in refused(*call, "--error-rate", 0.1)


def test_a_task(run, tmp_path):
    source = tmp_path / "long.csv"
    source.write_text("task,worker,label\nq1,ann,x\nq1,bob,y\nq2,ann,y\nq2,bob,y\n")
    ran = run("explain", source, "q2", "--task", "task")
    assert ran.stdout.startswith("example q2: y ")


def test_rows_that_cannot_be_found(refused, votes):
    assert "no row number 9; it has 5 rows" in refused(
        "explain", votes, 9, "--signals", "[abc]"
    )
    assert "no row number 0" in refused("explain", votes, 0, "--signals", "[abc]")
    assert "a number from 1" in refused("explain", votes, "k1", "--signals", "[abc]")
    assert "no row 'k9' in column 'id'" in refused(
        "explain", votes, "k9", "--id", "id,group"
    )
    line = refused("explain", votes, "odd", "--id", "group,id")
    assert "several rows have 'odd' in column 'group', the first are 1 and 3" in line


@pytest.mark.filterwarnings("ignore::corral.errors.CorralWarning")
def test_a_row_outside_of_the_sample(tmp_path, monkeypatch):
    monkeypatch.setattr("corral.io.lazy.LazyTable.cells", 30)
    table = np.random.default_rng(0).integers(-1, 2, size=(400, 3))
    source = tmp_path / "v.csv"
    rows = [",".join(map(str, row)) for row in table.tolist()]
    source.write_text("\n".join(["a,b,c", *rows]))
    call = ["explain", str(source), "--error-rate", "0.3"]
    ran = [CliRunner().invoke(app, [*call, str(row)]) for row in range(1, 7)]
    outside = [each for each in ran if each.exit_code]
    assert 0 < len(outside) < len(ran)
    assert all("is not in the sample" in str(each.exception) for each in outside)
