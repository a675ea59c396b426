"""Every tool that evaluates systems: the same judgements in, in the tool's own shape.

The shapes are those of the tools' sources, of files in their tests and, for Inspect, of
logs that version 0.3.285 wrote.
"""

import json
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import corral
from corral.errors import CorralError
from corral.exchange import EVALUATIONS, recognise
from corral.io.reader import Reading, read_votes

PASSED = {"exact": [1, 0, 1, 0, 1], "grader": [1, 1, 0, 0, 1]}
"""What two judges say of answers to five questions."""
ITEMS = range(5)
TEXTS = {"input": [f"q{i}" for i in ITEMS], "output": [f"a{i}" for i in ITEMS]}


def lines(rows):
    return "\n".join(map(json.dumps, rows))


def inspect_samples(letters="IC"):
    def score(name, i):
        value = letters[PASSED[name][i]]
        return {"value": value, "answer": f"a{i}", "explanation": f"why {i}"}

    def message(role, text):
        return {"id": "Mef", "content": text, "role": role}

    return [
        {
            "id": i,
            "epoch": 1,
            "input": [message("user", [{"type": "text", "text": f"q{i}"}])],
            "target": ["yes"],
            "messages": [message("user", f"q{i}"), message("assistant", f"a{i}")],
            "output": {
                "model": "m-2024",
                "choices": [{"message": message("assistant", f"a{i}")}],
                "completion": f"a{i}",
            },
            "scores": {name: score(name, i) for name in PASSED},
            "metadata": {},
        }
        for i in ITEMS
    ]


INSPECT = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
INSPECT |= {"plan": {"name": "plan", "steps": []}, "results": {"total_samples": 5}}


def inspect_json(folder):
    log = {**INSPECT, "samples": inspect_samples()}
    (folder / "log.json").write_text(json.dumps(log, indent=2))
    return folder / "log.json"


def inspect_eval(folder):
    with ZipFile(folder / "log.eval", "w", ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(INSPECT))
        for sample in inspect_samples():
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
        brief = [{"id": i, "epoch": 1, "input": "", "scores": {}} for i in ITEMS]
        archive.writestr("_journal/summaries/1.json", json.dumps(brief))
        archive.writestr("summaries.json", json.dumps(brief))
        archive.writestr("header.json", json.dumps(INSPECT))
    return folder / "log.eval"


def promptfoo_rows():
    def part(name, i):
        passed = bool(PASSED[name][i])
        asked = {"type": "llm-rubric", "value": "is right", "metric": name}
        said = {"pass": passed, "score": int(passed), "reason": f"why {i}"}
        return {**said, "assertion": asked}

    return [
        {
            "promptIdx": 0,
            "testIdx": i,
            "provider": {"id": "openai:m", "label": "m"},
            "prompt": {"raw": f"q{i}", "label": "asked"},
            "vars": {"question": f"q{i}"},
            "response": {"output": f"a{i}", "tokenUsage": {"total": 12}},
            "success": all(PASSED[name][i] for name in PASSED),
            "score": 1,
            "failureReason": 0,
            "gradingResult": {
                "pass": True,
                "score": 1,
                "reason": "All assertions passed",
                "componentResults": [
                    {"pass": True, "componentResults": []},  # a set, without assertion
                    *(part(name, i) for name in PASSED),
                ],
            },
            "namedScores": {},
        }
        for i in ITEMS
    ]


def promptfoo_file(folder):
    failed = {"testIdx": 9, "success": False, "failureReason": 2, "vars": {}}
    results = {"version": 3, "results": [*promptfoo_rows(), failed], "stats": {}}
    found = {"evalId": "eval-abc", "results": results, "config": {}}
    (folder / "results.json").write_text(json.dumps(found))
    return folder / "results.json"


def promptfoo_lines(folder):
    (folder / "results.jsonl").write_text(lines(promptfoo_rows()))
    return folder / "results.jsonl"


def deepeval(folder):
    def metric(name, i):
        passed = bool(PASSED[name][i])
        return {
            "name": name,
            "threshold": 0.5,
            "success": passed,
            "score": 0.9 if passed else 0.2,
            "reason": f"why {i}",
            "strictMode": False,
            "evaluationModel": "gpt-4.1",
            "error": None,
        }

    cases = [
        {
            "name": f"test_case_{i}",
            "input": f"q{i}",
            "actualOutput": f"a{i}",
            "success": True,
            "metricsData": [metric(name, i) for name in PASSED],
            "order": i,
        }
        for i in ITEMS
    ]
    run = {"testCases": cases, "conversationalTestCases": [], "metricsScores": []}
    run |= {"hyperparameters": {"model": "m"}}
    (folder / "run.json").write_text(json.dumps({"testRunData": run}))
    return folder / "run.json"


def lm_eval(folder):
    (folder / "m").mkdir()
    path = folder / "m" / "samples_gsm8k_2026-01-02T03-04-05.123456.jsonl"
    rows = [
        {
            "doc_id": i,
            "doc": {"question": f"q{i}"},
            "target": "7",
            "arguments": {"gen_args_0": {"arg_0": f"q{i}", "arg_1": {"until": []}}},
            "resps": [[f"a{i}"]],
            "filtered_resps": [f"a{i}"],
            "filter": "none",
            "metrics": [*PASSED],
            "doc_hash": "h",
            **{name: float(said[i]) for name, said in PASSED.items()},
        }
        for i in ITEMS
    ]
    path.write_text(lines(rows))
    return path


def mlflow(folder):
    def assessment(name, value, kind="LLM_JUDGE"):
        return {
            "assessment_id": "a-1",
            "assessment_name": name,
            "source": {"source_type": kind, "source_id": "openai:/gpt"},
            "feedback": {"value": value},
            "rationale": f"why {i}",
            "valid": True,
        }

    traces = []
    for i in ITEMS:
        said = [assessment(name, "ny"[PASSED[name][i]]) for name in PASSED]
        for each in said:
            each["feedback"]["value"] = {"n": "no", "y": "yes"}[
                each["feedback"]["value"]
            ]
        people = [assessment("grader", "yes", "HUMAN")] if i < 2 else []
        info = {
            "trace_id": f"tr-{i}",
            "request_preview": f"q{i}",
            "response_preview": f"a{i}",
        }
        info["trace_metadata"] = {"mlflow.modelId": "m"}
        traces.append({"info": {**info, "assessments": said + people}, "data": {}})
    (folder / "traces.json").write_text(json.dumps(traces))
    return folder / "traces.json"


def langfuse(folder):
    def score(i, name, value, source="EVAL"):
        found = {"id": "s", "name": name, "value": value, "source": source}
        return {
            **found,
            "traceId": str(i),
            "dataType": "BOOLEAN",
            "comment": f"why {i}",
        }

    traces = [
        {
            "id": str(i),
            "input": {"role": "user", "content": f"q{i}"},
            "output": f"a{i}",
            "scores": [
                *(score(i, name, said[i]) for name, said in PASSED.items()),
                *([score(i, "grader", 1, "ANNOTATION")] if i < 2 else []),
            ],
        }
        for i in ITEMS
    ]
    (folder / "traces.jsonl").write_text(lines(traces))
    return folder / "traces.jsonl"


def openai_log(folder):
    rows = [{"spec": {"completion_fns": ["m"], "eval_name": "exact", "run_id": "r"}}]

    def event(i, kind, data):
        about = {"run_id": "r", "event_id": len(rows), "sample_id": f"exact.{i}"}
        rows.append({**about, "type": kind, "data": data, "created_by": ""})

    for i in ITEMS:
        asked = [{"role": "user", "content": f"q{i}"}]
        event(i, "sampling", {"prompt": asked, "sampled": [f"a{i}"]})
        event(i, "sampling", {"prompt": "grade it", "sampled": [f"why {i}"]})
        event(i, "match", {"correct": bool(PASSED["exact"][i]), "expected": "7"})
        event(i, "metrics", {"choice": "Y", "grader": float(PASSED["grader"][i])})
    (folder / "log.jsonl").write_text(lines([*rows, {"final_report": {"accuracy": 1}}]))
    return folder / "log.jsonl"


def openai_items(folder):
    items = [
        {
            "object": "eval.run.output_item",
            "id": f"outputitem_{i}",
            "datasource_item_id": i,
            "datasource_item": {"question": f"q{i}"},
            "status": "pass",
            "results": [
                {
                    "name": name,
                    "passed": bool(said[i]),
                    "score": said[i],
                    "sample": None,
                }
                for name, said in PASSED.items()
            ],
            "sample": {
                "model": "m",
                "input": [{"role": "user", "content": f"q{i}"}],
                "output": [{"role": "assistant", "content": f"a{i}"}],
            },
        }
        for i in ITEMS
    ]
    page = {"object": "list", "data": items, "has_more": False}
    (folder / "items.json").write_text(json.dumps(page))
    return folder / "items.json"


def ragas(folder):
    rows = [
        {
            "user_input": f"q{i}",
            "retrieved_contexts": ["c"],
            "response": f"a{i}",
            "reference": "r",
            **{name: 0.9 if said[i] else 0.25 for name, said in PASSED.items()},
        }
        for i in ITEMS
    ]
    (folder / "ragas.json").write_text(json.dumps(rows))
    return folder / "ragas.json"


WRITERS = {
    "inspect": [inspect_json, inspect_eval],
    "promptfoo": [promptfoo_file, promptfoo_lines],
    "deepeval": [deepeval],
    "lm-eval": [lm_eval],
    "mlflow": [mlflow],
    "langfuse": [langfuse],
    "openai-evals": [openai_log, openai_items],
    "ragas": [ragas],
}
WITHOUT_SYSTEM, WITHOUT_REASONS = ("langfuse", "ragas"), ("lm-eval", "ragas")


@pytest.fixture(
    params=[(tool, write) for tool, all_ in WRITERS.items() for write in all_],
    ids=lambda param: f"{param[0]} {param[1].__name__}",
)
def made(request, tmp_path):
    tool, write = request.param
    return tool, write(tmp_path)


def test_there_is_a_file_of_every_tool():
    assert list(WRITERS) == list(EVALUATIONS)


def test_judgements_are_read(made):
    tool, path = made
    assert recognise(path) == tool
    found = corral.read_judges(path)
    assert found.signals.names == tuple(PASSED)
    assert found.signals.votes.T.tolist() == list(PASSED.values())
    assert found.signals.classes.tolist() in (["fail", "pass"], ["no", "yes"])
    for name, texts in TEXTS.items():
        assert found.fields[name].tolist() == texts
    if tool not in WITHOUT_SYSTEM:
        assert set(found.fields["system"]) == {"m"}
    if tool not in WITHOUT_REASONS and path.name != "items.json":
        why = [f"why {i}" for i in ITEMS]
        assert found.said["grader: explanation"].tolist() == why
    if tool in ("mlflow", "langfuse"):
        assert found.fields["human"].tolist()[2:] == [None] * 3
        assert found.fields["human"][0] == found.columns["grader"][0]


def test_a_file_is_read_like_a_table(made):
    _, path = made
    read = read_votes(path, Reading(), gold=["pass"] * 5, text="output")
    assert read.signals.votes.T.tolist() == list(PASSED.values())
    assert read.values["text"].tolist() == TEXTS["output"]


def test_scores_are_kept_and_split_at_the_threshold(tmp_path):
    path = ragas(tmp_path)
    found = corral.read_judges(path)
    assert found.said["exact: score"].tolist() == [0.9, 0.25, 0.9, 0.25, 0.9]
    assert "from 0.5 are a pass" in str(found)
    rows = json.loads(path.read_text())
    rows[0] |= {"exact": None, "length": 214.0}
    path.write_text(json.dumps(rows))
    found = corral.read_judges(path, threshold=0.2, classes=["fail", "pass"])
    assert found.columns["exact"].tolist() == [None] + 4 * ["pass"]
    assert found.fields["length"][0] == 214.0
    assert "not votes: length" in str(found)


def test_answers_of_two_systems_and_of_epochs_are_examples_of_their_own(tmp_path):
    first, second = inspect_json(tmp_path), tmp_path / "other.json"
    log = json.loads(first.read_text())
    log["eval"]["model"] = "n"
    log["samples"] += [{**sample, "epoch": 2} for sample in log["samples"]]
    second.write_text(json.dumps(log))
    found = corral.read_judges(tmp_path)
    assert len(found.signals) == 15
    assert found.fields["item"].tolist() == 3 * [*ITEMS]
    assert found.fields["system"].tolist() == 5 * ["m"] + 10 * ["n"]


def test_an_edited_score_is_the_answer_of_a_person(tmp_path):
    path = inspect_json(tmp_path)
    log = json.loads(path.read_text())
    score = log["samples"][1]["scores"]["exact"]
    edit = {"value": "C", "explanation": "UNCHANGED", "provenance": {"author": "ann"}}
    log["samples"][1]["scores"]["exact"] = {
        **score,
        "value": "C",
        "history": [{**score, "provenance": None}, edit],
    }
    path.write_text(json.dumps(log))
    found = corral.read_judges(path)
    assert found.signals.votes[1, 0] == 0
    assert found.fields["human"].tolist() == [None, "pass", None, None, None]


def test_several_scores_of_a_scorer_are_several_judges(tmp_path):
    path = inspect_json(tmp_path)
    log = json.loads(path.read_text())
    for sample in log["samples"]:
        sample["scores"] = {"jury": {"value": {"a": 1, "b": sample["id"] % 2}}}
    path.write_text(json.dumps(log))
    found = corral.read_judges(path)
    assert found.signals.names == ("jury.a", "jury.b")
    assert found.signals.votes[:, 1].tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("cut", [["scores"], ["id"], ["scores", "exact", "value"]])
def test_what_is_missing_is_one_error(tmp_path, cut):
    path = inspect_json(tmp_path)
    log = json.loads(path.read_text())
    for sample in log["samples"]:
        place = sample
        for key in cut[:-1]:
            place = place[key]
        del place[cut[-1]]
    path.write_text(json.dumps(log))
    with pytest.raises(CorralError, match=r"inspect|scorer"):
        corral.read_judges(path)
