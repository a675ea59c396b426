"""Modules that a command loads late."""

import sys

import pytest

from corral.cli import late_imports

MODULE = """
import builtins
if builtins.interrupts:
    builtins.interrupts -= 1
    raise KeyboardInterrupt
value = 3
"""


@pytest.fixture
def late_module(tmp_path, monkeypatch):
    """The name of a module that is loaded late; the first time, Ctrl-C comes meanwhile."""
    name = "loaded_late_by_corral"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(late_imports, "LATE", (name,))
    monkeypatch.setattr("builtins.interrupts", 0, raising=False)
    monkeypatch.setattr(sys, "meta_path", [late_imports.LateFinder(), *sys.meta_path])
    yield name
    sys.modules.pop(name, None)


def test_a_module_is_loaded_at_the_first_look(late_module):
    module = __import__(late_module)
    assert type(module) is late_imports.LateModule
    assert module.__spec__.name == late_module
    assert type(module) is late_imports.LateModule
    assert module.value == 3


def test_an_interrupt_while_it_is_loaded_is_not_forgotten(late_module, monkeypatch):
    __import__(late_module)
    monkeypatch.setattr("builtins.interrupts", 1)
    with pytest.raises(KeyboardInterrupt):
        exec(f"from {late_module} import value")
