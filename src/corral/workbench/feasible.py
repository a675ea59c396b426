"""Whether what users ask of the labels can hold together, and what clashes if not."""

from __future__ import annotations

import warnings
from typing import Any

from corral.errors import ParameterError
from corral.labelers import ConstrainedLabeler
from corral.solvers.feasibility import feasibility
from corral.workbench.evaluation import ONE_FIT, Demands, make_signals
from corral.workbench.snapshot import Snapshot, find_demands


def find_feasibility(snapshot: Snapshot) -> dict[str, Any]:
    """Whether some labels meet all that is asked; if not, the culprits.

    Only the rules of which something is asked matter, which leaves few patterns.
    """
    demands = find_demands(snapshot.project, snapshot.search, snapshot.functions)
    found = snapshot.evaluation
    voting = set(found.columns.tolist())
    asked = {i: rate for i, rate in demands.rates.items() if i in voting}
    if found.labeler is None or not (asked or demands.balance):
        return {"ok": True, "message": "", "rules": [], "classes": []}
    columns = sorted(asked) or [int(found.columns[0])]
    names = [found.names[i] for i in columns]
    signals = make_signals(found.votes[:, columns], found.classes, names)
    at = {i: j for j, i in enumerate(columns)}
    wanted = Demands(asked, demands.balance).constraints(at)
    with ONE_FIT, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            labeler = ConstrainedLabeler(None, "entropy", constraints=wanted)
            result = feasibility(labeler.fit(signals))
        except ParameterError as error:  # such as shares that add up to more than one
            return {"ok": False, "message": str(error), "rules": [], "classes": []}
    if result.feasible:
        return {"ok": True, "message": "", "rules": [], "classes": []}
    return _name_culprits(snapshot, result, columns, asked, demands)


def _name_culprits(
    snapshot: Snapshot, result: Any, columns: list[int], asked: Any, demands: Demands
) -> dict[str, Any]:
    ids = list(snapshot.ids)
    rules, classes, said = [], [], []
    shares = {f"ClassBalance({c})": c for c in demands.balance}
    by_name = {snapshot.evaluation.names[i]: i for i in columns}
    for row, name in enumerate(result.names):
        if not result.conflict[row]:
            continue
        nearest = f"{result.nearest[row]:.1%}"
        if name in shares:
            classes.append(shares[name])
            bounds = _say(demands.balance[shares[name]])
            said.append(f"{shares[name]} {bounds} of the rows (nearest {nearest})")
        elif by_name.get(name) in asked:
            column = by_name[name]
            rules.append(ids[column])
            said.append(f"{name!r} {_say(asked[column])} wrong (nearest {nearest})")
    message = f"These cannot hold together: {'; '.join(said)}."
    return {"ok": False, "message": message, "rules": rules, "classes": classes}


def _say(asked: Any) -> str:
    words = {"rate": "exactly", "at_most": "at most", "at_least": "at least"}
    return " and ".join(f"{words[k]} {v:.4g}" for k, v in asked.items())
