"""Files of annotation tools, of judges and of word vectors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.exchange import exports

import corral
from corral.features import open_vectors
from reliability.hostile.cases import Case, Surface, call, check_terminal
from reliability.hostile.json_texts import TEXTS, VALUES, places, put

TOOLS: dict[str, Any] = {
    "label-studio": exports.label_studio_tasks(),
    "argilla": exports.argilla_records(),
    "doccano": exports.doccano_members()["alice"],
    "prodigy": exports.prodigy_answers(),
    "wrench": exports.wrench_entries(),
}
JUDGES = [
    {"id": i, "judge": judge, "verdict": verdict, "gold": "pass"}
    for i in range(3)
    for judge, verdict in (("a", "pass"), ("b", "fail"))
]
COMPLETION = {
    "custom_id": "1",
    "response": {
        "body": {
            "model": "m",
            "choices": [
                {
                    "message": {"content": "pass", "refusal": None},
                    "finish_reason": "stop",
                    "logprobs": {
                        "content": [
                            {
                                "token": "pass",
                                "logprob": -0.1,
                                "top_logprobs": [{"token": "fail", "logprob": -2.0}],
                            }
                        ]
                    },
                }
            ],
        }
    },
}
MESSAGE = {
    "custom_id": "1",
    "result": {
        "message": {
            "model": "m",
            "content": [{"type": "text", "text": "pass"}],
            "stop_reason": "end_turn",
        }
    },
}
STRIDE = 18
"""At every place one in so many of the odd values is tried, another one at the next."""


def read_back(tool: str) -> Callable[[Path], None]:
    """A `Case.use` that reads a file of a tool, labels, and writes suggestions."""

    def use(path: Path) -> None:
        found = corral.read_annotations(path, tool)
        check_terminal(str(found))
        if tool != "wrench":
            labeler = corral.MajorityVote().fit(found.signals)
            out = corral.write_annotations(Path("out.json"), found, labeler)
            assert len(json.loads(out.read_text())) == len(found)

    return use


def by_command(path: Path) -> None:
    """A file of Label Studio by the command line."""
    call(path.parent, "label", path.name, "-o", "out.json", "--format", "label-studio")


def read_judges(path: Path) -> None:
    """Read judges, and label."""
    found = corral.read_judges(path, classes=["fail", "pass"])
    check_terminal(str(found))
    corral.MajorityVote().fit(found.signals)


def with_export(tool: str, content: Any) -> Callable[[Path], Path]:
    """A `Case.make` of a file, or folder, of a tool."""

    def make(folder: Path) -> Path:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        if tool != "wrench":
            (folder / "export.json").write_bytes(raw)
            return folder / "export.json"
        (folder / "label.json").write_text('{"0": "neg", "1": "pos"}')
        (folder / "train.json").write_bytes(raw)
        return folder

    return make


def with_lines(*lines: Any) -> Callable[[Path], Path]:
    """A `Case.make` of a file of judges."""

    def make(folder: Path) -> Path:
        raw = [x if isinstance(x, bytes) else json.dumps(x).encode() for x in lines]
        (folder / "judges.jsonl").write_bytes(b"\n".join(raw) + b"\n")
        return folder / "judges.jsonl"

    return make


def odd_place(build: Callable[[Path], object], name: str) -> Callable[[Path], Path]:
    """A `Case.make` of something that is no file."""

    def make(folder: Path) -> Path:
        build(folder / name)
        return folder / name

    return make


def read_vectors(path: Path) -> None:
    """Open a file of word vectors."""
    found = open_vectors(path, path.parent / "cache")
    check_terminal(repr(found))
    assert len(found.words) <= len(found.vectors)


def with_vectors(raw: bytes, name: str = "v.txt") -> Callable[[Path], Path]:
    """A `Case.make` of a file of word vectors."""

    def make(folder: Path) -> Path:
        (folder / name).write_bytes(raw)
        return folder / name

    return make


VECTORS: dict[str, bytes] = {
    "nothing": b"",
    "empty lines": b"\n\n\n",
    "one word": b"a\n",
    "a heading alone": b"1000000000 300\n",
    "a heading that lies": b"1000000000 1000000000\na 1 2\n",
    "a line of 2 MB": b"a " + b"1 " * 2**20 + b"\n",
    "a word of 2 MB": b"a" * 2**21 + b" 1 2\n",
    "lines of different lengths": b"a 1 2\nb 1\n",
    "NaN": b"a nan 1\n",
    "infinity": b"a inf 1\n",
    "numbers beyond doubles": b"a 1e999 1\n",
    "numbers without end": b"a " + b"9" * 100_000 + b" 1\n",
    "words for a terminal": b"\x1b[2J 1 2\n\xc2\x9b 1 2\n",
    "bytes that are no text": b"\xff\xfe\xfd 1 2\n",
    "NUL": b"\x00 1 2\n",
    "code": b"__import__('os').system('touch_pwned') 1 2\n",
    "a pickle": b"\x80\x04cposix\nsystem\n.",
    "UTF-16": "a 1 2\n".encode("utf-16"),
}
ODD: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to /dev/zero": lambda p: p.symlink_to("/dev/zero"),
    "a link to itself": lambda p: p.symlink_to(p.name),
}
LINES: dict[str, bytes] = {
    "half a line": b'{"id": 1, "judge": "a", "verd',
    "a judge for a terminal": b'{"id":1,"judge":"\\u001b[2J\\u202e","verdict":"pass"}',
    "an id that is a list": b'{"id":[1],"judge":"a","verdict":"pass"}',
    "an id that is NaN": b'{"id":NaN,"judge":"a","verdict":"pass"}',
    "an id without end": b'{"id":' + b"9" * 10_000 + b',"judge":"a","verdict":"pass"}',
    "an id beyond 64 bits": b'{"id":' + b"9" * 30 + b',"judge":"a","verdict":"pass"}',
    "a verdict of a megabyte": b'{"id":1,"judge":"a","verdict":"'
    + b"x" * 2**20
    + b'"}',
    "a verdict for a terminal": b'{"id":1,"judge":"a","verdict":"\\u009b2J"}',
    "log-probabilities of infinity": b'{"id":1,"judge":"a","logprobs":{"pass":-Infinity}}',
    "log-probabilities above zero": b'{"id":1,"judge":"a","logprobs":{"pass":1e308}}',
    "samples without end": b'{"id":1,"judge":"a","samples":['
    + b'{"samples":[' * 3000
    + b'"pass"'
    + b"]}" * 3000
    + b"]}",
    "100,000 samples": b'{"id":1,"judge":"a","samples":['
    + b'"pass",' * 99_999
    + b'"x"]}',
}


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    for tool, records in TOOLS.items():
        use = read_back(tool)
        yield Case(f"none: {tool}", with_export(tool, records), use, "harmless")
        for name, text in TEXTS.items():
            yield Case(f"{tool}: {name}", with_export(tool, text), use, "refused")
        for at, path in enumerate(places(records)):
            for name in [*VALUES][at % STRIDE :: STRIDE]:
                bent = put(records, path, VALUES[name])
                where = ".".join(map(str, path))
                yield Case(f"{tool}: {name} as {where}", with_export(tool, bent), use)
    for name in ("objects, nested deeply", "colour for a terminal"):
        yield Case(
            f"command: {name}", with_export("x", TEXTS[name]), by_command, "refused"
        )
    yield Case("none: judges", with_lines(*JUDGES), read_judges, "harmless")
    for name, text in TEXTS.items():
        yield Case(f"judges: {name}", with_lines(*JUDGES, text), read_judges)
    for name, text in LINES.items():
        yield Case(f"judges: {name}", with_lines(*JUDGES, text), read_judges)
    for kind, line in (
        ("plain", JUDGES[0]),
        ("OpenAI", COMPLETION),
        ("Anthropic", MESSAGE),
    ):
        for at, path in enumerate(places(line)):
            for name in [*VALUES][at % 4 :: 4]:
                where = ".".join(map(str, path))
                made = with_lines(*JUDGES, put(line, path, VALUES[name]))
                yield Case(f"judges, {kind}: {name} as {where}", made, read_judges)
    for name, text in VECTORS.items():
        yield Case(f"vectors: {name}", with_vectors(text), read_vectors)
    for name, build in ODD.items():
        for file, opens in (
            ("export.json", read_back("prodigy")),
            ("judges.jsonl", read_judges),
            ("v.txt", read_vectors),
        ):
            yield Case(f"{file} is {name}", odd_place(build, file), opens, "refused")


SURFACE = Surface(
    "annotations, judges, word vectors",
    "A file of an annotation tool, of judges or of vectors is refused, or read as data",
    list_cases,
)
