"""People at the workbench: they type, keep, undo, label, look and export."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.workbench_load import Answer, Client, Request

CLASSES = ("neg", "pos")
TYPED = ("great", "a waste", "well acted", "boring", "moving", "dull", "the film")
PATTERNS = (r"(?i)\bgreat\b", "a (waste|delight)", "(awful|dull)")
LISTS = ("all", "covered", "uncovered", "conflicting", "uncertain", "labelled", "wrong")
EXPORTS = ("labels?format=csv", "votes?format=parquet", "functions", "report")
MOST_RULES = 25
"""Above it, people remove rules and write no more."""
REFUSALS = (
    "there is nothing to undo",
    "there is nothing to redo",
    "must be the id of a rule",
    "as long as no rule votes",
    "no rule votes yet",
    "there are no rules yet",
    "cannot be used by RE2",
)
"""What may be refused: others were faster, or half a pattern was typed."""
ALLOWED: dict[str, set[int]] = {
    **{kind: {200} for kind in ("state", "rows", "row")},
    **{kind: {200, 422} for kind in ("ask", "export")},
    "preview": {200, 204, 422},
    "act": {200, 409, 422},
}
"""Answers to every kind of request: 204, a later keystroke came; 409, another edit did."""

Deed = Generator[Request, Answer, Any]


@dataclass
class Journal:
    """What all people know together.

    Attributes
    ----------
    acts : list of (int, dict)
        Every act that the server said was done, and the version after it.
    refused : Counter
        How often which message of a refusal came.
    """

    acts: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def unknown_refusals(self) -> list[str]:
        """Messages that nobody should have got."""
        return [m for m in self.refused if not any(known in m for known in REFUSALS)]


@dataclass
class Person:
    """Somebody with a tab of their own.

    Parameters
    ----------
    number : int
    journal : Journal
    """

    number: int
    journal: Journal
    version: int = 0
    turn: int = 0
    rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.rng = Random(self.number)

    def live(self) -> Client:
        """One deed after the other, for ever."""
        deeds = {self.write_rule: 4, self.look: 6, self.label: 4}
        deeds |= {self.change_mind: 1, self.adjust: 1, self.export: 1}
        yield from self._read("state", "/state")
        while True:
            (deed,) = self.rng.choices(list(deeds), list(deeds.values()))
            yield from deed()

    def write_rule(self) -> Deed:
        """Type a rule, see what it would do, and keep it or not; too many: remove one."""
        if len(self.rules) > MOST_RULES:
            yield from self._act(what="remove_rule", rule=self.rng.choice(self.rules))
            return
        kind, key = self.rng.choice((("words", "words"), ("regex", "pattern")))
        text = self.rng.choice(TYPED if kind == "words" else PATTERNS)
        made: dict[str, Any] = {"kind": kind, "class": self.rng.choice(CLASSES)}
        for end in range(max(1, len(text) - 3), len(text) + 1):
            self.turn += 1
            typed = {"tab": f"person {self.number}", "turn": self.turn}
            draft = made | {key: text[:end]}
            answer = yield Request(
                "preview", "POST", "/preview", {"rule": draft, **typed}
            )
            self._note_refusal(answer)
        if self.rng.random() < 0.5:
            yield from self._act(what="add_rule", rule=made | {key: text})

    def look(self) -> Deed:
        """A list of rows, and one of them."""
        what, offset = self.rng.choice(LISTS), self.rng.randrange(200)
        found = yield from self._read("rows", f"/rows?what={what}&offset={offset}")
        if found is not None and found["rows"]:
            row = self.rng.choice(found["rows"])["row"]
            yield from self._read("row", f"/row/{row}")

    def label(self) -> Deed:
        """Be asked for a row, and label it; every fifth time, none."""
        how = self.rng.choice(("suggested", "random"))
        found = yield from self._read("ask", f"/ask?how={how}")
        if found is not None and self.rng.random() < 0.8:
            name = self.rng.choice(CLASSES)
            yield from self._act(
                what="label_row", row=found["row"], **{"class": name, "how": how}
            )

    def change_mind(self) -> Deed:
        """Undo the last act, whoever did it; sometimes do it again."""
        yield from self._act(what="undo")
        if self.rng.random() < 0.5:
            yield from self._act(what="redo")

    def adjust(self) -> Deed:
        """Say how wrong a rule is, or how frequent a class."""
        if self.rules and self.rng.random() < 0.7:
            rule, most = self.rng.choice(self.rules), self.rng.uniform(0.05, 0.45)
            yield from self._act(what="set_rate", rule=rule, at_most=most)
        else:
            share = {"class": "pos", "at_least": self.rng.uniform(0.1, 0.5)}
            yield from self._act(what="set_balance", **share)

    def export(self) -> Deed:
        """Take something home."""
        what = self.rng.choice(EXPORTS)
        yield from self._read("export", f"/export/{what}")

    def _read(self, kind: str, path: str) -> Deed:
        """GET something; None where it was refused or is no JSON."""
        answer = yield Request(kind, "GET", path)
        self._note_refusal(answer)
        if answer.status != 200 or kind == "export":
            return None
        found = json.loads(answer.content)
        if kind == "state":
            self._take(found)
        return found

    def _act(self, **action: Any) -> Deed:
        """Change something; where somebody else did meanwhile, try on what they left."""
        for _ in range(5):
            body = {"action": action, "version": self.version}
            answer = yield Request("act", "POST", "/act", body)
            if answer.status == 409:
                self._take(json.loads(answer.content)["state"])
                continue
            if answer.status == 200:
                self._take(json.loads(answer.content))
                self.journal.acts.append((self.version, action))
            self._note_refusal(answer)
            return

    def _take(self, state: dict[str, Any]) -> None:
        self.version = state["version"]
        self.rules = tuple(rule["id"] for rule in state["rules"])

    def _note_refusal(self, answer: Answer) -> None:
        if answer.status not in (200, 204):
            self.journal.refused[answer.content.decode()[:200]] += 1
