"""The page of messages knows the classes of corral and what they say."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from corral import errors

ROOT = Path(__file__).parents[1]
CLASSES = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, Exception | Warning)
}
BASES = {"CorralError", "CorralWarning"}
NOT_ALL = "ParameterError"  # their messages name the option and what it may be


def text_of(node):
    """A message as it is written, with ``{}`` for what is filled in."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return "{}"


def name_of(node):
    return getattr(node, "id", getattr(node, "attr", ""))


def nodes():
    for path in (ROOT / "src").rglob("*.py"):
        yield from ast.walk(ast.parse(path.read_text()))


def texts():
    """All texts of the source: a message may be put together elsewhere."""
    for node in nodes():
        if isinstance(node, ast.Constant | ast.JoinedStr):
            yield " ".join(text_of(node).split())


def messages():
    """Pairs of a class and a message, as far as it is written where it is raised."""
    for node in nodes():
        if isinstance(node, ast.Call) and node.args:
            kinds = {name_of(node.func)}
            if "warn_user" in kinds:
                kinds = {name_of(argument) for argument in node.args[1:]}
            said = " ".join(text_of(node.args[0]).split())
            if kinds & CLASSES and len(re.findall(r"\w{3,}", said)) > 1:
                yield (kinds & CLASSES).pop(), said


def rows():
    """By class: the fragments in the first column of its tables."""
    found, kind = defaultdict(list), ""
    for line in (ROOT / "docs" / "messages.md").read_text().splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif kind and line.startswith("| `"):
            found[kind] += re.findall(r"`([^`]+)`", line.split("|")[1])
    return found


def matches(fragment, message):
    pieces = map(re.escape, re.split(r"\s*…\s*", fragment))
    return re.search(".*".join(pieces), message) is not None


SAID = list(messages())
TEXTS = "\n".join(sorted(set(texts())))
ROWS = rows()


def test_every_class_has_a_section():
    assert set(ROWS) == CLASSES - BASES


@pytest.mark.parametrize("kind", ROWS)
def test_every_row_is_about_a_message_that_exists(kind):
    absent = [row for row in ROWS[kind] if not matches(row, TEXTS)]
    assert not absent, "no text of the source says this any more"


@pytest.mark.parametrize("kind", sorted(set(ROWS) - {NOT_ALL}))
def test_every_message_has_a_row(kind):
    said = [message for of, message in SAID if of == kind]
    absent = [m for m in said if not any(matches(row, m) for row in ROWS[kind])]
    assert not absent, f"docs/messages.md has no row for these, under {kind}"
