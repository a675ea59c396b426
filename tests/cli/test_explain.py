"""``corral explain``: a row of a file by its number, its id or its task."""

import json

import pytest

import corral

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
    read = corral.WeakSignals.from_votes(VOTES, names=["a", "b", "c"])
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


def test_a_task(run, tmp_path):
    source = tmp_path / "long.csv"
    source.write_text("task,worker,label\nq1,ann,x\nq1,bob,y\nq2,ann,y\nq2,bob,y\n")
    ran = run("explain", source, "q2", "--task", "task")
    assert ran.stdout.startswith("example q2: y ")


def test_rows_that_cannot_be_found(refused, votes):
    numbered = ["--signals", "[abc]"]
    for row in (9, 0, "k1"):
        assert "a number from 1 to 5" in refused("explain", votes, row, *numbered)
    assert "no rows are named 'k9'" in refused(
        "explain", votes, "k9", "--id", "id,group"
    )
    line = refused("explain", votes, "odd", "--id", "group,id")
    assert "3 rows are named 'odd'" in line
