"""Label Studio: who completed what, ground truths, and what is skipped."""

import json

import numpy as np
import pytest
from tests.exchange.exports import annotation, choice, label_studio_tasks

import corral
from corral.errors import ParameterError, SignalsError

SPAN = {
    "id": "t5sp3TyXPo",
    "from_name": "label",
    "to_name": "text",
    "type": "labels",
    "value": {"start": 0, "end": 5, "text": "great", "labels": ["PER"]},
}


@pytest.fixture
def save(tmp_path):
    """Write tasks, and give the path."""

    def call(tasks):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(tasks))
        return path

    return call


def task(number, *annotations, **other):
    return {
        "id": number,
        "data": {"text": f"text {number}"},
        "annotations": list(annotations),
        **other,
    }


def test_ground_truth_is_known_and_no_vote(save):
    path = save(
        [
            task(1, annotation(5, choice("pos"), ground_truth=True)),
            task(2, annotation(5, choice("neg")), annotation(6, choice("pos"))),
        ]
    )
    found = corral.read_annotations(path)
    assert found.known.tolist() == ["pos", None]
    assert found.signals.covered.tolist() == [False, True]
    assert found.signals.names == ("5", "6")


def test_known_labels_teach_error_rates(save):
    """What the reader calls known can be given to `FromLabels` as it is."""
    tasks = label_studio_tasks() * 10
    for i, each in enumerate(tasks := json.loads(json.dumps(tasks))):
        each["id"] = i
        each["annotations"].append(
            annotation("expert", choice("pos"), ground_truth=i % 2 == 0)
        )
    found = corral.read_annotations(save(tasks))
    rates = corral.FromLabels(found.known)
    labeler = corral.ConstrainedLabeler(rates).fit(found.signals)
    assert labeler.labels_.shape == (60, 2)


@pytest.mark.parametrize(
    ("who", "name"),
    [
        (10, "10"),
        ({"id": 10, "email": "a@b.org", "first_name": "", "last_name": ""}, "a@b.org"),
        ({"username": "ann"}, "ann"),
        (None, "unknown"),
    ],
)
def test_names_of_annotators(save, who, name):
    path = save(
        [task(1, annotation(who, choice("a"))), task(2, annotation(who, choice("b")))]
    )
    assert corral.read_annotations(path).signals.names == (name,)


@pytest.mark.parametrize(
    "part",
    [
        {"value": {"choices": ["a"], "format": "rle", "rle": [1, 2]}},
        {"value": {"choices": ["a"], "sequence": [{"frame": 1}]}},
        {"value": {"choices": ["a"], "vertices": []}},
        {"value": {"choices": ["a"], "item_index": 0}},
        {"item_index": 0},
    ],
)
def test_choices_about_a_part_are_no_votes_on_the_task(save, part):
    path = save(
        [
            task(1, annotation(1, choice("b")), annotation(2, choice("a") | part)),
            task(2, annotation(1, choice("a"))),
        ]
    )
    found = corral.read_annotations(path)
    assert found.signals.names == ("1",)
    assert found.skipped["choices about a part of a task"] == 1


def test_nested_choices_that_end_alike_stay_apart(save, tmp_path):
    said = [["Good", "Other"], ["Bad", "Other"], ["Bad", "Slow"], "Other"]
    path = save([task(i, annotation(1, choice(c))) for i, c in enumerate(said)])
    found = corral.read_annotations(path)
    classes = found.signals.classes[found.signals.votes[:, 0]].tolist()
    assert classes == ["Good > Other", "Bad > Other", "Slow", "Other"]
    labeler = corral.MajorityVote().fit(found.signals)
    target = corral.write_annotations(tmp_path / "out.json", found, labeler)
    results = [t["predictions"][0]["result"][0] for t in json.loads(target.read_text())]
    written = [result["value"]["choices"][0] for result in results]
    assert written == [["Good", "Other"], ["Bad", "Other"], "Slow", "Other"]


def test_what_is_no_single_choice_is_skipped_and_counted(save):
    several = choice("a")
    several["value"]["choices"] = ["a", "b"]
    region = choice("a")
    region["value"] |= {"start": 1, "end": 2}
    nested = choice(["animal", "c"])
    path = save(
        [
            task(1, annotation(1, choice("a"), SPAN), annotation(2, several)),
            task(2, annotation(1, choice("b")), annotation(2, SPAN)),
            task(3, annotation(1, choice("b"), was_cancelled=True)),
            task(4, annotation(1, region), annotation(2, nested)),
            task(5, annotation(1, choice("b")), annotation(1, choice("a"))),
            task(6, annotation(1, several, ground_truth=True)),
        ]
    )
    found = corral.read_annotations(path)
    assert found.skipped == {
        "results of the type 'labels'": 2,
        "answers of several classes": 1,
        "answers of no class": 2,
        "cancelled annotations": 1,
        "choices about a part of a task": 1,
        "earlier answers of an annotator who answered again": 1,
        "ground truths that are no single class": 1,
    }
    assert found.signals.votes.tolist() == [
        *([0, -1], [1, -1], [-1, -1], [-1, 2], [0, -1], [-1, -1]),
    ]


def test_tasks_without_an_id_stay_apart(save):
    tasks = [task(None, annotation(1, choice(c))) for c in "ab"]
    tasks += [task(0, annotation(1, choice("a"))), task(1, annotation(1, choice("b")))]
    del tasks[1]["id"]
    found = corral.read_annotations(save(tasks))
    assert found.ids.tolist() == ["row 1", "row 2", "0", "1"]
    assert found.signals.votes.ravel().tolist() == [0, 1, 0, 1]


def test_spans_alone_are_refused(save):
    path = save([task(1, annotation(1, SPAN))])
    with pytest.raises(SignalsError, match=r"results of the type 'labels' \(1\)"):
        corral.read_annotations(path)


def test_one_of_several_questions_is_named(save):
    both = [choice("a"), choice("x", "topic")]
    path = save([task(1, annotation(1, *both)), task(2, annotation(1, choice("b")))])
    with pytest.raises(SignalsError, match=r"'sentiment', 'topic'. Choose one with"):
        corral.read_annotations(path)
    found = corral.read_annotations(path, question="sentiment")
    assert found.signals.classes.tolist() == ["a", "b"]
    assert (found.question, found.target) == ("sentiment", "text")
    with pytest.raises(ParameterError, match="question 'mood' has no answers"):
        corral.read_annotations(path, question="mood")


def test_predictions_of_models_are_votes_if_asked_for(save):
    def predicted(model, value):
        return {"model_version": model, "score": 0.8, "result": [choice(value)]}

    path = save(
        [
            task(1, annotation(1, choice("a")), predictions=[predicted("m1", "b")]),
            task(2, annotation(1, choice("b")), predictions=[predicted("corral", "b")]),
        ]
    )
    assert corral.read_annotations(path).signals.names == ("1",)
    found = corral.read_annotations(path, predictions=True)
    assert found.signals.names == ("1", "m1")
    assert found.signals.votes.tolist() == [[0, 1], [1, -1]]


def test_tasks_come_back_whole_with_a_prediction(save, tmp_path):
    tasks = label_studio_tasks()
    tasks[0]["predictions"] = [{"model_version": "m1", "result": []}]
    found = corral.read_annotations(save(tasks))
    labeler = corral.MajorityVote().fit(found.signals)
    target = corral.write_annotations(tmp_path / "tasks.json", found, labeler)
    made = json.loads(target.read_text("utf-8"))
    for before, after in zip(tasks, made, strict=True):
        assert {**after, "predictions": before["predictions"]} == before
    first, *others, last = made
    assert first["predictions"][0] == tasks[0]["predictions"][0]
    assert first["predictions"][1]["model_version"] == "corral"
    assert last["predictions"] == [], "nobody answered it"
    result = first["predictions"][1]["result"][0]
    assert {key: result[key] for key in ("from_name", "to_name", "type", "value")} == {
        "from_name": "sentiment",
        "to_name": "text",
        "type": "choices",
        "value": {"choices": ["pos"]},
    }
    scores = [each["predictions"][-1]["score"] for each in (first, *others)]
    np.testing.assert_allclose(scores, labeler.labels_[:-1].max(axis=1))
    names = [each["predictions"][-1]["result"][0]["id"] for each in (first, *others)]
    assert len(set(names)) == len(names), "Label Studio wants every id once"


def test_json_min_is_refused_with_what_to_do(save):
    path = save([{"id": 1, "text": "a", "sentiment": "pos", "annotation_id": 3}])
    with pytest.raises(SignalsError, match="Export the project as JSON"):
        corral.read_annotations(path, "label-studio")


def test_the_text_may_have_another_name(save):
    said = task(1, annotation(1, choice("a"))), task(2, annotation(1, choice("b")))
    for each in said:
        each["data"] = {"title": "t", "review": "r"}
    path = save(said)
    assert corral.read_annotations(path).texts is None
    assert corral.read_annotations(path, text="review").texts == ["r", "r"]
    with pytest.raises(ParameterError, match="text 'body' is no text"):
        corral.read_annotations(path, text="body")


def test_old_exports_called_annotations_completions(save):
    old = [task(1, annotation(1, choice("a"))), task(2, annotation(1, choice("b")))]
    for each in old:
        each["completions"] = each.pop("annotations")
    assert len(corral.read_annotations(save(old)).signals) == 2


def test_users_without_an_address_stay_apart(save):
    users = [{"id": 7, "email": ""}, {"id": 8, "email": None}]
    said = [
        annotation(who, choice(c)) for who, c in zip(users, ("neg", "pos"), strict=True)
    ]
    found = corral.read_annotations(save([task(1, *said)]))
    assert found.signals.names == ("7", "8")
