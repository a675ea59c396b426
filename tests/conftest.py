"""Shared by all tests: stable hypothesis runs, pages in a browser, compiled code."""

import pytest
from hypothesis import settings

pytest_plugins = ["tests.browser"]  # the fixtures `chromium` and `open_page`

settings.register_profile("corral", deadline=None, derandomize=True)
settings.load_profile("corral")


@pytest.fixture(params=[False, True], ids=["numpy", "compiled"])
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Both forms of what is compiled for large data, whatever the size."""
    from corral.solvers import adagrad

    monkeypatch.setattr(adagrad, "MIN_COMPILED_LABELS", 0 if request.param else 10**12)
    return bool(request.param)
