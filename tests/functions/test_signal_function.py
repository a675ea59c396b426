"""Plain functions of a row: what they may return, errors, several processes."""

import threading

import numpy as np
import pytest

import corral
from corral.errors import FunctionError, ParameterError
from corral.functions import keywords, llm, lookup, signal
from corral.functions.base import RowFunction


def test_a_decorated_function_is_still_a_function():
    @signal
    def even(number):
        """Say whether it is."""
        return "even" if number % 2 == 0 else None

    assert (even(2), even(3), even.name) == ("even", None, "even")
    assert (even.__name__, even.__doc__) == ("even", "Say whether it is.")
    assert even.apply([2, 3]).to_list() == ["even", None]
    named = signal(name="n", label="x")(lambda _: None)
    assert (named.name, named.label) == ("n", "x")


@pytest.mark.parametrize("silent", [None, "", float("nan"), -1, np.int64(-1)])
def test_abstains(silent):
    assert signal(lambda _: silent).apply([0]).to_list() == [None]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("a", "a"),
        (np.str_("a"), "a"),
        (np.int64(3), 3),
        (True, True),
        (np.False_, False),
        (0.25, ("x", 0.25)),
        (np.float32(0.25), ("x", 0.25)),
        (("a", 0.25), ("a", 0.25)),
        (["a", 0.25], ("a", 0.25)),
        (1.0, "x"),
    ],
)
def test_answers(said, read):
    assert signal(label="x")(lambda _: said).apply([0]).to_list() == [read]


@pytest.mark.parametrize(
    "said", [1.5, [1], (-1, 0.9), ("a", 2), ("a", "b"), (0.5, 0.5), {}, object()]
)
def test_what_is_no_answer(said):
    with pytest.raises(FunctionError, match=r"signal '<lambda>' failed on row 1"):
        signal(lambda _: said).apply([0])


def test_classes_and_confidence_may_alternate():
    said = signal(label="a")(lambda x: x).apply([0.5, "b", None, ("c", 0.7)])
    assert said.to_list() == [("a", 0.5), ("b", 1.0), None, ("c", 0.7)]


def test_an_error_names_function_and_row_and_keeps_its_cause():
    def inverse(x):
        return "a" if 1 / x else None

    with pytest.raises(
        FunctionError, match=r"'inverse' failed on row 3: ZeroDiv"
    ) as info:
        signal(inverse).apply([1, 2, 0])
    assert isinstance(info.value.__cause__, ZeroDivisionError)


def test_signals_are_made_of_functions():
    with pytest.raises(ParameterError, match="a signal is made of a function"):
        signal("text")
    with pytest.raises(ParameterError, match="class must be text"):
        signal(label=0.5)(len)


@pytest.mark.parametrize(
    "builder",
    [
        lambda: keywords(None, "bad", -1),
        lambda: lookup(None, {"bad": np.int8(-1)}),
        lambda: llm(list, "{}", {"yes": 1, "no": 0, "unsure": -1}),
        lambda: signal(label=-1)(len),
    ],
)
def test_no_class_is_called_minus_one(builder):
    with pytest.raises(ParameterError, match="-1 means that a signal abstains"):
        builder()


# -- several processes ------------------------------------------------------------


def parity(limit):
    """A function within a function, which pickle cannot send."""

    def answer(number):
        if number == limit:
            raise ValueError(f"not {number}")
        return ("odd", "even")[number % 2 == 0]

    return RowFunction(answer, name="parity")


@pytest.mark.xdist_group("processes")  # which then start once
def test_processes_say_what_one_core_says():
    numbers = list(range(500))
    alone = corral.apply(parity(None), numbers)
    together = corral.apply(parity(None), numbers, jobs=2)
    np.testing.assert_array_equal(together.votes, alone.votes)


def test_other_processes_are_used_only_if_asked_for(monkeypatch):
    seen = set()
    clock = iter(range(0, 10**9, 100))  # it looks as if hours of work were left
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))

    @signal
    def said_before(number):
        known = number % 7 in seen
        seen.add(number % 7)
        return "before" if known else "new"

    assert corral.apply(said_before, list(range(600))).votes.sum() == 7


@pytest.mark.xdist_group("processes")  # which then start once
def test_errors_in_other_processes():
    numbers = list(range(300))
    with pytest.raises(
        FunctionError, match="failed on row 251: ValueError: not 250"
    ) as e:
        corral.apply(parity(250), numbers, jobs=2)
    assert "in answer" in str(e.value.__cause__)
    with pytest.warns(
        corral.errors.FunctionWarning, match="parity: 1 rows, first row 251"
    ):
        signals = corral.apply(parity(250), numbers, jobs=2, on_error="abstain")
    assert np.flatnonzero(~signals.covered).tolist() == [250]


@pytest.mark.xdist_group("processes")  # which then start once
def test_answers_that_cannot_come_back_from_other_processes():
    def locks(number):
        return threading.Lock() if number == 25 else "even"

    with pytest.raises(FunctionError, match="row 26: TypeError: a class, a prob"):
        corral.apply(locks, list(range(40)), jobs=2)


@pytest.mark.xdist_group("processes")  # which then start once
def test_what_cannot_be_sent_to_other_processes():
    lock = threading.Lock()

    @signal
    def locked(number):
        with lock:
            return ("odd", "even")[number % 2 == 0]

    with pytest.raises(FunctionError, match="jobs=1"):
        corral.apply(locked, list(range(9)), jobs=2)
