"""``corral serve``: what it says before it serves; tests/workbench/server has the rest."""

import json
import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest

from corral.cli import commands as command


@pytest.fixture
def reviews(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text("text,stars\ngreat film,5\nawful film,1\n")
    return path


def test_without_its_packages(refused, reviews, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    said = refused("serve", reviews, "--text", "text")
    assert "needs starlette and uvicorn: pip install starlette uvicorn" in said


def test_what_cannot_be_served(refused, reviews, tmp_path):
    pytest.importorskip("uvicorn", reason="it needs the extra serve")
    assert "absent.csv" in refused("serve", tmp_path / "absent.csv", "--text", "text")
    assert "--text" in refused("serve", reviews, "--text", "body")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("serve", reviews, "--text", "text", "--port", port)
    assert f"--port {port} of 127.0.0.1 cannot be used" in said
    said = refused("serve", reviews, "--text", "text", "--classes", "only")
    assert "2 to 100 different names" in said


def test_json_comes_before_the_page(reviews):
    pytest.importorskip("uvicorn", reason="it needs the extra serve")
    options = ["--text", "text", "--port", "0", "--json", "-q"]
    process = subprocess.Popen(
        [sys.executable, "-m", "corral.cli", "serve", reviews, *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    lines = []
    while not lines or lines[-1] != "}\n":
        lines.append(process.stdout.readline())
    found = json.loads("".join(lines))
    assert found["command"] == "serve"
    assert found["project"] == str(reviews.with_name("reviews.corral.json"))
    with pytest.raises(OSError, match="403"):  # urlopen keeps no cookie
        urlopen(found["address"])
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    process.stdout.close()
