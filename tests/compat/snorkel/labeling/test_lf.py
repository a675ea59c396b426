"""Labeling functions, alone and next to functions of corral."""

import numpy as np
import pytest

import corral
from corral.compat.snorkel.labeling import (
    LabelingFunction,
    LFApplier,
    labeling_function,
)
from corral.errors import FunctionError, FunctionWarning, ParameterError
from corral.functions import keywords


@labeling_function()
def short(text):
    """Short texts are ham."""
    return 0 if len(text) < 9 else -1


def test_a_function_keeps_its_name_and_its_words():
    assert short.name == "short"
    assert short.__doc__ == "Short texts are ham."
    assert repr(short) == "LabelingFunction short, Preprocessors: []"


@pytest.mark.parametrize(
    ("said", "vote"),
    [(1, 1), (True, 1), (np.int8(2), 2), (1.0, 1), (-1, -1), (-7, -1), (None, -1),
     (float("nan"), -1)],
)  # fmt: skip
def test_what_a_function_may_say(said, vote):
    assert LabelingFunction("f", lambda _: said)("x") == vote


@pytest.mark.parametrize("said", [0.7, "spam", [1], object()])
def test_what_it_may_not_say(said):
    with pytest.raises(ParameterError, match="returns a class, 0 or more"):
        LabelingFunction("f", lambda _: said)("x")


def test_corral_applies_it_next_to_others():
    signals = corral.apply(
        [short, keywords(None, "free", 1)], ["hello", "a free prize"]
    )
    assert signals.names == ("short", "free")
    assert signals.votes.tolist() == [[0, -1], [-1, 1]]


def test_errors_name_function_and_row():
    fails = LabelingFunction("fails", lambda x: x.nothing)
    with pytest.raises(FunctionError, match="'fails' failed on row 0: AttributeError"):
        LFApplier([short, fails]).apply(["hello"])


def test_tolerated_faults_are_counted():
    fails = LabelingFunction("fails", lambda text: 1 // (len(text) - 5))
    applier = LFApplier([short, fails])
    votes, meta = applier.apply(
        ["hello", "a prize", "there"], fault_tolerant=True, return_meta=True
    )
    assert votes.tolist() == [[0, -1], [0, 0], [0, -1]]
    assert meta.faults == {"fails": 2}
    with pytest.warns(FunctionWarning, match="fails: 2 rows, first row 0"):
        applier.apply(["hello", "a prize", "there"], fault_tolerant=True)


def test_rows_of_any_kind():
    large = LabelingFunction("large", lambda row: 1 if row[0] > 42 else -1)
    assert LFApplier([large]).apply(np.array([[10], [99]])).tolist() == [[-1], [1]]
    assert LFApplier([large]).apply(iter([(10,), (99,)])).tolist() == [[-1], [1]]
    assert LFApplier([large]).apply([]).shape == (0, 1)


def test_functions_are_checked():
    with pytest.raises(ParameterError, match=r"made by @labeling_function\(\); <func"):
        LFApplier([lambda _: 1])
    with pytest.raises(ParameterError, match="none came"):
        LFApplier([])
    with pytest.raises(ValueError, match="short"):
        LFApplier([short, short])
    assert repr(LFApplier([short])) == "LFApplier, LFs: ['short']"


def test_a_failure_names_the_option_that_is_there():
    failing = LabelingFunction("failing", lambda x: 1 / x)
    with pytest.raises(FunctionError, match=r"row 1: .* pass fault_tolerant=True"):
        LFApplier([failing]).apply([1, 0])
