"""The state of the workbench in plain values, as the page and JSON have it."""

from __future__ import annotations

from typing import Any

import numpy as np

from corral.results import as_plain
from corral.workbench.feasible import find_feasibility
from corral.workbench.hand_labels import count_wrong, measure
from corral.workbench.snapshot import Snapshot


def show_state(snapshot: Snapshot) -> dict[str, Any]:
    """What the page shows beside rows: see `Workbench.state`."""
    project, found = snapshot.project, snapshot.evaluation
    covered, conflicting = found.covered, found.conflicting
    before = snapshot.before
    changed = 0 if before is None else int((before != found.decided).sum())
    return {
        "version": project.version,
        "classes": list(project.classes),
        "rules": show_rules(snapshot),
        "totals": {
            "rows": len(covered),
            "covered": int(covered.sum()),
            "uncovered": int((~covered).sum()),
            "conflicting": int(conflicting.sum()),
            "undecided": int((covered & (found.decided < 0)).sum()),
            "changed": changed,
        },
        "shares": found.shares(found.decided),
        "majority_shares": found.shares(found.majority),
        "balance": {c: dict(v) for c, v in project.section("balance").items()},
        "feasibility": find_feasibility(snapshot),
        "hand_labels": measure(snapshot),
        "notes": list(found.notes),
        "can_undo": project.undo_steps[-1].what if project.undo_steps else None,
        "can_redo": project.redo_steps[-1].what if project.redo_steps else None,
    }


def show_rules(snapshot: Snapshot) -> list[dict[str, Any]]:
    """One entry per rule, functions first."""
    found, project = snapshot.evaluation, snapshot.project
    names = {} if snapshot.functions is None else snapshot.functions.ids
    rules, asked = snapshot.rules, project.section("rates")
    counts, wrong = found.rule_counts, count_wrong(snapshot)
    errors = _errors(snapshot)
    shown = []
    for name, at in snapshot.ids.items():
        if name in rules:
            rule = rules[name]
            own = {**rule.to_dict(), "name": rule.title, "editable": True}
        else:
            voted = np.unique(found.votes[:, at])
            speaks = [project.classes[k] for k in voted.tolist() if k >= 0]
            own = {
                "kind": "function",
                "name": names[name],
                "class": speaks[0] if len(speaks) == 1 else None,
                "classes": speaks,
                "editable": False,
            }
        shown.append(
            {
                "id": name,
                **own,
                "asked": dict(asked.get(name, {})),
                **{key: int(value[at]) for key, value in counts.items()},
                **wrong[name],
                **errors.get(at, NO_ERROR),
            }
        )
    return shown


NO_ERROR: dict[str, Any] = {"error": None, "estimated": None}


def _errors(snapshot: Snapshot) -> dict[int, dict[str, Any]]:
    """By column: the error under the labels, and the estimate with its interval."""
    found = snapshot.evaluation
    if found.labeler is None or found.rates is None:
        return {}
    now = found.labeler.implied_error_rates_
    rates = found.rates
    ends, sources = rates.intervals(0.9), rates.sources
    return {
        int(at): as_plain(
            {
                "error": now[j],
                "estimated": {
                    "rate": rates.error_rates[j],
                    "low": ends[j, 0],
                    "high": ends[j, 1],
                    "source": sources[j],
                },
            }
        )
        for j, at in enumerate(found.columns.tolist())
    }
