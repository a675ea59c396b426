"""What `make versions` needs of this machine and of the project's files."""

import subprocess
import sys

import pytest
from reliability.versions import TOOLS, find_python, pinned_tools

from reliability import versions


def test_an_interpreter_that_is_found_is_of_its_version():
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    python = find_python(version)
    if python is None:
        pytest.skip(f"python{version} is neither on the path nor one of pyenv's")
    said = subprocess.run([python, "-V"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith(f"Python {version}.")


def test_versions_that_are_not_there_are_not_found():
    assert find_python("3.99") is None


def test_a_machine_without_any_python_does_not_pass(monkeypatch):
    monkeypatch.setattr(versions, "build_wheel", lambda folder: folder / "a.whl")
    monkeypatch.setattr(versions, "copy_tests", lambda target: None)
    assert not versions.run_versions(["3.99"], ["newest"], [])


def test_the_test_tools_are_pinned():
    assert {line.split("==")[0] for line in pinned_tools().splitlines()} == set(TOOLS)
