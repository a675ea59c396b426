"""Models, files of annotation tools and of judges, edited and damaged.

What is read from them is what they say, or they are refused: no vote is invented.
"""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from tests.exchange import exports
from tests.fuzz.damage import as_lines, damaged, damages, edited, edits, json_values
from tests.fuzz.properties import (
    LABELERS,
    assert_probabilities,
    holds,
    mostly,
    must_work,
    names,
)

import corral
from corral.exchange.label_studio import PATH
from corral.labelers import Labeler

MODEL_VOTES = np.array(
    [[0, 1, -1], [1, 1, 0], [0, -1, 0], [1, 1, 1], [-1, -1, -1], [0, 0, 1]]
)


@cache
def model_file(name: str) -> bytes:
    """A model that was saved, as bytes; it saw enough votes for every labeler."""
    with tempfile.TemporaryDirectory() as folder, must_work():
        path = Path(folder) / "a.corral"
        LABELERS[name]().fit(np.tile(MODEL_VOTES, (20, 1))).save(path)
        return path.read_bytes()


@holds(st.tuples(names, damages), share=2)
def test_a_damaged_model_is_refused_or_labels(case: Any) -> None:
    name, done = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.corral"
        path.write_bytes(damaged(model_file(name), done))
        labeler = Labeler.load(path)
    with must_work():
        labels = labeler.predict_proba(MODEL_VOTES)
    assert_probabilities(labels, len(MODEL_VOTES), labels.shape[1])


# -- annotation tools ---------------------------------------------------------------

EXPORTS: dict[str, list[Any]] = {
    "label-studio": exports.label_studio_tasks(),
    "argilla": exports.argilla_records(),
    "doccano": exports.doccano_members()["alice"],
}
tools = st.sampled_from(sorted(EXPORTS))
broken = mostly(st.just([]), damages)


def strings_in(document: Any) -> set[str]:
    """Every text and number in a document, as text: what a class can be called."""
    if isinstance(document, dict):
        return {str(key) for key in document}.union(*map(strings_in, document.values()))
    if isinstance(document, list):
        return set().union(*map(strings_in, document))
    return {str(document)}


@holds(st.tuples(tools, st.booleans(), edits, broken, st.booleans()), share=2)
def test_an_annotation_file_is_refused_or_read_labelled_and_read_again(
    case: Any,
) -> None:
    tool, lines, changes, harm, predictions = case
    document = edited(EXPORTS[tool], changes)
    text = as_lines(document) if lines else json.dumps(document)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("export.jsonl" if lines else "export.json")
        path.write_bytes(damaged(text.encode(), harm))
        found = corral.read_annotations(path, predictions=predictions)
        with must_work():
            classes = [*found.signals.classes]
            if not harm:  # damage may write other words
                parts = {part for c in classes for part in str(c).split(PATH)}
                assert parts <= strings_in(document)
            labeler = corral.MajorityVote(uncovered="prior").fit(found.signals)
            assert_probabilities(labeler.labels_, len(found), len(classes))
            written = Path(folder) / "suggested.jsonl"
            corral.write_annotations(written, found, labeler)
            one = len(set(labeler.predict(found.signals).tolist())) < 2
            # A file whose suggestions are all of one class must be told the others.
            again = corral.read_annotations(
                *(written, found.format),
                predictions=predictions,
                classes=classes if one else None,
            )
            assert len(again) == len(found)
            assert {*again.signals.classes} <= {*classes}


# -- judges -------------------------------------------------------------------------


def _completion(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}}], "model": "m"}


MESSAGE = {"content": [{"type": "text", "text": "pass"}], "stop_reason": "end_turn"}
LINES: list[Any] = [
    {"id": 1, "judge": "a", "verdict": "pass", "gold": "pass"},
    {"id": 1, "judge": "b", "samples": ["pass", "fail"]},
    {"id": 2, "judge": "a", "verdict": "Fail.", "logprobs": {"fail": -0.1, "pass": -3}},
    {"id": 2, "judge": "b", "refusal": "I can't help with that."},
    {"id": 3, "judge": "b", "probabilities": {"pass": 0.7, "fail": 0.3}},
    {"id": 3, "judge": "a", "response": _completion('{"verdict": "fail"}')},
    {"id": 4, "judge": "b", "result": {"message": {"model": "m", **MESSAGE}}},
]
"""Every form of answer that is understood."""
judge_options: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "classes": mostly(st.just(["fail", "pass"]), st.lists(json_values, max_size=3)),
        "pattern": st.sampled_from([r"(\w+)", "pass|fail", "("]),
        "abstain": mostly(st.just("unsure"), json_values),
    },
)


@holds(st.tuples(edits, broken, judge_options), share=2)
def test_every_answer_of_a_judge_is_a_vote_a_refusal_or_an_error(case: Any) -> None:
    changes, harm, options = case
    text = as_lines(edited(LINES, changes))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_bytes(damaged(text.encode(), harm))
        found = corral.read_judges(path, **options)
    with must_work():
        assert str(found)
        for one in found.counts:
            answered = one.voted + one.refused + one.unreadable + one.failed
            assert answered == one.answers, one
        signals = found.signals
        labeler = corral.MajorityVote(uncovered="prior").fit(signals)
        assert_probabilities(labeler.labels_, len(signals), len(signals.classes))
