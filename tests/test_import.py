"""``import corral`` is cheap, and every public name is there when asked for."""

import subprocess
import sys

import pytest

import corral

HEAVY = (
    *("sklearn", "scipy", "numba", "duckdb", "narwhals", "rich", "typer"),
    *("pandas", "polars", "pyarrow", "torch", "pyspark"),
    *("snorkel", "crowdkit", "matplotlib", "pooch", "requests"),
)


def loaded_after(code: str) -> set[str]:
    """The top-level modules loaded by a fresh interpreter that ran `code`."""
    shown = (
        f"{code}\nimport sys; print(*{{name.split('.')[0] for name in sys.modules}})"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", shown],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return set(ran.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_after("import corral; dir(corral)").isdisjoint(HEAVY)


def test_data_sets_wait_for_what_downloads_and_trains():
    loaded = loaded_after("import corral.datasets")
    assert loaded.isdisjoint({"pooch", "requests", "sklearn"})


def test_the_command_line_does_not_wait_for_the_compiler():
    assert "numba" not in loaded_after("import corral.cli")


SMALL_WORK = """
import corral
corral.label([[0, 1, -1], [1, 1, 0], [-1, 0, 0]] * 100)
corral.ConstrainedLabeler().fit([[0, 1, 2], [2, 1, 0]] * 100).predict([[0, 1, 1]])
signals = corral.WeakSignals.from_votes([["x", "y"], ["y", None]] * 100)
signals.conflicts
corral.MajorityVote().fit(signals).predict(signals)
"""


def test_small_work_on_arrays_loads_what_it_needs_only():
    loaded = loaded_after(SMALL_WORK)
    assert loaded.isdisjoint({"numba", "duckdb", "polars", "rich", "typer"})


@pytest.mark.parametrize("name", corral.__all__)
def test_every_public_name_resolves_and_is_listed(name):
    assert getattr(corral, name) is getattr(corral, name)
    assert name in dir(corral)


def test_star_import():
    scope: dict[str, object] = {}
    exec("from corral import *", scope)
    assert set(corral.__all__) <= set(scope)


def test_version_is_a_number():
    assert [int(part) for part in corral.__version__.split(".")[:2]]


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'lable'"):
        corral.lable  # noqa: B018
    with pytest.raises(ImportError, match="lable"):
        from corral import lable  # noqa: F401


def test_label_is_the_function_whatever_was_imported_before():
    import corral._label

    assert callable(corral.label)
    assert corral.label is corral._label.label
