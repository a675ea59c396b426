"""Shared by all tests: data folder, stable hypothesis runs, optional libraries."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("corral", deadline=None, derandomize=True)
settings.load_profile("corral")

DATA = Path(
    os.environ.get("CORRAL_DATA", Path(__file__).parents[2] / "shared" / "data")
).resolve()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    no_data = pytest.mark.skip(reason=f"no data sets in {DATA}; set CORRAL_DATA")
    for item in items:
        if item.get_closest_marker("data") and not DATA.is_dir():
            item.add_marker(no_data)
        if isinstance(item, pytest.DoctestItem):
            shown = "".join(example.source for example in item.dtest.examples)
            for name in ("pandas", "torch"):
                if f"import {name}" in shown and find_spec(name) is None:
                    item.add_marker(pytest.mark.skip(reason=f"it needs {name}"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the public data sets."""
    if not DATA.is_dir():
        pytest.skip(f"no data sets in {DATA}; set CORRAL_DATA")
    return DATA


@pytest.fixture(params=[False, True], ids=["numpy", "compiled"])
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both forms of what is compiled for large data, whatever the size."""
    from corral.constraints.designs import base

    monkeypatch.setattr(base, "COMPILED_FROM", 0 if request.param else 10**12)
    return bool(request.param)
