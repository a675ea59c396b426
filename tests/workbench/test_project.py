"""The project: undo and redo in every order, and a file that is whole or untouched."""

import json

import pytest

from corral.errors import ParameterError, StorageError
from corral.workbench import Rule, Workbench
from corral.workbench.labels import FunctionRules
from corral.workbench.project import MAX_STEPS, Actions, Project, ProjectFile


class Rows:
    n_rows = 10


ACTIONS = Actions(Rows(), FunctionRules(("own",), (), None))
DATA = {"name": "a.csv", "rows": 10, "text": "text", "hash": "00"}


VOTES = {"kind": "column", "column": "nowhere", "values": {"1": "pos"}}


def words(word, class_="pos"):
    return Rule("words", class_, words=(word,)).to_dict()


def start():
    act = {"what": "set_classes", "classes": ["neg", "pos"]}
    return Project(ACTIONS.do(Project(), act).entries)


do = ACTIONS.do


def test_a_new_act_forgets_what_was_undone():
    project = do(start(), {"what": "add_rule", "rule": words("a")}).undo()
    project = do(project, {"what": "add_rule", "rule": words("b")})
    assert not project.redo_steps
    assert list(project.rules) == ["r3"]  # "r1" may still be in a tab


def test_no_more_steps_are_kept_than_a_file_can_bear():
    project = start()
    for i in range(MAX_STEPS + 5):
        project = do(project, {"what": "label_row", "row": i % 10, "class": "pos"})
    assert len(project.undo_steps) == MAX_STEPS


@pytest.mark.parametrize(
    ("action", "parameter"),
    [
        ({"what": "explode"}, "what"),
        ({}, "what"),
        ([], "action"),
        (None, "action"),
        ({"what": "add_rule"}, "kind"),
        ({"what": "add_rule", "rule": words("a", "other")}, "class"),
        ({"what": "add_rule", "rule": words("a") | {"name": "own"}}, "name"),
        ({"what": "remove_rule", "rule": "r9"}, "rule"),
        ({"what": "remove_rule", "rule": {}}, "rule"),
        ({"what": "edit_rule", "rule": "f:own", "to": words("a")}, "rule"),
        ({"what": "set_rate", "rule": "r9", "rate": 0.1}, "rule"),
        ({"what": "set_rate", "rule": [], "rate": 0.1}, "rule"),
        ({"what": "set_rate", "rule": "f:own", "rate": 2}, "rate"),
        ({"what": "set_rate", "rule": "f:own", "rate": "0.1"}, "rate"),
        ({"what": "set_rate", "rule": "f:own", "rate": 0.1, "at_most": 0.1}, "rate"),
        ({"what": "set_balance", "class": "other", "at_most": 0.1}, "class"),
        ({"what": "set_balance", "class": "pos", "at_least": 1, "at_most": 0}, "at_least"),
        ({"what": "label_row", "row": 10, "class": "pos"}, "row"),
        ({"what": "label_row", "row": -1, "class": "pos"}, "row"),
        ({"what": "label_row", "row": 1.0, "class": "pos"}, "row"),
        ({"what": "label_row", "row": True, "class": "pos"}, "row"),
        ({"what": "label_row", "row": 1, "class": "other"}, "class"),
        ({"what": "label_row", "row": 1, "class": "pos", "how": "guessed"}, "how"),
        ({"what": "set_classes", "classes": "pos"}, "classes"),
        ({"what": "set_classes", "classes": ["pos"]}, "classes"),
        ({"what": "set_classes", "classes": ["pos", "pos "]}, "classes"),
        ({"what": "set_classes", "classes": ["pos", "-1"]}, "classes"),
        ({"what": "set_classes", "classes": ["a", 3]}, "classes"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_by_the_name_of_the_field(action, parameter):
    with pytest.raises(ParameterError) as caught:
        do(start(), action)
    assert caught.value.parameter == parameter


def test_a_class_that_is_needed_stays():
    project = do(start(), {"what": "add_rule", "rule": words("great")})
    with pytest.raises(ParameterError, match="'pos'"):
        do(project, {"what": "set_classes", "classes": ["neg", "other"]})
    assert do(project, {"what": "set_classes", "classes": ["x", "pos"]}).classes == (
        "x",
        "pos",
    )


def test_rules_of_the_same_words_have_names_of_their_own():
    project = start()
    for _ in range(3):
        project = do(project, {"what": "add_rule", "rule": words("a")})
    assert [rule.title for rule in project.rules.values()] == ["a", "a (2)", "a (3)"]


# -- the file -----------------------------------------------------------------------


def test_a_file_keeps_all_of_it(tmp_path):
    path, project = tmp_path / "p.json", start()
    for action in (
        {"what": "add_rule", "rule": words("caf\u00e9 \u202e")},
        {"what": "set_rate", "rule": "r1", "at_most": 0.1},
        {"what": "label_row", "row": 3, "class": "neg", "how": "random"},
        {"what": "undo"},
    ):
        project = do(project, action)
    ProjectFile(path, DATA).write(project)
    assert ProjectFile(path, DATA).read() == project
    assert json.loads(path.read_text())["rules"]["r1"]["words"] == ["caf\u00e9 \u202e"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b'{"format": "something else"}', b"\xff\xfe",
     b'{"format": "corral workbench 1", "version": 1}', b"[" * 100_000],
)  # fmt: skip
def test_a_broken_file_is_told_and_kept(reviews, content):
    place = reviews.with_name("reviews.corral.json")
    place.write_bytes(content)
    with pytest.raises(StorageError):
        Workbench.open(reviews, text="text", classes=("neg", "pos"))
    assert place.read_bytes() == content


@pytest.mark.parametrize(
    "rule", [{"kind": "words", "class": "pos", "words": []}, words("a", "other"), VOTES]
)
def test_a_file_with_a_rule_that_cannot_be_is_refused(hands, rule):
    place = hands.path.with_name("reviews.corral.json")
    content = json.loads(place.read_text()) | {"rules": {"r1": rule}}
    place.write_text(json.dumps(content))
    before = place.read_bytes()
    with pytest.raises(StorageError):
        hands.reopen()
    assert place.read_bytes() == before


def test_what_another_program_wrote_is_not_overwritten(hands):
    place = hands.path.with_name("reviews.corral.json")
    written = place.read_text() + "\n"
    place.write_text(written)
    before = hands.bench.state()
    with pytest.raises(StorageError, match="another program changed"):
        hands.words("pos", "great")
    assert place.read_text() == written
    assert hands.bench.state() == before


def test_a_project_of_other_rows_is_refused(hands):
    hands.bench.close()
    text = hands.path.read_text()
    hands.path.write_text(text.replace("boring", "dull"))
    with pytest.raises(StorageError, match="belongs to other rows: 10 of"):
        Workbench.open(hands.path, text="text")
    hands.path.write_text(text)
    Workbench.open(hands.path, text="text").close()
