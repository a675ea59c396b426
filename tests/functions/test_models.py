"""What models and language models say, and what they may not. Models are functions here."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import corral
from corral.errors import (
    FunctionError,
    FunctionWarning,
    ParameterError,
    SignalsError,
    StorageError,
)
from corral.functions import llm, model

X = np.array([[0.0, 1], [1, 1], [5, 1], [6, 1]])


def test_a_fitted_estimator_gives_its_probabilities():
    fitted = LogisticRegression().fit(X, ["a", "a", "b", "b"])
    said = model(fitted).apply(X)
    assert said.classes == ("a", "b")
    np.testing.assert_array_equal(said.probabilities, fitted.predict_proba(X))
    assert model(fitted.predict).apply(X).to_list() == ["a", "a", "b", "b"]
    first = LogisticRegression().fit(X[:, :1], [0, 0, 1, 1])
    np.testing.assert_array_equal(
        model(first, [0]).apply(X).probabilities, first.predict_proba(X[:, :1])
    )


def test_a_callable_may_abstain():
    def halves(texts):
        return [0.5 if text else np.nan for text in texts]

    said = model(halves, classes=["a", "b"]).apply(["x", ""]).to_list()
    assert said == [("b", 0.5), None]
    table = np.array([[0.2, 0.8], [np.nan, np.nan]])
    assert model(lambda _: table).apply(["x", "y"]).to_list() == [[0.2, 0.8], None]


def test_classes_of_any_numbers():
    fitted = LinearSVC().fit(X, [-1, -1, 1, 1])
    for classes in (None, [-1, 1]):
        said = model(fitted, classes=classes)
        assert said.apply(X).to_list() == [-1, -1, 1, 1]
        assert corral.apply(said, X).votes.ravel().tolist() == [0, 0, 1, 1]
    floats = LinearSVC().fit(X, [1.0, 1.0, 2.0, 2.0])
    assert model(floats).apply(X).to_list() == [1, 1, 2, 2]


def test_classes_of_a_callable():
    def said(answers, classes=None):
        asked = model(lambda _: answers, classes=classes)
        return asked.apply(["x", "y"]).to_list()

    assert said([1, -1]) == said([1, -1], [0, 1]) == [1, None]
    assert said(np.array(["a", None], object), ["a", "b"]) == ["a", None]
    with pytest.raises(FunctionError, match=r"row 2: .* one of \('a', 'b'\) was expec"):
        said(["a", "c"], ["a", "b"])


def test_one_column_is_the_second_of_two_classes():
    halves = model(lambda _: [0.9, 0.4], classes=["ham", "spam"])
    signals = corral.apply(halves, ["x", "y"])
    assert signals.classes.tolist() == ["ham", "spam"]
    assert signals.probabilities[:, 0, 1].tolist() == [0.9, 0.4]
    only = GaussianNB().fit(X, ["a"] * 4)
    assert model(only).apply(X).classes == ("a",)


@pytest.mark.parametrize(
    "said",
    [
        [0.5],
        [0.5, 1.5],
        [["a", "b"]] * 2,
        [[0.5, np.nan], [0.5, 0.5]],
        [[0.5, 0.2, 0.3]] * 2,
    ],
)
def test_model_answers_are_checked(said):
    with pytest.raises(SignalsError, match="<lambda>"):
        model(lambda _: said, classes=["a", "b"]).apply(["x", "y"])


def test_what_is_no_model():
    for said in (None, iter([1])):
        with pytest.raises(SignalsError, match="shape"):
            model(lambda _, said=said: said).apply(["x"])
    with pytest.raises(ParameterError, match="int has no predict_proba"):
        model(3)


# -- language models -----------------------------------------------------------------

PARSE = {"Yes": "spam", "no": "ham"}


class Local:
    """Answers yes where a prompt has "win", and remembers what it was asked."""

    def __init__(self, failing=0):
        self.batches = []
        self.failing = failing

    def __call__(self, prompts):
        self.batches.append(prompts)
        if self.failing:
            self.failing -= 1
            raise ConnectionError("busy")
        return [" YES\n" if "win" in prompt else "no" for prompt in prompts]


def test_prompts_are_asked_once_and_in_batches():
    local = Local()
    asks = llm(local, "Spam? {}", PARSE, batch_size=2)
    said = asks.apply(["win", "noon", "win", "so?"]).to_list()
    assert said == ["spam", "ham", "spam", "ham"]
    assert local.batches == [["Spam? win", "Spam? noon"], ["Spam? so?"]]
    assert asks.name == "Local"


def test_prompts_of_columns_and_functions():
    local = Local()
    rows = [{"title": "{win}", "text": "now"}]
    llm(local, "{title}: {text}", PARSE).apply(rows)
    llm(local, lambda row: row["title"].upper(), PARSE).apply(rows)
    pandas = pytest.importorskip("pandas")
    llm(local, "{text} {title}", PARSE).apply(pandas.DataFrame(rows))
    assert local.batches == [["{win}: now"], ["{WIN}"], ["now {win}"]]


def test_missing_texts_are_not_asked_about():
    local = Local()
    asks = llm(local, "Spam? {}", PARSE)
    assert asks.apply([None, "", float("nan"), "win"]).to_list() == [None] * 3 + [
        "spam"
    ]
    rows = [{"text": None, "id": 1}, {"text": "win", "id": None}]
    said = llm(local, "Spam? {text[0]} {text}", PARSE).apply(rows)
    assert said.to_list() == [None, "spam"]
    said = llm(local, lambda row: row["text"], PARSE).apply(rows)
    assert said.to_list() == [None, "spam"]
    assert local.batches == [["Spam? win"], ["Spam? w win"], ["win"]]


def test_confidence_is_kept():
    def unsure(prompts):
        return [{"class": "spam", "sure": 0.75} for _ in prompts]

    asks = llm(unsure, "{}", lambda answer: (answer["class"], answer["sure"]))
    assert asks.apply(["a"]).to_list() == [("spam", 0.75)]
    signals = corral.apply(asks, ["a"], classes=["ham", "spam"])
    assert signals.probabilities.tolist() == [[[0.25, 0.75]]]


def test_errors_of_a_batch_abstain_and_count():
    asks = llm(Local(failing=1), "{}", PARSE, batch_size=2)
    with pytest.warns(FunctionWarning, match="Local: 3 rows, first row 1: Connection"):
        signals = corral.apply(asks, ["win", "a", "b", "win"], on_error="abstain")
    assert signals.votes.ravel().tolist() == [-1, -1, 0, -1]


@pytest.mark.parametrize(
    ("function", "prompt", "parse", "message"),
    [
        (lambda prompts: [], "{}", PARSE, "0 came for 1 prompts"),
        (lambda prompts: "no", "{}", PARSE, "one text came for 1 prompts"),
        (Local(), "{0} {1}", PARSE, "row 1: IndexError"),
        (Local(), lambda row: row, int, "row 1: ValueError: invalid literal"),
        (Local(), lambda row: 5, PARSE, "row 1: TypeError: a prompt must be text"),
        (Local(), "{}", set, "row 1: TypeError: a class, a probability"),
    ],
)
def test_wrong_answers_prompts_and_readings(function, prompt, parse, message):
    with pytest.raises(FunctionError, match=message):
        llm(function, prompt, parse).apply(["a"])


def test_answers_are_kept_as_they_come(tmp_path):
    file = tmp_path / "new" / "answers.jsonl"
    broken = Local()
    asks = llm(broken, "{}", PARSE, batch_size=1, answers=file)
    assert asks.apply(["win", "noon"]).to_list() == ["spam", "ham"]
    with file.open("a") as kept:
        kept.write('{"prompt": "cut o')  # a crash
    again = Local()
    asks = llm(again, "{}", PARSE, answers=file)
    assert asks.apply(["noon", "new", "win"]).to_list() == ["ham", "ham", "spam"]
    assert again.batches == [["new"]]
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 3


def test_a_foreign_file_is_refused(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": 1}\n')
    with pytest.raises(StorageError, match=r"line 1 of .* is not an answer"):
        llm(Local(), "{}", PARSE, answers=file).apply(["x"])


@pytest.mark.parametrize(
    "wrong",
    [
        ("f", "{}", PARSE, {}),
        (len, 3, PARSE, {}),
        (len, "{}", "yes", {}),
        (len, "{}", PARSE, {"batch_size": 0}),
        (len, "{}", PARSE, {"batch_size": 2.5}),
        (len, "{}", {1: "x"}, {}),
    ],
)
def test_options_are_checked(wrong):
    *given, options = wrong
    with pytest.raises(ParameterError, match="must be"):
        llm(*given, **options)
