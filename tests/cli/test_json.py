"""``--json``: one object on standard output, whose keys stay what they are."""

import json

import pytest

import corral
from corral.datasets import random_votes


@pytest.fixture
def ask(run):
    def call(*arguments):
        ran = run(*arguments, "--json")
        found = json.loads(ran.stdout)
        assert found["command"] == arguments[0]
        assert found["version"] == corral.__version__
        assert isinstance(found["warnings"], list)
        return found

    return call


def test_label(ask, votes, tmp_path):
    output = tmp_path / "o.csv"
    found = ask("label", votes, "-o", output, "--id", "id,y")
    table, _ = random_votes(200, [0.9, 0.7, 0.6], coverage=0.7)
    expected = corral.ConstrainedLabeler().fit(table)
    assert found["rows"] == 200
    assert found["output"] == str(output)
    assert found["signals"] == ["a", "b", "c"]
    assert found["expected_error"] == pytest.approx(expected.error_rates_)
    answers = expected.predict(table).tolist()
    assert found["label_rows"] == [answers.count(value) for value in (0, 1)]


def test_inspect(ask, votes):
    found = ask("inspect", votes, "--id", "id,y", "--suggest", 2)
    for part in ("redundancy", "values", "suggested"):
        assert found[part]
    assert found["values"]["names"] == ["a", "b", "c"]
    assert found["suggested"]["names"] == ["id", "y"]
    assert [len(each) for each in found["suggested"]["ids"]] == [2, 2]


def test_warnings_are_in_it(ask, votes, tmp_path):
    rates = [x for name in "abc" for x in ("--error-rate", f"{name}=0.9")]
    options = ["-o", tmp_path / "o.csv", "--id", "id,y", *rates]
    found = ask("label", votes, *options, "--quiet")
    assert any("above chance" in warning for warning in found["warnings"])


def test_a_failure_prints_no_json(refused, votes):
    refused("inspect", votes, "--signals", "z", "--json")
