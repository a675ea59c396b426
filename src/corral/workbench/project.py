"""What a person has made: rules, classes, rates, hand labels, and the way there.

A project is never changed in place: an act gives a list of changes, each of which says
what an entry was and what it is now. So undo and redo are the same thing read in two
directions, and the file holds both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from corral.errors import ParameterError
from corral.workbench.rules import Rule

SECTIONS = ("settings", "rules", "rates", "balance", "hand_labels")
"""What a project holds: in each section entries by key."""
MOST_RULES = 1000
"""Rules of a project; the time that labels take grows with the square of it."""
MOST_STEPS = 200
"""Acts that can be undone."""


@dataclass(frozen=True)
class Change:
    """One entry of a section, before and after; None: it is not there."""

    section: str
    key: str
    before: Any
    after: Any

    def reversed(self) -> Change:
        """The way back."""
        return Change(self.section, self.key, self.after, self.before)


@dataclass(frozen=True)
class Step:
    """An act: what it was, in words, and what it changed."""

    what: str
    changes: tuple[Change, ...]

    def reversed(self) -> Step:
        """The same, backwards."""
        return Step(self.what, tuple(c.reversed() for c in reversed(self.changes)))


@dataclass(frozen=True)
class Project:
    """All that is saved.

    Attributes
    ----------
    entries : mapping
        By section, by key.
    version : int
        One more after every act, be it an undo.
    undone, redone : tuples of Step
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

    def section(self, name: str) -> Mapping[str, Any]:
        """The entries of a section."""
        return self.entries[name]

    def take(self, step: Step) -> Project:
        """The project after an act."""
        after = self._apply(step)
        kept = (*self.undo_steps, step)[-MOST_STEPS:]
        return replace(after, undo_steps=kept, redo_steps=())

    def undo(self) -> Project:
        """The project without the last act."""
        if not self.undo_steps:
            raise ParameterError("there is nothing to undo.")
        *rest, last = self.undo_steps
        after = self._apply(last.reversed())
        return replace(
            after, undo_steps=tuple(rest), redo_steps=(*self.redo_steps, last)
        )

    def redo(self) -> Project:
        """The project with what was undone last."""
        if not self.redo_steps:
            raise ParameterError("there is nothing to redo.")
        *rest, last = self.redo_steps
        after = self._apply(last)
        return replace(
            after, redo_steps=tuple(rest), undo_steps=(*self.undo_steps, last)
        )

    def _apply(self, step: Step) -> Project:
        entries = {name: dict(section) for name, section in self.entries.items()}
        for change in step.changes:
            if change.after is None:
                entries[change.section].pop(change.key, None)
            else:
                entries[change.section][change.key] = change.after
        return replace(self, entries=entries, version=self.version + 1)


def new_rule_id(project: Project) -> str:
    """An id that no rule has or had, as far as is remembered."""
    seen: Sequence[str] = [
        *project.entries["rules"],
        *(
            change.key
            for step in (*project.undo_steps, *project.redo_steps)
            for change in step.changes
            if change.section == "rules"
        ),
    ]
    return f"r{max((int(name[1:]) for name in seen), default=0) + 1}"
