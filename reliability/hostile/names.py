"""Hostile names and texts through every command and every file that corral writes."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import corral
from reliability.hostile.cases import Case, Surface, call, check_terminal
from reliability.hostile.texts import FORMULAS, GROUPS, can_be_a_cell

RISKY = (*"=+-@\t\r\n", *"\uff1d\uff0b\uff0d\uff20")
"""How a formula begins, also by a full-width sign."""


@dataclass(frozen=True)
class Words:
    """Texts in every role.

    Attributes
    ----------
    folder : path
        Has ``votes.jsonl`` (ids, three signals, gold, text), ``long.csv``, ``pairs.csv``.
    signals, classes : list of str
    """

    folder: Path
    signals: list[str]
    classes: list[str]
    ids: str
    gold: str
    text: str


def write_tables(texts: tuple[str, ...]) -> Callable[[Path], Words]:
    """A `Case.make` of tables in which nothing has a harmless name."""

    def make(folder: Path) -> Words:
        good = [t for t in texts if can_be_a_cell(t)]
        ids, gold, text, *signals = (
            f"{t}{'~' * (i + 1)}" for i, t in enumerate(good[:6])
        )
        classes = good[6:8]
        words = Words(folder, signals, classes, ids, gold, text)
        rows = []
        for at in range(40):
            one, two = classes if at % 3 else classes[::-1]
            said = [one, two if at % 5 == 0 else one, one if at % 2 else ""]
            rows.append(
                [f"{good[at % len(good)]}{at}", *said, one, good[at % len(good)]]
            )
        _write(folder / "votes.jsonl", [ids, *signals, gold, text], rows)
        _write(folder / "plain.jsonl", [ids, *signals, gold], [row[:5] for row in rows])
        answers = [
            [row[0], signal, said]
            for row in rows
            for signal, said in zip(signals, row[1:4], strict=True)
            if said
        ]
        _write(folder / "long.csv", ["task", "worker", "label"], answers)
        items = [good[0], good[1], good[2]]
        pairs = [
            [items[i % 3], items[(i + 1) % 3], items[i % 3], signals[i % 3]]
            for i in range(30)
        ]
        _write(folder / "pairs.csv", ["left", "right", "winner", "judge"], pairs)
        return words

    return make


def _write(path: Path, head: list[str], rows: list[list[str]]) -> None:
    if path.suffix == ".jsonl":  # whatever texts hold, it is no delimiter
        lines = [{k: v or None for k, v in zip(head, row, strict=True)} for row in rows]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return
    with path.open("w", newline="", encoding="utf-8", errors="surrogatepass") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def reading(words: Words) -> list[str]:
    """The options that say what the columns of ``plain.jsonl`` are."""
    # Lists of names have commas between; patterns would stand for others.
    return ["--id", words.ids, "--gold", words.gold]


def printed(*command: str, gold: bool = True) -> Callable[[Words], None]:
    """A `Case.use` of a command that prints."""

    def use(words: Words) -> None:
        asked = reading(words) if gold else reading(words)[:2]
        said = call(words.folder, *command, *asked)
        if command[0] in SHOWING and "--json" not in command:
            check_shown(said, words.signals)

    return use


SHOWING = ("inspect", "advise", "agreement")
"""Commands that print every signal."""


def check_shown(said: str, names: list[str]) -> None:
    """Every name is there to be seen: markup that was run would be gone.

    Tables cut long names and break them at blanks, so that only the beginning of each is
    looked for. What is not visible is written out.
    """
    for name in names:
        seen = "".join(
            c if c.isprintable() else c.encode("unicode_escape").decode() for c in name
        )
        begin = seen.split()[0][:6]
        assert begin in said, f"{name[:60]!r} is not in what was printed"


def refused_by_name(words: Words) -> None:
    """A column, a class or a file that is not there, in an error."""
    for asked in (
        ("--gold", words.signals[0] + "!"),
        ("--signals", words.signals[0] + "!"),
        ("--classes", words.classes[0] + "!"),
        ("--method", words.classes[0]),
        ("--error-rate", f"{words.signals[0]}!=x"),
    ):
        try:
            call(words.folder, "label", "plain.jsonl", "-o", "o.csv", *asked)
        except corral.errors.CorralError as error:
            check_terminal(str(error))
    call(
        words.folder,
        "label",
        f"./{words.signals[0][:50].replace('/', '_')}",
        "-o",
        "o.csv",
    )


def written(*command: str) -> Callable[[Words], None]:
    """A `Case.use` of a command that writes CSV with formulas escaped."""

    def use(words: Words) -> None:
        said = call(words.folder, *command, "--id", words.ids, "--escape-formulas")
        check_shown(said, words.signals)
        check_cells(words.folder / "out.csv")

    return use


def check_cells(path: Path) -> None:
    """No cell of a CSV file is one that a spreadsheet runs."""
    csv.field_size_limit(1 << 28)
    with path.open(newline="", encoding="utf-8", errors="surrogatepass") as file:
        for row in csv.reader(file):
            for cell in row:
                risky = cell.startswith(RISKY) and not _is_number(cell)
                assert not risky, f"a formula was written: {cell[:60]!r}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def label_and_explain(words: Words) -> None:
    """A model that was saved, printed and explained."""
    made = ("label", "plain.jsonl", "-o", "out.csv", "--save-model", "m.corral")
    call(words.folder, *made, "--id", words.ids)
    first = json.loads((words.folder / "plain.jsonl").read_text().split("\n")[0])
    call(words.folder, "explain", "plain.jsonl", first[words.ids], "--id", words.ids)


def report(words: Words) -> None:
    """The command that writes a page, and what it prints."""
    command = ("report", "votes.jsonl", "-o", "out.html", "--text", words.text)
    call(words.folder, *command, *reading(words), "--title", words.text)


def suggest(words: Words) -> None:
    """Rows to label by hand, as a file to fill in."""
    command = ("advise", "plain.jsonl", "--suggest", "3", "--suggest-to", "out.csv")
    call(words.folder, *command, "--id", words.ids, "--escape-formulas")
    check_cells(words.folder / "out.csv")


def panel(words: Words) -> None:
    """Judges, printed and written."""
    command = ("panel", "plain.jsonl", "-o", "out.csv", "--escape-formulas")
    said = call(words.folder, *command, *reading(words))
    check_shown(said, words.signals)
    check_cells(words.folder / "out.csv")


def rank(words: Words) -> None:
    """Items and judges of comparisons."""
    columns = ("--a", "left", "--b", "right", "--judge", "judge", "--no-order")
    said = call(words.folder, "rank", "pairs.csv", *columns)
    check_shown(said, words.signals)
    call(words.folder, "rank", "pairs.csv", *columns, "--json")


def agreement_of_long(words: Words) -> None:
    """Workers and tasks of a long table."""
    said = call(
        *(
            words.folder,
            "agreement",
            "long.csv",
            "--task",
            "task",
            "--worker",
            "worker",
        ),
        *("--answer", "label"),
    )
    check_shown(said, words.signals)


def apply(words: Words) -> None:
    """Functions of such names on such columns."""
    lines = [
        "from corral.functions import keywords, regex",
        f"rules = [keywords({words.text!r}, ['a'], {words.classes[0]!r}, "
        f"name={words.signals[0]!r}),",
        f"regex({words.text!r}, 'x', {words.classes[1]!r}, name={words.signals[1]!r})]",
    ]
    (words.folder / "rules.py").write_text("\n".join(lines), errors="surrogatepass")
    command = ("apply", "rules.py", "votes.jsonl", "-o", "out.csv", "--escape-formulas")
    call(words.folder, *command, "--prefix", "rule_")
    check_cells(words.folder / "out.csv")


def python(words: Words) -> None:
    """What Python prints of it: texts, reprs, messages."""
    classes = words.classes
    votes = [[classes[i % 2], classes[(i // 3) % 2], classes[i % 2]] for i in range(30)]
    signals = corral.WeakSignals.from_votes(votes, names=words.signals, classes=classes)
    labeler = corral.ConstrainedLabeler().fit(signals)
    gold = [row[0] for row in votes]
    found: list[Any] = [
        *(labeler, labeler.note_, labeler.explain(0), corral.analyse(signals, labeler)),
        *(corral.agreement(signals, resamples=5), corral.redundancy(signals)),
        *(
            corral.value_of_signal(labeler, signals),
            corral.sensitivity(labeler, signals),
        ),
        *(corral.compare(signals, gold), corral.report(signals, title=words.text)),
        corral.panel(signals, gold=gold),
    ]
    for one in found:
        check_terminal(str(one))
        if type(one).__name__ != "LabelReport":
            check_terminal(repr(one))


def annotations(words: Words) -> None:
    """Suggestions for an annotation tool are JSON that reads back as it was."""
    shares = [[0.1, 0.9], [0.8, 0.2]]
    texts = [words.text, words.ids]
    for tool in ("label-studio", "argilla", "doccano", "prodigy"):
        path = words.folder / f"{tool}.jsonl"
        corral.write_annotations(
            path, texts, shares, classes=words.classes, format=tool, overwrite=True
        )
        raw = path.read_bytes()
        assert not any(c < 32 and c != 10 for c in raw), "a control character"
        records = read_records(raw.decode())
        assert len(records) == len(texts), f"{tool}: {len(records)} records"
        for record, text, row in zip(records, texts, shares, strict=True):
            found = [*strings_in(record)]
            assert text in found, f"{tool}: the text is another"
            likely = words.classes[row.index(max(row))]
            assert likely in found, f"{tool}: the class is another"


def read_records(text: str) -> list[Any]:
    """What a file of an annotation tool holds: a list, or an object in every line."""
    try:
        found = json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line]
    return found if isinstance(found, list) else [found]


def strings_in(value: Any) -> Iterator[str]:
    """All texts in JSON, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings_in(one)


def workbench(words: Words) -> None:
    """Exports of the workbench: functions run again, CSV is escaped."""
    from corral.functions import load_functions
    from corral.workbench import Workbench

    with closing(
        Workbench.open(
            words.folder / "votes.jsonl", text=words.text, classes=words.classes
        )
    ) as bench:
        classes = bench.state()["classes"]  # blanks around them are gone
        for at, name in enumerate(words.signals):
            rule = {
                "kind": "words",
                "words": [name, "a", "x"],
                "class": classes[at % 2],
            }
            bench.act({"what": "add_rule", "rule": rule | {"name": name}}, at)
        json.dumps(bench.state(), allow_nan=False)
        for what in ("votes", "labels"):
            path = words.folder / "out.csv"
            bench.export(what, path, escape_formulas=True)
            check_cells(path)
        bench.export("functions", words.folder / "rules.py")
    assert len(load_functions(words.folder / "rules.py")) == len(words.signals)


OUTPUTS: dict[str, Callable[[Words], None]] = {
    "inspect": printed("inspect", "plain.jsonl", gold=False),
    "label": written("label", "plain.jsonl", "-o", "out.csv"),
    "label, JSON": printed(
        "label", "plain.jsonl", "-o", "o.jsonl", "--json", gold=False
    ),
    "label, saved and explained": label_and_explain,
    "compare": printed(
        "compare", "plain.jsonl", "--methods", "majority-vote,constrained"
    ),
    "advise": printed("advise", "plain.jsonl", gold=False),
    "advise, a file to fill in": suggest,
    "agreement": printed("agreement", "plain.jsonl", "--resamples", "5", gold=False),
    "agreement, long": agreement_of_long,
    "panel": panel,
    "rank": rank,
    "report": report,
    "apply": apply,
    "errors": refused_by_name,
    "Python": python,
    "annotations": annotations,
    "workbench": workbench,
}


def list_cases() -> Iterator[Case]:
    """All that is tried here."""
    for group, texts in GROUPS.items():
        for output, use in OUTPUTS.items():
            if texts is FORMULAS and output == "errors":
                continue  # options begin with dashes, too
            yield Case(f"texts {group}: {output}", write_tables(texts), use)


SURFACE = Surface(
    "names and texts",
    "Names and texts reach a terminal visibly, a CSV file without formulas if that is "
    "asked for, and JSON and Python as they are",
    list_cases,
)
