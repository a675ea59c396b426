"""``corral agreement``: the library's answer, as text and as JSON."""

import json

import pytest

import corral
from corral.datasets import random_votes


@pytest.fixture
def votes(tmp_path):
    table, _ = random_votes(100, [0.9, 0.8, 0.7], coverage=0.8)
    path = tmp_path / "votes.csv"
    rows = [",".join(map(str, row)) for row in table.tolist()]
    path.write_text("\n".join(["a,b,c", *rows]))
    return path


def test_the_answer_is_that_of_the_library(run, votes):
    table, _ = random_votes(100, [0.9, 0.8, 0.7], coverage=0.8)
    signals = corral.WeakSignals.from_votes(table, names=["a", "b", "c"])
    options = ["--resamples", 50, "--seed", 3, "--level", 0.9]
    found = json.loads(run("agreement", votes, *options, "--json").stdout)
    want = corral.agreement(signals, resamples=50, random_state=3, level=0.9)
    assert found["alpha"] == pytest.approx(want.alpha)
    assert found["kappa"][0][2] == pytest.approx(want.kappa[0, 2])
    assert "Krippendorff's alpha, nominal" in run("agreement", votes).stdout


def test_what_is_refused(refused, votes):
    assert "--metric must be one of" in refused("agreement", votes, "--metric", "x")
    assert "--level must be" in refused("agreement", votes, "--level", 2)


def test_metrics_are_those_there_are():
    from corral.cli.options import METRICS as LISTED
    from corral.study.rater_agreement import METRICS

    assert LISTED == METRICS


def test_the_order_of_texts_must_be_given(run, refused, tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("a,b\nlow,mid\nmid,high\nhigh,high\n")
    assert "--classes" in refused("agreement", path, "--metric", "ordinal")
    ran = run("agreement", path, "--metric", "ordinal", "--classes", "low,mid,high")
    assert "ordinal" in ran.stdout
