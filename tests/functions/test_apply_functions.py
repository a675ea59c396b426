"""`corral.apply`: forms, classes, errors, names and rules files."""

import numpy as np
import pytest

import corral
from corral.errors import FunctionError, FunctionWarning, ParameterError, SignalsError
from corral.functions import keywords, load_functions, model, signal, threshold

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
        signals.probabilities[:, :, 1].T, [[1, np.nan, np.nan], [0.7, 0.2, np.nan]]
    )


def test_what_a_class_is_not_given_the_others_share():
    signals = corral.apply(
        [soft([0.7, None, 0.0])], TEXTS, classes=["neg", "pos", "so"]
    )
    said = signals.probabilities[:, 0]
    np.testing.assert_allclose(said, [[0.15, 0.7, 0.15], [np.nan] * 3, [0.5, 0, 0.5]])


def test_distributions_may_be_of_some_classes_in_any_order():
    table = np.array([[0.2, 0.8], [np.nan, np.nan], [1, 0]])
    asked = model(lambda _: table, classes=["pos", "neg"], name="model")
    signals = corral.apply([asked], TEXTS, classes=["neg", "other", "pos"])
    said = signals.probabilities[:, 0]
    np.testing.assert_array_equal(said, [[0.8, 0, 0.2], [np.nan] * 3, [0, 0, 1]])


def test_probabilities_of_the_second_class():
    unnamed = soft([0.7, 0.2, 0.5], label=None)
    signals = corral.apply([unnamed], TEXTS, classes=[0, 1])
    assert signals.probabilities[:, 0, 1].tolist() == [0.7, 0.2, 0.5]
    with pytest.raises(SignalsError, match="label="):
        corral.apply([unnamed], TEXTS, classes=[0, 1, 2])


def test_a_labeler_takes_the_result_and_new_rows_that_nothing_speaks_of():
    signals = corral.apply([GOOD, BAD], TEXTS)
    labeler = corral.ConstrainedLabeler(error_rates=0.1).fit(signals)
    assert labeler.predict(corral.apply([GOOD, BAD], ["?"])).tolist() == [None]


# -- what is given ------------------------------------------------------------------


def test_functions_may_be_plain_and_in_lists():
    def short(text):
        return "neg" if len(text) < 6 else None

    signals = corral.apply([GOOD, [short]], TEXTS)
    assert signals.names == ("good", "short")
    assert corral.apply(short, TEXTS, classes=["neg", "pos"]).n_signals == 1
    assert corral.apply(GOOD, TEXTS, classes=["neg", "pos"]).n_signals == 1


@pytest.mark.parametrize("wrong", [[], [[]], "good", 3, ["good"], [None]])
def test_what_is_no_function(wrong):
    with pytest.raises(ParameterError, match="function"):
        corral.apply(wrong, TEXTS)


def test_classes_are_checked():
    for functions, classes in (
        ([GOOD], None),
        ([GOOD, BAD], ["pos", "so"]),
        ([GOOD, keywords(None, "x", 0)], None),
        ([GOOD, GOOD], ["neg", "pos"]),
    ):
        with pytest.raises(SignalsError, match=r"good|bad|pos"):
            corral.apply(functions, TEXTS, classes=classes)


# -- errors ------------------------------------------------------------------------


@signal
def inverse(number):
    return ("neg", "pos")[1 / number > 0]


def test_errors_are_raised_or_abstain_with_counts_and_tracebacks():
    numbers = [1, 0, -1, 0, 0, 0]
    with pytest.raises(FunctionError, match="'inverse' failed on row 2") as raised:
        corral.apply(inverse, numbers)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    functions = [inverse, threshold(None, "pos", above=0)]
    with pytest.warns(FunctionWarning, match="inverse: 4 rows") as caught:
        signals = corral.apply(functions, numbers, on_error="abstain")
    assert signals.votes[:3].tolist() == [[1, 1], [-1, -1], [0, -1]]
    assert caught[0].filename == __file__
    failures = caught[0].message.failures["inverse"]
    assert (failures.count, failures.first[:6]) == (4, "row 2:")
    assert "1 / number" in failures.traceback


# -- names -----------------------------------------------------------------------------


def test_similar_rules_do_not_collide():
    offers = [keywords(None, ["free", *more], "pos") for more in ([], ["win"], ["now"])]
    named = keywords(None, "prize", "neg", name="free 2")
    signals = corral.apply([*offers, named], TEXTS)
    assert signals.names == ("free", "free 3", "free 4", "free 2")
    for twice in (offers[0], len):
        with pytest.raises(SignalsError, match="twice"):
            corral.apply([twice, twice, named], TEXTS)


RULES = """
import corral
from corral.functions import keywords
LIMIT = 3

@corral.signal
def longer(text):
    return "long" if len(text) > LIMIT else "short"

offers = keywords(None, ["free", "win"], "long")
named = keywords(None, ["free", "now"], "long", name="as given")
_hidden = keywords(None, ["free"], "long")
several = [offers, _hidden, keywords(None, "free", "long")]
"""


def test_rules_of_a_file_are_called_as_their_variables(tmp_path):
    (tmp_path / "rules.py").write_text(RULES)
    functions = load_functions(tmp_path / "rules.py")
    expected = ["longer", "offers", "as given", "free", "free"]
    assert [function.name for function in functions] == expected
    names = corral.apply(functions, [*TEXTS, "a"]).names
    assert names == ("longer", "offers", "as given", "free", "free 2")
