"""promptfoo: results of ``promptfoo eval -o``; each assertion of a test judges."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from corral.exchange.evaluations import Judgement, get
from corral.exchange.records import Places, Record

PROVIDER_FAILED = 2
"""The ``failureReason`` of a row without an answer of the system."""
MAX_CHARACTERS = 40
"""How much of what an assertion asks for is in its name."""


def _rows(record: Record) -> list[Record]:
    """Rows of a summary of any version; a line of JSON lines is a row itself."""
    found = record.get("results", [record])
    found = found.get("results", []) if isinstance(found, dict) else found
    return [row for row in found if isinstance(row, dict)]


def knows(record: Record) -> bool:
    """Whether a record is one of promptfoo."""
    first = _rows(record)[0]
    return "success" in first and ("vars" in first or "testIdx" in first)


def read(records: Places) -> Iterator[Judgement]:
    """What assertions say."""
    rows = [row for _, record in records for row in _rows(record)]
    rows = [row for row in rows if row.get("failureReason") != PROVIDER_FAILED]
    prompts = {_name(row.get("prompt")) for row in rows}
    for row in rows:
        system, prompt = _name(row.get("provider")), _name(row.get("prompt"))
        made = Judgement(
            row["testIdx"] if "testIdx" in row else json.dumps(row["vars"]),
            "assertions",
            row["success"],
            score=row.get("score"),
            system=f"{system}, {prompt}" if len(prompts) > 1 else system,
            trial=(row.get("metadata") or {}).get("repeatIndex"),
            input=(row.get("prompt") or {}).get("raw"),
            output=(row.get("response") or {}).get("output"),
        )
        graded = row.get("gradingResult") or {}
        # Sets of assertions have none of their own; their members are repeated.
        found = graded.get("componentResults") or []
        parts = [part for part in found if part and part.get("assertion")]
        seen: Counter[str] = Counter()
        for part in parts:
            asked = part["assertion"]
            judge = asked.get("metric") or asked["type"]
            if not asked.get("metric") and isinstance(asked.get("value"), str):
                judge = f"{judge}: {asked['value'][:MAX_CHARACTERS]}"
            seen[judge] += 1
            failed = (part.get("metadata") or {}).get("graderError")
            yield made._replace(
                judge=f"{judge} ({seen[judge]})" if seen[judge] > 1 else judge,
                value=None if failed else part["pass"],
                score=part.get("score"),
                reason=part.get("reason"),
                human=asked["type"] == "human",
            )
        if not parts:
            yield made._replace(reason=graded.get("reason"))


def _name(value: Any) -> Any:
    """What a provider or a prompt is called; older files have a text."""
    return get(value, "label", "id", "raw") if isinstance(value, dict) else value
