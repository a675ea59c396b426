"""Files of projects: what is written can be opened again."""

import json

import pytest

from corral.errors import StorageError
from corral.workbench import project_file
from corral.workbench.project import SECTIONS, Change, Project, Step
from corral.workbench.project_file import ProjectFile

DATA = {"name": "a.csv", "rows": 9, "text": "text", "hash": "x"}


def label_by_hand(project, row):
    entry = {"class": "pos", "how": "random", "hash": "h" * 50, "rules": ""}
    before = project.entries["hand_labels"].get(str(row))
    change = Change("hand_labels", str(row), before, entry)
    return project.take(Step(f"label row {row}", (change,)))


@pytest.fixture
def project():
    entries = {name: {} for name in SECTIONS}
    return Project({**entries, "settings": {"classes": ["neg", "pos"]}})


def test_the_oldest_steps_are_left_out_of_a_file_that_would_be_too_large(
    tmp_path, monkeypatch, project
):
    monkeypatch.setattr(project_file, "MOST_BYTES", 6_000)
    file = ProjectFile(tmp_path / "p.json")
    for row in range(20):
        project = label_by_hand(project, row)
        file.write(project, DATA)
        assert file.path.stat().st_size <= 6_000
    found, _ = file.read()
    assert found.entries == project.entries
    kept = len(found.undo_steps)
    assert 0 < kept < 20
    assert found.undo_steps == project.undo_steps[-kept:]
    for _ in range(20):
        project = project.undo()
    monkeypatch.setattr(project_file, "MOST_BYTES", 4_000)
    file.write(project, DATA)
    found, _ = file.read()
    kept = len(found.redo_steps)
    assert 0 < kept < 20
    assert found.redo_steps == project.redo_steps[-kept:]  # the last one is the next
    file.close()


def test_an_act_is_refused_if_the_project_is_too_large_without_history(
    tmp_path, monkeypatch, project
):
    file = ProjectFile(tmp_path / "p.json")
    file.write(project, DATA)
    before = file.path.read_bytes()
    monkeypatch.setattr(project_file, "MOST_BYTES", len(before) + 10)
    with pytest.raises(StorageError, match="The last act was not done"):
        file.write(label_by_hand(project, 0), DATA)
    assert file.path.read_bytes() == before
    assert json.loads(before)["hand_labels"] == {}
    file.close()
