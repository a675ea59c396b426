"""A program of another library, run as it is or with its imports changed."""

import runpy
from pathlib import Path

HERE = Path(__file__).parent


def load_flow(name, package, tmp_path, *, switch):
    """The function `run` of a program that imports `package`, or corral in its place."""
    text = (HERE / f"{name}.py").read_text()
    changed = text.replace(f"from {package}", f"from corral.compat.{package}")
    assert changed != text, "the program does not import the package"
    path = tmp_path / f"{name}.py"
    path.write_text(changed if switch else text)
    return runpy.run_path(str(path))["run"]
