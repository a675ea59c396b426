"""Functions from a Python file, also where other processes run them."""

import sys

import pytest
from joblib import Parallel, delayed

import corral
from corral.errors import FunctionError
from corral.functions import load_functions
from corral.functions.function_file import MODULE

RULES = """
import corral
LIMIT = 3

@corral.signal
def longer(text):
    return "long" if len(text) > LIMIT else "short"
"""


def test_they_run_in_other_processes(tmp_path):
    path = tmp_path / "rules.py"
    path.write_text(RULES)
    (function,) = load_functions(path)
    assert MODULE not in sys.modules
    found = Parallel(2)(delayed(function.function)(text) for text in ("a", "abcde"))
    assert found == ["short", "long"]


def test_they_are_cached_by_content(tmp_path):
    path = tmp_path / "rules.py"
    texts, votes = ["a", "abcde", "ab"], []
    for limit in (3, 3, 1):
        path.write_text(RULES.replace("LIMIT = 3", f"LIMIT = {limit}"))
        signals = corral.apply(load_functions(path), texts, cache=tmp_path / "kept")
        votes.append(signals.votes[:, 0].tolist())
    assert votes == [[1, 0, 1], [1, 0, 1], [1, 0, 0]]
    assert len(list((tmp_path / "kept").iterdir())) == 2


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FunctionError, match="no file"):
        load_functions(tmp_path)
