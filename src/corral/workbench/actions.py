"""What can be done to a project: one function per act, which says what would change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corral.checks import check_choice, check_share
from corral.errors import ParameterError
from corral.signals.coding import ABSTAIN
from corral.workbench.project import MOST_RULES, Change, Project, Step, new_rule_id
from corral.workbench.rules import Rule

HOW = ("suggested", "random", "chosen")
"""How a row came to be labelled by hand."""


@dataclass(frozen=True)
class Facts:
    """What acts must know of the rows.

    Attributes
    ----------
    n_rows : int
    numbers : tuple of str
        The columns of numbers.
    functions : mapping
        Rules of a Python file, name by id.
    function_classes : tuple of str
        The classes that they vote for.
    hashes : callable
        The hash of a row.
    """

    n_rows: int
    numbers: tuple[str, ...]
    functions: Mapping[str, str]
    function_classes: tuple[str, ...]
    hashes: Any


def plan(project: Project, action: Mapping[str, Any], facts: Facts) -> Step:
    """What an action would do; nothing is changed.

    Parameters
    ----------
    project : Project
    action : mapping
        ``{"what": "add_rule", "rule": {...}}`` and so on; see `Workbench.act`.
    facts : Facts
    """
    if not isinstance(action, Mapping):
        raise ParameterError(
            f"must be an object; {action!r:.80} came.", parameter="action"
        )
    check_choice("what", action.get("what"), ACTIONS)
    return ACTIONS[action["what"]](project, action, facts)


def _change(project: Project, section: str, key: str, after: Any) -> Change:
    return Change(section, key, project.section(section).get(key), after)


# -- rules -----------------------------------------------------------------------


def check_rule(
    project: Project, rule: Rule, facts: Facts, replaces: str | None = None
) -> Rule:
    """A rule that can be added, with a name that no other rule has."""
    rule = rule.checked()
    if rule.class_ not in project.classes:
        there = ", ".join(map(repr, project.classes)) or "none yet; name them first"
        raise ParameterError(
            f"must be one of the classes ({there}); {rule.class_!r} came.",
            parameter="class",
        )
    if rule.kind == "threshold" and rule.column not in facts.numbers:
        there = ", ".join(map(repr, facts.numbers)) or "none in this file"
        raise ParameterError(
            f"must be a column of numbers ({there}); {rule.column!r} came.",
            parameter="column",
        )
    others = {r.title for i, r in project.rules.items() if i != replaces}
    others |= set(facts.functions.values())
    if rule.name is not None and rule.name in others:
        raise ParameterError(
            f"{rule.name!r} is taken by another rule; choose another.", parameter="name"
        )
    name, number = rule.title, 1
    while name in others:
        number += 1
        name = f"{rule.title} ({number})"
    return rule.named(name)


def _rule_id(project: Project, action: Mapping[str, Any]) -> str:
    given = action.get("rule")
    if not isinstance(given, str) or given not in project.section("rules"):
        raise ParameterError(
            f"must be the id of a rule that was written here; {given!r:.80} came.",
            parameter="rule",
        )
    return given


def _add_rule(project: Project, action: Mapping[str, Any], facts: Facts) -> Step:
    if len(project.rules) >= MOST_RULES:
        raise ParameterError(f"there are {MOST_RULES:,} rules, and no more fit.")
    rule = check_rule(project, Rule.from_dict(action.get("rule", {})), facts)
    change = _change(project, "rules", new_rule_id(project), rule.to_dict())
    return Step(f"add rule {rule.title}", (change,))


def _edit_rule(project: Project, action: Mapping[str, Any], facts: Facts) -> Step:
    at = _rule_id(project, action)
    given = Rule.from_dict(action.get("to", {}))
    rule = check_rule(project, given, facts, replaces=at)
    change = _change(project, "rules", at, rule.to_dict())
    return Step(f"edit rule {rule.title}", (change,))


def _remove_rule(project: Project, action: Mapping[str, Any], _: Facts) -> Step:
    at = _rule_id(project, action)
    changes = [_change(project, "rules", at, None)]
    if at in project.section("rates"):
        changes.append(_change(project, "rates", at, None))
    return Step(f"remove rule {project.rules[at].title}", tuple(changes))


# -- what is asked of labels --------------------------------------------------------


def _limits(action: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for name in names:
        value = action.get(name)
        if value is not None:
            check_share(name, value)
            found[name] = float(value)
    return found


def _set_rate(project: Project, action: Mapping[str, Any], facts: Facts) -> Step:
    rules = {i: rule.title for i, rule in project.rules.items()} | dict(facts.functions)
    at = action.get("rule")
    if not isinstance(at, str) or at not in rules:
        raise ParameterError(
            f"must be the id of a rule; {at!r:.80} came.", parameter="rule"
        )
    asked = _limits(action, ("rate", "at_most"))
    if len(asked) > 1:
        raise ParameterError(
            "is an exact rate, and at_most a bound; give one of them, or neither.",
            parameter="rate",
        )
    change = _change(project, "rates", at, asked or None)
    said = ", ".join(f"{k.replace('_', ' ')} {v:.0%}" for k, v in asked.items())
    return Step(f"{rules[at]}: error {said or 'as estimated'}", (change,))


def _set_balance(project: Project, action: Mapping[str, Any], _: Facts) -> Step:
    name = _class(project, action.get("class"))
    asked = _limits(action, ("at_least", "at_most"))
    if asked.get("at_least", 0) > asked.get("at_most", 1):
        raise ParameterError(
            "must not be above at_most; "
            f"{asked['at_least']:g} and {asked['at_most']:g} came.",
            parameter="at_least",
        )
    change = _change(project, "balance", name, asked or None)
    said = ", ".join(f"{k.replace('_', ' ')} {v:.0%}" for k, v in asked.items())
    return Step(f"share of {name}: {said or 'any'}", (change,))


def _set_classes(project: Project, action: Mapping[str, Any], facts: Facts) -> Step:
    return name_classes(project, action.get("classes"), facts)


def name_classes(project: Project, given: Any, facts: Facts) -> Step:
    """Name all classes; those that something needs must be among them."""
    listed = isinstance(given, list | tuple)
    if not listed or not all(isinstance(c, str) and c.strip() for c in given):
        raise ParameterError(
            f"must be a list of names; {given!r:.80} came.", parameter="classes"
        )
    names = [c.strip() for c in given]
    if len(set(names)) < len(names) or len(names) < 2 or len(names) > 100:
        raise ParameterError(
            f"must be 2 to 100 different names; {', '.join(names)[:80]} came.",
            parameter="classes",
        )
    if str(ABSTAIN) in names:
        raise ParameterError(
            "must not be -1, which means no vote.", parameter="classes"
        )
    used = {rule.class_: f"rule {rule.title!r}" for rule in project.rules.values()}
    used |= dict.fromkeys(facts.function_classes, "a function")
    used |= dict.fromkeys(project.section("balance"), "the bounds of its share")
    used |= {
        e["class"]: "a hand label" for e in project.section("hand_labels").values()
    }
    for name, by in used.items():
        if name not in names:
            raise ParameterError(
                f"must have {name!r}, which {by} needs.", parameter="classes"
            )
    change = _change(project, "settings", "classes", names)
    return Step(f"classes {', '.join(names)}", (change,))


def _class(project: Project, given: Any) -> str:
    if not isinstance(given, str) or given not in project.classes:
        raise ParameterError(
            f"must be one of {', '.join(map(repr, project.classes)) or 'no classes yet'}; "
            f"{given!r:.80} came.",
            parameter="class",
        )
    return given


# -- labels by hand -------------------------------------------------------------------


def check_row(row: Any, n_rows: int) -> int:
    """The number of a row."""
    if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < n_rows:
        raise ParameterError(
            f"must be the number of a row, 0 to {n_rows - 1}; {row!r:.80} came.",
            parameter="row",
        )
    return row


def _label_row(project: Project, action: Mapping[str, Any], facts: Facts) -> Step:
    row = check_row(action.get("row"), facts.n_rows)
    how = action.get("how", "chosen")
    check_choice("how", how, HOW)
    had = project.section("hand_labels").get(str(row))
    if action.get("class") is None:
        return Step(
            f"row {row + 1}: no hand label",
            (_change(project, "hand_labels", str(row), None),),
        )
    name = _class(project, action["class"])
    # A row that was drawn by lot stays so, however its label is corrected.
    entry = {
        "class": name,
        "how": had["how"] if had else how,
        "hash": facts.hashes(row),
        "rules": project.rules_hash,
    }
    return Step(
        f"row {row + 1} is {name}",
        (_change(project, "hand_labels", str(row), entry),),
    )


ACTIONS = {
    "add_rule": _add_rule,
    "edit_rule": _edit_rule,
    "remove_rule": _remove_rule,
    "set_rate": _set_rate,
    "set_balance": _set_balance,
    "set_classes": _set_classes,
    "label_row": _label_row,
}
"""All acts but undo and redo, which `Project` does itself."""
