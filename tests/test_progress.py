"""Bars: only on a terminal, only after a while."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty", reason="terminals as on Unix")

WORK = """
import time
from corral import progress
progress.DELAY = 0
{work}
"""
BAR = """
with progress.progress("solving", 4) as bar:
    for _ in range(4):
        bar.advance()
        time.sleep(0.15)
"""


def on_a_terminal(work):
    """What a program shows on a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    call = [sys.executable, "-c", WORK.format(work=work)]
    process = subprocess.Popen(call, stderr=theirs, stdout=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # how Linux says that nobody writes any more
            break
        if not read:
            break
        shown += read
    assert process.wait() == 0, shown
    os.close(ours)
    return shown.decode()


def test_a_bar():
    shown = on_a_terminal(BAR)
    assert "solving" in shown
    assert "50%" in shown


def test_silence():
    quiet = "\n".join(f"    {line}" for line in BAR.splitlines())
    assert on_a_terminal(f"with progress.silence():\n{quiet}") == ""


def test_nothing_but_on_a_terminal():
    call = [sys.executable, "-c", WORK.format(work=BAR)]
    ran = subprocess.run(call, capture_output=True, text=True, check=True)
    assert ran.stdout == ran.stderr == ""
