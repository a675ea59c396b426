"""MLflow: traces as JSON, one or many; each assessment of a model or of code judges.

Feedback of people is their answer, and an expectation is a column of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from corral.exchange.evaluations import Judgement, get
from corral.exchange.records import Places, Record

MODEL_ID = "mlflow.modelId"
NAMES = ("assessment_name", "name")


def _infos(record: Record) -> list[Record]:
    """What every trace says of itself, with its assessments."""
    return [trace.get("info") or trace for trace in record.get("traces") or [record]]


def knows(record: Record) -> bool:
    """Whether a record is one of MLflow."""
    return isinstance(_infos(record)[0]["assessments"], list)


def read(records: Places) -> Iterator[Judgement]:
    """What assessments say."""
    infos = [info for _, record in records for info in _infos(record)]
    given = [
        (info, [a for a in info["assessments"] or () if a.get("valid") is not False])
        for info in infos
    ]
    sources: dict[str, set[str]] = defaultdict(set)
    for each in (each for _, some in given for each in some):
        if each["source"]["source_type"] != "HUMAN":
            sources[get(each, *NAMES)].add(str(each["source"].get("source_id")))
    for info, some in given:
        expected = {
            f"expected: {get(each, *NAMES)}": each["expectation"].get("value")
            for each in some
            if each.get("expectation")
        }
        for each in some:
            if each.get("expectation"):
                continue
            source, name = each["source"], get(each, *NAMES)
            human = source["source_type"] == "HUMAN"
            several = len(sources[name]) > 1 and not human
            feedback = each.get("feedback") or each
            yield Judgement(
                get(info, "trace_id", "request_id"),
                f"{name} ({source.get('source_id')})" if several else name,
                None if each.get("error") else feedback.get("value"),
                reason=each.get("rationale"),
                system=(info.get("trace_metadata") or {}).get(MODEL_ID),
                input=get(info, "request_preview", "request"),
                output=get(info, "response_preview", "response"),
                others=expected,
                human=human,
            )
