"""A result is stale if the code that it measures has changed since."""

import json
import shutil

import pytest
from benchmarks.sources import MEASURED, RESULTS, SOURCE, find_stale, fingerprint

from benchmarks import pages


@pytest.fixture
def stored(tmp_path):
    """A copy of the source of `ranking`, and a result of it that is up to date."""
    source, results = tmp_path / "corral", tmp_path / "results"
    shutil.copytree(SOURCE / "ranking", source / "ranking")
    results.mkdir()
    result = {"source": fingerprint("preferences", source), "found": {}}
    (results / "preferences.json").write_text(json.dumps(result))
    return source, results


def test_changed_code_makes_a_result_stale(stored):
    source, results = stored
    assert not find_stale(results, source)
    file = source / "ranking" / "fit.py"
    text = file.read_text()
    file.write_text(f'"""Other words."""\n# a comment\n{text}')
    assert not find_stale(results, source)
    file.write_text(text.replace("return ", "return 1 + ", 1))
    assert find_stale(results, source) == {"preferences": ["ranking"]}


def test_a_result_without_a_fingerprint_is_stale(stored):
    source, results = stored
    (results / "preferences.json").write_text('{"found": {}}')
    assert find_stale(results, source) == {"preferences": ["ranking"]}


@pytest.mark.parametrize("stale", [{}, {"preferences": ["ranking"]}])
def test_the_check_of_pages_names_what_is_stale(stale, monkeypatch, capsys):
    monkeypatch.setattr(pages, "find_stale", lambda: stale)
    monkeypatch.setattr("sys.argv", ["benchmarks.pages", "--check"])
    assert pages.main() == bool(stale)
    assert ("preferences" in capsys.readouterr().err) == bool(stale)


def test_parts_exist_and_every_result_has_some():
    assert all(
        (SOURCE / part).exists() for parts in MEASURED.values() for part in parts
    )
    assert {file.stem for file in RESULTS.glob("*.json")} <= set(MEASURED)
