"""Every tool that evaluates systems: the same judgements in, in the tool's own shape.

The shapes in ``evaluations.json`` are those of the tools' sources, of files in their tests
and, for Inspect, of logs that version 0.3.285 wrote.
"""

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import corral
from corral.errors import CorralError, SignalsError
from corral.exchange import EVALUATIONS, recognise
from corral.io.reader import Reading, read_votes

PASSED = {"exact": [1, 0, 1, 0, 1], "grader": [1, 1, 0, 0, 1]}
"""What two judges say of answers to five questions."""
ITEMS = range(5)
SAID = {
    "IC": "IC",
    "bool": [False, True],
    "float": [0.0, 1.0],
    "score": [0.25, 0.9],
    "yes": ["no", "yes"],
}
SHAPES = json.loads(Path(__file__).with_name("evaluations.json").read_text())


def fill(shape, i):
    """The shape of an answer, with what is said of the i-th."""
    if isinstance(shape, dict):
        return {key: fill(value, i) for key, value in shape.items()}
    if isinstance(shape, list):
        return [fill(value, i) for value in shape]
    if not isinstance(shape, str) or not shape.startswith("@"):
        return shape
    judge, _, kind = shape[1:].partition(":")
    plain = {"i": i, "q": f"q{i}", "a": f"a{i}", "why": f"why {i}"}
    return SAID[kind][PASSED[judge][i]] if kind else plain[judge]


def answers_of(tool):
    return [fill(SHAPES[tool]["answer"], i) for i in ITEMS]


def around(shape, answers):
    if isinstance(shape, dict):
        return {key: around(value, answers) for key, value in shape.items()}
    return answers if shape == "@answers" else shape


def write(tool, folder, change=lambda answers: None):
    """One file; in lines, if nothing is around the answers."""
    answers = answers_of(tool)
    change(answers)
    if "around" in SHAPES[tool]:
        path = folder / "results.json"
        path.write_text(json.dumps(around(SHAPES[tool]["around"], answers), indent=1))
        return path
    (folder / "m").mkdir()
    path = folder / "m" / "samples_quiz_2026-01-02T03-04-05.123456.jsonl"
    path.write_text("\n".join(map(json.dumps, answers)))
    return path


@pytest.fixture(params=EVALUATIONS)
def made(request, tmp_path):
    return request.param, write(request.param, tmp_path)


def check(found, tool):
    assert found.signals.names == tuple(PASSED)
    assert found.signals.votes.T.tolist() == list(PASSED.values())
    assert found.fields["input"].tolist() == [f"q{i}" for i in ITEMS]
    assert found.fields["output"].tolist() == [f"a{i}" for i in ITEMS]
    if "@why" in json.dumps(SHAPES[tool]):
        why = [f"why {i}" for i in ITEMS]
        assert found.said["grader: explanation"].tolist() == why
    if tool not in ("langfuse", "ragas"):  # which do not name it
        assert set(found.fields["system"]) == {"m"}


def test_judgements_are_read(made):
    tool, path = made
    assert recognise(path) == tool
    found = corral.read_judges(path)
    check(found, tool)
    if tool in ("mlflow", "langfuse"):  # whose people all say yes
        assert set(found.fields["human"]) == {found.signals.classes[1]}
    read = read_votes(path, Reading(), gold=["pass"] * 5, text="output")
    assert read.signals.votes.T.tolist() == list(PASSED.values())
    assert read.values["text"].tolist() == found.fields["output"].tolist()


def test_logs_in_other_forms(tmp_path):
    log = tmp_path / "log.eval"
    head = {**SHAPES["inspect"]["around"], "samples": None}
    with ZipFile(log, "w", ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(head))
        for sample in answers_of("inspect"):
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        archive.writestr("summaries.json", json.dumps(answers_of("inspect")))
        archive.writestr("header.json", json.dumps(head))
    check(corral.read_judges(log), "inspect")
    rows = answers_of("promptfoo")
    failed = {"testIdx": 9, "success": False, "failureReason": 2, "vars": {}}
    lines = tmp_path / "results.jsonl"
    lines.write_text("\n".join(map(json.dumps, [*rows, failed])))
    check(corral.read_judges(lines), "promptfoo")
    rows = [{"spec": {"completion_fns": ["m"], "eval_name": "exact", "run_id": "r"}}]
    for i in ITEMS:
        asked = [{"role": "user", "content": f"q{i}"}]
        for kind, data in (
            ("sampling", {"prompt": asked, "sampled": [f"a{i}"]}),
            ("sampling", {"prompt": "grade it", "sampled": [f"why {i}"]}),
            ("match", {"correct": bool(PASSED["exact"][i]), "expected": "7"}),
            ("metrics", {"choice": "Y", "grader": float(PASSED["grader"][i])}),
        ):
            event = {"run_id": "r", "event_id": len(rows), "sample_id": f"exact.{i}"}
            rows.append({**event, "type": kind, "data": data})
    lines.write_text("\n".join(map(json.dumps, [*rows, {"final_report": {}}])))
    found = corral.read_judges(lines)
    check(found, "openai-evals")
    assert found.said["grader: explanation"][1] == "why 1"


def test_scores_are_kept_and_split_at_the_threshold(tmp_path):
    path = write("ragas", tmp_path)
    found = corral.read_judges(path)
    assert found.said["exact: score"].tolist() == [0.9, 0.25, 0.9, 0.25, 0.9]
    assert "from 0.5 are a pass" in str(found)
    rows = json.loads(path.read_text())
    rows[0] |= {"exact": None, "length": 214.0}
    path.write_text(json.dumps(rows))
    found = corral.read_judges(path, threshold=0.2)
    assert found.columns["exact"].tolist() == [None] + 4 * ["pass"]
    assert found.fields["length"][0] == 214.0
    assert "not votes: length" in str(found)


def test_answers_of_two_systems_and_of_epochs_are_examples_of_their_own(tmp_path):
    log = json.loads(write("inspect", tmp_path).read_text())
    log["eval"]["model"] = "n"
    log["samples"] += [{**sample, "epoch": 2} for sample in log["samples"]]
    (tmp_path / "second.json").write_text(json.dumps(log))
    found = corral.read_judges(tmp_path)
    assert len(found.signals) == 15
    assert found.fields["item"].tolist() == 3 * [*ITEMS]
    assert found.fields["system"].tolist() == 5 * ["m"] + 10 * ["n"]
    names = read_votes(tmp_path, Reading()).values["names"]
    assert names == ([*found.fields["item"]], [*found.signals.index])


@pytest.mark.parametrize("tool", ["promptfoo", "deepeval"])
def test_names_that_restart_in_every_file_are_refused(tmp_path, tool):
    """They merged different questions; the same questions again are no harm."""
    results = write(tool, tmp_path).read_text()
    second = tmp_path / "second.json"
    if tool == "deepeval":
        results = results.replace('"name": "q', '"name": "case ')
        (tmp_path / "results.json").write_text(results)
    second.write_text(results)
    assert len(corral.read_judges(tmp_path).signals) == 5
    second.write_text(results.replace('"q', '"another '))
    with pytest.raises(SignalsError, match="two questions"):
        corral.read_judges(tmp_path)


def test_an_edited_score_is_the_answer_of_a_person(tmp_path):
    def edit(samples):
        score = samples[1]["scores"]["exact"]
        changed = {
            "value": "C",
            "explanation": "UNCHANGED",
            "provenance": {"author": "a"},
        }
        history = [{**score, "provenance": None}, changed]
        samples[1]["scores"]["exact"] = {**score, "value": "C", "history": history}

    found = corral.read_judges(write("inspect", tmp_path, edit))
    assert found.signals.votes[1, 0] == 0
    assert found.fields["human"].tolist() == [None, "pass", None, None, None]


def test_people_who_grade_do_not_pass_everything(tmp_path):
    """Grades from 1 to 5 beside scores from 0 to 1 are no pass and no fail."""
    about = [("judge", "API", [0, 1, 1]), ("rating", "ANNOTATION", [1, 2, 5])]
    scores = [
        {"traceId": f"t{i}", "name": name, "source": source, "value": value}
        for name, source, values in about
        for i, value in enumerate(values)
    ]
    path = tmp_path / "scores.json"
    path.write_text(json.dumps([{"dataType": "NUMERIC", **each} for each in scores]))
    found = corral.read_judges(path)
    assert found.columns["judge"].tolist() == ["fail", "pass", "pass"]
    assert found.fields["human"].tolist() == [1, 2, 5]


def test_several_scores_of_a_scorer_are_several_judges(tmp_path):
    def edit(samples):
        for sample in samples:
            sample["scores"] = {"jury": {"value": {"a": 1, "b": sample["id"] % 2}}}

    found = corral.read_judges(write("inspect", tmp_path, edit))
    assert found.signals.names == ("jury.a", "jury.b")
    assert found.signals.votes.T.tolist() == [[1] * 5, [0, 1, 0, 1, 0]]


@pytest.mark.parametrize("cut", ["scores", "id", "epoch"])
def test_what_is_missing_is_one_error(tmp_path, cut):
    path = write("inspect", tmp_path, lambda samples: [s.pop(cut) for s in samples])
    with pytest.raises(CorralError, match=r"inspect|scorer"):
        corral.read_judges(path)
