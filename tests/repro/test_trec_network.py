from pathlib import Path

import numpy as np
import pytest
from repro.config import experiments
from repro.store import Store
from repro.studies.trec_network import (
    RULES,
    convert,
    make_features,
    make_variant,
    split_words,
)
from repro.texts import read_texts
from repro.word_vectors import mean_vectors

TABLE = experiments()["trec_network"]


def test_a_variant_changes_one_thing() -> None:
    base = make_variant(TABLE.settings, "base")
    for name in TABLE.rows:
        variant = make_variant(TABLE.settings, name)
        changed = [part for part in base if variant[part] != base[part]]
        assert len(changed) == (name != "base"), name


def test_entries_in_other_forms() -> None:
    entries = np.array([[0.8, 0.6, 0.6], [0.0, 0.0, 0.0]])
    assert convert(entries, "rounded").tolist() == [[1, 1, 1], [0, 0, 0]]
    np.testing.assert_allclose(
        convert(entries, "shares"), [[0.4, 0.3, 0.3], [1 / 3] * 3]
    )
    assert convert(entries, "likeliest").tolist() == [[1, 0, 0], [1, 0, 0]]


def test_words() -> None:
    question = "What's CNN 's address ?"
    assert split_words(question, "clean") == ["what", "s", "cnn", "s", "address"]
    assert split_words(question, "raw") == ["What's", "CNN", "'s", "address", "?"]
    assert "?" in split_words(question, "lower")


@pytest.mark.data
def test_features_are_those_of_the_text_table(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORRAL_DATA", str(data))
    questions = ["Who wrote Hamlet ?", "What is a femtozzz ?"]
    base = make_variant(TABLE.settings, "base")
    made = mean_vectors(questions, Store(tmp_path), clean=True)
    np.testing.assert_allclose(make_features(questions, base), made, atol=1e-6)


@pytest.mark.data
def test_eighteen_rules_cover_nearly_what_the_paper_says(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORRAL_DATA", str(data))
    rules = RULES["three groups, what"]
    assert len(rules) == 18
    assert len(read_texts("trec", Store(tmp_path), 1, rules).train) == 4_800
