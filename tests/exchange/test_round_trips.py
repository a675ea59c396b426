"""Every tool: the same answers in, labels out, and nothing lost on the way."""

import json

import numpy as np
import pytest
from tests.exchange.exports import CLASSES, EXPORTS, TEXTS, VOTES

import corral
from corral.errors import CorralError, ParameterError, SignalsError, StorageError
from corral.exchange import TOOLS, recognise

JSON_TOOLS = ("label-studio", "argilla", "doccano", "prodigy")


@pytest.fixture(params=EXPORTS)
def export(request, tmp_path):
    """The file of a tool, and the name of the tool."""
    return EXPORTS[request.param](tmp_path), request.param.split()[-2:][0].replace(
        "flat", "argilla"
    )


def votes_of(found):
    """What was read, as it was written."""
    array = np.full((len(found), found.signals.n_signals), None, object)
    for row, column, vote in zip(*found.signals.cells(), strict=True):
        array[row, column] = str(found.signals.classes[vote])
    names = found.signals.names
    if found.format == "wrench":  # which has no names
        names = list(VOTES)
    return {name: array[:, at].tolist() for at, name in enumerate(names)}


def test_the_answers_are_read(export):
    path, tool = export
    found = corral.read_annotations(path)
    assert found.format == tool
    assert votes_of(found) == VOTES
    assert found.texts == TEXTS
    assert found.signals.classes.tolist() == CLASSES
    assert len(found) == len(found.records) == len(found.ids) == len(TEXTS)
    assert set(found.known) == {None}
    same = corral.read_annotations(path, tool)
    assert votes_of(same) == VOTES


def test_labels_are_those_of_the_votes(export):
    found = corral.read_annotations(export[0])
    array = np.array(list(VOTES.values()), object).T
    np.testing.assert_allclose(
        corral.ConstrainedLabeler().fit(found.signals).labels_,
        corral.ConstrainedLabeler().fit(array).labels_,
    )


def test_a_round_trip_keeps_the_answers(export, tmp_path):
    path, tool = export
    found = corral.read_annotations(path)
    labeler = corral.MajorityVote().fit(found.signals)
    target = tmp_path / ("again" if tool == "wrench" else "again.json")
    assert corral.write_annotations(target, found, labeler) == target
    if tool in ("label-studio", "argilla", "wrench"):  # the others write a new task
        again = corral.read_annotations(target)
        assert votes_of(again) == VOTES
        assert again.ids.tolist() == found.ids.tolist()
        twice = tmp_path / ("twice" if tool == "wrench" else "twice.json")
        corral.write_annotations(twice, again, labeler)
        assert _content(twice) == _content(target), (
            "a suggestion takes the old one's place"
        )


def _content(path):
    return (path / "train.json" if path.is_dir() else path).read_text()


@pytest.mark.parametrize("tool", JSON_TOOLS)
@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_texts_become_tasks_with_suggestions(tmp_path, tool, ending):
    soft = np.array([[0.1, 0.9], [0.75, 0.25], [0.5, 0.5]])
    path = tmp_path / f"tasks{ending}"
    corral.write_annotations(
        path, TEXTS[2:5], soft, classes=["neg", "pos"], format=tool
    )
    text = path.read_text("utf-8")
    made = json.loads(text) if ending == ".json" else _lines(text)
    assert len(made) == 3
    suggested = {
        "label-studio": lambda r: [
            (p["result"][0]["value"]["choices"], p["score"]) for p in r["predictions"]
        ],
        "argilla": lambda r: [
            ([s["value"]], s["score"]) for s in r["suggestions"].values()
        ],
        "doccano": lambda r: [(r["label"], r["confidence"])] if r["label"] else [],
        "prodigy": lambda r: [(r["accept"], r["meta"]["score"])] if r["accept"] else [],
    }[tool]
    assert [suggested(r) for r in made] == [[(["pos"], 0.9)], [(["neg"], 0.75)], []]
    assert "🎬" in text, "readable in any language"
    shown = {"label-studio": "data", "argilla": "fields"}.get(tool)
    texts = [(r[shown] if shown else r)["text"] for r in made]
    assert texts == TEXTS[2:5]


def _lines(text):
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.parametrize("tool", JSON_TOOLS[1:])
def test_from_one_tool_to_another(tmp_path, tool):
    found = corral.read_annotations(EXPORTS["label-studio"](tmp_path))
    labeler = corral.MajorityVote().fit(found.signals)
    path = corral.write_annotations(
        tmp_path / "other.jsonl", found, labeler, format=tool
    )
    made = _lines(path.read_text("utf-8"))
    assert len(made) == len(TEXTS)
    assert "great fun" in json.dumps(made[0])
    assert '"pos"' in json.dumps(made[0])
    assert '"annotations"' not in json.dumps(made[0])


def test_any_tool_to_wrench(tmp_path):
    from corral.datasets import read_wrench

    found = corral.read_annotations(EXPORTS["label-studio"](tmp_path))
    corral.write_annotations(tmp_path / "bare", found, format="wrench")
    read = read_wrench(tmp_path / "bare")
    assert read.train.data == TEXTS
    assert read.train.signals.votes.tolist() == [
        [CLASSES.index(said[i]) if said[i] else -1 for said in VOTES.values()]
        for i in range(len(TEXTS))
    ]


def test_which_tool_a_file_is_from(export, tmp_path):
    path, tool = export
    expected = "json" if path.suffix in (".json", ".zip") else tool
    assert recognise(path) == expected
    table = tmp_path / "tables" / "votes.jsonl"
    table.parent.mkdir()
    assert recognise(table.parent) is None
    table.write_text('{"id": 1, "rule_a": 0, "text": "x"}\n')
    assert recognise(table) is None
    assert recognise(table.parent) is None


BROKEN = {
    "empty": "",
    "cut": '[{"id": 1, "data": {"text": "a"}, "annotations": [{"resu',
    "a number": "7",
    "a list of numbers": "[1, 2]",
    "not JSON": "id,text,label\n1,a,b\n",
    "a bad line": '{"text": "a", "label": ["x"]}\n{"text": \n',
    "no records": "[]",
    "unknown": '[{"foo": 1}]',
    "no tasks": '[{"data": {"text": "a"}, "annotations": 5}]',
    "no results": '[{"data": {"text": "a"}, "annotations": [{"result": [3]}]}]',
    "no value": '[{"data": {"text": "a"}, "annotations": [{"result": '
    '[{"type": "choices"}]}]}]',
    "text in the place of data": '[{"data": "a", "annotations": []}]',
    "argilla without values": '[{"fields": {"text": "a"}, "responses": {"q": [{}]}}]',
    "argilla of other lengths": '[{"q.responses": ["a"], "q.responses.users": []}]',
    "prodigy options": '[{"_task_hash": 1, "text": "a", "options": [1], "answer": '
    '"accept"}]',
    "doccano label": '[{"text": "a", "label": [5.5]}]',
    "deep": '[{"data": ' + "[" * 5000 + "]" * 5000 + "}]",
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
    assert "export.json" in str(caught.value)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("what", ["a number", "cut", "unknown", "no records"])
def test_broken_files_of_a_named_tool(tmp_path, tool, what):
    if tool == "datasets":
        pytest.importorskip("datasets", reason="datasets is an extra")
    path = tmp_path / "export.json"
    path.write_text(BROKEN[what])
    with pytest.raises(CorralError) as caught:
        corral.read_annotations(path, tool)
    assert "\n" not in str(caught.value)


def test_latin_text_is_no_json(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_bytes('{"text": "é", "label": ["x"]}\n'.encode("latin-1"))
    with pytest.raises(StorageError, match=r"expected JSON objects.*'utf-8' codec"):
        corral.read_annotations(path)


def test_a_line_that_is_no_json_is_named(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text(BROKEN["a bad line"])
    with pytest.raises(StorageError, match="line 2 is no JSON"):
        corral.read_annotations(path)


def test_files_that_are_not_there_and_other_kinds(tmp_path):
    with pytest.raises(SignalsError, match="there is no file"):
        corral.read_annotations(tmp_path / "none.json")
    path = tmp_path / "votes.csv"
    path.write_text("a,b\n1,0\n")
    with pytest.raises(StorageError, match="cannot tell what kind of file"):
        corral.read_annotations(path)
    with pytest.raises(ParameterError, match="format must be one of"):
        corral.read_annotations(path, "labelbox")
    with pytest.raises(ParameterError, match="a list was given"):
        corral.read_annotations([{"text": "a"}])
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(ParameterError, match="names 2 files"):
        corral.read_annotations(tmp_path / "*.json")


def test_an_archive_that_is_none(tmp_path):
    path = tmp_path / "export.zip"
    path.write_bytes(b"PK\x03\x04 not really")
    with pytest.raises(StorageError, match="expected a zip"):
        corral.read_annotations(path)


def test_half_a_character_is_written_as_it_was(tmp_path):
    path = tmp_path / "tasks.jsonl"
    corral.write_annotations(path, ["\ud83d"], [[0.1, 0.9]], format="doccano")
    assert json.loads(path.read_text())["text"] == "\ud83d"


def test_what_is_left_out_is_counted_and_said(tmp_path):
    found = corral.read_annotations(EXPORTS["prodigy"](tmp_path), abstain="unsure")
    assert found.skipped == {"ignored or unanswered tasks": 5}
    assert str(found).splitlines() == [
        "prodigy: 6 examples, 3 signals, 13 votes, 0 known labels",
        "skipped: ignored or unanswered tasks (5)",
    ]
    assert found.to_dict()["skipped"] == found.skipped


def test_classes_and_abstains_may_be_named(tmp_path):
    path = EXPORTS["argilla"](tmp_path)
    found = corral.read_annotations(path, classes=["pos", "neg", "mixed"])
    assert found.signals.classes.tolist() == ["pos", "neg", "mixed"]
    with pytest.raises(SignalsError, match=r"`classes=` must name every class.*'neg'"):
        corral.read_annotations(path, classes=["pos", "mixed"])
    silent = corral.read_annotations(path, abstain="neg", classes=CLASSES)
    assert silent.skipped == {"answers that mean no vote": 7}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "labelbox"}, "format must be one of"),
        ({"format": None}, "say which tool"),
        ({"labels": [[0.1, 0.2, 0.7]]}, "for each of 2 classes"),
        ({"labels": ["pos"]}, "must be a fitted labeler"),
        ({"labels": corral.MajorityVote()}, "must be a fitted labeler"),
        ({"labels": [[0.1, 0.9]] * 2}, "has 2 rows, but there are 1 examples"),
        ({"labels": None}, "give a fitted labeler"),
        ({"path": "tasks.csv"}, "files for doccano end in"),
        ({"path": "none/tasks.json"}, "there is no folder"),
        ({"path": "there.json"}, "exists already"),
        ({"format": "wrench", "path": "folder"}, "these are texts only"),
    ],
)
def test_what_cannot_be_written(tmp_path, change, message):
    (tmp_path / "there.json").write_text("[]")
    given = {"labels": [[0.1, 0.9]], "format": "doccano", "path": "a.json"} | change
    target = tmp_path / given.pop("path")
    with pytest.raises(CorralError, match=message):
        corral.write_annotations(target, ["a"], classes=CLASSES, **given)


def test_a_file_is_replaced_if_that_is_said(tmp_path):
    path = tmp_path / "there.json"
    path.write_text("[]")
    given = {"classes": CLASSES, "format": "doccano", "overwrite": True}
    corral.write_annotations(path, ["a"], [[0.1, 0.9]], **given)
    assert json.loads(path.read_text())[0]["label"] == ["pos"]
