"""Shared by tests of compat: options warn anew in every test."""

import pytest

from corral.compat import options


@pytest.fixture(autouse=True)
def forget_warnings(monkeypatch):
    monkeypatch.setattr(options, "_said", set())
