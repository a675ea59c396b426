"""What Argilla, doccano and Prodigy have that the others do not."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.exchange.exports import (
    annotation,
    argilla_records,
    choice,
    doccano_members,
    flat_argilla_records,
    lines,
    prodigy_answers,
)

import corral
from corral.errors import ParameterError, SignalsError, StorageError


@pytest.fixture
def save(tmp_path):
    """Write rows as JSON lines, and give the path."""

    def call(rows, name="export.jsonl"):
        path = tmp_path / name
        path.write_text(lines(rows))
        return path

    return call


def test_argilla_skips_drafts_and_other_questions(save):
    records = argilla_records()
    answers = records[0]["responses"]
    answers["sentiment"][0]["status"] = "submitted"
    answers["sentiment"][1]["status"] = "draft"
    answers["tags"] = [{"value": ["x", "y"], "user_id": "alice"}]
    found = corral.read_annotations(save(records))
    assert found.skipped == {
        "responses with the status 'draft'": 1,
        "answers to 'tags'": 1,
    }


def test_argilla_ratings_are_classes_and_labels_are_asked_for(save):
    rows = [
        {
            "id": str(i),
            "fields": {"prompt": "p", "answer": "a"},
            "responses": {
                "rating": [{"value": i % 3, "user_id": "u"}],
                "tone": [{"value": "calm", "user_id": "u"}],
            },
        }
        for i in range(6)
    ]
    path = save(rows)
    with pytest.raises(SignalsError, match="'rating', 'tone'"):
        corral.read_annotations(path)
    found = corral.read_annotations(path, question="rating")
    assert found.signals.classes.tolist() == [0, 1, 2]
    assert found.texts is None


def test_argilla_free_text_is_no_class(save):
    rows = [
        {
            "id": str(i),
            "fields": {"text": "a"},
            "responses": {"why": [{"value": f"since {i}", "user_id": "u"}]},
        }
        for i in range(150)
    ]
    with pytest.raises(
        SignalsError, match="150 different things, so they are free text"
    ):
        corral.read_annotations(save(rows))


def test_argilla_suggestions_of_agents_are_votes_if_asked_for(save):
    records = argilla_records()
    for record in records:
        record["suggestions"] = {
            "sentiment": {"value": "pos", "score": 0.7, "agent": "gpt"}
        }
    path = save(records)
    assert "gpt" not in corral.read_annotations(path).signals.names
    found = corral.read_annotations(path, predictions=True)
    assert found.signals.coverage[found.signals.names.index("gpt")] == 1


def test_flat_argilla_records_stay_flat(save, tmp_path):
    flat = [
        {"id": str(i), "text": "a", "q.responses": [v], "q.responses.users": ["u"]}
        for i, v in enumerate(["x", "y"])
    ]
    found = corral.read_annotations(save(flat))
    labeler = corral.MajorityVote().fit(found.signals)
    path = corral.write_annotations(tmp_path / "out.jsonl", found, labeler)
    first = json.loads(path.read_text().split("\n")[0])
    assert first["q.suggestion"] == "x"
    assert first["q.suggestion.agent"] == "corral"
    assert first["q.suggestion.score"] == pytest.approx(labeler.labels_[0].max())


def test_doccano_several_labels_and_spans(save):
    rows = [
        {"id": 1, "text": "a", "label": ["x", "y"]},
        {"id": 2, "text": "b", "label": [[0, 1, "LOC"]]},
        {"id": 3, "text": "c", "cats": ["x"], "entities": [[0, 1, "LOC"]]},
        {"id": 4, "text": "d", "label": ["y"]},
        {"id": 5, "text": "e", "label": []},
        {"id": 6, "text": "f", "entities": [{"id": 1, "label": "LOC"}]},
    ]
    found = corral.read_annotations(save(rows, "all.jsonl"))
    assert found.signals.names == ("all",)
    assert found.signals.covered.tolist() == [*(2 * [False]), True, True, False, False]
    assert found.skipped == {"answers of several classes": 1, "examples with spans": 2}


def test_doccano_of_older_versions(save):
    rows = [
        {"doc_id": 33, "text": "a", "labels": ["x"], "username": "admin"},
        {"doc_id": 34, "text": "b", "labels": ["y"], "username": "ann"},
    ]
    assert corral.read_annotations(save(rows)).signals.names == ("admin", "ann")


def test_doccano_images_go_by_their_file(save):
    rows = [{"id": i, "filename": f"{i}.png", "label": [c]} for i, c in enumerate("xy")]
    assert corral.read_annotations(save(rows)).texts == ["0.png", "1.png"]


def binary(text, label, answer, who="ann"):
    return {
        "text": text,
        "label": label,
        "answer": answer,
        "spans": [],
        "_input_hash": hash(text),
        "_task_hash": 1,
        "_session_id": who,
    }


def test_prodigy_a_reject_of_the_only_class_is_a_vote(save):
    rows = [binary("a", "SPAM", "accept"), binary("b", "SPAM", "reject")]
    found = corral.read_annotations(save(rows))
    assert found.signals.classes.tolist() == ["not SPAM", "SPAM"]
    assert found.signals.votes.tolist() == [[1], [0]]


def test_prodigy_a_reject_of_one_of_several_classes_says_little(save):
    rows = [
        binary("a", "A", "accept"),
        binary("b", "B", "accept"),
        binary("c", "B", "reject"),
        binary("d", "B", "ignore"),
    ]
    found = corral.read_annotations(save(rows))
    assert found.skipped == {
        "rejects of one of several classes": 1,
        "ignored or unanswered tasks": 1,
    }


@pytest.mark.parametrize(
    "last",
    [
        {"answer": "ignore"},
        {"answer": "reject"},
        {"accept": []},
        {"accept": ["neg", "pos"]},
    ],
)
def test_prodigy_an_answer_taken_back_does_not_count(save, last):
    rows = prodigy_answers()
    found = corral.read_annotations(save([*rows, rows[0] | last]))
    assert found.signals.votes[0].tolist() == [-1, 1, -1]


@pytest.mark.parametrize("answer", ["ignore", "reject"])
def test_prodigy_an_accepted_class_taken_back_does_not_count(save, answer):
    rows = [binary("a", "A", "accept"), binary("a", "B", "accept")]
    rows += [binary("b", "B", "accept"), binary("a", "A", answer)]
    found = corral.read_annotations(save(rows), classes=["A", "B"])
    assert found.signals.votes.tolist() == [[1], [1]]


def test_prodigy_numbers_of_options_come_back_as_numbers(save, tmp_path):
    rows = prodigy_answers()
    number = {"neg": -1, "pos": 1}
    for row in rows:
        row["options"] = [{"id": n, "text": c} for c, n in number.items()]
        row["accept"] = [number[c] for c in row["accept"]]
    found = corral.read_annotations(save(rows))
    assert found.signals.classes.tolist() == ["-1", "1"]
    labeler = corral.MajorityVote().fit(found.signals)
    path = corral.write_annotations(tmp_path / "out.jsonl", found, labeler)
    made = json.loads(path.read_text().split("\n")[0])
    assert made["accept"] == [1]
    assert made["meta"] == {"source": "web", "score": 1.0, "source_of_score": "corral"}
    assert "answer" not in made
    assert "_annotator_id" not in made
    assert made["_input_hash"] == rows[0]["_input_hash"]


@pytest.mark.parametrize("odd", ["great", {"id": "pos"}])
def test_prodigy_answers_are_among_their_options(save, odd):
    rows = prodigy_answers()
    for row in rows[1:]:  # others may offer something else
        row["options"] = [*row["options"], {"id": "mixed", "text": "mixed"}]
    good = corral.read_annotations(save(rows))
    rows[0]["accept"] = [odd]
    found = corral.read_annotations(save(rows))
    assert found.signals.classes.tolist() == good.signals.classes.tolist()
    assert found.skipped["answers that their task does not offer"] == 1


def test_prodigy_suggestions_are_among_the_options_of_their_task(save, tmp_path):
    rows = prodigy_answers()
    rows[0]["options"] = [{"id": "mixed", "text": "mixed"}]
    rows[0]["answer"] = "ignore"
    found = corral.read_annotations(save(rows))
    labeler = corral.MajorityVote(uncovered="prior").fit(found.signals)
    out = corral.write_annotations(tmp_path / "out.jsonl", found, labeler)
    tasks = [json.loads(line) for line in out.read_text().splitlines()]
    for task in tasks:
        assert {*task["accept"]} <= {each["id"] for each in task["options"]}


def test_prodigy_spans_are_refused(save):
    row = {
        "text": "a",
        "spans": [{"start": 0, "end": 1, "label": "X"}],
        "answer": "accept",
    }
    with pytest.raises(SignalsError, match=r"answers with spans \(1\)"):
        corral.read_annotations(save([{**row, "_task_hash": 1, "_input_hash": 2}]))


@pytest.mark.parametrize(
    ("tool", "options", "named"),
    [
        ("prodigy", {"question": "q"}, "question is not for files of Prodigy"),
        ("doccano", {"predictions": True}, "predictions is not for files of doccano"),
        ("argilla", {"split": "test"}, "split is not for files of Argilla"),
        ("label-studio", {"gold": "y"}, "gold is not for files of Label Studio"),
    ],
)
def test_options_of_other_tools_are_refused(save, tool, options, named):
    path = save([{"text": "a"}])
    with pytest.raises(ParameterError, match=named):
        corral.read_annotations(path, tool, **options)


def test_names_that_two_texts_have_are_refused(save, tmp_path):
    """Exports of two projects, whose numbers have nothing to do with each other."""
    save([{"id": 1, "text": "x", "label": ["a"]}], "alice.jsonl")
    save([{"id": 1, "text": "other", "label": ["b"]}], "bob.jsonl")
    with pytest.raises(SignalsError, match=r"1 names two examples .*'x' and 'other'"):
        corral.read_annotations(tmp_path)


@pytest.mark.parametrize("tool", ["label-studio", "argilla"])
def test_ids_of_two_projects_are_refused_without_a_text_to_compare(
    save, tmp_path, tool
):
    for project, said in (("one", "a"), ("two", "b")):
        fields = {"question": f"q of {project}", "reply": "r"}
        row = {
            "label-studio": {
                "data": fields,
                "annotations": [annotation(project, choice(said))],
            },
            "argilla": {
                "fields": fields,
                "responses": {"tone": [{"value": said, "user_id": project}]},
            },
        }[tool]
        save([{"id": 1, **row}], f"{project}.jsonl")
    with pytest.raises(SignalsError, match="1 names two examples"):
        corral.read_annotations(tmp_path)
    (tmp_path / "two.jsonl").write_text((tmp_path / "one.jsonl").read_text())
    assert len(corral.read_annotations(tmp_path, classes=["a", "b"])) == 1


def test_ids_may_be_numbers_and_texts(save, tmp_path):
    save([{"id": 1, "text": "x", "label": ["a"]}], "alice.jsonl")
    save([{"id": "1", "text": "x", "label": ["b"]}], "bob.jsonl")
    save([{"id": True, "text": "y", "label": ["b"]}], "carol.jsonl")
    found = corral.read_annotations(tmp_path)
    assert found.ids.tolist() == ["1", "True"]
    assert found.signals.votes.tolist() == [[0, 1, -1], [-1, -1, 1]]


def test_doccano_equal_texts_without_an_id_are_two_examples(save, tmp_path):
    for who in ("alice", "bob"):
        save([{"text": "x", "label": [c]} for c in "ab"], f"{who}.jsonl")
    found = corral.read_annotations(tmp_path)
    assert found.signals.votes.tolist() == [[0, 0], [1, 1]]


def test_words_for_no_vote_in_a_dataset_are_counted():
    datasets = pytest.importorskip("datasets")
    votes = datasets.Dataset.from_dict({"r1": ["a", "NA", "b"], "r2": ["a", None, "b"]})
    found = corral.read_annotations(votes, signals=["r1", "r2"])
    assert found.skipped == {"answers that mean no vote": 1}


def test_doccano_of_version_1_5_calls_the_text_data(save):
    rows = [{"id": i, "data": t, "label": [t], "by": "me"} for i, t in enumerate("ab")]
    found = corral.read_annotations(save(rows))
    assert found.format == "doccano"
    assert found.texts == ["a", "b"]


@pytest.mark.parametrize("given", [[1, 2, 3, 4], ["1", "2", "3", "4"]])
def test_numbers_may_be_given_as_texts(save, given):
    said = [{"value": i % 3 + 1, "user_id": "u"} for i in range(6)]
    rows = [
        {"id": str(i), "fields": {"text": str(i)}, "responses": {"rating": [each]}}
        for i, each in enumerate(said)
    ]
    found = corral.read_annotations(save(rows), classes=given, abstain=given[0])
    assert found.signals.classes.tolist() == [1, 2, 3, 4]
    assert found.skipped == {"answers that mean no vote": 2}


def test_two_accepted_classes_of_an_example_are_several(save):
    """Each was asked for by itself, so the second is no correction of the first."""
    asked = [
        ("t1", "SPAM"),
        ("t1", "HAM"),
        ("t2", "HAM"),
        ("t3", "SPAM"),
        ("t3", "SPAM"),
    ]
    rows = [
        {"text": text, "label": label, "answer": "accept", "_task_hash": i}
        for i, (text, label) in enumerate(asked)
    ]
    found = corral.read_annotations(save(rows))
    assert found.signals.votes.tolist() == [[-1], [0], [1]]
    assert found.skipped == {"answers of several classes": 1}


@pytest.mark.parametrize("tool", ["argilla", "argilla, flat", "doccano", "prodigy"])
def test_suggestions_of_an_earlier_run_go_where_there_is_no_answer(
    save, tmp_path, tool
):
    rows = {
        "argilla": argilla_records(),
        "argilla, flat": flat_argilla_records(),
        "doccano": doccano_members()["alice"],
        "prodigy": prodigy_answers(),
    }[tool]
    found = corral.read_annotations(save(rows), classes=["neg", "pos"])
    sure, unsure = (
        np.tile([0.125, 0.875], (len(found), 1)),
        np.full((len(found), 2), 0.5),
    )
    first = corral.write_annotations(tmp_path / "first.jsonl", found, sure)
    assert "0.875" in first.read_text()
    records = [json.loads(line) for line in first.read_text().splitlines()]
    again = replace(found, records=records)
    second = corral.write_annotations(tmp_path / "second.jsonl", again, unsure)
    assert "0.875" not in second.read_text()
    assert '"corral"' not in second.read_text()


def test_the_wrong_tool_is_named(save):
    with pytest.raises(StorageError, match=r"is of argilla, .* says prodigy"):
        corral.read_annotations(save(argilla_records()), "prodigy")
