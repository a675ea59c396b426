"""Labels that are no labels of these examples are refused, before a file is there."""

import json

import numpy as np
import pytest

import corral
from corral.errors import ParameterError

TEXTS = ["win a prize", "lunch?"]
SOFT = [[0.1, 0.9], [0.7, 0.3]]


@pytest.mark.parametrize(
    ("examples", "labels", "classes", "said"),
    [
        (TEXTS, [[5, 7], [1, 2]], ["a", "b"], "must be probabilities"),
        (TEXTS, [[-0.5, 1], [0.5, 0.5]], ["a", "b"], "must be probabilities"),
        (TEXTS, [[np.inf, 0], [0.5, 0.5]], ["a", "b"], "must be probabilities"),
        (TEXTS, SOFT, ["a", "a"], "classes must differ"),
        ("a text", [[0.5, 0.5]] * 6, ["a", "b"], "a list of texts; 'a text' came"),
        (["a", None], SOFT, ["a", "b"], "a list of texts; None came"),
    ],
)
def test_what_is_refused(tmp_path, examples, labels, classes, said):
    path = tmp_path / "out.jsonl"
    with pytest.raises(ParameterError, match=said):
        corral.write_annotations(
            path, examples, labels, classes=classes, format="doccano"
        )
    assert not path.exists()


def test_classes_of_a_labeler_are_its_own(tmp_path):
    labeler = corral.MajorityVote().fit([["b", "b"], ["a", "b"]])
    options = {"format": "doccano", "overwrite": True}
    with pytest.raises(ParameterError, match=r"the labeler has \['a', 'b'\]"):
        corral.write_annotations(
            tmp_path / "x.jsonl", TEXTS, labeler, classes=["b", "a"], **options
        )
    path = tmp_path / "y.jsonl"
    corral.write_annotations(path, TEXTS, labeler, classes=["a", "b"], **options)
    assert json.loads(path.read_text().splitlines()[0])["label"] == ["b"]


def test_classes_may_be_an_array_of_numbers(tmp_path):
    path = corral.write_annotations(
        tmp_path / "x.json",
        TEXTS,
        SOFT,
        classes=np.array([3, 4]),
        format="label-studio",
    )
    chosen = json.loads(path.read_text())[0]["predictions"][0]["result"][0]["value"]
    assert chosen == {"choices": ["4"]}, "choices of Label Studio are texts"


def test_rows_without_an_answer(tmp_path):
    soft = [[np.nan, np.nan], [0, 0]]
    path = corral.write_annotations(
        tmp_path / "x.jsonl",
        np.array(TEXTS),  # as good as a list
        soft,
        classes=["a", "b"],
        format="doccano",
    )
    assert [json.loads(row)["label"] for row in path.read_text().splitlines()] == [
        [],
        [],
    ]
