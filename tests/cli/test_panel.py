"""``corral panel``: the library's answer, as text, as JSON and as a file."""

import json

import numpy as np
import pytest
from tests.panels.made_panels import hide, make_votes

import corral

VOTES, TRUTH = make_votes(300)
KNOWN = hide(TRUTH, 60)


@pytest.fixture
def votes(tmp_path):
    lines = ["gpt_a,gpt_b,llama,human,topic"]
    for i, row in enumerate(VOTES):
        human = "" if KNOWN[i] < 0 else KNOWN[i]
        lines.append(f"{','.join(map(str, row))},{human},{'xy'[i % 2]}")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines))
    return path


def test_the_answer_is_that_of_the_library(run, votes):
    options = ["--gold", "human", "--by", "topic"]
    options += ["--error-rate", "llama=0.25", "--class-balance", "0.7,0.3"]
    found = json.loads(run("panel", votes, *options, "--json").stdout)
    names = ["gpt_a", "gpt_b", "llama"]
    want = corral.panel(
        corral.WeakSignals.from_votes(VOTES, names=names),
        gold=KNOWN,
        slices={"topic": np.array(["x", "y"] * 150)},
        error_rates={"llama": 0.25},
        class_balance=[0.7, 0.3],
    )
    assert found["shares"]["value"] == pytest.approx(want.shares.value.tolist())
    assert found["dependence"]["effective"] == pytest.approx(want.dependence.effective)
    assert [each["name"] for each in found["slices"]] == ["x", "y"]


def test_what_is_refused(refused, votes):
    gold = ("--gold", "human", "--id", "topic")
    assert "--error-rate takes name" in refused(
        "panel", votes, *gold, "--error-rate", "0.1"
    )
    assert "--overwrite goes with" in refused("panel", votes, *gold, "--overwrite")
    assert "--by" in refused("panel", votes, *gold, "--by", "theme")


def test_what_judges_wrote(run, tmp_path):
    """Samples give shares, and people write words."""
    path, words = tmp_path / "answers.jsonl", ("fail", "pass")
    path.write_text(
        "\n".join(
            json.dumps(
                {"id": i, "judge": f"j{j}", "samples": [words[vote], words[row[0]]]}
                | ({"gold": words[KNOWN[i]]} if KNOWN[i] >= 0 else {})
            )
            for i, row in enumerate(VOTES)
            for j, vote in enumerate(row.tolist())
        )
    )
    ran = run("panel", path, "--judges", "--gold", "gold", "--json")
    found = json.loads(ran.stdout)
    assert found["classes"] == ["fail", "pass"]
    assert found["n_labelled"] == 60
