"""Every file is written by `atomic_write`, but for a few."""

import ast
from pathlib import Path

import corral

SOURCE = Path(corral.__file__).parent
OTHERWISE = {
    "cli/demo.py": "made-up rules, in a folder of the demo",
    "cli/output.py": "a copy of standard input, in a folder that is deleted",
    "functions/models.py": "a journal: answers are added line by line",
}
"""Files with other writers, and why."""


def opens_to_write(call):
    """Whether a call opens or writes a file."""
    name = getattr(call.func, "attr", getattr(call.func, "id", None))
    if name in ("write_text", "write_bytes"):
        return True
    given = [*call.args, *(word.value for word in call.keywords)]
    modes = [one.value for one in given if isinstance(one, ast.Constant)]
    wanted = any(
        isinstance(m, str) and len(m) <= 3 and set(m) & set("wax") for m in modes
    )
    return name == "open" and wanted


def test_files_are_written_by_atomic_write():
    found = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and opens_to_write(node):
                written = ast.unparse(node)
                if "temporary" not in written:
                    found[path.relative_to(SOURCE).as_posix()] = written
    assert found.keys() == OTHERWISE.keys(), found
