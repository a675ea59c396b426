"""Language models: batches, retries, kept answers, errors. The model is a function here."""

import json
import resource

import pytest

import corral
from corral.errors import FunctionError, FunctionWarning, ParameterError, StorageError
from corral.functions import llm

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
        (lambda prompts: [], "{}", PARSE, "0 answers came for 1 prompts"),
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


def test_kept_answers_look_the_same_the_next_time(tmp_path):
    seen = []
    asks = llm(
        lambda prompts: [("spam", 0.5)], "{}", lambda a: seen.append(a) or tuple(a),
        answers=tmp_path / "a.jsonl",
    )  # fmt: skip
    assert asks.apply(["x"]).to_list() == asks.apply(["x"]).to_list() == [("spam", 0.5)]
    assert seen == [["spam", 0.5]] * 2


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


def test_a_full_disk_ends_the_run_and_leaves_whole_lines(tmp_path):
    file = tmp_path / "a.jsonl"
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    asks = llm(Local(), "{}", PARSE, batch_size=2, answers=file)
    asks.apply(["x"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 100, old[1]))
    try:
        with pytest.raises(StorageError, match="large"):
            corral.apply(asks, ["y", "z"], on_error="abstain")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    corral.apply(asks, ["x", "y", "z"])
    assert file.read_bytes().count(b"\n") == 3
