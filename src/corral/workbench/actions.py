"""What can be done to a project: one method per act makes the step that it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from corral.checks import check_choice, check_share
from corral.workbench.labels import FunctionRules
from corral.workbench.project import Change, Project, Step
from corral.workbench.rows import RowStore
from corral.workbench.rules import Rule, require

ACTIONS = (
    *("add_rule", "edit_rule", "remove_rule", "set_rate", "set_balance"),
    *("set_classes", "label_row"),
)
"""All acts but undo and redo, which `Project` does itself: methods of `Actions`."""
ORIGINS = ("suggested", "random", "chosen")
"""How a row came to be labelled by hand."""


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

    # -- what is asked of labels ----------------------------------------------------

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
        require("-1" not in names, "classes", "other than -1, which is no vote", names)
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
