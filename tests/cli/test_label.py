"""``corral label``: exit codes, messages, and the file that comes out."""

import json

import duckdb
import numpy as np
import pytest

import corral

CSV = """id,rule_a,rule_b,crowd
k1,0,0,1
k2,1,1,
k3,,0,0
k4,1,,1
k5,,,
k6,0,0,0
"""
VOTES = [[0, 0, 1], [1, 1, -1], [-1, 0, 0], [1, -1, 1], [-1, -1, -1], [0, 0, 0]]


def table(path):
    found = duckdb.sql(f"FROM '{path}'")
    return dict(zip(found.columns, zip(*found.fetchall(), strict=True), strict=True))


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(CSV)
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".jsonl"])
def test_labels_are_those_of_the_library(run, votes, tmp_path, ending):
    output = tmp_path / f"labels{ending}"
    ran = run("label", votes, "-o", output, "--id", "id")
    columns = table(output)
    assert list(columns) == [
        *("id", "rule_a", "rule_b", "crowd"),
        *("p_0", "p_1", "label", "confidence", "covered"),
    ]
    expected = corral.label(VOTES)
    np.testing.assert_allclose(columns["p_1"], expected[:, 1], atol=1e-12)
    np.testing.assert_allclose(columns["confidence"], expected.max(axis=1), atol=1e-12)
    assert columns["id"] == tuple(f"k{i}" for i in range(1, 7))
    assert columns["rule_a"] == (0, 1, None, 1, None, 0)
    assert columns["covered"] == (True, True, True, True, False, True)
    assert columns["label"] == (0, 1, 0, 1, None, 0), "no answer is empty, not -1"
    assert ran.stdout == "", "standard output is left to data"
    for shown in (
        "rule_a",
        "rule_b",
        "crowd",
        "6 rows",
        "83.3% with a vote",
        output.name,
    ):
        assert shown in ran.stderr


@pytest.mark.parametrize(
    ("given", "rates"),
    [
        (["0.2"], 0.2),
        (["rule_a=0.3", "rule_b=0.2", "crowd=0.25"], [0.3, 0.2, 0.25]),
        (["auto"], "auto"),
    ],
)
@pytest.mark.filterwarnings("ignore::corral.errors.InfeasibleWarning")
def test_error_rates(run, votes, tmp_path, given, rates):
    output = tmp_path / "o.parquet"
    options = [part for rate in given for part in ("--error-rate", rate)]
    run("label", votes, "-o", output, "--id", "id", *options)
    expected = corral.label(VOTES, error_rates=rates)[:, 1]
    np.testing.assert_allclose(table(output)["p_1"], expected, atol=1e-12)


@pytest.mark.parametrize("name", ["[/b]", "[red]x[/red]", 'say "hi"', "a, b", "[bold]"])
def test_names_are_never_read_as_markup(run, refused, tmp_path, name):
    source, output = tmp_path / "v.parquet", tmp_path / "o[b].parquet"
    quoted = name.replace('"', '""')
    rows = f'SELECT * FROM (VALUES (0, 1), (1, 1)) t("{quoted}", b)'
    duckdb.sql(f"COPY ({rows}) TO '{source}'")
    ran = run("label", source, "-o", output)
    assert name in ran.stderr
    assert output.name in ran.stderr.replace("\n", "")
    assert output.exists()
    other = tmp_path / "other.parquet"
    assert name in refused("label", source, "-o", other, "--signals", f"{name}?")


# -- errors ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--id", "key"], "no column named 'key'"),
        (["--signals", "lf_*"], r"no column matches 'lf_*'"),
        (["--id", "id", "--error-rate", "much"], "--error-rate takes one number"),
        (["--id", "id", "--error-rate", "rule_z=0.1"], "unknown: 'rule_z'"),
        (
            ["--id", "id", "--error-rate", "0.1", "--error-rate", "a=0.1"],
            "--error-rate",
        ),
        (
            ["--id", "id", "--method", "vote"],
            "--method must be one of 'constrained', 'majority-vote'",
        ),
        (["--id", "id", "--method", "metal", "--error-rate", "0.1"], "is not for"),
        (["--id", "id", "--class-balance", "half"], "numbers with commas between"),
        (
            ["--id", "id", "--method", "majority-vote", "--class-balance", "0.5,0.5"],
            "--class-balance is not for --method majority-vote",
        ),
    ],
)
def test_refused_options(refused, votes, tmp_path, options, message):
    line = refused("label", votes, "-o", tmp_path / "o.csv", *options)
    assert message in line
    assert [path.name for path in tmp_path.iterdir()] == ["votes.csv"], (
        "nothing written"
    )


def test_a_call_without_a_command_shows_the_help(run):
    assert run().stdout == run("--help").stdout


@pytest.mark.parametrize(
    "arguments",
    [["label"], ["label", "v.csv"], ["lable"], ["label", "v.csv", "-o", "o", "--x"],
     ["train", "labels.csv", "-o", "o", "--seed", "-1"]],
)  # fmt: skip
def test_wrong_calls_exit_with_two(run, arguments):
    ran = run(*arguments, code=2)
    assert ran.stdout == ""
    (line,) = ran.stderr.splitlines()
    assert line.startswith("error: ")
    assert line.endswith(" --help.")


def test_version(run):
    assert run("--version").stdout == f"corral {corral.__version__}\n"


def test_warnings_are_in_the_json(run, refused, votes, tmp_path):
    rates = [x for name in ("rule_a", "rule_b", "crowd")
             for x in ("--error-rate", f"{name}=0.9")]  # fmt: skip
    ran = run("label", votes, "-o", tmp_path / "o.csv", "--id", "id", *rates, "--json")
    assert "warning: " in ran.stderr
    assert "SignalsWarning" not in ran.stderr, "no source line of Python"
    found = json.loads(ran.stdout)
    assert (found["command"], found["version"]) == ("label", corral.__version__)
    assert any("above chance" in warning for warning in found["warnings"])
    refused("inspect", votes, "--signals", "z", "--json")


def test_methods_compared(run, refused, votes):
    votes.write_text(
        CSV.replace("crowd\n", "crowd,y\n").replace("\n", ",1\n").replace("y,1", "y")
    )
    ran = run("compare", votes, "--gold", "y", "--id", "id")
    assert "of the labelled examples" in ran.stdout
    assert "next: corral label" in ran.stderr
    assert "warned" not in ran.stdout, "nobody asked for a method by name"
    for options, message in (
        (["--gold", "truth"], "no column"),
        (["--gold", "y", "--signals", "rule_a,y"], "also chosen"),
        (["--gold", "y", "--methods", "best"], "'best' was given"),
    ):
        assert message in refused("compare", votes, *options)
