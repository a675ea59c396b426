"""What Label Studio, Argilla and doccano have that the others do not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.exchange.exports import (
    annotation,
    argilla_records,
    choice,
    doccano_members,
    label_studio_tasks,
    lines,
)

import corral
from corral.errors import ParameterError, SignalsError
from corral.exchange.label_studio import PATH


@pytest.fixture
def save(tmp_path):
    """Write rows as JSON lines, and give the path."""

    def call(rows, name="export.jsonl"):
        path = tmp_path / name
        path.write_text(lines(rows))
        return path

    return call


@pytest.fixture
def read(save):
    """Write rows as JSON lines, and read them."""
    return lambda rows, **options: corral.read_annotations(save(rows), **options)


@pytest.fixture
def suggest(tmp_path):
    """The records with suggestions of a majority vote."""

    def call(found):
        labeler = corral.MajorityVote(uncovered="prior").fit(found.signals)
        path = tmp_path / "suggested.jsonl"
        corral.write_annotations(path, found, labeler, overwrite=True)
        return [json.loads(line) for line in path.read_text().splitlines()]

    return call


# -- Label Studio -------------------------------------------------------------------

SPAN = {
    "from_name": "label",
    "to_name": "text",
    "type": "labels",
    "value": {"start": 0, "end": 5, "text": "great", "labels": ["PER"]},
}


def task(number, *annotations, **other):
    given = {"id": number, "data": {"text": f"text {number}"}}
    return given | {"annotations": list(annotations), **other}


def two_tasks(who=1):
    return [task(i, annotation(who, choice(c))) for i, c in enumerate("ab")]


@pytest.mark.parametrize(
    ("who", "name"),
    [
        (10, "10"),
        ({"id": 10, "email": "a@b.org", "first_name": "", "last_name": ""}, "a@b.org"),
        ({"id": 7, "email": ""}, "7"),
        ({"username": "ann"}, "ann"),
        (None, "unknown"),
    ],
)
def test_names_of_annotators(read, who, name):
    assert read(two_tasks(who)).signals.names == (name,)


def test_nested_choices_are_paths(read, suggest):
    said = [["Good", "Other"], ["Bad", "Other"], "Other"]
    found = read([task(i, annotation(1, choice(c))) for i, c in enumerate(said)])
    classes = found.signals.classes[found.signals.votes[:, 0]].tolist()
    assert classes == [PATH.join(each) for each in said[:2]] + ["Other"]
    results = [each["predictions"][0]["result"][0] for each in suggest(found)]
    assert [result["value"]["choices"][0] for result in results] == said


def test_what_has_no_choice_is_refused(read):
    with pytest.raises(SignalsError, match="'labels'"):
        read([task(1, annotation(1, SPAN))])


def test_json_min(read):
    def row(i, sentiment, who, **others):
        said = {"text": f"t{i}", "id": i, "sentiment": sentiment, **others}
        about = {"created_at": "2026-01-02T03:04:05Z", "lead_time": 4.2}
        return {**said, "annotator": who, "annotation_id": 9, **about}

    both = {"choices": ["pos", "neg"]}
    rows = [row(1, "pos", 7), row(1, "neg", 8), row(2, "neg", 7), row(2, both, 8)]
    found = read(rows)
    assert (found.signals.names, found.question) == (("7", "8"), "sentiment")
    assert found.signals.votes.tolist() == [[1, 0], [0, -1]]
    assert found.texts == ["t1", "t2"]
    assert found.skipped == {"answers of several classes": 1}
    with pytest.raises(SignalsError, match="question"):
        read([*rows, row(3, "pos", 7, topic="film")])
    later = [row(i, "np"[i % 2], 7) for i in range(30)]  # the text after the id
    found = read([{"id": each.pop("id"), **each} for each in later])
    assert (found.question, found.texts[1]) == ("sentiment", "t1")


def test_one_of_several_questions_is_named(save):
    both = [choice("a"), choice("x", "topic")]
    path = save([*two_tasks(), task(2, annotation(1, *both))])
    with pytest.raises(SignalsError, match="'sentiment', 'topic'"):
        corral.read_annotations(path)
    found = corral.read_annotations(path, question="sentiment")
    assert found.signals.classes.tolist() == ["a", "b"]
    assert (found.question, found.target) == ("sentiment", "text")
    with pytest.raises(ParameterError, match="question 'mood'"):
        corral.read_annotations(path, question="mood")


def test_predictions_of_models_are_votes_if_asked_for(save):
    tasks = two_tasks()
    for each, model in zip(tasks, ("m1", "corral"), strict=True):
        said = {"model_version": model, "score": 0.8, "result": [choice("b")]}
        each["predictions"] = [said]
    path = save(tasks)
    assert corral.read_annotations(path).signals.names == ("1",)
    found = corral.read_annotations(path, predictions=True)
    assert found.signals.names == ("1", "m1")
    assert found.signals.votes.tolist() == [[0, 1], [1, -1]]


def test_tasks_come_back_whole_with_a_prediction(read, tmp_path):
    tasks = label_studio_tasks()
    tasks[0]["predictions"] = [{"model_version": "m1", "result": []}]
    found = read(tasks)
    labeler = corral.MajorityVote().fit(found.signals)
    target = corral.write_annotations(tmp_path / "tasks.json", found, labeler)
    made = json.loads(target.read_text("utf-8"))
    for before, after in zip(tasks, made, strict=True):
        assert {**after, "predictions": before["predictions"]} == before
    *answered, last = made
    assert last["predictions"] == [], "nobody answered it"
    own = [each["predictions"][-1] for each in answered]
    assert made[0]["predictions"] == [*tasks[0]["predictions"], own[0]]
    assert {each["model_version"] for each in own} == {"corral"}
    scores = [each["score"] for each in own]
    np.testing.assert_allclose(scores, labeler.labels_[:-1].max(axis=1))
    results = [each["result"][0] for each in own]
    assert (results[0]["from_name"], results[0]["to_name"]) == ("sentiment", "text")
    assert len({each["id"] for each in results}) == len(results), "every id once"


def test_the_text_may_have_another_name(save):
    path = save([t | {"data": {"title": "t", "review": "r"}} for t in two_tasks()])
    assert corral.read_annotations(path).texts is None
    assert corral.read_annotations(path, text="review").texts == ["r", "r"]
    with pytest.raises(ParameterError, match="text 'body'"):
        corral.read_annotations(path, text="body")


# -- Argilla ------------------------------------------------------------------------


def answered(question, values):
    return [
        {
            "id": str(i),
            "fields": {"text": str(i)},
            "responses": {question: [{"value": value, "user_id": "u"}]},
        }
        for i, value in enumerate(values)
    ]


def test_argilla_free_text_is_no_class(read):
    with pytest.raises(SignalsError, match="free text"):
        read(answered("why", [f"since {i}" for i in range(150)]))


@pytest.mark.parametrize("given", [[1, 2, 3, 4], ["1", "2", "3", "4"]])
def test_argilla_ratings_are_classes_and_may_be_given_as_texts(read, given):
    rows = answered("rating", [1, 2, 3, 1, 2, 3])
    found = read(rows, classes=given, abstain=given[0])
    assert found.signals.classes.tolist() == [1, 2, 3, 4]
    assert found.skipped == {"answers that mean no vote": 2}


def test_argilla_suggestions_of_agents_are_votes_if_asked_for(save):
    said = {"sentiment": {"value": "pos", "score": 0.7, "agent": "gpt"}}
    path = save([record | {"suggestions": said} for record in argilla_records()])
    assert "gpt" not in corral.read_annotations(path).signals.names
    found = corral.read_annotations(path, predictions=True)
    assert found.signals.coverage[found.signals.names.index("gpt")] == 1


@pytest.mark.parametrize("tool", ["label-studio", "argilla", "doccano"])
def test_ids_of_two_projects_are_refused(save, tmp_path, tool):
    """With a text, or without one to compare; one project twice is no harm."""
    for project, said in (("one", "a"), ("two", "b")):
        fields = {"question": f"q of {project}", "reply": "r"}
        row = answered("tone", [said])[0] | {"fields": fields}
        if tool == "label-studio":
            row = task("0", annotation(project, choice(said))) | {"data": fields}
        if tool == "doccano":
            row = {"id": 0, "text": f"q of {project}", "label": [said]}
        save([row], f"{project}.jsonl")
    with pytest.raises(SignalsError, match="two examples"):
        corral.read_annotations(tmp_path)
    (tmp_path / "two.jsonl").write_text((tmp_path / "one.jsonl").read_text())
    assert len(corral.read_annotations(tmp_path, classes=["a", "b"])) == 1


# -- all of them --------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [
        argilla_records(),
        doccano_members()["alice"],
    ],
)
def test_suggestions_of_an_earlier_run_go_where_there_is_no_answer(
    read, tmp_path, rows
):
    found = read(rows, classes=["neg", "pos"])
    sure, unsure = ([each] * len(found) for each in ([0.125, 0.875], [0.5, 0.5]))
    first = corral.write_annotations(tmp_path / "first.jsonl", found, sure)
    assert "0.875" in first.read_text()
    records = [json.loads(line) for line in first.read_text().splitlines()]
    again = replace(found, records=records)
    second = corral.write_annotations(tmp_path / "second.jsonl", again, unsure)
    assert "0.875" not in second.read_text()
    assert '"corral"' not in second.read_text()


# -- what is a vote, and what is skipped --------------------------------------------


def part_of_a_task(**part):
    return [*two_tasks(), task(2, annotation(2, choice("a") | part))]


def doccano(*rows):
    return [{"id": i, **row} for i, row in enumerate(rows)]


def members(**labels):
    """Rows of several members, who are told by name."""
    return [
        {"text": "x", "label": [each], "username": who}
        for who, said in labels.items()
        for each in said
    ]


def changed_argilla():
    records = argilla_records()[:1]
    answers = records[0]["responses"]
    answers["sentiment"][0]["status"] = "submitted"
    answers["sentiment"][1]["status"] = "draft"
    answers["tags"] = [{"value": ["x", "y"], "user_id": "alice"}]
    return records


SEVERAL = choice("a") | {"value": {"choices": ["a", "b"]}}
SPANS = {"text": "c", "cats": ["x"], "entities": [[0, 1, "LOC"]]}
SEVERAL_SAID, NONE_SAID = "answers of several classes", "answers of no class"
PART, AGAIN = "choices about a part of a task", "earlier answers of an annotator who"
CASES = {
    "label studio, ground truth is known and no vote": (
        [
            task(1, annotation(5, choice("a"), ground_truth=True)),
            task(2, annotation(5, choice("b"))),
            task(3, annotation(6, SEVERAL, ground_truth=True)),
        ],
        [[None], ["b"], [None]],
        {"ground truths without a single class": 1},
    ),
    "label studio, region": (
        part_of_a_task(value={"choices": ["a"], "format": "rle", "rle": [1, 2]}),
        [["a"], ["b"], [None]],
        {PART: 1, NONE_SAID: 1},
    ),
    "label studio, item": (
        part_of_a_task(item_index=0),
        [["a"], ["b"], [None]],
        {PART: 1, NONE_SAID: 1},
    ),
    "label studio, no single choice": (
        [
            task(1, annotation(1, choice("a"), SPAN), annotation(2, SEVERAL)),
            task(2, annotation(1, choice("b"), was_cancelled=True)),
            task(3, annotation(2, choice(["animal", "c"]))),
            task(4, annotation(1, choice("b")), annotation(1, choice("a"))),
        ],
        [["a", None], [None, None], [None, PATH.join(["animal", "c"])], ["a", None]],
        {"results of the type 'labels'": 1, SEVERAL_SAID: 1, "cancelled": 1, AGAIN: 1},
    ),
    "label studio, no ids": (
        [task(None, annotation(1, choice(c))) for c in "ab"],
        [["a"], ["b"]],
        {},
    ),
    "argilla, drafts and other questions": (
        changed_argilla(),
        [["pos"]],
        {"responses with the status 'draft'": 1, "answers to 'tags'": 1},
    ),
    "doccano, several labels and spans": (
        doccano(
            {"text": "a", "label": ["x", "y"]},
            {"text": "b", "label": [[0, 1, "LOC"]]},
            SPANS,
            {"text": "d", "label": ["y"]},
            {"text": "f", "entities": [{"id": 1, "label": "LOC"}]},
        ),
        [[None], [None], ["x"], ["y"], [None]],
        {SEVERAL_SAID: 1, "examples with spans": 2},
    ),
    "doccano, other names": (
        doccano({"data": "a", "labels": ["x"]}, {"data": "b", "labels": ["y"]}),
        [["x"], ["y"]],
        {},
    ),
    "doccano, equal texts of a member are two examples": (
        members(alice="ab", bob="ab"),
        [["a", "a"], ["b", "b"]],
        {},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_a_vote_and_what_is_skipped(read, name):
    rows, votes, skipped = CASES[name]
    options = {"classes": ["neg", "pos"]} if "argilla" in name else {}
    if "ground truth" in name:
        options = {"classes": ["a", "b"]}
    found = read(rows, **options)
    names = np.array([*found.signals.classes.tolist(), None], object)
    assert names[found.signals.votes].tolist() == votes
    counts = {next(s for s in skipped if why.startswith(s)): n
              for why, n in found.skipped.items()}  # fmt: skip
    assert counts == skipped
    if "ground truth" in name:
        assert found.known.tolist() == ["a", None, None]
