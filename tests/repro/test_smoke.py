"""Every experiment in small, from its config to its records."""

from pathlib import Path

import pytest
from repro.config import experiments
from repro.results import Record
from repro.runner import run

ALL = experiments()
NETWORKS = {
    *("image_labels", "image_test", "text_test", "trec_network"),
    *("dependent", "independent", "error_rates", "image_longer", "stoch_gall"),
}


@pytest.mark.data
@pytest.mark.parametrize("name", ALL)
def test_smoke(
    name: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in NETWORKS:
        pytest.importorskip("torch", reason="networks need torch")
    monkeypatch.setenv("CORRAL_DATA", str(data))
    results, cache = tmp_path / "results", tmp_path / "cache"
    found = list(run(ALL[name], smoke=True, results=results, cache=cache))
    assert len(found) == len(list(ALL[name].cells()))
    for cell, record, kept in found:
        assert isinstance(record, Record), f"{cell}: {record}"
        assert not kept
        assert len(record.values) == len(record.seeds)
        assert record.data
    again = list(run(ALL[name], smoke=True, results=results, cache=cache))
    assert all(kept for *_, kept in again)
    assert [one for _, one, _ in again] == [one for _, one, _ in found]
