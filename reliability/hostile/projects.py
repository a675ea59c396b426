"""Projects of the workbench (``*.corral.json``) that somebody else wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from corral.errors import CorralError
from corral.functions import load_functions
from corral.workbench import Workbench
from corral.workbench.project_file import FORMAT
from corral.workbench.row_store import row_hash
from reliability.hostile.cases import Case, Surface, call
from reliability.hostile.json_texts import TEXTS, VALUES, places, put

DATA = "text,stars\ngreat fun,5\nso dull,1\nnot bad,3\na waste,1\ngreat cast,4\n"
CLASSES = ("neg", "pos")
BARE = {"kind": "words", "class": "pos", "words": ["great"]}
RULE = BARE | {"name": "great"}
STRIDE = 9
"""At every place one in so many of the odd values is tried, another one at the next."""


HAND_LABEL = {
    "class": "neg",
    "how": "chosen",
    "rules": "90f79d7e",
    "hash": row_hash("so dull"),
}
GOOD: dict[str, Any] = {
    "format": FORMAT,
    "version": 8,
    "data": {
        "name": "data.csv",
        "rows": 5,
        "text": "text",
        "hash": "d354d8948d77f333ff8636b23d8ba311",
    },
    "settings": {"classes": list(CLASSES)},
    "rules": {
        "r1": RULE,
        "r2": RULE | {"name": "again"},
        "r3": {"kind": "regex", "class": "neg", "pattern": "dull|waste", "name": "bad"},
        "r4": {"kind": "threshold", "class": "neg", "column": "stars", "below": 2},
    },
    "rates": {"r1": {"rate": 0.1}},
    "balance": {"pos": {"at_least": 0.2}},
    "hand_labels": {"1": HAND_LABEL},
    "undo": [
        {"what": "add rule great", "changes": [["rules", "r1", None, RULE]]},
        {"what": "rate", "changes": [["rates", "r1", None, {"rate": 0.1}]]},
    ],
    "redo": [
        {"what": "row 2 is neg", "changes": [["hand_labels", "1", None, HAND_LABEL]]}
    ],
}
"""A project with something in every section, as the workbench writes it."""


def work_on(folder: Path) -> None:
    """Open the project beside the data, and do with it what a page does."""
    with closing(open_or_keep(folder)) as bench:
        state = bench.state()
        json.dumps(state, allow_nan=False)
        json.dumps(bench.rows({"what": "all"}), allow_nan=False)
        for what in ("undo", "redo", "undo"):
            refused_or_done(bench, {"what": what})
        refused_or_done(bench, {"what": "add_rule", "rule": RULE | {"name": "mine"}})
        bench.preview(BARE | {"class": (*state["classes"], "pos")[0]})
        for what in ("functions", "votes", "labels"):
            ending = "py" if what == "functions" else "csv"
            refused_or_done(bench, None, what, folder / f"out.{ending}")
    if (folder / "out.py").exists():
        load_functions(folder / "out.py")  # what a name or a word smuggled in runs here
    assert not Path("pwned").exists()


def open_or_keep(folder: Path) -> Workbench:
    """Open the project beside the data; one that is refused stays as it is."""
    file = folder / "data.corral.json"
    before = file.read_bytes()
    try:
        return Workbench.open(folder / "data.csv", text="text")
    except CorralError:
        assert file.read_bytes() == before, "refused, and yet changed"
        raise


def refused_or_done(bench: Workbench, action: Any, *exported: Any) -> None:
    """Do something that may be refused without harm, and without a change."""
    file = Path("data.corral.json")
    before = file.read_bytes()
    try:
        if exported:
            bench.export(*exported)
        else:
            bench.act(action, bench.state()["version"])
    except CorralError:
        assert file.read_bytes() == before, "refused, and yet changed"


def with_project(change: Callable[[Any], Any]) -> Callable[[Path], Path]:
    """A `Case.make` of data with a changed project beside them."""

    def make(folder: Path) -> Path:
        found = change(GOOD)
        (folder / "data.csv").write_text(DATA)
        text = found if isinstance(found, bytes) else json.dumps(found).encode()
        (folder / "data.corral.json").write_bytes(text)
        return folder

    return make


def with_rules(make_rule: Callable[[int], Any], n: int = 1) -> Callable[[Any], Any]:
    """A project of so many rules."""
    return lambda p: (
        p
        | {
            "rules": {f"r{i + 1}": make_rule(i) for i in range(n)},
            "undo": [],
            "redo": [],
            "rates": {},
            "version": 0,
        }
    )


def pattern(text: str) -> Callable[[Any], Any]:
    """A project of one rule with a pattern."""
    return with_rules(lambda _: {"kind": "regex", "class": "neg", "pattern": text})


def steps(n: int, changes: int) -> list[Any]:
    """A history that does the same again and again."""
    change = ["rules", "r1", None, RULE]
    return [{"what": "loop", "changes": [change] * changes}] * n


BENT: dict[str, Callable[[Any], Any]] = {
    "another format": lambda p: p | {"format": "corral workbench 2"},
    "a rule of code": with_rules(lambda _: RULE | {"__class__": "os.system"}),
    "a rule with a path": with_rules(lambda _: RULE | {"path": "/etc/passwd"}),
    "a name that is code": with_rules(
        lambda _: RULE | {"name": '"""\nimport os; os.system("touch pwned")\n"""'}
    ),
    "a word that ends a Python text": with_rules(
        lambda _: RULE | {"words": ["'], 1); import os; os.system('touch pwned')#"]}
    ),
    "a column that is SQL": with_rules(
        lambda _: {
            "kind": "threshold",
            "class": "neg",
            "column": '"); DROP TABLE corral_rows; --',
            "above": 1,
        }
    ),
    "a pattern without end": pattern("(a+)+$"),
    "a pattern of nested repetition": pattern("((a{1,100}){1,100}){1,100}"),
    "a pattern that needs gigabytes": pattern("(" * 1000 + "a" + "){1000}" * 1000),
    "a pattern with look-behind": pattern("(?<=a)b"),
    "a pattern with a back reference": pattern(r"(a)\1"),
    "a pattern of a megabyte": pattern("a|" * 500_000 + "b"),
    "a pattern of brackets": pattern("(" * 50_000 + ")" * 50_000),
    "a pattern of open brackets": pattern("(" * 50_000),
    "a pattern of open classes": pattern("[a" * 20_000),
    "a pattern of repeats": pattern("a" + "*?" * 20_000),
    "a pattern with NUL": pattern("a\x00b"),
    "100,000 words": with_rules(
        lambda _: RULE | {"words": [f"w{j}" for j in range(100_000)]}
    ),
    "a word of a megabyte": with_rules(lambda _: RULE | {"words": ["x" * 2**20]}),
    "1,000 rules": with_rules(lambda i: RULE | {"name": f"n{i}"}, 1000),
    "100,000 rules": with_rules(lambda i: RULE | {"name": f"n{i}"}, 100_000),
    "100 MB of words": with_rules(
        lambda i: RULE | {"name": f"n{i}", "words": ["x" * 1_000_000]}, 100
    ),
    "100,000 classes": lambda p: (
        p | {"settings": {"classes": ["neg", "pos", *map(str, range(100_000))]}}
    ),
    "a class twice": lambda p: p | {"settings": {"classes": ["neg", "pos", "pos"]}},
    "one class": lambda p: p | {"settings": {"classes": ["pos"]}},
    "no class": lambda p: p | {"settings": {}},
    "classes of markup": lambda p: json.loads(
        json.dumps(p).replace('"neg"', json.dumps("<script>\x1b[2J[red]"))
    ),
    "a history without end": lambda p: p | {"undo": steps(1000, 100)},
    "a history of unknown rules": lambda p: (
        p | {"undo": [{"what": "x", "changes": [["rules", "r999", RULE, None]]}]}
    ),
    "a history of unknown classes": lambda p: (
        p | {"undo": [{"what": "x", "changes": [["settings", "classes", ["a"], None]]}]}
    ),
    "a history that removes the classes": lambda p: (
        p
        | {
            "undo": [
                {"what": "x", "changes": [["settings", "classes", [], ["a", "b"]]]}
            ]
        }
    ),
    "a change of five parts": lambda p: (
        p | {"undo": [{"what": "x", "changes": [["rules", "r1", None, None, 1]]}]}
    ),
    "a change of an unknown section": lambda p: (
        p | {"undo": [{"what": "x", "changes": [["__class__", "r1", None, None]]}]}
    ),
    "a change of a nested section": lambda p: (
        p | {"redo": [{"what": "x", "changes": [[["rules"], "r1", None, None]]}]}
    ),
    "a change whose key is an object": lambda p: (
        p | {"redo": [{"what": "x", "changes": [["rules", {"a": 1}, None, None]]}]}
    ),
    "ids that are no numbers": lambda p: p | {"rules": {"r²": RULE}},
    "ids without end": lambda p: p | {"rules": {"r" + "9" * 5000: RULE}},
    "a hand label of a row that is not there": lambda p: (
        p
        | {
            "hand_labels": {
                "99999999999": {
                    "class": "neg",
                    "how": "chosen",
                    "hash": "x",
                    "rules": "x",
                }
            }
        }
    ),
    "a hand label without end": lambda p: (
        p
        | {
            "hand_labels": {
                "9" * 5000: {"class": "neg", "how": "chosen", "hash": "x", "rules": "x"}
            }
        }
    ),
    "a rate of a rule that is not there": lambda p: (
        p | {"rates": {"r77": {"rate": 0.1}}}
    ),
    "rates that cannot be": lambda p: (
        p | {"rates": {"r1": {"rate": 0.0}, "r2": {"rate": 1.0}}}
    ),
    "shares that cannot be": lambda p: (
        p | {"balance": {"neg": {"at_least": 0.9}, "pos": {"at_least": 0.9}}}
    ),
    "data elsewhere": lambda p: p | {"data": p["data"] | {"name": "../../etc/passwd"}},
    "data of another text": lambda p: p | {"data": p["data"] | {"text": "stars"}},
    "a version without end": lambda p: p | {"version": 10**4000},
}


def place_of(build: Callable[[Path], None]) -> Callable[[Path], Path]:
    """A `Case.make` of data with something that is no file where the project should be."""

    def make(folder: Path) -> Path:
        (folder / "data.csv").write_text(DATA)
        build(folder / "data.corral.json")
        return folder

    return make


def link_to(target: str) -> Callable[[Path], None]:
    """A link in place of the project."""
    return lambda path: path.symlink_to(target)


ODD_FILES: dict[str, Callable[[Path], None]] = {
    "a pipe that nobody writes to": os.mkfifo,
    "a link to /dev/zero": link_to("/dev/zero"),
    "a link to /dev/stdin": link_to("/dev/stdin"),
    "a link to a file elsewhere": link_to("../canary.txt"),
    "a link to a file that is not there yet": link_to("../made.txt"),
    "a link to itself": link_to("data.corral.json"),
    "a link to /etc/passwd": link_to("/etc/passwd"),
    "a folder": Path.mkdir,
}


def act_on(folder: Path) -> None:
    """Open and change a project; what is refused is of the same kind afterwards."""
    before = kind_of(folder / "data.corral.json")
    try:
        with closing(
            Workbench.open(folder / "data.csv", text="text", classes=CLASSES)
        ) as bench:
            bench.act({"what": "add_rule", "rule": RULE}, bench.state()["version"])
    except CorralError:
        assert kind_of(folder / "data.corral.json") == before, "refused, and changed"
        raise


def kind_of(path: Path) -> tuple[int, str] | None:
    """What something is, and where it leads: a pipe or a device cannot be read."""
    if not os.path.lexists(path):
        return None
    return path.lstat().st_mode, str(path.readlink()) if path.is_symlink() else ""


def odd_data(build: Callable[[Path], None]) -> Callable[[Path], Path]:
    """A `Case.make` of data that are no file."""

    def make(folder: Path) -> Path:
        build(folder / "data.csv")
        return folder

    return make


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    yield Case("none: a good project", with_project(lambda p: p), work_on, "harmless")
    for name, text in TEXTS.items():
        made = with_project(lambda _, text=text: text)
        yield Case(f"text: {name}", made, work_on, "refused")
    for name, change in BENT.items():
        yield Case(name, with_project(change), work_on)
    for name, build in ODD_FILES.items():
        yield Case(f"project is {name}", place_of(build), act_on)
        if name != "a folder":
            yield Case(f"data are {name}", odd_data(build), act_on)
    for at, path in enumerate(places(GOOD)[1:]):
        for name in [*VALUES][at % STRIDE :: STRIDE]:
            new = VALUES[name]
            made = with_project(lambda p, path=path, new=new: put(p, path, new))
            yield Case(f"{name} as {'.'.join(map(str, path))}", made, work_on)
    bad = with_project(lambda _: TEXTS["colour for a terminal"])
    yield Case("by the command", bad, serve, "refused")


def serve(folder: Path) -> None:
    """The command refuses in one line, before it listens; the project stays."""
    before = (folder / "data.corral.json").read_bytes()
    asked = ("serve", "data.csv", "--text", "text", "--no-browser", "--port", "0")
    try:
        call(folder, *asked)
    finally:
        assert (folder / "data.corral.json").read_bytes() == before


SURFACE = Surface(
    "projects of the workbench",
    "A project is refused and stays as it is, or opens, and can be worked on and exported",
    list_cases,
)
