"""Shared by tests, docstrings and pages: the public data sets, and what may be absent."""

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

DATA = Path(
    os.environ.get("CORRAL_DATA", Path(__file__).parents[1] / "shared" / "data")
).resolve()

# Tests share the cores, and threads that wait for each other cost more than they gain.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are drawn, not shown

collect_ignore = ["docs/conf.py"]  # settings of Sphinx, which tests do not install
if find_spec("inspect_ai") is None:  # a plug-in for it
    collect_ignore += ["src/corral/exchange/jury.py"]
if find_spec("uvicorn") is None:  # the extra serve
    collect_ignore += [
        "src/corral/workbench/server",
        "tests/workbench/server/attacks.py",
    ]

NO_DATA = f"no data sets in {DATA}; set CORRAL_DATA"
OPTIONAL = (
    *("pandas", "polars", "pyarrow", "torch", "matplotlib", "pyspark", "lightgbm"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, with a reason, what cannot run here."""
    for item in items:
        if item.get_closest_marker("data") and not DATA.is_dir():
            item.add_marker(pytest.mark.skip(reason=NO_DATA))
        if isinstance(item, pytest.DoctestItem):
            shown = "".join(example.source for example in item.dtest.examples)
            for reason in reasons_to_skip(shown):
                item.add_marker(pytest.mark.skip(reason=reason))
            if "import pyspark" in shown or "from pyspark" in shown:
                item.add_marker(pytest.mark.xdist_group("spark"))  # it starts slowly


def reasons_to_skip(shown: str) -> list[str]:
    """What the examples of a page or a docstring need, and is not here."""
    needed = {name for name in OPTIONAL if re.search(rf"(import|from) {name}\b", shown)}
    if re.search(r"\b\w+Display\b", shown):
        needed.add("matplotlib")
    reasons = [f"it needs {name}" for name in sorted(needed) if find_spec(name) is None]
    if "pyspark" in needed and shutil.which("java") is None:
        reasons.append("Spark needs Java")
    return reasons


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the public data sets."""
    if not DATA.is_dir():
        pytest.skip(NO_DATA)
    return DATA
