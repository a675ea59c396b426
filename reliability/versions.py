"""The wheel, without the source tree, with the oldest and the newest of what it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from reliability.results import commit, store

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
TESTS = (
    *("tests/test_import.py", "tests/front_door", "tests/signals", "tests/solvers"),
    *(
        "tests/storage",
        "tests/labelers/test_contract.py",
        "tests/tables/test_engines.py",
    ),
)
"""What is run: the parts that other libraries are closest to."""


def run_versions(pythons: list[str], tests: list[str]) -> bool:
    """Test the wheel with every Python that is here; whether all tests passed."""
    found: dict[str, Any] = {"commit": commit(), "runs": [], "missing": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        copy_tests(folder / "away")
        for version in pythons:
            python = find_python(version)
            if python is None:
                found["missing"].append(version)
                continue
            for which in ("oldest", "newest"):
                began = time.monotonic()
                outcome = test_wheel(wheel, python, which, folder, tests)
                outcome["seconds"] = round(time.monotonic() - began, 1)
                found["runs"].append({"python": version, "versions": which} | outcome)
                store("versions", found)
                print(found["runs"][-1], flush=True)
    return all(run["passed"] and not run["failed"] for run in found["runs"])


def build_wheel(folder: Path) -> Path:
    """The wheel of this source tree."""
    _run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


def copy_tests(target: Path) -> None:
    """Tests and their settings, without what they test."""
    target.mkdir()
    for name in ("tests", "reliability", "benchmarks"):
        shutil.copytree(ROOT / name, target / name)
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, target / name)


def find_python(version: str) -> str | None:
    """An interpreter of a version: on the path, or one of pyenv's."""
    if found := shutil.which(f"python{version}"):
        return found
    places = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    both = sorted(places.glob(f"{version}.*/bin/python{version}"))
    return str(both[-1]) if both else None


def oldest() -> list[str]:
    """The lowest versions that pyproject.toml allows, as constraints of pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["frames"]]
    return [re.sub(r">=\s*([\w.]+).*", r"==\1.*", line) for line in needed]


def test_wheel(
    wheel: Path, python: str, which: str, folder: Path, tests: list[str]
) -> dict[str, Any]:
    """Install the wheel into an environment of its own, and run tests there."""
    home = folder / f"{Path(python).name}-{which}"
    _run(python, "-m", "venv", home)
    own = str(home / "bin" / "python")
    pip = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    limits = home / "constraints.txt"
    limits.write_text("\n".join(oldest() if which == "oldest" else ()))
    _run(*pip, "-c", limits, f"{wheel}[frames]", "pytest", "hypothesis", "pytest-xdist")
    command = (own, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests)
    done = subprocess.run(
        command,
        cwd=folder / "away",
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )
    last = (
        done.stdout.strip().splitlines()[-1]
        if done.stdout.strip()
        else done.stderr[-300:]
    )
    counts = dict.fromkeys(("passed", "failed", "error", "skipped"), 0)
    for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", last):
        counts[word] = int(number)
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
    counts["failed"] += counts.pop("error")
    return counts | {"numpy": _version(own, "numpy"), "duckdb": _version(own, "duckdb")}


def _version(python: str, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return _run(python, "-c", code).strip()


def _run(*command: Any) -> str:
    """Run a command; its output."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout
