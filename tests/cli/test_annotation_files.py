"""Commands that read votes take files of annotation tools; labels go back to these."""

import io
import json
import sys

import pytest
from tests.exchange.exports import (
    EXPORTS,
    TEXTS,
    annotation,
    choice,
    label_studio_tasks,
)

import corral


@pytest.fixture
def export(tmp_path):
    return EXPORTS["label-studio"](tmp_path)


@pytest.mark.parametrize("name", ["label-studio", "argilla"])
def test_the_tool_is_recognised_and_its_file_comes_back(run, tmp_path, name):
    path = EXPORTS[name](tmp_path)
    target = tmp_path / f"tasks{path.suffix}"
    ran = run("label", path, "-o", target)
    found = corral.read_annotations(path)
    expected = corral.write_annotations(
        tmp_path / f"expected{path.suffix}",
        found,
        corral.ConstrainedLabeler().fit(found.signals),
    )
    assert target.read_text("utf-8") == expected.read_text("utf-8")
    assert ran.stderr.startswith(f"{found.format}: 6 examples, 3 signals, 13 votes")
    for shown in ("alice", "83.3% with a vote", "tasks"):
        assert shown in ran.stderr


def test_a_table_if_the_output_is_one(run, export, tmp_path):
    target = tmp_path / "labels.csv"
    run("label", export, "-o", target)
    lines = target.read_text().split("\n")[:-1]
    assert lines[0] == "task,text,p_neg,p_pos,label,confidence,covered"
    assert [line.split(",")[0] for line in lines[1:]] == [str(i) for i in range(10, 16)]


def test_standard_input_and_output(run, tmp_path, monkeypatch):
    path = EXPORTS["argilla"](tmp_path)
    given = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", given)
    ran = run("label", "-", "-o", "-", "--format", "argilla", "-q")
    made = json.loads(ran.stdout)
    assert len(made) == len(TEXTS)
    assert made[0]["suggestions"]["sentiment"]["value"] == "pos"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["inspect", "--agreement"], "Krippendorff"),
        (["inspect"], "Check "),
        (["explain", "12"], "alice               pos"),
        (["report", "--text", "text"], "Agreement and conflict"),
    ],
)
def test_other_commands_read_answers(run, export, command, shown):
    name, *rest = command
    assert shown in run(name, export, *rest).stdout


@pytest.fixture
def checked(tmp_path):
    """An export with ground truths."""
    tasks = []
    for i in range(40):
        task = label_studio_tasks()[i % 5]
        truth = annotation("expert", choice("pos"), ground_truth=True)
        task["annotations"] += [truth] if i % 5 == 0 else []
        tasks.append(task | {"id": i})
    path = tmp_path / "checked.json"
    path.write_text(json.dumps(tasks))
    return path


def test_known_labels_are_scored_or_learned_from(run, checked, tmp_path):
    ran = run("label", checked, "-o", tmp_path / "a.json", "--json")
    assert json.loads(ran.stdout)["accuracy"]["labels"]["value"] == 1
    assert "about 100% of rows (75% to 100%, from 8 labelled rows)" in ran.stderr
    ran = run("label", checked, "-o", tmp_path / "b.json", "--gold", "known")
    assert "from 8 labelled rows" in ran.stderr
    assert (tmp_path / "a.json").read_text() != (tmp_path / "b.json").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-o", "out.json", "--signals", "a"], "--signals is for tables of votes"),
        (["-o", "out.json", "--prefix", "x"], "--prefix is for tables"),
        (["-o", "out.json", "--question", "mood"], "--question 'mood' has no answers"),
        (["-o", "out.json", "--gold", "known"], "all are unknown"),
        (["-o", "out.json", "--format", "doccano"], "read as one of doccano"),
    ],
)
def test_what_is_refused(refused, export, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    assert said in refused("label", export, *options, "-q")
