"""``--json``: one object on standard output, whose keys stay what they are."""

import json

import pytest

import corral


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


def test_warnings_are_in_it(ask, votes, tmp_path):
    rates = [x for name in "abc" for x in ("--error-rate", f"{name}=0.9")]
    options = ["-o", tmp_path / "o.csv", "--id", "id,y", *rates]
    found = ask("label", votes, *options, "--quiet")
    assert any("above chance" in warning for warning in found["warnings"])


def test_a_failure_prints_no_json(refused, votes):
    refused("inspect", votes, "--signals", "z", "--json")
