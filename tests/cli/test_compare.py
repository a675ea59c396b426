"""``corral compare``: the table, and what is refused."""

import numpy as np
import pytest

import corral
from corral.datasets import random_votes


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    votes, truth = random_votes(400, [0.9, 0.8, 0.7], coverage=0.8)
    path = tmp_path_factory.mktemp("compare") / "votes.csv"
    cells = np.column_stack([np.arange(400), votes, truth]).astype(str)
    cells[:, 1:4] = np.where(cells[:, 1:4] == "-1", "", cells[:, 1:4])
    lines = ["id,a,b,c,y", *map(",".join, cells)]
    path.write_text("\n".join(lines))
    return path, votes, truth


def test_the_table_is_that_of_the_library(run, file):
    path, votes, truth = file
    options = ["--gold", "y", "--id", "id", "--methods", "constrained,majority-vote"]
    shown = run("compare", path, *options, "-q").stdout
    found = corral.compare(votes, truth, ["constrained", "majority-vote"])
    lines = shown.splitlines()
    for i, line in enumerate(lines[1:3]):
        scores = (found.accuracy[i], found.f1[i], found.log_loss[i], found.brier[i])
        assert line.split()[:5] == [
            found.methods[i],
            *(f"{score:.3f}" for score in scores),
        ]
    assert f"{found.n_scored:.0f} labelled examples" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gold", "truth"], "no column"),
        (["--gold", "y*"], "no column is named 'y*'"),
        (["--gold", "y", "--signals", "a", "--signals", "y"], "also chosen"),
        (["--gold", "y", "--id", "id", "--methods", "best"], "'best' was given"),
        (["--gold", "y", "--id", "id", "--positive", "x"], "--positive is 'x'"),
        (["--gold", "y", "--id", "id", "--classes", "1,2"], "0"),
    ],
)
def test_refused_options(refused, file, options, message):
    assert message in refused("compare", file[0], *options)


def test_one_vote_a_row(run, refused, tmp_path):
    """The same as in Python; a gold label beside one of the answers is enough."""
    votes, truth = random_votes(300, [0.9, 0.8, 0.7], coverage=0.8)
    names = np.array(["cat", "dog"])
    known = np.where(np.arange(300) % 3, names[truth], "")
    lines = ["item,who,said,y"]
    for i, j in zip(*np.nonzero(votes >= 0), strict=True):
        gold = known[i] if j == (votes[i] >= 0).argmax() else ""
        lines.append(f"{i},w{j},{names[votes[i, j]]},{gold}")
    path = tmp_path / "long.csv"
    path.write_text("\n".join(lines))
    columns = ["--task", "item", "--worker", "who", "--answer", "said", "--gold", "y"]
    options = ["--methods", "constrained,majority-vote", "--positive", "cat"]
    shown = run("compare", path, *columns, *options).stdout
    found = corral.compare(
        np.append(names, "")[votes], known, options[1].split(","), positive="cat"
    )
    for i, line in enumerate(shown.splitlines()[1:3]):
        scores = (found.accuracy[i], found.f1[i], found.log_loss[i])
        assert line.split()[1:4] == [f"{score:.3f}" for score in scores]
    assert f"{found.n_scored:.0f} labelled" in shown
    assert "--id does not go with --task" in refused(
        "compare", path, *columns, "--id", "item"
    )
    path.write_text("\n".join([*lines, "0,w9,cat,cat", "0,w8,cat,dog"]))
    assert "several values for '0'" in refused("compare", path, *columns)
    path.write_text("item,who,said,y\n0,a,1,cat\n0,b,0,cat\n")
    assert "all numbers or all text" in refused("compare", path, *columns)


@pytest.mark.parametrize("bins", [None, 4])
def test_probabilities(run, refused, tmp_path, bins):
    rng = np.random.default_rng(0)
    votes, truth = random_votes(200, [0.9, 0.8, 0.7], coverage=0.8)
    soft = np.where(votes < 0, np.nan, np.abs(votes - rng.random(votes.shape) / 2))
    soft = soft.round(3)
    cells = np.column_stack([soft, truth]).astype(str)
    path = tmp_path / "soft.csv"
    path.write_text(
        "\n".join(["a,b,c,y", *(",".join(r).replace("nan", "") for r in cells)])
    )
    options = ["--gold", "y", "--methods", "averaging,constrained"]
    rounded = [] if bins is None else ["--bins", bins]
    shown = run("compare", path, *options, "--probabilities", *rounded).stdout
    signals = corral.WeakSignals.from_probabilities(soft, bins=bins)
    found = corral.compare(signals, truth, ["averaging", "constrained"])
    for i, line in enumerate(shown.splitlines()[1:3]):
        assert line.split()[1:4] == [
            f"{score:.3f}"
            for score in (found.accuracy[i], found.f1[i], found.log_loss[i])
        ]
    assert "--bins goes with --probabilities" in refused(
        "compare", path, *options, "--bins", 4
    )
    assert "--probabilities" in refused("compare", path, *options)
