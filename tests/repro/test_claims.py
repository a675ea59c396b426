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
    write_claims,
)
from repro.config import experiments
from repro.results import Results

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


def test_a_missing_record_says_how_to_make_it() -> None:
    with pytest.raises(LookupError, match="python -m repro run rank"):
        Stored({"rank": {}}).record("rank", "error", "CLL")
