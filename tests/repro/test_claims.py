"""Claims are judged by values, and change their verdict with them."""

from dataclasses import replace

import pytest
from repro.claims import (
    CLAIMS,
    FAILS,
    HOLDS,
    PARTLY,
    UNTESTED,
    Stored,
    judge_by,
    write_claims,
)
from repro.config import experiments
from repro.results import Record, Results

STORED = {name: Results(name).records for name in experiments()}


def judge(said: str, **changes: dict[tuple[str, str], float]) -> tuple[str, str]:
    """The verdict on a claim, with stored values changed."""
    records = {
        name: {
            at: replace(record, values=[changes.get(name, {})[at]] * len(record.values))
            if at in changes.get(name, {})
            else record
            for at, record in stored.items()
        }
        for name, stored in STORED.items()
    }
    (claim,) = (claim for claim in CLAIMS if said in claim.said)
    return claim.judge(Stored(records))


def test_parts_make_a_verdict() -> None:
    assert judge_by([True, True]) == HOLDS
    assert judge_by([True, False]) == PARTLY
    assert judge_by([False]) == FAILS


def test_every_claim_has_a_line_with_a_verdict_and_a_run() -> None:
    lines = list(write_claims(Stored(STORED)))[2:-1]
    assert len(lines) == len(CLAIMS)
    for line in lines:
        verdicts = [
            word for word in (HOLDS, PARTLY, FAILS, UNTESTED) if f"**{word}**" in line
        ]
        assert len(verdicts) == 1, line
        assert "](#" in line


@pytest.mark.parametrize(("value", "verdict"), [(0.99, HOLDS), (0.1, FAILS)])
def test_the_best_labels_of_images(value: float, verdict: str) -> None:
    changed = {("fashion_mnist", "CLL"): value}
    found = judge("best labels of images", image_labels=changed)
    assert found[0] == verdict
    assert f"CLL {value:.3f}" in found[1]


def test_the_best_test_accuracy_needs_all_data_sets() -> None:
    best = {(row, "CLL"): 0.99 for row in ("imdb", "sst2", "trec")}
    image = {("fashion_mnist", "CLL, rounded"): 0.99}
    said = "best test accuracy"
    assert judge(said, text_test=best, image_test=image)[0] == HOLDS
    assert (
        judge(said, text_test=best | {("imdb", "CLL"): 0.1}, image_test=image)[0]
        == PARTLY
    )


def test_dependence_is_judged_by_pairs() -> None:
    lead = {("dependent_out", "agreement"): 0.9, ("dependent_half", "agreement"): 0.9}
    assert judge("Dependent signals hurt", paired=lead)[0] == HOLDS


def test_a_missing_record_says_how_to_make_it() -> None:
    with pytest.raises(LookupError, match="python -m repro run rank"):
        Stored({"rank": {}}).record("rank", "error", "CLL")


def test_a_line_is_its_mean() -> None:
    record = Record([[0.0, 1.0], [1.0, 1.0]], rows=2, x=[0.1, 0.2])
    x, y = Stored({"toy": {("a", "b"): record}}).line("toy", "a", "b")
    assert x.tolist() == [0.1, 0.2]
    assert y.tolist() == [0.5, 1.0]
