"""One message, in the words of Python and in those of a shell."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from corral.checks import check_choice, check_positive
from corral.errors import ParameterError
from corral.wording import option, options, say, speak_to_shell, spell


@pytest.mark.parametrize(
    ("name", "value", "python", "shell"),
    [
        ("abstain", None, "`abstain=`", "--abstain"),
        ("abstain", "x", "`abstain='x'`", "--abstain x"),
        (
            "abstain",
            ["?", "N/A"],
            "`abstain=['?', 'N/A']`",
            "--abstain '?' --abstain N/A",
        ),
        ("abstain", -1.0, "`abstain=-1`", "--abstain -1"),
        ("classes", [-1, 1], "`classes=[-1, 1]`", "--classes -1,1"),
        ("columns", "{signal}", "`columns='{signal}'`", "--columns '{signal}'"),
        ("probabilities", True, "`probabilities=True`", "--probabilities"),
        ("dev_size", None, "`dev_size=`", "--dev-size"),
        ("label", None, "`label=`", "--answer"),
    ],
)
def test_options(name, value, python, shell):
    assert option(name, value) == python
    with speak_to_shell({"label": "--answer"}):
        assert option(name, value) == shell
    assert option(name, value) == python, "afterwards as before"


def test_several_options():
    assert options("id", "task") == "`id=` and `task=`"
    with speak_to_shell({}):
        assert options("bins", "id", "dev_size") == "--bins, --id and --dev-size"


def test_words_of_one_side_only():
    assert say("a, or `slack=`") == "a, or `slack=`"
    with speak_to_shell({}):
        assert say(", or `slack=`") == ""
        assert say("`y=`", shell="--gold") == "--gold"


def test_a_shell_is_spoken_to_in_its_own_context_only():
    with speak_to_shell({}), ThreadPoolExecutor(1) as pool:
        assert pool.submit(spell, "bins").result() == "bins"
        assert spell("bins") == "--bins"


def test_errors_carry_the_name_of_the_parameter():
    with pytest.raises(ParameterError, match=r"^iterations must be") as raised:
        check_positive("iterations", 0)
    assert raised.value.parameter == "iterations"
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.parameter) == (str(raised.value), "iterations")
    with (
        speak_to_shell({"labeler": "--method"}),
        pytest.raises(ParameterError, match=r"^--method must be one of 'a'; 'b' was"),
    ):
        check_choice("labeler", "b", ["a"])
    assert ParameterError("a sentence.").parameter is None
