"""Some of every surface's crafted input; all of it is `make hostile`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from reliability.hostile.run import SURFACES, load_surface

ROOT = Path(__file__).parents[2]
SKIP = {"models": 20, "annotations": 15, "projects": 8, "tables": 8, "archives": 9}
"""One in so many is tried here."""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="memory is measured as Linux tells it"
)


@pytest.fixture(autouse=True)
def _needed():
    pytest.importorskip("uvicorn", reason="it needs the extra serve")
    pytest.importorskip("pyarrow", reason="it needs pyarrow")


@pytest.mark.parametrize("name", SURFACES)
def test_crafted_input_is_refused_or_harmless(name):
    """In a process of its own: it forks, which one with threads must not."""
    command = [sys.executable, "-m", "reliability", "hostile", "--no-store"]
    skip = str(SKIP.get(name, 7))
    ran = subprocess.run(
        [*command, "--surfaces", name, "--skip", skip],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-3000:]


def test_cases_have_names_of_their_own():
    for name in SURFACES:
        named = [case.name for case in load_surface(name).list_cases()]
        assert len(set(named)) == len(named) >= 40, name
