"""`corral.apply`: forms, classes, errors and the cache."""

import functools
import logging
import os
import threading
import warnings

import joblib
import numpy as np
import pytest

import corral
from corral.errors import (
    FunctionError,
    FunctionWarning,
    ParameterError,
    SignalsError,
    SignalsWarning,
    StorageError,
)
from corral.functions import crowd, keywords, model, signal, threshold
from corral.functions.answer_cache import KIND
from corral.storage.versioned_file import write_file

TEXTS = ["good film", "bad film", "so so"]
GOOD, BAD = keywords(None, "good", "pos"), keywords(None, "bad", "neg")


def soft(values, label="pos"):
    return signal(name=f"soft {label}", label=label)(
        dict(zip(TEXTS, values, strict=True)).get
    )


# -- forms ------------------------------------------------------------------------


def test_votes():
    signals = corral.apply([GOOD, BAD], TEXTS)
    assert signals.names == ("good", "bad")
    assert signals.classes.tolist() == ["neg", "pos"]
    assert signals.votes.tolist() == [[1, -1], [-1, 0], [-1, -1]]
    named = corral.apply([GOOD, BAD], TEXTS, classes=["pos", "mixed", "neg"])
    assert named.votes.tolist() == [[0, -1], [-1, 2], [-1, -1]]


def test_one_soft_function_makes_all_probabilities():
    signals = corral.apply(
        [GOOD, soft([0.7, 0.2, None])], TEXTS, classes=["neg", "pos"]
    )
    np.testing.assert_array_equal(
        signals.values[0], [[1, np.nan, np.nan], [0.7, 0.2, np.nan]]
    )


def test_what_a_class_is_not_given_the_others_share():
    signals = corral.apply(
        [soft([0.7, None, 0.0])], TEXTS, classes=["neg", "pos", "so"]
    )
    said = np.stack([values[0] for values in signals.values], 1)
    np.testing.assert_allclose(said, [[0.15, 0.7, 0.15], [np.nan] * 3, [0.5, 0, 0.5]])


def test_distributions_may_be_of_some_classes_in_any_order():
    table = np.array([[0.2, 0.8], [np.nan, np.nan], [1, 0]])
    asked = model(lambda _: table, classes=["pos", "neg"], name="model")
    signals = corral.apply([asked], TEXTS, classes=["neg", "other", "pos"])
    said = np.stack([values[0] for values in signals.values], 1)
    np.testing.assert_array_equal(said, [[0.8, 0, 0.2], [np.nan] * 3, [0, 0, 1]])


def test_one_vs_rest():
    functions = [GOOD, BAD, soft([0.7, None, 0.1])]
    signals = corral.apply(
        functions, TEXTS, classes=["neg", "pos", "so"], one_vs_rest=True
    )
    assert signals.columns.tolist() == [[1, 0], [0, 1], [2, 1]]
    nan = np.nan
    np.testing.assert_array_equal(signals.values[0], [[nan, 1, nan]])
    np.testing.assert_array_equal(signals.values[1], [[1, nan, nan], [0.7, nan, 0.1]])
    hard = corral.apply(
        [GOOD, BAD], TEXTS, classes=["neg", "pos", "so"], one_vs_rest=True
    )
    assert hard.is_hard


def test_probabilities_of_the_second_class():
    unnamed = soft([0.7, 0.2, 0.5], label=None)
    signals = corral.apply([unnamed], TEXTS, classes=[0, 1])
    assert signals.values[0].tolist() == [[0.7, 0.2, 0.5]]
    with pytest.raises(SignalsError, match="without saying of which of the 3 classes"):
        corral.apply([unnamed], TEXTS, classes=[0, 1, 2])


def test_a_labeler_takes_the_result_and_new_rows_that_nothing_speaks_of():
    signals = corral.apply([GOOD, BAD], TEXTS)
    labeler = corral.ConstrainedLabeler(error_rates=0.1).fit(signals)
    assert labeler.predict(corral.apply([GOOD, BAD], ["?"])).tolist() == [None]


# -- what is given ------------------------------------------------------------------


def test_functions_may_be_plain_and_in_lists():
    def short(text):
        return "neg" if len(text) < 6 else None

    answers = {
        "task": TEXTS[:1] * 2,
        "worker": ["ann", "bob"],
        "label": ["pos", "neg"],
    }
    signals = corral.apply([GOOD, [short], crowd(answers, column=None)], TEXTS)
    assert signals.names == ("good", "short", "ann", "bob")
    assert corral.apply(short, TEXTS, classes=["neg", "pos"]).n_signals == 1
    assert corral.apply(GOOD, TEXTS, classes=["neg", "pos"]).n_signals == 1


@pytest.mark.parametrize("wrong", [[], [[]], "good", 3, ["good"], [None]])
def test_what_is_no_function(wrong):
    with pytest.raises(ParameterError, match="function"):
        corral.apply(wrong, TEXTS)


def test_classes_are_checked():
    with pytest.raises(SignalsError, match=r"speak of \['pos'\].*classes="):
        corral.apply(GOOD, TEXTS)
    with pytest.raises(
        SignalsError, match="signal 'bad' says 'neg', which is not among"
    ):
        corral.apply([GOOD, BAD], TEXTS, classes=["pos", "so"])
    with pytest.raises(
        SignalsError, match=r"all text or all numbers.*'pos' \(good\), 0"
    ):
        corral.apply([GOOD, keywords(None, "x", 0)], TEXTS)
    with pytest.raises(SignalsError, match="given twice: good"):
        corral.apply([GOOD, GOOD], TEXTS)


def test_options_are_checked():
    with pytest.raises(ParameterError, match="on_error must be"):
        corral.apply([GOOD, BAD], TEXTS, on_error="ignore")
    for jobs in (0, 1.5):
        with pytest.raises(ParameterError, match="jobs must be"):
            corral.apply([GOOD, BAD], TEXTS, jobs=jobs)


# -- errors ------------------------------------------------------------------------


@signal
def inverse(number):
    return ("neg", "pos")[1 / number > 0]


def test_errors_are_raised_or_abstain_with_counts_and_tracebacks():
    numbers = [1, 0, -1, 0, 0, 0]
    with pytest.raises(
        FunctionError, match="'inverse' failed on row 1: ZeroDivisionError"
    ):
        corral.apply(inverse, numbers)
    functions = [inverse, threshold(None, "pos", above=0)]
    message = "inverse: 4 rows, first row 1: ZeroDivisionError"
    with pytest.warns(FunctionWarning, match=message) as caught:
        signals = corral.apply(functions, numbers, on_error="abstain")
    assert signals.votes[:3].tolist() == [[1, 1], [-1, -1], [0, -1]]
    assert caught[0].filename == __file__
    failures = caught[0].message.failures["inverse"]
    assert (failures.count, [f.row for f in failures.first]) == (4, [1, 3, 4])
    assert "1 / number" in failures.first[0].traceback
    assert list(caught[0].message.failures) == ["inverse"]


def test_errors_of_builders_abstain_too():
    with pytest.warns(
        FunctionWarning, match="good: 1 rows, first row 1.*; bad: 1 rows"
    ):
        signals = corral.apply([GOOD, BAD], ["good", 3, "bad"], on_error="abstain")
    assert signals.votes.tolist() == [[1, -1], [-1, -1], [-1, 0]]


# -- cache ---------------------------------------------------------------------------


class Calls(logging.Handler):
    """Texts that a function was called with, told by a log that no hash sees."""

    def __init__(self, name):
        super().__init__()
        self.texts = []
        logger = logging.getLogger(name)
        logger.setLevel("INFO")
        logger.handlers = [self]

    def emit(self, record):
        self.texts.append(record.getMessage())


def counted(answer):
    """A function that counts its calls where no hash sees it."""
    calls = Calls(answer).texts

    @signal(name="counted")
    def count(text):
        logging.getLogger(answer).info(text)
        return answer if "film" in text else None

    return count, calls


def test_what_has_not_changed_is_not_run_again(tmp_path):
    folder = tmp_path / "new" / "cache"
    pos, calls = counted("pos")
    first = corral.apply([pos, BAD], TEXTS, cache=folder)
    assert calls == TEXTS
    again = corral.apply([BAD, pos], TEXTS, cache=folder)
    assert calls == TEXTS
    np.testing.assert_array_equal(first.votes[:, ::-1], again.votes)
    neg, changed = counted("neg")
    corral.apply([neg, pos.__class__(pos.function, name="other"), BAD], TEXTS,
                 classes=["neg", "pos"], cache=folder)  # fmt: skip
    assert changed == TEXTS
    corral.apply([pos, BAD], TEXTS[:2], cache=folder)
    assert calls[-2:] == TEXTS[:2]
    assert len(list(folder.glob("counted-*.npz"))) == 3


def test_every_kind_of_answer_survives(tmp_path):
    table = np.array([[0.2, 0.8], [np.nan, np.nan], [1, 0]])
    functions = [
        GOOD,
        soft([0.7, None, 0.2]),
        model(lambda _: table, classes=["neg", "pos"]),
    ]
    one, two = (corral.apply(functions, TEXTS, cache=tmp_path) for _ in range(2))
    np.testing.assert_array_equal(one.values[0], two.values[0])
    assert len(list(tmp_path.iterdir())) == 3


def test_only_the_columns_read_count(tmp_path):
    rows = [{"text": "good", "id": 1}, {"text": "bad", "id": 2}]
    functions = [keywords("text", "good", 1), keywords("text", "bad", 0)]
    corral.apply(functions, rows, cache=tmp_path)
    corral.apply(functions, [row | {"id": 3} for row in rows], cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    corral.apply(functions, rows[::-1], cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 4


def test_texts_are_told_apart_by_where_they_end(tmp_path):
    for texts in (["ab", "c"], ["a", "bc"], ["abc", ""], ["ab", "c"]):
        corral.apply(keywords(None, "ab", 1), texts, classes=[0, 1], cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


def test_what_cannot_be_hashed_is_run_and_said(tmp_path):
    lock = threading.Lock()

    @signal
    def locked(text):
        with lock:
            return "pos"

    with pytest.warns(
        SignalsWarning, match="'locked' is not cached: .*cannot pickle '_thread.lock'"
    ) as said:
        corral.apply([locked, BAD], TEXTS, cache=tmp_path)
    assert said[0].filename == __file__
    assert [file.name[:4] for file in tmp_path.iterdir()] == ["bad-"]


def from_environment(text):
    return os.environ["CORRAL_TEST_CLASS"]


class Forgetful:
    """Of which pickle keeps nothing."""

    __name__ = "forgetful"

    def __init__(self, answer):
        self.answer = answer

    def __getstate__(self):
        return {}

    def __call__(self, text):
        return self.answer


@pytest.mark.parametrize("how", ["plain", "helper", "partial", "closure"])
def test_a_function_that_reads_the_environment_is_never_stale(
    tmp_path, monkeypatch, how
):
    function = {
        "plain": from_environment,
        "helper": lambda text: from_environment(text),
        "partial": functools.partial(from_environment),
        "closure": (lambda inner: lambda text: inner(text))(from_environment),
    }[how]
    rule = signal(function, name="rule")
    for word in ("pos", "neg"):
        monkeypatch.setenv("CORRAL_TEST_CLASS", word)
        with pytest.warns(
            SignalsWarning, match=r"not cached: .*outside \(os.environ\)"
        ):
            got = corral.apply(rule, TEXTS, classes=["neg", "pos"], cache=tmp_path)
        assert set(got.classes[got.votes[:, 0]].tolist()) == {word}
    assert not list(tmp_path.iterdir())


def test_a_function_that_loads_its_model_is_never_stale(tmp_path):
    file = tmp_path / "m.joblib"

    @signal
    def rule(text):
        return "pos" if joblib.load(file)["word"] in text else None

    for word, votes in (("good", [1, -1, -1]), ("so", [-1, -1, 1])):
        joblib.dump({"word": word}, file)
        with pytest.warns(
            SignalsWarning, match=r"not cached: it reads from outside \(joblib.load\)"
        ):
            got = corral.apply(
                rule, TEXTS, classes=["neg", "pos"], cache=tmp_path / "kept"
            )
        assert got.votes[:, 0].tolist() == votes


def test_without_a_cache_all_is_run():
    pos, calls = counted("pos")
    for cache in (None, False):
        corral.apply([pos, BAD], TEXTS, cache=cache)
    assert calls == TEXTS * 2


@pytest.mark.parametrize("how", ["plain", "partial", "closure"])
def test_state_that_pickle_drops_is_never_stale(tmp_path, how):
    for word in ("pos", "neg", "pos"):
        held = Forgetful(word)
        function = {
            "plain": held,
            "partial": functools.partial(held),
            "closure": lambda text, held=held: held(text),
        }[how]
        rule = signal(function, name="rule")
        with pytest.warns(SignalsWarning, match="not cached: a Forgetful says itself"):
            got = corral.apply(rule, TEXTS, classes=["neg", "pos"], cache=tmp_path)
        assert set(got.classes[got.votes[:, 0]].tolist()) == {word}
    assert not list(tmp_path.iterdir())


def test_failures_are_not_kept(tmp_path):
    with pytest.warns(FunctionWarning):
        corral.apply(inverse, [1, 0, -1], on_error="abstain", cache=tmp_path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(FunctionError):
        corral.apply(inverse, [1, 0, -1], cache=tmp_path)


def test_a_damaged_file_is_written_anew_and_a_file_is_no_folder(tmp_path):
    whole = corral.apply([GOOD, BAD], TEXTS, cache=tmp_path)
    (file,) = tmp_path.glob("good*")
    for content, why in ((b"", "it is empty"), (file.read_bytes()[:200], "damaged")):
        file.write_bytes(content)
        with pytest.warns(SignalsWarning, match=f"'good' is answered anew: .* {why}"):
            mended = corral.apply([GOOD, BAD], TEXTS, cache=tmp_path)
        np.testing.assert_array_equal(mended.votes, whole.votes)
    corral.apply([GOOD, BAD], TEXTS, cache=tmp_path)
    with pytest.raises(StorageError, match=r"cannot use .* as a cache"):
        corral.apply([GOOD, BAD], TEXTS, cache=file)


CODES = np.array([0, -1, 0], np.int8)


@pytest.mark.parametrize(
    ("classes", "arrays", "why"),
    [
        (["pos"], {"codes": CODES[:2]}, r"the shape \(3,\) of codes"),
        (["pos"], {"codes": CODES[:, None]}, r"the shape \(3,\) of codes"),
        (["pos"], {"codes": CODES + 1}, "positions from -1 to below 1 in codes"),
        (["pos"], {"codes": CODES - 1}, "positions from -1 to below 1 in codes"),
        (["pos"], {"codes": CODES.astype(float)}, "integers in codes, not float64"),
        ([["pos"]], {"codes": CODES}, "a list of texts or numbers as classes"),
        ("pos", {"codes": CODES}, "a list of texts or numbers as classes"),
        (["pos", "pos"], {"codes": CODES}, "a class only once"),
        (["pos"], {}, "'codes' is missing"),
        (["pos"], {"codes": CODES, "other": CODES}, "unexpected keyword"),
        (["pos"], {"codes": CODES, "confidence": CODES + 2.0}, "from 0 to 1"),
        (["pos"], {"codes": CODES, "confidence": np.ones(2)}, "of confidence"),
        (["pos"], {"codes": CODES, "probabilities": np.ones((3, 1))}, "either prob"),
        (["pos"], {"probabilities": np.ones((3, 2))}, "of probabilities"),
    ],
)
def test_a_file_that_no_function_can_have_answered_is_written_anew(
    tmp_path, classes, arrays, why
):
    whole = corral.apply([GOOD, BAD], TEXTS, cache=tmp_path)
    (file,) = tmp_path.glob("good*")
    write_file(file, KIND, {"classes": classes}, arrays)
    with pytest.warns(SignalsWarning, match=f"'good' is answered anew: .*{why}"):
        mended = corral.apply([GOOD, BAD], TEXTS, cache=tmp_path)
    np.testing.assert_array_equal(mended.votes, whole.votes)
    assert mended.classes.tolist() == whole.classes.tolist()
    corral.apply([GOOD, BAD], TEXTS, cache=tmp_path)  # without a warning


def test_nothing_is_said_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corral.apply([GOOD, BAD], TEXTS, on_error="abstain")
