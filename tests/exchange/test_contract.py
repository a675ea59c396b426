"""Every tool: the same answers in, labels out, and nothing lost on the way."""

import json
from zipfile import ZipFile

import numpy as np
import pytest
from tests.exchange.exports import (
    CLASSES,
    EXPORTS,
    TEXTS,
    VOTES,
    doccano_members,
    lines,
)

import corral
from corral.errors import CorralError, ParameterError, SignalsError, StorageError
from corral.exchange import TOOLS, recognise


@pytest.fixture(params=EXPORTS)
def export(request, tmp_path):
    """The file of a tool, and the name of the tool."""
    return EXPORTS[request.param](tmp_path), request.param.removesuffix(" folder")


def votes_of(found):
    """What was read, as it was written."""
    cells = np.full(found.signals.shape, None, object)
    for row, column in np.argwhere(found.signals.votes >= 0):
        vote = found.signals.votes[row, column]
        cells[row, column] = str(found.signals.classes[vote])
    return dict(zip(found.signals.names, cells.T.tolist(), strict=True))


def read_json(path):
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line]
    return json.loads(text)


# -- reading ------------------------------------------------------------------------


def test_the_answers_are_read(export):
    path, tool = export
    found = corral.read_annotations(path)
    assert found.format == tool
    assert votes_of(found) == VOTES
    assert found.texts == TEXTS
    assert found.signals.classes.tolist() == CLASSES
    assert len(found) == len(found.records) == len(found.ids) == len(TEXTS)
    assert set(found.known) == {None}
    assert votes_of(corral.read_annotations(path, tool)) == VOTES
    np.testing.assert_allclose(
        corral.ConstrainedLabeler().fit(found.signals).labels_,
        corral.ConstrainedLabeler().fit(np.array(list(VOTES.values())).T).labels_,
    )


def test_which_tool_a_file_is_from(export, tmp_path):
    path, tool = export
    assert recognise(path) == tool
    table = tmp_path / "tables" / "votes.jsonl"
    table.parent.mkdir()
    assert recognise(table.parent) is None
    table.write_text('{"id": 1, "rule_a": 0, "text": "x"}\n')
    assert recognise(table) is None
    assert recognise(table.parent) is None
    (tmp_path / "votes.json").write_text('[{"id": 1, "rule_a": 0, "text": "x"}]')
    assert recognise(tmp_path / "votes.json") is None


@pytest.mark.parametrize(
    "odd",
    [
        *({"info": "text"}, {"results": 5}, {"traces": 3}, {"data": [3]}, {"spec": 1}),
        *({"test_results": []}, {"testRunData": "x"}, {"object": "list", "data": [3]}),
    ],
)
def test_a_table_whose_columns_a_tool_has_too_is_of_no_tool(tmp_path, odd):
    path = tmp_path / "votes.jsonl"
    path.write_text(json.dumps({"rule": 1, **odd}))
    assert recognise(path) is None


BROKEN = {
    "empty": "",
    "cut": '[{"id": 1, "data": {"text": "a"}, "annotations": [{"resu',
    "a number": "7",
    "not JSON": "id,text,label\n1,a,b\n",
    "a bad line": '{"text": "a", "label": ["x"]}\n{"text": \n',
    "no records": "[]",
    "unknown": '[{"foo": 1}]',
    "no tasks": '[{"data": {"text": "a"}, "annotations": 5}]',
    "no results": '[{"data": {"text": "a"}, "annotations": [{"result": [3]}]}]',
    "text in the place of data": '[{"data": "a", "annotations": []}]',
    "argilla without values": '[{"fields": {"text": "a"}, "responses": {"q": [{}]}}]',
    "doccano label": '[{"text": "a", "label": [5.5]}]',
    "one class": '[{"text": "a", "label": ["x"]}, {"text": "b", "label": ["x"]}]',
    "two types": '[{"text": "a", "label": ["x"]}, {"text": "b", "label": [1]}]',
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_files_give_one_line(tmp_path, what):
    path = tmp_path / "export.json"
    path.write_text(BROKEN[what])
    with pytest.raises(CorralError) as caught:
        corral.read_annotations(path)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("indent", [None, 2])
def test_any_form_of_unicode(tmp_path, code, indent):
    rows = [{"text": "schön", "label": ["a"]}, {"text": "é", "label": ["b"]}]
    path = tmp_path / "all.json"
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=indent), code)
    assert corral.read_annotations(path).texts == ["schön", "é"]
    path = tmp_path / "all.jsonl"
    text = "\r\n\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_bytes(text.encode(code))
    assert corral.read_annotations(path).texts == ["schön", "é"]


def test_what_is_no_json_is_named(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_bytes('{"text": "é", "label": ["x"]}\n'.encode("latin-1"))
    with pytest.raises(StorageError, match="codec"):
        corral.read_annotations(path)
    path.write_text(BROKEN["a bad line"])
    with pytest.raises(StorageError, match="line 2"):
        corral.read_annotations(path)
    path = tmp_path / "export.zip"
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(StorageError, match="zip"):
        corral.read_annotations(path)


def test_notes_of_an_operating_system_are_no_records(tmp_path):
    path, folder = tmp_path / "export.zip", tmp_path / "export"
    with ZipFile(path, "w") as archive:
        for name, rows in doccano_members().items():
            archive.writestr(f"{name}.jsonl", lines(rows))
            archive.writestr(f"__MACOSX/._{name}.jsonl", b"\0\xff")
        archive.extractall(folder)
    (folder / "._alice.jsonl").write_bytes(b"\0\xff")
    for place in (path, folder, folder / "*.jsonl"):
        assert {*corral.read_annotations(place).signals.names} == {*VOTES}


@pytest.mark.parametrize("options", [{"question": "q"}, {"predictions": True}])
def test_options_of_other_tools_are_refused(tmp_path, options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        corral.read_annotations(EXPORTS["doccano"](tmp_path), **options)


@pytest.mark.parametrize("tool", ["label-studio", "doccano"])
def test_a_file_of_another_tool_is_refused(tmp_path, tool):
    with pytest.raises((StorageError, SignalsError)):
        corral.read_annotations(EXPORTS["argilla"](tmp_path), tool)


def test_what_is_left_out_is_counted_and_said(tmp_path):
    found = corral.read_annotations(
        EXPORTS["argilla"](tmp_path), abstain="neg", classes=CLASSES
    )
    assert found.skipped == {"answers that mean no vote": 7}
    assert str(found).splitlines() == [
        "argilla: 6 examples, 3 signals, 6 votes, 0 known labels",
        "skipped: answers that mean no vote (7)",
    ]
    assert found.to_dict()["skipped"] == found.skipped


def test_classes_and_abstains_may_be_named(tmp_path):
    path = EXPORTS["argilla"](tmp_path)
    found = corral.read_annotations(path, classes=["pos", "neg", "mixed"])
    assert found.signals.classes.tolist() == ["pos", "neg", "mixed"]
    with pytest.raises(SignalsError, match="'neg'"):
        corral.read_annotations(path, classes=["pos", "mixed"])


# -- writing ------------------------------------------------------------------------


def test_a_round_trip_keeps_the_answers(export, tmp_path):
    path, tool = export
    found = corral.read_annotations(path)
    labeler = corral.MajorityVote().fit(found.signals)
    target = tmp_path / "again.json"
    assert corral.write_annotations(target, found, labeler) == target
    if tool in ("label-studio", "argilla"):  # the others write a new task
        again = corral.read_annotations(target)
        assert votes_of(again) == VOTES
        assert again.ids.tolist() == found.ids.tolist()
        twice = corral.write_annotations(tmp_path / "twice.json", again, labeler)
        assert read_json(twice) == read_json(target), "one suggestion takes the place"


SUGGESTED = {
    "label-studio": lambda r: [
        (p["result"][0]["value"]["choices"], p["score"]) for p in r["predictions"]
    ],
    "argilla": lambda r: [
        ([s["value"]], s["score"]) for s in r["suggestions"].values()
    ],
    "doccano": lambda r: [(r["label"], r["confidence"])] if r["label"] else [],
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_texts_become_tasks_with_suggestions(tmp_path, tool, ending):
    soft = np.array([[0.1, 0.9], [0.75, 0.25], [0.5, 0.5], [np.nan, np.nan]])
    path, texts = tmp_path / f"tasks{ending}", np.array(TEXTS[2:])
    corral.write_annotations(path, texts, soft, classes=CLASSES, format=tool)
    made = read_json(path)
    suggested = [SUGGESTED[tool](r) for r in made]
    assert suggested == [[(["pos"], 0.9)], [(["neg"], 0.75)], [], []]
    shown = {"label-studio": "data", "argilla": "fields"}.get(tool)
    assert [(r[shown] if shown else r)["text"] for r in made] == TEXTS[2:]


@pytest.mark.parametrize("tool", ["argilla", "doccano"])
def test_from_one_tool_to_another(tmp_path, tool):
    found = corral.read_annotations(EXPORTS["label-studio"](tmp_path))
    labeler = corral.MajorityVote().fit(found.signals)
    target = tmp_path / "other.jsonl"
    made = read_json(corral.write_annotations(target, found, labeler, format=tool))
    assert len(made) == len(TEXTS)
    assert "great fun" in json.dumps(made[0])
    assert '"pos"' in json.dumps(made[0])
    assert '"annotations"' not in json.dumps(made[0])


def test_half_a_character_is_written_as_it_was(tmp_path):
    path = tmp_path / "tasks.jsonl"
    corral.write_annotations(path, ["\ud83d"], [[0.1, 0.9]], format="doccano")
    assert read_json(path)[0]["text"] == "\ud83d"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"format": "labelbox"}, "format"),
        ({"format": None}, "format"),
        ({"labels": [[0.1, 0.2, 0.7]]}, "2 classes"),
        ({"labels": ["pos"]}, "fitted"),
        ({"labels": corral.MajorityVote()}, "fitted"),
        ({"labels": [[0.1, 0.9]] * 2}, "2 rows"),
        ({"labels": None}, "labels"),
        ({"labels": [[5, 7]]}, "probabilities"),
        ({"labels": [[-0.5, 1]]}, "probabilities"),
        ({"examples": "a"}, "texts"),
        ({"examples": [None]}, "texts"),
        ({"path": "tasks.csv"}, "end in"),
        ({"path": "none/tasks.json"}, "folder"),
        ({"path": "there.json"}, "exists"),
    ],
)
def test_what_cannot_be_written(tmp_path, change, word):
    (tmp_path / "there.json").write_text("[]")
    given = {"labels": [[0.1, 0.9]], "format": "doccano", "classes": CLASSES} | change
    given = {"examples": ["a"], "path": "a.json"} | given
    target = tmp_path / given.pop("path")
    with pytest.raises(CorralError, match=word):
        corral.write_annotations(target, given.pop("examples"), **given)
    assert [path.name for path in tmp_path.iterdir()] == ["there.json"]


def test_choices_of_label_studio_are_texts(tmp_path):
    given = {"classes": np.array([3, 4]), "format": "label-studio"}
    path = corral.write_annotations(tmp_path / "x.json", ["a"], [[0.1, 0.9]], **given)
    chosen = read_json(path)[0]["predictions"][0]["result"][0]["value"]
    assert chosen == {"choices": ["4"]}
