"""The command line with any options on any file: a result, or a line that says why not."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from reliability.commands import run_command
from reliability.fuzz.on_files import damaged, damages
from reliability.fuzz.properties import holds_for
from reliability.fuzz.values import texts

FILES = {
    "votes.csv": b"id,a,b,c,y\n0,0,1,,0\n1,1,1,0,1\n2,0,,0,0\n3,1,1,1,1\n4,,,,1\n",
    "words.csv": b"id,a,b\n0,spam,ham\n1,spam,spam\n2,ham,\n3,,ham\n",
    "long.csv": b"task,worker,label\nx,w1,cat\nx,w2,dog\ny,w1,cat\ny,w3,cat\nz,w2,dog\n",
    "soft.jsonl": b'{"id":0,"a":0.2,"b":0.9}\n{"id":1,"a":0.7,"b":null}\n',
    "odd.csv": b"=1+1;\x1b[31m;<b>\n1;0;1\n0;1;1\n",
    "empty.csv": b"",
}
COMMANDS = ("label", "report", "compare", "advise", "explain", "inspect", "agreement")
word = st.one_of(
    st.sampled_from(
        ["a", "b", "a,b", "*", "id", "y", "task", "0", "1", "-1", "0.1", "a=0.2"]
    ),
    st.sampled_from(
        ["spam,ham", "entropy", "majority-vote", "nan", "1e400", "-5", "", "/"]
    ),
    texts.filter(lambda s: "\x00" not in s),
)
FLAGS = ("--probabilities", "--normalise", "--json", "--quiet", "--overwrite")
VALUED = (
    *("--signals", "--id", "--task", "--worker", "--answer", "--columns", "--bins"),
    *("--abstain", "--classes", "--gold", "--method", "--error-rate", "--solver"),
    *("--class-balance", "--iterations", "--prefix", "--threads", "--memory-limit"),
    *(
        "--seed",
        "--change",
        "--suggest",
        "--positive",
        "--metric",
        "--level",
        "--title",
    ),
    *("--text", "--methods", "--dev-size", "--resamples"),
)


@dataclass(frozen=True)
class Call:
    """A command, its file, the damage done to that, and options."""

    command: str
    file: str
    damage: list[object]
    options: tuple[str, ...]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """Any call."""
    options: list[str] = draw(st.lists(st.sampled_from(FLAGS), max_size=2, unique=True))
    for name in draw(st.lists(st.sampled_from(VALUED), max_size=3, unique=True)):
        options += [name, draw(word)]
    usual = draw(st.sampled_from([["--id", "id"], ["--id", "id", "--gold", "y"], []]))
    harm = draw(st.one_of(st.just([]), st.just([]), damages))
    command, file = (
        draw(st.sampled_from(COMMANDS)),
        draw(st.sampled_from(sorted(FILES))),
    )
    return Call(command, file, harm, (*usual, *options))


@holds_for(calls(), cost=35)
def commands(call: Call) -> None:
    """A command ends with 0, or with 1 or 2 and a line that says why."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / call.file
        path.write_bytes(damaged(FILES[call.file], call.damage))  # type: ignore[arg-type]
        row = ["0"] if call.command == "explain" else []
        where = ["-o", "out.csv"] if call.command == "label" else []
        code, out, err = run_command(
            [call.command, call.file, *row, *where, *call.options], folder
        )
        left = {p.name for p in folder.iterdir()}
    assert code in (0, 1, 2), code
    assert "fault of corral" not in err, err
    assert "Traceback" not in err, err
    assert "\x1b" not in err + out, "an escape sequence was passed on"
    assert left <= {call.file, "out.csv"}, left
    if code:
        assert "error: " in err, err
        assert "out.csv" not in left, "an output was left behind"
    elif "--json" in call.options and "{" in out:
        json.loads(out, parse_constant=_refuse)


def _refuse(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")
