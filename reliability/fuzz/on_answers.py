"""Files of annotation tools and of judges, edited and damaged: read, or refused."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import corral
from reliability.fuzz.json_edits import Edit, as_lines, edited, edits, json_values
from reliability.fuzz.on_files import Damage, damaged, damages
from reliability.fuzz.on_labelers import assert_probabilities
from reliability.fuzz.properties import holds_for, must_work
from reliability.fuzz.values import mostly

TEXTS = ("great fun", "so dull", "not\u2028bad")
VOTES = {"ann": ("pos", "neg", None), "bob": ("pos", None, "neg")}


def _choice(said: str) -> dict[str, Any]:
    value = {"choices": [said]}
    return {"from_name": "mood", "to_name": "text", "type": "choices", "value": value}


def _votes_on(at: int) -> list[tuple[str, str]]:
    return [(who, said[at]) for who, said in VOTES.items() if said[at] is not None]


EXPORTS: dict[str, list[Any]] = {
    "label-studio": [
        {
            "id": 10 + i,
            "data": {"text": text, "source": 3},
            "annotations": [
                {"completed_by": who, "result": [_choice(said)], "was_cancelled": False}
                for who, said in _votes_on(i)
            ],
            "predictions": [],
        }
        for i, text in enumerate(TEXTS)
    ],
    "argilla": [
        {
            "id": f"r{i}",
            "fields": {"text": text},
            "metadata": {},
            "suggestions": {},
            "responses": {
                "mood": [{"value": said, "user_id": who} for who, said in _votes_on(i)]
            },
        }
        for i, text in enumerate(TEXTS)
    ],
    "flat argilla": [
        {
            "id": f"r{i}",
            "status": "completed",
            "text": text,
            "mood.responses": [said for _, said in _votes_on(i)],
            "mood.responses.users": [who for who, _ in _votes_on(i)],
            "mood.responses.status": ["submitted"] * len(_votes_on(i)),
        }
        for i, text in enumerate(TEXTS)
    ],
    "doccano": [
        {"id": 500 + i, "text": text, "label": [said], "Comments": []}
        for i, (text, said) in enumerate(zip(TEXTS, ("pos", "neg", "pos"), strict=True))
    ],
    "prodigy": [
        {
            "text": text,
            "_input_hash": -153 + i,
            "_task_hash": 2003 + i,
            "options": [{"id": c, "text": c} for c in ("neg", "pos")],
            "_view_id": "choice",
            "accept": [said[i]] if said[i] else [],
            "answer": "accept" if said[i] else "ignore",
            "_annotator_id": who,
        }
        for who, said in VOTES.items()
        for i, text in enumerate(TEXTS)
    ],
}
"""What tools export, by tool; `tests/exchange/exports.py` has all that they write."""

broken = mostly(st.just([]), damages)


@holds_for(
    st.tuples(
        st.sampled_from(sorted(EXPORTS)), st.booleans(), edits, broken, st.booleans()
    ),
    cost=3,
)
def annotation_files(case: tuple[str, bool, list[Edit], list[Damage], bool]) -> None:
    """A file of an annotation tool is refused, or labelled, written and read again."""
    tool, lines, changes, harm, predictions = case
    document = edited(EXPORTS[tool], changes)
    text = as_lines(document) if lines else json.dumps(document)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("export.jsonl" if lines else "export.json")
        path.write_bytes(damaged(text.encode(), harm))
        found = corral.read_annotations(path, predictions=predictions)
        with must_work():
            assert str(found)
            labeler = corral.MajorityVote(uncovered="prior").fit(found.signals)
            n, k = len(found), len(found.signals.classes)
            assert_probabilities(labeler.labels_, n, k)
            written = Path(folder) / "suggested.jsonl"
            corral.write_annotations(written, found, labeler)
            if (
                found.format == "prodigy"
            ):  # whose suggestions count once they are answered
                accept_all(written)
            # Suggestions may all be of one class, and a file that lists no others is
            # refused unless they are named.
            one = len(set(labeler.predict(found.signals).tolist())) < 2
            one |= found.format == "prodigy"  # tasks do not all offer what is suggested
            again = corral.read_annotations(
                *(written, found.format),
                predictions=predictions,
                classes=found.signals.classes if one else None,
            )
            assert len(again) == n, (len(again), n)
            assert {*again.signals.classes} <= {*found.signals.classes}


def accept_all(path: Path) -> None:
    """Answer tasks of Prodigy as somebody would who accepts every suggestion."""
    tasks = map(json.loads, path.read_text().splitlines())
    path.write_text(as_lines([{**task, "answer": "accept"} for task in tasks]))


# -- judges -------------------------------------------------------------------------


def _completion(text: str, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}, **more}], "model": "m"}


LINES: list[Any] = [
    {"id": 1, "judge": "a", "verdict": "pass", "gold": "pass"},
    {"id": 1, "judge": "b", "samples": ["pass", "fail", {"verdict": "pass"}]},
    {"id": 2, "judge": "a", "verdict": "Fail.", "logprobs": {"fail": -0.1, "pass": -3}},
    {"id": 2, "judge": "b", "refusal": "I can't help with that."},
    {"id": 3, "judge": "b", "probabilities": {"pass": 0.7, "fail": 0.3}},
    {"id": 3, "judge": "a", "response": _completion('{"verdict": "fail"}')},
    {
        "custom_id": "4",
        "judge": "a",
        "response": {
            "body": _completion(
                "pass",
                logprobs={
                    "content": [
                        {
                            "token": "pass",
                            "logprob": -0.2,
                            "top_logprobs": [{"token": "fail", "logprob": -2.0}],
                        }
                    ]
                },
            )
        },
        "id": 4,
    },
    {
        "id": 4,
        "judge": "b",
        "result": {
            "message": {
                "model": "m",
                "content": [{"type": "text", "text": "pass"}],
                "stop_reason": "end_turn",
            }
        },
    },
]
"""Every form of answer that is understood."""
judge_options: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "classes": mostly(st.just(["fail", "pass"]), st.lists(json_values, max_size=3)),
        "verdicts": st.just({"pass": "pass", "fail": "fail", "no": "fail"}),
        "pattern": st.sampled_from([r"(\w+)", "pass|fail", "("]),
        "abstain": mostly(st.just("unsure"), json_values),
    },
)


@holds_for(st.tuples(edits, broken, judge_options), cost=3)
def judge_files(case: tuple[list[Edit], list[Damage], dict[str, Any]]) -> None:
    """What judges wrote is read as votes, refusals and errors, or refused by its line."""
    changes, harm, options = case
    text = as_lines(edited(LINES, changes))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_bytes(damaged(text.encode(), harm))
        found = corral.read_judges(path, **options)
    with must_work():
        assert_answers_counted(found)


def assert_answers_counted(found: Any) -> None:
    """Answers of judges are votes, refusals or errors, and can be labelled from."""
    assert str(found)
    signals = found.signals
    for one in found.counts:
        answered = one.voted + one.refused + one.unreadable + one.failed
        assert answered == one.answers, one
    if not signals.is_hard:
        values = np.asarray(signals.values, float)
        assert ((values >= 0) & (values <= 1) | np.isnan(values)).all()
    labeler = corral.MajorityVote(uncovered="prior").fit(signals)
    assert_probabilities(labeler.labels_, len(signals), len(signals.classes))
