from pathlib import Path

import pytest
from repro.config import experiments
from repro.store import Store
from repro.studies.trec_network import (
    RULES,
    make_variant,
)
from repro.texts import read_texts

TABLE = experiments()["trec_network"]


def test_a_variant_changes_one_thing() -> None:
    base = make_variant(TABLE.settings, "base")
    for name in TABLE.rows:
        variant = make_variant(TABLE.settings, name)
        changed = [part for part in base if variant[part] != base[part]]
        assert len(changed) == (name != "base"), name


@pytest.mark.data
def test_eighteen_rules_cover_nearly_what_the_paper_says(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORRAL_DATA", str(data))
    rules = RULES["three groups, what"]
    assert len(rules) == 18
    assert len(read_texts("trec", Store(tmp_path), 1, rules).train) == 4_800
