"""DeepEval: test runs, such as ``.deepeval/.latest_test_run.json``; each metric judges."""

from __future__ import annotations

from collections.abc import Iterator

from corral.exchange.evaluations import Judgement, get
from corral.exchange.records import Places, Record

CASES = ("testCases", "test_cases", "test_results", "conversationalTestCases")
METRICS = ("metricsData", "metrics_data")


def knows(record: Record) -> bool:
    """Whether a record is one of DeepEval."""
    case = get(record.get("testRunData") or record, *CASES)[0]
    return any(key in case for key in METRICS)


def read(records: Places) -> Iterator[Judgement]:
    """What metrics say."""
    for _, record in records:
        run = record.get("testRunData") or record
        cases = [case for key in CASES for case in run.get(key) or ()]
        names = {case.get("name") for case in cases} - {None}
        named = len(names) == len(cases)
        for number, case in enumerate(cases, 1):
            for metric in get(case, *METRICS) or ():
                failed = metric.get("error") or metric.get("score") is None
                yield Judgement(
                    case["name"] if named else number,
                    metric["name"],
                    None if failed else get(metric, "success", "score"),
                    score=metric.get("score"),
                    reason=metric.get("reason"),
                    system=(run.get("hyperparameters") or {}).get("model"),
                    input=get(case, "input", "turns"),
                    output=get(case, "actualOutput", "actual_output"),
                    target=get(case, "expectedOutput", "expected_output"),
                )
