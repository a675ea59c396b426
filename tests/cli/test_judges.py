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


def test_what_is_refused(refused, answers):
    said = refused("inspect", answers, "--judges", "--probabilities")
    assert "--probabilities is not for --judges" in said
    assert "no column named 'z'" in refused(
        "inspect", answers, "--judges", "-q", "--signals", "z"
    )
