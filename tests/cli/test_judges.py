"""``--judges``: what judges wrote is read by every command that reads votes."""

import json

import pytest

import corral


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    with path.open("w") as file:
        for i in range(30):
            truth = i % 3 == 0
            for judge, wrong in (("a", 7), ("b", 5), ("c", 4)):
                said = truth != (i % wrong == 0)
                line = {"id": f"q{i}", "judge": judge, "verdict": "ny"[said]}
                line["gold"] = "ny"[truth]
                if judge == "c" and i > 20:
                    line |= {"verdict": None, "refusal": "no"}
                print(json.dumps(line), file=file)
    return path


@pytest.fixture
def shares(answers):
    """The same with log-probabilities of one judge, so that all is probabilities."""
    lines = [json.loads(line) for line in answers.read_text().splitlines()]
    for line in lines:
        if line["judge"] == "a":
            line["logprobs"] = {line["verdict"]: -0.2, "ny".strip(line["verdict"]): -2}
    answers.write_text("\n".join(map(json.dumps, lines)))
    return answers


def test_labels_are_those_of_the_library(run, answers, tmp_path):
    out = tmp_path / "labels.jsonl"
    ran = run("label", answers, "--judges", "-o", out, "--json")
    counts = json.loads(ran.stdout)["answers"]["counts"]
    assert [c["refused"] for c in counts] == [0, 0, 9]
    assert "refused" in ran.stderr
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    want = corral.label(corral.read_judges(answers).signals)
    assert [row["p_y"] for row in rows] == pytest.approx(want[:, 1].tolist())
    assert rows[3]["id"] == "q3"
    assert rows[25]["c"] is None


def test_gold_beside_probabilities_may_be_text(run, shares):
    found = json.loads(
        run("compare", shares, "--judges", "--gold", "gold", "--json").stdout
    )
    assert found["answers"]["probabilities"]
    read = corral.read_judges(shares)
    want = corral.compare(read.signals, read.fields["gold"])
    assert found["methods"] == list(want.methods)
    at = want.methods.index("dawid-skene")
    assert found["accuracy"][at] == pytest.approx(want.accuracy[at])


def test_grades_are_numbers(run, tmp_path):
    path = tmp_path / "grades.jsonl"
    lines = [
        {"id": i, "judge": j, "verdict": str(1 + i % 3), "gold": 1 + i % 3}
        for i in range(9)
        for j in "abc"
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    options = ["--judges", "--classes", "1,2,3,4", "--gold", "gold", "--json"]
    found = json.loads(run("compare", path, *options).stdout)
    assert found["answers"]["classes"] == [1, 2, 3, 4]
    assert found["accuracy"][0] == 1


def test_what_is_refused(refused, answers):
    said = refused("inspect", answers, "--judges", "--probabilities")
    assert "--probabilities is not for --judges" in said
    assert "no column named 'z'" in refused(
        "inspect", answers, "--judges", "-q", "--signals", "z"
    )
