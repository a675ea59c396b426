"""The wheel, without the source tree, with the oldest and the newest of what it needs."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reliability.results import commit, store

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
EXTRAS = ("frames", "serve", "plots")
"""What is installed beside the core: the light extras."""
TOOLS = ("pytest", "pytest-xdist", "hypothesis")
SHOWN = ("numpy", "scikit-learn", "duckdb", "pandas")
"""Libraries whose versions are stored."""
NOT_HERE = ("repro", "reliability", "test_messages.py")
"""Tests of the project, not of the package: they read its source tree."""

NOT_PASSED_ON = ("PYTHONPATH", "CORRAL_RELIABILITY_RESULTS")
"""Variables that would change what is tested."""


def run_versions(pythons: list[str], which: list[str], tests: list[str]) -> bool:
    """Test the wheel with every Python that is here; whether one is, and all passed."""
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
            for libraries in which:
                began = time.monotonic()
                outcome = test_wheel(wheel, python, libraries, folder, tests)
                outcome["seconds"] = round(time.monotonic() - began, 1)
                run = {"python": version, "libraries": libraries} | outcome
                found["runs"].append(run)
                store("versions", found)
                print(run, flush=True)
    for version in found["missing"]:
        print(f"Python {version} is not on this machine: not tested.", flush=True)
    if not found["runs"]:
        print("Nothing was tested, which is no success.", flush=True)
    runs = found["runs"]
    return bool(runs) and all(run["passed"] and not run["failed"] for run in runs)


def build_wheel(folder: Path) -> Path:
    """The wheel of this source tree."""
    _run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


def copy_tests(target: Path) -> None:
    """All that is under version control but the package itself."""
    for name in _run("git", "-C", ROOT, "ls-files").splitlines():
        if not name.startswith("src/"):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def find_python(version: str) -> str | None:
    """An interpreter of a version: one of pyenv's, or on the path."""
    places = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    here = [*sorted(places.glob(f"{version}.*/bin/python{version}"), reverse=True)]
    # What is on the path may be a shim of pyenv's that only says where to look.
    for python in (*map(str, here), shutil.which(f"python{version}")):
        if (
            python
            and not subprocess.run([python, "-V"], capture_output=True).returncode
        ):
            return python
    return None


def lowest(python: str) -> str:
    """The lowest versions of all that pyproject.toml names, as constraints of pip.

    Lowest that have a wheel for this Python, since no user builds an older NumPy.
    """
    asked = (
        *("-m", "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate"),
        *("--resolution", "lowest-direct", "--only-binary", ":all:"),
        *("--python", python, *(f"--extra={name}" for name in EXTRAS)),
    )
    return _run(sys.executable, *asked, ROOT / "pyproject.toml")


def pinned_tools() -> str:
    """The test tools as the project pins them: not what is tested here."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return "\n".join(line for line in lines if line.split("==")[0] in TOOLS)


def test_wheel(
    wheel: Path, python: str, libraries: str, folder: Path, tests: list[str]
) -> dict[str, Any]:
    """Install the wheel into an environment of its own, and run tests there."""
    home = folder / f"{Path(python).name}-{libraries}"
    _run(python, "-m", "venv", home)
    own = str(home / "bin" / "python")
    pip = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    limits = home / "constraints.txt"
    limits.write_text(
        f"{pinned_tools()}\n{lowest(python) if libraries == 'oldest' else ''}"
    )
    _run(*pip, "-c", limits, f"{wheel}[{','.join(EXTRAS)}]", *TOOLS)
    # Old libraries warn of newer ones that they use, which is no fault of corral.
    warn = ("-W", "default") if libraries == "oldest" else ()
    skipped = (f"--ignore=tests/{name}" for name in NOT_HERE)
    done = subprocess.run(
        [own, "-m", "pytest", "-q", "-n", "2", *warn, *skipped, *tests],
        cwd=folder / "away",
        capture_output=True,
        text=True,
        env={k: v for k, v in os.environ.items() if k not in NOT_PASSED_ON},
        preexec_fn=_heed_interrupts,
    )
    lines = done.stdout.strip().splitlines() or [done.stderr[-300:]]
    counts = dict.fromkeys(("passed", "failed", "error", "skipped"), 0)
    for number, word in re.findall(r"(\d+) (passed|failed|error|skipped)", lines[-1]):
        counts[word] = int(number)
    counts["failed"] += counts.pop("error")
    if done.returncode:
        print(done.stdout[-20_000:], file=sys.stderr)
    wrong = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return counts | {"failures": wrong, "versions": _versions(own)}


def _heed_interrupts() -> None:
    """Let tests of Ctrl-C hear it even if this was started in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _versions(python: str) -> dict[str, str]:
    """Of the libraries that are shown."""
    code = (
        "import json; from importlib.metadata import version; "
        f"print(json.dumps({{name: version(name) for name in {SHOWN!r}}}))"
    )
    return dict(json.loads(_run(python, "-c", code)))


def _run(*command: Any) -> str:
    """Run a command; its output."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout
