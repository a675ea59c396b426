"""What a person has made: rules, classes, rates, hand labels, and the way there.

A project is never changed in place. An act is a list of changes, and a change keeps an
entry as it was and as it is now. So undo and redo read the same list in two directions.
The file holds both: readable JSON, written whole or not at all, by one process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corral.checks import check_choice, check_share
from corral.errors import ParameterError, StorageError
from corral.storage import atomic_write
from corral.workbench.rules import Rule, require

if TYPE_CHECKING:
    from corral.workbench.labels import FunctionRules
    from corral.workbench.rows import RowStore

try:
    import fcntl
except ImportError:  # Windows: what another process wrote is noticed before writing
    fcntl = None  # type: ignore[assignment]

FORMAT = "corral workbench 1"
SECTIONS = ("settings", "rules", "rates", "balance", "hand_labels")
"""What a project holds: in each section entries by key."""
MAX_STEPS = 200
"""Acts that can be undone."""
ACTIONS = (
    *("add_rule", "edit_rule", "remove_rule", "set_rate", "set_balance"),
    *("set_classes", "label_row"),
)
"""All acts but undo and redo, which `Project` does itself: methods of `Actions`."""
ORIGINS = ("suggested", "random", "chosen")
"""How a row came to be labelled by hand."""


@dataclass(frozen=True)
class Change:
    """One entry of a section, before and after; None: it is not there."""

    section: str
    key: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Step:
    """An act: what it was, in words, and what it changed."""

    what: str
    changes: tuple[Change, ...]

    def reversed(self) -> Step:
        """The way back."""
        back = (
            Change(c.section, c.key, c.after, c.before) for c in reversed(self.changes)
        )
        return Step(self.what, tuple(back))


@dataclass(frozen=True)
class Project:
    """All that is saved.

    Attributes
    ----------
    entries : mapping
        By section, by key.
    version : int
        One more after every act, be it an undo.
    undo_steps, redo_steps : tuples of Step
        What can be undone and redone, the latest last.
    """

    entries: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: {name: {} for name in SECTIONS}
    )
    version: int = 0
    undo_steps: tuple[Step, ...] = ()
    redo_steps: tuple[Step, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in their order."""
        return tuple(self.entries["settings"].get("classes", ()))

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """Rules written on the page, by id, in the order in which they were made."""
        found = self.entries["rules"]
        order = sorted(found, key=lambda name: int(name[1:]))
        return {name: Rule.from_dict(found[name]) for name in order}

    @cached_property
    def rules_hash(self) -> str:
        """What tells these rules from others, to know what a row was labelled with."""
        written = json.dumps(self.entries["rules"], sort_keys=True)
        return blake2b(written.encode(), digest_size=4).hexdigest()

    def new_rule_id(self) -> str:
        """An id that no rule has or had in all steps that are kept."""
        steps = (*self.undo_steps, *self.redo_steps)
        changes = [change for step in steps for change in step.changes]
        seen = [change.key for change in changes if change.section == "rules"]
        used = (int(name[1:]) for name in (*self.entries["rules"], *seen))
        return f"r{max(used, default=0) + 1}"

    def take(self, step: Step) -> Project:
        """The project after an act."""
        kept = (*self.undo_steps, step)[-MAX_STEPS:]
        return replace(self._apply(step), undo_steps=kept, redo_steps=())

    def undo(self) -> Project:
        """The project without the last act."""
        if not self.undo_steps:
            raise ParameterError("there is nothing to undo.")
        *rest, last = self.undo_steps
        redo = (*self.redo_steps, last)
        after = self._apply(last.reversed())
        return replace(after, undo_steps=tuple(rest), redo_steps=redo)

    def redo(self) -> Project:
        """The project with what was undone last."""
        if not self.redo_steps:
            raise ParameterError("there is nothing to redo.")
        *rest, last = self.redo_steps
        undo = (*self.undo_steps, last)
        return replace(self._apply(last), redo_steps=tuple(rest), undo_steps=undo)

    def _apply(self, step: Step) -> Project:
        entries = {name: dict(section) for name, section in self.entries.items()}
        for change in step.changes:
            if change.after is None:
                entries[change.section].pop(change.key, None)
            else:
                entries[change.section][change.key] = change.after
        return replace(self, entries=entries, version=self.version + 1)


# -- acts ------------------------------------------------------------------------------


class Actions:
    """Acts on projects of some rows, as `Workbench.act` describes them."""

    def __init__(self, store: RowStore, functions: FunctionRules) -> None:
        self.store, self.functions = store, functions

    def make_step(self, project: Project, action: Mapping[str, Any]) -> Step:
        """The step that an action is; nothing is changed."""
        require(isinstance(action, Mapping), "action", "an object", action)
        check_choice("what", action.get("what"), ACTIONS)
        step: Step = getattr(self, action["what"])(project, action)
        return step

    def check_rule(
        self, project: Project, rule: Rule, replaces: str | None = None
    ) -> Rule:
        """A rule that can be added, with a name that no other rule has."""
        _check_class(project, rule.class_)
        if rule.kind == "threshold":
            numbers = self.store.numbers
            there = ", ".join(map(repr, numbers)) or "none in this file"
            wanted = f"a column of numbers ({there})"
            require(rule.column in numbers, "column", wanted, rule.column)
        others = {r.title for i, r in project.rules.items() if i != replaces}
        others |= set(self.functions.names)
        wanted = "a name that no other rule has"
        require(rule.name not in others, "name", wanted, rule.name)
        name, number = rule.title, 1
        while name in others:
            number += 1
            name = f"{rule.title} ({number})"
        return rule if rule.name == name else replace(rule, name=name)

    # -- rules ----------------------------------------------------------------------

    def add_rule(self, project: Project, action: Mapping[str, Any]) -> Step:
        rule = self.check_rule(project, Rule.from_dict(action.get("rule", {})))
        change = _change(project, "rules", project.new_rule_id(), rule.to_dict())
        return Step(f"add rule {rule.title}", (change,))

    def edit_rule(self, project: Project, action: Mapping[str, Any]) -> Step:
        at = check_id(project, action.get("rule"))
        rule = self.check_rule(project, Rule.from_dict(action.get("to", {})), at)
        change = _change(project, "rules", at, rule.to_dict())
        return Step(f"edit rule {rule.title}", (change,))

    def remove_rule(self, project: Project, action: Mapping[str, Any]) -> Step:
        at = check_id(project, action.get("rule"))
        changes = [_change(project, "rules", at, None)]
        if at in project.entries["rates"]:
            changes.append(_change(project, "rates", at, None))
        return Step(f"remove rule {project.rules[at].title}", tuple(changes))

    # -- wishes for the labels -------------------------------------------------------

    def set_rate(self, project: Project, action: Mapping[str, Any]) -> Step:
        titles = {i: rule.title for i, rule in project.rules.items()}
        titles |= self.functions.ids
        at = action.get("rule")
        good = isinstance(at, str) and at in titles
        require(good, "rule", "the id of a rule", at)
        asked, said = _read_limits(action, "rate", "at_most")
        require(len(asked) < 2, "rate", "given without at_most", asked)
        change = _change(project, "rates", str(at), asked or None)
        return Step(f"{titles[str(at)]}: error {said or 'as estimated'}", (change,))

    def set_balance(self, project: Project, action: Mapping[str, Any]) -> Step:
        name = _check_class(project, action.get("class"))
        asked, said = _read_limits(action, "at_least", "at_most")
        good = asked.get("at_least", 0) <= asked.get("at_most", 1)
        require(good, "at_least", "at most as large as at_most", asked)
        change = _change(project, "balance", name, asked or None)
        return Step(f"share of {name}: {said or 'any'}", (change,))

    def set_classes(self, project: Project, action: Mapping[str, Any]) -> Step:
        """Name all classes; those that something needs must be among them."""
        given: Any = action.get("classes")
        listed = isinstance(given, list | tuple)
        good = listed and all(isinstance(c, str) and c.strip() for c in given)
        require(good, "classes", "a list of names", given)
        names = [c.strip() for c in given]
        good = 2 <= len(set(names)) == len(names) <= 100
        require(good, "classes", "2 to 100 different names", names)
        require("-1" not in names, "classes", "other than -1, which abstains", names)
        used = {rule.class_: f"rule {rule.title!r}" for rule in project.rules.values()}
        used |= dict.fromkeys(self.functions.classes, "a function")
        used |= dict.fromkeys(project.entries["balance"], "the bounds of its share")
        labels = project.entries["hand_labels"].values()
        used |= {entry["class"]: "a hand label" for entry in labels}
        for name, by in used.items():
            wanted = f"such that {name!r} is among them, which {by} needs"
            require(name in names, "classes", wanted, names)
        change = _change(project, "settings", "classes", names)
        return Step(f"classes {', '.join(names)}", (change,))

    # -- labels by hand -------------------------------------------------------------

    def label_row(self, project: Project, action: Mapping[str, Any]) -> Step:
        row = check_row(action.get("row"), self.store.n_rows)
        how = action.get("how", "chosen")
        check_choice("how", how, ORIGINS)
        if action.get("class") is None:
            change = _change(project, "hand_labels", str(row), None)
            return Step(f"row {row + 1}: no hand label", (change,))
        name = _check_class(project, action["class"])
        had = project.entries["hand_labels"].get(str(row))
        entry = {
            "class": name,
            # A row that was drawn by lot stays so, however its label is corrected.
            "how": had["how"] if had else how,
            "rules": project.rules_hash,
        }
        change = _change(project, "hand_labels", str(row), entry)
        return Step(f"row {row + 1} is {name}", (change,))


def _change(project: Project, section: str, key: str, after: Any) -> Change:
    return Change(section, key, project.entries[section].get(key), after)


def _read_limits(
    action: Mapping[str, Any], *names: str
) -> tuple[dict[str, float], str]:
    """The limits that an action gives, by name, and in words."""
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


def check_id(project: Project, given: Any, parameter: str = "rule") -> str:
    """The id of a rule that was written on the page."""
    good = isinstance(given, str) and given in project.rules
    require(good, parameter, "the id of a rule that was written here", given)
    return str(given)


def check_row(row: Any, n_rows: int) -> int:
    """The number of a row."""
    good = isinstance(row, int) and not isinstance(row, bool) and 0 <= row < n_rows
    require(good, "row", f"the number of a row, 0 to {n_rows - 1}", row)
    return int(row)


# -- the file -----------------------------------------------------------------------


class ProjectFile:
    """A project on disk, locked as long as this is open."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = _lock(self.path)
        self._seen: Any = None  # the file as it was when it was last read or written

    def close(self) -> None:
        """Let other processes open it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def read(self) -> tuple[Project, dict[str, Any]] | None:
        """The project and what it says of its data; None if there is no file."""
        try:
            written = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"cannot read {self.path.name!r}: {error}") from error
        try:
            found = _decode(json.loads(written))
        except Exception as error:
            raise StorageError(
                f"{str(self.path)!r} is not a project of the workbench, or is damaged "
                f"({type(error).__name__}: {error!s:.300}). The file stays as it is: mend "
                "it, restore a copy, or move it away to begin anew."
            ) from error
        self._seen = _signature(self.path)
        return found

    def write(self, project: Project, data: Mapping[str, Any]) -> None:
        """Save; what was there before stays until all of it is on disk."""
        if _signature(self.path) != self._seen:
            raise StorageError(
                f"{self.path.name!r} was changed by another program, and would be "
                "overwritten. Open the project anew; the last act was not saved."
            )
        found: dict[str, Any] = {
            "format": FORMAT,
            "version": project.version,
            "data": dict(data),
            **project.entries,
        }
        for name, steps in ("undo", project.undo_steps), ("redo", project.redo_steps):
            found[name] = [
                {"what": step.what, "changes": [astuple(c) for c in step.changes]}
                for step in steps
            ]
        content = json.dumps(found, indent=1, ensure_ascii=False)
        try:
            with (
                atomic_write(self.path, overwrite=True) as temporary,
                open(temporary, "wb") as file,
            ):
                file.write(content.encode("utf-8", "backslashreplace"))
                file.flush()
                os.fsync(file.fileno())
        except StorageError as error:
            raise StorageError(
                f"the project was not saved, so the last act was not done: {error}"
            ) from error
        self._seen = _signature(self.path)


def _lock(path: Path) -> int | None:
    """A lock beside the file, which the system releases when the process dies."""
    if fcntl is None:
        return None
    beside = path.with_name(f".{path.name}.lock")
    try:
        lock = os.open(beside, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StorageError(
            f"a project cannot be kept in {str(path.parent)!r}: {error.strerror}. Name "
            "another place for it."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.read(lock, 32).decode(errors="replace").strip()
        os.close(lock)
        raise StorageError(
            f"the project {str(path)!r} is open in another process ({owner or 'unknown'}). "
            "Use that one, end it, or name another project."
        ) from error
    except OSError:
        return lock  # no locks on this file system
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock


def _signature(path: Path) -> Any:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _decode(found: Any) -> tuple[Project, dict[str, Any]]:
    if found["format"] != FORMAT:
        raise ValueError(f"its format is {found['format']!r:.80}, not {FORMAT!r}")
    undo, redo = (
        tuple(
            Step(step["what"], tuple(Change(*change) for change in step["changes"]))
            for step in found[name]
        )
        for name in ("undo", "redo")
    )
    entries = {name: dict(found[name]) for name in SECTIONS}
    project = Project(entries, int(found["version"]), undo, redo)
    for rule in project.rules.values():
        if rule.class_ not in project.classes:
            raise ValueError(f"{rule.class_!r:.80} is not among its classes")
    return project, {
        key: found["data"][key] for key in ("name", "rows", "text", "hash")
    }
