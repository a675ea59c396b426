"""DeepEval: test runs, such as ``.deepeval/.latest_test_run.json``; each metric judges."""

from __future__ import annotations

from collections.abc import Iterator

from corral.exchange.evaluations import Evaluation, Judgement, Places, as_text, get
from corral.exchange.records import Record

CASES = ("testCases", "test_cases", "test_results", "conversationalTestCases")
METRICS = ("metricsData", "metrics_data")


def _knows(record: Record) -> bool:
    cases = get(record.get("testRunData") or record, *CASES)
    return isinstance(cases, list) and any(key in cases[0] for key in METRICS)


def _read(records: Places) -> Iterator[Judgement]:
    for _, record in records:
        run = record.get("testRunData") or record
        cases = [case for key in CASES for case in run.get(key) or ()]
        named = len({case.get("name") for case in cases}) == len(cases)
        for number, case in enumerate(cases, 1):
            about = {
                "input": get(case, "input") or as_text(case.get("turns")),
                "output": get(case, "actualOutput", "actual_output"),
                "target": get(case, "expectedOutput", "expected_output"),
            }
            for metric in get(case, *METRICS) or ():
                failed = metric.get("error") or metric.get("score") is None
                yield Judgement(
                    case["name"] if named else number,
                    metric["name"],
                    None if failed else get(metric, "success", "score"),
                    score=metric.get("score"),
                    reason=metric.get("reason"),
                    system=(run.get("hyperparameters") or {}).get("model"),
                    about=about,
                )


TOOL = Evaluation(_knows, _read)
