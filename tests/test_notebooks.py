"""Every notebook of the documentation runs from a fresh start."""

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

nbformat = pytest.importorskip("nbformat", reason="make test EXTRAS=all runs notebooks")
nbclient = pytest.importorskip("nbclient", reason="make test EXTRAS=all runs notebooks")
pytest.importorskip("ipykernel", reason="make test EXTRAS=all runs notebooks")


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setitem(
        os.environ, "IPYTHONDIR", str(tmp_path)
    )  # no history of the user
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=300, resources={})
    client.execute(cwd=tmp_path)
    assert all(c.execution_count for c in notebook.cells if c.cell_type == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)
