"""What a person has made: rules, classes, rates and hand labels, with undo and redo.

A project never changes in place. An act is a list of changes, and a change has an entry as
it was and as it is now, so undo and redo read the same list in two directions.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from corral.checks import check_choice, check_share
from corral.errors import ParameterError, StorageError
from corral.functions import SignalFunction, keywords, lookup, regex
from corral.storage import atomic_write, reading

if TYPE_CHECKING:
    from corral.workbench.labels import FunctionRules
    from corral.workbench.rows import RowStore

FORMAT = "corral workbench 1"
SECTIONS = ("settings", "rules", "rates", "balance", "hand_labels")
"""Parts of a project, each with entries by key."""
MAX_STEPS = 200
"""Acts that can be undone."""
ACTIONS = (
    *("add_rule", "edit_rule", "remove_rule", "set_rate", "set_balance"),
    *("set_classes", "label_row", "undo", "redo"),
)
ORIGINS = ("suggested", "random", "chosen")
"""How a row was found that has a hand label."""
PARTS: dict[str, tuple[str, ...]] = {
    "words": ("words",),
    "regex": ("pattern",),
    "column": ("column", "values"),
}
"""The condition of a rule, by its kind."""
NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,18})?(e[+-]\d\d)?")
"""Numbers as DuckDB writes them."""
FIELDS = {"kind", "class", "name"}.union(*PARTS.values())


def require(good: bool, parameter: str, wanted: str, given: Any) -> None:
    """Refuse a value by the name of its field."""
    if not good:
        raise ParameterError(
            f"must be {wanted}; {given!r:.80} was given.", parameter=parameter
        )


@dataclass(frozen=True)
class Rule:
    """A rule that votes for one class, or a column of votes for any.

    Parameters
    ----------
    kind : {"words", "regex", "column"}
        The rule votes where the text has one of some whole words (or phrases), in any case;
        where a pattern of RE2 is found; or as a column says, such as the answers of a
        language model.
    class_ : str
        The class voted for; None for "column".
    words : tuple of str
        Of "words".
    pattern : str
        Of "regex"; ``(?i)`` in front ignores case.
    column : str
        Of "column".
    values : mapping of str to str
        Of "column": the class that every value means. The rule abstains on others.
    name : str, optional
        Default: the condition.

    Examples
    --------
    >>> from corral.workbench import Rule
    >>> rule = Rule("words", "pos", words=("great", "must see"))
    >>> rule.function("text").apply([{"text": "A MUST SEE."}]).to_list()
    ['pos']
    >>> Rule.from_dict(rule.to_dict()) == rule
    True
    """

    kind: Literal["words", "regex", "column"]
    class_: str | None
    words: tuple[str, ...] = ()
    pattern: str = ""
    column: str = ""
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    name: str | None = None

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, PARTS)
        if self.name is not None:
            _require_texts("name", self.name)
        if self.kind != "column":
            _require_texts("class", self.class_)
        if self.kind == "words":
            _require_texts("words", *self.words)
        elif self.kind == "regex":
            _require_texts("pattern", self.pattern)
            if problem := find_problem(self.pattern):
                raise ParameterError(
                    f"cannot be used by RE2: {problem:.300}. RE2 has no look-around and no "
                    "back references.",
                    parameter="pattern",
                )
        else:
            _require_texts("column", self.column)
            require(self.class_ is None, "class", "left out", self.class_)
            good = isinstance(self.values, Mapping)
            require(good, "values", "an object", self.values)
            _require_texts("values", *self.values, *self.values.values())

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Rule:
        """Read what `to_dict` wrote, or what a page sent."""
        good = isinstance(given, Mapping) and given.keys() <= FIELDS
        wanted = f"an object with the fields {', '.join(sorted(FIELDS))} only"
        require(good, "rule", wanted, given)
        fields: dict[str, Any] = {"kind": None, "class_": given.get("class")}
        fields |= {k: v for k, v in given.items() if v is not None and k != "class"}
        words = fields.pop("words", ())
        require(isinstance(words, list | tuple), "words", "a list of texts", words)
        return cls(**fields, words=tuple(words))

    def to_dict(self) -> dict[str, Any]:
        """The kind, the class, the condition and the name, as JSON has them."""
        made: dict[str, Any] = {"kind": self.kind, "class": self.class_}
        for key in (*PARTS[self.kind], "name"):
            value = getattr(self, key)
            if value is not None:
                made[key] = list(value) if isinstance(value, tuple) else value
        return made

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that it votes for."""
        if self.class_ is not None:
            return (self.class_,)
        return tuple(dict.fromkeys(self.values.values()))

    @property
    def title(self) -> str:
        """The name; by default the condition."""
        if self.name is not None:
            return self.name
        if self.kind == "column":
            return self.column
        title = ", ".join(self.words) if self.kind == "words" else self.pattern
        return title if len(title) <= 40 else title[:37] + "..."

    def call(
        self, text: str | None, values: Mapping[str | None, Any]
    ) -> tuple[Callable[..., SignalFunction], list[Any], dict[str, Any]]:
        """The function of corral that makes the same rule, and its arguments.

        `text` is the column with the texts; `values` are classes by the names that they
        have here.
        """
        label = values.get(self.class_, self.class_)
        if self.kind == "words":
            return keywords, [text, list(self.words), label], {"match": "word"}
        if self.kind == "regex":
            return regex, [text, self.pattern, label], {}
        table: dict[Any, Any] = {v: values.get(c, c) for v, c in self.values.items()}
        for value in self.values:  # numbers, as text and as numbers
            if value in ("true", "false") or NUMBER.fullmatch(value):
                table[json.loads(value)] = table[value]
        return lookup, [self.column, table], {}

    def function(self, text: str | None) -> SignalFunction:
        """The same rule as a function of corral; `text` is the column with the texts."""
        make, given, named = self.call(text, {})
        name = self.column if self.kind == "column" else None
        return make(*given, **named, name=self.name or name)


def _require_texts(parameter: str, *given: Any) -> None:
    good = len(given) > 0 and all(isinstance(text, str) and text for text in given)
    require(good, parameter, "text that is not empty", [*given])


@lru_cache(maxsize=4096)
def find_problem(pattern: str) -> str | None:
    """What RE2 says against a pattern."""
    import duckdb

    try:
        with duckdb.cursor() as cursor:  # `regex` opens a database, which takes 15 ms
            cursor.execute("SELECT regexp_matches('', ?)", [pattern])
    except duckdb.Error as error:
        return str(error).partition(": ")[2]
    return None


# -- the project ---------------------------------------------------------------------


class Change(NamedTuple):
    """One entry of a section, before and after an act; None where it is missing."""

    section: str
    key: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Step:
    """An act in words, and what it changed."""

    what: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Project:
    """All that is saved: entries by section and key, and what can be undone and redone.

    `version` grows by one with every act, also with undo. Of the steps, the latest is last.
    """

    entries: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: {name: {} for name in SECTIONS}
    )
    version: int = 0
    undo_steps: tuple[Step, ...] = ()
    redo_steps: tuple[Step, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(self.entries["settings"].get("classes", ()))

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """Rules written on the page by id, the oldest first."""
        found = self.entries["rules"]
        order = sorted(found, key=lambda name: int(name[1:]))
        return {name: Rule.from_dict(found[name]) for name in order}

    @cached_property
    def rules_hash(self) -> str:
        """A hash that every hand label keeps, to tell whether rules were changed later."""
        written = json.dumps(self.entries["rules"], sort_keys=True)
        return blake2b(written.encode(), digest_size=4).hexdigest()

    def take(self, what: str, *entries: tuple[str, str, Any]) -> Project:
        """The project after an act in words: section, key and value, None to remove it."""
        made = (Change(s, k, self.entries[s].get(k), value) for s, k, value in entries)
        step = Step(what, tuple(made))
        undo = (*self.undo_steps, step)[-MAX_STEPS:]
        return self._apply(step.changes, undo, ())

    def undo(self) -> Project:
        """The project without the last act."""
        if not self.undo_steps:
            raise ParameterError("there is nothing to undo.")
        *rest, last = self.undo_steps
        back = tuple(change._replace(after=change.before) for change in last.changes)
        return self._apply(back, tuple(rest), (*self.redo_steps, last))

    def redo(self) -> Project:
        """The project with what was undone last."""
        if not self.redo_steps:
            raise ParameterError("there is nothing to redo.")
        *rest, last = self.redo_steps
        return self._apply(last.changes, (*self.undo_steps, last), tuple(rest))

    def _apply(self, changes: tuple[Change, ...], *steps: tuple[Step, ...]) -> Project:
        entries = {name: dict(section) for name, section in self.entries.items()}
        for section, key, _, value in changes:
            if value is None:
                entries[section].pop(key, None)
            else:
                entries[section][key] = value
        return Project(entries, self.version + 1, *steps)


# -- acts ------------------------------------------------------------------------------


class Actions:
    """Acts on projects of some rows, as `Workbench.act` describes them."""

    def __init__(self, store: RowStore, functions: FunctionRules) -> None:
        self.store, self.functions = store, functions

    def do(self, project: Project, action: Mapping[str, Any]) -> Project:
        """The project after an action."""
        require(isinstance(action, Mapping), "action", "an object", action)
        what: Any = action.get("what")
        check_choice("what", what, ACTIONS)
        if what == "undo":
            return project.undo()
        if what == "redo":
            return project.redo()
        done: Project = getattr(self, what)(project, action)
        return done

    def check_rule(
        self, project: Project, rule: Rule, replaces: str | None = None
    ) -> Rule:
        """A rule of the project, with a name that no other rule has in any case."""
        for name in rule.classes:
            _check_class(project, name)
        others = {r.title.lower() for i, r in project.rules.items() if i != replaces}
        others |= {name.lower() for name in self.functions.names}
        wanted = "a name that no other rule has"
        free = rule.name is None or rule.name.lower() not in others
        require(free, "name", wanted, rule.name)
        name, number = rule.title, 1
        while name.lower() in others:
            number += 1
            name = f"{rule.title} ({number})"
        return rule if name == rule.title else replace(rule, name=name)

    # -- rules ----------------------------------------------------------------------

    def add_rule(self, project: Project, action: Mapping[str, Any]) -> Project:
        rule = self.check_rule(project, Rule.from_dict(action.get("rule", {})))
        new = f"r{project.version + 1}"  # which no rule had before
        return project.take(f"add rule {rule.title}", ("rules", new, rule.to_dict()))

    def edit_rule(self, project: Project, action: Mapping[str, Any]) -> Project:
        at = check_id(project.rules, action.get("rule"))
        rule = self.check_rule(project, Rule.from_dict(action.get("to", {})), at)
        return project.take(f"edit rule {rule.title}", ("rules", at, rule.to_dict()))

    def remove_rule(self, project: Project, action: Mapping[str, Any]) -> Project:
        at = check_id(project.rules, action.get("rule"))
        what = f"remove rule {project.rules[at].title}"
        return project.take(what, ("rules", at, None), ("rates", at, None))

    # -- what labels must meet ---------------------------------------------------------

    def set_rate(self, project: Project, action: Mapping[str, Any]) -> Project:
        titles = {i: rule.title for i, rule in project.rules.items()}
        titles |= self.functions.ids
        at = check_id(titles, action.get("rule"))
        asked, said = _read_limits(action, "rate", "at_most")
        require(len(asked) < 2, "rate", "given without at_most", asked)
        what = f"{titles[at]}: error {said or 'as estimated'}"
        return project.take(what, ("rates", at, asked or None))

    def set_balance(self, project: Project, action: Mapping[str, Any]) -> Project:
        name = _check_class(project, action.get("class"))
        asked, said = _read_limits(action, "at_least", "at_most")
        good = asked.get("at_least", 0) <= asked.get("at_most", 1)
        require(good, "at_least", "at most as large as at_most", asked)
        what = f"share of {name}: {said or 'any'}"
        return project.take(what, ("balance", name, asked or None))

    def set_classes(self, project: Project, action: Mapping[str, Any]) -> Project:
        given: Any = action.get("classes")
        good = isinstance(given, list) and all(isinstance(c, str) for c in given)
        require(good, "classes", "a list of names", given)
        names = [c.strip() for c in given]
        good = 2 <= len(set(names)) == len(names) <= 100 and not {"", "-1"} & set(names)
        wanted = "2 to 100 different names, not -1, which means that a rule abstains"
        require(good, "classes", wanted, names)
        rules, entries = project.rules.values(), project.entries
        used = {name for rule in rules for name in rule.classes} | {*entries["balance"]}
        used |= {entry["class"] for entry in entries["hand_labels"].values()}
        gone = ", ".join(map(repr, sorted(used - {*names})))
        wanted = f"a list with {gone}: rules, shares or hand labels need them"
        require(not gone, "classes", wanted, names)
        return project.take(
            f"classes {', '.join(names)}", ("settings", "classes", names)
        )

    # -- labels by hand -------------------------------------------------------------

    def label_row(self, project: Project, action: Mapping[str, Any]) -> Project:
        row = check_row(action.get("row"), self.store.n_rows)
        how = action.get("how", "chosen")
        check_choice("how", how, ORIGINS)
        if action.get("class") is None:
            what = f"row {row + 1} without hand label"
            return project.take(what, ("hand_labels", str(row), None))
        name = _check_class(project, action["class"])
        had = project.entries["hand_labels"].get(str(row))
        entry = {
            "class": name,
            # A row that was drawn by lot counts as such even if its label is corrected.
            "how": had["how"] if had else how,
            "rules": project.rules_hash,
        }
        return project.take(
            f"row {row + 1} is {name}", ("hand_labels", str(row), entry)
        )


def _read_limits(
    action: Mapping[str, Any], *names: str
) -> tuple[dict[str, float], str]:
    """The limits of an action by name, and in words."""
    found = {}
    for name in names:
        if action.get(name) is not None:
            check_share(name, action[name])
            found[name] = float(action[name])
    said = (f"{name.replace('_', ' ')} {value:.0%}" for name, value in found.items())
    return found, ", ".join(said)


def _check_class(project: Project, given: Any) -> str:
    there = ", ".join(map(repr, project.classes)) or "none yet; name them first"
    good = isinstance(given, str) and given in project.classes
    require(good, "class", f"one of the classes ({there})", given)
    return str(given)


def check_id(ids: Container[str], given: Any) -> str:
    """The id of a rule."""
    good = isinstance(given, str) and given in ids
    require(good, "rule", "the id of a rule", given)
    return str(given)


def check_row(row: Any, n_rows: int) -> int:
    """The number of a row."""
    good = type(row) is int and 0 <= row < n_rows
    require(good, "row", f"the number of a row, 0 to {n_rows - 1}", row)
    return int(row)


# -- the file -----------------------------------------------------------------------


class ProjectFile:
    """The project of some rows on disk; what another program writes is not replaced.

    `rows` is how `RowStore.describe` names them.
    """

    def __init__(self, path: str | os.PathLike[str], rows: Mapping[str, Any]) -> None:
        self.path, self.rows = Path(path), dict(rows)
        self._seen: Any = None  # the file as it was when it was last read or written

    def read(self) -> Project | None:
        """The project; None if there is no file."""
        if not self.path.exists():
            return None
        with reading(self.path, "a project of the workbench"):
            found = json.loads(self.path.read_bytes())
            project, rows = _decode(found), found["data"]
            there = f"{rows['rows']:,} of {rows['name']!r}, column {rows['text']!r}"
        if rows["hash"] != self.rows["hash"]:
            raise StorageError(
                f"the project {self.path.name!r} belongs to other rows: {there}. Name "
                "another project. To use its rules on these rows, export them as "
                "functions and open that file, too."
            )
        self._seen = _signature(self.path)
        return project

    def write(self, project: Project) -> None:
        """Replace the file once the whole project is on disk."""
        if _signature(self.path) != self._seen:
            raise StorageError(
                f"another program changed {self.path.name!r}, so nothing was done. Open "
                "the project anew."
            )
        found = {"format": FORMAT, "version": project.version, "data": self.rows}
        found |= project.entries
        for name, steps in ("undo", project.undo_steps), ("redo", project.redo_steps):
            found[name] = [{"what": s.what, "changes": s.changes} for s in steps]
        content = json.dumps(found, indent=1, ensure_ascii=False)
        with (
            atomic_write(self.path, overwrite=True) as temporary,
            open(temporary, "wb") as file,
        ):
            file.write(content.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        self._seen = _signature(self.path)


def _signature(path: Path) -> Any:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _decode(found: Any) -> Project:
    if found["format"] != FORMAT:
        raise ValueError(
            f"must have the format {FORMAT!r}, not {found['format']!r:.80}"
        )
    undo, redo = (
        tuple(
            Step(s["what"], tuple(Change(*c) for c in s["changes"]))
            for s in found[name]
        )
        for name in ("undo", "redo")
    )
    entries = {name: dict(found[name]) for name in SECTIONS}
    project = Project(entries, int(found["version"]), undo, redo)
    for name in (name for rule in project.rules.values() for name in rule.classes):
        _check_class(project, name)
    return project
