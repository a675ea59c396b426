"""Shared by tests of compat: options warn anew in every test."""

import pytest

from corral import compat


@pytest.fixture(autouse=True)
def forget_warnings(monkeypatch):
    monkeypatch.setattr(compat, "_said", set())
