"""``import corral`` is cheap, and every public name is there when asked for."""

import subprocess
import sys

import pytest

import corral

HEAVY = (
    *("sklearn", "scipy", "numba", "duckdb", "narwhals", "rich", "typer"),
    *("pandas", "polars", "pyarrow", "torch", "pyspark"),
    *("snorkel", "crowdkit", "matplotlib"),
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


def test_names_of_other_libraries_load_none_of_them():
    loaded = loaded_after(
        "import corral.compat.snorkel.labeling.model, corral.compat.snorkel.preprocess\n"
        "import corral.compat.crowdkit.aggregation"
    )
    assert loaded.isdisjoint({"snorkel", "crowdkit", "torch", "cleanlab"})


def run_command(*arguments: str, code: int = 0) -> str:
    """Python for a call of the command that ends with some exit code."""
    return (
        f"import sys; sys.argv = {['corral', *arguments]!r}\n"
        "from corral.cli import main\n"
        "try:\n    main()\nexcept SystemExit as left:\n"
        f"    assert (left.code or 0) == {code}"
    )


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["label", "--help"], ["apply", "--help"]]
)
def test_what_is_only_asked_about_is_not_loaded(arguments):
    silent = "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n"
    call = "\n".join(f"    {line}" for line in run_command(*arguments).splitlines())
    loaded = loaded_after(silent + call)
    assert loaded.isdisjoint({"numpy", "scipy", "sklearn", "duckdb", "pandas", "numba"})


def test_labeling_a_file_loads_what_it_uses_only(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,c\n" + "0,1,0\n1,1,-1\n0,-1,0\n" * 20)
    call = run_command("label", str(path), "-o", str(tmp_path / "o.csv"))
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{call}\nprint(*sys.modules)"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    loaded = set(ran.stdout.split())
    assert {"duckdb", "scipy.sparse"} <= loaded
    unused = {"numba", "torch", "polars", "sklearn", "scipy.linalg", "corral.study"}
    assert loaded.isdisjoint(unused)


def test_python_ends_in_silence(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,c\n" + "0,1,0\n1,1,\n0,,0\n" * 20)
    call = f"import corral; corral.label({str(path)!r}, output={str(tmp_path / 'o.csv')!r})"
    ran = subprocess.run(
        [sys.executable, "-c", call], capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""


def test_names_of_methods_are_those_there_are():
    from corral.cli import options
    from corral.labelers import LABELERS

    assert {*LABELERS} - {"weighted-vote"} == {*options.METHODS}


SMALL_WORK = """
import corral
corral.label([[0, 1, -1], [1, 1, 0], [-1, 0, 0]] * 100)
votes = [[0, 1, 0], [1, 1, 1], [2, 2, 0]] * 100  # they agree, so there is no warning
corral.ConstrainedLabeler().fit(votes).predict([[0, 1, 1]])
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


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'lable'"):
        corral.lable  # noqa: B018
    with pytest.raises(ImportError, match="lable"):
        from corral import lable  # noqa: F401
