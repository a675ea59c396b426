"""``corral compare``: the table, and what is refused."""

import re

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
    for name, accuracy in zip(found.methods, found.accuracy, strict=True):
        assert re.search(rf"^{name} +{accuracy:.3f} ", shown, re.MULTILINE)
    assert "90% interval" in shown
    assert f"{found.n_scored:.0f} labelled examples" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gold", "truth"], "no column"),
        (["--gold", "y*"], "no column is named 'y*'"),
        (["--gold", "y", "--signals", "a", "--signals", "y"], "also chosen"),
        (["--gold", "y", "--id", "id", "--methods", "best"], "'best' was given"),
        (["--gold", "y", "--id", "id", "--classes", "1,2"], "0"),
    ],
)
def test_refused_options(refused, file, options, message):
    assert message in refused("compare", file[0], *options)
