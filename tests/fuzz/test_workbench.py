"""The workbench: any acts, any rules."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from tests.fuzz.damage import json_values
from tests.fuzz.properties import holds, mostly, must_work, texts

from corral.errors import CorralError
from corral.workbench import Workbench

ROWS = (
    "text,stars,place\n"
    '"A great film, really great",9,x\n"great cast, bad plot",4,y\nbad. just bad,1,x\n'
    "awful and boring,2,y\nboring,,x\n,6,y\n日本 film,5,x\n=1+1 <b>great</b>,7,y\n"
)
CLASSES = ("neg", "pos")

# -- acts ---------------------------------------------------------------------------


def entry(optional: dict[str, Any] | None = None, **fields: Any) -> Any:
    """An object of these fields, each a strategy or a value."""
    given = {
        name.rstrip("_"): v if isinstance(v, st.SearchStrategy) else st.just(v)
        for name, v in fields.items()
    }
    return st.fixed_dictionaries(given, optional=optional or {})


classes = mostly(st.sampled_from(CLASSES), texts)
good_words = st.sampled_from(["great", "bad", "boring", "film", "日本"])
shares = mostly(st.one_of(st.floats(0, 1), st.sampled_from([0, 1, None])), json_values)
ids = mostly(st.integers(1, 4).map("r{}".format), json_values)
columns = st.sampled_from(["stars", "stars", "place", "", "none"])
patterns = st.one_of(st.sampled_from(["gr.+t", "(?i)BAD", "("]), texts)
rules = mostly(
    st.one_of(
        entry(kind="words", class_=classes, words=st.lists(good_words, max_size=2)),
        entry(kind="words", class_=classes, words=st.one_of(texts, st.lists(texts))),
        entry(kind="regex", class_=classes, pattern=patterns),
        entry(kind="column", column=columns, values=st.dictionaries(texts, classes)),
        entry(kind="column", column=st.just("place"), values=st.just({"x": "neg"})),
    ),
    json_values,
)
balance = {"at_least": shares, "at_most": shares}
rows = mostly(st.integers(0, 8), json_values)
how = {"how": st.one_of(st.sampled_from(["random", "chosen"]), json_values)}
actions = mostly(
    st.one_of(
        *[entry(what="add_rule", rule=rules)] * 2,
        entry(what="edit_rule", rule=ids, to=rules),
        entry(what="remove_rule", rule=ids),
        entry({"rate": shares, "at_most": shares}, what="set_rate", rule=ids),
        entry(balance, what="set_balance", class_=classes),
        entry(how, what="label_row", row=rows, class_=classes),
        entry(what="set_classes", classes=st.lists(classes, min_size=1, max_size=4)),
        st.sampled_from([{"what": "undo"}, {"what": "redo"}]),
    ),
    json_values,
)


@contextmanager
def opened(folder: Path) -> Iterator[Workbench]:
    bench = Workbench.open(folder / "rows.csv", text="text")
    try:
        yield bench
    finally:
        bench.close()


@contextmanager
def new_project() -> Iterator[Path]:
    """A folder with rows and a project, which has classes and no rules."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rows.csv").write_text(ROWS)
        Workbench.open(folder / "rows.csv", text="text", classes=CLASSES).close()
        yield folder


def kept(bench: Workbench) -> dict[str, Any]:
    """What a workbench holds: all it shows but what the last act changed."""
    state = bench.state()
    del state["totals"]["changed"]
    found = {"state": state, "rows": bench.rows({"what": "all"})["rows"]}
    json.dumps(found, allow_nan=False)
    return found


def entries(folder: Path) -> Any:
    """The sections of a project, as its file has them."""
    found = json.loads((folder / "rows.corral.json").read_text())
    sections = ("settings", "rules", "rates", "balance", "hand_labels")
    return {name: found[name] for name in sections}


def act(bench: Workbench, action: Any) -> bool:
    """Act on the present state; whether it was done. A refusal changes nothing."""
    before = bench.state()
    try:
        after = bench.act(action, before["version"])
    except CorralError:
        assert bench.state() == before
        return False
    assert after["version"] == before["version"] + 1
    return True


@holds(st.lists(actions, min_size=1, max_size=6), share=0.5)
def test_acts_are_done_or_refused_undone_and_kept_on_disk(case: list[Any]) -> None:
    # Only acts may be refused, which `act` notes: the project is a good one.
    with new_project() as folder, must_work():
        with opened(folder) as bench:
            first = entries(folder)
            steps = 0
            for action in case:
                undoes = isinstance(action, dict) and action.get("what") == "undo"
                steps += act(bench, action) * (-1 if undoes else 1)
            last, shown = entries(folder), kept(bench)
            if bench.state()["totals"]["covered"]:
                path = bench.export("labels", folder / "labels.csv")
                with path.open(newline="") as file:
                    assert len(list(csv.reader(file))) == len(ROWS.splitlines())
        with opened(folder) as bench:
            assert kept(bench) == shown
            for _ in range(steps):
                assert act(bench, {"what": "undo"})
            assert entries(folder) == first
            for _ in range(steps):
                assert act(bench, {"what": "redo"})
            assert entries(folder) == last


@holds(st.tuples(rules, rules, mostly(st.none(), ids)), share=0.5)
def test_a_preview_says_what_adding_the_rule_then_does(case: Any) -> None:
    first, rule, replaces = case
    with new_project() as folder, opened(folder) as bench:
        act(bench, {"what": "add_rule", "rule": first})
        before = kept(bench)
        try:
            found = bench.preview(rule, replaces=replaces)
        finally:
            assert kept(bench) == before
        json.dumps(found, allow_nan=False)
        if replaces is None:
            with must_work():
                version = bench.state()["version"]
                state = bench.act({"what": "add_rule", "rule": rule}, version)
            assert state["rules"][-1]["covered"] == found["covered"]
