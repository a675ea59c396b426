"""``corral report``: the library's report as a page, as text and as JSON."""

import os
import subprocess
import sys

COLUMNS = ("--id", "id", "--gold", "y")


def test_a_page(run, votes, tmp_path):
    target = tmp_path / "report.html"
    ran = run("report", votes, *COLUMNS, "-o", target)
    assert ran.stdout == ""
    assert f"wrote {target}" in ran.stderr
    page = target.read_text()
    assert "<h1" in page
    assert "votes.csv" in page
    assert "corral report votes.csv" in page
    assert str(tmp_path) not in page, "pages are shared"


def test_refusals(refused, run, votes, tmp_path):
    target = tmp_path / "report.html"
    target.write_text("mine")
    assert "--overwrite" in refused("report", votes, *COLUMNS, "-o", target)
    assert target.read_text() == "mine"
    run("report", votes, *COLUMNS, "-o", target, "--overwrite")
    assert target.read_text() != "mine"
    assert "'z'" in refused("report", votes, "--gold", "z")
    assert "--method must" in refused("report", votes, "--method", "best")
    said = refused(
        "report", votes, *COLUMNS, "--method", "metal", "--error-rate", "0.2"
    )
    assert "--error-rate is not for --method metal" in said


def test_standard_input_in_any_locale(votes, tmp_path):
    source = votes.read_text().strip().replace("\n", "\ngröße ").replace(",a,b", ",ä,b")
    call = [sys.executable, "-m", "corral.cli", "report", "-", *COLUMNS]
    how = {
        "input": source.encode(),
        "capture_output": True,
        "check": True,
        "env": {**os.environ, "PYTHONIOENCODING": "ascii"},
    }
    assert rb"\xe4 " in subprocess.run(call, **how).stdout
    subprocess.run([*call, "-o", tmp_path / "r.html"], **how)
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "größe 1" in page
    assert "standard input" in page
